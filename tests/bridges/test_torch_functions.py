"""Functions of PyTorch tensors: transformations, second derivatives, compiled graphs, errors."""

from __future__ import annotations

import numpy as np
import pytest

import linkwright as lw

torch = pytest.importorskip("torch", reason="PyTorch is not installed (extra torch)")
func = torch.func

ARM = lw.load("two_link")
DYNAMICS = lw.bridges.torch(lw.inverse_dynamics, ARM)


def random(*shape, seed=0, dtype=torch.float64):
    return torch.as_tensor(np.random.default_rng(seed).standard_normal(shape), dtype=dtype)


Q, V, A = random(3, 2)


def energy(*arrays):
    return (DYNAMICS(*arrays) ** 2).sum()


def test_results_are_those_of_the_kernel():
    expected = lw.inverse_dynamics(ARM, Q.numpy(), V.numpy(), A.numpy())
    for result in (DYNAMICS(Q, V, A), DYNAMICS(a=A, v=V, q=Q), DYNAMICS(torch.nn.Parameter(Q), V, A).detach()):
        assert np.array_equal(result, expected)
    assert lw.bridges.torch(lw.potential_energy, ARM)(Q).shape == ()


def test_batches_broadcast_and_their_gradients_have_the_shape_of_the_arguments():
    arrays = [random(3, 1, 2, seed=1), random(4, 2, seed=2), random(2, seed=3)]
    for x in arrays:
        x.requires_grad_()
    assert DYNAMICS(*arrays).shape == (3, 4, 2)
    assert torch.autograd.gradcheck(DYNAMICS, arrays)
    assert torch.autograd.gradgradcheck(DYNAMICS, arrays)


def test_tensors_without_memory_of_their_own():
    zeros = torch._efficientzerotensor((2,), dtype=torch.float64)
    negative = torch.imag(torch.conj(torch.complex(V, V)))
    assert zeros._is_zerotensor()
    assert negative.is_neg()
    assert torch.equal(DYNAMICS(zeros, negative, A), DYNAMICS(0.0 * Q, -V, A))


def test_functions_of_rotations_take_shapes():
    r = torch.tensor([0.1, -0.2, 0.3], dtype=torch.float64)
    R = lw.bridges.torch(lw.rotation.exp, r=3)(r)
    np.testing.assert_allclose(R, lw.rotation.exp(r.numpy()), atol=1e-15)
    np.testing.assert_allclose(lw.bridges.torch(lw.rotation.log, R=(3, 3))(R), r, atol=1e-14)


def test_float32_is_kept():
    q = Q.to(torch.float32).requires_grad_()
    tau = DYNAMICS(q, V.to(torch.float32), A.to(torch.float32))
    assert tau.dtype is torch.float32
    np.testing.assert_allclose(tau.detach(), DYNAMICS(Q, V, A), rtol=1e-5, atol=1e-5)
    DYNAMICS(q, V, A).sum().backward()
    assert q.grad.dtype is torch.float32


def test_float32_is_computed_in_single_precision_but_in_loops():
    single = lw.compile(lw.inverse_dynamics, ARM, precision="single")
    for arrays in ((Q, V, A), (random(40, 2), V, random(40, 2, seed=1))):
        f32 = [x.to(torch.float32) for x in arrays]
        expected = single(*(x.numpy() for x in f32))
        results = [
            DYNAMICS(*f32),
            DYNAMICS(torch.nn.Parameter(f32[0]), *f32[1:]).detach(),
            torch.compile(DYNAMICS, backend="eager")(*f32),
        ]
        for result in results:
            assert result.dtype is torch.float32
            assert np.array_equal(result, expected)
    energy = lw.bridges.torch(lw.potential_energy, ARM)
    assert energy(Q.to(torch.float32)).dtype is torch.float32
    hessian = func.hessian(energy)(Q.to(torch.float32))
    assert hessian.dtype is torch.float32
    np.testing.assert_allclose(hessian, func.hessian(energy)(Q), rtol=1e-5, atol=1e-5)

    def swing(model, q):
        return lw.repeat(12, lambda k, q: q + 0.1 * np.sin(q), q)

    loop = lw.bridges.torch(lw.compile(swing, ARM))
    assert torch.equal(loop(Q.float()), loop(Q.float().double()).float())


