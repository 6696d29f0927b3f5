"""Run with a humanoid. Written by tools/write_examples.py from docs/how_to/run_humanoid.md: change that page."""

# %% [markdown]
# # Run with a humanoid
#
# A Unitree G1 starts from standing and runs at 1.26 m/s. Both feet are in the air for 30 % of each stride. Only the
# contact of its feet with the ground supports it. `examples/running.py` is the complete program:
#
# ```
# pip install 'linkwright[qp,robots]'
# python examples/running.py
# ```
#
# ![Poses of one stride, contact phases, ground reaction forces, center of mass and efforts of two strides](../pictures/running.png)
#
# | limit | in the run |
# |---|---|
# | at least 1 m/s | 11 of 13 strides: 1.26 m/s on average; the first two accelerate |
# | flight at least 10 % of each stride | 30 % |
# | efforts: knee 139, hip pitch 88, ankle 35 N m | not exceeded; the ankle reaches its limit in each stance |
# | joint velocities, 20 to 37 rad/s | at most 57 % of the limits |
# | ground reaction force | peak of 2.1 body weights, impacts at touch-down not included |
# | ticks of the controller without a feasible solution | 0 |
#
# Assumptions and limits:
#
# - The masses, limits and contact points of the feet are those of the robot's file in `example-robot-data`. The wrists are locked: 23 joints
#   remain. The G1 was chosen because it has six joints in each leg, published limits, and runs in reality.
# - Rigid contact with a friction of 0.8; the controller relies on 0.7. Steps of 1 ms.
# - The controller uses the complete state, without noise or delay, and flat level ground.
# - It continues after pushes of 90 N for 0.1 s at the trunk, forward, backward and to both sides. After 120 N it falls in two of these four
#   directions: the times of steps are fixed.
# - The mechanical power of the motors is not limited, and efforts do not fall with the joint velocity.
# - Contact between the bodies of the robot is not simulated. The program checks that they do not touch: over a stride all bodies that are
#   not neighbors keep a positive distance.
#
# ## Stance: a vertical force, and a line through the center of mass
#
# During a stance of $T = 0.22$ s the vertical force for each kilogram is
#
# $$f(s) = f_0 \left(1 - \frac{s}{T}\right) + s\,(T - s)\,(a + b\,s).$$
#
# $a$ and $b$ are chosen at each touch-down. They return the center of mass to the height 0.64 m and to the upward speed
# $g\,T_f/2$ with which the next flight of $T_f = 0.1$ s begins: errors of the vertical motion vanish within one stance.
#
# The horizontal force acts along the line from the center of pressure $p$ to the center of mass $x$, so it creates no angular momentum:
#
# $$\ddot x = \frac{f}{z}\,(x - p)$$
#
# This equation is linear. With the height $z(s)$ of the plan, a matrix $F$ maps $x - p$ and $\dot x$ to their values at lift-off. The velocity at lift-off is
# $F_{21}(x - p) + F_{22}\,\dot x$, so the center of pressure that leads to the desired velocity $v$ is
#
# $$p = x - \frac{v - F_{22}\,\dot x}{F_{21}}.$$
#
# - Before touch-down this is the foothold for the predicted $x$ and $\dot x$. It contains Raibert's rule: half of the distance travelled in a
#   stance, plus a gain times the error of the velocity.
# - During the stance it is the center of pressure, within 4 cm along and 2 cm across the foot.
#
# Sideways $v$ alternates, away from the foot on the ground. This keeps the feet apart.
#
# ## Whole-body control
#
# [`WholeBody`](../topics/control/whole_body.md) computes the efforts from these tasks within friction and effort limits. The controller is
# compiled once. Each call names the contacts that hold: both feet at the start, then one foot or none:
#
# | task | weight | target |
# |---|---|---|
# | `Momentum("linear")` | 20 | its rate: mass times the planned acceleration |
# | `Momentum("angular")` | 0.5 | zero, which moves the arms against the legs |
# | `Pose` of each sole | 30 | a quintic to the foothold, at rest except for 0.1 m/s downward at touch-down |
# | `Rotation` of trunk and pelvis | 1, 0.3 | upright |
# | `Joints` of legs, arms and waist | small | a posture |
#
# The same with the built-in humanoid: forces of a stance on both feet, on one foot, and in flight.

