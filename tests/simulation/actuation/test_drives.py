"""Drives between a controller and the joints have the results of the same computation by hand, step by step."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from tests.setups import grouped

import linkwright as lw
from linkwright.errors import LinkwrightError
from linkwright.simulation.actuation.random_numbers import RandomGenerator, seeds

H = 2e-3


def pull(model, t, q, v, target, kp=30.0, kd=4.0):
    return kp * (target - q) - kd * v


def counting(model, t, q, v, state, target):
    return pull(model, t, q, v, target) + 0.01 * state, state + 1.0


@pytest.fixture(scope="module")
def arm():
    builder = lw.Builder("limited")
    for k, limit in enumerate((6.0, 2.5)):
        builder.body(f"link{k}", 1.0, [0, 0, 0.2], 0.05 * np.ones(3))
        parent = f"link{k - 1}" if k else "world"
        builder.joint(
            f"j{k}",
            "revolute",
            parent,
            f"link{k}",
            axis=[0, 1, 0],
            xyz=[0, 0, 0.4 * k],
            limits=lw.JointLimits(effort=limit),
        )
    return builder.build()


class ByHand:
    """A law of Python that is asked now and then, late, limited and lagging."""

    def __init__(self, model, law, period=1, delay=0, limit=np.inf, lag=0.0, state=None):
        self.model, self.law, self.period, self.limit, self.lag = model, law, period, limit, lag
        self.coming, self.driven, self.count, self.state = [np.zeros(model.nv)] * delay, np.zeros(model.nv), 0, state

    def __call__(self, t, q, v):
        if self.count % self.period == 0:
            if self.state is None:
                self.asked = self.law(self.model, t, q, v)
            else:
                self.asked, self.state = self.law(self.model, t, q, v, self.state)
        self.count += 1
        self.coming = [*self.coming, self.asked]
        u, self.coming = np.clip(self.coming[0], -self.limit, self.limit), self.coming[1:]
        if not self.lag:
            return u
        left, before = np.exp(-H / self.lag), self.driven
        self.driven = u + left * (before - u)
        return u + (before - u) * (1.0 - left) * self.lag / H


@pytest.mark.variants("method")
@pytest.mark.parametrize(
    ("by_hand", "message"),
    [
        ({"period": 5}, {"period": 5 * H}),
        ({"delay": 3}, {"delay": 3 * H}),
        ({"limit": np.array([6.0, 2.5])}, {"effort_limits": True}),
        ({"limit": 3.0}, {"effort_limits": 3.0}),
        ({"lag": 0.02}, {"lag": 0.02}),
        (
            {"period": 4, "delay": 2, "limit": np.array([6.0, 2.5]), "lag": 0.01},
            {"period": 4 * H, "delay": 2 * H, "effort_limits": [6.0, 2.5], "lag": [0.01, 0.01]},
        ),
    ],
)
@pytest.mark.parametrize("method", ["rk4", "semi_implicit", "variational"])
def test_it_is_what_is_done_by_hand(arm, method, by_hand, message):
    target, start = np.array([0.4, -0.3]), (np.array([0.1, 0.2]), np.array([0.5, -1.0]))
    options = {"duration": 0.3, "step": H, "method": method}
    law = partial(counting, target=target)
    made = lw.simulate(arm, *start, **grouped(controller=law, initial_state=2.0, **options, **message))
    python = ByHand(arm, law, state=2.0, **by_hand)
    asked = lw.simulate(arm, *start, **grouped(callback=python, **options))
    assert np.allclose(made.tau[:-1], asked.tau[:-1], rtol=0.0, atol=1e-10)
    assert np.allclose(made.q, asked.q, rtol=0.0, atol=1e-11)
    assert made.state.shape == (151,)
    assert made.state[-1] == 2.0 + np.ceil(150 / by_hand.get("period", 1))


def test_where_efforts_are_cut_is_reported(arm):
    law = partial(pull, target=np.array([2.0, 0.0]))
    motion = lw.simulate(arm, np.zeros(2), np.zeros(2), 1.0, controller=law, actuation=lw.Actuation(effort_limits=True))
    assert motion.saturated[0].tolist() == [True, False]
    assert np.array_equal(motion.saturated[:-1], np.abs(motion.tau[:-1]) == [6.0, 2.5])
    some = lw.simulate(
        arm, np.zeros(2), np.zeros(2), 1.0, controller=law, every=10, actuation=lw.Actuation(effort_limits=True)
    )
    assert np.array_equal(some.saturated[:-1], motion.saturated[:-1].reshape(100, 10, 2).any(axis=1))
    lagging = lw.simulate(
        arm, np.zeros(2), np.zeros(2), 1.0, controller=law, actuation=lw.Actuation(effort_limits=True, lag=0.01)
    )
    assert lagging.saturated[0, 0]
    assert (np.abs(motion.tau) <= [6.0, 2.5]).all()
    assert motion.state is None
    assert not lw.simulate(arm, np.zeros(2), np.zeros(2), 0.1, controller=law).saturated.any()


def test_a_lagging_drive_reaches_what_is_requested(arm):
    def constant(model, t, q, v):
        return np.array([3.0, 1.0]) + 0.0 * v

    motion = lw.simulate(
        arm, np.zeros(2), np.zeros(2), 0.2, step=H, controller=constant, actuation=lw.Actuation(lag=[0.02, 0.0])
    )
    middles = motion.t[:-1] + H / 2
    assert np.allclose(motion.tau[:-1, 0], 3.0 * (1.0 - np.exp(-middles / 0.02)), atol=3.0 * (H / 0.02) ** 2 / 24)
    assert np.allclose(motion.tau[:, 1], 1.0)


def test_a_batch_has_noise_of_its_own_in_each_motion(arm):
    law = partial(pull, target=np.zeros(2))
    start, noise = np.zeros((300, 2)), {"q": 0.01, "v": [0.1, 0.0]}
    both = lw.simulate(arm, start, start, 0.01, controller=law, step=H, actuation=lw.Actuation(noise=noise, seed=3))
    again = lw.simulate(arm, start, start, 0.01, controller=law, step=H, actuation=lw.Actuation(noise=noise, seed=3))
    other = lw.simulate(arm, start, start, 0.01, controller=law, step=H, actuation=lw.Actuation(noise=noise, seed=4))
    assert np.array_equal(both.tau, again.tau)
    assert not np.isclose(both.tau, other.tau).any()
    assert np.std(both.tau[0], axis=0) == pytest.approx([np.hypot(0.3, 0.4), 0.3], rel=0.15)
    assert np.abs(np.mean(both.tau[0], axis=0)).max() < 0.1


def test_normal_numbers_are_normal():
    def draw(state):
        random = RandomGenerator(state)
        return random.normal(shape=3), random.state

    kernel, state, drawn = lw.compile(draw, state=2), seeds(0, (5000,)), []
    for _ in range(12):
        numbers, state = kernel(state)
        drawn.append(numbers.T)
    x = np.concatenate(drawn, axis=0)  # (36, 5000)
    assert np.abs(x.mean()) < 4 / np.sqrt(x.size)
    assert x.var() == pytest.approx(1.0, abs=4 * np.sqrt(2 / x.size))
    assert (x**4).mean() == pytest.approx(3.0, abs=4 * np.sqrt(96 / x.size))
    assert (np.abs(x) > 3.0).mean() == pytest.approx(0.0027, abs=4 * np.sqrt(0.0027 / x.size))
    assert np.abs(np.corrcoef(x) - np.eye(36)).max() < 5 / np.sqrt(5000)


def simple(model, t, q, v):
    return 0.0 * v


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"controller": simple, "period": 1.5 * H}, "whole number of steps"),
        ({"controller": simple, "period": 0.0}, "whole number of steps"),
        ({"controller": simple, "delay": -H}, "a number from 0 on"),
        ({"controller": simple, "delay": np.inf}, "a number from 0 on"),
        ({"controller": simple, "delay": 1e4}, "200 steps are kept at most"),
        ({"controller": simple, "lag": [1.0, 2.0, 3.0]}, r"expected one number or \(2,\)"),
        ({"controller": simple, "lag": -1.0}, "not be negative"),
        ({"controller": simple, "effort_limits": [np.nan, 1.0]}, "not be negative"),
        ({"controller": simple, "noise": 0.1}, r"\{'q'"),
        ({"controller": simple, "noise": {"a": 0.1}}, r"\{'q'"),
        ({"controller": simple, "noise": {"q": 0.1}, "seed": 1.5}, "seed"),
        ({"callback": lambda t, q, v: v, "delay": H}, "controller="),
        ({"controller": simple, "delay": H, "evaluated_at": "stages"}, "nothing between"),
    ],
)
def test_what_cannot_be_between_is_reported(arm, options, message):
    with pytest.raises(LinkwrightError, match=message):
        lw.simulate(arm, np.zeros(2), np.zeros(2), 0.1, **grouped(step=H, **options))


def test_random_numbers_have_the_shape_of_their_parameters():
    """One number for all entries would correlate them."""
    random = RandomGenerator(seeds(0, ()))
    drawn = random.uniform(np.zeros(3), [1.0, 1.0, 2.0])
    assert drawn.shape == (3,)
    assert len(set(drawn.tolist())) == 3
    assert random.normal([1.0, 2.0]).shape == (2,)
    assert random.uniform([[0.0], [1.0]], 2.0, (2, 3)).shape == (2, 3)
    assert np.shape(random.uniform(0.0, 1.0)) == ()


@pytest.mark.parametrize(
    ("draw", "message"),
    [
        (
            lambda random: random.uniform([0.0, 0.0], 1.0, 3),
            r"the shapes of low \(2,\), high \(\) do not fit the shape \(3,\)",
        ),
        (lambda random: random.uniform(1.0, -1.0), "low must not exceed high"),
        (lambda random: random.normal(-1.0, 3), "standard deviation, which must not be negative"),
    ],
)
def test_wrong_parameters_of_random_numbers(draw, message):
    with pytest.raises(LinkwrightError, match=message):
        draw(RandomGenerator(seeds(0, ())))
