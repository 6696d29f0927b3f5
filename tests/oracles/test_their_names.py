"""The tables "their name → ours" of docs/how_to/beside_pinocchio_mujoco.md: every line, against the real libraries."""

from __future__ import annotations

import re
import warnings
from pathlib import Path

import numpy as np
import pytest

import linkwright as lw

pin = pytest.importorskip("pinocchio", reason="Pinocchio (the extra 'peers') is not installed")
mujoco = pytest.importorskip("mujoco", reason="MuJoCo (mujoco-core, the extra 'mjcf') is not installed")

PAGE = Path(__file__).parents[2] / "docs" / "how_to" / "beside_pinocchio_mujoco.md"


def table(heading: str) -> list[tuple[str, str]]:
    """The lines of the table beneath a heading: theirs and ours."""
    text = PAGE.read_text(encoding="utf-8").split(f"\n## {heading}\n")[1].split("\n## ")[0]
    lines = [tuple(cell.strip() for cell in line.split(" | ")) for line in text.splitlines() if line.startswith("| `")]
    return [(theirs.lstrip("| "), ours.rstrip("| ")) for theirs, ours in lines]


def code(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


def ours_of(cell: str, scope: dict[str, object]):
    """What the code of our column gives."""
    return eval(code(cell)[0], {"lw": lw, "np": np}, scope)


@pytest.fixture(scope="module")
def urdf(tmp_path_factory):
    return str(lw.load("arm7").save(tmp_path_factory.mktemp("peers") / "arm7.urdf"))


def in_their_order(model, q):
    """A configuration with a free base as Pinocchio has it."""
    return q if model.nq == model.nv else np.concatenate([q[:3], q[4:7], q[3:4], q[7:]])


def back(q):
    return np.concatenate([q[:3], q[6:7], q[3:6], q[7:]])


AFTER = {
    "pin.framesForwardKinematics(model, data, q)`, `data.oMf[k]": lambda s: s["data"].oMf[s["k"]].homogeneous,
    "pin.computeCentroidalMomentum(model, data, q, v)": lambda s: s["value"].vector,
    "pin.crba(model, data, q)": lambda s: np.triu(s["value"]) + np.triu(s["value"], 1).T,
    "pin.computeMinverse(model, data, q)": lambda s: np.triu(s["value"]) + np.triu(s["value"], 1).T,
    "pin.getFrameVelocity(model, data, k, LWA)": lambda s: s["value"].vector,
    "pin.getFrameClassicalAcceleration(model, data, k, LWA)": lambda s: s["value"].vector,
    "pin.exp6(x)": lambda s: s["value"].homogeneous,
    "pin.log6(T)": lambda s: s["value"].vector,
}
"""What their answer is where it is not simply the value of the last expression."""


@pytest.mark.parametrize(("theirs", "ours"), table("Pinocchio"), ids=lambda cell: code(cell)[0].split("(")[0])
@pytest.mark.parametrize("floating", [False, True], ids=["fixed", "free"])
def test_pinocchio(theirs, ours, floating, urdf):
    model = lw.load(urdf, root="free" if floating else None)
    peer = pin.buildModelFromUrdf(urdf, *([pin.JointModelFreeFlyer()] if floating else []))
    rng = np.random.default_rng(5)
    q, v, a, tau = model.random(seed=3), *rng.normal(size=(3, model.nv))
    q0, q1 = model.random(seed=4), model.random(seed=6)
    twist = rng.normal(size=6)
    same = dict(v=v, a=a, tau=tau, s=0.3, r=0.2, p=-0.4, y=0.9, x=twist, path=urdf)
    if code(theirs)[0] == "pin.exp3(r)":
        same["r"] = twist[:3]
    R = lw.rotation.exp(twist[:3])
    T = lw.transform.exp(twist)
    here = dict(same, model=model, q=q, q0=q0, q1=q1, R=R, T=T)
    data = peer.createData()
    there = dict(same, pin=pin, model=peer, data=data, LWA=pin.LOCAL_WORLD_ALIGNED, R=R, T=pin.SE3(T))
    there |= {name: in_their_order(model, value) for name, value in (("q", q), ("q0", q0), ("q1", q1))}
    there |= {"k": peer.getFrameId("tool"), "joint": peer.getJointId("joint4")}
    pin.forwardKinematics(peer, data, there["q"], v, a)
    pin.updateFramePlacements(peer, data)
    if "joint4" in ours:
        here["q"] = dict(enumerate(q[7 if floating else 0 :]))
    for line in code(theirs):
        there["value"] = eval(line, {}, there)
    found, expected = ours_of(ours, here), there["value"]
    cell = "`, `".join(code(theirs))
    if cell in AFTER:
        expected = AFTER[cell](there)
    if isinstance(found, lw.Model):
        which = peer if expected is None else expected
        assert (found.nq, found.nv) == (which.nq, which.nv)
        expected = pin.crba(which, which.createData(), pin.neutral(which))
        return np.testing.assert_allclose(
            lw.mass_matrix(found, found.neutral()), np.triu(expected) + np.triu(expected, 1).T, atol=1e-9
        )
    if cell.startswith(("pin.neutral", "pin.integrate", "pin.interpolate")) and floating:
        expected = back(expected)
        expected[3:7] *= np.sign(expected[3:7] @ found[3:7])
    if isinstance(found, tuple):
        assert len(found) == len(expected[: len(found)])
        for one, other in zip(found, expected, strict=False):
            np.testing.assert_allclose(one, other, atol=1e-8)
        return None
    if "Coriolis" in cell:  # several matrices give the same efforts, and leave dM/dt - 2 C skew
        found, expected = found @ v, expected @ v
    return np.testing.assert_allclose(found, expected, atol=1e-9)


@pytest.fixture(scope="module")
def mjcf(tmp_path_factory):
    arm = lw.load("arm7", root="free")
    for k in (2, 5):
        arm = arm.with_joint(f"joint{k}", damping=0.3, stiffness=2.0, armature=0.05)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lw.errors.FormatWarning)  # limits of velocities, which MuJoCo does not have
        return str(arm.save(tmp_path_factory.mktemp("peers") / "arm7.xml"))


