"""Exact inverse kinematics: the true posture is among the branches, every branch brings the hand to its target."""

from __future__ import annotations

import warnings
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import (
    ArgumentError,
    FormatWarning,
    InputError,
    LinkwrightError,
    ModelError,
    ShapeError,
    UnknownNameError,
)
from linkwright.ik_solvers.exact.chain import Chain, forward
from linkwright.ik_solvers.exact.decompositions import decompositions
from linkwright.ik_solvers.exact.formulas.subproblems import SineCosine
from linkwright.model.library.dh import DHRow, from_dh
from shortened import long_form


def real_robot(file):
    try:
        robots = distribution("example-robot-data").locate_file("cmeel.prefix/share/example-robot-data/robots")
    except PackageNotFoundError:
        pytest.skip("example-robot-data is not installed (the extra robots)")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FormatWarning)
        return lw.load(next(Path(robots).rglob(file)))


def random_model(seed):
    random = np.random.default_rng(seed)
    rows = [
        DHRow(*random.uniform(-0.5, 0.5, 1), *random.uniform(-3, 3, 1), *random.uniform(-0.5, 0.5, 1)) for _ in "six123"
    ]
    return from_dh("random", rows)


def sixteen(twist=1.0):
    """Arms some of whose poses have sixteen postures; that of Manseur and Doty (1989) has twists of a degree."""
    lengths, offsets = (0.3, 1.0, 0.0, 1.5, 0.0, 0.0), (0.0, 0.0, 0.2, 0.0, 0.0, 0.0)
    twists = (np.pi / 2, twist) * 3
    return from_dh("sixteen", [DHRow(*row) for row in zip(lengths, twists, offsets, strict=True)], "standard")


def offset_wrist():
    """Two parallel axes and a wrist with an offset: many pairs of its postures share an angle, or nearly so."""
    axes = (Z, Y, Y, Z, Y, Z)
    places = ((0, 0, 0.2), (0, 0, 0.3), (0.05, 0, 0.6), (0.1, 0, 0.7), (0.1, 0, 0.9), (0.18, 0, 0.9))
    return made("RRRRRR", axes, [np.array(p, dtype=float) for p in places])


ARMS = {
    "puma560": (lambda: lw.load("puma560"), "tool", None),
    "ur5": (lambda: real_robot("ur5_robot.urdf"), "tool0", None),
    "panda": (lambda: real_robot("panda.urdf"), "panda_hand_tcp", "panda_joint7"),
    "panda, an inner joint": (lambda: real_robot("panda.urdf"), "panda_hand_tcp", "panda_joint5"),
    "arm7": (lambda: lw.load("arm7"), "tool", "joint3"),
    "any geometry": (lambda: random_model(0), "tool", None),
    "sixteen": (sixteen, "tool", None),
    "offset wrist": (offset_wrist, "hand", None),
    "arm4": (lambda: lw.load("arm4"), "tool", None),
    "planar": (lambda: lw.load("planar:3"), "tip", None),
}


def turned_by(a, b):
    """Return the difference of angles in [-π, π)."""
    return np.remainder(a - b + np.pi, 2.0 * np.pi) - np.pi


@cache
def solver_of(name, **options):
    """A model, and its solver: what is compiled for it serves all tests."""
    make, frame, given = ARMS[name]
    model = make()
    return model, lw.analytic_inverse_kinematics(model, frame, **({"given": given} | options))


def prepared(name, n, seed=0):
    _, frame, given = ARMS[name]
    model, solver = solver_of(name)
    q = model.random(n, seed=seed)
    arrays = [lw.pose(model, q, frame)]
    if given is not None:
        arrays.append(np.ascontiguousarray(q[:, model.slice(given).q][:, 0]))
    return model, frame, solver, q, arrays


def left(model, frame, T, q):
    """How far postures are from their targets, by the algorithm of kinematics."""
    X = lw.pose(model, q, frame)
    return np.sqrt(((X - T)[..., :3, 3] ** 2).sum(-1) + 0.5 * ((X - T)[..., :3, :3] ** 2).sum((-1, -2)))


OF_ORACLES = ("any geometry", "sixteen")
"""Arms whose solutions `test_exact_oracles.py` compares with others."""


