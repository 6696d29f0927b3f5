"""A generated package of ROS 2 computes what the library computes; ROS and Eigen are headers written for this test."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from functools import partial
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from tests.ik_solvers.test_exact import real_robot

import linkwright as lw
from linkwright.bridges.ros2 import save_package
from linkwright.errors import ArgumentError, ModelError

STUBS = {
    "eigen3/Eigen/Core": """
        #pragma once
        #include <vector>
        namespace Eigen {
        class VectorXd {
        public:
          VectorXd() {}
          explicit VectorXd(int n) : x(n) {}
          int size() const { return static_cast<int>(x.size()); }
          double * data() { return x.data(); }
          const double * data() const { return x.data(); }
        private:
          std::vector<double> x;
        };
        class MatrixXd {  // column by column, as in Eigen
        public:
          MatrixXd(int rows, int columns) : height(rows), x(rows * columns) {}
          double & operator()(int i, int j) { return x[j * height + i]; }
          const double & operator()(int i, int j) const { return x[j * height + i]; }
        private:
          int height;
          std::vector<double> x;
        };
        }
    """,
    "rclcpp/node_interfaces/node_parameters_interface.hpp": """
        #pragma once
        #include <memory>
        namespace rclcpp { namespace node_interfaces {
        struct NodeParametersInterface { using ConstSharedPtr = std::shared_ptr<const NodeParametersInterface>; };
        } }
    """,
    "inverse_dynamics_solver/inverse_dynamics_solver.hpp": """
        #pragma once
        #include <string>
        #include <eigen3/Eigen/Core>
        #include <rclcpp/node_interfaces/node_parameters_interface.hpp>
        namespace inverse_dynamics_solver {
        class InverseDynamicsSolver {
        public:
          virtual ~InverseDynamicsSolver() {}
          virtual void initialize(
            rclcpp::node_interfaces::NodeParametersInterface::ConstSharedPtr = nullptr,
            const std::string & = "", const std::string & = "") = 0;
          virtual Eigen::MatrixXd getInertiaMatrix(const Eigen::VectorXd &) const = 0;
          virtual Eigen::VectorXd getCoriolisVector(const Eigen::VectorXd &, const Eigen::VectorXd &) const = 0;
          virtual Eigen::VectorXd getGravityVector(const Eigen::VectorXd &) const = 0;
          virtual Eigen::VectorXd getFrictionVector(const Eigen::VectorXd &) const = 0;
          virtual Eigen::VectorXd getTorques(
            const Eigen::VectorXd &, const Eigen::VectorXd &, const Eigen::VectorXd &) const = 0;
        };
        }
    """,
    "pluginlib/class_list_macros.hpp": """
        #pragma once
        #define PLUGINLIB_EXPORT_CLASS(Derived, Base) Base * make_plugin() { return new Derived; }
    """,
}

CALLER = """
#include <cstring>
#include <stdexcept>
#include <inverse_dynamics_solver/inverse_dynamics_solver.hpp>
#include "PACKAGE/inverse_dynamics_solver.hpp"

inverse_dynamics_solver::InverseDynamicsSolver * make_plugin();

static Eigen::VectorXd vector_of(const double * x, int n)
{
  Eigen::VectorXd result(n);
  std::memcpy(result.data(), x, n * sizeof(double));
  return result;
}

/// All results of the plugin, one after the other; -1 where it throws.
extern "C" int call_plugin(int n, const double * q, const double * v, const double * a, double * results)
{
  inverse_dynamics_solver::InverseDynamicsSolver * plugin = make_plugin();
  int status = 0;
  try {
    plugin->initialize();
    const Eigen::VectorXd Q = vector_of(q, n), V = vector_of(v, n), A = vector_of(a, n);
    const Eigen::MatrixXd M = plugin->getInertiaMatrix(Q);
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        *results++ = M(i, j);
      }
    }
    for (const auto & x : {plugin->getCoriolisVector(Q, V), plugin->getGravityVector(Q),
      plugin->getFrictionVector(V), plugin->getTorques(Q, V, A)})
    {
      std::memcpy(results, x.data(), n * sizeof(double));
      results += n;
    }
  } catch (const std::invalid_argument &) {
    status = -1;
  }
  delete plugin;
  return status;
}

