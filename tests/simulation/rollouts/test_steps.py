"""Many steps in one kernel: the same motions as step by step, whatever their number, controllers within them."""

from __future__ import annotations

from functools import cache, partial

import numpy as np
import pytest

import linkwright as lw
from linkwright.compiler.kernel import Kernel
from linkwright.errors import ArgumentError, InputError, LinkwrightWarning, ShapeError
from linkwright.simulation.integrators import steppers
from linkwright.simulation.integrators.steppers import STEPS_BETWEEN_CHECKS


def swinging(model, t, q, v):
    """Efforts that a kernel can be made of."""
    return lw.stack([np.sin(7.0 * t) - 0.4 * v[k] + 0.3 * np.sin(q[0]) for k in range(model.nv)])


def controllers(model):
    return {
        "kernel": lw.compile(swinging, model, t=()),
        "hold": lw.control.hold_posture(model, 0.2 * np.ones(model.nq)),
        "hold_joints": lw.control.hold_joints(model, 0.2 * np.ones(model.nq)),
    }


@cache
def planar():
    """One for all tests, which share what is compiled for it."""
    model = lw.load("planar:3")
    return model, controllers(model)


def asked(controller):
    """The same, but Python's."""
    return lambda t, q, v: controller(t, q, v)


def starts(model, batch):
    return np.linspace(0.1, 0.4, batch * model.nq).reshape(batch, model.nq) if batch else np.full(model.nq, 0.3)


@pytest.mark.variants("batch")
@pytest.mark.parametrize("name", ["kernel", "hold", "hold_joints"])
@pytest.mark.parametrize("at", ["step", "stages"])
@pytest.mark.parametrize(("batch", "every", "count"), [(0, 1, 70), (0, 3, 64), (5, 1, 33), (5, 7, 63)])
def test_controllers_that_are_formulas_act_within(name, at, batch, every, count):
    model, made = planar()
    q, v = starts(model, batch), np.zeros(3)
    controller = made[name]
    within, apart = (
        lw.simulate(model, q, v, 1e-3 * count, callback=one, every=every, actuation=lw.Actuation(evaluated_at=at))
        for one in (controller, asked(controller.within("rk4", at == "stages") if name != "kernel" else controller))
    )
    assert len(within.t) == count // every + 1
    for found, expected in ((within.q, apart.q), (within.v, apart.v), (within.tau, apart.tau)):
        assert np.abs(found - expected).max() < 1e-11 * (1.0 + np.abs(expected).max())
    assert np.abs(within.tau).max() > 0.01


def test_kernels_with_values_bound_act_within(monkeypatch):
    """One kernel of a posture and a gain, for one motion, for a batch with a posture for each, and for other values."""
    model = lw.load("two_link")

    def law(model, t, q, v, posture, gain):
        return gain * lw.difference(model, q, posture) - v

    kernel = lw.compile(law, model, t=(), posture=2, gain=())
    postures = np.array([[0.1, 0.2], [0.3, -0.1], [0.5, 0.0]])
    of_each = [partial(kernel, posture=posture, gain=5.0) for posture in postures]
    expected = [lw.simulate(model, starts(model, 0), np.zeros(2), 0.05, callback=asked(one)) for one in of_each]
    monkeypatch.setattr(steppers._SingleStepper, "__init__", None)
    alone = [lw.simulate(model, starts(model, 0), np.zeros(2), 0.05, callback=one) for one in of_each]
    batch = lw.simulate(
        model, [starts(model, 0)] * 3, np.zeros(2), 0.05, callback=partial(kernel, gain=5.0, posture=postures)
    )
    for k, motion in enumerate(expected):
        for name in ("q", "v", "tau"):
            for found in (getattr(alone[k], name), getattr(batch, name)[:, k]):
                assert np.abs(found - getattr(motion, name)).max() < 1e-12


def test_kernels_that_take_more_say_how_to_bind_it():
    model = lw.load("two_link")
    kernel = lw.compile(lambda model, t, q, v, gain: -gain * v, model, t=(), gain=())
    with pytest.raises(ArgumentError, match=r"takes more: bind .* functools\.partial\(kernel, gain=…\)"):
        lw.simulate(model, [0.1, 0.1], [0.0, 0.0], 0.01, callback=kernel)
    with pytest.raises(ShapeError, match=r"the controller is for motions \(2,\); simulated are \(\)"):
        lw.simulate(model, [0.1, 0.1], [0.0, 0.0], 0.01, callback=partial(kernel, gain=[1.0, 2.0]))
    with pytest.raises(ArgumentError, match="has no argument 'gains'"):
        lw.simulate(model, [0.1, 0.1], [0.0, 0.0], 0.01, callback=partial(kernel, gains=1.0))


@pytest.mark.variants("name")
@pytest.mark.parametrize("method", ["rk4", "midpoint", "euler", "semi_implicit"])
@pytest.mark.parametrize("name", ["two_link", "four_bar", "quadruped"])
def test_together_is_one_by_one(name, method):
    model = lw.load(name)
    q, v = lw.default_configuration(model)
    nothing = np.zeros(model.nv)
    together = lw.simulate(model, q, v, 0.045, method=method)
    one_by_one = lw.simulate(model, q, v, 0.045, callback=lambda t, q, v: nothing, method=method)
    for found, expected in ((together.q, one_by_one.q), (together.v, one_by_one.v)):
        assert np.abs(found - expected).max() < 1e-10 * (1.0 + np.abs(expected).max())


