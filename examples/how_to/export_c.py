"""Export C. Written by tools/write_examples.py from docs/how_to/export_c.md: change that page."""

# %% [markdown]
# # Export C
#
# The computer of a robot often has no Python. Every compiled function can be exported as C. The file needs only a C compiler and
# `<math.h>`, allocates no memory, and has no branches that depend on values, so every call takes the same time.
#
# ## A function of the library

# %%
from functools import partial

import numpy as np
import linkwright as lw

arm = lw.load("puma560")
kernel = lw.compile(lw.inverse_dynamics, arm)         # machine code for this arm
kernel.save("inverse_dynamics.c")                     # the same function as C

# %% [markdown]
# The file begins with a comment that documents the arguments. The signature is:
#
# ```c
# void inverse_dynamics(const double q[6], const double v[6], const double a[6], double result[6]);
# ```

# %%
from pathlib import Path

text = Path("inverse_dynamics.c").read_text()
print(text[:400])
assert "void inverse_dynamics(const double q[6]" in text

# %% [markdown]
# ## Your own function
#
# Write it with the functions of `lw` and NumPy, like a [controller](write_controller.md), and compile it. Give the sizes of other
# inputs explicitly:

# %%
def press(model, q, v, force):
    """Return efforts for gravity compensation, damping, and a force at the tool."""
    J = lw.jacobian(model, q, "tool")[:3]
    return lw.gravity_forces(model, q) - 2.0 * v + J.T @ force


own = lw.compile(press, arm, force=3)
own.save("press.c")

# %% [markdown]
# ## Test the C function
#
# Compile the file, call it through `ctypes`, and compare:

# %%
import ctypes
import shutil
import subprocess

if compiler := shutil.which("cc"):
    subprocess.run([compiler, "-O2", "-shared", "-fPIC", "press.c", "-o", "press.so", "-lm"], check=True)
    in_c = ctypes.CDLL(str(Path("press.so").resolve())).press
    q, v, force, tau = arm.random(seed=0), np.ones(6), np.array([0.0, 0.0, -10.0]), np.empty(6)
    in_c(*(x.ctypes.data_as(ctypes.c_void_p) for x in (q, v, force, tau)))
    assert np.allclose(tau, own(q, v, force))

# %% [markdown]
# ## Single precision
#
# Many microcontrollers compute quickly with 32 bits only. `precision="single"` writes the function with `float`; nothing in it is
# computed in `double`. `prefix=` is the beginning of the function's name, and `header=True` writes its declaration to a header file.
# A `static=True` function is for a file that is included in another one.

# %%
own.save("arm_press.c", precision="single", prefix="arm_", header=True)
declaration = "void arm_press(const float q[6], const float v[6], const float force[3], float result[6]);"
assert declaration in Path("arm_press.h").read_text()

if compiler := shutil.which("gcc"):
    strict = ["-Wall", "-Wdouble-promotion", "-Wfloat-conversion", "-Werror"]
    subprocess.run([compiler, "-O2", *strict, "-c", "arm_press.c", "-o", "arm_press.o"], check=True)

# %% [markdown]
# For the digits that are lost, see [single precision](../topics/mechanisms/single_precision.md).
#
# ## Other exports
#
# - A derivative: `kernel.derivative("q").save("derivative.c")`.
# - A controller with its state: `kernel, state = lw.control.compiled(model, controller)` returns a kernel (t, q, v, state) -> (τ, state) and
#   the initial state ([controllers](../topics/control/controllers/export.md#compiled-controllers-and-c-export)).
# - Exact inverse kinematics as C, C++, Rust and Python, and a [package of ROS 2](code_for_other_tools.md#a-package-of-ros-2).
# - Symbolic equations as C, Fortran, Octave or Python: `lw.equations(model)` ([equations](../topics/mechanisms/equations.md)).

# %%
kernel.derivative("q").save("by_q.c")
assert Path("by_q.c").stat().st_size > 0

pid = partial(lw.control.pid, target=np.zeros(6), stiffness=50.0, damping=5.0, integral=3.0, step=1e-3)
controller, state = lw.control.compiled(arm, pid, initial_state=np.zeros(6))
controller.save("pid.c")
tau, state = controller(0.0, arm.random(seed=0), np.zeros(6), state)
assert tau.shape == state.shape == (6,)
