"""Written by tools/write_types.py. Arrays may have any leading batch dimensions: (…, nq)."""


from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal
from numpy.typing import ArrayLike

from linkwright import bridges as bridges
from linkwright import control as control
from linkwright import dynamics as dynamics
from linkwright import errors as errors
from linkwright import structure as structure
from linkwright import trajectories as trajectories
from linkwright.browser.page import Studio as Studio
from linkwright.browser.page import studio as studio
from linkwright.compiler.configurations import close_loops as close_loops
from linkwright.compiler.configurations import interpolate as interpolate
from linkwright.compiler.configurations import mean_configuration as mean_configuration
from linkwright.compiler.kernel import Kernel as Kernel
from linkwright.compiler.kernel import compile as compile
from linkwright.compiler.public import derivative as derivative
from linkwright.compiler.user import stack as stack
from linkwright.compiler.user import symbols as symbols
from linkwright.control.policy import Policy as Policy
from linkwright.dexterity import StaticWrench as StaticWrench
from linkwright.dexterity import draw_ellipsoids as draw_ellipsoids
from linkwright.dexterity import null_space as null_space
from linkwright.dexterity import singular_directions as singular_directions
from linkwright.dexterity import static_wrench as static_wrench
from linkwright.dynamics import BaseParameters as BaseParameters
from linkwright.dynamics import Mobility as Mobility
from linkwright.dynamics import base_parameters as base_parameters
from linkwright.dynamics import check as check
from linkwright.dynamics import inertial_parameters as inertial_parameters
from linkwright.dynamics import mobility as mobility
from linkwright.dynamics import parameter_names as parameter_names
from linkwright.dynamics import structure_parameters as structure_parameters
from linkwright.dynamics import total_mass as total_mass
from linkwright.dynamics import welded_mass as welded_mass
from linkwright.dynamics.closed_loops.stabilization import Gains
from linkwright.dynamics.forward import Blocks
from linkwright.dynamics.forward import Method
from linkwright.dynamics.frames.manipulability import Ellipsoid as Ellipsoid
from linkwright.dynamics.frames.manipulability import Measure
from linkwright.dynamics.inertias.mass import MassMatrixMethod
from linkwright.dynamics.inertias.momentum import BaseAxes
from linkwright.dynamics.kinematics import ReferenceFrame
from linkwright.dynamics.parameters.regressor import Energy
from linkwright.formats.load import load as load
from linkwright.formats.meshes.convex_parts import decompose_meshes as decompose_meshes
from linkwright.formats.meshes.reading import ConvexHull as ConvexHull
from linkwright.formats.meshes.reading import convex_hull as convex_hull
from linkwright.formats.meshes.reading import mass_properties as mass_properties
from linkwright.geometry import quaternion as quaternion
from linkwright.geometry import rotation as rotation
from linkwright.geometry import transform as transform
from linkwright.geometry.distances import ClosestPair as ClosestPair
from linkwright.geometry.distances import PairCollisions as PairCollisions
from linkwright.geometry.distances import PairDistances as PairDistances
from linkwright.geometry.distances import closest_pair as closest_pair
from linkwright.geometry.distances import collisions as collisions
from linkwright.geometry.distances import distances as distances
from linkwright.identification.calibration import Calibrated as Calibrated
from linkwright.identification.calibration import calibrate as calibrate
from linkwright.identification.excitation import ExcitingTrajectory as ExcitingTrajectory
from linkwright.identification.excitation import exciting_trajectory as exciting_trajectory
from linkwright.identification.identify import Identified as Identified
from linkwright.identification.identify import identify as identify
from linkwright.identification.measurements.reading import read_measurements as read_measurements
from linkwright.identification.measurements.record import Measurements as Measurements
from linkwright.identification.measurements.smoothing import smooth_derivatives as smooth_derivatives
from linkwright.identification.payload import identify_payload as identify_payload
from linkwright.ik_solvers import tasks as tasks
from linkwright.ik_solvers.derivatives import inverse_kinematics_derivatives as inverse_kinematics_derivatives
from linkwright.ik_solvers.exact import analytic_inverse_kinematics as analytic_inverse_kinematics
from linkwright.ik_solvers.reach import Reached as Reached
from linkwright.ik_solvers.reach import inverse_kinematics as inverse_kinematics
from linkwright.ik_solvers.resolved_rates import resolved_rate as resolved_rate
from linkwright.model.build.builder import Builder as Builder
from linkwright.model.build.options import ContactProperties as ContactProperties
from linkwright.model.build.options import JointLimits as JointLimits
from linkwright.model.library.dh import DHRow as DHRow
from linkwright.model.library.dh import DHTable as DHTable
from linkwright.model.library.dh import from_dh as from_dh
from linkwright.model.library.dh import to_dh as to_dh
from linkwright.model.parts.actuator import Actuator as Actuator
from linkwright.model.parts.actuator import Muscle as Muscle
from linkwright.model.parts.keyframe import Keyframe as Keyframe
from linkwright.model.parts.pair import Pair as Pair
from linkwright.model.parts.sensor import Sensor as Sensor
from linkwright.model.parts.shape import Shape as Shape
from linkwright.model.parts.tendon import Wrap as Wrap
from linkwright.model.tree import Model as Model
from linkwright.simulation import Actuation as Actuation
from linkwright.simulation import Batch as Batch
from linkwright.simulation import Episode as Episode
from linkwright.simulation import Integrator as Integrator
from linkwright.simulation import Motion as Motion
from linkwright.simulation import Rollout as Rollout
from linkwright.simulation import Servos as Servos
from linkwright.simulation import Solver as Solver
from linkwright.simulation import Surroundings as Surroundings
from linkwright.simulation import default_configuration as default_configuration
from linkwright.simulation import events as events
from linkwright.simulation import linearize as linearize
from linkwright.simulation import rollout as rollout
from linkwright.simulation import rollout_derivatives as rollout_derivatives
from linkwright.simulation import sensor_readings as sensor_readings
from linkwright.simulation import simulate as simulate
from linkwright.simulation import standing_configuration as standing_configuration
from linkwright.simulation.events.event import Event as Event
from linkwright.simulation.events.event import Impact as Impact
from linkwright.spatial.arrays import Array
from linkwright.spatial.arrays import atan2 as atan2
from linkwright.spatial.arrays import clip as clip
from linkwright.spatial.arrays import maximum as maximum
from linkwright.spatial.arrays import minimum as minimum
from linkwright.spatial.arrays import norm as norm
from linkwright.spatial.arrays import sign as sign
from linkwright.spatial.arrays import where as where
from linkwright.spatial.inertia import add_mass_properties as add_mass_properties
from linkwright.spatial.linear_algebra.systems import cholesky as cholesky
from linkwright.spatial.linear_algebra.systems import solve as solve
from linkwright.spatial.loops.repeats import repeat as repeat
from linkwright.spatial.loops.repeats import until as until
from linkwright.spatial.loops.tables import take as take
from linkwright.studies import samples as samples
from linkwright.studies.result import Study as Study
from linkwright.studies.run import study as study
from linkwright.symbolic import Equations as Equations
from linkwright.symbolic import equations as equations
from linkwright.symbolic.closed_loop_control.attraction import AttractionRegion as AttractionRegion
from linkwright.symbolic.closed_loop_control.attraction import region_of_attraction as region_of_attraction
from linkwright.symbolic.closed_loop_control.portrait import PhasePortrait as PhasePortrait
from linkwright.symbolic.closed_loop_control.portrait import phase_portrait as phase_portrait
from linkwright.trajectories import Trajectory as Trajectory
from linkwright.visual.drawing.scene import draw as draw

