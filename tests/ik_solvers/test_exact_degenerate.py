"""Exact inverse kinematics of structured postures: straight arms, right angles, points on axes, and nearly so."""

from __future__ import annotations

import copy
import itertools
import warnings
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution

import numpy as np
import pytest

import linkwright as lw
from shortened import long_form

RIGHT = [0.0, np.pi / 2, -np.pi / 2, np.pi]
X, Y, Z = np.eye(3)


def gap(a, b, places):
    """The largest difference of joints, rad without whole turns."""
    return np.abs(np.remainder(a - b + np.pi, 2.0 * np.pi) - np.pi)[..., list(places)].max(axis=-1)


class Curve:
    """Curves of exact answers to a target, followed in small steps from a posture."""

    def __init__(self, solver, q, target, given=0.0):
        self.solver, self.q, self.target, self.given = solver, q[list(solver._arm.places)], target, given
        self.others = [k for k in range(len(self.q)) if k != solver._way.held]
        self.residual = solver._linearized

    def at(self, q):
        """The curves from another posture."""
        other = copy.copy(self)
        other.q = q
        return other

    def linearized(self, q):
        """The residual, its Jacobian and the error (m and 2 sin(angle / 2) together) of a posture."""
        return self.residual(q, self.target, self.given)

    def exact(self, q):
        """The exact answer next to a posture, moved in stiff directions if possible; None if there is none."""
        for least in (1e-4, 1e-6, 0.0):
            x = q.copy()
            for _ in range(15):
                e, J, error = self.linearized(x)
                if error <= self.solver.tolerance:
                    return x
                U, values, V = np.linalg.svd(J, full_matrices=False)
                damping = e @ e if least == 0.0 else 0.0
                step = np.where(values > least * values[0], values / (values**2 + damping + 1e-24), 0.0)
                x[self.others] += (step * (e @ U)) @ V
        return None

    def free_directions(self, q, *parts):
        """Directions (n, joints) of singular values below a part of the largest, for each of some parts."""
        _, values, V = np.linalg.svd(self.linearized(q)[1])
        directions = np.zeros((len(self.others), len(q)))
        directions[:, self.others] = V
        return [directions[(values > least * values[0]).sum() :] for least in parts]

    def leads_to(self, answer):
        """Whether exact answers, each at most 0.05 rad from the one before, lead to an answer (nq,)."""
        to = np.remainder(answer[list(self.solver._arm.places)] - self.q + np.pi, 2.0 * np.pi) - np.pi
        turns = 2.0 * np.pi * np.array(list(itertools.product((0, 1, -1), repeat=len(to))))
        turns = turns[(np.abs(to + turns) < 1.5 * np.pi).all(axis=1)]
        (free,) = self.free_directions(self.q, 1e-4)
        off = np.linalg.norm(to + turns - (to + turns) @ free.T @ free, axis=1)
        return any(self.reaches(self.q + to + turn) for turn in turns[np.argsort(off, kind="stable")[:3]])

    def reaches(self, goal):
        """The same for joint values of which no turns are taken off: each step leads towards them."""
        q = self.q
        for _ in range(1500):
            if q is None or np.abs(goal - q).max() < 1e-3:
                return q is not None
            q = next(self.next_to(q, goal), None)
        return False

    def next_to(self, q, goal):
        """Exact answers next to an exact one, nearer to the goal; where curves cross they lead from one to another."""
        several = self.free_directions(q, 1e-4, 1e-7)
        for step, free in itertools.product((2.5e-2, 1e-2, 2.5e-3, 6e-4), several):
            along = free.T @ (free @ (goal - q))
            along *= min(1.0, step / np.abs(along).max(initial=1e-9))
            x = self.exact(q + along)
            if x is not None and np.abs(x - q).max() < min(5.0 * step, 0.05):
                nearer = (goal - q) @ (goal - q) - (goal - x) @ (goal - x)
                if nearer > 0.4 * along @ along + 1e-12:
                    yield x

    def free(self, answers):
        """The answers (n, nq) that have free joints."""
        return answers[[bool(self.solver.free(x)) for x in answers]]

    def joins(self, answers):
        """Whether steps towards one of some answers lead to it."""
        return any(map(self.leads_to, answers))

    def passes(self, answers):
        """Whether the curve along the softest direction passes one of them, on a way that may go back and forth."""
        return len(answers) > 0 and any(self.passes_along(answers, direction) for direction in (1.0, -1.0))

    def passes_along(self, answers, direction):
        """The same in one direction."""
        x, last = self.q, None
        for _ in range(1500):
            soft = np.zeros(len(x))
            soft[self.others] = np.linalg.svd(self.linearized(x)[1])[2][-1]
            soft *= direction if last is None else np.sign(soft @ last)
            near = (self.exact(x + step * soft / np.abs(soft).max()) for step in (1e-2, 2.5e-3, 6e-4))
            near = (y for y in near if y is not None and 2e-4 < np.abs(y - x).max() < 0.05)
            last, x = x, next(near, None)
            if x is None:
                return False
            last = x - last
            apart = gap(answers[:, list(self.solver._arm.places)], x, range(len(x)))
            if self.at(x).joins(answers[apart < 0.05]):
                return True
        return False


