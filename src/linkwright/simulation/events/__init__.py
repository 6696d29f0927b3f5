"""Events: conditions that are located in time during a simulation, and their actions."""

from linkwright.simulation.events.event import Event, Impact, Occurrence, limits, pair_touch, touch

__all__ = ["Event", "Impact", "Occurrence", "limits", "pair_touch", "touch"]


def __dir__() -> list[str]:
    return __all__
