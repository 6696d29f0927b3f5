"""Joint placements, axes, frames and sizes of shapes as arguments of kernels."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import ArgumentError, InputError, LinkwrightError, UnknownNameError
from linkwright.formats.lookup.installed_robots import example_robots
from mechanisms import relative_error

ARM = lw.load("arm7")
NAMES = ("joint3.position", "joint3.orientation", "joint4.axis", "joint5.distance", "tool.position", "tool.orientation")


def along(f, x, d, h=1e-3):
    """Return the derivative of f at x along d by differences of the fourth order."""
    return (8.0 * (f(x + h * d) - f(x - h * d)) - (f(x + 2 * h * d) - f(x - 2 * h * d))) / (12.0 * h)


def others(model, names, rng):
    """Return random values near those of the model; orientations and axes of any length."""
    values = {}
    for name in names:
        x = np.asarray(model.geometry_of(name))
        values[name] = x + 0.05 * rng.normal(size=x.shape) * (np.abs(x).max() + 0.1)
    return values


def require_derivatives(kernel, arrays, values, rng, tolerance=1e-9):
    """Check every derivative of a kernel by its parameters."""
    for name, x in values.items():
        d = rng.normal(size=np.shape(x)) * 0.1
        D = kernel.derivative(name)(*arrays, *values.values())
        found = np.tensordot(D, d, np.ndim(x)) if np.ndim(x) else D * d
        expected = along(lambda x, name=name: kernel(*arrays, *(values | {name: x}).values()), x, d)
        assert np.abs(found - expected).max() < tolerance * max(1.0, np.abs(expected).max()), name


def all_of(model, q, v, a, frame):
    """Return forward kinematics, a Jacobian and dynamics as one array."""
    parts = [lw.pose(model, q, frame), lw.jacobian(model, q, frame), lw.inverse_dynamics(model, q, v, a)]
    return np.concatenate([x.reshape(-1) for x in [*parts, lw.forward_dynamics(model, q, v, a)]])


def test_every_function_with_other_geometry_is_that_of_another_model():
    rng = np.random.default_rng()
    q = ARM.random(1, seed=int(rng.integers(1000)))[0]
    v, a = rng.normal(size=(2, 7))
    kernel = lw.compile(all_of, ARM, frame="tool", parameters=NAMES)
    for values in ({name: ARM.geometry_of(name) for name in NAMES}, others(ARM, NAMES, rng)):
        expected = all_of(ARM.with_geometry(values), q, v, a, "tool")
        assert relative_error(kernel(q, v, a, *values.values()), expected) < 1e-11
    require_derivatives(kernel, (q, v, a), values, rng, 1e-8)


@pytest.mark.skipif(not example_robots(), reason="example-robot-data is not installed (the extra robots)")
@pytest.mark.parametrize(
    ("robot", "names"),
    [
        ("panda", ("panda_joint3.position", "panda_joint4.orientation", "panda_joint6.axis")),
        ("ur5_robot", ("elbow_joint.position", "wrist_1_joint.axis", "ee_fixed_joint.position")),
        ("solo12", ("FL_KFE.distance", "HR_ANKLE.position", "FR_HFE.orientation")),
    ],
)
def test_derivatives_on_robots(robot, names):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lw.errors.FormatWarning)
        model = lw.load(robot)
    rng = np.random.default_rng()
    frame = {"panda": "panda_hand", "ur5_robot": "ee_link", "solo12": "HR_FOOT"}[robot]
    q = model.random(1, seed=int(rng.integers(1000)))[0]
    v, a = rng.normal(size=(2, model.nv))

    def function(model, q, v, a):
        parts = [lw.pose(model, q, frame), lw.jacobian(model, q, frame), lw.inverse_dynamics(model, q, v, a)]
        return np.concatenate([x.reshape(-1) for x in parts])

    kernel = lw.compile(function, model, parameters=names)
    values = others(model, names, rng)
    assert relative_error(kernel(q, v, a, *values.values()), function(model.with_geometry(values), q, v, a)) < 1e-11
    require_derivatives(kernel, (q, v, a), values, rng)


def test_closed_loops():
    """Dynamics of a four-bar linkage with other lengths; they close where the tree of the other model does."""
    model = lw.load("four_bar")
    rng = np.random.default_rng()
    q, v = lw.close_loops(model, model.random(1, seed=1)[0]), np.zeros(3)
    names = ("rocker.distance", "coupler.position", "pin_end.position")
    kernel = lw.compile(lw.forward_dynamics, model, parameters=names)
    values = {name: np.asarray(model.geometry_of(name)) * (1.0 + 1e-3 * rng.normal()) for name in names}
    tau = rng.normal(size=3)
    expected = lw.forward_dynamics(model.with_geometry(values), q, v, tau)
    assert relative_error(kernel(q, v, tau, *values.values()), expected) < 1e-11
    require_derivatives(kernel, (q, v, tau), values, rng)


@pytest.mark.parametrize(
    ("kind", "sizes"),
    [
        ("sphere", {"radius": 0.1}),
        ("capsule", {"radius": 0.1, "length": 0.3}),
        ("cylinder", {"radius": 0.1, "length": 0.3}),
        ("box", {"size": (0.2, 0.3, 0.4)}),
        ("ellipsoid", {"size": (0.2, 0.3, 0.4)}),
    ],
)
def test_contact_with_other_sizes(kind, sizes):
    """A rollout on the ground and on a ball is bitwise that of the other model."""
    builder = lw.Builder("two").body("foot", 1.0, inertia=0.01).body("ball", 0.5, inertia=0.005)
    builder.shape("foot", kind, name="pad", **sizes).shape("ball", "sphere", radius=0.1, name="round")
    builder.joint("root", "free", "world", "foot").joint("other", "free", "world", "ball")
    model = builder.build().with_ground().with_contact()
    q = model.neutral()
    q[2], q[9] = 0.1, 0.4
    q = lw.integrate(model, q, np.array([0, 0, 0, 0.2, 0.3, 0.1, *[0] * 6]))
    values = {f"pad.{what}": 1.2 * np.asarray(x) for what, x in sizes.items()} | {"pad.position": [0.01, 0.02, 0.03]}
    found = lw.rollout(model, q, np.zeros(12), 100, parameters=values)
    expected = lw.rollout(model.with_geometry(values), q, np.zeros(12), 100)
    assert np.array_equal(found.q, expected.q)
    own = {name: model.geometry_of(name) for name in values}
    assert not np.array_equal(found.q, lw.rollout(model, q, np.zeros(12), 100, parameters=own).q)


def test_rows_have_their_own_geometry_and_a_function_may_make_the_model():
    q = ARM.random(4, seed=0)
    p = ARM.geometry_of("joint3.position") * np.linspace(0.5, 2.0, 4)[:, None]
    kernel = lw.compile(lw.pose, ARM, frame="tool", parameters=["joint3.position"])
    other = lw.compile(lambda q, l: lw.pose(ARM.with_geometry({"joint3.distance": l}), q, "tool"), q=7, l=())
    found = kernel(q, p)
    assert np.abs(found - other(q, np.linalg.norm(p, axis=1))).max() < 1e-14
    assert np.abs(found[2] - lw.pose(ARM.with_geometry({"joint3.position": p[2]}), q[2], "tool")).max() < 1e-14


def test_axes_may_point_anywhere():
    """Also opposite to that of the model; the efforts are those of a model with this axis."""
    rng = np.random.default_rng()
    q, v, a = ARM.random(1, seed=0)[0], rng.normal(size=7), rng.normal(size=7)
    kernel = lw.compile(lw.inverse_dynamics, ARM, parameters=["joint4.axis"])
    for axis in (-ARM.geometry_of("joint4.axis"), rng.normal(size=3), [1e-3, 0.0, -1.0], [0.0, 5.0, 0.0]):
        changed = ARM.with_geometry({"joint4.axis": axis})
        assert np.abs(changed.geometry_of("joint4.axis") - np.asarray(axis) / np.linalg.norm(axis)).max() < 1e-15
        assert relative_error(kernel(q, v, a, axis), lw.inverse_dynamics(changed, q, v, a)) < 1e-10


@pytest.mark.parametrize(
    ("name", "value", "error", "message"),
    [
        ("joint9.position", [0.0, 0.0, 0.0], UnknownNameError, "unknown joint or frame or shape 'joint9'"),
        ("link3.position", [0.0, 0.0, 0.0], UnknownNameError, "placed by its joint: joint3.position"),
        ("joint3.position", [0.0, 0.0], InputError, "shape \\(3,\\)"),
        ("joint3.position", [0.0, 0.0, np.nan], InputError, "finite"),
        ("joint3.axis", [0.0, 0.0, 0.0], InputError, "any length but zero"),
        ("joint3.orientation", [0.0, 0.0, 0.0, 0.0], InputError, "any length but zero"),
        ("mount.axis", [0.0, 0.0, 1.0], InputError, "a fixed joint has no single axis"),
        ("joint3.mass", 1.0, UnknownNameError, "unknown geometric parameter .*there are joint3.axis"),
        ("link3.weight", 1.0, UnknownNameError, r"no geometric parameters of 'link3'\. Forms: joint\.position"),
        ("pad.radius", -0.1, InputError, "above zero; got -0.1"),
        ("pad.size", [0.1, 0.1, 0.1], InputError, "a sphere has radius, no size"),
        ("link6.radius", 0.1, InputError, "of a shape and of a shape"),
        ("tool.radius", 0.1, UnknownNameError, "there is pad"),
        (3, 0.1, ArgumentError, "by its name"),
    ],
)
def test_wrong_geometry(name, value, error, message):
    builder = lw.Builder(ARM).shape("link6", "sphere", radius=0.1).shape("link6", "sphere", radius=0.2)
    model = builder.shape("link7", "sphere", radius=0.1, name="pad").build()
    with pytest.raises(error, match=message):
        model.with_geometry({name: value})
    if isinstance(name, str) and issubclass(error, UnknownNameError):
        with pytest.raises(UnknownNameError):
            lw.compile(lw.pose, model, frame="tool", parameters=[name])


def test_wrong_parameters():
    for names, message in (
        (["joint3.distance", "joint3.position"], "is part of 'joint3.position'"),
        (["joint3.position", "joint3.position"], "named once"),
        (["joint3.posiiton"], "unknown parameter"),
    ):
        with pytest.raises(LinkwrightError, match=message):
            lw.compile(lw.pose, ARM, frame="tool", parameters=names)
    for value in (0.0, -1.0, np.inf):
        model = lw.Builder("b").body("ball", 1.0).joint("root", "free", "world", "ball")
        model = model.shape("ball", "sphere", radius=0.1).build().with_ground()
        with pytest.raises(InputError, match=r"ball\.radius is"):
            lw.rollout(model, model.neutral(), np.zeros(6), 2, parameters={"ball.radius": value})
