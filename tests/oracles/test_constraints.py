"""Closed loops against Pinocchio's constrained dynamics, and MuJoCo's equality constraints."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import linkwright as lw
from linkwright import dynamics
from linkwright.dynamics.closed_loops.rows import loop_ends
from linkwright.model.build.assembly import assemble
from linkwright.model.joints.loop import Ball, CoordinateLoop, Loop, Weld
from linkwright.model.tree import Model
from linkwright_gallery.benchmark.peers import Pinocchio, States
from mechanisms import relative_error, with_loops

pin = pytest.importorskip("pinocchio", reason="Pinocchio (the extra 'peers') is not installed")


class Peer:
    """The same mechanism, its welds and balls, in Pinocchio."""

    def __init__(self, model: Model, q: np.ndarray, v: np.ndarray, tau: np.ndarray):
        self.tree = Pinocchio(model, States(q[None], v[None], 0.0 * v[None], tau[None], "world"))
        kinds = {"weld": pin.ContactType.CONTACT_6D, "ball": pin.ContactType.CONTACT_3D}
        self.loops, self.data = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
        for loop in model.loops:
            ends = [
                (end.body + 1, pin.SE3(end.placement[:3, :3], end.placement[:3, 3]))
                for end in loop_ends(model, loop)[::-1]
            ]
            one = pin.RigidConstraintModel(kinds[loop.type], self.tree.model, *ends[0], *ends[1], pin.LOCAL)
            one.m_baumgarte_parameters.Kp = 0.0
            one.m_baumgarte_parameters.Kd = 0.0
            self.loops.append(one)
            self.data.append(one.createData())
        self.q, self.v, self.tau = self.tree.q[0], v, tau

    def acceleration(self) -> np.ndarray:
        model, data = self.tree.model, self.tree.data
        pin.initConstraintDynamics(model, data, self.loops, self.data)
        settings = pin.ProximalSettings(1e-14, 1e-10, 100)
        return pin.constraintDynamics(model, data, self.q, self.v, self.tau, self.loops, self.data, settings)


def state_of(model: Model, q: np.ndarray, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return q, dynamics.impulse(model, q, rng.normal(size=model.nv))[0], rng.normal(size=model.nv)


def humanoid_held(hands: type | None) -> tuple[Model, np.ndarray]:
    """Both feet welded to the ground, the hands too or pinned."""
    model = lw.load("humanoid")
    q = model.neutral()
    q[7:] = np.random.default_rng(0).uniform(-0.3, 0.3, model.nq - 7)
    ends = {"left_foot": Weld, "right_foot": Weld}
    if hands is not None:
        ends |= {"left_hand": hands, "right_hand": hands}
    loops = [Loop(f"{name}_held", "world", name, kind(), dynamics.pose(model, q, name)) for name, kind in ends.items()]
    return assemble(replace(model.description, loops=tuple(loops))), q


@pytest.mark.parametrize("hands", [None, Ball, Weld])
def test_a_humanoid_held_at_feet_and_hands(hands):
    model, q = humanoid_held(hands)
    q, v, tau = state_of(model, q, 1)
    theirs = Peer(model, q, v, tau).acceleration()
    for method in ("articulated", "composite"):
        assert relative_error(lw.forward_dynamics(model, q, v, tau, method=method), theirs) < 1e-9


def test_redundant_loops():
    """Planar four-bars with balls for pins: the third direction of each is redundant."""
    model = lw.load("four_bars:3")
    loops = tuple(replace(loop, kind=Ball()) for loop in model.loops)
    model = assemble(replace(model.description, loops=loops))
    q = dynamics.close_loops(model, model.neutral() + 0.2)
    q, v, tau = state_of(model, q, 2)
    theirs = Peer(model, q, v, tau).acceleration()
    assert relative_error(lw.forward_dynamics(model, q, v, tau), theirs) < 1e-8


@pytest.mark.parametrize("seed", range(4))
def test_random_loops_on_quadrupeds(seed):
    model, q = with_loops(lw.load("quadruped"), ["ball", "weld"] if seed % 2 else ["ball", "ball"], seed + 7)
    q, v, tau = state_of(model, q, seed)
    theirs = Peer(model, q, v, tau).acceleration()
    assert relative_error(lw.forward_dynamics(model, q, v, tau), theirs) < 1e-8


def test_rows_are_mujocos():
    """The Jacobian of its connect and joint constraints, where the point is closed."""
    mujoco = pytest.importorskip("mujoco", reason="MuJoCo (mujoco-core, the extra 'mjcf') is not installed")
    path = str(Path(__file__).parent.parent / "formats" / "mjcf" / "loops.xml")
    peer = mujoco.MjModel.from_xml_path(path)
    data = mujoco.MjData(peer)
    with pytest.warns(lw.errors.FormatWarning, match="inactive"):
        model = lw.load(path)
    kept = [loop for loop in model.loops if loop.name in ("pin", "gear", "equality5")]
    model = assemble(replace(model.description, loops=tuple(kept)))
    q = peer.qpos0.copy()
    assert np.abs(dynamics.constraint_residual(model, q)[:3]).max() < 1e-13
    data.qpos[:] = q
    mujoco.mj_forward(peer, data)
    J = np.zeros((data.nefc, peer.nv))
    if mujoco.mj_isSparse(peer):
        mujoco.mju_sparse2dense(J, data.efc_J, data.efc_J_rownnz, data.efc_J_rowadr, data.efc_J_colind)
    else:
        J[:] = data.efc_J.reshape(data.nefc, peer.nv)
    K, at = dynamics.constraint_jacobian(model, q), 0
    for loop in kept:
        number = mujoco.mj_name2id(peer, mujoco.mjtObj.mjOBJ_EQUALITY, loop.name) if loop.name != "equality5" else 5
        equality = data.efc_type == mujoco.mjtConstraint.mjCNSTR_EQUALITY
        theirs = J[equality & (data.efc_id == number)]
        if isinstance(loop, CoordinateLoop):
            ours = K[at : at + 1]
        else:  # theirs is the first point's velocity less the second's, in world axes
            ours = -(dynamics.pose(model, q, loop.second)[:3, :3] @ K[at : at + 3])
        at += len(ours)
        assert relative_error(ours, theirs) < 1e-12, loop.name
