"""Closed loops: their rows on random trees with random loops of every kind, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import linkwright as public
from linkwright import dynamics as lw
from linkwright.dynamics.closed_loops.closure import separate
from linkwright.dynamics.closed_loops.rows import loop_rows
from linkwright.errors import ArgumentError, ClosureError, InputError, LinkwrightError, ModelError, UnknownNameError
from linkwright.model.build.builder import Builder
from linkwright.model.joints.loop import CoordinateLoop, Loop
from linkwright.spatial.transform import motion_transform
from mechanisms import LOOP_NAMES, looped, one_of_each, relative_error, with_loops

laws = settings(max_examples=30, deadline=None)
seeds = st.integers(0, 2**32 - 1)


def derivative(f, h=1e-3):
    """d/dt f at 0 by central differences of order six."""
    return (45 * (f(h) - f(-h)) - 9 * (f(2 * h) - f(-2 * h)) + (f(3 * h) - f(-3 * h))) / (60 * h)


def every_kind(seed, **options):
    """A tree with every joint type and every kind of loop."""
    return with_loops(one_of_each(seed, **options), LOOP_NAMES * 2, seed)


@laws
@given(looped(), seeds)
def test_rates_of_loops(closed, seed):
    """φ = 0 and φ̇ = K v where closed; K̇ v is the rate of K v everywhere."""
    model, q = closed
    v = np.random.default_rng(seed).normal(size=model.nv)
    assert np.abs(lw.constraint_residual(model, q)).max(initial=0.0) < 1e-12
    phi_dot = derivative(lambda h: lw.constraint_residual(model, lw.integrate(model, q, h * v)))
    assert relative_error(lw.constraint_jacobian(model, q) @ v, phi_dot) < 1e-7
    for at in (q, model.random(seed=seed)):
        rate = derivative(lambda h, at=at: lw.constraint_jacobian(model, lw.integrate(model, at, h * v)) @ v)
        assert relative_error(lw.constraint_bias(model, at, v), rate) < 1e-7


@laws
@given(looped(), seeds)
def test_what_loops_ask_of_the_bodies_accelerations(closed, seed):
    """Tᵀ(a_y − a_y′) = γ says K a + K̇ v = 0."""
    model, q = closed
    v, a = np.random.default_rng(seed).normal(size=(2, model.nv))
    constraints = iter(lw.loop_constraints(model, q, v))
    opening = lw.constraint_jacobian(model, q) @ a + lw.constraint_bias(model, q, v)
    rates, at = lw.constraint_jacobian(model, q) @ v, 0
    for loop, rows in zip(model.loops, loop_rows(model, q, v), strict=True):
        mine = slice(at, at + len(rows.residual))
        at = mine.stop
        if isinstance(loop, CoordinateLoop):
            continue
        one = next(constraints)
        to_axes = np.linalg.inv(motion_transform(lw.pose(model, q, loop.second) @ loop.second_axes))
        first, second = (lw.acceleration(model, q, v, a, end, "world") for end in (loop.first, loop.second))
        assert relative_error(one.T.T @ to_axes @ (second - first) - one.gamma, opening[mine]) < 1e-11
        assert relative_error(one.T.T @ one.twist, rates[mine]) < 1e-12
        first, second = (lw.velocity(model, q, v, end, "world") for end in (loop.first, loop.second))
        assert relative_error(one.twist, to_axes @ (second - first)) < 1e-12
        assert np.array_equal(one.residual, rows.residual)


def test_every_kind_of_loop_is_in_the_laws():
    model, _ = every_kind(1)
    assert {loop.type for loop in model.loops} == set(LOOP_NAMES)


@pytest.mark.parametrize("seed", range(3))
def test_common_ancestors_do_not_move_a_loop(seed):
    """Their columns are zeros of structure, in numbers and in compiled code."""
    model, q = every_kind(seed)
    K = lw.constraint_jacobian(model, q)
    starts = np.cumsum([0, *(joint.nv for joint in model.joints)])
    at = 0
    for loop, rows in zip(model.loops, loop_rows(model, q, np.zeros(model.nv)), strict=True):
        m = len(rows.residual)
        if isinstance(loop, Loop):
            ends = [model.frames[end].body for end in (loop.first, loop.second)]
            moving = set(model.path(ends[0])) ^ set(model.path(ends[1]))
            assert set(rows.columns) == moving
        for k in set(range(len(model.joints))) - set(rows.columns):
            assert not K[at : at + m, starts[k] : starts[k + 1]].any()
        at += m
    assert relative_error(public.constraint_jacobian(model, q), K) < 1e-14


def test_rows_compile_and_take_batches():
    model, _ = every_kind(4)
    rng = np.random.default_rng(0)
    q, v = model.random(5, seed=1), rng.normal(size=(5, model.nv))
    for k in range(5):
        assert relative_error(public.constraint_jacobian(model, q)[k], lw.constraint_jacobian(model, q[k])) < 1e-13
        assert relative_error(public.constraint_residual(model, q)[k], lw.constraint_residual(model, q[k])) < 1e-13
        bias = lw.constraint_bias(model, q[k], v[k])
        assert relative_error(public.constraint_bias(model, q, v)[k], bias) < 1e-13
    assert public.constraint_jacobian(one_of_each(), one_of_each().neutral()).shape == (0, one_of_each().nv)


def test_rows_of_symbols_are_expressions():
    model, _ = every_kind(4)
    q, v = public.symbols("q", model.nq), public.symbols("v", model.nv)
    assert public.constraint_jacobian(model, q).dtype == object
    x = public.symbols("x", model.nq + model.nv)
    bias = public.constraint_bias(model, x[: model.nq], x[model.nq :])
    assert bias.dtype == object
    assert v.shape == (model.nv,)


def double_crank() -> Builder:
    """Two bars on the ground, to be joined."""
    builder = Builder("cranks").body("a", 1.0, (0.5, 0, 0), 0.1).body("b", 1.0, (0.5, 0, 0), 0.1)
    builder.joint("ja", "revolute", "world", "a").joint("jb", "universal", "world", "b", xyz=(2, 0, 0))
    return builder.frame("end", "a", xyz=(1, 0, 0)).frame("other", "a", xyz=(0.5, 0, 0)).frame("post", "world")


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (("weld", "end", "nowhere"), {}, "unknown frame 'nowhere'"),
        (("weld", "end", "other"), {}, "closes nothing: 'end' and 'other' are both on the body 'a'"),
        (("weld", "post", "world"), {}, "both at rest in the world"),
        ((("joint", [0, 1]), "ja", "jc"), {}, "unknown coordinate 'jc'"),
        ((("joint", [0, 1]), "ja", "ja"), {}, "with itself"),
        ((("joint", [0, 1]), "ja", "end"), {}, "unknown coordinate 'end'"),
    ],
)
def test_loops_that_close_nothing(arguments, options, message):
    type, first, second = arguments
    with pytest.raises(ModelError, match=message):
        double_crank().loop("loop", type, first, second, **options).build()


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (("wedl", "end", "b"), {}, "unknown loop type 'wedl'; .*|weld"),
        (("mask", "end", "b"), {}, "a mask loop needs its directions"),
        ((("mask", []), "end", "b"), {}, "one or more of x, y, z, rx, ry, rz"),
        ((("mask", "x x"), "end", "b"), {}, "each once"),
        ((("mask", ["x", "up"]), "end", "b"), {}, "unknown direction of a relative motion 'up'"),
        ((("weld", "x"), "end", "b"), {}, "a weld loop has no parameter"),
        (("weld", "end", "b"), {"axis": (0, 0, 1)}, "a weld loop has no axis"),
        ((("weld", "x", "y"), "end", "b"), {}, r"type is a name, or \(name, parameter\)"),
        (("weld", "end"), {}, "only one is given"),
        (("distance", "end", "b"), {}, "a distance loop needs its length"),
        ((("distance", 0.0), "end", "b"), {}, "must be positive"),
        ((("distance", np.nan), "end", "b"), {}, "must be a finite number"),
        (("helical", "end", "b"), {}, "a helical loop needs its pitch"),
        ((("helical", 0.0), "end", "b"), {}, "must be nonzero"),
        (("revolute", "end", "b"), {"axis": (0, 0, 0)}, "not all zero"),
        (("revolute", "end", "b"), {"xyz": (0, 0)}, r"loop .loop.: xyz must be finite numbers of shape \(3,\)"),
        (("joint", "ja", "jb.0"), {}, "needs coefficients"),
        ((("joint", [0.0, 1.0]), "ja"), {}, "only c₀ where there is no second"),
        ((("joint", [np.inf, 1.0]), "ja", "jb.0"), {}, "must be finite"),
    ],
)
def test_loops_that_make_no_sense(arguments, options, message):
    with pytest.raises(LinkwrightError, match=message):
        double_crank().loop("loop", *arguments, **options)


def test_a_second_loop_of_the_same_name():
    builder = double_crank().loop("loop", "ball", "end", "b").loop("loop", "ball", "world", "b")
    with pytest.raises(ModelError, match="a second loop is named 'loop'"):
        builder.build()


def test_loops_are_printed():
    builder = double_crank().loop("pin", "ball", "end", "b").loop("rod", ("distance", 2.0), "world", "b")
    names = builder.build().coordinate_names
    model = builder.loop("gear", ("joint", [0.5, -2.0]), "ja", names[1]).build()
    assert str(model).splitlines()[-4:] == [
        "loops:",
        "   pin (ball): end ─ b",
        "   rod (distance): world ─ b",
        f"   gear (joint): ja = 0.5 + -2 {names[1]}",
    ]


@pytest.mark.parametrize("seed", range(4))
def test_locking_joints_of_a_loop(seed):
    """The rows of a locked model are the others' columns; loops that have nothing left to move go."""
    model, q = every_kind(seed)
    joint = model.joints[seed]
    starts = np.cumsum([0, *(joint.nq for joint in model.joints)]), np.cumsum([0, *(j.nv for j in model.joints)])
    places = [np.arange(start[seed], start[seed + 1]) for start in starts]
    locked = model.lock({joint.name: q[places[0]]})
    rest = np.delete(q, places[0])
    assert np.abs(lw.constraint_residual(locked, rest)).max(initial=0.0) < 1e-11
    K, K_locked = lw.constraint_jacobian(model, q), lw.constraint_jacobian(locked, rest)
    K = np.delete(K, places[1], axis=1)
    assert np.linalg.matrix_rank(K_locked, 1e-9) == np.linalg.matrix_rank(np.concatenate([K, K_locked]), 1e-9)
    everything = {j.name: q[starts[0][k] : starts[0][k + 1]] for k, j in enumerate(model.joints)}
    assert not model.lock(everything).loops
    open_q = dict(everything)
    plain = next(j.name for j in model.joints if j.type == "revolute")
    open_q[plain] = open_q[plain] + 0.3
    with pytest.raises(InputError, match="would be locked in an open state"):
        model.lock(open_q)


