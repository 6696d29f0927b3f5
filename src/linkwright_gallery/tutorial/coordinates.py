"""S3, chapters 1 and 2: rotations, frames, turns about any axis."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

import linkwright as lw
from linkwright.spatial.arrays import Array
from linkwright_gallery.drawing import BLUE, CYCLE, GRAY, RED, figure, written
from linkwright_gallery.exhibit import Erratum, Exhibit, Remark, formula, found, known, printed, said


def rotate_x(t: float) -> Array:
    """The tutorial's RotateX."""
    c, s = np.cos(t), np.sin(t)
    return np.array([[1, 0, 0], [0, c, -s], [0, s, c]])


def rotate_y(t: float, as_printed: bool = False) -> Array:
    """Its RotateY, as in chapter 2; in both programs of chapter 1 another is printed."""
    c, s = np.cos(t), np.sin(t)
    return np.array([[c, s, 0], [-s, 1, 0], [0, 0, c]] if as_printed else [[c, 0, s], [0, 1, 0], [-s, 0, c]])


def rotate_z(t: float) -> Array:
    """Its RotateZ."""
    c, s = np.cos(t), np.sin(t)
    return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])


# S3.1

POSTURE = np.array([0.4, 0.6, -0.8, 0.3])


def coordinates() -> Iterator[Remark]:
    """Rotations about x, y and z, poses, their inverses, and the chain rule."""
    t = 0.3
    for axis, given in (("x", rotate_x(t)), ("y", rotate_y(t)), ("z", rotate_z(t))):
        yield formula(f"Rotate{axis.upper()}(0.3)", given, lw.rotation.about(axis, t), digits=4)
    yield Erratum(
        "RotateY, in both programs",
        "[c s 0; -s 1 0; 0 0 c]",
        "[c 0 s; 0 1 0; -s 0 c], as chapter 2 has it",
        "RotateY(0.3)",
        rotate_y(t, as_printed=True),
        rotate_y(t),
        lw.rotation.about("y", t),
        digits=4,
    )
    det = float(np.linalg.det(rotate_y(t, as_printed=True)))
    yield found("what is printed is not a rotation: its determinant is not 1", abs(det - 1.0) > 1e-3)
    R, p = rotate_z(0.5) @ rotate_x(0.2), np.array([0.1, 0.2, 0.3])
    T = np.block([[R, p[:, None]], [np.zeros(3), 1.0]])
    shift, turn = np.eye(4), np.eye(4)
    shift[:3, 3], turn[:3, :3] = p, R
    yield formula("T = [R p; 0 1]", T, lw.transform.make(R, p))
    yield formula("translation times rotation", shift @ turn, lw.transform.make(R, p))
    inverse = np.block([[R.T, -(R.T @ p)[:, None]], [np.zeros(3), 1.0]])
    yield formula("T⁻¹ = [Rᵀ, −Rᵀp; 0 1]", inverse, lw.transform.inverse(T))
    yield formula("T T⁻¹ = 1", np.eye(4), T @ lw.transform.inverse(T), digits=3)
    arm = lw.load("arm4")
    frames = lw.pose(arm, POSTURE, ["link1", "link2", "link3", "link4", "tool"])
    steps = [frames[0], *(np.linalg.inv(frames[k]) @ frames[k + 1] for k in range(4))]
    chained = np.linalg.multi_dot(steps)
    yield formula("chain rule: ⁰T₁ ¹T₂ ²T₃ ³T₄ ⁴T_hand of an arm", chained, frames[-1])
    given = np.linalg.inv(frames[2]) @ frames[3]
    yield formula("³T₄ = (⁰T₃)⁻¹ ⁰T₄", given, lw.pose(arm, POSTURE, "link4", relative_to="link3"))


