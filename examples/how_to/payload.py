"""Identify the payload. Written by tools/write_examples.py from docs/how_to/payload.md: change that page."""

# %% [markdown]
# # Identify the payload
#
# An arm lifts an object, the *payload*. Its mass and its center of mass can be estimated from the motor efforts, which differ from
# those of the arm alone.
#
# ## Measure
#
# You need joint positions and motor efforts at many times. Velocities and accelerations can be measured, or computed from the
# positions. Here a model replaces the robot: its payload is 2 kg, and the measured efforts have noise.

# %%
import matplotlib.pyplot as plt
import numpy as np
import linkwright as lw

arm = lw.load("arm7")                                # the known model of the arm
real = arm.with_payload("tool", 2.0, center_of_mass=(0.02, 0.0, 0.1), inertia=0.01)      # the unknown payload

rng = np.random.default_rng(0)
t = np.linspace(0.0, 10.0, 1001)
phase = rng.uniform(0.0, 2 * np.pi, 7)
speed = rng.uniform(1.0, 2.5, 7)
q = 0.8 * np.sin(t[:, None] * speed + phase)         # every joint oscillates
v = 0.8 * speed * np.cos(t[:, None] * speed + phase)
a = -(speed**2) * q
tau = lw.inverse_dynamics(real, q, v, a)
tau = tau + rng.normal(0.0, 0.5, tau.shape)          # noise of 0.5 N m

# %% [markdown]
# ## Identify

# %%
found = lw.identify_payload(arm, "tool", q, v, a, tau)
print(found)
mass = found["payload.m"]
center = np.array([found["payload.mcx"], found["payload.mcy"], found["payload.mcz"]]) / mass
print(mass)                                          # about 2.0 kg
print(center)                                        # m, in the frame "tool": about (0.02, 0, 0.1)
assert abs(mass - 2.0) < 0.05
assert np.abs(center - [0.02, 0.0, 0.1]).max() < 0.01

# %% [markdown]
# The efforts determine the product m c of the mass and the center of mass: `payload.mcx`, `payload.mcy` and `payload.mcz`, in
# kg m. Divide by the mass, as above. `payload.Ixx` and so on are the
# moments of inertia about the axes of the frame `tool`.
#
# Terms of the report:
#
# - *Standard error*: the uncertainty of a parameter due to noise.
# - *Base parameter*: a parameter that the efforts determine. Here each of the ten is a parameter of the payload. In larger
#   problems only linear combinations can be identified, and the column "combination" lists them.
# - *Condition number*: the quality of the excitation. Near 1 is best; in the thousands, some parameters are poorly excited.
# - *Prior*: the arm without a payload. A parameter that the motion does not excite keeps its prior value.
#
# Compare the residuals without and with the payload:

# %%
names = [joint.name for joint in arm.joints]
without_payload = np.sqrt(np.mean((tau - lw.inverse_dynamics(arm, q, v, a)) ** 2, axis=0))
with_payload = np.sqrt(np.mean((tau - lw.inverse_dynamics(found.model, q, v, a)) ** 2, axis=0))

figure, axes = plt.subplots(figsize=(7, 3))
axes.bar(np.arange(7) - 0.2, without_payload, 0.4, label="arm alone")
axes.bar(np.arange(7) + 0.2, with_payload, 0.4, label="with the identified payload")
axes.axhline(0.5, color="gray", linestyle="--", label="noise")
axes.set(ylabel="residual effort (N m)", xticks=range(7), xticklabels=names)
axes.legend()
figure.tight_layout()
figure.savefig("how_to_payload.png", dpi=100)

# %% [markdown]
# ![Residuals up to 13 N m for the arm alone; with the identified payload only noise remains.](../pictures/how_to_payload.png)
#
# ## Use the result
#
# `found.model` is the arm with the payload. Use it in place of the arm, for example in a controller with gravity compensation:

# %%
loaded = found.model
posture = np.full(7, 0.4)
error = lw.gravity_forces(real, posture) - lw.gravity_forces(loaded, posture)
print(np.abs(error).max())                           # N m, the remaining error
assert np.abs(error).max() < 0.3
without = lw.gravity_forces(real, posture) - lw.gravity_forces(arm, posture)
assert np.abs(error).max() < 0.1 * np.abs(without).max()

# %% [markdown]
# ## Troubleshooting
#
# - **Large standard errors**: the motion does not excite the parameter. Rotate the wrist, so that gravity acts on the payload from
#   all directions. `lw.exciting_trajectory` optimizes the excitation.
# - **Friction**: joint friction needs efforts, too. `identify_payload(…, friction=True)` estimates it as well.
# - **Only positions were measured**: `lw.smooth_derivatives` computes velocities and accelerations from them.
#
# From the command line, with a table of measurements: `linkwright identify`. To identify the parameters of the arm itself, see
# [identification](../topics/mechanisms/identification.md).
