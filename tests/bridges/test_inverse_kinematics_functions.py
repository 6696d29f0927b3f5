"""Inverse kinematics as a function of PyTorch tensors and JAX arrays."""

from __future__ import annotations

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import ArgumentError

ARM = lw.load("arm4")
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
    w = np.random.default_rng().normal(size=(4, ARM.nv))
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


def test_second_derivatives_of_torch_and_jax_are_ours():
    torch = pytest.importorskip("torch", reason="PyTorch (the extra 'torch') is not installed")
    jax = pytest.importorskip("jax", reason="JAX (the extra 'jax') is not installed")
    jax.config.update("jax_enable_x64", True)
    w = np.random.default_rng().normal(size=ARM.nv)
    p, q, _ = arguments(2)
    options = {"targets": {"tool": 3}, "initial_guess": True}
    of_torch, of_jax = (bridge(lw.inverse_kinematics, ARM, **options) for bridge in (lw.bridges.torch, lw.bridges.jax))
    by_torch = torch.func.hessian(lambda p: (torch.tensor(w) * of_torch(p, torch.tensor(q))[0]).sum())(torch.tensor(p))
    by_jax = jax.vmap(jax.hessian(lambda p, q: (w * of_jax(p, q)[0]).sum()))(p, q)
    kernel = lw.compile(lambda model, p, q: lw.inverse_kinematics(model, {"tool": p}, q).q, ARM, p=3, q=ARM.nq)
    ours = np.einsum("n,rnij->rij", w, kernel.derivative("p").derivative("p")(p, q))
    scale = np.abs(ours).max()
    assert np.isfinite(ours).all()
    for row in range(2):
        assert np.abs(by_torch[row, :, row].numpy() - ours[row]).max() < 1e-10 * scale
    assert np.abs(np.asarray(by_jax) - ours).max() < 1e-10 * scale


def test_derivatives_by_the_initial_guess_and_of_no_rows():
    """I − J⁺J, in both libraries; batches of no rows have gradients of zero, or none."""
    torch = pytest.importorskip("torch", reason="PyTorch (the extra 'torch') is not installed")
    jax = pytest.importorskip("jax", reason="JAX (the extra 'jax') is not installed")
    jax.config.update("jax_enable_x64", True)
    arm = lw.load("planar:3")
    options = {"targets": {lw.tasks.Position("tip", axes="xy"): 2}, "initial_guess": True}
    of_torch, of_jax = (bridge(lw.inverse_kinematics, arm, **options) for bridge in (lw.bridges.torch, lw.bridges.jax))
    p, q = np.array([1.5, 0.6]), np.random.default_rng().uniform(0.3, 0.9, 3)
    x = of_jax(p, q)[0]
    J = lw.jacobian(arm, np.asarray(x), "tip")[:2]
    projection = np.eye(3) - np.linalg.pinv(J) @ J
    by_torch = torch.func.jacrev(lambda q: of_torch(torch.tensor(p), q)[0])(torch.tensor(q))
    assert np.abs(by_torch.numpy() - projection).max() < 1e-9
    assert np.abs(jax.jacfwd(lambda q: of_jax(p, q)[0])(q) - projection).max() < 1e-9
    none = np.zeros((0, 2))
    assert of_jax(none, q)[0].shape == of_torch(torch.tensor(none), torch.tensor(q))[0].shape == (0, 3)
    by_p, by_q = jax.jit(jax.grad(lambda p, q: of_jax(p, q)[0].sum(), (0, 1)))(none, q)
    assert by_p.shape == (0, 2)
    assert (by_q == 0.0).all()
    assert by_q.shape == (3,)
    out_of_reach = {lw.tasks.Position("tip", axes="xy"): 2, lw.tasks.Joints(priority=2): 3}
    of_two = lw.bridges.torch(lw.inverse_kinematics, arm, targets=out_of_reach, initial_guess=True)
    far, rest = (torch.tensor(one, dtype=torch.float64) for one in ([4.0, 1.0], [0.0, 0.0, 0.0]))
    assert torch.func.jacrev(lambda p: of_two(p, rest, torch.tensor(q))[0])(far).isnan().all()


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