@pytest.mark.parametrize("name", [name for name in ARMS if name not in OF_ORACLES] + long_form(*OF_ORACLES))
def test_the_true_posture_is_among_the_branches_and_all_branches_are_true(name):
    model, frame, solver, q, arrays = prepared(name, 500)
    found = solver(*arrays)
    assert found.q.shape == (500, solver.branches, model.nq)
    assert found.exact.dtype == bool
    at = list(found.places)
    off = np.abs(turned_by(found.q, q[:, None]))[..., at].max(axis=-1)
    assert np.where(found.exact, off, np.inf).min(axis=-1).max() < 1e-6
    there = np.nonzero(found.exact)
    assert left(model, frame, arrays[0][there[0]], found.q[there]).max() < 1e-10
    assert np.isnan(found.q[~found.exact]).all()  # with exact postures no others are returned
    between = np.abs(turned_by(found.q[:, :, None], found.q[:, None]))[..., at].max(axis=-1)
    between = np.where(
        found.exact[:, :, None] & found.exact[:, None] & ~np.eye(solver.branches, dtype=bool), between, 9.0
    )
    assert between.min() > 1e-7  # no answer is returned twice
    assert found.within.any(axis=-1).all()  # random postures keep their limits


def random_arm(random, kind, first):
    axes = [v / np.linalg.norm(v) for v in random.standard_normal((6, 3))]
    points = list(random.standard_normal((6, 3)))
    for j in (first + 1, first + 2):
        if kind == "meeting":
            points[j] = points[first]
        else:
            axes[j] = axes[first] * random.choice([-1.0, 1.0])
    return Chain(tuple(axes), tuple(points), (False,) * 6)


def test_the_published_pose_with_sixteen_postures_has_them():
    T = np.array(
        [
            [-0.760117, -0.641689, 0.102262, -1.140175],
            [0.133333, 0.0, 0.991071, 0.0],
            [-0.635959, 0.766965, 0.085558, 0.0],
        ]
    )
    T = np.concatenate([T, [[0.0, 0.0, 0.0, 1.0]]])
    U, _, V = np.linalg.svd(T[:3, :3])
    T[:3, :3] = U @ V
    arm = sixteen(np.radians(1.0))
    solver = lw.analytic_inverse_kinematics(arm, "tool")
    found = solver(T)
    assert found.count == 16
    assert left(arm, "tool", T, found.q).max() < 1e-10
    assert solver(np.zeros((0, 4, 4))).q.shape == (0, 16, 6)
    T[:3, 3] += 100.0
    assert not solver(T).count


@pytest.mark.parametrize("first", range(4))
@pytest.mark.parametrize("kind", ["meeting", "parallel"])
def test_any_three_neighboring_axes_that_meet_or_are_parallel_are_enough(kind, first):
    random = np.random.default_rng(first)
    lost = []
    for _ in range(5):
        chain = random_arm(random, kind, first)
        way = next(decompositions(chain, 5.0))
        for q in random.uniform(-np.pi, np.pi, (20, 6)):
            G = forward(chain, q)
            off = np.inf
            for turns, exists in way.solve(G):
                angles = np.array([turn.angle() for turn in turns])
                H = forward(chain, angles)
                if exists and np.abs(H.R - G.R).max() + np.abs(H.p - G.p).max() < 1e-6:
                    off = min(off, np.abs(turned_by(angles, q)).max())
            lost.append(off)
    assert np.mean(np.array(lost) < 1e-6) == 1.0


@pytest.mark.parametrize("given", ["joint1", "joint2", "joint3", "joint5", "joint6", "joint7"])
def test_any_joint_whose_removal_leaves_a_family_can_be_given(given):
    arm, solver = solver_of("arm7", given=given)
    assert solver.given == given
    q = arm.random(seed=3)
    found = solver(lw.pose(arm, q, "tool"), q[arm.slice(given).q][0])
    assert np.abs(turned_by(found.nearest(q), q)).max() < 1e-9


def test_seven_joints_choose_what_is_given():
    _, solver = solver_of("arm7", given=None)
    assert solver.given == "elbow angle"
    with pytest.raises(ArgumentError, match="give the elbow angle too"):
        solver(np.eye(4))
    panda = real_robot("panda.urdf")
    assert lw.analytic_inverse_kinematics(panda, "panda_hand_tcp").given in [joint.name for joint in panda.joints]


