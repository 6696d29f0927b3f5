"""Holding postures. The whole sweep, all mechanisms and humanoids for ten seconds, is ``benchmarks/holding.py``."""

from __future__ import annotations

import warnings
from functools import partial

import numpy as np
import pytest

import linkwright as lw
from linkwright.compiler import kernel as kernels
from linkwright.errors import InputError, LinkwrightError, LinkwrightWarning
from linkwright.simulation.actuation import posture_control
from linkwright.simulation.integrators import split_kernels
from linkwright.simulation.integrators.methods import implicit_terms


def hand_afloat():
    """40 kg afloat with an arm and a finger of 10 g: what efforts move differs by 1e6."""
    builder = lw.Builder("hand").body("trunk", 40.0, [0, 0, 0.1], 1.5).joint("root", "free", "world", "trunk")
    parent = "trunk"
    for k, (m, length) in enumerate([(2.0, 0.3), (1.5, 0.3), (0.03, 0.04), (0.01, 0.02)]):
        builder.body(f"link{k}", m, [0, 0, length / 2], m * length**2 * np.array([0.09, 0.09, 0.01]))
        axis = ([0, 1, 0], [1, 0, 0], [0, 0, 1])[k % 3]
        builder.joint(f"joint{k}", "revolute", parent, f"link{k}", xyz=[0.1, 0, 0.2 if k == 0 else length], axis=axis)
        parent = f"link{k}"
    return builder.build()


def driven(model):
    return np.concatenate([np.full(joint.nv, joint.type != "free") for joint in model.joints])


def pushed(model, postures):
    rng = np.random.default_rng(0)
    shape = (len(postures), model.nv)
    q, v = lw.integrate(model, postures, 0.1 * rng.uniform(-1, 1, shape)), 0.3 * rng.normal(size=shape)
    if model.loops:
        q = lw.close_loops(model, q)
        v = lw.impulse(model, q, v)[0]
    return q, v


@pytest.mark.parametrize("name", ["planar:8", "chain3d:6", "quadruped", "four_bar", "hand"])
def test_joints_settle_at_random_postures(name):
    model = hand_afloat() if name == "hand" else lw.load(name)
    postures = model.random(4, seed=1)
    if model.loops:
        postures = lw.close_loops(
            model, lw.integrate(model, model.neutral(), 0.3 * np.random.default_rng(1).normal(size=(4, model.nv)))
        )
    controller = lw.control.hold_joints(model, postures)
    motion = lw.simulate(model, *pushed(model, postures), 2.5, callback=controller, every=20)
    own = driven(model)
    assert motion.t[-1] == pytest.approx(2.5)
    assert np.abs(motion.v)[..., own].max() < 5.0
    assert np.abs(lw.difference(model, postures, motion.q[-1]))[:, own].max() < 5e-3
    assert (motion.tau[..., ~own] == 0.0).all()


@pytest.mark.parametrize("name", ["puma560", "quadruped", "four_bar"])
def test_the_law_rests_at_the_posture(name):
    model = lw.load(name)
    postures = model.random(3, seed=2) if not model.loops else np.array([lw.default_configuration(model)[0]] * 3)
    still = np.zeros((3, model.nv))
    tau = lw.control.hold_joints(model, postures)(0.0, postures, still)
    a = lw.forward_dynamics(model, postures, still, tau + lw.passive_forces(model, postures, still))
    assert np.abs(a[:, driven(model)]).max() < 1e-9
    if name == "quadruped":  # all falls freely
        assert np.abs(tau).max() < 1e-9
    if name == "puma560":
        np.testing.assert_allclose(tau, lw.gravity_forces(model, postures), atol=1e-9)


def test_a_humanoid_is_held_while_it_falls():
    """`linkwright simulate humanoid --hold`: it ended at 0.255 s."""
    model = lw.load("humanoid")
    q = model.neutral()
    motion = lw.simulate(model, q, np.zeros(model.nv), 0.5, controller=lw.control.hold_joints(model, q), every=10)
    assert np.abs(motion.q[-1] - q)[7:].max() < 1e-9
    assert motion.drift < 1e-6


def test_joints_come_back_from_far_away():
    model = lw.load("quadruped")
    q = model.random(3, seed=5)
    motion = lw.simulate(
        model, q, np.zeros((3, model.nv)), 4.0, controller=lw.control.hold_joints(model, model.neutral()), every=20
    )
    assert np.abs(motion.v[..., 6:]).max() < 60.0
    assert np.abs(motion.q[-1, :, 7:]).max() < 0.01


