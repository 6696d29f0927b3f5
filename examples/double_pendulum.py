"""The two-link arm falls: trajectory, plot and animation."""

import numpy as np

import linkwright as lw

arm = lw.load("two_link")
motion = lw.simulate(arm, q0=np.radians([30.0, 30.0]), v0=np.zeros(2), duration=10.0)
print(f"{motion}: energy {motion.energy[0]:.6f} J, drift {motion.drift:.1e} J")
motion.save("two_link.npz")
motion.plot("two_link.png")
motion.animate("two_link.gif")
