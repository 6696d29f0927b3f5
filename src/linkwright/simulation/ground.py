"""Default ground contact of a mechanism: which of its shapes touch the ground."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from linkwright.errors import InputError
from linkwright.model.build.builder import Builder
from linkwright.model.build.options import ContactProperties
from linkwright.model.tree import Model, floating_bases
from linkwright.simulation.initial_state import is_built_in

PADS: dict[str, tuple[tuple[str, float, tuple[float, float, float]], ...]] = {
    "humanoid": (
        ("pelvis", 0.11, (0.0, 0.0, 0.02)),
        ("chest", 0.12, (0.0, 0.0, 0.08)),
        ("head", 0.1, (0.0, 0.0, 0.14)),
        *((f"{side}_hand", 0.04, (0.0, 0.0, -0.06)) for side in ("left", "right")),
        *((f"{side}_forearm", 0.045, (0.0, 0.0, 0.0)) for side in ("left", "right")),
        *((f"{side}_shank", 0.055, (0.0, 0.0, 0.0)) for side in ("left", "right")),
    ),
    "quadruped": (
        *(("trunk", 0.05, (0.17 * x, 0.05 * y, 0.0)) for x in (1.0, -1.0) for y in (1.0, -1.0)),
        *((f"{end}_{side}_shank", 0.02, (0.0, 0.0, 0.0)) for end in ("front", "hind") for side in ("left", "right")),
    ),
}
"""Spheres of built-in robots, of which otherwise only the feet touch: link, radius (m), xyz."""


UNSEEN = (0.6, 0.6, 0.6, 0.0)
"""Color and opacity of these spheres, which are shown only with contact geometry."""


def floating(model: Model) -> bool:
    """Return whether the base is a free joint on the world."""
    return bool(floating_bases(model))


def on_ground(model: Model, height: float | None, friction: float | None, falls: bool) -> Model:
    """Return the model on a ground; the model itself if it has no contact shapes, or a fixed base and no ``height``.

    A ground of the model is used, and its shapes touch nothing else. ``falls``: built-in robots touch it with more than
    their feet.
    """
    if height is None and not floating(model):
        return model
    if falls:
        model = _with_pads(model)
    if not any(shape.touches and model.frame(shape.body).body >= 0 for shape in model.shapes):
        if height is not None:
            raise InputError(f"--height is for robots that touch: {advice(model)}")
        return model
    own = [s for s in model.shapes if s.kind in ("plane", "height_field") and s.touches and _still(model, s)]
    if own and height is None:
        grounded = model.with_contact(exclude_overlapping=False)
        kept = (pair for pair in grounded.pairs if _still(model, model.shapes[pair.second]))
        pairs = tuple(kept if friction is None else (replace(pair, friction=friction) for pair in kept))
    else:
        grounded = model.with_ground(height or 0.0, contact=ContactProperties(friction=friction))
        pairs = grounded.pairs
    return replace(grounded, pairs=pairs)


def advice(model: Model) -> str:
    """Return advice on how to give a robot contact."""
    return f"no shape of {model.name!r} touches; collision shapes in its file would, or lw.Builder(model).shape(…)"


def _still(model: Model, shape: Any) -> bool:
    return model.frame(shape.body).body < 0


def _with_pads(model: Model) -> Model:
    if model.name not in PADS or not is_built_in(model):
        return model
    builder = Builder(model)
    for link, radius, xyz in PADS[model.name]:
        builder.shape(link, "sphere", radius=radius, xyz=xyz, use="collision", color=UNSEEN)
    return builder.build()
