"""Linkwright with Drake. Written by tools/write_examples.py from docs/how_to/other_libraries/drake.md: change that page."""

# %% [markdown]
# # Linkwright with Drake
#
# Functions of Drake's `MultibodyPlant` and their equivalents in Linkwright. For topics common to all libraries, such as loading
# the same robot in two libraries, see [other libraries](index.md).
#
# In Drake a plant is built, finished, and given a context, which has the state:
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
# Here a file is read, and functions take arrays. A robot is fixed to the world unless you ask for a base that floats; in
# Drake it floats unless you weld it.

# %%
import numpy as np
import linkwright as lw

arm = lw.load("arm7")
q, v = arm.random(seed=0), np.ones(7)
M = lw.mass_matrix(arm, q)

# %% [markdown]
# ## What is different in the numbers
#
# - Gravity has the other sign: `CalcGravityGeneralizedForces` is the effort *of* the weight; `lw.gravity_forces` is the
#   effort that *carries* it.
# - `CalcBiasTerm` has no gravity in it; `lw.bias_forces` has.
# - Six numbers of a velocity, a force or a momentum have the turning first in Drake, and last here.
# - A floating base has its quaternion first in Drake. Its velocity is about and along the axes of the world, turning first.

# %%
def to_drake(q, v):
    """A configuration and a velocity with a free base, as Drake has them."""
    R = lw.rotation.from_quaternion(q[3:7])
    return np.concatenate([q[3:7], q[:3], q[7:]]), np.concatenate([R @ v[3:6], R @ v[:3], v[6:]])


flying = lw.load("arm7", root="free")
q, v = flying.random(seed=0), np.ones(13)
q_drake, v_drake = to_drake(q, v)
assert np.allclose(v_drake[3:6], lw.velocity(flying, q, v, flying.bodies[0].name)[:3])

# %% [markdown]
# ## The same numbers
#
# `tool` is Drake's frame of that name, `W` is `plant.world_frame()`, `kV` is `JacobianWrtVariable.kV`, `o` is `np.zeros(3)`.
# `forces` is a `MultibodyForces(plant)`, filled by `plant.CalcForceElementsContribution(context, forces)`: weight and what
# is in the joints. `turned` is `[3, 4, 5, 0, 1, 2]`: it puts the turning first.
#
# | Drake | here |
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
# | `plant.CalcSpatialMomentumInWorldAboutPoint(context, o).get_coeffs()` | `lw.momentum_about(model, q, v, o)[turned]` |
# | `plant.CalcKineticEnergy(context)` | `lw.kinetic_energy(model, q, v)` |
# | `plant.MapVelocityToQDot(context, v)` | `lw.configuration_rate(model, q, v)` |
#
# Drake counts a base that is welded to the world in its total mass, its center of mass and its potential energy. Here
# `lw.total_mass`, `lw.center_of_mass` and `lw.potential_energy` count what moves. The potential energies differ by a
# constant.
#
# ## By name
#
# | Drake | here |
# |---|---|
# | `Parser.AddModels` | `lw.load` |
# | `MultibodyPlant.AddRigidBody`, `AddJoint`, `AddFrame` | `lw.Builder` |
# | `MultibodyPlant.WeldFrames` | a joint of type `"fixed"` in `lw.Builder`; `model.append` mounts a whole mechanism |
# | `CreateDefaultContext`, `SetPositions`, `SetVelocities` | not needed: functions take `q` and `v` |
# | `EvalTimeDerivatives` | `lw.forward_dynamics` |
# | `CalcCenterOfMassPositionInWorld` | `lw.center_of_mass` |
# | `AddBallConstraint`, `AddDistanceConstraint`, `AddCouplerConstraint` | `model.with_loop` |
# | `Simulator.AdvanceTo` | `lw.simulate` |
# | `LeafSystem`, `DiagramBuilder` | nothing: a law is a function, `controller=` of `lw.simulate`, with a state where it needs one |
# | `InverseKinematics` | `lw.inverse_kinematics`, `lw.tasks` |
# | `Linearize` | `lw.linearize` |
# | `LinearQuadraticRegulator` | `lw.control.lqr` |
# | `ToAutoDiffXd` | `lw.derivative` |
# | `ToSymbolic` | `lw.symbols`, `lw.equations` |
# | `Toppra` | `lw.trajectories.time_optimal` |
# | `PiecewisePolynomial` | `lw.trajectories.spline`, `lw.trajectories.polynomial` |
# | `KinematicTrajectoryOptimization`, `DirectCollocation` | `lw.control.ilqr`, which optimizes a motion with its efforts; nothing that avoids obstacles |
# | `RegionOfAttraction` | `lw.region_of_attraction` |
# | `StartMeshcat`, `MeshcatVisualizer` | `lw.studio` |
# | `MathematicalProgram`, `GcsTrajectoryOptimization`, deformable bodies, cameras | nothing |
