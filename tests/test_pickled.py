"""Objects of a mechanism work after pickling and deep copies."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

import linkwright as lw
from linkwright.expression.polynomials.polynomial import Ring
from linkwright.symbolic.closed_loop_control import equilibria


@pytest.fixture(autouse=True)
def few_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Search equilibria from few initial guesses: what is found is the same for all copies."""
    monkeypatch.setattr(equilibria, "STARTS", 12)


def pickled(x: Any) -> Any:
    return pickle.loads(pickle.dumps(x))


WAYS = [pickled, copy.deepcopy, copy.copy]


def weight(model, q):
    return lw.gravity_forces(model, q) * 2.0


def push(model, t, q, v, stiffness):
    return -stiffness * q - v


@pytest.mark.parametrize("way", WAYS)
def test_polynomials_and_rings(way):
    ring = Ring(["a"], [("x", "y", "z", "w")], ["m", "l"])
    p = (ring["m"] / 3 + ring["cos(a)"] * ring["l"]) ** 2 + ring["x"] * ring["sqrt2"]
    ring.divisors["1/m"] = ring["m"]
    again, zero = way([p, ring.zero])
    assert str(again) == str(p)
    assert again.ring is zero.ring
    assert again * again - again**2 == zero
    assert again.ring["cos(a)"] ** 2 + again.ring["sin(a)"] ** 2 == again.ring.one
    assert again.ring.derivative(again, "a") == again.ring.derivative(again, "a")
    assert str(again.ring.derivative(again, "a")) == str(ring.derivative(p, "a"))
    assert list(again.ring.divisors) == ["1/m"]


@pytest.mark.variants("made_before")
@pytest.mark.parametrize("name", ["two_link", "four_bar", "chain3d:1"])
@pytest.mark.parametrize("made_before", [True, False])
def test_equations(name, made_before, tmp_path):
    made = lw.equations(lw.load(name))
    if made_before:
        _ = made.text(), made.c(), made.explanation().text(), made.mass_matrix, made.latex(), made.operations
        made.html(tmp_path / "page.html")
    explained = made.explanation().text()
    for again in [way(made) for way in WAYS]:
        assert again == made
        assert again.text() == made.text()
        assert again.c() == made.c()
        assert again.same_as(made.text())
        assert again.explanation().text() == explained


@pytest.mark.parametrize("way", WAYS)
def test_explanations(way):
    result = lw.equations(lw.load("two_link")).explanation()
    again = way(result)
    assert again.text() == result.text()
    for one, other in zip(again.equilibria.found, result.equilibria.found, strict=True):
        np.testing.assert_array_equal(one.q, other.q)
        assert one.kind == other.kind


@pytest.mark.variants("made_before")
@pytest.mark.parametrize("made_before", [True, False])
@pytest.mark.parametrize(
    ("name", "law"),
    [
        ("two_link", partial(push, stiffness=10.0)),
        ("two_link", partial(lw.control.pd, target=np.array([0.3, 0.5]), stiffness=9.0, damping=4.0)),
        ("pendulum", partial(lw.control.pid, target=np.zeros(1), stiffness=9.0, damping=4.0, integral=1.0, step=0.01)),
        ("four_bar", partial(push, stiffness=10.0)),
    ],
)
def test_explanations_of_control_laws(name, law, made_before):
    made = lw.equations(lw.load(name)).explanation(controller=law)
    if made_before:
        made.text()
    for again in [way(made) for way in WAYS]:
        assert again.text() == made.text()
        assert again.proved == made.proved
        if made.law.rule.effort_function.state == 0:
            assert made.equilibria.found
            for one, other in zip(again.equilibria.found, made.equilibria.found, strict=True):
                np.testing.assert_array_equal(one.q, other.q)
                assert one.kind == other.kind


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("function", [lw.inverse_dynamics, weight, lw.derivative(lw.inverse_dynamics, "q")])
def test_derivatives(way, function):
    d = lw.derivative(function, "q")
    model = lw.load("two_link")
    state = [np.array([0.3, 0.5]), np.array([0.2, -0.1]), np.array([1.0, 2.0])][: 1 if function is weight else 3]
    again = way(d)
    assert isinstance(again, Callable)
    np.testing.assert_array_equal(again(model, *state), d(model, *state))
    assert again.__name__ == d.__name__
    assert way(lw.derivative(again, "q"))(model, *state).shape == (*d(model, *state).shape, 2)
    assert lw.compile(again, model)(*state) == pytest.approx(d(model, *state))