def test_large_mechanisms_are_held_by_parts(monkeypatch):
    model = lw.load("chain3d:6")
    postures = model.random(2, seed=4)
    q, v = pushed(model, postures[:1])
    whole = lw.control.hold_joints(model, postures[:1])(0.0, q, v)
    monkeypatch.setattr(split_kernels, "BODIES_IN_LOOPS", 3)
    by_parts = lw.control.hold_joints(model, postures[:1])(0.0, q, v)
    np.testing.assert_allclose(by_parts, whole, rtol=1e-9, atol=1e-9 * np.abs(whole).max())


def test_what_is_too_fast_for_the_step_is_lowered_and_reported():
    model = lw.load("puma560")
    q = model.random(seed=3)
    with pytest.warns(LinkwrightWarning, match=r"200 Hz .* held at 39\.8 Hz"):
        controller = lw.control.hold_posture(model, q, frequency=200.0)
    assert controller.frequency == pytest.approx(39.79, abs=0.01)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        motion = lw.simulate(model, q + 0.01, np.zeros(6), 0.5, callback=controller)
    assert np.abs(motion.q[-1] - q).max() < 1e-6
    with pytest.warns(LinkwrightWarning, match="held over 0.1 s, longer than the 0.08 s"):
        lw.simulate(model, q, np.zeros(6), 0.2, 0.1, "semi_implicit", lw.control.hold_posture(model, q))


def test_feedback_too_stiff_for_the_step_is_named_where_it_ends_the_motion():
    model = lw.load("puma560")
    with pytest.warns(LinkwrightWarning, match=r"act on joint 'joint[56]' within 1\.\de-05 s.*lw\.Servos"):
        lw.simulate(model, model.neutral(), np.ones(6), 0.1, callback=lambda t, q, v: -1e4 * v)


def test_hold_refuses_what_floats():
    model = lw.load("humanoid")
    with pytest.raises(InputError, match=r"'root': hold_joints"):
        lw.control.hold_posture(model, model.neutral())
    for wrong in ({"frequency": 0.0}, {"damping_ratio": -1.0}, {"step": np.nan}, {"frequency": "fast"}):
        with pytest.raises(InputError, match=next(iter(wrong))):
            lw.control.hold_joints(model, model.neutral(), **wrong)
    with pytest.raises(LinkwrightError):
        lw.control.hold_joints(model, np.zeros(model.nq))


def gimbal(base):
    """A body on three hinges at one place, with bodies of no mass between: M is singular where the middle one is 0."""
    builder = lw.Builder("gimbal")
    parent = "world"
    if base == "free":
        builder.body("trunk", 3.0, [0, 0, 0.1], 0.05).joint("root", "free", "world", "trunk")
        parent = "trunk"
    for k, axis in enumerate(([0, 0, 1], [1, 0, 0], [0, 0, 1])):
        mass = (0.0, [0, 0, 0], 0.0) if k < 2 else (0.5, [0.05, 0.02, 0.2], [0.01, 0.008, 0.005])
        builder.body(f"body{k}", *mass).joint(f"hinge{k}", "revolute", parent, f"body{k}", axis=axis)
        parent = f"body{k}"
    return builder.build()


def through_the_lock(model, n=8):
    """Postures (n, nq) beyond gimbal lock, and states (n, nq), (n, nv) before it."""
    rng = np.random.default_rng(0)
    postures = np.tile(model.neutral(), (n, 1))
    postures[:, -3:] = rng.uniform(-1, 1, (n, 3))
    start = postures.copy()
    postures[:, -2], start[:, -2] = -rng.uniform(0.02, 0.2, n), rng.uniform(0.02, 0.1, n)
    return postures, start, 0.3 * rng.normal(size=(n, model.nv))


@pytest.mark.parametrize("base", ["fixed", "free"])
def test_hinges_without_mass_between_are_held_through_gimbal_lock(base):
    model = gimbal(base)
    postures, start, v = through_the_lock(model)
    for made in [lw.control.hold_joints] + [lw.control.hold_posture] * (base == "fixed"):
        controller = made(model, postures)
        motion = lw.simulate(model, start, v, 3.0, callback=controller, every=10)
        own = driven(model)
        assert np.abs(motion.v)[..., own].max() < 3.0
        assert np.abs(lw.difference(model, postures, motion.q[-1]))[:, own].max() < 5e-3
        staged = lw.simulate(
            model, start, v, 1.0, callback=controller, method="rk4", actuation=lw.Actuation(evaluated_at="stages")
        )
        assert np.abs(staged.v)[..., own].max() < 3.0


