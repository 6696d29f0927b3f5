"""Derivatives of rollouts by parameters of the mechanism, through contact."""

from __future__ import annotations

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import UnknownNameError

BALL = lw.Builder("ball").body("ball", 1.0, inertia=0.01).shape("ball", "sphere", name="round", radius=0.1)
MODEL = BALL.joint("root", "free", "world", "ball").build().with_ground()
VALUES = {"round.radius": np.array(0.1), "ball.mass": np.array(1.0), "round.position": np.array([0.01, 0.0, 0.02])}
STEPS = 150


def start():
    q = MODEL.neutral()
    q[2] = 0.15
    return q, np.array([0.5, 0.0, 0.0, 0.0, 0.0, 0.0])


def distance(model, t, q, v, tau):
    """Return the reward of a step."""
    return q[0] + q[2] * q[2]


def test_gradients_of_the_end_and_of_the_reward_by_geometry_and_mass():
    q, v = start()
    episode = lw.Episode(reward=distance)
    found, by_end = lw.rollout_derivatives(MODEL, q, v, STEPS, wrt=["v0", *VALUES], parameters=VALUES)
    _, by_reward = lw.rollout_derivatives(MODEL, q, v, STEPS, wrt=[*VALUES], parameters=VALUES, episode=episode)
    assert by_end["v0"].shape == (12, 6)

    def run(values):
        other = lw.rollout(MODEL, q, v, STEPS, parameters=values, episode=episode)
        return lw.difference(MODEL, found.end[0], other.end[0]), other.end[1], other.reward

    for name, x in VALUES.items():
        for place in np.ndindex(*x.shape):
            e = np.zeros_like(x)
            e[place] = 1e-6
            after, before = run(VALUES | {name: x + e}), run(VALUES | {name: x - e})
            q_slope, v_slope, slope = ((a - b) / 2e-6 for a, b in zip(after, before, strict=True))
            assert np.abs(np.concatenate([q_slope, v_slope]) - by_end[name][(..., *place)]).max() < 1e-5
            assert abs(slope - by_reward[name][place]) < 1e-5 * max(1.0, abs(slope))


def test_unknown_names():
    q, v = start()
    with pytest.raises(UnknownNameError, match=r"round\.radius"):
        lw.rollout_derivatives(MODEL, q, v, 5, wrt=["round.radius"])


def test_differentiable_rollouts_of_torch():
    torch = pytest.importorskip("torch", reason="PyTorch (the extra 'torch') is not installed")
    q, v = start()
    episode = lw.Episode(reward=distance)
    reward = lw.bridges.torch(lw.rollout, MODEL, steps=STEPS, episode=episode, parameters=["round.radius"])
    radius = torch.tensor(0.1, dtype=torch.float64, requires_grad=True)
    reward(torch.tensor(q), torch.tensor(v), radius).backward()
    values = {"round.radius": 0.1}
    _, by = lw.rollout_derivatives(MODEL, q, v, STEPS, wrt=[*values], parameters=values, episode=episode)
    assert abs(radius.grad.item() - float(by["round.radius"])) < 1e-9 * abs(float(by["round.radius"]))
