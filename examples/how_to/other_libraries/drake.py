"""Linkwright with Drake. Written by tools/write_examples.py from docs/how_to/other_libraries/drake.md: change that page."""

# %% [markdown]
# # Linkwright with Drake
#
# Functions of Drake's `MultibodyPlant` and their equivalents in Linkwright. For topics common to all libraries, such as loading
# the same robot in two libraries, see [other libraries](index.md).
#
# In Drake, a plant is built and finalized; a context contains the state:
#
# ```py
# from pydrake.math import RigidTransform
# from pydrake.multibody.parsing import Parser
# from pydrake.multibody.plant import MultibodyPlant
#
# plant = MultibodyPlant(time_step=0.0)
# Parser(plant).AddModels("arm7.urdf")
# plant.WeldFrames(plant.world_frame(), plant.GetFrameByName("base"), RigidTransform())
# plant.Finalize()
# context = plant.CreateDefaultContext()
# plant.SetPositions(context, q)
# plant.SetVelocities(context, v)
# M = plant.CalcMassMatrix(context)
# ```
#
# In Linkwright, functions accept arrays. A robot is fixed to the world by default (`root="free"` adds a floating base); in
# Drake it floats unless it is welded.

# %%
import numpy as np
import linkwright as lw

arm = lw.load("arm7")
q, v = arm.random(seed=0), np.ones(7)
M = lw.mass_matrix(arm, q)

# %% [markdown]
# ## Conventions
#
# - Gravity has the opposite sign: `CalcGravityGeneralizedForces` is the generalized force *of* gravity; `lw.gravity_forces` are the
#   efforts that *compensate* it.
# - `CalcBiasTerm` does not include gravity; `lw.bias_forces` does.
# - Spatial velocities, forces and momenta have the angular part first in Drake, and last in Linkwright.
# - A floating base has its quaternion first in Drake. Its velocity is in world axes, angular part first.

# %%
def to_drake(q, v):
    """Return configuration and velocity with a floating base in the order of Drake."""
    R = lw.rotation.from_quaternion(q[3:7])
    return np.concatenate([q[3:7], q[:3], q[7:]]), np.concatenate([R @ v[3:6], R @ v[:3], v[6:]])


flying = lw.load("arm7", root="free")
q, v = flying.random(seed=0), np.ones(13)
q_drake, v_drake = to_drake(q, v)
assert np.allclose(v_drake[3:6], lw.velocity(flying, q, v, flying.bodies[0].name)[:3])

# %% [markdown]
# ## Functions with equal results
#
# `tool` is Drake's frame of that name, `W` is `plant.world_frame()`, `kV` is `JacobianWrtVariable.kV`, `o` is `np.zeros(3)`.
# `forces` is a `MultibodyForces(plant)`, filled by `plant.CalcForceElementsContribution(context, forces)`: gravity and passive
# joint forces. `turned` is `[3, 4, 5, 0, 1, 2]`: it puts the angular part first.
#
# | Drake | Linkwright |
# |---|---|
# | `plant.num_positions()`, `plant.num_velocities()` | `(model.nq, model.nv)` |
# | `plant.GetPositionLowerLimits()`, `plant.GetPositionUpperLimits()` | `np.stack([model.lower, model.upper])` |
# | `plant.CalcTotalMass(context)` | `lw.total_mass(model) + lw.welded_mass(model)` |
# | `plant.CalcMassMatrix(context)` | `lw.mass_matrix(model, q)` |
# | `plant.CalcInverseDynamics(context, a, forces)` | `lw.inverse_dynamics(model, q, v, a) - lw.passive_forces(model, q, v)` |
# | `plant.CalcBiasTerm(context)` | `lw.bias_forces(model, q, v) - lw.gravity_forces(model, q)` |
# | `plant.CalcGravityGeneralizedForces(context)` | `-lw.gravity_forces(model, q)` |
# | `tool.CalcPoseInWorld(context).GetAsMatrix4()` | `lw.pose(model, q, "tool")` |
# | `plant.CalcRelativeTransform(context, link4, tool).GetAsMatrix4()` | `lw.pose(model, q, "tool", relative_to="link4")` |
# | `plant.CalcJacobianSpatialVelocity(context, kV, tool, o, W, W)` | `lw.jacobian(model, q, "tool")[turned]` |
# | `plant.CalcJacobianTranslationalVelocity(context, kV, tool, o, W, W)` | `lw.jacobian(model, q, "tool")[:3]` |
# | `tool.CalcSpatialVelocityInWorld(context).get_coeffs()` | `lw.velocity(model, q, v, "tool")[turned]` |
# | `plant.CalcBiasSpatialAcceleration(context, kV, tool, o, W, W).get_coeffs()` | `lw.jacobian_dot_times_v(model, q, v, "tool")[turned]` |
# | `plant.CalcSpatialMomentumInWorldAboutPoint(context, o).get_coeffs()` | `lw.momentum(model, q, v, o)[turned]` |
# | `plant.CalcKineticEnergy(context)` | `lw.kinetic_energy(model, q, v)` |
# | `plant.MapVelocityToQDot(context, v)` | `lw.configuration_rate(model, q, v)` |
#
# Drake includes a base welded to the world in total mass, center of mass and potential energy. In Linkwright,
# `lw.total_mass`, `lw.center_of_mass` and `lw.potential_energy` include moving bodies only. The potential energies differ by a
# constant.
#
# ## Corresponding functions
#
# | Drake | Linkwright |
# |---|---|
# | `Parser.AddModels` | `lw.load` |
# | `MultibodyPlant.AddRigidBody`, `AddJoint`, `AddFrame` | `lw.Builder` |
# | `MultibodyPlant.WeldFrames` | a joint of type `"fixed"` in `lw.Builder`; `model.append` mounts a whole mechanism |
# | `CreateDefaultContext`, `SetPositions`, `SetVelocities` | not needed: functions take `q` and `v` |
# | `EvalTimeDerivatives` | `lw.forward_dynamics` |
# | `CalcCenterOfMassPositionInWorld` | `lw.center_of_mass` |
# | `AddBallConstraint`, `AddDistanceConstraint`, `AddCouplerConstraint` | `model.with_loop` |
# | `Simulator.AdvanceTo` | `lw.simulate` |
# | `LeafSystem`, `DiagramBuilder` | no equivalent: a controller is a function, `controller=` of `lw.simulate`, optionally with a state |
# | `InverseKinematics` | `lw.inverse_kinematics`, `lw.tasks` |
# | `Linearize` | `lw.linearize` |
# | `LinearQuadraticRegulator` | `lw.control.lqr` |
# | `ToAutoDiffXd` | `lw.derivative` |
# | `ToSymbolic` | `lw.symbols`, `lw.equations` |
# | `Toppra` | `lw.trajectories.time_optimal` |
# | `PiecewisePolynomial` | `lw.trajectories.spline`, `lw.trajectories.polynomial` |
# | `KinematicTrajectoryOptimization`, `DirectCollocation` | `lw.control.ilqr`, which optimizes a motion with its efforts; no obstacle avoidance |
# | `RegionOfAttraction` | `lw.region_of_attraction` |
# | `StartMeshcat`, `MeshcatVisualizer` | `lw.studio` |
# | `MathematicalProgram`, `GcsTrajectoryOptimization`, deformable bodies, cameras | no equivalent |
