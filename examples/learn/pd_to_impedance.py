"""Control, from PD to impedance. Written by tools/write_examples.py from docs/learn/pd_to_impedance.md: change that page."""

# %% [markdown]
# # Control, from PD to impedance
#
# A law of control looks at a mechanism and tells its motors what to do. This page goes through the laws of the textbooks,
# from the simplest to those that feel what the hand touches. Each has its equation, the reason why it works, and a picture
# of what it does. How a law is written and simulated is on the page of [laws](../topics/control/laws.md).
#
# The pictures are made by `examples/pd_to_impedance.py`; run it to make them yourself.
#
# ## How everything hangs together
#
# ![kinematics, statics, dynamics and control](../pictures/control_map.png)
#
# *Kinematics* leads from the joints to the hand, and back. *Statics* leads from the hand to the joints: the same Jacobian J,
# turned over, makes efforts of a wrench. *Dynamics* leads from efforts to accelerations, and back. *Control* closes the
# circle: it looks at the motion and chooses the efforts.
#
# All proofs below stand on two facts about every mechanism:
#
# 1. The equation of motion:
#
#    $$M \dot v + C v + g = \tau + J^{\mathsf T} w$$
#
# 2. C never makes or takes energy:
#
#    $$v^{\mathsf T} \left(\tfrac{1}{2} \dot M - C\right) v = 0$$
#
# M is the mass matrix, C the Coriolis matrix, g the weight, τ the efforts of the motors and w the wrench of the surroundings
# on the hand. `lw.equations(model).explanation()` writes both out for your mechanism, and proves them.
#
# ## How a proof works
#
# A *Lyapunov function* V is a number like an energy. It is zero where we want the mechanism to be, and positive everywhere
# else. If V never grows, the mechanism cannot go far away. If V also shrinks until it is zero, the mechanism arrives.
#
# Often V stops shrinking wherever the velocity is zero. *LaSalle's theorem* helps: the motion ends in the largest set in
# which the mechanism can stay for ever without V shrinking. If the target is the only posture in which it can stay, it ends
# there. More on this page: [stability](../topics/control/stability.md).
#
# ## PD with gravity
#
# $$\tau = g(q) + D^{\mathsf T} K e - K_d v, \qquad e = \text{target} \ominus q$$
#
# A spring K and a damper K_d in every joint pull it to the target. The motors carry the weight besides. For plain joints D
# is 1; for joints that turn about a point it makes Dᵀ K e the force of a true spring.

# %%
from functools import partial

import numpy as np
import linkwright as lw

arm = lw.load("two_link")
target = np.radians([30.0, 60.0])
law = partial(lw.control.pd, target=target, stiffness=np.array([80.0, 30.0]), damping=np.array([25.0, 8.0]))
motion = lw.simulate(arm, np.radians([-90.0, 0.0]), np.zeros(2), 4.0, law=law)
assert np.abs(motion.q[-1] - target).max() < 1e-6

