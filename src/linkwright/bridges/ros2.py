"""Packages of ROS 2 with generated C: a plugin of `inverse_dynamics_solver`, and functions of controllers.

The interface is that of version 1.0 of the package `inverse_dynamics_solver` (Automatic Control Group, University of
Salerno; V. Petrone, E. Ferrentino & P. Chiacchio, "A ROS2-based software library for inverse dynamics computation").
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from string import Template
from typing import Any
from xml.sax.saxutils import escape

from linkwright import dynamics
from linkwright.compiler.emit import c
from linkwright.compiler.ir.program import Program
from linkwright.compiler.kernel import Kernel, compile
from linkwright.dynamics.forces.statics import Resisting, damping_coefficient, resistances
from linkwright.errors import ArgumentError, ModelError, TooLargeError
from linkwright.files import write_text
from linkwright.model.elements import Link
from linkwright.model.requirement import takes_model
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array

__all__ = ["save_package"]

_NAME = re.compile(r"[a-z](_?[a-z0-9])*")
"""Names of packages: of REP 144, and no two underscores in a row."""

_HEADER = """\
// $told
#pragma once

#include <string>

#include <eigen3/Eigen/Core>
#include <rclcpp/node_interfaces/node_parameters_interface.hpp>

#include <inverse_dynamics_solver/inverse_dynamics_solver.hpp>

namespace $package
{

/// Dynamics of one robot, compiled in: `robot_description` and parameters are not read.
///
/// Vectors have $n entries, in the order of JOINT_NAMES; gravity is ($gravity) m/s^2 in the base.
class InverseDynamicsSolver : public inverse_dynamics_solver::InverseDynamicsSolver
{
public:
  static constexpr int NUMBER_OF_JOINTS = $n;
  static constexpr const char * JOINT_NAMES[NUMBER_OF_JOINTS] = {$joints};

  void initialize(
    rclcpp::node_interfaces::NodeParametersInterface::ConstSharedPtr parameters_interface = nullptr,
    const std::string & param_namespace = "", const std::string & robot_description = "") override;

  /// Inertia matrix, with the inertias of rotors.
  Eigen::MatrixXd getInertiaMatrix(const Eigen::VectorXd & joint_positions) const override;

  /// Coriolis and centrifugal efforts C(q, qd) qd.
  Eigen::VectorXd getCoriolisVector(
    const Eigen::VectorXd & joint_positions, const Eigen::VectorXd & joint_velocities) const override;

  /// Efforts that hold the robot against gravity.
  Eigen::VectorXd getGravityVector(const Eigen::VectorXd & joint_positions) const override;

  /// Efforts against damping and dry friction, which is smoothed below $slow rad/s or m/s.
  Eigen::VectorXd getFrictionVector(const Eigen::VectorXd & joint_velocities) const override;

  /// Efforts of inertia, Coriolis effects and gravity, by the recursive algorithm; without friction.
  Eigen::VectorXd getTorques(
    const Eigen::VectorXd & joint_positions, const Eigen::VectorXd & joint_velocities,
    const Eigen::VectorXd & joint_accelerations) const override;
};

}  // namespace $package
"""

_SOURCE = """\
// $told
#include "$package/inverse_dynamics_solver.hpp"

#include <stdexcept>

#include "$package/functions.h"

namespace $package
{
namespace
{

constexpr int N = InverseDynamicsSolver::NUMBER_OF_JOINTS;

/// The entries of a vector; throws where it has another size.
const double * entries(const Eigen::VectorXd & x, const char * name)
{
  if (x.size() != N) {
    throw std::invalid_argument(
      std::string(name) + " has " + std::to_string(x.size()) + " entries; expected " + std::to_string(N));
  }
  return x.data();
}

}  // namespace

void InverseDynamicsSolver::initialize(
  rclcpp::node_interfaces::NodeParametersInterface::ConstSharedPtr, const std::string &, const std::string &)
{
}

Eigen::MatrixXd InverseDynamicsSolver::getInertiaMatrix(const Eigen::VectorXd & joint_positions) const
{
  double rows[N * N];
  ${package}_mass_matrix(entries(joint_positions, "joint_positions"), rows);
  Eigen::MatrixXd result(N, N);
  for (int i = 0; i < N; ++i) {
    for (int j = 0; j < N; ++j) {
      result(i, j) = rows[N * i + j];
    }
  }
  return result;
}

Eigen::VectorXd InverseDynamicsSolver::getCoriolisVector(
  const Eigen::VectorXd & joint_positions, const Eigen::VectorXd & joint_velocities) const
{
  Eigen::VectorXd result(N);
  ${package}_coriolis_vector(
    entries(joint_positions, "joint_positions"), entries(joint_velocities, "joint_velocities"), result.data());
  return result;
}

Eigen::VectorXd InverseDynamicsSolver::getGravityVector(const Eigen::VectorXd & joint_positions) const
{
  Eigen::VectorXd result(N);
  ${package}_gravity_vector(entries(joint_positions, "joint_positions"), result.data());
  return result;
}

Eigen::VectorXd InverseDynamicsSolver::getFrictionVector(const Eigen::VectorXd & joint_velocities) const
{
  Eigen::VectorXd result(N);
  ${package}_friction_vector(entries(joint_velocities, "joint_velocities"), result.data());
  return result;
}

Eigen::VectorXd InverseDynamicsSolver::getTorques(
  const Eigen::VectorXd & joint_positions, const Eigen::VectorXd & joint_velocities,
  const Eigen::VectorXd & joint_accelerations) const
{
  Eigen::VectorXd result(N);
  ${package}_torques(
    entries(joint_positions, "joint_positions"), entries(joint_velocities, "joint_velocities"),
    entries(joint_accelerations, "joint_accelerations"), result.data());
  return result;
}

}  // namespace $package

