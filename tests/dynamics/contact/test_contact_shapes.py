"""Candidate points of pairs of shapes: against proofs that they are nearest, and laws that hold of every pair."""

from __future__ import annotations

import itertools
from dataclasses import replace
from functools import cache, partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import lsq_linear

import linkwright as lw
from linkwright.compiler.ir.interpreter import interpret
from linkwright.dynamics.contact.shapes.candidate import FAR, ContactCandidate, contact_frame
from linkwright.dynamics.contact.shapes.convex.hull_table import contact_shape, hull_faces, hull_vertices
from linkwright.dynamics.contact.shapes.pairs import SERVED, candidates, points_of
from linkwright.errors import InputError
from linkwright.model.parts.shape import Shape
from linkwright.spatial.rotation import quaternion_from_matrix
from linkwright.spatial.transform import pose_exp
from mechanisms import random_rotation
from shortened import long_form
from touching_shapes import SHAPES, at, is_in, nearest, pose, separation, touch

PAIRS = list(SERVED)
CONVEX = [pair for pair in PAIRS if "height_field" not in pair]
BY_FACES = [("box", "box"), ("cylinder", "box"), ("cylinder", "cylinder")]
CURVED = [
    pair
    for pair in CONVEX
    if "plane" not in pair and ("ellipsoid" in pair or {"mesh", "cylinder"} == {*pair} or pair == ("cylinder",) * 2)
]
"""Pairs whose deep overlaps may have several directions that are nearly as short."""
SETTLED = 1e-4
"""Accuracy of their normals and points: the iteration stops when the gap is known."""

NEAREST = [pair for pair in CONVEX if pair not in BY_FACES and "mesh" not in pair]
"""Pairs of which the nearest candidate is the nearest point; those by faces see to it only where they touch."""

seeds = st.integers(0, 2**32 - 1)


def stacked(T1, T2, first, second) -> tuple[np.ndarray, ...]:
    """The gaps, the points and the normals of the candidates of a pair."""
    found = touch(first, T1, second, T2)
    return tuple(np.stack([getattr(one, name) for one in found]) for name in ContactCandidate._fields)


@cache  # one for all laws
def kernel_of(first, second):
    return lw.compile(partial(stacked, first=first, second=second), T1=(4, 4), T2=(4, 4))


def touch_compiled(first, T1, second, T2) -> list[ContactCandidate]:
    """Return the same from machine code: the book takes up to 0.3 s where it iterates."""
    return [ContactCandidate(*one) for one in zip(*kernel_of(first, second)(T1, T2), strict=True)]


def is_searched(pair) -> bool:
    """Return whether the nearest points of a pair are found by iteration."""
    return bool({"mesh", "ellipsoid"} & {*pair}) and not {"plane", "height_field"} & {*pair}


def poses(pair, seed, reach=0.3):
    rng = np.random.default_rng(seed)
    return pose(rng, reach), pose(rng, 0.05)


# as many as are declared, and of the right form


@pytest.mark.parametrize("pair", PAIRS)
@settings(max_examples=5, deadline=None)
@given(seed=seeds)
def test_as_many_as_told_finite_and_with_unit_normals(pair, seed):
    found = touch(*itertools.chain(*zip(pair, poses(pair, seed), strict=True)))
    assert len(found) == points_of(*pair) == points_of(*reversed(pair))
    for gap, point, normal in found:
        assert np.ndim(gap) == 0
        assert point.shape == normal.shape == (3,)
        assert np.isfinite([gap, *point, *normal]).all()
        assert abs(normal @ normal - 1.0) < 1e-12


@pytest.mark.parametrize("pair", PAIRS)
@settings(max_examples=5, deadline=None)
@given(seed=seeds)
def test_the_other_order_turns_the_normals(pair, seed):
    (a, b), (T1, T2) = pair, poses(pair, seed)
    if a == b:
        x, y = nearest(touch(a, T1, b, T2)), nearest(touch(b, T2, a, T1))
        if pair in CURVED and abs(x.gap) > 0.01:
            return  # where they touch it counts; deeper, several ways out are nearly as short
        assert abs(x.gap - y.gap) < (1e-3 if pair == ("cylinder", "cylinder") else 1e-8)
        if x.gap < FAR and pair not in CURVED:
            np.testing.assert_allclose(x.normal, -y.normal, atol=1e-7)
            np.testing.assert_allclose(x.point, y.point, atol=1e-7)
        return
    for x, y in zip(touch(a, T1, b, T2), touch(b, T2, a, T1), strict=True):
        assert x.gap == y.gap
        assert np.array_equal(x.point, y.point)
        assert np.array_equal(x.normal, -y.normal)


