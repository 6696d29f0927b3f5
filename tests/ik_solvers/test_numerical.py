"""Numerical inverse kinematics: what converged is there, by an independent forward kinematics, and within limits."""

from __future__ import annotations

import warnings
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import linkwright as lw
from linkwright import dynamics, tasks
from linkwright.errors import ArgumentError, FormatWarning, InputError, ShapeError, UnknownNameError
from linkwright.model.build.assembly import assemble
from linkwright.model.joints.joint import JOINT_TYPES, Revolute
from mechanisms import grown_coordinates, larger, one_of_each, random_tree, with_loops


def real_robot(file):
    try:
        robots = distribution("example-robot-data").locate_file("cmeel.prefix/share/example-robot-data/robots")
    except PackageNotFoundError:
        pytest.skip("example-robot-data is not installed (the extra robots)")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FormatWarning)
        return next(Path(robots).rglob(file))


def log_norm(X, T):
    """The norm of Log(X⁻¹T), by SciPy's rotation vectors and the closed form of V⁻¹."""
    D = np.linalg.inv(X) @ T
    r = Rotation.from_matrix(D[:3, :3]).as_rotvec()
    angle, K = np.linalg.norm(r), np.cross(np.eye(3), r).T
    c = 1.0 / 12.0 if angle < 1e-4 else (1.0 - 0.5 * angle / np.tan(0.5 * angle)) / angle**2
    p = (np.eye(3) - 0.5 * K + c * (K @ K)) @ D[:3, 3]
    return np.hypot(np.linalg.norm(p), angle)


def assert_within(model, q):
    assert (q >= model.lower - 1e-12).all()
    assert (q <= model.upper + 1e-12).all()


def assert_reached(model, frame, T, reached, tolerance=1e-6):
    """Converged results reach their targets by the reference kinematics, and the reported errors are correct."""
    for row in range(len(T)):
        error = log_norm(dynamics.pose(model, reached.q[row], frame), T[row])
        assert reached.converged[row] == (error <= tolerance)
        assert error == pytest.approx(reached.error[row], rel=1e-6, abs=1e-10)
    assert_within(model, reached.q)


@pytest.mark.parametrize(
    ("file", "frame", "least"), [("panda.urdf", "panda_hand_tcp", 1.0), ("ur5_robot.urdf", "tool0", 1.0)]
)
def test_robots_reach_what_they_can_by_pinocchio(file, frame, least):
    pin = pytest.importorskip("pinocchio")
    path = real_robot(file)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FormatWarning)
        model = lw.load(path)
    q = model.random(300, seed=1)
    T = lw.pose(model, q, frame)
    reached = lw.inverse_kinematics(model, {frame: T})
    assert reached.converged.mean() >= least
    assert_within(model, reached.q)
    theirs = pin.buildModelFromUrdf(str(path))
    data, place = theirs.createData(), theirs.getFrameId(frame)
    names = list(theirs.names)
    for row in range(len(q)):
        x = pin.neutral(theirs)
        for joint in model.joints:
            if joint.nq:
                x[theirs.idx_qs[names.index(joint.name)]] = reached.q[row][model.slice(joint.name).q][0]
        pin.framesForwardKinematics(theirs, data, x)
        missing = pin.log6(data.oMf[place].actInv(pin.SE3(T[row]))).vector
        assert np.linalg.norm(missing) <= 1e-6
        assert np.linalg.norm(missing) == pytest.approx(reached.error[row], abs=1e-10)


@pytest.mark.parametrize("seed", range(4))
def test_every_joint_type(seed):
    model = one_of_each(seed)
    q = model.random(8, seed=seed)
    T = np.array([dynamics.pose(model, x, "tip") for x in q])
    reached = lw.inverse_kinematics(model, {"tip": T})
    assert reached.converged.all()
    assert_reached(model, "tip", T, reached)
    for row in reached.q:
        lw.check(model, row)


