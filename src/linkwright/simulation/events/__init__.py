"""Events: conditions that are located in time during a simulation, and their actions."""

from linkwright.simulation.events.event import Event, Impact, Occurrence, limits, touch

__all__ = ["Event", "Impact", "Occurrence", "limits", "touch"]


def __dir__() -> list[str]:
    return __all__