@laws
@given(looped(), seeds, st.sampled_from([0.01, 0.1]))
def test_loops_are_closed_again(closed, seed, size):
    model, q = closed
    guess = lw.integrate(model, q, size * np.random.default_rng(seed).uniform(-1, 1, model.nv))
    failure = None
    try:
        found = lw.close_loops(model, guess)
    except ClosureError as error:  # seldom, and then it says what is left
        failure, found = error, error.q
    left = lw.constraint_residual(model, found)
    if failure is None:
        assert np.abs(left).max(initial=0.0) < 1e-10
        lw.check(model, found)
    else:
        assert np.array_equal(left, failure.residual)
        assert np.abs(left).max() > 1e-10


def test_fixed_joints_stay_and_batches_go_row_by_row():
    model = public.load("four_bar")
    guesses = np.array([[0.3, 0.1, 0.0], [-0.5, 0.0, 0.0]])
    closed = public.close_loops(model, guesses, fixed=["crank"])
    assert np.array_equal(closed[:, 0], guesses[:, 0])
    assert np.abs(public.constraint_residual(model, closed)).max() < 1e-13
    assert np.allclose(public.close_loops(model, guesses[1], fixed=["crank"]), closed[1], rtol=0.0, atol=1e-13)


def test_what_cannot_be_closed_is_reported():
    model = public.load("four_bar")
    crank, coupler, rocker = public.close_loops(model, [2.0, 0.3, 0.0])
    with pytest.raises(
        ClosureError, match=r"'four_bar' could not be closed from this guess: 'pin' \(revolute\) is off"
    ):
        public.close_loops(model, [crank, coupler + 0.5, rocker], fixed=["crank", "coupler"])
    with pytest.raises(ClosureError):  # a rocker of 0.6 m does not reach beyond
        public.close_loops(model, [0.0, 0.0, np.pi], fixed=["rocker"])
    with pytest.raises(UnknownNameError, match="crnk"):
        public.close_loops(model, [0.0, 0.0, 0.0], fixed=["crnk"])
    with pytest.raises(InputError, match="not finite"):
        public.close_loops(model, [np.nan, 0.0, 0.0])


