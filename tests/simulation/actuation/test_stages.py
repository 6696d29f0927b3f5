"""Controllers asked at every stage: Runge–Kutta keeps its order."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from tests.setups import grouped

import linkwright as lw
from linkwright.errors import InputError, LinkwrightWarning
from linkwright.model.build.assembly import assemble
from linkwright.model.joints.joint import Free, Planar, Revolute, Spherical
from linkwright.simulation.integrators import split_kernels
from mechanisms import random_tree, state


def smooth(t, q, v):
    """A function of time, configuration and velocity."""
    return np.sin(7.0 * t + np.arange(v.shape[-1])) - 0.4 * v + 0.3 * np.sin(q[..., -1:])


def order(model, q, v, step, **options):
    """From the differences between steps h, h/2 and h/4."""
    ends = []
    for k in range(3):
        motion = lw.simulate(model, q, v, 8 * step, step / 2**k, **grouped(callback=smooth, **options))
        ends.append((motion.q[-1], motion.v[-1]))
    errors = [
        np.linalg.norm(np.concatenate([lw.difference(model, a[0], b[0]), b[1] - a[1]]))
        for a, b in itertools.pairwise(ends)
    ]
    return np.log2(errors[0] / errors[1])


def tree():
    model = random_tree([Free, Spherical, Revolute, Planar], 4, floating=True)
    joints = tuple(replace(joint, friction=0.0) for joint in model.description.joints)  # nearly discontinuous
    model = assemble(replace(model.description, joints=joints))
    q, v, _ = state(model, 1)
    return model, q, 0.3 * v


@pytest.mark.parametrize(("method", "expected"), [("rk4", 4), ("midpoint", 2), ("euler", 1)])
def test_methods_keep_their_order(method, expected):
    step = {"rk4": 0.01, "midpoint": 1e-3, "euler": 1e-3}[method]
    assert order(*tree(), step, method=method, evaluated_at="stages") == pytest.approx(expected, abs=0.3)


def test_held_over_steps_the_order_is_one():
    assert order(*tree(), 0.01) == pytest.approx(1.0, abs=0.3)


def test_loops_too():
    model = lw.load("four_bar")
    q = model.neutral()
    v = lw.impulse(model, q, [2.0, 1.0, -1.0])[0]
    assert order(model, q, v, 0.02, evaluated_at="stages", projection=False) == pytest.approx(4.0, abs=0.3)
    assert (
        lw.simulate(model, q, v, 0.1, 1e-2, callback=smooth, actuation=lw.Actuation(evaluated_at="stages")).closure
        < 1e-12
    )


def test_many_bodies_too(monkeypatch):
    """Whose stages are put together from kernels that loop over the bodies."""
    monkeypatch.setattr(split_kernels, "BODIES_OF_STEPS", 100)
    chain = lw.load("planar:100")
    q, zero = chain.random(seed=0), np.zeros(100)
    options = {"callback": lambda t, q, v: 0.0 * v, "evaluated_at": "stages"}
    assert lw.simulate(chain, q, zero, 0.002, **grouped(**options)).q == pytest.approx(
        lw.simulate(chain, q, zero, 0.002).q
    )


def test_the_controller_is_requested_at_the_stages():
    model, asked = lw.load("two_link"), []

    def controller(t, q, v):
        asked.append(t)
        return np.full(2, t)

    motion = lw.simulate(
        model, [0.1, 0.2], [0.0, 0.0], 0.2, 0.1, callback=controller, actuation=lw.Actuation(evaluated_at="stages")
    )
    assert asked == pytest.approx([0.0, 0.05, 0.05, 0.1, 0.1, 0.15, 0.15, 0.2, 0.2])
    assert np.array_equal(motion.tau, np.stack([motion.t, motion.t], axis=1))  # those of the steps' beginnings
    batch = lw.simulate(
        model,
        [[0.1, 0.2]] * 3,
        [0.0, 0.0],
        0.2,
        0.1,
        callback=controller,
        actuation=lw.Actuation(evaluated_at="stages"),
    )
    assert np.array_equal(batch[1].q, motion.q)
    held, free = (
        lw.simulate(model, [0.1, 0.2], [0.0, 0.0], 0.2, 0.1, actuation=lw.Actuation(evaluated_at=at)).q
        for at in ("step", "stages")
    )
    assert np.array_equal(held, free)  # nobody to ask


def test_of_a_batch_that_diverges_within_a_step_the_others_go_on():
    model, seen = lw.load("two_link"), []

    def controller(t, q, v):
        seen.append(np.isfinite(q).all() and np.isfinite(v).all())
        return -0.1 * v

    v = np.array([[0.0, 0.0], [1e200, 0.0]])
    with pytest.warns(LinkwrightWarning, match=r"1 of 2 motions"):
        motion = lw.simulate(
            model, [0.1, 0.2], v, 0.1, 1e-2, callback=controller, actuation=lw.Actuation(evaluated_at="stages")
        )
    assert all(seen)
    alone = lw.simulate(
        model, [0.1, 0.2], v[0], 0.1, 1e-2, callback=controller, actuation=lw.Actuation(evaluated_at="stages")
    )
    assert np.array_equal(motion[0].q, alone.q)
    assert motion.ended[1] < 0.1


def test_what_has_no_stages_is_reported():
    model = lw.load("two_link")
    with pytest.raises(InputError, match=r"evaluated_at is 'step' or 'stages'; got 'stage'"):
        lw.simulate(model, [0.1, 0.2], [0.0, 0.0], 0.1, actuation=lw.Actuation(evaluated_at="stage"))
    with pytest.raises(InputError, match=r"'rk4', 'midpoint', 'euler', 'dopri5'; got 'semi_implicit'"):
        lw.simulate(
            model,
            [0, 0],
            [0, 0],
            0.1,
            callback=smooth,
            method="semi_implicit",
            actuation=lw.Actuation(evaluated_at="stages"),
        )
