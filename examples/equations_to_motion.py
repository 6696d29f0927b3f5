"""The two-link arm falls by its own equations: derived, generated as Python, integrated by SciPy, animated."""

import numpy as np

import linkwright as lw
from linkwright.symbolic.output.motion import motion_of
from linkwright.visual.animations.animation import animate

arm = lw.load("two_link")  # l = 1, lg = 0.5, m = 1, I = 0.1, g = 9.8
made = lw.equations(arm)
print(made.text())
q0, v0 = np.radians([30.0, 30.0]), np.zeros(2)
t = np.linspace(0.0, 10.0, 1001)
q, v = motion_of(made, q0, v0, t)

compiled = lw.simulate(arm, q0, v0, duration=3.0, step=2.5e-4, every=40)
apart = np.abs(q[: len(compiled.t)] - compiled.q).max()
print(f"over 3 s the compiled simulation differs by {apart:.1e} rad at most")
assert apart < 1e-9
energy = lw.kinetic_energy(arm, q, v) + lw.potential_energy(arm, q)
print(f"over 10 s the energy of {energy[0]:.6f} J changes by {np.ptp(energy):.1e} J at most")
print(f"written to {animate(arm, t, q, 'two_link_equations.gif')}")