def test_axes_the_wrong_way_round_are_not_closed():
    """A hinge turned half round about an axis across has residual zero, and is brought round, not accepted."""
    builder = Builder("turned").body("a", 1.0, inertia=0.1).joint("ball", "spherical", "world", "a")
    model = builder.loop("hinge", "revolute", "world", "a").build()
    half = np.array([0.0, 1.0, 0.0, 0.0])
    assert np.abs(lw.constraint_residual(model, half)).max() == 0.0
    for start in (half, np.array([np.sin(0.01), np.cos(0.01), 0.0, 0.0])):
        R = lw.pose(model, lw.close_loops(model, start), "a")[:3, :3]
        assert R[2, 2] == pytest.approx(1.0)


MOBILITIES = {
    "four_bar": (1, 5, 2),
    "slider_crank": (1, 5, 2),
    "four_bars:3": (3, 15, 6),
    "bricard": (1, 5, 4),
    "delta": (3, 15, 15),
    "stewart": (6, 15, 15),
}


@pytest.mark.parametrize("name", MOBILITIES)
def test_mobility_of_the_linkages(name):
    model = public.load(name)
    assert np.abs(lw.constraint_residual(model, model.neutral())).max() < 1e-15
    found = public.mobility(model)
    assert (found.degrees_of_freedom, found.constraints, found.independent) == MOBILITIES[name]
    assert found.redundant == found.constraints - found.independent
    assert not found.singular