def lost(solver, model, frame, q):
    """The postures whose target is out of reach, and those neither found nor on a curve that leads to a free answer."""
    T = lw.pose(model, q, frame)
    values = [T[:, :3, 3] if solver.family.startswith("a position") else T]
    if solver.given is not None:
        elbow = solver.given == "elbow angle"
        values.append(solver.elbow_angle(q) if elbow else q[:, model.slice(solver.given).q.start].copy())
    found = solver(*values)
    missing = np.where(found.exact, gap(found.q, q[:, None], found.places), np.inf).min(axis=-1) > 1e-3
    silent = []
    for k in np.flatnonzero(missing & (found.count > 0)):
        curve, answers = Curve(solver, q[k], *(x[k] for x in values)), found.q[k][found.exact[k]]
        answers = answers[np.argsort(gap(answers, q[k], found.places))]
        if not curve.joins(curve.free(answers[:2])):
            free = curve.free(answers)
            if not curve.passes(free) and not curve.joins(free[2:]):
                silent.append(k)
    return q[found.count == 0], q[silent]


def assert_found(solver, model, frame, q):
    """Each posture is among the answers to its pose, or on a curve of answers that leads to one with free joints."""
    none, silent = lost(solver, model, frame, q)
    assert not len(none), np.degrees(none[0])
    assert not len(silent), np.degrees(silent[0])


@cache  # its solvers too: what is compiled for one serves all tests
def load(name):
    """A model, and the frame of its hand."""
    if name not in ("puma560", "arm7"):
        try:
            distribution("example-robot-data")
        except PackageNotFoundError:
            pytest.skip("example-robot-data is not installed (the extra robots)")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = lw.load(name)
    return model, {"puma560": "tool", "arm7": "tool", "panda": "panda_hand_tcp"}.get(name, model.bodies[-1].name)


@cache
def solver_of(name, given=None):
    """The solver of a model for the frame of its hand."""
    return lw.analytic_inverse_kinematics(*load(name), given=given)


def of_arm(model, frame, q):
    """Configurations (n, nq) with the coordinates of the arm."""
    whole = np.tile(model.neutral(), (len(q), 1))
    whole[:, [model.slice(model.joints[body].name).q.start for body in model.path(model.frame(frame).body)]] = q
    return whole


EVERY = [3, *long_form(1)]
"""One of how many postures is tried at each distance: those next to singular ones take up to 0.1 s."""


