"""Change a model. Written by tools/write_examples.py from docs/how_to/edit_model.md: change that page."""

# %% [markdown]
# # Change a model
#
# Models are immutable. Every method that modifies a model returns a new one.

# %%
import numpy as np
import linkwright as lw

arm = lw.load("arm7")

# %% [markdown]
# ## Masses, limits and gravity

# %%
heavier = arm.with_body("link7", mass=3.0)                            # mass of one body
denser = arm.with_scaled_masses(1.1)                                  # all masses and inertias 10 % larger
limited = arm.with_joint("joint4", lower=-1.5, upper=1.5, damping=0.5)
on_the_moon = arm.with_gravity([0.0, 0.0, -1.62])
assert np.isclose(lw.total_mass(heavier) - lw.total_mass(arm), 3.0 - arm.bodies[6].mass)
assert np.isclose(lw.total_mass(denser), 1.1 * lw.total_mass(arm))
assert limited.joint("joint4").upper == 1.5

# %% [markdown]
# ## Payload, camera, gripper

# %%
with_load = arm.with_payload("tool", 1.5, center_of_mass=(0.0, 0.0, 0.05))
with_camera = arm.with_frame("camera", "link7", xyz=(0.05, 0.0, 0.08))
print(lw.pose(with_camera, np.zeros(7), "camera")[:3, 3])

# %% [markdown]
# `tool` is the frame at the end of this arm. (`arm.frames` lists the frames of a model.) `append` mounts a mechanism on another
# one, here a gripper. The frame `tool` replaces the gripper's world, and `prefix` makes its names unique:

# %%
gripper = (
    lw.Builder("gripper")
    .body("palm", 0.3, inertia=0.001)
    .body("finger", 0.05, inertia=0.0001)
    .joint("mount", "fixed", "world", "palm")
    .joint("slide", "prismatic", "palm", "finger", axis=(1, 0, 0), limits=(0.0, 0.04))
    .build()
)
whole = arm.append(gripper, "tool", prefix="gripper_")
assert whole.coordinate_names[-1] == "gripper_slide"
print(whole)                                          # the tree: the gripper is a child of link7

# %% [markdown]
# ## Lock joints

# %%
planar = arm.lock({"joint1": 0.0, "joint3": 0.0, "joint5": 0.0, "joint7": 0.0})     # fix these joints
assert planar.nv == 3

dog = lw.load("quadruped")                            # a floating base
on_a_stand = dog.lock({dog.joints[0].name: dog.neutral()[:7]})                      # a fixed base
assert on_a_stand.nv == dog.nv - 6

# %% [markdown]
# ## Build a mechanism
#
# `lw.Builder` builds a new model, or extends an existing one:

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
# ![The double pendulum.](../pictures/how_to_edit_model.png)
#
# ## Write it to a file
#
# The file extension selects the format: `.urdf`, `.xml` (MuJoCo), `.sdf`, `.ztk`. Features that a format cannot represent are
# omitted with a warning.

# %%
whole.save("arm_with_gripper.urdf")
again = lw.load("arm_with_gripper.urdf")
q = whole.random(seed=0)
assert np.allclose(lw.mass_matrix(again, q), lw.mass_matrix(whole, q))

# %% [markdown]
# ## Parameters that change often
#
# For thousands of masses, do not build thousands of models. Compile a function with the mass as an input:

# %%
efforts = lw.compile(lw.inverse_dynamics, with_load, parameters=["payload.mass"])
zero = np.zeros(7)
masses = np.linspace(0.0, 3.0, 1000)
tau = efforts(np.full(7, 0.4), zero, zero, masses)    # (1000, 7): one row per payload
assert tau.shape == (1000, 7)

# %% [markdown]
# For a controller with inaccurate masses, see [simulate a wrong model](wrong_model.md). For all methods that change a model, see
# [models](../topics/mechanisms/models.md).
