"""S1.1: articulated bodies, their joins and the trees of assembly."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import linkwright as lw
from linkwright.spatial.arrays import Array
from linkwright_gallery.drawing import (
    BLUE,
    INK,
    PURPLE,
    RED,
    arrow,
    figure,
    image,
    written,
)
from linkwright_gallery.exhibit import (
    Remark,
    derived,
    formula,
    known,
    stated,
)
from linkwright_gallery.experiments.pictures import draw_trees, published_trees


def articulated_bodies() -> Iterator[Remark]:
    """V̇ = Φ F + B, what joins make of it, and the tree of joins."""
    builder = lw.Builder("body", gravity=(0, 0, 0)).body("b", 2.0, (0.1, 0.2, 0.3), np.diag([0.1, 0.2, 0.25]))
    body = builder.joint("j", "free", "world", "b").build()
    rng = np.random.default_rng(0)
    q, v, F = body.random(seed=0), rng.normal(size=6), rng.normal(size=6)
    response, bias = lw.frame_responses(body, q, v, np.zeros(6), ("b",))
    a = lw.forward_dynamics(body, q, v, np.zeros(6), {"b": F})
    yield formula("V̇ = Φ F + B of a rigid body", response @ F + bias, lw.acceleration(body, q, v, a, "b"), digits=3)
    R = lw.pose(body, q, "b")[:3, :3]
    turn = np.kron(np.eye(2), R)
    given = np.linalg.inv(turn @ lw.locked_inertia(body, q, "b") @ turn.T)
    yield formula("Φ = I⁻¹ of a rigid body", given, response)
    chain = lw.load("chain3d:4")
    q, v, tau = chain.random(seed=1), rng.normal(size=chain.nv), rng.normal(size=chain.nv)
    handles = (chain.bodies[0].name, "tip")
    response, bias = lw.frame_responses(chain, q, v, tau, handles)
    F = rng.normal(size=12)
    a = lw.forward_dynamics(chain, q, v, tau, {handles[0]: F[:6], handles[1]: F[6:]})
    ours = np.concatenate([lw.acceleration(chain, q, v, a, name) for name in handles])
    yield formula("V̇ = Φ F + B of four links with two handles", response @ F + bias, ours, digits=3)
    yield derived("the same Φ, by a join of two pieces of two links", joined(chain, q), response)
    level = published_trees()["ADA of eight links (Fig 2)"]
    for step, joints in enumerate(((1, 3, 5, 7), (2, 6), (4,)), start=1):
        ours_now = [join.joint for n, join in enumerate(level.joins, len(level.blocks)) if level.level_of[n] == step]
        what = f"Fig 2: joints that are joined in step {step}"
        if step == 1:
            yield known(f"{what}, which follows from the other steps", joints, sorted(ours_now), digits=0)
        else:
            yield stated(what, joints, sorted(ours_now), digits=0)


def draw_articulated_bodies(path: Path) -> Path:
    """Fig 1: a rigid body, and two on a joint; beneath it the trees of Figs 2 and 3."""
    from PIL import Image

    made = figure(12.4, 10.2)
    above, below = np.asarray(made.subfigures(2, 1, height_ratios=[3.2, 7.0]))
    single, pair, tree = above.subplots(1, 3, width_ratios=[1.0, 1.5, 0.8])
    force = np.array([1.0, 2.6, 0.0])
    alone, alone_q = _bars(1)
    moved = _pulled(alone, alone_q, force)[0]
    _draw_bars(single, alone, alone_q)
    _draw_pull(single, alone, alone_q, force, moved)
    _schematic(single, "Fig 1 (a): a rigid body B, V̇ = Φ F + B")
    two, q = _bars(2)
    found_now, across = _pulled(two, q, force)
    _draw_bars(pair, two, q)
    _draw_pull(pair, two, q, force, found_now)
    handle, hinge = lw.pose(two, q, "handle")[:2, 3], lw.pose(two, q, "b2")[:2, 3]
    arrow(pair, handle, SHOWN * moved, BLUE_PALE, width=1.4)
    for sign, name in ((1.0, "f"), (-1.0, "−f")):
        arrow(pair, hinge, 0.5 * sign * across[:2], PURPLE, name, beside=(-6.0, -14.0) if sign > 0 else (6.0, 2.0))
    pair.plot(*hinge, "o", ms=10, mfc="white", mec=INK, mew=2, zorder=5)
    _schematic(pair, "Fig 1 (b): B and B′ on a joint are an articulated body A")
    for x, word in ((0.0, "B"), (1.0, "B′")):
        tree.plot([x, 0.5], [0.0, 1.0], color=RED, linewidth=2, zorder=1)
        tree.text(x, 0.0, word, ha="center", va="center", bbox={"boxstyle": "round", "fc": "white", "ec": INK})
    tree.text(0.5, 1.0, "A", ha="center", va="center", bbox={"boxstyle": "circle", "fc": "white", "ec": RED})
    tree.text(0.5, 0.5, "the joint", ha="center", va="center", fontsize=9, color=RED)
    tree.set_xlim(-0.4, 1.4)
    tree.set_ylim(-0.4, 1.4)
    tree.set_title("its tree: one join", fontsize=10)
    tree.axis("off")
    with (
        tempfile.TemporaryDirectory() as folder,
        Image.open(draw_trees(published_trees(), Path(folder) / "trees.png")) as drawn,
    ):
        image(below.subplots(), np.array(drawn.convert("RGB")))
    return written(path, made)


SHOWN = 0.16
"""m of an arrow for 1 m/s² or 1 N"""
BLUE_PALE = "#9CC7E4"


def _bars(count: int) -> tuple[lw.Model, Array]:
    """One or two bars that float in the plane, a handle at the first one's free end; and a posture."""
    builder = lw.Builder("bars", gravity=(0, 0, 0))
    for k in range(1, count + 1):
        builder.body(f"b{k}", 1.0, (0.5, 0.0, 0.0), np.diag([0.01, 1 / 12, 1 / 12]))
        if k == 1:
            builder.joint("j1", "planar", "world", "b1")
        else:
            builder.joint(f"j{k}", "revolute", f"b{k - 1}", f"b{k}", axis=(0, 0, 1))
    builder.frame("handle", "b1", xyz=(1.0, 0.0, 0.0))
    q = np.array([0.0, 0.0, 0.35, *([np.pi - 0.9] * (count - 1))])
    return builder.build(), q


