"""PyTorch = JAX = Linkwright = finite differences, for every public algorithm of three robots."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import linkwright as lw
from linkwright import _ALGORITHMS, dynamics
from linkwright.bridges.functions import function_of

torch = pytest.importorskip("torch", reason="PyTorch is not installed (extra torch)")
jax = pytest.importorskip("jax", reason="JAX is not installed (extra jax)")
jax.config.update("jax_enable_x64", True)


@pytest.fixture(autouse=True, scope="module")
def code_made_quickly():
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LINKWRIGHT_CODE", "quick")
        yield


def floating():
    builder = lw.Builder("floating").body("base", 2.0, center_of_mass=[0.1, 0.0, 0.05], inertia=0.1)
    builder.body("arm", 1.0, center_of_mass=[0.0, 0.1, 0.2], inertia=0.05)
    return (
        builder.joint("root", "free", "world", "base")
        .joint("elbow", "revolute", "base", "arm", axis=[0.0, 1.0, 0.0])
        .build()
    )


ROBOTS = {"two_link": lw.load("two_link"), "four_bar": lw.load("four_bar"), "floating": floating()}


def options(model, name):
    """Options of an algorithm that has no default for them."""
    frame, joints = list(model.frames)[-1], [joint.name for joint in model.joints]
    body = model.bodies[-1].name
    known = {
        "frame": frame,
        "order": "xyz",
        "body": body,
        "frames": (frame,),
        "prescribed": tuple(joints[-1:]),
        "actuated": tuple(joints),
        "directions": ("x", "y") if model.name != "floating" else "all",
    }
    parameters = list(inspect.signature(getattr(dynamics, name)).parameters.values())[1:]
    return {
        p.name: known[p.name]
        for p in parameters
        if p.name in known and (p.default is p.empty or p.name == "directions")
    }


def arrays_of(model, f, rng):
    """Return random arguments: configurations, and other arrays."""
    found = []
    for slot in f.program.inputs:
        x = rng.standard_normal(slot.shape)
        if slot.name in ("q", "q0", "q1"):
            x = lw.integrate(model, model.neutral(), 0.5 + 0.3 * rng.standard_normal(model.nv))
        found.append(x)
    return found


def tuples(results):
    return results if isinstance(results, tuple) else (results,)


def close(x, y, tolerance=1e-10):
    x, y = np.asarray(x), np.asarray(y)
    assert np.isfinite(y).all()
    np.testing.assert_allclose(x, y, rtol=0.0, atol=tolerance * (1.0 + np.abs(y).max(initial=0.0)))


UNDEFINED = {
    ("two_link", "zero_moment_point"),  # nothing pushes along the vertical
    ("four_bar", "zero_moment_point"),
    ("four_bar", "force_ellipsoid"),  # of a frame that cannot move
    ("four_bar", "operational_inertia"),
    ("four_bar", "operational_space_dynamics"),
    ("floating", "velocity_ellipsoid"),  # equal axes have no derivatives
    ("floating", "force_ellipsoid"),
}

CASES = [(robot, name) for robot in ROBOTS for name in _ALGORITHMS if (robot, name) not in UNDEFINED]


@pytest.mark.parametrize(("robot", "name"), CASES)
def test_gradients_agree(robot, name):
    model, rng = ROBOTS[robot], np.random.default_rng(_ALGORITHMS.index(name))
    algorithm = getattr(lw, name)
    try:
        kernel = lw.compile(algorithm, model, **options(model, name))
    except (lw.errors.ModelError, lw.errors.InputError) as error:
        pytest.skip(f"{name} of {robot}: {error}")
    if not all(slot.size for slot in kernel.program.outputs):
        pytest.skip(f"{name} of {robot} has no entries")
    f = function_of(kernel, None, {})
    of_torch, of_jax = lw.bridges.torch(kernel), lw.bridges.jax(kernel)
    xs = arrays_of(model, f, rng)
    values = tuples(kernel(*xs))
    ws = [rng.standard_normal(np.shape(y)) for y in values]
    directions = [rng.standard_normal(x.shape) for x in xs]

    tensors = [torch.tensor(x, requires_grad=True) for x in xs]
    of_tensors = tuples(of_torch(*tensors))
    gradients = torch.autograd.grad(of_tensors, tensors, [torch.as_tensor(w) for w in ws])
    of_arrays, pull = jax.vjp(of_jax, *xs)
    cotangents = pull(tuple(map(jax.numpy.asarray, ws)) if not f.single else jax.numpy.asarray(ws[0]))
    for ours, x, y in zip(values, of_tensors, tuples(of_arrays), strict=True):
        assert np.array_equal(ours, x.detach(), equal_nan=True)
        assert np.array_equal(ours, y, equal_nan=True)
    for x, y in zip(gradients, cotangents, strict=True):
        close(x, y)

    _, along = jax.jvp(of_jax, xs, directions)
    total = sum(float(np.sum(w * t)) for w, t in zip(ws, tuples(along), strict=True))
    pulled = sum(float(np.sum(np.asarray(g) * d)) for g, d in zip(gradients, directions, strict=True))
    close(pulled, total)

    step = 1e-6
    ahead, behind = (kernel(*[x + s * d for x, d in zip(xs, directions, strict=True)]) for s in (step, -step))
    for t, a, b in zip(tuples(along), tuples(ahead), tuples(behind), strict=True):
        close((a - b) / (2.0 * step), t, 1e-6)

    for k, slot in enumerate(f.program.inputs):  # ours, along integrate by a configuration
        J = tuples(kernel.derivative(slot.name)(*xs))
        ours = sum(np.tensordot(w, j, w.ndim) for w, j in zip(ws, J, strict=True))
        gradient = np.asarray(gradients[k])
        if slot.name in ("q", "q0", "q1"):
            gradient = lw.configuration_rate(model, xs[k], np.eye(model.nv)) @ gradient
        close(gradient, ours)
