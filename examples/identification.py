"""Identify an arm that differs from its file, and its payload, from measurements of a motion."""

import numpy as np

import linkwright as lw

believed = lw.load("arm4")
real = believed.with_body("link3", mass=1.4, center_of_mass=(0.25, 0.0, 0.02), inertia=(0.002, 0.03, 0.03))
for joint in real.joints:
    real = real.with_joint(joint.name, damping=0.4, friction=0.3)

motion = lw.exciting_trajectory(believed, period=10.0, friction=True, steps=10)
print(motion, "from", f"{motion.first_condition:.3g}")
q, v, a, _, t = motion.sampled(100.0)
tau = lw.inverse_dynamics(real, q, v, a) - lw.passive_forces(real, q, v)
tau += 0.05 * np.random.default_rng(0).standard_normal(tau.shape)

found = lw.identify(believed, q, v, a, tau, t, friction=True)
print(found)
found.plot("identified_efforts.png")
found.plot_parameters("identified_parameters.png")
found.model.save("identified.urdf")

held = real.with_payload("tool", 0.7, (0.0, 0.05, 0.02), 0.002)
tau = lw.inverse_dynamics(held, q, v, a) - lw.passive_forces(held, q, v)
payload = lw.identify_payload(found.model, "tool", q, v, a, tau)
print(f"in the hand: {payload['payload.m']:.3f} kg")