@pytest.mark.parametrize("pair", PAIRS)
@settings(max_examples=5, deadline=None)
@given(seed=seeds)
def test_moving_both_moves_all(pair, seed):
    all_moves(pair, seed)


def test_moving_both_moves_all_where_a_corner_of_the_contact_polygon_is_there_twice():
    all_moves(("cylinder", "mesh"), 247)


@pytest.mark.parametrize("pair", [("capsule", "cylinder"), ("capsule", "box")])
@pytest.mark.parametrize("seed", [106359, *range(20), *long_form(*range(20, 200))])
def test_moving_both_moves_all_where_the_axis_of_a_capsule_is_within(pair, seed):
    all_moves(pair, seed, reach=0.12 if seed < 200 else 0.3)


def distinct(found):
    """Return the candidates without those at the place of an earlier one: rounding decides whether they exist."""
    kept = []
    for one in found:
        again = any(x.gap < FAR and np.abs(x.point - one.point).max() < 1e-6 for x in kept)
        kept.append(one._replace(gap=FAR) if again else one)
    return kept


def all_moves(pair, seed, reach=0.3):
    (a, b), (T1, T2) = pair, poses(pair, seed, reach)
    X = pose(np.random.default_rng(seed + 1), 1.0)
    before, after = touch_compiled(a, T1, b, T2), touch_compiled(a, X @ T1, b, X @ T2)
    if pair in CURVED and pair != ("cylinder", "cylinder"):
        if nearest(before).gap < -0.01:
            return
        before, after = [nearest(before)], [nearest(after)]  # rounding decides whether there are others next to it
    slack = SETTLED if pair in CURVED else 1e-7
    for x, y in zip(before, after, strict=True):
        assert abs(x.gap - y.gap) < (1e-7 if pair in CURVED else 1e-9)
        np.testing.assert_allclose(X[:3, :3] @ x.normal, y.normal, atol=slack)
        np.testing.assert_allclose(X[:3, :3] @ x.point + X[:3, 3], y.point, atol=slack)


def test_what_is_not_served_says_what_is():
    with pytest.raises(InputError, match="between 'plane' and 'plane' is not served; there are sphere–plane, "):
        candidates(SHAPES["plane"], np.eye(4), SHAPES["plane"], np.eye(4))
    with pytest.raises(InputError, match="'plane' and 'height_field'"):
        points_of("plane", "height_field")


CONE = Shape("a", "cone", radius=0.1, length=0.3)


@pytest.mark.parametrize("kind", ["sphere", "capsule", "box", "cylinder", "ellipsoid", "mesh", "cone", "plane"])
def test_a_cone_touches_as_a_hull_of_the_stated_error(kind):
    other = CONE if kind == "cone" else SHAPES[kind]
    made = lw.Builder("cone").body("a", 1.0, inertia=0.1).joint("free", "free", "world", "a")
    made.shape("a", "cone", radius=0.1, length=0.3)
    model = made.build()
    obstacle = replace(other, body="world", name="other", hull=other.vertices)
    hull = hull_faces(hull_vertices(contact_shape(CONE)))[1]
    assert len(hull) == 64  # the side, and the base
    checked = 0
    for seed in range(12):
        T = pose(np.random.default_rng(seed), 0.3)
        q = np.concatenate([T[:3, 3], quaternion_from_matrix(T[:3, :3])])
        exact = float(lw.distances(model, q, obstacles=[obstacle], obstacle_poses=np.eye(4)[None]).smallest)
        nearest_gap = min(one.gap for one in candidates(CONE, T, other, np.eye(4)))
        if exact > -0.01:
            assert -1e-9 <= nearest_gap - exact <= (2.0 if kind == "cone" else 1.0) * 0.0013 * 0.1
            checked += 1
    assert checked > 3


def test_a_cone_stands_on_its_base_and_lies_on_its_side():
    made = lw.Builder("cone").body("a", 1.0, inertia=0.01).joint("free", "free", "world", "a")
    made.shape("a", "cone", radius=0.1, length=0.3)
    model = made.build().with_ground()
    q, v = model.neutral(), np.zeros(6)
    q[2] = 0.151
    rest = lw.simulate(model, q, v, 0.5, 2e-3).q[-1]
    np.testing.assert_allclose(rest[2], 0.15, atol=1e-5)
    np.testing.assert_allclose(rest[3:], q[3:], atol=1e-5)
    tipped = np.pi / 2.0 + np.arctan2(0.1, 0.3)
    q = np.concatenate([[0.0, 0.0, 0.05], quaternion_from_matrix(lw.rotation.about("y", tipped))])
    found = lw.simulate(model, q, v, 1e-3, 1e-3).contacts.gaps[0]
    assert (abs(found - found.min()) < 2e-3 * 0.1).sum() >= 2  # the tip, and the rim


