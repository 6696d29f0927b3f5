"""Simulation: from accelerations to a motion. Written by tools/write_examples.py from docs/learn/simulation.md: change that page."""

# %% [markdown]
# # Simulation: from accelerations to a motion
#
# Forward dynamics tells the acceleration at one moment. A motion follows from it in small steps (numerical integration):
# the acceleration changes the velocity, and the velocity changes the configuration.
#
# The simplest way is Euler's. A step of h seconds takes the velocity and the acceleration of its beginning:

# %%
import matplotlib.pyplot as plt
import numpy as np
import linkwright as lw

arm = lw.load("two_link")
start = np.radians([30.0, 30.0])


def by_hand(step, duration=3.0):
    """Euler's method: times and energies."""
    q, v, energies = start, np.zeros(2), []
    for _ in range(round(duration / step)):
        energies.append(lw.kinetic_energy(arm, q, v) + lw.potential_energy(arm, q))
        a = lw.forward_dynamics(arm, q, v, np.zeros(2))
        q, v = lw.integrate(arm, q, step * v), v + step * a
    return step * np.arange(len(energies)), np.array(energies)

# %% [markdown]
# Nothing drives or brakes this arm, so its energy must stay the same. With Euler's method it grows, because each step goes
# a little too far along the tangent. Smaller steps help, but slowly: half the step, half the error.
#
# `lw.simulate` uses better methods. Without being told it takes the one of Runge and Kutta of order four: half the step, a
# sixteenth of the error.

# %%
figure, axes = plt.subplots(figsize=(7, 3.5))
for step in (0.01, 0.005, 0.001):
    t, energy = by_hand(step)
    axes.plot(t, energy - energy[0], label=f"Euler, steps of {1000 * step:g} ms")
fall = lw.simulate(arm, start, [0.0, 0.0], 3.0, step=0.01)
axes.plot(fall.t, fall.energy - fall.energy[0], "k", label="lw.simulate, steps of 10 ms")
axes.set(xlabel="time (s)", ylabel="energy that came from nowhere (J)")
axes.legend()
figure.tight_layout()
figure.savefig("learn_simulation.png", dpi=100)
assert abs(fall.energy[-1] - fall.energy[0]) < 0.1

# %% [markdown]
# ![Euler's method adds energy; the method of order four does not visibly.](../pictures/learn_simulation.png)
#
# So energy is a good witness: look at it first. `fall.drift` is the largest change of it that nothing explains.
#
# ## What a motion has

# %%
print(fall.t.shape, fall.q.shape, fall.v.shape)     # times, configurations, velocities
print(fall.drift)                                   # J
fall.plot("fall.png")                               # everything over time
fall.save("fall.csv")                               # a table
fall.animate("fall.gif")                            # the motion in real time

# %% [markdown]
# ## What cannot be foretold
#
# This arm is chaotic: start it 0.00001 rad (0.0006°) differently, and after some seconds it moves in another way
# altogether. No method helps against that. So compare motions of such mechanisms over a short time only.

# %%
near = lw.simulate(arm, start + 1e-5, [0.0, 0.0], 10.0)
same = lw.simulate(arm, start, [0.0, 0.0], 10.0)
apart = np.abs(near.q - same.q).max(axis=1)
print(apart[[1000, 5000, 10000]])                   # rad, after 1 s, 5 s and 10 s
assert apart[1000] < 1e-3
assert apart.max() > 10 * apart[1000]

# %% [markdown]
# All methods, and what acts from outside: [simulation](../topics/motion/simulation.md), [contact](../topics/motion/contact.md).
# Next: from a place of the hand [back to the joints](inverse_kinematics.md).
