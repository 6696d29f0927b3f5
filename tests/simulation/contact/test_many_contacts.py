"""Mechanisms with many shapes: contact points in loops over pairs, the same steps as the book, and little code."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import linkwright as lw
from linkwright import dynamics
from linkwright.dynamics.contact.looped_points import looped_points
from linkwright.dynamics.contact.placed_shapes import bounding_box, bounding_sphere, points_between
from linkwright.dynamics.contact.points import contact_points
from linkwright.dynamics.contact.shapes.manifold_reduction import PointList, VertexList, reduced_manifold
from linkwright.dynamics.contact.shapes.pairs import candidates
from linkwright.dynamics.impulses import constraints as constraints_module
from linkwright.dynamics.impulses.constraints import contact_constraints, contact_rows
from linkwright.dynamics.kinematics import body_poses
from linkwright.model.parts.shape import Shape
from linkwright.simulation.integrators import constrained_step as constrained_step_module
from linkwright.simulation.integrators.constrained_step import constrained_step, constraints_of
from linkwright.spatial.loops import entry_table
from linkwright.spatial.rotation import rotation_rpy
from shortened import long_form

KINDS = ["sphere", "capsule", "cylinder", "box", "ellipsoid", "mesh"]
H = 2e-3


def shape_of(kind: str, rng: np.random.Generator) -> dict[str, Any]:
    """Return the sizes of a random shape; meshes have 5 to 40 vertices."""
    if kind == "mesh":
        vertices = rng.normal(size=(rng.integers(5, 40), 3)) * rng.uniform(0.05, 0.2, 3)
        return {"vertices": vertices, "faces": np.array([[0, 1, 2], [0, 2, 3], [0, 3, 1], [1, 3, 2]])}
    if kind in ("box", "ellipsoid"):
        return {"size": tuple(rng.uniform(0.1, 0.4, 3))}
    sizes = {"radius": float(rng.uniform(0.04, 0.12))}
    return sizes if kind == "sphere" else sizes | {"length": float(rng.uniform(0.1, 0.4))}


def crawler(
    kinds: list[str],
    seed: int,
    count: int = 24,
    mimic: bool = False,
    loop: str | None = None,
    ground: dict[str, Any] | None = None,
) -> Any:
    """Return a floating chain of six links with ``count`` shapes, all over the ground."""
    chain, rng = lw.load("chain3d:5"), np.random.default_rng(seed)
    names, shapes = [body.name for body in chain.bodies], []
    for k in range(count):
        T = lw.transform.make(rotation_rpy(rng.uniform(-3.0, 3.0, 3)), 0.2 * rng.normal(size=3))
        kind = kinds[k % len(kinds)]
        shapes.append(Shape(names[k % len(names)], kind, T, friction=0.6, **shape_of(kind, rng)))
    builder = lw.Builder(chain)
    if mimic:
        first, second = [joint.name for joint in chain.joints if joint.motion.nv == 1][:2]
        builder = builder.mimic(second, first, multiplier=-0.7, offset=0.1)
    if loop is not None:
        builder = builder.loop("closing", loop, names[0], names[3], xyz=(0.3, 0.2, 0.1))
    model = replace(builder.build(), shapes=tuple(shapes))
    return model.with_ground(**(ground or {"height": -0.2, "normal": (0.1, -0.2, 1.0)}))


def states(model: Any, rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Return random states; some are high above the ground, in some only a part touches it, some are very fast."""
    rng = np.random.default_rng(5)
    q = np.stack([dynamics.integrate(model, model.neutral(), 0.3 * x) for x in rng.normal(size=(rows, model.nv))])
    q[::4, 2] += 2.0
    q[1::4, 2] += 0.4
    v = rng.normal(size=(rows, model.nv)) - np.eye(model.nv)[2]
    v[2::4] *= 60.0  # far within a step: rows of contacts at its end replace those at its beginning, in some lanes
    return q, v


def tangle(kinds: list[str], seed: int) -> Any:
    """Return a floating chain whose links touch each other and the ground."""
    return crawler(kinds, seed, 8 if "box" in kinds else 18).with_contact(exclude_overlapping=False)