def test_a_method_that_does_not_hold_a_posture_is_reported():
    model = gimbal("fixed")
    postures, start, v = through_the_lock(model)
    controller = lw.control.hold_joints(model, postures, frequency=8.0, step=2e-3)
    with pytest.warns(
        LinkwrightWarning, match="or method='semi_implicit': the posture is not sure to be held by 'rk4'"
    ):
        lw.simulate(model, start, v, 0.2, 2e-3, callback=controller, method="rk4")


def biped():
    """Two legs of three hinges with their feet fixed: with both thighs level its loops are singular."""
    builder = lw.Builder("biped").body("trunk", 0.6, [0, 0, 0.02], 2e-3)
    builder.joint("root", "free", "world", "trunk", xyz=[0, 0, 0.4])
    for side, y in (("left", 1.0), ("right", -1.0)):
        hip, thigh, shank = (f"{side}_{part}" for part in ("hip", "thigh", "shank"))
        builder.body(hip, 0.14, [0.02, 0.01 * y, 0], 1e-4)
        builder.joint(f"{side}_roll", "revolute", "trunk", hip, xyz=[0, 0.06 * y, 0], axis=[1, 0, 0])
        builder.body(thigh, 0.15, [0, 0, -0.1], [4e-4, 4e-4, 4e-5])
        builder.joint(f"{side}_pitch", "revolute", hip, thigh, xyz=[0.04, 0.015 * y, 0], axis=[0, 1, 0])
        builder.body(shank, 0.03, [0, 0, -0.1], [1e-4, 1e-4, 1e-5])
        builder.joint(f"{side}_knee", "revolute", thigh, shank, xyz=[0, 0.04 * y, -0.2], axis=[0, 1, 0])
        builder.frame(f"{side}_foot", shank, xyz=[0, 0, -0.2])
        builder.loop(f"{side}_weld", "weld", "world", f"{side}_foot", xyz=[0.04, 0.115 * y, 0])
    return builder.build()


def test_loops_are_held_beside_singular_configurations():
    model, rng = biped(), np.random.default_rng(3)
    opened = lw.integrate(model, model.neutral(), 0.4 * rng.normal(size=(40, model.nv)))
    postures = np.array([lw.close_loops(model, q) for q in opened])  # one by one they come nearest to what is singular
    level = np.abs(np.abs(postures[:, model.slice("left_pitch").q].ravel()) - np.pi / 2) < 1e-6
    postures = postures[level]
    assert len(postures) > 2
    opened = lw.integrate(model, postures, 0.1 * rng.uniform(-1, 1, (len(postures), model.nv)))
    q = np.array([lw.close_loops(model, row) for row in opened])
    v = lw.impulse(model, q, 0.3 * rng.normal(size=(len(postures), model.nv)))[0]
    motion = lw.simulate(model, q, v, 1.0, controller=lw.control.hold_joints(model, postures), every=10)
    assert (np.abs(motion.v).max(axis=(0, 2)) < 1.5 * np.abs(v).max(axis=1)).all()
    assert np.abs(lw.difference(model, postures, motion.q[-1]))[:, 6:].max() < 1e-4


def sprung_arm(base):
    """Springs, dampers and friction of joints, far too stiff for explicit methods, and a rope between two bodies."""
    builder, parent = lw.Builder("sprung arm"), "world"
    if base == "free":
        builder.body("trunk", 2.0, [0, 0, 0.1], 0.05).joint("root", "free", "world", "trunk", damping=[0.5] * 6)
        parent = "trunk"
    for k, axis in enumerate(([0, 0, 1], [0, 1, 0], [1, 0, 0])):
        builder.body(f"link{k}", 0.5, [0.02, 0.01, 0.15], [5e-3, 4e-3, 1e-3])
        passive = {"damping": 40.0 * k, "friction": 0.2}
        builder.joint(f"joint{k}", "revolute", parent, f"link{k}", xyz=[0, 0, 0.3], axis=axis, **passive)
        builder.joint_spring(f"joint{k}", 5e4 * k, rest=0.1)
        parent = f"link{k}"
    builder.frame("a", "link0", xyz=[0.1, 0, 0]).frame("b", "link2", xyz=[0, 0.1, 0.1])
    return builder.spring("a", "b", stiffness=3e4, damping=5.0, length=0.1).build()


