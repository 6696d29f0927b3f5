"""PyTorch = JAX = Linkwright = finite differences, to second order, for every public function.

Each algorithm is differentiated twice on an arm, and once on a floating mechanism or on one with a closed loop. The
nightly run has all robots, also a seven-joint arm, a quadruped from a file and an arm that is held at its tool.
"""

from __future__ import annotations

import inspect
import tempfile
import warnings
from functools import cache
from types import ModuleType

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


def quadruped_of_file():
    """Return the quadruped as its MJCF describes it."""
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore", lw.errors.FormatWarning)  # velocity limits are lost
        lw.load("quadruped").save(f"{folder}/quadruped.xml")
        return lw.load(f"{folder}/quadruped.xml")


def held_arm():
    """Return the arm with its tool on a ball joint at the world: a closed loop."""
    return lw.load("arm7").with_loop("hold", "ball", "world", "tool", xyz=[0.4, 0.1, 0.5])


SHORT = {"two_link": lambda: lw.load("two_link"), "four_bar": lambda: lw.load("four_bar"), "floating": floating}
LONG = {"arm7": lambda: lw.load("arm7"), "held_arm7": held_arm, "quadruped": quadruped_of_file}
FLOATING = ("floating", "quadruped")


@cache
def robot_of(name):
    return (SHORT | LONG)[name]()


def options(model, name):
    """Return options of an algorithm that has no default for them."""
    frame, joints = list(model.frames)[-1], [joint.name for joint in model.joints]
    known = {
        "frame": frame,
        "order": "xyz",
        "body": model.bodies[-1].name,
        "frames": (frame,),
        "prescribed": tuple(joints[-1:]),
        "actuated": tuple(joints),
        "directions": ("x", "y") if len(joints) < 6 and model.nv < 7 else "all",
    }
    parameters = list(inspect.signature(getattr(dynamics, name)).parameters.values())[1:]
    return {
        p.name: known[p.name]
        for p in parameters
        if p.name in known and (p.default is p.empty or p.name == "directions")
    }


def algorithm_kernel(model, name):
    """Return the kernel of an algorithm; skip those that a mechanism does not have."""
    try:
        kernel = lw.compile(getattr(lw, name), model, **options(model, name))
    except (lw.errors.ModelError, lw.errors.InputError) as error:
        pytest.skip(f"{name} of {model.name}: {error}")
    if not all(slot.size for slot in kernel.program.outputs):
        pytest.skip(f"{name} of {model.name} has no entries")
    return kernel


CONFIGURATIONS = ("q", "q0", "q1")


def arguments_of(model, program, rng):
    """Return random arguments: configurations, rotations, poses, positive matrices, and other arrays."""
    found = []
    for slot in program.inputs:
        x = rng.standard_normal(slot.shape)
        if model is not None and slot.name in CONFIGURATIONS:
            x = lw.integrate(model, model.neutral(), 0.5 + 0.3 * rng.standard_normal(model.nv))
        elif slot.shape == (3, 3):
            x = lw.rotation.exp(0.5 * x[0]) if slot.name == "R" else x @ x.T + 3.0 * np.eye(3)
        elif slot.shape == (4, 4):
            x = lw.transform.exp(0.5 * np.concatenate([x[0], x[1, :2]]))
        elif slot.shape == (4,):
            x = lw.quaternion.exp(0.5 * x[:3])
        found.append(x)
    return found


def tuples(results):
    return results if isinstance(results, tuple) else (results,)


def close(x, y, tolerance=1e-10):
    x, y = np.asarray(x), np.asarray(y)
    assert np.isfinite(y).all()
    np.testing.assert_allclose(x, y, rtol=0.0, atol=tolerance * (1.0 + np.abs(y).max(initial=0.0)))


