"""Weld the feet to the ground. Written by tools/write_examples.py from docs/how_to/weld_feet.md: change that page."""

# %% [markdown]
# # Weld the feet to the ground
#
# If the feet of a standing robot do not move, contact is not needed: *weld* the feet to the ground. The legs and the ground then
# form closed loops. This is faster than contact, and exact.
#
# ## Weld both feet
#
# `with_loop` returns a new model. A loop of type `"weld"` keeps two frames together: here a frame in the world, and the sole. The
# placement in the world is the pose of the sole in the chosen posture.

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
# ## Remaining degrees of freedom
#
# Every weld removes six degrees of freedom, where its constraints are independent:

# %%
print(lw.mobility(standing, q))                      # 23 of 35 degrees of freedom
assert np.abs(lw.constraint_residual(standing, q)).max() < 1e-9      # zero: the loops are closed

# %% [markdown]
# ## Efforts at rest
#
# The base has no motor, so the legs carry it. `actuated` names the joints with motors. The distribution between two legs is not
# unique; the result has minimum norm.

# %%
motors = [joint.name for joint in man.joints if joint.name != "root"]
at_rest = np.zeros(standing.nv)
tau = lw.inverse_dynamics(standing, q, at_rest, at_rest, actuated=motors)
knee = man.slice("left_knee_pitch").v
print(tau[knee])                                     # N m
assert not tau[:6].any()                             # no efforts at the base

# %% [markdown]
# ## Forces at the feet
#
# `lw.constraint_wrenches` returns the force and moment of each weld on its foot. Their sum balances the weight.

# %%
pressing = lw.constraint_wrenches(standing, q, at_rest, tau)
print(pressing[:, :3].round(1))                      # N, of both feet
assert np.isclose(pressing[:, 2].sum(), 9.81 * lw.total_mass(man))

# %% [markdown]
# A weld can also pull, which a floor cannot. Check the vertical force: where it is negative, the real foot would lift.
#
# ## Another posture
#
# Most configurations violate the loops. `lw.close_loops` returns the nearest configuration that satisfies them. Here the pelvis
# moves down by 10 cm, and the legs follow:

# %%
lower = q.copy()
lower[2] -= 0.1
squat = lw.close_loops(standing, lower, fixed=["root"])
assert np.allclose(lw.pose(standing, squat, "left_sole"), lw.pose(man, q, "left_sole"), atol=1e-8)
print(squat[man.slice("left_knee_pitch").q] - q[man.slice("left_knee_pitch").q])     # the change of the knee angle

lw.draw(standing, np.stack([q, squat]), view="3d").savefig("how_to_weld_feet.png", dpi=90)

# %% [markdown]
# ![Both postures; the feet are at the same position.](../pictures/how_to_weld_feet.png)
#
# For other types of loops (pins, balls, rods) and their motion, see [closed loops](../topics/mechanisms/loops.md).
