"""Why ω cannot be integrated. Written by tools/write_examples.py from docs/learn/orientation.md: change that page."""

# %% [markdown]
# # Why ω cannot be integrated
#
# The integral of a linear velocity is a displacement: the integral of the velocity along x is the distance moved along x. The
# angular velocity ω also has three components, about x, y and z. But their integrals do not determine the orientation of
# the body.
#
# Try it with your phone. Lay it flat. Rotate it by 90° about the axis to the right (x), then by 90° about the axis away
# from you (y). Put it back, and repeat the rotations in the opposite order. The final orientations differ, although the
# phone was rotated by 90° about x and by 90° about y both times.

# %%
import matplotlib.pyplot as plt
import numpy as np
import linkwright as lw

half = np.pi / 2
x_first = lw.rotation.about("y", half) @ lw.rotation.about("x", half)    # the first rotation is on the right
y_first = lw.rotation.about("x", half) @ lw.rotation.about("y", half)
assert not np.allclose(x_first, y_first)


def integrated(rotations, steps=1000):
    """Return the integral of ω over rotations of one second each, and the final orientation."""
    sum_of_w, R = np.zeros(3), np.eye(3)
    for w in rotations:
        for _ in range(steps):
            sum_of_w = sum_of_w + np.array(w) / steps
            R = lw.rotation.exp(np.array(w) / steps) @ R                # rotate by a small angle about world axes
    return sum_of_w, R


sum_a, R_a = integrated([(half, 0, 0), (0, half, 0)])
sum_b, R_b = integrated([(0, half, 0), (half, 0, 0)])
assert np.allclose(sum_a, sum_b)                                        # the same integral of ω,
assert np.allclose(R_a, x_first)
assert np.allclose(R_b, y_first)                                        # different orientations
print(np.degrees(np.linalg.norm(lw.rotation.log(R_a.T @ R_b))))         # 120° apart

figure = plt.figure(figsize=(8, 3))
for k, (title, R) in enumerate((("at the start", np.eye(3)), ("x, then y", R_a), ("y, then x", R_b)), 1):
    axes = figure.add_subplot(1, 3, k, projection="3d")
    for j, color in enumerate(("tab:red", "tab:green", "tab:blue")):
        axes.quiver(0, 0, 0, *R[:, j], color=color, linewidth=2)
        axes.text(*(1.4 * R[:, j]), "xyz"[j], color=color, ha="center", va="center")
    axes.set(title=title, xlim=(-1, 1), ylim=(-1, 1), zlim=(-1, 1), xticklabels=[], yticklabels=[], zticklabels=[])
figure.tight_layout()
figure.savefig("learn_orientation.png", dpi=100)

# %% [markdown]
# ![A frame at the start, and after the same two rotations in both orders.](../pictures/learn_orientation.png)
#
# So ω is not the time derivative of any three coordinates. There are three alternatives:
#
# - **Integrate the rotation itself**, in small steps, as `integrated` does above: R at the next step is
#   exp(ω h) R. The result is always a rotation.
# - **Use coordinates and their time derivatives.** The time derivatives of Euler angles are not ω. A matrix that depends on
#   the angles maps one to the other (`lw.analytical_jacobian`). At some orientations this matrix is singular: gimbal lock.
# - **Use unit quaternions**: four numbers with norm 1. They have no gimbal lock.
#
# Linkwright stores the orientation of spherical and free joints as a quaternion in `q`, and the angular velocity in `v`.
# For these joints `v` is not the time derivative of `q`, and the lengths differ: four numbers and three. `lw.integrate`
# computes the next configuration for every joint type:

# %%
satellite = (
    lw.Builder("satellite", gravity=(0, 0, 0))
    .body("satellite", mass=10.0, inertia=(1.0, 2.0, 3.0))
    .joint("root", "spherical", "world", "satellite")
    .build()
)
print(satellite.nq, satellite.nv)                                       # 4 and 3
q = satellite.neutral()                                                 # the quaternion (1, 0, 0, 0)
for w in ((half, 0, 0), (0, 0, -half)):                                 # about the axes of the body itself
    q = lw.integrate(satellite, q, w)
assert np.isclose(np.linalg.norm(q), 1.0)

# %% [markdown]
# Next: [forces at rest](statics.md).
