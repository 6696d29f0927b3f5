"""The momentum observer: what acts from outside is found, at the rate that is asked for."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from tests.setups import grouped

import linkwright as lw
from linkwright.errors import LinkwrightError
from linkwright.model.joints.joint import JOINT_TYPES, Free, Revolute, Spherical
from mechanisms import one_of_each, random_tree, state, with_loops

control = lw.control

HOME = np.array([0.3, 0.6, -0.2, 1.2, 0.4, 0.8, 0.1])
PUSH = np.array([3.0, 0.0, 4.0, 0.0, 0.0, 0.0])
STIFFNESS, DAMPING = np.array([400, 400, 300, 200, 60, 60, 10.0]), np.array([40, 40, 30, 15, 3, 3, 0.3])


def pushed(model, t, q, v, state, *, controller, efforts):
    """Return an additional effort on the joints, unknown to the inner controller."""
    tau, state = controller(model, t, q, v, state)
    return tau + efforts, state


pushed.initial_state = lambda model, controller, efforts: control.initial_state_of(model, controller)


def push_from(since):
    """On the tool."""
    return lambda t: {"tool": lw.where(t > since - 1e-9, 1.0, 0.0) * PUSH}


@pytest.fixture(scope="module")
def arm():
    return lw.load("arm7")


@pytest.fixture(scope="module")
def holding():
    return partial(control.pd, target=HOME, stiffness=STIFFNESS, damping=DAMPING)


@pytest.mark.parametrize("kinds", [list(JOINT_TYPES), [Free, Revolute], [Spherical, Revolute]])
def test_the_residual_follows_at_its_rate(kinds):
    """r = (1 − e^(−K_O t)) τ_ext of efforts that stay, for joints of every type, springs and friction included."""
    model, h = random_tree(kinds, 4, mimics=True), 1e-4
    q, v, tau = state(model, 2)
    besides, gain = 0.5 * np.linspace(1.0, -1.0, model.nv), np.linspace(20.0, 60.0, model.nv)

    def still(model, t, q, v, efforts):
        return efforts

    law = partial(control.momentum_observer, controller=partial(still, efforts=tau), gain=gain, step=h)
    law = partial(pushed, controller=law, efforts=besides)
    motion = lw.simulate(model, q, 0.3 * v, 0.05, step=h, controller=law, method="rk4")
    expected = (1.0 - np.exp(-motion.t[:-1, None] * gain)) * besides  # known at the next sample, as all states are
    assert np.abs(motion.state["external"][1:] - expected).max() < 1e-4 * (1.0 + np.abs(motion.tau).max())


@pytest.mark.parametrize(("gain", "at_20_ms"), [(250.0, 0.99), (230.0, 0.98)])
def test_a_push_of_5_newton_is_found_within_20_milliseconds(arm, holding, gain, at_20_ms):
    """99 % with K_O = 250 / s, asked every millisecond; less with less."""
    law = partial(control.momentum_observer, controller=holding, gain=gain, step=1e-3)
    motion = lw.simulate(
        arm, HOME, np.zeros(7), 0.2, controller=law, surroundings=lw.Surroundings(wrenches=push_from(0.1))
    )
    wrench = control.hand_wrench(arm, motion.q[120], "tool", motion.state["external"][120])
    share = wrench[:3] @ PUSH[:3] / 25.0
    assert at_20_ms < share < at_20_ms + 0.01
    assert np.abs(motion.state["external"][:100]).max() < 1e-6
    assert control.hand_wrench(arm, motion.q[-1], "tool", motion.state["external"][-1]) == pytest.approx(PUSH, abs=0.01)


def test_wrong_masses_noise_and_delay_are_seen_too(arm, holding):
    """With 5 % in all masses r is off by some 3 N from the start, but by what it grows a push is found within 0.5 N."""
    factors = 1.0 + 0.05 * np.array([1.0, 1, -1, -1, -1, -1, -1])
    known = arm.with_parameters((lw.inertial_parameters(arm).reshape(-1, 10) * factors[:, None]).ravel())
    law = partial(control.momentum_observer, controller=holding, gain=50.0, step=1e-3, delay_steps=1)
    law = partial(control.with_model, controller=law, mechanism=known)
    real = {"delay": 1e-3, "noise": {"q": 1e-5, "v": 2e-4}}
    motion = lw.simulate(arm, HOME, np.zeros(7), 1.0, **grouped(controller=law, wrenches=push_from(0.5), **real))
    wrenches = control.hand_wrench(known, motion.q, "tool", motion.state["external"])[:, :3]
    before, after = wrenches[300:500].mean(axis=0), wrenches[800:].mean(axis=0)
    assert np.abs(after - before - PUSH[:3]).max() < 0.5
    assert 0.5 < np.abs(before).max() < 6.0


def test_efforts_that_act_late_are_counted_when_they_act(arm, holding):
    def largest(late):
        law = partial(control.momentum_observer, controller=holding, gain=100.0, step=1e-3, delay_steps=late)
        return np.abs(
            lw.simulate(arm, HOME + 0.1, np.zeros(7), 0.2, controller=law, actuation=lw.Actuation(delay=3e-3)).state[
                "external"
            ][5:]
        ).max()

    assert largest(3) < 1e-2 * largest(0)


def test_efforts_that_are_cut_are_counted_as_they_act(arm, holding):
    def largest(limit):
        law = partial(control.momentum_observer, controller=holding, gain=100.0, step=1e-3, limit=limit)
        motion = lw.simulate(
            arm, HOME + 0.3, np.zeros(7), 0.2, controller=law, actuation=lw.Actuation(effort_limits=60.0)
        )
        assert motion.saturated.any()
        return np.abs(motion.state["external"]).max()

    assert largest(60.0) < 1e-2 * largest(None)


def test_the_law_within_may_be_told(arm, holding):
    """A push that is known is made up for: the arm gives way while r learns, and comes back."""

    def firm(model, t, q, v, *, external):
        return holding(model, t, q, v) - external

    law = partial(control.momentum_observer, controller=firm, gain=60.0, step=1e-3, compensate=True)
    motion = lw.simulate(
        arm, HOME, np.zeros(7), 3.0, controller=law, surroundings=lw.Surroundings(wrenches={"tool": PUSH})
    )
    moved = np.abs(motion.q - HOME).max(axis=1)
    assert moved[-1] < 0.01 * moved.max()


def test_a_law_may_ask_for_the_wrench_at_the_hand(arm, holding):
    """In the machine code of the steps: what holds against the force along x gives way as if that were not there."""

    def one_sided(model, t, q, v, *, external):
        force = control.hand_wrench(model, q, "tool", external, "linear")
        against = np.concatenate([-force[:1], np.zeros(5)])
        return holding(model, t, q, v) + lw.joint_forces(model, q, "tool", against)

    law = partial(control.momentum_observer, controller=one_sided, gain=60.0, step=1e-3, compensate=True)
    motion = lw.simulate(
        arm, HOME, np.zeros(7), 3.0, controller=law, surroundings=lw.Surroundings(wrenches={"tool": PUSH})
    )
    along_z = lw.simulate(
        arm,
        HOME,
        np.zeros(7),
        3.0,
        controller=holding,
        surroundings=lw.Surroundings(wrenches={"tool": [0, 0, 4.0, 0, 0, 0]}),
    )
    assert np.abs(motion.q[-1] - along_z.q[-1]).max() < 1e-5


def test_the_wrench_at_the_hand_is_found_of_its_efforts(arm):
    q, wrench = arm.random(seed=4), np.array([1.0, -2.0, 3.0, 0.1, 0.2, -0.3])
    tau = lw.joint_forces(arm, q, "tool", wrench)
    assert control.hand_wrench(arm, q, "tool", tau) == pytest.approx(wrench)
    flat = lw.load("two_link")
    frame = flat.bodies[-1].name
    tau = lw.joint_forces(flat, [0.3, 0.8], frame, [1.0, -2.0, 0, 0, 0, 0])
    assert control.hand_wrench(flat, np.array([0.3, 0.8]), frame, tau, ["x"], 0.0).shape == (1,)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"gain": 0.0}, "gain must be above zero"),
        ({"gain": np.array([1.0, -1.0])}, "gain must be above zero"),
        ({"gain": np.ones(3)}, r"gain has shape \(3,\); expected a number or \(2,\)"),
        ({"step": -1e-3}, "step must be above zero"),
        ({"delay_steps": 1.5}, "delay_steps is a whole number from 0 to 200; got 1.5"),
        ({"delay_steps": 201}, "delay_steps is a whole number from 0 to 200; got 201"),
        ({"limit": -1.0}, "limit must be above zero"),
        ({"controller": 3.0}, "a controller is a function"),
    ],
)
def test_what_cannot_be_bound_is_reported(changed, message):
    model = lw.load("two_link")
    own = partial(control.pd, target=np.zeros(2), stiffness=1.0, damping=1.0)
    law = partial(control.momentum_observer, **({"controller": own, "gain": 10.0, "step": 1e-3} | changed))
    with pytest.raises(LinkwrightError, match=message):
        lw.simulate(model, [0, 0], [0, 0], 0.01, controller=law)


def test_loops_are_reported():
    model, _ = with_loops(one_of_each(2), ["ball"], 4)
    law = partial(control.momentum_observer, controller=lambda model, t, q, v: -v, gain=1.0, step=1e-3)
    with pytest.raises(LinkwrightError, match="the momentum observer is for mechanisms without loops"):
        control.initial_state_of(model, law)
