"""Kinematics: the pose of the hand. Written by tools/write_examples.py from docs/learn/kinematics.md: change that page."""

# %% [markdown]
# # Kinematics: the pose of the hand
#
# The joint angles are known. Find the position and the orientation of the hand. This problem is called *forward
# kinematics*, and it has exactly one solution.
#
# Take an arm of two links in a plane. The first link points in the direction θ₁. The second link is rotated by θ₂
# relative to the first link, so it points in the direction θ₁ + θ₂. The position p = (x, y) of the hand is the sum of both links:
#
# ![An arm with the angles θ₁ and θ₂, the lengths l₁ and l₂, and the position p of its hand](../pictures/learn_kinematics.png)
#
# $$x = l_1\cos\theta_1 + l_2\cos(\theta_1+\theta_2) \qquad y = l_1\sin\theta_1 + l_2\sin(\theta_1+\theta_2)$$
#
# `lw.pose` computes this for every mechanism. The arm `two_link` is built in. It moves in the x–y plane, and gravity acts
# along −y. Its hand is the frame `tip`:

# %%
import numpy as np
import linkwright as lw

arm = lw.load("two_link")                                  # both links are 1 m long
q = np.radians([30.0, 45.0])
T = lw.pose(arm, q, "tip")
x = np.cos(q[0]) + np.cos(q[0] + q[1])
y = np.sin(q[0]) + np.sin(q[0] + q[1])
assert np.allclose(T[:3, 3], [x, y, 0.0])

lw.draw(arm, q).savefig("posture.png")

# %% [markdown]
# ## A pose is a matrix
#
# A *frame* is a point of a body with three axes. A *pose* is the position and orientation of a frame, written as a
# matrix:
#
# $$T = \begin{bmatrix} R & p \\ 0 & 1 \end{bmatrix}$$
#
# The columns of R are the axes x, y, z of the frame in world coordinates. p is the position of its origin. To find the
# world coordinates of a point of the hand, append a 1 to the point and multiply by the matrix:

# %%
point = np.array([0.1, 0.0, 0.0, 1.0])                     # 10 cm beyond the tip, along its own x axis
print((T @ point)[:3])
assert np.allclose((T @ point)[:3], T[:3, 3] + 0.1 * T[:3, 0])

# %% [markdown]
# ## Poses are multiplied along the chain
#
# The pose of the second link in the world is the pose of the first link times the pose of the second link relative to
# the first. The product continues to the hand:

# %%
first = lw.pose(arm, q, "link1")
second_from_first = lw.pose(arm, q, "link2", relative_to="link1")
assert np.allclose(first @ second_from_first, lw.pose(arm, q, "link2"))

# %% [markdown]
# The inverse transform is cheap to compute, because the inverse of a rotation matrix is its transpose:
#
# $$T^{-1} = \begin{bmatrix} R^{\mathsf T} & -R^{\mathsf T}p \\ 0 & 1 \end{bmatrix}$$

# %%
back = lw.transform.inverse(T)
assert np.allclose(back @ T, np.eye(4))
assert np.allclose(back[:3, 3], -T[:3, :3].T @ T[:3, 3])

# %% [markdown]
# Next: [velocities](velocities.md). For rotations and frames in full, see
# [kinematics](../topics/mechanisms/kinematics.md).
