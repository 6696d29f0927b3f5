"""Stand a humanoid on the ground. Written by tools/write_examples.py from docs/how_to/stand_humanoid.md: change that page."""

# %% [markdown]
# # Stand a humanoid on the ground
#
# A humanoid has no motor at its base. The ground carries it through its feet. This page puts the built-in humanoid on the
# ground, holds its posture with servos, and bends its knees.
#
# ## A robot and a ground
#
# The feet of the built-in humanoid are boxes. `with_ground` adds a ground that these boxes touch. For a robot from a file, the
# collision shapes of the file touch the ground ([contact](../topics/motion/contact.md)).

# %%
from functools import partial

import numpy as np
import linkwright as lw

robot = lw.load("humanoid").with_ground(contact=lw.ContactProperties(friction=0.8))
print(robot.nq, robot.nv)                            # 36 and 35

# %% [markdown]
# Most files of humanoids and quadrupeds have no joint between the base and the world, and `lw.load("icub.urdf")` welds the base to
# the world. `lw.load("icub.urdf", root="free")` adds a free joint. `linkwright simulate` says where legs hang from a
# welded base; the option `--root free` does the same.
#
# The first seven numbers of `q` are the position and the orientation (a quaternion) of the base. The first six of `v` are its
# linear and angular velocity. The joints with motors follow.
#
# ## A posture with bent knees
#
# `model.slice(name)` returns the indices of a joint in `q` and `v`. `lw.standing_configuration` moves the base vertically until
# the lowest foot touches the ground.

# %%
posture = robot.neutral()
for side in ("left", "right"):
    for joint, angle in (("hip_pitch", -0.35), ("knee_pitch", 0.7), ("ankle_pitch", -0.35)):
        posture[robot.slice(f"{side}_{joint}").q] = angle
posture = lw.standing_configuration(robot, posture)

center = lw.center_of_mass(robot, posture)
foot = lw.pose(robot, posture, "left_sole")[:3, 3]
print(center[0] - foot[0])                           # the center of mass is slightly in front of the ankles

# %% [markdown]
# A robot stands only if its center of mass is above its feet.
#
# ## Servos
#
# A *servo* is a motor with its own position controller, a spring and a damper: it moves to the commanded angle. The controller
# below commands an angle for each joint. The six zeros belong to the base, which has no motor.

# %%
def stay(model, t, q, v, target):
    return np.concatenate([np.zeros(6), target])


servos = lw.Servos(stiffness=2000.0, damping=200.0)  # N m/rad and N m s/rad
at_rest = np.zeros(robot.nv)
motion = lw.simulate(
    robot,
    posture,
    at_rest,
    1.0,
    step=2e-3,
    controller=partial(stay, target=posture[7:]),
    actuation=lw.Actuation(servos=servos),
)
print(motion.q[-1, 2] - posture[2])                  # a few millimeters
assert abs(motion.q[-1, 2] - posture[2]) < 0.02

# %% [markdown]
# ## Contact forces

# %%
weight = lw.total_mass(robot) * 9.81
pressed = motion.contacts.forces[-1].sum(axis=0)     # sum over all contact points
print(pressed.round(1), round(weight, 1))            # the vertical force equals the weight
assert abs(pressed[2] - weight) < 0.02 * weight

# %% [markdown]
# ## Bend the knees
#
# The target may depend on the time `t`:

# %%
deeper = np.zeros(robot.nv)
for side in ("left", "right"):
    for joint, angle in (("hip_pitch", -0.4), ("knee_pitch", 0.8), ("ankle_pitch", -0.4)):
        deeper[robot.slice(f"{side}_{joint}").v] = angle


def bend(model, t, q, v, target, deeper):
    fraction = 0.5 * (1.0 - np.cos(np.pi * t))        # from 0 to 1 and back, in two seconds
    return np.concatenate([np.zeros(6), target + fraction * deeper])


bending = partial(bend, target=posture[7:], deeper=deeper[6:])
knees = lw.simulate(
    robot, posture, at_rest, 2.0, step=2e-3, controller=bending, actuation=lw.Actuation(servos=servos)
)
print(np.ptp(knees.q[:, 2]))                         # the pelvis moves down by 0.19 m, and up again
assert np.ptp(knees.q[:, 2]) > 0.15
assert abs(knees.q[-1, 2] - posture[2]) < 0.05

lw.draw(robot, knees.q[[0, 500]], view="3d").savefig("how_to_stand.png", dpi=90)

# %% [markdown]
# ![The humanoid, upright and with bent knees.](../pictures/how_to_stand.png)
#
# From the command line: `linkwright simulate humanoid`.
#
# These servos hold a posture, but do not balance: after a strong push the robot falls. For controllers that reject pushes, hop
# and walk, see [balance](balance.md). For a controller that computes efforts and contact forces at every step, see
# [whole-body control](../topics/control/whole_body.md).
