"""Parallel axes. Written by tools/write_examples.py from docs/learn/parallel_axes.md: change that page."""

# %% [markdown]
# # Parallel axes
#
# How hard is it to turn a body? That depends on the axis. The moment of inertia is smallest about the axis through the
# center of mass, I₀. About a parallel axis at the distance l it is larger by m l² (the parallel axis theorem, or Steiner's):
#
# $$I = I_0 + m\,l^2$$
#
# Why? The body does two things at a time. Its center of mass runs on a circle of radius l, as a point of mass m does:
# that takes m l². And the body turns about its own center: that takes I₀.

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
# ## About every axis at a time
#
# About one axis a moment of inertia is one number. For all axes together it is a matrix of 3 × 3 numbers. If p is the way
# (displacement) from the new point to the center of mass, then
#
# $$\mathbf I = \mathbf I_0 + m\,(\mathbf p^{\mathsf T}\mathbf p\,\mathbf 1 - \mathbf p\,\mathbf p^{\mathsf T})$$
#
# `lw.add_mass_properties` uses this rule when it makes one body of several. Each body is given as (mass, center of mass,
# inertia about its own center of mass). The answer has the same form.

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
# ## A sign to be careful with
#
# The entries beside the diagonal are −Σ m x y and so on, with a minus. Some textbooks write I_xy for the sum without the
# minus. A file in the format URDF writes the matrix's own entries: its `ixy` is −Σ m x y.

# %%
x, y = 0.2, 0.5
point = (1.0, np.array([x, y, 0.0]), np.zeros((3, 3)))
counterweight = (1.0, np.array([-x, -y, 0.0]), np.zeros((3, 3)))
_, _, two_points = lw.add_mass_properties([point, counterweight])
assert np.isclose(two_points[0, 1], -2.0 * x * y)

# %% [markdown]
# A matrix of inertia is positive definite for a real body. For a thin rod or a single point one or all of its moments are
# zero: it takes nothing to turn these about their own line.
#
# Next: [where the hand is](kinematics.md).
