"""Algorithms of kinematics and dynamics: pure functions of (model, q, …) for one configuration.

They accept numbers and symbols. The functions of the same names in :mod:`linkwright` are compiled at their first call
and accept batches.
"""

from linkwright.dynamics.assembly.reactions import joint_reactions, plastic_impact, prescribed_dynamics
from linkwright.dynamics.assembly.structure_parameters import structure_parameters
from linkwright.dynamics.closed_loops.closure import Mobility, close_loops, mobility
from linkwright.dynamics.closed_loops.forces import constraint_forces, constraint_wrenches, impulse, project
from linkwright.dynamics.closed_loops.rows import (
    constraint_bias,
    constraint_jacobian,
    constraint_residual,
    loop_constraints,
)
from linkwright.dynamics.configuration import (
    check,
    configuration_distance,
    configuration_rate,
    difference,
    difference_derivatives,
    integrate,
    integrate_derivatives,
    lie_bracket,
)
from linkwright.dynamics.derivatives import forward_dynamics_derivatives, inverse_dynamics_derivatives
from linkwright.dynamics.forces.actuation import actuated_efforts, inverse_dynamics
from linkwright.dynamics.forces.springs import spring_lengths, spring_resistances
from linkwright.dynamics.forces.statics import damping_coefficient, joint_forces, passive_forces, spring_stiffness
from linkwright.dynamics.forward import forward_dynamics
from linkwright.dynamics.frames.hessian import kinematic_hessian
from linkwright.dynamics.frames.jacobian import analytical_jacobian, jacobian, jacobian_dot
from linkwright.dynamics.frames.manipulability import force_ellipsoid, manipulability, velocity_ellipsoid
from linkwright.dynamics.inertias.energy import kinetic_energy, potential_energy, spring_energy
from linkwright.dynamics.inertias.inertia import (
    articulated_inertia,
    composite_inertia,
    frame_responses,
    locked_inertia,
    operational_inertia,
    operational_space_dynamics,
    subtree_center_of_mass,
    whole_body_inertia,
)
from linkwright.dynamics.inertias.mass import coriolis_matrix, mass_matrix
from linkwright.dynamics.inertias.massless import require_mass
from linkwright.dynamics.inertias.momentum import (
    center_of_mass,
    center_of_mass_jacobian,
    centroidal_velocity,
    generalized_momentum,
    momentum,
    momentum_matrix,
    momentum_matrix_dot,
    momentum_rate,
    total_mass,
    welded_mass,
    zero_moment_point,
)
from linkwright.dynamics.inverse import bias_forces, gravity_forces
from linkwright.dynamics.kinematics import acceleration, jacobian_dot_times_v, pose, velocity
from linkwright.dynamics.parameters.identifiable import BaseParameters, base_parameters
from linkwright.dynamics.parameters.inertial import inertial_parameters, parameter_names
from linkwright.dynamics.parameters.regressor import (
    energy_regressor,
    momentum_regressor,
    reference_regressor,
    regressor,
)

__all__ = [
    "BaseParameters",
    "Mobility",
    "acceleration",
    "actuated_efforts",
    "analytical_jacobian",
    "articulated_inertia",
    "base_parameters",
    "bias_forces",
    "center_of_mass",
    "center_of_mass_jacobian",
    "centroidal_velocity",
    "check",
    "close_loops",
    "composite_inertia",
    "configuration_distance",
    "configuration_rate",
    "constraint_bias",
    "constraint_forces",
    "constraint_jacobian",
    "constraint_residual",
    "constraint_wrenches",
    "coriolis_matrix",
    "damping_coefficient",
    "difference",
    "difference_derivatives",
    "energy_regressor",
    "force_ellipsoid",
    "forward_dynamics",
    "forward_dynamics_derivatives",
    "frame_responses",
    "generalized_momentum",
    "gravity_forces",
    "impulse",
    "inertial_parameters",
    "integrate",
    "integrate_derivatives",
    "inverse_dynamics",
    "inverse_dynamics_derivatives",
    "jacobian",
    "jacobian_dot",
    "jacobian_dot_times_v",
    "joint_forces",
    "joint_reactions",
    "kinematic_hessian",
    "kinetic_energy",
    "lie_bracket",
    "locked_inertia",
    "loop_constraints",
    "manipulability",
    "mass_matrix",
    "mobility",
    "momentum",
    "momentum_matrix",
    "momentum_matrix_dot",
    "momentum_rate",
    "momentum_regressor",
    "operational_inertia",
    "operational_space_dynamics",
    "parameter_names",
    "passive_forces",
    "plastic_impact",
    "pose",
    "potential_energy",
    "prescribed_dynamics",
    "project",
    "reference_regressor",
    "regressor",
    "require_mass",
    "spring_energy",
    "spring_lengths",
    "spring_resistances",
    "spring_stiffness",
    "structure_parameters",
    "subtree_center_of_mass",
    "total_mass",
    "velocity",
    "velocity_ellipsoid",
    "welded_mass",
    "whole_body_inertia",
    "zero_moment_point",
]


def __dir__() -> list[str]:
    return __all__
