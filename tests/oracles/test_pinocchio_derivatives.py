"""Derivatives of dynamics against Pinocchio's, on real robots, to 1e-8 relative."""

from __future__ import annotations

import numpy as np
import pytest
from pinocchio_side import pair_of, pin, states_of

import linkwright as lw
from linkwright.compiler.front.bind import bind
from linkwright.compiler.front.trace import trace
from linkwright.compiler.ir.interpreter import interpret
from mechanisms import relative_error

ROWS = 4


@pytest.fixture(scope="module", params=["ur5", "panda", "anymal", "talos"])
def pair(request):
    return pair_of(request.param)


@pytest.fixture(scope="module")
def states(pair):
    return states_of(pair, ROWS)


def test_inverse_dynamics(pair, states):
    """∂τ/∂q, ∂τ/∂v of the kernel's program; ∂τ/∂a is M."""
    ours = interpret(trace(bind(lw.inverse_dynamics_derivatives, pair.ours, {})), *states)
    for row, (q, v, a) in enumerate(zip(*states, strict=True)):
        pin.computeRNEADerivatives(pair.theirs, pair.data, pair.q(q), pair.v(v), pair.v(a))
        M = np.triu(pair.data.M)
        theirs = (pair.data.dtau_dq, pair.data.dtau_dv, M + np.triu(M, 1).T)
        for x, y in zip(ours, theirs, strict=True):
            assert relative_error(x[row], pair.square(y)) < 1e-10


def test_forward_dynamics(pair, states):
    if pair.ours.has_couplings:
        pytest.skip("Pinocchio's forward dynamics ignores couplings")
    for q, v, tau in zip(*states, strict=True):
        pin.computeABADerivatives(pair.theirs, pair.data, pair.q(q), pair.v(v), pair.v(tau))
        M = np.triu(pair.data.Minv)
        theirs = (pair.data.ddq_dq, pair.data.ddq_dv, M + np.triu(M, 1).T)
        ours = lw.dynamics.forward_dynamics_derivatives(pair.ours, q, v, tau)
        for x, y in zip(ours, theirs, strict=True):
            assert relative_error(x, pair.square(y)) < 1e-8


def test_batches_of_an_arm():
    ours = pair_of("ur5")
    rng = np.random.default_rng(12)
    q, v, tau = ours.ours.random(33, seed=rng), rng.normal(size=(33, 6)), rng.normal(size=(33, 6))
    by_q, by_v, by_tau = lw.forward_dynamics_derivatives(ours.ours, q, v, tau)
    for row in range(33):
        pin.computeABADerivatives(ours.theirs, ours.data, ours.q(q[row]), v[row], tau[row])
        assert relative_error(by_q[row], ours.square(ours.data.ddq_dq)) < 1e-8
        assert relative_error(by_v[row], ours.square(ours.data.ddq_dv)) < 1e-8
        M = np.triu(ours.data.Minv)
        assert relative_error(by_tau[row], M + np.triu(M, 1).T) < 1e-8
