"""Linkwright with PyBullet. Written by tools/write_examples.py from docs/how_to/other_libraries/pybullet.md: change that page."""

# %% [markdown]
# # Linkwright with PyBullet
#
# Functions of PyBullet and their equivalents in Linkwright. For topics common to all libraries, such as loading the same robot in
# two libraries, see [other libraries](index.md).
#
# PyBullet is a server that holds a world; its functions identify a robot by a number:
#
# ```py
# import pybullet
#
# pybullet.connect(pybullet.DIRECT)
# pybullet.setGravity(0, 0, -9.81)
# robot = pybullet.loadURDF("arm7.urdf", useFixedBase=True, flags=pybullet.URDF_USE_INERTIA_FROM_FILE)
# M = pybullet.calculateMassMatrix(robot, list(q))
# ```
#
# Here a robot is a model, gravity belongs to it, and functions take arrays:

# %%
import numpy as np
import linkwright as lw

arm = lw.load("arm7")
q, v = arm.random(seed=0), np.ones(7)
M = lw.mass_matrix(arm, q)

# %% [markdown]
# ## What is different in the numbers
#
# - A link without masses in the file gets 1 kg in PyBullet, with a warning, and none here. Frames such as `tool` are links
#   without masses: leave them out, or all efforts are wrong.
# - Without the flag `URDF_USE_INERTIA_FROM_FILE` PyBullet computes inertias from collision shapes, and not from the file.
# - `resetJointState` and `getLinkState` work on the one state that the world has. `getLinkState` gives two poses: numbers 0
#   and 1 are those of the center of mass, 4 and 5 those of the link's frame, which is the frame here.
# - Quaternions are (x, y, z, w), here (w, x, y, z):

# %%
def to_pybullet(quaternion):
    """(w, x, y, z) as (x, y, z, w)."""
    return np.roll(quaternion, -1)


assert to_pybullet(np.array([1.0, 0.0, 0.0, 0.0])).tolist() == [0.0, 0.0, 0.0, 1.0]

# %% [markdown]
# ## The same numbers
#
# `p` is `pybullet`, `k` is the number of the joint that moves `link7`, and so of that link. `q`, `v` and `a` are lists on
# the left. `robot` stands at `q`. `o` is a list of zeros, and `origin` is `[0.0, 0.0, 0.0]`, the origin of the link's frame.
# The frame `tool`, which has no mass, was left out of the file.
#
# | PyBullet | here |
# |---|---|
# | `p.calculateMassMatrix(robot, q)` | `lw.mass_matrix(model, q)` |
# | `p.calculateInverseDynamics(robot, q, v, a)` | `lw.inverse_dynamics(model, q, v, a)` |
# | `p.calculateInverseDynamics(robot, q, o, o)` | `lw.gravity_forces(model, q)` |
# | `np.vstack(p.calculateJacobian(robot, k, origin, q, o, o))` | `lw.jacobian(model, q, "link7")` |
# | `p.getLinkState(robot, k)[4]` | `lw.pose(model, q, "link7")[:3, 3]` |
# | `np.reshape(p.getMatrixFromQuaternion(p.getLinkState(robot, k)[5]), (3, 3))` | `lw.pose(model, q, "link7")[:3, :3]` |
# | `p.getMatrixFromQuaternion(xyzw)` | `lw.rotation.from_quaternion(wxyz).ravel()` |
# | `np.roll(p.getQuaternionFromEuler([r, b, y]), 1)` | `lw.rotation.to_quaternion(lw.rotation.from_rpy([r, b, y]))` |
#
# ## By name
#
# | PyBullet | here |
# |---|---|
# | `loadURDF`, `loadSDF`, `loadMJCF` | `lw.load` |
# | `setGravity` | `model.with_gravity` |
# | `getNumJoints`, `getJointInfo` | `model.joints`, `model.bodies` |
# | `resetJointState`, `getJointState` | not needed: functions take `q` and `v` |
# | `getBasePositionAndOrientation`, `getBaseVelocity` | `lw.pose` and `lw.velocity` of the base's frame |
# | `calculateInverseKinematics` | `lw.inverse_kinematics`, which also says whether it was reached |
# | `stepSimulation`, `setTimeStep` | `lw.simulate`, with `step=` |
# | `setJointMotorControl2` | `controller=` of `lw.simulate`; `lw.Servos`. In PyBullet every joint has a motor that brakes it until you switch it off |
# | `applyExternalForce`, `applyExternalTorque` | `wrenches` of `lw.Surroundings` |
# | `createConstraint` | `model.with_loop`; `lw.structure.add_loop` while it moves |
# | `changeDynamics` | `model.with_body`, `model.with_joint`, `model.with_contact` |
# | `loadURDF` of a plane | `model.with_ground` |
# | `getContactPoints` | `lw.Motion.contacts` |
# | `getClosestPoints`, `rayTest` | nothing for one configuration: distances are computed where contact acts |
# | `startStateLogging` | `lw.simulate` records the motion; `lw.Motion.save` |
# | `addUserDebugParameter`, the window | `lw.studio` |
# | `getCameraImage`, soft bodies, several robots that meet | nothing like cameras and soft bodies; two robots become one model by `model.append` |
