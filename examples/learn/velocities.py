"""Velocities: the Jacobian. Written by tools/write_examples.py from docs/learn/velocities.md: change that page."""

# %% [markdown]
# # Velocities: the Jacobian
#
# Move one joint alone at 1 rad/s and record the velocity of the hand. Do this for every joint, and write these velocities
# side by side: the result is the *Jacobian* J. When all joints move together, their contributions add:
#
# $$\dot p = J\,v$$
#
# ![An arm with the columns of its Jacobian as arrows at the hand](../pictures/learn_velocities.png)

# %%
import numpy as np
import linkwright as lw

arm = lw.load("two_link")
q = np.radians([30.0, 70.0])
J = lw.jacobian(arm, q, "tip")[:2]                  # rows x and y; the other rows are z and the angular velocity
v = np.array([0.5, -0.8])                           # rad/s
assert np.allclose(J @ v, lw.velocity(arm, q, v, "tip")[:2])

# %% [markdown]
# Column J₁ of J is the velocity of the hand when joint 1 moves alone at 1 rad/s, and J₂ that of joint 2. Each arrow is perpendicular to the line from its joint to the hand, because a revolute joint moves the hand on a circle.
#
# ## Inverse velocities and singular configurations
#
# To find the joint velocities for a desired velocity of the hand, solve J v = ṗ:

# %%
desired = np.array([0.2, 0.0])                      # 0.2 m/s along x
v = np.linalg.solve(J, desired)
assert np.allclose(lw.velocity(arm, q, v, "tip")[:2], desired)

# %% [markdown]
# This fails where both arrows are parallel: the hand can then move in that direction only. Such a configuration is called
# *singular*. For this arm the determinant of J is l₁ l₂ sin θ₂. It is zero where the arm is stretched (θ₂ = 0) or folded
# (θ₂ = π):

# %%
for elbow in (90.0, 10.0, 1.0, 0.0):
    bent = np.radians([30.0, elbow])
    J = lw.jacobian(arm, bent, "tip")[:2]
    assert np.isclose(np.linalg.det(J), np.sin(bent[1]))
    if elbow:
        fastest = np.abs(np.linalg.solve(J, -0.2 * np.array([np.cos(bent[0]), np.sin(bent[0])]))).max()
        print(f"elbow at {elbow:3.0f}°: a hand velocity of 0.2 m/s inwards needs {fastest:5.1f} rad/s")

# %% [markdown]
# Near a singular configuration, small velocities of the hand need very large joint velocities.
#
# Next: orientation, and [why ω cannot be integrated](orientation.md).
