"""Control: hold a posture. Written by tools/write_examples.py from docs/learn/control.md: change that page."""

# %% [markdown]
# # Control: hold a posture
#
# A motor applies a torque, but you specify an angle. A *controller* computes the torque from the desired angle and the
# measured angle.
#
# The simplest good controller is a spring and a damper. The spring pulls the joint to its target. The damper brakes it, so
# that it does not oscillate. A separate term compensates gravity:
#
# $$\tau = K\,(q_d - q) - D\,v + g(q)$$
#
# ![A spring K and a damper D between the desired angle and the angle of a joint](../pictures/learn_control_spring.png)
#
# This is called PD control with gravity compensation: P is proportional to the error, D to its time derivative.

# %%
from functools import partial

import matplotlib.pyplot as plt
import numpy as np
import linkwright as lw

arm = lw.load("two_link")
target = np.radians([60.0, 45.0])


def pd(model, t, q, v, stiffness, damping):
    return stiffness * (target - q) - damping * v + lw.gravity_forces(model, q)


figure, axes = plt.subplots(figsize=(7, 3.5))
for damping, what in ((4.0, "too little"), (20.0, "about right"), (80.0, "too much")):
    controller = partial(pd, stiffness=40.0, damping=damping)
    motion = lw.simulate(arm, [0.0, 0.0], [0.0, 0.0], 5.0, controller=controller)
    axes.plot(motion.t, np.degrees(motion.q[:, 0]), label=f"D = {damping:g} N m s/rad: {what}")
axes.axhline(60.0, color="gray", linestyle="--")
axes.set(xlabel="time (s)", ylabel="angle of the first joint (°)")
axes.legend()
figure.tight_layout()
figure.savefig("learn_control.png", dpi=100)

# %% [markdown]
# ![Response of the first joint to a target of 60°, with three damping coefficients.](../pictures/learn_control.png)
#
# With too little damping the joint oscillates about its target. With too much it creeps. In between it reaches the target
# quickly and stops.
#
# ## Why it works
#
# Let V be the sum of the energy of the virtual spring, $\tfrac12 (q_d - q)^{\mathsf T} K (q_d - q)$, and the kinetic energy,
# $\tfrac12 v^{\mathsf T} M v$. V is positive, except at rest at the target. Its time derivative is $-v^{\mathsf T} D v$: the damper only dissipates energy. So V
# decreases until the arm is at rest at the target. Such a function is called a Lyapunov function. The proof does not use the
# masses: they may be wrong as long as g(q) is right.

# %%
motion = lw.simulate(
    arm, [0.0, 0.0], [0.0, 0.0], 5.0, controller=partial(pd, stiffness=40.0, damping=20.0)
)
error = target - motion.q
V = 0.5 * 40.0 * (error**2).sum(axis=1) + lw.kinetic_energy(arm, motion.q, motion.v)
assert np.all(np.diff(V) < 1e-6)                    # V decreases monotonically
assert V[-1] < 1e-3 * V[0]

# %% [markdown]
# ## Steady-state error
#
# Without the term g the spring carries the weight, so the arm rests below its target:

# %%
def without_gravity(model, t, q, v):
    return 40.0 * (target - q) - 20.0 * v


hangs = lw.simulate(arm, [0.0, 0.0], [0.0, 0.0], 8.0, controller=without_gravity)
print(np.degrees(target - hangs.q[-1]))             # steady-state error in degrees
assert np.degrees(target - hangs.q[-1])[0] > 5.0

# %% [markdown]
# Without a model, an integral term removes this error: see
# [control, from PD to impedance](../topics/control/pd_to_impedance.md). To write your own controller, see
# [write a controller](../how_to/write_controller.md). Next: [track a trajectory](computed_torque.md).
