"""Coming from RoKi. Written by tools/write_examples.py from docs/how_to/other_libraries/roki.md: change that page."""

# %% [markdown]
# # Coming from RoKi
#
# Functions of RoKi (Robot Kinetics library, in C) and their equivalents in Linkwright. For topics common to all libraries, see
# [other libraries](index.md).
#
# Linkwright reads and writes RoKi's ZTK files, with all joint types of RoKi:

# %%
import warnings

import numpy as np
import linkwright as lw

arm = lw.load("puma560")
with warnings.catch_warnings():
    warnings.simplefilter("ignore")                   # a joint of a ZTK file has the name of its link
    arm.save("puma.ztk")
model = lw.load("puma.ztk")
q, v, a = model.random(seed=0), np.ones(6), np.zeros(6)
H = lw.mass_matrix(model, q)                          # rkChainInertiaMat
b = lw.bias_forces(model, q, v)                       # rkChainBiasVec
assert np.allclose(H @ a + b, lw.inverse_dynamics(model, q, v, a))

# %% [markdown]
# ## Conventions
#
# - A chain of RoKi keeps its state: `rkChainFK` stores the frames of the links, and later calls read them. Functions of Linkwright
#   accept the model and the state, and return arrays; there is nothing to update.
# - Links are found by their names, not by indices. Fixed links are merged with the body that moves them, and remain frames.
# - Displacements of spherical and float joints are rotation vectors in RoKi, and unit quaternions (w, x, y, z) in Linkwright.
# - Accelerations of links in RoKi contain gravity after `rkChainUpdateRate`; `lw.acceleration` is without gravity.
# - Six-dimensional vectors have the linear part first in both libraries.
# - Names of RoKi's joint types are accepted: `"hooke"` for `"universal"`, `"float"` for `"free"`.

# %%
builder = lw.Builder("pointer").body("disk", 1.0, (0, 0, 0.2), 0.01)
pointer = builder.joint("gimbal", "hooke", "world", "disk").build()
print(pointer.joints[0].type)                         # universal

# %% [markdown]
# Collision detection needs shapes: those of the ZTK file, or shapes that you add.

# %%
robot = lw.Builder(model).shape("link2", "sphere", radius=0.1).shape("link6", "sphere", radius=0.05).build()
print(lw.collisions(robot, q).any)

# %% [markdown]
# ## Functions
#
# `q`, `v`, `a` and `tau` are displacements, velocities, accelerations and efforts of all joints; `T` is a pose (4, 4).
#
# | RoKi | Linkwright |
# |---|---|
# | `rkChainReadZTK(&chain, "puma.ztk")` | `lw.load("puma.ztk")` |
# | `rkChainWriteZTK(&chain, "copy.ztk")` | `model.save("copy.ztk")` |
# | `rkChainJointSize(&chain)` | `model.nv` |
# | `rkChainFindLink(&chain, "link4")` | `model.frame("link4")` |
# | `rkChainNeutral(&chain)` | `model.neutral()` |
# | `rkChainMass(&chain)` | `lw.total_mass(model)` |
# | `rkChainFK(&chain, q)`, `rkChainLinkWldFrame(&chain, i)` | `lw.pose(model, q, "link4")` |
# | `rkChainLinkWldPos(&chain, i)` | `lw.pose(model, q, "link4")[:3, 3]` |
# | `rkChainLinkWldAtt(&chain, i)` | `lw.pose(model, q, "link4")[:3, :3]` |
# | `rkChainLinkVel(&chain, i)` | `lw.velocity(model, q, v, "link4", "body")` |
# | `rkChainLinkWldLinJacobi(&chain, i, ZVEC3DZERO, J)` | `lw.jacobian(model, q, "link4")[:3]` |
# | `rkChainLinkWldAngJacobi(&chain, i, J)` | `lw.jacobian(model, q, "link4")[3:]` |
# | `rkChainLinkWldLinJacobi(&chain, i, rkChainLinkCOM(&chain, i), J)` | `lw.center_of_mass_jacobian(model, q, "link4")` |
# | `rkChainLinkToLinkLinJacobi`, `rkChainLinkToLinkAngJacobi` | `lw.jacobian(model, q, "link6", relative_to="link2")` |
# | `rkChainLinkZeroAcc0G(&chain, i, ZVEC3DZERO, a0)` | `lw.jacobian_dot_times_v(model, q, v, "link4")` |
# | `rkJacobiManip(J)` | `lw.manipulability(model, q, "link6")` |
# | `rkChainUpdateCOM(&chain)` | `lw.center_of_mass(model, q)` |
# | `rkChainCOMJacobi(&chain, J)` | `lw.center_of_mass_jacobian(model, q)` |
# | `rkChainUpdateCOMVel(&chain)` | `lw.center_of_mass_jacobian(model, q) @ v` |
# | `rkChainAMCOMMat(&chain, m)` | `lw.momentum_matrix(model, q)[3:]` |
# | `rkChainAM(&chain, p, am)` | `lw.momentum(model, q, v, p)[3:]` |
# | `rkChainKE(&chain)` | `lw.kinetic_energy(model, q, v)` |
# | `rkChainUpdateCRB(&chain)`, `rkChainLinkCRB(&chain, i)` | `lw.composite_inertia(model, q, "link4")` |
# | `rkChainInertiaMatCRB(&chain, H)` | `lw.mass_matrix(model, q)` |
# | `rkChainInertiaMatUV(&chain, H)` | `lw.mass_matrix(model, q, method="unit_vector")` |
# | `rkChainInertiaMatMJ(&chain, H)` | `lw.mass_matrix(model, q, method="jacobian")` |
# | `rkChainBiasVec(&chain, b)` | `lw.bias_forces(model, q, v)` |
# | `rkChainID(&chain, v, a)`, `rkChainGetJointTrqAll(&chain, tau)` | `lw.inverse_dynamics(model, q, v, a)` |
# | `rkChainID0G(&chain, v, a)` | `lw.inverse_dynamics(model.with_gravity([0, 0, 0]), q, v, a)` |
# | `rkChainABI(&chain, q, v, a)` | `lw.forward_dynamics(model, q, v, tau)` |
# | `rkChainZMP(&chain, z, zmp)` | `lw.zero_moment_point(model, q, v, a, 0.0)` |
# | `rkChainIK(&chain, q, tol, iter)` | `lw.inverse_kinematics(model, {"link6": T}).q` |
# | `rkChainRegIKCellWldPos` | `lw.inverse_kinematics(model, {"link6": T[:3, 3]}).q` |
# | `rkChainRegIKCellWldAtt` | `lw.inverse_kinematics(model, {lw.tasks.Rotation("link6"): T[:3, :3]}).q` |
# | `rkChainRegIKCellCOM` | `lw.tasks.CenterOfMass()` |
# | `rkChainRegIKCellAMCOM` | `lw.tasks.Momentum("angular")` |
# | `rkCDPairReg`, collision detection | `lw.collisions(robot, q)` |
# | a simulation with RoKi-FD | `lw.simulate(model, q, v, 0.01)` |
#
# RoKi's humanoid H5 is an example of the gallery, with all its results: [one robot through all five sources](../../gallery/humanoid_h5.md).