def test_the_elbow_angle_of_a_shoulder_and_a_wrist():
    arm, solver = solver_of("arm7", given="elbow angle")
    q = arm.random(300, seed=5)
    T = lw.pose(arm, q, "tool")
    found = solver(T, solver.elbow_angle(q))
    np.testing.assert_allclose(turned_by(found.nearest(q), q), 0.0, atol=1e-6)
    assert (found.count == 8).all()
    for angle in (-2.0, 0.0, 1.0):  # every angle of the elbow has its eight
        found = solver(T, angle)
        assert (found.count == 8).all()
        assert left(arm, "tool", T[:, None], found.q).max() < 1e-9
        assert np.abs(turned_by(solver.elbow_angle(found.q), angle)).max() < 1e-6
    upright = solver(solver_pose := lw.pose(arm, 0.3 * np.eye(7)[6], "tool"), 0.7)
    assert upright.count
    assert left(arm, "tool", solver_pose, upright.q[upright.exact]).max() < 1e-7


def tutorial(x, y, z, alpha, lengths=(0.3, 0.5, 0.4, 0.2)):
    """The four postures of the tutorial's arm, by its formulas."""
    l1, l2, l3, l4 = lengths
    for side in (1.0, -1.0):
        rho, zeta = side * np.hypot(x, y) - l4 * np.cos(alpha), z - l1 - l4 * np.sin(alpha)
        D = (rho**2 + zeta**2 - l2**2 - l3**2) / (2 * l2 * l3)
        if abs(D) <= 1.0:
            for elbow in (np.arccos(D), -np.arccos(D)):
                q2 = np.arctan2(zeta, rho) - np.arctan2(l3 * np.sin(elbow), l2 + l3 * np.cos(elbow))
                yield [np.arctan2(side * y, side * x), q2, elbow, alpha - q2 - elbow]


def test_four_joints_take_a_place_and_a_pitch_forwards_and_backwards():
    arm, solver = solver_of("arm4", task="pitch")
    q = arm.random(200, seed=0)
    p = np.concatenate([lw.pose(arm, q, "tool")[:, :3, 3], q[:, 1:].sum(axis=1, keepdims=True)], axis=1)
    found = solver(p)
    assert found.q.shape == (200, 4, 4)
    np.testing.assert_allclose(turned_by(found.nearest(q), q), 0.0, atol=1e-7)
    for target, postures, exact in zip(p, found.q, found.exact, strict=True):
        theirs = list(tutorial(*target))
        assert exact.sum() == len(theirs)
        for posture in theirs:
            assert np.abs(turned_by(postures[exact], np.array(posture))).max(axis=1).min() < 1e-7
    assert (found.count == 4).any()
    assert (found.reason == "").all()


def test_out_of_reach_and_infinitely_many_are_said():
    _, solver = solver_of("arm4", task="pitch")
    assert solver([1.5, 0.0, 0.3, 0.0]).reason == "out of reach"
    above = solver([0.0, 0.0, 1.0, 0.5])
    assert above.count
    assert above.reason == "infinitely many: joint1 is free"
    puma, solver = solver_of("puma560")
    found = solver(lw.pose(puma, [[0.1, 0.2, 0.3, 0.4, 0.0, 0.6], [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]], "tool"))
    assert found.reason.tolist() == ["infinitely many: joint4, joint6 are free", ""]
    assert solver.free([0.1, 0.2, np.arctan2(0.0203, 0.4318) - np.pi / 2, 0.4, 0.5, 0.6]) == ()  # straight, not free


X, Y, Z = np.eye(3)


def made(kinds, axes, points, name="made"):
    """An arm of hinges and slides, its axes through points at q = 0."""
    builder = lw.Builder(name)
    before, at = "world", np.zeros(3)
    for k, (kind, axis, point) in enumerate(zip(kinds, axes, points, strict=True)):
        builder.body(f"l{k}", 1.0, (0, 0, 0), (1, 1, 1))
        kind = "prismatic" if kind == "P" else "continuous"
        limits = (-1.0, 1.0) if kind == "prismatic" else None
        builder.joint(f"j{k}", kind, before, f"l{k}", xyz=tuple(point - at), axis=tuple(axis), limits=limits)
        before, at = f"l{k}", point
    return builder.frame("hand", before, xyz=(0.1, 0.2, 0.3)).build()