__version__: str

def acceleration(
    model: Model,
    q: Annotated[ArrayLike, "(…, nq)"],
    v: Annotated[ArrayLike, "(…, nv)"],
    a: Annotated[ArrayLike, "(…, nv)"],
    frame: str,
    reference_frame: ReferenceFrame = "world_aligned",
    relative_to: str = "world",
) -> Annotated[Array, "(…, 6)"]: ...
def actuated_efforts(
    model: Model,
    q: Annotated[ArrayLike, "(…, nq)"],
    v: Annotated[ArrayLike, "(…, nv)"],
    a: Annotated[ArrayLike, "(…, nv)"],
    actuated: Sequence[str],
    wrenches: Mapping[str, Annotated[ArrayLike, "(…, 6)"]] | None = None,
) -> tuple[Annotated[Array, "(…, nv)"], Annotated[Array, "(…, nv)"], Annotated[Array, "(…, m)"]]: ...
def analytical_jacobian(
    model: Model,
    q: Annotated[ArrayLike, "(…, nq)"],
    frame: str,
    order: str,
    axes: str = "moving",
    relative_to: str = "world",
) -> Annotated[Array, "(…, 6, nv)"]: ...
def articulated_inertia(
    model: Model,
    q: Annotated[ArrayLike, "(…, nq)"],
    body: str,
) -> Annotated[Array, "(…, 6, 6)"]: ...
def bias_forces(
    model: Model,
    q: Annotated[ArrayLike, "(…, nq)"],
    v: Annotated[ArrayLike, "(…, nv)"],
) -> Annotated[Array, "(…, nv)"]: ...
def center_of_mass(
    model: Model,
    q: Annotated[ArrayLike, "(…, nq)"],
    body: str | None = None,
) -> Annotated[Array, "(…, 3)"]: ...
def center_of_mass_jacobian(
    model: Model,
    q: Annotated[ArrayLike, "(…, nq)"],
    body: str | None = None,
) -> Annotated[Array, "(…, 3, nv)"]: ...
def centroidal_velocity(
    model: Model,
    q: Annotated[ArrayLike, "(…, nq)"],
    v: Annotated[ArrayLike, "(…, nv)"],
) -> Annotated[Array, "(…, 6)"]: ...
def composite_inertia(
    model: Model,
    q: Annotated[ArrayLike, "(…, nq)"],
    body: str,
) -> tuple[Any, Annotated[Array, "(…, 3)"], Annotated[Array, "(…, 3, 3)"]]: ...
def configuration_distance(
    model: Model,
    q0: Annotated[ArrayLike, "(…, nq)"],
    q1: Annotated[ArrayLike, "(…, nq)"],
) -> Annotated[Array, "(…)"]: ...
def configuration_rate(
    model: Model,
    q: Annotated[ArrayLike, "(…, nq)"],
    v: Annotated[ArrayLike, "(…, nv)"],
) -> Annotated[Array, "(…, nq)"]: ...
def constraint_bias(
    model: Model,
    q: Annotated[ArrayLike, "(…, nq)"],
    v: Annotated[ArrayLike, "(…, nv)"],
) -> Annotated[Array, "(…, m)"]: ...
def constraint_forces(
    model: Model,
    q: Annotated[ArrayLike, "(…, nq)"],
    v: Annotated[ArrayLike, "(…, nv)"],
    tau: Annotated[ArrayLike, "(…, nv)"],
    wrenches: Mapping[str, Annotated[ArrayLike, "(…, 6)"]] | None = None,
    stabilization: Gains | None = None,
) -> Annotated[Array, "(…, m)"]: ...
def constraint_jacobian(
    model: Model,
    q: Annotated[ArrayLike, "(…, nq)"],
) -> Annotated[Array, "(…, m, nv)"]: ...
def constraint_residual(
    model: Model,
    q: Annotated[ArrayLike, "(…, nq)"],
) -> Annotated[Array, "(…, m)"]: ...
def constraint_wrenches(
    model: Model,
    q: Annotated[ArrayLike, "(…, nq)"],
    v: Annotated[ArrayLike, "(…, nv)"],
    tau: Annotated[ArrayLike, "(…, nv)"],
    wrenches: Mapping[str, Annotated[ArrayLike, "(…, 6)"]] | None = None,
    stabilization: Gains | None = None,
) -> Annotated[Array, "(…, n, 6)"]: ...
def coriolis_matrix(
    model: Model,
    q: Annotated[ArrayLike, "(…, nq)"],
    v: Annotated[ArrayLike, "(…, nv)"],
) -> Annotated[Array, "(…, nv, nv)"]: ...
def difference(
    model: Model,
    q0: Annotated[ArrayLike, "(…, nq)"],
    q1: Annotated[ArrayLike, "(…, nq)"],
) -> Annotated[Array, "(…, nv)"]: ...
def energy_regressor(
    model: Model,
    q: Annotated[ArrayLike, "(…, nq)"],
    v: Annotated[ArrayLike, "(…, nv)"],
    of: Energy = "total",
    armature: bool = False,
) -> Annotated[Array, "(…, p)"]: ...
def force_ellipsoid(
    model: Model,
    q: Annotated[ArrayLike, "(…, nq)"],
    frame: str,
    directions: str | Sequence[str] = "linear",
    reference_frame: ReferenceFrame = "world_aligned",
    relative_to: str = "world",
) -> Ellipsoid: ...
def forward_dynamics(
    model: Model,
    q: Annotated[ArrayLike, "(…, nq)"],
    v: Annotated[ArrayLike, "(…, nv)"],
    tau: Annotated[ArrayLike, "(…, nv)"],
    wrenches: Mapping[str, Annotated[ArrayLike, "(…, 6)"]] | None = None,
    method: Method | None = None,
    schedule: Any = None,
    partition: Any = None,
    loops: Literal['closed', 'ignore'] = "closed",
    stabilization: Gains | None = None,
    blocks: Blocks | None = None,
) -> Annotated[Array, "(…, nv)"]: ...
def forward_dynamics_derivatives(
    model: Model,
    q: Annotated[ArrayLike, "(…, nq)"],
    v: Annotated[ArrayLike, "(…, nv)"],
    tau: Annotated[ArrayLike, "(…, nv)"],
    wrenches: Mapping[str, Annotated[ArrayLike, "(…, 6)"]] | None = None,
) -> tuple[Annotated[Array, "(…, nv, nv)"], Annotated[Array, "(…, nv, nv)"], Annotated[Array, "(…, nv, nv)"]]: ...
def frame_responses(
    model: Model,
    q: Annotated[ArrayLike, "(…, nq)"],
    v: Annotated[ArrayLike, "(…, nv)"],
    tau: Annotated[ArrayLike, "(…, nv)"],
    frames: tuple[str, ...],
) -> tuple[Annotated[Array, "(…, handles, handles)"], Annotated[Array, "(…, handles)"]]: ...
def generalized_momentum(
    model: Model,
    q: Annotated[ArrayLike, "(…, nq)"],
    v: Annotated[ArrayLike, "(…, nv)"],
) -> tuple[Annotated[Array, "(…, nv)"], Annotated[Array, "(…, nv)"]]: ...
def gravity_forces(
    model: Model,
    q: Annotated[ArrayLike, "(…, nq)"],
) -> Annotated[Array, "(…, nv)"]: ...
def impulse(
    model: Model,
    q: Annotated[ArrayLike, "(…, nq)"],
    v: Annotated[ArrayLike, "(…, nv)"],
    wrenches: Mapping[str, Annotated[ArrayLike, "(…, 6)"]] | None = None,
) -> tuple[Annotated[Array, "(…, nv)"], Annotated[Array, "(…, m)"]]: ...
def integrate(
    model: Model,
    q: Annotated[ArrayLike, "(…, nq)"],
    v: Annotated[ArrayLike, "(…, nv)"],
) -> Annotated[Array, "(…, nq)"]: ...
def inverse_dynamics(
    model: Model,
    q: Annotated[ArrayLike, "(…, nq)"],
    v: Annotated[ArrayLike, "(…, nv)"],
    a: Annotated[ArrayLike, "(…, nv)"],
    wrenches: Mapping[str, Annotated[ArrayLike, "(…, 6)"]] | None = None,
    actuated: Sequence[str] | None = None,
) -> Annotated[Array, "(…, nv)"]: ...
def inverse_dynamics_derivatives(
    model: Model,
    q: Annotated[ArrayLike, "(…, nq)"],
    v: Annotated[ArrayLike, "(…, nv)"],
    a: Annotated[ArrayLike, "(…, nv)"],
    wrenches: Mapping[str, Annotated[ArrayLike, "(…, 6)"]] | None = None,
) -> tuple[Annotated[Array, "(…, nv, nv)"], Annotated[Array, "(…, nv, nv)"], Annotated[Array, "(…, nv, nv)"]]: ...
def jacobian(
    model: Model,
    q: Annotated[ArrayLike, "(…, nq)"],
    frame: str,
    reference_frame: ReferenceFrame = "world_aligned",
    relative_to: str = "world",
) -> Annotated[Array, "(…, 6, nv)"]: ...
def jacobian_dot(
    model: Model,
    q: Annotated[ArrayLike, "(…, nq)"],
    v: Annotated[ArrayLike, "(…, nv)"],
    frame: str,
    reference_frame: ReferenceFrame = "world_aligned",
    relative_to: str = "world",
) -> Annotated[Array, "(…, 6, nv)"]: ...
def jacobian_dot_times_v(
    model: Model,
    q: Annotated[ArrayLike, "(…, nq)"],
    v: Annotated[ArrayLike, "(…, nv)"],
    frame: str,
    reference_frame: ReferenceFrame = "world_aligned",
    relative_to: str = "world",
) -> Annotated[Array, "(…, 6)"]: ...
def joint_forces(
    model: Model,
    q: Annotated[ArrayLike, "(…, nq)"],
    frame: str,
    wrench: Annotated[ArrayLike, "(…, 6)"],
    reference_frame: ReferenceFrame = "world_aligned",
    relative_to: str = "world",
) -> Annotated[Array, "(…, nv)"]: ...
def joint_reactions(
    model: Model,
    q: Annotated[ArrayLike, "(…, nq)"],
    v: Annotated[ArrayLike, "(…, nv)"],
    tau: Annotated[ArrayLike, "(…, nv)"],
    wrenches: Mapping[str, Annotated[ArrayLike, "(…, 6)"]] | None = None,
    schedule: Any = None,
) -> Annotated[Array, "(…, n, 6)"]: ...
def kinematic_hessian(
    model: Model,
    q: Annotated[ArrayLike, "(…, nq)"],
    frame: str,
    reference_frame: ReferenceFrame = "world_aligned",
    relative_to: str = "world",
) -> Annotated[Array, "(…, 6, nv, nv)"]: ...
def kinetic_energy(
    model: Model,
    q: Annotated[ArrayLike, "(…, nq)"],
    v: Annotated[ArrayLike, "(…, nv)"],
) -> Annotated[Array, "(…)"]: ...
def locked_inertia(
    model: Model,
    q: Annotated[ArrayLike, "(…, nq)"],
    body: str = "world",
) -> Annotated[Array, "(…, 6, 6)"]: ...
def manipulability(
    model: Model,
    q: Annotated[ArrayLike, "(…, nq)"],
    frame: str,
    measure: Measure = "yoshikawa",
    directions: str | Sequence[str] = "all",
    reference_frame: ReferenceFrame = "world_aligned",
    relative_to: str = "world",
) -> Annotated[Array, "(…)"]: ...
def mass_matrix(
    model: Model,
    q: Annotated[ArrayLike, "(…, nq)"],
    method: MassMatrixMethod = "composite",
) -> Annotated[Array, "(…, nv, nv)"]: ...
def momentum(
    model: Model,
    q: Annotated[ArrayLike, "(…, nq)"],
    v: Annotated[ArrayLike, "(…, nv)"],
    point: Annotated[ArrayLike, "(…, 3)"] | None = None,
) -> Annotated[Array, "(…, 6)"]: ...
def momentum_matrix(
    model: Model,
    q: Annotated[ArrayLike, "(…, nq)"],
    base: BaseAxes = "body",
) -> Annotated[Array, "(…, 6, nv)"]: ...
def momentum_matrix_dot(
    model: Model,
    q: Annotated[ArrayLike, "(…, nq)"],
    v: Annotated[ArrayLike, "(…, nv)"],
    base: BaseAxes = "body",
) -> Annotated[Array, "(…, 6, nv)"]: ...
def momentum_rate(
    model: Model,
    q: Annotated[ArrayLike, "(…, nq)"],
    v: Annotated[ArrayLike, "(…, nv)"],
    a: Annotated[ArrayLike, "(…, nv)"],
) -> Annotated[Array, "(…, 6)"]: ...
def momentum_regressor(
    model: Model,
    q: Annotated[ArrayLike, "(…, nq)"],
    v: Annotated[ArrayLike, "(…, nv)"],
    armature: bool = False,
) -> Annotated[Array, "(…, nv, p)"]: ...
def operational_inertia(
    model: Model,
    q: Annotated[ArrayLike, "(…, nq)"],
    frame: str,
    directions: str | Sequence[str] = "all",
) -> Annotated[Array, "(…, rows, rows)"]: ...
def operational_space_dynamics(
    model: Model,
    q: Annotated[ArrayLike, "(…, nq)"],
    v: Annotated[ArrayLike, "(…, nv)"],
    frame: str,
    directions: str | Sequence[str] = "all",
) -> tuple[Annotated[Array, "(…, rows, rows)"], Annotated[Array, "(…, rows)"], Annotated[Array, "(…, rows)"]]: ...
def passive_forces(
    model: Model,
    q: Annotated[ArrayLike, "(…, nq)"],
    v: Annotated[ArrayLike, "(…, nv)"],
) -> Annotated[Array, "(…, nv)"]: ...
def plastic_impact(
    model: Model,
    q: Annotated[ArrayLike, "(…, nq)"],
    v: Annotated[ArrayLike, "(…, nv)"],
    twists: Annotated[ArrayLike, "(…, n, 6)"],
) -> tuple[Annotated[Array, "(…, nv)"], Annotated[Array, "(…, n, 6)"]]: ...
def pose(
    model: Model,
    q: Annotated[ArrayLike, "(…, nq)"],
    frame: str | Sequence[str],
    relative_to: str = "world",
) -> Annotated[Array, "(…, 4, 4)"]: ...
def potential_energy(
    model: Model,
    q: Annotated[ArrayLike, "(…, nq)"],
) -> Annotated[Array, "(…)"]: ...
def prescribed_dynamics(
    model: Model,
    q: Annotated[ArrayLike, "(…, nq)"],
    v: Annotated[ArrayLike, "(…, nv)"],
    tau: Annotated[ArrayLike, "(…, nv)"],
    a: Annotated[ArrayLike, "(…, nv)"],
    prescribed: Sequence[str],
    wrenches: Mapping[str, Annotated[ArrayLike, "(…, 6)"]] | None = None,
    schedule: Any = None,
) -> tuple[Annotated[Array, "(…, nv)"], Annotated[Array, "(…, nv)"]]: ...
def project(
    model: Model,
    q: Annotated[ArrayLike, "(…, nq)"],
    v: Annotated[ArrayLike, "(…, nv)"],
) -> tuple[Annotated[Array, "(…, nq)"], Annotated[Array, "(…, nv)"]]: ...
def reference_regressor(
    model: Model,
    q: Annotated[ArrayLike, "(…, nq)"],
    v: Annotated[ArrayLike, "(…, nv)"],
    v_r: Annotated[ArrayLike, "(…, nv)"],
    a_r: Annotated[ArrayLike, "(…, nv)"],
    armature: bool = False,
) -> Annotated[Array, "(…, nv, p)"]: ...
def regressor(
    model: Model,
    q: Annotated[ArrayLike, "(…, nq)"],
    v: Annotated[ArrayLike, "(…, nv)"],
    a: Annotated[ArrayLike, "(…, nv)"],
    armature: bool = False,
    friction: bool = False,
) -> Annotated[Array, "(…, nv, p)"]: ...
def spring_energy(
    model: Model,
    q: Annotated[ArrayLike, "(…, nq)"],
) -> Annotated[Array, "(…)"]: ...
def spring_lengths(
    model: Model,
    q: Annotated[ArrayLike, "(…, nq)"],
) -> Annotated[Array, "(…, n)"]: ...
def subtree_center_of_mass(
    model: Model,
    q: Annotated[ArrayLike, "(…, nq)"],
    body: str,
) -> Annotated[Array, "(…, 3)"]: ...
def velocity(
    model: Model,
    q: Annotated[ArrayLike, "(…, nq)"],
    v: Annotated[ArrayLike, "(…, nv)"],
    frame: str,
    reference_frame: ReferenceFrame = "world_aligned",
    relative_to: str = "world",
) -> Annotated[Array, "(…, 6)"]: ...
def velocity_ellipsoid(
    model: Model,
    q: Annotated[ArrayLike, "(…, nq)"],
    frame: str,
    directions: str | Sequence[str] = "linear",
    reference_frame: ReferenceFrame = "world_aligned",
    relative_to: str = "world",
) -> Ellipsoid: ...
def whole_body_inertia(
    model: Model,
    q: Annotated[ArrayLike, "(…, nq)"],
) -> Annotated[Array, "(…, 3, 3)"]: ...
def zero_moment_point(
    model: Model,
    q: Annotated[ArrayLike, "(…, nq)"],
    v: Annotated[ArrayLike, "(…, nv)"],
    a: Annotated[ArrayLike, "(…, nv)"],
    height: float = 0.0,
) -> Annotated[Array, "(…, 3)"]: ...

