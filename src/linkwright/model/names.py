"""Generated names."""

from __future__ import annotations

from linkwright.model.tree import Model


def velocity_names(model: Model) -> list[str]:
    """Return a name for each entry of v; those of compound joints from their parts."""
    names = []
    for joint in model.joints:
        parts = [(f"{joint.name}.{part.name or k}", part.motion) for k, part in enumerate(joint.motion.parts)]
        if joint.nv and not parts:
            parts = [(joint.name, joint.motion)]
        names += [name if motion.nv == 1 else f"{name}.{k}" for name, motion in parts for k in range(motion.nv)]
    return names
