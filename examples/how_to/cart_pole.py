"""How to balance a cart-pole with LQR. Written by tools/write_examples.py from docs/how_to/cart_pole.md: change that page."""

# %% [markdown]
# # How to balance a cart-pole with LQR
#
# A cart slides on a rail. A pole stands on it, on a hinge, and falls when nothing keeps it upright. Only the cart has a motor. This page
# finds a law that keeps the pole upright. The method is called LQR: linear quadratic regulator. It finds the feedback that
# makes a weighted sum of all errors and all efforts, squared, as small as it can be.
#
# ## Build it

# %%
import matplotlib.pyplot as plt
import numpy as np
import linkwright as lw

cart_pole = (
    lw.Builder("cart_pole")
    .body("cart", mass=1.0)
    .body("pole", mass=0.2, center_of_mass=(0, 0, 0.5), inertia=(0.01, 0.01, 0.0002))
    .joint("slider", "prismatic", "world", "cart", axis=(1, 0, 0))
    .joint("hinge", "revolute", "cart", "pole", axis=(0, 1, 0))
    .build()
)
print(cart_pole)

# %% [markdown]
# At `q = [0, 0]` the cart is in the middle and the pole is upright.
#
# ## Is it unstable?
#
# `lw.linearize` describes small changes about a configuration: the rate of a small change of the state is A times the
# change, plus B times the effort. An eigenvalue of A with a positive real part belongs to a motion that grows.

# %%
upright = [0.0, 0.0]
A, B = lw.linearize(cart_pole, upright, [0.0, 0.0], [0.0, 0.0])
print(np.linalg.eigvals(A).real.round(2))            # one is positive: the pole falls
assert np.linalg.eigvals(A).real.max() > 1.0

# %% [markdown]
# ## Find the law
#
# Q says how much an error costs: of the cart's place (position), the pole's angle, the cart's velocity, the pole's velocity. R says
# how much effort costs. A large Q gives a quick law, a large R a gentle one. `actuated` names the joints that have motors.

# %%
regulator = lw.control.lqr(cart_pole, upright, Q=[1.0, 10.0, 1.0, 1.0], R=0.1, actuated=["slider"])
print(regulator.gain.round(2))                       # effort = -gain · (q, v)
print(regulator.poles.real.round(2))                 # all negative now: every small error dies away
assert regulator.poles.real.max() < 0.0

# %% [markdown]
# ## Try it
#
# The pole starts 11° (0.2 rad) to the side, and the cart half a meter from the middle.

# %%
motion = lw.simulate(cart_pole, [0.5, 0.2], [0.0, 0.0], 8.0, controller=regulator.controller)
assert np.abs(motion.q[-1]).max() < 1e-2

figure, (above, below) = plt.subplots(2, sharex=True, figsize=(7, 4))
above.plot(motion.t, motion.q[:, 0], label="place of the cart (m)")
above.plot(motion.t, motion.q[:, 1], label="angle of the pole (rad)")
above.legend()
below.plot(motion.t, motion.tau[:, 0], color="C2")
below.set(xlabel="time (s)", ylabel="force on the cart (N)")
figure.tight_layout()
figure.savefig("how_to_cart_pole.png", dpi=100)

# %% [markdown]
# ![The cart first runs after the pole, then both come to rest in the middle.](../pictures/how_to_cart_pole.png)
#
# See it move: `motion.animate("cart_pole.gif")`.
#
# ## How far does it go?
#
# The law is found for small errors. From too far away it fails: the motion grows beyond all numbers, and a warning says so.
# Many starts at a time show where the border is. The warning is expected here.

# %%
import warnings

angles = np.linspace(0.0, 1.4, 15)
starts = np.stack([np.zeros(15), angles], axis=1)
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    ends = lw.simulate(
        cart_pole, starts, np.zeros((15, 2)), 8.0, controller=regulator.controller, every=8000
    )
kept = np.abs(ends.q[-1]).max(axis=1) < 0.05
print(f"it comes back from {np.degrees(angles[kept].max()):.0f}°")
assert kept[:3].all()
assert not kept[-1]

# %% [markdown]
# To swing the pole up from hanging, and limits of the motor: [best for a cost](../topics/control/optimal_control.md).
