"""Pairs of shapes that may touch: the ground, and pairs found by the rules of MJCF."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import takewhile
from typing import Any

import numpy as np

from linkwright.bounds import truth
from linkwright.errors import (
    ArgumentError,
    FormatError,
    InputError,
    MissingFileError,
    ModelError,
    UnknownNameError,
    counted,
    listed,
    warn,
)
from linkwright.model.build.assembly import described
from linkwright.model.build.builder import Builder
from linkwright.model.build.description import WORLD
from linkwright.model.parts.pair import Pair, combined
from linkwright.model.parts.shape import Shape
from linkwright.model.transformations.additions import remade
from linkwright.model.tree import Model
from linkwright.provided import always_overlapping, disabled_collisions, hull_of_mesh
from linkwright.spatial.arrays import Array, entries, finite
from linkwright.spatial.rotation import rotation_from_z
from linkwright.spatial.transform import pose_matrix

GROUND = "ground"
"""Name of the shape that :meth:`Model.with_ground` adds."""

GROUNDS = ("plane", "height_field")

STEEPEST = np.sqrt(0.5)
"""A surface is the same ground if the cosine between the normals is larger."""


def with_ground(model: Model, height: Any, normal: Any, heights: Any, size: Any, only: Any, contact: Any) -> Model:
    """See :meth:`Model.with_ground`."""
    z = entries("the height of the ground", height, ())[()]
    n = finite("the normal of the ground", normal, (3,))
    if not n.any():
        raise InputError(f"the normal of the ground is not zero; got {normal!r}")
    T = pose_matrix(rotation_from_z(n), np.array([0.0, 0.0, z]))
    if (heights is None) != (size is None):
        raise ArgumentError("a ground of given heights needs its size too: (x, y), m, from side to side")
    if size is not None:
        sides = finite("size", size)
        if sides.shape != (2,) or not (sides > 0.0).all():
            raise InputError(f"size must be two lengths (x, y) above zero, in m; got {size!r:.200}")
    _require_none(model, T[:3, 2])
    _require_touching(model)
    made = Builder(model)
    if heights is None:
        made.shape(WORLD, "plane", name=GROUND, placement=T, contact=contact)
    else:
        made.height_field(WORLD, heights, size, name=GROUND, placement=T, contact=contact)
    description = made.describe()
    at = len(description.shapes) - 1
    names = None if only is None else _names(model, "only", only)
    if names == []:
        raise InputError("only is empty: name the links or shapes that touch the ground, or omit it for all")
    wanted = [
        (k, at)
        for k, shape in enumerate(model.shapes)
        if shape.touches and _body(model, shape) >= 0 and (names is None or {shape.name, shape.body} & {*names})
    ]
    if not wanted:
        where = "a moving body" if names is None else f"{', '.join(map(repr, names))}, as far as these move,"
        raise ModelError(f"no shape on {where} of {model.name!r} touches others; {_which(model)}")
    shapes, pairs, left_out = _paired(description.shapes, wanted)
    if not pairs:
        raise ModelError(f"no shape of {model.name!r} can touch the ground: {left_out}")
    _warn(model, left_out)
    return remade(model, replace(description, shapes=shapes, pairs=(*description.pairs, *pairs)))


def _require_none(model: Model, normal: Array) -> None:
    """Raise an error if the mechanism has a ground."""
    if (shape := ground_of(model, normal)) is not None:
        raise ModelError(
            f"{model.name!r} already has a ground, {shape.called}; "
            "with_contact(itself=False) finds its pairs, with_contact() all pairs"
        )


def ground_of(model: Model, normal: Array) -> Shape | None:
    """Return the shape of the world that is a ground with about this normal, if there is one."""
    for shape in model.shapes:
        frame = model.frames[shape.body]
        up = (frame.placement[:3, :3] @ shape.placement[:3, :3])[:, 2]
        if shape.kind in GROUNDS and shape.touches and frame.body < 0 and up @ normal > STEEPEST:
            return shape
    return None


MOST_NAMED = 3
"""Largest number of shapes in a message."""


def _require_touching(model: Model) -> None:
    """Raise an error if the mechanism has no collision shapes."""
    if not any(shape.touches for shape in model.shapes):
        raise ModelError(f"no shape of {model.name!r} touches others; {_which(model)}")


def _which(model: Model) -> str:
    """Return a message with the shapes of the model, and how to add collision shapes."""
    if model.shapes:
        called = "; ".join(f"{shape.called}, use={shape.use!r}" for shape in model.shapes[:MOST_NAMED])
        more = "; …" if len(model.shapes) > MOST_NAMED else ""
        text = f"it has {counted(len(model.shapes), 'shape')}: {called}{more}"
    else:
        text = "there are none"
    return f"{text}. Add some: lw.Builder(model).shape(body, 'sphere', radius=…, xyz=…).build()"


def with_contact(model: Model, between: Any, exclude: Any, itself: Any, srdf: Any, exclude_overlapping: Any) -> Model:
    """See :meth:`Model.with_contact`."""
    truth("itself", itself)
    truth("exclude_overlapping", exclude_overlapping)
    _require_touching(model)
    among = None if between is None else _names(model, "between", between)
    disabled: LinkPairs = ()
    if srdf is not None:
        disabled = tuple(disabled_collisions(srdf, [WORLD, *(body.name for body in model.description.bodies)]))
    asked = {frozenset(pair) for pair in disabled}
    apart = [tuple(_names(model, "exclude", one)) for one in _sequence("exclude", exclude)]
    for two in apart:
        if len(two) != 2:
            raise ArgumentError(f"exclude is a list of pairs of names; got {two!r}")
    shapes = model.shapes

    def goes_by(place: int, name: str) -> bool:
        return name in (shapes[place].body, shapes[place].name)

    def allowed(i: int, j: int) -> bool:
        if frozenset((shapes[i].body, shapes[j].body)) in asked:
            return False
        if not itself and all(_body(model, shapes[k]) >= 0 for k in (i, j)):
            return False
        if among is not None and not all(any(goes_by(k, name) for name in among) for k in (i, j)):
            return False
        return not any((goes_by(i, a) and goes_by(j, b)) or (goes_by(i, b) and goes_by(j, a)) for a, b in apart)

    known = {frozenset((pair.first, pair.second)) for pair in model.pairs}
    given = [pair for pair in model.listed_pairs if frozenset((pair.first, pair.second)) not in known]
    given = [pair for pair in given if allowed(pair.first, pair.second)]
    known |= {frozenset((pair.first, pair.second)) for pair in model.listed_pairs}
    wanted = [(i, j) for i, j in meeting_shapes(model) if frozenset((i, j)) not in known and allowed(i, j)]
    others = [place for pair in given for place in (pair.first, pair.second)]
    shapes, found, left_out = _paired(shapes, wanted, others)
    overlapping: LinkPairs = ()
    if exclude_overlapping:
        overlapping = _links_of(shapes, always_overlapping(replace(model, shapes=shapes), [*given, *found]))
    if overlapping:
        asked |= {frozenset(pair) for pair in overlapping}
        given = [pair for pair in given if allowed(pair.first, pair.second)]
        found = [pair for pair in found if allowed(pair.first, pair.second)]
    pairs = (*model.pairs, *given, *found)
    old = any(allowed(pair.first, pair.second) for pair in model.pairs)
    if not pairs or (among is not None and not (old or given or found)):
        text = "" if among is None else f" with between={among!r}, which names both shapes of a pair or their links"
        raise ModelError(
            f"no two shapes of {model.name!r} may touch{text}: those of one body do not, nor those of a body and the "
            f"one it is joined to, nor those that contype and conaffinity, exclude or between leave out, nor those of "
            f"kinds without points of contact; {left_out or _which(model)}"
        )
    _warn(model, left_out)
    if overlapping:
        lines = tuple(f"{first} ─ {second}" for first, second in overlapping)
        why = "left out of contact, since they overlap in all configurations"
        warn(f"{model.name!r}: {why}: {listed(lines, 'pairs of links')}")
    excluded = _united(model.excluded, (*disabled, *overlapping))
    return remade(model, replace(described(model), shapes=shapes, pairs=pairs, excluded=excluded))


LinkPairs = tuple[tuple[str, str], ...]


def _links_of(shapes: Sequence[Shape], pairs: Iterable[Pair]) -> LinkPairs:
    """Return the links of the shapes of pairs, each two once."""
    return _united((), ((shapes[pair.first].body, shapes[pair.second].body) for pair in pairs))


def _united(first: LinkPairs, second: Iterable[tuple[str, str]]) -> LinkPairs:
    """Return the pairs of both, each once in either order."""
    found: dict[frozenset[str], tuple[str, str]] = {}
    for pair in (*first, *second):
        found.setdefault(frozenset(pair), pair)
    return tuple(found.values())


def meeting_shapes(model: Model) -> list[tuple[int, int]]:
    """Return the index pairs of shapes that may touch, including shapes of the world.

    Left out are shapes of one body, of a body and its parent, without a common bit of contype and conaffinity, and of
    the links that are ``excluded``.
    """
    never = {frozenset(pair) for pair in model.excluded}
    places = [k for k, shape in enumerate(model.shapes) if shape.touches]
    body = np.array([_body(model, model.shapes[k]) for k in places])
    kinds = np.array([model.shapes[k].contype for k in places], dtype=np.int64)
    takes = np.array([model.shapes[k].conaffinity for k in places], dtype=np.int64)
    meet = ((kinds[:, None] & takes) != 0) | ((kinds & takes[:, None]) != 0)
    apart = meet & ~_joined(model, places, body) & (body[:, None] != body)
    found = [(places[i], places[j]) for i, j in np.argwhere(np.triu(apart, 1)).tolist()]
    return [(i, j) for i, j in found if frozenset((model.shapes[i].body, model.shapes[j].body)) not in never]


def neighbors(model: Model) -> LinkPairs:
    """Return the pairs of links with collision shapes that are on one body, or on a body and its parent."""
    places = [k for k, shape in enumerate(model.shapes) if shape.touches]
    body = np.array([_body(model, model.shapes[k]) for k in places])
    near = np.argwhere(np.triu(_joined(model, places, body) | (body[:, None] == body), 1)).tolist()
    links = [(model.shapes[places[i]].body, model.shapes[places[j]].body) for i, j in near]
    return _united((), [pair for pair in links if pair[0] != pair[1]])


def _joined(model: Model, places: Sequence[int], body: Array) -> Array:
    """Return, for each two shapes (n, n) on bodies (n,), whether their bodies are a body and its parent."""
    parent = np.array([model.links[b].parent if b >= 0 else -1 for b in body])
    moving = (body >= 0)[:, None] & (body >= 0)
    part, carrier = _parts_at_rest(model, places)
    below = (moving & (parent[:, None] == body)) | ((part >= 0) & (carrier[:, None] == part))
    both: Array = below | below.T
    return both


def _parts_at_rest(model: Model, places: Sequence[int]) -> tuple[Array, Array]:
    """Return the part at rest that each shape belongs to, and the one that its body is joined to, as numbers; −1: none.

    A part at rest is a link that is welded to the world, such as the base of an arm, with all links welded to it.
    Planes, height fields and shapes of the world itself belong to none, and floating bodies are joined to none.
    """
    above = {spec.child: spec.parent for spec in model.description.joints if spec.motion is None}
    numbers: dict[str, int] = {}

    def part_of(link: str) -> int:
        while above.get(link, WORLD) != WORLD:
            link = above[link]
        return -1 if link == WORLD else numbers.setdefault(link, len(numbers))

    bases = {
        spec.child: part_of(spec.parent)
        for spec in model.description.joints
        if spec.motion is not None and not spec.motion.floating
    }
    part, carrier = [], []
    for shape in (model.shapes[k] for k in places):
        body = _body(model, shape)
        at_rest = body < 0 and shape.kind not in GROUNDS
        part.append(part_of(shape.body) if at_rest else -1)
        carrier.append(bases.get(model.bodies[body].name, -1) if body >= 0 and model.links[body].parent < 0 else -1)
    return np.array(part, dtype=int), np.array(carrier, dtype=int)


def _body(model: Model, shape: Shape) -> int:
    return model.frames[shape.body].body


def _paired(
    shapes: Sequence[Shape], wanted: Sequence[tuple[int, int]], others: Iterable[int] = ()
) -> tuple[tuple[Shape, ...], list[Pair], str]:
    """Return the shapes, with convex hulls of meshes in contact; the pairs; and the omitted contacts with reasons."""
    pairs = {(i, j): combined(shapes, i, j) for i, j in wanted}
    touching = {place for ends, pair in pairs.items() if pair for place in ends} | set(others)
    shapes, unread = _with_hulls(list(shapes), touching)
    options: dict[str, list[str]] = {}
    for (i, j), pair in pairs.items():
        if pair is None:
            kinds = " and ".join(sorted((shapes[i].kind, shapes[j].kind)))
            options.setdefault(f"{kinds} have no points of contact", []).append(
                f"{shapes[i].called} ─ {shapes[j].called}"
            )
    lines = [f"{what}: {listed(tuple(which), 'pairs')}" for what, which in options.items()]
    lines += _reasons(shapes, unread)
    found = [pair for ends, pair in pairs.items() if pair and not unread.keys() & set(ends)]
    return tuple(shapes), found, "; ".join(lines)


def _warn(model: Model, left_out: str) -> None:
    if left_out:
        warn(f"{model.name!r}: left out of contact: {left_out}")


def _reasons(shapes: Sequence[Shape], unread: dict[int, FormatError]) -> list[str]:
    """Return the reasons for missing hulls; those of several missing files as one, with their common folder."""
    missing = {shapes[k].file: k for k, error in unread.items() if isinstance(error, MissingFileError)}
    if len(missing) <= MOST_NAMED:
        return [f"{shapes[k].called}: {error}" for k, error in unread.items()]
    files = list(missing)
    folders = zip(*(name.split("/")[:-1] for name in files), strict=False)
    folder = "/".join(one[0] for one in takewhile(lambda one: len(set(one)) == 1, folders))
    names = ", ".join(name.removeprefix(folder).lstrip("/") for name in files[:MOST_NAMED])
    text = (
        f"{len(files)} mesh files are missing{f' in {folder}' if folder else ''}: {names}, …; the first: "
        f"{unread[missing[files[0]]]}. Packages are searched above the robot's file, and in "
        "ROS_PACKAGE_PATH"
    )
    return [text, *(f"{shapes[k].called}: {error}" for k, error in unread.items() if shapes[k].file not in missing)]


def _with_hulls(shapes: list[Shape], places: Iterable[int]) -> tuple[list[Shape], dict[int, FormatError]]:
    """Return the shapes with convex hulls of the meshes at these indices, and the errors of missing hulls."""
    unread: dict[int, FormatError] = {}
    for k in sorted(places):
        if shapes[k].kind == "mesh" and shapes[k].hull is None:
            try:
                shapes[k] = replace(shapes[k], hull=hull_of_mesh(shapes[k]))
            except FormatError as error:
                unread[k] = error
    return shapes, unread


def _sequence(what: str, given: Any) -> Sequence[Any]:
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise ArgumentError(f"{what} is a list of names of links or shapes, or of pairs of them; got {given!r}")
    return tuple(given)


def _names(model: Model, what: str, given: Any) -> list[str]:
    """Return names of links or shapes after a check that each exists."""
    names = list(_sequence(what, given))
    known = {WORLD, *(link for body in model.bodies for link in body.links)}
    known |= {name for name, frame in model.frames.items() if frame.body < 0}
    known |= {shape.name for shape in model.shapes if shape.name}
    for name in names:
        if name not in known:
            raise UnknownNameError("link or shape", name, known, "links or shapes")
    return names
