"""Checks of a description before assembly; each problem with its position in the file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Sized
from itertools import chain

import numpy as np

from linkwright.errors import UnknownNameError, printable
from linkwright.model.build.description import WORLD, BodySpec, Description, FrameSpec, JointSpec
from linkwright.model.build.sizes import LARGEST, LARGEST_MOMENT, too_large
from linkwright.model.joints.loop import CoordinateLoop
from linkwright.model.parts.actuator import Actuator
from linkwright.model.parts.pair import pairs_problems
from linkwright.model.parts.spring import Spring
from linkwright.model.parts.tendon import tendon_problem
from linkwright.model.scale import SMALLEST
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array, is_symbolic

TRIANGLE_TOLERANCE = 1e-6
"""Relative amount by which a principal moment may exceed the sum of the others, for rounded decimals in files."""

NO_MOMENT = 1e-15
"""Moments of inertia below this fraction of the mechanism's largest are zero, since some programs write rounding."""


def check_inertias(bodies: Sequence[BodySpec], problems: list[str], remarks: list[str]) -> None:
    """Check that every body has the inertia of a rigid body, or none; faults of files are remarks."""
    of_numbers = [body for body in bodies if not is_symbolic(body.mass, body.center_of_mass, body.inertia)]
    for body in bodies:
        if is_symbolic(body.center_of_mass, body.inertia) and not is_symbolic(body.mass) and body.mass < 0.0:
            problems.append(_negative_mass(body))
    sound = _sound(of_numbers)
    largest = 0.0 if sound.all() else _largest_moment(of_numbers)
    for body, is_sound in zip(of_numbers, sound, strict=True):
        if not is_sound:
            _check_inertia(body, largest, problems, remarks)


def at_place(place: str, message: str) -> str:
    """Return a problem after its position in a file, if there is one."""
    return f"{place}: {message}" if place else message


def _sound(bodies: Sequence[BodySpec]) -> Array:
    """Return which bodies have a valid inertia, for all bodies at once."""
    try:
        m = np.array([body.mass for body in bodies], dtype=float).reshape(len(bodies))
        c = np.array([body.center_of_mass for body in bodies], dtype=float).reshape(len(bodies), 3)
        I = np.array([body.inertia for body in bodies], dtype=float).reshape(len(bodies), 3, 3)
    except (ValueError, TypeError):  # of different shapes
        return np.zeros(len(bodies), dtype=bool)
    finite = np.isfinite(m) & np.isfinite(c).all(axis=1) & np.isfinite(I).all(axis=(1, 2))
    I = np.where(finite[:, None, None], I, 0.0)
    moments = np.linalg.eigvalsh(I)
    symmetric = (I.transpose(0, 2, 1) == I).all(axis=(1, 2))
    normal = ((m == 0.0) | (m >= SMALLEST)) & ((moments == 0.0) | (moments >= SMALLEST)).all(axis=1)
    bounded = (m <= LARGEST) & (np.abs(c) <= LARGEST).all(axis=1) & (np.abs(I) <= LARGEST_MOMENT).all(axis=(1, 2))
    return finite & symmetric & normal & bounded & (moments[:, 2] <= moments[:, 0] + moments[:, 1])


def _largest_moment(bodies: Sequence[BodySpec]) -> float:
    """Return the largest moment of inertia of a body, including that of a point mass at its center of mass."""
    largest = 0.0
    for body in bodies:
        m, c, I = np.asarray(body.mass), np.asarray(body.center_of_mass), np.asarray(body.inertia)
        if c.shape == (3,) and I.shape == (3, 3) and np.isfinite([m, *c, *I.ravel()]).all():
            with np.errstate(over="ignore"):  # overflow is reported as a problem
                largest = max(largest, float(np.abs(I).max()), float(m * (c @ c)))
    return largest


def _negative_mass(body: BodySpec) -> str:
    place = body.inertia_place or body.place
    return at_place(place, f"body {body.name!r}: the mass is {body.mass:g}; it cannot be negative")


