"""Arguments of controllers are checked before compilation; joints without motors get no effort; loops stay closed."""

from __future__ import annotations

import inspect
import warnings
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from tests.setups import grouped

import linkwright as lw
from linkwright.errors import LinkwrightError, LinkwrightWarning
from linkwright.simulation.actuation.law_controller import law_controller

control = lw.control
two = lw.load("two_link")
arm = lw.load("arm7")
HOME = np.array([0.3, 0.6, -0.2, 1.2, 0.4, 0.8, 0.1])
POSE = lw.pose(arm, HOME, "tool")

LOOP = control.ForceLoop("z", integral=60.0, damping=1200.0)
BOUND = {
    control.pd: (two, {"target": np.zeros(2), "stiffness": 9.0, "damping": 6.0}),
    control.pid: (two, {"target": np.zeros(2), "stiffness": 9.0, "damping": 6.0, "integral": 1.0, "step": 1e-3}),
    control.computed_torque: (two, {"reference": np.zeros(2), "stiffness": 9.0, "damping": 6.0}),
    control.friction_compensation: (two, {"velocity": np.zeros(2), "friction": 1.0}),
    control.operational_space: (arm, {"frame": "tool", "reference": POSE, "stiffness": 9.0, "damping": 6.0}),
    control.impedance: (arm, {"frame": "tool", "target": POSE, "stiffness": 9.0, "damping": 6.0}),
    control.shaped_impedance: (
        arm,
        {"frame": "tool", "reference": POSE, "inertia": 3.0, "stiffness": 9.0, "damping": 6.0},
    ),
    control.admittance: (
        arm,
        {
            "frame": "tool",
            "reference": POSE,
            "inertia": 3.0,
            "stiffness": 9.0,
            "damping": 6.0,
            "step": 1e-3,
            "tracking_stiffness": 900.0,
            "tracking_damping": 60.0,
        },
    ),
    control.hybrid: (
        arm,
        {
            "frame": "tool",
            "reference": POSE,
            "force": np.array([0, 0, -5.0, 0, 0, 0]),
            "stiffness": 900.0,
            "damping": 60.0,
            "force_loop": LOOP,
            "step": 1e-3,
        },
    ),
}


def looked_at(function, **changes):
    """As a simulation looks at it, before it compiles."""
    model, bound = BOUND[function]
    sensed = "wrench" in inspect.signature(function).parameters
    return law_controller(model, partial(function, **{**bound, **changes}), None, (), (), sensed)


@pytest.mark.parametrize("function", BOUND, ids=lambda f: f.__name__)
def test_what_is_right_passes(function):
    looked_at(function)


@pytest.mark.parametrize(
    ("function", "changes", "message"),
    [
        (control.pd, {"stiffness": np.ones(3)}, r"stiffness has shape \(3,\); expected a number or \(2,\)"),
        (control.pd, {"stiffness": "80"}, "stiffness must be an array of real numbers; got '80'"),
        (control.pd, {"stiffness": -1.0}, "stiffness must be zero or more"),
        (control.pd, {"damping": [-1.0, 1.0]}, "damping must be zero or more"),
        (control.pd, {"target": np.zeros(3)}, r"target has shape \(3,\); expected a posture \(2,\)"),
        (control.pd, {"target": np.zeros((5, 2))}, r"each=\['target'\] gives each motion"),
        (control.pd, {"kp": 3}, "pd has no argument 'kp'"),
        (control.pid, {"limit": -5}, "limit must be zero or more"),
        (control.pid, {"step": 0.0}, "step must be above zero"),
        (control.pid, {"anti_windup": 0.0}, "anti_windup must be above zero"),
        (control.friction_compensation, {"friction": -1.0}, "friction must be zero or more"),
        (control.operational_space, {"reference": np.diag([1.0, 1, -1, 1])}, "rotation of reference is not a rotation"),
        (control.operational_space, {"reference": 2.0 * np.eye(4)}, "reference is not a pose: its last row"),
        (control.operational_space, {"regularization": -1.0}, "regularization must be zero or more"),
        (control.operational_space, {"effort_limits": -1.0}, "effort_limits must not be negative"),
        (control.operational_space, {"stiffness": np.ones(3)}, "one for each of the directions"),
        (control.operational_space, {"directions": "xy"}, r'several as a list, \["x", "y"\]'),
        (control.impedance, {"target": HOME}, r"target has shape \(7,\); expected a pose \(4, 4\)"),
        (control.impedance, {"stiffness": -np.eye(6)}, "as a matrix it has the eigenvalue -1"),
        (control.impedance, {"damping": np.tri(6)}, "damping is not symmetric"),
        (control.shaped_impedance, {"inertia": 0.0}, "inertia must be above zero"),
        (control.admittance, {"inertia": -1.0}, "inertia must be zero or more"),
        (control.admittance, {"step": 0.0}, "step must be above zero"),
        (control.hybrid, {"force_loop": replace(LOOP, axes=np.ones((3, 3)))}, r"force_loop\.axes is not a rotation"),
        (control.hybrid, {"force_loop": replace(LOOP, integral=-1.0)}, r"force_loop\.integral must be zero or more"),
        (control.hybrid, {"force_loop": 60.0}, r"force_loop is lw\.control\.ForceLoop\(…\); got 60"),
        (control.hybrid, {"force": [5.0, 0, -5, 0, 0, 0]}, "force is along 'x', and force_loop.directions is 'z'"),
    ],
)
def test_what_cannot_be_bound_is_reported_by_its_name(function, changes, message):
    with pytest.raises(LinkwrightError, match=message):
        looked_at(function, **changes)


