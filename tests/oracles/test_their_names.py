"""The tables "their name → ours" of docs/how_to/other_libraries: names exist, and both compute equal numbers."""

from __future__ import annotations

import importlib
import re
import warnings
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import linkwright as lw

FOLDER = Path(__file__).parents[2] / "docs" / "how_to" / "other_libraries"
if not FOLDER.is_dir():
    pytest.skip("this is no checkout", allow_module_level=True)
PAGES = ("pinocchio", "mujoco", "drake", "pybullet", "robotics_toolbox", "sympy")
IN_OTHER_LANGUAGES = {"roki": "Functions", "irteus": "Methods and functions"}
"""Pages on libraries in other languages, and the headings of their tables."""


def lines(page: str, heading: str | None = None) -> list[tuple[str, str]]:
    """The lines of the tables of a page, or of those beneath a heading: theirs and ours."""
    text = (FOLDER / f"{page}.md").read_text(encoding="utf-8")
    if heading is not None:
        text = text.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    found = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("|") and "---" not in line]
    assert all(len(cells) == 2 for cells in found), found
    return [(theirs, ours) for theirs, ours in found if ours != "Linkwright"]


def same(page: str) -> list[tuple[str, str]]:
    return lines(page, "Functions with equal results")


def code(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


def ours_of(cell: str, scope: dict[str, object]):
    """Return the value of the code in the column of Linkwright."""
    return eval(code(cell)[0], {"lw": lw, "np": np}, scope)


@pytest.fixture(scope="module")
def urdf(tmp_path_factory):
    return str(lw.load("arm7").save(tmp_path_factory.mktemp("peers") / "arm7.urdf"))


@pytest.mark.parametrize("page", IN_OTHER_LANGUAGES)
def test_our_lines_run(page, tmp_path, monkeypatch):
    """Every line of ours in the tables, in the scope of the page, with symbols of matching shapes."""
    monkeypatch.chdir(tmp_path)
    text = (FOLDER / f"{page}.md").read_text(encoding="utf-8")
    scope: dict = {}
    for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
        exec(block, scope)
    model, rng = scope["model"], np.random.default_rng(2)
    q, v, a, tau = model.random(seed=3), *rng.normal(size=(3, model.nv))
    tip = "link6" if page == "roki" else "tool"
    T, T2 = lw.pose(model, q, tip), lw.pose(model, model.random(seed=4), tip)
    scope |= dict(q=q, v=v, a=a, tau=tau, T=T, T2=T2, R=T[:3, :3], r=np.array([0.1, -0.2, 0.3]), p=np.zeros(3))
    run = 0
    for theirs, ours in lines(page, IN_OTHER_LANGUAGES[page]):
        if theirs in ("RoKi", "irteus") or ours.startswith("no equivalent"):
            continue
        value = eval(code(ours)[0], scope)
        assert value is not None, ours
        if isinstance(value, np.ndarray):
            assert np.isfinite(value).all(), ours
        run += 1
    assert run > 30


@pytest.mark.parametrize("page", [*PAGES, *IN_OTHER_LANGUAGES])
def test_our_names_exist(page):
    """Whatever stands in a column of ours: functions, methods and attributes of a model, of equations, of a motion."""
    model = lw.load("two_link")
    places = {"lw": lw, "model": model, "equations": lw.Equations, "motion": lw.Motion}
    looked_up = 0
    for _, ours in lines(page):
        for said in code(ours):
            for root, path in re.findall(r"(?<![\w.\"])(lw|model|equations|motion)((?:\.[A-Za-z_]\w*)+)", said):
                value = places[root]
                for name in path[1:].split("."):
                    if value is lw.Motion:
                        assert name in {*dir(lw.Motion), *lw.Motion.__dataclass_fields__}, f"{page}: {said}"
                        break
                    assert hasattr(value, name), f"{page}: {said} has no {name}"
                    value = getattr(value, name)
                looked_up += 1
    assert looked_up > 14


def peers(page: str) -> dict[str, list[object]]:
    """Where the names of a library are looked up: by what stands before the first dot; "" where nothing does."""
    names = {
        "pinocchio": ("pinocchio",),
        "mujoco": ("mujoco",),
        "drake": ("pydrake.all",),
        "pybullet": ("pybullet",),
        "robotics_toolbox": ("roboticstoolbox", "spatialmath"),
        "sympy": ("sympy.physics.mechanics",),
    }[page]
    first, *more = [pytest.importorskip(name, reason=f"{name} is not installed") for name in names]
    return {
        "pinocchio": lambda: {"pin": [first], "pinocchio": [first], "model": [first.Model()]},
        "mujoco": lambda: {
            "mujoco": [first],
            "m": [first.MjModel, SimpleNamespace(opt=first.MjOption)],
            "d": [first.MjData],
        },
        "drake": lambda: {"": [first, first.MultibodyPlant]},
        "pybullet": lambda: {"": [first]},
        "robotics_toolbox": lambda: {"rtb": [first], "robot": [first.DHRobot, first.ERobot], "": more},
        "sympy": lambda: {"": [first], "sympy": [importlib.import_module("sympy")]},
    }[page]()


@pytest.mark.parametrize("page", PAGES)
def test_their_names_exist(page):
    places = peers(page)
    looked_up = 0
    for theirs, _ in lines(page, "Corresponding functions"):
        for said in code(theirs):
            root, *path = said.split(".")
            if root not in places:
                root, path = "", [root, *path]
            found = [place for place in places[root] if reaches(place, path)]
            assert found, f"{page}: {said}"
            looked_up += 1
    assert looked_up > 14


def reaches(value: object, path: list[str]) -> bool:
    for name in path:
        if not hasattr(value, name):
            try:
                importlib.import_module(f"{value.__name__}.{name}")
            except (AttributeError, ImportError):
                return False
        value = getattr(value, name)
    return True


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
    "pin.SE3(R, p)": lambda s: s["value"].homogeneous,
    "T.inverse()": lambda s: s["value"].homogeneous,
    "pin.forwardKinematics(model, data, q)`, `data.oMi[j]": lambda s: s["value"].homogeneous,
    "pin.computeCentroidalMomentumTimeVariation(model, data, q, v, a)": lambda s: s["value"].vector,
    "model.lowerPositionLimit`, `model.upperPositionLimit": lambda s: np.stack(
        [s["model"].lowerPositionLimit, s["model"].upperPositionLimit]
    ),
}
"""Results of the other library where they are not the value of the last expression."""


