"""Linkwright with MuJoCo. Written by tools/write_examples.py from docs/how_to/other_libraries/mujoco.md: change that page."""

# %% [markdown]
# # Linkwright with MuJoCo
#
# Functions of MuJoCo and their equivalents in Linkwright. For topics common to all libraries, such as loading the same robot in
# two libraries, see [other libraries](index.md).

# %%
import mujoco
import numpy as np
import linkwright as lw

arm = lw.load("arm7")
arm.save("arm7.urdf")                                # or arm7.xml (MJCF), which has no velocity limits
compiled = mujoco.MjModel.from_xml_path("arm7.urdf")
state = mujoco.MjData(compiled)
q, v = arm.random(seed=0), np.ones(7)
state.qpos[:], state.qvel[:] = q, v
mujoco.mj_forward(compiled, state)
assert np.allclose(state.qfrc_bias, lw.bias_forces(arm, q, v))

# %% [markdown]
# ## Conventions
#
# The linear velocity of a floating base is in world axes in MuJoCo, and in base axes in Linkwright:

# %%
def to_mujoco(q, v):
    """Return a velocity with a floating base in the axes of MuJoCo, at the configuration q."""
    R = lw.rotation.from_quaternion(q[3:7])
    return np.concatenate([R @ v[:3], v[3:]])


flying = lw.load("arm7", root="free")
q, v = flying.random(seed=1), np.linspace(-1.0, 1.0, 13)
assert np.allclose(to_mujoco(q, v)[:3], lw.velocity(flying, q, v, flying.bodies[0].name)[:3])

# %% [markdown]
# MuJoCo includes springs, dampers and friction of the joints in its dynamics. In Linkwright they are `lw.passive_forces`, which
# `lw.simulate` adds.
#
# ## Functions with equal results
#
# `m` and `d` are MuJoCo's model and data, after `mujoco.mj_forward(m, d)`. `k` is the index of
# the body `link7`, `s` that of the site `tool`.
#
# | MuJoCo | Linkwright |
# |---|---|
# | `mujoco.MjModel.from_xml_path(path)` | `lw.load(path)` |
# | `mujoco.mj_mulM(m, d, out, v)` | `lw.mass_matrix(model, q) @ v` |
# | `d.qfrc_bias` | `lw.bias_forces(model, q, v)` |
# | `d.qfrc_passive` | `lw.passive_forces(model, q, v)` |
# | `mujoco.mj_inverse(m, d)`, `d.qfrc_inverse` | `lw.inverse_dynamics(model, q, v, a) - lw.passive_forces(model, q, v)` |
# | `d.qfrc_applied[:] = tau`, `d.qacc` | `lw.forward_dynamics(model, q, v, tau + lw.passive_forces(model, q, v))` |
# | `d.xpos[k]`, `d.xmat[k]` | `lw.pose(model, q, "link7")` |
# | `mujoco.mj_jacBody(m, d, jacp, jacr, k)` | `lw.jacobian(model, q, "link7")` |
# | `mujoco.mj_objectVelocity(m, d, mujoco.mjtObj.mjOBJ_XBODY, k, out, 0)` | `lw.velocity(model, q, v, "link7")`, angular part first |
# | `mujoco.mj_integratePos(m, qpos, v, h)` | `lw.integrate(model, q, h * v)` |
# | `mujoco.mj_differentiatePos(m, out, 1.0, q0, q1)` | `lw.difference(model, q0, q1)` |
# | `mujoco.mj_energyVel(m, d)`, `d.energy[1]` | `lw.kinetic_energy(model, q, v)` |
# | `mujoco.mj_energyPos(m, d)`, `d.energy[0]` | `lw.potential_energy(model, q) + lw.spring_energy(model, q)` |
# | `mujoco.mj_applyFT(m, d, f, n, d.xpos[k], k, out)` | `lw.joint_forces(model, q, "link7", [*f, *n])` |
# | `mujoco.mj_step(m, d)`, repeatedly | `lw.simulate(model, q, v, duration)` |
# | `m.nq`, `m.nv` | `(model.nq, model.nv)` |
# | `mujoco.mj_fullM(m, d, full)` | `lw.mass_matrix(model, q)` |
# | `mujoco.mj_jacSite(m, d, jacp, jacr, s)` | `lw.jacobian(model, q, "tool")` |
# | `mujoco.mj_jacSubtreeCom(m, d, jacp, 1)` | `lw.center_of_mass_jacobian(model, q)` |
# | `d.subtree_com[1]` | `lw.center_of_mass(model, q)` |
# | `d.subtree_com[k]` | `lw.subtree_center_of_mass(model, q, "link7")` |
#
# (Before version 4 of MuJoCo: `mj_fullM(m, full, d.qM)`.)
#
# ## Corresponding functions
#
# | MuJoCo | Linkwright |
# |---|---|
# | `mujoco.mj_name2id`, `mujoco.mj_id2name` | not needed: functions take names; `model.frames`, `model.joints`, `model.bodies` |
# | `m.opt.timestep` | `step=` of `lw.simulate` |
# | `m.opt.gravity` | `model.gravity`, `model.with_gravity` |
# | `m.jnt_range` | `model.lower`, `model.upper` |
# | `m.key_qpos`, keyframes | `model.keyframes`: `key = model.keyframes["home"]`, then `lw.simulate(model, key.q, key.v, …)` |
# | `d.ctrl`, `d.act`, actuators | `model.actuators`, `lw.Actuation(controls=…, activations=…)`: [the how-to](../drive_actuators.md) |
# | `d.sensordata`, sensors | `model.sensors`, `lw.sensor_readings` |
# | `d.contact`, `mujoco.mj_contactForce` | `lw.Motion.contacts` |
# | `mujoco.mj_resetData` | not needed: there is no state object |
# | `mujoco.mj_geomDistance` | `lw.distances`, `lw.closest_pair`: [distances](../../topics/mechanisms/distances.md) |
# | `mujoco.mj_ray` | a sensor of the type `rangefinder` |
# | cameras, `mujoco.Renderer` | no equivalent; pictures of mechanisms are `lw.draw` and `lw.Motion.animate` |
# | the viewer | `lw.studio`, `lw.Motion.show` |
# | `mujoco.mjd_transitionFD` | `lw.linearize` with `step=` |
# | `mujoco.rollout` | `lw.rollout` |
# | tendons | `model.springs`, and tendons of `model.actuators`; in code `lw.Builder.spring`, `lw.Actuator(tendon=…)` |
# | flexible bodies, fluids | no equivalent |
# | equality constraints | `model.with_loop` |