def test_directions_of_a_force_loop_are_checked():
    with pytest.raises(LinkwrightError, match="several as a list"):
        control.ForceLoop("xyz", integral=1.0, damping=1.0)


def test_friction_within_a_law_is_looked_at_too():
    with pytest.raises(LinkwrightError, match="friction must be zero or more"):
        control.friction_compensation(two, 0.0, np.zeros(2), np.zeros(2), velocity=np.ones(2), friction=-1.0)


def test_what_each_motion_has_is_looked_at_of_all():
    law = partial(control.pd, target=np.zeros(2), stiffness=np.array([1.0, 2.0, -3.0]), damping=1.0)
    with pytest.raises(LinkwrightError, match="stiffness must be zero or more"):
        lw.simulate(
            two, np.zeros((3, 2)), np.zeros((3, 2)), 0.01, controller=law, actuation=lw.Actuation(each=["stiffness"])
        )


def test_laws_within_laws_are_looked_at():
    inner = partial(control.pd, target=np.zeros(2), stiffness=-1.0, damping=1.0)
    law = partial(control.momentum_observer, controller=inner, gain=20.0, step=1e-3)
    with pytest.raises(LinkwrightError, match="stiffness must be zero or more"):
        lw.simulate(two, np.zeros(2), np.zeros(2), 0.01, controller=law)


def test_an_informed_observer_needs_a_law_that_can_be_described():
    inner = partial(control.pd, target=np.zeros(2), stiffness=1.0, damping=1.0)
    law = partial(control.momentum_observer, controller=inner, gain=20.0, step=1e-3, compensate=True)
    with pytest.raises(LinkwrightError, match=r"\*, external, …\); pd takes"):
        lw.simulate(two, np.zeros(2), np.zeros(2), 0.01, controller=law)


def test_gains_may_be_of_the_directions_alone():
    law = partial(control.operational_space, frame="tool", reference=POSE, directions="linear", damping=6.0)
    q, v = arm.random(seed=1), np.linspace(-1.0, 1.0, 7)
    result = law(arm, 0.0, q, v, stiffness=[100.0, 200.0, 300.0])
    whole = law(arm, 0.0, q, v, stiffness=np.array([100.0, 200.0, 300.0, 0.0, 0.0, 0.0]))
    assert np.allclose(result, whole, rtol=1e-12, atol=1e-12)


def test_a_posture_draws_unless_it_is_reported_otherwise():
    law = partial(control.operational_space, frame="tool", reference=POSE, stiffness=100.0, damping=20.0)
    q, v, posture = arm.random(seed=1), np.zeros(7), arm.neutral()
    own, critical, none = (
        law(arm, 0.0, q, v, posture=posture, posture_damping=6.0, **more)
        for more in ({}, {"posture_stiffness": 9.0}, {"posture_stiffness": 0.0})
    )
    assert np.allclose(own, critical)
    assert np.abs(own - none).max() > 0.1
    with pytest.raises(LinkwrightError, match="posture_stiffness needs a posture"):
        law(arm, 0.0, q, v, posture_stiffness=9.0)