def test_singular_configurations_are_found():
    """A parallelogram laid flat can also cross over."""
    builder = Builder("parallelogram", (0, -9.81, 0))
    for name, parent, x in (("left", "world", 0.0), ("right", "world", 1.0), ("top", "left", 0.5)):
        builder.body(name, 1.0, (0.25, 0, 0), 0.1).joint(f"{name}_hinge", "revolute", parent, name, xyz=(x, 0, 0))
    model = builder.loop("pin", "revolute", "top", "right_end", xyz=(1, 0, 0)).frame(
        "right_end", "right", xyz=(0.5, 0, 0)
    )
    model = model.build()
    flat = public.mobility(model, np.zeros(3))
    assert flat.singular
    assert (flat.degrees_of_freedom, flat.at_configuration) == (1, 2)
    assert "singular here: 2 velocities are free" in str(flat)
    turned = public.mobility(model, [0.5, -0.5, 0.5])
    assert (turned.degrees_of_freedom, turned.at_configuration, turned.singular) == (1, 1, False)
    with pytest.raises(InputError, match="not closed at this q"):
        public.mobility(model, [0.5, 0.0, 0.0])


@pytest.mark.parametrize("names", [0, None, "drive"])
def test_joints_that_stay_are_listed_by_name(names):
    with pytest.raises(ArgumentError, match="fixed is a list of joint names"):
        public.close_loops(public.load("four_bar"), np.zeros(3), fixed=names)