@pytest.mark.parametrize(("theirs", "ours"), table("MuJoCo"), ids=lambda cell: code(cell)[0].split("(")[0])
def test_mujoco(theirs, ours, mjcf):
    model = lw.load(mjcf)
    m = mujoco.MjModel.from_xml_path(mjcf)
    m.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_LIMIT | mujoco.mjtDisableBit.mjDSBL_CONTACT
    m.opt.enableflags |= mujoco.mjtEnableBit.mjENBL_ENERGY
    d = mujoco.MjData(m)
    rng = np.random.default_rng(7)
    q, v, a, tau = model.random(seed=3), *rng.normal(size=(3, model.nv))
    q0, q1 = model.random(seed=4), model.random(seed=6)
    f, n, h, duration = *rng.normal(size=(2, 3)), 0.2, 0.2
    X = np.eye(model.nv)  # their velocity = X · ours
    X[:3, :3] = lw.rotation.from_quaternion(q[3:7])
    acceleration = X @ a + np.r_[X[:3, :3] @ np.cross(v[3:6], v[:3]), np.zeros(model.nv - 3)]
    d.qpos[:], d.qvel[:], d.qacc[:] = q, X @ v, acceleration
    mujoco.mj_forward(m, d)
    d.qacc[:] = acceleration
    k = mujoco.mj_name2id(m, mujoco.mjtObj.mjOBJ_BODY, "link7")
    there = dict(mujoco=mujoco, m=m, d=d, k=k, path=mjcf, f=f, n=n, tau=X @ tau, q0=q0, q1=q1, h=h, v=X @ v)
    there |= dict(jacp=np.zeros((3, model.nv)), jacr=np.zeros((3, model.nv)))
    there |= dict(out=np.zeros(6 if "objectVelocity" in theirs else model.nv), qpos=q.copy())
    here = dict(model=model, q=q, v=v, a=a, tau=tau, q0=q0, q1=q1, h=h, f=f, n=n, path=mjcf, duration=duration)
    found = ours_of(ours, here)
    value = None
    for line in code(theirs):
        if "=" in line:
            exec(line, {}, there)
            mujoco.mj_forward(m, d)
        elif "mj_step" in line:
            m.opt.timestep, m.opt.integrator = 1e-3, mujoco.mjtIntegrator.mjINT_RK4
            for _ in range(round(duration / 1e-3)):
                eval(line, {}, there)
        else:
            value = eval(line, {}, there)
    name = code(theirs)[-1]
    checks = {
        "mujoco.MjModel.from_xml_path(path)": lambda: ((value.nq, value.nv), (found.nq, found.nv)),
        "mujoco.mj_mulM(m, d, out, v)": lambda: (X.T @ there["out"], found),
        "d.qfrc_bias": lambda: (None, None),
        "d.qfrc_passive": lambda: (X.T @ value, found),
        "d.qfrc_inverse": lambda: (X.T @ value, found),
        "d.qacc": lambda: (value, X @ found + np.r_[X[:3, :3] @ np.cross(v[3:6], v[:3]), np.zeros(model.nv - 3)]),
        "d.xmat[k]": lambda: (np.c_[value.reshape(3, 3), d.xpos[k]], found[:3]),
        "mujoco.mj_jacBody(m, d, jacp, jacr, k)": lambda: (np.r_[there["jacp"], there["jacr"]] @ X, found),
        "mujoco.mj_objectVelocity(m, d, mujoco.mjtObj.mjOBJ_XBODY, k, out, 0)": lambda: (
            there["out"],
            np.r_[found[3:], found[:3]],
        ),
        "mujoco.mj_integratePos(m, qpos, v, h)": lambda: (there["qpos"][3:], found[3:]),
        "mujoco.mj_differentiatePos(m, out, 1.0, q0, q1)": lambda: (there["out"][3:], found[3:]),
        "d.energy[1]": lambda: (value, found),
        "d.energy[0]": lambda: (value, found),
        "mujoco.mj_applyFT(m, d, f, n, d.xpos[k], k, out)": lambda: (X.T @ there["out"], found),
        "many times": lambda: (None, None),
        "mujoco.mj_step(m, d)": lambda: (d.qpos, found.q[-1]),
    }
    expected, got = checks[name]()
    if name == "d.qfrc_bias":  # MuJoCo's acceleration of a free base is the rate of a velocity along world axes
        C = np.r_[X[:3, :3] @ np.cross(v[3:6], v[:3]), np.zeros(model.nv - 3)]
        mujoco.mj_mulM(m, d, there["out"], C)
        expected, got = X.T @ (value + there["out"]), found
    np.testing.assert_allclose(got, expected, atol=2e-6 if "step" in name else 1e-8, rtol=1e-9)
