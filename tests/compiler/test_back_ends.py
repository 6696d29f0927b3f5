"""The book's function = interpreter = LLVM on one lane = LLVM on many, for every algorithm and joint type."""

from __future__ import annotations

from typing import Any

import llvmlite.binding as llvm
import mpmath
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from operations_on import HOSTILE, every_combination, one_operation, same, within

import linkwright as lw
from linkwright.compiler.emit.straight import batches_text, row_text
from linkwright.compiler.front.bind import arrays_of, bind
from linkwright.compiler.front.trace import trace
from linkwright.compiler.ir.formats import DOUBLE
from linkwright.compiler.ir.interpreter import interpret
from linkwright.compiler.kernel import Kernel, compile
from linkwright.compiler.native import machine
from linkwright.compiler.native.machine import target
from linkwright.dynamics import constraint_jacobian
from linkwright.expression.operations import OPERATIONS
from linkwright.model.joints.joint import JOINT_TYPES
from linkwright.model.library.built_in import built_in
from linkwright.spatial.loops.repeats import when
from mechanisms import one_of_each, random_tree, relative_error, trees, with_loops

pytestmark = pytest.mark.usefixtures("optimized")  # code as users have it

W = target().width
ROWS = 3 * W + 2
SIZES = sorted({1, max(1, W - 1), W, W + 1, ROWS})

ALGORITHMS = {
    "pose": (lw.pose, {"frame": "tip"}),
    "velocity": (lw.velocity, {"frame": "tip", "reference_frame": "world"}),
    "acceleration": (lw.acceleration, {"frame": "tip"}),
    "jacobian": (lw.jacobian, {"frame": "tip"}),
    "jacobian_dot": (lw.jacobian_dot, {"frame": "tip", "reference_frame": "body"}),
    "jacobian_dot_times_v": (lw.jacobian_dot_times_v, {"frame": "tip"}),
    "kinematic_hessian": (lw.kinematic_hessian, {"frame": "tip"}),
    "analytical_jacobian": (lw.analytical_jacobian, {"frame": "tip", "order": "zyx"}),
    "poses of frames": (lw.pose, {"frame": ("tip", "body0")}),
    "manipulability": (lw.manipulability, {"frame": "tip"}),
    "velocity_ellipsoid": (lw.velocity_ellipsoid, {"frame": "tip"}),
    "force_ellipsoid": (lw.force_ellipsoid, {"frame": "tip"}),
    "inverse_dynamics": (lw.inverse_dynamics, {}),
    "inverse_dynamics with wrenches": (lw.inverse_dynamics, {"wrenches": ["tip", "body0"]}),
    "bias_forces": (lw.bias_forces, {}),
    "gravity_forces": (lw.gravity_forces, {}),
    "forward_dynamics": (lw.forward_dynamics, {}),
    "forward_dynamics composite": (lw.forward_dynamics, {"method": "composite"}),
    "forward_dynamics assembly": (lw.forward_dynamics, {"method": "assembly", "schedule": "balanced"}),
    "forward_dynamics hybrid": (lw.forward_dynamics, {"method": "hybrid", "partition": 3}),
    "joint_reactions": (lw.joint_reactions, {}),
    "prescribed_dynamics": (lw.prescribed_dynamics, {"prescribed": ("joint0", "joint3")}),
    "plastic_impact": (lw.plastic_impact, {}),
    "mass_matrix": (lw.mass_matrix, {}),
    "mass_matrix unit_vector": (lw.mass_matrix, {"method": "unit_vector"}),
    "mass_matrix jacobian": (lw.mass_matrix, {"method": "jacobian"}),
    "coriolis_matrix": (lw.coriolis_matrix, {}),
    "center_of_mass": (lw.center_of_mass, {}),
    "center_of_mass_jacobian": (lw.center_of_mass_jacobian, {}),
    "momentum": (lw.momentum, {}),
    "momentum_matrix": (lw.momentum_matrix, {}),
    "momentum_matrix world": (lw.momentum_matrix, {"base": "world"}),
    "momentum_matrix_dot": (lw.momentum_matrix_dot, {}),
    "momentum_rate": (lw.momentum_rate, {}),
    "momentum about a point": (lw.momentum, {"point": (0.1, -0.2, 0.3)}),
    "centroidal_velocity": (lw.centroidal_velocity, {}),
    "zero_moment_point": (lw.zero_moment_point, {"height": 0.1}),
    "subtree_center_of_mass": (lw.subtree_center_of_mass, {"body": "body0"}),
    "composite_inertia": (lw.composite_inertia, {"body": "body0"}),
    "locked_inertia": (lw.locked_inertia, {}),
    "whole_body_inertia": (lw.whole_body_inertia, {}),
    "articulated_inertia": (lw.articulated_inertia, {"body": "body0"}),
    "operational_inertia": (lw.operational_inertia, {"frame": "tip"}),
    "operational_space_dynamics": (lw.operational_space_dynamics, {"frame": "tip"}),
    "frame_responses": (lw.frame_responses, {"frames": ("tip", "body0")}),
    "kinetic_energy": (lw.kinetic_energy, {}),
    "potential_energy": (lw.potential_energy, {}),
    "spring_energy": (lw.spring_energy, {}),
    "spring_lengths": (lw.spring_lengths, {}),
    "joint_forces": (lw.joint_forces, {"frame": "tip"}),
    "passive_forces": (lw.passive_forces, {}),
    "regressor": (lw.regressor, {}),
    "regressor all": (lw.regressor, {"armature": True, "friction": True}),
    "momentum_regressor": (lw.momentum_regressor, {"armature": True}),
    "reference_regressor": (lw.reference_regressor, {"armature": True}),
    "generalized_momentum": (lw.generalized_momentum, {}),
    "energy_regressor": (lw.energy_regressor, {"armature": True}),
    "energy_regressor potential": (lw.energy_regressor, {"of": "potential"}),
    "integrate": (lw.integrate, {}),
    "difference": (lw.difference, {}),
    "distance": (lw.configuration_distance, {}),
    "configuration_rate": (lw.configuration_rate, {}),
    "inverse_dynamics_derivatives": (lw.inverse_dynamics_derivatives, {}),
    "forward_dynamics_derivatives": (lw.forward_dynamics_derivatives, {}),
}
JOINT_BY_JOINT = ("joint_reactions", "prescribed_dynamics", "plastic_impact")
"""Which take no couplings."""

