"""Contacts bring no energy: neither an impact at one configuration, nor their work over a step."""

import warnings

import numpy as np
import pytest

import linkwright as lw
from linkwright.dynamics.impulses.solving import Impulses
from linkwright.simulation.stepping.impacts import Constraints, _factorised, _groups

COUNT = 40
"""Impacts of each kind"""

EXACT = lw.Solver(sweeps=2000, tolerance=1e-12)


def chain(restitution, friction):
    builder = lw.Builder("chain")
    for k in range(3):
        builder.body(f"b{k}", 1.0, (0, 0, 0.1), np.diag([0.004, 0.004, 0.001]))
        builder.shape(
            f"b{k}", "capsule", radius=0.03, length=0.2, xyz=(0, 0, 0.1), restitution=restitution, friction=friction
        )
    builder.joint("f", "free", "world", "b0").joint("j1", "spherical", "b0", "b1", xyz=(0, 0, 0.25))
    builder.joint("j2", "revolute", "b1", "b2", xyz=(0, 0, 0.25), axis=(1, 0, 0), lower=-0.8, upper=0.8)
    return builder.build().with_ground()


@pytest.mark.parametrize(("restitution", "friction"), [(0.8, 0.5), (0.9, 1.0), (1.0, 0.0)])
def test_contacts_do_no_work_over_a_step(restitution, friction):
    """½ pᵀ(u + u⁺) of all contacts of a step, in the drops of a chain that whips about."""
    model, q, v = chain(restitution, friction), [], []
    for seed in range(30):
        q.append(np.r_[0.0, 0.0, 0.7, model.random(seed=seed)[3:]])
        v.append(2.0 * np.random.default_rng(seed).normal(size=model.nv))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of energy, where a step is long for how fast links turn
        motion = lw.simulate(model, q, v, 0.8, solver=EXACT)
    assert motion.contacts.work.min() < -1.0
    assert motion.contacts.work.max() < 1e-9
    found = lw.rollout(model, np.array(q), np.array(v), 800, 1e-3, solver=EXACT)
    assert np.array_equal(found.q[-1], motion.q[-1])


@pytest.mark.parametrize("limits", [False, True])
@pytest.mark.parametrize(("restitution", "friction"), [(0.0, 0.7), (0.8, 0.5), (0.9, 1.0), (1.0, 0.0)])
def test_an_impact_at_one_configuration_adds_no_kinetic_energy(restitution, friction, limits):
    model, rng, h = chain(restitution, friction), np.random.default_rng(7), 1e-3
    constraints = Constraints(contact=True, limits=limits, solver=EXACT)
    struck = 0
    for seed in range(COUNT):
        q = lw.stand(model, model.random(seed=seed))
        v = 3.0 * rng.normal(size=model.nv)
        factors = _factorised(model, q, v, h, constraints)[2]
        impulses = Impulses(factors, _groups(model, q, v, h, constraints), v, v, h, EXACT)
        found = impulses.found(np.zeros(impulses.size))
        energy = factors.energy(v)
        struck += bool(np.any(found.p))
        assert factors.energy(v + impulses.velocity(found)) <= energy * (1.0 + 1e-9)
    assert struck > COUNT // 4