def slanted(random, n):
    v = random.standard_normal((n, 3))
    return list(v / np.linalg.norm(v, axis=1, keepdims=True))


def with_slides(kinds, seed=0):
    """An arm whose first three joints are of these kinds, as general as they have an answer, with a wrist."""
    random = np.random.default_rng(seed)
    axes, points = slanted(random, 6), list(random.uniform(-0.5, 0.5, (6, 3)))
    if kinds in ("RRP", "PRR"):  # the slide across the hinge beside it
        i, j = (2, 1) if kinds == "RRP" else (0, 1)
        axes[i] = np.cross(axes[j], X) / np.linalg.norm(np.cross(axes[j], X))
    if kinds == "PRP":
        axes[1] = axes[0]
    points[4] = points[5] = points[3]
    return made(kinds + "RRR", axes, points)


@pytest.mark.parametrize("kinds", ["PPP", "RPP", "PPR", "RRP", "PRR", "PRP", "RPR"])
def test_slides_before_a_wrist(kinds):
    arm = with_slides(kinds)
    solver = lw.analytic_inverse_kinematics(arm, "hand")
    q = arm.random(200, seed=1)
    T = lw.pose(arm, q, "hand")
    found = solver(T)
    assert np.abs(np.where(arm.lower > -1.5, found.nearest(q) - q, turned_by(found.nearest(q), q))).max() < 1e-6
    there = np.nonzero(found.exact)
    assert left(arm, "hand", T[there[0]], found.q[there]).max() < 1e-9
    assert kinds == "PPP" or "w'" in solver.explanation()


@pytest.mark.parametrize(
    ("kinds", "axes"),
    [
        ("RRPR", (Z, Z, Z, Z)),
        ("PRRR", (Z, Z, -Z, Z)),
        ("RPRR", (Z, Z, Z, -Z)),
        ("PPP", (X, Y, Z)),
        ("PPPR", (X, Y, Z, Z)),
        ("PPPRR", (X, Y, Z, Z, X)),
        ("PPPRRR", (Y, X, Z, Z, X, Z)),
        ("RRRPPP", (Z, X, Z, X, Y, Z)),
        ("RRP", (Z, Z, Z)),
    ],
)
def test_scara_arms_and_gantries(kinds, axes):
    random = np.random.default_rng(2)
    points = [*random.uniform(-0.5, 0.5, (len(kinds), 3))]
    meeting = (3, 4, 5) if kinds[-2:] == "RR" and kinds[:3] == "PPP" else (0, 1, 2) if kinds[-2:] == "PP" else ()
    for i in range(len(kinds)):
        if i in meeting and kinds[i] == "R":
            points[i] = points[meeting[0]]
    task = "position" if kinds == "RRP" else "pose"
    arm = made(kinds, axes, points)
    solver = lw.analytic_inverse_kinematics(arm, "hand", task=task)
    q = arm.random(100, seed=1)
    T = lw.pose(arm, q, "hand")
    found = solver(T if task == "pose" else T[:, :3, 3])
    assert found.exact.any(axis=1).all()
    q_found = found.nearest(q)
    hinges = np.array([kind == "R" for kind in kinds])
    assert np.abs(np.where(hinges, turned_by(q_found, q), q_found - q)).max() < 1e-6


@pytest.mark.parametrize("kinds", ["RRR", "RR", "RR parallel", "RPR"])
def test_a_position_is_enough_for_two_or_three_joints(kinds):
    random = np.random.default_rng(4)
    n = len(kinds.split()[0])
    axes, points = slanted(random, n), list(random.uniform(-0.5, 0.5, (n, 3)))
    if "parallel" in kinds:
        axes[1] = -axes[0]
    arm = made(kinds.split()[0], axes, points)
    solver = lw.analytic_inverse_kinematics(arm, "hand", task="position")
    q = arm.random(100, seed=1)
    p = lw.pose(arm, q, "hand")[:, :3, 3]
    found = solver(p)
    hinges = np.array([kind == "R" for kind in kinds.split()[0]])
    q_found = found.nearest(q)
    assert np.abs(np.where(hinges, turned_by(q_found, q), q_found - q)).max() < 1e-6
    there = np.nonzero(found.exact)
    assert np.abs(lw.pose(arm, found.q[there], "hand")[:, :3, 3] - p[there[0]]).max() < 1e-9


