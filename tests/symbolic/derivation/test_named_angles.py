"""Placements turned by angles that are no multiples of π/12: named, not refused."""

from __future__ import annotations

import numpy as np
import pytest
from test_equations import compare, same

import linkwright as lw
from linkwright.errors import ModelError
from linkwright.model.tree import Model
from linkwright.spatial.rotation import rotation_about, rotation_rpy
from linkwright.symbolic import equations
from linkwright.symbolic.derivation.exact_rotations import factors_of_rotation
from linkwright.symbolic.derivation.realization import turn_about
from mechanisms import random_rotation, relative_error, state


def chain(*turns: tuple[float, float, float], kinds=("revolute", "prismatic", "revolute")) -> Model:
    """Hinges and slides on bodies without symmetry, turned by roll, pitch and yaw."""
    builder, parent = lw.Builder("turned", gravity=(1.0, 2.0, -9.0)), "world"
    for k, rpy in enumerate(turns):
        builder.body(f"b{k}", 1.0 + k, (0.1, 0.2, 0.3), (0.1, 0.2, 0.25))
        builder.joint(f"j{k}", kinds[k], parent, f"b{k}", xyz=(0.1 * k, 0.0, 0.2), rpy=rpy)
        parent = f"b{k}"
    return builder.build()


CHAINS = {
    "twists": ((0.7, 0, 0), (-1.2, 0, 0), (0.35, 0, 0)),
    "one of two angles": ((0, 0, 0), (np.pi / 3, 0, 0.2), (0.6, np.pi / 4, 0)),
    "three angles": ((0.4, 0.2, 0.1), (0, 0, 0)),
    "where two axes meet": ((0.4, np.pi / 2, 0.9), (1.1, -np.pi / 2, 0)),
}


@pytest.fixture(params=CHAINS)
def model(request) -> Model:
    return chain(*CHAINS[request.param])


def test_equations_and_both_routes(model):
    made = equations(model)
    assert any(name.startswith("alpha") for name in made.parameters)
    compare(made, model)
    compare(made, made.model)
    assert same(made, equations(model, method="lagrange"))


def test_base_parameters():
    model = chain(*CHAINS["twists"], kinds=("revolute",) * 3)
    made = equations(model, {"inertial": "all"}, base_parameters=True)
    compare(made, model)
    assert "Iyy2*sin(alpha2)^2" in made.meanings["IzzR1"]
    with pytest.raises(ModelError, match="fractions of lengths or of cosines"):  # mcy2 - tan(alpha2) mcz2
        equations(chain(*CHAINS["twists"]), base_parameters=True)


def test_code(model):
    made = equations(model)
    scope: dict = {}
    exec(made.python(), scope)
    q, v, _ = state(model, 4)
    M, h, g = scope["turned_equations"](q, v)
    assert relative_error(M, lw.mass_matrix(model, q)) < 1e-12
    assert relative_error(np.add(h, g), lw.bias_forces(model, q, v)) < 1e-12
    other = dict(made.parameters)
    name = next(name for name in other if name.startswith("alpha"))
    other[name] += 0.5
    assert relative_error(scope["turned_equations"](q, v, list(other.values()))[2], g) > 1e-3


def test_names():
    made = equations(chain((0, 0, 0), (0.6, 0, 0), (0.3, 0.2, 0)))
    assert {name: x for name, x in made.parameters.items() if name.startswith("alpha")} == {
        "alpha2": 0.6,
        "alpha3a": 0.2,
        "alpha3b": 0.3,
    }
    assert made.meanings["alpha2"] == "turn of the placement of joint 'j1' about x, rad"
    assert "1.0e-03 from a multiple of π/12" in equations(chain((np.pi / 2 - 1e-3, 0, 0))).meanings["alpha1"]
    planar = lw.Builder("bent").body("a", 1.0, (0.5, 0, 0), 0.1).body("b", 1.0, (0.5, 0, 0), 0.1)
    planar.joint("one", "revolute", "world", "a", axis=(0, 1, 0))
    planar.joint("two", "revolute", "a", "b", axis=(0, 1, 0), xyz=(1.0, 0, 0), rpy=(0, 0.4, 0))
    bent = equations(planar.build())
    assert bent.text(what="M").splitlines()[1] == "M[1,2] = m2*lg2*(lg2 + l1*cos(theta2 + alpha2)) + I2"
    assert r"\cos(\theta_{2} + \alpha_{2})" in bent.latex(what="M")
    assert bent.mass_matrix.shape == (2, 2)


def test_numbers_are_refused_still():
    model = chain((0.6, 0, 0))
    for parameters in ("numbers", {"geometry": "numbers"}, {"alpha1": 0.6}):
        with pytest.raises(ModelError, match=r"geometry as symbols, where such an angle has a name \(alpha1\)"):
            equations(model, parameters)


def test_factors_of_rotations():
    rng = np.random.default_rng(0)
    some = [
        rotation_rpy(rng.integers(-12, 13, 3) * np.pi / 12) @ rotation_about(np.eye(3)[k % 3], 0.1 + k)
        for k in range(12)
    ]
    for R in [*some, *(random_rotation(rng) for _ in range(12))]:
        product = np.eye(3)
        for factor in factors_of_rotation(R, 1e-10):
            turn = factor.astype(float) if isinstance(factor, np.ndarray) else turn_about(*factor)
            product = product @ turn
        assert np.abs(product - R).max() < 1e-9
    for axis in range(3):
        assert np.allclose(turn_about(axis, 0.3), rotation_about(np.eye(3)[axis], 0.3), atol=1e-15)
        assert len(factors_of_rotation(rotation_about(np.eye(3)[axis], 0.3), 1e-10)) == 1
