"""Regressors against Pinocchio's, on robots people have, entry by entry."""

from __future__ import annotations

import numpy as np
import pytest
from pinocchio_side import ROBOTS, pair_of, pin, states_of

import linkwright as lw
from mechanisms import relative_error

ROWS = 3
TOLERANCE = 1e-9
"""Of files whose angles are decimals, and are made right."""


@pytest.fixture(scope="module", params=ROBOTS)
def pair(request):
    return pair_of(request.param)


@pytest.fixture(scope="module")
def states(pair):
    return states_of(pair, ROWS)


def in_our_order(pair, columns):
    """Their columns, ten of each of their joints, as ours are."""
    ids = [pair.theirs.getJointId("root_joint" if j.type == "free" else j.name) for j in pair.ours.joints]
    ten = columns.reshape(*columns.shape[:-1], -1, 10)
    return ten[..., np.array(ids) - 1, :].reshape(*columns.shape[:-1], -1)


def test_efforts(pair, states):
    ours = lw.regressor(pair.ours, *states)
    for Y, q, v, a in zip(ours, *states, strict=True):
        theirs = pin.computeJointTorqueRegressor(pair.theirs, pair.data, pair.q(q), pair.v(v), pair.v(a))
        expected = pair.columns(in_our_order(pair, theirs).T).T
        assert relative_error(Y, expected) < TOLERANCE
        assert relative_error(Y @ lw.inertial_parameters(pair.ours), expected @ their_parameters(pair)) < TOLERANCE


def their_parameters(pair):
    """Every body's ten as they tell them, in our order."""
    found = np.concatenate([I.toDynamicParameters() for I in list(pair.theirs.inertias)[1:]])
    return in_our_order(pair, found)


def test_parameters(pair):
    assert relative_error(lw.inertial_parameters(pair.ours), their_parameters(pair)) < TOLERANCE


def test_energies(pair, states):
    q, v, _ = states
    kinetic = lw.energy_regressor(pair.ours, q, v, of="kinetic")
    potential = lw.energy_regressor(pair.ours, q, v, of="potential")
    for k in range(ROWS):
        theirs = pin.computeKineticEnergyRegressor(pair.theirs, pair.data, pair.q(q[k]), pair.v(v[k]))
        assert relative_error(kinetic[k], in_our_order(pair, np.ravel(theirs))) < TOLERANCE
        theirs = pin.computePotentialEnergyRegressor(pair.theirs, pair.data, pair.q(q[k]))
        assert relative_error(potential[k], in_our_order(pair, np.ravel(theirs))) < TOLERANCE
