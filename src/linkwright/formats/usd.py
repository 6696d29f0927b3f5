"""USD, the scenes of OpenUSD with UsdPhysics, read through OpenUSD itself (the extra ``usd``: the package usd-core).

Supported are rigid bodies with their masses, joints with their limits, gravity, and the shapes under the bodies.
Conventions:

* Lengths, masses and angles are converted from the stage's units to m, kg and rad; the axes of the world are
  the stage's.
* At zero coordinates the two frames of a joint coincide. A body without a joint to the world floats: its free joint
  counts from its pose in the stage.
* A joint between bodies that are already connected, or that is excluded from the articulation, closes a loop.
* A missing mass, center or inertia is computed from the colliders and their density (1000 kg/m³ by default).
* Drives, materials, filters of collisions and simulation settings are not used; one warning lists unused elements.

A stage may name any file that this process can read, and OpenUSD is native code that is not hardened: it runs in a
separate process (`child_process.py`) unless the file is trusted.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from linkwright.errors import FormatError, LinkwrightError, MissingExtraError
from linkwright.formats.findings import LARGEST, assembled
from linkwright.formats.isolation.child_process import confined
from linkwright.formats.meshes.reading import solid_of
from linkwright.formats.solids import SolidProperties, together
from linkwright.formats.xml import not_utf_8, read_bytes, shortened
from linkwright.model.build.description import WORLD, BodySpec, Description, FrameSpec, JointSpec, motion_of
from linkwright.model.joints.loop import Loop, loop_type
from linkwright.model.parts.shape import Shape, Use
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array, snap, unit_vector
from linkwright.spatial.rotation import quaternion_matrix, rotation_about, rotation_from_z
from linkwright.spatial.transform import inverse_pose, pose_matrix

WATER = 1000.0
"""kg/m³, default density of colliders in UsdPhysics"""

EARTH = 9.81

LARGEST_UNIT = 1e9
"""m or kg, of which the reciprocal is the smallest unit of a stage."""

JOINTS = {
    "PhysicsFixedJoint": "fixed",
    "PhysicsRevoluteJoint": "revolute",
    "PhysicsPrismaticJoint": "prismatic",
    "PhysicsSphericalJoint": "spherical",
}
LOOPS = {"fixed": "weld", "spherical": "ball"}
FREEDOMS = ("transX", "transY", "transZ", "rotX", "rotY", "rotZ")
ROUND = ("Cylinder", "Capsule", "Cone")


def read_usd(path: str | os.PathLike[str], root: str | None = None, *, trusted: bool = False) -> Model:
    """Read a mechanism from a USD stage; ``root="free"`` makes a welded base float.

    OpenUSD runs in a separate process, with a minute of time and 4 GiB of memory; for a ``trusted`` file in this one.
    Raises :class:`FormatError` with all problems, each with the path of its prim, and
    :class:`MissingExtraError` without usd-core; issues one :class:`FormatWarning` with unused elements.
    """
    name = os.fspath(path)
    read_bytes(path)  # checks the path and the size
    description, notes = described(name) if trusted else confined("usd", name)
    return assembled(description.rooted(root) if root else description, notes)


def described(name: str) -> tuple[Description, list[str]]:
    """Return the description of the mechanism in a stage, with its unused elements."""
    try:
        return _described(name)
    except UnicodeDecodeError as error:  # OpenUSD's texts are bytes
        raise not_utf_8(name, error) from None


def _described(name: str) -> tuple[Description, list[str]]:
    try:
        from pxr import Tf, Usd
    except ImportError as error:
        raise MissingExtraError(
            f"reading USD needs OpenUSD: install the extra, linkwright[usd] (which brings usd-core); {error}"
        ) from None
    try:
        reader = _UsdReader(Usd.Stage.Open(name), name)
        description = reader.description()
    except (Tf.ErrorException, RuntimeError) as error:  # RuntimeError: of its bindings
        raise FormatError(f"{name}: {shortened(' '.join(str(error).split()), 300)}") from None
    if reader.problems:
        raise FormatError(reader.problems)
    return description, reader.notes()


class _UsdReader:
    """Reads a stage as a description."""

    def __init__(self, stage: Any, file: str):
        from pxr import Usd, UsdGeom, UsdPhysics, UsdShade

        self.usd, self.geom, self.physics, self.shade = Usd, UsdGeom, UsdPhysics, UsdShade
        self.stage, self.file = stage, file
        self.cache = UsdGeom.XformCache()
        self.problems: list[str] = []
        self.m = self.unit("metersPerUnit", UsdGeom.GetStageMetersPerUnit(stage))
        self.kg = self.unit("kilogramsPerUnit", UsdPhysics.GetStageKilogramsPerUnit(stage))
        self.unused: dict[str, list[str]] = {}
        found = Usd.PrimRange.Stage(stage, Usd.TraverseInstanceProxies())
        self.prims = [prim for prim in found if prim.IsActive()]
        self.bodies = {prim.GetPath(): prim for prim in self.prims if self.is_body(prim)}
        self.names = self.named([*self.bodies.values()])
        self.shapes_of: dict[Any, list[tuple[Any, Shape]]] = {path: [] for path in [None, *self.bodies]}
        """shapes of each body, and of the world under None"""

    def problem(self, prim: Any, message: str) -> None:
        self.problems.append(f"{self.file}:{prim.GetPath()}: {message}")

    def notes(self) -> list[str]:
        """Return the unused elements in one line."""
        lines = [
            f"{what} ({len(names)}: {', '.join(names[:6])}{', …' if len(names) > 6 else ''})"
            for what, names in self.unused.items()
        ]
        return [f"{self.file}: not used: {', '.join(lines)}"] if lines else []

    def is_body(self, prim: Any) -> bool:
        if not prim.HasAPI(self.physics.RigidBodyAPI):
            return False
        enabled = self.physics.RigidBodyAPI(prim).GetRigidBodyEnabledAttr().Get()
        return enabled is not False

    def named(self, prims: list[Any]) -> dict[Any, str]:
        """Return prims by name, or by path where several have one name."""
        own = [prim.GetName() for prim in prims]
        return {
            prim.GetPath(): name if own.count(name) == 1 and name != WORLD else str(prim.GetPath()).lstrip("/")
            for prim, name in zip(prims, own, strict=True)
        }

    # values

    def unit(self, name: str, x: Any) -> float:
        """Return a unit of the stage; 1, with a problem, if invalid."""
        found = _floats(x)
        if found is not None and found.shape == () and 1.0 / LARGEST_UNIT <= found <= LARGEST_UNIT:
            return float(found)
        self.problems.append(f"{self.file}: {name} is {str(x)[:60]}; expected a number above zero")
        return 1.0

    def numbers(self, prim: Any, attribute: Any, default: Any, infinite: bool = False) -> Array:
        """Return the numbers of an attribute; the default if missing, with a problem if invalid."""
        x, usual = attribute.Get() if attribute else None, np.array(default, dtype=float)
        if x is None:
            return usual
        found = _floats(x)
        if found is None or found.shape != usual.shape:
            self.problem(prim, f"{attribute.GetName()} is {str(x)[:60]}; expected {usual.size} numbers")
            return usual
        if np.isnan(found).any() or not ((np.abs(found) <= LARGEST) | (infinite & np.isinf(found))).all():
            self.problem(prim, f"{attribute.GetName()} is {str(x)[:60]}; expected finite numbers")
            return usual
        return found

    def number(self, prim: Any, name: str) -> float | None:
        """Return the number of an attribute; None where it has none."""
        attribute = prim.GetAttribute(name)
        if not attribute or attribute.Get() is None:
            return None
        return float(self.numbers(prim, attribute, 0.0, infinite=True))

    def along(self, prim: Any, name: str) -> int:
        """Return the index of the coordinate axis that an attribute names."""
        attribute = prim.GetAttribute(name)
        token = str((attribute and attribute.Get()) or "X")
        if token not in ("X", "Y", "Z"):
            self.problem(prim, f"{name} is {token[:60]!r}; expected X, Y or Z")
            return 0
        return "XYZ".index(token)

    # poses

    def world(self, prim: Any) -> tuple[Array, Array]:
        """Return the pose (4, 4) of a prim in the world in m, and the scales (3,) of its axes."""
        M = np.array(self.cache.GetLocalToWorldTransform(prim), dtype=float).T
        if not (np.abs(M) <= LARGEST).all():
            self.problem(prim, "its transform is not of finite numbers")
            return np.eye(4), np.ones(3)
        scale = np.linalg.norm(M[:3, :3], axis=0)
        R = M[:3, :3] / np.where(scale > 0.0, scale, 1.0)
        if np.abs(R.T @ R - np.eye(3)).max() > 1e-6 or not (scale > 0.0).all():
            self.problem(prim, "its axes are not at right angles, or have no length")
            return np.eye(4), np.ones(3)
        if np.linalg.det(R) < 0.0:
            R, scale = R * np.array([1.0, 1.0, -1.0]), scale * np.array([1.0, 1.0, -1.0])
        return pose_matrix(snap(_orthonormal(R)), self.m * M[:3, 3]), scale

    def body_of(self, path: Any) -> Any:
        """Return the body of a prim; None for the world."""
        while path and not path.isEmpty and str(path) != "/":
            if path in self.bodies:
                return path
            path = path.GetParentPath()
        return None

    # the whole

    def description(self) -> Description:
        for prim in self.prims:
            if prim.IsA(self.geom.Gprim):
                self.shape(prim)
        bodies = tuple(self.body(path, prim) for path, prim in self.bodies.items())
        if not bodies and not self.problems:
            self.problems.append(f"{self.file}: no prim is a rigid body (PhysicsRigidBodyAPI)")
        joints, frames, loops = self.joints()
        shapes = tuple(shape for found in self.shapes_of.values() for _, shape in found)
        default = self.stage.GetDefaultPrim()  # invalid if the named prim does not exist
        name = default.GetName() if default else ""
        g = self.gravity()
        excluded = tuple(self.excluded())
        return Description(
            name or Path(self.file).stem, bodies, joints, frames, loops, g, (), shapes, excluded=excluded
        )

    def excluded(self) -> Iterator[tuple[str, str]]:
        """Yield the bodies that do not touch each other."""
        for path, prim in self.bodies.items():
            if prim.HasAPI(self.physics.FilteredPairsAPI):
                for other in self.physics.FilteredPairsAPI(prim).GetFilteredPairsRel().GetTargets():
                    if other in self.bodies:
                        yield self.names[path], self.names[other]

    def gravity(self) -> tuple[float, float, float]:
        token = str(self.geom.GetStageUpAxis(self.stage))
        if token not in ("X", "Y", "Z"):
            self.problems.append(f"{self.file}: upAxis is {token[:60]!r}; expected X, Y or Z")
            token = "Z"
        up = "XYZ".index(token)
        direction, strength = -np.eye(3)[up], EARTH
        scenes = [prim for prim in self.prims if prim.IsA(self.physics.Scene)]
        for prim in scenes[:1]:
            scene = self.physics.Scene(prim)
            given = self.numbers(prim, scene.GetGravityDirectionAttr(), (0, 0, 0))
            magnitude = float(self.numbers(prim, scene.GetGravityMagnitudeAttr(), -np.inf, infinite=True))
            if given.any():
                direction = unit_vector(given)
            if 0.0 <= magnitude < np.inf:
                strength = magnitude * self.m
        x, y, z = (strength * direction + 0.0).tolist()
        return x, y, z

    # bodies

    def body(self, path: Any, prim: Any) -> BodySpec:
        _, scale = self.world(prim)
        name, place = self.names[path], f"{self.file}:{path}"
        api = self.physics.MassAPI(prim) if prim.HasAPI(self.physics.MassAPI) else None
        mass = self.kg * float(self.numbers(prim, api and api.GetMassAttr(), 0.0))
        density = self.kg / self.m**3 * float(self.numbers(prim, api and api.GetDensityAttr(), 0.0))
        center = self.numbers(prim, api and api.GetCenterOfMassAttr(), (-np.inf,) * 3, infinite=True) * scale * self.m
        moments = self.numbers(prim, api and api.GetDiagonalInertiaAttr(), (0, 0, 0))
        inertia = None
        if moments.any():
            quaternion = api.GetPrincipalAxesAttr().Get() if api else None
            R = self.rotation(prim, quaternion)
            inertia = self.kg * self.m**2 * (R @ np.diag(moments) @ R.T)
        if not mass or inertia is None or not np.isfinite(center).all():
            whole = self.weighed(prim, path, density)
            if whole is not None:
                ratio = mass / whole.volume if mass else 1.0
                mass = mass or whole.volume
                inertia = ratio * whole.inertia if inertia is None else inertia
                center = center if np.isfinite(center).all() else whole.center
        center = np.where(np.isfinite(center), center, 0.0)
        I = np.zeros((3, 3)) if inertia is None else 0.5 * (inertia + inertia.T)
        return BodySpec(name, mass, center, I, place, place)

    def weighed(self, prim: Any, path: Any, density: float) -> SolidProperties | None:
        """Return the colliders of a body together, with their masses as volumes in kg."""
        parts = []
        for collider, shape in self.shapes_of[path]:
            if not collider.HasAPI(self.physics.CollisionAPI) or shape.kind == "plane":
                continue
            api = self.physics.MassAPI(collider) if collider.HasAPI(self.physics.MassAPI) else None
            given = api.GetMassAttr() if api and collider != prim else None
            own_mass = self.kg * float(self.numbers(collider, given, 0.0))
            own = self.kg / self.m**3 * float(self.numbers(collider, api and api.GetDensityAttr(), 0.0))
            try:
                solid = solid_of(shape, hull=_is_hulled(collider))
            except LinkwrightError as error:
                self.problem(collider, f"its body needs the mass of its colliders: {error}")
                continue
            weight = own_mass / solid.volume if own_mass else own or density or WATER
            parts.append(SolidProperties(weight * solid.volume, solid.center, weight * solid.inertia))
        return together(parts) if parts else None

    def rotation(self, prim: Any, quaternion: Any) -> Array:
        if quaternion is None:
            return np.eye(3)
        if not hasattr(quaternion, "GetReal"):
            self.problem(prim, f"{str(quaternion)[:60]} is no quaternion")
            return np.eye(3)
        u = np.array([quaternion.GetReal(), *quaternion.GetImaginary()], dtype=float)
        length = float(np.linalg.norm(u))
        if not length:
            return np.eye(3)
        if not abs(length - 1.0) <= 1e-3:
            self.problem(prim, f"a quaternion has length {length:.6g}; expected a unit quaternion")
            return np.eye(3)
        return snap(quaternion_matrix(u / length))

    # joints

    def joints(self) -> tuple[tuple[JointSpec, ...], tuple[FrameSpec, ...], tuple[Loop, ...]]:
        """Return a tree of joints from the world outward; the other joints close loops."""
        prims = [prim for prim in self.prims if prim.IsA(self.physics.Joint)]
        names = self.named(prims)
        waiting: list[tuple[Any, str, Any, Any, Array, Array]] = []
        loops: list[tuple[Any, str, Any, Any, Array, Array]] = []
        for prim in prims:
            joint = self.physics.Joint(prim)
            if joint.GetJointEnabledAttr().Get() is False:
                self.unused.setdefault("joints that are switched off", []).append(prim.GetName())
                continue
            kind = self.kind(prim)
            one, T = self.end(prim, joint.GetBody0Rel(), joint.GetLocalPos0Attr(), joint.GetLocalRot0Attr())
            other, U = self.end(prim, joint.GetBody1Rel(), joint.GetLocalPos1Attr(), joint.GetLocalRot1Attr())
            if not kind:
                continue
            if one == other:
                self.problem(prim, "it joins a body to itself" if one else "it joins the world to itself")
                continue
            left_out = joint.GetExcludeFromArticulationAttr().Get() is True
            (loops if left_out else waiting).append((prim, kind, one, other, T, U))
        done: set[Any] = {None}
        found: list[JointSpec] = []
        free = iter([*self.roots(), *self.bodies])
        while True:
            ready = next((item for item in waiting if (item[2] in done) != (item[3] in done)), None)
            if ready is not None:
                waiting.remove(ready)
                found.append(self.joint(ready, names[ready[0].GetPath()], ready[2] in done))
                done |= {ready[2], ready[3]}
                continue
            base = next((path for path in free if path not in done), None)
            if base is None:
                break
            named = f"{self.names[base]}_root" if any(path in done for path in self.bodies) else "root"
            taken = {*names.values(), *(joint.name for joint in found)}
            while named in taken:
                named += "_"
            T, _ = self.world(self.bodies[base])
            found.append(JointSpec(named, WORLD, self.names[base], motion_of("free")[0], T))
            done.add(base)
        closed = [self.loop(item, names[item[0].GetPath()]) for item in (*waiting, *loops)]
        frames = tuple(frame for pair, _ in closed for frame in pair)
        return tuple(found), frames, tuple(loop for _, loop in closed)

    def roots(self) -> Iterator[Any]:
        """Yield the root bodies of articulations."""
        for prim in self.prims:
            if prim.HasAPI(self.physics.ArticulationRootAPI):
                inside = [path for path in self.bodies if path.HasPrefix(prim.GetPath())]
                yield from inside[:1]

    def kind(self, prim: Any) -> str:
        """Return the joint type's name in this library; "", with a problem, for others."""
        kind = JOINTS.get(str(prim.GetTypeName()), "")
        if kind:
            return kind
        if str(prim.GetTypeName()) == "PhysicsDistanceJoint":
            self.unused.setdefault("distance joints", []).append(prim.GetName())
            return ""
        free = [name for name in FREEDOMS if not self.is_locked(prim, name)]
        known: dict[tuple[str, ...], str] = {
            (): "fixed",
            ("rotX", "rotY", "rotZ"): "spherical",
            **{(f"rot{axis}",): f"revolute {axis}" for axis in "XYZ"},
            **{(f"trans{axis}",): f"prismatic {axis}" for axis in "XYZ"},
        }
        if tuple(free) in known:
            return known[tuple(free)]
        if len(free) == 6:
            self.unused.setdefault("joints that hold nothing", []).append(prim.GetName())
        else:
            self.problem(prim, f"a joint that leaves {', '.join(free)} free is not read")
        return ""

    def is_locked(self, prim: Any, freedom: str) -> bool:
        limit = self.physics.LimitAPI.Get(self.stage, prim.GetPath().AppendProperty(f"limit:{freedom}"))
        low, high = (prim.GetAttribute(f"limit:{freedom}:physics:{side}").Get() for side in ("low", "high"))
        return limit is not None and low is not None and high is not None and low > high

    def end(self, prim: Any, relation: Any, position: Any, turn: Any) -> tuple[Any, Array]:
        """Return the body of one side of a joint, None for the world, and the joint's frame (4, 4) in it."""
        targets = relation.GetTargets()
        p = self.numbers(prim, position, (0, 0, 0))
        R = self.rotation(prim, turn.Get())
        if not targets:
            return None, pose_matrix(R, self.m * p)
        target = self.stage.GetPrimAtPath(targets[0])
        if not target or not target.IsValid():
            self.problem(prim, f"{relation.GetName()} is {targets[0]}; there is no such prim")
            return None, np.eye(4)
        above, scale = self.world(target)
        T = above @ pose_matrix(R, self.m * p * scale)  # in the world
        body = self.body_of(target.GetPath())
        return body, T if body is None else inverse_pose(self.world(self.bodies[body])[0]) @ T

    def joint(self, item: tuple[Any, str, Any, Any, Array, Array], name: str, forwards: bool) -> JointSpec:
        """Return a joint of the tree; if its second body is the parent, its axis is reversed, not its coordinate."""
        prim, kind, one, other, T, U = item
        type, axis = self.axis(prim, kind)
        motion, _ = motion_of(type)
        A = rotation_from_z(axis)
        if not forwards:
            one, other, T, U = other, one, U, T
            A = A @ np.round(rotation_about(np.array([1.0, 0.0, 0.0]), np.pi))
        parent = WORLD if one is None else self.names[one]
        axes = U @ pose_matrix(A if type in ("revolute", "prismatic") else None)
        return JointSpec(
            name,
            parent,
            self.names[other],
            motion,
            T @ inverse_pose(U),
            axes[:3, :3] if motion is not None else np.eye(3),
            anchor=axes[:3, 3] if motion is not None else np.zeros(3),
            place=f"{self.file}:{prim.GetPath()}",
            **(self.options(prim, type) if type in ("revolute", "prismatic") else {}),
        )

    def axis(self, prim: Any, kind: str) -> tuple[str, Array]:
        """Return the type of a joint, and its axis (3,) in the joint's frame."""
        type, _, token = kind.partition(" ")
        return type, np.eye(3)["XYZ".index(token) if token else self.along(prim, "physics:axis")]

    def options(self, prim: Any, type: str) -> dict[str, Any]:
        """Limits of position, effort and velocity, and PhysX's armature."""
        angular = type == "revolute"
        length = np.pi / 180.0 if angular else self.m
        found: dict[str, Any] = {}
        for side, ours in (("lowerLimit", "lower"), ("upperLimit", "upper")):
            x = self.number(prim, f"physics:{side}")
            if x is not None and np.isfinite(x):
                found[ours] = x * length
        if found.get("lower", -np.inf) > found.get("upper", np.inf):
            self.problem(prim, f"its lower limit {found['lower']:g} exceeds its upper limit {found['upper']:g}")
            found = {}
        effort = self.kg * (self.m**2 if angular else self.m)
        drive = "angular" if angular else "linear"
        force = self.number(prim, f"drive:{drive}:physics:maxForce")
        if force is not None and 0.0 <= force < np.inf:
            found["effort_limit"] = force * effort
        speed = self.number(prim, "physxJoint:maxJointVelocity")
        if speed is not None and 0.0 <= speed < np.inf:
            found["velocity_limit"] = speed * length
        armature = self.number(prim, "physxJoint:armature")
        if armature:
            found["armature"] = armature * self.kg * (self.m**2 if angular else 1.0)
        if any(self.number(prim, f"drive:{drive}:physics:{what}") for what in ("stiffness", "damping")):
            self.unused.setdefault("drives", []).append(prim.GetName())
        return found

    def loop(
        self, item: tuple[Any, str, Any, Any, Array, Array], name: str
    ) -> tuple[tuple[FrameSpec, FrameSpec], Loop]:
        prim, kind, one, other, T, U = item
        type, axis = self.axis(prim, kind)
        turn = pose_matrix(rotation_from_z(axis))
        place = f"{self.file}:{prim.GetPath()}"
        first, second = (
            FrameSpec(f"{name}_{end}", WORLD if path is None else self.names[path], pose @ turn, place=place)
            for end, path, pose in (("first", one, T), ("second", other, U))
        )
        return (first, second), Loop(name, first.name, second.name, loop_type(LOOPS.get(type, type)), place=place)

    # shapes

    def shape(self, prim: Any) -> None:
        """Add a visual or collision shape of a body."""
        path = self.body_of(prim.GetPath())
        touches = prim.HasAPI(self.physics.CollisionAPI)
        touches = touches and self.physics.CollisionAPI(prim).GetCollisionEnabledAttr().Get() is not False
        image = self.geom.Imageable(prim)
        seen = str(image.ComputePurpose()) in ("default", "render")
        seen = seen and str(image.ComputeVisibility()) != "invisible"
        if not (touches or (seen and path is not None)):
            return
        use: Use = "both" if touches and seen else "collision" if touches else "visual"
        body = np.eye(4) if path is None else self.world(self.bodies[path])[0]
        own, scale = self.world(prim)
        numbers = self.geometry(prim, scale)
        if numbers is None:
            self.unused.setdefault("shapes of other kinds", []).append(prim.GetName())
            return
        T = inverse_pose(body) @ own @ numbers.pop("turn", np.eye(4))
        colors, color = _floats(self.geom.Gprim(prim).GetDisplayColorAttr().Get()), None
        if colors is not None and colors.shape == (1, 3) and np.isfinite(colors).all():
            red, green, blue = np.clip(colors[0], 0.0, 1.0).tolist()
            color = (red, green, blue, 1.0)
        place = f"{self.file}:{prim.GetPath()}"
        name = WORLD if path is None else self.names[path]
        numbers |= self.surface(prim) if touches else {}
        shape = Shape(name, placement=T, use=use, color=color, name=prim.GetName(), place=place, **numbers)
        wrong = list(shape.problems())
        if wrong:
            self.unused.setdefault("shapes that are wrong", []).append(f"{prim.GetName()} ({wrong[0]})")
        else:
            self.shapes_of[path].append((prim, shape))

    def surface(self, prim: Any) -> dict[str, float]:
        """Return the surface parameters of a collider's material: sliding friction and restitution."""
        material = self.shade.MaterialBindingAPI(prim).ComputeBoundMaterial("physics")[0]
        if not material or not material.GetPrim().HasAPI(self.physics.MaterialAPI):
            return {}
        api = self.physics.MaterialAPI(material.GetPrim())
        found: dict[str, float] = {}
        for what, attributes in (
            ("friction", (api.GetDynamicFrictionAttr(), api.GetStaticFrictionAttr())),
            ("restitution", (api.GetRestitutionAttr(),)),
        ):
            values = [float(self.numbers(prim, one, 0.0)) for one in attributes if one.HasAuthoredValue()]
            found |= {what: values[0]} if values else {}
        return found

    def geometry(self, prim: Any, scale: Array) -> dict[str, Any] | None:
        """Return kind and sizes of a shape, and the rotation of its axis to z; None for other kinds."""
        kind, size = str(prim.GetTypeName()), np.abs(scale) * self.m
        if kind == "Cube":
            edge = self.number(prim, "size") or 0.0
            return {"kind": "box", "size": tuple((edge * size).tolist())}
        if kind == "Sphere":
            diameters = 2.0 * (self.number(prim, "radius") or 0.0) * size
            if np.ptp(diameters) < 1e-9 * diameters.max():
                return {"kind": "sphere", "radius": 0.5 * float(diameters[0])}
            return {"kind": "ellipsoid", "size": tuple(diameters.tolist())}
        if kind in ROUND:
            along = self.along(prim, "axis")
            across = np.delete(size, along)
            if np.ptp(across) > 1e-6 * across.max():
                return None
            radius = (self.number(prim, "radius") or 0.0) * float(across[0])
            length = (self.number(prim, "height") or 0.0) * float(size[along])
            turn = pose_matrix(rotation_from_z(np.eye(3)[along]))
            return {"kind": kind.lower(), "radius": radius, "length": length, "turn": turn}
        if kind == "Plane":
            along = self.along(prim, "axis")
            return {"kind": "plane", "turn": pose_matrix(rotation_from_z(np.eye(3)[along]))}
        if kind != "Mesh":
            return None
        points, counts, corners = (
            prim.GetAttribute(name).Get() for name in ("points", "faceVertexCounts", "faceVertexIndices")
        )
        if not points or not counts or not corners:
            return None
        vertices, sides, corner = _floats(points), _floats(counts), _floats(corners)
        if vertices is None or vertices.shape[1:] != (3,) or not (np.abs(vertices) <= LARGEST).all():
            self.problem(prim, "its points are not rows of three finite numbers")
            return None
        if sides is None or corner is None or not (sides >= 0).all() or sides.sum() != corner.size:
            self.problem(prim, "its faceVertexCounts do not fit its faceVertexIndices")
            return None
        V, counts = vertices * scale * self.m, sides.astype(int)
        ends = np.cumsum(counts)
        faces = [
            (corner[end - n], corner[end - n + k], corner[end - n + k + 1])
            for n, end in zip(counts, ends, strict=True)
            for k in range(1, n - 1)
        ]
        F = np.array(faces, dtype=int).reshape(-1, 3)
        left = str(prim.GetAttribute("orientation").Get()) == "leftHanded"
        return {"kind": "mesh", "vertices": V, "faces": F[:, ::-1] if left != (np.prod(scale) < 0.0) else F}


def _floats(x: Any) -> Array | None:
    """Return a value as an array of floats; None for values without numbers."""
    try:
        return np.array(x, dtype=float)
    except (TypeError, ValueError):
        return None


def _is_hulled(prim: Any) -> bool:
    """Return whether a mesh collides as its convex hull."""
    attribute = prim.GetAttribute("physics:approximation")
    return bool(attribute) and str(attribute.Get()) in ("convexHull", "convexDecomposition")


def _orthonormal(R: Array) -> Array:
    """Return the rotation nearest to a matrix of single precision."""
    U, _, W = np.linalg.svd(R)
    nearest: Array = U @ W
    return nearest