OF_LOOPS = {
    "constraint_residual": (lw.constraint_residual, {}),
    "constraint_jacobian": (lw.constraint_jacobian, {}),
    "constraint_bias": (lw.constraint_bias, {}),
    "constraint_forces": (lw.constraint_forces, {}),
    "constraint_wrenches": (lw.constraint_wrenches, {}),
    "impulse": (lw.impulse, {}),
    "project": (lw.project, {}),
    "actuated_efforts": (lw.actuated_efforts, {"actuated": ("joint0", "joint4")}),
}
SOLVES = (
    "forward_dynamics",
    "forward_dynamics_derivatives",
    "joint_reactions",
    "prescribed_dynamics",
    "plastic_impact",
    "articulated_inertia",
    "operational_inertia",
    "operational_space_dynamics",
    "frame_responses",
)
OF_SOME = (
    "prescribed_dynamics",
    "operational_inertia",
    "operational_space_dynamics",
    "force_ellipsoid",
    "zero_moment_point",
)
"""Of joints by name; of frames that move in all directions (else forces are infinite); of forces that press."""


def test_every_algorithm_is_here():
    public = {name for name in lw.__all__ if hasattr(getattr(lw, name), "book")}
    assert public == {function.__name__ for function, _ in (*ALGORITHMS.values(), *OF_LOOPS.values())}


def arrays_for(model, program, n, seed):
    """Rows of arguments: configurations for q, q0, q1, normal numbers for the others."""
    rng = np.random.default_rng(seed)
    return [
        model.random(n, seed=rng) if slot.name in ("q", "q0", "q1") else rng.normal(size=(n, *slot.shape))
        for slot in program.inputs
    ]


def parts(results):
    """The results of a call, whether one or several, or a record."""
    results = arrays_of(results)
    return results if isinstance(results, tuple) else (results,)


