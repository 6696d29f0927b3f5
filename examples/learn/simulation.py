"""Simulation: from accelerations to a motion. Written by tools/write_examples.py from docs/learn/simulation.md: change that page."""

# %% [markdown]
# # Simulation: from accelerations to a motion
#
# Forward dynamics computes the acceleration at one time. Numerical integration computes the motion in small steps: the
# acceleration changes the velocity, and the velocity changes the configuration.
#
# The simplest method is Euler's. A step of h seconds uses the velocity and the acceleration at its beginning:

# %%
import matplotlib.pyplot as plt
import numpy as np
import linkwright as lw

arm = lw.load("two_link")
start = np.radians([30.0, 30.0])


def by_hand(step, duration=3.0):
    """Integrate with Euler's method; return times and energies."""
    q, v, energies = start, np.zeros(2), []
    for _ in range(round(duration / step)):
        energies.append(lw.kinetic_energy(arm, q, v) + lw.potential_energy(arm, q))
        a = lw.forward_dynamics(arm, q, v, np.zeros(2))
        q, v = lw.integrate(arm, q, step * v), v + step * a
    return step * np.arange(len(energies)), np.array(energies)

# %% [markdown]
# No motor drives this arm and no friction brakes it, so its energy is constant. With Euler's method the energy grows, because
# each step goes too far along the tangent. Smaller steps help slowly: half the step, half the error.
#
# `lw.simulate` uses better methods. By default it uses the fourth-order Runge–Kutta method: half the step, a sixteenth of the
# error.

# %%
figure, axes = plt.subplots(figsize=(7, 3.5))
for step in (0.01, 0.005, 0.001):
    t, energy = by_hand(step)
    axes.plot(t, energy - energy[0], label=f"Euler, steps of {1000 * step:g} ms")
fall = lw.simulate(arm, start, [0.0, 0.0], 3.0, step=0.01)
axes.plot(fall.t, fall.energy - fall.energy[0], "k", label="lw.simulate, steps of 10 ms")
axes.set(xlabel="time (s)", ylabel="energy error (J)")
axes.legend()
figure.tight_layout()
figure.savefig("learn_simulation.png", dpi=100)
assert abs(fall.energy[-1] - fall.energy[0]) < 0.1

# %% [markdown]
# ![Euler's method adds energy; the fourth-order method does not visibly.](../pictures/learn_simulation.png)
#
# So check the energy first. `fall.drift` is the largest energy error.
#
# ## The result of a simulation

# %%
print(fall.t.shape, fall.q.shape, fall.v.shape)     # times, configurations, velocities
print(fall.drift)                                   # J
fall.plot("fall.png")                               # all quantities over time
fall.save("fall.csv")                               # a table
fall.animate("fall.gif")                            # the motion in real time

# %% [markdown]
# ## Chaos: small differences grow
#
# This arm is chaotic: change the initial angles by 0.00001 rad (0.0006°), and after some seconds the motion is completely
# different. No integration method can prevent this. Compare motions of such mechanisms over a short time only.

# %%
near = lw.simulate(arm, start + 1e-5, [0.0, 0.0], 10.0)
same = lw.simulate(arm, start, [0.0, 0.0], 10.0)
apart = np.abs(near.q - same.q).max(axis=1)
print(apart[[1000, 5000, 10000]])                   # rad, after 1 s, 5 s and 10 s
assert apart[1000] < 1e-3
assert apart.max() > 10 * apart[1000]

# %% [markdown]
# For all methods and external forces, see [simulation](../topics/motion/simulation.md) and
# [contact](../topics/motion/contact.md). Next: [inverse kinematics](inverse_kinematics.md).