# they are nearest


@pytest.mark.parametrize("pair", NEAREST)
@settings(max_examples=25, deadline=None)
@given(seed=seeds)
def test_the_nearest_candidate_proves_itself(pair, seed):
    """Both ends of the gap are points of the shapes; along the normal these are as far apart as the gap says."""
    (a, b), (T1, T2) = pair, poses(pair, seed)
    A, B = SHAPES[a], SHAPES[b]
    gap, point, normal = nearest(touch_compiled(a, T1, b, T2))
    if gap < 0.0 and b != "plane":  # of what overlaps more directions than one tell a depth
        return
    assert is_in(A, T1, point + 0.5 * gap * normal, 1e-9)
    assert is_in(B, T2, point - 0.5 * gap * normal, 1e-9)
    assert abs(separation(A, T1, B, T2, normal) - gap) < 1e-7


def segment(shape: Shape, T: np.ndarray):
    """A sphere's center, a capsule's segment, a box: x = p + A s, |s| ≤ 1, and the radius about it."""
    if shape.kind == "box":
        return T[:3, 3], T[:3, :3] * (0.5 * np.array(shape.size)), 0.0
    half = 0.5 * shape.length if shape.kind == "capsule" else 0.0
    return T[:3, 3], half * T[:3, 2:3], shape.radius


@pytest.mark.variants("seed")
@pytest.mark.parametrize("pair", [p for p in CONVEX if set(p) <= {"sphere", "capsule", "box"}])
@pytest.mark.parametrize("seed", range(4))
def test_distances_are_those_of_bounded_least_squares(pair, seed):
    T1, T2 = poses(pair, seed, 0.5)
    (p, P, r), (q, Q, R) = segment(SHAPES[pair[0]], T1), segment(SHAPES[pair[1]], T2)
    found = lsq_linear(np.hstack([P, -Q]), q - p, (-1.0, 1.0), tol=1e-14)
    distance = np.sqrt(2.0 * found.cost)
    gap = nearest(touch_compiled(pair[0], T1, pair[1], T2)).gap
    if distance > 1e-3 and pair == ("box", "box"):  # points of both faces, of which others may be nearer
        assert gap > distance - 1e-7
    elif distance > 1e-3:
        assert abs(gap - (distance - r - R)) < 1e-7


@pytest.mark.parametrize("pair", CONVEX)
@settings(max_examples=25, deadline=None)
@given(seed=seeds)
def test_a_little_apart_nothing_overlaps(pair, seed):
    """Moved along the nearest normal until the gap is zero, and a little more, nothing overlaps."""
    (a, b), (T1, T2) = pair, poses(pair, seed, 0.2)
    gap, _, normal = nearest(touch_compiled(a, T1, b, T2))
    if pair == ("box", "box") and gap > 0.0:  # of boxes that are apart the gap may be more than their distance
        return
    if gap < FAR and (b == "plane" or gap > -0.05):  # deeper, a capsule's axis is within a box
        moved = T1.copy()
        moved[:3, 3] += (1e-3 - gap) * normal
        assert nearest(touch_compiled(a, moved, b, T2)).gap > 0.0


# they move as the bodies do


@pytest.mark.parametrize("pair", NEAREST)
@settings(max_examples=25, deadline=None)
@given(seed=seeds)
def test_the_gap_changes_as_the_points_move(pair, seed):
    (a, b), (T1, T2) = pair, poses(pair, seed)
    rng, h = np.random.default_rng(seed + 7), 1e-5
    V, W = rng.normal(size=6), rng.normal(size=6)

    def gap(s):
        return nearest(touch_compiled(a, T1 @ pose_exp(s * V), b, T2 @ pose_exp(s * W))).gap

    x, y, z = gap(-h), gap(0.0), gap(h)
    if abs(x - 2.0 * y + z) > 1e-8:  # a corner of the function
        return
    _, point, n = nearest(touch_compiled(a, T1, b, T2))

    def velocity(T, V):
        return T[:3, :3] @ V[:3] + np.cross(T[:3, :3] @ V[3:], point - T[:3, 3])

    if y > 0.0 or b == "plane":
        assert abs((z - x) / (2.0 * h) - n @ (velocity(T1, V) - velocity(T2, W))) < 1e-3 * (1.0 + abs(y))


# the same by all ways


