"""Peers: other libraries with the same mechanism, as far as each supports it.

A peer provides, for the name of a function, a call on many rows (or a loop of single calls on a few) and a call on one
row. Its results are compared with ours before it is timed.
"""

from __future__ import annotations

import importlib
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from typing import Any, ClassVar, NamedTuple

import numpy as np

from linkwright.compiler.ir.program import Program
from linkwright.errors import ModelError
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array
from linkwright.spatial.inertia import about_center_of_mass
from linkwright.spatial.rotation import quaternion_from_matrix
from linkwright_gallery.benchmark.clock import interleaved

LOOPED_ROWS = 128
"""Rows of a loop of single calls, for peers without batches."""

LONGEST_LOOP = 0.02
"""Seconds such a loop may take: fewer rows for slow peers."""


class States(NamedTuple):
    """The rows everything is computed on."""

    q: Array
    v: Array
    a: Array
    tau: Array
    frame: str


class TimedCall(NamedTuple):
    """A call to time, how many rows it does, and its results for the first of them."""

    call: Callable[[], Any]
    rows: int
    results: Callable[[int], list[Array]]
    """the results for the first rows, to compare"""


class Peer(ABC):
    """Another library."""

    name: ClassVar[str]
    module: ClassVar[str]
    package: ClassVar[str]
    states: States

    @classmethod
    def installed(cls) -> bool:
        """Return whether it can be imported."""
        try:
            importlib.import_module(cls.module)
        except ImportError:
            return False
        return True

    @classmethod
    def label(cls) -> str:
        """Name and version."""
        try:
            return f"{cls.name} {version(cls.package)}"
        except PackageNotFoundError:
            return cls.name

    @abstractmethod
    def __init__(self, model: Model, states: States):
        """Raise :class:`ModelError` where the peer cannot take this mechanism."""

    @abstractmethod
    def single(self, function: str) -> Callable[[int], Any] | None:
        """Row number -> that row's results; None where the peer has no such function."""

    def batch(self, function: str, program: Program) -> TimedCall | None:
        """Many rows at once; a loop of single calls unless the peer has better."""
        one = self.single(function)
        if one is None:
            return None
        single = one
        single(0)
        began = time.perf_counter()
        single(0)
        fitting = int(LONGEST_LOOP / (time.perf_counter() - began))
        rows = max(4, min(LOOPED_ROWS, len(self.states.q), fitting))

        def loop() -> None:
            for row in range(rows):
                single(row)

        return TimedCall(loop, rows, lambda n: [self.whole(function, row) for row in range(n)])

    def whole(self, function: str, row: int) -> Array:
        """A row's results, flat, to compare."""
        call = self.single(function)
        assert call is not None
        return _copied(call(row))


def _copied(result: Any) -> Array:
    return np.concatenate([np.ravel(x).copy() for x in (result if isinstance(result, tuple) else (result,))])