@pytest.mark.parametrize("names", [0, "drive", [0], [None]])
def test_joints_that_drive_are_listed_by_name(names):
    model = public.load("four_bar")
    with pytest.raises(ArgumentError, match="actuated is a list of joint names"):
        public.inverse_dynamics(model, np.zeros(3), np.zeros(3), np.zeros(3), actuated=names)


def test_one_constraint_is_reported_as_one():
    rod = Builder("rod").body("a", 1.0).joint("slide", "prismatic", "world", "a", axis=(1, 0, 0))
    rod = rod.loop("stop", ("distance", 1.0), "world", "a").build()
    assert str(public.mobility(rod, [1.0])) == "0 degrees of freedom; 1 constraint, 1 independent, 0 redundant"


@settings(max_examples=40, deadline=None)
@given(looped())
def test_loops_that_share_no_joint_are_taken_apart(closed):
    """Parts of K that share neither rows nor columns, and are all of it."""
    model, q = closed
    parts = separate(model, q)
    K = np.zeros((len(lw.constraint_residual(model, q)), model.nv))
    for part in parts:
        assert not K[part.rows].any()
        assert not K[:, part.columns].any()
        K[np.ix_(part.rows, part.columns)] = part.K
    assert relative_error(K, lw.constraint_jacobian(model, q)) < 1e-14


def test_long_rows_of_linkages_are_counted_and_closed():
    model = public.load("four_bars:120")
    assert [len(part.columns) for part in separate(model, model.neutral())] == [3] * 120
    assert public.mobility(model, model.neutral()).degrees_of_freedom == 120
    q = public.close_loops(model, lw.integrate(model, model.neutral(), np.full(model.nv, 0.01)))
    assert np.abs(lw.constraint_residual(model, q)).max() < 1e-10


@pytest.mark.parametrize(("gap", "tilt", "closes"), [(3e-8, 0.0, True), (0.0, 1e-8, True), (1e-4, 0.0, False)])
def test_planes_apart_by_the_rounding_of_a_file_are_closed(gap, tilt, closes):
    builder = Builder("four bars").body("crank", 1.0).joint("a", "revolute", "world", "crank")
    builder.body("coupler", 1.0).joint("b", "revolute", "crank", "coupler", xyz=(0.2, 0.0, 0.0), rpy=(tilt, 0.0, 0.0))
    builder.body("rocker", 1.0).joint("c", "revolute", "world", "rocker", xyz=(0.5, 0.0, 0.0))
    builder.frame("pin", "coupler", xyz=(0.6, 0.0, 0.0)).frame("eye", "rocker", xyz=(0.4, 0.0, gap))
    model = builder.loop("ball", "ball", "pin", "eye").build()
    if not closes:
        with pytest.raises(ClosureError, match=r"'ball' \(ball\) is off by 0\.0001"):
            lw.close_loops(model, [1.0, -0.5, 1.5])
        return
    q = lw.close_loops(model, [1.0, -0.5, 1.5])
    residual = np.abs(lw.constraint_residual(model, q))
    assert 1e-9 < residual.max() < 1e-7
    assert np.sort(residual)[1] < 1e-10
    assert lw.mobility(model, q).degrees_of_freedom == 1
