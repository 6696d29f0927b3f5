"""Derivatives through rollouts: of what is rewarded backwards, of the end forwards, both as differences are."""

from functools import partial

import numpy as np
import pytest
from tests.setups import grouped

import linkwright as lw

STEPS, BY = 60, 1e-6


def pd(model, t, q, v, *, kp, kd, target):
    return kp * (target - q) - kd * v


def integral(model, t, q, v, state, *, ki):
    state = state + 1e-3 * q
    return -3.0 * q - ki * state, state


def cost(model, t, q, v, tau, *, weight):
    return -(v @ v) * (1.0 + t) - weight * (tau @ tau)


def low(model, t, q, v, *, least):
    return q[1] < least


def difference_of(run, x):
    """∂ run/∂x, the axes of x last, by central differences."""
    x = np.asarray(x, dtype=float)
    found = []
    for place in np.ndindex(x.shape):
        unit = np.zeros(x.shape)
        unit[place] = BY
        found.append((run(x + unit) - run(x - unit)) / (2 * BY))
    return np.moveaxis(np.reshape(found, (*x.shape, *np.shape(found[0]))), range(x.ndim), range(-x.ndim, 0))


@pytest.fixture(scope="module")
def arm():
    model = lw.load("arm4")
    return model, model.random(5, seed=1), np.random.default_rng(2).standard_normal((5, 4))


VALUES = dict(kp=np.array([20.0, 20.0, 10.0, 2.0]), kd=np.array([2.0, 2.0, 1.0, 0.05]), target=np.zeros(4))


@pytest.mark.parametrize("method", ["semi_implicit", "rk4"])
def test_rewards_by_gains_weights_and_starts(arm, method):
    model, q0, v0 = arm
    options = dict(method=method, discount=0.99)
    found, by = lw.rollout_derivatives(
        model,
        q0,
        v0,
        STEPS,
        **grouped(
            controller=partial(pd, **VALUES),
            reward=partial(cost, weight=1e-3),
            wrt=["kp", "target", "weight", "q0", "v0"],
            **options,
        ),
    )

    def total(q0=q0, v0=v0, weight=1e-3, **values):
        law, reward = partial(pd, **{**VALUES, **values}), partial(cost, weight=weight)
        return lw.rollout(model, q0, v0, STEPS, **grouped(controller=law, reward=reward, **options)).reward

    assert np.array_equal(found.reward, total())
    for name in ("kp", "target"):
        np.testing.assert_allclose(
            by[name], difference_of(lambda x, n=name: total(**{n: x}), VALUES[name]), rtol=2e-5, atol=2e-6
        )
    np.testing.assert_allclose(by["weight"], difference_of(lambda x: total(weight=x), 1e-3), rtol=1e-6)
    np.testing.assert_allclose(by["v0"], difference_of(lambda x: total(v0=v0 + x), np.zeros(4)), rtol=2e-5, atol=2e-6)
    np.testing.assert_allclose(by["q0"], difference_of(lambda x: total(q0=q0 + x), np.zeros(4)), rtol=2e-5, atol=2e-6)


