"""Linkwright with PyBullet. Written by tools/write_examples.py from docs/how_to/other_libraries/pybullet.md: change that page."""

# %% [markdown]
# # Linkwright with PyBullet
#
# Functions of PyBullet and their equivalents in Linkwright. For topics common to all libraries, such as loading the same robot in
# two libraries, see [other libraries](index.md).
#
# PyBullet is a server with a world; its functions identify a robot by an index:
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
# In Linkwright, a robot is a model with its gravity, and functions accept arrays:

# %%
import numpy as np
import linkwright as lw

arm = lw.load("arm7")
q, v = arm.random(seed=0), np.ones(7)
M = lw.mass_matrix(arm, q)

# %% [markdown]
# ## Conventions
#
# - A link without inertial parameters in the file gets 1 kg in PyBullet, with a warning, and no mass in Linkwright. Frames such as `tool` are links
#   without mass: remove them, otherwise all efforts are wrong.
# - Without the flag `URDF_USE_INERTIA_FROM_FILE` PyBullet computes inertias from collision shapes, not from the file.
# - `resetJointState` and `getLinkState` use the state of the world. `getLinkState` returns two poses: entries 0
#   and 1 are the pose of the center of mass, 4 and 5 that of the link frame, as in Linkwright.
# - Quaternions are (x, y, z, w), in Linkwright (w, x, y, z):

# %%
def to_pybullet(quaternion):
    """Return (w, x, y, z) as (x, y, z, w)."""
    return np.roll(quaternion, -1)


assert to_pybullet(np.array([1.0, 0.0, 0.0, 0.0])).tolist() == [0.0, 0.0, 0.0, 1.0]

# %% [markdown]
# ## Functions with equal results
#
# `p` is `pybullet`, `k` is the index of the joint that moves `link7`, and of that link. `q`, `v` and `a` are lists on
# the left. The state of `robot` is `q`. `o` is a list of zeros, and `origin` is `[0.0, 0.0, 0.0]`, the origin of the link frame.
# The frame `tool`, which has no mass, was removed from the file.
#
# | PyBullet | Linkwright |
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
# ## Corresponding functions
#
# | PyBullet | Linkwright |
# |---|---|
# | `loadURDF`, `loadSDF`, `loadMJCF` | `lw.load` |
# | `setGravity` | `model.with_gravity` |
# | `getNumJoints`, `getJointInfo` | `model.joints`, `model.bodies` |
# | `resetJointState`, `getJointState` | not needed: functions take `q` and `v` |
# | `getBasePositionAndOrientation`, `getBaseVelocity` | `lw.pose` and `lw.velocity` of the base's frame |
# | `calculateInverseKinematics` | `lw.inverse_kinematics`, which also reports convergence |
# | `stepSimulation`, `setTimeStep` | `lw.simulate`, with `step=` |
# | `setJointMotorControl2` | `controller=` of `lw.simulate`; `lw.Servos`. In PyBullet every joint has a velocity motor until it is disabled |
# | `applyExternalForce`, `applyExternalTorque` | `wrenches` of `lw.Surroundings` |
# | `createConstraint` | `model.with_loop`; `lw.structure.add_loop` during a motion |
# | `changeDynamics` | `model.with_body`, `model.with_joint`, `model.with_contact` |
# | `loadURDF` of a plane | `model.with_ground` |
# | `getContactPoints` | `lw.Motion.contacts` |
# | `getClosestPoints` | `lw.distances`, `lw.closest_pair`, `lw.collisions`: [distances](../../topics/mechanisms/distances.md) |
# | `rayTest` | a sensor of the type `rangefinder` |
# | `startStateLogging` | `lw.simulate` records the motion; `lw.Motion.save` |
# | `addUserDebugParameter`, the window | `lw.studio` |
# | `getCameraImage`, soft bodies, several robots | no cameras and soft bodies; `model.append` joins two robots in one model |
