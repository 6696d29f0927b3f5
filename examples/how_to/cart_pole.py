"""Balance a cart-pole with LQR. Written by tools/write_examples.py from docs/how_to/cart_pole.md: change that page."""

# %% [markdown]
# # Balance a cart-pole with LQR
#
# A cart slides on a rail. A pole on a hinge stands on the cart, and falls without control. Only the cart has a motor. This page
# computes a controller that balances the pole. The method is LQR (linear quadratic regulator): state feedback that minimizes a
# weighted sum of the squares of all errors and efforts.
#
# ## Build the model

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
# ## Linearize
#
# `lw.linearize` returns the linear model of small deviations from a configuration: the time derivative of the deviation is A
# times the deviation plus B times the effort. An eigenvalue of A with a positive real part means an unstable motion.

# %%
upright = [0.0, 0.0]
A, B = lw.linearize(cart_pole, upright, [0.0, 0.0], [0.0, 0.0])
print(np.linalg.eigvals(A).real.round(2))            # one is positive: the pole falls
assert np.linalg.eigvals(A).real.max() > 1.0

# %% [markdown]
# ## Compute the gain
#
# Q weights the errors of the cart's position, the pole's angle, the cart's velocity, and the pole's velocity. R weights the
# effort. A large Q gives a fast response, a large R small efforts. `actuated` names the joints that have motors.

# %%
regulator = lw.control.lqr(cart_pole, upright, Q=[1.0, 10.0, 1.0, 1.0], R=0.1, actuated=["slider"])
print(regulator.gain.round(2))                       # effort = -gain · (q, v)
print(regulator.poles.real.round(2))                 # all negative: small errors decay
assert regulator.poles.real.max() < 0.0

# %% [markdown]
# ## Simulate
#
# The initial angle of the pole is 11° (0.2 rad), and the cart starts half a meter from the center.

# %%
motion = lw.simulate(cart_pole, [0.5, 0.2], [0.0, 0.0], 8.0, controller=regulator.controller)
assert np.abs(motion.q[-1]).max() < 1e-2

figure, (above, below) = plt.subplots(2, sharex=True, figsize=(7, 4))
above.plot(motion.t, motion.q[:, 0], label="position of the cart (m)")
above.plot(motion.t, motion.q[:, 1], label="angle of the pole (rad)")
above.legend()
below.plot(motion.t, motion.tau[:, 0], color="C2")
below.set(xlabel="time (s)", ylabel="force on the cart (N)")
figure.tight_layout()
figure.savefig("how_to_cart_pole.png", dpi=100)

# %% [markdown]
# ![The cart first moves below the pole, then both come to rest at the center.](../pictures/how_to_cart_pole.png)
#
# To animate the motion, call `motion.animate("cart_pole.gif")`.
#
# ## Region of attraction
#
# The gain is computed for small errors. For large initial errors the simulation diverges and a warning is given. A batch of
# initial angles shows the boundary. The warning is expected here.

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
print(f"stable up to {np.degrees(angles[kept].max()):.0f}°")
assert kept[:3].all()
assert not kept[-1]

# %% [markdown]
# To swing the pole up, and for effort limits, see [optimal control](../topics/control/optimal_control.md).
