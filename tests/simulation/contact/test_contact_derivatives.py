"""Derivatives through contact and limits: as differences are, where nothing switches."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest
from tests.setups import grouped

import linkwright as lw

BY, H = 1e-6, 1e-3
EXACT = lw.Solver(iterations=3000, tolerance=1e-14)


def thing(kind: str, inertia: Any, joint: str = "free", **shape: Any) -> lw.Model:
    """A body of one shape."""
    builder = lw.Builder("thing").body("thing", mass=1.0, inertia=inertia).joint("root", joint, "world", "thing")
    return builder.shape("thing", kind, **shape).build()


def above(height: float) -> np.ndarray:
    return np.array([0.0, 0.0, height, 1.0, 0.0, 0.0, 0.0])


def rod() -> lw.Model:
    """Two links that hang, the second within narrow limits."""
    made = lw.Builder("rod")
    for name, parent, z in (("upper", "world", 0.0), ("lower", "upper", -0.5)):
        made.body(name, mass=1.0, inertia=0.05, center_of_mass=(0.0, 0.0, -0.25))
        made.joint(name, "revolute", parent, name, axis=(0, 1, 0), xyz=(0, 0, z), limits=(-0.2, 0.2))
    return made.build()


def pressed(model: lw.Model, t: Any, q: Any, v: Any, *, efforts: Any) -> Any:
    return efforts


def cost(model: lw.Model, t: Any, q: Any, v: Any, tau: Any) -> Any:
    return -(v @ v) - 10.0 * q[2 % model.nq]


ball = thing("sphere", 0.004, radius=0.1)
block = thing("box", [0.01, 0.02, 0.03], size=(0.3, 0.2, 0.1))
ROUGH = lw.ContactProperties(friction=0.8, torsional_friction=0.01, rolling_friction=1e-3)
PUSH = np.array([1.0, 0.5, 0.0, 0.0, 0.0, 0.1])
CASES = {
    "slides": (
        ball.with_ground(contact=lw.ContactProperties(friction=0.2)),
        above(0.1 - 1e-4),
        [1.0, 0.2, 0, 0, 0, 0],
        np.zeros(6),
    ),
    "rolls": (ball.with_ground(contact=ROUGH), above(0.1 - 1e-4), [1.0, 0, 0, 0, 10, 3], np.zeros(6)),
    "bounces": (
        ball.with_ground(contact=lw.ContactProperties(friction=0.3, restitution=0.7)),
        above(0.12),
        [1.0, 0, -2, 0, 10, 3],
        np.zeros(6),
    ),
    "sinks": (
        ball.with_ground(contact=lw.ContactProperties(stiffness=1e4, damping=10.0)),
        above(0.1 - 1e-3),
        [1.0, 0, 0, 0, 10, 3],
        np.zeros(6),
    ),
    "flies": (
        ball.with_ground(contact=lw.ContactProperties(restitution=0.5)),
        above(1.0),
        [1.0, 0, -2, 0, 10, 3],
        np.zeros(6),
    ),
    "sticks": (block.with_ground(contact=lw.ContactProperties(friction=0.3)), above(0.05 - 1e-4), np.zeros(6), PUSH),
    "at a limit": (rod(), [0.1, 0.2 + 1e-4], [0.1, 0.0], [0.0, 2.0]),
}


def close_to(found: np.ndarray, wanted: np.ndarray, by: float = 2e-6) -> None:
    assert np.isfinite(found).all()
    assert np.abs(found - wanted).max() <= by * (1.0 + np.abs(wanted).max())


def differences(model: lw.Model, q: Any, v: Any, efforts: Any, steps: int, of: str) -> np.ndarray:
    """By the start and the efforts, the last axis, in one batch."""
    n, x = model.nv, BY * np.eye(3 * model.nv)
    x = np.concatenate([x, -x])
    q0 = np.stack([lw.integrate(model, np.asarray(q, float), row[:n]) for row in x])
    law = partial(pressed, efforts=np.asarray(efforts) + x[:, 2 * n :])
    options: dict[str, Any] = dict(each=["efforts"], joint_limits=True, solver=EXACT, reward=cost)
    found = lw.rollout(model, q0, np.asarray(v) + x[:, n : 2 * n], steps, H, **grouped(controller=law, **options))
    one, other = np.split(found.reward if of == "reward" else np.arange(2 * 3 * n), 2)
    if of == "end":
        q1, v1 = found.q[0], found.v[0]
        other, one = other.astype(int), one.astype(int)
        return np.concatenate([lw.difference(model, q1[other], q1[one]), v1[one] - v1[other]], axis=-1).T / (2 * BY)
    return (one - other) / (2 * BY)


@pytest.mark.variants("of")
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("of", ["end", "reward"])
def test_of_rollouts_forwards_and_backwards(case: str, of: str) -> None:
    model, q, v, efforts = CASES[case]
    law = partial(pressed, efforts=np.asarray(efforts, float))
    wrt = ["q0", "v0", "efforts"]
    _, by = lw.rollout_derivatives(
        model,
        q,
        v,
        15,
        H,
        controller=law,
        wrt=wrt,
        method=lw.Integrator(joint_limits=True),
        episode=lw.Episode(reward=cost if of == "reward" else None),
    )
    close_to(np.concatenate([by[name] for name in wrt], axis=-1), differences(model, q, v, efforts, 15, of))


@pytest.mark.parametrize("case", CASES)
def test_of_a_step(case: str) -> None:
    model, q, v, efforts = CASES[case]
    AB = np.concatenate(lw.linearize(model, q, v, efforts, step=H, method=lw.Integrator(joint_limits=True)), axis=-1)
    close_to(AB, differences(model, q, v, efforts, 1, "end"))


def test_of_smooth_contact() -> None:
    model, q, v, efforts = CASES["rolls"]
    A, _ = lw.linearize(model, q, v, efforts, step=1e-4, method="rk4")
    n, end = model.nv, lw.simulate(model, q, v, 1e-4, 1e-4, method="rk4")
    found = []
    for sign in (1.0, -1.0):
        x = sign * BY * np.eye(n)
        moved = lw.simulate(model, q, np.asarray(v) + x, 1e-4, 1e-4, method="rk4")
        found.append(np.concatenate([lw.difference(model, end.q[-1], moved.q[-1]), moved.v[-1]], axis=-1))
    close_to(A[:, n:], (found[0] - found[1]).T / (2 * BY))
    rate, _ = lw.linearize(model, q, v, efforts)
    assert rate[n + 2, 2] < -1e3  # the ground's stiffness


def test_contact_that_cannot_be_is_reported() -> None:
    model, q, v, efforts = CASES["at a limit"]
    with pytest.raises(lw.errors.InputError, match="limits act in steps"):
        lw.linearize(model, q, v, efforts, method=lw.Integrator(joint_limits=True))
    with pytest.raises(lw.errors.InputError, match="limits act in steps of 'semi_implicit'"):
        lw.linearize(model, q, v, efforts, step=H, method=lw.Integrator("rk4", joint_limits=True))
