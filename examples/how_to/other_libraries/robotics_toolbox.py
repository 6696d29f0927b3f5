"""Linkwright with the Robotics Toolbox. Written by tools/write_examples.py from docs/how_to/other_libraries/robotics_toolbox.md: change that page."""

# %% [markdown]
# # Linkwright with the Robotics Toolbox
#
# Functions of the Robotics Toolbox for Python (`roboticstoolbox`) and their equivalents in Linkwright. For topics common to all
# libraries, such as loading the same robot in two libraries, see [other libraries](index.md).
#
# In the Toolbox, functions are methods of a robot, and poses are objects of the class `SE3`:
#
# ```py
# import roboticstoolbox as rtb
#
# puma = rtb.models.DH.Puma560()
# T = puma.fkine(q)                                    # an SE3; T.A is the matrix
# tau = puma.rne(q, v, a)
# ```
#
# Here functions take the model, and poses are matrices:

# %%
import numpy as np
import linkwright as lw

puma = lw.load("puma560")
q, v, a = puma.random(seed=0), np.ones(6), np.zeros(6)
T = lw.pose(puma, q, "tool")
tau = lw.inverse_dynamics(puma, q, v, a)

# %% [markdown]
# ## What is different in the numbers
#
# - Tables of Denavit and Hartenberg can be standard or modified in both. Here `convention=` says which.
# - The Toolbox counts the inertia of motors (`Jm`, `G`) and friction (`B`, `Tc`) in `rne`. Here the rotor's inertia is the
#   joint's armature, which is in the mass matrix, too; friction is `lw.passive_forces`, and no part of inverse dynamics.
# - Links keep their inertia about the center of mass in both.
# - A robot that is read from URDF (`rtb.Robot.URDF`) has the same `q` in the same order.

# %%
rows = [lw.DHRow(a=1.0, mass=1.0, inertia=0.1), lw.DHRow(a=0.5, mass=1.0, inertia=0.1)]
arm = lw.from_dh("planar", rows, convention="standard")
print(arm)
hand = lw.pose(arm, [0.0, np.pi / 2], "tool")        # the last frame of the table
assert np.allclose(hand[:3, 3], [1.0, 0.5, 0.0])

# %% [markdown]
# ## The same numbers
#
# `robot` is `rtb.Robot.URDF(path)`, of version 1.5, and the frame is `tool`. Here `path` must be a whole one, from the root.
#
# | Robotics Toolbox | here |
# |---|---|
# | `robot.n` | `model.nv` |
# | `robot.qlim` | `np.stack([model.lower, model.upper])` |
# | `robot.fkine(q, end="tool").A` | `lw.pose(model, q, "tool")` |
# | `robot.jacob0(q, end="tool")` | `lw.jacobian(model, q, "tool")` |
# | `robot.jacobe(q, end="tool")` | `lw.jacobian(model, q, "tool", reference_frame="body")` |
# | `robot.hessian0(q, end="tool")` | `np.moveaxis(lw.kinematic_hessian(model, q, "tool"), -1, 0)` |
# | `robot.jacob0_dot(q, v)` | `lw.jacobian_dot(model, q, v, "tool")` |
# | `robot.manipulability(q)` | `lw.manipulability(model, q, "tool")` |
# | `robot.rne(q, v, a)` | `lw.inverse_dynamics(model, q, v, a)` |
# | `robot.gravload(q)` | `lw.gravity_forces(model, q)` |
# | `robot.inertia(q)` | `lw.mass_matrix(model, q)` |
# | `robot.accel(q, v, tau)` | `lw.forward_dynamics(model, q, v, tau)` |
#
# ## By name
#
# | Robotics Toolbox | here |
# |---|---|
# | `rtb.DHRobot`, `rtb.RevoluteDH`, `rtb.RevoluteMDH` | `lw.from_dh`, `lw.DHRow`; back again `lw.to_dh` |
# | `rtb.ERobot.URDF` | `lw.load` |
# | `rtb.ET`, `rtb.ETS` | `lw.Builder` |
# | `robot.ikine_LM`, `robot.ikine_GN`, `robot.ikine_NR`, `robot.ikine_QP` | `lw.inverse_kinematics` |
# | `robot.ikine_analytic` | `lw.analytic_inverse_kinematics`, found for the arm by itself |
# | `robot.fdyn` | `lw.simulate` |
# | `robot.coriolis` | `lw.coriolis_matrix`: several matrices give the same efforts; ours is the one for which $\dot M - 2C$ is skew |
# | `robot.payload` | `model.with_payload` |
# | `robot.perturb` | `model.with_body`; thousands at a time: `lw.study` |
# | `robot.nofriction` | `model.with_joint` |
# | `robot.friction` | `lw.passive_forces` |
# | `robot.vellipse`, `robot.fellipse` | `lw.velocity_ellipsoid`, `lw.force_ellipsoid`, `lw.draw_ellipsoids` |
# | `robot.inertia_x`, `robot.cinertia` | `lw.operational_inertia` |
# | `robot.accel_x`, `robot.coriolis_x`, `robot.gravload_x` | `lw.operational_space_dynamics` |
# | `robot.jacob0_analytical` | `lw.analytical_jacobian` |
# | `robot.plot`, `robot.teach` | `lw.draw`, `lw.studio` |
# | `rtb.jtraj`, `rtb.quintic` | `lw.trajectories.polynomial` |
# | `rtb.trapezoidal` | `lw.trajectories.trapezoid` |
# | `rtb.ctraj` | `lw.trajectories.straight` |
# | `rtb.mstraj` | `lw.trajectories.spline` |
# | `rtb.p_servo` | `lw.resolved_rate` |
# | `robot.collided`, `robot.closest_point` | nothing for one configuration: contact acts in `lw.simulate` |
# | `robot.symbolic` | `lw.symbols`, `lw.equations` |
# | `SE3`, `SO3`, `UnitQuaternion` of spatialmath | plain arrays: `lw.transform`, `lw.rotation`, `lw.quaternion` |
# | mobile robots, maps, planners | nothing |
