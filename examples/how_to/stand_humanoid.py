"""How to stand a humanoid on the ground. Written by tools/write_examples.py from docs/how_to/stand_humanoid.md: change that page."""

# %% [markdown]
# # How to stand a humanoid on the ground
#
# A humanoid has no motor that holds its trunk in the air. What carries it is the ground under its feet. This page puts the
# built-in humanoid on a ground, lets the motors hold its posture, and lets it bend its knees.
#
# ## A robot and a ground
#
# The built-in humanoid has boxes as feet. `with_ground` gives the model a ground that these touch. For a robot from a file,
# the shapes of its file that are meant for collisions touch ([contact](../topics/motion/contact.md)).

# %%
from functools import partial

import numpy as np
import linkwright as lw

robot = lw.load("humanoid").with_ground(friction=0.8)
print(robot.nq, robot.nv)                            # 36 and 35

# %% [markdown]
# The first seven numbers of `q` are the place of the base and its orientation (a quaternion). The first six of `v` are its
# velocity and its turning. After these come the joints with motors.
#
# ## A posture with bent knees
#
# `model.slice(name)` tells where a joint stands in `q` and `v`. `lw.standing_configuration` raises or lowers the robot until its feet just
# touch the ground.

# %%
posture = robot.neutral()
for side in ("left", "right"):
    for joint, angle in (("hip_pitch", -0.35), ("knee_pitch", 0.7), ("ankle_pitch", -0.35)):
        posture[robot.slice(f"{side}_{joint}").q] = angle
posture = lw.standing_configuration(robot, posture)

center = lw.center_of_mass(robot, posture)
foot = lw.pose(robot, posture, "left_sole")[:3, 3]
print(center[0] - foot[0])                           # the center of mass is a little before the ankles

# %% [markdown]
# A robot stands only if its center of mass is above its feet.
#
# ## Motors that hold it
#
# A *servo* is a motor with a spring and a damper of its own: it goes to the angle that it is told. The law below tells each
# joint where to be. The six zeros are for the base, which has no motor.

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
print(motion.q[-1, 2] - posture[2])                  # how far it sinks: some millimeters
assert abs(motion.q[-1, 2] - posture[2]) < 0.02

# %% [markdown]
# ## Does the ground carry it?

# %%
weight = lw.total_mass(robot) * 9.81
pressed = motion.contacts.forces[-1].sum(axis=0)     # the forces at all points of both feet
print(pressed.round(1), round(weight, 1))            # upwards: the weight
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
    how_far = 0.5 * (1.0 - np.cos(np.pi * t))        # from 0 to 1 and back, in two seconds
    return np.concatenate([np.zeros(6), target + how_far * deeper])


told = partial(bend, target=posture[7:], deeper=deeper[6:])
knees = lw.simulate(
    robot, posture, at_rest, 2.0, step=2e-3, controller=told, actuation=lw.Actuation(servos=servos)
)
print(np.ptp(knees.q[:, 2]))                         # the pelvis goes down by 0.19 m, and up again
assert np.ptp(knees.q[:, 2]) > 0.15
assert abs(knees.q[-1, 2] - posture[2]) < 0.05

lw.draw(robot, knees.q[[0, 500]], view="3d", shapes="touching").savefig("how_to_stand.png", dpi=90)

# %% [markdown]
# ![The humanoid, upright and with bent knees.](../pictures/how_to_stand.png)
#
# From the command line: `linkwright simulate humanoid`.
#
# These servos hold a posture. They do not balance: a strong push makes the robot fall as a statue falls. Laws that bear
# pushes, hop and walk are in [balance](balance.md); a law that finds efforts and forces of the feet at every moment is in
# [a whole body](../topics/control/whole_body.md).