@pytest.mark.parametrize("base", ["fixed", "free"])
def test_the_law_knows_the_acceleration_of_a_semi_implicit_step(base):
    model, rng, h = sprung_arm(base), np.random.default_rng(2), 1e-3
    posture = lw.integrate(model, model.neutral(), 0.3 * rng.normal(size=model.nv))
    q, v = lw.integrate(model, posture, 0.2 * rng.normal(size=model.nv)), rng.normal(size=model.nv)

    def acceleration(controller):
        motion = lw.simulate(model, q, v, h, h, "semi_implicit", controller)
        return (motion.v[1] - v) / h, motion.tau[0]

    w = 4.0 * np.pi
    wanted = w * w * lw.difference(model, q, posture) - 2.0 * w * v
    if base == "fixed":
        a, _ = acceleration(lw.control.hold_posture(model, posture))
        np.testing.assert_allclose(a, wanted, rtol=1e-8)
    a, tau = acceleration(lw.control.hold_joints(model, posture))
    rotors, efforts = posture_control.at_rest(model, posture, h)
    later = lw.passive_forces(model, q, v) - implicit_terms(model, q, v, h).pull
    own = driven(model)
    np.testing.assert_allclose(tau[own], (efforts + rotors * (wanted - a) - later)[own], rtol=1e-7)


def test_dampers_and_friction_do_not_slow_the_return():
    """Fingers of some grams with the dampers of arms: they came back within a quarter of an hour."""
    builder = lw.Builder("finger").body("palm", 0.5, [0, 0, 0.1], 1e-3).joint("root", "free", "world", "palm")
    for k, parent in enumerate(("palm", "link0")):
        builder.body(f"link{k}", 0.01, [0, 0, 0.01], 1e-6)
        options = {"damping": 1.0, "friction": 0.1, "xyz": [0, 0, 0.02], "axis": [0, 1, 0]}
        builder.joint(f"joint{k}", "revolute", parent, f"link{k}", **options)
    model = builder.build()
    posture = model.neutral()
    start = lw.integrate(model, posture, np.array([0, 0, 0, 0, 0, 0, 0.3, -0.3]))
    motion = lw.simulate(
        model, start, np.zeros(model.nv), 2.0, controller=lw.control.hold_joints(model, posture), every=20
    )
    assert np.abs(motion.q[-1, 7:]).max() < 1e-5


def test_controllers_that_are_kernels_run_in_machine_code(monkeypatch):
    """With values that are bound, and without any: nothing of a motion is interpreted."""

    def interpreted(program, *arrays, out=None):
        raise AssertionError(f"{program.name} is interpreted")

    monkeypatch.setattr(kernels, "interpret_call", interpreted)
    arm = lw.load("two_link")

    def law(model, t, q, v, target):
        return lw.gravity_forces(model, q) + 20.0 * (target - q) - 5.0 * v

    def resting(model, t, q, v):
        return law(model, t, q, v, np.zeros(2))

    start = [0.3, -0.2]
    bound = partial(lw.compile(law, arm, t=(), target=2), target=np.zeros(2))
    motions = [lw.simulate(arm, start, np.zeros(2), 0.5, callback=x) for x in (bound, lw.compile(resting, arm, t=()))]
    assert np.abs(motions[0].q - motions[1].q).max() < 1e-12
    assert np.abs(motions[0].q[-1]).max() < 0.3


def test_the_traceback_of_a_mistake_on_symbols_has_only_the_frames_of_the_user():
    import math
    import traceback

    def controller(model, t, q, v):
        return -math.sin(q[0]) * v

    where = r"line \d+ of test_controllers\.py.*np\.sin, not math\.sin"
    with pytest.raises(lw.errors.ExpressionError, match=where) as e:
        lw.simulate(lw.load("two_link"), [0.1, 0.2], [0.0, 0.0], 0.01, 1e-3, controller=controller)
    assert len(traceback.format_exception(e.value)) < 10
    assert traceback.extract_tb(e.value.__traceback__)[-1].line == "return -math.sin(q[0]) * v"


def test_held_joints_on_a_ground_are_reported():
    model = lw.load("quadruped")
    with pytest.warns(lw.errors.LinkwrightWarning, match="forces of the ground: 'quadruped' sinks .*lw.Servos"):
        lw.control.hold_joints(model.with_ground(), model.neutral())
    lw.control.hold_joints(model, model.neutral())