# %% [markdown]
# *Why it works* (Takegaki and Arimoto 1981). Take $V = \tfrac{1}{2}\, v^{\mathsf T} M v + \tfrac{1}{2}\, e^{\mathsf T} K e$: the energy of the motion and of the springs. The
# weight is carried, and C makes no energy. What remains is
#
# $$\dot V = -v^{\mathsf T} K_d v \le 0.$$
#
# V stops shrinking only where v = 0. To stay there the springs must not pull: e = 0. So every motion ends at the target. Masses
# do not occur in this: they may be wrong, as long as the weight is right.
#
# ![PD with gravity, and V](../pictures/control_pd.png)
#
# On the left, where the weight is not carried (dashed), joint 1 sags by ten degrees below its target; joint 2 is off by less. On the
# right V falls as fast as the dampers eat it: both lines are one.
#
# A robot that stands on its feet, or flies, has no motor at its root. The law gives it nothing there: see [laws](../topics/control/laws.md).
#
# ## PID
#
# $$\tau = K e - K_d v + z, \qquad \dot z = K_i e$$
#
# The integral z learns what the weight asks for. The law needs to know nothing of the mechanism.
#
# *Why it works.* About a posture at rest the motion is that of
#
# $$M \ddot x + K_d \dot x + \left(K + \frac{\partial g}{\partial q}\right) x = z.$$
#
# It is stable if the integral is slow enough:
#
# $$\lambda_{\min}(K_d)\, \lambda_{\min}\left(K + \frac{\partial g}{\partial q}\right) > \lambda_{\max}(K_i)\, \lambda_{\max}(M),$$
#
# where λ are eigenvalues. This holds near the posture only.
#
# *Wind-up.* A motor at its limit cannot do what is asked, and z goes on growing. It must shrink again before the arm comes
# back, which is why the arm shoots beyond the target. Where efforts are cut, z is told: $\dot z = K_i e + (\tau_{\text{cut}} - \tau)/T$ (back
# calculation, Åström and Hägglund 1995). Give the `limit`, and T as `unwinding`.
#
# ![PID with limits](../pictures/control_pid.png)
#
# The grey lines are the target, and what the weight asks for there. In red, without back calculation, z grows as long as joint 1 is
# below its target, far beyond what is needed, and the joint shoots over. In blue z falls at first: at the limit the spring
# K e asks for more than the motor gives, and back calculation takes that off z. When the motor is free again z comes up
# from below, and the joint arrives without shooting far.
#
# ## Computed torque
#
# $$\tau = M \left(\dot v_d + K_d (v_d - v) + K e\right) + C v + g$$
#
# The law computes the efforts that the wanted acceleration needs: inverse dynamics at every tick. What remains for the error is
#
# $$\ddot e + K_d \dot e + K e = 0,$$
#
# the same for every arm: it dies away as fast as the gains say.
#
# *Why it works.* Take
#
# $$V = \tfrac{1}{2}\, \dot e^{\mathsf T} \dot e + \tfrac{1}{2}\, e^{\mathsf T} (K + \varepsilon K_d)\, e + \varepsilon\, e^{\mathsf T} \dot e.$$
#
# For $0 < \varepsilon < \lambda_{\min}(K_d)$ it shrinks strictly:
#
# $$\dot V = -\dot e^{\mathsf T} (K_d - \varepsilon)\, \dot e - \varepsilon\, e^{\mathsf T} K e.$$
#
# *What it needs.* The masses must be right. In the picture 50 g that it does not know of make an error of some degrees.
# [Adaptive control](../topics/control/observers.md) learns them; [identification](../topics/mechanisms/identification.md) finds them before.
#
# ![computed torque](../pictures/control_computed_torque.png)
#
# On the right the blue line ends at a floor of about a hundredth of a degree. That is not the law's: its efforts are held for a
# tick of 1 ms and come half a tick late. With half the tick the floor is half as high.
#
# ## Friction made up for
#
# $$\tau = \ldots + F_c \operatorname{sign}(v_d) + F_v v_d$$
#
# Friction is made up for by the velocity that is *wanted*. Of the measured velocity the sign would come late, and the joint
# would chatter. `computed_torque` makes up for the friction that the model has already.
#
# ![friction](../pictures/control_friction.png)
#
# With friction left alone (red) the joint is behind by up to three degrees, all the time that it moves one way. Made up for (blue),
# the error cannot be seen.
#
# ## Operational space
#
# $$\tau = J^{\mathsf T} \left[\Lambda (\ddot x - \dot J v) + \bar J^{\mathsf T} (C v + g)\right] + N \tau_0$$
#
# $$\Lambda = (J M^{-1} J^{\mathsf T})^{-1}, \qquad \bar J = M^{-1} J^{\mathsf T} \Lambda, \qquad N = 1 - J^{\mathsf T} \bar J^{\mathsf T}$$
#
# This is computed torque for the hand (Khatib 1987). Λ is the mass that the hand feels. N lets through what does not move the
# hand: $J M^{-1} N = 0$. An arm with seven joints can move its elbow while the hand stays on its way.
#
# *Why it works.* Put τ into the equation of motion: the hand has the acceleration ẍ, whatever τ₀ is. With
# $\ddot x = \ddot x_d - K_d (\dot x - \dot x_d) - K \tilde x$ its error dies away as above. The motion that the hand does not feel needs a damper of its own.
#
# ![operational space](../pictures/control_operational_space.png)
#
# On the left, seen along x: the hand draws its circle while the elbow goes elsewhere, to where a posture draws it. On the right, the
# elbow moves by decimetres (red, axis on the right), and the hand stays within a hundredth of a millimetre of its circle
# (blue, axis on the left).
#
# The gains are of 1/s² and 1/s; one number is for all six directions, metres and radians alike.
#
# ## Impedance
#
# $$\tau = g + J^{\mathsf T} (-D \dot x - K \tilde x)$$
#
# Position control is stiff: where the hand meets a wall, something breaks. Impedance control (Hogan 1985) does not force a
# position. It makes the hand *behave* like a spring and a damper that are fixed to a pose.
#
# *Why it works.* The energy of the motion and of the spring is
#
# $$V = \tfrac{1}{2}\, v^{\mathsf T} M v + \tfrac{1}{2}\, \tilde x^{\mathsf T} K \tilde x, \qquad \dot V = -\dot x^{\mathsf T} D \dot x + \dot x^{\mathsf T} w.$$
#
# The hand never gives more energy than it was given: it is
# *passive*, and therefore stable with every passive thing it touches, wall, spring or human.
#
# Give `stiffness` and `damping` six numbers, three in N/m and three in N m/rad. One number stands for all six: 400 is
# 400 N/m, which is soft, and 400 N m/rad, which is very hard.
#
# ![a hand that is a spring](../pictures/control_impedance.png)
#
# On the right, the hand pushed with up to 20 N: it gives way as the programmed stiffness says.
#
# ## Laws that touch
#
# [Force control](../topics/control/force_control.md) goes on from here: *admittance* for arms that only know positions, *compliance* of the whole
# hand as a matrix, *hybrid* control that keeps a force in one direction and a position in the others, and an arm that
# polishes a plane.
#
# ## Laws that learn and watch
#
# [Adaptive control and observers](../topics/control/observers.md): a law that finds the mass of what it carries while it moves, an observer
# that feels a push without a force sensor, and velocities from encoders.
#
# ## Laws that are computed
#
# [Optimal control](../topics/control/optimal_control.md) finds laws and motions from a cost: LQR, and iLQR with limits.
# [Whole-body control](../topics/control/whole_body.md) solves a small optimisation at every tick, for robots that stand on feet.
# [Trajectories](../topics/motion/trajectories.md) are what all of them follow.
#
# ## Which law?
#
# | you want | take | it needs |
# |---|---|---|
# | to hold a posture, safely | `pd` | the weight |
# | the same, and the model is unknown | `pid` | patience with its gains |
# | to follow a fast motion | `computed_torque` | right masses |
# | the hand on a path, the elbow free | `operational_space` | right masses, no singular posture |
# | to touch things | `impedance` | the weight |
# | a force of so many newtons | `hybrid` | right masses, a force sensor |
# | to carry unknown things | `adaptive` | motion that shows the masses |
# | to balance | `lqr` | a posture, weights |
#
# What a computer does in ticks comes late. A damper that is held over a tick h must not be too strong: $d\, (M^{-1})_{ii}\, h < 2$ for
# each joint, and less with delays. `simulate` warns where gains are too fast for the step, and tells which joint: where the
# motion grows beyond all numbers, and also where limits of the efforts keep it together and a joint chatters.
