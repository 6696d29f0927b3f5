"""Optimize the geometry of a robot. Written by tools/write_examples.py from docs/how_to/optimize_geometry.md: change that page."""

# %% [markdown]
# # Optimize the geometry of a robot
#
# Lengths of links, positions and axes of joints, frames and sizes of shapes are parameters of every function: forward kinematics, Jacobians, dynamics,
# closed loops, inverse kinematics and contact. Derivatives by them are exact, so that a gradient method finds the proportions of a robot.
#
# ![The loss of a squat over the lengths of thigh and shank with the iterations, the leg before and after, and the loss](../pictures/leg_proportions.png)
#
# `examples/leg_proportions.py` draws this picture: a leg squats on the ground, and the lengths of thigh and shank and the radius of the foot are optimized
# for the least heat and friction. The gradient is that of the simulation with contact and with a controller that uses inverse kinematics. It
# equals differences to 3e-8; one gradient of 1000 steps takes about 30 ms.
#
# ## Parameters by name

# %%
import numpy as np
import linkwright as lw

leg = (
    lw.Builder("leg")
    .body("trunk", 6.0, inertia=0.05).body("thigh", 0.5, (0, 0, -0.1), inertia=0.003)
    .body("shank", 0.2, (0, 0, -0.1), inertia=0.001).body("foot", 0.05, inertia=1e-5)
    .joint("rail", "prismatic", "world", "trunk", axis=(0, 0, 1))
    .joint("hip", "revolute", "trunk", "thigh", axis=(0, 1, 0))
    .joint("knee", "revolute", "thigh", "shank", axis=(0, 1, 0), xyz=(0, 0, -0.3))
    .joint("ankle", "fixed", "shank", "foot", xyz=(0, 0, -0.3))
    .shape("foot", "sphere", radius=0.025, name="pad")
    .build().with_ground()
)
print(leg.geometry_of("knee.distance"), leg.geometry_of("knee.axis"))   # length of the thigh: 0.3
longer = leg.with_geometry({"knee.distance": 0.35, "pad.radius": 0.03})

# %% [markdown]
# | name | of | value |
# |---|---|---|
# | `.position` | joint, frame, shape | (3,), in the axes of its link (for joints, the parent link), m |
# | `.orientation` | joint, frame, shape | (4,), quaternion (w, x, y, z) |
# | `.distance` | joint, frame, shape | distance from the origin of its link, in the direction of the model, m |
# | `.axis` | revolute, prismatic, helical and cylindrical joints | (3,), in the axes of the joint |
# | `.radius`, `.length`, `.size` | shapes: sphere, capsule, cylinder, box, ellipsoid | m |
#
# `distance` of a joint is the length of the link before it. Fixed joints are joints, and the ends of loops are frames. The name of a link stands
# for its only shape for contact, since shapes in URDF files have no names.
#
# ## Derivatives of any function
#
# `compile` appends the parameters to the arguments. Each row of a batch may have its own geometry:

# %%
kernel = lw.compile(lw.inverse_dynamics, leg, parameters=["knee.distance", "ankle.distance"])
q, v, a = np.array([0.425, -0.6, 1.2]), np.zeros(3), np.zeros(3)
slope = kernel.derivative("knee.distance")(q, v, a, 0.3, 0.3)           # ∂τ/∂(length of the thigh)
h = 1e-6
difference = (kernel(q, v, a, 0.3 + h, 0.3) - kernel(q, v, a, 0.3 - h, 0.3)) / (2 * h)
assert np.abs(slope - difference).max() < 1e-8

# %% [markdown]
# Masses and inertias do not change with the geometry. If they should, add `thigh.mass`, `thigh.center_of_mass` and `thigh.inertia` as
# parameters, and apply the chain rule.
#
# ## Inverse kinematics

# %%
foot = lw.tasks.Position("foot", relative_to="trunk", axes="xz")
reached, by = lw.inverse_kinematics_derivatives(
    leg, {foot: [0.0, -0.4]}, q, parameters=["knee.distance"], fixed=["rail"]
)
print(by[foot])                     # (3, 2): change of the joints with the target
print(by["knee.distance"])          # (3,): change of the joints with the length of the thigh

