"""Functions of JAX arrays: transformations, loops, shards, errors."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import linkwright as lw

jax = pytest.importorskip("jax", reason="JAX is not installed (extra jax)")
jax.config.update("jax_enable_x64", True)
jnp = jax.numpy

ARM = lw.load("two_link")
DYNAMICS = lw.bridges.jax(lw.inverse_dynamics, ARM)
FORWARD = lw.bridges.jax(lw.forward_dynamics, ARM)


def random(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape)  # no arrays of JAX: its threads start in tests


Q, V, A = random(3, 2)


def energy(*arrays):
    return (DYNAMICS(*arrays) ** 2).sum()


def check_grads(f, arrays):
    from jax.test_util import check_grads

    check_grads(f, arrays, order=2)


def test_results_are_those_of_the_kernel():
    expected = lw.inverse_dynamics(ARM, *map(np.asarray, (Q, V, A)))
    for f in (DYNAMICS, jax.jit(DYNAMICS)):
        assert np.array_equal(f(Q, V, A), expected)
    assert np.array_equal(DYNAMICS(a=A, v=V, q=Q), expected)
    assert np.array_equal(DYNAMICS([0, 1], [0.5, 1], A), DYNAMICS(jnp.array([0.0, 1.0]), jnp.array([0.5, 1.0]), A))


def test_batches_broadcast():
    arrays = random(3, 1, 2, seed=1), random(4, 2, seed=2), random(2, seed=3)
    expected = lw.inverse_dynamics(ARM, *map(np.asarray, arrays))
    assert np.array_equal(jax.jit(DYNAMICS)(*arrays), expected)
    assert DYNAMICS(random(0, 2), V, A).shape == (0, 2)
    check_grads(DYNAMICS, arrays)


def test_float32_is_kept():
    single = lw.compile(lw.inverse_dynamics, ARM, precision="single")

    def twice(model, q):
        """Return a state of a loop, which is computed in double precision."""
        return lw.repeat(12, lambda k, q: q + 0.1 * np.sin(q), q)

    loop = lw.bridges.jax(lw.compile(twice, ARM))
    for shape in ((2,), (150, 2)):  # the handler converts blocks of rows
        f32 = [x.astype(jnp.float32) for x in (random(*shape, seed=1), V, random(*shape, seed=2))]
        tau = jax.jit(DYNAMICS)(*f32)
        assert tau.dtype == jnp.float32
        assert np.array_equal(tau, single(*map(np.asarray, f32)))
        exact = lw.inverse_dynamics(ARM, *(np.asarray(x, dtype=float) for x in f32))
        np.testing.assert_allclose(tau, exact, rtol=1e-5, atol=1e-5)
        gradient = jax.grad(lambda *x: DYNAMICS(*x).sum())(*f32)
        wide = jax.grad(lambda *x: DYNAMICS(*x).sum())(*(x.astype(float) for x in f32))
        assert gradient.dtype == jnp.float32
        np.testing.assert_allclose(gradient, wide, rtol=1e-4, atol=1e-4)
        assert np.array_equal(loop(f32[0]), loop(f32[0].astype(float)).astype(np.float32))


def test_transformations_agree():
    forward, backward = (of(DYNAMICS, (0, 1, 2))(Q, V, A) for of in (jax.jacfwd, jax.jacrev))
    for x, y in zip(forward, backward, strict=True):
        np.testing.assert_allclose(x, y, rtol=0.0, atol=1e-12)
    H = jax.hessian(energy)(Q, V, A)
    for other in (jax.jacrev(jax.jacrev(energy)), jax.jacfwd(jax.jacfwd(energy)), jax.jacrev(jax.jacfwd(energy))):
        np.testing.assert_allclose(jax.jit(other)(Q, V, A), H, rtol=0.0, atol=1e-10)


def test_vmap_is_one_batch():
    rows = random(5, 2, seed=4)
    single = np.stack([DYNAMICS(q, V, A) for q in rows])
    assert np.array_equal(jax.vmap(DYNAMICS, (0, None, None))(rows, V, A), single)
    both = jax.vmap(lambda q: DYNAMICS(q, rows, A))(rows)
    assert np.array_equal(both[1, 3], DYNAMICS(rows[1], rows[3], A))
    assert np.array_equal(jax.vmap(DYNAMICS, (1, None, None))(rows.T, V, A), single)
    check_grads(lambda q, v: jax.vmap(lambda q: DYNAMICS(q, v, A))(q), (rows, rows))
    H = jax.vmap(jax.hessian(energy), (0, None, None))(rows, V, A)
    np.testing.assert_allclose(H[2], jax.hessian(energy)(rows[2], V, A), rtol=0.0, atol=1e-10)


def test_loops_of_jax():
    def step(state, _):
        q, v = state
        v = v + 0.01 * FORWARD(q, v, jnp.zeros(2))
        return (q + 0.01 * v, v), None

    def end(q):
        return jax.lax.scan(step, (q, V), None, length=20)[0][0].sum()

    check_grads(jax.jit(end), (Q,))
    by_index = jax.lax.fori_loop(0, 20, lambda _, state: step(state, None)[0], (Q, V))[0].sum()
    np.testing.assert_allclose(by_index, end(Q), rtol=0.0, atol=1e-13)


def test_several_results_and_options():
    pose = lw.bridges.jax(lw.pose, ARM, frame="tip")
    assert np.array_equal(pose(Q), lw.pose(ARM, np.asarray(Q), "tip"))
    derivatives = lw.bridges.jax(lw.inverse_dynamics_derivatives, ARM)
    by_q, _, _ = derivatives(Q, V, A)
    np.testing.assert_allclose(jax.jacfwd(DYNAMICS)(Q, V, A), by_q, rtol=0.0, atol=1e-12)
    check_grads(derivatives, (Q, V, A))


def test_numbers_of_python_are_arguments():
    square = lw.bridges.jax(lambda x: x * x, x=())
    assert [f(square)(3.0) for f in (jax.grad, jax.jacfwd, jax.jacrev, jax.hessian)] == [6.0, 6.0, 6.0, 2.0]


def test_functions_without_a_mechanism():
    rotate = lw.bridges.jax(lw.rotation.exp)
    check_grads(rotate, (random(3),))


SHARDS = """
    import inspect, jax, numpy as np, linkwright as lw
    from jax.sharding import Mesh, NamedSharding, PartitionSpec as P
    jax.config.update("jax_enable_x64", True)
    arm = lw.load("two_link")
    f = lw.bridges.jax(lw.gravity_forces, arm)
    mesh = Mesh(np.array(jax.devices()), ("batch",))
    q = np.random.default_rng(0).standard_normal((8, 2))
    spread = jax.device_put(q, NamedSharding(mesh, P("batch")))
    expected = lw.gravity_forces(arm, q)
    assert np.array_equal(jax.jit(f)(spread), expected)
    try:
        from jax import shard_map
    except ImportError:
        from jax.experimental.shard_map import shard_map
    check = {name: False for name in inspect.signature(shard_map).parameters if name in ("check_vma", "check_rep")}
    mapped = shard_map(f, mesh=mesh, in_specs=P("batch"), out_specs=P("batch"), **check)
    apart = jax.jit(mapped)(spread)
    assert np.array_equal(apart, expected) and len(apart.sharding.device_set) == 2
    gradient = jax.grad(lambda q: (mapped(q) ** 2).sum())
    np.testing.assert_allclose(gradient(spread), jax.grad(lambda q: (f(q) ** 2).sum())(q), atol=1e-12)
