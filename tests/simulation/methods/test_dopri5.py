"""Steps as long as their error allows: order, tolerance, samples within steps, what is asked when."""

import warnings
from functools import partial

import numpy as np
import pytest
from tests.setups import grouped

import linkwright as lw
from linkwright.errors import InputError, LinkwrightError
from linkwright.simulation import default_configuration
from linkwright.simulation.integrators.adaptive_step import AdaptiveProblem, trial_step
from linkwright.simulation.integrators.methods import DORMAND_PRINCE


def a_start(name):
    model = lw.load(name)
    if name.startswith("chain3d"):
        return model, model.neutral(), 3.0 * np.random.default_rng(1).normal(size=model.nv)
    return model, *default_configuration(model)


def apart(model, a, b):
    return max(np.abs(lw.difference(model, a.q, b.q)).max(), np.abs(a.v - b.v).max())


def test_the_pair_is_of_orders_five_and_four():
    c, b = np.array(DORMAND_PRINCE.times), np.array([*DORMAND_PRINCE.stages[-1], 0.0])
    lower = b - np.array(DORMAND_PRINCE.errors)
    for k in range(1, 6):
        assert b @ c ** (k - 1) == pytest.approx(1 / k, abs=1e-14)
        if k < 5:
            assert lower @ c ** (k - 1) == pytest.approx(1 / k, abs=1e-14)
    assert np.sum(DORMAND_PRINCE.between, axis=1) == pytest.approx(b, abs=1e-14)  # all of a step is the step
    powers = np.array(DORMAND_PRINCE.between)
    for k in range(1, 5):  # quadrature over a part θ of it
        theta = np.array([0.3, 0.8])
        within = powers @ theta ** np.arange(1, 5)[:, None]
        assert c ** (k - 1) @ within == pytest.approx(theta**k / k, abs=1e-13)


@pytest.mark.parametrize("looped", [False, True])
def test_a_step_of_a_free_chain_is_of_order_five_on_the_manifold(looped):
    model, q, v = a_start("chain3d:3")
    still = np.zeros(model.nv)

    problem = AdaptiveProblem(model, DORMAND_PRINCE, lambda t, q, v: still, {}, False, looped, None)

    def end(h):
        trial = trial_step(problem, 0.0, q, v, h, None, 1.0)
        return trial.q, trial.v, trial.error

    errors, messages = [], []
    for h in (0.04, 0.02):
        fine = lw.simulate(model, q, v, h, h / 400, method="rk4")
        q1, v1, error = end(h)
        errors.append(max(np.abs(lw.difference(model, fine.q[-1], q1)).max(), np.abs(fine.v[-1] - v1).max()))
        messages.append(error)
    assert 45.0 < errors[0] / errors[1] < 90.0  # h⁶
    assert 22.0 < messages[0] / messages[1] < 45.0  # h⁵
    assert errors[1] < messages[1]


@pytest.mark.parametrize("name", ["pendulum", "arm7", "chain3d:4", "four_bar"])
def test_the_error_follows_the_tolerance(name):
    model, q, v = a_start(name)
    fine = lw.simulate(model, q, v, 0.4, 5e-5, method="rk4", every=400)
    errors, taken = [], []
    for tolerance in (1e-5, 1e-7, 1e-9):
        motion = lw.simulate(model, q, v, 0.4, 2e-2, method=lw.Integrator("dopri5", tolerance=tolerance))
        errors.append(apart(model, fine, motion))
        taken.append(motion.lengths.sum())
    assert errors[0] > 20.0 * errors[1] > 400.0 * errors[2]
    assert all(e < 100.0 * tolerance for e, tolerance in zip(errors, (1e-5, 1e-7, 1e-9), strict=True))
    assert taken[0] < taken[1] < taken[2] < 12.0 * taken[0]
    assert motion.closure < 1e-13


def test_samples_lie_within_longer_steps():
    model, q, v = a_start("arm7")
    motion = lw.simulate(model, q, v, 0.2, 1e-3, method=lw.Integrator("dopri5", tolerance=1e-6))
    fine = lw.simulate(model, q, v, 0.2, 1e-4, method="rk4", every=10)
    assert len(motion.t) == 201
    assert motion.lengths.sum() < 80
    assert apart(model, fine, motion) < 1e-4
    few = lw.simulate(model, q, v, 0.2, 0.1, method=lw.Integrator("dopri5", tolerance=1e-6))
    assert np.abs(few.v[-1] - motion.v[-1]).max() < 1e-4


def test_rows_of_a_batch_are_motions_of_their_own():
    model, q, v = a_start("arm7")
    V = v * np.linspace(0.2, 1.0, 5)[:, None]
    tolerances = np.array([1e-4, 1e-6, 1e-8, 1e-10, 1e-6])
    many = lw.simulate(model, q, V, 0.1, 1e-3, method=lw.Integrator("dopri5", tolerance=tolerances))
    assert many.lengths.shape == (5, 2)
    for k in range(5):
        one = lw.simulate(model, q, V[k], 0.1, 1e-3, method=lw.Integrator("dopri5", tolerance=tolerances[k]))
        assert np.abs(many.v[:, k] - one.v).max() < 1e-9
        assert (many[k].lengths == one.lengths).all()
    kept = lw.simulate(model, q, V, 0.1, 1e-3, every=10, method=lw.Integrator("dopri5", tolerance=tolerances))
    assert np.array_equal(kept.v, many.v[::10])


