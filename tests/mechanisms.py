"""Random mechanisms of every joint type, for the laws."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
from hypothesis import strategies as st

from linkwright.dynamics import pose
from linkwright.model.build.assembly import assemble
from linkwright.model.build.description import BodySpec, Description, FrameSpec, JointSpec, Mimic, motion_of
from linkwright.model.joints.joint import (
    JOINT_TYPES,
    Compound,
    Cylindrical,
    Free,
    Helical,
    JointPart,
    Planar,
    Prismatic,
    Revolute,
    Spherical,
    Universal,
    nested,
)
from linkwright.model.joints.joint_type import JointType
from linkwright.model.joints.loop import AXIAL, LOOP_TYPES, CoordinateLoop, Distance, HelicalPair, Loop, Mask, loop_type
from linkwright.model.tree import Model
from linkwright.spatial.rotation import quaternion_matrix
from linkwright.spatial.transform import inverse_pose, pose_matrix


def random_rotation(rng: np.random.Generator) -> np.ndarray:
    u = rng.normal(size=4)
    return quaternion_matrix(u / np.linalg.norm(u))


def random_pose(rng: np.random.Generator) -> np.ndarray:
    return pose_matrix(random_rotation(rng), rng.normal(size=3) * 0.4)


def joint_of(kind: type[JointType], rng: np.random.Generator) -> JointType:
    if kind is Helical:
        return Helical(float(rng.uniform(-0.5, 0.5)))
    if kind is Compound:
        # independent for almost every placement
        chains = [
            (Revolute(), Prismatic()),
            (Revolute(), Revolute(), Prismatic()),
            (Prismatic(), Spherical()),
            (Planar(), Revolute()),
            (Prismatic(), Prismatic(), Prismatic(), Revolute()),
        ]
        chain = chains[rng.integers(len(chains))]
        return Compound(
            tuple(JointPart(nested(random_pose(rng)), motion) for motion in chain), nested(random_pose(rng))
        )
    return kind()


def body(name: str, rng: np.random.Generator) -> BodySpec:
    # a cloud of points is a physical body
    points, weights = rng.normal(size=(6, 3)) * 0.2, rng.uniform(0.1, 1.0, 6)
    c = weights @ points / weights.sum()
    r = points - c
    inertia = sum(w * (x @ x * np.eye(3) - np.outer(x, x)) for w, x in zip(weights, r, strict=True))
    return BodySpec(name, float(weights.sum()), c, 0.5 * (inertia + inertia.T))


def random_tree(
    kinds: list[type[JointType]], seed: int, mimics: bool = False, springs: bool = True, floating: bool = False
) -> Model:
    """A tree with these joints in this order, fixed joints and frames strewn in.

    ``floating``: everything hangs on the first body.
    """
    rng = np.random.default_rng(seed)
    bodies, joints, frames = [], [], []
    names = ["world"]
    leaders: list[str] = []
    for k, kind in enumerate(kinds):
        motion = joint_of(kind, rng)
        mimic = None
        if mimics and motion.nq == 1:
            if leaders and rng.uniform() < 0.5:
                mimic = Mimic(leaders[rng.integers(len(leaders))], float(rng.uniform(-2, 2)), float(rng.uniform(-1, 1)))
            else:
                leaders.append(f"joint{k}")
        bodies.append(body(f"body{k}", rng))
        some = rng.uniform(0.0, 1.0, (5, motion.nv)) if springs else np.zeros((5, motion.nv))
        some[1, list(motion.carried)] = 0.0  # no armature in axes that turn
        joints.append(
            JointSpec(
                f"joint{k}",
                names[rng.integers(max(0, len(names) - 3), len(names))],
                f"body{k}",
                motion,
                random_pose(rng),
                random_rotation(rng) if motion.type not in ("spherical", "free", "compound") else np.eye(3),
                armature=some[1],
                damping=some[2],
                friction=some[3],
                stiffness=some[0],
                mimic=mimic,
            )
        )
        names.append(f"body{k}")
        if floating and k == 0:
            names.remove("world")
        if rng.uniform() < 0.4:
            bodies.append(body(f"extra{k}", rng))
            joints.append(JointSpec(f"weld{k}", names[-1], f"extra{k}", placement=random_pose(rng)))
            names.append(f"extra{k}")
    frames.append(FrameSpec("tip", names[-1], random_pose(rng)))
    frames.append(FrameSpec("base", "world", random_pose(rng)))
    gravity = tuple(rng.normal(size=3) * 5.0)
    return assemble(Description(f"random{seed}", tuple(bodies), tuple(joints), tuple(frames), gravity=gravity))


def one_of_each(seed: int = 0, **options: bool) -> Model:
    """A tree with every joint type once."""
    return random_tree(list(JOINT_TYPES), seed, **options)


MASKS = [
    ("x",),
    ("z", "ry"),
    ("x", "y", "rx", "rz"),
    ("y", "rz"),
    ("rx", "ry", "rz"),
    ("x", "y", "z", "rx", "ry", "rz"),
]
LOOP_NAMES = [*LOOP_TYPES, "joint"]


def with_loops(model: Model, kinds: list[str], seed: int) -> tuple[Model, np.ndarray]:
    """The mechanism with loops of these kinds (those that fit it), and a configuration where all of them are closed."""
    rng = np.random.default_rng(seed)
    q = model.random(seed=rng)
    places = list(model.frames)
    loops: list[Loop | CoordinateLoop] = []
    for n, kind in enumerate(kinds):
        if kind == "joint":
            plain = list(model.plain_coordinates)
            values = dict(zip(model.coordinate_names, q, strict=True))
            if len(plain) < 2:
                continue
            first, second = map(str, rng.choice(plain, 2, replace=False))
            c = rng.normal(size=3)
            c[0] = values[first] - c[1] * values[second] - c[2] * values[second] ** 2
            loops.append(CoordinateLoop(f"loop{n}", first, second, tuple(c.tolist())))
            continue
        first = str(rng.choice(places))
        others = [place for place in places if model.frames[place].body != model.frames[first].body]
        if not others:
            continue
        second = str(rng.choice(others))
        apart = inverse_pose(pose(model, q, first)) @ pose(model, q, second)
        pitch = float(rng.uniform(0.2, 1.0)) if kind == "helical" else None
        if kind == "distance":
            placement = random_pose(rng)
            length = float(np.linalg.norm((inverse_pose(placement) @ apart)[:3, 3]))
            loops.append(Loop(f"loop{n}", first, second, Distance(length), placement))
            continue
        if kind == "mask":
            loops.append(Loop(f"loop{n}", first, second, Mask(MASKS[rng.integers(len(MASKS))]), apart))
            continue
        alignment = motion_of(kind, rng.normal(size=3), None, pitch)[1] if kind in AXIAL else np.eye(3)
        free = motion_of({"weld": "fixed", "ball": "spherical"}.get(kind, kind), None, None, pitch)[0]
        moved = np.eye(4)
        if free is not None:
            unlimited = np.full(free.nq, np.inf)
            moved = free.transform(free.sample(rng, -unlimited, unlimited))
        axes = pose_matrix(alignment)
        placement = apart @ axes @ inverse_pose(moved) @ inverse_pose(axes)
        loops.append(Loop(f"loop{n}", first, second, loop_type(kind, pitch), placement, alignment))
    return assemble(replace(model.description, loops=tuple(loops))), q


def _moved(T: np.ndarray, length: float) -> np.ndarray:
    return pose_matrix(np.asarray(T)[:3, :3], length * np.asarray(T)[:3, 3])


def _larger(motion: JointType, length: float) -> JointType:
    if isinstance(motion, Helical):
        return replace(motion, pitch=length * motion.pitch)
    if isinstance(motion, Compound):
        parts = (
            JointPart(nested(_moved(p.placement, length)), _larger(p.motion, length), p.name) for p in motion.parts
        )
        return replace(motion, parts=tuple(parts), end=nested(_moved(motion.end, length)))
    return motion


def coordinate_units(motion: JointType, length: float) -> np.ndarray:
    """By what the coordinates (nq,) of a joint grow with its lengths."""
    if isinstance(motion, Compound):
        return np.concatenate([coordinate_units(part.motion, length) for part in motion.parts])
    if motion.quaternions:
        return np.array([length] * (motion.nq - 4) + [1.0] * 4)
    return velocity_units(motion, length)


def velocity_units(motion: JointType, length: float) -> np.ndarray:
    """The same of its velocities (nv,)."""
    return np.array([length if unit == "m" else 1.0 for unit in motion.units])


def larger(model: Model, length: float, mass: float) -> Model:
    """The mechanism with lengths ``length`` times as long, masses ``mass`` times, and whatever follows from that."""
    description = model.description
    motions = {spec.name: spec.motion for spec in description.joints if spec.motion is not None}

    def joint(spec: JointSpec) -> JointSpec:
        spec = replace(spec, placement=_moved(spec.placement, length), anchor=length * spec.anchor)
        if spec.motion is None:
            return spec
        q, v = coordinate_units(spec.motion, length), velocity_units(spec.motion, length)
        effort = mass * length**2 / v
        grown = {name: (effort / v, getattr(spec, name)) for name in ("stiffness", "damping", "armature")}
        grown |= {"friction": (effort, spec.friction), "effort_limit": (effort, spec.effort_limit)}
        grown |= {name: (q, getattr(spec, name)) for name in ("lower", "upper", "rest")}
        mimic = spec.mimic
        if mimic is not None:
            leader = velocity_units(motions[mimic.joint], length)[0]
            mimic = replace(mimic, multiplier=mimic.multiplier * v[0] / leader, offset=mimic.offset * v[0])
        values = {name: None if x is None else unit * np.asarray(x, float) for name, (unit, x) in grown.items()}
        return replace(spec, motion=_larger(spec.motion, length), mimic=mimic, **values)

    units = dict(zip(model.coordinate_names, grown_coordinates(model, length), strict=True)) | {"": 1.0}

    def loop(one: Loop | CoordinateLoop) -> Loop | CoordinateLoop:
        if isinstance(one, CoordinateLoop):
            first, second = units[one.first], units[one.second]
            return replace(one, coefficients=tuple(c * first / second**k for k, c in enumerate(one.coefficients)))
        kind = one.kind
        if isinstance(kind, HelicalPair):
            kind = replace(kind, pitch=length * kind.pitch)
        elif isinstance(kind, Distance):
            kind = replace(kind, length=length * kind.length)
        return replace(one, kind=kind, placement=_moved(one.placement, length))

    return assemble(
        replace(
            description,
            bodies=tuple(
                replace(
                    body,
                    mass=mass * body.mass,
                    center_of_mass=length * np.asarray(body.center_of_mass),
                    inertia=mass * length**2 * np.asarray(body.inertia),
                )
                for body in description.bodies
            ),
            joints=tuple(map(joint, description.joints)),
            frames=tuple(replace(f, placement=_moved(f.placement, length)) for f in description.frames),
            loops=tuple(map(loop, description.loops)),
            springs=tuple(
                replace(
                    one,
                    stiffness=mass * one.stiffness,
                    damping=mass * one.damping,
                    length=None if one.length is None else (length * one.length[0], length * one.length[1]),
                )
                for one in description.springs
            ),
            gravity=tuple(length * g for g in description.gravity),
        )
    )


def grown_coordinates(model: Model, length: float) -> np.ndarray:
    """By what q (nq,) grows with the lengths of a mechanism."""
    return np.concatenate([np.zeros(0), *(coordinate_units(j.motion, length) for j in model.joints if j.nq)])


def grown_velocities(model: Model, length: float) -> np.ndarray:
    """By what v (nv,) grows."""
    return np.concatenate([np.zeros(0), *(velocity_units(j.motion, length) for j in model.joints if j.nv)])


def looped(
    max_joints: int = 6, max_loops: int = 3, mimics: bool | None = None
) -> st.SearchStrategy[tuple[Model, np.ndarray]]:
    """Random trees with random closed loops, and a configuration where they are closed."""
    kinds = st.lists(st.sampled_from(LOOP_NAMES), min_size=1, max_size=max_loops)
    return st.builds(with_loops, trees(max_joints, mimics), kinds, st.integers(0, 2**32 - 1))


def trees(max_joints: int = 6, mimics: bool | None = None) -> st.SearchStrategy[Model]:
    """Random trees over all joint types."""
    return st.builds(
        random_tree,
        st.lists(st.sampled_from(JOINT_TYPES), min_size=1, max_size=max_joints),
        st.integers(0, 2**32 - 1),
        mimics=st.booleans() if mimics is None else st.just(mimics),
    )


@cache
def thirds() -> tuple[Model, ...]:
    """Three trees with every joint type, and followers, between them."""
    return tuple(random_tree([Revolute, *JOINT_TYPES[k::3], Prismatic], seed=k, mimics=True) for k in range(3))


def few_trees() -> st.SearchStrategy[Model]:
    """One of three trees with every joint type between them: for laws of what is compiled, once for each."""
    return st.sampled_from(thirds())


def state(model: Model, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A configuration, a velocity and an acceleration (or effort)."""
    rng = np.random.default_rng(seed)
    return model.random(seed=rng), rng.normal(size=model.nv), rng.normal(size=model.nv)


def relative_error(x: np.ndarray, reference: np.ndarray) -> float:
    """max|x − ref| / (1 + max|ref|), the project's measure."""
    x, reference = np.asarray(x, float), np.asarray(reference, float)
    assert x.shape == reference.shape, (x.shape, reference.shape)
    if x.size == 0:
        return 0.0
    return float(np.abs(x - reference).max() / (1.0 + np.abs(reference).max()))


__all__ = [
    "Cylindrical",
    "Free",
    "Universal",
    "looped",
    "one_of_each",
    "random_tree",
    "relative_error",
    "state",
    "trees",
    "with_loops",
]
