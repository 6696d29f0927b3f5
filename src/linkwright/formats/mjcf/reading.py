"""MJCF, MuJoCo's robot files, read through MuJoCo itself (the extra ``mjcf``: the package mujoco-core).

MuJoCo compiles the file, so that its defaults, frames, angles and inertias of geometry have MuJoCo's meaning; the
numbers are those of the compiled model, without fusion of static bodies. Conventions:

* q is MuJoCo's qpos, entry by entry: hinges and slides count from ``ref``, ball and free
  joints have quaternions (w, x, y, z), a free joint's position is the body's in the world. ``model.neutral()`` is
  qpos0.
* v is MuJoCo's qvel except for free joints, whose linear velocity is in world axes in MuJoCo and in body axes
  here: :func:`velocity_from_mujoco` and :func:`velocity_to_mujoco` convert. (M and forces change accordingly.)
  A free joint with armature or friction loss is three translations and a ball, whose v is MuJoCo's (`free_joints.py`).
* Several joints on one body are one compound joint, "<body>_joints". Their names remain valid for
  coordinates, and in ``model.joint``, ``slice``, ``lock`` and other functions with names of joints.
* Tendons with stiffness, damping, limits or friction are ``model.springs``: of joints, or from site to site and around
  spheres and cylinders.
* Geoms are the shapes of bodies: visual in the groups 0 to 2, for contact if their contype or conaffinity is
  not zero; their surface parameters, <exclude> and <pair> are stored for ``model.with_contact()``. Keyframes are
  ``model.keyframes``, actuators ``model.actuators`` and sensors
  ``model.sensors``. Pulleys and other elements are not used; one warning lists them.

<include>, meshes, textures and height fields may name any file that this process can read, and MuJoCo's parser and mesh
code are native and not hardened: they run in a separate process (`child_process.py`) unless the file is
trusted. DOCTYPE and entities are rejected in the file itself.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from linkwright.errors import FormatError, MissingExtraError, ShapeError
from linkwright.formats.findings import assembled
from linkwright.formats.isolation.child_process import confined
from linkwright.formats.mjcf.actuators import actuators_of
from linkwright.formats.mjcf.contacts import contacts_of
from linkwright.formats.mjcf.free_joints import needs_world_axes
from linkwright.formats.mjcf.keyframes import keyframes_of
from linkwright.formats.mjcf.sensors import sensors_of
from linkwright.formats.mjcf.shapes import quaternion_problems, rotation_of, shapes_of
from linkwright.formats.mjcf.tendons import springs_of, tendon_loop
from linkwright.formats.mjcf.unused import counted, is_disabled, unused_of_model, unused_of_spec
from linkwright.formats.xml import TEXT, not_utf_8, read_bytes, root_tag
from linkwright.model.build.description import WORLD, BodySpec, Description, FrameSpec, JointSpec, motion_of
from linkwright.model.joints.joint import Compound, Free, JointPart, Spherical, in_world_axes, nested
from linkwright.model.joints.joint_type import JointType
from linkwright.model.joints.loop import Ball, CoordinateLoop, Loop, Weld
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array
from linkwright.spatial.rotation import quaternion_matrix, rotation_z
from linkwright.spatial.transform import inverse_pose, pose_matrix

FREE, BALL, SLIDE, HINGE = range(4)  # mjtJoint
MESH_KINDS = ("mjGEOM_MESH", "mjGEOM_HFIELD", "mjGEOM_SDF")
ASSET_TROUBLE = re.compile(r"opening file|mesh|texture|hfield|height field|skin|png|resource|decoder", re.IGNORECASE)
DEFAULT_NAME = "MuJoCo Model"
LINE = re.compile(r",? line (\d+)$")
"""End of MuJoCo's messages on elements."""


