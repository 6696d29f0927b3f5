"""Floating bases of mechanisms."""

from __future__ import annotations

from linkwright.model.tree import Model


def floating_bases(model: Model) -> list[int]:
    """Return the indices of the free joints on the world."""
    return [k for k, link in enumerate(model.links) if link.parent < 0 and link.motion.floating]
