"""Adaptive control: its Lyapunov function falls as is proved, and a payload is found."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.setups import grouped

import linkwright as lw
from linkwright.control.adaptive import _followed
from linkwright.errors import LinkwrightError
from linkwright.model.joints.joint import Free, Planar, Revolute, Spherical
from mechanisms import random_tree, state, trees, with_loops

control = lw.control

HOME = np.array([0.3, 0.6, -0.2, 1.2, 0.4, 0.8, 0.1])
WIDE, QUICK = np.array([0.5, 0.4, 0.5, 0.5, 0.6, 0.6, 0.6]), np.array([1.0, 1.3, 1.7, 1.1, 2.3, 1.9, 2.7])
UNSURE = np.array([2.0, 0.2, 0.2, 0.2, *[0.2] * 6])


def swing(t):
    """From rest, every joint at a frequency of its own."""
    x = QUICK * t
    return HOME + WIDE * (1.0 - np.cos(x)), WIDE * QUICK * np.sin(x), WIDE * QUICK**2 * np.cos(x)


@settings(max_examples=15, deadline=None)
@given(trees(4), st.integers(0, 2**31))
def test_the_lyapunov_function_falls_by_damping_alone(model, seed):
    """V̇ = −sᵀK_D s of V = ½ sᵀM s + ½ π̃ᵀΓ⁻¹π̃, for every joint type, while the reference moves and π̂ is wrong."""
    q, v, w = state(model, seed)
    rng = np.random.default_rng(seed)
    pi = lw.inertial_parameters(model)
    rate = rng.uniform(0.5, 2.0, len(pi))
    begin, damping = lw.dynamics.integrate(model, q, 0.3 * rng.normal(size=model.nv)), np.linspace(1.0, 2.0, model.nv)
    reference = lambda t: (lw.dynamics.integrate(model, begin, t * w), w, np.zeros(model.nv))  # noqa: E731
    wrong, step = 0.3 * rng.normal(size=len(pi)), 1.0
    bound = {"bodies": "all", "reference": reference, "convergence": 3.0, "damping": damping, "rate": rate}
    tau, after = control.adaptive(model, 0.0, q, v, {"parameters": pi + wrong}, **bound, step=step)
    learning = (after["parameters"] - pi - wrong) / step
    a = lw.dynamics.forward_dynamics(model, q, v, tau + lw.dynamics.passive_forces(model, q, v))

    def candidate(t):
        there, velocity, missing = lw.dynamics.integrate(model, q, t * v), v + t * a, wrong + t * learning
        v_r, _ = _followed(model, t, there, velocity, reference, 3.0)
        s = velocity - v_r
        return 0.5 * s @ lw.dynamics.mass_matrix(model, there) @ s + 0.5 * missing @ (missing / rate)

    h = 1e-5
    slope = (candidate(h) - candidate(-h)) / (2.0 * h)
    s = v - _followed(model, 0.0, q, v, reference, 3.0)[0]
    scale = (
        1.0 + np.abs(s * tau).sum() + np.abs(learning * wrong / rate).sum() + s @ lw.dynamics.mass_matrix(model, q) @ s
    )
    assert slope == pytest.approx(-s @ (damping * s), abs=1e-6 * scale)


@settings(max_examples=15, deadline=None)
@given(trees(3), st.integers(0, 2**31))
def test_the_rate_of_the_reference_velocity_is_its_derivative(model, seed):
    q, v, w = state(model, seed)
    begin = lw.dynamics.integrate(model, q, 0.3 * np.random.default_rng(seed).normal(size=model.nv))
    reference = lambda t: (lw.dynamics.integrate(model, begin, t * w + t * t * v), w + 2 * t * v, 2 * v)  # noqa: E731
    plain = not model.quaternion_starts and all(j.motion.nq == 1 for j in model.joints)
    if not plain:
        reference = lambda t: (lw.dynamics.integrate(model, begin, t * w), w, 0.0 * w)  # noqa: E731
    h = 1e-6
    ahead, behind = (_followed(model, t, lw.dynamics.integrate(model, q, t * v), v, reference, 2.0)[0] for t in (h, -h))
    a_r = _followed(model, 0.0, q, v, reference, 2.0)[1]
    assert np.allclose((ahead - behind) / (2 * h), a_r, rtol=1e-6, atol=1e-6 * (1.0 + np.abs(a_r).max()))


@pytest.mark.parametrize("kind", [Revolute, Spherical, Planar, Free])
def test_joints_of_every_kind_come_to_follow(kind):
    """Of which nothing is known but that there is half of what there is."""
    model = random_tree([kind, Revolute], 11, springs=False)
    begin = model.random(seed=3)
    w = np.linspace(0.5, -0.4, model.nv)
    reference = lambda t: (lw.dynamics.integrate(model, begin, t * w), w, 0.0 * w)  # noqa: E731
    law = partial(
        control.adaptive, bodies="all", reference=reference, convergence=4.0, damping=8.0, rate=2.0, step=2e-3,
        actuated=[joint.name for joint in model.joints],
    )  # fmt: skip
    start = {"parameters": 0.5 * lw.inertial_parameters(model)}
    q0 = lw.integrate(model, begin, np.full(model.nv, 0.3))
    motion = lw.simulate(
        model,
        q0,
        np.zeros(model.nv),
        16.0,
        step=2e-3,
        controller=law,
        every=100,
        actuation=lw.Actuation(initial_state=start),
    )
    wanted = np.array([reference(t)[0] for t in motion.t])
    errors = np.abs(lw.difference(model, motion.q, wanted)).max(axis=1)
    assert errors[-1] < 0.05 * errors[0]


@pytest.fixture(scope="module")
def arm():
    return lw.load("arm7")


@pytest.fixture(scope="module")
def loaded(arm):
    return arm.with_payload("tool", mass=2.0, center_of_mass=[0.02, -0.03, 0.1], inertia=np.diag([0.01, 0.012, 0.008]))


def law_of(arm, prediction=100.0, rate=0.1 * UNSURE**2, **more):
    damping = np.array([20.0, 20.0, 15.0, 10.0, 2.0, 2.0, 0.3])
    return partial(
        control.adaptive,
        bodies=[arm.bodies[-1].name],
        reference=swing,
        convergence=10.0,
        damping=damping,
        rate=rate,
        step=1e-3,
        prediction=prediction,
        **more,
    )


def carried(loaded, known, law, duration=5.0, **real):
    """Errors (samples,) of mass and first moment, of the payload's, where the law knows another arm; and the motion."""
    law = partial(control.with_model, controller=law, mechanism=known)
    motion = lw.simulate(loaded, HOME, np.zeros(7), duration, **grouped(controller=law, **real))
    off = motion.state["parameters"] - lw.inertial_parameters(loaded)[-10:]
    before = (lw.inertial_parameters(known) - lw.inertial_parameters(loaded))[-10:-6]
    moments = np.linalg.norm(off[:, 1:4], axis=1) / np.linalg.norm(before[1:])
    return np.abs(off[:, 0] / before[0]), moments, motion