def pushing(model, t, q, v, gain):
    return -gain * v + np.sin(3.0 * t) * np.ones(model.nv)


def test_a_law_is_part_of_what_is_integrated_or_held_between_samples():
    model, q, v = a_start("two_link")
    law = partial(pushing, gain=0.3)
    options = {"controller": law, "evaluated_at": "stages"}
    fine = lw.simulate(model, q, v, 0.5, 1e-4, **grouped(method="rk4", every=100, **options))
    smooth = lw.simulate(model, q, v, 0.5, 1e-2, **grouped(method="dopri5", tolerance=1e-10, **options))
    assert apart(model, fine, smooth) < 1e-8
    assert smooth.tau == pytest.approx(fine.tau, abs=1e-7)
    held = lw.simulate(model, q, v, 0.5, 1e-2, controller=law, method=lw.Integrator("dopri5", tolerance=1e-10))
    by_rk4 = lw.simulate(model, q, v, 0.5, 1e-2, controller=law, method="rk4")
    assert apart(model, held, by_rk4) < 1e-6 < apart(model, held, fine)

    def controller(t, q, v):
        return -0.3 * v + np.sin(3.0 * t)

    asked = lw.simulate(model, q, v, 0.5, 1e-2, callback=controller, method=lw.Integrator("dopri5", tolerance=1e-10))
    assert apart(model, held, asked) < 1e-12
    with pytest.raises(InputError, match="not a Python callback"):
        lw.simulate(
            model, q, v, 0.5, callback=controller, method="dopri5", actuation=lw.Actuation(evaluated_at="stages")
        )


def counted(model, t, q, v, state):
    return np.zeros(model.nv), state + 1.0


def test_a_law_with_a_state_and_drives_go_with_it():
    model, q, v = a_start("two_link")
    motion = lw.simulate(
        model, q, v, 0.1, 1e-3, controller=counted, method="dopri5", actuation=lw.Actuation(initial_state=0.0)
    )
    assert motion.state == pytest.approx(np.arange(101.0))
    law = partial(pushing, gain=0.3)
    drives = {"controller": law, "period": 4e-3, "delay": 2e-3, "effort_limits": 0.5}
    a = lw.simulate(model, q, v, 0.2, 1e-3, **grouped(method="dopri5", tolerance=1e-11, **drives))
    b = lw.simulate(model, q, v, 0.2, 1e-3, **grouped(method="rk4", **drives))
    assert apart(model, a, b) < 1e-9
    assert np.abs(a.tau - b.tau)[:-1].max() < 1e-9


def a_ball():
    return lw.Builder("ball").body("ball", mass=1.0, inertia=0.1).joint("slide", "prismatic", "world", "ball").build()


def test_a_stiff_contact_is_followed_and_its_energy_kept():
    made = lw.Builder(a_ball()).shape("ball", "sphere", radius=0.1)
    ball = made.build().with_ground(contact=lw.ContactProperties(stiffness=1e6, friction=0.0))
    motion = lw.simulate(ball, [0.3], [0.0], 2.0, 1e-2, method=lw.Integrator("dopri5", tolerance=1e-9))
    assert np.abs(motion.energy - motion.energy[0]).max() < 1e-6
    assert motion.q[:, 0].min() > 0.09
    assert len(motion.wrenches["ball"]) == len(motion.t)


def jumping(model, t, q, v):
    return lw.stack([lw.where(x > 0.1, -50.0, 50.0) for x in v])


def test_what_jumps_for_ever_ends_with_a_reason():
    ball = a_ball()
    options = {"controller": jumping, "evaluated_at": "stages"}
    with pytest.warns(UserWarning, match=r"could not be followed to a tolerance of 1e-12 .*(needed|short)"):
        motion = lw.simulate(ball, [0.0], [1.0], 0.5, 1e-2, **grouped(method="dopri5", tolerance=1e-12, **options))
    assert 1 < len(motion.t) < 51
    assert np.isfinite(motion.v).all()
    two = [[1.0], [1.0]]
    with pytest.raises(LinkwrightError, match=r"all 2 simulations .* could not be followed"):
        lw.simulate(ball, [0.0], two, 0.5, 1e-2, **grouped(method="dopri5", tolerance=1e-12, **options))


@pytest.mark.parametrize("wrong", [0.0, -1e-3, 2.0, np.nan, "small"])
def test_a_tolerance_is_a_small_positive_number(wrong):
    model, q, v = a_start("pendulum")
    with pytest.raises(LinkwrightError, match="tolerance"):
        lw.simulate(model, q, v, 0.1, method=lw.Integrator("dopri5", tolerance=wrong))


def test_a_tolerance_is_for_methods_that_choose_their_steps():
    model, q, v = a_start("pendulum")
    with pytest.raises(InputError, match="dopri5"):
        lw.simulate(model, q, v, 0.1, method=lw.Integrator("rk4", tolerance=1e-6))
    with pytest.raises(InputError, match="iterated"):
        lw.linearize(model, q, v, 0.0 * v, step=1e-3, method="dopri5")


def test_energy_is_kept_better_than_by_rk4_at_equal_cost():
    model, q, v = a_start("two_link")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        adaptive = lw.simulate(model, q, v, 5.0, 1e-2, method=lw.Integrator("dopri5", tolerance=1e-9))
    evaluations = 6 * adaptive.lengths.sum()
    steps = int(evaluations // 4)
    fixed = lw.simulate(model, q, v, 5.0, 5.0 / steps, method="rk4")
    assert adaptive.drift < fixed.drift
