"""The plan of a model with symbols: the symbols are the names in its equations, its numbers are numbers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from linkwright.dynamics.closed_loops.rows import loop_ends
from linkwright.errors import InputError
from linkwright.expression.graph import Expr
from linkwright.model.joints.loop import HelicalPair, Loop
from linkwright.model.requirement import require_model
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array, is_symbolic
from linkwright.spatial.inertia import RigidInertia
from linkwright.symbolic.derivation import plan as plans
from linkwright.symbolic.derivation.coordinates import coordinates_of
from linkwright.symbolic.derivation.exact_rotations import number
from linkwright.symbolic.derivation.formulas import Formulas, formulas_of, stand_ins
from linkwright.symbolic.derivation.plan import DerivationPlan, Entry, FramePlan, LoopPlan

PLACEHOLDER = 1.0
"""Value of symbols in generated code, where parameters have default values."""

RESERVED = ("pi", "1/pi", "sqrt2", "sqrt3", "tau")
"""Names of numbers and of efforts."""


def plan_of(
    model: Model, parameters: str | Mapping[str, Any], angle_tolerance: float, linear: bool = False
) -> DerivationPlan:
    """Return the plan of a model of numbers or with symbols."""
    require_model(model, "equations")
    if not model.holds_symbols:
        return plans.plan_of(model, parameters, angle_tolerance, linear)
    if linear:
        raise InputError(
            f"equations: {model.name!r} has symbols, whose combinations are not searched: base_parameters needs a "
            "model of numbers, whose parameters it names"
        )
    return _with_formulas(model.physical or model, _given(parameters), angle_tolerance)


def with_frame(plan: DerivationPlan, name: str) -> DerivationPlan:
    """Return the plan with a frame in it too."""
    if plan.source is None or name in plan.frames:
        return plans.with_frame(plan, name)
    made = plans.with_frame(plan, name)
    frame = plan.source.frame(name)
    return replace(made, frames={**made.frames, name: _frame(made.frames[name], frame.placement)})


def _given(parameters: Any) -> dict[str, float]:
    """Return the numbers of symbols."""
    if isinstance(parameters, str) and parameters in ("symbols", "numbers"):
        return {}
    _, given = plans.choice_of(parameters)
    if grouped := [group for group in parameters if isinstance(group, str) and group in plans.GROUPS]:
        raise InputError(
            f"equations: in a model with symbols these are the names, and its numbers are numbers: no {grouped[0]!r}; "
            "a mapping gives numbers for symbols, such as {'l': 0.5}"
        )
    return given


def _with_formulas(model: Model, given: Mapping[str, float], angle_tolerance: float) -> DerivationPlan:
    expressions = [x for array in _arrays(model) for x in _expressions(array)]
    names = coordinates_of(model)
    made = formulas_of(expressions, given, {*names.q, *names.v, *names.a, *RESERVED})
    plan = plans.plan_of(_stand_in(model, made, expressions), "numbers", angle_tolerance, linear=True)
    plan.source, plan.formulas, plan.angle_names = model, made, list(made.angles)
    plan.gravity = _mixed(plan.gravity, model.gravity)
    plan.links = [
        one._replace(
            rotation=_rotation(one.rotation, (T := plans.placement_of(model, k))[:3, :3]),
            position=_mixed(one.position, T[:3, 3]),
            mass=_entry(one.mass, link.rigid_inertia.mass),
            center=_mixed(one.center, link.rigid_inertia.first_moment),
            inertia=[_mixed(row, x) for row, x in zip(one.inertia, link.rigid_inertia.inertia, strict=True)],
            armature=_mixed(one.armature, joint.armature),
        )
        for k, (one, link, joint) in enumerate(zip(plan.links, model.links, model.joints, strict=True))
    ]
    plan.passive = [
        one._replace(
            damping=_mixed(one.damping, joint.damping),
            friction=_mixed(one.friction, joint.friction),
            stiffness=_mixed(one.stiffness, joint.stiffness),
            rest=_mixed(one.rest, joint.rest) if any(one.rest) else one.rest,
        )
        for one, joint in zip(plan.passive, model.joints, strict=True)
    ]
    for k, (tied, loop) in enumerate(zip(plan.loops, model.loops, strict=True)):
        if isinstance(tied, LoopPlan) and isinstance(loop, Loop):
            first, second = loop_ends(model, loop)
            pitch = _entry(tied.pitch, loop.kind.pitch) if isinstance(loop.kind, HelicalPair) else tied.pitch
            ends = _frame(tied.first, first.placement), _frame(tied.second, second.placement)
            plan.loops[k] = tied._replace(first=ends[0], second=ends[1], pitch=pitch)
    passive = [x for joint in model.joints for x in (joint.damping, joint.friction, joint.stiffness, joint.rest)]
    of_passive = dict.fromkeys(name for x in passive for name in made.used(_expressions(x)))
    of_rigid = dict.fromkeys(name for x in _rigid(model) for name in made.used(_expressions(x)))
    plan.values = dict.fromkeys({**of_rigid, **of_passive}, PLACEHOLDER)
    plan.meanings = {name: _meaning(made, name) for name in plan.values}
    plan.passive_names, plan.shared_names = set(of_passive), {*of_passive} & {*of_rigid}
    plan.inertial_names = _inertial_names(made, model)
    return plan


def _inertial_names(made: Formulas, model: Model) -> frozenset[str]:
    """Return the symbols of masses, inertias and stiffnesses that are no lengths."""

    def names(arrays: Iterable[Any]) -> set[str]:
        return {name for x in arrays for name in made.used(_expressions(x))}

    inertias = [link.rigid_inertia for link in model.links]
    masses = names(one.mass for one in inertias)
    stiff = names(x for joint in model.joints for x in (joint.stiffness, joint.armature))
    lengths = names((model.gravity, *(plans.placement_of(model, k) for k in range(len(model.links)))))
    centers = names(one.first_moment for one in inertias) - masses
    return frozenset((masses | stiff | names(one.inertia for one in inertias)) - lengths - centers)


def _meaning(made: Formulas, name: str) -> str:
    what = f"= {made.symbols[name]}" if name in made.constants.values() else "symbol of the model"
    return f"{what}; {PLACEHOLDER:g} is a placeholder"


def _rigid(model: Model) -> Iterator[Any]:
    """Yield the masses, gravity, the lengths and the inertias of a model: the order of names in equations."""
    yield from (link.rigid_inertia.mass for link in model.links)
    yield model.gravity
    yield from (plans.placement_of(model, k) for k in range(len(model.links)))
    yield from (frame.placement for frame in model.frames.values())
    for loop in model.loops:
        if isinstance(loop, Loop):
            yield loop.placement
            yield from (end.placement for end in loop_ends(model, loop))
            yield from loop.kind.numbers.values()
    for link in model.links:
        yield from (link.rigid_inertia.first_moment, link.rigid_inertia.inertia, link.armature)


def _arrays(model: Model) -> Iterator[Any]:
    """Yield the numbers and symbols of a model."""
    yield from _rigid(model)
    for joint in model.joints:
        yield from (joint.damping, joint.friction, joint.stiffness, joint.rest, joint.armature)


def _expressions(array: Any) -> list[Expr]:
    return [x for x in np.asarray(array, dtype=object).flat if isinstance(x, Expr)]


def _stand_in(model: Model, made: Formulas, expressions: list[Expr]) -> Model:
    """Return the model with generic numbers for its symbols, and without rotations by them."""
    values = stand_ins(made, expressions)

    def numbers(x: Any) -> Any:
        if not is_symbolic(x):
            return x
        array = np.array([values[e.index] if isinstance(e, Expr) else float(e) for e in np.asarray(x).flat])
        return array.reshape(np.shape(x)) if np.ndim(x) else float(array[0])

    def pose(T: Array) -> Array:
        made = np.array(numbers(T))
        if is_symbolic(T) and _expressions(T[:3, :3]):
            made[:3, :3] = np.eye(3)
        return made

    links = tuple(
        replace(
            link,
            placement=pose(link.placement),
            rigid_inertia=RigidInertia(*map(numbers, link.rigid_inertia)),
            armature=numbers(link.armature),
        )
        for link in model.links
    )
    of_joint = ("damping", "friction", "stiffness", "rest", "armature")
    joints = tuple(
        replace(joint, **{name: numbers(getattr(joint, name)) for name in of_joint}) for joint in model.joints
    )
    frames = {name: replace(frame, placement=pose(frame.placement)) for name, frame in model.frames.items()}
    loops = tuple(
        replace(
            loop,
            placement=pose(loop.placement),
            kind=loop.kind.with_numbers([numbers(x) for x in loop.kind.numbers.values()]),
        )
        if isinstance(loop, Loop)
        else loop
        for loop in model.loops
    )
    changed = replace(model, links=links, joints=joints, frames=frames, loops=loops, gravity=numbers(model.gravity))
    return replace(changed, shapes=(), pairs=())


def _entry(entry: Entry, x: Any) -> Entry:
    """Return the entry of an expression; ``entry`` of a number."""
    return Entry(formula=x) if isinstance(x, Expr) else entry


def _mixed(entries: Sequence[Entry], x: Any) -> list[Entry]:
    return [_entry(entry, one) for entry, one in zip(entries, x, strict=True)]


def _rotation(factors: list[Any], R: Array) -> list[Any]:
    """Return the rotation (3, 3) of a placement, as expressions where it has symbols."""
    if not _expressions(R):
        return factors
    whole = np.empty((3, 3), dtype=object)
    for place in np.ndindex(3, 3):
        x = R.item(*place)
        whole[place] = Entry(formula=x) if isinstance(x, Expr) else number(float(x))
    return [whole]


def _frame(frame: FramePlan, T: Array) -> FramePlan:
    return frame._replace(rotation=_rotation(frame.rotation, T[:3, :3]), position=_mixed(frame.position, T[:3, 3]))