MODELS = {
    **{kind: ([kind], {}) for kind in KINDS},
    "all kinds": (KINDS, {}),
    "with a mimic joint": (["mesh", "sphere"], {"mimic": True}),
    "with a closed loop": (["mesh", "sphere"], {"loop": "ball"}),
    "on a height field": (
        ["sphere", "box", "cylinder", "capsule"],
        {"ground": {"heights": 0.05 * np.cos(np.arange(63.0)).reshape(7, 9), "size": (6.0, 6.0)}},
    ),
}


def compiled_and_book(
    model: Any, solver: lw.Solver, rows: int, rtol: float, atol: float, alone: bool = False
) -> tuple[np.ndarray, ...]:
    """Return (q, v, p) of compiled steps of several motions, after a comparison with each step of the book.

    ``alone``: whether the bits of each motion are compared with those that it has alone.
    """
    constraints = constraints_of(model, False, solver)
    assert constraints is not None
    size = constraints.size(model)

    def stepped(model: Any, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, ...]:
        return constrained_step(model, q, v, np.zeros(model.nv), H, np.zeros(size), constraints)

    q, v = states(model, rows)
    kernel = lw.compile(stepped, model, v=(model.nv,))
    together: tuple[np.ndarray, ...] = kernel(q, v)
    by_book = {0, 5, 2} if rows == 8 else {1, 2}  # different kinds of states, on different lanes
    for k in range(len(q)):
        if alone:
            assert all(np.array_equal(x[k], y) for x, y in zip(together, kernel(q[k], v[k]), strict=True))
        if k not in by_book:
            continue
        for x, y in zip(together, stepped(model, q[k], v[k]), strict=True):
            assert np.allclose(x[k], y, rtol=rtol, atol=atol)
    return together


@pytest.mark.parametrize("what", MODELS)
def test_steps_with_many_shapes_are_those_of_the_book(what: str) -> None:
    kinds, options = MODELS[what]
    solver = lw.Solver(iterations=5, tolerance=None, position_iterations=3)
    _, _, p = compiled_and_book(crawler(kinds, seed=3, **options), solver, 8, 1e-8, 1e-9)
    assert np.abs(p).max() > 1e-2


@pytest.mark.parametrize("kinds", [["sphere", "capsule"], ["box"], ["cylinder", "sphere"]])
def test_steps_with_contacts_of_links_with_each_other_are_those_of_the_book(kinds: list[str]) -> None:
    model = tangle(kinds, 11)
    assert len(model.pairs) > 20
    solver = lw.Solver(iterations=3, tolerance=None, position_iterations=2)
    compiled_and_book(model, solver, 4, 1e-7, 1e-8, alone=True)


def gaps(model: Any, q: np.ndarray) -> np.ndarray:
    return np.stack([x for own in contact_points(model, body_poses(model, q)) for gap, *_ in own for x in [gap]])


@pytest.mark.parametrize("kind", KINDS)
def test_code_of_points_hardly_grows_with_the_number_of_pairs(kind: str) -> None:
    few, many = (lw.compile(gaps, crawler([kind], 1, count)).program.length for count in (60, 120))
    assert many - few <= 60 * 25  # results and table; a hull by itself takes 5 500


