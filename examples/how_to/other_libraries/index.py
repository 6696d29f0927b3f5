"""Other libraries. Written by tools/write_examples.py from docs/how_to/other_libraries/index.md: change that page."""

# %% [markdown]
# # Other libraries
#
# Linkwright and another library in one program: functions of each library with their equivalents, and differences of conventions.
#
# | library | page |
# |---|---|
# | Pinocchio | [Linkwright with Pinocchio](pinocchio.md) |
# | MuJoCo | [Linkwright with MuJoCo](mujoco.md) |
# | Drake (`MultibodyPlant`) | [Linkwright with Drake](drake.md) |
# | PyBullet | [Linkwright with PyBullet](pybullet.md) |
# | Robotics Toolbox for Python | [Linkwright with the Robotics Toolbox](robotics_toolbox.md) |
# | SymPy (`sympy.physics.mechanics`) | [Linkwright with SymPy](sympy.md) |
# | RoKi | [Coming from RoKi](roki.md) |
# | EusLisp (irteus) | [Coming from EusLisp (irteus)](irteus.md) |
#
# A test checks every name of Linkwright on these pages. Each line of the tables "Functions with equal results" is
# computed by both libraries and compared, if the other library is installed. Each line of the pages on RoKi and irteus runs.
#
# ## Linkwright inside another library
#
# | their tool | one line | what works | what does not |
# |---|---|---|---|
# | PyTorch 2.6 | `lw.bridges.torch(lw.forward_dynamics, arm)` | [gradients](../pytorch_jax.md) of first and second order, `torch.func`, `torch.compile`, `torch.export` with dynamic batches, float32 and float64 | GPU; `torch.func.grad` inside a compiled graph |
# | JAX 0.5 | `lw.bridges.jax(lw.forward_dynamics, arm)` | [all transformations](../pytorch_jax.md), `jit`, loops, shards, float32 and float64 | GPU |
# | CasADi 3.6 | `lw.compile(lw.forward_dynamics, arm).casadi()` | [functions](../casadi.md) with derivatives, loops, Ipopt, C | loops over the bodies of large mechanisms |
# | acados | `ocp.model.f_expl_expr = …` of that function | [explicit and implicit dynamics](../casadi.md#a-model-for-acados) of fixed arms | quaternions: their norm needs a constraint of your own |
# | SymPy 1.13 | `lw.compile(expressions, symbols)`, `lw.mass_matrix(arm, q)` of symbols | [kernels of expressions](../compile_sympy.md), robots with symbols and their `lw.equations`, symbols of SymPy wherever `lw.symbols` are accepted, `sympy.physics.mechanics` | special functions without elementary form; loops and inverse kinematics as expressions |
# | Gymnasium, Stable-Baselines3, RSL-RL, skrl | | [environments and their table](../batches.md#learning-libraries) | |
# | LeRobot, ROS 2, Foxglove, Rerun | | [code and logs and their table](../code_for_other_tools.md) | |
#
# ## The same robot in both libraries
#
# All of them except SymPy and irteus read robot files that Linkwright writes. Save a model as URDF, MJCF (MuJoCo) or SDF:

# %%
import numpy as np
import linkwright as lw

arm = lw.load("arm7")
arm.save("arm7.urdf")                                # or .xml (MJCF), or .sdf
again = lw.load("arm7.urdf")
q, v = arm.random(seed=0), np.ones(7)
assert np.allclose(lw.bias_forces(again, q, v), lw.bias_forces(arm, q, v))

# %% [markdown]
# Linkwright has no data, context or state objects. Functions accept the model and arrays, and return arrays. Leading dimensions are
# batches: `lw.bias_forces(arm, q, v)` accepts one configuration of shape (7,) or a million of shape
# (1000000, 7). Frames, links and joints have names instead of indices.
#
# ## Conventions of floating bases
#
# For arms with revolute and prismatic joints, `q` and `v` are the same in all libraries, in the order of the file. (Pinocchio sorts
# branches by name.) Floating bases differ:
#
# | | quaternion | first in `q` | linear velocity of the base | angular velocity |
# |---|---|---|---|---|
# | Linkwright | (w, x, y, z) | position | in base axes | in base axes |
# | Pinocchio | (x, y, z, w) | position | in base axes | in base axes |
# | MuJoCo | (w, x, y, z) | position | in world axes | in base axes |
# | Drake | (w, x, y, z) | quaternion | in world axes | in world axes, and first in `v` |
# | PyBullet | (x, y, z, w) | position | in world axes | in world axes |
#
# The Robotics Toolbox has no floating base. Spatial velocities and forces have the linear part first in Linkwright,
# Pinocchio, PyBullet's Jacobians and the Robotics Toolbox. In Drake and in MuJoCo's `mj_objectVelocity` the angular part
# is first.
#
# ## Which library for which task
#
# | library | strengths |
# |---|---|
# | Linkwright | functions compiled for one mechanism: fast batches, symbolic equations, C export, user-defined functions with derivatives |
# | Pinocchio | complete rigid-body algorithms in C++, many programs built on it |
# | MuJoCo | contact, tendons, muscles, sensors, viewer |
# | Drake | optimization, planning, block-diagram systems |
# | PyBullet | cameras, soft bodies |
# | Robotics Toolbox | teaching, mobile robots |
# | SymPy | equations of any system that can be written down |
#
# Speed compared with Pinocchio and MuJoCo: [benchmarks](../../internals/benchmarks.md).