# %% [markdown]
# With `order=2` the dictionary also contains second derivatives, such as `by[foot, "knee.distance"]` (3, 2).
#
# [Inverse kinematics](../topics/mechanisms/inverse_kinematics.md#derivatives) defines the derivatives at limits, out of reach, and of redundant arms.
# Inside a compiled function `lw.inverse_kinematics` has the same derivatives.
#
# ## Simulation with contact
#
# `rollout` takes the geometry of each motion as `parameters`, and `rollout_derivatives` differentiates by them. A controller or a reward that uses
# its argument `model` depends on the geometry, too:

# %%
from functools import partial

def squat(model, t, q, v, gain):
    """Return the efforts of springs and dampers at a posture that inverse kinematics computes."""
    target = lw.stack([0.0, -0.4 + 0.05 * np.sin(2.0 * np.pi * t)])
    posture = lw.inverse_kinematics(model, {foot: target}, initial_guess=q, restarts=0).q
    tau = gain * (posture - q) - 0.05 * gain * v
    return lw.stack([0.0, tau[1], tau[2]])

def heat(model, t, q, v, tau):
    """Return minus the heat of the motors in a step."""
    return -1e-5 * (tau @ tau)

task = dict(controller=partial(squat, gain=600.0), episode=lw.Episode(reward=heat))
design = {"knee.distance": 0.3, "ankle.distance": 0.3, "pad.radius": 0.025}
found, by = lw.rollout_derivatives(
    leg, reached.q, np.zeros(3), 500, 1e-3, wrt=["q0", *design], parameters=design, **task
)
print({name: float(by[name]) for name in design})
assert np.isfinite(found.reward)

# %% [markdown]
# If the initial posture depends on the design, add `by["q0"]` times its derivative, as the example does.
#
# ### Start on the ground
#
# The foot above touches the ground exactly, and the reward has a kink there: a longer leg begins in the ground, a shorter one falls. The
# derivative is that of one side:

# %%
def reward(q0, thigh):
    """Return the rewards of lengths of the thigh from one initial posture."""
    start = np.tile(q0, (len(thigh), 1))
    return lw.rollout(leg, start, 0.0 * start, 500, 1e-3, parameters={"knee.distance": thigh}, **task).reward

shorter, here, longer = reward(reached.q, 0.3 + 1e-6 * np.array([-1.0, 0.0, 1.0]))
print((here - shorter) / 1e-6, (longer - here) / 1e-6, float(by["knee.distance"]))    # -27.1, -19.4, -27.2

# %% [markdown]
# Two kinds of initial states avoid it:
#
# - The posture is a function of the design, so that the foot stays on the ground: the sum of `by[name]` and `by["q0"]` times the
#   derivative of the posture is the derivative of the reward, as in the example.
# - The foot begins clearly in the ground, by 0.1 mm, or clearly above it. The derivative from a fixed `q0` is then that of both sides:

# %%
pressed = reached.q - np.array([1e-4, 0.0, 0.0])
_, by = lw.rollout_derivatives(
    leg, pressed, np.zeros(3), 500, 1e-3, wrt=["knee.distance"], parameters={"knee.distance": 0.3}, **task
)
shorter, longer = reward(pressed, 0.3 + 1e-6 * np.array([-1.0, 1.0]))
assert abs((longer - shorter) / 2e-6 - by["knee.distance"]) < 1e-4 * abs(by["knee.distance"])

# %% [markdown]
# ## PyTorch and JAX
#
# With PyTorch installed (`pip install "linkwright[torch]"`):

# %%
import torch

height = lw.bridges.torch(lw.center_of_mass, leg, parameters=["knee.distance"])
length = torch.tensor(0.3, dtype=torch.float64, requires_grad=True)
height(torch.tensor(q), length)[2].backward()
print(length.grad)

# %% [markdown]
# [PyTorch and JAX](pytorch_jax.md) explains functions of tensors and arrays, rollouts (`lw.bridges.torch(lw.rollout, leg, steps=500,
# parameters=["pad.radius"])`) and inverse kinematics.
#
# ## Limits
#
# - Quaternions and axes may have any length but zero; derivatives are those of the normalized ones.
# - Inverse kinematics has first and second derivatives, with two priorities first ones. Where targets leave freedom they are those of the solver
#   with the found solution as initial guess; at singular configurations, and where no solution is found, they are NaN.
# - Sizes of cones, meshes and height fields cannot be parameters. The minimum distance of shapes, as a task of inverse kinematics, requires
#   numbers.
# - Thresholds, such as that of a singular configuration, are relative to the size of the given model.