def test_autocast_of_half_precision():
    """As PyTorch's own operators without half precision, functions convert to float32."""
    layer = torch.nn.Linear(2, 2)

    def effort(q):
        q = layer(q)
        assert q.dtype is torch.bfloat16
        return DYNAMICS(q, q, q)

    q = Q.float()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        tau, compiled = effort(q), torch.compile(effort, backend="aot_eager")(q)
        tau.sum().backward()
    assert tau.dtype is torch.float32
    assert torch.equal(tau, compiled)
    assert layer.weight.grad.abs().sum() > 0.0


def test_tensors_on_a_gpu_are_an_error():
    from torch._subclasses.fake_tensor import FakeTensorMode

    with FakeTensorMode():
        q = torch.empty(2, dtype=torch.float64, device="cuda")
    with pytest.raises(lw.errors.ArgumentError, match=r"q is on device cuda:0; Linkwright computes on the CPU: q\.cpu"):
        DYNAMICS(q, q, q)


def test_exported_programs_have_dynamic_batches():
    class Energy(torch.nn.Module):
        def forward(self, q, v):
            return DYNAMICS(q, v, q).square().sum(-1)

    batch = torch.export.Dim("batch", min=2)
    rows = random(5, 2), random(5, 2, seed=1)
    program = torch.export.export(Energy(), rows, dynamic_shapes=({0: batch}, {0: batch}))
    others = random(9, 2), random(9, 2, seed=1)
    assert torch.equal(program.module()(*others), Energy()(*others))
    one = torch.export.export(Energy(), (rows[0], V), dynamic_shapes=({0: batch}, None))
    assert torch.equal(one.module()(others[0], V), Energy()(others[0], V))
    with pytest.raises(lw.errors.ArgumentError, match="create it first"):  # as in another process
        torch.ops.linkwright.call(list(rows), "unknown")
    with pytest.raises(Exception, match="do not broadcast"):  # PyTorch 2.6 raises an error of its own
        torch.export.export(Energy(), (rows[0], random(3, 2)))


def test_transformations_agree():
    forward, backward = func.jacfwd(DYNAMICS, (0, 1, 2))(Q, V, A), func.jacrev(DYNAMICS, (0, 1, 2))(Q, V, A)
    for x, y in zip(forward, backward, strict=True):
        np.testing.assert_allclose(x, y, rtol=0.0, atol=1e-12)
    H = func.hessian(energy)(Q, V, A)
    for other in (func.jacrev(func.jacrev(energy)), func.jacfwd(func.jacfwd(energy)), func.jacrev(func.jacfwd(energy))):
        np.testing.assert_allclose(other(Q, V, A), H, rtol=0.0, atol=1e-10)


def test_vmap_is_one_batch():
    rows = random(5, 2, seed=4)
    single = torch.stack([DYNAMICS(q, V, A) for q in rows])
    assert torch.equal(func.vmap(DYNAMICS, (0, None, None))(rows, V, A), single)
    nested = func.vmap(func.vmap(DYNAMICS, (0, None, None)), (None, 1, None))(rows, random(2, 3, seed=5), A)
    assert nested.shape == (3, 5, 2)
    H = func.vmap(func.hessian(energy), (0, None, None))(rows, V, A)
    np.testing.assert_allclose(H[2], func.hessian(energy)(rows[2], V, A), rtol=0.0, atol=1e-10)


def test_compiled_graphs_contain_it_as_one_operator():
    compiled = torch.compile(lambda q: 2.0 * DYNAMICS(q, V, A).sin().sum(), fullgraph=True, backend="aot_eager")
    q, same = Q.clone().requires_grad_(), Q.clone().requires_grad_()
    compiled(q).backward()
    (2.0 * DYNAMICS(same, V, A).sin().sum()).backward()
    assert torch.equal(q.grad, same.grad)
    mapped = torch.compile(func.vmap(DYNAMICS, (0, None, None)), fullgraph=True, backend="aot_eager")
    rows = random(5, 2, seed=4)
    assert torch.equal(mapped(rows, V, A), DYNAMICS(rows, V, A))


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("mode", ["jit", "real", "fake", "symbolic"])
def test_recorded_graphs_contain_the_call(mode):
    """Not its result, a constant."""
    from torch.fx.experimental.proxy_tensor import make_fx

    graph = torch.jit.trace(DYNAMICS, (Q, V, A)) if mode == "jit" else make_fx(DYNAMICS, tracing_mode=mode)(Q, V, A)
    assert np.array_equal(graph(V, A, Q), DYNAMICS(V, A, Q))