class Pinocchio(Peer):
    """Built joint by joint from our model, so that it has exactly the same numbers."""

    name, module, package = "Pinocchio", "pinocchio", "pin"

    def __init__(self, model: Model, states: States):
        import pinocchio as pin

        if model.has_couplings:
            raise ModelError("mimic joints are not converted for Pinocchio")
        self.pin, self.states, self.source = pin, states, model
        self.model = pin.Model()
        self.model.gravity.linear = np.array(model.gravity)
        kinds = {
            "revolute": pin.JointModelRZ,
            "prismatic": pin.JointModelPZ,
            "spherical": pin.JointModelSpherical,
            "free": pin.JointModelFreeFlyer,
            "planar": pin.JointModelPlanar,
        }
        for k, link in enumerate(model.links):
            if link.motion.type not in kinds:
                raise ModelError(f"{link.motion.type} joints are not converted for Pinocchio")
            T = link.placement
            joint = self.model.addJoint(
                link.parent + 1, kinds[link.motion.type](), pin.SE3(T[:3, :3], T[:3, 3]), model.joints[k].name
            )
            mass, center, inertia = about_center_of_mass(link.rigid_inertia)
            self.model.appendBodyToJoint(joint, pin.Inertia(mass, center, inertia), pin.SE3.Identity())
        self.model.armature = np.array(model.armature)
        place = model.frame(states.frame)
        T = place.placement
        frame = pin.Frame("tip", place.body + 1, 0, pin.SE3(T[:3, :3], T[:3, 3]), pin.FrameType.OP_FRAME)
        self.frame = self.model.addFrame(frame)
        self.data = self.model.createData()
        self.q = np.array([self._configuration(q) for q in states.q])

    def _configuration(self, q: Array) -> Array:
        """Quaternions as x y z w, planar angles as cosine and sine."""
        pieces = []
        for joint, x in zip(self.source.joints, self.source.coordinates(q), strict=True):
            if joint.motion.quaternions:
                pieces.append(np.concatenate([x[:-4], x[-3:], x[-4:-3]]))
            elif joint.type == "planar":
                pieces.append(np.array([x[0], x[1], np.cos(x[2]), np.sin(x[2])]))
            else:
                pieces.append(x)
        return np.concatenate(pieces)

    def batch(self, function: str, program: Program) -> TimedCall | None:
        """Its own batches with one thread for inverse and forward dynamics; loops for the rest."""
        pin, s = self.pin, self.states
        kinds = {"inverse_dynamics": ("rneaInParallel", s.a), "forward_dynamics": ("abaInParallel", s.tau)}
        if function not in kinds or not hasattr(pin, kinds[function][0]):
            return super().batch(function, program)
        call, last = getattr(pin, kinds[function][0]), kinds[function][1]
        pool = pin.ModelPool(self.model, 1)
        q, v, x = (np.asfortranarray(y.T) for y in (self.q, s.v, last))
        out = np.zeros((self.model.nv, len(s.q)), order="F")
        return TimedCall(lambda: call(1, pool, q, v, x, out), len(s.q), lambda n: list(call(1, pool, q, v, x).T[:n]))

    def single(self, function: str) -> Callable[[int], Any] | None:
        pin, m, d, s, q = self.pin, self.model, self.data, self.states, list(self.q)
        v, a, tau, frame = list(s.v), list(s.a), list(s.tau), self.frame
        aligned = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED

        def pose(k: int) -> Any:
            pin.forwardKinematics(m, d, q[k])
            return pin.updateFramePlacement(m, d, frame)

        def jacobian_dot(k: int) -> Any:
            pin.computeJointJacobiansTimeVariation(m, d, q[k], v[k])
            return pin.getFrameJacobianTimeVariation(m, d, frame, aligned)

        calls: dict[str, Callable[[int], Any]] = {
            "pose": pose,
            "jacobian": lambda k: pin.computeFrameJacobian(m, d, q[k], frame, aligned),
            "jacobian_dot": jacobian_dot,
            "mass_matrix": lambda k: pin.crba(m, d, q[k]),
            "inverse_dynamics": lambda k: pin.rnea(m, d, q[k], v[k], a[k]),
            "bias_forces": lambda k: pin.nonLinearEffects(m, d, q[k], v[k]),
            "forward_dynamics": lambda k: pin.aba(m, d, q[k], v[k], tau[k]),
            "coriolis_matrix": lambda k: pin.computeCoriolisMatrix(m, d, q[k], v[k]),
            "momentum_matrix": lambda k: pin.computeCentroidalMap(m, d, q[k]),
            "inverse_dynamics_derivatives": lambda k: pin.computeRNEADerivatives(m, d, q[k], v[k], a[k]),
            "forward_dynamics_derivatives": lambda k: pin.computeABADerivatives(m, d, q[k], v[k], tau[k]),
        }
        return calls.get(function)

    def whole(self, function: str, row: int) -> Array:
        """A row's results in full; timed calls leave out what Pinocchio leaves out, such as lower triangles."""
        call, d = self.single(function), self.data
        assert call is not None
        result = call(row)

        def mirrored(A: Array) -> Array:
            return np.triu(A) + np.triu(A, 1).T

        if function == "pose":
            result = result.homogeneous
        elif function == "mass_matrix":
            result = mirrored(result)
        elif function == "inverse_dynamics_derivatives":
            result = d.dtau_dq, d.dtau_dv, mirrored(d.M)
        elif function == "forward_dynamics_derivatives":
            result = d.ddq_dq, d.ddq_dv, mirrored(d.Minv)
        return _copied(result)