@pytest.mark.parametrize("pair", PAIRS)
def test_numbers_interpreter_and_lanes_agree(pair):
    kernel = kernel_of(*pair)
    searched = is_searched(pair)
    rows = 10 if searched else 19
    rng = np.random.default_rng(1)
    T1 = np.array([pose(rng, 0.2) for _ in range(rows)])
    T2 = np.array([pose(rng, 0.05) for _ in range(rows)])
    lanes = kernel(T1, T2)
    slack = SETTLED if pair in CURVED else 1e-6 if searched else 1e-12

    def compared(found):
        """Return all numbers; of curved shapes the gap, as rounding may select another of nearly equal directions."""
        return [found[0].min(axis=-1)] if pair in CURVED else found

    for x, y in zip(compared(lanes), compared(interpret(kernel.program, T1, T2)), strict=True):
        np.testing.assert_allclose(x, y, atol=slack)
    for k in range(0, rows, 5 if searched else 3):  # iterations of the book are slow
        for x, y in zip(compared(lanes), compared(stacked(T1[k], T2[k], *pair)), strict=True):
            np.testing.assert_allclose(x[k], y, atol=max(slack, 1e-9))
        for x, y in zip(lanes, kernel(T1[k], T2[k]), strict=True):
            assert np.array_equal(x[k], y)


def test_sizes_may_be_symbols():
    def gaps(T, r, l, size):
        ball, stick = Shape("a", "sphere", radius=r), Shape("a", "capsule", radius=r, length=l)
        block = Shape("a", "box", size=tuple(size))
        found = candidates(ball, T, block, np.eye(4)) + candidates(stick, T, block, np.eye(4))
        return np.stack([one.gap for one in found])

    T, size = pose(np.random.default_rng(0), 0.5), np.array([0.2, 0.3, 0.4])
    kernel = lw.compile(gaps, T=(4, 4), r=(), l=(), size=(3,))
    np.testing.assert_allclose(kernel(T, 0.1, 0.4, size), gaps(T, 0.1, 0.4, size), atol=1e-13)


def test_a_plane_at_rest_folds():
    kernel = lw.compile(lambda T: nearest_of_one(candidates(SHAPES["sphere"], T, SHAPES["plane"], np.eye(4))), T=(4, 4))
    assert sum(instruction.op in ("add", "sub", "mul") for instruction in kernel.program.instructions) <= 4


def nearest_of_one(found):
    (one,) = found
    return one.gap, one.point


# height fields


def field(heights, size=(2.0, 2.0, 0.0)):
    return Shape("world", "height_field", size=size, heights=np.asarray(heights))


@pytest.mark.variants("seed")
@pytest.mark.parametrize("kind", ["sphere", "capsule", "box", "cylinder"])
@pytest.mark.parametrize("seed", range(4))
def test_a_field_that_is_a_plane_is_one(kind, seed):
    rng = np.random.default_rng(seed)
    (a, b), T = rng.normal(size=2), pose(rng, 0.2)
    x, y = np.meshgrid(np.linspace(-1.0, 1.0, 9), np.linspace(-1.5, 1.5, 7))
    sloping = field(a * x + b * y + 0.1, (2.0, 3.0, 0.0))
    normal = np.array([-a, -b, 1.0]) / np.sqrt(1.0 + a * a + b * b)
    tilted = np.eye(4)
    tilted[:3, 2], tilted[2, 3] = normal, 0.1
    tilted[:3, 0], tilted[:3, 1] = contact_frame(normal)
    X = pose(rng, 0.5)
    on_field = candidates(SHAPES[kind], X @ T, sloping, X)
    on_plane = candidates(SHAPES[kind], X @ T, SHAPES["plane"], X @ tilted)
    assert abs(nearest(on_field).gap - nearest(on_plane).gap) < 1e-12
    np.testing.assert_allclose(nearest(on_field).point, nearest(on_plane).point, atol=1e-6)
    np.testing.assert_allclose(nearest(on_field).normal, nearest(on_plane).normal, atol=1e-12)


def test_fields_are_bilinear_in_each_cell_and_end_at_their_sides():
    heights = np.array([[0.0, 1.0, 2.0], [3.0, 5.0, 4.0]])  # rows along y, columns along x
    ground, point = field(heights), Shape("a", "sphere", radius=0.0)

    def gap(x, y):
        (one,) = candidates(point, at(x, y, 0.0), ground, np.eye(4))
        return one.gap

    def height(x, y, slope_x, slope_y):
        return -gap(x, y) * np.sqrt(1.0 + slope_x**2 + slope_y**2)

    assert abs(height(-0.5, 0.0, 1.5, 1.75) - 2.25) < 1e-12
    assert abs(height(0.5, 0.5, 0.0 - 0.5, 1.5) - (1.5 * 0.25 + 4.5 * 0.75)) < 1e-12
    assert abs(height(1.0, 1.0, -1.0, 1.0) - 4.0) < 1e-12
    for x, y in ((1.01, 0.0), (-1.01, 0.0), (0.0, 1.01), (0.0, -1.01)):
        assert gap(x, y) >= FAR - 1.0


