"""Randomize the model of a simulation. Written by tools/write_examples.py from docs/how_to/domain_randomization.md: change that page."""

# %% [markdown]
# # Randomize the model of a simulation
#
# A policy or controller should work on robots that differ from the model. *Domain randomization* simulates each motion of a
# batch with its own masses, friction, delay and noise. `lw.rollout` changes these values without compiling again.
#
# ![Sideways displacement of 200 pushed robots with different masses, damping and friction](../pictures/topic_randomization.png)

# %%
from functools import partial

import numpy as np
import linkwright as lw

robot = lw.load("quadruped").with_ground()
posture = lw.standing_configuration(robot, lw.default_configuration(robot)[0])
n, rng = 200, np.random.default_rng(0)

parameters = {
    "trunk.mass": rng.uniform(3.0, 9.0, n),
    "front_left_knee.damping": rng.uniform(0.0, 2.0, n),
    "pairs.friction": rng.uniform(0.2, 1.0, n),
}


def hold(model, t, q, v, *, target, stiffness):
    return stiffness * lw.difference(model, q, target) - 0.02 * stiffness * v


gains = np.concatenate([np.zeros(6), np.full(12, 30.0)])  # the base has no motor
pushes = np.zeros((n, robot.nv))
pushes[:, 1] = 0.8  # m/s, sideways
found = lw.rollout(
    robot, posture, pushes, 1000, controller=partial(hold, target=posture, stiffness=gains), parameters=parameters
)
print(found.q[-1, :, 1].min(), found.q[-1, :, 1].max())  # the displacements of the robots differ
assert np.ptp(found.q[-1, :, 1]) > 0.05

# %% [markdown]
# ## Parameters of the model
#
# The keys of `parameters` are names. Values have the shapes of the table, with one more leading axis for one value per motion, such as (n,) or
# (n, 3); without that axis all motions have the same value. Available names:
#
# | key | shape of one value | parameter |
# |---|---|---|
# | `"link2.mass"` | () | mass, kg |
# | `"link2.center_of_mass"` | (3,) | center of mass in the frame of the link, m |
# | `"link2.inertia"` | (6,) | inertia about the center of mass, in the axes of the link: Ixx, Ixy, Iyy, Ixz, Iyz, Izz, kg m² |
# | `"link2.inertial"` | (10,) | mass m, first moment m c (3), and the six inertias about the origin of the link |
# | `"joint2.damping"`, `"joint2.stiffness"` | (nv,) of the joint, () for one coordinate | of a hinge: N m s/rad, N m/rad; of a slide: N s/m, N/m |
# | `"joint2.armature"` | like damping | of a hinge: kg m²; of a slide: kg |
# | `"joint2.friction"` | like damping | Coulomb friction, N m or N; with contact or limits, only of joints that have some in the model |
# | `"gravity"` | (3,) | gravity vector, m/s² |
# | `"pairs.friction"`, `"pairs.restitution"` | () | of all contact pairs |
# | `"pairs.stiffness"`, `"pairs.damping"` | () | of all contact pairs, which are compliant: N/m, N s/m |
#
# Positions, axes and sizes are parameters, too: see [model parameters](../topics/mechanisms/models.md#model-parameters-as-inputs-of-a-kernel).
#
# ## Parameters of controller and actuators
#
# Bind numbers to the controller with `partial` and name those with one value per motion in `each`. Noise, delay and lag are options of
# `lw.Actuation`:

# %%
stiffness = gains * rng.uniform(0.7, 1.3, (n, 1))
randomized = lw.Actuation(each=["stiffness"], noise={"q": 0.002, "v": 0.02}, delay=0.002, seed=1)
found = lw.rollout(
    robot,
    posture,
    pushes,
    1000,
    controller=partial(hold, target=posture, stiffness=stiffness),
    actuation=randomized,
    parameters=parameters,
)
assert np.isfinite(found.q).all()

# %% [markdown]
# | quantity | option |
# |---|---|
# | gains, targets, policy weights per motion | `partial(controller, name=values)` and `Actuation(each=["name"])` |
# | sensor noise | `Actuation(noise={"q": …, "v": …}, seed=…)` |
# | delay, lag, sampling period | `Actuation(delay=…, lag=…, period=…)` |
# | random initial states | arrays `q0`, `v0`, or `Episode(reset=function)` with independent random numbers per motion |
# | random pushes | `Surroundings(wrenches=…)` |
#
# ## Reproducibility
#
# Random numbers depend on `seed` and on the index of a motion. Results are bitwise identical for any number of threads. To split a batch,
# give each motion its own seed: `lw.Actuation(seed=np.arange(n))`.
#
# ## Related pages
#
# - [A controller with a wrong model](wrong_model.md): the controller computes with nominal masses
# - [Train a quadruped](learning.md)
# - [Run a study](run_study.md): store many results on disk, and find out which parameter matters
