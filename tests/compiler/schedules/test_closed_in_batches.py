"""Many rows are closed by machine code, to the configurations that are found one at a time."""

from __future__ import annotations

import numpy as np
import pytest

import linkwright as lw
from linkwright import dynamics
from linkwright.errors import ClosureError

CASES = {
    "four_bar": (["crank"], 3.0),
    "slider_crank": (["crank"], 3.0),
    "bricard": (["hinge1"], 0.5),
    "delta": (["arm1", "arm2", "arm3"], 0.3),
    "stewart": ([], 0.05),
}


def guesses(model, fixed, spread, rows=60):
    rng, q = np.random.default_rng(0), np.tile(model.neutral(), (rows, 1))
    for name in fixed:
        q[:, model.slice(name).q] += rng.uniform(-spread, spread, (rows, 1))
    return q if fixed else lw.integrate(model, q, rng.uniform(-spread, spread, (rows, model.nv)))


@pytest.mark.parametrize("name", CASES)
def test_rows_are_closed_as_one_at_a_time(name):
    model, (fixed, spread) = lw.load(name), CASES[name]
    q = guesses(model, fixed, spread)
    found = lw.close_loops(model, q, fixed)
    assert np.abs(lw.constraint_residual(model, found)).max() < 1e-13
    for joint in fixed:
        np.testing.assert_array_equal(found[:, model.slice(joint).q], q[:, model.slice(joint).q])
    alone = np.array([dynamics.close_loops(model, row, fixed) for row in q[:5]])
    if fixed:  # all else is determined
        assert np.abs(lw.difference(model, found[:5], alone)).max() < 1e-11
    else:  # both are near the guess
        far = np.linalg.norm(lw.difference(model, q[:5], found[:5]), axis=1)
        np.testing.assert_allclose(far, np.linalg.norm(lw.difference(model, q[:5], alone), axis=1), rtol=0.02)
    np.testing.assert_array_equal(
        lw.close_loops(model, q[20:50].reshape(2, 15, -1), fixed).reshape(30, -1), found[20:50]
    )


def test_a_row_that_cannot_be_closed_is_reported():
    model = lw.load("delta")
    arms, q = ["arm1", "arm2", "arm3"], np.tile(model.neutral(), (40, 1))
    q[7, model.slice("arm1").q] = 3.1  # up and inwards, while the others hold the platform below
    with pytest.raises(ClosureError, match="could not be closed from this guess"):
        lw.close_loops(model, q, arms)
    assert np.abs(lw.constraint_residual(model, lw.close_loops(model, np.delete(q, 7, axis=0), arms))).max() < 1e-13


def test_a_row_that_is_closed_stays():
    model = lw.load("four_bar")
    q = lw.close_loops(model, guesses(model, ["crank"], 3.0))
    np.testing.assert_array_equal(lw.close_loops(model, q), q)
