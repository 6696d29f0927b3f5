"""Dynamics: what it takes to move. Written by tools/write_examples.py from docs/learn/dynamics.md: change that page."""

# %% [markdown]
# # Dynamics: what it takes to move
#
# To move an arm the motors work against three things: the inertia of the links, the forces that come from turning (as in a
# car that goes round a bend), and weight. Each has its place in the *equation of motion*:
#
# $$M(q)\,a + h(q, v) + g(q) = \tau$$
#
# - M(q) a: the *mass matrix* times the accelerations. It says how hard the joints are to accelerate.
# - h(q, v): the *Coriolis and centrifugal* efforts. They grow with the square of the velocities.
# - g(q): the efforts of gravity, the ones that carry the weight. (Their potential energy is `lw.potential_energy`.)
# - τ: the efforts of the motors.

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
# Two questions can be asked. *Inverse dynamics*: which efforts give this acceleration? *Forward dynamics*: which
# acceleration do these efforts give? Each undoes the other:

# %%
assert np.allclose(lw.forward_dynamics(arm, q, v, tau), a)

# %% [markdown]
# ## Each part along a motion
#
# Let both joints swing, and look at what the first motor gives, part by part:

# %%
t = np.linspace(0.0, 2.0, 201)
swing = np.stack([0.5 * np.sin(3 * t), 1.2 * np.sin(3 * t)], axis=1)          # q at every time,
rates = np.stack([1.5 * np.cos(3 * t), 3.6 * np.cos(3 * t)], axis=1)          # its rate,
accelerations = -9.0 * swing                                                  # and the rate of that
total = lw.inverse_dynamics(arm, swing, rates, accelerations)
weight = lw.gravity_forces(arm, swing)
turning = lw.bias_forces(arm, swing, rates) - weight
inertia = np.einsum("kij,kj->ki", lw.mass_matrix(arm, swing), accelerations)
assert np.allclose(total, inertia + turning + weight)

figure, axes = plt.subplots(figsize=(7, 3.5))
for part, name in ((inertia, "M a"), (turning, "h"), (weight, "g")):
    axes.plot(t, part[:, 0], label=name)
axes.plot(t, total[:, 0], "k", linewidth=2, label="τ, their sum")
axes.set(xlabel="t (s)", ylabel="of the first motor (N m)", ylim=(-20, 46))
axes.legend(loc="upper center", ncol=4)
figure.tight_layout()
figure.savefig("learn_dynamics.png", dpi=100)

# %% [markdown]
# ![What the first motor gives, part by part.](../pictures/learn_dynamics.png)
#
# ## What is always so
#
# - M is symmetric, and it depends on q alone. The stretched arm is the hardest to turn:

# %%
stretched, folded = lw.mass_matrix(arm, [0.0, 0.0]), lw.mass_matrix(arm, [0.0, np.pi])
print(stretched[0, 0], folded[0, 0])                # 2.7 and 0.7 kg m²

# %% [markdown]
# - The energy of motion (kinetic energy) is ½ vᵀ M v. It is positive for every velocity but zero.
# - h is zero where only joints that slide move. g is zero where nothing has weight.
#
# ## The equations themselves
#
# A small mechanism has equations that can be read. Here letters stand in the place of numbers: m for masses, l for lengths,
# lg for the distances to the centers of mass, I for inertias.

# %%
print(lw.equations(arm).text())

# %% [markdown]
# Next: [what the entries of M mean](mass_matrix.md).
