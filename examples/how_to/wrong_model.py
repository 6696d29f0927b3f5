"""Simulate a controller with a wrong model. Written by tools/write_examples.py from docs/how_to/wrong_model.md: change that page."""

# %% [markdown]
# # Simulate a controller with a wrong model
#
# A controller uses the masses of its model. The masses of the real robot differ. `lw.control.with_model` gives a controller its
# own model, while the simulation uses the real one.

# %%
from functools import partial

import matplotlib.pyplot as plt
import numpy as np
import linkwright as lw

real = lw.load("arm7")
target = np.array([0.3, 0.6, -0.2, -1.2, 0.4, 0.8, 0.1])
K = np.array([200.0, 200.0, 150.0, 100.0, 20.0, 20.0, 2.0])     # stiffness, N m/rad
D = np.array([40.0, 40.0, 30.0, 15.0, 3.0, 3.0, 0.3])           # damping, N m s/rad
pd = partial(lw.control.pd, target=target, stiffness=K, damping=D)      # with gravity compensation

nominal = real.with_scaled_masses(1.1)                   # all masses 10 % too large
controller = partial(lw.control.with_model, controller=pd, mechanism=nominal)
motion = lw.simulate(real, np.zeros(7), np.zeros(7), 6.0, controller=controller)
print(np.degrees(np.abs(motion.q[-1] - target).max()))    # steady-state error, degrees

# %% [markdown]
# `mechanism` is any model with the same joints. The controller may have a state. It reads the measured
# `q` and `v` of the real robot.
#
# ## From 20 % too light to 20 % too heavy

# %%
factors = np.array([0.8, 0.9, 1.0, 1.1, 1.2])
errors = []
for factor in factors:
    controller = partial(lw.control.with_model, controller=pd, mechanism=real.with_scaled_masses(factor))
    motion = lw.simulate(real, np.zeros(7), np.zeros(7), 6.0, controller=controller)
    errors.append(np.degrees(motion.q[-1] - target))
errors = np.array(errors)
assert np.abs(errors[2]).max() < 0.05                     # no error with accurate masses
assert np.abs(errors[4]).max() > 1.5 * np.abs(errors[3]).max()

figure, axes = plt.subplots(figsize=(7, 3.5))
axes.set_ylim(-4.0, 6.0)
axes.plot(factors, errors, "o-", label=[joint.name for joint in real.joints])
axes.set(xlabel="nominal masses / real masses", ylabel="steady-state error (°)")
axes.legend(ncol=4, loc="upper center")
figure.tight_layout()
figure.savefig("how_to_wrong_model.png", dpi=100)

# %% [markdown]
# ![The steady-state error of each joint grows in proportion to the error of the masses.](../pictures/how_to_wrong_model.png)
#
# At rest the stiffness balances the error of the gravity compensation. So the position error is proportional to the error of the masses,
# and inversely proportional to the stiffness.
#
# ## Other model errors
#
# | error | model of the controller |
# |---|---|
# | all masses | `real.with_scaled_masses(1.1)` |
# | the mass of one body | `real.with_body("link3", mass=2.0)` |
# | an unknown payload | the bare arm; simulate `real.with_payload("tool", 2.0)` |
# | friction in the joints | `real.with_joint("joint2", friction=0.0)` |
# | the direction of gravity | `real.with_gravity([0.5, 0.0, -9.8])` |

# %%
loaded = real.with_payload("tool", 2.0)
controller = partial(lw.control.with_model, controller=pd, mechanism=real)
motion = lw.simulate(loaded, np.zeros(7), np.zeros(7), 6.0, controller=controller)
print(np.degrees(np.abs(motion.q[-1] - target).max()))
assert np.abs(motion.q[-1] - target).max() > 0.02

# %% [markdown]
# To find the payload from measurements, see [identify the payload](payload.md). For thousands of models, see
# [run a study](run_study.md).
