"""Parameters of a mechanism as arguments of a kernel: "payload.mass", "elbow.damping", "elbow.position", "gravity"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from linkwright import dynamics
from linkwright.compiler.front.bind import BoundFunction, regrouped, regrouping
from linkwright.dynamics.assembly.method import by_normal_form
from linkwright.dynamics.assembly.structure_parameters import layout, structural_form, with_parameters
from linkwright.dynamics.forward import checked_options
from linkwright.errors import ArgumentError, InputError, UnknownNameError, listed
from linkwright.model.elements import CompensatedWeight, Link, public_body
from linkwright.model.memo import keep
from linkwright.model.transformations.geometry import (
    OF_OWNERS,
    GeometricParameter,
    geometric_parameter,
    numbers_of,
    require_apart,
    require_geometry,
    with_values,
)
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array
from linkwright.spatial.inertia import SIX, SIX_COLUMNS, SIX_ROWS, RigidInertia, of_parameters, rigid_inertia
from linkwright.spatial.transform import inverse_pose

OF_BODIES: dict[str, tuple[int, ...]] = {"mass": (), "center_of_mass": (3,), "inertia": (6,), "inertial": (10,)}
"""Parameters of a link, and their shapes: Ixx Ixy Iyy Ixz Iyz Izz; m, m c, and those about the link's origin."""

OF_JOINTS = ("armature", "stiffness", "damping", "friction")
"""Parameters of a joint, of shape (nv,), or () for one coordinate."""


OF_PAIRS = ("friction", "restitution", "stiffness", "damping")
"""Parameters of all contact pairs, numbers."""


ROUNDING = 1e-9
"""Principal moments may be negative by this part of the largest one."""

NOT_NEGATIVE = ("mass", "armature", "damping", "friction")


@dataclass(frozen=True)
class Parameter:
    """One array that stands for a part of the mechanism."""

    name: str
    owner: str
    what: str
    shape: tuple[int, ...]
    geometry: GeometricParameter | None = None


def parametrized(bound: BoundFunction, names: Sequence[str]) -> BoundFunction:
    """Return the bound function with these parameters as further arrays, in their order.

    Bodies with parameters are taken off, what is left is regrouped as ever, and bodies of symbols are put on: what
    moves depends on inertial parameters one by one, in the sum.
    """
    model = bound.model
    if model is None or bound.on_model is None:
        raise ArgumentError(f"{bound.name}: parameters are a mechanism's, and none is given")
    _require_names(names)
    model.require_physical("a parameter")
    if "structure" in names:
        return _of_structure(bound, model, names)
    known = [parameter_of(model, name) for name in names]
    geometry = [one.geometry for one in known if one.geometry is not None]
    require_apart(geometry)
    if len({one.name for one in known}) < len(known):
        raise ArgumentError(f"each parameter is named once; got {listed(tuple(names), 'names')}")
    links = list(dict.fromkeys(one.owner for one in known if one.what in OF_BODIES))
    for one in known:
        if one.what == "inertial" and sum(other.owner == one.owner and other.what in OF_BODIES for other in known) > 1:
            raise ArgumentError(f"{one.name!r} are all parameters of {one.owner!r}; name no others of it")
    rest = model
    for link in links:
        rest = rest.with_link(link, mass=0.0, inertia=0.0)
    n, on_model, book, options = len(bound.shapes), bound.on_model, bound.book, bound.options

    def function(*arrays: Any) -> Any:
        values = {one.name: x for one, x in zip(known, arrays[n:], strict=True)}
        if geometry:  # on which regrouping depends
            own = with_values(rest, [(one, values[one.name]) for one in geometry])
        else:
            own = regrouped(book, rest, options) if bound.regroup and regrouping() else rest
        made = _with_values(own, model, links, known, values)
        keep(made, model, numbers_of)
        return on_model(made, *arrays[:n])

    shapes = bound.shapes | {one.name: one.shape for one in known}
    return replace(bound, function=function, shapes=shapes, algorithm=None, on_model=None)


