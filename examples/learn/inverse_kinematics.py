"""Inverse kinematics: from the hand to the joints. Written by tools/write_examples.py from docs/learn/inverse_kinematics.md: change that page."""

# %% [markdown]
# # Inverse kinematics: from the hand to the joints
#
# [Forward kinematics](kinematics.md) computes the position of the hand from the joint angles, and has one solution. *Inverse
# kinematics* finds the joint angles for a desired position of the hand. It may have several solutions, or none.
#
# For two links in a plane, a triangle is enough. Its sides are both links and the line from the shoulder to the target. Its
# angles follow from the law of cosines. The elbow may be on either side of that line: *elbow up* and *elbow down*.
#
# ![Both postures of an arm that bring its hand to (x, y), and the circle that it can reach](../pictures/learn_inverse_kinematics.png)

# %%
import numpy as np
import linkwright as lw

arm = lw.load("two_link")                                  # both links are 1 m long


def elbows(x, y):
    """Return both solutions for two links of 1 m, or none where the target is too far."""
    c = (x * x + y * y - 2.0) / 2.0                        # cosine of the elbow angle
    if abs(c) > 1.0:
        return []
    found = []
    for elbow in (np.arccos(c), -np.arccos(c)):
        shoulder = np.arctan2(y, x) - np.arctan2(np.sin(elbow), 1.0 + np.cos(elbow))
        found.append(np.array([shoulder, elbow]))
    return found


target = (1.1, 0.9)
down, up = elbows(*target)
for q in (down, up):
    assert np.allclose(lw.pose(arm, q, "tip")[:2, 3], target)
assert elbows(1.8, 1.2) == []                              # too far

# %% [markdown]
# ## Newton's method for every mechanism
#
# Few mechanisms have such formulas. A general method starts from an initial guess and computes the position error of the
# hand. The [Jacobian](velocities.md) gives a small change of the joints that reduces the error. Newton's method repeats this
# step until the error is zero:

# %%
q = np.array([0.2, 0.5])
for _ in range(8):
    error = np.array(target) - lw.pose(arm, q, "tip")[:2, 3]
    J = lw.jacobian(arm, q, "tip")[:2]
    q = q + np.linalg.solve(J, error)
assert np.allclose(lw.pose(arm, q, "tip")[:2, 3], target)

# %% [markdown]
# This simple loop fails near singular configurations, ignores joint limits, and finds one solution only.
# `lw.inverse_kinematics` respects joint limits, restarts from another configuration where it does not converge, and reports
# the result.

# %%
reached = lw.inverse_kinematics(arm, {"tip": [*target, 0.0]}, initial_guess=[0.2, 0.5])
assert reached.converged
assert np.allclose(lw.pose(arm, reached.q, "tip")[:2, 3], target, atol=1e-6)

far = lw.inverse_kinematics(arm, {"tip": [1.8, 1.2, 0.0]})
print(far.converged, far.reason)                           # False, out of reach

# %% [markdown]
# Check `converged` before you use `q`.
#
# ## Redundant arms
#
# An arm of seven joints has one joint more than a pose of the hand needs. It has infinitely many solutions, and you can
# choose among them: the nearest to the current configuration, or the farthest from the limits. See
# [inverse kinematics](../topics/mechanisms/inverse_kinematics.md), also for a million targets in one call. All solutions of an
# arm with formulas are in [exact inverse kinematics](../topics/mechanisms/exact_inverse_kinematics.md).
#
# Next: [control](control.md).