def _check_inertia(body: BodySpec, largest: float, problems: list[str], remarks: list[str]) -> None:
    who, place = f"body {body.name!r}", body.inertia_place or body.place
    inertia = np.asarray(body.inertia)
    values = (body.mass, *np.ravel(body.center_of_mass), *np.ravel(inertia))
    if np.shape(body.center_of_mass) != (3,) or inertia.shape != (3, 3):
        problems.append(at_place(place, f"{who}: the center of mass has shape (3,) and the inertia (3, 3)"))
    elif not np.isfinite(values).all():
        problems.append(at_place(place, f"{who}: mass, center of mass and inertia must be finite"))
    elif body.mass < 0.0:
        problems.append(_negative_mass(body))
    elif 0.0 < body.mass < SMALLEST:
        problems.append(
            at_place(
                place,
                f"{who}: the mass is {body.mass:g} kg, less than the smallest number of full precision (2.2e-308)",
            )
        )
    elif large := too_large(body):
        problems.append(at_place(place, f"{who}: {large}"))
    elif np.abs(inertia - inertia.T).max() > 1e-9 * np.abs(inertia).max():
        problems.append(at_place(place, f"{who}: the inertia is not symmetric"))
    else:
        moments = np.linalg.eigvalsh(inertia)
        allowed = TRIANGLE_TOLERANCE * np.abs(moments).max() + NO_MOMENT * largest
        excess = moments[2] - moments[0] - moments[1]
        shown = ", ".join(f"{moment:.6g}" for moment in moments)
        if (tiny := moments[(moments > 0.0) & (moments < SMALLEST)]).size and np.abs(moments).max() < SMALLEST:
            problems.append(
                at_place(
                    place,
                    f"{who}: a moment of inertia is {tiny[0]:g} kg m², less than the smallest number of full "
                    "precision (2.2e-308)",
                )
            )
        elif moments[0] < -allowed:
            problem = at_place(place, f"{who}: no rigid body has a negative principal moment of inertia ({shown})")
            (remarks if place else problems).append(problem)  # files of real robots have such values
        elif excess > allowed:
            remarks.append(
                at_place(
                    place,
                    f"{who}: the principal moments of inertia ({shown}) violate the triangle inequality: the largest "
                    f"exceeds the sum of the others by {excess:.3g} ({excess / moments[2]:.2%})",
                )
            )


def check_names(description: Description, problems: list[str]) -> None:
    """Check that every body, frame and joint has a unique name of its kind."""
    named: dict[str, list[BodySpec | FrameSpec | JointSpec]] = {
        "body or frame": [*description.bodies, *description.frames],
        "joint": [*description.joints],
    }
    for what, items in named.items():
        count = Counter(item.name for item in items)
        seen: dict[str, str] = {}
        for item in items:
            if not isinstance(item.name, str) or not item.name:
                problems.append(at_place(item.place, f"a {what} needs a name; got {item.name!r}"))
            elif printable(item.name, keep="") != item.name:
                problems.append(at_place(item.place, f"the name {item.name!r} of a {what} has control characters"))
            elif item.name == WORLD and what != "joint":
                problems.append(at_place(item.place, f"the name {WORLD!r} is reserved for the ground"))
            elif count[item.name] > 1 and item.name in seen:
                first = f" (first at {seen[item.name]})" if seen[item.name] else ""
                problems.append(at_place(item.place, f"a second {what} is named {item.name!r}{first}"))
            seen.setdefault(str(item.name), item.place)
    bodies = {body.name for body in description.bodies} | {WORLD}
    for frame in description.frames:
        if frame.body not in bodies:
            unknown = unknown_name("body", frame.body, bodies, problems)
            problems.append(at_place(frame.place, f"{frame.label or f'frame {frame.name!r}'}: {unknown}"))


def check_loops(description: Description, order: list[JointSpec], problems: list[str]) -> None:
    """Check that every loop is between frames of different bodies, or between coordinates with velocities."""
    moved_by = moved_by_each(order)
    frames = {frame.name: frame.body for frame in description.frames}
    bodies = {body.name for body in description.bodies}
    coordinates = _plain_coordinates(order) if any(isinstance(one, CoordinateLoop) for one in description.loops) else {}
    names: set[str] = set()
    for loop in description.loops:
        if not isinstance(loop.name, str) or not loop.name or loop.name in names:
            again = f"a second loop is named {loop.name!r}" if loop.name in names else "a loop needs a name"
            problems.append(at_place(loop.place, f"{again}; got {loop.name!r}" if not loop.name else again))
        elif printable(loop.name, keep="") != loop.name:
            problems.append(at_place(loop.place, f"the name {loop.name!r} of a loop has control characters"))
        names.add(loop.name)
        if isinstance(loop, CoordinateLoop):
            _check_coordinate_loop(loop, coordinates, problems)
            continue
        ends = []
        for end in (loop.first, loop.second):
            body = frames.get(end, end) if isinstance(end, str) else None
            if body in moved_by:
                ends.append(moved_by[body])
            elif end not in frames and end not in bodies:
                unknown = unknown_name("frame", end, chain(moved_by, frames), problems)
                problems.append(at_place(loop.place, f"loop {loop.name!r}: {unknown}"))
        if len(ends) == 2 and ends[0] == ends[1]:
            where = "at rest in the world" if ends[0] == WORLD else f"on the body {ends[0]!r}"
            problems.append(
                at_place(
                    loop.place,
                    f"loop {loop.name!r} closes nothing: {loop.first!r} and {loop.second!r} are both {where}",
                )
            )


