"""The mass matrix, column by column. Written by tools/write_examples.py from docs/learn/mass_matrix.md: change that page."""

# %% [markdown]
# # The mass matrix, column by column
#
# The equation of motion contains the mass matrix M(q). (Some books call it the inertia matrix H.) What do its entries mean?
# Consider one column.
#
# Remove gravity, and let the mechanism be at rest. Now accelerate joint k alone, by 1 rad/s². The other joints do not
# accelerate, but their motors need efforts too: they balance the reaction of joint k. These efforts are column k of M.

# %%
import matplotlib.pyplot as plt
import numpy as np
import linkwright as lw


def tree():
    """Return two links in series, with two arms of two links each on the second: six hinges in a plane."""
    builder = lw.Builder("tree", gravity=(0.0, -9.81, 0.0))
    parents, lengths = ("world", "link1", "link2", "link3", "link2", "link5"), (0.5, 0.5, 0.4, 0.4, 0.4, 0.4)
    for k, (parent, length) in enumerate(zip(parents, lengths), start=1):
        mass = 2.0 * length
        moment = mass * length**2 / 12
        builder.body(f"link{k}", mass, [length / 2, 0, 0], [0.0, moment, moment])
        at = {"world": 0.0, "link1": 0.5, "link2": 0.5}.get(parent, 0.4)
        builder.joint(f"joint{k}", "revolute", parent, f"link{k}", xyz=[at, 0, 0])
        builder.frame(f"tip{k}", f"link{k}", xyz=[length, 0, 0])
    return builder.build()


robot = tree()
q = np.radians([80.0, 20.0, 50.0, 35.0, -75.0, -30.0])
weightless, still = robot.with_gravity([0, 0, 0]), np.zeros(robot.nv)
columns = [lw.inverse_dynamics(weightless, q, still, e) for e in np.eye(robot.nv)]
M = np.stack(columns, axis=1)
assert np.allclose(M, lw.mass_matrix(robot, q))

# %% [markdown]
# The mechanism, with its joint numbers, and its mass matrix:

# %%
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4.2), layout="constrained")
for k in range(1, 7):
    start, end = lw.pose(robot, q, f"link{k}")[:2, 3], lw.pose(robot, q, f"tip{k}")[:2, 3]
    left.plot(*np.stack([start, end], axis=1), color="gray", linewidth=5, zorder=1)
    left.plot(*start, "o", color="white", markeredgecolor="black", markersize=9)
    left.annotate(f"{k}", (0.7 * start + 0.3 * end), (7, 6), textcoords="offset points")
left.set(xlabel="x (m)", ylabel="y (m)", aspect="equal", title="six hinges")
right.imshow(np.sqrt(M), cmap="Blues", vmax=4.0)
for i, j in np.ndindex(M.shape):
    right.text(j, i, f"{M[i, j]:.3f}" if M[i, j] else "0", ha="center", va="center", fontsize=9)
right.set(xticks=range(6), yticks=range(6), xticklabels=range(1, 7), yticklabels=range(1, 7))
right.set(xlabel="joint that accelerates by 1 rad/s²", ylabel="joint torque", title="M (kg m²)")
figure.savefig("learn_mass_matrix.png", dpi=90)

# %% [markdown]
# ![Six hinges and their mass matrix. Darker entries are larger.](../pictures/learn_mass_matrix.png)
#
# Column by column:
#
# - **Column 1** is the largest. When joint 1 accelerates, the whole tree moves.
# - **The diagonal** is the torque that a joint needs for its own acceleration. Joints 4 and 6 carry one link each and need
#   the least.
# - **The zeros** are pairs of joints on different arms. An acceleration of joint 3 needs no torque at joint 6.
#
# ## Properties
#
# The matrix is symmetric: the torque at joint 2 due to joint 1 equals the torque at joint 1 due to joint 2. And it is positive definite:
# the kinetic energy $\tfrac12 v^{\mathsf T} M v$ of every motion is positive.

# %%
assert np.allclose(M, M.T)
assert (np.linalg.eigvalsh(M) > 0.0).all()
assert M[2, 5] == 0.0                               # joints 3 and 6

# %% [markdown]
# This method calls inverse dynamics six times. Next: [a faster method, with composite bodies](composite_bodies.md).
