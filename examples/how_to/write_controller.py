"""How to write a controller. Written by tools/write_examples.py from docs/how_to/write_controller.md: change that page."""

# %% [markdown]
# # How to write a controller
#
# A controller decides, at every moment, what the motors do. You write it as a function. It is called a *law* (control law) here:

# %%
from functools import partial

import matplotlib.pyplot as plt
import numpy as np
import linkwright as lw

arm = lw.load("arm7")
K = np.array([200.0, 200.0, 150.0, 100.0, 20.0, 20.0, 2.0])     # springs, N m/rad: light links take small ones
D = np.array([40.0, 40.0, 30.0, 15.0, 3.0, 3.0, 0.3])           # dampers, N m s/rad


def law(model, t, q, v, target):
    """Springs and dampers that lead to the target, and the weight carried."""
    return K * (target - q) - D * v + lw.gravity_forces(model, q)

# %% [markdown]
# `t` is the time, `q` the configuration, `v` the velocities. The law returns one effort for each velocity. What it needs
# beside, here `target`, is given by `functools.partial`:

# %%
target = np.array([0.3, 0.6, -0.2, -1.2, 0.4, 0.8, 0.1])
motion = lw.simulate(arm, np.zeros(7), np.zeros(7), 4.0, controller=partial(law, target=target))
print(np.abs(motion.q[-1] - target).max())
assert np.abs(motion.q[-1] - target).max() < 0.02

figure, axes = plt.subplots(figsize=(7, 3.5))
axes.plot(motion.t, np.degrees(target - motion.q), label=[joint.name for joint in arm.joints])
axes.set(xlabel="t (s)", ylabel="angle that is missing (°)")
axes.legend()
figure.tight_layout()
figure.savefig("how_to_write_controller.png", dpi=100)

# %% [markdown]
# ![All seven joints come to their targets within two seconds.](../pictures/how_to_write_controller.png)
#
# The law is translated into machine code together with the simulation. That makes it quick, and it asks for two rules:
#
# 1. **No `if` on values.** Write `lw.where(condition, a, b)`: it takes `a` where the condition holds, else `b`.
# 2. **Use NumPy and the functions of `lw`** on `t`, `q` and `v`. Nothing is printed and nothing random happens inside.

# %%
def careful(model, t, q, v, target):
    """As above, but it pulls only half as hard in the first second."""
    strength = lw.where(t < 1.0, 0.5, 1.0)
    return strength * K * (target - q) - D * v + lw.gravity_forces(model, q)


slow = lw.simulate(arm, np.zeros(7), np.zeros(7), 4.0, controller=partial(careful, target=target))

# %% [markdown]
# ## A memory
#
# A law that must remember something (an integral, a filter) takes its memory as the last argument, and returns its new
# value beside the efforts. `initial_state` is the value at the start. `motion.state` has all values.

# %%
h = 1e-3                                              # s, the step of the simulation


def with_integral(model, t, q, v, z, target):
    error = target - q
    return K * error - D * v + z, z + h * 0.5 * K * error


told = partial(with_integral, target=target)
integral = lw.simulate(
    arm,
    np.zeros(7),
    np.zeros(7),
    10.0,
    controller=told,
    step=h,
    actuation=lw.Actuation(initial_state=np.zeros(7)),
)
print(np.abs(integral.q[-1] - target).max())          # no gravity in this law: the integral found it
assert np.abs(integral.q[-1] - target).max() < 0.05

# %% [markdown]
# ## As on a real robot
#
# A real computer is asked every few milliseconds, the motors have limits, and sensors have noise. Tell the simulation so:

# %%
real = lw.simulate(
    arm,
    np.zeros(7),
    np.zeros(7),
    4.0,
    controller=partial(law, target=target),
    actuation=lw.Actuation(
        period=2e-3, delay=1e-3, effort_limits=True, noise={"q": 1e-4, "v": 1e-3}
    ),
)
print(np.abs(real.q[-1] - target).max())
assert np.abs(real.q[-1] - target).max() < 0.05

# %% [markdown]
# ## Any Python at all
#
# A function that cannot be compiled (it calls another program, or reads a file) is a `callback` of `t`, `q` and `v`. Python is
# then called at every step, which is slower:

# %%
seen = []


def callback(t, q, v):
    seen.append(t)
    return lw.gravity_forces(arm, q) + K * (target - q) - D * v


lw.simulate(arm, np.zeros(7), np.zeros(7), 0.2, callback=callback)
print(len(seen))                                      # it was called about 200 times

# %% [markdown]
# The laws of textbooks are there already, as `lw.control.pd`, `computed_torque`, `impedance` and more: see
# [laws](../topics/control/controllers.md). To simulate a controller with wrong masses: [wrong model](wrong_model.md). How to put a law on the robot: [export C](export_c.md).