@pytest.mark.parametrize("mimics", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_random_mechanisms_with_followers(seed, mimics):
    rng = np.random.default_rng(seed)
    kinds = [JOINT_TYPES[k] for k in rng.integers(len(JOINT_TYPES), size=6)]
    model = random_tree(kinds, seed, mimics=mimics)
    q = model.random(6, seed=seed)
    frame = list(model.frames)[int(rng.integers(2, len(model.frames)))]
    T = np.array([dynamics.pose(model, x, frame) for x in q])
    if model.frames[frame].body < 0:
        frame, T = "tip", np.array([dynamics.pose(model, x, "tip") for x in q])
    reached = lw.inverse_kinematics(model, {frame: T}, initial_guess=q)
    assert reached.converged.all()
    assert np.abs(reached.q - q).max() < 1e-6  # they were there
    start = np.array([lw.integrate(model, x, 0.05 * rng.normal(size=model.nv)) for x in q])
    start = np.clip(start, model.lower, model.upper)
    reached = lw.inverse_kinematics(model, {frame: T}, initial_guess=start)
    assert reached.converged.mean() > 0.6
    for x, goal, there in zip(reached.q, T, reached.converged, strict=True):
        assert there == (log_norm(dynamics.pose(model, x, frame), goal) <= 1e-6)


def with_limits(model, rng):
    """The mechanism with limits of all kinds on coordinates of all kinds: both, one, equal, none."""
    joints = []
    for spec in model.description.joints:
        if spec.motion is not None and not spec.motion.quaternions and spec.mimic is None:
            n = spec.motion.nq
            kind = rng.integers(5, size=n)
            width = rng.uniform(0.2, 3.0, n)
            middle = rng.uniform(-0.5, 0.5, n)
            lower = np.where(kind <= 1, middle - width, np.where(kind == 2, middle, -np.inf))
            upper = np.where(kind <= 1, middle + width, np.where(kind == 3, middle + width, np.inf))
            spec = replace(spec, lower=lower, upper=upper)
        joints.append(spec)
    return assemble(replace(model.description, joints=tuple(joints)))


@pytest.mark.parametrize("seed", range(6))
def test_limits_of_every_kind_are_kept(seed):
    rng = np.random.default_rng(seed)
    kinds = [JOINT_TYPES[k] for k in rng.integers(len(JOINT_TYPES), size=6)]
    model = with_limits(random_tree([Revolute, *kinds, Revolute], seed), rng)
    q = model.random(10, seed=seed)
    T = np.array([dynamics.pose(model, x, "tip") for x in q])
    reached = lw.inverse_kinematics(model, {"tip": T}, restarts=30)
    assert_reached(model, "tip", T, reached)
    assert reached.converged.mean() >= 0.7
    started = lw.inverse_kinematics(model, {"tip": T}, initial_guess=q)
    assert started.converged.all()
    assert_within(model, started.q)
    elsewhere = lw.inverse_kinematics(model, {"tip": T}, initial_guess=model.random(10, seed=seed + 1), restarts=30)
    assert_reached(model, "tip", T, elsewhere)


@pytest.mark.parametrize("length", [1e-3, 1e3])
def test_mechanisms_of_any_size(length):
    """A watch and a crane: the same mechanism takes about the same steps."""
    model = one_of_each(2)
    grown = larger(model, length, 1.0)
    q = model.random(20, seed=2) * grown_coordinates(model, length)
    T = np.array([dynamics.pose(grown, x, "tip") for x in q])
    reached = lw.inverse_kinematics(grown, {"tip": T}, initial_guess=np.tile(grown.neutral(), (20, 1)))
    assert reached.converged.all()
    assert_reached(grown, "tip", T, reached)
    assert np.median(reached.steps) < 20


def test_one_target_batches_and_rows_of_start_broadcast():
    arm = lw.load("arm7")
    q = arm.random(6, seed=0)
    T = lw.pose(arm, q, "tool")
    alone = lw.inverse_kinematics(arm, {"tool": T[0]})
    assert alone.q.shape == (7,)
    assert alone.converged
    assert alone.reason == ""
    batch = lw.inverse_kinematics(arm, {"tool": T.reshape(2, 3, 4, 4)}, initial_guess=q[:3])
    assert batch.q.shape == (2, 3, 7)
    assert batch.converged.shape == batch.error.shape == batch.steps.shape == batch.reason.shape == (2, 3)
    none = lw.inverse_kinematics(arm, {"tool": T[:0]})
    assert none.q.shape == (0, 7)
    assert none.converged.shape == (0,)
    lists = lw.inverse_kinematics(arm, {"tool": T[0].tolist()})
    assert np.array_equal(lists.q, alone.q)


def test_the_start_is_where_it_begins():
    arm = lw.load("arm7")
    q = arm.random(50, seed=3)
    reached = lw.inverse_kinematics(arm, {"tool": lw.pose(arm, q, "tool")}, initial_guess=q + 1e-3)
    assert reached.converged.all()
    assert np.abs(reached.q - q).max() < 0.05
    assert (reached.attempts == 1).all()
    assert reached.steps.max() <= 3


def test_limits_are_kept_and_said_to_exclude_solutions():
    builder = lw.Builder("bounded")
    for k, name in enumerate(("a", "b")):
        builder.body(name, 1.0)
        builder.joint(
            f"j{k}", "revolute", "world" if k == 0 else "a", name, axis=(0, 0, 1), xyz=(k, 0, 0), limits=(-1.0, 1.0)
        )
    arm = builder.frame("tip", "b", xyz=(1, 0, 0)).build()
    inside, behind = np.array([1.7, 0.6, 0.0]), np.array([-1.7, 0.6, 0.0])
    reached = lw.inverse_kinematics(arm, {"tip": np.stack([inside, behind, 3.0 * inside])})
    assert list(reached.converged) == [True, False, False]
    assert list(reached.reason) == ["", "limits", "out of reach"]
    assert_within(arm, reached.q)
    free = lw.inverse_kinematics(arm, {"tip": behind}, joint_limits=False)
    assert free.converged
    far = reached.q[2]  # the nearest there is: stretched out towards it
    assert np.allclose(far, [np.arctan2(0.6, 1.7), 0.0], atol=2e-2)


def test_the_edge_of_reach_is_reported():
    arm = lw.load("planar:2")
    reached = lw.inverse_kinematics(
        arm, {tasks.Position("tip", axes="xy"): [[1.999, 0.0], [2.0 + 1e-5, 0.0], [2.5, 0.0]]}
    )
    assert list(reached.reason) == ["", "singular", "out of reach"]
    assert reached.error[1] == pytest.approx(1e-5, rel=0.1)
    assert reached.error[2] == pytest.approx(0.5, rel=1e-3)


def test_restarts_and_random():
    arm = lw.load("puma560")
    T = lw.pose(arm, arm.random(400, seed=2), "tool")
    once = lw.inverse_kinematics(arm, {"tool": T}, restarts=0)
    assert 0.3 < once.converged.mean() < 1.0
    assert once.attempts.max() == 1
    assert lw.inverse_kinematics(arm, {"tool": T}).converged.all()
    some, other = (lw.inverse_kinematics(arm, {"tool": T}, seed=k) for k in (1, 2))
    assert other.converged.all()
    assert np.array_equal(some.q, lw.inverse_kinematics(arm, {"tool": T}, seed=1).q)
    assert not np.array_equal(some.q, other.q)


def test_threads_and_batches_change_nothing():
    arm = lw.load("arm7")
    T = lw.pose(arm, arm.random(5000, seed=4), "tool")
    whole = lw.inverse_kinematics(arm, {"tool": T})
    assert whole.converged.all()
    parts = [lw.inverse_kinematics(arm, {"tool": part}).q for part in np.split(T, [17, 1000])]
    assert np.array_equal(np.concatenate(parts), whole.q)


def test_fixed_joints_stay():
    arm = lw.load("arm7")
    q = arm.random(50, seed=5)
    T = lw.pose(arm, q, "tool")
    start = arm.random(50, seed=6)
    start[:, 2] = q[:, 2]
    reached = lw.inverse_kinematics(arm, {"tool": T}, initial_guess=start, fixed=["joint3"])
    assert np.array_equal(reached.q[:, 2], q[:, 2])
    assert reached.converged.all()
    assert_reached(arm, "tool", T, reached)


def test_joints_that_move_nothing_stay():
    humanoid = lw.load("humanoid")
    start = humanoid.random(seed=0)
    T = lw.pose(humanoid, humanoid.random(seed=1), "left_hand")
    T[:3, 3] = lw.pose(humanoid, start, "left_hand")[:3, 3]
    reached = lw.inverse_kinematics(humanoid, {"left_hand": T}, initial_guess=start)
    assert reached.converged
    moved = reached.q != start
    assert not moved[humanoid.slice("right_knee_pitch").q].any()
    assert moved[:7].any()


def test_several_solutions_are_different_and_all_right():
    puma = lw.load("puma560")
    q = puma.random(10, seed=0)
    T = lw.pose(puma, q, "tool")
    reached = lw.inverse_kinematics(puma, {"tool": T}, solutions=8)
    assert reached.q.shape == (10, 8, 6)
    assert (reached.converged.sum(axis=1) >= 2).all()
    assert np.isnan(reached.q[~reached.converged]).all()
    for row in range(10):
        found = reached.q[row][reached.converged[row]]
        for k, x in enumerate(found):
            assert log_norm(dynamics.pose(puma, x, "tool"), T[row]) < 1e-6
            turns = np.exp(1j * found[:k]) - np.exp(1j * x)
            assert (np.abs(turns).max(axis=1, initial=0.0) > 1e-4).all()
    ordered = lw.inverse_kinematics(puma, {"tool": T}, initial_guess=q + 0.01, solutions=3)
    assert np.abs(ordered.q[:, 0] - q).max() < 1e-4


def test_the_nearest_solution():
    arm = lw.load("arm7")
    q = arm.random(30, seed=7)
    start = np.clip(q + 0.3 * np.random.default_rng(0).normal(size=q.shape), arm.lower, arm.upper)
    T = lw.pose(arm, q, "tool")
    near = lw.inverse_kinematics(arm, {"tool": T}, initial_guess=start, nearest=True)
    some = lw.inverse_kinematics(arm, {"tool": T}, initial_guess=start)
    assert near.converged.all()
    assert_reached(arm, "tool", T, near)
    distances = [np.linalg.norm(x - start, axis=1) for x in (near.q, some.q, q)]
    assert (distances[0] <= distances[1] + 1e-6).all()
    assert (distances[0] <= distances[2] + 1e-3).all()  # the posture that the target was made of is one answer


def test_the_nearest_posture_of_a_humanoid_is_looked_for_in_machine_code():
    humanoid = lw.load("humanoid")
    start = np.clip(np.concatenate([humanoid.neutral()[:7], np.full(29, 0.1)]), humanoid.lower, humanoid.upper)
    targets = {name: lw.pose(humanoid, start, name) for name in ("left_foot", "right_foot", "left_hand")}
    targets["left_hand"][:3, 3] += [0.1, 0.0, 0.1]
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # that it is too large, and runs row by row
        near = lw.inverse_kinematics(humanoid, targets, initial_guess=start, nearest=True)
    some = lw.inverse_kinematics(humanoid, targets, initial_guess=start)
    assert near.converged
    away = [np.linalg.norm(lw.difference(humanoid, start, x.q)) for x in (near, some)]
    assert away[0] <= away[1] + 1e-6


@pytest.mark.parametrize(
    ("name", "body"), [("four_bar", "coupler_bar"), ("delta", "platform"), ("stewart", "platform")]
)
def test_loops_stay_closed(name, body):
    model = lw.load(name)
    start = lw.close_loops(model, model.neutral())
    rng = np.random.default_rng(0)
    q = lw.close_loops(model, lw.integrate(model, start, 0.1 * rng.normal(size=model.nv)))
    target = lw.pose(model, q, body) if name == "stewart" else lw.pose(model, q, body)[:3, 3]
    reached = lw.inverse_kinematics(model, {body: target}, initial_guess=start)
    assert reached.converged
    assert np.abs(lw.constraint_residual(model, reached.q)).max() < 1e-6
    assert np.abs(lw.pose(model, reached.q, body)[:3, 3] - lw.pose(model, q, body)[:3, 3]).max() < 1e-6


@pytest.mark.parametrize("seed", range(3))
def test_random_loops(seed):
    model, q = with_loops(one_of_each(seed), ["weld", "revolute"], seed)
    T = dynamics.pose(model, q, "tip")
    reached = lw.inverse_kinematics(model, {"tip": T}, initial_guess=q)
    assert reached.converged
    assert np.abs(lw.constraint_residual(model, reached.q)).max() < 1e-6


@pytest.mark.parametrize("tolerance", [1e-3, 1e-9, 1e-12])
def test_as_exact_as_requested(tolerance):
    arm = lw.load("arm7")
    T = lw.pose(arm, arm.random(200, seed=8), "tool")
    reached = lw.inverse_kinematics(arm, {"tool": T}, tolerance=tolerance)
    assert reached.converged.all()
    assert reached.error.max() <= tolerance
    assert str(reached).startswith("200 of 200 targets reached, errors up to ")


def test_rotations_of_single_precision_will_do():
    arm = lw.load("arm7")
    T = lw.pose(arm, arm.random(100, seed=8), "tool").astype(np.float32)
    reached = lw.inverse_kinematics(arm, {"tool": T @ T[0] @ np.linalg.inv(T[0])})
    assert reached.converged.all()


def test_it_is_part_of_functions_that_are_compiled():
    """Its derivative is that of the solution: J ∂q/∂p = 1."""
    arm = lw.load("arm7")

    def posture(model, p, q):
        reached = lw.inverse_kinematics(model, {"tool": p}, initial_guess=q)
        return reached.q, reached.error, lw.where(reached.converged, 1.0, 0.0)

    kernel = lw.compile(posture, arm, p=3)
    q = arm.random(20, seed=9)
    p = lw.pose(arm, 0.9 * q, "tool")[:, :3, 3]
    found, error, converged = kernel(p, q)
    assert (converged == 1.0).all()
    assert (error < 1e-6).all()
    assert np.abs(lw.pose(arm, found, "tool")[:, :3, 3] - p).max() < 1e-6
    slope = lw.compile(lambda model, p, q: posture(model, p, q)[0], arm, p=3).derivative("p")(p, q)
    assert np.abs(lw.jacobian(arm, found, "tool")[:, :3] @ slope - np.eye(3)).max() < 1e-6
    with pytest.raises(ArgumentError, match="not for functions that are compiled"):
        lw.compile(lambda model, p: lw.inverse_kinematics(model, {"tool": p}, solutions=2).q, arm, p=3)


def refused(kind, message, **changes):
    return pytest.param(changes, kind, message, id=message[:40])


@pytest.mark.parametrize(
    ("changes", "kind", "message"),
    [
        refused(InputError, "is not finite", target=np.full((4, 4), np.nan)),
        refused(
            InputError, r"expected a pose: .*\(in row \[1\]\)", target=np.stack([np.eye(4), np.diag([1, 1, -1, 1.0])])
        ),
        refused(InputError, "expected a pose", target=2.0 * np.eye(4)),
        refused(ShapeError, r"expected a pose \(…, 4, 4\) or a position", target=np.eye(2)),
        refused(ShapeError, "expected", target=1.0),
        refused(ArgumentError, "is None; expected a pose", target=None),
        refused(ArgumentError, "real numbers; got .*, 2.*3", target=[[1.0, 2.0], [3.0]]),
        refused(InputError, "'tool' is too large|frame='tool'.* is too large", target=[1e200, 0.0, 0.0]),
        refused(InputError, r"write tasks.Rotation\('tool'\) or tasks.Position", target=np.eye(3)),
        refused(InputError, "requires a start: initial_guess=q", fixed=["joint3"]),
        refused(
            InputError,
            r"'joint3' is fixed .*, 50, outside its limits .* \(in row \[1\]\)",
            fixed=["joint3"],
            initial_guess=np.outer([0.0, 50.0], np.eye(7)[2]),
        ),
        refused(InputError, r"expected a pose: .*\(in row \[0\]\)", target=np.stack([2.0 * np.eye(4)]), solutions=2),
        refused(ArgumentError, "real numbers", target=np.full((4, 4), "a")),
        refused(UnknownNameError, "unknown frame 'tol'", frame="tol"),
        refused(ArgumentError, "names of frames and tasks", frame=3),
        refused(InputError, "which is constant", frame="world"),
        refused(InputError, "initial_guess: q is not finite", initial_guess=np.full(7, np.nan)),
        refused(ShapeError, "initial_guess", initial_guess=np.zeros(6)),
        refused(InputError, "tolerance is a positive number", tolerance=-1.0),
        refused(InputError, "tolerance is a positive number", tolerance=np.nan),
        refused(InputError, "restarts is a whole number", restarts=-1),
        refused(InputError, "seed is a whole number", seed=0.5),
        refused(ArgumentError, "joint_limits is True or False", joint_limits=1),
        refused(UnknownNameError, "unknown joint", fixed=["elbow"]),
        refused(ArgumentError, "a list of joint names", fixed="joint1"),
        refused(InputError, "nearest=True requires a start", nearest=True),
        refused(InputError, "solutions is a whole number", solutions=0),
        refused(ArgumentError, "has no argument 'foo'", foo=1),
    ],
)
def test_what_cannot_be_is_refused(changes, kind, message):
    arm = lw.load("arm7")
    target, frame = changes.pop("target", np.eye(4)), changes.pop("frame", "tool")
    with pytest.raises(kind, match=message):
        lw.inverse_kinematics(arm, {frame: target}, **changes)


def test_what_is_no_dict_is_refused():
    arm = lw.load("arm7")
    for wrong in (np.eye(4), {}, None):
        with pytest.raises(ArgumentError, match="targets are a dict"):
            lw.inverse_kinematics(arm, wrong)
    with pytest.raises(ArgumentError, match="the first argument is a Model"):
        lw.inverse_kinematics("arm7", {"tool": np.eye(4)})


def test_followers_keep_their_own_limits():
    builder = lw.Builder("followed")
    axes = {"a": [0, 0, 1], "b": [0, 1, 0], "c": [0, 1, 0], "d": [0, 1, 0]}
    parent = "world"
    for name, axis in axes.items():
        builder.body(name, 1.0, inertia=0.1)
        lower, upper = (-1.0, 1.0) if name == "c" else (-2.0, 2.0)
        offset = [0.0, 0.0, 0.4 if parent != "world" else 0.0]
        builder.joint(name, "revolute", parent, name, axis=axis, xyz=offset, limits=(lower, upper))
        parent = name
    builder.mimic("c", "b", -1.0, 0.2)
    model = builder.frame("tool", "d", xyz=[0.0, 0.0, 0.3]).build()
    wide = np.array([0.0, -1.9, 0.5])
    assert lw.inverse_kinematics(model, {"tool": lw.pose(model, wide, "tool")}).reason == "limits"
    q = model.random(20, seed=1)
    reached = lw.inverse_kinematics(model, {"tool": lw.pose(model, q, "tool")}, initial_guess=np.zeros(3))
    assert reached.converged.all()
    assert np.abs(0.2 - reached.q[:, 1]).max() <= 1.0 + 1e-12
    at_its_end = np.array([0.0, -0.8, 0.5])
    v = lw.resolved_rate(model, at_its_end, {tasks.Joints(["b"]): [-1.0]}, period=0.01)
    assert abs(v[1]) < 1e-12


@pytest.mark.parametrize("name", ["planar:3", "two_link", "stewart"])
def test_a_turn_more_is_no_other_solution(name):
    model = lw.load(name)
    if name == "stewart":
        frame, target = "platform", lw.pose(model, lw.close_loops(model, model.neutral()), "platform")
    else:
        frame = list(model.frames)[-1]
        target = lw.pose(model, model.random(6, seed=1), frame)[:, :3, 3]
    reached = lw.inverse_kinematics(model, {frame: target}, solutions=4)
    turning = [joint.name for joint in model.joints if joint.type in ("revolute", "universal")]
    places = np.concatenate([np.arange(model.nq)[model.slice(joint).q] for joint in turning])
    for row, there in zip(reached.q.reshape(-1, 4, model.nq), reached.converged.reshape(-1, 4), strict=True):
        found = row[there]
        assert np.abs(found[:, places]).max() <= np.pi + 1e-12
        for k, q in enumerate(found):
            apart = lw.difference(model, found[:k], q)
            apart -= 2.0 * np.pi * np.rint(apart / (2.0 * np.pi))
            assert (np.abs(apart).max(axis=1, initial=0.0) > 1e-4).all()


def test_whole_turns_within_the_limits_are_tried():
    builder = lw.Builder("wide").body("a", 1.0, inertia=0.1).body("b", 1.0, inertia=0.1)
    builder.joint("a", "revolute", "world", "a", limits=(-2.8, 9.0))
    builder.joint("b", "revolute", "a", "b", xyz=[1.0, 0.0, 0.0])
    model = builder.frame("tip", "b", xyz=[1.0, 0.0, 0.0]).build()
    q, start = np.array([-2.5 + 4.0 * np.pi, 0.5 - 4.0 * np.pi]), np.array([8.9, 0.4])
    target = lw.pose(model, q, "tip")
    for options in ({"nearest": True}, {"solutions": 1}):
        reached = lw.inverse_kinematics(model, {"tip": target}, initial_guess=start, **options)
        assert reached.q.reshape(-1) == pytest.approx([-2.5 + 2.0 * np.pi, 0.5], abs=1e-5)


def test_what_was_refused_once_is_refused_again():
    arm = lw.load("arm7")
    assert lw.inverse_kinematics(arm, {"tool": [0.4, 0.1, 0.5]}).converged
    with pytest.raises(ArgumentError, match="is None; expected a pose"):
        lw.inverse_kinematics(arm, {"tool": None})
    assert lw.inverse_kinematics(arm, {"tool": 0.4 * np.eye(3)}).converged[:2].all()
    with pytest.raises(InputError, match=r"tasks\.Rotation"):
        lw.inverse_kinematics(arm, {"tool": np.eye(3)})


@pytest.mark.parametrize("quaternion", [[0.0, 0.0, 0.0, 0.0], [2.0, 0.0, 0.0, 0.0]])
def test_a_start_that_is_no_configuration_is_refused(quaternion):
    model = lw.Builder("body").body("b", 1.0, inertia=0.1).joint("free", "free", "world", "b").build()
    start = np.tile(model.neutral(), (2, 1))
    start[1, 3:] = quaternion
    with pytest.raises(InputError, match=r"initial_guess: the quaternion .* has length [02].*in row \[1\]"):
        lw.inverse_kinematics(model, {"b": np.eye(4)}, initial_guess=start)
    start[1] = model.neutral()
    assert lw.inverse_kinematics(model, {"b": np.eye(4)}, initial_guess=start).converged.all()


def test_of_several_solutions_it_is_reported_why_there_is_none():
    puma = lw.load("puma560")
    T = np.stack([lw.pose(puma, puma.random(seed=0), "tool")] * 2)
    T[1, :3, 3] *= 10.0
    alone = lw.inverse_kinematics(puma, {"tool": T[1]})
    reached = lw.inverse_kinematics(puma, {"tool": T}, solutions=20)
    assert alone.reason == "out of reach"
    assert reached.reason[1].tolist() == ["out of reach"] + 19 * ["no more"]
    assert reached.error[1, 0] == pytest.approx(alone.error, rel=1e-3)
    assert np.isfinite(reached.q[1, 0]).all()
    assert np.isnan(reached.q[1, 1:]).all()
    found = reached.converged[0].sum()
    assert reached.reason[0].tolist() == found * [""] + (20 - found) * ["no more"]


def test_the_nearest_of_all_postures():
    puma = lw.load("puma560")
    T, start = lw.pose(puma, puma.random(100, seed=11), "tool"), puma.random(100, seed=12)
    exact = lw.analytic_inverse_kinematics(puma, "tool")(T)
    turned = exact.q[:, :, None] + 2.0 * np.pi * np.arange(-2, 3)[:, None]
    away = np.abs(turned - start[:, None, None])
    away = np.where((turned >= puma.lower) & (turned <= puma.upper), away, np.inf).min(axis=2)  # by the best turn
    least = np.where(exact.exact, np.linalg.norm(away, axis=2), np.inf).min(axis=1)
    for options in ({"nearest": True}, {"solutions": 8}):
        reached = lw.inverse_kinematics(puma, {"tool": T}, initial_guess=start, **options)
        first = reached.q.reshape(100, -1, 6)[:, 0]
        assert (np.linalg.norm(first - start, axis=1) < least + 1e-4).mean() >= 0.98


def test_batches_of_any_size_are_one_problem():
    arm = lw.load("arm7")
    p = np.tile([0.4, 0.1, 0.5], (6, 1))
    lw.inverse_kinematics(arm, {"tool": p[:2]})
    kept = len(arm.memo)
    for n in (1, 2, 4, 5, 6):
        lw.inverse_kinematics(arm, {"tool": p[:n]})
    assert len(arm.memo) == kept


def test_a_number_is_no_truth_value_after_other_calls_either():
    arm = lw.load("arm7")
    target = {"tool": [0.4, 0.1, 0.5]}
    assert lw.inverse_kinematics(arm, target, joint_limits=True).converged
    with pytest.raises(ArgumentError, match="joint_limits is True or False"):
        lw.inverse_kinematics(arm, target, joint_limits=1)


@pytest.mark.parametrize("limit", [1e16, 3e38])
def test_limits_of_many_turns_are_none_for_random_configurations(limit):
    builder = lw.Builder("turning").body("arm", 1.0, [0.5, 0, 0], 0.1)
    model = builder.joint("turn", "revolute", "world", "arm", axis=[0, 0, 1], limits=(-limit, limit)).build()
    q = model.random(100, seed=0)
    assert 3.0 < np.abs(q).max() <= np.pi
    found = lw.inverse_kinematics(model, {"arm": dynamics.pose(model, q[0], "arm")})
    assert found.converged
    assert abs(found.q[0]) < 1e3