def test_a_payload_is_found(arm, loaded):
    """Its mass within 2 % from 2 s on, its first moment within 5 %; and the arm follows as if it knew."""
    mass, moment, motion = carried(loaded, arm, law_of(arm))
    late = motion.t >= 2.0
    assert mass[late].max() < 0.02
    assert moment[late].max() < 0.05
    wanted = np.array([swing(t)[0] for t in motion.t])
    _, _, ignorant = carried(loaded, arm, law_of(arm, 0.0, 0.0))
    error, before = (np.abs(x.q - wanted)[late].max() for x in (motion, ignorant))
    assert error < 0.1 * before


def test_also_with_noise_and_delay(arm, loaded):
    for real in ({"noise": {"q": 1e-5, "v": 1e-3}}, {"delay": 1e-3}):
        mass, moment, motion = carried(loaded, arm, law_of(arm), **real)
        late = motion.t >= 2.0
        assert mass[late].max() < 0.02
        assert moment[late].max() < 0.06


REAL = {"noise": {"q": 1e-5, "v": 1e-3}, "delay": 1e-3}


@pytest.fixture(scope="module")
def known(arm):
    """The arm as it is taken to be, 5 % wrong in every body but the last."""
    parameters = lw.inertial_parameters(arm).reshape(-1, 10)
    parameters[:-1] *= 1.0 + 0.05 * np.array([1.0, 1, -1, -1, -1, -1])[:, None]
    return arm.with_parameters(parameters.ravel())


