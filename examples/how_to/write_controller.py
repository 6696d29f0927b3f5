"""Write a controller. Written by tools/write_examples.py from docs/how_to/write_controller.md: change that page."""

# %% [markdown]
# # Write a controller
#
# A controller computes the efforts of the motors. It is a function:

# %%
from functools import partial

import matplotlib.pyplot as plt
import numpy as np
import linkwright as lw

arm = lw.load("arm7")
K = np.array([200.0, 200.0, 150.0, 100.0, 20.0, 20.0, 2.0])     # stiffness, N m/rad: small for light links
D = np.array([40.0, 40.0, 30.0, 15.0, 3.0, 3.0, 0.3])           # damping, N m s/rad


def controller(model, t, q, v, target):
    """Return the efforts of springs and dampers, with gravity compensation."""
    return K * (target - q) - D * v + lw.gravity_forces(model, q)

# %% [markdown]
# `t` is the time, `q` the configuration, `v` the velocities. The controller returns an effort for each velocity. Pass extra
# arguments (here `target`) with `functools.partial`:

# %%
target = np.array([0.3, 0.6, -0.2, -1.2, 0.4, 0.8, 0.1])
motion = lw.simulate(arm, np.zeros(7), np.zeros(7), 4.0, controller=partial(controller, target=target))
print(np.abs(motion.q[-1] - target).max())
assert np.abs(motion.q[-1] - target).max() < 0.02

figure, axes = plt.subplots(figsize=(7, 3.5))
axes.plot(motion.t, np.degrees(target - motion.q), label=[joint.name for joint in arm.joints])
axes.set(xlabel="t (s)", ylabel="error (°)")
axes.legend()
figure.tight_layout()
figure.savefig("how_to_write_controller.png", dpi=100)

# %% [markdown]
# ![All seven joints reach their targets within two seconds.](../pictures/how_to_write_controller.png)
#
# The controller is compiled together with the simulation. This makes it fast, and requires two rules:
#
# 1. **No `if` on values.** Write `lw.where(condition, a, b)`: it returns `a` where the condition holds, else `b`.
# 2. **Use NumPy and the functions of `lw`** on `t`, `q` and `v`. No output and no random numbers inside.

# %%
def careful(model, t, q, v, target):
    """Return the same efforts with half the stiffness in the first second."""
    strength = lw.where(t < 1.0, 0.5, 1.0)
    return strength * K * (target - q) - D * v + lw.gravity_forces(model, q)


slow = lw.simulate(arm, np.zeros(7), np.zeros(7), 4.0, controller=partial(careful, target=target))

# %% [markdown]
# ## Controller state
#
# A controller with a state (an integral, a filter) takes the state as its last argument, and returns the efforts and the new
# state. `initial_state` is the initial value. `motion.state` records all values.

# %%
h = 1e-3                                              # s, the step of the simulation


def with_integral(model, t, q, v, z, target):
    error = target - q
    return K * error - D * v + z, z + h * 0.5 * K * error


pid = partial(with_integral, target=target)
integral = lw.simulate(
    arm,
    np.zeros(7),
    np.zeros(7),
    10.0,
    controller=pid,
    step=h,
    actuation=lw.Actuation(initial_state=np.zeros(7)),
)
print(np.abs(integral.q[-1] - target).max())          # the integral compensates gravity
assert np.abs(integral.q[-1] - target).max() < 0.05

# %% [markdown]
# ## Control period, limits and noise
#
# A real controller runs every few milliseconds, motors have effort limits, and sensors have noise. `lw.Actuation` models these
# effects:

# %%
real = lw.simulate(
    arm,
    np.zeros(7),
    np.zeros(7),
    4.0,
    controller=partial(controller, target=target),
    actuation=lw.Actuation(
        period=2e-3, delay=1e-3, effort_limits=True, noise={"q": 1e-4, "v": 1e-3}
    ),
)
print(np.abs(real.q[-1] - target).max())
assert np.abs(real.q[-1] - target).max() < 0.05

# %% [markdown]
# ## Python callbacks
#
# A function that cannot be compiled (because it calls another program, or reads a file) is a `callback` of `t`, `q` and `v`.
# Python is then called at every step, which is slower:

# %%
times = []


def callback(t, q, v):
    times.append(t)
    return lw.gravity_forces(arm, q) + K * (target - q) - D * v


lw.simulate(arm, np.zeros(7), np.zeros(7), 0.2, callback=callback)
print(len(times))                                     # about 200 calls

# %% [markdown]
# For textbook controllers (`lw.control.pd`, `computed_torque`, `impedance` and more), see
# [controllers](../topics/control/controllers.md). To simulate a controller with inaccurate masses, see
# [simulate a wrong model](wrong_model.md). To run a controller on a robot, see [export C](export_c.md).