#include <pluginlib/class_list_macros.hpp>
PLUGINLIB_EXPORT_CLASS($package::InverseDynamicsSolver, inverse_dynamics_solver::InverseDynamicsSolver)
"""

_PLUGIN = """\
<library path="$package">
  <class name="$package/InverseDynamicsSolver" type="$package::InverseDynamicsSolver"
         base_class_type="inverse_dynamics_solver::InverseDynamicsSolver">
    <description>$told</description>
  </class>
</library>
"""

_PACKAGE = """\
<?xml version="1.0"?>
<package format="3">
  <name>$package</name>
  <version>$version</version>
  <description>$told</description>
  <maintainer email="$email">$maintainer</maintainer>
  <license>$license</license>

  <buildtool_depend>ament_cmake</buildtool_depend>

  <depend>eigen</depend>
  <depend>inverse_dynamics_solver</depend>
  <depend>pluginlib</depend>
  <depend>rclcpp</depend>

  <export>
    <build_type>ament_cmake</build_type>
  </export>
</package>
"""

_CMAKE = """\
cmake_minimum_required(VERSION 3.8)
project($package LANGUAGES C CXX)

find_package(ament_cmake REQUIRED)
find_package(inverse_dynamics_solver REQUIRED)
find_package(pluginlib REQUIRED)
find_package(rclcpp REQUIRED)

add_library($${PROJECT_NAME} SHARED src/functions.c src/inverse_dynamics_solver.cpp)
target_compile_features($${PROJECT_NAME} PUBLIC c_std_99 cxx_std_17)
target_include_directories($${PROJECT_NAME} PUBLIC
  $$<BUILD_INTERFACE:$${CMAKE_CURRENT_SOURCE_DIR}/include> $$<INSTALL_INTERFACE:include>)
if(UNIX)
  target_link_libraries($${PROJECT_NAME} m)
endif()
if(COMMAND ament_target_dependencies)
  ament_target_dependencies($${PROJECT_NAME} inverse_dynamics_solver pluginlib rclcpp)
else()  # newer distributions
  target_link_libraries($${PROJECT_NAME}
    $${inverse_dynamics_solver_TARGETS} $${pluginlib_TARGETS} $${rclcpp_TARGETS})
endif()

pluginlib_export_plugin_description_file(inverse_dynamics_solver plugin.xml)

install(DIRECTORY include/ DESTINATION include)
install(TARGETS $${PROJECT_NAME} EXPORT export_$${PROJECT_NAME}
  ARCHIVE DESTINATION lib LIBRARY DESTINATION lib RUNTIME DESTINATION bin)

