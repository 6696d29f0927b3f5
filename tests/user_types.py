"""Types that a user's type checker sees: checked by `mypy`, not run by pytest.

Arrays come out, anything that NumPy makes an array of goes in, and a misspelled option is found before it is run.
"""

from __future__ import annotations

from typing import assert_type

import numpy as np

import linkwright as lw

arm = lw.load("arm7")
assert_type(arm, lw.Model)
q, v = arm.random(1000), np.zeros(7)

assert_type(lw.mass_matrix(arm, [0.0] * 7), np.ndarray)
assert_type(lw.mass_matrix(arm, q, "unit_vector"), np.ndarray)
assert_type(lw.pose(arm, q, "tool"), np.ndarray)
assert_type(lw.jacobian(arm, q, "tool", reference_frame="body").T, np.ndarray)
assert_type(lw.forward_dynamics(arm, q, v, v, {"tool": [0.0] * 6}), np.ndarray)
assert_type(lw.impulse(arm, q, v), tuple[np.ndarray, np.ndarray])
assert_type(lw.simulate(arm, q[0], v, 0.1), lw.Motion)
assert_type(lw.__version__, str)

lw.mass_matrix(arm, q, "unit-vector")  # type: ignore[arg-type]
lw.jacobian(arm, q, "tool", reference_frame="local")  # type: ignore[arg-type]
lw.forward_dynamics(arm, q, v)  # type: ignore[call-arg]
lw.no_such_name  # type: ignore[attr-defined]