def test_loops_have_first_and_second_derivatives():
    def swing(model, q, v):
        def step(k, q, v):
            v = v + 0.05 * lw.forward_dynamics(model, q, v, np.zeros(2))
            return q + 0.05 * v, v

        return lw.repeat(12, step, q, v)

    motion = lw.bridges.torch(lw.compile(swing, ARM))
    state = [Q.clone().requires_grad_(), V.clone().requires_grad_()]
    assert torch.autograd.gradcheck(motion, state)
    assert torch.autograd.gradgradcheck(motion, state)


@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: DYNAMICS(Q, V), "takes q, v, a; a is not given"),
        (lambda: DYNAMICS(Q, V, A, A), "got 4 arrays"),
        (lambda: DYNAMICS(Q, V, b=A), "no argument 'b'"),
        (lambda: DYNAMICS(Q, V, q=A), "given twice"),
        (lambda: lw.bridges.torch(lw.inverse_dynamics), "its first argument 'model', and none is given"),
        (lambda: torch.autograd.functional.jacobian(DYNAMICS, (Q, V, A), vectorize=True), r"use torch\.func\.vmap"),
        (lambda: DYNAMICS([0.0, 0.0], V, A), r"q must be a torch\.Tensor; got list"),
        (lambda: DYNAMICS(Q.numpy(), V, A), r"q must be a torch\.Tensor; got ndarray"),
        (lambda: DYNAMICS(Q.long(), V, A), r"q has dtype torch\.int64; .*: q\.to\(torch\.float64\)"),
        (lambda: DYNAMICS(Q.to(torch.complex128), V, A), r"q has dtype torch\.complex128; .*: q\.real"),
        (lambda: DYNAMICS(Q, V.half(), A), r"v has dtype torch\.float16; .*: v\.to\(torch\.float32\)"),
        (lambda: DYNAMICS(Q.to("meta"), V, A), r"q is on device meta; Linkwright computes on the CPU: q\.cpu\(\)"),
        (lambda: DYNAMICS(Q.to_sparse(), V, A), "expected a dense tensor"),
        (lambda: DYNAMICS(torch.nested.nested_tensor([Q, V]), V, A), "is a nested tensor"),
        (lambda: DYNAMICS(random(3), V, A), r"q has shape \(3,\)"),
        (lambda: DYNAMICS(random(3, 2), random(4, 2), A), "do not broadcast"),
        (lambda: lw.bridges.torch(lw.compile(lw.mass_matrix, ARM), frame="tip"), "it takes no frame"),
        (lambda: lw.bridges.torch(lw.compile(lw.mass_matrix, ARM), lw.load("arm4")), "not for this model"),
        (lambda: lw.bridges.torch(lw.mass_matrix, ARM, precision="single"), "is of single precision"),
        (lambda: lw.gravity_forces(ARM, Q.clone().requires_grad_()), r"bridges\.torch\(gravity_forces, model\)"),
        (lambda: lw.rotation.exp(torch.ones(3, requires_grad=True)), r"bridges\.torch\(exp\) accepts it"),
        (
            lambda: lw.rollout(ARM, Q.clone().requires_grad_(), V, 3),
            r"of real numbers; got tensor.*; lw\.bridges\.torch",
        ),
        (lambda: ARM.with_body("link1", mass=torch.ones((), requires_grad=True)), "mass of body 'link1' must be"),
        (lambda: lw.bridges.torch(lambda model, q: q if q[0] > 0.0 else -q, ARM), "if cannot depend on"),
        (lambda: lw.bridges.torch(lambda model, q: q if q > 0.0 else -q, ARM), "if cannot depend on"),
        (lambda: lw.bridges.torch(lambda model, q: q[q > 0.0], ARM), r"linkwright\.where\(condition, a, b\) chooses"),
        (lambda: lw.bridges.torch(lambda model, q: torch.sin(q), ARM), "calls a function of PyTorch, JAX or CasADi"),
        (lambda: lw.bridges.torch(lambda model, q: torch.tensor(q), ARM), "calls a function of PyTorch, JAX or CasADi"),
    ],
)
def test_errors_are_explained(call, message):
    with pytest.raises(lw.errors.LinkwrightError, match=message):
        call()