def draw_coordinates(path: Path) -> Path:
    """The frames Σ0 to Σ4 of an arm in space."""
    made = figure(7.0, 5.0)
    axes = made.add_subplot(projection="3d")
    arm = lw.load("arm4")
    names = ["world", "link1", "link2", "link3", "link4", "tool"]
    frames = lw.pose(arm, POSTURE, names)
    axes.plot(*frames[:, :3, 3].T, color=GRAY, linewidth=5, solid_capstyle="round")
    for k, T in enumerate(frames):
        for axis, color in enumerate(("#C0392B", "#2E8B57", "#2C5FA8")):
            axes.quiver(*T[:3, 3], *(0.13 * T[:3, axis]), color=color, linewidth=2)
        if k != 1:  # Σ1 lies in Σ0, turned
            label = "Σ0, Σ1" if k == 0 else "hand" if k == 5 else f"Σ{k}"
            axes.text(*(T[:3, 3] + [0.0, 0.0, -0.08]), label, fontsize=11)
    axes.set_xlabel("x (m)")
    axes.set_ylabel("y (m)")
    axes.set_zlabel("z (m)")
    axes.set_box_aspect((1.0, 0.6, 0.6))
    axes.set_xlim(0.0, 1.0)
    axes.set_ylim(-0.1, 0.5)
    axes.set_zlim(0.0, 0.6)
    axes.set_xticks([0.2, 0.4, 0.6, 0.8])  # those at the ends would meet at the corner
    axes.set_yticks([0.0, 0.2, 0.4])
    axes.set_zticks([0.0, 0.2, 0.4, 0.6])
    axes.set_title("frames of an arm: x red, y green, z blue", fontsize=10)
    return written(path, made)


# S3.2

PRINTED_TURN = np.array([[0.5, -0.86603, 0.0], [0.86603, 0.5, 0.0], [0.0, 0.0, 1.0]])
"""about z by π/3, with the tutorial's five decimals"""


def rodrigues(a: Array, t: float) -> Array:
    """1 + [a]× sin t + [a]×² (1 − cos t)"""
    cross = lw.rotation.skew(a)
    turned: Array = np.eye(3) + cross * np.sin(t) + cross @ cross * (1.0 - np.cos(t))
    return turned


def exponential(X: Array) -> Array:
    """expm: the series of the exponential of a matrix, X at most a few."""
    total, term = np.eye(len(X)), np.eye(len(X))
    for k in range(1, 40):
        term = term @ X / k
        total = total + term
    return total


def any_axis() -> Iterator[Remark]:
    """Rodrigues' formula, the exponential, quaternions."""
    z, third = np.array([0.0, 0.0, 1.0]), np.pi / 3.0
    yield printed("z, π/3: expm", PRINTED_TURN, exponential(lw.rotation.skew(z) * third), digits=5)
    yield printed("z, π/3: Rodrigues", PRINTED_TURN, rodrigues(z, third), digits=5)
    yield printed("z, π/3: RotateZ", PRINTED_TURN, rotate_z(third), digits=5)
    yield printed("z, π/3: linkwright.rotation.about", PRINTED_TURN, lw.rotation.about("z", third), digits=5)
    a = np.array([1.0, 2.0, 2.0]) / 3.0
    yield formula("any axis, (1, 2, 2)/3 by 1.1: Rodrigues", rodrigues(a, 1.1), lw.rotation.about(a, 1.1))
    yield formula("the same: expm", exponential(lw.rotation.skew(1.1 * a)), lw.rotation.exp(1.1 * a))
    for name, matrix in (("x", rotate_x), ("y", rotate_y), ("z", rotate_z)):
        axis = np.eye(3)["xyz".index(name)]
        exact = all(np.allclose(matrix(t), rodrigues(axis, t), atol=1e-15) for t in np.linspace(-3, 3, 7))
        yield said(f"about {name} Rodrigues' formula is Rotate{name.upper()}", exact)
    given, u = (0.866025, 0.0, 0.0, 0.5), lw.quaternion.about("z", third)
    yield known("z, π/3 as a quaternion (w, x, y, z), of which the tutorial has a heading only", given, u)
    yield printed(
        "(1, 0, 0) turned by that quaternion: the first column",
        PRINTED_TURN[:, 0],
        lw.quaternion.rotate(u, [1, 0, 0]),
        5,
    )


