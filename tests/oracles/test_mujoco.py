"""Against MuJoCo, on random trees with free, ball, hinge and slide joints, several on a body too."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

import linkwright as lw
from mechanisms import relative_error

mujoco = pytest.importorskip("mujoco", reason="MuJoCo (mujoco-core, the extra 'mjcf') is not installed")

ROWS = 6
TOLERANCE = 1e-11
SEEDS = range(4)


def numbers(x) -> str:
    return " ".join(repr(float(value)) for value in np.ravel(x))


def joints(rng: np.random.Generator) -> str:
    """The joints of a body: a ball, or up to three hinges and slides, each about its own anchor."""
    place = f'pos="{numbers(rng.normal(size=3) * 0.1)}" armature="{rng.uniform(0.0, 0.2)!r}"'
    if rng.uniform() < 0.3:
        return f'<joint type="ball" {place}/>'
    kinds = rng.choice(["hinge", "slide"], size=rng.integers(1, 4))
    return "".join(f'<joint type="{kind}" axis="{numbers(rng.normal(size=3))}" {place}/>' for kind in kinds)


def mjcf(seed: int) -> str:
    """A random file: two trees, one of them floating."""
    rng = np.random.default_rng(seed)
    count = 0

    def body(depth: int, moved_by: str) -> str:
        nonlocal count
        name, count = f"b{count}", count + 1
        a, b, c = rng.uniform(0.01, 0.1, 3)
        inertial = (
            f'<inertial pos="{numbers(rng.normal(size=3) * 0.2)}" quat="{numbers(rng.normal(size=4))}" '
            f'mass="{rng.uniform(0.5, 3.0)!r}" diaginertia="{numbers([a + b, b + c, c + a])}"/>'
        )
        children = "".join(body(depth + 1, joints(rng)) for _ in range(rng.integers(1, 3) if depth < 3 else 0))
        place = f'pos="{numbers(rng.normal(size=3) * 0.4)}" quat="{numbers(rng.normal(size=4))}"'
        return f'<body name="{name}" {place}>{moved_by}{inertial}{children}</body>'

    return f"""<mujoco model="random{seed}">
      <compiler angle="radian"/>
      <option gravity="{numbers(rng.normal(size=3) * 5.0)}"><flag contact="disable" energy="enable"/></option>
      <worldbody>{body(0, "<freejoint/>")}{body(1, joints(rng))}</worldbody>
    </mujoco>"""


@dataclass
class Peers:
    """Both models, states (ours) of ROWS rows, and per row MuJoCo's data there."""

    ours: lw.Model
    theirs: mujoco.MjModel
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray

    def turn(self, q: np.ndarray) -> np.ndarray:
        """T with theirs = T ours: the free body's linear velocity is in world axes there."""
        T = np.eye(self.ours.nv)
        w, x, y, z = q[3:7]
        # the columns of R by q i q*
        T[:3, :3] = np.array(
            [
                [w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)],
                [2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)],
                [2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z],
            ]
        )
        return T

    def theirs_rate(self, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
        """Their acceleration: T a, with R (v̇ + ω × v) for the free body's origin."""
        a = a.copy()
        a[:3] += np.cross(v[3:6], v[:3])
        return self.turn(q) @ a

    def rows(self, f) -> list:
        """``f(data, T, row number)`` with positions and velocities set, row by row."""
        results = []
        for k in range(ROWS):
            data, T = mujoco.MjData(self.theirs), self.turn(self.q[k])
            data.qpos[:], data.qvel[:] = self.q[k], T @ self.v[k]
            mujoco.mj_forward(self.theirs, data)
            results.append(np.array(f(data, T, k)))
        return results


@pytest.fixture(scope="module", params=SEEDS)
def peers(request, tmp_path_factory):
    path = tmp_path_factory.mktemp("mjcf") / "random.xml"
    path.write_text(mjcf(request.param))
    ours, theirs = lw.load(path), mujoco.MjModel.from_xml_path(str(path))
    assert (ours.nq, ours.nv) == (theirs.nq, theirs.nv)
    assert ours.joints[0].type == "free"
    rng = np.random.default_rng(request.param)
    n = (ROWS, ours.nv)
    return Peers(ours, theirs, ours.random(ROWS, seed=rng), rng.normal(size=n), rng.normal(size=n))


def close(ours, theirs):
    assert len(ours) == len(theirs) == ROWS
    errors = [relative_error(x, y) for x, y in zip(ours, theirs, strict=True)]
    assert max(errors) < TOLERANCE, errors


def test_the_trees_have_every_kind_of_joint():
    kinds = {kind for seed in SEEDS for kind in ("free", "ball", "hinge", "slide") if kind in mjcf(seed)}
    assert kinds == {"free", "ball", "hinge", "slide"}


def mass_matrix(peers, data) -> np.ndarray:
    M = np.zeros((peers.theirs.nv, peers.theirs.nv))
    for k, unit in enumerate(np.eye(peers.theirs.nv)):
        mujoco.mj_mulM(peers.theirs, data, M[k], unit)
    return M


def test_poses_and_jacobians(peers):
    m, last = peers.theirs, peers.theirs.nbody - 1
    name = m.body(last).name

    def their_pose(data, T, k):
        return np.block([[data.xmat[last].reshape(3, 3), data.xpos[last][:, None]], [np.zeros(3), 1.0]])

    def their_jacobian(data, T, k):
        J = np.zeros((6, m.nv))
        mujoco.mj_jacBody(m, data, J[:3], J[3:], last)
        return J @ T

    close(lw.pose(peers.ours, peers.q, name), peers.rows(their_pose))
    close(lw.jacobian(peers.ours, peers.q, name), peers.rows(their_jacobian))


def test_mass_matrix(peers):
    expected = peers.rows(lambda data, T, k: T.T @ mass_matrix(peers, data) @ T)
    close(lw.mass_matrix(peers.ours, peers.q), expected)


def test_bias_forces(peers):
    def theirs(data, T, k):
        # what their coordinates' acceleration is while ours is zero
        still = peers.theirs_rate(peers.q[k], peers.v[k], np.zeros(peers.ours.nv))
        return T.T @ (data.qfrc_bias + mass_matrix(peers, data) @ still)

    close(lw.bias_forces(peers.ours, peers.q, peers.v), peers.rows(theirs))


def test_inverse_dynamics(peers):
    def theirs(data, T, k):
        data.qacc[:] = peers.theirs_rate(peers.q[k], peers.v[k], peers.a[k])
        mujoco.mj_inverse(peers.theirs, data)
        return T.T @ data.qfrc_inverse

    close(lw.inverse_dynamics(peers.ours, peers.q, peers.v, peers.a), peers.rows(theirs))


@pytest.mark.parametrize("method", ["articulated", "composite"])
def test_forward_dynamics(peers, method):
    """Their acceleration is what ours is, seen in their coordinates; a wrench acts on the last body too."""
    last = peers.theirs.nbody - 1
    name = peers.theirs.body(last).name
    wrench = np.array([3.0, -2.0, 5.0, 0.4, -0.7, 0.2])  # at the body's origin, world axes

    def theirs(data, T, k):
        data.qfrc_applied[:] = T @ peers.a[k]
        data.xfrc_applied[last, :3] = wrench[:3]
        data.xfrc_applied[last, 3:] = wrench[3:] - np.cross(data.xipos[last] - data.xpos[last], wrench[:3])
        mujoco.mj_forward(peers.theirs, data)
        return data.qacc

    a = lw.forward_dynamics(peers.ours, peers.q, peers.v, peers.a, {name: wrench}, method=method)
    seen = [peers.theirs_rate(*row) for row in zip(peers.q, peers.v, a, strict=True)]
    close(seen, peers.rows(theirs))


def test_center_of_mass_and_momentum(peers):
    def their_momentum(data, T, k):
        mujoco.mj_subtreeVel(peers.theirs, data)
        return np.concatenate([lw.total_mass(peers.ours) * data.subtree_linvel[0], data.subtree_angmom[0]])

    close(lw.center_of_mass(peers.ours, peers.q), peers.rows(lambda data, T, k: data.subtree_com[0]))
    close(lw.momentum(peers.ours, peers.q, peers.v), peers.rows(their_momentum))


def test_energies(peers):
    close(lw.potential_energy(peers.ours, peers.q), peers.rows(lambda data, T, k: data.energy[0]))
    close(lw.kinetic_energy(peers.ours, peers.q, peers.v), peers.rows(lambda data, T, k: data.energy[1]))
