"""Contacts of motions with many pairs are compiled, and are those of the functions evaluated on numbers."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import linkwright as lw
from linkwright.compiler import public
from linkwright.dynamics.impulses.contact_impulses import contact_impulses
from linkwright.simulation.integrators.constrained_step import step_residuals

H = 2e-3

pytestmark = pytest.mark.filterwarnings("ignore:at the start:linkwright.errors.LinkwrightWarning")


def crawling(count: int, restitution: float | None = None) -> lw.Model:
    """Three links with ``count`` balls each above the ground, some of them with torsional and rolling friction."""
    chain = lw.load("chain3d:3")
    builder, generator = lw.Builder(chain), np.random.default_rng(2)
    for body in chain.bodies:
        for k, at in enumerate(generator.uniform(-0.2, 0.2, (count, 3))):
            turning = {"torsional_friction": 0.01, "rolling_friction": 0.002} if k % 2 else {}
            surface = lw.ContactProperties(friction=0.5, restitution=restitution, **turning)
            builder = builder.shape(body.name, "sphere", radius=0.05, xyz=at, contact=surface)
    return builder.build().with_ground(height=-0.1)


@pytest.mark.parametrize("restitution", [None, 0.5])
def test_contacts_are_those_of_numbers(restitution: float | None, monkeypatch: pytest.MonkeyPatch) -> None:
    model = crawling(8, restitution)
    rows = []
    monkeypatch.setattr(public.RowByRow, "__init__", lambda self, bound: rows.append(bound))
    method = lw.Integrator("semi_implicit", joint_limits=True)
    motion = lw.simulate(model, model.neutral(), 0.3 * np.ones(model.nv), 0.05, H, method=method)
    found = motion.contacts
    assert np.abs(found.forces).max() > 1.0
    assert np.abs(found.moments).max() > 1e-3
    assert np.abs(found.work).max() > 1e-3
    assert not rows  # nothing is evaluated without compilation
    assert motion.constraints is not None
    assert motion.impulses is not None
    touches = np.flatnonzero(found.work)
    for k in touches[:: max(1, len(touches) // 3)]:
        states = motion.q[k - 1], motion.v[k - 1], motion.q[k], motion.v[k], motion.impulses[k]
        values = step_residuals(model, *states, H, motion.constraints)
        for one, value in zip((found.work, found.lift, found.residual), values, strict=True):
            assert one[k] == pytest.approx(value, rel=1e-9, abs=1e-12)
        p = motion.impulses[k][-sum(3 + 3 * (pair.torsional_friction != 0.0) for pair in model.pairs) :]
        points = contact_impulses(model, motion.q[k - 1], p / H)
        assert np.allclose(found.forces[k], [one.force for one in points], rtol=1e-12, atol=1e-12)
        assert np.allclose(found.moments[k], [one.moment for one in points], rtol=1e-12, atol=1e-12)


def test_contacts_of_many_pairs_are_compiled() -> None:
    """Straight-line code of so many pairs is too large to compile."""
    model = crawling(60)
    motion = lw.simulate(model, model.neutral(), np.zeros(model.nv), 0.02, H)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = motion.contacts
        assert np.isfinite(found.residual).all()
        assert np.isfinite(found.energy_gained)