extern "C" const char * joint_name(int k) { return PACKAGE::InverseDynamicsSolver::JOINT_NAMES[k]; }
"""


def panda():
    return real_robot("panda.urdf").lock({"panda_finger_joint1": 0.04})


def damped():
    """A robot with friction, a joint that slides, and two that move together."""
    build = lw.Builder("Dämpfer 2000")
    build.body("cart", mass=3.0, center_of_mass=[0.1, 0.0, 0.2], inertia=np.eye(3))
    build.body("pole", mass=1.0, center_of_mass=[0.0, 0.1, 0.5], inertia=0.1 * np.eye(3))
    build.body("tip", mass=0.5, center_of_mass=[0.0, 0.0, 0.3], inertia=0.05 * np.eye(3))
    build.joint("slide", "prismatic", "world", "cart", axis=[1.0, 0.0, 0.0], damping=2.0, friction=3.0)
    build.joint("swing", "revolute", "cart", "pole", axis=[0.0, 1.0, 0.0], xyz=[0.0, 0.0, 0.3], damping=0.2)
    build.joint("bend", "revolute", "pole", "tip", axis=[0.0, 1.0, 0.0], xyz=[0.0, 0.0, 1.0], friction=0.4)
    return build.build()


ROBOTS = {"puma560": lambda: lw.load("puma560"), "panda": panda, "friction": damped}


@pytest.mark.parametrize("robot", ROBOTS)
def test_the_plugin_is_compiled_and_equal_to_the_library(robot, tmp_path):
    model = ROBOTS[robot]()
    package = f"{robot}_solver"  # libraries of one name space would share constants in this process
    if shutil.which("g++") is None or shutil.which("gcc") is None:
        pytest.skip("gcc and g++ are not installed")
    pid = partial(lw.control.pid, target=np.zeros(model.nq), stiffness=50.0, damping=5.0, integral=3.0, step=1e-3)
    controller, state = lw.control.compiled(model, pid, initial_state=np.zeros(model.nv))
    save_package(model, tmp_path / "package", name=package, kernels=[controller])
    for name, text in STUBS.items():
        file = tmp_path / "stubs" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    (tmp_path / "caller.cpp").write_text(CALLER.replace("PACKAGE", package))
    include = [f"-I{tmp_path / 'package' / 'include'}", f"-isystem{tmp_path / 'stubs'}"]
    strict = ["-fPIC", "-Wall", "-Wextra", "-Wpedantic", "-Werror", *include]
    sources = tmp_path / "package" / "src"
    commands = [
        ["gcc", "-std=c99", *strict, "-c", str(sources / "functions.c"), "-o", str(tmp_path / "functions.o")],
        ["g++", "-std=c++17", *strict, "-shared", str(tmp_path / "functions.o"), str(tmp_path / "caller.cpp"),
         str(sources / "inverse_dynamics_solver.cpp"), "-o", str(tmp_path / "plugin.so")],
    ]  # fmt: skip
    for command in commands:
        subprocess.run(command, check=True)
    library = ctypes.CDLL(str(tmp_path / "plugin.so"))
    n, results = model.nq, np.empty(model.nq * (model.nq + 4))
    random = np.random.default_rng(4)

    def called(*arrays):
        return [x.ctypes.data_as(ctypes.c_void_p) for x in arrays]

    for q in model.random(4, seed=4):
        v, a = random.standard_normal((2, n))
        assert library.call_plugin(n, *called(q, v, a, results)) == 0
        M, h, g = lw.mass_matrix(model, q), lw.bias_forces(model, q, v), lw.gravity_forces(model, q)
        friction = lw.passive_forces(model, q, np.zeros(n)) - lw.passive_forces(model, q, v)
        expected = np.concatenate([M.ravel(), h - g, g, friction, lw.inverse_dynamics(model, q, v, a)])
        assert np.allclose(results, expected, rtol=0.0, atol=1e-11 * (1.0 + np.abs(expected).max()))
        efforts, after = np.empty(n), np.empty(n)
        t = np.zeros(1)
        library[f"{package}_{controller.program.name}"](*called(t, q, v, state, efforts, after))
        assert all(map(np.allclose, (efforts, after), controller(0.0, q, v, state)))
    assert library.call_plugin(n + 1, *called(np.zeros(n + 1), np.zeros(n + 1), np.zeros(n + 1), results)) == -1
    library.joint_name.restype = ctypes.c_char_p
    assert [library.joint_name(k).decode() for k in range(n)] == list(model.coordinate_names)


def test_the_files_of_the_package_name_the_same_things(tmp_path):
    model = lw.load("puma560")
    files = save_package(model, tmp_path, maintainer="A & B", email="a@b.c", license="MIT", version="1.2.3")
    package = "puma560_inverse_dynamics_solver"
    assert sorted(file.relative_to(tmp_path).as_posix() for file in files) == [
        "CMakeLists.txt",
        f"include/{package}/functions.h",
        f"include/{package}/inverse_dynamics_solver.hpp",
        "package.xml",
        "plugin.xml",
        "src/functions.c",
        "src/inverse_dynamics_solver.cpp",
    ]
    root = ElementTree.parse(tmp_path / "package.xml").getroot()
    assert [root.findtext(key) for key in ("name", "version", "maintainer", "license")] == [
        package,
        "1.2.3",
        "A & B",
        "MIT",
    ]
    plugin = ElementTree.parse(tmp_path / "plugin.xml").getroot()
    cmake = (tmp_path / "CMakeLists.txt").read_text()
    source = (tmp_path / "src" / "inverse_dynamics_solver.cpp").read_text()
    one = plugin.find("class")
    assert plugin.get("path") == package
    assert f"project({package} " in cmake
    assert "pluginlib_export_plugin_description_file(inverse_dynamics_solver plugin.xml)" in cmake
    assert f"PLUGINLIB_EXPORT_CLASS({one.get('type')}, {one.get('base_class_type')})" in source
    for dependency in root.findall("depend"):
        assert dependency.text == "eigen" or f"find_package({dependency.text} REQUIRED)" in cmake
    for file in ("src/functions.c", "src/inverse_dynamics_solver.cpp"):
        assert file in cmake


@pytest.mark.parametrize("targets", [False, True], ids=["ament_target_dependencies", "targets"])
def test_cmake_builds_the_package(tmp_path, targets):
    """With packages that stand for those of ROS, of older and newer distributions."""
    if shutil.which("cmake") is None or shutil.which("g++") is None:
        pytest.skip("cmake and g++ are not installed")
    save_package(lw.load("two_link"), tmp_path / "package", name="some_robot")
    dependencies = """
        function(ament_target_dependencies target)
          target_include_directories(${target} SYSTEM PUBLIC ${CMAKE_CURRENT_SOURCE_DIR}/../stubs)
        endfunction()
    """
    target = """
        add_library(NAME::NAME INTERFACE IMPORTED)
        set_target_properties(NAME::NAME PROPERTIES INTERFACE_INCLUDE_DIRECTORIES ${CMAKE_CURRENT_SOURCE_DIR}/../stubs)
        set(NAME_TARGETS NAME::NAME)
    """
    ament = """
        function(pluginlib_export_plugin_description_file base file)
          if(NOT EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${file})
            message(FATAL_ERROR "${file} does not exist")
          endif()
        endfunction()
        function(ament_export_targets)
        endfunction()
        function(ament_export_dependencies)
        endfunction()
        function(ament_package)
        endfunction()
    """
    for name in ("ament_cmake", "inverse_dynamics_solver", "pluginlib", "rclcpp"):
        folder = tmp_path / "cmake" / name
        folder.mkdir(parents=True)
        if name == "ament_cmake":
            text = ament if targets else dependencies + ament
        else:
            text = target.replace("NAME", name) if targets else ""
        (folder / f"{name}Config.cmake").write_text(text)
    for name, text in STUBS.items():
        file = tmp_path / "stubs" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    build = str(tmp_path / "build")
    prefix = f"-DCMAKE_PREFIX_PATH={tmp_path / 'cmake'}"
    subprocess.run(["cmake", "-S", str(tmp_path / "package"), "-B", build, prefix], check=True, capture_output=True)
    subprocess.run(["cmake", "--build", build], check=True, capture_output=True)
    assert (Path(build) / "libsome_robot.so").exists()


def test_wrong_calls(tmp_path):
    puma = lw.load("puma560")
    with pytest.raises(ModelError, match="several coordinates: root"):
        save_package(lw.load("quadruped"), tmp_path)
    with pytest.raises(ModelError, match="closed loops"):
        save_package(lw.load("four_bar"), tmp_path)
    for name in ("Puma", "a__b", "1a", "a_", "", "while", 3):
        with pytest.raises(ArgumentError, match="name"):
            save_package(puma, tmp_path, name=name)
    with pytest.raises(ArgumentError, match="version"):
        save_package(puma, tmp_path, version="1.0")
    with pytest.raises(ArgumentError, match="kernels are made by"):
        save_package(puma, tmp_path, kernels=[lw.mass_matrix])
    kernel = lw.compile(lw.mass_matrix, puma)
    for one in (kernel, 3, "mass_matrix"):
        with pytest.raises(ArgumentError, match="kernels is a list"):
            save_package(puma, tmp_path, kernels=one)
    with pytest.raises(ArgumentError, match="is of 'arm7' with the joints"):
        save_package(puma, tmp_path, kernels=[lw.compile(lw.gravity_forces, lw.load("arm7"))])
    with pytest.raises(ArgumentError, match="already"):
        save_package(puma, tmp_path, kernels=[kernel])
    assert list(tmp_path.iterdir()) == []
