"""The skeleton, and where a motion takes it."""

from __future__ import annotations

import numpy as np
import pytest

import linkwright as lw
from linkwright import load, spring_lengths
from linkwright.errors import ArgumentError, InputError, ShapeError
from linkwright.model.build.builder import Builder
from linkwright.visual.drawing.linkage import (
    SegmentKind,
    configurations,
    motion_plane,
    nearby,
    poses_along,
    resample,
    skeleton,
)
from linkwright.visual.drawing.scene import Strokes, limb_colors
from linkwright.visual.drawing.view import choose_view
from visual.robots import arm, cart_pole, planar, satellite, walker, waving


def ends(bones, kind):
    """The segments of a kind, as (body, start, end) in the body's frame."""
    chosen = bones.segments[bones.kinds == kind]
    return [(int(bones.body[a]), bones.points[a].tolist(), bones.points[b].tolist()) for a, b in chosen]


def test_a_chain_is_one_segment_a_link():
    bones = skeleton(planar(3))
    assert ends(bones, SegmentKind.LINK) == [(k, [0, 0, 0], [1, 0, 0]) for k in range(3)]
    assert ends(bones, SegmentKind.BASE) == []  # the first joint is at the world's origin: no length
    assert bones.limbs.tolist() == [0, 0, 0]
    assert bones.masses.tolist() == [1, 1, 1]


def test_the_world_is_connected_to_what_it_carries():
    bones = skeleton(arm())
    assert ends(bones, SegmentKind.BASE) == [(-1, [0, 0, 0], [0, 0, 0.2])]
    assert bones.points[bones.anchors].tolist() == [[0, 0, 0.2]]


def test_a_floating_body_is_connected_to_its_limbs_only():
    bones = skeleton(walker())
    assert not any(kind == SegmentKind.BASE for kind in bones.kinds)
    assert sorted(end for body, _, end in ends(bones, SegmentKind.LINK) if body == 0) == [
        [-0.2, -0.1, 0], [-0.2, 0.1, 0], [0.2, -0.1, 0], [0.2, 0.1, 0]
    ]  # fmt: skip
    assert [set(p) for p in bones.plates] == [set(bones.attached[[1, 3, 5, 7]])]
    assert len(set(bones.limbs.tolist())) == 5
    assert bones.floats.tolist() == [True] + 8 * [False]


def test_a_slide_has_a_rail_from_where_it_starts():
    model = cart_pole()
    bones = skeleton(model)
    (rail,) = bones.segments[bones.kinds == SegmentKind.RAIL]
    start, end = bones.along(poses_along(model, [0.7, 0.0]))[0][rail]
    np.testing.assert_allclose(start, [0, 0, 0], atol=1e-12)
    np.testing.assert_allclose(end, [0.7, 0, 0], atol=1e-12)


def test_a_link_without_a_frame_is_as_long_as_the_rod_of_its_inertia():
    def end(**body):
        model = Builder("rod").body("rod", **body).joint("hinge", "revolute", "world", "rod").build()
        bones = skeleton(model)
        return bones.points[bones.segments[0, 1]]

    rod = end(mass=2.0, center_of_mass=[0.4, 0, 0], inertia=[0, 2.0 * 0.3**2 / 3, 2.0 * 0.3**2 / 3])
    np.testing.assert_allclose(rod, [0.7, 0, 0], rtol=1e-12)
    np.testing.assert_allclose(end(mass=2.0, center_of_mass=[0, 0.4, 0]), [0, 0.4, 0], rtol=1e-12)  # a point mass
    np.testing.assert_allclose(end(mass=2.0, center_of_mass=[0.4, 0, 0], inertia=9.0), [0.8, 0, 0], rtol=1e-12)


def test_a_single_free_body_is_the_box_of_its_inertia():
    bones = skeleton(satellite())
    corners = bones.points[np.unique(bones.segments)]
    assert len(bones.segments) == 12
    x, y, z = 2.0 * corners.max(axis=0)
    np.testing.assert_allclose(
        [y * y + z * z, x * x + z * z, x * x + y * y], 12 / 3.0 * np.array([0.5, 1.0, 1.2]), rtol=1e-9
    )