def read_mjcf(path: str | os.PathLike[str], root: str | None = None, *, trusted: bool = False) -> Model:
    """Read a model from an MJCF file; ``root="free"`` makes the one welded base float, as for every format.

    Bodies without joints are welded to their parents, mocap bodies stay at their pose in the file. Supported elements
    are bodies, hinge, slide, ball and free joints with their anchors and references, inertias, armature, linear
    damping and stiffness with its rest position, friction loss, limits of hinges and slides, limits of joint
    forces, gravity, named sites (as frames), equality constraints (as ``model.loops``), and the stiffness, damping,
    free lengths, limits and friction of tendons (as ``model.springs``). Missing
    meshes are no error if inertias are given. Unnamed bodies are body1, body2, … by their number, an
    unnamed joint is "<body>_joint".

    MuJoCo runs in a separate process, with a minute of time and 4 GiB of memory; for a ``trusted`` file in this one,
    about 0.3 s faster.

    Raises :class:`FormatError` with MuJoCo's message if the file cannot be compiled,
    :class:`MissingExtraError` without mujoco-core; issues one :class:`FormatWarning` with unused elements.
    """
    name = os.fspath(path)
    read_bytes(path)  # checks the path and the size
    description, notes = described(name) if trusted else confined("mjcf", name)
    return assembled(description.rooted(root), notes)


def parse_mjcf(text: str, root: str | None = None, *, trusted: bool = False) -> Model:
    """Read a model as :func:`read_mjcf` from the text; the files that it names are relative to the working folder."""
    if trusted:
        description, notes = described(TEXT, text)
    else:
        with TemporaryDirectory() as folder:  # the text may be too long for the command line of a process
            file = Path(folder) / "text"
            file.write_bytes(text.encode("utf-8", "surrogatepass"))
            description, notes = confined("mjcf_text", os.fspath(file))
    return assembled(description.rooted(root), notes)


def described_text(file: str) -> tuple[Description, list[str]]:
    """Return the description of the MJCF text that a file contains."""
    return described(TEXT, read_bytes(file).decode("utf-8", "replace"))


def described(name: str, text: str | None = None) -> tuple[Description, list[str]]:
    """Return the description of an MJCF file, or of a text, with its repaired and unused elements."""
    try:
        return _described(name, text)
    except UnicodeDecodeError as error:  # MuJoCo ignores the declared encoding
        raise not_utf_8(name, error) from None


def _described(name: str, text: str | None) -> tuple[Description, list[str]]:
    mujoco = _mujoco()
    data = read_bytes(name) if text is None else text.encode("utf-8", "replace")
    if (tag := root_tag(data, name)) != "mujoco":
        raise FormatError(f"{name}: the root element is <{tag[:60]}>; MJCF has <mujoco>")
    with _warnings_of(mujoco) as warned:
        try:
            spec, compiled, unused, remarks = _compiled(mujoco, name, text)
        except UnicodeDecodeError:
            raise
        except (ValueError, RuntimeError, mujoco.FatalError) as error:
            raise FormatError(_located(name, error, lines=b"<include" not in data)) from None
    reader = MjcfReader(mujoco, spec, compiled, name, lines=b"<include" not in data)
    description = reader.description()
    unused += reader.unused
    collide = sum(shape.touches for shape in description.shapes)
    waiting = [
        f"contact of {collide} geoms acts once its pairs are found: model.with_contact() in Python "
        "(a floating robot stands on its ground in the studio and in linkwright simulate)"
    ] * (collide > 1 and not is_disabled(compiled, mujoco, "contact"))
    notes = [*remarks, *reader.remarks, *waiting, *(f"MuJoCo warns: {_one_line(text)}" for text in warned)]
    if unused:
        notes.append(f"not used: {', '.join(unused)}")
    return description, [f"{name}: {note}" for note in notes]


def velocity_from_mujoco(model: Model, q: Any, v: Any) -> Array:
    """Convert MuJoCo's qvel (…, nv) at q (…, nq) to v (…, nv): linear velocities of free joints in body axes.

    Forces are converted by the same function, since the rotation is orthogonal.
    """
    return _turned(model, q, v, "ji")