def test_the_end_of_a_base_that_floats():
    model = lw.load("quadruped")
    q0, v0 = lw.default_configuration(model)

    def law(model, t, q, v, *, kp, kd):
        return np.concatenate([np.zeros(6), -kp * q[7:] - kd * v[6:]])

    options = dict(controller=partial(law, kp=0.3, kd=0.01), method="semi_implicit")
    found, by = lw.rollout_derivatives(model, q0, v0, 20, **grouped(wrt=["q0", "v0", "kp"], **options))
    end_q, end_v = found.q[0], found.v[0]

    def end(q0=q0, v0=v0, kp=0.3):
        there = lw.rollout(model, q0, v0, 20, **grouped(**{**options, "controller": partial(law, kp=kp, kd=0.01)}))
        return np.concatenate([lw.difference(model, end_q, there.q[0]), there.v[0] - end_v])

    by_q = difference_of(lambda x: end(q0=lw.integrate(model, q0, x)), np.zeros(18))
    np.testing.assert_allclose(by["q0"], by_q, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(by["v0"], difference_of(lambda x: end(v0=v0 + x), np.zeros(18)), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(by["kp"], difference_of(lambda x: end(kp=x), 0.3), rtol=1e-5, atol=1e-6)


def test_a_laws_state_is_differentiated_through(arm):
    model, q0, v0 = arm
    options = dict(initial_state=np.zeros(4), reward=partial(cost, weight=1e-3))
    _, by = lw.rollout_derivatives(
        model, q0, v0, STEPS, **grouped(controller=partial(integral, ki=50.0), wrt=["ki"], **options)
    )
    differ = difference_of(
        lambda x: lw.rollout(model, q0, v0, STEPS, **grouped(controller=partial(integral, ki=x), **options)).reward,
        50.0,
    )
    np.testing.assert_allclose(by["ki"], differ, rtol=1e-5, atol=1e-8)


def test_what_each_motion_has_of_its_own(arm):
    model, q0, v0 = arm
    kp = np.linspace(5.0, 20.0, 5)
    options = dict(each=["kp"], reward=partial(cost, weight=1e-3))
    law = partial(pd, **{**VALUES, "kp": kp})
    _, by = lw.rollout_derivatives(model, q0, v0, STEPS, **grouped(controller=law, wrt=["kp", "kd"], **options))
    for row in (0, 3):
        alone = partial(law, kp=kp[row])
        _, one = lw.rollout_derivatives(
            model,
            q0[row],
            v0[row],
            STEPS,
            controller=alone,
            wrt=["kp", "kd"],
            episode=lw.Episode(reward=partial(cost, weight=1e-3)),
        )
        np.testing.assert_allclose(by["kp"][row], one["kp"], rtol=1e-12)
        np.testing.assert_allclose(by["kd"][row], one["kd"], rtol=1e-12)


def test_a_motion_that_has_ended_does_not_change_any_more(arm):
    model, q0, v0 = arm
    options = dict(
        controller=partial(pd, **VALUES), reward=partial(cost, weight=1e-3), terminate=partial(low, least=-0.3)
    )
    found, by = lw.rollout_derivatives(model, q0, v0, 200, **grouped(wrt=["v0"], **options))
    assert 0 < (~found.alive).sum() < 5
    differ = difference_of(lambda x: lw.rollout(model, q0, v0 + x, 200, **grouped(**options)).reward, np.zeros(4))
    np.testing.assert_allclose(by["v0"], differ, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    ("message", "said"),
    [
        (dict(wrt=["kq"]), "kq"),
        (dict(wrt="kp"), "wrt is a list of names"),
        (dict(wrt=["kp", "kp"]), "given once"),
        (dict(wrt=()), "wrt names what to differentiate by"),
        (dict(wrt=["kp"], reset="start"), "takes no reset"),
    ],
)
def test_what_is_wrong_is_reported(arm, message, said):
    with pytest.raises(lw.errors.LinkwrightError, match=said):
        lw.rollout_derivatives(
            *arm, 10, **grouped(**{"controller": partial(pd, **VALUES), "reward": partial(cost, weight=1.0), **message})
        )


def test_of_a_flying_robot_with_many_velocities():
    robot = lw.load("quadruped")
    q, along, e = robot.random(seed=1), np.eye(robot.nv)[7], 1e-6
    J = lw.rollout_derivatives(robot, q, np.zeros(robot.nv), 3, step=2e-3, wrt=["v0"])[1]["v0"]
    high, low = (lw.rollout(robot, q, sign * e * along, 3, step=2e-3).v[-1] for sign in (1, -1))
    np.testing.assert_allclose(J[robot.nv :, 7], (high - low) / (2 * e), atol=1e-7)
