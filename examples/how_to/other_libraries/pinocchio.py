"""Linkwright with Pinocchio. Written by tools/write_examples.py from docs/how_to/other_libraries/pinocchio.md: change that page."""

# %% [markdown]
# # Linkwright with Pinocchio
#
# Functions of Pinocchio and their equivalents in Linkwright. For topics common to all libraries, such as loading the same robot
# in two libraries, see [other libraries](index.md).

# %%
import numpy as np
import pinocchio as pin
import linkwright as lw

arm = lw.load("arm7")
arm.save("arm7.urdf")
theirs = pin.buildModelFromUrdf("arm7.urdf")
data = theirs.createData()
q, v, a = arm.random(seed=0), np.ones(7), np.zeros(7)
assert np.allclose(pin.rnea(theirs, data, q, v, a), lw.inverse_dynamics(arm, q, v, a))

# %% [markdown]
# ## Conventions
#
# A continuous joint has one angle in Linkwright, and cosine and sine in Pinocchio. Pinocchio sorts
# branches by name. The order of the quaternion of a floating base differs:

# %%
def to_pinocchio(q):
    """Return a configuration with a floating base in the order of Pinocchio."""
    return np.concatenate([q[:3], q[4:7], q[3:4], q[7:]])


flying = lw.load("arm7", root="free")
free = pin.buildModelFromUrdf("arm7.urdf", pin.JointModelFreeFlyer())
q, v, a = flying.random(seed=1), np.linspace(-1.0, 1.0, 13), np.zeros(13)
assert np.allclose(pin.rnea(free, free.createData(), to_pinocchio(q), v, a), lw.inverse_dynamics(flying, q, v, a))

# %% [markdown]
# Pinocchio's `crba` fills the upper triangle in some versions; Linkwright returns full symmetric matrices. Pinocchio's
# `getFrameAcceleration` (without "Classical") is the spatial acceleration, which differs for a rotating frame; Linkwright returns the classical acceleration, the time derivative
# of the velocity.
#
# ## Functions with equal results
#
# `model` and `data` on the left are Pinocchio's; `model` on the right is Linkwright's. `LWA` is `pin.LOCAL_WORLD_ALIGNED`. `k` is
# `model.getFrameId("tool")`, `j` is the index of `joint4`, which moves `link4`. `fext` contains the force `f` at that joint, in
# the axes of the joint. The frame of a joint in Pinocchio is the frame of the link that it moves.
#
# | Pinocchio | Linkwright |
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
# | `pin.computeFrameJacobian(model, data, q, k, pin.LOCAL)` | `lw.jacobian(model, q, "tool", reference_frame="body")` |
# | `pin.computeFrameJacobian(model, data, q, k, pin.WORLD)` | `lw.jacobian(model, q, "tool", reference_frame="world")` |
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
# | `pin.computeTotalMass(model)` | `lw.total_mass(model)` |
# | `model.lowerPositionLimit`, `model.upperPositionLimit` | `np.stack([model.lower, model.upper])` |
# | `list(model.names)[1:]` | `[joint.name for joint in model.joints]` |
# | `pin.appendModel(model, other, k, pin.SE3.Identity())` | `model.append(other, "tool", prefix="a_")` |
# | `pin.SE3(R, p)` | `lw.transform.make(R, p)` |
# | `T.inverse()` | `lw.transform.inverse(T)` |
# | `pin.forwardKinematics(model, data, q)`, `data.oMi[j]` | `lw.pose(model, q, "link4")` |
# | `pin.computeJointJacobians(model, data, q)`, `pin.getJointJacobian(model, data, j, LWA)` | `lw.jacobian(model, q, "link4")` |
# | `pin.computeStaticTorque(model, data, q, fext)` | `lw.gravity_forces(model, q) - lw.joint_forces(model, q, "link4", f, reference_frame="body")` |
# | `pin.computeCentroidalMomentumTimeVariation(model, data, q, v, a)` | `lw.momentum_rate(model, q, v, a)` |
#
# ## Corresponding functions
#
# | Pinocchio | Linkwright |
# |---|---|
# | `pin.randomConfiguration` | `model.random`, with a seed, also batches, and joints without limits |
# | `pin.Model`, `model.addJoint`, `model.appendBodyToJoint` | `lw.Builder` |
# | `model.njoints` | `len(model.joints)`: Pinocchio counts the world as an additional joint |
# | `model.getFrameId`, `model.existFrame` | `model.frames`, a dict by name; functions accept names |
# | `pin.Force`, external forces | `wrenches={frame: [f, n]}` of `lw.forward_dynamics` and `lw.inverse_dynamics`: at the frame, in world axes |
# | `pin.computeJointKinematicHessians` | `lw.kinematic_hessian` |
# | `pin.GeometryModel`, `pin.computeCollisions`, `pin.computeDistances` | `model.shapes`, `lw.collisions`, `lw.distances`: [distances](../../topics/mechanisms/distances.md); `motion.contacts` records contact in `lw.simulate` |
# | `pin.RigidConstraintModel`, `pin.initConstraintDynamics`, `pin.constraintDynamics` | `model.with_loop`, then `lw.forward_dynamics` keeps the loop closed; `lw.constraint_forces` |
# | `pin.getConstraintsJacobian` | `lw.constraint_jacobian` |
# | `pin.impulseDynamics` | `lw.impulse`, `lw.plastic_impact` |
# | `pin.computeGeneralizedGravityDerivatives`, casadi and autodiff | `lw.derivative`, of every function; `lw.symbols` for formulas; `lw.bridges` for CasADi, JAX and PyTorch |
# | `pinocchio.visualize` | `lw.studio`, `lw.draw`, `lw.Motion.animate` |
# | `model.referenceConfigurations`, `pin.loadReferenceConfigurations` | no equivalent: configurations of SRDF files are not read |
# | `pin.removeCollisionPairs` | `model.with_contact(srdf=path)` |
# | `pin.computeAllTerms`, `pin.updateFramePlacements` | not needed: there is no `data` object |
# | `pin.neutral` of a mimic joint, `pin.transformJointIntoMimic` | `lw.load` reads mimic joints of files; `model.with_joint` |
