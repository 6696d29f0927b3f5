"""Motions with closed loops: they stay closed, and conserve energy at the order of the method."""

from __future__ import annotations

import numpy as np
import pytest

import linkwright as lw
from linkwright import dynamics
from linkwright.errors import InputError


def started(name, seed=0, size=2.0):
    """A linkage with a consistent velocity."""
    model = lw.load(name)
    q = model.neutral()
    return model, q, lw.impulse(model, q, size * np.random.default_rng(seed).normal(size=model.nv))[0]


@pytest.mark.parametrize("name", ["four_bar", "slider_crank", "bricard", "four_bars:2"])
def test_loops_stay_closed_over_ten_seconds(name):
    model, q, v = started(name)
    motion = lw.simulate(model, q, v, 10.0, 1e-3, every=10)
    assert motion.closure < 1e-13
    assert np.abs(lw.constraint_jacobian(model, motion.q) @ motion.v[..., None]).max() < 1e-8
    assert motion.drift < 1e-8 * np.ptp(motion.kinetic) + 1e-9
    # it does move
    assert np.ptp(motion.q, axis=0).max() > 0.25


@pytest.mark.parametrize(("method", "order"), [("rk4", 4), ("midpoint", 2)])
def test_energy_drifts_at_the_order_of_the_method(method, order):
    model, q, v = started("four_bar", 1)
    drifts = [lw.simulate(model, q, v, 0.5, h, method).drift for h in (0.01, 0.005)]
    assert np.log2(drifts[0] / drifts[1]) == pytest.approx(order, abs=0.9)


def test_the_slider_is_where_the_crank_puts_it():
    model, q, v = started("slider_crank", 3)
    motion = lw.simulate(model, q, v, 1.0, 1e-3)
    angle = np.pi / 2 + motion.q[:, 0]
    tip, height = 0.2 * np.cos(angle), 0.2 * np.sin(angle)
    slider = tip + np.sqrt(0.6**2 - height**2)
    np.testing.assert_allclose(motion.q[:, 2], slider - slider[0], atol=1e-12)


def test_gains_alone_bound_the_drift():
    model, q, v = started("four_bar", 2)
    free = lw.simulate(model, q, v, 4.0, 2e-3, method=lw.Integrator(projection=False))
    gained = lw.simulate(model, q, v, 4.0, 2e-3, method=lw.Integrator(projection=False, stabilization=(50.0, 50.0)))
    projected = lw.simulate(model, q, v, 4.0, 2e-3)
    assert projected.closure < 1e-13 < gained.closure < 0.2 * free.closure < 1e-5


def test_a_velocity_is_projected_like_an_impact():
    model, q, _ = started("bricard")
    v = np.random.default_rng(5).normal(size=model.nv)
    near = lw.integrate(model, q, 1e-4 * v)
    closed, kept = lw.project(model, near, v)
    assert np.abs(lw.constraint_residual(model, near)).max() > 1e-5
    assert np.abs(lw.constraint_residual(model, closed)).max() < 1e-7
    again, _ = lw.project(model, closed, v)
    assert np.abs(lw.constraint_residual(model, again)).max() < 1e-13
    np.testing.assert_allclose(kept, dynamics.impulse(model, near, v)[0], atol=1e-10)


def test_batches_and_stiff_joints():
    model, q, v = started("four_bar")
    together = lw.simulate(model, q, np.stack([v, 2 * v]), 0.1, 1e-2)
    alone = lw.simulate(model, q, 2 * v, 0.1, 1e-2)
    np.testing.assert_allclose(together[1].q, alone.q, atol=1e-13)
    damped = lw.simulate(model, q, v, 0.2, 1e-3, "semi_implicit")
    assert damped.closure < 1e-12
    fine = lw.simulate(model, q, v, 0.2, 1e-3)
    np.testing.assert_allclose(damped.q[-1], fine.q[-1], atol=2e-3)


def test_a_start_that_is_not_closed_is_refused():
    model, q, v = started("four_bar")
    with pytest.raises(InputError, match=r"open at q0, by up to .* start from close_loops\(model, q0\)"):
        lw.simulate(model, q + 0.1, v, 1.0)
    with pytest.raises(InputError, match=r"would open the loops .* impulse\(model, q0, v0\)\[0\]"):
        lw.simulate(model, q, v + 0.1, 1.0)


@pytest.mark.parametrize("name", ["four_bars:3", "bricard", "stewart"])
def test_large_mechanisms_are_projected_by_articulated_bodies(name, monkeypatch):
    model, q, _ = started(name)
    v = np.random.default_rng(1).normal(size=model.nv)
    near = lw.integrate(model, q, 1e-6 * v)
    whole = dynamics.project(model, near, v)
    monkeypatch.setattr("linkwright.dynamics.closed_loops.forces.WHOLE", 0)
    for ours, expected in zip(dynamics.project(model, near, v), whole, strict=True):
        np.testing.assert_allclose(ours, expected, atol=1e-9)
