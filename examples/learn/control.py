"""Control: how to stay where you should be. Written by tools/write_examples.py from docs/learn/control.md: change that page."""

# %% [markdown]
# # Control: how to stay where you should be
#
# A motor gives a torque. You want an angle. A *law of control* (control law, or controller) says which torque to give, from the angle that is wanted and
# the angle that is measured.
#
# The simplest good law is a spring and a damper. The spring pulls the joint to its target. The damper brakes it, so that it
# does not swing. The weight of the links is carried beside:
#
# $$\tau = K\,(q_d - q) - D\,v + g(q)$$
#
# This is called PD control with gravity: P is proportional to the error, D (derivative) to its rate.

# %%
from functools import partial

import matplotlib.pyplot as plt
import numpy as np
import linkwright as lw

arm = lw.load("two_link")
target = np.radians([60.0, 45.0])


def law(model, t, q, v, stiffness, damping):
    return stiffness * (target - q) - damping * v + lw.gravity_forces(model, q)


figure, axes = plt.subplots(figsize=(7, 3.5))
for damping, what in ((4.0, "too little"), (20.0, "about right"), (80.0, "too much")):
    told = partial(law, stiffness=40.0, damping=damping)
    motion = lw.simulate(arm, [0.0, 0.0], [0.0, 0.0], 5.0, controller=told)
    axes.plot(motion.t, np.degrees(motion.q[:, 0]), label=f"D = {damping:g} N m s/rad: {what}")
axes.axhline(60.0, color="gray", linestyle="--")
axes.set(xlabel="time (s)", ylabel="angle of the first joint (°)")
axes.legend()
figure.tight_layout()
figure.savefig("learn_control.png", dpi=100)

# %% [markdown]
# ![The first joint on its way to 60°, with three dampers.](../pictures/learn_control.png)
#
# With too little damping the joint swings about its target. With too much it creeps. Between them it comes quickly and
# stops.
#
# ## Why it works
#
# Give the imagined spring an energy, $\tfrac12 (q_d - q)^{\mathsf T} K (q_d - q)$, and add the energy of motion (kinetic energy), ½ vᵀ M v. This sum V is
# positive, except at the target, at rest. Its rate is −vᵀ D v: the damper only takes energy out. So V falls until the arm
# is at rest at the target. A function of this kind is called a Lyapunov function. Note what the proof does not need: the
# masses. They may be wrong, if only the weight is right.

# %%
motion = lw.simulate(
    arm, [0.0, 0.0], [0.0, 0.0], 5.0, controller=partial(law, stiffness=40.0, damping=20.0)
)
error = target - motion.q
V = 0.5 * 40.0 * (error**2).sum(axis=1) + lw.kinetic_energy(arm, motion.q, motion.v)
assert np.all(np.diff(V) < 1e-6)                    # it falls all the time
assert V[-1] < 1e-3 * V[0]

# %% [markdown]
# ## What a spring cannot do
#
# Without the term g the spring must carry the weight, and so it hangs below its target:

# %%
def without_gravity(model, t, q, v):
    return 40.0 * (target - q) - 20.0 * v


hangs = lw.simulate(arm, [0.0, 0.0], [0.0, 0.0], 8.0, controller=without_gravity)
print(np.degrees(target - hangs.q[-1]))             # some degrees are missing
assert np.degrees(target - hangs.q[-1])[0] > 5.0

# %% [markdown]
# What helps without a model is an integral: see [control, from PD to impedance](../topics/control/pd_to_impedance.md). To write
# a law of your own: [how to write a controller](../how_to/write_controller.md). Next: [how to follow a
# motion](computed_torque.md).
