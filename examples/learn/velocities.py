"""Velocities: how fast is the hand?. Written by tools/write_examples.py from docs/learn/velocities.md: change that page."""

# %% [markdown]
# # Velocities: how fast is the hand?
#
# Move one joint alone, at 1 rad/s. The hand then has some velocity. Do this for every joint, and write these velocities side
# by side: this is the *Jacobian* J. When all joints move at a time, their parts add up:
#
# $$\dot p = J\,v$$

# %%
import matplotlib.pyplot as plt
import numpy as np
import linkwright as lw

arm = lw.load("two_link")
q = np.radians([30.0, 70.0])
J = lw.jacobian(arm, q, "tip")[:2]                  # the rows of x and y; the other rows are z and the turning
v = np.array([0.5, -0.8])                           # rad/s
assert np.allclose(J @ v, lw.velocity(arm, q, v, "tip")[:2])

figure = lw.draw(arm, q)
axes = figure.axes[0]
tip = lw.pose(arm, q, "tip")[:2, 3]
for k, color in enumerate(("tab:red", "tab:purple")):
    axes.quiver(*tip, *J[:, k], color=color, angles="xy", scale_units="xy", scale=2.0, label=f"joint {k + 1} alone")
axes.set(xlim=(-0.6, 1.5), ylim=(-0.2, 2.1))
axes.legend(loc="lower right")
figure.savefig("learn_velocities.png", dpi=100)

# %% [markdown]
# ![The hand's velocity when the first joint moves alone, and when the second one does.](../pictures/learn_velocities.png)
#
# Each arrow is perpendicular to the line from its joint to the hand, because a joint that turns moves the hand on a circle.
#
# ## The way back, and singular configurations
#
# Which joint velocities give the hand a velocity that you want? Solve J v = ṗ:

# %%
wanted = np.array([0.2, 0.0])                       # 0.2 m/s along x
v = np.linalg.solve(J, wanted)
assert np.allclose(lw.velocity(arm, q, v, "tip")[:2], wanted)

# %% [markdown]
# This fails where both arrows have the same direction. Then the hand can move in that direction only, whatever the joints
# do. Such a configuration is called *singular* (a singularity). For this arm the determinant of J is l₁ l₂ sin θ₂. It is zero where the arm
# is stretched out (θ₂ = 0) or folded (θ₂ = π):

# %%
for elbow in (90.0, 10.0, 1.0, 0.0):
    bent = np.radians([30.0, elbow])
    J = lw.jacobian(arm, bent, "tip")[:2]
    assert np.isclose(np.linalg.det(J), np.sin(bent[1]))
    if elbow:
        fastest = np.abs(np.linalg.solve(J, -0.2 * np.array([np.cos(bent[0]), np.sin(bent[0])]))).max()
        print(f"elbow at {elbow:3.0f}°: to draw the hand in at 0.2 m/s takes {fastest:5.1f} rad/s")

# %% [markdown]
# Near a singular configuration small velocities of the hand need very large ones of the joints. Away from it the hand
# moves with ease.
#
# Next: how a hand is turned, and [why its angular velocity cannot be integrated](orientation.md).
