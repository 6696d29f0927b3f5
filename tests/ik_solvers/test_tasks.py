"""Tasks: each has the Jacobian of its error; together with weights, and strictly one after the other."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

import linkwright as lw
from linkwright import dynamics, tasks
from linkwright.errors import ArgumentError, InputError, ShapeError, UnknownNameError
from mechanisms import one_of_each
from shortened import long_form


def of_every_kind(model):
    some = [joint.name for joint in model.joints][:4]
    return [
        tasks.Pose("tip"),
        tasks.Pose("tip", relative_to="body2"),
        tasks.Position("tip", axes="zx"),
        tasks.Position("tip", relative_to="body1"),
        tasks.Rotation("tip"),
        tasks.Rotation("tip", relative_to="body3"),
        tasks.Direction("tip"),
        tasks.Direction("tip", axis="-x", relative_to="body1"),
        tasks.Direction("tip", axis=(1.0, 2.0, 3.0)),
        tasks.CenterOfMass(),
        tasks.CenterOfMass("y"),
        tasks.Joints(some),
        tasks.Joints(),
    ]


@pytest.mark.parametrize("seed", range(2))
def test_the_error_falls_along_the_jacobian(seed):
    """Near the target −J is the error's derivative; what is left there is as long as the error."""
    model, h = one_of_each(seed), 1e-6
    rng = np.random.default_rng(seed)
    q = model.random(seed=seed)
    for task in of_every_kind(model):
        target = task.value(model, q)
        J = task.jacobian(model, q)
        for _ in range(3):
            v = rng.normal(size=model.nv)
            ahead, behind = (dynamics.integrate(model, q, s * h * v) for s in (1.0, -1.0))
            slope = (task.error(model, ahead, target, q) - task.error(model, behind, target, q)) / (2.0 * h)
            assert np.allclose(slope, -J @ v, atol=1e-5 * (1.0 + np.abs(J @ v).max())), task
            left = task.left(model, dynamics.integrate(model, q, 1e-3 * v), target, q)
            error = task.error(model, dynamics.integrate(model, q, 1e-3 * v), target, q)
            assert np.linalg.norm(left) == pytest.approx(np.linalg.norm(error), rel=2e-2), task


def test_rates_are_followed_along_the_rate_jacobian():
    """J v is what is followed of the value's rate."""
    model, h = one_of_each(1), 1e-6
    rng = np.random.default_rng(0)
    q, v = model.random(seed=3), rng.normal(size=model.nv)
    ahead, behind = (dynamics.integrate(model, q, s * h * v) for s in (1.0, -1.0))
    for task in of_every_kind(model):
        if isinstance(task, (tasks.Pose, tasks.Rotation, tasks.Joints)):
            continue  # whose velocity is no derivative of the value's entries
        rate = (task.value(model, ahead) - task.value(model, behind)) / (2.0 * h)
        expected = task.followed(model, q, rate)
        assert np.allclose(task.rate_jacobian(model, q) @ v, expected, atol=1e-5 * (1.0 + np.abs(expected).max())), task


@pytest.mark.parametrize("seed", [0, *long_form(1)])
def test_every_task_alone_is_reached(seed):
    model = one_of_each(seed)
    q = model.random(4, seed=seed)
    rng = np.random.default_rng(seed)
    start = np.array([dynamics.integrate(model, x, 0.2 * rng.normal(size=model.nv)) for x in q])
    for task in of_every_kind(model):
        targets = np.array([task.value(model, x) for x in q])
        reached = lw.inverse_kinematics(model, {task: targets}, initial_guess=start)
        assert reached.converged.all(), task
        for x, target in zip(reached.q, targets, strict=True):
            assert np.abs(task.value(model, x) - target).max() < 2e-6, task