def check_gradients(kernel, rng, second):
    """Compare values, gradients, and products with second derivatives if ``second``."""
    model = kernel.model
    f = function_of(kernel, None, {})
    of_torch, of_jax = lw.bridges.torch(kernel), lw.bridges.jax(kernel)
    xs = arguments_of(model, f.program, rng)
    values = tuples(kernel(*xs))
    ws = [rng.standard_normal(np.shape(y)) for y in values]
    directions = [rng.standard_normal(x.shape) for x in xs]
    step = 1e-6
    ahead, behind = ([x + s * d for x, d in zip(xs, directions, strict=True)] for s in (step, -step))

    def torch_gradients(arrays, **kept):
        tensors = [torch.tensor(x, requires_grad=True) for x in arrays]
        results = tuples(of_torch(*tensors))
        return results, tensors, torch.autograd.grad(results, tensors, [torch.as_tensor(w) for w in ws], **kept)

    def pull(*arrays):
        return jax.vjp(of_jax, *arrays)[1](tuple(map(jax.numpy.asarray, ws)) if not f.single else ws[0])

    of_tensors, tensors, gradients = torch_gradients(xs, create_graph=second)
    for ours, x, y in zip(values, of_tensors, tuples(of_jax(*xs)), strict=True):
        assert np.array_equal(ours, x.detach(), equal_nan=True)
        assert np.array_equal(ours, y, equal_nan=True)
    for x, y in zip(gradients, pull(*xs), strict=True):
        close(x.detach(), y)

    _, along = jax.jvp(of_jax, xs, directions)
    terms = np.concatenate([np.ravel(w * t) for w, t in zip(ws, tuples(along), strict=True)])
    pulled = sum(float(np.sum(g.detach().numpy() * d)) for g, d in zip(gradients, directions, strict=True))
    assert abs(pulled - terms.sum()) < 1e-10 * (1.0 + np.abs(terms).sum())  # whose sum may cancel
    for t, a, b in zip(tuples(along), tuples(kernel(*ahead)), tuples(kernel(*behind)), strict=True):
        close((a - b) / (2.0 * step), t, 1e-6)

    for k, slot in enumerate(f.program.inputs):  # ours, along integrate by a configuration
        J = tuples(kernel.derivative(slot.name)(*xs))
        ours = sum(np.tensordot(w, j, np.ndim(w)) for w, j in zip(ws, J, strict=True))
        gradient = gradients[k].detach().numpy()
        if model is not None and slot.name in CONFIGURATIONS:
            gradient = lw.configuration_rate(model, xs[k], np.eye(model.nv)) @ gradient
        close(gradient, ours)

    if not second:
        return
    product = sum((g * torch.as_tensor(d)).sum() for g, d in zip(gradients, directions, strict=True))
    by_torch = torch.autograd.grad(product, tensors, materialize_grads=True)  # reverse over reverse
    _, by_jax = jax.jvp(pull, xs, directions)  # forward over reverse
    differences = zip(torch_gradients(ahead)[2], torch_gradients(behind)[2], strict=True)
    for x, y, (a, b) in zip(by_torch, by_jax, differences, strict=True):
        close(x, y)
        close((a - b) / (2.0 * step), y, 1e-6)


UNDEFINED = {
    "two_link": ["zero_moment_point"],  # nothing pushes along the vertical
    # the same, and of a frame that cannot move
    "four_bar": ["zero_moment_point", "force_ellipsoid", "operational_inertia", "operational_space_dynamics"],
    **{robot: ["velocity_ellipsoid", "force_ellipsoid"] for robot in FLOATING},  # equal axes have no derivatives
}


def algorithms_of(robots):
    return [(robot, name) for robot in robots for name in _ALGORITHMS if name not in UNDEFINED.get(robot, ())]


OF_LOOPS = ("actuated_efforts", "impulse", "joint_reactions", "plastic_impact", "prescribed_dynamics", "project")
"""Algorithms that closed loops change, in addition to those of constraints."""


def has_turn(robot, name):
    """Return whether the normal run has an algorithm of a robot: of all but the arm, one for each algorithm."""
    if robot == "two_link":
        return True
    loops = name.startswith("constraint") or name in OF_LOOPS or name in UNDEFINED["floating"]
    return robot == ("four_bar" if loops or _ALGORITHMS.index(name) % 3 == 0 else "floating")


@pytest.mark.parametrize(("robot", "name"), [case for case in algorithms_of(SHORT) if has_turn(*case)])
def test_gradients_agree(robot, name):
    kernel = algorithm_kernel(robot_of(robot), name)
    check_gradients(kernel, np.random.default_rng(_ALGORITHMS.index(name)), second=robot == "two_link")