def _of_structure(bound: BoundFunction, model: Model, names: Sequence[str]) -> BoundFunction:
    """Return forward dynamics in blocks with all masses and lengths as one further array, "structure"."""
    options = dict(bound.options)
    if len(names) > 1:
        raise ArgumentError(f"'structure' are all parameters of the mechanism; name no others; got {list(names)}")
    if bound.book is not dynamics.forward_dynamics or options.get("method") != "hybrid":
        raise InputError(
            "the parameter 'structure' is one of forward_dynamics with method='hybrid'; "
            f"got {bound.name} with method={options.get('method')!r}"
        )
    if model.loops and options.get("loops") != "ignore":
        raise InputError(f"the parameter 'structure' is for mechanisms without closed loops; {model.name!r} has loops")
    if any(name.startswith("wrench") for name in bound.shapes):
        raise InputError("the parameter 'structure' excludes wrenches: add Jᵀf to tau instead")
    checked_options(**options)
    form = structural_form(model, options.get("schedule"), options.get("partition"))
    entries, blocks = layout(form), options.get("blocks") or "recursive"

    def function(q: Array, v: Array, tau: Array, structure: Array) -> Array:
        return by_normal_form(with_parameters(form, entries, structure), q, v, tau, blocks=blocks)

    shapes = bound.shapes | {"structure": (sum(one.size for one in entries),)}
    return replace(bound, function=function, shapes=shapes, algorithm=None, on_model=None)


def parameter_of(model: Model, name: str) -> Parameter:
    """Return the parameter of that name; :class:`UnknownNameError` where there is none."""
    if not isinstance(name, str):
        raise ArgumentError(f"parameters are named by text, such as 'hand.mass'; got {name!r}")
    owner, dot, what = name.rpartition(".")
    if name == "gravity":
        return Parameter(name, "", "gravity", (3,))
    if dot and (geometry := geometric_parameter(model, name)) is not None:
        return Parameter(name, owner, what, geometry.shape, geometry)
    bodies = [body.name for body in model.description.bodies]
    if owner == "pairs" and what in OF_PAIRS:
        if not model.pairs:
            raise InputError(
                f"{name!r} is of shapes that touch, and {model.name!r} has no pairs: with_ground, with_contact"
            )
        if what in ("stiffness", "damping") and any(pair.stiffness is None for pair in model.pairs):
            raise InputError(f"{name!r} is of compliant pairs; {model.name!r} has a rigid one: give it a stiffness")
        return Parameter(name, owner, what, ())
    if owner == "pairs" and owner not in {*bodies, *(joint.name for joint in model.joints)}:
        raise UnknownNameError("parameter", name, [f"pairs.{x}" for x in OF_PAIRS])
    if dot and what in OF_BODIES:
        if owner not in bodies:
            raise UnknownNameError("body", owner, bodies)
        return Parameter(name, owner, what, OF_BODIES[what])
    if dot and what in OF_JOINTS:
        names = [joint.name for joint in model.joints]
        if owner not in names:
            raise UnknownNameError("joint", owner, names)
        motion = model.joint(owner).motion
        if what == "armature" and motion.carried:
            raise InputError(
                f"{name!r} is no parameter: a {motion.type} joint has no armature of its translation, whose velocities "
                "are in axes that turn with the body"
            )
        nv = motion.nv
        return Parameter(name, owner, what, () if nv == 1 else (nv,))
    owners = {"body": bodies, "joint": [one.name for one in model.joints], "frame": [*model.frames], "pairs": ["pairs"]}
    forms = [("body", OF_BODIES), ("joint", OF_JOINTS), ("pairs", OF_PAIRS), *OF_OWNERS.items()]
    own = [f"{owner}.{x}" for kind, all_of in forms if owner in owners.get(kind, ()) for x in all_of]
    every = [f"{'pairs' if kind == 'pairs' else f'<{kind}>'}.{' or '.join(all_of)}" for kind, all_of in forms]
    raise UnknownNameError("parameter", name, own or [*every, "gravity"])


def require_possible(known: Parameter, values: Array) -> None:
    """Raise :class:`InputError` for values (…, *shape) that no mechanism has."""
    if known.geometry is not None:
        require_geometry(known.geometry, values)
        return
    low, high = (0.0 if known.what in NOT_NEGATIVE else -np.inf), np.inf
    if known.what == "restitution":
        low, high = 0.0, 1.0
    if known.name == "pairs.stiffness":
        low = np.finfo(float).tiny
    bad = ~((values >= low) & (values <= high))
    if bad.any():
        text = {"restitution": "be from 0 to 1", "stiffness": "be above zero"}.get(known.what, "not be negative")
        raise InputError(f"{known.name} must {text}; got {values[bad].flat[0]:g}")
    if known.what in ("inertia", "inertial") and values.shape[-1:] == known.shape:
        moments = np.linalg.eigvalsh(_inertia_about_center(known, values))
        negative = moments[..., 0] < -ROUNDING * np.abs(moments).max(axis=-1)
        if negative.any():
            shown = ", ".join(f"{x:.6g}" for x in moments[negative][0])
            raise InputError(f"{known.name}: no rigid body has a negative principal moment of inertia ({shown})")


