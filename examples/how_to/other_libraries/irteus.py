"""Coming from EusLisp (irteus). Written by tools/write_examples.py from docs/how_to/other_libraries/irteus.md: change that page."""

# %% [markdown]
# # Coming from EusLisp (irteus)
#
# Methods of irteus, the robot models of EusLisp, and their equivalents in Linkwright. For topics common to all libraries, see
# [other libraries](index.md).
#
# In irteus, a robot is an object with a posture, and methods are messages:
#
# ```text
# (setq *robot* (instance sarmclass :init))
# (send *robot* :angle-vector #f(10 20 30 40 50 60 70))
# (send *robot* :inverse-kinematics (make-coords :pos #f(400 100 300)) :move-target (send *robot* :end-coords))
# ```
#
# In Linkwright, functions accept the model and a configuration, and poses are matrices:

# %%
import numpy as np
import linkwright as lw

model = lw.load("arm7")                               # or a URDF file
q = np.radians([10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0])
T = lw.transform.make(lw.pose(model, q, "tool")[:3, :3], [0.4, 0.1, 0.5])
found = lw.inverse_kinematics(model, {"tool": T}, q)
assert found.converged

# %% [markdown]
# ## Conventions
#
# - irteus has degrees, millimeters, grams and g mm²; Linkwright has radians, meters, kilograms and kg m². Efforts are in N m and N in
#   both. Divide positions by 1000, and use `np.radians` for angles.
# - A robot of irteus keeps its posture (`:angle-vector`), and the root link is moved by its coordinates or by virtual joints. In Linkwright
#   a floating base has a free joint, `lw.load(path, root="free")`, and its pose is the first part of `q`.
# - Quaternions are (w, x, y, z) in both libraries.
# - `:calc-inertia-matrix-from-link-list` returns the matrix that maps joint velocities to momentum (6, n), as in resolved momentum control.
#   It is `lw.momentum_matrix`; `lw.mass_matrix` is the (n, n) matrix of the equations of motion.
# - Names of joint classes are accepted: `"rotational"`, `"linear"`, `"sphere"`, `"6dof"`. An omniwheel joint is `"planar"`.

# %%
builder = lw.Builder("slide").body("cart", 2.0).body("rod", 1.0, (0, 0, -0.3), 0.03)
builder.joint("rail", "linear", "world", "cart", axis=(1, 0, 0))
crane = builder.joint("pivot", "rotational", "cart", "rod", axis=(0, 1, 0)).build()
print([joint.type for joint in crane.joints])         # ['prismatic', 'revolute']

# %% [markdown]
# Collisions need shapes: those of the robot's file, or shapes that you add.

# %%
robot = lw.Builder(model).shape("link2", "sphere", radius=0.1).shape("link6", "sphere", radius=0.08).build()
print(lw.distances(robot, q).distance)                # in m

# %% [markdown]
# ## Methods and functions
#
# `q`, `v` and `a` are configuration, velocity and acceleration; `T` and `T2` are poses (4, 4), `R` is a rotation (3, 3), `r` a rotation vector.
#
# | irteus | Linkwright |
# |---|---|
# | `(send robot :joint-list)` | `model.joints` |
# | `(send robot :links)` | `model.bodies` |
# | `(send robot :link "link4")` | `model.frame("link4")` |
# | `(send robot :angle-vector)` | `np.degrees(q)` |
# | `(send link :worldcoords)` | `lw.pose(model, q, "link4")` |
# | `(send link :worldpos)` | `lw.pose(model, q, "link4")[:3, 3]` |
# | `(send link :worldrot)` | `lw.pose(model, q, "link4")[:3, :3]` |
# | `(send robot :calc-jacobian-from-link-list links :move-target m :rotation-axis t)` | `lw.jacobian(model, q, "tool")` |
# | `(send robot :calc-cog-jacobian-from-link-list)` | `lw.center_of_mass_jacobian(model, q)` |
# | `(send robot :calc-inertia-matrix-from-link-list :rotation-axis t)` | `lw.momentum_matrix(model, q)` |
# | `(send robot :weight)` | `lw.total_mass(model)` |
# | `(send robot :centroid)` | `lw.center_of_mass(model, q)` |
# | `(send link :centroid)` | `lw.center_of_mass(model, q, "link4")` |
# | `(send link :append-mass-properties links)` | `lw.add_mass_properties([(1.0, [0, 0, 0], np.eye(3)), (3.0, [4, 0, 0], np.eye(3))])` |
# | `(send link :propagate-mass-properties)` | `lw.composite_inertia(model, q, "link4")` |
# | `(send robot :calc-torque :jvv v :jav a)` | `lw.inverse_dynamics(model, q, v, a)` |
# | `(send robot :max-torque-vector)` | `np.concatenate([joint.effort_limit for joint in model.joints])` |
# | `(send robot :calc-zmp av root-coords)` | `lw.zero_moment_point(model, q, v, a)` |
# | `(send link :ext-force f)`, `(send link :ext-moment n)` | `lw.joint_forces(model, q, "link4", [0, 0, -9.81, 0, 0, 0])` |
# | `(send robot :inverse-kinematics c :move-target m)` | `lw.inverse_kinematics(model, {"tool": T}, q).q` |
# | `(send robot :inverse-kinematics c :rotation-axis nil)` | `lw.inverse_kinematics(model, {"tool": T[:3, 3]}, q).q` |
# | `(send robot :fullbody-inverse-kinematics c :target-centroid-pos p)` | `lw.tasks.CenterOfMass(axes="xy")` |
# | `(send robot :cog-jacobian-balance-nspace links)` | `lw.tasks.CenterOfMass(priority=1)` |
# | `(manipulability J)` | `lw.manipulability(model, q, "tool")` |
# | `(matrix-log R)` | `lw.rotation.log(R)` |
# | `(matrix-exponent r)` | `lw.rotation.exp(r)` |
# | `(outer-product-matrix r)` | `lw.rotation.skew(r)` |
# | `(rotation-matrix angle :z)` | `lw.rotation.about("z", 0.5)` |
# | `(rpy-matrix yaw pitch roll)` | `lw.rotation.from_rpy([0.1, 0.2, 0.3])` |
# | `(matrix2quaternion R)` | `lw.rotation.to_quaternion(R)` |
# | `(make-coords :pos p :rot R)` | `lw.transform.make(R, [0.4, 0.1, 0.5])` |
# | `(send c :inverse-transformation)` | `lw.transform.inverse(T)` |
# | `(send c :transform c2)` | `T @ T2` |
# | `(midcoords 0.5 c c2)` | `lw.transform.interpolate(T, T2, 0.5)` |
# | `(pqp-collision-check link1 link2)` | `lw.collisions(robot, q)` |
# | `(pqp-collision-distance link1 link2)` | `lw.distances(robot, q)` |
# | `(objects (list robot))` | `lw.draw(model, q)` |
# | preview control, footsteps (`:calc-walk-pattern-from-footstep-list`) | no equivalent; efforts of legged robots: `lw.control.WholeBody` |
