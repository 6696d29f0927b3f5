"""How to change a model. Written by tools/write_examples.py from docs/how_to/edit_model.md: change that page."""

# %% [markdown]
# # How to change a model
#
# A model never changes. Every change gives a new model, and the old one stays as it was. So you can try what you like.

# %%
import numpy as np
import linkwright as lw

arm = lw.load("arm7")

# %% [markdown]
# ## Other masses, limits and gravity

# %%
heavier = arm.with_body("link7", mass=3.0)                            # another mass of one body
denser = arm.with_scaled_masses(1.1)                                  # all masses and inertias 10 % larger
limited = arm.with_joint("joint4", lower=-1.5, upper=1.5, damping=0.5)
on_the_moon = arm.with_gravity([0.0, 0.0, -1.62])
assert np.isclose(lw.total_mass(heavier) - lw.total_mass(arm), 3.0 - arm.bodies[6].mass)
assert np.isclose(lw.total_mass(denser), 1.1 * lw.total_mass(arm))
assert limited.joint("joint4").upper == 1.5

# %% [markdown]
# ## A tool, a load, a camera, a gripper

# %%
with_load = arm.with_payload("tool", 1.5, center_of_mass=(0.0, 0.0, 0.05))
with_camera = arm.with_frame("camera", "link7", xyz=(0.05, 0.0, 0.08))
print(lw.pose(with_camera, np.zeros(7), "camera")[:3, 3])

# %% [markdown]
# `tool` is the frame at the end of this arm, where things are mounted. (`arm.frames` lists the frames of a model.) A whole
# mechanism can be mounted on another, here a gripper. Its world becomes the frame where it is mounted, and `prefix` keeps its names
# apart:

# %%
gripper = (
    lw.Builder("gripper")
    .body("palm", 0.3, inertia=0.001)
    .body("finger", 0.05, inertia=0.0001)
    .joint("mount", "fixed", "world", "palm")
    .joint("slide", "prismatic", "palm", "finger", axis=(1, 0, 0), lower=0.0, upper=0.04)
    .build()
)
whole = arm.append(gripper, "tool", prefix="gripper_")
assert whole.coordinate_names[-1] == "gripper_slide"
print(whole)                                          # the tree: the gripper stands beneath link7

# %% [markdown]
# ## Fewer joints, other roots

# %%
planar = arm.lock({"joint1": 0.0, "joint3": 0.0, "joint5": 0.0, "joint7": 0.0})     # these joints are fixed
assert planar.nv == 3

dog = lw.load("quadruped")                            # its base floats
on_a_stand = dog.lock({dog.joints[0].name: dog.neutral()[:7]})                      # and here it does not
assert on_a_stand.nv == dog.nv - 6

# %% [markdown]
# ## A mechanism of your own
#
# `lw.Builder` makes a model from nothing, or goes on from one:

# %%
pendulum = (
    lw.Builder("pendulum")
    .body("rod", mass=1.0, center_of_mass=(0, 0, -0.5), inertia=(0.08, 0.08, 0.001))
    .joint("hinge", "revolute", "world", "rod", axis=(0, 1, 0), damping=0.05)
    .build()
)
double = (
    lw.Builder(pendulum)
    .body("second", mass=0.5, center_of_mass=(0, 0, -0.3), inertia=(0.02, 0.02, 0.001))
    .joint("elbow", "revolute", "rod", "second", xyz=(0, 0, -1.0), axis=(0, 1, 0))
    .build()
)
assert double.nv == 2
lw.draw(double, [0.5, 0.9]).savefig("how_to_edit_model.png", dpi=100)

# %% [markdown]
# ![The pendulum, which became a double pendulum.](../pictures/how_to_edit_model.png)
#
# ## Write it to a file
#
# The ending of the name tells the format: `.urdf`, `.xml` (MuJoCo), `.sdf`, `.ztk`. What a format has no place for
# is left out, and a warning says so.

# %%
whole.save("arm_with_gripper.urdf")
again = lw.load("arm_with_gripper.urdf")
q = whole.random(seed=0)
assert np.allclose(lw.mass_matrix(again, q), lw.mass_matrix(whole, q))

# %% [markdown]
# ## Numbers that change very often
#
# To try thousands of masses, do not make thousands of models. A function can be compiled with a mass as one of its inputs:

# %%
efforts = lw.compile(lw.inverse_dynamics, with_load, parameters=["payload.mass"])
zero = np.zeros(7)
masses = np.linspace(0.0, 3.0, 1000)
tau = efforts(np.full(7, 0.4), zero, zero, masses)    # (1000, 7): the weight with every load
assert tau.shape == (1000, 7)

# %% [markdown]
# A controller that has wrong masses: [simulate a wrong model](wrong_model.md). All ways to change a model: [models](../topics/mechanisms/models.md).