def test_singular_postures_have_finite_answers():
    puma, solver = solver_of("puma560")
    straight = np.arctan2(0.0203, 0.4318) - np.pi / 2  # of the elbow
    for q in ([0.1, 0.2, 0.3, 0.4, 0.0, 0.6], [0.1, 0.2, straight, 0.4, 0.5, 0.6], [0.1, 0.2, straight, 0.4, 0.0, 0.6]):
        T = lw.pose(puma, q, "tool")
        found = solver(T)
        assert found.count >= 1
        assert left(puma, "tool", T, found.q[found.exact]).max() < 1e-10
    arm, solver = solver_of("arm7", given="joint3")  # upright: shoulder, elbow and wrist straight at once
    T = lw.pose(arm, arm.neutral(), "tool")
    found = solver(T, 0.0)
    assert found.count >= 1
    assert left(arm, "tool", T, found.q[found.exact]).max() < 1e-7


def test_out_of_reach_the_nearest_is_reported_as_not_exact():
    puma, solver = solver_of("puma560")
    T = lw.pose(puma, puma.random(seed=0), "tool")
    T[:3, 3] *= 2.0 / np.linalg.norm(T[:3, 3])
    found = solver(T)
    assert not found.exact.any()
    best = np.nanargmin(found.error)
    assert np.isfinite(found.q[best]).all()
    p = lw.pose(puma, found.q[best], "tool")[:3, 3]
    reach = max(np.linalg.norm(lw.pose(puma, puma.random(seed=k), "tool")[:3, 3]) for k in range(200))
    assert np.linalg.norm(p) > 0.99 * reach
    assert found.error[best] == pytest.approx(np.linalg.norm(p - T[:3, 3]), abs=1e-9)
    assert np.isnan(found.nearest(puma.neutral())).all()


def test_a_pose_that_four_joints_cannot_take_is_reported():
    arm, solver = solver_of("arm4")
    q = np.array([0.4, 0.6, -0.8, 0.3])
    T = lw.pose(arm, q, "tool")
    np.testing.assert_allclose(T[:3, 3], [0.924465, 0.390857, 0.522820], atol=1e-6)
    found = solver(T)
    assert found.count == 2
    other = found.q[found.exact][np.abs(found.q[found.exact] - q).max(axis=-1) > 1e-9][0]
    np.testing.assert_allclose(other, [0.4, -0.106115, 0.8, -0.593885], atol=1e-6)
    T[:3, :3] = T[:3, :3] @ lw.pose(lw.load("pendulum"), [0.2], "rod")[:3, [2, 0, 1]][[2, 0, 1]]  # rolled about x
    assert not solver(T).exact.any()


def test_beside_exact_answers_a_singular_posture_that_only_comes_near_is_none():
    """Where four answers are about to meet one stays 1e-9 off, whatever steps are taken."""
    random = np.random.default_rng(2)
    axes, points = random.standard_normal((6, 3)), random.uniform(-0.4, 0.4, (6, 3))
    axes[3] = axes[4] = axes[2]
    arm = made("RRRRRR", axes / np.linalg.norm(axes, axis=1)[:, None], points)
    solver = lw.analytic_inverse_kinematics(arm, "hand")
    for q in (
        [0.654868433542929, 1.6098545507941164, -1.577510821074014, 0.16789584571, -0.56002944063, 1.7276020536874839],
        [0.15627771641989976, 1.813452036323357, 0.7175041715443597, 0.05644016521, 2.59519839585, -2.0588629136742522],
    ):
        T = lw.pose(arm, q, "hand")
        found = solver(T)
        assert found.count == 2
        assert left(arm, "hand", T, found.q[found.exact]).max() < 1e-11
        assert np.abs(turned_by(found.nearest(q), q)).max() < 1e-6


