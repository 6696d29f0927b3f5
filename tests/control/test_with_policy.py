"""Laws of two parts: what is decided changes only when it is due, and what follows it sees every step."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import LinkwrightError
from linkwright.simulation.integrators import step_function

control = lw.control


@pytest.fixture(scope="module")
def arm():
    return lw.load("two_link")


def aim(model, t, q, v, *, gain):
    return np.stack([gain * np.sin(q[0]) + t, q[1] * v[0], t])


def springs(model, t, q, v, *, action, stiffness):
    return stiffness * (action[:2] - q) - 0.5 * v + np.stack([0.0 * t, action[2]])


def law_of(every, gain=0.7, stiffness=9.0):
    return partial(
        control.with_policy,
        controller=partial(springs, stiffness=stiffness),
        decide=partial(aim, gain=gain),
        every=every,
    )


START = np.array([0.4, -0.3]), np.array([0.5, 1.0])


@pytest.mark.parametrize("every", [1, 4, 7])
def test_decisions_are_held_and_springs_are_not(arm, every):
    motion = lw.simulate(arm, *START, 0.05, controller=law_of(every))
    action = motion.state["action"][1:]  # after each step
    for k in range(50):
        at = k // every * every
        expected = aim(arm, motion.t[at], motion.q[at], motion.v[at], gain=0.7)
        np.testing.assert_allclose(action[k], expected, rtol=0, atol=1e-13)
        tau = springs(arm, motion.t[k], motion.q[k], motion.v[k], action=action[k], stiffness=9.0)
        np.testing.assert_allclose(motion.tau[k], tau, rtol=0, atol=1e-12)
    assert len(np.unique(action, axis=0)) == -(-50 // every)


def test_rollouts_give_the_same_and_decide_anew_where_motions_begin_again(arm):
    q, v = np.tile(START[0], (9, 1)), np.linspace(-1.0, 1.0, 18).reshape(9, 2)
    motion = lw.simulate(arm, q, v, 0.05, controller=law_of(6))
    found = lw.rollout(arm, q, v, 50, controller=law_of(6), every=1, episode=lw.Episode(keep=["q", "tau", "state"]))
    assert np.array_equal(found.q, motion.q[1:])
    assert np.array_equal(found.tau, motion.tau[:-1])
    assert np.array_equal(found.states["action"], motion.state["action"][1:])

    def late(model, t, q, v):
        return t > 0.0145

    again = lw.rollout(arm, q, v, 45, controller=law_of(6), every=1, episode=lw.Episode(terminate=late, reset="start"))
    assert (again.episodes == 3).all()
    assert np.array_equal(again.q[15:29], again.q[:14])


def test_what_holds_whole_laws_holds_springs_too(arm):
    held = lw.simulate(
        arm,
        *START,
        0.05,
        controller=partial(springs, stiffness=9.0, action=np.zeros(3)),
        actuation=lw.Actuation(period=5e-3),
    )
    assert len(np.unique(held.tau[:50], axis=0)) == 10
    counted = lw.simulate(
        arm, *START, 0.05, controller=counting, actuation=lw.Actuation(initial_state=np.zeros(()), period=5e-3)
    )
    assert counted.state[-1] == 10.0
    assert np.array_equal(np.diff(counted.state), np.arange(50) % 5 == 0)


def counting(model, t, q, v, asked):
    return -q, asked + 1.0


def test_other_numbers_are_no_other_kernel_and_each_motion_may_have_its_own(arm, monkeypatch):
    model = lw.load("two_link")
    gains = np.array([0.1, 0.5, 2.0])
    alone = [lw.simulate(model, *START, 0.03, controller=law_of(6, gain)).q for gain in gains]
    several = lw.simulate(
        model,
        np.tile(START[0], (3, 1)),
        START[1],
        0.03,
        controller=law_of(6, gains),
        actuation=lw.Actuation(each=["decide.gain"]),
    )
    np.testing.assert_allclose(several.q.swapaxes(0, 1), alone, rtol=0, atol=1e-12)
    monkeypatch.setattr(step_function, "trace", lambda bound: pytest.fail("it was traced again"))
    assert not np.array_equal(lw.simulate(model, *START, 0.03, controller=law_of(5, 0.1, 3.0)).q, alone[0])


def test_a_policy_decides_at_every_step_as_it_does_alone(arm):
    policy = lw.Policy(arm, (8,))
    w = policy.random(0)
    options = dict(scale=0.4, stiffness=5.0, damping=0.3)
    parts = dict(controller=partial(policy.efforts, **options), decide=partial(policy.action, weights=w))
    whole = lw.simulate(arm, *START, 0.05, controller=partial(policy, weights=w, **options))
    apart = lw.simulate(arm, *START, 0.05, controller=partial(control.with_policy, **parts, every=1))
    np.testing.assert_allclose(apart.q, whole.q, rtol=0, atol=1e-13)


def test_an_environment_holds_its_actions_likewise(arm):
    gymnasium = pytest.importorskip("gymnasium")
    from linkwright.gymnasium import Interface, VectorEnv

    environments = VectorEnv(
        arm,
        1,
        controller=partial(springs, stiffness=9.0),
        q0=START[0],
        v0=START[1],
        episode=lw.Episode(reward=lambda model, t, q, v, tau: -(q @ q)),
        interface=Interface(action_space=gymnasium.spaces.Box(-9.0, 9.0, (3,), np.float64), steps=10),
    )
    environments.reset(seed=0)
    expected = lw.rollout(arm, *START, 50, controller=law_of(10), every=10)
    for k in range(5):
        action = aim(arm, 0.01 * k, environments.q[0], environments.v[0], gain=0.7)
        environments.step(action[None])
        np.testing.assert_allclose(environments.q[0], expected.q[k], rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    ("law", "said"),
    [
        (partial(law_of(3), every=0), "every is a whole number from 1"),
        (partial(law_of(3), every=2.5), "every is a whole number from 1"),
        (partial(law_of(3), controller=lambda model, t, q, v: -q), r"controller\(model, t, q, v, \*, action\)"),
        (partial(law_of(3), decide=partial(aim, gains=1.0)), "gain"),
    ],
)
def test_what_is_wrong_is_reported(arm, law, said):
    with pytest.raises(LinkwrightError, match=said):
        lw.simulate(arm, *START, 0.01, controller=law)
