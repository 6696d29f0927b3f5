"""Differentiable rollouts: the derivatives of `rollout_derivatives`, in PyTorch and JAX, and second ones."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

import linkwright as lw

ARM = lw.load("two_link")
Q0, V0, TARGET = np.array([0.3, 0.2]), np.array([0.0, 0.1]), np.array([0.1, 0.2])


def pull(model, t, q, v, stiffness, target):
    return stiffness * (target - q) - 0.5 * v


def cost(model, t, q, v, tau):
    return -(q @ q)


CONTROLLER = partial(pull, stiffness=5.0, target=TARGET)
OPTIONS = {"steps": 40, "step": 1e-2, "controller": CONTROLLER}
TASK = lw.Episode(reward=cost)


def expected(names, **options):
    return lw.rollout_derivatives(ARM, Q0, V0, 40, 1e-2, CONTROLLER, wrt=names, **options)


def test_reward_in_torch():
    torch = pytest.importorskip("torch", reason="PyTorch is not installed (extra torch)")
    f = lw.bridges.torch(lw.rollout, ARM, **OPTIONS, episode=TASK, wrt=["stiffness", "target"])
    arrays = [torch.as_tensor(x, dtype=torch.float64).requires_grad_() for x in (Q0, V0, 5.0, TARGET)]
    reward = f(*arrays)
    motion, by = expected(["q0", "v0", "stiffness", "target"], episode=TASK)
    np.testing.assert_allclose(reward.detach(), motion.reward, rtol=1e-12)
    gradients = torch.autograd.grad(reward, arrays)
    for gradient, ours in zip(gradients, by.values(), strict=True):
        np.testing.assert_allclose(gradient, ours, rtol=0.0, atol=1e-10)
    assert torch.autograd.gradgradcheck(f, arrays)


def test_end_in_jax():
    jax = pytest.importorskip("jax", reason="JAX is not installed (extra jax)")
    jax.config.update("jax_enable_x64", True)
    f = lw.bridges.jax(lw.rollout, ARM, **OPTIONS, wrt="target")
    motion, by = expected(["target"])
    end = jax.jit(f)(Q0, V0, TARGET)
    for x, ours in zip(end, motion.end, strict=False):
        np.testing.assert_allclose(x, ours, rtol=0.0, atol=1e-12)
    for of in (jax.jacfwd, jax.jacrev):
        J = np.concatenate(of(f, 2)(Q0, V0, TARGET))
        np.testing.assert_allclose(J, by["target"], rtol=0.0, atol=1e-10)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"wrt": "speed"}, "unknown argument of a rollout 'speed'"),
        ({"wrt": "q0"}, "'q0'"),
        ({"method": "dopri5"}, "steps of one length"),
        ({"seed": 3}, "^rollout has no argument 'seed'"),
        ({"episode": lw.Episode(reset="start")}, "takes no reset"),
        ({"episode": lw.Episode(keep=("q", "tau"))}, "keep= of an episode is not used"),
    ],
)
def test_errors_are_explained(options, message):
    pytest.importorskip("torch", reason="PyTorch is not installed (extra torch)")
    with pytest.raises(lw.errors.LinkwrightError, match=message):
        lw.bridges.torch(lw.rollout, ARM, **OPTIONS, **options)
