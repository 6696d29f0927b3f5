"""Balance, hop and walk with a humanoid. Written by tools/write_examples.py from docs/how_to/balance.md: change that page."""

# %% [markdown]
# # Balance, hop and walk with a humanoid
#
# The built-in humanoid has a floating base: only the forces at its feet keep it upright. Three controllers of a few lines each
# make it stand, hop and walk. `examples/humanoid_balance.py` is the complete program:
#
# ```
# python examples/humanoid_balance.py
# ```
#
# It simulates each controller for a hundred motions together, prints how many fell, and writes three animations. `--short` simulates a few.
#
# ![The humanoid hops: it crouches, thrusts and flies; below, it walks. Arrows are the ground reaction forces.](../pictures/humanoid_balance.png)
#
# | of 100 motions | standing at the end |
# |---|---|
# | standing, pushed by 100 N for 0.2 s (20 N s), from 100 directions | 100 |
# | the same with 125 N, 150 N, 175 N, 200 N | 100, 95, 42, 15 |
# | hops 6 times, both soles simultaneously 5.2 to 6.5 cm above the ground | 100 |
# | walks for 10 s at 0.40 m/s, 28 steps | 100 |
# | the same, pushed by 100 N, 200 N, 300 N for 0.2 s | 100, 100, 59 |
#
# Pushes act at the navel. Initial velocities are random, by 0.02 rad/s and m/s. Steps are 2 ms.
#
# Assumptions and limits:
#
# - Arms, waist and neck are locked. The robot has a mass of 73 kg; standing, its center of mass is 0.95 m high.
# - Effort limits are 250 N m in hips and knees, 150 and 60 N m in ankles, 100 N m in hip rotation. Joints have limits;
#   ankles may bend up to 40°, since the 20° of the built-in model are those of an unloaded foot.
# - The controllers use the complete state, without noise. The friction of the floor is 0.8.
# - Collisions between the legs are not simulated. In the hop the legs are nearly straight, and after landing the trunk leans up to 45° before it
#   becomes upright again; six hops drift by up to 0.4 m.
# - The standing controller does not step: with larger pushes it falls. The walking controller at zero speed withstands 40 N s in 100
#   of 100 motions, 60 N s in 54. At 0.2, 0.6 and 0.8 m/s all 100 walk for 10 s, too.
#
# ## Standing: the capture point
#
# To come to rest a robot must move its center of pressure to the *capture point* (Pratt, Carff, Drakunov & Goswami, "Capture point", Humanoids 2006)
#
# $$\xi = c + \frac{\dot c}{\omega}, \qquad \omega^2 = \frac{g}{\text{height}}.$$
#
# Here $c$ is its center of mass. With the center of pressure beyond ξ, the robot is accelerated back; in front of ξ, it falls. The
# controller:
#
# 1. Center of pressure: $p = ξ + \tfrac12 (ξ - m)$, a little beyond ξ, with the midpoint m of the feet.
# 2. Force: vertical springs and dampers hold the height. The moment $r \times f$ with $r = p - c$ rotates the trunk upright.
# 3. Distribution: each foot exerts the larger part of the force, the nearer p is to it. Efforts are $-J^{\mathsf T}f$ (Pratt et al., "Virtual model control",
#    Int. J. Robotics Research 20(2), 2001).

# %%
import numpy as np
import linkwright as lw

whole = lw.load("humanoid")
legs = [joint.name for joint in whole.joints if joint.name.split("_")[1:2] in (["hip"], ["knee"], ["ankle"])]
robot = whole.lock({joint.name: 0.0 for joint in whole.joints[1:] if joint.name not in legs}).with_ground(contact=lw.ContactProperties(friction=0.8))
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
    left, right = (S[:3, 3] + 0.0645 * S[:3, 0] for S in soles)        # centers of the feet
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
assert np.abs(end.q[-1, 0, 2] - start[2]) < 0.01                          # it stands

# %% [markdown]
# ## Hopping
#
# Hopping is standing with a vertical force that depends on the phase of a cycle: crouch, thrust, land. In flight the feet move
# to their landing position below the center of mass. Eight parameters describe the hop: depth, speed, leg retraction, softness
# of the landing. Manual tuning reached hops of 1.3 cm. The cross-entropy method found the rest in a minute and a half of
# processor time: sample 500 parameter sets, simulate each from four initial states by one call of [`rollout`](../topics/motion/rollouts.md), keep the 40
# best, sample around these, six times. The objective is the height of the lowest hop, or zero if it falls. `--search` repeats it.
#
# ## Walking
#
# Walking is standing on one foot, and placing the other one at the predicted ξ of the end of the step, minus an offset:
#
# $$\xi(T) = p + (\xi - p)\, e^{\omega T}$$
#
# $$\text{foot} = \xi(T) - \left(\frac{\text{speed} \cdot T}{e^{\omega T} - 1},\ \pm\frac{\text{width}}{1 + e^{\omega T}}\right)$$
#
# With this offset the gait is periodic (Khadiv, Herzog, Moosavian & Righetti, IEEE Trans. Robotics 36(3), 2020). A
# push moves ξ, and so it moves the foot: no other reaction to pushes is needed. With a wrong sign of the second offset the robot also walked,
# sideways, and fell at longer steps.
#
# For tasks of several frames, friction cones and effort limits in a quadratic program, see
# [whole-body control](../topics/control/whole_body.md); for running, [Run with a humanoid](run_humanoid.md); for learned controllers,
# [learning](learning.md).
