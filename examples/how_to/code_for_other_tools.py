"""Code and logs for other tools. Written by tools/write_examples.py from docs/how_to/code_for_other_tools.md: change that page."""

# %% [markdown]
# # Code and logs for other tools
#
# A robot's computer, a simulator of another group and a viewer of logs need the same robot in their own form. Each of these forms is one
# line.
#
# | their tool | one line | what works | what does not |
# |---|---|---|---|
# | C, C++, Rust, Python without libraries | `lw.analytic_inverse_kinematics(arm, frame).save("ik.c")` | all solutions within the limits, of arms of a family with up to seven joints | arms with an equation of degree 16; completion at singular postures |
# | LeRobot | `RobotKinematics(arm, "gripper_frame_link")` | its interface, with joint limits, weights and positions of grippers | joints that slide |
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
# The file ends with a function that returns the number of solutions, and whose comment documents its arguments:
#
# ```c
# int puma_ik(const double T[16], double q[8][6]);
# ```
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
# The page on [analytic inverse kinematics](../topics/mechanisms/exact_inverse_kinematics.md#source-code-for-controllers) has the
# signatures in the other languages, times and limits.
#
# ## LeRobot
#
# LeRobot's processors of end-effector poses take an object with the interface of its class `RobotKinematics`, which requires placo. This
# one needs neither; give it in place of that one. Positions are in degrees, and entries behind the joints, such as that of a gripper, are
# kept:

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
# searches until the error is the least, within the joint limits; placo makes one step. For an SO-101 a call of `forward_kinematics` takes
# 3 µs, one of `inverse_kinematics` 31 µs for a pose that can be reached, 19 µs for a position alone, and 1.1 ms for an orientation that
# cannot be reached (one core, from a start 3° away).