def draw_any_axis(path: Path) -> Path:
    "A vector rotated about an axis by 0, π/3 and 2π/3."
    made = figure(6.0, 4.6)
    axes = made.add_subplot(projection="3d")
    a, start = np.array([1.0, 2.0, 2.0]) / 3.0, np.array([0.9, 0.1, 0.1])
    angles = np.linspace(0.0, 2.0 * np.pi, 121)
    ring = np.array([lw.rotation.about(a, t) @ start for t in angles])
    axes.plot(*ring.T, color=GRAY, linewidth=1)
    axes.quiver(0, 0, 0, *a, color="black", linewidth=3)
    axes.text(*(1.05 * a), "a", fontsize=12)
    for k, (t, color) in enumerate(zip((0.0, np.pi / 3, 2 * np.pi / 3), (BLUE, RED, CYCLE[2]), strict=True)):
        turned = rodrigues(a, t) @ start
        axes.quiver(0, 0, 0, *turned, color=color, linewidth=2, arrow_length_ratio=0.12)
        away = np.array([0.0, -0.08, -0.08]) if k == 0 else 0.15 * turned
        axes.text(*(turned + away), ("0", "π/3", "2π/3")[k], color=color, fontsize=11)
    axes.view_init(elev=25.0, azim=10.0)
    axes.set_title("a vector turned about the axis a, by Rodrigues' formula", fontsize=10)
    axes.set_xlim(-0.3, 1.0)
    axes.set_ylim(-0.3, 1.0)
    axes.set_zlim(-0.3, 1.0)
    for ticks in (axes.set_xticks, axes.set_yticks, axes.set_zticks):
        ticks([0.0, 0.4, 0.8])  # those at the ends would meet at the corner
    axes.set_box_aspect((1, 1, 1))
    axes.set(xlabel="x", zlabel="z", xticks=[0.0, 0.5], yticks=[0.0, 0.5])
    axes.set_ylabel("y", labelpad=-3)
    return written(path, made)


EXHIBITS = (
    Exhibit(
        "S3.1",
        "coordinates",
        "Coordinates",
        "chapter 1",
        "RotateZ, RotateX and RotateY; poses T = [R p; 0 1] as translation times rotation; T⁻¹ entry by entry; T T⁻¹ "
        "= 1; the chain rule; frames Σ0 to Σ4, and ³T₄ = (⁰T₃)⁻¹ ⁰T₄.",
        coordinates,
        draw_coordinates,
        "The frames of an arm with four joints.",
        """import numpy as np
import linkwright as lw

R = lw.rotation.about("z", 0.5) @ lw.rotation.about("x", 0.2)
T = lw.transform.make(R, [0.1, 0.2, 0.3])
assert np.allclose(T @ lw.transform.inverse(T), np.eye(4))
arm = lw.load("arm4")
print(lw.pose(arm, [0.4, 0.6, -0.8, 0.3], "link4", relative_to="link3"))    # ³T₄""",
        (("kinematics", "topics/mechanisms/kinematics.md"),),
    ),
    Exhibit(
        "S3.2",
        "any_axis",
        "Rotations about any axis",
        "chapter 2",
        "Rodrigues' formula is the exponential of a×θ; with symbols it is RotateX, RotateY and RotateZ. For a "
        "rotation about z by π/3 the tutorial prints one matrix by three methods. For quaternions there is a heading "
        "only.",
        any_axis,
        draw_any_axis,
        "A vector rotated about an axis by 0, π/3 and 2π/3.",
        """import numpy as np
import linkwright as lw

R = lw.rotation.about("z", np.pi / 3)
print(R.round(5))              # [[0.5 -0.86603 0] [0.86603 0.5 0] [0 0 1]]
assert np.allclose(R, lw.rotation.exp([0, 0, np.pi / 3]))
assert np.allclose(R, lw.rotation.from_quaternion(lw.quaternion.about("z", np.pi / 3)))""",
        (("kinematics", "topics/mechanisms/kinematics.md"),),
    ),
)
