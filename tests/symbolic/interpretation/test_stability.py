"""Equilibria and their stability, held against compiled dynamics and simulated motions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_equations import follower, with_joint
from test_explain import MODELS, cart, gantry, undamped

import linkwright as lw
from linkwright.expression.polynomials.polynomial import evaluate
from linkwright.model.build.description import JOINT_NAMES
from linkwright.model.tree import Model
from linkwright.symbolic.interpretation.equilibria import Equilibrium
from linkwright.symbolic.interpretation.extremal_inertia import largest, series_of
from linkwright.symbolic.interpretation.structure import sign_of

INERTIA = (0.02, 0.03, 0.025)


def with_damping(model: Model, *coefficients: float) -> Model:
    joints = [replace(j, damping=np.full(j.nv, d)) for j, d in zip(model.joints, coefficients, strict=True)]
    return replace(model, joints=tuple(joints))


def sprung(stiffness: float) -> Model:
    """A pendulum that hangs at zero, with a spring that rests elsewhere."""
    builder = lw.Builder("sprung").body("bob", 1.0, (0, 0, -0.5), INERTIA)
    builder.joint("hinge", "revolute", "world", "bob", axis=(0, 1, 0)).joint_spring("hinge", stiffness, rest=0.4)
    return builder.build()


def apart() -> Model:
    """Two pendulums that know nothing of each other."""
    builder = lw.Builder("apart").body("left", 1.0, (0, 0, -0.5), INERTIA).body("right", 1.0, (0, 0, -0.8), INERTIA)
    builder.joint("a", "revolute", "world", "left", axis=(0, 1, 0))
    return builder.joint("b", "revolute", "world", "right", axis=(0, 1, 0), xyz=(2, 0, 0)).build()


def crooked(n: int, seed: int) -> Model:
    """A chain of hinges in a vertical plane, centers of mass aside of the links."""
    rng = np.random.default_rng(seed)
    builder = lw.Builder("crooked", gravity=(0, -9.8, 0))
    parent = "world"
    for k in range(n):
        builder.body(f"b{k}", round(rng.uniform(0.5, 2), 3), (*rng.uniform(0.1, 0.6, 2).round(3), 0), INERTIA)
        builder.joint(f"j{k}", "revolute", parent, f"b{k}", axis=(0, 0, 1), xyz=(0.5 * (k > 0), 0, 0))
        parent = f"b{k}"
    return builder.build()


def equilibria(model: Model, parameters: str = "symbols") -> tuple[Equilibrium, ...]:
    return lw.equations(model, parameters).explanation().equilibria.found


@pytest.mark.parametrize("name", MODELS)
def test_the_mechanism_rests_where_it_is_said_to(name):
    made = lw.equations(MODELS[name]())
    search = made.explanation().equilibria
    scale = np.abs(lw.gravity_forces(made.model, made.model.random(50, seed=0))).max()
    for one in search.found:
        assert np.abs(lw.gravity_forces(made.model, one.q)).max() <= 1e-9 * scale
    rng = np.random.default_rng(0)
    for one in search.found:  # and wherever else its free coordinates are
        moved = one.q.copy()
        for k, coordinate in enumerate(made.coordinates.q):
            if coordinate in one.free or coordinate not in search.active:
                moved[k] += rng.normal()
        assert np.abs(lw.gravity_forces(made.model, moved)).max() <= 1e-9 * scale
    if search.obstacle:
        g = lw.gravity_forces(made.model, made.model.random(50, seed=1))[:, list(search.obstacle)]
        assert np.linalg.norm(g, axis=1) == pytest.approx(np.linalg.norm(g[0]))
        assert np.linalg.norm(g[0]) > 1.0
    assert bool(search.found) + bool(search.obstacle) + search.everywhere == 1


@pytest.mark.parametrize("kind", [kind for kind in JOINT_NAMES if kind != "fixed"])
def test_every_joint_type_is_explained(kind):
    made = lw.equations(with_joint(kind))
    result = made.explanation()
    assert result.structure.is_hessian_of_kinetic_energy
    assert result.structure.keeps_energy
    for one in result.equilibria.found:
        assert np.abs(lw.gravity_forces(made.model, one.q)).max() < 1e-8
    assert result.latex().isascii()
    assert len(result.sections) == 8


def test_whole_turns_matter_to_screws_and_to_what_follows():
    model = follower()
    found = equilibria(model, "numbers")
    assert len(found) >= 4
    for one in found:
        assert np.abs(lw.gravity_forces(model, one.q)).max() < 1e-8
    energies = [lw.potential_energy(model, one.q) for one in found]
    assert energies == pytest.approx([one.energy for one in found])


def test_placements_turned_by_named_angles():
    builder = lw.Builder("tilted").body("a", 1.0, (0.3, 0.1, 0), INERTIA).body("b", 0.7, (0.2, 0, 0.1), INERTIA)
    builder.joint("first", "revolute", "world", "a", axis=(0, 0, 1), rpy=(1.05, 0, 0))
    builder.joint("second", "revolute", "a", "b", axis=(0, 0, 1), xyz=(0.4, 0, 0), rpy=(0.3, 0, 0))
    made = lw.equations(builder.build())
    assert {"alpha1", "alpha2"} <= set(made.parameters)
    result = made.explanation()
    assert result.equilibria.found
    assert "M depends on theta2, and not on theta1." in result.text()
    for one in result.equilibria.found:
        assert np.abs(lw.gravity_forces(made.model, one.q)).max() < 1e-8
    q = np.random.default_rng(0).uniform(-np.pi, np.pi, (500, 2))
    series = series_of(made.canonical.mass_matrix[0, 0], made.parameters)
    assert series(q[:, 1:]) == pytest.approx(lw.mass_matrix(made.model, q)[:, 0, 0])
    assert lw.mass_matrix(made.model, q)[:, 0, 0].max() <= largest(series).value * (1 + 1e-12)


def test_base_parameters_rest_where_the_others_do():
    model = lw.load("planar:3")
    for a, b in zip(
        equilibria(model), lw.equations(model, base_parameters=True).explanation().equilibria.found, strict=True
    ):
        assert a.q == pytest.approx(b.q)
        assert a.squares == pytest.approx(b.squares)


def test_two_links_have_four_equilibria():
    search = lw.equations(lw.load("two_link")).explanation().equilibria
    assert search.complete
    places = {(one.quarters["theta1"], one.quarters["theta2"]): one.kind for one in search.found}
    assert places == {(-1, 0): "stable", (-1, 2): "unstable", (1, 2): "unstable", (1, 0): "unstable"}
    assert [one.unstable_directions for one in search.found] == [0, 1, 1, 2]
    assert search.found[0].signs == (1, 1)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_all_equilibria_of_chains_are_found_where_none_is_at_a_right_angle(n):
    search = lw.equations(crooked(n, n)).explanation().equilibria
    assert not any(one.exact for one in search.found)
    assert search.complete
    assert len(search.found) == 2**n
    assert [one.kind for one in search.found].count("stable") == 1
    assert sorted(one.unstable_directions for one in search.found)[-1] == n


def test_equilibria_of_numbers_are_those_of_symbols():
    for model in (lw.load("planar:3"), cart(), crooked(2, 5)):
        for a, b in zip(equilibria(model), equilibria(model, "numbers"), strict=True):
            assert a.exact == b.exact
            assert a.energy == pytest.approx(b.energy)
            assert a.squares == pytest.approx(b.squares)


def modes(model: Model, one: Equilibrium) -> np.ndarray:
    """The shapes (nv, nv) of the linearized motions, by differences of the compiled gravity forces."""
    step = 1e-6 * np.eye(model.nv)
    K = (
        np.array(
            [
                lw.gravity_forces(model, lw.integrate(model, one.q, e))
                - lw.passive_forces(model, lw.integrate(model, one.q, e), 0 * e)
                - lw.gravity_forces(model, lw.integrate(model, one.q, -e))
                + lw.passive_forces(model, lw.integrate(model, one.q, -e), 0 * e)
                for e in step
            ]
        ).T
        / 2e-6
    )
    squares, shapes = np.linalg.eig(np.linalg.solve(lw.mass_matrix(model, one.q), K))
    return shapes.real[:, np.argsort(squares.real)]


@pytest.mark.parametrize("make", [lambda: lw.load("pendulum"), lambda: lw.load("two_link"), lambda: sprung(3.0), cart])
def test_small_oscillations_have_the_frequencies_predicted(make):
    model = make()
    one = equilibria(model)[0]
    shapes = modes(model, one)
    for k in np.flatnonzero(one.squares > 0.0):
        omega = np.sqrt(one.squares[k])
        start = lw.integrate(model, one.q, 1e-3 * shapes[:, k])
        motion = lw.simulate(model, start, np.zeros(model.nv), 3.2 * 2 * np.pi / omega, 1e-3)
        weight = lw.mass_matrix(model, one.q) @ shapes[:, k]
        x = np.array([weight @ lw.difference(model, one.q, q) for q in motion.q])
        down = np.flatnonzero((x[:-1] > 0.0) & (x[1:] <= 0.0))
        crossings = motion.t[down] + (motion.t[1] - motion.t[0]) * x[down] / (x[down] - x[down + 1])
        assert np.diff(crossings).mean() == pytest.approx(2 * np.pi / omega, rel=1e-3)


@pytest.mark.parametrize("name", ["pendulum", "two_link", "planar:3"])
def test_stable_ones_stay_near_and_the_others_are_left_at_the_rates_predicted(name):
    model = MODELS[name]()
    for one in equilibria(model):
        shapes = modes(model, one)
        push = 1e-5
        motion = lw.simulate(model, lw.integrate(model, one.q, push * shapes[:, 0]), np.zeros(model.nv), 2.0)
        away = np.array([np.abs(lw.difference(model, one.q, q)).max() for q in motion.q])
        if one.kind == "stable":
            assert away.max() < 5 * push
        else:
            k = int(np.argmax(away > 1e-3))
            assert k > 0
            sigma = np.sqrt(-one.squares[0])
            size = push * np.abs(shapes[:, 0]).max()
            assert away[k] == pytest.approx(size * np.cosh(sigma * motion.t[k]), rel=1e-2)


def test_friction_brings_motions_to_rest_at_equilibria():
    model = with_damping(lw.load("two_link"), 2.0, 2.0)
    result = lw.equations(model).explanation()
    assert "So every bounded motion tends to the equilibria, and equilibrium 1" in result.text()
    motion = lw.simulate(model, [0.5, 1.0], [0.0, 0.0], 40.0, 5e-3, every=100)
    ends = [np.abs(lw.difference(model, one.q, motion.q[-1])).max() for one in result.equilibria.found]
    turned = np.abs(np.sin(motion.q[-1] - result.equilibria.found[0].q)).max()
    assert min(*ends, turned) < 1e-4
    assert np.abs(motion.v[-1]).max() < 1e-4


@pytest.mark.parametrize("damped", [0, 1])
def test_one_damper_is_enough_where_the_rank_test_says_so(damped):
    coefficients = [0.0, 0.0]
    coefficients[damped] = 1.0
    model = with_damping(lw.load("two_link"), *coefficients)
    result = lw.equations(model).explanation()
    one = result.equilibria.found[0]
    assert result.equilibria.silent_modes(one, result.equilibria.damping) == 0
    assert "which is asymptotically stable" in result.text()
    motion = lw.simulate(model, one.q + np.array([0.1, -0.1]), [0.0, 0.0], 120.0, 5e-3, every=100)
    assert np.abs(motion.q[-1] - one.q).max() < 0.01


def test_a_mode_without_friction_goes_on():
    model = with_damping(apart(), 0.5, 0.0)
    result = lw.equations(model).explanation()
    one = result.equilibria.found[0]
    assert result.equilibria.silent_modes(one, result.equilibria.damping) == 1
    assert "one oscillation of the linearized motion moves no joint that has friction" in result.text()
    motion = lw.simulate(model, one.q + 0.1, [0.0, 0.0], 20.0, 5e-3)
    assert np.abs(motion.q[-400:, 0]).max() < 1e-3
    assert np.abs(motion.q[-400:, 1]).max() > 0.09


def test_springs_count():
    model = sprung(3.0)
    result = lw.equations(model).explanation()
    assert result.equilibria.springs
    assert "their forces K(q) and their energy are included here" in result.text()
    for one in result.equilibria.found:
        total = lw.gravity_forces(model, one.q) - lw.passive_forces(model, one.q, [0.0])
        assert np.abs(total).max() < 1e-9
        assert not one.exact


@pytest.mark.parametrize("name", ["two_link", "planar:3", "cart", "drifting", "free", "puma560", "arm7"])
def test_no_configuration_has_a_larger_inertia_than_the_largest(name):
    made = lw.equations(MODELS[name]())
    rng = np.random.default_rng(0)
    q = made.model.random(2000, seed=0)
    for k, coordinate in enumerate(made.coordinates.q):
        if coordinate in made.coordinates.angles:
            q[:, k] = rng.uniform(-np.pi, np.pi, len(q))
    seen = lw.mass_matrix(made.model, q)
    for i in range(made.model.nv):
        series = series_of(made.canonical.mass_matrix[i, i], made.parameters)
        high, low = largest(series), largest(series, -1)
        for extreme in (high, low):
            x = np.array([extreme.at[name] for name in series.angles])
            assert series(x) == pytest.approx(extreme.value, rel=1e-12)
        assert seen[:, i, i].max() <= high.value * (1 + 1e-12)
        assert seen[:, i, i].min() >= low.value * (1 - 1e-12)
        assert seen[:, i, i].max() >= high.value - 0.3 * (high.value - low.value)
    if name == "two_link":
        series = series_of(made.canonical.mass_matrix[0, 0], made.parameters)
        assert largest(series).quarters == {"theta2": 0}
        assert largest(series).exact


@settings(max_examples=20, deadline=None)
@given(st.lists(st.floats(0.1, 5.0), min_size=8, max_size=8))
def test_what_is_proved_for_all_parameters_holds_for_any(values):
    made = lw.equations(lw.load("planar:3"))
    chosen = {name: values[k % 8] for k, name in enumerate(made.parameters)}
    for one in made.explanation().equilibria.found:
        if one.signs:
            neutral = dict.fromkeys(made.coordinates.q, 0.0)
            assert np.sign(evaluate(one.minors, {**chosen, **neutral})).tolist() == list(one.signs)


def test_signs_are_not_claimed_where_terms_disagree():
    made = lw.equations(lw.load("two_link"))
    ring, values = made._mechanism.ring, made.parameters
    m1, m2, s = ring["m1"], ring["m2"], ring["sin(theta2)"]
    assert sign_of(m1 + m2 * s * s, values) == 1
    assert sign_of(-m1 - m2, values) == -1
    assert sign_of(m1 - m2, values) == 0
    assert sign_of(m1 * s, values) == 0
    assert sign_of(m1 * s * s, values) == 0  # it may vanish
    assert sign_of(m1, {**values, "m1": -1.0}) == -1


def test_what_has_no_equilibrium_says_why():
    text = lw.equations(gantry()).explanation().text()
    assert "There is no equilibrium without efforts: g[3] = m3*g is the same everywhere, and not zero." in text
    text = lw.equations(lw.load("chain3d:1")).explanation().text()
    assert "g[1]² + g[2]² + g[3]² = m1^2*g^2 in all configurations" in text
    text = lw.equations(lw.load("two_link").with_gravity((0, 0, 0))).explanation().text()
    assert "rests in every configuration" in text


def test_bodies_without_mass_are_no_obstacle():
    builder = lw.Builder("massless").body("hanger", 0.0).body("bob", 1.0, (0, 0, -0.5), INERTIA)
    builder.joint("slide", "prismatic", "world", "hanger", axis=(1, 0, 0))
    builder.joint("hinge", "revolute", "hanger", "bob", axis=(0, 1, 0))
    builder.body("flag", 0.0).joint("pole", "revolute", "bob", "flag", axis=(0, 0, 1))
    text = lw.equations(builder.build()).explanation().text()
    assert "some motions move no mass" in text
    assert "what becomes of small disturbances is undetermined" in text


def test_what_is_too_large_is_reported_with_what_remains():
    made = lw.equations(undamped(lw.load("arm7")), term_limit=900)
    text = made.explanation().text()
    assert "M and h are too large to be analyzed" in text
    assert "reached" in text
    assert "Equilibria" in text
    assert "The mass matrix" not in text


def test_dry_friction_is_not_said_to_leave_rest_to_equilibria():
    screw = lw.Builder("screw").body("nut", 1.0, inertia=0.1).joint("turn", ("helical", 0.01), "world", "nut")
    result = lw.equations(screw.build()).explanation().text()  # which friction without a slope at rest would hold
    assert "With viscous friction D(v) at every joint" in result
    assert "every motion goes on without bound" in result