def determined(function: Any, results: Any) -> tuple[Any, ...]:
    """Results as far as they are determined: the axes of equal semi-axes, as of a frame that moves along one line only,
    are any orthonormal ones."""
    if function is not lw.velocity_ellipsoid:
        return parts(results)
    axes, semi_axes = (np.asarray(x) for x in parts(results))
    transposed = np.swapaxes(axes, -1, -2)
    return (axes * semi_axes[..., None, :]) @ transposed, semi_axes, axes @ transposed


LONG = 2000
"""Operations from which programs are compiled quickly here, which gives the same bits (tested below): what is made of
each operation as users have it, all the shorter ones show."""


def check_all(name: str, model: lw.Model, seed: int) -> None:
    """All four ways agree, and a row is the same bits wherever it stands."""
    function, options = (ALGORITHMS | OF_LOOPS)[name]
    kernel = lw.compile(function, model, **options)
    if kernel.program.length > LONG:
        with pytest.MonkeyPatch.context() as patched:
            patched.setenv("LINKWRIGHT_CODE", "quick")
            return check_kernel(lw.compile(function, model, **options), function, options, seed)
    return check_kernel(kernel, function, options, seed)


def check_kernel(kernel: Kernel, function: Any, options: dict[str, Any], seed: int) -> None:
    """The same of a kernel that is made."""
    model = kernel.model
    arrays = arrays_for(model, kernel.program, ROWS, seed)
    lanes = parts(kernel(*arrays))
    assert all(np.isfinite(x).all() for x in lanes)
    tolerance = np.full(ROWS, 1e-12)
    if function.__name__ in (*SOLVES, *OF_LOOPS):
        tolerance += [1e-15 * np.linalg.cond(lw.mass_matrix(model, q)) for q in arrays[0]]
    if function.__name__ in JOINT_BY_JOINT or options.get("method") in ("assembly", "hybrid"):
        tolerance += 1e-10  # the inertias of single bodies, and of what they were joined to, are inverted
    numbers = determined(function, lanes)
    for found, expected in zip(numbers, determined(function, interpret(kernel.program, *arrays)), strict=True):
        for x, y, allowed in zip(found, expected, tolerance, strict=True):
            assert relative_error(x, y) < allowed
    frames = options.get("wrenches", [])
    plain = {key: value for key, value in options.items() if key != "wrenches"}
    for k in (0, ROWS - 1):
        row = [x[k] for x in arrays]
        n = len(row) - len(frames)
        wrenches = {"wrenches": dict(zip(frames, row[n:], strict=True))} if frames else {}
        named = dict(zip((slot.name for slot in kernel.program.inputs), row[:n], strict=False))
        expected = determined(function, function.book(model, **named, **plain, **wrenches))
        for x, y in zip(numbers, expected, strict=True):
            assert relative_error(x[k], y) < tolerance[k]
    for size in SIZES:
        for start in {0, ROWS - size, 1 if size < ROWS else 0}:
            some = parts(kernel(*(x[start : start + size] for x in arrays)))
            for x, y in zip(some, lanes, strict=True):
                assert np.array_equal(x, y[start : start + size]), (size, start)
    for k in range(ROWS):
        for x, y in zip(parts(kernel(*(x[k] for x in arrays))), lanes, strict=True):
            assert np.array_equal(x, y[k])


@pytest.mark.parametrize("name", ALGORITHMS)
def test_every_algorithm_on_every_joint_type(name):
    check_all(name, one_of_each(1, mimics=name != "articulated_inertia"), 0)


@settings(max_examples=20, deadline=None)
@given(trees(max_joints=4), st.sampled_from(sorted(ALGORITHMS)), st.integers(0, 2**32 - 1))
def test_random_trees(model, name, seed):
    assume(not (model.has_couplings and name in (*JOINT_BY_JOINT, "articulated_inertia")))
    assume(name not in OF_SOME)
    check_all(name, model, seed)


@pytest.mark.parametrize("name", OF_LOOPS)
def test_algorithms_of_loops(name):
    model, _ = with_loops(random_tree(list(JOINT_TYPES[::2]), 2), ["ball", "distance"], 4)  # those of trees have all
    assert len(model.loops) == 2
    check_all(name, model, 0)


