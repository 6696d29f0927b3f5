"""Starts with deep overlap: finite steps next to contacts that are far away, and advice where a motion diverges."""

import numpy as np
import pytest

import linkwright as lw
from linkwright.dynamics.impulses.contact_impulses import row_names
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
