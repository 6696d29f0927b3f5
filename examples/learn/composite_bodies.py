"""Composite bodies: the links after a joint as one rigid body. Written by tools/write_examples.py from docs/learn/composite_bodies.md: change that page."""

# %% [markdown]
# # Composite bodies: the links after a joint as one rigid body
#
# The [previous page](mass_matrix.md) computed the mass matrix column by column. A faster method uses one observation: where
# one joint alone accelerates, all other joints keep their angles. So all links after this joint move as *one rigid body*, the
# composite body of the joint (Walker and Orin 1982).
#
# ![Joint 5 alone accelerates. The required force is transmitted to the root, joint by joint.](../pictures/inertia_force.gif)
#
# In the picture joint 5 accelerates by 1 rad/s². Links 5 and 6 (blue) move as one body of 1.6 kg. This needs a force f (red)
# and a moment n (green) at joint 5. The joints nearer to the root transmit the same force. The moment differs because the
# lever arm is longer.
#
# ## Composite inertias from the tips to the root
#
# A composite body has a mass, a center of mass and an inertia. The last links are their own composite bodies. The composite
# body of any other link is the sum of this link and the composite bodies of its children, by the
# [parallel axis theorem](parallel_axes.md). For example:

# %%
import numpy as np
import linkwright as lw
from linkwright.visual.inertia import animate_inertia


def tree():
    """Return two links in series, with two arms of two links each on the second: six hinges in a plane."""
    builder = lw.Builder("tree", gravity=(0.0, -9.81, 0.0))
    parents, lengths = ("world", "link1", "link2", "link3", "link2", "link5"), (0.5, 0.5, 0.4, 0.4, 0.4, 0.4)
    for k, (parent, length) in enumerate(zip(parents, lengths), start=1):
        mass = 2.0 * length
        moment = mass * length**2 / 12
        builder.body(f"link{k}", mass, [length / 2, 0, 0], [0.0, moment, moment])
        at = {"world": 0.0, "link1": 0.5, "link2": 0.5}.get(parent, 0.4)
        builder.joint(f"joint{k}", "revolute", parent, f"link{k}", xyz=[at, 0, 0])
        builder.frame(f"tip{k}", f"link{k}", xyz=[length, 0, 0])
    return builder.build()


robot = tree()
q = np.radians([80.0, 20.0, 50.0, 35.0, -75.0, -30.0])
mass, center, inertia = lw.composite_inertia(robot, q, "link5")      # in the axes of link5
assert np.isclose(mass, 1.6)                                         # links 5 and 6
animate_inertia(robot, q, "force", "inertia_force.gif")              # the picture above

# %% [markdown]
# ## From a composite body to a column
#
# Let z be the axis of joint i, and p the vector from joint i to the center of mass of its composite body. An acceleration of
# 1 rad/s² about z needs
#
# $$f = m\,(z \times p), \qquad n = I z + p \times f$$
#
# At a joint j nearer to the root the force is the same, and the moment is n + r × f, where r is the vector from joint j to
# joint i. Its component along the axis of joint j is the entry of the matrix. The whole method in Python:

# %%
def mass_matrix(model, q):
    M = np.zeros((model.nv, model.nv))
    for i, body in enumerate(model.bodies):
        m, center, inertia = lw.composite_inertia(model, q, body.name)
        T = lw.pose(model, q, body.name)
        R, origin, z = T[:3, :3], T[:3, 3], T[:3, 2]
        p = R @ center
        f = m * np.cross(z, p)
        n = R @ inertia @ R.T @ z + np.cross(p, f)
        for j in model.path(i):                                      # from the root to joint i
            to = lw.pose(model, q, model.bodies[j].name)
            M[j, i] = M[i, j] = to[:3, 2] @ (n + np.cross(origin - to[:3, 3], f))
    return M


assert np.allclose(mass_matrix(robot, q), lw.mass_matrix(robot, q))

# %% [markdown]
# Joints on different arms are not on a common path to the root. Their entries are zero.
#
# `lw.mass_matrix` does the same for every joint type. For a comparison of all methods, see
# [inertia and momentum](../topics/mechanisms/inertia.md). Next: [from accelerations to a motion](simulation.md).
