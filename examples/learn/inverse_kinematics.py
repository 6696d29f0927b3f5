"""Inverse kinematics: which joints bring the hand there?. Written by tools/write_examples.py from docs/learn/inverse_kinematics.md: change that page."""

# %% [markdown]
# # Inverse kinematics: which joints bring the hand there?
#
# [Kinematics](kinematics.md) asks where the hand is, and has one answer. The way back may have several answers, or none: the place
# (position) of the hand is known, and the angles of the joints are wanted.
#
# For two links in a plane a triangle is enough. Its sides are both links and the line from the shoulder to the target. Its
# angles follow from the law of cosines. The elbow may be on either side of that line: *elbow up* and *elbow down*.

# %%
import numpy as np
import linkwright as lw

arm = lw.load("two_link")                                  # both links are 1 m long


def elbows(x, y):
    """Both answers for two links of 1 m; none where the target is too far."""
    c = (x * x + y * y - 2.0) / 2.0                        # the cosine of the elbow's angle
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

figure = lw.draw(arm, [up, down])
figure.axes[0].plot(*target, "x", color="tab:red", markersize=14, markeredgewidth=3, zorder=100)
figure.savefig("learn_inverse_kinematics.png", dpi=100)

# %% [markdown]
# ![Both postures bring the hand to the cross.](../pictures/learn_inverse_kinematics.png)
#
# ## For every mechanism: in steps
#
# Few mechanisms have such formulas. A method that serves all of them starts somewhere, and looks how far the hand is from
# its target. The [Jacobian](velocities.md) tells which small change of the joints brings the hand nearer. So it goes on,
# step by step, until the hand is there (this is Newton's method):

# %%
q = np.array([0.2, 0.5])
for _ in range(8):
    missing = np.array(target) - lw.pose(arm, q, "tip")[:2, 3]
    J = lw.jacobian(arm, q, "tip")[:2]
    q = q + np.linalg.solve(J, missing)
assert np.allclose(lw.pose(arm, q, "tip")[:2, 3], target)

# %% [markdown]
# This simple loop fails near singular configurations, does not know limits of joints, and finds one answer only.
# `lw.inverse_kinematics` does the same with care: it keeps the limits, starts anew where it gets stuck, and says what it
# found.

# %%
reached = lw.inverse_kinematics(arm, {"tip": [*target, 0.0]}, initial_guess=[0.2, 0.5])
assert reached.converged
assert np.allclose(lw.pose(arm, reached.q, "tip")[:2, 3], target, atol=1e-6)

far = lw.inverse_kinematics(arm, {"tip": [1.8, 1.2, 0.0]})
print(far.converged, far.reason)                           # False, out of reach

# %% [markdown]
# Always look at `converged` before you use `q`.
#
# ## Redundant arms
#
# An arm of seven joints has one joint more than a hand needs. Then there are infinitely many answers, and you may choose
# among them: the nearest to where the arm is now, the one farthest from the limits. How, and how a million targets are
# solved at a time, is in [the topic](../topics/mechanisms/inverse_kinematics.md). All answers of an arm that has formulas
# are in [exact inverse kinematics](../topics/mechanisms/exact_inverse_kinematics.md).
#
# Next: [control](control.md).
