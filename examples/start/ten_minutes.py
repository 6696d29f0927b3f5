"""Ten minutes: from a file to a moving robot. Written by tools/write_examples.py from docs/start/ten_minutes.md: change that page."""

# %% [markdown]
# # Ten minutes: from a file to a moving robot
#
# On this page you load a robot from a file, compute the position of its hand, simulate a fall, hold a posture, and reach for a
# point. Every block of code continues the previous block.
#
# ## Install
#
# You need Python 3.11 or newer.
#
# ```sh
# python3 -m venv .venv
# . .venv/bin/activate
# pip install .
# linkwright doctor
# ```
#
# Run the third command in the root folder of the repository. The last command checks your installation.
#
# Some tasks need optional packages, which are grouped into *extras*. For example, `pip install "linkwright[studio]"` adds the
# packages of the studio. Install the library first, as above; extras add to it.
#
# ## A first simulation from the command line
#
# ```sh
# linkwright simulate two_link --time 5
# ```
#
# This simulates the fall of an arm of two links and writes the results into the folder `linkwright_two_link`: an animation
# (`animation.gif`), plots, and tables.
#
# ## A robot file
#
# Most robots are described by a URDF file: a list of links, and a list of joints that connect them. This block writes the file
# `arm.urdf` of an arm with two links; a file of your own robot works in the same way.

# %%
from pathlib import Path

Path("arm.urdf").write_text("""
<robot name="arm">
  <link name="base"/>
  <link name="upper">
    <inertial>
      <origin xyz="0.25 0 0"/> <mass value="2.0"/>
      <inertia ixx="0.002" iyy="0.04" izz="0.04" ixy="0" ixz="0" iyz="0"/>
    </inertial>
  </link>
  <link name="lower">
    <inertial>
      <origin xyz="0.2 0 0"/> <mass value="1.0"/>
      <inertia ixx="0.001" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"/>
    </inertial>
  </link>
  <link name="hand"/>
  <joint name="shoulder" type="revolute">
    <parent link="base"/> <child link="upper"/> <axis xyz="0 -1 0"/>
    <limit lower="-3" upper="3" effort="60" velocity="5"/> <dynamics damping="0.2"/>
  </joint>
  <joint name="elbow" type="revolute">
    <parent link="upper"/> <child link="lower"/> <origin xyz="0.5 0 0"/> <axis xyz="0 -1 0"/>
    <limit lower="-2.6" upper="2.6" effort="30" velocity="5"/> <dynamics damping="0.2"/>
  </joint>
  <joint name="wrist" type="fixed">
    <parent link="lower"/> <child link="hand"/> <origin xyz="0.4 0 0"/>
  </joint>
</robot>
""")

# %% [markdown]
# ## Load it

# %%
import numpy as np
import linkwright as lw

arm = lw.load("arm.urdf")
print(arm)

# %% [markdown]
# `arm` is a *model*: it holds the links, the joints, the masses and the limits, and is immutable. The printed tree shows the
# parent of each link. Built-in robots are loaded by name: `lw.load("arm7")`, `lw.load("humanoid")`.
#
# ## Position of the hand
#
# A *configuration* is the array of all joint coordinates. It is always called `q`. Angles are in radians.

# %%
q = np.radians([30.0, 60.0])        # the shoulder at 30°, the elbow at 60°
T = lw.pose(arm, q, "hand")
print(T[:3, 3].round(3))            # position of the hand in meters: [0.433 0. 0.65]
print(T[:3, :3].round(3))           # orientation: the axes x, y, z as columns
assert np.allclose(T[:3, 3], [0.5 * np.cos(np.pi / 6), 0.0, 0.5 * np.sin(np.pi / 6) + 0.4])

# %% [markdown]
# A batch of configurations is an array with one configuration per row. It is fast: the function is compiled for this arm at
# the first call.

# %%
many = arm.random(1000, seed=0)                  # 1000 configurations within the limits
positions = lw.pose(arm, many, "hand")[:, :3, 3] # 1000 positions
print(np.linalg.norm(positions, axis=1).max())   # the farthest position: nearly 0.9 m

# %% [markdown]
# Draw the arm:

# %%
lw.draw(arm, q).savefig("start_posture.png", dpi=100)

# %% [markdown]
# ![The arm at 30° and 60°.](../pictures/start_posture.png)
#
# ## Simulate a fall
#
# `v` is the array of the joint velocities. Here both are zero at the start.

# %%
fall = lw.simulate(arm, q, [0.0, 0.0], duration=3.0)
print(fall.t.shape, fall.q.shape)                # 3001 times, 3001 configurations
fall.plot("fall.png")                            # angles, velocities and energies over time
fall.animate("fall.gif")                         # the motion, in real time

# %% [markdown]
# ## Hold a posture
#
# An *effort* is a joint torque (N m) or force (N). These efforts balance gravity:

# %%
print(lw.gravity_forces(arm, q).round(6))        # N m; zero at the elbow, since the lower link is vertical

# %% [markdown]
# A *controller* is a function that computes the efforts. This controller compensates gravity, and adds a spring and a damper at
# each joint:

# %%
def controller(model, t, q, v):
    target = np.radians([30.0, 60.0])
    return lw.gravity_forces(model, q) + 80.0 * (target - q) - 15.0 * v


held = lw.simulate(arm, [0.0, 0.0], [0.0, 0.0], duration=3.0, controller=controller)
print(np.degrees(held.q[-1]).round(2))           # about [30. 60.]
assert np.abs(np.degrees(held.q[-1]) - [30.0, 60.0]).max() < 0.5

# %% [markdown]
# ## Reach for a point
#
# The inverse problem: find joint angles for a desired position of the hand. This is called inverse kinematics.

# %%
target = [0.4, 0.0, 0.5]                         # x, y, z in meters
reached = lw.inverse_kinematics(arm, {"hand": target})
print(reached.converged)                         # True
print(np.degrees(reached.q))                     # joint angles in degrees
assert np.allclose(lw.pose(arm, reached.q, "hand")[:3, 3], target, atol=1e-5)

too_far = lw.inverse_kinematics(arm, {"hand": [2.0, 0.0, 0.0]})
print(too_far.converged, too_far.reason)         # False, out of reach

# %% [markdown]
# ## Drag it with the mouse
#
# ```sh
# pip install "linkwright[studio]"
# linkwright studio arm.urdf
# ```
#
# This shows the arm in the browser. Sliders move its joints, and you can drag its hand.
#
# ## Next steps
#
# - The mechanics, from positions to control: [Learn](../learn/index.md).
# - One task on each page: [How to](../how_to/index.md).
# - Terms: [Glossary](glossary.md).
# - Published systems: [Gallery](../gallery/index.md).
# - Reference: [Conventions](../reference/conventions.md) and [the library](../reference/api/index.rst).
