"""Kinematics and dynamics of multibody systems as numbers, equations and machine code, from one source.

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

from linkwright import provided

# Public names are imported at their first use, since most programs need few of them.

_ALGORITHMS = """
    pose velocity acceleration jacobian jacobian_dot jacobian_dot_times_v analytical_jacobian
    kinematic_hessian manipulability velocity_ellipsoid force_ellipsoid
    inverse_dynamics actuated_efforts bias_forces gravity_forces forward_dynamics mass_matrix coriolis_matrix
    inverse_dynamics_derivatives forward_dynamics_derivatives
    constraint_jacobian constraint_bias constraint_residual constraint_forces constraint_wrenches impulse project
    center_of_mass center_of_mass_jacobian momentum momentum_rate momentum_matrix momentum_matrix_dot
    centroidal_velocity zero_moment_point generalized_momentum kinetic_energy potential_energy spring_energy
    spring_lengths
    composite_inertia whole_body_inertia locked_inertia subtree_center_of_mass articulated_inertia
    operational_inertia operational_space_dynamics frame_responses
    joint_reactions prescribed_dynamics plastic_impact
    joint_forces passive_forces
    regressor reference_regressor momentum_regressor energy_regressor
    integrate difference configuration_rate configuration_distance
""".split()
"""Algorithms of linkwright.dynamics, which are compiled at their first call."""

_NAMES = {
    # Mechanisms: from files and from code
    "linkwright.formats.load": "load",
    "linkwright.model.parts.actuator": "Actuator Muscle",
    "linkwright.model.parts.tendon": "Wrap",
    "linkwright.model.build.builder": "Builder",
    "linkwright.model.build.options": "ContactProperties JointLimits",
    "linkwright.model.library.dh": "DHRow DHTable from_dh to_dh",
    "linkwright.model.parts.keyframe": "Keyframe",
    "linkwright.model.parts.pair": "Pair",
    "linkwright.model.parts.sensor": "Sensor",
    "linkwright.model.parts.shape": "Shape",
    "linkwright.model.tree": "Model",
    # Algorithms that are compiled at their first call
    "linkwright.compiler.public": "derivative",
    "linkwright.dynamics.frames.manipulability": "Ellipsoid",
    "linkwright.dynamics": """
        Mobility check mobility total_mass welded_mass BaseParameters base_parameters inertial_parameters
        parameter_names structure_parameters
    """,
    "linkwright.spatial.inertia": "add_mass_properties",
    "linkwright.compiler.configurations": "close_loops interpolate mean_configuration",
    # Compilation of your own functions
    "linkwright.compiler.kernel": "Kernel compile",
    "linkwright.compiler.user": "stack symbols",
    "linkwright.spatial.arrays": "atan2 clip maximum minimum norm sign where",
    "linkwright.spatial.loops.repeats": "repeat until",
    "linkwright.spatial.loops.tables": "take",
    "linkwright.spatial.linear_algebra.systems": "cholesky solve",
    # Distances of shapes
    "linkwright.geometry.distances": "ClosestPair PairCollisions PairDistances closest_pair collisions distances",
    # Mass properties of meshes and shapes
    "linkwright.formats.meshes.convex_parts": "decompose_meshes",
    "linkwright.formats.meshes.reading": "ConvexHull convex_hull mass_properties",
    # Motion
    "linkwright.simulation": """
        Actuation Batch Episode Integrator Motion Rollout Servos Solver Surroundings linearize rollout
        rollout_derivatives default_configuration sensor_readings simulate standing_configuration
    """,
    # Events during a simulation
    "linkwright.simulation.events.event": "Event Impact",
    "linkwright.control.policy": "Policy",
    # Planned motions
    "linkwright.trajectories": "Trajectory",
    # Inverse kinematics
    "linkwright.ik_solvers.reach": "Reached inverse_kinematics",
    "linkwright.ik_solvers.derivatives": "inverse_kinematics_derivatives",
    "linkwright.ik_solvers.resolved_rates": "resolved_rate",
    "linkwright.ik_solvers.exact": "analytic_inverse_kinematics",
    # Dexterity and statics of a frame
    "linkwright.dexterity": "StaticWrench draw_ellipsoids null_space singular_directions static_wrench",
    # Plots
    "linkwright.visual.drawing.scene": "draw",
    # Browser
    "linkwright.browser.page": "Studio studio",
    # Identification of parameters from measurements
    "linkwright.identification.identify": "Identified identify",
    "linkwright.identification.payload": "identify_payload",
    "linkwright.identification.excitation": "ExcitingTrajectory exciting_trajectory",
    "linkwright.identification.calibration": "Calibrated calibrate",
    "linkwright.identification.measurements.record": "Measurements",
    "linkwright.identification.measurements.reading": "read_measurements",
    "linkwright.identification.measurements.smoothing": "smooth_derivatives",
    # Parameter studies
    "linkwright.studies.run": "study",
    "linkwright.studies.result": "Study",
    # Symbolic equations
    "linkwright.symbolic": "Equations equations",
    # Closed-loop behavior
    "linkwright.symbolic.closed_loop_control.attraction": "AttractionRegion region_of_attraction",
    "linkwright.symbolic.closed_loop_control.portrait": "PhasePortrait phase_portrait",
}
"""Other public names, by module."""

_MODULES = {
    "bridges": "linkwright.bridges",
    "control": "linkwright.control",
    "dynamics": "linkwright.dynamics",
    "errors": "linkwright.errors",
    "events": "linkwright.simulation.events",
    "quaternion": "linkwright.geometry.quaternion",
    "rotation": "linkwright.geometry.rotation",
    "samples": "linkwright.studies.samples",
    "structure": "linkwright.structure",
    "tasks": "linkwright.ik_solvers.tasks",
    "trajectories": "linkwright.trajectories",
    "transform": "linkwright.geometry.transform",
}
"""Public modules."""

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
"""Names of functions in other libraries, and the public name of the same function here."""

_MODULE_OF = {name: module for module, names in _NAMES.items() for name in names.split()}

__all__ = sorted([*_ALGORITHMS, *_MODULE_OF, *_MODULES])

__version__ = "0.1.0"


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])


def __getattr__(name: str) -> Any:
    if name not in __all__:
        ours = f"; it is called linkwright.{_OTHER_NAMES[name]}" if name in _OTHER_NAMES else ""
        message = f"module {__name__!r} has no attribute {name!r}{ours}"
        raise AttributeError(message, name=name, obj=sys.modules[__name__])
    if name in _MODULES:
        value: Any = import_module(_MODULES[name])
    elif name in _MODULE_OF:
        value = getattr(import_module(_MODULE_OF[name]), name)
    else:
        from linkwright import dynamics
        from linkwright.compiler.public import public

        value = public(getattr(dynamics, name))
        value.__module__ = __name__  # the name that pickle looks up
    return globals().setdefault(name, value)


def _later(module: str, name: str) -> Callable[..., Any]:
    """Return a function that imports its module when it is called."""
    return lambda *arguments, **options: getattr(import_module(module), name)(*arguments, **options)


# Functions of upper layers that lower layers call
provided.save_model.function = _later("linkwright.formats.save", "save")
provided.hull_of_mesh.function = _later("linkwright.formats.meshes.reading", "hull_of")
provided.always_overlapping.function = _later("linkwright.dynamics.overlaps", "always_overlapping")
provided.disabled_collisions.function = _later("linkwright.formats.srdf", "disabled_collisions")
provided.show_in_studio.function = _later("linkwright.browser.recorded.motion_studio", "show")
provided.save_motion_page.function = _later("linkwright.browser.recorded.motion_studio", "save_page")
provided.save_motion_log.function = _later("linkwright.browser.recorded.motion_log", "save_log")
provided.written_equations.function = _later("linkwright.symbolic.derivation.block_equations", "written_equations")
provided.symbols_of_sympy.function = _later("linkwright.expression.sympy.conversion", "with_symbols")
provided.on_sympy.function = _later("linkwright.expression.sympy.conversion", "on_sympy")
provided.casadi_function.function = _later("linkwright.bridges.casadi_functions", "function")
