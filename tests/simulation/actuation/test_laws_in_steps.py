"""Laws within the machine code of the steps: the same motions as by controllers of Python."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from tests.setups import grouped

import linkwright as lw
from linkwright.errors import ArgumentError, LinkwrightError, ShapeError, UnknownNameError
from linkwright.simulation.integrators import split_kernels, step_function

KP, KD = 60.0, np.array([12.0, 12.0, 9.0, 6.0, 2.0, 2.0, 0.4])


def pd(model, t, q, v, target, kp=KP, kd=KD):
    return kp * lw.difference(model, q, target) - kd * v + lw.gravity_forces(model, q)


def pid(model, t, q, v, state, target, ki=40.0, h=1e-3):
    e = lw.difference(model, q, target)
    return KP * e - KD * v + state, state + h * ki * e


class Remembering:
    """A law with a state as a controller of Python."""

    def __init__(self, law, model, state, **bound):
        self.law, self.model, self.state, self.bound = law, model, state, bound

    def __call__(self, t, q, v):
        tau, self.state = self.law(self.model, t, q, v, self.state, **self.bound)
        return tau


@pytest.fixture(scope="module")
def arm():
    return lw.load("arm7")


@pytest.mark.parametrize("method", ["rk4", "semi_implicit", "euler", "variational"])
def test_a_law_moves_as_the_same_controller(arm, method):
    q, v, target = arm.random(seed=0), np.full(7, 0.1), arm.random(seed=1)
    options = {"method": method, "duration": 0.08, "every": 4}
    asked = lw.simulate(arm, q, v, **grouped(callback=lambda t, q, v: pd(arm, t, q, v, target), **options))
    ruled = lw.simulate(arm, q, v, **grouped(controller=partial(pd, target=target), **options))
    for name in ("t", "q", "v", "tau"):
        assert np.allclose(getattr(ruled, name), getattr(asked, name), rtol=0.0, atol=1e-11)
    assert ruled.state is None


@pytest.mark.parametrize("method", ["rk4", "variational"])
def test_a_state_is_what_the_law_made_of_it(arm, method):
    q, v, target = arm.random(seed=0), np.full(7, 0.1), arm.random(seed=1)
    options = {"method": method, "duration": 0.07}
    python = Remembering(pid, arm, np.full(7, 0.5), target=target)
    asked = lw.simulate(arm, q, v, **grouped(callback=python, **options))
    ruled = lw.simulate(
        arm, q, v, **grouped(controller=partial(pid, target=target), initial_state=np.full(7, 0.5), **options)
    )
    assert np.allclose(ruled.q, asked.q, rtol=0.0, atol=1e-12)
    assert np.allclose(ruled.tau, asked.tau, rtol=0.0, atol=1e-10)
    assert (ruled.state[0] == 0.5).all()
    errors = lw.difference(arm, ruled.q[:-1], np.broadcast_to(target, ruled.q[:-1].shape))
    assert np.allclose(np.diff(ruled.state, axis=0), 40e-3 * errors, rtol=0.0, atol=1e-13)


def test_a_batch_is_its_motions(arm):
    """Also where what is between the samples is not kept, and past one call of the kernel."""
    q, targets, starts = arm.random(80, seed=2), arm.random(80, seed=3), np.random.default_rng(0).normal(size=(80, 7))
    v = np.zeros((80, 7))
    for every in (1, 9):
        both = lw.simulate(
            arm,
            q,
            v,
            0.099,
            controller=partial(pid, target=targets),
            every=every,
            actuation=lw.Actuation(initial_state=starts, each=["target", "state"]),
        )
        for k in (0, 41, 79):
            law = partial(pid, target=targets[k])
            one = lw.simulate(
                arm, q[k], v[k], 0.099, controller=law, every=every, actuation=lw.Actuation(initial_state=starts[k])
            )
            for name in ("q", "v", "tau", "state"):
                assert np.allclose(getattr(both, name)[:, k], getattr(one, name), rtol=0.0, atol=1e-12)
    assert np.array_equal(both[7].state, both.state[:, 7])


def test_states_are_put_together_as_at_the_start(arm):
    def law(model, t, q, v, state, gains):
        before, (count, matrix) = state["q"], state["rest"]
        tau = gains @ (before - q) + matrix[0, 0]
        return tau, {"q": q, "rest": (count + 1.0, matrix.T)}

    start = {"q": np.zeros(7), "rest": (3.0, np.arange(6.0).reshape(2, 3) @ np.ones((3, 2)))}
    motion = lw.simulate(
        arm,
        np.zeros(7),
        np.zeros(7),
        0.05,
        controller=partial(law, gains=np.eye(7)),
        actuation=lw.Actuation(initial_state=start),
    )
    state = motion.state
    assert np.array_equal(state["q"][1:], motion.q[:-1])
    assert np.array_equal(state["rest"][0], 3.0 + np.arange(51))
    assert state["rest"][1].shape == (51, 2, 2)


def test_other_numbers_are_no_other_kernel(arm, monkeypatch):
    ends = []
    for k in range(3):
        law = partial(pd, target=np.full(7, 0.1 * k), kp=50.0 + k)
        ends.append(lw.simulate(arm, np.zeros(7), np.zeros(7), 0.01, controller=law).q[-1])
        monkeypatch.setattr(step_function, "trace", lambda bound: pytest.fail("it was traced again"))
    assert len({end.tobytes() for end in ends}) == 3


def test_functions_of_time_are_bound_to_laws(arm):
    def swing(t):
        return 0.3 * np.sin(t) * np.ones(7)

    def follow(model, t, q, v, reference):
        return pd(model, t, q, v, reference(t))

    ruled = lw.simulate(arm, np.zeros(7), np.zeros(7), 0.1, controller=partial(follow, reference=swing))
    asked = lw.simulate(arm, np.zeros(7), np.zeros(7), 0.1, callback=lambda t, q, v: pd(arm, t, q, v, swing(t)))
    assert np.allclose(ruled.q, asked.q, rtol=0.0, atol=1e-12)


def test_laws_are_reported_the_mechanism_as_it_is(arm):
    """Not one of regrouped inertias, of which there is no mass and no energy."""

    def law(model, t, q, v):
        return np.stack([lw.total_mass(model) + lw.kinetic_energy(model, q, v)] * model.nv)

    motion = lw.simulate(arm, np.zeros(7), np.full(7, 0.2), 0.002, controller=law)
    energy = lw.kinetic_energy(arm, np.zeros(7), np.full(7, 0.2))
    assert motion.tau[0, 0] == pytest.approx(lw.total_mass(arm) + energy, rel=1e-12)


def test_smooth_laws_asked_at_stages_keep_the_order(arm):
    law = partial(pd, target=arm.random(seed=1))
    ends = [
        lw.simulate(
            arm,
            np.zeros(7),
            np.zeros(7),
            0.04,
            step=h,
            controller=law,
            method="rk4",
            actuation=lw.Actuation(evaluated_at="stages"),
        ).q[-1]
        for h in (2e-3, 1e-3, 1.25e-4)
    ]
    errors = [np.abs(end - ends[-1]).max() for end in ends[:2]]
    assert 12.0 < errors[0] / errors[1] < 24.0


def test_laws_of_large_mechanisms(monkeypatch):
    monkeypatch.setattr(split_kernels, "BODIES_OF_STEPS", 100)
    model = lw.load("planar:120")
    q = model.random(seed=0)
    assert split_kernels.step_in_parts(model)

    def law(model, t, q, v, state, target):
        e = target - q
        return 2.0 * e - v + state, state + 1e-3 * e

    ruled = lw.simulate(
        model,
        q,
        np.zeros(120),
        0.02,
        controller=partial(law, target=q),
        actuation=lw.Actuation(initial_state=np.zeros(120)),
    )
    python = Remembering(law, model, np.zeros(120), target=q)
    asked = lw.simulate(model, q, np.zeros(120), 0.02, callback=python)
    assert np.allclose(ruled.q, asked.q, rtol=0.0, atol=1e-9)
    assert np.allclose(ruled.state[-1], python.state - 1e-3 * (q - ruled.q[-1]), rtol=0.0, atol=1e-9)


def simple(model, t, q, v):
    return 0.0 * v


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"controller": 3}, ArgumentError, "a controller is a function"),
        (
            {"controller": lambda t, q, v: v},
            ArgumentError,
            r"called as controller\(model, t, q, v\).*takes \(t, q, v\)",
        ),
        ({"controller": pd}, ArgumentError, "initial_state=…, or bind it"),
        ({"controller": pid}, ArgumentError, r"pid needs target: give it, functools.partial\(pid, target=…\)"),
        ({"controller": partial(pid, target=np.zeros(7))}, ArgumentError, "initial_state="),
        ({"controller": simple, "initial_state": np.zeros(3)}, ArgumentError, "no parameter for a state"),
        ({"initial_state": np.zeros(3)}, ArgumentError, "none is given"),
        ({"controller": simple, "callback": lambda t, q, v: v}, ArgumentError, "not both"),
        ({"controller": lambda model, t, q, v: v[:3]}, ShapeError, r"shape \(3,\); expected \(7,\)"),
        (
            {"controller": lambda model, t, q, v, z: v, "initial_state": 1.0},
            ArgumentError,
            r"returns \(efforts, state\)",
        ),
        (
            {"controller": lambda model, t, q, v, z: (v, np.ones(3)), "initial_state": np.ones(2)},
            ShapeError,
            "put together otherwise",
        ),
        (
            {"controller": lambda model, t, q, v, z: (v, (z, z)), "initial_state": {"a": np.ones(2)}},
            ShapeError,
            "put together",
        ),
        ({"controller": partial(pd, target=np.zeros(7)), "each": ["goal"]}, UnknownNameError, "goal"),
        ({"controller": partial(pd, target=np.zeros((2, 7))), "each": ["target"]}, ShapeError, r"expected \(3, '…'\)"),
        ({"controller": partial(pd, target="up")}, LinkwrightError, "up"),
        ({"controller": lambda model, t, q, v, z: (v, z), "initial_state": np.nan}, LinkwrightError, "finite"),
        (
            {"controller": partial(pid, target=KD), "initial_state": 0 * KD, "evaluated_at": "stages"},
            LinkwrightError,
            "once",
        ),
    ],
)
def test_what_is_no_law_is_reported(arm, options, error, message):
    with pytest.raises(error, match=message):
        lw.simulate(arm, np.zeros((3, 7)), np.zeros((3, 7)), 0.01, **grouped(**options))


def test_laws_that_choose_by_values_are_reported(arm):
    def law(model, t, q, v):
        return v if q[0] > 0.0 else -v

    with pytest.raises(LinkwrightError, match="where"):
        lw.simulate(arm, np.zeros(7), np.zeros(7), 0.01, controller=law)


def test_efforts_that_are_not_finite_end_the_motion(arm):
    def law(model, t, q, v):
        return 0.0 * v + np.sqrt(0.045 - t)

    with pytest.raises(LinkwrightError) as caught:
        lw.simulate(arm, np.zeros(7), np.zeros(7), 0.1, step=0.01, controller=law, method="rk4")
    assert len(caught.value.motion.t) >= 5


class Tuned:
    def __init__(self, gain):
        self.gain = gain

    def __call__(self, model, t, q, v):
        return self.gain * (1.0 - q) - v

    def law(self, model, t, q, v):
        return self(model, t, q, v)


GAIN = np.full(7, 5.0)


def of_a_global(model, t, q, v):
    return GAIN * (1.0 - q) - v


class Seen:
    """Made by the law itself: its methods read a global number."""

    def __init__(self, q, v):
        self.q, self.v = q, v

    def efforts(self):
        return GAIN * self.missing - self.v

    @property
    def missing(self):
        return self.far(self.q)

    @staticmethod
    def far(q):
        return 1.0 - q


def test_what_a_law_reads_from_outside_may_change(arm):
    """Attributes, globals and what functions that are bound read: each is seen as it is when it is simulated."""

    def moved(law):
        return lw.simulate(arm, np.zeros(7), np.zeros(7), 0.02, controller=law).q[-1]

    slow, fast = (moved(Tuned(gain)) for gain in (5.0, 8.0))
    assert not np.allclose(slow, fast)
    tuned = Tuned(5.0)
    laws = [
        tuned,
        tuned.law,
        partial(lambda model, t, q, v, other: other(model, t, q, v), other=tuned),
        lambda model, t, q, v: tuned.gain * (1.0 - q) - v,
    ]
    for law in laws:
        tuned.gain = 5.0
        assert np.array_equal(moved(law), slow)
        tuned.gain = 8.0
        assert np.array_equal(moved(law), fast)
    by_methods = lambda model, t, q, v: Seen(q, v).efforts()  # noqa: E731
    for law in (of_a_global, by_methods):
        assert np.array_equal(moved(law), slow)
        GAIN[:] = 8.0
        assert np.array_equal(moved(law), fast)
        GAIN[:] = 5.0


def test_the_same_law_written_again_is_compiled_once(arm, monkeypatch):
    for _ in range(2):
        lw.simulate(arm, np.zeros(7), np.zeros(7), 0.01, controller=lambda model, t, q, v: -3.25 * v)
        monkeypatch.setattr(step_function, "trace", lambda bound: pytest.fail("it was traced again"))


def test_a_law_may_write_into_what_it_is_given(arm):
    def writing(model, t, q, v):
        v[0], q[0] = lw.where(abs(v[0]) < 0.5, 0.0, v[0]), 7.0
        return -0.1 * v

    def reading(model, t, q, v):
        return -0.1 * np.stack([lw.where(abs(v[0]) < 0.5, 0.0, v[0]), *v[1:]])

    found, wanted = (
        lw.simulate(arm, np.zeros(7), np.full(7, 0.1), 0.02, controller=law).q for law in (writing, reading)
    )
    assert np.array_equal(found, wanted)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"controller": lambda model, t, q, v: None}, "returned None"),
        ({"controller": lambda model, t, q, v: {"tau": v}}, r"returns efforts \(7,\)"),
        ({"controller": lambda model, t, q, v, z: (v, z), "initial_state": ()}, "empty"),
        ({"controller": lambda model, t, q, v, z: (v, z), "initial_state": np.zeros(0)}, "empty"),
        ({"controller": partial(pd, target=np.zeros(7), kp=np.nan)}, "'kp', which is bound to the controller pd"),
        ({"controller": partial(pd, target=np.zeros((2, 7))), "each": "target"}, "a batch of initial states"),
    ],
)
def test_more_that_is_no_law_is_reported(arm, options, message):
    with pytest.raises(LinkwrightError, match=message):
        lw.simulate(arm, np.zeros(7), np.zeros(7), 0.01, **grouped(**options))