def _pulled(model: lw.Model, q: Array, force: Array) -> tuple[Array, Array]:
    """The handle's acceleration (3,) where a force (3,) acts on it, and what the joint then does to the first bar."""
    rest = np.zeros(model.nv)
    a = lw.forward_dynamics(model, q, rest, rest, {"handle": np.concatenate([force, np.zeros(3)])})
    middle = lw.pose(model, q, "b1") @ [0.5, 0.0, 0.0, 1.0]
    whole = lw.acceleration(model, q, rest, a, "b1")
    arm = middle[:3] - lw.pose(model, q, "b1")[:3, 3]
    across = whole[:3] + np.cross(whole[3:], arm) - force  # of 1 kg: what acts on it beside the force
    return np.asarray(lw.acceleration(model, q, rest, a, "handle")[:3]), across


def _draw_bars(axes: Any, model: lw.Model, q: Array) -> None:
    for k, body in enumerate(model.bodies):
        ends = (lw.pose(model, q, body.name) @ np.array([[0.0, 1.0], [0, 0], [0, 0], [1, 1]]))[:2]
        axes.plot(*ends, color="#D9E3EC", linewidth=26, solid_capstyle="round", zorder=1)
        axes.text(
            *(ends @ [0.5 - 0.3 * k, 0.5 + 0.3 * k]),
            ("B", "B′")[k],
            ha="center",
            va="center",
            fontsize=12,
            color=INK,
            zorder=4,
        )


def _draw_pull(axes: Any, model: lw.Model, q: Array, force: Array, moved: Array) -> None:
    handle = lw.pose(model, q, "handle")[:2, 3]
    axes.plot(*handle, "o", ms=7, color=INK, zorder=5)
    arrow(axes, handle, SHOWN * force, RED, "F")
    arrow(axes, handle, SHOWN * moved, BLUE, "V̇")


def _schematic(axes: Any, title: str) -> None:
    axes.set_aspect("equal")
    axes.margins(0.16)
    axes.set_title(title, fontsize=10)
    axes.axis("off")


def joined(chain: lw.Model, q: Array) -> Array:
    """Φ (12, 12) of the ends of a floating chain of four: two halves, joined by the hinge between them.

    With P = Φ_yy + Φ_y′y′ at the hinge and T the directions that it holds, W = −T (Tᵀ P T)⁻¹ Tᵀ and
    Φ_hk ← Φ_hk + D_h W D_kᵀ.
    """
    places = [lw.pose(chain, q, body.name) for body in chain.bodies]
    tip, hinge = lw.pose(chain, q, "tip"), places[2][:3, 3]
    axes = lw.jacobian(chain, q, "tip")[3:, 6:].T  # of the three hinges
    near = _floating(places[:2], chain.bodies[:2], [places[0][:3, 3], hinge], axes[0])
    far = _floating(places[2:], chain.bodies[2:], [hinge, tip[:3, 3]], axes[2])
    _, _, directions = np.linalg.svd(axes[1:2])
    T = np.zeros((6, 5))
    T[:3, :3], T[3:, 3:] = np.eye(3), directions[1:].T
    P = near[6:, 6:] + far[:6, :6]
    W = -T @ np.linalg.inv(T.T @ P @ T) @ T.T
    D = np.vstack([-near[:6, 6:], far[6:, :6]])
    kept = np.zeros((12, 12))
    kept[:6, :6], kept[6:, 6:] = near[:6, :6], far[6:, 6:]
    whole: Array = kept + D @ W @ D.T
    return whole


def _floating(places: list[Array], bodies: Sequence[Any], ends: list[Array], axis: Array) -> Array:
    """Φ (12, 12) of two bodies that a hinge joins, at two points: Jacobians of bodies by hand, J M⁻¹ Jᵀ."""
    columns = 7  # 6 of the base, at the first place, and the hinge
    base, hinge = places[0][:3, 3], places[1][:3, 3]

    def jacobian(point: Array, moved: bool) -> Array:
        J = np.zeros((6, columns))
        J[:3, :3], J[3:, 3:6] = np.eye(3), np.eye(3)
        J[:3, 3:6] = -lw.rotation.skew(point - base)
        if moved:
            J[:3, 6], J[3:, 6] = np.cross(axis, point - hinge), axis
        return J

    M = np.zeros((columns, columns))
    for k, (body, T) in enumerate(zip(bodies, places, strict=True)):
        J = jacobian(T[:3, :3] @ body.center_of_mass + T[:3, 3], k > 0)
        M += body.mass * J[:3].T @ J[:3] + J[3:].T @ T[:3, :3] @ body.inertia @ T[:3, :3].T @ J[3:]
    J = np.vstack([jacobian(ends[0], False), jacobian(ends[1], True)])
    response: Array = J @ np.linalg.solve(M, J.T)
    return response
