"""How to find what the hand carries. Written by tools/write_examples.py from docs/how_to/payload.md: change that page."""

# %% [markdown]
# # How to find what the hand carries
#
# An arm lifts something, and you want to know what it weighs and where its centre of mass is. The motors tell you: they
# work harder with it than without it.
#
# ## Measure
#
# You need the joints' positions at many times, and the efforts of the motors. Velocities and accelerations may be
# measured, or computed from the positions. Here a simulation takes the place of the robot: it carries 2 kg, and what is
# measured has some noise.

# %%
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
print(found["payload.m"])                            # 2.0 kg, nearly
assert abs(found["payload.m"] - 2.0) < 0.05

# %% [markdown]
# The result tells every number with its standard error: how far off it may be because of the noise.
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
