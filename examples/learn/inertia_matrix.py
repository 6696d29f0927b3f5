"""The inertia matrix, step by step. Written by tools/write_examples.py from docs/learn/inertia_matrix.md: change that page."""

# %% [markdown]
# # The inertia matrix, step by step
#
# H(q) of a mechanism relates accelerations to the efforts of its joints: τ = H q̈ + b. It has one block for each pair of
# joints, is symmetric, and is positive definite where every joint moves mass. This page shows how it is made, with the joints
# standing still and without gravity: these are in b.

# %%
import numpy as np
import linkwright as lw
from linkwright import dynamics

def tree():
    """Two links in a row, and two arms of two links each on the second: six hinges in a plane."""
    builder = lw.Builder("tree")
    parents, lengths = ("world", "link1", "link2", "link3", "link2", "link5"), (0.5, 0.5, 0.4, 0.4, 0.4, 0.4)
    for k, (parent, length) in enumerate(zip(parents, lengths), start=1):
        mass = 2.0 * length
        moment = mass * length**2 / 12
        builder.body(f"link{k}", mass, [length / 2, 0, 0], [0.0, moment, moment])
        at = {"world": 0.0, "link1": 0.5, "link2": 0.5}.get(parent, 0.4)
        builder.joint(f"joint{k}", "revolute", parent, f"link{k}", xyz=[at, 0, 0])
    return builder.build()

robot = tree()
q = np.radians([80.0, 20.0, 50.0, 35.0, -75.0, -30.0])
H = lw.mass_matrix(robot, q)
assert np.allclose(H, H.T) and (np.linalg.eigvalsh(H) > 0.0).all()

# %% [markdown]
# ## By its definition: Jacobians
#
# Each body i has a centre of mass that moves with J_G q̇ and turns with J_A q̇. Its kinetic energy gives
# H = Σ ( m J_Gᵀ J_G + J_Aᵀ I J_A ), with I = R ⁱI Rᵀ the inertia about the centre of mass in world axes.

# %%
def by_jacobians(model, q):
    H = np.zeros((model.nv, model.nv))
    for body in model.bodies:
        T, J = dynamics.pose(model, q, body.name), dynamics.jacobian(model, q, body.name)
        arm = T[:3, :3] @ body.center_of_mass
        J_A = J[3:]
        J_G = J[:3] + np.cross(J_A.T, arm).T          # v + ω × arm, column by column
        H += body.mass * J_G.T @ J_G + J_A.T @ T[:3, :3] @ body.inertia @ T[:3, :3].T @ J_A
    return H

assert np.allclose(by_jacobians(robot, q), H)
assert np.allclose(lw.mass_matrix(robot, q, method="jacobian"), H)

# %% [markdown]
# ## Column by column: unit vectors
#
# Column k is what the inverse dynamics asks for where joint k alone accelerates, by 1:

# %%
weightless, still = robot.with_gravity([0, 0, 0]), np.zeros(robot.nv)
columns = [lw.inverse_dynamics(weightless, q, still, e) for e in np.eye(robot.nv)]
assert np.allclose(np.stack(columns, axis=1), H)
assert np.allclose(lw.mass_matrix(robot, q, method="unit_vector"), H)

# %% [markdown]
# ## Composite rigid bodies
#
# Where joint i alone accelerates, all beyond it moves as one rigid body (Walker and Orin 1982). That composite body has a mass
# mᶜ, a centre of mass p_Gᶜ and an inertia Iᶜ about it. They are found from the tips to the root:
#
# - mᵢᶜ = mᵢ + Σ mⱼᶜ over the bodies j that hang on i. It does not depend on q.
# - mᵢᶜ p_Gᵢᶜ = mᵢ p_Gᵢ + Σ mⱼᶜ p_Gⱼᶜ
# - Iᵢᶜ = Iᵢ − mᵢ [p_Gᵢ − p_Gᵢᶜ]×² + Σ ( Iⱼᶜ − mⱼᶜ [p_Gⱼᶜ − p_Gᵢᶜ]×² ), all in the same axes
#
# (A description of this method prints a plus before mⱼᶜ; it is a minus, as [p]×² is negative.)
#
# ![The bodies merge from the tips](../pictures/inertia_composites.gif)

# %%
m, c, I = lw.composite_inertia(robot, q, "link5")      # in the axes of link5: links 5 and 6 as one
assert np.isclose(m, 1.6)

# %% [markdown]
# A joint moves its body by Z q̈: Z_L is its linear part, Z_A its angular part. With p from joint i to the composite's centre of
# mass the joint must give it
#
# - fᵢ = mᶜ ( Z_L + Z_A × p ),  nᵢ = Iᶜ Z_A + p × fᵢ
#
# At a joint j nearer to the root it is the same force; its moment there has (pᵢ − pⱼ) × fᵢ more. The entries of H are its
# parts along the joints' own motions, H_ji = Z_Lⱼ · f + Z_Aⱼ · nⱼ.
#
# ![One joint accelerates; its force is carried to the root](../pictures/inertia_force.gif)
#
# So H is filled from the diagonal to the row of the root, and mirrored. Joints on different branches have no entry.
#
# ![The order in which the entries are found](../pictures/inertia_order.gif)