def velocity_to_mujoco(model: Model, q: Any, v: Any) -> Array:
    """Convert v (…, nv) at q (…, nq) to MuJoCo's qvel (…, nv): linear velocities of free joints in world axes."""
    return _turned(model, q, v, "ij")


def _turned(model: Model, q: Any, v: Any, indices: str) -> Array:
    q, v = np.asarray(q, dtype=float), np.asarray(v, dtype=float)
    for what, x, n in (("q", q, model.nq), ("v", v, model.nv)):
        if x.shape[-1:] != (n,):
            raise ShapeError(f"{what} has shape (…, {n}) for {model.name!r}; got {x.shape}")
    turned: Array = np.broadcast_to(v, np.broadcast_shapes(q.shape[:-1], v.shape[:-1]) + v.shape[-1:]).copy()
    at_q = at_v = 0
    for joint in model.joints:
        if joint.motion.floating:
            R = quaternion_matrix(np.moveaxis(q[..., at_q + 3 : at_q + 7], -1, 0))
            turned[..., at_v : at_v + 3] = np.einsum(f"{indices}...,...j->...i", R, v[..., at_v : at_v + 3])
        at_q, at_v = at_q + joint.nq, at_v + joint.nv
    return turned


def _mujoco() -> Any:
    try:
        import mujoco
    except ImportError as error:
        raise MissingExtraError(
            f"reading MJCF needs MuJoCo: install the extra, linkwright[mjcf] (which brings mujoco-core); {error}"
        ) from None
    return mujoco


@contextmanager
def _warnings_of(mujoco: Any) -> Iterator[list[str]]:
    """Collect the warnings of MuJoCo, which by default are printed and written to a file in the working directory."""
    lines: list[str] = []
    if not hasattr(mujoco, "set_mju_user_warning"):
        yield lines
        return
    before = mujoco.get_mju_user_warning()
    mujoco.set_mju_user_warning(lines.append)
    try:
        yield lines
    finally:
        mujoco.set_mju_user_warning(before)


def _stem(path: str) -> str:
    return "robot" if path == TEXT else Path(path).stem


def _one_line(error: object) -> str:
    text = " ".join(str(error).split())
    return f"{text} (as when there is not enough memory for it)" if text == "Caught an unknown exception!" else text


def _located(name: str, error: object, lines: bool) -> str:
    """Return MuJoCo's message after its position; ``lines``: whether its line number is one of this file."""
    text = _one_line(error).removeprefix("XML Error: ").removeprefix("Error: ")
    found = LINE.search(text) if lines else None
    return f"{name}: {text}" if found is None else f"{name}:{found[1]}: {text[: found.start()]}"


# compiling


def _parsed(mujoco: Any, name: str, text: str | None) -> Any:
    spec = mujoco.MjSpec.from_file(name) if text is None else mujoco.MjSpec.from_string(text)
    spec.compiler.fusestatic = False
    return spec


def _compiled(mujoco: Any, name: str, text: str | None) -> tuple[Any, Any, list[str], list[str]]:
    """Return the file's MjSpec, MjModel without meshes and textures that cannot be loaded, unused elements, remarks."""
    spec = _parsed(mujoco, name, text)
    unused = unused_of_spec(spec)
    try:
        return spec, spec.compile(), unused, []
    except ValueError as error:
        if not ASSET_TROUBLE.search(str(error)):
            raise
        trouble = error
    spec = _parsed(mujoco, name, text)  # the failed one raises its error again
    unused += counted("contact pairs", [pair.name for pair in spec.pairs])
    unused += counted("sensors", [sensor.name for sensor in spec.sensors])
    needed = _strip(mujoco, spec)
    try:
        compiled = spec.compile()
    except ValueError as error:
        bodies = ", ".join(repr(body) for body in dict.fromkeys(needed))
        if ASSET_TROUBLE.search(str(error)) and bodies:
            raise ValueError(
                f"{_one_line(error)}; the inertia of {bodies} is to come from meshes: give <inertial>, or the files"
            ) from None
        raise
    return spec, compiled, unused, [f"{_one_line(trouble)}; what needs such files is left out, given inertias stand"]


