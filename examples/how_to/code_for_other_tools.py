"""Code and logs for other tools. Written by tools/write_examples.py from docs/how_to/code_for_other_tools.md: change that page."""

# %% [markdown]
# # Code and logs for other tools
#
# A robot's computer, a simulator of another group and a viewer of logs need the same robot in their own form. Each of these forms is one
# line.
#
# | their tool | one line | what works | what does not |
# |---|---|---|---|
# | C, C++, Rust, Python without libraries | `lw.analytic_inverse_kinematics(arm, frame).save("ik.c")` | all solutions within the limits, of every arm that the solver solves, with up to seven joints; `ik_is_singular(q)` | completion at singular postures |
# | LeRobot | `RobotKinematics(arm, "gripper_frame_link")` | its interface, with joint limits, weights and positions of grippers | joints that slide |
# | ROS 2 | `save_package(arm, "src/arm_solver")` | a plugin of `inverse_dynamics_solver`; controllers and observers as C functions | closed loops, floating bases |
# | Foxglove | `motion.save("motion.mcap")` | poses and solids of the links, positions, velocities and efforts of the joints, contact forces | textures: meshes have their mean color |
# | Rerun | `motion.save("motion.rrd")` | the same, and textures of meshes | – |
# | conda | `rattler-build build --recipe recipe/recipe.yaml` | a package for all platforms from a checkout | extras: their versions are constrained, not installed |
#
# ## Exact inverse kinematics in C, C++, Rust and Python

# %%
import numpy as np
import linkwright as lw

arm = lw.load("puma560")
solver = lw.analytic_inverse_kinematics(arm, "tool")
for ending in ("c", "hpp", "rs", "py"):
    solver.save(f"puma_ik.{ending}", name="puma_ik")

# %% [markdown]
# The file ends with a function that returns the number of solutions, and whose comment documents its arguments, and one that returns whether a
# solution is at a singular posture:
#
# ```c
# int puma_ik(const double T[16], double q[8][6]);
# int puma_ik_is_singular(const double q[6]);
# ```
#
# `T` contains the 4 × 4 pose row by row; the function in Python takes four rows of four numbers.
#
# Compile it, and compare with the library:

# %%
import ctypes
import shutil
import subprocess
from pathlib import Path

T = lw.pose(arm, arm.random(seed=0), "tool")
if compiler := shutil.which("cc"):
    subprocess.run([compiler, "-O2", "-shared", "-fPIC", "puma_ik.c", "-o", "puma_ik.so", "-lm"], check=True)
    in_c, found = ctypes.CDLL(str(Path("puma_ik.so").resolve())).puma_ik, np.empty((8, 6))
    count = in_c(*(x.ctypes.data_as(ctypes.c_void_p) for x in (T, found)))
    assert count == (solver(T).exact & solver(T).within).sum()
    assert np.allclose(lw.pose(arm, found[:count], "tool"), T)

# %% [markdown]
# The page on [exact inverse kinematics](../topics/mechanisms/exact_inverse_kinematics.md#source-code-for-controllers) has the
# signatures in the other languages, times and limits.
#
# ## LeRobot
#
# LeRobot's processors of end-effector poses take an object with the interface of its class `RobotKinematics`, which requires placo. This
# class needs neither; pass it in place of LeRobot's. Positions are in degrees. Entries after those of the joints, such as that of a gripper,
# are returned unchanged:

# %%
from linkwright.bridges.lerobot import RobotKinematics

kinematics = RobotKinematics(arm, "tool")  # or a URDF file: RobotKinematics("so101.urdf", "gripper_frame_link")
joints = np.array([10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 100.0])  # with the position of a gripper
target = kinematics.forward_kinematics(joints)
target[:3, 3] += [0.01, 0.0, -0.02]
reached = kinematics.inverse_kinematics(joints, target)
assert np.allclose(kinematics.forward_kinematics(reached), target, atol=1e-5)
assert reached[6] == 100.0