class MuJoCo(Peer):
    """A MuJoCo model of the same bodies; only its whole inverse and forward computations are comparable."""

    name, module, package = "MuJoCo", "mujoco", "mujoco-core"

    def __init__(self, model: Model, states: States):
        import mujoco

        kinds = {
            "revolute": mujoco.mjtJoint.mjJNT_HINGE,
            "prismatic": mujoco.mjtJoint.mjJNT_SLIDE,
            "spherical": mujoco.mjtJoint.mjJNT_BALL,
        }
        if model.has_couplings or any(link.motion.type not in kinds for link in model.links):
            raise ModelError("only revolute, prismatic and spherical joints are converted for MuJoCo")
        spec = mujoco.MjSpec()
        spec.option.gravity = model.gravity
        spec.option.disableflags = mujoco.mjtDisableBit.mjDSBL_CONTACT
        bodies: list[Any] = []
        for k, link in enumerate(model.links):
            parent = spec.worldbody if link.parent < 0 else bodies[link.parent]
            T = link.placement
            mass, center, inertia = about_center_of_mass(link.rigid_inertia)
            body = parent.add_body(name=f"b{k}", pos=T[:3, 3], quat=quaternion_from_matrix(T[:3, :3]))
            body.mass, body.ipos, body.explicitinertial = mass, center, True
            xx, yy, zz = np.diag(inertia)
            body.fullinertia = [xx, yy, zz, inertia[0, 1], inertia[0, 2], inertia[1, 2]]
            body.add_joint(name=f"j{k}", type=kinds[link.motion.type], axis=[0, 0, 1], armature=float(link.armature[0]))
            bodies.append(body)
        try:
            self.model = spec.compile()
        except ValueError as error:
            raise ModelError(f"MuJoCo refuses this mechanism: {error}") from None
        self.mujoco, self.data, self.states = mujoco, mujoco.MjData(self.model), states

    def single(self, function: str) -> Callable[[int], Any] | None:
        m, d, s, mujoco = self.model, self.data, self.states, self.mujoco

        def inverse(k: int) -> Any:
            d.qpos, d.qvel, d.qacc = s.q[k], s.v[k], s.a[k]
            mujoco.mj_inverse(m, d)
            return d.qfrc_inverse

        def forward(k: int) -> Any:
            d.qpos, d.qvel, d.qfrc_applied = s.q[k], s.v[k], s.tau[k]
            mujoco.mj_forward(m, d)
            return d.qacc

        return {"inverse_dynamics": inverse, "forward_dynamics": forward}.get(function)


class RoboticsToolbox(Peer):
    """Its own classes of links; its recursions for these are in Python."""

    name, module, package = "Robotics Toolbox", "roboticstoolbox", "roboticstoolbox-python"

    def __init__(self, model: Model, states: States):
        import roboticstoolbox as rtb
        from spatialmath import SE3

        if model.has_couplings or not all(link.motion.hinge or link.motion.slide for link in model.links):
            raise ModelError("only revolute and prismatic joints are converted for the Robotics Toolbox")
        if any(link.parent != k - 1 for k, link in enumerate(model.links)):
            raise ModelError("only serial chains are converted for the Robotics Toolbox")
        if len(model.links) == 1:
            raise ModelError("the Robotics Toolbox fails on one joint, whose mass matrix it takes for a vector")
        links: list[Any] = []
        for k, link in enumerate(model.links):
            mass, center, inertia = about_center_of_mass(link.rigid_inertia)
            turn = rtb.ET.Rz() if link.motion.hinge else rtb.ET.tz()
            ets = rtb.ET.SE3(SE3(link.placement, check=False)) * turn
            rotor = {"Jm": float(link.armature[0]), "G": 1.0}
            links.append(
                rtb.Link(ets, name=f"l{k}", parent=links[-1] if links else None, m=mass, r=center, I=inertia, **rotor)
            )
        place = model.frame(states.frame)
        links.append(rtb.Link(rtb.ETS(rtb.ET.SE3(SE3(place.placement, check=False))), name="tip", parent=links[-1]))
        self.robot = rtb.Robot(links, gravity=np.array(model.gravity))
        self.states = states

    def single(self, function: str) -> Callable[[int], Any] | None:
        robot, s = self.robot, self.states
        calls: dict[str, Callable[[int], Any]] = {
            "inverse_dynamics": lambda k: robot.rne(s.q[k], s.v[k], s.a[k]),
            "forward_dynamics": lambda k: robot.accel(s.q[k], s.v[k], s.tau[k]),
            "mass_matrix": lambda k: robot.inertia(s.q[k]),
            "pose": lambda k: robot.fkine(s.q[k]).A,
            "jacobian": lambda k: robot.jacob0(s.q[k]),
            "jacobian_dot": lambda k: robot.jacob0_dot(s.q[k], s.v[k]),
        }
        return calls.get(function)


