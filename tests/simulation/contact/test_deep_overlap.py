"""Starts with deep overlap: finite steps next to contacts that are far away, and advice where a motion diverges."""

import numpy as np
import pytest

import linkwright as lw
from linkwright.dynamics.impulses.contact_impulses import row_names
from linkwright.dynamics.impulses.impulse_solver import SHIFT_SPEED
from linkwright.errors import LinkwrightWarning
from linkwright.simulation.integrators.constrained_step import Constraints, constrained_step


@pytest.fixture(scope="module")
def robot():
    """A body on a compliant foot, with boxes on hinges: one in the ground, the others far above it."""
    made = (
        lw.Builder("robot")
        .body("trunk", 2.0, inertia=0.02)
        .shape("trunk", "sphere", radius=0.1, contact=lw.ContactProperties(stiffness=1e6))
    )
    for k in range(12):
        name, up = f"arm{k}", -0.01 if k == 0 else 3.0
        made.body(name, 0.2, (0.2, 0.0, 0.0), 1e-3)
        made.joint(f"hinge{k}", "revolute", "trunk", name, xyz=(0.0, 0.1 * k, up), axis=(0.0, 1.0, 0.0))
        made.shape(name, "box", size=(0.1, 0.1, 0.1), xyz=(0.3, 0.0, 0.0))
    return made.build(root="free").with_ground()


def test_a_compiled_step_is_that_of_the_book(robot):
    q, v, h = robot.neutral(), np.zeros(robot.nv), 1e-3
    q[2], v[7] = 0.05, 400.0
    none = np.zeros(len(list(row_names(robot))))
    book = constrained_step(robot, q, v, np.zeros(robot.nv), h, none, Constraints())
    motion = lw.simulate(robot, q, v, h)
    assert len(motion.t) == 2
    for ours, theirs in zip((motion.q[-1], motion.v[-1]), book, strict=False):
        np.testing.assert_allclose(ours, theirs, atol=1e-9 * np.abs(theirs).max())


def test_a_diverged_motion_names_the_overlap_at_its_start(robot):
    q, v = robot.neutral(), np.zeros(robot.nv)
    q[2] = -1e4
    with pytest.warns(LinkwrightWarning, match=r"at the start, trunk on ground overlap by 1e\+04 m.*standing_config"):
        lw.simulate(robot, q, v, 0.01)


@pytest.fixture(scope="module")
def ball():
    made = lw.Builder("ball").body("ball", 1.0, inertia=0.01).shape("ball", "sphere", radius=0.1)
    return made.build(root="free").with_ground()


@pytest.mark.parametrize("batch", [(), (2,)])
def test_a_start_below_the_ground_causes_a_warning(ball, batch):
    q = np.tile(ball.neutral(), (*batch, 1))
    q[..., 2] = 0.1
    q.reshape(-1, 7)[-1, 2] = -0.4
    with pytest.warns(
        LinkwrightWarning, match=r"at the start, ball on ground overlap by 0.5 m, more than .* 0.1 m.*standing_con"
    ):
        lw.simulate(ball, q, np.zeros((*batch, 6)), 0.01)


@pytest.mark.parametrize(("height", "speed"), [(0.03, 0.0), (0.5, -30.0), (0.1, 0.0)])
def test_a_start_with_the_center_above_the_ground_causes_none(ball, height, speed):
    q, v = ball.neutral(), np.zeros(6)
    q[2], v[2] = height, speed
    motion = lw.simulate(ball, q, v, 0.1)
    assert motion.q[-1, 2] == pytest.approx(0.1, abs=0.05)


@pytest.fixture(scope="module")
def arm():
    """A hinge and a slide with limits, 0.4 m above the ground."""
    made = lw.Builder("arm").body("upper", 1.0, (0.15, 0.0, 0.0), 0.01).body("lower", 1.0, (0.15, 0.0, 0.0), 0.01)
    made.joint("hinge", "revolute", "world", "upper", xyz=(0.0, 0.0, 0.4), axis=(0.0, 1.0, 0.0), limits=(-1.0, 1.0))
    made.joint("slide", "prismatic", "upper", "lower", xyz=(0.3, 0.0, 0.0), axis=(1.0, 0.0, 0.0), limits=(-0.1, 0.1))
    return made.shape("lower", "sphere", radius=0.05, xyz=(0.3, 0.0, 0.0)).build().with_ground()


@pytest.mark.parametrize(
    ("q", "text"), [([-1.5, 0.0], "'hinge' is 0.5 beyond its limits, -1 to 1"), ([0.0, -0.4], "'slide' is 0.3 beyond")]
)
def test_a_start_far_beyond_limits_causes_a_warning(arm, q, text):
    limits = lw.Integrator("semi_implicit", joint_limits=True)
    with pytest.warns(LinkwrightWarning, match=f"at the start, {text}.*np.clip"):
        lw.simulate(arm.with_contact(itself=False), q, [0.0, 0.0], 0.01, method=limits)


def test_a_fixed_base_in_the_ground_causes_a_warning(arm):
    with pytest.warns(LinkwrightWarning, match="at the start, lower on ground overlap by 0.2"):
        lw.simulate(arm, [1.5, 0.0], [0.0, 0.0], 0.01)


@pytest.mark.parametrize(
    ("q", "v"), [([0.0, 0.0], [0.0, 0.0]), ([-1.01, 0.1], [0.0, 0.0]), ([-0.9, 0.0], [-60.0, 0.0])]
)
def test_starts_near_limits_and_fast_ones_cause_none(arm, q, v, recwarn):
    lw.simulate(arm, q, v, 0.01, method=lw.Integrator("semi_implicit", joint_limits=True))
    assert not [str(w.message) for w in recwarn if "at the start" in str(w.message)]


def test_a_contact_against_a_joint_limit_moves_no_other_joint_far():
    # both are fulfilled by 5 m along the second slide, which lifts the ball by a hundredth of its path
    made = lw.Builder("slides").body("carriage", 1.0, inertia=0.01).body("ball", 1.0, inertia=0.01)
    made.joint("up", "prismatic", "world", "carriage", axis=(0.0, 0.0, 1.0), limits=(0.0, 0.0))
    made.joint("along", "prismatic", "carriage", "ball", xyz=(0.0, 0.0, 0.05), axis=(1.0, 0.0, 0.01))
    model = made.shape("ball", "sphere", radius=0.1).build().with_ground()
    method = lw.Integrator("semi_implicit", joint_limits=True)
    motion = lw.simulate(model, np.zeros(2), np.zeros(2), 0.001, 0.001, method=method)
    up, along = motion.q[-1]
    assert 0.0 < along <= 0.001 * (SHIFT_SPEED + 0.01)
    assert abs(up) < 0.02
