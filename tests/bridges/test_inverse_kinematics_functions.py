"""Inverse kinematics as a function of PyTorch tensors and JAX arrays."""

from __future__ import annotations

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import ArgumentError, InputError

ARM = lw.load("arm7")
OPTIONS = {"targets": {"tool": 3}, "initial_guess": True, "parameters": ["joint3.position"]}


def arguments(rows=4):
    q = 0.7 * ARM.random(rows, seed=3)
    return lw.pose(ARM, 0.9 * q, "tool")[:, :3, 3], q, ARM.geometry_of("joint3.position")


def expected(w):
    """Return the derivatives of w·q by target and geometry, the latter summed over the rows."""
    p, q, _ = arguments()
    _, by = lw.inverse_kinematics_derivatives(ARM, {"tool": p}, q, parameters=["joint3.position"])
    return np.einsum("rn,rnk->rk", w, by["tool"]), np.einsum("rn,rnk->k", w, by["joint3.position"])


def test_gradients_of_torch_and_jax_are_the_same():
    torch = pytest.importorskip("torch", reason="PyTorch (the extra 'torch') is not installed")
    jax = pytest.importorskip("jax", reason="JAX (the extra 'jax') is not installed")
    jax.config.update("jax_enable_x64", True)
    w = np.random.default_rng().normal(size=(4, 7))
    by_hand = expected(w)
    given = arguments()
    p, q, x = (torch.tensor(one) for one in given)
    p.requires_grad_(True)
    x.requires_grad_(True)
    ik = lw.bridges.torch(lw.inverse_kinematics, ARM, **OPTIONS)
    found, error = ik(p, q, x)
    assert error.detach().max().item() < 1e-9
    (torch.tensor(w) * found).sum().backward()
    of_jax = lw.bridges.jax(lw.inverse_kinematics, ARM, **OPTIONS)
    by_jax = jax.jit(jax.grad(lambda p, q, x: (w * of_jax(p, q, x)[0]).sum(), (0, 2)))(*given)
    for ours, one, other in zip(by_hand, (p.grad, x.grad), by_jax, strict=True):
        assert np.abs(one.numpy() - np.asarray(other)).max() < 1e-12
        assert np.abs(one.numpy() - ours).max() < 1e-8 * max(1.0, np.abs(ours).max())

    def at(s):
        return (torch.tensor(w) * ik(p.detach() + s, found.detach(), x.detach())[0]).sum().item()

    difference = (at(1e-5) - at(-1e-5)) / 2e-5
    assert abs(difference - p.grad.sum().item()) < 1e-5 * p.grad.abs().max().item()
    jacobian = torch.func.vmap(torch.func.jacrev(lambda p, q: ik(p, q, x.detach())[0]))(p.detach(), q)
    assert torch.allclose(torch.einsum("rn,rnk->rk", torch.tensor(w), jacobian), p.grad, atol=1e-10)
    with pytest.raises(InputError, match="first derivatives only"):
        torch.func.hessian(lambda p: ik(p, q[0], x.detach())[0].sum())(p[0].detach())


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({}, ArgumentError, "shapes of targets by task"),
        ({"targets": {"tool": "pose"}}, ArgumentError, "by its shape"),
        ({"targets": {"tool": 5}}, lw.errors.ShapeError, "expected a pose"),
        ({"targets": {"tol": 3}}, lw.errors.UnknownNameError, "tool"),
        ({"targets": {"tool": 3}, "initial_guess": 7}, ArgumentError, "True or False"),
    ],
)
def test_wrong_options(options, error, message):
    pytest.importorskip("torch", reason="PyTorch (the extra 'torch') is not installed")
    with pytest.raises(error, match=message):
        lw.bridges.torch(lw.inverse_kinematics, ARM, **options)


def test_without_a_mechanism():
    pytest.importorskip("torch", reason="PyTorch (the extra 'torch') is not installed")
    with pytest.raises(ArgumentError, match="requires a mechanism"):
        lw.bridges.torch(lw.inverse_kinematics, targets={"tool": 3})