ament_export_targets(export_$${PROJECT_NAME})
ament_export_dependencies(inverse_dynamics_solver pluginlib rclcpp)
ament_package()
"""


def _friction_vector(model: Model, v: Array) -> Array:
    """Efforts (nv,) against damping and dry friction."""

    def resisting(link: Link, v: Array, resists: Resisting) -> Array:
        return damping_coefficient(resists, v) * v

    return model.assemble(model.each(resisting, model.rates(v), resistances(model)))


@takes_model
def save_package(
    model: Model,
    folder: str | Path,
    *,
    name: str | None = None,
    kernels: Sequence[Kernel] = (),
    version: str = "0.1.0",
    maintainer: str = "maintainer",
    email: str = "maintainer@example.com",
    license: str = "TODO: License declaration",
) -> list[Path]:
    """Write a package of ROS 2 with the dynamics of a robot: a plugin of `inverse_dynamics_solver`, in generated C.

    Parameters
    ----------
    model : Model
        Robot whose joints have one coordinate each, without closed loops; lock others.
    folder : str or Path
        Folder of the package, such as ``src/NAME`` of a workspace.
    name : str, optional
        Name of the package. By default that of the model and ``_inverse_dynamics_solver``.
    kernels : sequence of Kernel, optional
        Controllers, observers and other functions that are added to the library as C, declared in ``functions.h``.
    version, maintainer, email, license : str, optional
        Entries of ``package.xml``.

    Returns
    -------
    list of Path
        The files.

    Raises
    ------
    ModelError
        If the robot has closed loops, or a joint with several coordinates.
    TooLargeError
        If straight-line code would be too long.

    Examples
    --------
    >>> import linkwright as lw
    >>> from linkwright.bridges.ros2 import save_package
    >>> files = save_package(lw.load("puma560"), "src/puma560_solver", name="puma560_solver")  # doctest: +SKIP
    """
    several = [joint.name for joint in model.joints if joint.coupling is None and (joint.nq, joint.nv) != (1, 1)]
    if several or not model.nq:
        told = f"joints with several coordinates: {', '.join(several)}" if several else "no joints"
        raise ModelError(f"{model.name!r} has {told}; the interface has one position for each joint: lock others")
    if model.loops:
        raise ModelError(f"{model.name!r} has closed loops, which the interface does not have; remove or lock them")
    if name is None:
        cleaned = re.sub(r"[^a-z0-9]+", "_", model.name.lower()).strip("_")
        name = f"{'robot_' if not cleaned[:1].isalpha() else ''}{cleaned}_inverse_dynamics_solver"
    if not isinstance(name, str) or not _NAME.fullmatch(name) or name in c.RESERVED:
        raise ArgumentError(f"name is that of a package of ROS 2: small letters, digits and single _; got {name!r}")
    if not re.fullmatch(r"\d+\.\d+\.\d+", version):
        raise ArgumentError(f"version is three numbers, such as '0.1.0'; got {version!r}")
    source, declarations = _functions(model, name, kernels)
    told = f"Inverse dynamics of {_plain(model.name)}."
    words = {
        "package": name,
        "told": told,
        "n": str(model.nq),
        "joints": ", ".join(f'"{_plain(joint)}"' for joint in model.coordinate_names),
        "gravity": ", ".join(f"{x:g}" for x in model.gravity),
        "slow": "0.01",
    }
    entries = {"version": version, "maintainer": maintainer, "email": email, "license": license}
    in_xml = words | {key: escape(text, {'"': "&quot;"}) for key, text in (("told", told), *entries.items())}
    files = {
        f"include/{name}/functions.h": c.header(declarations, f"{name}_functions.h"),
        f"include/{name}/inverse_dynamics_solver.hpp": Template(_HEADER).substitute(words),
        "src/functions.c": source,
        "src/inverse_dynamics_solver.cpp": Template(_SOURCE).substitute(words),
        "plugin.xml": Template(_PLUGIN).substitute(in_xml),
        "package.xml": Template(_PACKAGE).substitute(in_xml),
        "CMakeLists.txt": Template(_CMAKE).substitute(words),
    }
    for file, text in files.items():
        write_text(Path(folder) / file, text)
    return [Path(folder) / file for file in files]


def _functions(model: Model, package: str, kernels: Sequence[Kernel]) -> tuple[str, str]:
    """The source of all functions, and their declarations."""
    weightless = model.with_gravity((0.0, 0.0, 0.0))
    own: dict[str, tuple[Callable[..., Any], Model]] = {
        "mass_matrix": (dynamics.mass_matrix, model),
        "coriolis_vector": (dynamics.bias_forces, weightless),
        "gravity_vector": (dynamics.gravity_forces, model),
        "friction_vector": (_friction_vector, model),
        "torques": (dynamics.inverse_dynamics, model),
    }
    programs = {name: compile(function, of, unroll=True).program for name, (function, of) in own.items()}
    if isinstance(kernels, str) or not isinstance(kernels, Sequence):
        raise ArgumentError(f"kernels is a list of results of compile(function, model), kernels=[…]; got {kernels!r}")
    for kernel in kernels:
        if not isinstance(kernel, Kernel):
            raise ArgumentError(f"kernels are made by compile(function, model); got {kernel!r}")
        if kernel.model is not None and kernel.model.coordinate_names != model.coordinate_names:
            raise ArgumentError(
                f"the kernel {kernel.program.name!r} is of {kernel.model.name!r} with the joints "
                f"{', '.join(kernel.model.coordinate_names)}; the package is of {model.name!r} with "
                f"{', '.join(model.coordinate_names)}"
            )
        if kernel.program.name in programs:
            raise ArgumentError(f"the package has a function {kernel.program.name!r} already; give it another name")
        programs[kernel.program.name] = kernel.program
    sources, declarations = [], []
    for called, program in programs.items():
        if not isinstance(program, Program):
            raise TooLargeError(
                f"{called} runs as loops over the bodies, which have no C source; compile(…, unroll=True)"
            )
        source, declaration = c.source(replace(program, name=called), f"{package}_")
        sources.append(source.replace("#include <math.h>\n\n", "", 1))
        declarations.append(declaration)
    includes = f'#include "{package}/functions.h"\n\n#include <math.h>\n'
    return "\n".join([includes, *sources]), "\n".join(declarations)


def _plain(text: str) -> str:
    """A name in characters that end neither a comment nor a text in C++."""
    return re.sub(r"[^ -~]|[\\\"]|\*/|/\*", "_", text)
