"""Statics: forces at rest. Written by tools/write_examples.py from docs/learn/statics.md: change that page."""

# %% [markdown]
# # Statics: forces at rest
#
# A hand presses against a wall. Which torques must the motors apply? At rest, and without gravity, the answer needs only the
# [Jacobian](velocities.md):
#
# $$\tau = J^{\mathsf T} F$$
#
# Why the transpose? Imagine a very small displacement δq of the joints, a *virtual displacement*. The hand moves by J δq. The
# work of the motors, τ · δq, equals the work of the hand, F · J δq, for every δq. Hence $τ = J^{\mathsf T} F$. This argument is called the
# principle of virtual work.

# %%
import numpy as np
import linkwright as lw

arm = lw.load("planar:3")                           # three links of 1 m in a plane
q = [0.0, np.pi / 2, np.pi / 2]                     # forward, up, and back
J = lw.jacobian(arm, q, "tip")[[0, 1, 5]]           # rows: x, y, and the rotation about z
print(J.T.round(3))                                 # [[-1 0 1], [-1 -1 1], [0 -1 1]]

pressing = {"10 N along x": (10.0, 0.0, 0.0), "10 N along y": (0.0, 10.0, 0.0), "10 N m": (0.0, 0.0, 10.0)}
for what, (fx, fy, n) in pressing.items():
    tau = lw.joint_forces(arm, q, "tip", [fx, fy, 0.0, 0.0, 0.0, n])
    assert np.allclose(tau, J.T @ [fx, fy, n])
    print(f"{what:13} at the hand needs {tau.round(6) + 0.0} N m at the joints")

# %% [markdown]
# ![An arm with forces along x and y at its hand, their lines of action, and the torques of its joints](../pictures/learn_statics.png)
#
# Compare the numbers with the picture. The line of action of a force along x is 1 m above joints 1 and 2, so each needs
# 10 N m. The minus sign in (−10, −10, 0) means clockwise, opposite to increasing joint angles. The line of action passes
# through joint 3: no torque is needed there. The line of action of a force along y passes through joint 1: no torque is
# needed there. A moment at the hand needs the same torque at every joint.
#
# ## Gravity
#
# Gravity acts at the centers of mass of the links. `lw.gravity_forces` returns the torques that balance it. The total torque
# of the motors is the sum:

# %%
weight = lw.gravity_forces(arm, q)
print((weight + lw.joint_forces(arm, q, "tip", [10.0, 0.0, 0.0, 0.0, 0.0, 0.0])).round(3))

# %% [markdown]
# ## Forces from torques
#
# Which force does the hand exert when the torques are known? $F = J^{-\mathsf T} τ$, where J has an inverse. In a singular configuration
# it has none: some hand forces need no motor torque, because the bearings carry them. A stretched arm carries a heavy
# suitcase with little effort. `lw.static_wrench` returns a wrench in every case, and the directions that are not determined:

# %%
tau = lw.joint_forces(arm, q, "tip", [1.0, 2.0, 0.0, 0.0, 0.0, 0.5])
found = lw.static_wrench(arm, q, "tip", tau)
assert np.allclose(found.wrench[[0, 1, 5]], [1.0, 2.0, 0.5])

straight = lw.static_wrench(arm, [0.0, 0.0, 0.0], "tip", [1.0, 0.5, 0.2])
print(straight.rank)                                # 2: the torques determine two components only
print(straight.unproduced[:, 0].round(3) + 0.0)     # a force along x: the bearings carry it

# %% [markdown]
# Next: the [equation of motion](dynamics.md).