class Replayed(Peer):
    """Libraries that compile expressions: they are given our program, operation by operation."""

    def __init__(self, model: Model, states: States):
        self.model, self.states = model, states
        self.compiled: dict[str, Callable[[int], Any]] = {}

    def single(self, function: str) -> Callable[[int], Any] | None:
        return self.compiled.get(function)

    def arrays(self, program: Program) -> list[Array]:
        """The program's arguments."""
        return [getattr(self.states, slot.name) for slot in program.inputs]


class Heyoka(Replayed):
    """``cfunc`` at the faster of 4 and 8 lanes, one thread; by columns, which saves it the transposes."""

    name, module, package = "heyoka.py", "heyoka", "heyoka"

    def batch(self, function: str, program: Program) -> TimedCall | None:
        import heyoka as hy

        if function not in ("inverse_dynamics", "mass_matrix", "forward_dynamics"):
            return None
        hy.set_nthreads(1)  # its batches take every core otherwise
        names = [f"{slot.name}{k}" for slot in program.inputs for k in range(slot.size)]
        symbols = [hy.expression(name) for name in names]
        outputs = replayed(program, symbols, {"sin": hy.sin, "cos": hy.cos, "sqrt": hy.sqrt}, hy.expression)
        rows = len(self.states.q)
        inputs = np.ascontiguousarray(np.concatenate(self.arrays(program), axis=1).T)
        result = np.empty((len(outputs), rows))
        best: tuple[float, Any] | None = None
        for lanes in (4, 8):
            compiled = hy.cfunc(outputs, vars=symbols, batch_size=lanes)
            taken = interleaved({"x": (partial(compiled, inputs, outputs=result), rows)}, 5)["x"].minimum
            if best is None or taken < best[0]:
                best = taken, compiled
        assert best is not None
        chosen = best[1]
        row, row_result = inputs[:, 0].copy(), np.empty(len(outputs))
        self.compiled[function] = lambda k: chosen(row, outputs=row_result)
        return TimedCall(lambda: chosen(inputs, outputs=result), rows, lambda n: list(chosen(inputs[:, :n].copy()).T))


class CasADi(Replayed):
    """``Function.map`` of an SX function in its virtual machine."""

    name, module, package = "CasADi", "casadi", "casadi"

    def batch(self, function: str, program: Program) -> TimedCall | None:
        import casadi

        if function not in ("inverse_dynamics", "mass_matrix", "forward_dynamics"):
            return None
        size = sum(slot.size for slot in program.inputs)
        x = casadi.SX.sym("x", size)
        calls = {"sin": casadi.sin, "cos": casadi.cos, "sqrt": casadi.sqrt}
        outputs = replayed(program, [x[k] for k in range(size)], calls, casadi.SX)
        rows = min(len(self.states.q), 1024)
        mapped = casadi.Function("f", [x], [casadi.vertcat(*outputs)]).map(rows)
        inputs = casadi.DM(np.concatenate(self.arrays(program), axis=1)[:rows].T)
        return TimedCall(lambda: mapped(inputs), rows, lambda n: list(np.array(mapped(inputs)).T[:n]))


def replayed(
    program: Program, symbols: list[Any], calls: dict[str, Any], constant: Callable[[float], Any]
) -> list[Any]:
    """The program's results as another library's expressions."""
    offsets = np.cumsum([0, *(slot.size for slot in program.inputs)])
    binary: dict[str, Callable[..., Any]] = {
        "add": lambda x, y: x + y,
        "sub": lambda x, y: x - y,
        "mul": lambda x, y: x * y,
        "div": lambda x, y: x / y,
        "neg": lambda x: -x,
    }
    values: list[Any] = []
    for op, args, value in program.instructions:
        if op == "constant":
            assert value is not None
            values.append(constant(value))
        elif op == "input":
            values.append(symbols[int(offsets[args[0]]) + args[1]])
        else:
            values.append((binary.get(op) or calls[op])(*(values[k] for k in args)))
    return [values[k] for numbers in program.results for k in numbers]


PEERS: tuple[type[Peer], ...] = (Pinocchio, MuJoCo, Heyoka, CasADi, RoboticsToolbox)