@pytest.mark.parametrize(("theirs", "ours"), same("pinocchio"), ids=lambda cell: code(cell)[0].split("(")[0])
@pytest.mark.parametrize("floating", [False, True], ids=["fixed", "free"])
def test_pinocchio(theirs, ours, floating, urdf):
    pin = pytest.importorskip("pinocchio", reason="Pinocchio (the extra 'peers') is not installed")
    if floating and ("Limit" in theirs or "names" in theirs):
        pytest.skip("a base that floats has other limits and names: 1.01 for a quaternion, root_joint")
    model = lw.load(urdf, root="free" if floating else None)
    peer = pin.buildModelFromUrdf(urdf, *([pin.JointModelFreeFlyer()] if floating else []))
    rng = np.random.default_rng(5)
    q, v, a, tau = model.random(seed=3), *rng.normal(size=(3, model.nv))
    q0, q1 = model.random(seed=4), model.random(seed=6)
    twist = rng.normal(size=6)
    options = dict(v=v, a=a, tau=tau, s=0.3, r=0.2, p=-0.4, y=0.9, x=twist, path=urdf)
    if code(theirs)[0] == "pin.exp3(r)":
        options["r"] = twist[:3]
    R = lw.rotation.exp(twist[:3])
    T = lw.transform.exp(twist)
    here = dict(options, model=model, q=q, q0=q0, q1=q1, R=R, T=T)
    data = peer.createData()
    there = dict(options, pin=pin, model=peer, data=data, LWA=pin.LOCAL_WORLD_ALIGNED, R=R, T=pin.SE3(T))
    there |= {name: in_their_order(model, value) for name, value in (("q", q), ("q0", q0), ("q1", q1))}
    there |= {"k": peer.getFrameId("tool"), "joint": peer.getJointId("joint4"), "j": peer.getJointId("joint4")}
    there["fext"] = [pin.Force(twist if k == there["j"] else np.zeros(6)) for k in range(peer.njoints)]
    here |= {"f": twist, "other": lw.load("pendulum").with_joint("hinge", lower=-3.0, upper=3.0)}
    if "SE3(R, p)" in theirs:
        here["p"] = there["p"] = twist[3:]
    if "other" in theirs:
        there["other"] = pin.buildModelFromUrdf(str(here["other"].save(Path(urdf).with_name("other.urdf"))))
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
    if "names" in cell:
        assert found == expected
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