# %% [markdown]
# An arm with five joints does not reach every orientation: errors of the position and of the orientation are weighted by
# `position_weight` and `orientation_weight` (1 and 0.01, as in LeRobot), and `orientation_weight=0.0` leaves the orientation free. Each call
# descends from the current positions to a local minimum of the error, within the joint limits; placo takes a single step of its iteration in each call. The posture does not
# jump to another one, such as that with the elbow flipped, even if its error is smaller; `lw.inverse_kinematics` searches all postures. For
# an SO-101 a call of `forward_kinematics` takes 3 µs, one of `inverse_kinematics` 26 µs for a pose that can be reached, 21 µs for a position
# alone, and 85 µs for an orientation that cannot be reached (one core, from a start 3° away). `joint_names=[…]` selects the joints of the
# arrays where others, such as fingers that slide, have no angle.
#
# ## A package of ROS 2
#
# Controllers of ROS 2 load the dynamics of a robot as a plugin of the package
# [inverse_dynamics_solver](https://github.com/unisa-acg/inverse-dynamics-solver). `save_package` writes such a plugin with generated C, as
# a whole package: header, source, `plugin.xml`, `package.xml` and `CMakeLists.txt`. It needs neither a URDF at run time nor Linkwright.
# Controllers, observers and other [kernels](export_c.md) become functions of the same library:

# %%
from functools import partial

from linkwright.bridges.ros2 import save_package

pid = partial(lw.control.pid, target=np.zeros(6), stiffness=50.0, damping=5.0, integral=3.0, step=1e-3)
controller, state = lw.control.compiled(arm, pid, initial_state=np.zeros(6))
for file in save_package(arm, "workspace/src/puma_solver", name="puma_solver", kernels=[controller]):
    print(file)

# %% [markdown]
# ```sh
# cd workspace && colcon build --packages-select puma_solver
# ```
#
# The plugin is `puma_solver/InverseDynamicsSolver`, with the interface of version 1.0; development versions have further methods, for
# external wrenches, which are not written. Vectors are in the order of `JOINT_NAMES`, the coordinates of the model.
#
# | method | function of the library |
# |---|---|
# | `getInertiaMatrix(q)` | `lw.mass_matrix` |
# | `getCoriolisVector(q, v)` | `lw.bias_forces` without gravity |
# | `getGravityVector(q)` | `lw.gravity_forces`, with the gravity of the model |
# | `getFrictionVector(v)` | damping and smoothed dry friction of `lw.passive_forces`, with the opposite sign |
# | `getTorques(q, v, a)` | `lw.inverse_dynamics`, in one recursion |
#
# A vector of another size raises `std::invalid_argument`. The C functions, `puma_solver_torques` and so on, allocate no memory; the
# vectors that the interface returns do. The functions of the kernels, such as `puma_solver_pid`, are declared in
# `puma_solver/functions.h`. The package is tested by compiling it with headers that stand for those of ROS, and by `colcon build` with Eigen
# and packages that stand for those of ROS, with and without `ament_target_dependencies`. It has not been built in a ROS distribution.
#
# ## Logs for Foxglove and Rerun
#
# The file extension selects the format: `.mcap` for Foxglove and other readers of MCAP, `.rrd` for Rerun.
#
# ```sh
# pip install "linkwright[foxglove]"  # mcap and Foxglove's messages, 35 MB
# pip install "linkwright[rerun]"     # rerun-sdk with its viewer, 660 MB
# ```

# %%
from importlib.util import find_spec

motion = lw.simulate(arm, np.zeros(6), np.zeros(6), 0.5, step=0.005)
if find_spec("mcap_protobuf"):
    motion.save("motion.mcap")  # topics /tf, /joint_states and /robot
if find_spec("rerun"):
    motion.save("motion.rrd")   # rerun motion.rrd

# %% [markdown]
# All samples are written. Solids are the visible shapes of the file, or those that the library draws for bodies without shapes; rods between
# two bodies change their length. In MCAP the topics are `/tf` (`foxglove.FrameTransforms`), `/joint_states` (`foxglove.JointStates`) and
# `/robot` (`foxglove.SceneUpdate`); in Rerun the entities are `/ROBOT/LINK` and `/joints/QUANTITY/COORDINATE`, on the timeline `time`.
# Contact forces of a robot with pairs are arrows at their centers of pressure: in MCAP on the topic `/contacts`, with the forces in N as
# metadata of the entity; in Rerun as `/contacts`, and as series `/contact_forces/PAIR`. Two
# seconds of a Panda with its meshes, sampled at 1 kHz, are 2.7 MB of MCAP, written in 0.2 s, or 3.7 MB for Rerun, in 0.02 s.
