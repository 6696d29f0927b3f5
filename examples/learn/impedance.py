"""Impedance: a hand that behaves like a spring. Written by tools/write_examples.py from docs/learn/impedance.md: change that page."""

# %% [markdown]
# # Impedance: a hand that behaves like a spring
#
# A position controller is stiff. Where the hand touches a wall, the controller increases the force until something breaks.
# *Impedance control* (Hogan 1985) does not enforce a position. The hand *behaves* as if a spring and a damper connected it to
# its target:
#
# $$\tau = g(q) + J^{\mathsf T}\,\bigl(K\,(x_d - x) - D\,\dot x\bigr)$$
#
# ![A hand at x that a virtual spring K and a virtual damper D connect to its target](../pictures/learn_impedance_spring.png)
#
# $K (x_d - x)$ is the force of the virtual spring, and $-D \dot x$ that of the damper. The transpose $J^{\mathsf T}$ of the Jacobian maps them to
# efforts, as in [statics](statics.md). The term g compensates gravity. The controller needs neither the mass matrix nor a
# force sensor.
#
# Push such a hand and observe its displacement. The spring is soft along x (400 N/m) and stiff along z (1600 N/m):

# %%
from functools import partial

import matplotlib.pyplot as plt
import numpy as np
import linkwright as lw

arm = lw.load("arm7")
start = np.array([0.3, 0.6, -0.2, 1.2, 0.4, 0.8, 0.1])
target = lw.pose(arm, start, "tool")
K = np.array([400.0, 400.0, 1600.0, 20.0, 20.0, 20.0])      # N/m, then N m/rad
D = np.array([60.0, 60.0, 100.0, 0.6, 0.6, 0.6])            # N s/m, then N m s/rad


def pushed(model, t, q, v, push):
    efforts = lw.control.impedance(model, t, q, v, frame="tool", target=target, stiffness=K, damping=D, joint_damping=0.3)
    return efforts + lw.jacobian(model, q, "tool").T[:, :3] @ push      # external force at the hand


figure, axes = plt.subplots(figsize=(7, 3.5))
for axis, push in (("x", [20.0, 0.0, 0.0]), ("z", [0.0, 0.0, 20.0])):
    motion = lw.simulate(
        arm, start, np.zeros(7), 3.0, controller=partial(pushed, push=np.array(push))
    )
    displacement = (lw.pose(arm, motion.q, "tool")[:, :3, 3] - target[:3, 3])[:, "xyz".index(axis)]
    k = K["xyz".index(axis)]
    (line,) = axes.plot(motion.t, 1000 * displacement, label=f"pushed with 20 N along {axis}")
    axes.axhline(1000 * 20.0 / k, color=line.get_color(), linestyle="--", linewidth=1, label=f"20 N / {k:.0f} N/m")
    assert abs(displacement[-1] - 20.0 / k) < 0.002
axes.set(xlabel="t (s)", ylabel="displacement of the hand (mm)")
axes.legend()
figure.tight_layout()
figure.savefig("learn_impedance.png", dpi=100)

# %% [markdown]
# ![Displacement of a pushed hand.](../pictures/learn_impedance.png)
#
# The displacement is that of the spring: 20 N move the hand by 50 mm along x, and by 12.5 mm along z.
#
# ## Why it is safe
#
# Add the kinetic energy and the energy of the virtual spring:
#
# $$V = \tfrac{1}{2}\,v^{\mathsf T} M v + \tfrac{1}{2}\,(x_d - x)^{\mathsf T} K\,(x_d - x)$$
#
# V grows only by the work of external forces, and the damper dissipates part of it. So the hand never returns more energy than
# it received. Such a system is called *passive*. Its contact with every passive environment is stable: a wall, a spring, a
# human.
#
# For all controllers from PD to impedance, each with its proof, see
# [control, from PD to impedance](../topics/control/pd_to_impedance.md). To control a contact force, see
# [force control](../topics/control/force_control.md).