@pytest.mark.parametrize("mechanism", ["four_bar", "delta"])
def test_laws_of_the_hand_refuse_closed_loops(mechanism):
    model = lw.load(mechanism)
    q, frame = lw.close_loops(model, model.neutral()), model.bodies[-1].name
    for function in (control.operational_space, control.hybrid, control.shaped_impedance, control.admittance):
        bound = {**BOUND[function][1], "frame": frame, "reference": lw.pose(model, q, frame)}
        more = {"wrench": np.zeros(6)} if "wrench" in inspect.signature(function).parameters else {}
        state = [x for x in [function.initial_state(model)] if x is not None]
        with pytest.raises(LinkwrightError, match="is for mechanisms without loops"):
            function(model, 0.0, q, np.zeros(model.nv), *state, **bound, **more)


@pytest.mark.parametrize("mechanism", ["four_bar", "delta"])
def test_compliance_of_closed_loops_is_that_of_what_they_allow(mechanism):
    """Against J Z (ZᵀKZ)⁻¹ Zᵀ Jᵀ with Z of a singular value decomposition; joints without a spring too."""
    model = lw.load(mechanism)
    q, frame = lw.close_loops(model, model.neutral()), model.bodies[-1].name
    _, sizes, Vt = np.linalg.svd(lw.constraint_jacobian(model, q))
    Z, J = Vt[(sizes > 1e-9).sum() :].T, lw.jacobian(model, q, frame)
    some = np.concatenate([np.full(joint.nv, 100.0 * (joint.parent == "world")) for joint in model.joints])
    for K in (np.full(model.nv, 100.0), some):
        expected = J @ Z @ np.linalg.solve(Z.T @ (K[:, None] * Z), Z.T @ J.T)
        found = control.compliance(model, np.stack([q, q]), frame, K)
        assert np.allclose(found, expected, rtol=1e-8, atol=1e-9 * np.abs(expected).max())


def test_compliance_of_a_loop_is_that_of_its_simulation():
    model = lw.load("four_bar")
    q = lw.close_loops(model, model.neutral())

    def springs(model, t, q, v, rest):
        return 100.0 * lw.difference(model, q, rest) - 5.0 * v

    still, push = model.with_gravity([0.0, 0.0, 0.0]), np.array([0.0, 0, 0, 0, 0, 0.05])
    law = partial(springs, rest=q)
    motion = lw.simulate(
        still,
        q,
        np.zeros(model.nv),
        6.0,
        controller=law,
        every=100,
        surroundings=lw.Surroundings(wrenches={"pin_end": push}),
    )
    turned = lw.pose(still, q, "pin_end")[:3, :3].T @ lw.pose(still, motion.q[-1], "pin_end")[:3, :3]
    C = control.compliance(model, q, "pin_end", 100.0)
    assert np.arctan2(turned[1, 0], turned[0, 0]) == pytest.approx(C[5, 5] * push[5], rel=1e-3)
    with pytest.raises(LinkwrightError, match="compliance under a wrench is for mechanisms without loops"):
        control.compliance(model, q, "pin_end", 100.0, push)
    with pytest.raises(LinkwrightError, match=r"stiffness has shape \(2,\)"):
        control.compliance(model, q, "pin_end", np.ones(2))


def test_compliance_takes_batches():
    q, w = arm.random(4, seed=2), np.array([0.0, 0, -20, 0, 1, 0])
    together = control.compliance(arm, q, "tool", 500.0, w)
    for one, row in zip(together, q, strict=True):
        assert np.allclose(one, control.compliance(arm, row, "tool", 500.0, w), rtol=1e-10, atol=1e-14)


@pytest.fixture(scope="module")
def floating():
    return lw.load("arm7", root="free")


def test_a_base_that_floats_is_not_pushed(floating):
    q, v = floating.random(seed=1), np.linspace(-0.5, 0.5, floating.nv)
    posture, root = floating.neutral(), floating.joints[0].name
    assert floating.joints[0].type == "free"
    gains = {"stiffness": 50.0, "damping": 10.0}
    pd = control.pd(floating, 0.0, q, v, target=posture, **gains)
    pid, z = control.pid(floating, 0.0, q, v, np.zeros(floating.nv), target=posture, integral=5.0, step=1e-3, **gains)
    spring = control.impedance(floating, 0.0, q, v, frame="tool", target=POSE, **gains)
    for tau in (pd, pid, z, spring):
        assert not tau[:6].any()
        assert np.abs(tau[6:]).max() > 0.01
    every = [joint.name for joint in floating.joints]
    pushed = control.pd(floating, 0.0, q, v, target=posture, actuated=every, **gains)
    assert np.allclose(pushed[6:], pd[6:])
    assert np.abs(pushed[:6]).max() > 1.0
    assert root in every


