"""Other libraries. Written by tools/write_examples.py from docs/how_to/other_libraries/index.md: change that page."""

# %% [markdown]
# # Other libraries
#
# Use Linkwright together with another library, or compare results. Each page maps the functions of one library to those of
# Linkwright, and lists differences of conventions.
#
# | you know | page |
# |---|---|
# | Pinocchio | [beside Pinocchio](pinocchio.md) |
# | MuJoCo | [beside MuJoCo](mujoco.md) |
# | Drake (`MultibodyPlant`) | [beside Drake](drake.md) |
# | PyBullet | [beside PyBullet](pybullet.md) |
# | Robotics Toolbox for Python | [beside the Robotics Toolbox](robotics_toolbox.md) |
# | SymPy (`sympy.physics.mechanics`) | [beside SymPy](sympy.md) |
#
# Every name of this library on these pages is looked up by a test. Each line of the tables called "The same numbers" is
# also computed by both libraries and compared, where the other library is installed.
#
# ## The same robot
#
# All of them but SymPy read files of robots. A model that you have here can be written for them: as URDF, as MuJoCo's own
# format, or as SDF.

# %%
import numpy as np
import linkwright as lw

arm = lw.load("arm7")
arm.save("arm7.urdf")                                # or .xml, MuJoCo's own format, or .sdf
again = lw.load("arm7.urdf")
q, v = arm.random(seed=0), np.ones(7)
assert np.allclose(lw.bias_forces(again, q, v), lw.bias_forces(arm, q, v))

# %% [markdown]
# Here there is no object for data, context or state. A function takes the model and arrays, and gives an array. Arrays may
# have any number of rows: `lw.bias_forces(arm, q, v)` takes one configuration of shape (7,) or a million of shape
# (1000000, 7). Frames, links and joints are called by their names; there are no numbers to look up.
#
# ## What is different in the numbers
#
# For arms with joints that turn or slide, `q` and `v` are the same everywhere, in the order of the file. (Check the order
# of branches: Pinocchio sorts them by name.) For a base that floats:
#
# | | quaternion | in `q` first | velocity of the base | its turning |
# |---|---|---|---|---|
# | here | (w, x, y, z) | the position | along the axes of the base | about the axes of the base |
# | Pinocchio | (x, y, z, w) | the position | along the axes of the base | about the axes of the base |
# | MuJoCo | (w, x, y, z) | the position | along the axes of the world | about the axes of the base |
# | Drake | (w, x, y, z) | the quaternion | along the axes of the world | about the axes of the world, and first in `v` |
# | PyBullet | (x, y, z, w) | the position | along the axes of the world | about the axes of the world |
#
# The Robotics Toolbox has no floating base. Six numbers of a velocity or a force are straight first, then turning: here,
# in Pinocchio, in PyBullet's Jacobians and in the Robotics Toolbox. In Drake and in MuJoCo's `mj_objectVelocity` the turning
# comes first.
#
# ## When to use what
#
# Pinocchio has every algorithm of this kind in C++, and many programs are built on it. MuJoCo has rich contact, tendons,
# muscles and a viewer. Drake has optimization, planning and systems made of blocks. PyBullet has cameras and soft bodies.
# The Robotics Toolbox is for teaching and has mobile robots, too. SymPy derives equations of any system that you can write
# down. This library compiles each function for one mechanism. It is quick for batches, gives equations to read, writes C,
# and takes your own functions in the same way. How quick it is beside Pinocchio and MuJoCo:
# [speed](../../internals/benchmarks.md).