# %%
def composite(model, q):
    H = np.zeros((model.nv, model.nv))
    for i in reversed(range(len(model.bodies))):
        mass, center, inertia = dynamics.composite_inertia(model, q, model.bodies[i].name)
        T = dynamics.pose(model, q, model.bodies[i].name)
        z = T[:3, 2]                                   # hinges about z: Z_L = 0, Z_A = z
        p = T[:3, :3] @ center
        f = mass * np.cross(z, p)
        n = T[:3, :3] @ inertia @ T[:3, :3].T @ z + np.cross(p, f)
        for j in reversed(model.path(i)):
            at = dynamics.pose(model, q, model.bodies[j].name)
            H[j, i] = H[i, j] = at[:3, 2] @ (n + np.cross(T[:3, 3] - at[:3, 3], f))
    return H

assert np.allclose(composite(robot, q), H)
assert H[3, 5] == 0.0                                  # links 4 and 6 are on different branches

# %% [markdown]
# The pictures can be made of any tree: `animate_inertia(model, q, story, path)` with the story "composites", "force" or
# "order".

# %%
from linkwright.visual.inertia import animate_inertia

animate_inertia(robot, q, "order", "order.gif")

# %% [markdown]
# ## The same with spatial vectors
#
# Linear and angular parts written as one vector of six make every line above a product. With S = [Z_L; Z_A] in the axes of the
# body and I the 6 × 6 inertia about its origin,
#
# - F = Iᶜ S, H_ii = Sᵀ F, F ← X* F on the way to the parent, H_ji = Sⱼᵀ F
#
# | explicit | spatial |
# |---|---|
# | mᶜ, p_Gᶜ, Iᶜ summed one by one | Iᶜᵢ = Iᵢ + Σ X* Iᶜⱼ X⁻¹: one sum |
# | [m 1, −m [p]×; m [p]×, I − m [p]×²] Z q̈ | Iᶜ S |
# | [R, 0; [p]× R, R] f | X* F |
# | the part along the axis: last or third entry | Sᵀ F |

# %%
def spatial(model, q):
    H = np.zeros((model.nv, model.nv))
    names = [body.name for body in model.bodies]
    Z = np.eye(6)[:, 5:]                               # S of a hinge about z
    for i in reversed(range(len(names))):
        F = dynamics.locked_inertia(model, q, names[i]) @ Z
        for j in reversed(model.path(i)):
            T = np.linalg.inv(dynamics.pose(model, q, names[j])) @ dynamics.pose(model, q, names[i])
            R, (x, y, z) = T[:3, :3], T[:3, 3]
            cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
            X = np.block([[R, np.zeros((3, 3))], [cross @ R, R]])
            H[j, i] = H[i, j] = (Z.T @ X @ F)[0, 0]
    return H

assert np.allclose(spatial(robot, q), H)

# %% [markdown]
# ## Motion subspaces of all joints
#
# In the axes of the moved body, a column for each velocity; the pitch h is in metres a turn.
#
# | joint | velocities | Z_L | Z_A |
# |---|---|---|---|
# | fixed | none | | |
# | revolute | q̇ | 0 | z |
# | prismatic | q̇ | z | 0 |
# | helical | q̇ | h z / 2π | z |
# | cylindrical | ḋ, θ̇ | z, 0 | 0, z |
# | universal (Hooke) | θ̇₁, θ̇₂ | 0, 0 | (−sin θ₂, 0, cos θ₂), y |
# | planar | vx, vy, ω | x, y, 0 | 0, 0, z |
# | spherical | ω | 0 | 1₃ |
# | free (floating) | v, ω | 1₃, 0 | 0, 1₃ |
# | compound | those of its parts | carried to the last | carried to the last |

# %%
x, y, z, none = [1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 0]
table = {
    "revolute": ([none], [z]),
    "prismatic": ([z], [none]),
    "helical": ([np.multiply(0.1 / (2 * np.pi), z)], [z]),
    "cylindrical": ([z, none], [none, z]),
    "universal": ([none, none], [[-np.sin(0.7), 0, np.cos(0.7)], y]),
    "planar": ([x, y, none], [none, none, z]),
    "spherical": ([none] * 3, [x, y, z]),
    "free": ([x, y, z, none, none, none], [none, none, none, x, y, z]),
}
for kind, (linear, angular) in table.items():
    pitch = {"pitch": 0.1} if kind == "helical" else {}
    model = lw.Builder(kind).body("b", 1.0, inertia=1.0).joint("j", kind, "world", "b", **pitch).build()
    q = np.array([0.3, 0.7]) if kind == "universal" else model.neutral()
    S = dynamics.jacobian(model, q, "b", reference="body")
    assert np.allclose(S, np.concatenate([np.transpose(linear), np.transpose(angular)])), kind

# %% [markdown]
# ## What it costs
#
# `benchmarks/inertia_matrix.py` counts and measures the three. "The other two take about twice the time", as that description
# has it, holds for neither in general: see [inertia and momentum](../topics/mechanisms/inertia.md).