def test_frames_near_each_other_are_drawn_once():
    builder = Builder("hand").body("palm", 1.0).joint("wrist", "revolute", "world", "palm")
    for k in range(20):
        builder.frame(f"sensor{k}", "palm", xyz=[0.1 + 0.001 * k, 0.001, 0])
    builder.frame("thumb", "palm", xyz=[0, 0.1, 0])
    found = [end for _, _, end in ends(skeleton(builder.build()), SegmentKind.LINK)]
    assert sorted(map(tuple, np.round(found, 6).tolist())) == [(0, 0.1, 0), (0.119, 0.001, 0)]


def test_points_move_as_the_bodies_do():
    model = planar(2)
    bones = skeleton(model)
    q = np.array([[0.3, -0.8], [1.0, 2.0]])
    points = bones.along(poses_along(model, q))
    tip = points[:, bones.segments[-1, 1]]
    angle = q.sum(axis=1)
    np.testing.assert_allclose(tip[:, 0], np.cos(q[:, 0]) + np.cos(angle), atol=1e-14)
    np.testing.assert_allclose(tip[:, 1], np.sin(q[:, 0]) + np.sin(angle), atol=1e-14)
    center = bones.center_of_mass_along(poses_along(model, q))
    np.testing.assert_allclose(center[:, 0], (1.5 * np.cos(q[:, 0]) + 0.5 * np.cos(angle)) / 2.0, atol=1e-14)


def test_joints_of_a_body_and_its_parent_coincide_in_every_motion():
    model = walker()
    bones = skeleton(model)
    points = bones.along(poses_along(model, model.random(20, seed=1)))
    np.testing.assert_allclose(points[:, bones.joints], points[:, bones.attached], atol=1e-12)


def test_the_poses_of_one_body_are_those_among_all():
    model = walker()
    q = model.random(5, seed=2)
    np.testing.assert_array_equal(poses_along(model, q, 4), poses_along(model, q)[:, 4])
    np.testing.assert_array_equal(poses_along(model, q, -1), np.tile(np.eye(4), (5, 1, 1)))


def test_a_mimicking_joint_follows():
    model = (
        Builder("fingers")
        .body("a", 1.0, [1, 0, 0])
        .joint("first", "revolute", "world", "a")
        .body("b", 1.0, [1, 0, 0])
        .joint("second", "revolute", "world", "b")
        .mimic("second", "first", -2.0)
        .build()
    )
    poses = poses_along(model, [[0.3]])
    np.testing.assert_allclose(poses[0, 1, :2, 0], [np.cos(0.6), -np.sin(0.6)])


def test_resampling_keeps_samples_and_turns_at_constant_rate():
    model = walker()
    t = np.array([0.0, 1.0, 3.0])
    q = np.tile(model.neutral(), (3, 1))
    q[1, 3:7] = [np.cos(0.4), 0, 0, np.sin(0.4)]  # turned by 0.8
    q[2] = q[1]
    q[2, 0] = 2.0
    np.testing.assert_array_equal(resample(model, t, q, t), q)
    between = resample(model, t, q, np.array([0.25, 2.0]))
    np.testing.assert_allclose(between[0, 3:7], [np.cos(0.1), 0, 0, np.sin(0.1)], atol=1e-12)
    np.testing.assert_allclose(between[1, 0], 1.0, atol=1e-12)


@pytest.mark.parametrize("axis", [(0, 0, 1), (0, 1, 0), (1, 2, 3)])
def test_the_plane_of_a_planar_motion_is_found(axis):
    model = planar(3, axis=axis)
    bones = skeleton(model)
    q = waving(model, np.linspace(0, 3, 40))
    normal = motion_plane(bones.along(poses_along(model, q)), thickness=10.0)
    np.testing.assert_allclose(np.abs(normal), np.array(axis) / np.linalg.norm(axis), atol=1e-6)


