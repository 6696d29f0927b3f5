"""Simulate a biped with parallel ankles in batches. Written by tools/write_examples.py from docs/how_to/parallel_ankles.md: change that page."""

# %% [markdown]
# # Simulate a biped with parallel ankles in batches
#
# Many legged robots move the ankle with two motors at the shank and two rods (a parallel mechanism). This page builds such a biped,
# with closed loops *and* ground contact, and simulates a batch of pushed robots in one call.
#
# ![The biped; two rods connect the cranks at each shank to the foot.](../pictures/how_to_parallel_ankles.png)
#
# ## Model
#
# The ankle is a passive universal joint. Two motors at the shank drive cranks. A rod from each crank to the heel is a loop of type
# `"distance"`: one constraint without an additional body.

# %%
from functools import partial

import numpy as np
import linkwright as lw

biped = lw.Builder("biped").body("trunk", 10.0, (0, 0, 0.15), 0.2).joint("root", "free", "world", "trunk")
for side, y in (("left", 0.1), ("right", -0.1)):
    hip, knee, ankle = f"{side}_hip", f"{side}_knee", f"{side}_ankle"
    thigh, shank, foot = f"{side}_thigh", f"{side}_shank", f"{side}_foot"
    biped.body(thigh, 2.5, (0, 0, -0.2), 0.04).joint(hip, "revolute", "trunk", thigh, axis=(0, 1, 0), xyz=(0, y, 0))
    biped.body(shank, 2.0, (0, 0, -0.2), 0.03).joint(knee, "revolute", thigh, shank, axis=(0, 1, 0), xyz=(0, 0, -0.4))
    biped.body(foot, 0.8, (0.03, 0, -0.05), 0.004).joint(ankle, "universal", shank, foot, xyz=(0, 0, -0.4))
    biped.shape(foot, "box", size=(0.22, 0.1, 0.02), xyz=(0.03, 0, -0.06))
    for name, offset in (("inner", 0.04), ("outer", -0.04)):
        crank, pin, heel = f"{side}_{name}_crank", f"{side}_{name}_pin", f"{side}_{name}_heel"
        biped.body(crank, 0.1, (-0.03, 0, 0), 1e-3)
        biped.joint(crank, "revolute", shank, crank, axis=(0, 1, 0), xyz=(0, offset, -0.1), armature=0.01)
        biped.frame(pin, crank, xyz=(-0.06, 0, 0)).frame(heel, foot, xyz=(-0.06, offset, 0))
        biped.loop(f"{side}_{name}_rod", ("distance", 0.3), pin, heel)
robot = biped.build().with_ground(contact=lw.ContactProperties(friction=0.8))

# %% [markdown]
# ## Closed standing posture
#
# `lw.close_loops` computes the crank angles for given hips, knees and ankles. `lw.standing_configuration` puts the feet on the ground.

# %%
posture = robot.neutral()
for side in ("left", "right"):
    posture[robot.slice(f"{side}_hip").q], posture[robot.slice(f"{side}_knee").q] = -0.3, 0.6
    posture[robot.slice(f"{side}_ankle").q] = [0.0, -0.3]  # roll, pitch
serial = [joint.name for joint in robot.joints if "crank" not in joint.name]
posture = lw.standing_configuration(robot, lw.close_loops(robot, posture, fixed=serial))
print(lw.mobility(robot, posture))  # 14 degrees of freedom: 6 of the base, 8 motors

# %% [markdown]
# ## Controller of the motors
#
# Hips, knees and cranks have motors. The ankles are passive, so their gains are zero: the efforts of the cranks reach the foot through
# the rods.

# %%
stiffness, damping = np.zeros(robot.nv), np.zeros(robot.nv)
for side in ("left", "right"):
    for name in ("hip", "knee", "inner_crank", "outer_crank"):
        motor = robot.slice(f"{side}_{name}").v
        stiffness[motor], damping[motor] = (200.0, 4.0) if "crank" in name else (1000.0, 30.0)


def hold(model, t, q, v, *, target):
    return stiffness * lw.difference(model, q, target) - damping * v

# %% [markdown]
# ## Push 64 robots
#
# Each robot starts with another forward velocity of its base. `lw.impulse` makes the velocities consistent with the loops.

# %%
pushes = np.zeros((64, robot.nv))
pushes[:, 0] = np.linspace(-0.6, 0.6, 64)  # m/s
v0 = lw.impulse(robot, posture, pushes)[0]
found = lw.rollout(robot, posture, v0, 1500, controller=partial(hold, target=posture))

standing = found.q[-1, :, 2] > 0.6
print(pushes[standing, 0].min(), pushes[standing, 0].max())  # standing robots: about -0.5 to 0.5 m/s
assert 0.7 < standing.mean() < 0.95
assert np.abs(lw.constraint_residual(robot, found.q[-1])).max() < 1e-12  # the loops are closed, also after a fall

lw.draw(robot, posture, view="3d", shapes="touching").savefig("how_to_parallel_ankles.png", dpi=90)

# %% [markdown]
# The first call compiles for about 15 s. A second call computes about 60 000 steps per second on two cores.
#
# ## Options
#
# | task | see |
# |---|---|
# | model a rod as a body with ball joints | loop types of [closed loops](../topics/mechanisms/loops.md) |
# | efforts of the motors for a given acceleration | `lw.inverse_dynamics(…, actuated=[names])` |
# | other masses, friction and delays per robot | [domain randomization](domain_randomization.md) |
# | gradients of such motions | [differentiate through contact](contact_gradients.md) |
# | a robot file | MJCF's `connect` and `weld` equalities become loops; for URDF add `model.with_loop(…)` |
#
# Limit: a `"distance"` loop has no mass, and cannot have a length of zero.