def test_computed_torque_moves_the_joints_of_a_base_that_floats(floating):
    q, v = floating.random(seed=1), np.linspace(-0.5, 0.5, floating.nv)
    target = lw.integrate(floating, q, np.full(floating.nv, 0.2))
    tau = control.computed_torque(floating, 0.0, q, v, reference=target, stiffness=100.0, damping=20.0)
    a = lw.forward_dynamics(floating, q, v, tau + lw.passive_forces(floating, q, v))
    assert not tau[:6].any()
    assert np.allclose(a[6:], (100.0 * lw.difference(floating, q, target) - 20.0 * v)[6:], rtol=1e-7, atol=1e-7)


def test_what_drives_every_joint_says_so_of_a_base_that_floats(floating):
    q, v = floating.random(seed=1), np.zeros(floating.nv)
    law = partial(control.operational_space, frame="tool", reference=POSE, stiffness=9.0, damping=6.0)
    with pytest.raises(LinkwrightError, match=r"has no motor: use control\.WholeBody"):
        law(floating, 0.0, q, v)
    assert np.isfinite(law(floating, 0.0, q, v, actuated=[joint.name for joint in floating.joints])).all()


def quick(**changes):
    """A hand so light that a damper held over a millisecond turns it round."""
    wrist = lw.Builder("wrist").body("arm", mass=2.0, center_of_mass=[0.3, 0, 0], inertia=0.05 * np.eye(3))
    wrist = wrist.body("hand", mass=0.1, inertia=4e-4 * np.eye(3))
    wrist = wrist.joint("elbow", "revolute", "world", "arm", axis=[0, 0, 1], limits=lw.JointLimits(effort=50.0))
    wrist = wrist.joint(
        "turn",
        "revolute",
        "arm",
        "hand",
        axis=[0, 0, 1],
        placement=lw.transform.make(np.eye(3), [0.5, 0, 0]),
        limits=lw.JointLimits(effort=12.0),
    )
    model = wrist.build()
    law = partial(control.pd, target=np.array([0.3, 0.3]), stiffness=100.0, damping=changes.pop("damping", 2.0))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        lw.simulate(
            model, np.zeros(2), np.zeros(2), 1.0, **grouped(controller=law, **{"effort_limits": True, **changes})
        )
    return [str(one.message) for one in caught if issubclass(one.category, LinkwrightWarning)]


@pytest.mark.parametrize("every", [1, 100])
def test_gains_too_fast_for_the_step_are_reported_within_limits_too(every):
    (messages,) = quick(every=every)
    assert "joint 'turn' chatters" in messages


def test_sound_gains_are_not():
    assert quick(damping=0.2) == []
    assert quick(step=1e-4) == []
    assert quick(damping=0.2, effort_limits=0.5) == []  # too weak to get there quickly, and often at the limit
    assert quick(damping=0.2, noise={"q": 1e-4, "v": 1e-2}) == []


def test_limits_that_there_are_none_of_are_reported():
    law = partial(control.pd, target=np.zeros(2), stiffness=9.0, damping=6.0)
    with pytest.warns(LinkwrightWarning, match="effort_limits=True changes nothing: no joint of 'two_link'"):
        lw.simulate(two, np.zeros(2), np.zeros(2), 0.01, controller=law, actuation=lw.Actuation(effort_limits=True))


def test_a_sensor_elsewhere_than_the_hand_is_reported():
    law = partial(control.hybrid, **BOUND[control.hybrid][1])
    with pytest.warns(LinkwrightWarning, match="uses it as that at 'tool'"):
        lw.simulate(
            arm,
            HOME,
            np.zeros(7),
            0.01,
            controller=law,
            surroundings=lw.Surroundings(sensor=arm.bodies[2].name, wrenches={"tool": np.zeros(6)}),
        )