__all__ = [
    "Actuation",
    "Actuator",
    "AttractionRegion",
    "BaseParameters",
    "Batch",
    "Builder",
    "Calibrated",
    "ClosestPair",
    "ContactProperties",
    "ConvexHull",
    "DHRow",
    "DHTable",
    "Ellipsoid",
    "Episode",
    "Equations",
    "Event",
    "ExcitingTrajectory",
    "Identified",
    "Impact",
    "Integrator",
    "JointLimits",
    "Kernel",
    "Keyframe",
    "Measurements",
    "Mobility",
    "Model",
    "Motion",
    "Muscle",
    "Pair",
    "PairCollisions",
    "PairDistances",
    "PhasePortrait",
    "Policy",
    "Reached",
    "Rollout",
    "Sensor",
    "Servos",
    "Shape",
    "Solver",
    "StaticWrench",
    "Studio",
    "Study",
    "Surroundings",
    "Trajectory",
    "Wrap",
    "acceleration",
    "actuated_efforts",
    "add_mass_properties",
    "analytic_inverse_kinematics",
    "analytical_jacobian",
    "articulated_inertia",
    "atan2",
    "base_parameters",
    "bias_forces",
    "bridges",
    "calibrate",
    "center_of_mass",
    "center_of_mass_jacobian",
    "centroidal_velocity",
    "check",
    "cholesky",
    "clip",
    "close_loops",
    "closest_pair",
    "collisions",
    "compile",
    "composite_inertia",
    "configuration_distance",
    "configuration_rate",
    "constraint_bias",
    "constraint_forces",
    "constraint_jacobian",
    "constraint_residual",
    "constraint_wrenches",
    "control",
    "convex_hull",
    "coriolis_matrix",
    "decompose_meshes",
    "default_configuration",
    "derivative",
    "difference",
    "distances",
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
    "inverse_kinematics_derivatives",
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
    "sensor_readings",
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
    "structure_parameters",
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
