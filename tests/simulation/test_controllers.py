"""Holding postures. The whole sweep, all mechanisms and humanoids for ten seconds, is ``benchmarks/holding.py``."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import InputError, LinkwrightError, LinkwrightWarning
from linkwright.simulation import controllers


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
        q = lw.close(model, q)
        v = lw.impulse(model, q, v)[0]
    return q, v


@pytest.mark.parametrize("name", ["planar:8", "chain3d:6", "quadruped", "four_bar", "hand"])
def test_joints_settle_at_random_postures(name):
    model = hand_afloat() if name == "hand" else lw.load(name)
    postures = model.random(4, seed=1)
    if model.loops:
        postures = lw.close(
            model, lw.integrate(model, model.neutral(), 0.3 * np.random.default_rng(1).normal(size=(4, model.nv)))
        )
    controller = lw.hold_joints(model, postures)
    motion = lw.simulate(model, *pushed(model, postures), 2.5, controller=controller, every=20)
    own = driven(model)
    assert motion.t[-1] == pytest.approx(2.5)
    assert np.abs(motion.v)[..., own].max() < 5.0
    assert np.abs(lw.difference(model, postures, motion.q[-1]))[:, own].max() < 5e-3
    assert (motion.tau[..., ~own] == 0.0).all()


@pytest.mark.parametrize("name", ["puma560", "quadruped", "four_bar"])
def test_the_law_rests_at_the_posture(name):
    model = lw.load(name)
    postures = model.random(3, seed=2) if not model.loops else np.array([lw.showing_start(model)[0]] * 3)
    still = np.zeros((3, model.nv))
    tau = lw.hold_joints(model, postures)(0.0, postures, still)
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
    motion = lw.simulate(model, q, np.zeros(model.nv), 0.5, controller=lw.hold_joints(model, q), every=10)
    assert np.abs(motion.q[-1] - q)[7:].max() < 1e-9
    assert motion.drift < 1e-6


def test_joints_come_back_from_far_away():
    model = lw.load("quadruped")
    q = model.random(3, seed=5)
    motion = lw.simulate(
        model, q, np.zeros((3, model.nv)), 4.0, controller=lw.hold_joints(model, model.neutral()), every=20
    )
    assert np.abs(motion.v[..., 6:]).max() < 60.0
    assert np.abs(motion.q[-1, :, 7:]).max() < 0.01


def test_large_mechanisms_are_held_by_parts(monkeypatch):
    model = lw.load("chain3d:6")
    postures = model.random(2, seed=4)
    q, v = pushed(model, postures[:1])
    whole = lw.hold_joints(model, postures[:1])(0.0, q, v)
    monkeypatch.setattr(controllers, "BODIES_IN_LOOPS", 3)
    by_parts = lw.hold_joints(model, postures[:1])(0.0, q, v)
    np.testing.assert_allclose(by_parts, whole, rtol=1e-9, atol=1e-9 * np.abs(whole).max())


def test_what_is_too_fast_for_the_step_is_lowered_and_told():
    model = lw.load("puma560")
    q = model.random(seed=3)
    with pytest.warns(LinkwrightWarning, match=r"200 Hz .* held at 39\.8 Hz"):
        controller = lw.hold(model, q, frequency=200.0)
    assert controller.frequency == pytest.approx(39.79, abs=0.01)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        motion = lw.simulate(model, q + 0.01, np.zeros(6), 0.5, controller=controller)
    assert np.abs(motion.q[-1] - q).max() < 1e-6
    with pytest.warns(LinkwrightWarning, match="held over 0.1 s, longer than the 0.08 s"):
        lw.simulate(model, q, np.zeros(6), 0.2, 0.1, "semi_implicit", lw.hold(model, q))


def test_feedback_too_stiff_for_the_step_is_named_where_it_ends_the_motion():
    model = lw.load("puma560")
    with pytest.warns(LinkwrightWarning, match=r"acts on joint 'joint[56]' within 1\.\de-05 s"):
        lw.simulate(model, model.neutral(), np.ones(6), 0.1, controller=lambda t, q, v: -1e4 * v)


def test_hold_refuses_what_floats():
    model = lw.load("humanoid")
    with pytest.raises(InputError, match=r"'root': hold_joints"):
        lw.hold(model, model.neutral())
    for wrong in ({"frequency": 0.0}, {"damping_ratio": -1.0}, {"step": np.nan}, {"frequency": "fast"}):
        with pytest.raises(InputError, match=next(iter(wrong))):
            lw.hold_joints(model, model.neutral(), **wrong)
    with pytest.raises(LinkwrightError):
        lw.hold_joints(model, np.zeros(model.nq))
