"""Computed torque: track a trajectory. Written by tools/write_examples.py from docs/learn/computed_torque.md: change that page."""

# %% [markdown]
# # Computed torque: track a trajectory
#
# A spring and a damper [hold a posture](control.md). If the target moves, the spring acts only after an error has appeared.
# So the arm lags behind, and overshoots where the target reverses.
#
# A model improves this. [Inverse dynamics](dynamics.md) computes the efforts for the desired acceleration. Apply these
# efforts, and let the spring and the damper correct the remaining error:
#
# $$\tau = M(q)\,\bigl(a_d + D\,(v_d - v) + K\,(q_d - q)\bigr) + h(q, v) + g(q)$$
#
# Here $q_d$, $v_d$ and $a_d$ are the desired configuration, velocity and acceleration. This controller is called
# *computed torque*.
#
# ## Why it works
#
# Insert τ into the equation of motion, M a + h + g = τ. All terms that depend on the arm cancel. With the error
# $e = q_d - q$ the result is
#
# $$\ddot e + D\,\dot e + K\,e = 0$$
#
# This is a unit mass on a spring K with a damper D, the same for every arm and every posture. The gains K and D determine how
# fast the error decays.

# %%
from functools import partial

import matplotlib.pyplot as plt
import numpy as np
import linkwright as lw

arm = lw.load("two_link")


def desired(t):
    """Return configuration, velocity and acceleration of two oscillating joints."""
    w, amplitude = np.array([3.0, 5.0]), np.array([0.8, 0.6])
    return amplitude * np.cos(w * t), -amplitude * w * np.sin(w * t), -amplitude * w**2 * np.cos(w * t)


def spring_and_damper(model, t, q, v):
    q_d, v_d, _ = desired(t)
    return 80.0 * (q_d - q) + 25.0 * (v_d - v) + lw.gravity_forces(model, q)


computed = partial(lw.control.computed_torque, reference=desired, stiffness=100.0, damping=20.0)


def with_wrong_masses(model, t, q, v):
    return computed(arm, t, q, v)                   # the controller's model lacks the payload


loaded = arm.with_payload("link2", 0.05, [1.0, 0.0, 0.0], np.zeros((3, 3)))
q0 = desired(0.0)[0] + np.radians([20.0, -20.0])     # an initial error
figure, axes = plt.subplots(figsize=(7, 3.5))
largest = {}
for model, controller, name in (
    (arm, spring_and_damper, "spring and damper"),
    (loaded, with_wrong_masses, "computed torque, 50 g not modeled"),
    (arm, computed, "computed torque"),
):
    motion = lw.simulate(model, q0, np.zeros(2), 4.0, controller=controller)
    error = np.degrees(np.abs(motion.q - np.array([desired(t)[0] for t in motion.t])).max(axis=1))
    largest[name] = error[motion.t > 2.0].max()
    axes.plot(motion.t, error, label=name)
axes.set(xlabel="t (s)", ylabel="largest joint error (°)", ylim=(-1, 30))
axes.legend(loc="upper right")
figure.tight_layout()
figure.savefig("learn_computed_torque.png", dpi=100)
print(largest)
assert largest["computed torque"] < 0.1 < largest["computed torque, 50 g not modeled"] < largest["spring and damper"]

# %% [markdown]
# ![Tracking error of three controllers with an oscillating target.](../pictures/learn_computed_torque.png)
#
# ## Requirements
#
# The masses of the model must be accurate. In the picture, 50 g at the tip that the model lacks cause an error of some
# degrees. Remedies: [identify the payload](../how_to/payload.md), or use a controller that
# [adapts its parameters during the motion](../topics/control/observers.md).
#
# Next: [impedance control](impedance.md).