def test_an_arm_that_has_learned_itself_finds_a_payload(arm, loaded, known):
    """With wrong masses, noise and delay: ten seconds without the payload, in which all bodies are estimated."""
    law = partial(law_of(arm, 1000.0, (0.05 * lw.inertial_parameters(known)) ** 2), bodies="all")
    law = partial(control.with_model, controller=law, mechanism=known)
    learned = lw.simulate(arm, HOME, np.zeros(7), 10.0, **grouped(controller=law, every=100, **REAL)).state[
        "parameters"
    ][-1]
    law = partial(control.with_model, controller=law_of(arm), mechanism=known.with_parameters(learned))
    motion = lw.simulate(loaded, HOME, np.zeros(7), 5.0, **grouped(controller=law, seed=1, **REAL))
    payload = (lw.inertial_parameters(loaded) - lw.inertial_parameters(arm))[-10:-6]
    off = (motion.state["parameters"] - learned[-10:])[motion.t >= 2.0, :4] - payload
    assert np.abs(off[:, 0]).max() < 0.03 * payload[0]
    assert np.linalg.norm(off[:, 1:], axis=1).max() < 0.08 * np.linalg.norm(payload[1:])


def test_what_is_wrong_of_the_other_masses_is_in_the_payload(arm, loaded, known):
    """With 5 % in every other body the payload takes what they lack, 0.3 kg and more of 2 kg; but the arm follows."""
    mass, _, motion = carried(loaded, known, law_of(arm, 0.0, 3.0 * UNSURE**2), **REAL)
    late = motion.t >= 2.0
    assert 0.1 < mass[late].max() < 0.35
    assert np.abs(motion.q - np.array([swing(t)[0] for t in motion.t]))[late].max() < 0.04


def test_the_candidate_never_grows_in_a_simulation(arm, loaded):
    """Within what a step of 0.25 ms leaves."""
    law = partial(law_of(arm, 0.0), step=2.5e-4)
    _, _, motion = carried(loaded, arm, law, 2.0, step=2.5e-4)
    wrong = motion.state["parameters"] - lw.inertial_parameters(loaded)[-10:]
    values = []
    for t, q, v, missing in zip(motion.t[::20], motion.q[::20], motion.v[::20], wrong[::20], strict=True):
        s = v - _followed(arm, t, q, v, swing, 10.0)[0]
        values.append(0.5 * s @ lw.mass_matrix(loaded, q) @ s + 0.5 * missing @ (missing / (0.1 * UNSURE**2)))
    assert np.diff(values).max() < 1e-4 * values[0]
    assert values[-1] < 0.95 * values[0]


def test_what_efforts_tell_is_exact(arm, loaded):
    """W (π − π₀) = r, to the square of the step, of whatever motion: that is what predictions are compared with."""
    _, _, motion = carried(loaded, arm, law_of(arm), 1.0)
    seen = motion.state["seen"]
    missing = (lw.inertial_parameters(loaded) - lw.inertial_parameters(arm))[-10:]
    residual = seen[:, :, :-1] @ missing + seen[:, :, -1]
    assert np.abs(residual).max() < 1e-4 * np.abs(seen[:, :, -1]).max()


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"bodies": ["link9"]}, "link9"),
        ({"bodies": []}, "one or more, each once"),
        ({"bodies": ["link7", "link7"]}, "each once"),
        ({"rate": np.ones(7)}, r"rate has shape \(7,\); expected a number, \(10,\) or \(10, 10\)"),
        ({"rate": -1.0}, "rate must be zero or more"),
        ({"rate": -np.eye(10)}, "not symmetric and positive semi-definite"),
        ({"convergence": 0.0}, "convergence must be above zero"),
        ({"damping": -np.ones(7)}, "damping must be above zero"),
        ({"damping": np.ones(6)}, r"damping has shape \(6,\)"),
        ({"step": 0.0}, "step must be above zero"),
        ({"prediction": -1.0}, "prediction must be zero or more"),
        ({"cutoff": np.inf}, "cutoff must be above zero"),
    ],
)
def test_what_cannot_be_bound_is_reported(arm, changed, message):
    law = partial(law_of(arm), **changed)
    with pytest.raises(LinkwrightError, match=message):
        lw.simulate(arm, HOME, np.zeros(7), 0.01, controller=law)


def test_estimates_of_other_parameters_are_reported(arm):
    with pytest.raises(LinkwrightError, match=r"put together as .*\(8,\)"):
        lw.simulate(
            arm,
            HOME,
            np.zeros(7),
            0.01,
            controller=law_of(arm, 0.0),
            actuation=lw.Actuation(initial_state={"parameters": np.ones(8)}),
        )


def test_loops_are_reported():
    model, q = with_loops(random_tree([Revolute] * 4, 3), ["ball"], 5)
    law = partial(control.adaptive, bodies="all", reference=q, convergence=1.0, damping=1.0, rate=1.0, step=1e-3)
    with pytest.raises(LinkwrightError, match="adaptive control is for mechanisms without loops"):
        control.initial_state_of(model, law)
