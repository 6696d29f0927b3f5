"""Soft pairs: f = max(0, k δ (1 + c δ̇) + d δ̇) under every method, whatever they have of each number."""

import itertools

import mpmath
import numpy as np
import pytest
from tests.setups import grouped

import linkwright as lw
from linkwright.dynamics.contact.smooth import dissipation

G, MASS, HALF = 9.81, 1.0, 0.1
POINTS = {"sphere": 1, "box": 4}
SIZES = {"sphere": {"radius": HALF}, "box": {"size": (2 * HALF,) * 3}}
STEPS = {"semi_implicit": 2e-5, "rk4": 2e-4, "midpoint": 1e-4, "dopri5": 1e-3}
LAWS = list(itertools.product((2e3, 1e5), (0.0, 30.0), (None, 0.0, 0.3, 0.8, 1.0)))


def soft(kind, k, d, e, gravity=G, folder=None):
    builder = lw.Builder("thing", gravity=(0, 0, -gravity)).body("thing", MASS, inertia=[0.004] * 3)
    builder.joint("rail", "prismatic", "world", "thing", axis=(0, 0, 1))
    model = builder.shape(
        "thing", kind, contact=lw.ContactProperties(restitution=e, stiffness=k, damping=d), **SIZES[kind]
    ).build()
    if folder is not None:
        model.save(str(folder / "thing.sdf"))
        model = lw.load(str(folder / "thing.sdf"))
    return model.with_ground()


def rebound(k, d, e, points):
    """Speed after an impact at 1 m/s by the documented law, by small steps of Runge and Kutta."""
    c = 0.0 if e is None else dissipation(max(e, 0.05), 1.0)

    def rate(x):
        depth, speed = x
        return np.array([speed, -points / MASS * max(k * depth * (1.0 + c * speed) + d * speed, 0.0)])

    x, h = np.array([1e-12, 1.0]), 1e-3 / np.sqrt(k)
    for _ in range(1_000_000):
        a = rate(x)
        b = rate(x + 0.5 * h * a)
        x = x + h * b
        if x[0] <= 0.0 or (x[1] < 0.0 and rate(x)[1] == 0.0):
            return -x[1]
    raise AssertionError


@pytest.mark.variants("kind")
@pytest.mark.parametrize("kind", ["sphere", "box"])
@pytest.mark.parametrize(("k", "d", "e"), LAWS)
def test_a_resting_body_is_carried(kind, k, d, e, tmp_path):
    """Its penetration is m g/k, from a state at rest there, and after it has fallen on it."""
    model = soft(kind, k, d, e)
    sunk = MASS * G / (k * POINTS[kind])
    for one, method in ((model, "semi_implicit"), (soft(kind, k, d, e, folder=tmp_path), "rk4")):
        for start in (0.0, 0.02):
            if start and not d and e in (None, 1.0):
                continue  # nothing takes its energy
            q = [HALF - sunk + start]
            motion = lw.simulate(one, q, [0.0], 2.0, 5e-4, method=method)
            assert HALF - motion.q[-1, 0] == pytest.approx(sunk, abs=1e-6 + 0.05 * start)
        found = lw.rollout(one, np.array(q), np.zeros(1), 200, 5e-4)
        assert found.q[-1, 0] == lw.simulate(one, q, [0.0], 0.1, 5e-4).q[-1, 0]


@pytest.mark.variants("kind")
@pytest.mark.parametrize("kind", ["sphere", "box"])
@pytest.mark.parametrize(("k", "d", "e"), LAWS)
def test_a_rebound_is_the_same_under_all_methods(kind, k, d, e):
    model = soft(kind, k, d, e, gravity=0.0)
    points = POINTS[kind]
    expected = rebound(k, d, e, points)
    if d == 0.0:
        assert expected == pytest.approx(1.0 if e is None else max(e, 0.05), abs=2e-3)
    time = 0.005 + 2.0 * np.pi * np.sqrt(MASS / (k * points))
    for method, h in STEPS.items():
        within = {"tolerance": 1e-8} if method == "dopri5" else {}
        motion = lw.simulate(model, [HALF + 1e-3], [-1.0], time, h, **grouped(method=method, **within))
        slack = 1.6 * h * np.sqrt(k * points / MASS) if method == "semi_implicit" else 0.0
        assert motion.v[-1, 0] == pytest.approx(expected, abs=5e-3 + slack)


def test_the_dissipation_of_a_symbol_is_that_of_the_number():
    kernel = lw.compile(lambda e: dissipation(e, 2.0), e=())
    for e in (0.05, 0.1, 0.3, 0.499, 0.501, 0.8, 0.9, 0.985, 0.995, 1.0):
        assert float(kernel(e)) == pytest.approx(dissipation(e, 2.0), rel=1e-11, abs=0.0)


@pytest.mark.parametrize("e", [1e-12, 1e-3, 0.05, 0.3, 0.499, 0.501, 0.8, 0.985, 0.9899, 0.9901, 0.999, 1.0 - 1e-6])
def test_the_dissipation_solves_its_equation(e):
    """x (1 + e) = ln((1 + x)/(1 − e x)), held against bisection in 60 digits."""
    with mpmath.workdps(60):
        restitution = mpmath.mpf(e)
        low, high = mpmath.mpf(10) ** -20, (1 - mpmath.mpf(10) ** -50) / restitution
        for _ in range(250):
            x = (low + high) / 2
            positive = mpmath.log((1 + x) / (1 - restitution * x)) > x * (1 + restitution)
            low, high = (low, x) if positive else (x, high)
        assert dissipation(e, 1.0) == pytest.approx(float(x), rel=1e-9, abs=0.0)
    assert dissipation(1.0, 1.0) == 0.0


@pytest.mark.parametrize("method", ["semi_implicit", "rk4"])
def test_properties_as_parameters_are_those_of_the_model(method):
    model, start = soft("sphere", 2e3, 5.0, 0.8), (np.array([0.12]), np.array([-1.0]))
    k, d, e = np.array([2e3, 4e3]), np.array([5.0, 20.0]), np.array([0.2, 0.6])
    parameters = {"pairs.stiffness": k, "pairs.damping": d, "pairs.restitution": e}
    found = lw.rollout(model, *start, 200, 1e-3, method=method, parameters=parameters)
    for i in range(2):
        direct = lw.rollout(soft("sphere", k[i], d[i], e[i]), *start, 200, 1e-3, method=method)
        assert found.q[-1, i] == pytest.approx(direct.q[-1], abs=1e-6)


@pytest.mark.parametrize(
    ("stiffness", "parameters", "message"),
    [
        (None, {"pairs.stiffness": 1e4}, "'pairs.stiffness' is of compliant pairs; 'thing' has a rigid one"),
        (None, {"pairs.damping": 1.0}, "'pairs.damping' is of compliant pairs"),
        (1e4, {"pairs.stiffness": 0.0}, "pairs.stiffness must be above zero; got 0"),
        (1e4, {"pairs.damping": -1.0}, "pairs.damping must not be negative; got -1"),
    ],
)
def test_properties_that_no_pair_has_are_reported(stiffness, parameters, message):
    with pytest.raises(lw.errors.InputError, match=message):
        lw.rollout(soft("sphere", stiffness, 0.0, None), [0.12], [0.0], 10, parameters=parameters)