@pytest.fixture(scope="module")
def arm_of_mjcf(mjcf):
    return lw.load(mjcf)


@pytest.mark.parametrize(("theirs", "ours"), same("mujoco"), ids=lambda cell: code(cell)[0].split("(")[0])
def test_mujoco(theirs, ours, mjcf, arm_of_mjcf):
    mujoco = pytest.importorskip("mujoco", reason="MuJoCo (mujoco-core, the extra 'mjcf') is not installed")
    model = arm_of_mjcf
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
    there |= dict(full=np.zeros((model.nv, model.nv)), s=mujoco.mj_name2id(m, mujoco.mjtObj.mjOBJ_SITE, "tool"))
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
        "m.nv": lambda: ((m.nq, m.nv), found),
        "mujoco.mj_fullM(m, d, full)": lambda: (X.T @ there["full"] @ X, found),
        "mujoco.mj_jacSite(m, d, jacp, jacr, s)": lambda: (np.r_[there["jacp"], there["jacr"]] @ X, found),
        "mujoco.mj_jacSubtreeCom(m, d, jacp, 1)": lambda: (there["jacp"] @ X, found),
        "d.subtree_com[1]": lambda: (value, found),
        "d.subtree_com[k]": lambda: (value, found),
        "mujoco.mj_step(m, d)": lambda: (d.qpos, found.q[-1]),
    }
    expected, got = checks[name]()
    if name == "d.qfrc_bias":  # MuJoCo's acceleration of a free base is the rate of a velocity along world axes
        C = np.r_[X[:3, :3] @ np.cross(v[3:6], v[:3]), np.zeros(model.nv - 3)]
        mujoco.mj_mulM(m, d, there["out"], C)
        expected, got = X.T @ (value + there["out"]), found
    np.testing.assert_allclose(got, expected, atol=2e-6 if "step" in name else 1e-8, rtol=1e-9)


@pytest.fixture(scope="module")
def moving(urdf):
    """An arm, a configuration, velocities, accelerations, efforts."""
    model, rng = lw.load(urdf), np.random.default_rng(5)
    q, v, a, tau = model.random(seed=3), *rng.normal(size=(3, model.nv))
    return dict(model=model, q=q, v=v, a=a, tau=tau, o=np.zeros(3), turned=[3, 4, 5, 0, 1, 2], path=urdf)


def agree(theirs: str, ours: str, there: dict, here: dict, tolerance: float = 1e-9) -> None:
    values = [eval(line, {"np": np}, there) for line in code(theirs)]
    np.testing.assert_allclose(ours_of(ours, here), values if len(values) > 1 else values[0], atol=tolerance, rtol=1e-9)


