"""Parameters of all mechanisms of a structure: masses, lengths and offsets as one array (`equations.md` §8).

The structure of a mechanism consists of its tree, its partition into blocks, the structures of the blocks
(`normal_form.py`), the types of the other joints, and which joints have rotors. All other numbers of forward dynamics
are in the array: gravity; of every joint within a block the letters of its placement and the offset of its coordinate;
the poses of the other joints, or gravity in the axes of a hinge or slider on the ground; inertial parameters of bodies
in blocks, and the compliance of single bodies; and armatures.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from linkwright.dynamics.assembly.choice import lagrange_schedule
from linkwright.dynamics.assembly.normal_form import (
    OCCURRING,
    TWISTS,
    AxisPlacement,
    JointStructure,
    NormalForm,
    kind_of,
    normal_form,
)
from linkwright.dynamics.assembly.partition import require_inertia
from linkwright.dynamics.assembly.schedule import GROUND
from linkwright.dynamics.assembly.subassembly import LeafInertia, leaf_inertia
from linkwright.dynamics.inertias.massless import require_mass
from linkwright.errors import InputError
from linkwright.model.elements import Link
from linkwright.model.requirement import require_model, takes_model
from linkwright.model.tree import Model
from linkwright.provided import returns_sympy
from linkwright.spatial.arrays import Array, mirror
from linkwright.spatial.inertia import of_parameters
from linkwright.spatial.transform import pose_of_rows


@takes_model
@returns_sympy
def structure_parameters(model: Model, partition: Any = None, structure_of: Model | None = None) -> Array:
    """Compute the parameters of a mechanism for a kernel of its structure.

    ``compile(forward_dynamics, arm, method="hybrid", parameters=["structure"])`` makes a kernel for all mechanisms of
    the structure of `arm`, which takes this array as its last argument.

    Parameters
    ----------
    model : Model
        Mechanism whose masses, lengths and offsets are computed.
    partition : int or sequence of sequence of str, optional
        Partition into blocks of the kernel.
    structure_of : Model, optional
        Mechanism for which the kernel was compiled, by default `model`.

    Returns
    -------
    ndarray, shape (p,)
        Parameters. Their number and order depend on the structure.

    Raises
    ------
    InputError
        If the structure of `model` is not that of `structure_of`; the message names the joint.

    Examples
    --------
    >>> import linkwright as lw
    >>> arm = lw.load("two_link")
    >>> kernel = lw.compile(lw.forward_dynamics, arm, method="hybrid", blocks="lagrange", parameters=["structure"])
    >>> heavier = arm.with_payload("tip", 0.5)
    >>> parameters = lw.structure_parameters(heavier, structure_of=arm)
    >>> a = kernel([0.1, 0.2], [0.0, 0.0], [0.0, 0.0], parameters)
    >>> abs(a - lw.forward_dynamics(heavier, [0.1, 0.2], [0.0, 0.0], [0.0, 0.0])).max() < 1e-9
    np.True_
    """
    if structure_of is not None:
        require_model(structure_of, "structure_parameters", "the mechanism of the kernel")
    own = structural_form(model, None, partition)
    of = own if structure_of is None else structural_form(structure_of, None, partition)
    _require_structure(own, of)
    return flattened(own, layout(of))


def structural_form(model: Model, schedule: Any = None, partition: Any = None) -> NormalForm:
    """Return the normal form of a mechanism whose structure is to be compiled, without its closed loops."""
    model.require_physical("the structure of a mechanism")
    if model.has_couplings:
        raise InputError(f"{model.name!r} has mimic joints, whose equations are no blocks: lock or remove them")
    require_mass(model)
    made = lagrange_schedule(model, schedule, partition)
    require_inertia(model, made.blocks, made.joined)
    return normal_form(model, made)


class ParameterEntry(NamedTuple):
    """Parameters of one body, next to each other in the array."""

    name: str
    body: int
    size: int


PLACEMENT = ("beta", "b", "a", "alpha", "d", "gamma")
ANGLES = ("beta", "alpha", "gamma")


def layout(form: NormalForm) -> list[ParameterEntry]:
    """Return the entries of the array of a structure, in order."""
    return [ParameterEntry("gravity", GROUND, 3), *_entries(form)]


def _entries(form: NormalForm) -> Iterator[ParameterEntry]:
    links, made = form.model.links, form.schedule
    within = {k: joint for k, joint in _joints(form) if joint is not None and form.placements[k] is not None}
    bearing = {links[k].parent for k in within}
    single = {block[0] for block, of in zip(made.blocks, form.structures, strict=True) if of is None}
    for k, link in enumerate(links):
        kind = kind_of(link)
        if k in within:
            joint = within[k]
            letters = (*joint.letters, *(("alpha",) if joint.twist == "oblique" else ()))
            yield from (ParameterEntry(name, k, 2 if name in ANGLES else 1) for name in letters)
            if k in bearing:  # the frame of another body is at the zero of its coordinate
                yield ParameterEntry("offset", k, 1)
        elif k not in made.joined and kind is not None:
            yield ParameterEntry("ground", k, 3)
        else:
            yield ParameterEntry("pose", k, 12)
        if k in single:
            yield ParameterEntry("leaf", k, 30)
        else:
            yield ParameterEntry("inertia", k, len(_occurring(form, k)))
        if link.armature.any():
            yield ParameterEntry("armature", k, len(link.armature))


def _joints(form: NormalForm) -> Iterator[tuple[int, JointStructure | None]]:
    """Yield the bodies of blocks with the structures of their joints."""
    for block, structure in zip(form.schedule.blocks, form.structures, strict=True):
        if structure is not None:
            yield from zip(block, structure.joints, strict=True)


def _occurring(form: NormalForm, k: int) -> list[int]:
    """Return the inertial parameters of a body in a block that may differ from zero."""
    kind = kind_of(form.model.links[k])
    return list(range(10)) if kind is None or k in form.schedule.joined else OCCURRING[kind]


def flattened(form: NormalForm, entries: list[ParameterEntry]) -> Array:
    """Return the array of a mechanism in normal form."""
    return np.concatenate([np.ravel(_numbers(form, one)) for one in entries])


def _numbers(form: NormalForm, entry: ParameterEntry) -> Any:
    name, k, _ = entry
    if name == "gravity":
        return form.model.gravity
    link = form.model.links[k]
    if name == "ground":
        return -(link.placement[:3, :3].T @ form.model.gravity)
    if name == "pose":
        return link.placement[:3]
    if name == "offset":
        return form.offsets[k]
    if name == "armature":
        return link.armature
    if name == "inertia":
        return link.rigid_inertia.parameters()[_occurring(form, k)]
    if name == "leaf":
        compliance, c, J = leaf_inertia(link)
        return np.concatenate([c, J[np.triu_indices(3)], compliance[np.triu_indices(6)]])
    return getattr(form.placements[k], name)


def with_parameters(form: NormalForm, entries: list[ParameterEntry], parameters: Array) -> NormalForm:
    """Return a normal form with other parameters, which may be symbols."""
    ends = np.cumsum([0, *(one.size for one in entries)])
    given: dict[tuple[str, int], Any] = {
        (one.name, one.body): parameters[at : at + one.size] for one, at in zip(entries, ends[:-1], strict=True)
    }
    joints = dict(_joints(form))
    placements: list[AxisPlacement | None] = []
    links: list[Link] = []
    for k, (link, placed) in enumerate(zip(form.model.links, form.placements, strict=True)):
        joint = joints.get(k)
        if placed is not None and joint is not None:
            placed = _placement(joint, k, given)
        placements.append(placed)
        pose = given.get(("pose", k))
        placement = np.eye(4) if pose is None else pose_of_rows(pose)
        inertia = link.rigid_inertia
        if ("inertia", k) in given:
            ten = dict(zip(_occurring(form, k), given["inertia", k], strict=True))
            inertia = of_parameters(np.array([ten.get(row, 0.0) for row in range(10)]))
        links.append(
            replace(
                link,
                placement=placement if placed is None else placed.pose(),
                rigid_inertia=inertia,
                armature=given.get(("armature", k), 0.0 * link.armature),
            )
        )
    offsets = [given.get(("offset", k), 0.0 * x) for k, x in enumerate(form.offsets)]
    grounds = {
        form.schedule.leaf_of[k]: np.concatenate([x, np.zeros(3)]) for (name, k), x in given.items() if name == "ground"
    }
    leaves = {
        k: LeafInertia(_symmetric(x[9:], 6), x[:3], _symmetric(x[3:9], 3))
        for (name, k), x in given.items()
        if name == "leaf"
    }
    model = replace(form.model, links=tuple(links), gravity=given["gravity", GROUND])
    return form._replace(
        model=model, offsets=tuple(offsets), placements=tuple(placements), leaves=leaves, grounds=grounds
    )


def _placement(joint: JointStructure, k: int, given: Mapping[tuple[str, int], Any]) -> AxisPlacement:
    """Return the placement of a joint with the letters that its structure has."""
    values: dict[str, Any] = {"alpha": TWISTS.get(joint.twist)}
    for name in PLACEMENT:
        if (x := given.get((name, k))) is not None:
            values[name] = (x[0], x[1]) if name in ANGLES else x[0]
    return AxisPlacement(**values)


def _symmetric(entries: Array, n: int) -> Array:
    """Return a matrix (n, n) from its upper triangle, row by row."""
    places = np.zeros((n, n), dtype=int)
    places[np.triu_indices(n)] = range(n * (n + 1) // 2)
    found: Array = entries[mirror(places)]
    return found


def _require_structure(own: NormalForm, of: NormalForm) -> None:
    """Raise :class:`InputError` for a mechanism that a kernel of another's structure does not describe."""
    model, other = own.model, of.model
    mine, theirs = own.schedule, of.schedule

    def differs(where: str, one: Any, another: Any) -> InputError:
        return InputError(
            f"the structure of {model.name!r} is not that of {other.name!r}: {where} is {one}, not {another}"
        )

    if mine.parents != theirs.parents:
        raise differs("the tree of its bodies (number of the parent)", mine.parents, theirs.parents)
    if mine.blocks != theirs.blocks:
        raise differs("its partition", mine.blocks, theirs.blocks)
    for joint, link, expected in zip(model.joints, model.links, other.links, strict=True):
        where = f"joint {joint.name!r}"
        if link.motion.kind != expected.motion.kind:
            raise differs(where, link.motion.type, expected.motion.type)
        if link.motion.numbers != expected.motion.numbers:
            raise differs(f"{where} by its numbers", link.motion.numbers, expected.motion.numbers)
        if link.armature.any() and not expected.armature.any():
            raise differs(f"the armature of {where}", link.armature.tolist(), "zero")
    pairs = zip(_joints(own), _joints(of), strict=True)
    within = [(k, one, another) for (k, one), (_, another) in pairs if one is not None and another is not None]
    for k, one, another in within:  # a turned axis changes lengths, too
        if another.twist not in (one.twist, "oblique"):
            where = f"the axis of joint {model.joints[k].name!r}"
            raise differs(where, f"{one.twist} to that before it", another.twist)
    for k, one, another in within:
        if more := [name for name in one.letters if name not in another.letters]:
            placed, where = own.placements[k], f"the axis of joint {model.joints[k].name!r}"
            values = ", ".join(f"{name} = {getattr(placed, name)}" for name in more)
            raise differs(f"{where} in Rz(β) Tz(b) Tx(a) Rx(α) Tz(d) Rz(γ)", f"at {values}", "at zero")
