"""The two-link arm against its printed equations (`equations.md` §6 of the design notes; T. Nagai 2018)."""

from __future__ import annotations

import numpy as np
import pytest

import linkwright as lw
from mechanisms import relative_error

integrate = pytest.importorskip("scipy.integrate", reason="SciPy (the extra 'test') is not installed")

L1, LG1, LG2, M1, M2, I1, I2, G = 1.0, 0.5, 0.5, 1.0, 1.0, 0.1, 0.1, 9.8
START = np.array([np.pi / 6, np.pi / 6, 0.0, 0.0])
DURATION = 10.0


def printed(q, v):
    """M, h and g as printed, of arrays over any leading dimensions."""
    (q1, q2), (v1, v2) = np.moveaxis(q, -1, 0), np.moveaxis(v, -1, 0)
    m11 = M1 * LG1**2 + M2 * (L1**2 + LG2**2 + 2 * L1 * LG2 * np.cos(q2)) + I1 + I2
    m12 = M2 * (LG2**2 + L1 * LG2 * np.cos(q2)) + I2
    m22 = np.full_like(q2, M2 * LG2**2 + I2)
    M = np.stack([np.stack([m11, m12], axis=-1), np.stack([m12, m22], axis=-1)], axis=-2)
    h = np.stack([-M2 * L1 * LG2 * np.sin(q2) * v2 * (2 * v1 + v2), M2 * L1 * LG2 * np.sin(q2) * v1**2], axis=-1)
    g2 = M2 * G * LG2 * np.cos(q1 + q2)
    g = np.stack([g2 + M2 * G * L1 * np.cos(q1) + M1 * G * LG1 * np.cos(q1), g2], axis=-1)
    return M, h, g


def printed_acceleration(q, v, tau):
    """M⁻¹ (τ − h − g) by Cramer's rule."""
    M, h, g = printed(q, v)
    r1, r2 = np.moveaxis(tau - h - g, -1, 0)
    (a, b), (_, d) = np.moveaxis(M, (-2, -1), (0, 1))
    return np.stack([d * r1 - b * r2, a * r2 - b * r1], axis=-1) / (a * d - b * b)[..., None]


@pytest.fixture(scope="module")
def arm():
    return lw.load("two_link")


@pytest.fixture(scope="module")
def path():
    """(q, v) at a thousand times along the 10 s trajectory, integrated from the printed equations."""
    solution = integrate.solve_ivp(
        lambda t, x: np.concatenate([x[2:], printed_acceleration(x[:2], x[2:], np.zeros(2))]),
        (0.0, DURATION),
        START,
        method="DOP853",
        rtol=1e-13,
        atol=1e-13,
        t_eval=np.linspace(0.0, DURATION, 1001),
    )
    assert solution.success
    assert np.abs(solution.y[:2]).max() > 1.0  # it swings
    return solution.y[:2].T.copy(), solution.y[2:].T.copy()


@pytest.fixture(autouse=True, scope="module")
def interpreted() -> None:
    """Run machine code at every call: the bits of rows and batches are compared."""


@pytest.mark.parametrize("method", ["articulated", "composite"])
def test_accelerations_along_the_trajectory(arm, path, method):
    q, v = path
    tau = np.zeros_like(q)
    expected = printed_acceleration(q, v, tau)
    found = lw.forward_dynamics(arm, q, v, tau, method=method)
    assert max(relative_error(x, y) for x, y in zip(found, expected, strict=True)) < 1e-13
    one_by_one = [lw.forward_dynamics(arm, *row, method=method) for row in zip(q, v, tau, strict=True)]
    assert np.array_equal(one_by_one, found)


def test_accelerations_under_efforts(arm, path):
    q, v = path
    tau = np.random.default_rng(0).normal(size=q.shape) * 20.0
    expected = printed_acceleration(q, v, tau)
    assert relative_error(lw.forward_dynamics(arm, q, v, tau), expected) < 1e-13


def test_terms_along_the_trajectory(arm, path):
    q, v = path
    M, h, g = printed(q, v)
    assert relative_error(lw.mass_matrix(arm, q), M) < 1e-14
    assert relative_error(lw.gravity_forces(arm, q), g) < 1e-14
    assert relative_error(lw.bias_forces(arm, q, v), h + g) < 1e-14


def test_energy_stays_along_the_trajectory(arm, path):
    """The printed equations conserve our energy: a check of both."""
    energy = lw.kinetic_energy(arm, *path) + lw.potential_energy(arm, path[0])
    assert np.ptp(energy) < 1e-10