@pytest.mark.parametrize(("theirs", "ours"), same("drake"), ids=lambda cell: code(cell)[0].split("(")[0])
def test_drake(theirs, ours, moving):
    drake = pytest.importorskip("pydrake.all", reason="Drake is not installed")
    plant = drake.MultibodyPlant(time_step=0.0)
    drake.Parser(plant).AddModels(moving["path"])
    plant.WeldFrames(plant.world_frame(), plant.GetFrameByName("base"), drake.RigidTransform())
    plant.Finalize()
    context = plant.CreateDefaultContext()
    plant.SetPositions(context, moving["q"])
    plant.SetVelocities(context, moving["v"])
    forces = drake.MultibodyForces(plant)
    plant.CalcForceElementsContribution(context, forces)
    frames = {name: plant.GetFrameByName(name) for name in ("tool", "link4")}
    there = dict(moving, plant=plant, context=context, forces=forces, W=plant.world_frame(), **frames)
    agree(theirs, ours, there | {"kV": drake.JacobianWrtVariable.kV}, moving)


def test_a_base_that_floats_in_drake(moving):
    drake = pytest.importorskip("pydrake.all", reason="Drake is not installed")
    page = (FOLDER / "drake.md").read_text(encoding="utf-8")
    scope: dict = {}
    exec("\n".join(re.findall(r"```python\n(.*?)```", page, re.DOTALL)), scope)
    plant = drake.MultibodyPlant(time_step=0.0)
    drake.Parser(plant).AddModels(moving["path"])
    plant.Finalize()
    context = plant.CreateDefaultContext()
    plant.SetPositions(context, scope["q_drake"])
    plant.SetVelocities(context, scope["v_drake"])
    flying, q, v = lw.load(moving["path"], root="free"), scope["q"], scope["v"]
    np.testing.assert_allclose(lw.kinetic_energy(flying, q, v), plant.CalcKineticEnergy(context), rtol=1e-9)
    pose = plant.GetFrameByName("tool").CalcPoseInWorld(context).GetAsMatrix4()
    np.testing.assert_allclose(lw.pose(flying, q, "tool"), pose, atol=1e-9)


@pytest.mark.parametrize(("theirs", "ours"), same("pybullet"), ids=lambda cell: code(cell)[0].split("(")[0])
def test_pybullet(theirs, ours, moving, tmp_path):
    p = pytest.importorskip("pybullet", reason="PyBullet is not installed")
    text = Path(moving["path"]).read_text(encoding="utf-8")
    text = re.sub(r'<link name="tool"/>|<joint name="tool_frame".*?</joint>', "", text, flags=re.DOTALL)
    (tmp_path / "arm.urdf").write_text(text, encoding="utf-8")
    world = p.connect(p.DIRECT)
    try:
        p.setGravity(0, 0, -9.81)
        robot = p.loadURDF(str(tmp_path / "arm.urdf"), useFixedBase=True, flags=p.URDF_USE_INERTIA_FROM_FILE)
        joints = [p.getJointInfo(robot, k) for k in range(p.getNumJoints(robot))]
        for joint, x in zip([one[0] for one in joints if one[2] == p.JOINT_REVOLUTE], moving["q"], strict=True):
            p.resetJointState(robot, joint, x)
        k = next(one[0] for one in joints if one[12] == b"link7")
        R = lw.rotation.from_rpy([0.1, 0.2, 0.3])
        wxyz = lw.rotation.to_quaternion(R)
        more = dict(r=0.1, b=0.2, y=0.3, wxyz=wxyz, xyzw=np.roll(wxyz, -1).tolist())
        there = {name: moving[name].tolist() for name in "qva"} | dict(p=p, robot=robot, k=k, o=[0.0] * 7)
        agree(theirs, ours, there | more | {"origin": [0.0] * 3}, moving | more, tolerance=1e-6)  # it keeps some floats
    finally:
        p.disconnect(world)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize(("theirs", "ours"), same("robotics_toolbox"), ids=lambda cell: code(cell)[0].split("(")[0])
def test_robotics_toolbox(theirs, ours, moving):
    rtb = pytest.importorskip("roboticstoolbox", reason="the Robotics Toolbox is not installed")
    agree(theirs, ours, dict(moving, robot=rtb.Robot.URDF(moving["path"])), moving)