@pytest.mark.parametrize("kind", JOINT_TYPES)
def test_one_joint_alone(kind):
    for name in ("forward_dynamics", "integrate", "difference", "velocity_ellipsoid"):
        check_all(name, random_tree([kind], 8), 3)


# arrays as users have them


@pytest.fixture(scope="module")
def arm():
    return random_tree(list(JOINT_TYPES[:4]), 5)


@pytest.fixture(scope="module")
def rows(arm):
    """q, v and the mass matrix and bias forces in each row."""
    rng = np.random.default_rng(0)
    q, v = arm.random(ROWS, seed=rng), rng.normal(size=(ROWS, arm.nv))
    return q, v, lw.mass_matrix(arm, q), lw.bias_forces(arm, q, v)


def padded(x, axis):
    """The same numbers, every second one along an axis of a larger array."""
    shape = list(x.shape)
    shape[axis] *= 2
    large = np.full(shape, np.nan)
    place = [slice(None)] * x.ndim
    place[axis] = slice(1, None, 2)
    large[tuple(place)] = x
    return large[tuple(place)]


def unaligned(x):
    memory = np.zeros(x.nbytes + 1, dtype=np.uint8)
    result = np.ndarray(x.shape, np.float64, buffer=memory[1:].data)
    result[...] = x
    assert not result.flags.aligned
    return result