@pytest.mark.nightly
@pytest.mark.parametrize(("robot", "name"), algorithms_of(SHORT | LONG))
def test_first_and_second_derivatives_agree(robot, name):
    kernel = algorithm_kernel(robot_of(robot), name)
    try:
        check_gradients(kernel, np.random.default_rng(_ALGORITHMS.index(name)), second=True)
    except lw.errors.TooLargeError as error:  # after the checks of lower order
        pytest.skip(f"derivatives of {name} of {robot}: {error}")


OF_ARRAYS = {
    "atan2": {"y": 3, "x": 3},
    "cholesky": {"A": (3, 3)},
    "clip": {"x": 3, "low": (), "high": ()},
    "maximum": {"x": 3, "y": 3},
    "minimum": {"x": 3, "y": 3},
    "norm": {"x": 3},
    "sign": {"x": 3},
    "solve": {"A": (3, 3), "b": 3},
    "take": {"table": 5, "k": ()},
    "where": {"condition": np.array([True, False, True]), "a": 3, "b": 3},
    **{f"rotation.{name}": {"order": "xyz"} for name in ("euler_axes", "from_euler", "to_euler")},
    **{
        f"{module}.{name}": {}
        for module in ("quaternion", "rotation", "transform")
        for name in getattr(lw, module).__all__
        if name not in ("euler_axes", "from_euler", "to_euler")
    },
}
"""Functions of arrays without a mechanism, with shapes and options."""

OF_MECHANISMS = {
    "interpolate": {"s": ()},
    "resolved_rate": {"rates": {"tip": np.array([0.1, 0.2, 0.0])}},
    "control.compliance": {"frame": "tip", "stiffness": ()},
    "control.hand_wrench": {"frame": "tip", "directions": ("x", "y")},
    "control.impedance": {"t": (), "frame": "tip", "target": (4, 4), "stiffness": (), "damping": ()},
    "control.pd": {"t": (), "target": 2, "stiffness": 2, "damping": 2},
    "control.regulate": {"t": (), "posture": 2, "effort": 2, "gain": (2, 4)},
}
"""Functions of a mechanism in other modules."""


def public_function(name):
    module, _, last = name.rpartition(".")
    return getattr(getattr(lw, module) if module else lw, last)


@pytest.mark.parametrize("name", [*OF_ARRAYS, *OF_MECHANISMS])
def test_other_functions(name):
    model = robot_of("two_link") if name in OF_MECHANISMS else None
    f = function_of(public_function(name), model, {**OF_ARRAYS, **OF_MECHANISMS}[name])
    check_gradients(f.kernel, np.random.default_rng(len(name)), second=True)


WITHOUT_DERIVATIVES = {
    "have tests of their own": "inverse_kinematics rollout control.WholeBody",
    "are functions of functions": "compile derivative repeat until study",
    "return models or describe them": """
        load add_mass_properties from_dh to_dh decompose_meshes convex_hull mass_properties equations symbols stack
        mobility check base_parameters parameter_names analytic_inverse_kinematics
        structure.add_loop structure.grasp structure.lock_joints structure.remove_loop structure.transfer_state
        structure.unlock_joints
    """,
    "have no arrays as arguments": """
        default_configuration inertial_parameters structure_parameters total_mass welded_mass
    """,
    "take numbers, as their errors say": """
        close_loops closest_pair collisions distances inverse_kinematics_derivatives linearize mean_configuration
        null_space rollout_derivatives sensor_readings simulate singular_directions standing_configuration
        static_wrench
    """,
    "draw, plan, measure or serve": """
        calibrate draw draw_ellipsoids exciting_trajectory identify identify_payload phase_portrait read_measurements
        region_of_attraction smooth_derivatives studio
    """,
}
"""Public functions that are no differentiable functions of arrays, and why."""


def public_names():
    """Return the names of public functions, those of modules of arrays with the module."""
    found = {name for name in lw.__all__ if not isinstance(getattr(lw, name), (type, ModuleType))}
    for module in ("quaternion", "rotation", "transform", "structure"):
        names = getattr(lw, module).__all__
        found |= {f"{module}.{name}" for name in names if not isinstance(getattr(getattr(lw, module), name), type)}
    return found


def test_no_public_function_is_missing():
    tested = {*_ALGORITHMS, *OF_ARRAYS, *OF_MECHANISMS}
    without = {name for names in WITHOUT_DERIVATIVES.values() for name in names.split()}
    assert not tested & without
    names = {name for name in tested | without if not name.startswith("control.")}
    assert names == public_names()