"""


def test_shards_on_several_devices():
    environment = os.environ | {"XLA_FLAGS": "--xla_force_host_platform_device_count=2", "JAX_PLATFORMS": "cpu"}
    environment["PYTHONPATH"] = os.pathsep.join(sys.path)
    subprocess.run([sys.executable, "-c", textwrap.dedent(SHARDS)], check=True, env=environment, timeout=120)


def test_recorded_programs_have_dynamic_batches():
    (rows,) = jax.export.symbolic_shape("rows")
    traced = jax.eval_shape(DYNAMICS, *(jax.ShapeDtypeStruct((*s, 2), jnp.float64) for s in ((rows,), (), ())))
    assert traced.shape == (rows, 2)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: DYNAMICS(Q, V), "takes q, v, a; a is not given"),
        (lambda: lw.bridges.jax(lw.inverse_dynamics), "its first argument 'model', and none is given"),
        (lambda: DYNAMICS("up", V, A), "q must be an array of real numbers; got 'up'"),
        (lambda: DYNAMICS(jnp.array([0, 1]), V, A), r"q has dtype int64; .*: q\.astype\('float64'\)"),
        (lambda: DYNAMICS(Q.astype(jnp.float16), V, A), r"q has dtype float16; .*: q\.astype\('float32'\)"),
        (lambda: DYNAMICS(Q.astype(complex), V, A), r"q has dtype complex128; .*: q\.real"),
        (lambda: DYNAMICS(np.zeros(2, ">f8"), V, A), "q has dtype >f8, which JAX lacks"),
        (lambda: jax.linear_transpose(lambda q: DYNAMICS(q, V, A), Q)(Q), "is not linear, and has no transpose"),
        (lambda: lw.bridges.jax(lambda model, q: jnp.sin(q), ARM), "calls a function of PyTorch, JAX or CasADi"),
        (lambda: DYNAMICS(random(3), V, A), r"q has shape \(3,\); expected \(…, 2\)"),
        (lambda: jax.jit(DYNAMICS)(random(3, 2), random(4, 2), A), "do not broadcast"),
        (lambda: lw.bridges.jax(lambda model, q: q if q[0] > 0.0 else -q, ARM), "if cannot depend on"),
        (lambda: jax.jit(lambda q: lw.gravity_forces(ARM, q))(Q), r"linkwright\.bridges\.jax\(gravity_forces, model\)"),
        (lambda: jax.jit(lw.rotation.exp)(random(3)), r"bridges\.jax\(exp\) accepts it"),
        (lambda: jax.jit(lambda p: lw.inverse_kinematics(ARM, {"tip": p}).q)(random(3)), "'tip' must be an array"),
        (
            lambda: jax.jit(DYNAMICS).trace(Q, V, A).lower(lowering_platforms=("cuda",)),
            r"computes on the CPU: .*device_put",
        ),
        (lambda: jax.jit(lambda q: q if DYNAMICS(q, V, A)[0] > 0.0 else -q)(Q), "TracerBool"),
    ],
)
def test_errors_are_explained(call, message):
    kinds = (lw.errors.LinkwrightError, jax.errors.TracerBoolConversionError)
    with pytest.raises(kinds) as raised:
        call()
    assert raised.match(message) if "Tracer" not in message else "Tracer" in type(raised.value).__name__
