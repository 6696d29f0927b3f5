"""The kinematic Hessian and the Jacobian of Euler angles."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import linkwright as lw
from linkwright import dynamics
from linkwright.dynamics.kinematics import REFERENCE_FRAMES
from linkwright.errors import InputError, LinkwrightWarning
from linkwright.spatial.euler import AXES, ORDERS
from mechanisms import one_of_each, relative_error, state, trees

laws = settings(max_examples=25, deadline=None)
seeds = st.integers(0, 2**32 - 1)


def difference_by(f, model, q, h=1e-3):
    """∂f/∂q by central differences of order six."""
    columns = []
    for unit in np.eye(model.nv):

        def at(k, unit=unit):
            return f(dynamics.integrate(model, q, k * h * unit))

        columns.append((45 * (at(1) - at(-1)) - 9 * (at(2) - at(-2)) + (at(3) - at(-3))) / (60 * h))
    return np.stack(columns, axis=-1)


@laws
@given(trees(), seeds, st.sampled_from(REFERENCE_FRAMES), st.integers(0, 10**6))
def test_the_hessian_is_the_derivative_of_the_jacobian(model, seed, reference_frame, pick):
    q, v, _ = state(model, seed)
    names = sorted(model.frames)
    frame, base = names[pick % len(names)], names[(pick // len(names)) % len(names)]
    H = dynamics.kinematic_hessian(model, q, frame, reference_frame, base)
    expected = difference_by(lambda q: dynamics.jacobian(model, q, frame, reference_frame, base), model, q)
    assert relative_error(H, expected) < 1e-8
    assert relative_error(H @ v, dynamics.jacobian_dot(model, q, v, frame, reference_frame, base)) < 1e-12
    bias = np.einsum("kji,j,i->k", H, v, v)
    assert relative_error(bias, dynamics.jacobian_dot_times_v(model, q, v, frame, reference_frame, base)) < 1e-12


@pytest.mark.parametrize("reference_frame", REFERENCE_FRAMES)
def test_the_formula_takes_fewer_operations_than_the_chain_rule(reference_frame):
    model = lw.load("arm7")
    frame = model.bodies[-1].name
    kernel = lw.compile(lw.kinematic_hessian, model, frame=frame, reference_frame=reference_frame)
    by_rule = lw.compile(lw.jacobian, model, frame=frame, reference_frame=reference_frame).derivative("q")
    q = model.random(3, seed=0)
    assert relative_error(kernel(q), by_rule(q)) < 1e-14
    assert kernel.operations.total < by_rule.operations.total + (reference_frame == "world")  # there equal


def test_joints_that_follow_others():
    model = one_of_each(1, mimics=True)
    q, *_ = state(model, 0)
    expected = difference_by(lambda q: dynamics.jacobian(model, q, "tip"), model, q)
    assert relative_error(lw.kinematic_hessian(model, q, "tip"), expected) < 1e-8


@cache
def humanoid():
    """One for all orders of angles, which share the kernels of its poses."""
    return lw.load("humanoid")


@pytest.mark.variants("axes")
@pytest.mark.parametrize("axes", AXES)
@pytest.mark.parametrize("order", ORDERS)
def test_rates_of_euler_angles(order, axes):
    model = humanoid()
    frame, base = model.bodies[-1].name, model.bodies[3].name
    q = model.random(5, seed=2)

    def rates(q):
        T = lw.pose(model, q, frame, base)
        return np.concatenate([T[..., :3, 3], lw.rotation.to_euler(T[..., :3, :3], order, axes)], axis=-1)

    J = lw.analytical_jacobian(model, q, frame, order, axes, base)
    for row, one in zip(q, J, strict=True):
        assert relative_error(one, difference_by(rates, model, row, 1e-4)) < 1e-6


@pytest.mark.parametrize("order", ["zyx", "zxz"])
def test_gimbal_lock_is_reported(order):
    builder = lw.Builder("gimbals")
    for k, (axis, parent) in enumerate(zip(np.eye(3)[::-1], ("world", "b0", "b1"), strict=True)):
        builder.body(f"b{k}", 1.0).joint(f"j{k}", "revolute", parent, f"b{k}", axis=axis)
    model = builder.build()
    locked = np.array([0.3, np.pi / 2, 0.2]) if order == "zyx" else np.array([0.3, 0.0, 0.0])
    free = np.array([0.3, 0.4, 0.5])
    assert np.isfinite(lw.analytical_jacobian(model, free, "b2", order)).all()
    with pytest.warns(LinkwrightWarning, match=f"'{order}' are at gimbal lock: .*; use '...' there") as caught:
        lw.analytical_jacobian(model, locked, "b2", order)
    assert caught[0].filename == __file__
    with pytest.warns(LinkwrightWarning, match="of 1 of 2 rotations are at gimbal lock: .* their rates have no bound"):
        J = lw.analytical_jacobian(model, [locked, free], "b2", order)
    assert np.isfinite(J[1]).all()
    with pytest.raises(InputError, match="one of xyx"):
        lw.analytical_jacobian(model, free, "b2", "abc")
