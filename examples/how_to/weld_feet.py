"""How to weld the feet to the ground. Written by tools/write_examples.py from docs/how_to/weld_feet.md: change that page."""

# %% [markdown]
# # How to weld the feet to the ground
#
# Often a robot stands, and you know that its feet do not move. Then you need no contact: *weld* the feet where they are. The
# legs and the ground then form closed rings, which are called loops. This is quicker than contact, and exact.
#
# ## Weld both feet
#
# `with_loop` gives a new model. A loop of the type `"weld"` holds two frames together: here a place in the world, and the
# sole. The place is where the sole is in the posture that you choose.

# %%
import numpy as np
import linkwright as lw

man = lw.load("humanoid")
q = man.neutral()
for side in ("left", "right"):
    for joint, angle in (("hip_pitch", -0.35), ("knee_pitch", 0.7), ("ankle_pitch", -0.35)):
        q[man.slice(f"{side}_{joint}").q] = angle

standing = man
for side in ("left", "right"):
    where = lw.pose(man, q, f"{side}_sole")
    standing = standing.with_loop(f"{side}_weld", "weld", "world", f"{side}_sole", placement=where)

# %% [markdown]
# ## What can still move?
#
# Every weld takes six degrees of freedom away, as long as they do not repeat each other:

# %%
print(lw.mobility(standing, q))                      # 23 degrees of freedom are left of 35
assert np.abs(lw.constraint_residual(standing, q)).max() < 1e-9      # zero: the feet are where they should be

# %% [markdown]
# ## Which efforts hold it?
#
# The base has no motor: the legs must carry it. `actuated` names the joints with motors. Two legs share the work in many
# ways; the answer is the one with the smallest efforts.

# %%
motors = [joint.name for joint in man.joints if joint.name != "root"]
at_rest = np.zeros(standing.nv)
tau = lw.inverse_dynamics(standing, q, at_rest, at_rest, actuated=motors)
knee = man.slice("left_knee_pitch").v
print(tau[knee])                                     # N m
assert not tau[:6].any()                             # nothing at the base

# %% [markdown]
# ## How hard does each foot press?
#
# `lw.constraint_wrenches` gives what each weld does to its foot: a force and a moment. Their sum carries the weight.

# %%
pressing = lw.constraint_wrenches(standing, q, at_rest, tau)
print(pressing[:, :3].round(1))                      # N, of both feet
assert np.isclose(pressing[:, 2].sum(), 9.81 * lw.total_mass(man))

# %% [markdown]
# A weld can also pull, which a floor cannot. So look at the upward force: where it is negative, the real foot would lift.
#
# ## Another posture
#
# Not every configuration keeps both feet in place. `lw.close_loops` finds the nearest one that does. Here the pelvis sinks by
# 10 cm, and the legs follow:

# %%
lower = q.copy()
lower[2] -= 0.1
squat = lw.close_loops(standing, lower, fixed=["root"])
assert np.allclose(lw.pose(standing, squat, "left_sole"), lw.pose(man, q, "left_sole"), atol=1e-8)
print(squat[man.slice("left_knee_pitch").q] - q[man.slice("left_knee_pitch").q])     # the knees bend further

lw.draw(standing, np.stack([q, squat]), view="3d").savefig("how_to_weld_feet.png", dpi=90)

# %% [markdown]
# ![Both postures; the feet are in the same place.](../pictures/how_to_weld_feet.png)
#
# More kinds of loops (pins, balls, rods), and how they move: [closed loops](../topics/mechanisms/loops.md).
