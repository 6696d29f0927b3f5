"""Statics: forces at rest. Written by tools/write_examples.py from docs/learn/statics.md: change that page."""

# %% [markdown]
# # Statics: forces at rest
#
# A hand presses against a wall. Which torques must the motors give? At rest, and without weight, the answer needs only the
# Jacobian of the page before:
#
# $$\tau = J^{\mathsf T} F$$
#
# Why the transpose? Imagine that the hand moves by a very small step. What the motors put in, τ times the turn of the
# joints, must come out at the hand, F times the step of the hand. The hand's step is J times the turn of the joints. So
# τ · δq = F · J δq for every δq, and this says τ = Jᵀ F. Such a small imagined step is called a virtual displacement, and
# the argument the principle of virtual work.

# %%
import numpy as np
import linkwright as lw

arm = lw.load("planar:3")                           # three links of 1 m in a plane
q = [0.0, np.pi / 2, np.pi / 2]                     # forwards, up, and back
J = lw.jacobian(arm, q, "tip")[[0, 1, 5]]           # rows: x, y, and the turn about z
print(J.T.round(3))                                 # [[-1 0 1], [-1 -1 1], [0 -1 1]]

pressing = {"10 N along x": (10.0, 0.0, 0.0), "10 N along y": (0.0, 10.0, 0.0), "10 N m": (0.0, 0.0, 10.0)}
for what, (fx, fy, n) in pressing.items():
    tau = lw.joint_forces(arm, q, "tip", [fx, fy, 0.0, 0.0, 0.0, n])
    assert np.allclose(tau, J.T @ [fx, fy, n])
    print(f"{what:13} at the hand takes {tau.round(6) + 0.0} N m at the joints")

figure = lw.draw(arm, q)
axes = figure.axes[0]
tip = lw.pose(arm, q, "tip")[:2, 3]
axes.quiver(*tip, 0.0, 0.5, color="tab:purple", angles="xy", scale_units="xy", scale=1, label="along y")
axes.quiver(tip[0] - 0.5, tip[1], 0.5, 0.0, color="tab:red", angles="xy", scale_units="xy", scale=1, label="along x")
axes.set(xlim=(-0.8, 1.4), ylim=(-0.3, 1.7))
axes.legend(loc="upper right")
figure.savefig("learn_statics.png", dpi=100)

# %% [markdown]
# ![The arm, and the two forces with which its hand presses.](../pictures/learn_statics.png)
#
# Read the numbers with the picture. A force along x passes the first two joints at the height of one link, 1 m above
# them: each has to give 10 N m. The minus in (−10, −10, 0) says: clockwise, against the direction in
# which the angle of a joint grows. The force points straight through the third joint, and asks nothing of it. A force along y stands
# exactly above the first joint: nothing is asked there. A moment is the same at every joint.
#
# ## What the weight asks for
#
# The weight of the links is a force, too, at their centers of mass. `lw.gravity_forces` gives the torques that carry it.
# What the motors give altogether is the sum of both:

# %%
weight = lw.gravity_forces(arm, q)
print((weight + lw.joint_forces(arm, q, "tip", [10.0, 0.0, 0.0, 0.0, 0.0, 0.0])).round(3))

# %% [markdown]
# ## The way back
#
# Which force does the hand exert when the torques are known? F = J⁻ᵀ τ, where J has an inverse. In a singular configuration
# it has none: some forces at the hand then ask nothing of the motors, because the bearings hold them. A stretched arm
# carries a heavy suitcase with little effort. `lw.static_wrench` answers in every case, and says what is not determined:

# %%
tau = lw.joint_forces(arm, q, "tip", [1.0, 2.0, 0.0, 0.0, 0.0, 0.5])
found = lw.static_wrench(arm, q, "tip", tau)
assert np.allclose(found.wrench[[0, 1, 5]], [1.0, 2.0, 0.5])

straight = lw.static_wrench(arm, [0.0, 0.0, 0.0], "tip", [1.0, 0.5, 0.2])
print(straight.rank)                                # 2: torques tell only two numbers of the force
print(straight.unproduced[:, 0].round(3) + 0.0)     # a force along x: the bearings hold it

# %% [markdown]
# Next: what it takes to [move the arm](dynamics.md).