@pytest.mark.parametrize("seed", range(5))
def test_a_list_of_vertices_gives_those_of_a_list(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows, axes = rng.normal(size=(30, 3)), rng.normal(size=(3, 3)) * (0.01, 1.0, 1.0)
    listed = np.array(reduced_manifold(PointList([(*point, point[0]) for point in rows @ axes])))

    def of_symbols(x: np.ndarray) -> np.ndarray:
        offset = np.stack([x[0], 0.0 * x[0], 0.0 * x[0]])
        return np.stack([y for one in reduced_manifold(VertexList(rows, 0.0, 30, offset, axes + x)) for y in one])

    compiled = lw.compile(of_symbols, x=(1,))(np.zeros(1)).reshape(listed.shape)
    whole = np.array(reduced_manifold(VertexList(rows, 0.0, 30, np.zeros(3), axes)))
    assert np.allclose(whole, listed, rtol=0.0, atol=1e-12)
    assert np.allclose(compiled, listed, rtol=0.0, atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_bounding_spheres_and_boxes_contain_the_shapes(kind: str) -> None:
    model = crawler([kind], 7)
    for pair in model.pairs:
        shape = model.shapes[pair.first]
        center, radius = bounding_sphere(shape)
        middle, half = bounding_box(shape)
        for n in np.random.default_rng(0).normal(size=(20, 3)):
            ground = np.eye(4)
            ground[:3, 2] = n = n / np.linalg.norm(n)
            ground[:3, 0] = np.cross(n, np.roll(n, 1)) / np.linalg.norm(np.cross(n, np.roll(n, 1)))
            ground[:3, 1] = np.cross(n, ground[:3, 0])
            gap = min(float(c.gap) for c in candidates(shape, np.eye(4), PLANE, ground))
            assert n @ center - radius <= gap + 1e-9
            assert n @ middle - abs(n) @ half <= gap + 1e-9


PLANE = next(shape for shape in crawler(["sphere"], 0, 1).shapes if shape.kind == "plane")


def test_the_book_has_no_loops() -> None:
    model = crawler(["mesh"], 2)
    poses = body_poses(model, model.neutral())
    assert looped_points(model, model.pairs, poses) is None
    for own, pair in zip(contact_points(model, poses), model.pairs, strict=True):
        for one, other in zip(own, points_between(model, pair, poses), strict=True):
            assert one.gap == other.gap


def above(model: Any, t: Any, q: Any, v: Any) -> Any:
    """End where the body is lower than at the start of most motions, so that lanes end at different steps."""
    return q[2] < 0.1


@pytest.mark.parametrize("reset", ["start", *long_form(None)])
def test_impulses_in_a_row_of_memory_give_the_same_steps(monkeypatch: pytest.MonkeyPatch, reset: str | None) -> None:
    """The same bits, also where lanes end or start again, and with blocks of two constraints that are passed over."""
    solver = lw.Solver(iterations=6, tolerance=1e-6, position_iterations=3)
    method = lw.Integrator("semi_implicit", solver=solver)
    episode = lw.Episode(terminate=above, reset=reset)
    found = []
    for most, block in ((10**9, 16), (1, 2)):
        monkeypatch.setattr(constrained_step_module, "MANY", most)
        monkeypatch.setattr(entry_table, "BLOCK", block)
        model = crawler(["sphere"], 11, 9).with_contact(exclude_overlapping=False)
        q, v = states(model, 11)
        first = lw.rollout(model, q, v, 5, H, every=1, method=method, episode=episode)
        second = lw.rollout(model, first, None, 7, H, every=7, method=method, episode=episode)
        found.append(np.concatenate([np.concatenate([one.q, one.v], axis=-1) for one in (first, second)]))
    assert np.array_equal(found[0], found[1])
    assert np.abs(np.diff(found[0], axis=0)).max() > 0.1


@pytest.mark.parametrize("kinds", [["sphere"], KINDS], ids=["spheres", "all kinds"])
@pytest.mark.parametrize("friction", [{}, {"torsional_friction": 0.1, "rolling_friction": 0.01}, {"friction": 0.0}])
def test_rows_are_counted_without_the_geometry_of_pairs(monkeypatch, kinds, friction):
    model = crawler(kinds, 3, count=9)
    model = replace(model, pairs=tuple(replace(pair, **friction) for pair in model.pairs))
    rows = sum(group.size for group in contact_constraints(model, model.neutral(), np.zeros(model.nv), H))
    assert contact_rows(model) == rows

    def refused(*_: Any) -> Any:
        raise AssertionError("points are computed")

    monkeypatch.setattr(constraints_module, "contact_points", refused)
    constraints = constraints_of(model, False)
    assert constraints is not None
    assert constraints.size(model) == rows