def _strip(mujoco: Any, spec: Any) -> list[str]:
    """Delete all elements with asset files except inertias; return the bodies whose inertias need them."""
    for kind in ("sensors", "pairs", "skins"):  # they may refer to deleted elements
        for element in list(getattr(spec, kind)):
            spec.delete(element)
    for equality in list(spec.equalities):
        if equality.type not in (
            mujoco.mjtEq.mjEQ_CONNECT,
            mujoco.mjtEq.mjEQ_WELD,
            mujoco.mjtEq.mjEQ_JOINT,
        ):
            spec.delete(equality)
    kinds = [getattr(mujoco.mjtGeom, kind) for kind in MESH_KINDS]
    needed, kept = [], set()
    for geom in list(spec.geoms):
        geom.material = ""
        if geom.meshname or geom.type in kinds:
            if _weighs(mujoco, spec, geom):
                needed.append(geom.parent.name or "an unnamed body")
                kept.add(geom.meshname)
            else:
                spec.delete(geom)
    for element in [*spec.materials, *spec.textures, *spec.hfields]:
        spec.delete(element)
    for mesh in list(spec.meshes):
        if mesh.name not in kept and Path(mesh.file).stem not in kept:
            spec.delete(mesh)
    return needed


def _weighs(mujoco: Any, spec: Any, geom: Any) -> bool:
    """Return whether the inertia of a moving body is computed from this geom."""
    compiler, body = spec.compiler, geom.parent
    given = body.explicitinertial and compiler.inertiafromgeom != mujoco.mjtInertiaFromGeom.mjINERTIAFROMGEOM_TRUE
    low, high = compiler.inertiagrouprange
    if given or not low <= geom.group <= high or geom.mass == 0.0 or (np.isnan(geom.mass) and geom.density == 0.0):
        return False
    while body is not None and body.name != WORLD:
        if len(body.joints):
            return True
        body = body.parent
    return False


# reading the compiled model