def test_limits_ask_for_whole_turns_and_nearest_keeps_them():
    builder = lw.Builder("wide")
    before = "world"
    for k, (axis, low, high) in enumerate((((0, 0, 1), 2.0, 7.0), ((0, 0, 1), -3.0, 3.0), ((0, 0, 1), -7.0, 7.0))):
        builder.body(f"l{k}", 1.0, (0, 0, 0), (1, 1, 1))
        builder.joint(f"j{k}", "revolute", before, f"l{k}", xyz=(float(k > 0), 0, 0), axis=axis, limits=(low, high))
        before = f"l{k}"
    arm = builder.frame("tip", before, xyz=(0.5, 0, 0)).build()
    solver = lw.analytic_inverse_kinematics(arm, "tip")
    q = np.array([5.0, 1.0, 6.0])
    found = solver(lw.pose(arm, q, "tip"))
    assert found.within.any()
    assert ((found.q[found.within] >= arm.lower) & (found.q[found.within] <= arm.upper)).all()
    np.testing.assert_allclose(found.nearest(q), q, atol=1e-9)
    away = found.nearest([3.0, -1.0, 0.0], joint_limits=False)
    assert np.abs(away - [3.0, -1.0, 0.0]).sum() <= np.abs(found.nearest([3.0, -1.0, 0.0]) - [3.0, -1.0, 0.0]).sum()


def test_other_joints_rest_and_batches_have_any_shape():
    panda, _, solver, q, (T, given) = prepared("panda", 6)
    found = solver(T.reshape(2, 3, 4, 4), given.reshape(2, 3))
    assert found.q.shape == (2, 3, 8, panda.nq)
    assert found.count.shape == (2, 3)
    np.testing.assert_allclose(found.nearest(q.reshape(2, 3, -1))[..., :7], q.reshape(2, 3, -1)[..., :7], atol=1e-6)
    assert np.nanmax(np.abs(found.q[..., 7:])) == 0.0  # the fingers
    assert solver(np.zeros((0, 4, 4)), np.zeros(0)).q.shape == (0, 8, panda.nq)


def test_mistakes_are_reported():
    puma, solver = solver_of("puma560")
    T = np.broadcast_to(lw.pose(puma, puma.neutral(), "tool"), (3, 4, 4)).copy()
    with pytest.raises(ShapeError, match=r"T has shape \(3, 4\)"):
        solver(T[:, 0])
    for place, wrong in (((0, 0), np.nan), ((0, 0), 2.0), ((1, 3), np.nan), ((2, 3), np.inf)):
        bad = T.copy()
        bad[1][place] = wrong
        with pytest.raises(InputError, match=r"T\[1\] is not a pose"):
            solver(bad)
    mirrored = T.copy()
    mirrored[2, :3, 0] *= -1.0
    with pytest.raises(InputError, match=r"T\[2\] is not a pose"):
        solver(mirrored)
    with pytest.raises(ArgumentError, match="has to be given"):
        solver(T, 0.3)
    with pytest.raises(UnknownNameError, match="unknown frame"):
        lw.analytic_inverse_kinematics(puma, "hand")
    with pytest.raises(UnknownNameError, match=r"unknown joint .*between the world and"):
        lw.analytic_inverse_kinematics(puma, "tool", given="elbow")
    with pytest.raises(ModelError, match="inverse_kinematics solves it numerically"):
        lw.analytic_inverse_kinematics(lw.load("planar:5"), "tip")
    with pytest.raises(ModelError, match="a free one"):
        lw.analytic_inverse_kinematics(lw.load("humanoid"), lw.load("humanoid").bodies[-1].name)


def test_the_explanation_names_the_decomposition_and_the_numbers():
    result = solver_of("puma560")[1].explanation()
    for part in ("spherical wrist", "the axes 4, 5 and 6 meet in a point", "0.4318", "subproblem 4", "up to 8 answers"):
        assert part in result
    result = lw.analytic_inverse_kinematics(lw.load("arm7"), "tool", given="joint7").explanation()
    assert "from the hand to the base" in result
    assert "Joint 7" in result


def test_turns_are_angles():
    for angle in (-3.0, 0.0, 1.0):
        turn = SineCosine(np.sin(angle), np.cos(angle))
        assert turn.angle() == pytest.approx(angle)
        assert turn.then(turn.back()).angle() == pytest.approx(0.0)


def test_a_solver_says_what_it_is():
    text = repr(solver_of("puma560")[1])
    assert text == "<AnalyticSolver of 'tool' of 'puma560': spherical wrist, 8 branches>"
    assert "'elbow angle' given" in repr(solver_of("arm7", given=None)[1])
    for wrong in ("a", -1.0, np.nan, [1e-9, 1e-9]):
        with pytest.raises(LinkwrightError, match="tolerance"):
            lw.analytic_inverse_kinematics(lw.load("puma560"), "tool", tolerance=wrong)
