"""Dynamics: the equation of motion. Written by tools/write_examples.py from docs/learn/dynamics.md: change that page."""

# %% [markdown]
# # Dynamics: the equation of motion
#
# To move an arm, the motors overcome three effects: the inertia of the links, Coriolis and centrifugal forces (as in a car in
# a curve), and gravity. Each is a term of the *equation of motion*:
#
# $$M(q)\,a + h(q, v) + g(q) = \tau$$
#
# - M(q) a: the *mass matrix* times the accelerations.
# - h(q, v): the *Coriolis and centrifugal* efforts. They are quadratic in the velocities.
# - g(q): the efforts that balance gravity. (The potential energy is `lw.potential_energy`.)
# - τ: the efforts of the motors.
#
# ![An arm with the angles and torques of its joints, and the weights of its links](../pictures/learn_dynamics_arm.png)

# %%
import matplotlib.pyplot as plt
import numpy as np
import linkwright as lw

arm = lw.load("two_link")
q, v, a = np.radians([30.0, 60.0]), np.array([1.0, -2.0]), np.array([0.5, 0.2])
M = lw.mass_matrix(arm, q)
g = lw.gravity_forces(arm, q)
h = lw.bias_forces(arm, q, v) - g                   # bias_forces is h + g
tau = lw.inverse_dynamics(arm, q, v, a)
assert np.allclose(M @ a + h + g, tau)

# %% [markdown]
# There are two problems. *Inverse dynamics*: find the efforts for a given acceleration. *Forward dynamics*: find the
# acceleration for given efforts. Each is the inverse of the other:

# %%
assert np.allclose(lw.forward_dynamics(arm, q, v, tau), a)

# %% [markdown]
# ## Each part along a motion
#
# Let both joints oscillate, and plot the torque of the first motor, term by term:

# %%
t = np.linspace(0.0, 2.0, 201)
swing = np.stack([0.5 * np.sin(3 * t), 1.2 * np.sin(3 * t)], axis=1)          # q(t)
rates = np.stack([1.5 * np.cos(3 * t), 3.6 * np.cos(3 * t)], axis=1)          # its first derivative
accelerations = -9.0 * swing                                                  # its second derivative
total = lw.inverse_dynamics(arm, swing, rates, accelerations)
weight = lw.gravity_forces(arm, swing)
turning = lw.bias_forces(arm, swing, rates) - weight
inertia = np.einsum("kij,kj->ki", lw.mass_matrix(arm, swing), accelerations)
assert np.allclose(total, inertia + turning + weight)

figure, axes = plt.subplots(figsize=(7, 3.5))
for part, name in ((inertia, "M a"), (turning, "h"), (weight, "g")):
    axes.plot(t, part[:, 0], label=name)
axes.plot(t, total[:, 0], "k", linewidth=2, label="τ, their sum")
axes.set(xlabel="t (s)", ylabel="torque of the first motor (N m)", ylim=(-20, 46))
axes.legend(loc="upper center", ncol=4)
figure.tight_layout()
figure.savefig("learn_dynamics.png", dpi=100)

# %% [markdown]
# ![Torque of the first motor, term by term.](../pictures/learn_dynamics.png)
#
# ## Properties
#
# - M is symmetric, and it depends on q alone. It is largest for the stretched arm:

# %%
stretched, folded = lw.mass_matrix(arm, [0.0, 0.0]), lw.mass_matrix(arm, [0.0, np.pi])
print(stretched[0, 0], folded[0, 0])                # 2.7 and 0.7 kg m²

# %% [markdown]
# - The kinetic energy is $\tfrac12 v^{\mathsf T} M v$. It is positive for every velocity except zero.
# - h is zero where only prismatic joints move. g is zero without gravity.
#
# ## Symbolic equations
#
# The equations of a small mechanism are short enough to read. Symbols replace the numbers: m for masses, l for lengths,
# lg for the distances to the centers of mass, I for inertias.

# %%
print(lw.equations(arm).text())

# %% [markdown]
# Next: [the entries of M](mass_matrix.md).