def moved_by_each(order: list[JointSpec]) -> dict[str, str]:
    """Return the moving body, or the world, of each link."""
    moved_by = {WORLD: WORLD}
    for joint in order:
        moved_by[joint.child] = joint.child if joint.motion else moved_by[joint.parent]
    return moved_by


def check_springs(description: Description, order: list[JointSpec], problems: list[str]) -> None:
    """Check that every spring is between frames of different bodies and has valid numbers."""
    if not description.springs:
        return
    moved_by = moved_by_each(order)
    frames = {frame.name: frame.body for frame in description.frames}
    unnamed = {frame.name for frame in description.frames if frame.label}
    known = {*frames, WORLD, *(body.name for body in description.bodies)}
    names: set[str] = set()
    for spring in description.springs:
        who = f"spring {spring.name!r}"
        wrong = []
        if not isinstance(spring.name, str) or not spring.name:
            wrong.append(f"a spring needs a name; got {spring.name!r}")
        elif spring.name in names:
            wrong.append(f"a second spring is named {spring.name!r}")
        elif printable(spring.name, keep="") != spring.name:
            wrong.append(f"the name {spring.name!r} of a spring has control characters")
        names.add(spring.name)
        for what in ("stiffness", "damping", "friction"):
            value = getattr(spring, what)
            if not 0.0 <= value < np.inf:
                wrong.append(f"{who}: its {what} must be finite and not negative; got {value:g}")
        least = -np.inf if spring.coefficients else 0.0
        if spring.length is not None and not (
            least <= spring.length[0] <= spring.length[1] and spring.length[0] < np.inf
        ):
            shown = " … ".join(f"{x:g}" for x in dict.fromkeys(spring.length))
            wrong.append(f"{who}: a free length is not negative, nor the longest less than the shortest; got {shown} m")
        if spring.limits is not None and not spring.limits[0] < spring.limits[1]:
            wrong.append(f"{who}: the shortest length is less than the longest; got {spring.limits}")
        if problem := tendon_problem(spring.tendon):
            wrong.append(f"{who}: {problem}")
        elif spring.length is None and not (spring.is_straight or spring.coefficients):
            wrong.append(f"{who} wraps around a body: give its free length")
        unknown = [end for end in spring.frames if end not in known]
        wrong += [f"{who}: {unknown_name('frame', end, chain(moved_by, frames), problems)}" for end in unknown]
        bodies = {moved_by.get(frames.get(end, end)) for end in spring.frames}
        wrong += [f"{who}: {problem}" for problem in _problems_of_joints(spring, order, problems)]
        if not unknown and None not in bodies and len(bodies) == 1:
            (only,) = bodies
            where = "at rest in the world" if only == WORLD else f"on the body {only!r}"
            ends = " and ".join(map(repr, spring.frames)) if unnamed.isdisjoint(spring.frames) else "its points"
            wrong.append(f"{who} moves nothing: {ends} are all {where}")
        problems.extend(at_place(spring.place, message) for message in wrong)


def _problems_of_joints(spring: Spring, order: list[JointSpec], problems: list[str]) -> Iterator[str]:
    """Yield the problems of the joints of a spring: unknown ones, and those of several coordinates."""
    if not spring.coefficients:
        return
    sizes: dict[str, int] = {}
    for joint in order:
        if joint.motion is not None:
            parts = {part.name: part.motion.nv for part in joint.motion.parts if part.name}
            sizes |= {**parts, **{f"{joint.name}.{name}": n for name, n in parts.items()}, joint.name: joint.motion.nv}
    for name, coefficient in spring.coefficients:
        if name not in sizes:
            yield unknown_name("joint", name, sizes, problems)
        elif sizes[name] != 1:
            yield f"the joint {name!r} has {sizes[name]} velocities; joints of tendons have one"
        if not np.isfinite(coefficient):
            yield f"the coefficient of {name!r} must be finite; got {coefficient:g}"


