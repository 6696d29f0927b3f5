"""det J as a product of factors: published ones, and the numbers of random arms."""

from __future__ import annotations

import numpy as np
import pytest
import sympy

import linkwright as lw
from linkwright.dynamics.frames.manipulability import rows_of
from linkwright.errors import InputError


def numbers_of(equations, expression, frame, q):
    values = {**equations.frame_parameters(frame), **dict(zip(equations.coordinates.q, q, strict=True))}
    return float(
        expression.subs({equations.symbols[name]: x for name, x in values.items() if name in equations.symbols})
    )


def test_a_planar_arm():
    equations = lw.equations(lw.load("planar:3"))
    l1, l2, theta2 = (sympy.Symbol(name, real=True) for name in ("l1", "l2", "theta2"))
    assert equations.jacobian_determinant("tip") == l1 * l2 * sympy.sin(theta2)
    assert equations.jacobian_determinant("tip", ("x", "y", "rz")) == l1 * l2 * sympy.sin(theta2)
    assert lw.equations(lw.load("two_link")).jacobian_determinant("tip", "linear") == l1 * l2 * sympy.sin(theta2)


def test_puma():
    """Shoulder, elbow and wrist, each a factor."""
    equations = lw.equations(lw.load("puma560"))
    found = equations.jacobian_determinant("link6", form="angles")
    assert len(found.args) == 4
    result = {str(factor) for factor in found.args}
    assert {"l2x", "sin(theta5)", "l3x*sin(theta3) + l3y*cos(theta3)"} < result
    for q in equations.model.random(5, seed=0):
        expected = np.linalg.det(lw.jacobian(equations.model, q, "link6"))
        for reference in ("body", "world"):
            assert np.linalg.det(lw.jacobian(equations.model, q, "link6", reference)) == pytest.approx(expected)
        assert numbers_of(equations, found, "link6", q) == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize(
    ("name", "frame", "directions"), [("arm4", "tool", ("x", "y", "z", "ry")), ("planar:2", "tip", "linear")]
)
def test_fewer_joints(name, frame, directions):
    equations = lw.equations(lw.load(name))
    found = equations.jacobian_determinant(frame, directions)
    q = equations.model.random(seed=1)
    J = lw.jacobian(equations.model, q, frame)[rows_of(directions)][: equations.model.nv]
    assert numbers_of(equations, found, frame, q) == pytest.approx(np.linalg.det(J), rel=1e-10)


def test_a_slide_among_turns():
    builder = lw.Builder("scara").body("a", 1.0).body("b", 1.0).body("c", 1.0)
    builder.joint("turn", "revolute", "world", "a").joint("bend", "revolute", "a", "b", xyz=[0.5, 0.0, 0.0])
    builder.joint("reach", "prismatic", "b", "c", axis=[1.0, 0.0, 0.0])
    equations = lw.equations(builder.build())
    found = equations.jacobian_determinant("c", ("x", "y", "rz"))
    for q in equations.model.random(3, seed=2):
        J = lw.jacobian(equations.model, q, "c")[[0, 1, 5]]
        assert numbers_of(equations, found, "c", q) == pytest.approx(np.linalg.det(J), abs=1e-12)


def test_what_is_not_square_is_reported():
    equations = lw.equations(lw.load("two_link"))
    with pytest.raises(
        InputError, match=r"in directions 'all' has 3 rows that are not zero and 2 columns; name 2 of 'x'"
    ):
        equations.jacobian_determinant("tip")
    with pytest.raises(InputError, match="directions are"):
        equations.jacobian_determinant("tip", "sideways")
    assert lw.equations(lw.load("puma560")).jacobian_determinant("link3") == 0
