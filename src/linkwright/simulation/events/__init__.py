"""Events: conditions that are located in time while a mechanism moves, and what happens then."""

from linkwright.simulation.events.event import Event, Impact, Occurrence, limits, pair_touch, touch

__all__ = ["Event", "Impact", "Occurrence", "limits", "pair_touch", "touch"]


def __dir__() -> list[str]:
    return __all__
