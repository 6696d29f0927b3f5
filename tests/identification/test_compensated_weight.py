"""Identification of links whose weight passive forces compensate: the compensation follows the identified mass."""

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import InputError
from linkwright.identification.fitting.unknowns import Unknowns


def arm(mass=1.0, welded=0.8):
    builder = lw.Builder("arm").body("upper", mass, (0.0, 0.1, -0.3), inertia=0.01, gravity_compensation=0.8)
    builder.body("lower", 0.5, (0, 0, -0.2), inertia=0.01).body("tool", 0.2, inertia=0.001, gravity_compensation=welded)
    builder.joint("shoulder", "revolute", "world", "upper", axis=(0, 1, 0))
    builder.joint("elbow", "revolute", "upper", "lower", axis=(1, 0, 0), xyz=(0, 0, -0.5))
    return builder.joint("flange", "fixed", "upper", "tool", xyz=(0.1, 0.0, -0.4)).build()


def efforts(model, q, v, a):
    return lw.inverse_dynamics(model, q, v, a) - lw.passive_forces(model, q, v)


@pytest.mark.parametrize("only", [None, ["upper"], ["lower"], ["upper", "tool"]])
def test_the_regressor_contains_the_compensation(only):
    model, unknowns = arm(), Unknowns.of(arm(), only)
    q, v, a = np.random.default_rng().normal(size=(3, 2))
    theta = unknowns.of_model(arm(mass=1.3))  # other masses, and first moments
    expected = efforts(unknowns.model_of(theta), q, v, a)
    found = unknowns.regressor(model, q, v, a) @ theta + unknowns.known(model, q, v, a)
    np.testing.assert_allclose(found, expected, atol=1e-12)


@pytest.mark.filterwarnings("ignore:much of the measured efforts is left")
@pytest.mark.parametrize("only", [None, ["upper"]])
def test_a_compensated_mass_is_identified(only):
    q, v, a = np.random.default_rng().normal(size=(3, 200, 2))
    truth = arm(mass=1.3)
    found = lw.identify(arm(), q, v, a, efforts(truth, q, v, a), only=only)
    expected = found.base.matrix @ found.unknowns.of_model(truth)
    np.testing.assert_allclose(found.base_parameters, expected, atol=1e-9)


def test_bodies_of_links_with_different_compensation_are_refused():
    with pytest.raises(InputError, match=r"'upper' have different gravity_compensation.*only="):
        Unknowns.of(arm(welded=0.0))
    Unknowns.of(arm(welded=0.0), ["upper"])
