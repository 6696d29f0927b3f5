"""Load an arm, compute its dynamics in batches, check one against the other."""

import numpy as np

import linkwright as lw

arm = lw.load("arm7")
print(arm)

rng = np.random.default_rng(0)
q, v, a = arm.random(10_000, seed=0), rng.normal(size=(10_000, 7)), rng.normal(size=(10_000, 7))
tau = lw.inverse_dynamics(arm, q, v, a)
error = np.abs(lw.forward_dynamics(arm, q, v, tau) - a).max()
print(f"forward after inverse dynamics, 10 000 states: largest error {error:.1e}")
assert error < 1e-8

reach = np.linalg.norm(lw.pose(arm, q, "tool")[:, :3, 3], axis=1).max()
print(f"farthest the tool got from the base: {reach:.3f} m")
