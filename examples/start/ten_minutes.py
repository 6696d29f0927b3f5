"""Ten minutes: from a file to a moving robot. Written by tools/write_examples.py from docs/start/ten_minutes.md: change that page."""

# %% [markdown]
# # Ten minutes: from a file to a moving robot
#
# On this page you load a robot from a file, ask where its hand is, let it fall, hold it, and reach for a point. Every block
# of code continues the one before it. You can copy them one after the other into Python.
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
# The third line is typed in the folder of this library. The last line tells what is installed, what is missing, and
# whether everything works.
#
# Some tasks need further packages, which are grouped into *extras*. For example, `pip install "linkwright[studio]"` adds what
# the studio needs. Install the library itself first, as above: an extra is added to a library that is there.
#
# ## A first motion, without any Python
#
# ```sh
# linkwright simulate two_link --time 5
# ```
#
# This drops an arm of two links and writes what happened into the folder `linkwright_two_link`: an animation
# (`animation.gif`), plots, and tables of numbers.
#
# ## A file
#
# Most robots are described in a file of the format URDF: a list of links, and a list of joints that connect them. Here is
# one of two links. The block writes it into the file `arm.urdf`; a file of your own robot works in the same way.

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
# `arm` is a *model*: it knows the links, the joints, the masses and the limits. It never changes. The printed tree shows
# what belongs to what. Robots that are built in are loaded by their names: `lw.load("arm7")`, `lw.load("humanoid")`.
#
# ## Where is the hand?
#
# A *configuration* is the list of all joint coordinates. It is always called `q`. Angles are in radians.

# %%
q = np.radians([30.0, 60.0])        # the shoulder at 30°, the elbow at 60°
T = lw.pose(arm, q, "hand")
print(T[:3, 3].round(3))            # where the hand is, in meters: [0.433 0. 0.65]
print(T[:3, :3].round(3))           # how it is turned: its axes x, y, z as columns
assert np.allclose(T[:3, 3], [0.5 * np.cos(np.pi / 6), 0.0, 0.5 * np.sin(np.pi / 6) + 0.4])

# %% [markdown]
# Many configurations at a time are the rows of one array. This is quick: the function is compiled for this arm when it is
# first called.

# %%
many = arm.random(1000, seed=0)                  # 1000 configurations within the limits
places = lw.pose(arm, many, "hand")[:, :3, 3]    # 1000 places
print(np.linalg.norm(places, axis=1).max())      # the farthest place: nearly 0.9 m

# %% [markdown]
# See it:

# %%
lw.draw(arm, q).savefig("start_posture.png", dpi=100)

# %% [markdown]
# ![The arm at 30° and 60°.](../pictures/start_posture.png)
#
# ## Let it fall
#
# `v` is the list of the joints' velocities. Here both are zero at the start.

# %%
fall = lw.simulate(arm, q, [0.0, 0.0], duration=3.0)
print(fall.t.shape, fall.q.shape)                # 3001 times, 3001 configurations
fall.plot("fall.png")                            # angles, velocities and energies over time
fall.animate("fall.gif")                         # the motion, in real time

# %% [markdown]
# ## Hold it
#
# An *effort* is what a joint's motor gives: a torque (N m) where the joint turns, a force (N) where it slides. The efforts
# that carry the arm's own weight are those of gravity:

# %%
print(lw.gravity_forces(arm, q).round(6))        # N m, of shoulder and elbow: the lower link stands upright, and asks nothing

# %% [markdown]
# A *law* is a function that says what the motors do. This one carries the weight, pulls each joint towards a target as a
# spring does, and brakes it as a damper does:

# %%
def law(model, t, q, v):
    target = np.radians([30.0, 60.0])
    return lw.gravity_forces(model, q) + 80.0 * (target - q) - 15.0 * v


held = lw.simulate(arm, [0.0, 0.0], [0.0, 0.0], duration=3.0, controller=law)
print(np.degrees(held.q[-1]).round(2))           # [30. 60.], very nearly
assert np.abs(np.degrees(held.q[-1]) - [30.0, 60.0]).max() < 0.5

# %% [markdown]
# ## Reach for a point
#
# Now the other way round: you know where the hand should be, and ask for the joints. This is called inverse kinematics.

# %%
target = [0.4, 0.0, 0.5]                         # x, y, z in meters
reached = lw.inverse_kinematics(arm, {"hand": target})
print(reached.converged)                         # True: it is reached
print(np.degrees(reached.q))                     # the angles that bring the hand there
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
# ## Go on
#
# - To understand what happened here: [Learn](../learn/index.md), from positions to control, one idea on each page.
# - To do one thing: [How to](../how_to/index.md).
# - To know what a word means: [Words](words.md).
# - To see published systems run again: [Gallery](../gallery/index.md).
# - To look something up: [Conventions](../reference/conventions.md) and [the library](../reference/api/index.rst).
