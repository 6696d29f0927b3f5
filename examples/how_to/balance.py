"""A humanoid stands, hops and walks. Written by tools/write_examples.py from docs/how_to/balance.md: change that page."""

# %% [markdown]
# # A humanoid stands, hops and walks
#
# The built-in humanoid has no motor that holds its trunk up. It stands by what its feet do on the ground. This page tells how
# three laws of some lines each keep it on its feet. `examples/humanoid_balance.py` is the whole program:
#
# ```
# python examples/humanoid_balance.py
# ```
#
# It tries each law on a hundred motions at once, says how many fell, and writes three animations. `--short` tries a few.
#
# ![The humanoid hops: it crouches, thrusts and flies; below, it walks. Arrows are the forces of the ground.](../pictures/humanoid_balance.png)
#
# | of 100 motions | on their feet at the end |
# |---|---|
# | stands, pushed by 100 N for 0.2 s (20 N s), from 100 directions all around | 100 |
# | the same by 125 N, 150 N, 175 N, 200 N | 100, 95, 42, 15 |
# | hops 6 times, both soles 5.2 to 6.5 cm clear of the ground at once | 100 |
# | walks for 10 s at 0.40 m/s, 28 steps | 100 |
# | the same, pushed by 100 N, 200 N, 300 N for 0.2 s | 100, 100, 59 |
#
# Pushes act at the navel. At the start all velocities are a little off, by 0.02 rad/s and m/s. Steps are 2 ms. What to know
# beside:
#
# - Arms, waist and neck are locked. The robot weighs 73 kg; standing, its center of mass is 0.95 m high.
# - Motors give 250 N m at most in hips and knees, 150 and 60 N m in ankles, 100 N m in the turning hips. Joints have limits;
#   ankles may bend up to 40°, for the 20° of the built-in model are those of a foot that bears nothing.
# - The laws see the whole state, without noise. The floor's friction is 0.8.
# - Legs do not touch each other. In the hop the legs are nearly straight, and after landing the trunk leans up to 45° before it
#   comes upright again; six hops drift by up to 0.4 m.
# - Standing, it does not step. Where that is not enough, it falls. Stepping on the spot (a speed of 0) it bears 40 N s in 100
#   of 100, 60 N s in 54. At 0.2, 0.6 and 0.8 m/s all 100 walk for 10 s, too.
#
# ## The capture point
#
# To come to rest a robot must press on the ground at the *capture point*
#
# $$\xi = c + \frac{\dot c}{\omega}, \qquad \omega^2 = \frac{g}{\text{height}}.$$
#
# Here $c$ is its center of mass. Beyond ξ, it is driven back; before it, it falls on. (Pratt, Carff, Drakunov & Goswami, "Capture point", Humanoids 2006.) So to stand is to
# press at a point p a little beyond ξ, as seen from the middle of the feet. The law below is all that it takes:
#
# 1. Where to press: p = ξ + ½ (ξ − middle).
# 2. How much: as springs and dampers ask that hold the height; and r × f, r = p − c, is a moment that turns the trunk upright.
# 3. Each foot bears its share, the more the nearer p is to it. Efforts are −Jᵀf. (Pratt et al., "Virtual model control",
#    Int. J. Robotics Research 20(2), 2001.)

# %%
import numpy as np
import linkwright as lw

whole = lw.load("humanoid")
legs = [joint.name for joint in whole.joints if joint.name.split("_")[1:2] in (["hip"], ["knee"], ["ankle"])]
robot = whole.lock({joint.name: 0.0 for joint in whole.joints[1:] if joint.name not in legs}).with_ground(friction=0.8)
for name in legs:
    robot = robot.with_joint(name, armature=0.02, damping=1.0)
start = robot.neutral()
for side in ("left", "right"):
    for joint, angle in (("hip_pitch", -0.35), ("knee_pitch", 0.7), ("ankle_pitch", -0.35)):
        start[robot.slice(f"{side}_{joint}").q] = angle
start = lw.standing_configuration(robot, start)
height = lw.center_of_mass(robot, start)[2]