@pytest.mark.parametrize("turn", [np.diag([1.0, -1.0, -1.0]), np.diag([-1.0, 1.0, -1.0]), np.diag([-1.0, -1.0, 1.0])])
def test_half_a_turn_is_no_rest(turn):
    """Where the sine of the error's angle vanishes."""
    builder = lw.Builder("ball").body("hand", 1.0)
    model = builder.joint("wrist", "spherical", "world", "hand").build()
    for task in (tasks.Rotation("hand"), tasks.Pose("hand")):
        target = turn if isinstance(task, tasks.Rotation) else np.block([[turn, np.zeros((3, 1))], [0, 0, 0, 1]])
        reached = lw.inverse_kinematics(model, {task: target}, initial_guess=model.neutral(), restarts=0)
        assert reached.converged
        assert reached.attempts == 1
        assert np.abs(lw.pose(model, reached.q, "hand")[:3, :3] - turn).max() < 1e-6
    back = lw.inverse_kinematics(
        model, {tasks.Direction("hand"): [0, 0, -2.0]}, initial_guess=model.neutral(), restarts=0
    )
    assert back.converged


def test_several_at_once():
    humanoid = lw.load("humanoid")
    q = humanoid.random(20, seed=1)
    left, right, both = (lw.pose(humanoid, q, name) for name in ("left_foot", "right_foot", "left_hand"))
    targets = {
        "left_foot": left,
        "right_foot": right,
        tasks.CenterOfMass("xy"): lw.center_of_mass(humanoid, q)[:, :2],
        tasks.Position("left_hand", weight=3.0): both[:, :3, 3],
    }
    reached = lw.inverse_kinematics(humanoid, targets)
    assert reached.converged.mean() > 0.9
    assert reached.errors.shape == (20, 4)
    assert np.allclose((reached.errors**2).sum(axis=1), reached.error**2)
    row = int(np.argmax(reached.converged))
    assert np.abs(lw.pose(humanoid, reached.q[row], "left_foot") - left[row]).max() < 1e-6
    assert np.abs(lw.center_of_mass(humanoid, reached.q[row])[:2] - targets[tasks.CenterOfMass("xy")][row]).max() < 1e-6


def test_weights_share_out_what_cannot_be():
    """Two places for one frame: the answer lies between, by their weights."""
    arm = lw.load("planar:3")
    a, b = np.array([1.2, 0.4]), np.array([1.8, 0.4])
    both = {tasks.Position("tip", axes="xy", weight=3.0): a, tasks.Position("tip", axes="xy"): b}
    reached = lw.inverse_kinematics(arm, both)
    assert not reached.converged
    assert reached.reason == "out of reach"
    assert np.allclose(lw.pose(arm, reached.q, "tip")[:2, 3], 0.75 * a + 0.25 * b, atol=1e-4)


def test_later_priorities_do_not_disturb_earlier_ones():
    arm = lw.load("arm7")
    q = arm.random(100, seed=2)
    T = lw.pose(arm, q, "tool")
    wish = np.random.default_rng(0).normal(size=(100, 3))
    last = tasks.Position("link4", priority=2)
    reached = lw.inverse_kinematics(arm, {"tool": T, last: wish}, initial_guess=q)
    assert reached.converged.all()
    assert reached.errors[:, 0].max() < 1e-9
    before = np.linalg.norm(lw.pose(arm, q, "link4")[:, :3, 3] - wish, axis=1)
    assert (reached.errors[:, 1] <= before + 1e-6).mean() > 0.95
    assert reached.errors[:, 1].mean() < before.mean() - 0.02


def test_a_later_priority_comes_as_near_as_it_can():
    """A planar arm whose tip is held: of all its postures the one in which the elbow is nearest its wish."""
    arm = lw.load("planar:3")
    tip, elbow = np.array([1.5, 0.5]), np.array([0.5, 2.0])
    order = {tasks.Position("tip", axes="xy"): tip, tasks.Position("link2", axes="xy", priority=2): elbow}
    reached = lw.inverse_kinematics(arm, order, initial_guess=[0.3, 0.5, -0.9])
    assert reached.converged
    turns = np.linspace(-np.pi, np.pi, 200_001)
    first = np.stack([np.cos(turns), np.sin(turns)], axis=1)  # where the elbow may be: the rest must reach the tip
    able = np.linalg.norm(first - tip, axis=1) <= 2.0
    least = np.linalg.norm(first[able] - elbow, axis=1).min()
    assert reached.errors[1] == pytest.approx(least, abs=1e-3)
    assert reached.errors[0] < 1e-9