def actuator_problems(model: Model) -> list[str]:
    """Return the problems of the actuators of a model: unknown targets, and gears of another size."""
    problems: list[str] = []
    twice = [name for name, count in Counter(one.name for one in model.actuators).items() if count > 1]
    problems += [f"several actuators are named {name!r}" for name in twice]
    for one in model.actuators:
        try:
            sizes = _gear_sizes(model, one)
        except UnknownNameError as error:
            problems.append(f"actuator {one.name!r}: {error}")
            continue
        if len(one.gears) not in sizes:
            wanted = " or ".join(map(str, sizes)) if sizes else "no size, since it moves along several coordinates"
            where = next(filter(None, one.targets.values()))
            problems.append(f"actuator {one.name!r}: gear has {len(one.gears)} numbers, for {where!r} {wanted}")
    return problems


def _gear_sizes(model: Model, actuator: Actuator) -> tuple[int, ...]:
    """Return the possible numbers of entries of an actuator's gear."""
    for frame in actuator.frames:
        model.frame(frame)
    if actuator.frame:
        return (6,)
    if actuator.tendon:
        one = all(model.joint(joint).motion.nv == 1 for joint in actuator.joints)
        return (1,) if one else ()
    motion = model.joint(actuator.joint).motion
    if motion.nv == 1:
        return (1,)
    if motion.floating or (motion.nv == 6 and not actuator.in_parent):
        return (6,)
    return (3,) if motion.quaternions == (0,) and motion.nv == 3 else ()


def check_shapes(description: Description, problems: list[str]) -> None:
    """Check that every shape is on a body and has valid numbers."""
    bodies = {body.name for body in description.bodies} | {WORLD}
    for shape in description.shapes:
        who = f"shape {shape.name!r}" if shape.name else f"a shape of {shape.body!r}"
        wrong = list(shape.problems())
        if shape.body not in bodies:
            wrong.append(unknown_name("body", shape.body, bodies, problems))
        problems.extend(at_place(shape.place, f"{who}: {message}") for message in wrong)


def check_pairs(description: Description, problems: list[str]) -> None:
    """Check that every pair is of two shapes that can touch, is unique, and has valid numbers."""
    if problems:  # pairs of invalid shapes are not checked
        return
    for pairs in (description.pairs, description.listed_pairs):
        problems += pairs_problems(pairs, description.shapes)


def _plain_coordinates(order: list[JointSpec]) -> dict[str, None]:
    """Return the names of the coordinates whose rates are velocities, in order."""
    plain: dict[str, None] = {}
    for spec in order:
        if spec.motion and not spec.mimic:
            names = spec.motion.coordinate_names
            for at, _ in spec.motion.plain:
                plain[f"{spec.name}.{names[at]}" if names[at] else spec.name] = None
    return plain


def _check_coordinate_loop(loop: CoordinateLoop, plain: Mapping[str, None], problems: list[str]) -> None:
    for name in loop.coordinates:
        if name not in plain:
            unknown = unknown_name("coordinate", name, plain, problems)
            problems.append(
                at_place(loop.place, f"loop {loop.name!r}: {unknown} (not those of quaternions and mimic joints)")
            )
    if loop.first == loop.second and not loop.others:
        problems.append(at_place(loop.place, f"loop {loop.name!r} couples the coordinate {loop.first!r} with itself"))
    if not np.isfinite([*loop.coefficients, *(factor for _, factor in loop.others)]).all():
        problems.append(at_place(loop.place, f"loop {loop.name!r}: its coefficients must be finite"))


def contradictions(model: Model, known_ids: set[int]) -> Iterator[str]:
    """Yield mimic joints whose limits leave their leader no range, as after a wrong sign; each is reported once."""
    known = {body.name for body in model.description.bodies if id(body) in known_ids}
    for spec in model.description.joints:
        if spec.mimic is not None and spec.child not in known and spec.name in model.contradictions:
            yield at_place(
                spec.place,
                f"joint {spec.name!r}: its limits and those of {spec.mimic.joint!r}, which it mimics, have no range in "
                "common; its own are ignored",
            )


def unknown_name(what: str, name: object, known: Iterable[str], problems: Sized) -> str:
    """Return the message for an unknown name, with similar names if the search is fast."""
    return str(UnknownNameError(what, name, known)) if len(problems) < 10 else f"unknown {what} {name!r}"