# %%
import numpy as np
import linkwright as lw
from linkwright.control import StanceContact, WholeBody

man = lw.load("humanoid")
sole = [(x, y, 0.0) for x in (-0.06, 0.18) for y in (-0.05, 0.05)]        # corners, in the frame of the sole, m
feet = [StanceContact(f"{side}_sole", sole, friction=0.7) for side in ("left", "right")]
thrust = lw.tasks.Momentum("linear", weight=20.0)
posture = lw.tasks.Joints([joint.name for joint in man.joints[1:]], weight=0.01)
body = WholeBody(man, feet, {thrust: (0.0, 0.0), posture: (25.0, 10.0)}, effort_limits=300.0)

q, v, weight = man.neutral(), np.zeros(man.nv), 9.81 * lw.total_mass(man)
for side in ("left", "right"):
    for joint, angle in (("hip_pitch", -0.3), ("knee_pitch", 0.6), ("ankle_pitch", -0.3)):
        q[man.slice(f"{side}_{joint}")[0]] = angle
targets = {thrust: (np.zeros(3), np.array([0.0, 0.0, 0.1 * weight])), posture: q[7:]}
for contacts in (["left_sole", "right_sole"], ["left_sole"], []):
    answer = body(q, v, targets, contacts=contacts)
    print(contacts, round(answer.forces[:, 2].sum() / weight, 2))        # 1.1, 1.1 and 0 body weights

# %% [markdown]
# The start is a stance on both feet of 0.4 s that ends with the first flight. The desired velocity increases by 0.35 m/s in each step.
#
# ## The same run by assembly
#
# A second dynamics treats the run as a mechanism of [changing structure](../topics/motion/events/changing_structure.md): at touch-down the sole is connected to the
# ground by a weld, and at lift-off it is cut. Accelerations are those of
# `forward_dynamics(…, method="assembly")`, velocity jumps those of `plastic_impact`.
#
# Both dynamics get the same states of all strides: each touch-down, each lift-off, and ten states of each phase. The sole of a stance is
# set flat on the ground (at most 0.1 mm) and at rest. The acceleration of rigid contact is the limit of
# $(v^+ - v)/h$ of its time step, extrapolated from steps of 1 and 2 µs. The step satisfies $J(q)\,v^+ = 0$. Hence it begins
# at $q \oplus h\,v$, where this equation contains the term $\dot J v$ of the constraint on accelerations.
#
# Differences are relative to the largest entry of each state:
#
# <!-- The two tables that follow: python tools/draw_running.py -->
#
# | states | number | largest relative difference |
# |---|---|---|
# | velocity jumps, left touch-down | 14 | 2e-08 |
# | left foot, touch-down | 14 | 2e-09 |
# | left foot, ten of a stance | 140 | 1e-09 |
# | left foot, before lift-off | 14 | 5e-10 |
# | velocity jumps, right touch-down | 13 | 2e-08 |
# | right foot, touch-down | 13 | 3e-10 |
# | right foot, ten of a stance | 130 | 1e-09 |
# | right foot, before lift-off | 13 | 6e-10 |
# | lift-off | 27 | 3e-10 |
# | ten of a flight | 270 | 7e-10 |
# | before touch-down | 27 | 5e-10 |
#
# | µs of process time for each state | assembly | step of rigid contact, 1e-6 m/s | to 1e-14 m/s |
# |---|---|---|---|
# | acceleration in stance | 1.5 | 4.4 | 6.3 |
# | acceleration in flight | 0.7 | 2.1 | 1.8 |
# | velocity jump at touch-down | 1.0 | 4.2 | 7.1 |
#
# <!-- end -->
#
# - The weld can pull and rigid contact cannot. They agree because the controller plans forces that push, within the friction cone of the ground.
# - Times are those of batches of 2048 states. Rigid contact also finds out which points of the feet touch, stick or slide; assembly is
#   given the structure.
