"""Rotation vectors against 50-digit arithmetic: at every angle to rounding, with derivatives at zero."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

from linkwright.spatial.rotation import (
    exp_coefficients,
    log_coefficient,
    quaternion_exp,
    rotation_from_z,
    translation_of_exp,
    translation_of_log,
    turn_gradient,
)

UP_TO_PI = np.concatenate(
    [
        10.0 ** np.linspace(-60, -1, 60),
        np.linspace(0.09, 0.11, 100),  # where series gave way to closed forms once
        np.linspace(0.1, 3.0, 200),
        np.pi - 10.0 ** np.linspace(-15, -1, 30),
        [np.pi],
    ]
)
BEYOND = np.concatenate([np.pi + 10.0 ** np.linspace(-15, 0, 30), np.linspace(4.0, 30.0, 200)])


@pytest.fixture(autouse=True)
def many_digits():
    with mpmath.workdps(300):  # of which 1 - cos leaves 50
        yield


def errors(values, exact) -> list[float]:
    return [float(abs(mpmath.mpf(float(x)) - y)) for x, y in zip(values, exact, strict=True)]


def exact_coefficients(square: float):
    """(sin t)/t, (1 - cos t)/t^2, (t - sin t)/t^3."""
    t = mpmath.sqrt(mpmath.mpf(float(square)))
    return mpmath.sin(t) / t, (1 - mpmath.cos(t)) / t**2, (t - mpmath.sin(t)) / t**3


@pytest.mark.parametrize(("angles", "relative"), [(UP_TO_PI, (False, True, True)), (BEYOND, (False, False, True))])
def test_coefficients_of_exp(angles, relative):
    for square in angles * angles:
        exact = exact_coefficients(square)
        for error, value, is_relative in zip(errors(exp_coefficients(square), exact), exact, relative, strict=True):
            assert error < 8e-16 * (float(abs(value)) if is_relative else 1.0), square


def test_coefficient_of_log():
    for square in UP_TO_PI * UP_TO_PI:
        t = mpmath.sqrt(mpmath.mpf(float(square)))
        exact = (1 - t / 2 * mpmath.cot(t / 2)) / t**2
        assert errors([log_coefficient(square)], [exact])[0] < 8e-16 * float(exact), square


def test_quaternion_exp():
    for angle in np.concatenate([UP_TO_PI, BEYOND]):
        t = mpmath.mpf(float(angle))
        u = quaternion_exp(np.array([0.0, 0.0, angle]))
        assert max(errors(u, [mpmath.cos(t / 2), 0, 0, mpmath.sin(t / 2)])) < 4e-16, angle
        if angle < 3.0:
            assert errors(u[3:], [mpmath.sin(t / 2)])[0] < 6e-16 * u[3]


@pytest.mark.parametrize("size", [1e-9, 0.09, 0.1001, 1.0, 3.1])
def test_log_undoes_exp_and_turns_gradients(size):
    rng = np.random.default_rng(0)
    r, v = rng.normal(size=3), rng.normal(size=3)
    r *= size / np.linalg.norm(r)
    assert np.abs(translation_of_log(r, translation_of_exp(r, v)) - v).max() < 4e-15
    # J_r(r)^-T = V(r)^-1 and J_r(r) = V(-r), so f . v = (J_r^-T f) . (J_r v)
    f = rng.normal(size=3)
    assert turn_gradient(r, f) @ translation_of_exp(-r, v) == pytest.approx(f @ v, rel=1e-13)


@pytest.mark.parametrize("off", [0.0, 1e-9, 1e-7, 1e-3])
@pytest.mark.parametrize("z", [-1.0, 1.0])
def test_z_is_turned_to_axes_near_it(z, off):
    axis = np.array([off, 0.5 * off, z])
    axis /= np.linalg.norm(axis)
    assert np.abs(rotation_from_z(axis)[:, 2] - axis).max() < 1e-15


@pytest.mark.parametrize("size", [1e-310, 1e-200, 1e-162, 1e-30, 1.0, 1e160, 1e300])
@pytest.mark.parametrize("axis", [(0, 0, 1), (0, 0, -1), (-3, 4, 0), (1, 2, 3), (1e-200, 0, 1), (0, 1e-170, -1)])
def test_z_is_turned_to_axes_of_every_size(axis, size):
    axis = np.array(axis, dtype=float)
    R = rotation_from_z(size * axis)
    np.testing.assert_allclose(R[:, 2], axis / np.linalg.norm(axis), atol=1e-13)
    np.testing.assert_allclose(R.T @ R, np.eye(3), atol=1e-14)
