"""How to use it beside Pinocchio and MuJoCo. Written by tools/write_examples.py from docs/how_to/beside_pinocchio_mujoco.md: change that page."""

# %% [markdown]
# # How to use it beside Pinocchio and MuJoCo
#
# You have a program that uses Pinocchio or MuJoCo, and want to compute something with this library, too, or to compare.
# This page says what their functions are called here, and what is different in their numbers. Every line of the tables is
# tested against the real libraries.
#
# ## The same robot
#
# All three read files. A model that you have here can be written for the others (`arm.save("arm.xml")` writes MuJoCo's own
# format):

# %%
import numpy as np
import linkwright as lw

arm = lw.load("arm7")
arm.save("arm7.urdf")                                # Pinocchio and MuJoCo both read it

# %%
import pinocchio as pin

theirs = pin.buildModelFromUrdf("arm7.urdf")
data = theirs.createData()
q, v, a = arm.random(seed=0), np.ones(7), np.zeros(7)
assert np.allclose(pin.rnea(theirs, data, q, v, a), lw.inverse_dynamics(arm, q, v, a))

# %%
import mujoco

compiled = mujoco.MjModel.from_xml_path("arm7.urdf")
state = mujoco.MjData(compiled)
state.qpos[:], state.qvel[:] = q, v
mujoco.mj_forward(compiled, state)
assert np.allclose(state.qfrc_bias, lw.bias_forces(arm, q, v))

# %% [markdown]
# Here there is no `data` object: a function takes the model and arrays, and gives an array. Arrays may have any number of
# rows: `lw.inverse_dynamics(arm, q, v, a)` takes one configuration of shape (7,) or a million of shape (1000000, 7).
#
# ## What is different in the numbers
#
# For arms with joints that turn or slide, `q` and `v` are the same in all three, in the order of the file. (Check the order
# of branches: Pinocchio sorts them by name.) A joint without limits that turns has one angle here and in MuJoCo; Pinocchio
# has its cosine and its sine, two numbers. For a base that floats:
#
# | | here | Pinocchio | MuJoCo |
# |---|---|---|---|
# | quaternion | (w, x, y, z) | (x, y, z, w) | (w, x, y, z) |
# | velocity of the base | along the axes of the base | along the axes of the base | along the axes of the world |
# | turning of the base | about the axes of the base | about the axes of the base | about the axes of the base |
# | six numbers of a velocity | straight, then turning | straight, then turning | `qvel`: straight, then turning; `mj_objectVelocity`: turning first |

# %%
def to_pinocchio(q):
    """A configuration with a free base."""
    return np.concatenate([q[:3], q[4:7], q[3:4], q[7:]])


def to_mujoco(q, v):
    """A velocity with a free base, at the configuration q."""
    R = lw.rotation.from_quaternion(q[3:7])
    return np.concatenate([R @ v[:3], v[3:]])


flying = lw.load("arm7", root="free")
free = pin.buildModelFromUrdf("arm7.urdf", pin.JointModelFreeFlyer())
q, v, a = flying.random(seed=1), np.linspace(-1.0, 1.0, 13), np.zeros(13)
assert np.allclose(pin.rnea(free, free.createData(), to_pinocchio(q), v, a), lw.inverse_dynamics(flying, q, v, a))

