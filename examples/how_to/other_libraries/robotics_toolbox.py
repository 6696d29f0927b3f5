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
# In Linkwright, functions accept the model, and poses are matrices:

# %%
import numpy as np
import linkwright as lw

puma = lw.load("puma560")
q, v, a = puma.random(seed=0), np.ones(6), np.zeros(6)
T = lw.pose(puma, q, "tool")
tau = lw.inverse_dynamics(puma, q, v, a)

# %% [markdown]
# ## Conventions
#
# - Denavit–Hartenberg tables can be standard or modified in both libraries (`convention=` in Linkwright).
# - The Toolbox includes rotor inertia (`Jm`, `G`) and friction (`B`, `Tc`) in `rne`. In Linkwright the rotor inertia is the
#   armature of the joint, which is also in the mass matrix; friction is part of `lw.passive_forces`, not of inverse dynamics.
# - Inertias of links are about the center of mass in both libraries.
# - A robot from a URDF file (`rtb.Robot.URDF`) has the same `q` in the same order.

# %%
rows = [lw.DHRow(a=1.0, mass=1.0, inertia=0.1), lw.DHRow(a=0.5, mass=1.0, inertia=0.1)]
arm = lw.from_dh("planar", rows, convention="standard")
print(arm)
hand = lw.pose(arm, [0.0, np.pi / 2], "tool")        # the last frame of the table
assert np.allclose(hand[:3, 3], [1.0, 0.5, 0.0])

# %% [markdown]
# ## Functions with equal results
#
# `robot` is `rtb.Robot.URDF(path)`, version 1.5, and the frame is `tool`. `path` must be absolute.
#
# | Robotics Toolbox | Linkwright |
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
# ## Corresponding functions
#
# | Robotics Toolbox | Linkwright |
# |---|---|
# | `rtb.DHRobot`, `rtb.RevoluteDH`, `rtb.RevoluteMDH` | `lw.from_dh`, `lw.DHRow`; inverse: `lw.to_dh` |
# | `rtb.ERobot.URDF` | `lw.load` |
# | `rtb.ET`, `rtb.ETS` | `lw.Builder` |
# | `robot.ikine_LM`, `robot.ikine_GN`, `robot.ikine_NR`, `robot.ikine_QP` | `lw.inverse_kinematics` |
# | `robot.ikine_analytic` | `lw.analytic_inverse_kinematics`, derived automatically for the arm |
# | `robot.fdyn` | `lw.simulate` |
# | `robot.coriolis` | `lw.coriolis_matrix`: of several matrices with the same efforts, the one for which $\dot M - 2C$ is skew-symmetric |
# | `robot.payload` | `model.with_payload` |
# | `robot.perturb` | `model.with_body`; many models: `lw.study` |
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
# | `robot.collided`, `robot.closest_point` | no equivalent for one configuration: contact acts in `lw.simulate` |
# | `robot.symbolic` | `lw.symbols`, `lw.equations` |
# | `SE3`, `SO3`, `UnitQuaternion` of spatialmath | plain arrays: `lw.transform`, `lw.rotation`, `lw.quaternion` |
# | mobile robots, maps, planners | no equivalent |
