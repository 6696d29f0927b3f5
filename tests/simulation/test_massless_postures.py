"""Postures at which joints move no mass together: the mass matrix is singular there alone."""

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import LinkwrightWarning


@pytest.fixture(scope="module")
def wrist():
    """A wrist whose first and last axes are aligned at zero, and whose inner bodies have no mass."""
    made = lw.Builder("wrist").body("outer", 0.0).body("middle", 0.0).body("hand", 1.0, inertia=0.01)
    made.joint("yaw", "revolute", "world", "outer", axis=(0.0, 0.0, 1.0))
    made.joint("pitch", "revolute", "outer", "middle", axis=(1.0, 0.0, 0.0))
    made.joint("roll", "revolute", "middle", "hand", axis=(0.0, 0.0, 1.0), damping=0.1)
    return made.build()


@pytest.mark.parametrize("batch", [(), (2,)])
def test_the_default_method_passes_the_posture(wrist, batch):
    motion = lw.simulate(wrist, np.zeros((*batch, 3)), np.array([0.0, 1.0, 0.5]), 0.02, 1e-3)
    np.testing.assert_allclose(motion.q[-1][..., 1], 0.02, rtol=1e-3)


@pytest.mark.parametrize("run", [lw.simulate, lw.rollout])
def test_a_motion_that_diverges_there_names_the_joints(wrist, run):
    duration = 0.01 if run is lw.simulate else 10
    with pytest.warns(LinkwrightWarning) as caught:
        run(wrist, np.zeros(3), np.zeros(3), duration, 1e-3, method="rk4")
    messages = [str(one.message) for one in caught]
    assert any("take method='semi_implicit'" in text for text in messages)
    assert any(
        "diverged" in text and "'yaw', 'roll' can move together without moving mass" in text for text in messages
    )