def test_momentum_of_the_way():
    """A free-floating arm reaches without having pushed anything away."""
    builder = lw.Builder("satellite", gravity=(0, 0, 0)).body("hull", 20.0, inertia=(2.0, 2.0, 2.0))
    builder.joint("float", "free", "world", "hull")
    for k, axis in enumerate([(0, 0, 1), (0, 1, 0), (1, 0, 0), (0, 1, 0)]):
        builder.body(f"b{k}", 2.0, (0.2, 0, 0), (0.05, 0.05, 0.05))
        builder.joint(f"j{k}", "continuous", "hull" if k == 0 else f"b{k - 1}", f"b{k}", axis=axis, xyz=(0.4, 0, 0))
    model = builder.frame("hand", f"b{k}", xyz=(0.4, 0, 0)).build()
    start = model.neutral()
    start[7:] = [0.3, 0.4, -0.2, 0.5]
    goal = lw.pose(model, start, "hand")[:3, 3] + [-0.1, 0.1, 0.1]
    reached = lw.inverse_kinematics(model, {"hand": goal, tasks.Momentum(): np.zeros(6)}, initial_guess=start)
    assert reached.converged
    moved = lw.difference(model, start, reached.q)
    assert np.abs(lw.momentum_matrix(model, reached.q) @ moved).max() < 1e-6
    assert np.abs(lw.pose(model, reached.q, "hand")[:3, 3] - goal).max() < 1e-6


@pytest.mark.parametrize(
    ("task", "target", "kind", "message"),
    [
        (tasks.Direction("tool"), [0.0, 0.0, 0.0], InputError, "expected a vector that is not zero"),
        (tasks.Direction("tool", axis="w"), [0.0, 0.0, 1.0], InputError, "the axis of a direction is"),
        (tasks.Direction("tool", axis=["a", 0.0, 1.0]), [0.0, 0.0, 1.0], InputError, "the axis of a direction is"),
        (tasks.Position("tool", axes="xx"), [0.0, 0.0], InputError, "axes of Position are some of xyz"),
        (tasks.CenterOfMass("q"), [0.0], InputError, "axes of CenterOfMass are some of xyz"),
        (tasks.Rotation("tool"), np.diag([1.0, 1.0, -1.0]), InputError, "expected a rotation"),
        (tasks.Rotation("tool"), np.eye(4), ShapeError, r"expected \(…, 3, 3\)"),
        (tasks.Pose("tool", relative_to="nowhere"), np.eye(4), UnknownNameError, "nowhere"),
        (tasks.Pose("tool", priority=0), np.eye(4), InputError, "priority of Pose"),
        (tasks.Joints(["elbow"]), [0.0], UnknownNameError, "elbow"),
        (tasks.Joints(["joint1"]), [0.0, 1.0], ShapeError, r"expected \(…, 1\)"),
        (tasks.Momentum(), np.zeros(6), InputError, "about the path from the initial guess"),
        (tasks.Momentum("spin"), np.zeros(6), InputError, "the part of a momentum"),
        (tasks.AwayFromLimits(), 1.0, InputError, "a direction to go, of resolved_rate"),
        (tasks.Pose, np.eye(4), ArgumentError, "names of frames and tasks"),
    ],
)
def test_tasks_that_cannot_be(task, target, kind, message):
    with pytest.raises(kind, match=message):
        lw.inverse_kinematics(lw.load("arm7"), {task: target})


@pytest.mark.parametrize("weight", [0.0, -1.0, np.nan, None])
def test_a_weight_is_checked_where_it_is_given(weight):
    with pytest.raises(InputError, match="the weight of Pose is a positive number"):
        tasks.Pose("tool", weight=weight)