def test_heights_may_be_an_argument():
    def gap(heights, T):
        (one,) = candidates(SHAPES["sphere"], T, field(heights), np.eye(4))
        return one.gap

    heights, T = np.random.default_rng(0).normal(size=(5, 6)), at(0.3, -0.2, 1.0)
    assert abs(lw.compile(gap, heights=(5, 6), T=(4, 4))(heights, T) - gap(heights, T)) < 1e-12


# frames, and where there is no direction


@settings(max_examples=50, deadline=None)
@given(st.tuples(*[st.floats(-1.0, 1.0)] * 3))
def test_frames_of_a_normal_are_right_handed(n):
    if np.linalg.norm(n) > 1e-3:
        n = np.array(n) / np.linalg.norm(n)
        t1, t2 = contact_frame(n)
        Q = np.column_stack([t1, t2, n])
        np.testing.assert_allclose(Q.T @ Q, np.eye(3), atol=1e-14)
        assert np.linalg.det(Q) > 0.0


def test_frames_of_a_constant_normal_are_constants():
    assert all(isinstance(x, float) for t in contact_frame(np.array([0.0, 0.0, 1.0])) for x in t)


@pytest.mark.parametrize("pair", PAIRS)
def test_nothing_is_nan_where_there_is_no_direction(pair):
    a, b = (SHAPES[kind] for kind in pair)
    direction = np.random.default_rng(1).normal(size=(4, 4))  # of all entries, so that it shows NaN in each of them

    def function(T1, T2, s):
        found = candidates(a, T1 + s * direction, b, T2)
        return np.concatenate([np.array([one.gap, *one.point, *one.normal]) for one in found])

    slope = lw.compile(function, T1=(4, 4), T2=(4, 4), s=()).derivative("s")
    upside_down = np.diag([1.0, -1.0, -1.0, 1.0])
    R = np.eye(4)
    R[:3, :3] = random_rotation(np.random.default_rng(0))
    poses = ((np.eye(4), np.eye(4)), (upside_down, np.eye(4)), (R, R), (R, R @ upside_down), (R, np.eye(4)))
    for T1, T2 in poses:
        assert all(np.isfinite(x).all() for x in kernel_of(*pair)(T1, T2))
        assert np.isfinite(slope(T1, T2, 0.0)).all()
    if not is_searched(pair):  # iterations of the book take half a second there
        for T1, T2 in poses:
            assert all(np.isfinite(x).all() for x in stacked(T1, T2, *pair))


@pytest.mark.parametrize("pair", PAIRS)
def test_directions_continue_through_no_length(pair):
    """A capsule without length is a sphere."""
    if "capsule" in pair:
        other = pair[0] if pair[1] == "capsule" else pair[1]
        rng = np.random.default_rng(0)
        for _ in range(5):
            T1, T2 = pose(rng, 0.3), pose(rng, 0.05)
            ball, stick = Shape("a", "sphere", radius=0.05), Shape("a", "capsule", radius=0.05)
            x = nearest(candidates(ball, T1, SHAPES[other], T2))
            y = nearest(candidates(stick, T1, SHAPES[other], T2))
            assert abs(x.gap - y.gap) < 1e-12
            np.testing.assert_allclose(x.normal, y.normal, atol=1e-12)


def test_two_capsules_without_length_are_spheres():
    ball, stick = Shape("a", "sphere", radius=0.05), Shape("a", "capsule", radius=0.05)

    def gaps(T1, T2):
        return np.stack([one.gap for one in candidates(stick, T1, stick, T2)])

    kernel = lw.compile(gaps, T1=(4, 4), T2=(4, 4))
    rng = np.random.default_rng(0)
    for _ in range(5):
        T1, T2 = pose(rng, 0.3), pose(rng, 0.3)
        (expected,) = (one.gap for one in candidates(ball, T1, ball, T2))
        with np.errstate(divide="raise", invalid="raise"):
            assert abs(gaps(T1, T2).min() - expected) < 1e-12
        assert abs(kernel(T1, T2).min() - expected) < 1e-12
        assert np.isfinite(kernel.derivative("T1")(T1, T2)).all()
