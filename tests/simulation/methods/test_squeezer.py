"""Andrews' squeezing mechanism: seven bodies, three loops, a motor and a spring between two points.

Data and the reference solution at 0.03 s: Hairer & Wanner, *Solving Ordinary Differential Equations II*, ch. VII.7, and
the Test Set for IVP Solvers (problem "andrews"); the mechanism is one of the benchmarks of multibody dynamics.
"""

from __future__ import annotations

import numpy as np

import linkwright as lw

START = [
    *(-0.0617138900142764496, 0.0, 0.455279819163070380, 0.487364979543842550, 0.222668390165885885),
    *(1.23054744454982119, -0.222668390165885885),
]
"""β, θ, γ, δ, φ, ε, Ω"""
END = [
    *(15.81077119629904, -15.75637105984298, 0.04082224013073101, 0.5244099658805304, -0.5347301163226948),
    *(1.048080741042263, 0.5347301163226948),
]
MOTOR = 0.033


def squeezer() -> lw.Model:
    A, B, C = (-0.06934, -0.00227, 0.0), (-0.03635, 0.03273, 0.0), (0.014, 0.072, 0.0)
    d, da, e, ea, zf, fa = 0.028, 0.0115, 0.02, 0.01421, 0.02, 0.01421
    rr, ra, ss, sa, sb, sc, sd = 0.007, 0.00092, 0.035, 0.01874, 0.01043, 0.018, 0.02
    zt, ta, tb, u, ua, ub = 0.04, 0.02308, 0.00916, 0.04, 0.01228, 0.00449
    made = lw.Builder("squeezer", gravity=(0.0, 0.0, 0.0))
    for name, mass, inertia, parent, place, center in (
        ("K1", 0.04325, 2.194e-6, "world", (0.0, 0.0, 0.0), (ra, 0.0, 0.0)),
        ("K2", 0.00365, 4.410e-7, "K1", (rr, 0.0, 0.0), (-da, 0.0, 0.0)),
        ("K3", 0.02373, 5.255e-6, "world", B, (sb, -sa, 0.0)),
        ("K5", 0.07050, 1.169e-5, "world", A, (ta, tb, 0.0)),
        ("K4", 0.00706, 5.667e-7, "K5", (zt, 0.0, 0.0), (0.0, ea - e, 0.0)),
        ("K7", 0.05498, 1.912e-5, "world", A, (ub, -ua, 0.0)),
        ("K6", 0.00706, 5.667e-7, "K7", (0.0, -u, 0.0), (zf - fa, 0.0, 0.0)),
    ):
        made.body(name, mass, center, inertia)
        made.joint(f"{name}_hinge", "revolute", parent, name, xyz=place)
    made.frame("E", "K2", xyz=(-d, 0.0, 0.0))
    for name, place in (("K3", (0.0, -ss, 0.0)), ("K4", (0.0, -e, 0.0)), ("K6", (zf, 0.0, 0.0))):
        made.frame(f"{name}_E", name, xyz=place)
        made.loop(f"{name}_pin", ("mask", ("x", "y")), "E", f"{name}_E")
    return made.spring(("world", C), ("K3", (sd, -sc, 0.0)), 4530.0, length=0.07785).build()


def test_its_motion_is_the_published_one():
    model = squeezer()
    assert np.abs(lw.constraint_residual(model, START)).max() < 1e-15
    motor = np.eye(7)[0] * MOTOR
    motion = lw.simulate(model, START, np.zeros(7), 0.03, 2e-5, callback=lambda t, q, v: motor, every=100)
    assert np.abs(motion.q[-1] - END).max() < 1e-8
    gained = MOTOR * (motion.q[:, 0] - motion.q[0, 0])
    assert np.abs(motion.energy - motion.energy[0] - gained).max() < 1e-7 * gained[-1]