def test_a_spatial_motion_has_no_plane():
    model = arm()
    q = waving(model, np.linspace(0, 3, 40))
    assert motion_plane(skeleton(model).along(poses_along(model, q))) is None


def test_legs_that_swing_in_parallel_planes_are_too_thick_to_be_plane():
    model = walker()
    q = waving(model, np.linspace(0, 3, 40))
    points = skeleton(model).along(poses_along(model, q))
    assert motion_plane(points) is None
    np.testing.assert_allclose(np.abs(motion_plane(points, thickness=2.0)), [0, 1, 0], atol=1e-9)


def test_a_line_at_rest_is_in_the_upright_plane_through_it():
    points = np.linspace([0, 0, 0], [3, 0, 0], 5)[None]
    np.testing.assert_allclose(np.abs(motion_plane(points, up=[0, 1, 0])), [0, 0, 1], atol=1e-12)
    np.testing.assert_allclose(np.abs(motion_plane(points, up=[0, 0, 1])), [0, 1, 0], atol=1e-12)


def test_nearby_configurations_move_every_coordinate():
    model = walker()
    near = nearby(model, model.neutral())
    assert (np.abs(near - model.neutral()) > 1e-3).all()
    np.testing.assert_allclose(np.linalg.norm(near[:, 3:7], axis=1), 1.0)


@pytest.mark.parametrize(
    ("q", "error", "match"),
    [
        (np.zeros((4, 3)), ShapeError, r"\(n, 2\)"),
        (np.zeros((1, 2, 2)), ShapeError, r"nq is 2"),
        ([[0.0, np.nan]], InputError, r"'joint1' is nan at sample 0 of 1"),
        ([[0.0, 1.0], [np.inf, 0.0]], InputError, r"'joint0' is inf at sample 1 of 2"),
        ("fast", ArgumentError, "array of real numbers"),
    ],
)
def test_bad_configurations_are_refused(q, error, match):
    with pytest.raises(error, match=match):
        configurations(planar(2), q)


def test_a_quaternion_that_would_shear_the_picture_is_refused():
    q = walker().neutral()
    q[3] = 0.9
    with pytest.raises(InputError, match=r"q\[3:7\] must be unit; its length is 0.9"):
        configurations(walker(), q)


def test_bad_poses_are_refused():
    bones = skeleton(planar(2))
    with pytest.raises(ShapeError, match=r"\(n_times, 2, 4, 4\)"):
        bones.along(np.zeros((5, 3, 4, 4)))
    with pytest.raises(InputError, match="finite"):
        bones.along(np.full((5, 2, 4, 4), np.nan))


def test_nothing_that_moves_is_nothing_to_draw():
    model = Builder("rock").body("rock", 1.0).joint("glue", "fixed", "world", "rock").build()
    with pytest.raises(InputError, match="nothing to draw"):
        skeleton(model)


def test_a_leg_that_telescopes_is_a_tube_and_a_rod():
    model = load("stewart")
    bones = skeleton(model)
    kinds = bones.kinds.tolist()
    assert (kinds.count(SegmentKind.TUBE), kinds.count(SegmentKind.ROD)) == (6, 6)
    assert SegmentKind.RAIL not in kinds
    assert SegmentKind.CARRIAGE not in kinds
    q = model.neutral()
    tube, rod = (bones.segments[bones.kinds == kind][0] for kind in (SegmentKind.TUBE, SegmentKind.ROD))
    lengths = {}
    for slide in (0.0, 0.1):
        q[2] = slide
        points = bones.along(poses_along(model, q))[0]
        np.testing.assert_allclose(points[tube[1]], points[rod[0]])  # at the tube's mouth
        lengths[slide] = [np.linalg.norm(np.subtract(*points[ends])) for ends in (tube, rod)]
    assert lengths[0.1][0] == pytest.approx(lengths[0.0][0])
    assert lengths[0.1][1] == pytest.approx(lengths[0.0][1] + 0.1)


def test_what_slides_across_itself_stays_a_carriage():
    for model in (cart_pole(), load("slider_crank")):
        kinds = skeleton(model).kinds.tolist()
        assert kinds.count(SegmentKind.CARRIAGE) == 1
        assert SegmentKind.TUBE not in kinds