def test_names_of_joints_are_a_list():
    with pytest.raises(ArgumentError, match="a list of names; got 'joint1'"):
        tasks.Joints("joint1")


def test_a_fixed_joint_is_named_once():
    arm = lw.load("arm7")
    with pytest.raises(ArgumentError, match="named once"):
        lw.inverse_kinematics(arm, {"tool": np.eye(4)}, initial_guess=arm.neutral(), fixed=["joint1", "joint1"])


def test_tasks_print_what_is_reported_of_them():
    assert str(tasks.Pose("tool")) == "Pose(frame='tool')"
    assert str(tasks.Position("tool", axes="xy", priority=2)) == "Position(frame='tool', axes='xy', priority=2)"


@pytest.mark.parametrize(
    "axis", [[0.0, 0.0, 1.0], np.array([0.0, 0.0, 1.0]), (0.0, 0.0, 1.0)], ids=["list", "array", ""]
)
def test_an_axis_is_any_vector(axis):
    arm = lw.load("arm7")
    task = tasks.Direction("tool", axis=axis)
    assert task == tasks.Direction("tool", axis=(0.0, 0.0, 1.0))
    reached = lw.inverse_kinematics(arm, {task: [0.0, 1.0, 0.0]})
    assert reached.converged
    assert lw.pose(arm, reached.q, "tool")[:3, 2] == pytest.approx([0.0, 1.0, 0.0], abs=1e-6)
    lw.resolved_rate(arm, reached.q, {tasks.Manipulability(frame="tool", rows=[0, 1, 2]): 0.1})


def test_a_later_priority_does_not_hide_what_is_out_of_reach():
    arm = lw.load("arm7")
    far = lw.pose(arm, arm.random(seed=0), "tool")
    far[:3, 3] *= 10.0
    reached = lw.inverse_kinematics(arm, {"tool": far, tasks.Position("link4", priority=2): [0.5, 0.5, 0.5]})
    assert reached.reason == "out of reach"


def test_what_cannot_all_be_reached_is_weighed():
    arm = lw.load("planar:3")
    there, turned = tasks.Position("tip", weight=4.0, axes="xy"), tasks.Direction("tip", axis="x")
    reached = lw.inverse_kinematics(arm, {there: [4.0, 0.0], turned: [0.0, 1.0, 0.0]}, initial_guess=[0.5, -0.4, 0.2])

    def cost(q):
        T = lw.pose(arm, q, "tip")
        turn = np.arccos(np.clip(T[1, 0], -1.0, 1.0))
        return 4.0 * ((4.0 - T[0, 3]) ** 2 + T[1, 3] ** 2) + (4.0 * np.sin(0.25 * turn)) ** 2  # links are of 1 m

    best = min(minimize(cost, q, options={"gtol": 1e-10}).fun for q in arm.random(10, seed=0))
    assert cost(reached.q) == pytest.approx(best, abs=1e-10)


@pytest.mark.parametrize(
    ("targets", "words"),
    [
        ({"link1": [0.0, 0.0, 1.0]}, "no free joint of 'puma560' moves the position of 'link1'$"),
        (
            {"tool": [np.diag([1.001, 1, 1, 1])]},
            r"pose of 'tool': expected a pose.*orthonormal matrix by 0.00\d+ \(at most 1e-05\) \(in row \[0\]\); got\n",
        ),
        ({tasks.Position("tool", "link2"): [np.nan, 0, 0]}, "the position of 'tool' seen from 'link2' is not finite"),
    ],
)
def test_messages_are_in_words(targets, words):
    with pytest.raises(InputError, match=words):
        lw.inverse_kinematics(lw.load("puma560"), targets)


@pytest.mark.parametrize(
    ("names", "error", "message"),
    [(["joint1", "joint1"], ArgumentError, "named once"), ([], InputError, "no coordinates")],
)
def test_joints_of_a_task_are_named_once(names, error, message):
    arm = lw.load("arm7")
    with pytest.raises(error, match=message):
        lw.inverse_kinematics(arm, {tasks.Joints(names): np.zeros(len(names))})