def standing(model, t, q, v):
    R = lw.pose(model, q, "pelvis")[:3, :3]
    c, rate, mass = lw.center_of_mass(model, q), lw.center_of_mass_jacobian(model, q) @ v, lw.total_mass(model)
    capture = c[:2] + rate[:2] / np.sqrt(9.81 / c[2])
    soles = [lw.pose(model, q, f"{side}_sole") for side in ("left", "right")]
    left, right = (S[:3, 3] + 0.0645 * S[:3, 0] for S in soles)        # the middles of the feet
    p = capture + 0.5 * (capture - 0.5 * (left + right)[:2])
    up = mass * (9.81 + 60.0 * (height - c[2]) - 12.0 * rate[2])
    off = 0.5 * np.stack([R[1, 2] - R[2, 1], R[2, 0] - R[0, 2], R[0, 1] - R[1, 0]])
    n = 800.0 * off - 120.0 * R @ v[3:6]                               # about the center of mass, N m
    r = p - c[:2]
    f = np.stack([(-n[1] - r[0] * up) / c[2], (n[0] - r[1] * up) / c[2], up])
    apart = (left - right)[:2]
    share = lw.clip((p - right[:2]) @ apart / (apart @ apart), 0.0, 1.0)
    beyond = lw.clip(p[0] - share * left[0] - (1.0 - share) * right[0], -0.12, 0.12)
    tau = lw.gravity_forces(model, q)
    for side, part, S in (("left", share, soles[0]), ("right", 1.0 - share, soles[1])):
        arm = (0.0645 + beyond) * S[:3, 0]
        turn = np.stack([arm[1] * f[2] - arm[2] * f[1], arm[2] * f[0] - arm[0] * f[2], n[2]])
        tau = tau - lw.joint_forces(model, q, f"{side}_sole", part * np.concatenate([f, turn]))
    return np.concatenate([np.zeros(6), tau[6:]])


def push(t):
    on = lw.where((t > 0.2) & (t < 0.4), 100.0, 0.0)
    return {"torso": np.stack([on, 0 * t, 0 * t, 0 * t, 0 * t, 0 * t])}


pushed, limited = lw.Surroundings(wrenches=push), lw.Actuation(effort_limits=250.0)
rest = np.zeros((1, robot.nv))
end = lw.rollout(robot, start[None], rest, 1500, 0.002, standing, surroundings=pushed, actuation=limited)
assert np.abs(end.q[-1, 0, 2] - start[2]) < 0.01                          # it still stands

# %% [markdown]
# ## To hop, and to walk
#
# To **hop** is to stand, with another vertical force in each part of a clock: crouch, thrust, land. In the air the feet are led
# to where they land, below the center of mass. Eight numbers say how: how deep, how fast, how far to pull up the legs, how soft
# to land. By hand we found hops of 1.3 cm. The rest did a search by the cross-entropy method, in a minute and a half of
# processor time: draw 500 sets of numbers, move each from four starts by one call of [`rollout`](../topics/motion/rollouts.md), keep the 40
# best, draw about these, six times. What earns is the lowest hop, and nothing where it falls. `--search` does it again.
#
# To **walk** is to stand on one foot, and to put the other one where ξ will be at the end of the step, less an offset:
#
# $$\xi(T) = p + (\xi - p)\, e^{\omega T}$$
#
# $$\text{foot} = \xi(T) - \left(\frac{\text{speed} \cdot T}{e^{\omega T} - 1},\ \pm\frac{\text{width}}{1 + e^{\omega T}}\right)$$
#
# With that offset the next step is like this one (Khadiv, Herzog, Moosavian & Righetti, IEEE Trans. Robotics 36(3), 2020). A
# push moves ξ, and so it moves the foot: nothing else is needed to bear pushes. A wrong sign of the second offset also walked,
# sideways, and fell at longer steps.
#
# For tasks at several frames at once, friction cones and limits of motors in one program, see
# [the whole body](../topics/control/whole_body.md); for weights that are learned from nothing, [learning](learning.md).