@pytest.mark.parametrize(("name", "hinges"), [("four_bar", 4), ("bricard", 6), ("stewart", 12), ("slider_crank", 4)])
def test_pins_of_loops_are_marked_and_linked(name, hinges):
    model = load(name)
    bones = skeleton(model)
    assert len(bones.marks) == hinges
    points = bones.along(poses_along(model, model.neutral()))[0]
    first, second = points[bones.marks[-len(model.loops) :]].swapaxes(0, 1)
    np.testing.assert_allclose(first, second, atol=1e-9)
    ends = points[bones.segments].reshape(-1, 3)
    for place in first:  # something drawn ends there
        assert np.linalg.norm(ends - place, axis=1).min() < 1e-9


def test_a_platform_is_drawn_by_its_outline():
    bones = skeleton(load("stewart"))
    platform = bones.segments[(bones.kinds == SegmentKind.LINK) & (bones.owner == 2)]
    assert len(platform) == 6
    assert all((platform == number).sum() == 2 for number in np.unique(platform))


def test_a_rod_of_constant_distance_is_drawn():
    builder = Builder("rod").body("a", 1.0, [1, 0, 0]).joint("hinge", "revolute", "world", "a")
    builder.frame("end", "a", xyz=[1, 0, 0]).loop("rod", ("distance", np.sqrt(5.0)), "world", "end", xyz=[0, 2, 0])
    bones = skeleton(builder.build())
    (rod,) = bones.segments[bones.kinds == SegmentKind.ROD]
    assert sorted(bones.points[rod].tolist()) == [[0, 2, 0], [1, 0, 0]]


def test_springs_are_coils_and_ropes_between_their_points():
    model = (
        Builder("gate")
        .body("leaf", mass=20, center_of_mass=[0.5, 0, 0], inertia=[0.1, 1.7, 1.7])
        .joint("hinge", "revolute", "world", "leaf", axis=[0, 0, 1])
        .spring(("world", [0.5, -0.6, 0]), ("leaf", [0.5, 0, 0]), 300.0)
        .spring(("world", [0, 1, 0]), ("leaf", [0, 0.2, 0]), 300.0, length=(0.0, 1.0))
        .build()
    )
    bones = skeleton(model)
    (coil,), (rope,) = (bones.segments[bones.kinds == kind] for kind in (SegmentKind.COIL, SegmentKind.ROPE))
    assert bones.points[coil].tolist() == [[0.5, -0.6, 0], [0.5, 0, 0]]
    assert bones.body[coil].tolist() == bones.body[rope].tolist() == [-1, 0]
    points = bones.along(poses_along(model, [0.3]))[0]
    assert np.linalg.norm(points[coil[1]] - points[coil[0]]) == pytest.approx(spring_lengths(model, [0.3])[0])
    seen = choose_view(points[None], np.zeros((1, 3)), model.gravity, "2d")
    drawn, widths, colors = Strokes(bones, 5.0).laid(seen, points, 0.0)
    assert len(drawn) == len(widths) == len(colors) > 2 * (len(bones.segments) + len(bones.marks))
    assert np.isfinite(drawn).all()


@pytest.mark.parametrize("name", ["four_bar", "four_bars:12", "slider_crank", "bricard", "delta", "stewart"])
def test_what_meets_in_a_loop_differs_in_color(name):
    """At joints and at pins; only telescopes, whose halves differ in width, have one color."""
    model = lw.load(name)
    bones = skeleton(model)
    colors = limb_colors(bones)
    met = [(int(a), int(b)) for a, b in bones.body[bones.marks] if a >= 0 and b >= 0]
    assert len(met) >= len(model.loops) - 1
    assert all(colors[a] != colors[b] for a, b in met)


def test_chains_keep_one_color():
    assert len(set(limb_colors(skeleton(lw.load("arm7"))))) == 1
    assert len(set(limb_colors(skeleton(walker())))) == 5