def next_to(q, every, random):
    """Some of the postures (n, joints), and others next to them; other ones at each distance."""
    for k, distance in enumerate((0.0, 1e-9, 1e-7, 1e-5)):
        some = q[every * k // 4 :: every]
        yield some + distance * random.uniform(-1.0, 1.0, some.shape)


@pytest.mark.parametrize("every", [39, *long_form(13)])
@pytest.mark.parametrize("name", ["ur5_robot", "kinova", "puma560"])
def test_postures_of_right_angles_are_found_or_infinitely_many(name, every):
    model, frame = load(name)
    q = np.array(list(itertools.product(RIGHT, repeat=6)))[::every]
    assert_found(solver_of(name), model, frame, q)


@pytest.mark.parametrize("every", EVERY)
@pytest.mark.parametrize("name", ["puma560", "arm7", "ur5_robot", "z1", "kinova", "panda", "xarm7"])
def test_postures_at_and_next_to_singular_ones_are_found_or_infinitely_many(name, every):
    model, frame = load(name)
    solver = solver_of(name)
    n, random = len(model.path(model.frame(frame).body)), np.random.default_rng(0)
    right = np.array(RIGHT)[random.integers(0, 4, (60, n))]
    fifteen = random.integers(-11, 13, (60, n)) * np.pi / 12
    structured = np.where(random.random((60, n)) < 0.5, fifteen, random.uniform(-3.0, 3.0, (60, n)))
    for near in next_to(np.concatenate([right, fifteen, structured]), every, random):
        assert_found(solver, model, frame, of_arm(model, frame, near))


@pytest.mark.parametrize("every", EVERY)
@pytest.mark.parametrize(("name", "given"), [("arm7", "joint2"), ("xarm7", "joint4")])
def test_straight_postures_with_another_joint_given_are_found_or_infinitely_many(name, given, every):
    model, frame = load(name)
    solver = solver_of(name, given)
    random = np.random.default_rng(0)
    fifteen = random.integers(-11, 13, (100, 7)) * np.pi / 12
    for near in next_to(np.where(random.random((100, 7)) < 0.6, 0.0, fifteen), every, random):
        assert_found(solver, model, frame, of_arm(model, frame, near))


def test_two_close_answers_that_the_formulas_of_an_approximate_family_merge_are_found():
    """The wrist of xarm7 is spherical up to 1e-6, by the decimals of its file."""
    model, frame = load("xarm7")
    q = np.array([[-2.167647, -1.703708, -0.804197, 2.816823, 1.565535, 0.995587, 2.859201]])
    assert_found(solver_of("xarm7"), model, frame, q)


@pytest.mark.parametrize(
    ("name", "given", "q"),
    [
        # multiple roots, which rounding of the equation of degree 16 moves off zero
        ("xarm7", "joint2", [-np.pi / 2, np.pi, -np.pi / 2, np.pi / 2, np.pi, np.pi / 2, np.pi]),
        (
            "panda",
            "panda_joint2",
            [
                1.5707962626413101,
                6.731299634318231e-08,
                6.064337809139297e-08,
                -1.5707962880327515,
                -1.5707963196893564,
                1.5707963623537127,
                3.802202161128818e-08,
                0.0,
            ],
        ),
        (
            "panda",
            "panda_joint2",
            [
                -1.5707963023913378,
                1.570796245947475,
                1.5707962744261452,
                3.1415926930039295,
                3.141592682717282,
                3.1415926078488896,
                1.57079630379838,
                0.0,
            ],
        ),
        # a polynomial whose error needs the norm of an inverse: two pivots are 1e-8, and a singular value 1e-16
        (
            "panda",
            "panda_joint2",
            [
                -8.103481578101783e-08,
                -1.5707962674580267,
                -5.4625338813288924e-08,
                -9.186667869277797e-10,
                -7.360017986360431e-08,
                2.3827610348899753,
                -6.545140204488466e-08,
                0.0,
            ],
        ),
        # of further solvers
        *long_form(
            (
                "panda",
                "panda_joint1",
                [
                    4.2139637486452906e-08,
                    -1.5707963295096292,
                    -7.058409433059474e-08,
                    3.1415927264233585,
                    7.215525266628129e-08,
                    9.269719981899156e-08,
                    3.141592582565761,
                    0.0,
                ],
            ),
            # the middle one of three answers that are 1e-3 rad apart
            (
                "xarm7",
                "joint1",
                [
                    0.5235987092502344,
                    -2.617993853007184,
                    -1.0110303243587215e-08,
                    -3.742649706722145e-08,
                    -2.6339487439336318e-08,
                    -8.668095339763224e-08,
                    -0.1578228366331363,
                ],
            ),
        ),
    ],
)
def test_multiple_solutions_of_six_joints_of_any_geometry_are_found(name, given, q):
    model, frame = load(name)
    assert_found(solver_of(name, given), model, frame, np.array([q]))


NEARLY_FREE = [
    ("joint2", [-np.pi / 2, 0.0, -np.pi / 2, 0.0, np.pi, 0.0, 0.0]),
    ("joint2", [0.0, 0.0, -np.pi / 2, 0.0, 0.0, np.pi, np.pi / 2]),
    ("joint2", [0.0, 0.0, -np.pi / 2, 0.0, 0.0, np.pi, np.pi]),
    ("joint2", [np.pi / 2, 0.0, -np.pi / 2, np.pi, 0.0, 0.0, -np.pi / 2]),
    ("joint4", [np.pi / 2, 0.0, -np.pi / 2, np.pi, 0.0, 0.0, -np.pi / 2]),
    ("joint6", [np.pi / 2, 0.0, -np.pi / 2, np.pi, 0.0, 0.0, -np.pi / 2]),
]
"""Postures of xarm7 whose axes 1 and 3 coincide up to the decimals of its file."""


@pytest.mark.variants("distance")
@pytest.mark.parametrize(("given", "q"), NEARLY_FREE)
@pytest.mark.parametrize("distance", [0.0, 1e-9])
def test_answers_next_to_motions_that_the_decimals_of_a_file_stop_are_found(given, q, distance):
    """The error along such a motion is 1e-7 times its square, and 1 times the square of others next to it."""
    model, frame = load("xarm7")
    q = np.array([q]) + distance * np.random.default_rng(0).uniform(-1.0, 1.0, (3, 7))
    assert_found(solver_of("xarm7", given), model, frame, q)


@pytest.mark.parametrize("distance", [0.0, 1e-9, 1e-7])
def test_answers_on_a_curve_that_rounding_breaks_up_are_found(distance):
    """Of four answers next to the curve of joint1 and joint3 two are 6e-5 rad from it, and lead to the other two."""
    model, frame = load("xarm7")
    q = np.array([[5 * np.pi / 6, 0.0, 0.0, 1.647452335129329, 5 * np.pi / 12, 2.166828959721773, 0.0]])
    q = q + distance * np.random.default_rng(0).uniform(-1.0, 1.0, (3, 7))
    assert_found(solver_of("xarm7", "joint4"), model, frame, q)


@pytest.mark.parametrize("distance", [0.0, 1e-9])
def test_the_middle_of_three_answers_on_a_nearly_free_motion_is_found(distance):
    """Along the motion of joint1 and joint3 the error is zero at the posture, and at 0.37 rad on both sides of it."""
    model, frame = load("xarm7")
    q = np.array([[np.pi / 6, 0.0, 0.0, -11 * np.pi / 12, 0.0, 0.0, 0.0]])
    q = q + distance * np.random.default_rng(0).uniform(-1.0, 1.0, (3, 7))
    assert_found(lw.analytic_inverse_kinematics(model, frame), model, frame, q)


@pytest.mark.parametrize("seed", [0, *long_form(2, 3)])
@pytest.mark.parametrize("given", ["joint2", "joint4", "joint6"])
def test_all_postures_of_an_arm_with_rounded_axes_in_one_plane_are_found(given, seed):
    model, frame = load("xarm7")
    random = np.random.default_rng(seed)
    q = np.array(RIGHT)[random.integers(0, 4, (100, 7))]
    q[:, 1::2] = np.pi * random.integers(0, 2, (100, 3))
    assert_found(solver_of("xarm7", given), model, frame, q)


JOINTS = {
    "spherical wrist": 6,
    "three parallel axes": 6,
    "six joints of any geometry": 6,
    "spherical shoulder, elbow and wrist": 7,
    "planar, three hinges": 3,
    "a hinge and a plane": 4,
    "three parallel hinges and a slide along them": 4,
    "a position for three joints": 3,
}
"""Families, and the joints of an arm."""


def right_angled_arm(kind, seed, slides=()):
    """Joints along coordinate axes through points of a grid, in an order that makes the arm one of a family."""
    random = np.random.default_rng(seed)
    n = JOINTS[kind]
    axes = [np.eye(3)[i] for i in random.integers(0, 3, n)]
    points = [random.integers(0, 4, 3) * 0.2 for _ in range(n)]
    for at in {"spherical wrist": [3], "spherical shoulder, elbow and wrist": [0, 4]}.get(kind, ()):
        axes[at : at + 3] = [Z, Y, X] if seed % 2 else [X, Y, X]
        points[at + 1] = points[at + 2] = points[at]
    if kind == "three parallel axes":
        axes[1] = axes[2] = axes[3] = Y
    if kind in ("planar, three hinges", "three parallel hinges and a slide along them"):
        axes[:] = [Y] * n
    if kind == "a hinge and a plane":
        axes[:] = [Z, Y, Y, Y]
    builder, before, at = lw.Builder("arm"), "world", np.zeros(3)
    for k in range(n):
        builder.body(f"l{k}", 1.0, (0, 0, 0), (1, 1, 1))
        joint = "prismatic" if k in slides else "continuous"
        builder.joint(f"j{k}", joint, before, f"l{k}", xyz=tuple(points[k] - at), axis=tuple(axes[k]))
        before, at = f"l{k}", points[k]
    return builder.frame("hand", before, xyz=(0.1, 0.2, 0.3)).build()


@cache
def right_angled_solver(kind, seed, slides=()):
    """Such an arm, and its solver."""
    model = right_angled_arm(kind, seed, slides)
    return model, lw.analytic_inverse_kinematics(model, "hand", task="position" if "position" in kind else "pose")


@pytest.mark.parametrize("every", EVERY)
@pytest.mark.parametrize(
    ("kind", "seed", "slides"),
    [
        ("spherical wrist", 1, ()),
        ("spherical wrist", 5, ()),
        ("spherical wrist", 0, (1,)),
        ("spherical wrist", 0, (0, 1)),
        ("three parallel axes", 18, ()),
        ("three parallel axes", 10, ()),
        ("six joints of any geometry", 5, ()),
        *long_form(("six joints of any geometry", 8, ())),
        ("spherical shoulder, elbow and wrist", 0, ()),
        ("planar, three hinges", 0, ()),
        ("a hinge and a plane", 2, ()),
        ("three parallel hinges and a slide along them", 0, (2,)),
        ("a position for three joints", 0, ()),
    ],
)
def test_postures_of_random_right_angled_arms_are_found_or_infinitely_many(kind, seed, slides, every):
    model, solver = right_angled_solver(kind, seed, slides)
    assert solver.family == kind
    random = np.random.default_rng(seed)
    for near in next_to(np.array(RIGHT)[random.integers(0, 4, (60, model.nq))], every, random):
        assert_found(solver, model, "hand", near)


@pytest.mark.variants("distance")
@pytest.mark.parametrize("distance", [0.0, 1e-9, 1e-7])
@pytest.mark.parametrize(
    "q",
    [
        [-np.pi / 2, -np.pi / 2, np.pi, -np.pi / 2, 0.0, 0.0],
        [0.0, np.pi / 2, np.pi, np.pi / 2, 0.0, -np.pi / 2],
        [0.0, -np.pi / 2, 0.0, np.pi / 2, 0.0, -np.pi / 2],
    ],
)
def test_an_eightfold_root_leaves_places_for_other_answers(q, distance):
    """Rounding turns two eightfold roots into 16 different answers, and an arm has no more."""
    model, solver = right_angled_solver("six joints of any geometry", 5)
    q = np.array([q]) + distance * np.random.default_rng(0).uniform(-1.0, 1.0, (3, 6))
    assert_found(solver, model, "hand", q)


@pytest.mark.parametrize("joint", [1, 5])
def test_a_straight_shoulder_or_wrist_at_a_given_elbow_angle_leaves_two_joints_free(joint):
    arm = lw.load("arm7")
    solver = lw.analytic_inverse_kinematics(arm, "tool")
    q = np.random.default_rng(0).uniform(-3.0, 3.0, (20, 7))
    q[:, joint] = 0.0
    assert_found(solver, arm, "tool", q)
    found = solver(lw.pose(arm, q, "tool"), solver.elbow_angle(q))
    pair = "joint1, joint3" if joint == 1 else "joint5, joint7"
    assert {pair in reason for reason in found.reason} == {True}


def test_an_elbow_axis_along_the_line_from_shoulder_to_wrist_leaves_targets_in_reach():
    """Such a posture has no elbow angle."""
    arm = right_angled_arm("spherical shoulder, elbow and wrist", 2)
    q = np.array(RIGHT)[np.random.default_rng(2).integers(0, 4, (60, 7))]
    none, _ = lost(lw.analytic_inverse_kinematics(arm, "hand"), arm, "hand", q)
    assert not len(none), np.degrees(none[0])


def test_a_wrist_is_nearly_straight_and_its_joints_are_not_free():
    """At 1e-6 rad from a straight wrist each answer is isolated."""
    arm = lw.load("puma560")
    solver = lw.analytic_inverse_kinematics(arm, "tool")
    q = np.random.default_rng(0).uniform(-3.0, 3.0, (20, 6))
    q[:, 4] = 1e-6
    found = solver(lw.pose(arm, q, "tool"))
    gap = np.abs(np.remainder(found.q - q[:, None] + np.pi, 2.0 * np.pi) - np.pi).max(axis=-1)
    assert np.nanmin(gap, axis=-1).max() < 1e-8
    assert set(found.reason) == {""}
