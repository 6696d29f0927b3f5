"""Wrong calls of every public function: Linkwright's own errors, with the name of the function."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import numpy as np
import pytest

import linkwright as lw
from linkwright.compiler.native.public_call import PublicFunction
from linkwright.errors import ArgumentError, InputError, LinkwrightError, UnknownNameError, is_choice, names_given
from linkwright.simulation.actuation.controller import FunctionController

FOLDERS = {
    "control",
    "dynamics",
    "events",
    "quaternion",
    "rotation",
    "samples",
    "tasks",
    "trajectories",
    "transform",
}
MADE_OF_MODELS = {
    "Policy": lw.Policy,
    "Studio": lw.Studio,
    "Trajectory": lw.Trajectory,
    "WholeBody": lw.control.WholeBody,
}


def functions(module: ModuleType = lw, prefix: str = "") -> Iterator[tuple[str, Callable[..., Any]]]:
    """The public functions of the package and of its public modules, and the classes that users make of models."""
    for name in getattr(module, "__all__", None) or dir(module):
        thing = getattr(module, name)
        if isinstance(thing, ModuleType) and name in FOLDERS:
            yield from functions(thing, f"{name}.")
        elif (
            isinstance(thing, FunctionType | PublicFunction | FunctionController)
            and not name.startswith("_")
            and thing.__module__.startswith("linkwright")
        ):
            yield f"{prefix}{name}", thing


INTERNAL = {"samples.as_numbers", "samples.as_samples", "samples.explained"}
"""what a module without a list of its public names imports and shares"""
FUNCTIONS = {name: function for name, function in functions() if name not in INTERNAL}
OTHERWISE = {
    "load": "it takes names",
    "studio": "it takes names of programs",
    "study": "it takes the path of a file of a study",
    "from_dh": "it takes the name of what is made",
}
"""functions whose first argument may be a text"""


def parameters(function: Callable[..., Any]) -> list[inspect.Parameter]:
    return list(inspect.signature(function).parameters.values())


def takes_a_model(function: Callable[..., Any]) -> bool:
    first = [p for p in parameters(function) if p.name != "self"][:1]
    return bool(first) and (first[0].name == "model" or "Model" in str(first[0].annotation))


OF_MODELS = {
    name: function
    for name, function in {**FUNCTIONS, **MADE_OF_MODELS}.items()
    if takes_a_model(function) and name not in OTHERWISE
}


def test_the_lists_are_not_empty():
    assert len(FUNCTIONS) > 150
    assert len(OF_MODELS) > 110
    assert {
        "total_mass",
        "base_parameters",
        "inertial_parameters",
        "draw",
        "to_dh",
        "check",
        "Studio",
    } <= OF_MODELS.keys()
    assert {"control.pd", "events.limits", "trajectories.spline", "simulate"} <= OF_MODELS.keys()


@pytest.mark.parametrize("name", OF_MODELS)
@pytest.mark.parametrize("given", ["arm7", Path("arm7.urdf"), [1.0], None], ids=repr)
def test_what_is_no_model_is_refused(name, given):
    function = OF_MODELS[name]
    needed = [
        p for p in parameters(function)[1:] if p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)
    ]
    by_place = [np.zeros(2) for p in needed if p.kind is not p.KEYWORD_ONLY]
    named = {p.name: np.zeros(2) for p in needed if p.kind is p.KEYWORD_ONLY}
    with pytest.raises(ArgumentError, match=r"is a Model; got|takes a DHTable or a serial arm") as caught:
        function(given, *by_place, **named)
    if isinstance(given, (str, Path)) and name not in ("calibrate",):
        assert f"lw.load({str(given)!r})" in str(caught.value)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_unknown_and_too_many_arguments_are_reported(name):
    function = FUNCTIONS[name]
    kinds = {p.kind for p in parameters(function)}
    public = name.rpartition(".")[2]
    if inspect.Parameter.VAR_KEYWORD not in kinds:
        with pytest.raises(ArgumentError, match="no_such_argument") as caught:
            function(no_such_argument=1)
        assert public in str(caught.value)
    if inspect.Parameter.VAR_POSITIONAL not in kinds:
        with pytest.raises(LinkwrightError):
            function(*[None] * 40)


def test_compiled_functions_name_what_is_wrong():
    model, q = lw.load("two_link"), np.zeros(2)
    for wrong, message in (
        (
            lambda: lw.inverse_dynamics(model, q, q, q, out=q),
            r"^inverse_dynamics has no argument 'out'; it takes \(model, ",
        ),
        (
            lambda: lw.mass_matrix(model, q, "composite", q),
            r"^mass_matrix is given 4 positional arguments; it takes \(",
        ),
        (lambda: lw.pose(model, q, "tip", relativ_to="world"), "did you mean 'relative_to'"),
        (lambda: lw.pose(model, q, fram="tip"), "^pose lacks 'frame' and has no argument 'fram'"),
        (lambda: lw.derivative(lw.mass_matrix, "q")(model, q, out=q), "^mass_matrix_q has no argument 'out'"),
    ):
        with pytest.raises(ArgumentError, match=message) as caught:
            wrong()
        assert isinstance(caught.value, TypeError)


def test_a_right_call_stays_quick():
    """Wrong keywords are found by arguments of the function itself: no wrapper stands around the call."""
    code = lw.mass_matrix.__wrapped__.__code__
    assert code.co_varnames[: code.co_argcount] == ("model", "q", "method")


LARGE = 10**400
RAGGED = [[1, 2], [3]]
ZEROS = np.zeros(2)


@pytest.mark.parametrize(
    "wrong",
    [
        *(lambda m, f=f: lw.compile(f, m) for f in ([1], 3, None, "pose")),
        *(
            lambda m, f=f, d=d: getattr(lw, f)(m, ZEROS, "tip", directions=d)
            for f in ("manipulability", "operational_inertia", "velocity_ellipsoid", "force_ellipsoid", "null_space")
            for d in (3, 2.5, ZEROS, [1, 2], ["x", "x"], [], [ZEROS])
        ),
        lambda m: lw.mass_matrix(m, ZEROS, method=ZEROS),
        lambda m: lw.simulate(m, ZEROS, ZEROS, 0.1, method=ZEROS),
        lambda m: lw.rollout(m, ZEROS, ZEROS, 10, method=ZEROS),
        lambda m: lw.draw(m, ZEROS, view=ZEROS),
        lambda m: lw.analytic_inverse_kinematics(m, "tip", task=ZEROS),
        lambda m: lw.trajectories.spline(m, [0.0, 1.0], [ZEROS, ZEROS], ends=ZEROS),
        lambda m: lw.Policy(m, activation=ZEROS),
        lambda m: lw.rollout(m, ZEROS, ZEROS, 10, actuation=lw.Actuation(each=3)),
        lambda m: lw.rollout(m, ZEROS, ZEROS, 10, episode=lw.Episode(keep=3)),
        lambda m: lw.rollout(m, ZEROS, ZEROS, 10, episode=lw.Episode(keep=[3])),
        lambda m: lw.rollout(m, ZEROS, ZEROS, 10, step=LARGE),
        lambda m: lw.rollout(m, ZEROS, ZEROS, 10, episode=lw.Episode(discount=LARGE)),
        lambda m: lw.simulate(m, ZEROS, ZEROS, 0.1, step=LARGE),
        lambda m: lw.simulate(m, ZEROS, ZEROS, LARGE),
        lambda m: lw.simulate(m, ZEROS, ZEROS, (0.0, LARGE)),
        lambda m: lw.linearize(m, ZEROS, ZEROS, ZEROS, step=LARGE),
        lambda m: lw.mass_matrix(m, LARGE),
        lambda m: lw.mass_matrix(m, [LARGE, 0]),
        lambda m: lw.inverse_dynamics(lw.load("pendulum"), LARGE, 0.0, 0.0),
        lambda m: lw.compile(lw.mass_matrix, m)(LARGE),
        lambda m: lw.rotation.from_rpy([LARGE, 0, 0]),
        lambda m: lw.Batch(m, 10**9, ZEROS),
        lambda m: lw.Batch(m, LARGE, ZEROS),
        *(lambda m, s=s: lw.interpolate(m, ZEROS, ZEROS, s) for s in (None, {}, RAGGED, [0.5, None])),
        lambda m: lw.solve(np.eye(2), [None, 1.0]),
        lambda m: lw.inverse_kinematics(m, {"tip": [None, 1.0, 0.0]}),
        lambda m: lw.inverse_kinematics(m, {"tip": [1.0, 1.0, 0.0]}, solutions=LARGE),
        lambda m: lw.inverse_kinematics(m, {"tip": [1.0, 1.0, 0.0]}, restarts=RAGGED),
        *(lambda m, s=s: lw.rollout(m, *s, 10) for s in ((RAGGED, ZEROS), (ZEROS, RAGGED), (ZEROS, None))),
        lambda m: lw.close_loops(lw.load("four_bar"), RAGGED),
        *(lambda m, f=f: lw.static_wrench(m, ZEROS, f, ZEROS) for f in (ZEROS, None, 3, ["tip"])),
        lambda m: lw.null_space(m, ZEROS, ZEROS),
        *(lambda m, x=x: lw.samples.table(x) for x in (-1, [1], "x")),
    ],
)
def test_values_that_no_option_has(wrong):
    with pytest.raises((ArgumentError, InputError, LinkwrightError)):
        wrong(lw.load("two_link"))


def test_options_and_names():
    assert is_choice("x", ("x", "y"))
    assert not any(is_choice(x, ("x", "y")) for x in ("z", None, 1, ZEROS, ["x"], {}))
    assert names_given("keep", "q") == ("q",)
    assert names_given("keep", ["q", "v"]) == ("q", "v")
    assert names_given("keep", ()) == ()
    for wrong in (3, None, [3], ZEROS):
        with pytest.raises(ArgumentError, match="keep is a name or a list of names; got"):
            names_given("keep", wrong)


CLASSES = {
    "Servos": lw.Servos,
    "Solver": lw.Solver,
    "Event": lw.Event,
    "Impact": lw.Impact,
    "Pair": lw.Pair,
    "Shape": lw.Shape,
    "DHRow": lw.DHRow,
    "Measurements": lw.Measurements,
    "Study": lw.Study,
    **{name: getattr(lw.control, name) for name in ("StanceContact", "EffortCost", "FrameCost")},
    **{name: getattr(lw.control, name) for name in ("PostureCost", "VelocityCost")},
    **{name: getattr(lw, name) for name in "Actuation Actuator DHTable Keyframe Muscle Sensor Wrap".split()},
    **{name: getattr(lw.tasks, name) for name in "Direction Joints MinimumDistance Pose Position Rotation".split()},
}


@pytest.mark.parametrize("name", CLASSES)
def test_classes_report_wrong_arguments_as_functions_do(name):
    made = CLASSES[name]
    with pytest.raises(ArgumentError, match=rf"^{name} .*has no argument 'no_such_argument'"):
        made(no_such_argument=1)
    with pytest.raises(ArgumentError, match=rf"^{name} .*given 40 positional arguments"):
        made(*[None] * 40)
    known = next(reversed(inspect.signature(made).parameters))
    with pytest.raises(ArgumentError, match=f"did you mean '{known}'"):
        made(**{f"{known}s": 1})


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda arm, _: lw.read_measurements(None, arm), "a path is a str or a Path; got None"),
        (lambda _, path: lw.read_measurements(path, "two_link"), "read_measurements: the second argument is a Model"),
        (lambda _, path: lw.Trajectory.load(path, "two_link"), "Trajectory.load: the second argument is a Model"),
        (lambda arm, _: lw.Policy(arm, (4,)).flat([1, 2]), "layers are pairs"),
        (lambda arm, _: lw.Policy(arm, (4,)).flat(3), "layers are pairs"),
        (lambda arm, _: lw.equations(arm).same_as("foo", "M[1,1]", names=3), "names is a dict"),
    ],
)
def test_other_wrong_arguments(wrong, message, tmp_path):
    with pytest.raises(ArgumentError, match=message):
        wrong(lw.load("two_link"), tmp_path / "none.csv")


def test_methods_are_named_by_the_class_that_users_have():
    with pytest.raises(ArgumentError, match=r"^Model\.with_ground "):
        lw.load("quadruped").with_ground(no_such_argument=1)


@pytest.mark.parametrize("name", ["pairs.margin", "pairs.torsional_friction"])
def test_unknown_parameters_of_pairs_list_those_of_pairs(name):
    with pytest.raises(UnknownNameError, match=rf"unknown parameter '{name}'; there are pairs\.damping, pairs"):
        lw.compile(lw.mass_matrix, lw.load("quadruped").with_ground(), parameters=[name])
