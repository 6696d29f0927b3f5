"""Explanations of closed loops: rest by statics, stability by energies and by linearize."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import linkwright as lw
from linkwright.symbolic.closed_loop_control import equilibria


def five_bar(damping=0.0):
    builder = lw.Builder("five_bar", gravity=(0, -9.81, 0))
    for name in ("a1", "a2", "b1", "b2"):
        builder.body(name, 1.0, (0.25, 0, 0), 0.02)
    builder.joint("j1", "revolute", "world", "a1", xyz=(-0.2, 0, 0), damping=damping)
    builder.joint("j2", "revolute", "a1", "a2", xyz=(0.5, 0, 0))
    builder.joint("j3", "revolute", "world", "b1", xyz=(0.2, 0, 0), damping=damping)
    builder.joint("j4", "revolute", "b1", "b2", xyz=(0.5, 0, 0)).frame("end", "a2", xyz=(0.5, 0, 0))
    return builder.loop("tip", "revolute", "b2", "end", xyz=(0.5, 0, 0)).build()


MODELS = {
    "four_bar": lambda: lw.load("four_bar"),
    "slider_crank": lambda: lw.load("slider_crank"),
    "five_bar": five_bar,
    "damped": lambda: five_bar(0.3),
}


@pytest.fixture(autouse=True)
def few_starts(monkeypatch):
    """Search equilibria from a third of the initial guesses."""
    monkeypatch.setattr(equilibria, "STARTS", 32)


@cache
def explained(name):
    """The explanation of a linkage, the same for all tests."""
    return lw.equations(MODELS[name]()).explanation()


DEGREES = {"four_bar": 1, "slider_crank": 1, "five_bar": 2, "damped": 2}


@pytest.mark.parametrize("name", MODELS)
def test_equilibria_rest_on_the_loops_and_small_motions_are_those_of_linearize(name):
    result = explained(name)
    model = result.model
    assert result.latex().isascii()
    found = result.equilibria.found
    assert len(found) >= 4
    n, still = model.nv, np.zeros(model.nv)
    for one in found:
        assert np.abs(lw.constraint_residual(model, one.q)).max() < 1e-8
        # statics: the loops carry the weight, and nothing accelerates
        carried = lw.constraint_jacobian(model, one.q).T @ one.multipliers
        assert np.abs(carried - lw.gravity_forces(model, one.q)).max() < 1e-6
        assert np.abs(lw.forward_dynamics(model, one.q, still, still)).max() < 1e-5
        assert one.basis.shape[1] == DEGREES[name]
        A, _ = lw.linearize(model, one.q, still, still)
        Z = np.kron(np.eye(2), one.basis)
        expected = np.linalg.eigvals(Z.T @ A @ Z)  # of what the loops allow; Z is orthonormal
        for x in one.eigenvalues:
            assert np.abs(expected - x).min() < 1e-4 * np.abs(expected).max()
        # the energy about it, among closed configurations
        rng = np.random.default_rng(0)
        here, higher = lw.potential_energy(model, one.q), []
        for _ in range(10):
            y = one.basis @ rng.normal(size=one.basis.shape[1])
            near = lw.close_loops(model, lw.integrate(model, one.q, 1e-3 * y / np.linalg.norm(y)))
            higher.append(lw.potential_energy(model, near) > here)
        assert all(higher) == one.minimum
    assert n == found[0].q.size


def test_friction_makes_the_lowest_asymptotically_stable():
    result = explained("damped")
    assert [one.kind for one in result.equilibria.found].count("asymptotically stable") == 1
    assert "With the model's friction motions die out." in result.text()
    assert "no friction" in explained("five_bar").text()


def test_without_weight_they_rest_everywhere():
    result = lw.equations(five_bar().with_gravity((0, 0, 0))).explanation()
    assert "rests in every configuration" in result.text()


def test_configurations_of_many_coordinates_are_named_by_their_place(monkeypatch):
    monkeypatch.setattr("linkwright.symbolic.interpretation.closed_loops.LISTED", 2)
    text = lw.equations(lw.load("four_bar")).explanation().text()
    assert "1. at q = explanation().equilibria.found[0].q; potential energy" in text
    assert "2. at q = explanation().equilibria.found[1].q; potential energy" in text