LAYOUTS = {
    "strided rows": lambda x: padded(x, 0),
    "strided entries": lambda x: padded(x, 1),
    "Fortran order": np.asfortranarray,
    "backwards": lambda x: np.ascontiguousarray(x[::-1])[::-1],
    "entries backwards": lambda x: np.ascontiguousarray(x[:, ::-1])[:, ::-1],
    "unaligned": unaligned,
    "other byte order": lambda x: x.astype(x.dtype.newbyteorder()),
    "lists": lambda x: x.tolist(),
    "read-only": lambda x: np.frombuffer(x.tobytes()).reshape(x.shape),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts_of_inputs(arm, rows, layout):
    q, v, M, b = rows
    change = LAYOUTS[layout]
    assert np.array_equal(lw.mass_matrix(arm, change(q)), M)
    assert np.array_equal(lw.bias_forces(arm, change(q), v), b)
    assert np.array_equal(lw.bias_forces(arm, q, change(v)), b)
    for n in (1, 2, W):
        assert np.array_equal(lw.bias_forces(arm, change(q[:n]), change(v[:n])), b[:n])


def test_kinds_of_numbers(arm, rows):
    q = rows[0]
    for kind in (np.float32, np.float16, np.int64, np.int8, np.bool_):
        same_values = q.astype(kind)
        assert np.array_equal(lw.mass_matrix(arm, same_values), lw.mass_matrix(arm, same_values.astype(float)))
    whole = [[int(x) for x in row] for row in q]
    assert np.array_equal(lw.mass_matrix(arm, whole), lw.mass_matrix(arm, np.array(whole, dtype=float)))


def test_leading_dimensions_broadcast(arm, rows):
    q, v, _, _ = rows
    expected = np.array([[lw.bias_forces(arm, x, y) for y in v[:3]] for x in q[:5]])
    assert np.array_equal(lw.bias_forces(arm, q[:5, None], v[None, :3]), expected)
    assert np.array_equal(lw.bias_forces(arm, q[:5], v[0]), expected[:, 0])
    assert np.array_equal(lw.bias_forces(arm, np.broadcast_to(q[0], (ROWS, arm.nq)), v)[:3], expected[0])
    assert lw.bias_forces(arm, q[:0], v[:0]).shape == (0, arm.nv)
    assert lw.mass_matrix(arm, np.zeros((2, 0, 3, arm.nq))).shape == (2, 0, 3, arm.nv, arm.nv)
    assert lw.bias_forces(arm, q[:0], v[0]).shape == (0, arm.nv)


def test_results_into_given_arrays(arm, rows):
    q, v, M, b = rows
    kernel = lw.compile(lw.mass_matrix, arm)
    for out in (np.empty_like(M), padded(M, 0), padded(M, 2), np.asfortranarray(M), np.empty((*M.shape, 1))[..., 0]):
        out[...] = np.nan
        assert kernel(q, out=out) is out
        assert np.array_equal(out, M)
    assert np.array_equal(kernel(q, out=np.zeros(M.shape, np.float32)), M.astype(np.float32))
    # what is read may be written
    bias = lw.compile(lw.bias_forces, arm)
    own = v.copy()
    assert np.array_equal(bias(q, own, out=own), b)
    large = np.zeros((2 * ROWS, arm.nv))
    large[:ROWS] = v
    assert np.array_equal(bias(q, large[:ROWS], out=large[1 : ROWS + 1]), b)


def test_mechanisms_without_coordinates():
    model = random_tree([], 0)
    assert (model.nq, model.nv) == (0, 0)
    none = np.zeros((3, 0))
    assert lw.inverse_dynamics(model, none, none, none).shape == (3, 0)
    assert lw.mass_matrix(model, []).shape == (0, 0)
    assert lw.mass_matrix(model, none).shape == (3, 0, 0)
    assert lw.jacobian(model, none, "base").shape == (3, 6, 0)
    assert lw.kinetic_energy(model, [], []) == 0.0
    assert lw.kinetic_energy(model, none, none).shape == (3,)
    assert np.array_equal(lw.pose(model, none, "base"), np.stack([model.frame("base").placement] * 3))
    assert lw.integrate(model, none, none).shape == (3, 0)
    assert lw.forward_dynamics(model, none, none, none, method="composite").shape == (3, 0)
    for function in (lw.inverse_dynamics_derivatives, lw.forward_dynamics_derivatives):
        assert [D.shape for D in function(model, none, none, none)] == [(3, 0, 0)] * 3
        assert [D.shape for D in function.book(model, none[0], none[0], none[0])] == [(0, 0)] * 3
    for wrt in ("q", "v", "tau"):
        assert lw.derivative(lw.forward_dynamics, wrt)(model, none, none, none).shape == (3, 0, 0)
    with pytest.raises(lw.errors.ShapeError, match="expected"):
        lw.mass_matrix(model, [1.0])
    with pytest.raises(lw.errors.ArgumentError, match="real numbers"):
        lw.inverse_dynamics(model, np.zeros((3, 0), complex), none, none)


def test_what_is_not_finite_stays_in_its_row(arm, rows):
    q, v, _, b = rows
    for value in (np.nan, np.inf, -np.inf):
        hurt = q.copy()
        hurt[3, 0] = value
        with np.errstate(all="ignore"):
            found = lw.bias_forces(arm, hurt, v)
        assert np.isnan(found[3]).any()
        assert np.array_equal(np.delete(found, 3, axis=0), np.delete(b, 3, axis=0))


# single operations


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("op", OPERATIONS)
def test_every_operation_on_hostile_values(op):
    program = one_operation(op)
    columns = every_combination(HOSTILE, OPERATIONS[op].arity)
    rng = np.random.default_rng(0)
    columns = np.concatenate(
        [columns, rng.normal(size=(len(columns), 100)), rng.uniform(-1, 1, (len(columns), 100))], 1
    )
    columns = columns[:, within(op, columns)]
    kernel = Kernel(program)
    lanes = kernel(*columns)
    (interpreted,) = interpret(program, *columns)
    same(op, lanes, interpreted, columns)
    with np.errstate(all="ignore"):
        same(op, interpreted, np.asarray(OPERATIONS[op].evaluate(*columns), float), columns)
    some = range(len(lanes)) if len(lanes) < 1000 else rng.integers(0, len(lanes), 1000)
    single = np.array([kernel(*columns[:, k]) for k in some])
    assert np.array_equal(single, lanes[list(some)], equal_nan=True)


def sincos_kernel():
    return lw.compile(lambda x: np.stack([np.sin(x), np.cos(x)]), x=())


def ulps(found, x):
    """The errors of found (n, 2) against sine and cosine to 60 digits, in units in the last place."""

    def one(f, exact):
        return float(abs(mpmath.mpf(float(f)) - exact) / mpmath.mpf(float(np.spacing(abs(float(exact))))))

    with mpmath.workdps(60):
        angles = [mpmath.mpf(float(a)) for a in x]
        return np.array(
            [[one(f[0], mpmath.sin(a)), one(f[1], mpmath.cos(a))] for f, a in zip(found, angles, strict=True)]
        )


def angles(reach, n=600):
    rng = np.random.default_rng(1)
    near = np.round(rng.uniform(-reach, reach, n // 3) / (np.pi / 2)) * (np.pi / 2)  # zeros and extrema
    spread = np.exp(rng.uniform(np.log(1e-300), np.log(reach), n // 3)) * rng.choice([-1.0, 1.0], n // 3)
    return np.concatenate([rng.uniform(-reach, reach, n // 3), near[np.abs(near) <= reach], spread, [reach, -reach]])


def test_sine_and_cosine_are_accurate():
    x = angles(DOUBLE.far)
    assert ulps(sincos_kernel()(x), x).max() <= 1.5


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_sine_and_cosine_of_far_angles_are_the_librarys():
    x = np.concatenate([angles(1e22), [np.nextafter(DOUBLE.far, np.inf), 1e300]])
    x = x[np.abs(x) > DOUBLE.far]
    assert len(x) > 200
    assert ulps(sincos_kernel()(x), x).max() <= 1.0
    mixed = np.where(np.arange(len(x)) % 3 == 0, x, 0.5)
    kernel = sincos_kernel()
    assert np.array_equal(kernel(mixed), [kernel(a) for a in mixed])


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_sine_and_cosine_of_what_is_no_angle():
    x = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 5e-324, -1e-310])
    found = sincos_kernel()(x)
    assert np.isnan(found[:3]).all()
    assert np.array_equal(found[3:], np.stack([x[3:], np.ones(4)], axis=1))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_far_angles_are_noticed_beside_nan():
    """A row's results do not depend on what else is in it, or beside it."""
    kernel = lw.compile(lambda x, y: np.stack([np.sin(x), np.cos(y)]), x=(), y=())
    far = np.linspace(1e9, 2e9, 200)
    for k in range(2):
        for value in (np.nan, np.inf):
            arguments = np.full((2, 200, W), 1.0)
            arguments[k, :, 0], arguments[1 - k, :, 0] = value, far
            found = kernel(*arguments)[:, 0, 1 - k]
            assert np.array_equal(found, [kernel(*[y, y])[1 - k] for y in far])


# long programs


def recurrence(x):
    """One long chain: 10 000 operations that each need the one before, among them each of a few kinds."""
    y = x[0]
    for _ in range(1000):
        y = y * x[1] + x[2]
        y = (y - x[3]) / (1.5 + y * y)
        y = lw.minimum(y, x[4]) - lw.where(y < x[5], x[6] * y, y)
    for _ in range(100):
        y = np.sin(y) + np.cos(y) * x[7]
    return lw.stack([y, y * x[1]])


def nested_conditions(x):
    """Conditions joined by and, or and not, also inside conditional steps."""
    near, on = x[0] < x[1], x[2] <= x[3]
    both, either = near & on, near | ~on

    def inner(y):
        return when(both & (y > x[4]), lambda: y * x[5], y)

    y = when(either, lambda: inner(x[6] + x[7]), x[6])
    return lw.stack([y, lw.where(both, 1.0, 0.0) + lw.where(~either, 2.0, 0.0), lw.where(~both & either, x[6], y)])


def test_conditions_stay_conditions_inside_conditional_steps():
    program = trace(bind(nested_conditions, None, {"x": 8}))
    for text in (batches_text(program, W, target()), row_text(program, W, target())):
        assert "fcmp une" not in text or not target().masks  # conditions are not read back from the numbers 0 and 1
    x = np.random.default_rng(0).choice([-1.0, -0.0, 0.0, 0.5, 2.0, np.nan], (8 * ROWS, 8))
    (expected,) = interpret(program, x)
    kernel = Kernel(program)
    np.testing.assert_array_equal(kernel(x), expected)
    np.testing.assert_array_equal([kernel(row) for row in x], expected)


def test_one_long_chain_is_cut_into_blocks():
    program = trace(bind(recurrence, None, {"x": 8}))
    assert batches_text(program, W, target()).count("br label %block0") == 1
    assert row_text(program, W, target()).count("br label %block0") == 1
    kernel = Kernel(program)
    x = np.random.default_rng(0).uniform(0.5, 1.5, (ROWS, 8))
    together = kernel(x)
    assert np.array_equal(together, [kernel(row) for row in x])
    expected, actual = interpret(program, x)[0], together
    assert relative_error(actual, expected) < 1e-9  # it contracts


def test_derivatives_of_long_chains():
    """Of 6000 operations, 18 000 with those of the derivative."""

    def f(x):
        y = x[0]
        for _ in range(3000):
            y = y * x[0] + x[1]
        return y

    kernel = lw.compile(f, x=2)
    assert relative_error(kernel([0.5, 2.0]), 4.0) < 1e-14
    assert relative_error(kernel.derivative("x")([0.5, 2.0]), [8.0, 2.0]) < 1e-13  # of x₁ / (1 − x₀)


@pytest.mark.skipif(target().processor != "x86" or W < 4, reason="two doubles are aligned anyway")
def test_registers_of_lanes_wait_on_the_stack_aligned():
    """Where a function of lanes keeps numbers on the stack, it aligns it first."""
    kernel = lw.compile(lw.forward_dynamics, lw.load("arm7"))
    module = llvm.parse_assembly(batches_text(kernel.program, W, target()))
    module.data_layout = str(machine._target_machine(target()).target_data)
    code = machine._target_machine(target()).emit_assembly(module)
    lanes = code[code.index("lanes:") : code.index("clear:")]
    register = {4: "ymm", 8: "zmm"}[W]
    kept = [line.split()[0] for line in lanes.splitlines() if f"%{register}" in line and "(%rsp)" in line]
    assert kept
    assert not [one for one in kept if one.startswith("vmovup")]


def test_what_is_not_scheduled_is_not_scheduled_after_registers_either(capfd):
    """LLVM's second scheduler took most of the time of compilation where results are many."""
    text = row_text(trace(bind(lambda x: x * x[0], None, {"x": 3})), W, target())
    passes = {}
    llvm.set_option("test", "-debug-pass=Structure")
    try:
        for scheduled in (True, False):
            machine.generate(text, scheduled)
            passes[scheduled] = capfd.readouterr().err
    finally:
        llvm.set_option("test", "-debug-pass=Disabled")
    name = "Post RA top-down list latency scheduler"
    assert name in passes[True]
    assert name not in passes[False]


@pytest.mark.parametrize("function", [lw.forward_dynamics, lw.inverse_dynamics_derivatives, lw.integrate])
def test_code_made_quickly_gives_the_same_bits(function, monkeypatch):
    model = one_of_each(4)
    rows = [np.random.default_rng(k).normal(size=(ROWS, model.nv)) for k in range(2)]
    q = model.random(ROWS, seed=0)
    given = [q, rows[0]] if function is lw.integrate else [q, *rows]
    kernel = lw.compile(function, model)
    expected = kernel(*given)
    single = kernel(*(x[0] for x in given))
    monkeypatch.setenv("LINKWRIGHT_CODE", "quick")
    quick = lw.compile(function, model)
    for ours, theirs in ((quick(*given), expected), (quick(*(x[0] for x in given)), single)):
        assert np.asarray(ours).tobytes() == np.asarray(theirs).tobytes()
    assert target().quick


def test_results_that_are_mostly_zeros_cost_what_is_not():
    def lines(count):
        program = trace(bind(constraint_jacobian, built_in(f"four_bars:{count}"), {}))
        return batches_text(program, W, target()).count("\n")

    assert lines(32) < 2.5 * lines(16)  # there are four times as many entries
    model = built_in("four_bars:8")
    kernel = compile(constraint_jacobian, model)
    q = model.random(W + 3, seed=1)
    expected = np.array([constraint_jacobian(model, row) for row in q])
    out = np.full(expected.shape, np.nan)
    np.testing.assert_allclose(kernel(q, out=out), expected, atol=1e-15)
    out = np.full(expected.shape[1:], np.nan)
    np.testing.assert_allclose(kernel(q[0], out=out), expected[0], atol=1e-15)
