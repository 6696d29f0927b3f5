"""Masses and inertias: links without mass, joints that move no mass, ratios, and inertias of another unit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from linkwright.dynamics import mass_matrix
from linkwright.dynamics.inertias.massless import massless_motion
from linkwright.model.build.description import BodySpec
from linkwright.model.coordinates import velocity_names
from linkwright.model.tree import Model
from linkwright.robot_check.extents import link_points
from linkwright.robot_check.finding import FileFinding, few
from linkwright.spatial.arrays import Array

NO_MASS = 1e-14
"""Moved inertia, relative to the largest one, below which a joint moves no mass."""

MASS_RATIO = 1e4
"""Ratio of the masses of a body and its parent above which simulations of contact and loops need small steps."""

GYRATION = 2.0
"""Radius of gyration, relative to the reach of the link from its center of mass; no solid exceeds 1."""

POINT = 1e-2
"""The same ratio below which the moments are too small for the size of the link."""

OUTSIDE = 3.0
"""Distance of the center of mass from the middle of the link, relative to the half diagonal of its bounding box."""


SHORT, LONG = 1e-2, 1e2
"""Radius of gyration relative to the distance between joints, medians of a robot. Bodies reach from joint to joint: in
188 robot files the ratio is between 0.08 and 24."""

HALF = 23.7
"""By Chebyshev's inequality a sphere of √2 radii of gyration contains at least half of a mass, so that some of it has a
density of at least m/(23.7 r³)."""

DENSEST, RAREST = 22_600.0, 1e-4
"""kg/m³: density of osmium, above which no material is; and a density far below those of robots. In 188 robot files the
median of m/(23.7 r³) is between 5.6e-4 and 1.0e4."""


def mass_findings(model: Model, before: Sequence[FileFinding]) -> Iterator[FileFinding]:
    """Yield the findings about masses and inertias."""
    yield from _links(model)
    yield from _ratios(model)
    yield from _mass_matrix(model)


def _links(model: Model) -> Iterator[FileFinding]:
    points = link_points(model)
    for body in model.description.bodies:
        place = body.inertia_place or body.place
        still = model.frames[body.name].body < 0 if body.name in model.frames else True
        if body.mass == 0.0:
            if np.any(body.inertia):
                yield FileFinding("warning", "mass", place, f"link {body.name!r} has moments of inertia, and no mass")
            continue
        if not still and body.name in points:
            yield from _size(body, points[body.name], place)
    light = [body.name for body in model.bodies if body.mass == 0.0]
    if light:
        place = next((body.place for body in model.description.bodies if body.name == light[0]), "")
        yield FileFinding("note", "mass", place, f"moving links without mass: {few(light)}")


def _size(body: BodySpec, points: Array, place: str) -> Iterator[FileFinding]:
    """Compare the moments of inertia and the center of mass with the size of a link."""
    c = np.asarray(body.center_of_mass)
    low, high = points.min(axis=0), points.max(axis=0)
    half = 0.5 * float(np.linalg.norm(high - low))
    apart = float(np.linalg.norm(c - 0.5 * (low + high)))
    who = f"link {body.name!r}"
    if half > 0.0 and apart > OUTSIDE * half:
        yield FileFinding(
            "warning",
            "units",
            place,
            f"{who}: its center of mass is {apart:.3g} m from the middle of the link, whose size is {2.0 * half:.3g} m",
        )
        return
    reach = float(np.linalg.norm(points - c, axis=1).max())
    moments = np.linalg.eigvalsh(np.asarray(body.inertia, dtype=float))
    if reach <= 0.0 or moments[2] <= 0.0:
        return
    gyration = float(np.sqrt(moments[2] / body.mass))
    if gyration > GYRATION * reach:
        text = f"its radius of gyration is {gyration:.3g} m, more than its size of {reach:.3g} m allows"
        yield FileFinding("warning", "units", place, f"{who}: {text} (moments of inertia are in kg m²)")
    elif gyration < POINT * reach:
        text = f"its radius of gyration is {gyration:.3g} m, very small for its size of {reach:.3g} m"
        yield FileFinding("note", "units", place, f"{who}: {text} (moments of inertia are in kg m²)")


def ratio_findings(model: Model, before: Sequence[FileFinding]) -> Iterator[FileFinding]:
    """Yield the findings about units of the whole robot, from its masses, moments and distances between joints.

    None, if there are findings about units already.
    """
    if any(finding.rule == "units" for finding in before):
        return
    moments = [(body.mass, float(np.trace(body.inertia))) for body in model.bodies]
    moments = [(m, moment) for m, moment in moments if m > 0.0 and moment > 0.0]
    offsets = [float(np.linalg.norm(joint.placement[:3, 3])) for joint in model.description.joints]
    offsets = [x for x in offsets if x > 1e-9]
    if len(moments) < 2:
        return
    radii = np.array([np.sqrt(0.5 * moment / m) for m, moment in moments])
    radius = float(np.median(radii))
    density = float(np.median(np.array([m for m, _ in moments]) / (HALF * radii**3)))
    if len(offsets) >= 2 and not SHORT < radius / (length := float(np.median(offsets))) < LONG:
        text = (
            f"the radius of gyration of its bodies is {radius:.3g} m and the distance between joints {length:.3g} m "
            "(medians): are lengths, moments of inertia (kg m²) or masses in another unit?"
        )
        yield FileFinding("warning", "units", "", text)
    elif density > DENSEST:
        text = (
            f"by their moments of inertia its bodies have a density of at least {density:.3g} kg/m³ in parts (median), "
            f"and no material has more than {DENSEST:.3g}: are masses in grams, or moments of inertia not in kg m²?"
        )
        yield FileFinding("warning", "units", "", text)
    elif density < RAREST:
        text = (
            f"its bodies have a density of about {density:.1g} kg/m³ by their moments of inertia (median): are masses "
            "in tonnes, or moments of inertia not in kg m²?"
        )
        yield FileFinding("warning", "units", "", text)


def _ratios(model: Model) -> Iterator[FileFinding]:
    places = {joint.name: joint.place for joint in model.description.joints}
    for k, link in enumerate(model.links):
        if link.parent < 0:
            continue
        masses = [float(model.bodies[at].mass) for at in (link.parent, k)]
        if min(masses) > 0.0 and max(masses) > MASS_RATIO * min(masses):
            names = [model.bodies[at].name for at in (link.parent, k)]
            yield FileFinding(
                "note",
                "mass",
                places.get(model.joints[k].name, ""),
                f"joint {model.joints[k].name!r}: the masses of {names[0]!r} and {names[1]!r}, {masses[0]:.3g} and "
                f"{masses[1]:.3g} kg, differ by a factor of {max(masses) / min(masses):.2g}",
            )


def _mass_matrix(model: Model) -> Iterator[FileFinding]:
    """Yield joints that move no mass, and an indefinite mass matrix, in two configurations."""
    if not model.nv:
        return
    neutral = np.clip(model.neutral(), model.lower, model.upper)
    configurations = (neutral, model.random(seed=0))
    moved = np.max([np.diagonal(mass_matrix(model, q)) for q in configurations], axis=0)
    names = velocity_names(model)
    places = {joint.name: joint.place for joint in model.description.joints}
    if light := [name for name, m in zip(names, moved, strict=True) if m <= NO_MASS * float(moved.max())]:
        for name in light:
            text = f"{name!r} moves no mass and no inertia: forward dynamics is singular"
            yield FileFinding("error", "mass", places.get(name, ""), f"joint {text}")
        return
    for q in configurations:
        if joints := massless_motion(model, q):
            text = f"{few(joints)}: together they can move without moving mass: forward dynamics is singular"
            yield FileFinding("error", "mass", places.get(joints[0], ""), text)
            return