class MjcfReader:
    """Reads the compiled model as a description, body by body, depth first."""

    def __init__(self, mujoco: Any, spec: Any, compiled: Any, path: str, lines: bool):
        self.mujoco, self.spec, self.m, self.path = mujoco, spec, compiled, path
        self.title = spec.modelname if spec.modelname not in ("", DEFAULT_NAME) else _stem(path)
        self.lines = {
            (kind, element.id): f"{path}:{element.info.removeprefix('line ')}"
            for kind, elements in (("body", spec.bodies), ("joint", spec.joints))
            for element in elements
            if lines and element.info.startswith("line ")
        }
        self.unused: list[str] = []
        self.remarks: list[str] = []
        kinds = mujoco.mjtObj
        self.bodies = [WORLD, *self.names(kinds.mjOBJ_BODY, self.m.nbody, lambda k: f"body{k}")[1:]]
        self.joints = self.names(kinds.mjOBJ_JOINT, self.m.njnt, lambda j: f"{self.bodies[self.m.jnt_bodyid[j]]}_joint")
        self.joint_names = {*self.joints}
        self.coordinates = list(self.joints)  # the name of each joint's coordinate, of joints of one
        self.frames: dict[str, FrameSpec] = {}
        self.site_frames: dict[int, str] = {}
        self.geom_frames: dict[int, str] = {}

    def names(self, kind: Any, count: int, default: Callable[[int], str]) -> list[str]:
        given = [self.mujoco.mj_id2name(self.m, kind, k) or "" for k in range(count)]
        taken = {*given, WORLD}
        return [name or _free(default(k), taken) for k, name in enumerate(given)]

    def description(self) -> Description:
        m = self.m
        self.check_finite()
        if m.jnt_actgravcomp.any():
            self.remarks.append(
                "gravity compensation by actuators (actuatorgravcomp) is a passive force here: limits of actuator "
                "forces do not apply to it"
            )
        bodies = tuple(self.body(b) for b in range(1, m.nbody))
        joints = tuple(self.joint(b) for b in range(1, m.nbody))
        self.sites()
        loops = tuple(self.loops())
        springs = tuple(springs_of(self))
        actuators = actuators_of(self)
        sensors = sensors_of(self, actuators)
        self.unused += unused_of_model(self)
        off = m.opt.disableflags & self.mujoco.mjtDisableBit.mjDSBL_GRAVITY
        g = np.zeros(3) if off else m.opt.gravity
        frames = tuple(self.frames.values())
        shapes, places = shapes_of(self)
        contacts = contacts_of(self, shapes, places)
        self.unused += contacts.notes
        self.remarks += contacts.remarks
        return Description(
            self.title,
            bodies,
            joints,
            frames,
            loops,
            tuple(g.tolist()),
            springs,
            tuple(shapes),
            listed_pairs=contacts.listed,
            excluded=contacts.excluded,
            keyframes=keyframes_of(self, joints, actuators),
            actuators=tuple(actuators.values()),
            sensors=sensors,
        )

    def check_finite(self) -> None:
        m = self.m
        problems = []
        for kind, names, fields in (
            (
                "body",
                self.bodies,
                ("body_pos", "body_quat", "body_ipos", "body_iquat", "body_mass", "body_inertia", "body_gravcomp"),
            ),
            ("joint", self.joints, ("jnt_pos", "jnt_axis", "jnt_range", "jnt_stiffness")),
        ):
            for field in fields:
                values = np.isfinite(getattr(m, field))
                bad = np.flatnonzero(~values.all(axis=tuple(range(1, values.ndim))))
                what = field.partition("_")[2]
                problems += [f"{self.path}: {kind} {names[k]!r}: its {what} is not finite" for k in bad]
        for what in ("qpos0", "qpos_spring", "dof_damping", "dof_armature", "dof_frictionloss"):
            if not np.isfinite(getattr(m, what)).all():
                problems.append(f"{self.path}: {what} is not finite")
        equalities = self.names(self.mujoco.mjtObj.mjOBJ_EQUALITY, m.neq, lambda e: f"equality{e}")
        for e in np.flatnonzero(~np.isfinite(m.eq_data).all(axis=1)):
            problems.append(f"{self.path}: equality constraint {equalities[e]!r}: its numbers are not finite")
        if not np.isfinite(m.opt.gravity).all():
            problems.append(f"{self.path}: the gravity {m.opt.gravity} is not finite")
        problems += quaternion_problems(self)
        if problems:
            raise FormatError(problems)

    def body(self, b: int) -> BodySpec:
        m = self.m
        R = rotation_of(m.body_iquat[b])
        inertia = R @ np.diag(m.body_inertia[b]) @ R.T
        return BodySpec(
            self.bodies[b],
            float(m.body_mass[b]),
            m.body_ipos[b].copy(),
            0.5 * (inertia + inertia.T),
            place=self.lines.get(("body", b), self.path),
            gravity_compensation=float(m.body_gravcomp[b]),
        )

    def joint(self, b: int) -> JointSpec:
        """Return the joint of body b on its parent: the product of MuJoCo's joints, each about its own anchor."""
        m = self.m
        name, parent = self.bodies[b], self.bodies[m.body_parentid[b]]
        base = pose_matrix(rotation_of(m.body_quat[b]), m.body_pos[b])
        ids = range(m.body_jntadr[b], m.body_jntadr[b] + m.body_jntnum[b])
        if not ids:
            place = self.lines.get(("body", b), self.path)
            return JointSpec(_free(f"{parent}_to_{name}", self.joint_names), parent, name, None, base, place=place)
        values = self.values(ids)
        values["place"] = self.lines.get(("joint", ids[0]), self.path)
        if len(ids) == 1:
            j = ids[0]
            motion, axes = self.motion(j)
            if motion.floating:  # its coordinates are the pose in the world
                base = np.eye(4)
            if needs_world_axes(motion, values):
                motion = in_world_axes()
                self.remarks.append(
                    f"the free joint {self.joints[j]!r} has armature or friction loss along world axes: it becomes "
                    "three slides and a ball, whose v is MuJoCo's qvel"
                )
            zero = axes @ self.zero(j) @ inverse_pose(axes)
            return JointSpec(
                self.joints[j], parent, name, motion, base @ zero, axes[:3, :3], anchor=axes[:3, 3], **values
            )
        parts, before = [], np.eye(4)
        for j in ids:
            motion, axes = self.motion(j)
            parts.append(JointPart(nested(before @ axes @ self.zero(j)), motion, self.joints[j]))
            before = inverse_pose(axes)
        joint = _free(f"{name}_joints", self.joint_names)
        for j in ids:
            self.coordinates[j] = f"{joint}.{self.joints[j]}"
        return JointSpec(joint, parent, name, Compound(tuple(parts), nested(before)), base, **values)

    def motion(self, j: int) -> tuple[JointType, Array]:
        """Return the joint type, and the pose (4, 4) of its canonical axes in the moved body's frame."""
        m, kind = self.m, self.m.jnt_type[j]
        if kind == FREE:
            return Free(), np.eye(4)
        if kind == BALL:
            return Spherical(), pose_matrix(p=m.jnt_pos[j])
        motion, alignment = motion_of("revolute" if kind == HINGE else "prismatic", m.jnt_axis[j])
        assert motion is not None
        return motion, pose_matrix(alignment, m.jnt_pos[j] if kind == HINGE else None)

    def zero(self, j: int) -> Array:
        """Return the pose of the joint at coordinate zero; at its reference, MuJoCo's bodies are as in the file."""
        kind, reference = self.m.jnt_type[j], float(self.m.qpos0[self.m.jnt_qposadr[j]])
        if kind in (FREE, BALL) or reference == 0.0:
            return np.eye(4)
        return pose_matrix(rotation_z(-reference)) if kind == HINGE else pose_matrix(p=np.array([0, 0, -reference]))

    def values(self, ids: range) -> dict[str, Any]:
        """Return limits, springs, friction and similar values of a body's joints, per coordinate."""
        m, widths = self.m, {FREE: (7, 6), BALL: (4, 3), SLIDE: (1, 1), HINGE: (1, 1)}
        qs: list[int] = []
        vs: list[int] = []
        nvs: list[int] = []
        lower, upper, effort = [], [], []
        for j in ids:
            nq, nv = widths[int(m.jnt_type[j])]
            qs += range(m.jnt_qposadr[j], m.jnt_qposadr[j] + nq)
            vs += range(m.jnt_dofadr[j], m.jnt_dofadr[j] + nv)
            nvs.append(nv)
            limited = nq == 1 and m.jnt_limited[j]
            low, high = m.jnt_range[j] if limited else (-np.inf, np.inf)
            lower += [low] * nq
            upper += [high] * nq
            limit = np.abs(m.jnt_actfrcrange[j]).max() if m.jnt_actfrclimited[j] else np.inf
            effort += [limit] * nv
        return {
            "lower": np.array(lower),
            "upper": np.array(upper),
            "effort_limit": np.array(effort),
            "stiffness": np.repeat(m.jnt_stiffness[list(ids)], nvs),
            "rest": m.qpos_spring[qs],
            "neutral": m.qpos0[qs],
            "damping": m.dof_damping[vs],
            "friction": m.dof_frictionloss[vs],
            "armature": m.dof_armature[vs],
        }

    def sites(self) -> None:
        m = self.m
        skipped = []
        for s in range(m.nsite):
            name = self.mujoco.mj_id2name(m, self.mujoco.mjtObj.mjOBJ_SITE, s)
            if name and (name in self.bodies or name in self.frames):
                skipped.append(name)
            elif name:
                self.site_frame(s, name)
        self.unused += counted("sites of names that bodies have", skipped)

    def site_frame(self, s: int, name: str) -> str:
        """Return the frame of a site, of this name if it has none yet."""
        if s not in self.site_frames:
            pose = pose_matrix(rotation_of(self.m.site_quat[s]), self.m.site_pos[s])
            name = _free(name, {*self.bodies, *self.frames})
            self.frames[name] = FrameSpec(name, self.bodies[self.m.site_bodyid[s]], pose, self.path)
            self.site_frames[s] = name
        return self.site_frames[s]

    def loops(self) -> Iterator[Loop | CoordinateLoop]:
        """Yield the active equality constraints; the frames of connect and weld become frames."""
        m, kinds = self.m, self.mujoco.mjtEq
        taken: set[str] = set()
        inactive, other, within = [], [], []
        for e in range(m.neq):
            given = self.mujoco.mj_id2name(m, self.mujoco.mjtObj.mjOBJ_EQUALITY, e)
            name = _free(given or f"equality{e}", taken)
            taken.add(name)
            kind, data = int(m.eq_type[e]), m.eq_data[e]
            first, second = int(m.eq_obj1id[e]), int(m.eq_obj2id[e])
            if not m.eq_active0[e]:
                inactive.append(name)
            elif kind == int(kinds.mjEQ_JOINT):
                yield self.joint_loop(name, first, second, data[:5])
            elif kind == int(kinds.mjEQ_TENDON) and (loop := tendon_loop(self, name, first, second, data[:5])):
                yield loop
            elif kind not in (int(kinds.mjEQ_CONNECT), int(kinds.mjEQ_WELD)):
                other.append(name)
            else:
                weld = kind == int(kinds.mjEQ_WELD)
                if m.eq_objtype[e] == int(self.mujoco.mjtObj.mjOBJ_SITE):
                    bodies = m.site_bodyid[[first, second]]
                    poses = [pose_matrix(rotation_of(m.site_quat[s]), m.site_pos[s]) for s in (first, second)]
                else:
                    bodies = np.array([first, second])
                    points = (data[3:6], data[0:3]) if weld else (data[0:3], data[3:6])
                    turn = rotation_of(data[6:10]) if weld else np.eye(3)
                    poses = [pose_matrix(turn, points[0]), pose_matrix(p=points[1])]
                if m.body_weldid[bodies[0]] == m.body_weldid[bodies[1]]:
                    within.append(name)
                    continue
                ends: list[str] = []
                for body, pose, end in zip(bodies, poses, ("first", "second"), strict=True):
                    frame = _free(f"{name}_{end}", {*self.bodies, *self.frames})
                    self.frames[frame] = FrameSpec(frame, self.bodies[body], pose, self.path)
                    ends.append(frame)
                yield Loop(name, ends[0], ends[1], Weld() if weld else Ball(), place=self.path)
        self.unused += counted("equality constraints within one body", within)
        self.unused += counted("inactive equality constraints", inactive)
        what = "equality constraints of tendons of sites or nonlinear in several joints, or of flexible bodies"
        self.unused += counted(what, other)

    def joint_loop(self, name: str, first: int, second: int, coefficients: Array) -> CoordinateLoop:
        """Convert MuJoCo's polynomial, which is in displacements from the references, to one in the coordinates."""
        m = self.m
        reference = m.qpos0[m.jnt_qposadr[first]]
        if second < 0:
            value = float(coefficients[0] + reference)
            return CoordinateLoop(name, self.coordinates[first], "", (value,), self.path)
        shifted = np.polynomial.Polynomial([-m.qpos0[m.jnt_qposadr[second]], 1.0])
        polynomial = np.polynomial.Polynomial(coefficients)(shifted) + reference
        values = np.zeros(5)
        values[: len(polynomial.coef)] = polynomial.coef
        names = self.coordinates[first], self.coordinates[second]
        return CoordinateLoop(name, *names, tuple(values.tolist()), self.path)

    def list_names(self, what: str, names: Sequence[str]) -> None:
        """Add elements to those that are not used."""
        self.unused += counted(what, names)


def _free(name: str, taken: set[str]) -> str:
    """Return the name, with underscores if it is taken, and mark it as taken."""
    while name in taken:
        name += "_"
    taken.add(name)
    return name
