"""Kinematics: where is the hand?. Written by tools/write_examples.py from docs/learn/kinematics.md: change that page."""

# %% [markdown]
# # Kinematics: where is the hand?
#
# The angles of the joints are known. Where is the hand (its position), and how is it turned (its orientation)? This
# question is called *forward kinematics*, and it has exactly one answer.
#
# Take an arm of two links in a plane. The first link points in the direction θ₁. The second link is turned by θ₂ against
# the first one, so it points in the direction θ₁ + θ₂. Go along both links, and you are at the hand:
#
# $$x = l_1\cos\theta_1 + l_2\cos(\theta_1+\theta_2) \qquad y = l_1\sin\theta_1 + l_2\sin(\theta_1+\theta_2)$$
#
# `lw.pose` does this for every mechanism. The arm `two_link` is built in. It moves in the plane of x and y, and its weight
# pulls along −y. Its hand is the frame `tip`:

# %%
import numpy as np
import linkwright as lw

arm = lw.load("two_link")                                  # both links are 1 m long
q = np.radians([30.0, 45.0])
T = lw.pose(arm, q, "tip")
x = np.cos(q[0]) + np.cos(q[0] + q[1])
y = np.sin(q[0]) + np.sin(q[0] + q[1])
assert np.allclose(T[:3, 3], [x, y, 0.0])

postures = np.radians([[-20.0, 30.0], [5.0, 40.0], [30.0, 45.0]])
lw.draw(arm, postures).savefig("learn_kinematics.png", dpi=100)

# %% [markdown]
# ![Three postures of the arm; the last one in full color.](../pictures/learn_kinematics.png)
#
# ## A pose is a matrix
#
# A *frame* is a point of a body with three axes. A *pose* says where a frame is and how it is turned. It is written as a
# matrix:
#
# $$T = \begin{bmatrix} R & p \\ 0 & 1 \end{bmatrix}$$
#
# The columns of R are the axes x, y, z of the frame, seen from the world. p is where its origin is. To find where in the
# world a point of the hand is, multiply the matrix with the point, and with a 1 below it:

# %%
point = np.array([0.1, 0.0, 0.0, 1.0])                     # 10 cm beyond the tip, along its own x axis
print((T @ point)[:3])
assert np.allclose((T @ point)[:3], T[:3, 3] + 0.1 * T[:3, 0])

# %% [markdown]
# ## Poses are multiplied along the chain
#
# The pose of the second link, seen from the world, is the pose of the first link, times the pose of the second link seen
# from the first. So it goes on to the hand:

# %%
first = lw.pose(arm, q, "link1")
second_from_first = lw.pose(arm, q, "link2", relative_to="link1")
assert np.allclose(first @ second_from_first, lw.pose(arm, q, "link2"))

# %% [markdown]
# The way back is the inverse matrix. It needs no general inversion, because the inverse of a rotation is its transpose:
#
# $$T^{-1} = \begin{bmatrix} R^{\mathsf T} & -R^{\mathsf T}p \\ 0 & 1 \end{bmatrix}$$

# %%
back = lw.transform.inverse(T)
assert np.allclose(back @ T, np.eye(4))
assert np.allclose(back[:3, 3], -T[:3, :3].T @ T[:3, 3])

# %% [markdown]
# Next: [how fast the hand is](velocities.md). Everything about rotations and frames is in
# [the topic](../topics/mechanisms/kinematics.md).
