"""Following a motion: computed torque. Written by tools/write_examples.py from docs/learn/computed_torque.md: change that page."""

# %% [markdown]
# # Following a motion: computed torque
#
# A spring and a damper [hold a posture](control.md). What if the target moves? The spring pulls only when there is an error
# already. So the arm comes late, and where it turns round it goes too far.
#
# A model knows better. [Inverse dynamics](dynamics.md) tells which efforts give a wanted acceleration. So give these efforts,
# and leave to the spring and the damper only what is still wrong:
#
# $$\tau = M(q)\,\bigl(a_d + D\,(v_d - v) + K\,(q_d - q)\bigr) + h(q, v) + g(q)$$
#
# Here $q_d$, $v_d$ and $a_d$ are the wanted configuration, velocity and acceleration. This law is called *computed torque*.
#
# ## Why it works
#
# Put τ into the equation of motion, M a + h + g = τ. Everything that belongs to this arm falls out. With the error
# $e = q_d - q$ there remains
#
# $$\ddot e + D\,\dot e + K\,e = 0$$
#
# This is a mass of 1 on a spring K with a damper D. It is the same for every arm, in every posture. The error dies away as
# fast as K and D say.

# %%
from functools import partial

import matplotlib.pyplot as plt
import numpy as np
import linkwright as lw

arm = lw.load("two_link")


def wanted(t):
    """Both joints swing: the configuration, its rate, and the rate of that."""
    w, wide = np.array([3.0, 5.0]), np.array([0.8, 0.6])
    return wide * np.cos(w * t), -wide * w * np.sin(w * t), -wide * w**2 * np.cos(w * t)


def spring_and_damper(model, t, q, v):
    q_d, v_d, _ = wanted(t)
    return 80.0 * (q_d - q) + 25.0 * (v_d - v) + lw.gravity_forces(model, q)


computed = partial(lw.control.computed_torque, reference=wanted, stiffness=100.0, damping=20.0)


def with_wrong_masses(model, t, q, v):
    return computed(arm, t, q, v)                   # the law knows the arm, but not what it carries


loaded = arm.with_payload("link2", 0.05, [1.0, 0.0, 0.0], np.zeros((3, 3)))
q0 = wanted(0.0)[0] + np.radians([20.0, -20.0])     # it begins beside its target
figure, axes = plt.subplots(figsize=(7, 3.5))
largest = {}
for model, law, name in (
    (arm, spring_and_damper, "spring and damper"),
    (loaded, with_wrong_masses, "computed torque, 50 g unknown to it"),
    (arm, computed, "computed torque"),
):
    motion = lw.simulate(model, q0, np.zeros(2), 4.0, controller=law)
    error = np.degrees(np.abs(motion.q - np.array([wanted(t)[0] for t in motion.t])).max(axis=1))
    largest[name] = error[motion.t > 2.0].max()
    axes.plot(motion.t, error, label=name)
axes.set(xlabel="t (s)", ylabel="error of the worse joint (°)", ylim=(-1, 30))
axes.legend(loc="upper right")
figure.tight_layout()
figure.savefig("learn_computed_torque.png", dpi=100)
print(largest)
assert largest["computed torque"] < 0.1 < largest["computed torque, 50 g unknown to it"] < largest["spring and damper"]

# %% [markdown]
# ![The error of three laws while the target swings.](../pictures/learn_computed_torque.png)
#
# ## What it needs
#
# The masses must be right. In the picture 50 g at the tip that the law does not know of leave an error of some degrees. What
# helps: [find what the hand carries](../how_to/payload.md), or take a law that
# [learns it while it moves](../topics/control/observers.md).
#
# Next: [a hand that is a spring](impedance.md).
