"""A controller of one's own, compiled into one kernel: operational-space force control (Khatib 1987)."""

import numpy as np

import linkwright as lw


def task_control(model, q, v, target):
    """Joint efforts that pull the tool to a target point like a damped spring, gravity compensated."""
    error = target - lw.pose(model, q, "tool")[:3, 3]
    speed = lw.velocity(model, q, v, "tool")[:3]
    force = 400.0 * error - 60.0 * speed
    J = lw.jacobian(model, q, "tool")[:3]
    return J.T @ force + lw.gravity_forces(model, q) - 3.0 * lw.mass_matrix(model, q) @ v


arm = lw.load("arm7")
control = lw.compile(task_control, arm, target=3)
print(control)

start = np.array([0.3, 0.9, -0.4, -1.2, 0.5, 0.8, 0.0])
target = np.array([0.45, 0.25, 0.6])
motion = lw.simulate(arm, start, np.zeros(7), 4.0, callback=lambda t, q, v: control(q, v, target))
miss = np.linalg.norm(lw.pose(arm, motion.q[-1], "tool")[:3, 3] - target)
print(f"after 4 s the tool is {1000 * miss:.2f} mm from the target")
assert miss < 0.01