def _inertia_about_center(known: Parameter, values: Array) -> Array:
    """Return moments of inertia about the center of mass (…, 3, 3) of inertias (…, 6) or all ten parameters."""
    if known.what == "inertia":
        return values[..., SIX]
    m, h = values[..., 0, None], values[..., 1:4]
    c = h / np.where(m > 0.0, m, 1.0)
    steiner = (h * c).sum(axis=-1)[..., None, None] * np.eye(3) - h[..., :, None] * c[..., None, :]
    return values[..., 4:][..., SIX] - steiner


def _with_values(
    rest: Model, model: Model, links: Sequence[str], known: Sequence[Parameter], values: dict[str, Any]
) -> Model:
    """Return the rest of the mechanism with the bodies, joints and gravity of these values."""
    numbers = {body.name: body for body in model.description.bodies}
    added: dict[int, RigidInertia] = {}
    lifted = {one.frame: one for one in rest.compensated_weights}
    for link in links:
        frame, spec = rest.frames[link], numbers[link]
        if (all_ten := values.get(f"{link}.inertial")) is not None:
            own = of_parameters(all_ten)
        else:
            m = values.get(f"{link}.mass", spec.mass)
            c = values.get(f"{link}.center_of_mass", spec.center_of_mass)
            six = values.get(f"{link}.inertia")
            own = rigid_inertia(m, c, spec.inertia if six is None else six[SIX])
        if link in lifted:
            lifted[link] = CompensatedWeight.of(link, spec.gravity_compensation, own)
        moved = own.moved(frame.placement)
        added[frame.body] = added[frame.body] + moved if frame.body in added else moved
    of_joints = {(one.owner, one.what): np.reshape(values[one.name], (-1,)) for one in known if one.what in OF_JOINTS}
    of_pairs = {one.what: values[one.name] for one in known if one.owner == "pairs"}
    joints = tuple(
        replace(joint, **{what: x for (owner, what), x in of_joints.items() if owner == joint.name})  # type: ignore[arg-type]
        for joint in rest.joints
    )

    def changed(k: int, link: Link) -> Link:
        inertia = link.rigid_inertia + added[k] if k in added else link.rigid_inertia
        return replace(link, rigid_inertia=inertia, armature=joints[k].armature)

    made = replace(
        rest,
        links=tuple(changed(k, link) for k, link in enumerate(rest.links)),
        joints=joints,
        gravity=values.get("gravity", rest.gravity),
        pairs=tuple(replace(pair, **of_pairs) for pair in rest.pairs),
        welded=rest.welded + added[-1] if -1 in added else rest.welded,
        compensated_weights=tuple(lifted.values()),
    )
    if rest.physical is not None:  # regrouped inertias are not those of bodies
        return replace(made, physical=_with_values(rest.physical, model, links, known, values))
    return replace(made, bodies=tuple(_body(made, k) if k in added else body for k, body in enumerate(made.bodies)))


def _body(model: Model, k: int) -> Any:
    """Return a body in the axes of its file."""
    body = model.bodies[k]
    back = inverse_pose(model.frames[body.name].placement)
    return public_body(body.name, model.links[k].rigid_inertia.moved(back), body.links)


def value_of(model: Model, name: str) -> Any:
    """Return the present value of a parameter of a mechanism."""
    known = parameter_of(model, name)
    if known.geometry is not None:
        return model.geometry_of(name)
    if known.what in OF_BODIES:
        (spec,) = (body for body in model.description.bodies if body.name == known.owner)
        inertia = np.asarray(spec.inertia)
        if known.what == "inertial":
            return rigid_inertia(spec.mass, np.asarray(spec.center_of_mass), inertia).parameters()
        of_center = {"mass": spec.mass, "center_of_mass": spec.center_of_mass}
        return of_center.get(known.what, inertia[SIX_ROWS, SIX_COLUMNS])
    if known.what in OF_JOINTS and known.owner != "pairs":
        return np.reshape(getattr(model.joint(known.owner), known.what), known.shape)
    if known.name == "gravity":
        return model.gravity
    of_pairs = {getattr(pair, known.what) for pair in model.pairs}
    if len(of_pairs) != 1 or None in of_pairs:
        raise InputError(f"{name!r} has no single value: the pairs of {model.name!r} differ")
    return of_pairs.pop()


def values_of(model: Model, names: Sequence[str]) -> dict[str, Any]:
    """Return the present values of parameters of a mechanism."""
    _require_names(names)
    return {name: value_of(model, name) for name in names}


def _require_names(names: Sequence[str]) -> None:
    if isinstance(names, str) or not all(isinstance(name, str) for name in names):
        raise ArgumentError(f"parameters are a list of names, as ['payload.mass']; got {names!r}")