# %% [markdown]
# ## Pinocchio
#
# `model` and `data` are theirs on the left; `model` is ours on the right. `LWA` is `pin.LOCAL_WORLD_ALIGNED`. `k` is
# `model.getFrameId("tool")`.
#
# | Pinocchio | here |
# |---|---|
# | `pin.buildModelFromUrdf(path)` | `lw.load(path)` |
# | `pin.buildModelFromUrdf(path, pin.JointModelFreeFlyer())` | `lw.load(path, root="free")` |
# | `pin.neutral(model)` | `model.neutral()` |
# | `pin.buildReducedModel(model, [joint], q)` | `model.lock({"joint4": q[3]})` |
# | `pin.integrate(model, q, v)` | `lw.integrate(model, q, v)` |
# | `pin.difference(model, q0, q1)` | `lw.difference(model, q0, q1)` |
# | `pin.interpolate(model, q0, q1, s)` | `lw.interpolate(model, q0, q1, s)` |
# | `pin.rnea(model, data, q, v, a)` | `lw.inverse_dynamics(model, q, v, a)` |
# | `pin.aba(model, data, q, v, tau)` | `lw.forward_dynamics(model, q, v, tau)` |
# | `pin.crba(model, data, q)` | `lw.mass_matrix(model, q)` |
# | `pin.computeMinverse(model, data, q)` | `np.linalg.inv(lw.mass_matrix(model, q))` |
# | `pin.nonLinearEffects(model, data, q, v)` | `lw.bias_forces(model, q, v)` |
# | `pin.computeGeneralizedGravity(model, data, q)` | `lw.gravity_forces(model, q)` |
# | `pin.computeCoriolisMatrix(model, data, q, v)` | `lw.coriolis_matrix(model, q, v)` |
# | `pin.computeKineticEnergy(model, data, q, v)` | `lw.kinetic_energy(model, q, v)` |
# | `pin.computePotentialEnergy(model, data, q)` | `lw.potential_energy(model, q)` |
# | `pin.centerOfMass(model, data, q)` | `lw.center_of_mass(model, q)` |
# | `pin.jacobianCenterOfMass(model, data, q)` | `lw.center_of_mass_jacobian(model, q)` |
# | `pin.computeCentroidalMomentum(model, data, q, v)` | `lw.momentum(model, q, v)` |
# | `pin.computeCentroidalMap(model, data, q)` | `lw.momentum_matrix(model, q)` |
# | `pin.framesForwardKinematics(model, data, q)`, `data.oMf[k]` | `lw.pose(model, q, "tool")` |
# | `pin.computeFrameJacobian(model, data, q, k, LWA)` | `lw.jacobian(model, q, "tool")` |
# | `pin.computeFrameJacobian(model, data, q, k, pin.LOCAL)` | `lw.jacobian(model, q, "tool", reference="body")` |
# | `pin.computeFrameJacobian(model, data, q, k, pin.WORLD)` | `lw.jacobian(model, q, "tool", reference="world")` |
# | `pin.frameJacobianTimeVariation(model, data, q, v, k, LWA)` | `lw.jacobian_dot(model, q, v, "tool")` |
# | `pin.getFrameVelocity(model, data, k, LWA)` | `lw.velocity(model, q, v, "tool")` |
# | `pin.getFrameClassicalAcceleration(model, data, k, LWA)` | `lw.acceleration(model, q, v, a, "tool")` |
# | `pin.computeRNEADerivatives(model, data, q, v, a)` | `lw.inverse_dynamics_derivatives(model, q, v, a)` |
# | `pin.computeABADerivatives(model, data, q, v, tau)` | `lw.forward_dynamics_derivatives(model, q, v, tau)` |
# | `pin.computeJointTorqueRegressor(model, data, q, v, a)` | `lw.regressor(model, q, v, a)` |
# | `pin.exp3(r)` | `lw.rotation.exp(r)` |
# | `pin.log3(R)` | `lw.rotation.log(R)` |
# | `pin.exp6(x)` | `lw.transform.exp(x)` |
# | `pin.log6(T)` | `lw.transform.log(T)` |
# | `pin.rpy.rpyToMatrix(r, p, y)` | `lw.rotation.from_rpy([r, p, y])` |
#
# Pinocchio's `crba` fills the upper triangle in some versions; here symmetric matrices are always whole. Its
# `getFrameAcceleration` (without "Classical") is another quantity where a frame turns; ours is the classical one, the rate
# of the velocity.
#
# ## MuJoCo
#
# `m` and `d` are MuJoCo's model and data. What stands in `d` is there after `mujoco.mj_forward(m, d)`. `k` is the number of
# the body `link7`.
#
# | MuJoCo | here |
# |---|---|
# | `mujoco.MjModel.from_xml_path(path)` | `lw.load(path)` |
# | `mujoco.mj_mulM(m, d, out, v)` | `lw.mass_matrix(model, q) @ v` |
# | `d.qfrc_bias` | `lw.bias_forces(model, q, v)` |
# | `d.qfrc_passive` | `lw.passive_forces(model, q, v)` |
# | `mujoco.mj_inverse(m, d)`, `d.qfrc_inverse` | `lw.inverse_dynamics(model, q, v, a) - lw.passive_forces(model, q, v)` |
# | `d.qfrc_applied[:] = tau`, `d.qacc` | `lw.forward_dynamics(model, q, v, tau + lw.passive_forces(model, q, v))` |
# | `d.xpos[k]`, `d.xmat[k]` | `lw.pose(model, q, "link7")` |
# | `mujoco.mj_jacBody(m, d, jacp, jacr, k)` | `lw.jacobian(model, q, "link7")` |
# | `mujoco.mj_objectVelocity(m, d, mujoco.mjtObj.mjOBJ_XBODY, k, out, 0)` | `lw.velocity(model, q, v, "link7")`, turning first |
# | `mujoco.mj_integratePos(m, qpos, v, h)` | `lw.integrate(model, q, h * v)` |
# | `mujoco.mj_differentiatePos(m, out, 1.0, q0, q1)` | `lw.difference(model, q0, q1)` |
# | `mujoco.mj_energyVel(m, d)`, `d.energy[1]` | `lw.kinetic_energy(model, q, v)` |
# | `mujoco.mj_energyPos(m, d)`, `d.energy[0]` | `lw.potential_energy(model, q) + lw.spring_energy(model, q)` |
# | `mujoco.mj_applyFT(m, d, f, n, d.xpos[k], k, out)` | `lw.joint_forces(model, q, "link7", [*f, *n])` |
# | `mujoco.mj_step(m, d)`, many times | `lw.simulate(model, q, v, duration)` |
#
# MuJoCo adds springs, dampers and friction of the joints to its dynamics. Here they are `lw.passive_forces`, and
# `lw.simulate` adds them.
#
# ## When to use what
#
# Pinocchio has every algorithm of this kind in C++, and many programs are built on it. MuJoCo has rich contact, tendons,
# muscles and a viewer. This library compiles each function for one mechanism. It is quick for batches, gives equations to
# read, writes C, and takes your own functions in the same way. How quick each is, measured side by side:
# [speed](../behind/benchmarks.md).
