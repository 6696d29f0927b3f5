"""Impedance: a hand that is a spring. Written by tools/write_examples.py from docs/learn/impedance.md: change that page."""

# %% [markdown]
# # Impedance: a hand that is a spring
#
# A law that keeps a position is stiff. Where the hand meets a wall, the law pushes harder and harder, until something
# breaks. *Impedance control* (Hogan 1985) does not force a position. It makes the hand *behave* as if a spring and a damper
# held it at its target:
#
# $$\tau = g(q) + J^{\mathsf T}\,\bigl(K\,(x_d - x) - D\,\dot x\bigr)$$
#
# K (x_d − x) is the force of the imagined spring, and −D ẋ that of the damper. The turned Jacobian Jᵀ makes efforts of them, as
# in [statics](statics.md). The motors carry the weight besides. The law needs neither the mass matrix nor a force sensor.
#
# Let us push such a hand, and see how it gives way. The spring is soft along x (400 N/m) and hard along z (1600 N/m):

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
    return efforts + lw.jacobian(model, q, "tool").T[:, :3] @ push      # somebody pushes the hand


figure, axes = plt.subplots(figsize=(7, 3.5))
for axis, push in (("x", [20.0, 0.0, 0.0]), ("z", [0.0, 0.0, 20.0])):
    motion = lw.simulate(
        arm, start, np.zeros(7), 3.0, controller=partial(pushed, push=np.array(push))
    )
    way = (lw.pose(arm, motion.q, "tool")[:, :3, 3] - target[:3, 3])[:, "xyz".index(axis)]
    k = K["xyz".index(axis)]
    (line,) = axes.plot(motion.t, 1000 * way, label=f"pushed with 20 N along {axis}")
    axes.axhline(1000 * 20.0 / k, color=line.get_color(), linestyle="--", linewidth=1, label=f"20 N / {k:.0f} N/m")
    assert abs(way[-1] - 20.0 / k) < 0.002
axes.set(xlabel="t (s)", ylabel="way of the hand (mm)")
axes.legend()
figure.tight_layout()
figure.savefig("learn_impedance.png", dpi=100)

# %% [markdown]
# ![A pushed hand gives way as its spring says.](../pictures/learn_impedance.png)
#
# The hand rests where its spring says: 20 N move it by 50 mm along x, and by 12.5 mm along z.
#
# ## Why it is safe
#
# Add the energy of motion and the energy of the imagined spring:
#
# $$V = \tfrac{1}{2}\,v^{\mathsf T} M v + \tfrac{1}{2}\,(x_d - x)^{\mathsf T} K\,(x_d - x)$$
#
# V grows only by the work of whoever pushes, and the damper takes some of it away. So the hand never gives more energy than it
# was given. Such a hand is called *passive*. It is stable with everything passive that it touches: a wall, a spring, a human.
#
# All laws from the spring and damper up to this one, with the proof of each:
# [control, from PD to impedance](../topics/control/pd_to_impedance.md). To keep a force of so many newtons:
# [force control](../topics/control/force_control.md).
