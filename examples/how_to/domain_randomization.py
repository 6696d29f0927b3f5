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
# The keys of `parameters` are names; each value has one entry per motion. Available names:
#
# | key | parameter |
# |---|---|
# | `"link2.mass"`, `"link2.center_of_mass"`, `"link2.inertia"` | mass, center of mass and inertia of a body |
# | `"joint2.damping"`, `"joint2.stiffness"` | of a joint, and `"joint2.armature"`, `"joint2.friction"`; with contact or limits, friction of joints that have some in the model |
# | `"gravity"` | gravity vector |
# | `"pairs.friction"`, `"pairs.restitution"` | of all contact pairs |
# | `"pairs.stiffness"`, `"pairs.damping"` | of all contact pairs, which are compliant |
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
