"""Parallel axes. Written by tools/write_examples.py from docs/learn/parallel_axes.md: change that page."""

# %% [markdown]
# # Parallel axes
#
# The moment of inertia of a body depends on the axis of rotation. It is smallest about the axis through the center of mass,
# I₀. About a parallel axis at the distance l it is larger by m l² (parallel axis theorem, or Steiner's theorem):
#
# $$I = I_0 + m\,l^2$$
#
# ![A body with its center of mass and a parallel axis at the distance l](../pictures/learn_parallel_axis.png)
#
# Why? The motion is the sum of two motions. The center of mass moves on a circle of radius l, like a point mass m: this
# contributes m l². And the body rotates about its own center of mass: this contributes I₀.

# %%
import matplotlib.pyplot as plt
import numpy as np
import linkwright as lw


def rod_on_a_hinge(l):
    return (
        lw.Builder("rod")
        .body("rod", mass=1.0, center_of_mass=(l, 0, 0), inertia=(0.0, 0.1, 0.1))     # I₀ = 0.1 kg m²
        .joint("hinge", "revolute", "world", "rod", axis=(0, 0, 1))
        .build()
    )


distances = np.linspace(0.0, 1.0, 11)
moments = np.array([lw.mass_matrix(rod_on_a_hinge(l), [0.0])[0, 0] for l in distances])
assert np.allclose(moments, 0.1 + 1.0 * distances**2)

figure, axes = plt.subplots(figsize=(6, 3.5))
axes.plot(distances, moments, "o-")
axes.axhline(0.1, color="gray", linestyle="--")
axes.set(xlabel="distance l of the axis from the center of mass (m)", ylabel="moment of inertia (kg m²)")
axes.text(0.45, 0.13, "I₀: about the center of mass")
figure.tight_layout()
figure.savefig("learn_parallel_axes.png", dpi=100)

# %% [markdown]
# ![The moment of inertia grows with the square of the distance.](../pictures/learn_parallel_axes.png)
#
# ## The inertia matrix
#
# About one axis the moment of inertia is a number. For all axes together it is a 3 × 3 matrix. If p is the displacement from
# the new reference point to the center of mass, then
#
# $$\mathbf I = \mathbf I_0 + m\,(\mathbf p^{\mathsf T}\mathbf p\,\mathbf 1 - \mathbf p\,\mathbf p^{\mathsf T})$$
#
# `lw.add_mass_properties` uses this rule to combine several bodies. Each body is given as (mass, center of mass, inertia
# about its own center of mass). The result has the same form.

# %%
block = (2.0, np.array([0.3, 0.0, 0.0]), np.diag([0.01, 0.02, 0.02]))
ball = (1.0, np.array([-0.3, 0.1, 0.0]), 0.004 * np.eye(3))
mass, center, inertia = lw.add_mass_properties([block, ball])

by_hand = np.zeros((3, 3))
for m, c, I in (block, ball):
    p = c - center
    by_hand += I + m * (p @ p * np.eye(3) - np.outer(p, p))
assert np.isclose(mass, 3.0)
assert np.allclose(inertia, by_hand)

# %% [markdown]
# ## Sign of the products of inertia
#
# The off-diagonal entries are −Σ m x y and so on, with a minus sign. Some textbooks write I_xy for the sum without the
# minus. A file in the format URDF writes the matrix's own entries: its `ixy` is −Σ m x y.

# %%
x, y = 0.2, 0.5
point = (1.0, np.array([x, y, 0.0]), np.zeros((3, 3)))
counterweight = (1.0, np.array([-x, -y, 0.0]), np.zeros((3, 3)))
_, _, two_points = lw.add_mass_properties([point, counterweight])
assert np.isclose(two_points[0, 1], -2.0 * x * y)

# %% [markdown]
# The inertia matrix of a real body is positive definite. A thin rod has one zero moment of inertia, about its own axis; a
# point mass has three.
#
# Next: [kinematics](kinematics.md).
