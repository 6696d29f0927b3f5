"""Motions and efforts that are made up, for tests."""

from __future__ import annotations

import numpy as np

import linkwright as lw
from linkwright.model.tree import Model


def motion(model: Model, samples: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """q, v, a of independent samples, and the efforts they take, friction and springs of the joints included."""
    rng = np.random.default_rng(seed)
    q = model.random(samples, seed=rng)
    v, a = rng.standard_normal((2, samples, model.nv))
    return q, v, a, lw.inverse_dynamics(model, q, v, a) - lw.passive_forces(model, q, v)


def with_motors(model: Model, armature: float = 0.1, damping: float = 0.5, friction: float = 0.3) -> Model:
    """The mechanism with motors and friction in all joints."""
    for joint in model.joints:
        model = model.with_joint(joint.name, armature=armature, damping=damping, friction=friction)
    return model


def roughly(model: Model, rng: np.random.Generator) -> Model:
    """Return a model with wrong parameters: masses and moments by up to 20 %, centers of mass by a centimeter."""
    for body in model.bodies:
        model = model.with_body(
            body.name,
            mass=body.mass * rng.uniform(0.8, 1.2),
            center_of_mass=body.center_of_mass + rng.uniform(-0.01, 0.01, 3),
            inertia=body.inertia * rng.uniform(0.8, 1.2),
        )
    return model


def noisy(tau: np.ndarray, rng: np.random.Generator, part: float = 0.05) -> tuple[np.ndarray, np.ndarray]:
    """The efforts with noise, and its standard deviations."""
    sigma = part * np.sqrt((tau**2).mean(axis=0))
    return tau + sigma * rng.standard_normal(tau.shape), sigma
