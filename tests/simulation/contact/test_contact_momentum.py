"""Momentum of free bodies in contact: no force has a part along ice, and forces between bodies are opposite."""

import numpy as np
import pytest

import linkwright as lw

ICE = [
    ("box", {"size": (0.2, 0.3, 0.1)}, np.diag([0.1, 0.05, 0.13]) / 12),
    ("cylinder", {"radius": 0.1, "length": 0.1}, np.diag([0.005] * 3)),
    ("ellipsoid", {"size": (0.2, 0.3, 0.1)}, np.diag([0.005, 0.0025, 0.0065])),
]


def turned(rng):
    u = rng.normal(size=4)
    return u / np.linalg.norm(u)


@pytest.mark.variants("restitution")
@pytest.mark.parametrize("restitution", [0.0, 0.8])
@pytest.mark.parametrize(("kind", "shape", "inertia"), ICE, ids=[one[0] for one in ICE])
def test_horizontal_momentum_on_frictionless_ice_is_conserved(kind, shape, inertia, restitution):
    builder = lw.Builder("thing").body("thing", 1.0, inertia=inertia).joint("free", "free", "world", "thing")
    model = (
        builder.shape("thing", kind, contact=lw.ContactProperties(friction=0.0, restitution=restitution), **shape)
        .build()
        .with_ground()
    )
    rng, q, v = np.random.default_rng(0), [], []
    for _ in range(6):
        q.append(np.r_[0.0, 0.0, 0.35, turned(rng)])
        R = lw.pose(model, q[-1], "thing")[:3, :3]
        v.append(np.r_[R.T @ [1.0, 0.5, -1.0], 5 * rng.normal(size=3)])
    motion = lw.simulate(model, q, v, 0.6)
    assert motion.contacts.forces.any()
    P = lw.momentum(model, motion.q, motion.v)[..., :2]
    assert np.abs(P - P[0]).max() < 1e-12
    found = lw.rollout(model, np.array(q), np.array(v), 600, 1e-3)
    assert np.array_equal(found.q[-1], motion.q[-1])
    assert np.array_equal(found.v[-1], motion.v[-1])


@pytest.mark.parametrize(("restitution", "friction"), [(0.0, 1.0), (0.0, 0.0), (0.5, 0.5), (1.0, 0.0)])
def test_momentum_of_bodies_that_collide_is_conserved(restitution, friction):
    """Linear momentum to rounding; angular momentum about the origin to the first order of the step."""
    builder = lw.Builder("two", gravity=(0, 0, 0))
    for name, mass, size in (("a", 0.5, (0.2, 0.3, 0.1)), ("b", 1.7, (0.2, 0.2, 0.2))):
        square = np.square(size)
        builder.body(name, mass, inertia=np.diag(mass / 12 * (square.sum() - square)))
        builder.joint(f"{name}_free", "free", "world", name)
        builder.shape(name, "box", size=size, contact=lw.ContactProperties(friction=friction, restitution=restitution))
    model = builder.build().with_contact()
    rng, q, v = np.random.default_rng(1), [], []
    for _ in range(8):
        q.append(np.r_[0.0, 0.0, 0.0, turned(rng), 0.6, 0.05, 0.0, turned(rng)])
        R = lw.pose(model, q[-1], "a")[:3, :3]
        v.append(np.r_[R.T @ [3.0, 0.0, 0.0], 0.5 * rng.normal(size=9)])
    for h in (1e-3, 2.5e-4):
        motion = lw.simulate(model, q, v, 0.4, h)
        assert motion.contacts.forces.any()
        momentum = np.array(
            [[lw.momentum(model, *at, [0.0, 0, 0]) for at in zip(*some, strict=True)]
             for some in zip(motion.q[[0, -1]], motion.v[[0, -1]], strict=True)]
        )  # fmt: skip
        change = np.abs(momentum[1] - momentum[0])
        assert change[:, :3].max() < 1e-12
        assert change[:, 3:].max() < 4.0 * h
