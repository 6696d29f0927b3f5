"""Translation and rotation. Written by tools/write_examples.py from docs/learn/translation_and_rotation.md: change that page."""

# %% [markdown]
# # Translation and rotation
#
# The laws of a body that moves along a straight line (translation) also hold for a body that rotates about a fixed axis
# (rotation). Only the symbols change.
#
# | along a line | | about an axis | |
# |---|---|---|---|
# | position x | m | angle θ | rad |
# | velocity v = ẋ | m/s | angular velocity ω = θ̇ | rad/s |
# | acceleration a = v̇ | m/s² | angular acceleration α = ω̇ | rad/s² |
# | force f | N | torque τ | N m |
# | mass m | kg | moment of inertia I | kg m² |
# | f = m a | | τ = I α | |
# | momentum P = m v | kg m/s | angular momentum L = I ω | kg m²/s |
# | kinetic energy ½ m v² | J | kinetic energy ½ I ω² | J |
# | work f x | J | work τ θ | J |
# | power f v | W | power τ ω | W |
# | spring k x | k in N/m | spring $k_\theta\,\theta$ | $k_\theta$ in N m/rad |
# | damper c v | c in N s/m | damper $c_\theta\,\omega$ | $c_\theta$ in N m s/rad |
# | m a + c v + k x = f | | $I\alpha + c_\theta\,\omega + k_\theta\,\theta = \tau$ | |
#
# ![A mass and a disc, each with a spring and a damper](../pictures/learn_oscillators.png)
#
# The last row is an oscillator: a mass with a spring and a damper. Both equations have the same form. So a sliding body and a
# rotating body move in the same way when their parameters are equal.

# %%
import matplotlib.pyplot as plt
import numpy as np
import linkwright as lw

slider = (
    lw.Builder("slider", gravity=(0, 0, 0))
    .body("block", mass=2.0)
    .joint("slide", "prismatic", "world", "block", axis=(1, 0, 0), damping=0.5).joint_spring("slide", 8.0)
    .build()
)
wheel = (
    lw.Builder("wheel", gravity=(0, 0, 0))
    .body("disc", mass=5.0, inertia=(1.0, 1.0, 2.0))        # 2 kg m² about z, the axis of the joint
    .joint("axle", "revolute", "world", "disc", axis=(0, 0, 1), damping=0.5).joint_spring("axle", 8.0)
    .build()
)
straight = lw.simulate(slider, [0.3], [0.0], 8.0)           # starts 0.3 m from equilibrium
turning = lw.simulate(wheel, [0.3], [0.0], 8.0)             # starts 0.3 rad from equilibrium
assert np.allclose(straight.q, turning.q, atol=1e-9)

figure, (above, below) = plt.subplots(2, sharex=True, figsize=(7, 4))
above.plot(straight.t, straight.q)
above.set(ylabel="x (m)", title="sliding mass: 2 kg, 8 N/m, 0.5 N s/m")
below.plot(turning.t, turning.q, color="C1")
below.set(ylabel="θ (rad)", xlabel="time (s)", title="rotating disc: 2 kg m², 8 N m/rad, 0.5 N m s/rad")
figure.tight_layout()
figure.savefig("learn_translation_and_rotation.png", dpi=100)

# %% [markdown]
# ![Both oscillate in the same way.](../pictures/learn_translation_and_rotation.png)
#
# ## A lever connects both
#
# A force f perpendicular to a lever of length l gives the torque τ = f l. A mass m at the end of the lever has the moment of
# inertia I = m l². So f = m a at the end of the lever and τ = I α at its axis are equivalent:

# %%
lever = (
    lw.Builder("lever", gravity=(0, 0, 0))
    .body("rod", mass=3.0, center_of_mass=(0.5, 0, 0))      # 3 kg, at 0.5 m from the axis
    .joint("hinge", "revolute", "world", "rod", axis=(0, 0, 1))
    .frame("end", "rod", xyz=(0.5, 0, 0))
    .build()
)
force = [0.0, 6.0, 0.0, 0.0, 0.0, 0.0]                       # 6 N along y at the end, no moment
print(lw.mass_matrix(lever, [0.0]))                         # I = m l² = 0.75 kg m²
print(lw.joint_forces(lever, [0.0], "end", force))          # τ = f l = 3 N m
alpha = lw.forward_dynamics(lever, [0.0], [0.0], [0.0], wrenches={"end": np.array(force)})
assert np.isclose(alpha[0], 3.0 / 0.75)                     # α = τ / I = 4 rad/s²
assert np.isclose(alpha[0] * 0.5, 6.0 / 3.0)                # a = α l = f / m = 2 m/s²

# %% [markdown]
# Next: extended bodies: [parallel axes](parallel_axes.md).