@pytest.mark.parametrize("count", [1, 2, 32, STEPS_BETWEEN_CHECKS - 1, STEPS_BETWEEN_CHECKS, STEPS_BETWEEN_CHECKS + 1])
def test_any_number_of_steps_is_the_beginning_of_more(count):
    model = lw.load("two_link")
    for batch in (0, 3):
        q = starts(model, batch)
        long, short = (lw.simulate(model, q, np.zeros(2), 1e-3 * n) for n in (3 * STEPS_BETWEEN_CHECKS, count))
        assert np.array_equal(long.q[: count + 1], short.q)
        every = lw.simulate(model, q, np.zeros(2), 3e-3 * STEPS_BETWEEN_CHECKS, every=count)
        assert np.array_equal(every.q, long.q[::count])


def test_a_duration_and_a_step_compile_nothing_anew(monkeypatch):
    model = lw.load("two_link")
    q, v = starts(model, 0), np.zeros(2)
    controller = controllers(model)["kernel"]
    lw.simulate(model, q, v, 0.01, callback=controller)
    monkeypatch.setattr(Kernel, "__init__", None)
    for duration, step in ((0.1, 1e-3), (0.05, 1e-4), (3e-3, 1e-3)):
        lw.simulate(model, q, v, duration, step, callback=controller)


def test_rows_that_are_taken_together_do_not_matter(monkeypatch):
    model = lw.load("two_link")
    q = starts(model, 37)
    whole = lw.simulate(model, q, np.zeros(2), 0.05)
    posture = lw.simulate(model, q, np.zeros(2), 0.05, controller=lw.control.hold_posture(model, q[::-1]))
    for name in ("ENOUGH", "LEAST"):
        monkeypatch.setattr(steppers, name, 1)
    assert np.array_equal(lw.simulate(model, q, np.zeros(2), 0.05).q, whole.q)
    again = lw.simulate(model, q, np.zeros(2), 0.05, controller=lw.control.hold_posture(model, q[::-1]))
    assert np.array_equal(again.q, posture.q)
    assert np.array_equal(again.tau, posture.tau)
    assert lw.simulate(model, q[:0], np.zeros(2), 0.05).q.shape == (51, 0, 2)


@pytest.mark.parametrize("every", [2, 7, 40, 300])
def test_what_is_not_recorded_is_not_reported(every, monkeypatch):
    model, other = lw.load("two_link"), lw.load("two_link")
    q = starts(model, 9)
    expected = lw.simulate(model, q, np.zeros(2), 0.7, every=every)
    for name in ("ENOUGH", "LEAST"):
        monkeypatch.setattr(steppers, name, 1)
    for one in (model, other):
        motion = lw.simulate(one, q, np.zeros(2), 0.7, every=every)
        assert np.array_equal(motion.t, expected.t)
        assert np.array_equal(motion.q, expected.q)
        assert np.array_equal(motion.v, expected.v)


def test_formulas_without_efforts_are_reported():
    model = lw.load("pendulum").with_gravity((0.0, 0.0, 0.0))
    kernel = lw.compile(lambda model, t, q, v: lw.where((t > 0.0495) & (q > 0.3), np.log(-1.0 - t), v), model, t=())
    with pytest.raises(InputError, match=r"efforts that are not finite at t = 0\.05 s") as caught:
        lw.simulate(model, [0.4], [0.0], 0.1, callback=kernel)
    assert caught.value.motion.t[-1] == pytest.approx(0.05)
    words = r"\[1\] after t = 0\.05 s; for 1 of them the controller's efforts were not finite"
    with pytest.warns(LinkwrightWarning, match=words):
        motion = lw.simulate(model, [[0.1], [0.4]], [0.0], 0.1, callback=kernel)
    assert motion.ended == pytest.approx([0.1, 0.05])
    assert np.isfinite(motion.q[:, 0]).all()


@pytest.mark.parametrize("every", [7, 300])
def test_formulas_without_efforts_between_samples_are_reported(every):
    model = lw.load("pendulum").with_gravity((0.0, 0.0, 0.0))
    kernel = lw.compile(lambda model, t, q, v: lw.where((t > 0.3315) & (q > 0.3), np.log(-1.0 - t), v), model, t=())
    with pytest.raises(InputError, match=r"efforts that are not finite at t = 0\.332 s"):
        lw.simulate(model, [0.4], [0.0], 0.7, callback=kernel, every=every)
    starts = np.array([[0.1], [0.4], [0.5]])
    with pytest.warns(LinkwrightWarning, match=r"for 2 of them the controller's efforts were not finite"):
        motion = lw.simulate(model, starts, [0.0], 0.7, callback=kernel, every=every)
    last = 0.332 // (1e-3 * every) * 1e-3 * every
    assert motion.ended[1:] == pytest.approx([last, last])
    assert np.isfinite(motion.q[:, 0]).all()


def test_progress_is_reported():
    model, seen = lw.load("two_link"), []
    lw.simulate(model, starts(model, 0), np.zeros(2), 1.0, method=lw.Integrator(progress=seen.append))
    assert seen == pytest.approx([0.0, 0.256, 0.512, 0.768, 1.0])