@pytest.mark.parametrize("way", WAYS)
def test_a_model_of_which_everything_is_derived(way):
    model = lw.load("two_link")
    q, v = np.array([0.3, 0.5]), np.zeros(2)
    lw.derivative(lw.inverse_dynamics, "q")(model, q, v, v)
    lw.resolved_rate(model, q, {"tip": np.zeros(3)})
    lw.simulate(model, q, v, 0.01, controller=partial(push, stiffness=10.0))
    lw.equations(model).explanation().text()
    lw.linearize(model, q, v, v)
    lw.base_parameters(model)
    again = way(model)
    assert again == model
    np.testing.assert_array_equal(lw.inverse_dynamics(again, q, v, v), lw.inverse_dynamics(model, q, v, v))


def test_equations_in_other_coordinates_and_of_base_parameters():
    arm = lw.load("two_link")
    for made in (
        lw.equations(arm).in_coordinates({"phi1": "theta1", "phi2": "theta1 + theta2"}),
        lw.equations(arm, base_parameters=True),
        lw.equations(arm, parameters="numbers", method="lagrange"),
    ):
        for way in WAYS:
            assert way(made).text() == made.text()


def test_in_another_process(tmp_path):
    made = lw.equations(lw.load("two_link"))
    text = made.text()
    (tmp_path / "made").write_bytes(pickle.dumps((made, lw.derivative(lw.inverse_dynamics, "q"))))
    program = (
        "import pickle; made, d = pickle.load(open('made', 'rb')); print(made.text()); "
        "print(d(made.model, [0.3, 0.5], [0.0, 0.0], [0.0, 0.0]).shape)"
    )
    run = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert run.stdout == f"{text}\n(2, 2)\n"


ERRORS = [
    *(
        getattr(lw.errors, name)("a message")
        for name in lw.errors.__all__
        if name
        not in {"ClosureError", "InconsistentMotionError", "SimulationError", "UnknownMotionError", "UnknownNameError"}
    ),
    lw.errors.UnknownNameError("frame", "tol", ["tool", "base"], advice="; add one"),
    lw.errors.UnknownMotionError((3,), (2,)),
    lw.errors.ClosureError("open", residual=[0.1], q=[0.2, 0.3]),
    lw.errors.InconsistentMotionError("no efforts", residual=[0.1]),
    lw.errors.ModelError(["no mass", "no joint"]),
]
interrupted = lw.errors.SimulationError("stopped")
interrupted.motion = "what was computed"
ERRORS.append(interrupted)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_errors(error, way):
    """Worker processes send errors home by pickle; a pool waits forever for an error that cannot be unpickled."""
    again = way(error)
    assert type(again) is type(error)
    assert str(again) == str(error)
    assert again.args == error.args
    assert vars(again) == vars(error)
    assert getattr(again, "msg", None) == getattr(error, "msg", None)


def test_every_error_is_tested():
    assert {type(error).__name__ for error in ERRORS} == set(lw.errors.__all__)


@pytest.mark.parametrize("way", WAYS)
def test_events(way):
    """An event, too, is sent to workers; what happens by it is the same."""
    ball = (
        lw.Builder("ball")
        .body("ball", 1.0, inertia=0.01)
        .joint("up", "prismatic", "world", "ball", limits=lw.JointLimits(lower=-0.3))
    )
    free = ball.shape("ball", "sphere", radius=0.1, contact=lw.ContactProperties(restitution=0.5)).build()
    grounded = free.with_ground(-0.2)
    cases = [(free, event) for event in lw.events.limits(free)]
    for model, event in (*cases, (grounded, lw.events.touch(grounded))):
        runs = [lw.simulate(model, [0.2], [0.0], 0.4, events=[one]) for one in (event, way(event))]
        assert runs[0].events
        np.testing.assert_array_equal(runs[0].q, runs[1].q)


@pytest.mark.parametrize("law", [None, partial(lw.control.pd, target=np.zeros(1), stiffness=20.0, damping=3.0)])
def test_regions_of_attraction(law):
    pendulum = lw.load("pendulum") if law else lw.load("pendulum").with_joint("hinge", damping=0.5)
    region = lw.region_of_attraction(pendulum, law, samples=5)
    for way in WAYS:
        again = way(region)
        np.testing.assert_array_equal(again.attracted, region.attracted)
        assert repr(again) == repr(region)
        np.testing.assert_array_equal(again.target, region.target)
