"""How to find what the hand carries. Written by tools/write_examples.py from docs/how_to/payload.md: change that page."""

# %% [markdown]
# # How to find what the hand carries
#
# An arm lifts something (a *payload*), and you want to know what it weighs and where its center of mass is. The motors tell you: they
# work harder with it than without it.
#
# ## Measure
#
# You need the joints' positions at many times, and the efforts of the motors. Velocities and accelerations may be
# measured, or computed from the positions. Here a simulation takes the place of the robot: it carries 2 kg, and what is
# measured has some noise.

# %%
import matplotlib.pyplot as plt
import numpy as np
import linkwright as lw

arm = lw.load("arm7")                                # what you know: the arm itself
real = arm.with_payload("tool", 2.0, center_of_mass=(0.02, 0.0, 0.1), inertia=0.01)      # what you want to find

rng = np.random.default_rng(0)
t = np.linspace(0.0, 10.0, 1001)
phase = rng.uniform(0.0, 2 * np.pi, 7)
speed = rng.uniform(1.0, 2.5, 7)
q = 0.8 * np.sin(t[:, None] * speed + phase)         # every joint swings
v = 0.8 * speed * np.cos(t[:, None] * speed + phase)
a = -(speed**2) * q
tau = lw.inverse_dynamics(real, q, v, a)
tau = tau + rng.normal(0.0, 0.5, tau.shape)          # noise of 0.5 N m

# %% [markdown]
# ## Find it

# %%
found = lw.identify_payload(arm, "tool", q, v, a, tau)
print(found)
mass = found["payload.m"]
center = np.array([found["payload.mcx"], found["payload.mcy"], found["payload.mcz"]]) / mass
print(mass)                                          # 2.0 kg, nearly
print(center)                                        # m, from the frame "tool": nearly (0.02, 0, 0.1)
assert abs(mass - 2.0) < 0.05
assert np.abs(center - [0.02, 0.0, 0.1]).max() < 0.01

# %% [markdown]
# Efforts do not tell the center of mass c itself. They tell m c, the mass times the center of mass: these are
# `payload.mcx`, `payload.mcy` and `payload.mcz`, in kg m. Divide by the mass, as above. `payload.Ixx` and so on are the
# moments of inertia about the axes of the frame `tool`.
#
# How to read the report:
#
# - The *standard error* of a number says how far off it may be because of the noise.
# - A *base parameter* is a number that the efforts alone determine. Here each of the ten is a parameter of the load. In
#   larger questions only sums of parameters can be told, and the column "combination" shows these sums.
# - The *condition number* says how well the motion shows everything. Near 1 is best. In the thousands, some numbers are
#   hardly shown.
# - The *prior* is what you knew before: the arm without a load. A parameter that the motion does not show keeps its value.
#
# See how much of the efforts the load explains:

# %%
names = [joint.name for joint in arm.joints]
unexplained = np.sqrt(np.mean((tau - lw.inverse_dynamics(arm, q, v, a)) ** 2, axis=0))
left = np.sqrt(np.mean((tau - lw.inverse_dynamics(found.model, q, v, a)) ** 2, axis=0))

figure, axes = plt.subplots(figsize=(7, 3))
axes.bar(np.arange(7) - 0.2, unexplained, 0.4, label="the arm alone")
axes.bar(np.arange(7) + 0.2, left, 0.4, label="with the load that was found")
axes.axhline(0.5, color="gray", linestyle="--", label="the noise")
axes.set(ylabel="effort not explained (N m)", xticks=range(7), xticklabels=names)
axes.legend()
figure.tight_layout()
figure.savefig("how_to_payload.png", dpi=100)

# %% [markdown]
# ![The arm alone leaves up to 13 N m unexplained; with the load that was found, only the noise is left.](../pictures/how_to_payload.png)
#
# ## Use it
#
# `found.model` is the arm with the load. Take it wherever you took the arm, for instance in a law of control that carries
# the weight:

# %%
loaded = found.model
posture = np.full(7, 0.4)
missing = lw.gravity_forces(real, posture) - lw.gravity_forces(loaded, posture)
print(np.abs(missing).max())                         # N m that the law would get wrong
assert np.abs(missing).max() < 0.3
without = lw.gravity_forces(real, posture) - lw.gravity_forces(arm, posture)
assert np.abs(missing).max() < 0.1 * np.abs(without).max()

# %% [markdown]
# ## When the answer is not good
#
# - **Large standard errors**: the motion did not show it. Turn the wrist, so that gravity pulls on the load from all sides.
#   `lw.exciting_trajectory` finds a motion that shows much.
# - **Friction**: joints that rub take efforts, too. `identify_payload(…, friction=True)` finds these as well.
# - **Only positions were measured**: `lw.smooth_derivatives` computes velocities and accelerations from them.
#
# From the command line, with a table of measurements: `linkwright identify`. Everything else, also finding the masses of the
# arm itself: [identification](../topics/mechanisms/identification.md).
