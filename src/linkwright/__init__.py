"""Kinematics and dynamics of linked mechanisms: as numbers, as equations, as machine code, from one source.

>>> import linkwright as lw
>>> arm = lw.load("two_link")
>>> lw.forward_dynamics(arm, [0.0, 0.0], [0.0, 0.0], [0.0, 0.0]).shape
(2,)

Conventions (SI, radians, linear part first, quaternions w x y z): `docs/reference/conventions.md`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

# Mechanisms: from files, by hand
from linkwright.formats.load import load
from linkwright.model.build.builder import Builder
from linkwright.model.library.dh import DHRow, DHTable, from_dh, to_dh
from linkwright.model.pair import Pair
from linkwright.model.shape import Shape
from linkwright.model.tree import Model

# Algorithms; they compile themselves
from linkwright.compiler.public import derivative, public
from linkwright import dynamics
from linkwright.dynamics import Mobility, check, mobility, total_mass, welded_mass
from linkwright.dynamics import BaseParameters, base_parameters, inertial_parameters, parameter_names

pose = public(dynamics.pose)
poses = public(dynamics.poses)
velocity = public(dynamics.velocity)
acceleration = public(dynamics.acceleration)
jacobian = public(dynamics.jacobian)
jacobian_dot = public(dynamics.jacobian_dot)
jacobian_dot_times_v = public(dynamics.jacobian_dot_times_v)
analytical_jacobian = public(dynamics.analytical_jacobian)
kinematic_hessian = public(dynamics.kinematic_hessian)
manipulability = public(dynamics.manipulability)
velocity_ellipsoid = public(dynamics.velocity_ellipsoid)
force_ellipsoid = public(dynamics.force_ellipsoid)

inverse_dynamics = public(dynamics.inverse_dynamics)
actuated_efforts = public(dynamics.actuated_efforts)
bias_forces = public(dynamics.bias_forces)
gravity_forces = public(dynamics.gravity_forces)
forward_dynamics = public(dynamics.forward_dynamics)
mass_matrix = public(dynamics.mass_matrix)
coriolis_matrix = public(dynamics.coriolis_matrix)
inverse_dynamics_derivatives = public(dynamics.inverse_dynamics_derivatives)
forward_dynamics_derivatives = public(dynamics.forward_dynamics_derivatives)

constraint_jacobian = public(dynamics.constraint_jacobian)
constraint_bias = public(dynamics.constraint_bias)
constraint_residual = public(dynamics.constraint_residual)
constraint_forces = public(dynamics.constraint_forces)
constraint_wrenches = public(dynamics.constraint_wrenches)
impulse = public(dynamics.impulse)
project = public(dynamics.project)

center_of_mass = public(dynamics.center_of_mass)
center_of_mass_jacobian = public(dynamics.center_of_mass_jacobian)
momentum = public(dynamics.momentum)
momentum_about = public(dynamics.momentum_about)
momentum_rate = public(dynamics.momentum_rate)
momentum_matrix = public(dynamics.momentum_matrix)
momentum_matrix_dot = public(dynamics.momentum_matrix_dot)
centroidal_velocity = public(dynamics.centroidal_velocity)
zero_moment_point = public(dynamics.zero_moment_point)
generalized_momentum = public(dynamics.generalized_momentum)
kinetic_energy = public(dynamics.kinetic_energy)
potential_energy = public(dynamics.potential_energy)
spring_energy = public(dynamics.spring_energy)
spring_lengths = public(dynamics.spring_lengths)

from linkwright.spatial.inertia import add_mass_properties

composite_inertia = public(dynamics.composite_inertia)
whole_body_inertia = public(dynamics.whole_body_inertia)
locked_inertia = public(dynamics.locked_inertia)
subtree_center_of_mass = public(dynamics.subtree_center_of_mass)
articulated_inertia = public(dynamics.articulated_inertia)
operational_inertia = public(dynamics.operational_inertia)
operational_space_dynamics = public(dynamics.operational_space_dynamics)
frame_responses = public(dynamics.frame_responses)

joint_reactions = public(dynamics.joint_reactions)
prescribed_dynamics = public(dynamics.prescribed_dynamics)
plastic_impact = public(dynamics.plastic_impact)

joint_forces = public(dynamics.joint_forces)
passive_forces = public(dynamics.passive_forces)

regressor = public(dynamics.regressor)
reference_regressor = public(dynamics.reference_regressor)
momentum_regressor = public(dynamics.momentum_regressor)
energy_regressor = public(dynamics.energy_regressor)

integrate = public(dynamics.integrate)
difference = public(dynamics.difference)
configuration_rate = public(dynamics.configuration_rate)
configuration_distance = public(dynamics.configuration_distance)
from linkwright.compiler.configurations import close_loops, interpolate, mean_configuration

# Compilation of your own functions
from linkwright.compiler.kernel import Kernel, compile
from linkwright.compiler.user import stack, symbols
from linkwright.spatial.arrays import atan2, clip, maximum, minimum, norm, sign, where
from linkwright.spatial.repeats import repeat, until
from linkwright.spatial.tables import take
from linkwright.spatial.systems import cholesky, solve

# What can go wrong
from linkwright import errors

from linkwright import provided

for _face in [x for x in globals().values() if hasattr(x, "book")]:
    _face.__module__ = __name__  # where pickle finds it, and not the book's function
del _face

# Loaded when one of them is first asked for: most programs need few of them, and all together take as long as the rest
_LATER = {
    # What meshes and shapes weigh
    "linkwright.formats.meshes": ("mass_properties",),
    # Motion
    "linkwright.simulation": (
        *("Actuation", "Episode", "Integrator", "Motion", "Rollout", "Servos", "Solver", "Surroundings"),
        *("linearize",),
        *(
            "rollout",
            "rollout_derivatives",
            "default_configuration",
            "simulate",
            "standing_configuration",
            "contact",
            "events",
        ),
    ),
    # Mechanisms that change while they move
    "linkwright.structure": ("structure",),
    # What happens while it moves
    "linkwright.simulation.events.event": ("Event", "Impact"),
    # Laws: what moves it
    "linkwright.control": ("control",),
    "linkwright.control.policy": ("Policy",),
    # Motions that are planned
    "linkwright.trajectories": ("Trajectory", "trajectories"),
    # Where the hand should be
    "linkwright.ik_solvers.reach": ("Reached", "inverse_kinematics"),
    "linkwright.ik_solvers.rates": ("resolved_rate",),
    "linkwright.ik_solvers.exact": ("analytic_inverse_kinematics",),
    "linkwright.ik_solvers": ("tasks",),
    # What a frame can do where its mechanism stands
    "linkwright.dexterity": ("StaticWrench", "draw_ellipsoids", "null_space", "singular_directions", "static_wrench"),
    # Pictures
    "linkwright.visual.drawing.scene": ("draw",),
    # The browser
    "linkwright.browser.page": ("Studio", "studio"),
    # What a mechanism is made of, from measurements
    "linkwright.identification.identify": ("Identified", "identify"),
    "linkwright.identification.payload": ("identify_payload",),
    "linkwright.identification.excitation": ("ExcitingTrajectory", "exciting_trajectory"),
    "linkwright.identification.calibration": ("Calibrated", "calibrate"),
    "linkwright.identification.measured.measurements": ("Measurements",),
    "linkwright.identification.measured.reading": ("read_measurements",),
    "linkwright.identification.measured.smoothing": ("smooth_derivatives",),
    # Very many sets of parameters
    "linkwright.studies.run": ("study",),
    "linkwright.studies.result": ("Study",),
    "linkwright.studies": ("samples",),
    # Rotations and poses
    "linkwright.geometry": ("quaternion", "rotation", "transform"),
    # Equations to read
    "linkwright.symbolic": ("Equations", "equations"),
    # Where motions go
    "linkwright.symbolic.controlled.attraction": ("AttractionRegion", "region_of_attraction"),
    "linkwright.symbolic.controlled.portrait": ("PhasePortrait", "phase_portrait"),
}

__all__ = [
    "Actuation",
    "AttractionRegion",
    "BaseParameters",
    "Builder",
    "Calibrated",
    "DHRow",
    "DHTable",
    "Episode",
    "Equations",
    "Event",
    "ExcitingTrajectory",
    "Identified",
    "Impact",
    "Integrator",
    "Kernel",
    "Measurements",
    "Mobility",
    "Model",
    "Motion",
    "Pair",
    "PhasePortrait",
    "Policy",
    "Reached",
    "Rollout",
    "Servos",
    "Shape",
    "Solver",
    "StaticWrench",
    "Studio",
    "Study",
    "Surroundings",
    "Trajectory",
    "acceleration",
    "actuated_efforts",
    "add_mass_properties",
    "analytic_inverse_kinematics",
    "analytical_jacobian",
    "articulated_inertia",
    "atan2",
    "base_parameters",
    "bias_forces",
    "calibrate",
    "center_of_mass",
    "center_of_mass_jacobian",
    "centroidal_velocity",
    "check",
    "cholesky",
    "clip",
    "close_loops",
    "compile",
    "composite_inertia",
    "configuration_distance",
    "configuration_rate",
    "constraint_bias",
    "constraint_forces",
    "constraint_jacobian",
    "constraint_residual",
    "constraint_wrenches",
    "contact",
    "control",
    "coriolis_matrix",
    "default_configuration",
    "derivative",
    "difference",
    "draw",
    "draw_ellipsoids",
    "dynamics",
    "energy_regressor",
    "equations",
    "errors",
    "events",
    "exciting_trajectory",
    "force_ellipsoid",
    "forward_dynamics",
    "forward_dynamics_derivatives",
    "frame_responses",
    "from_dh",
    "generalized_momentum",
    "gravity_forces",
    "identify",
    "identify_payload",
    "impulse",
    "inertial_parameters",
    "integrate",
    "interpolate",
    "inverse_dynamics",
    "inverse_dynamics_derivatives",
    "inverse_kinematics",
    "jacobian",
    "jacobian_dot",
    "jacobian_dot_times_v",
    "joint_forces",
    "joint_reactions",
    "kinematic_hessian",
    "kinetic_energy",
    "linearize",
    "load",
    "locked_inertia",
    "manipulability",
    "mass_matrix",
    "mass_properties",
    "maximum",
    "mean_configuration",
    "minimum",
    "mobility",
    "momentum",
    "momentum_about",
    "momentum_matrix",
    "momentum_matrix_dot",
    "momentum_rate",
    "momentum_regressor",
    "norm",
    "null_space",
    "operational_inertia",
    "operational_space_dynamics",
    "parameter_names",
    "passive_forces",
    "phase_portrait",
    "plastic_impact",
    "pose",
    "poses",
    "potential_energy",
    "prescribed_dynamics",
    "project",
    "quaternion",
    "read_measurements",
    "reference_regressor",
    "region_of_attraction",
    "regressor",
    "repeat",
    "resolved_rate",
    "rollout",
    "rollout_derivatives",
    "rotation",
    "samples",
    "sign",
    "simulate",
    "singular_directions",
    "smooth_derivatives",
    "solve",
    "spring_energy",
    "spring_lengths",
    "stack",
    "standing_configuration",
    "static_wrench",
    "structure",
    "studio",
    "study",
    "subtree_center_of_mass",
    "symbols",
    "take",
    "tasks",
    "to_dh",
    "total_mass",
    "trajectories",
    "transform",
    "until",
    "velocity",
    "velocity_ellipsoid",
    "welded_mass",
    "where",
    "whole_body_inertia",
    "zero_moment_point",
]

_OTHER_NAMES = {
    "aba": "forward_dynamics",
    "com": "center_of_mass",
    "crba": "mass_matrix",
    "fk": "pose",
    "forward_kinematics": "pose",
    "ik": "inverse_kinematics",
    "jacobian_time_derivative": "jacobian_dot",
    "nonlinear_effects": "bias_forces",
    "rnea": "inverse_dynamics",
}
"""What other libraries call functions of this one."""

__version__ = "0.1.0"


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])


def __getattr__(name: str) -> Any:
    if (home := _home(name)) is None:
        ours = f"; it is called linkwright.{_OTHER_NAMES[name]}" if name in _OTHER_NAMES else ""
        message = f"module {__name__!r} has no attribute {name!r}{ours}"
        raise AttributeError(message, name=name, obj=sys.modules[__name__])
    value = globals()[name] = _loaded(home, name)
    return value


def _home(name: str) -> str | None:
    return next((module for module, names in _LATER.items() if name in names), None)


def _loaded(module: str, name: str) -> Any:
    """A public name of a module, a module of a package, or the package of that name itself."""
    home = import_module(module)
    if module == f"{__name__}.{name}" and not hasattr(home, name):
        return home
    return getattr(home, name) if hasattr(home, name) else import_module(f"{module}.{name}")


def _later(module: str, name: str) -> Callable[..., Any]:
    """A function of a module that is imported when the function is called."""
    return lambda *arguments, **options: getattr(import_module(module), name)(*arguments, **options)


# Functions that lower layers call and upper layers have
provided.save_model.function = _later("linkwright.formats.save", "save")
provided.hull_of_mesh.function = _later("linkwright.formats.meshes", "hull_of")
provided.show_in_studio.function = _later("linkwright.browser.recorded.shown", "show")
provided.save_motion_page.function = _later("linkwright.browser.recorded.shown", "save_page")
