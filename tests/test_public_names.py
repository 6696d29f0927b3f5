"""The public names, and their types for tools."""

from __future__ import annotations

import inspect
import pickle
import re
import subprocess
import sys
from pathlib import Path

import pytest

import linkwright as lw
from linkwright.errors import ArgumentError

ROOT = Path(__file__).parents[1]


def test_only_public_names_are_shown():
    assert dir(lw) == sorted([*lw.__all__, "__version__"])
    assert all(getattr(lw, name) is not None for name in dir(lw))
    assert not [name for name in lw.__all__ if name.startswith("_")]


@pytest.mark.skipif(not (ROOT / "CITATION.cff").is_file(), reason="this is no checkout")
def test_the_citation_is_of_this_version():
    assert f"\nversion: {lw.__version__}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")


MODULES = [getattr(lw, name) for name in lw.__all__ if inspect.ismodule(getattr(lw, name))]


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_public_modules_show_public_names_only(module):
    shown = dir(module)
    assert shown == sorted(module.__all__)
    assert not [name for name in shown if name.startswith("_") or inspect.ismodule(getattr(module, name))]
    documented = {name for name in shown if (getattr(module, name).__doc__ or "").strip()}
    assert {name for name in shown if callable(getattr(module, name))} <= documented


@pytest.mark.parametrize(
    ("name", "ours"),
    [
        *[("forward_kinematics", "pose"), ("fk", "pose"), ("ik", "inverse_kinematics"), ("rnea", "inverse_dynamics")],
        *[("crba", "mass_matrix"), ("aba", "forward_dynamics"), ("jacobian_time_derivative", "jacobian_dot")],
    ],
)
def test_names_of_other_libraries_lead_to_ours(name, ours):
    with pytest.raises(AttributeError, match=rf"no attribute '{name}'; it is called linkwright\.{ours}$"):
        getattr(lw, name)
    assert not hasattr(lw, name)
    assert ours in lw.__all__


def test_the_version_is_that_of_the_package():
    assert re.fullmatch(r"\d+\.\d+\.\d+", lw.__version__)


def test_signatures_say_that_batches_are_taken():
    shown = str(inspect.signature(lw.mass_matrix))
    assert "(…, nq)" in shown
    assert "(…, nv, nv)" in shown
    assert "(…, 6)" in str(inspect.signature(lw.inverse_dynamics).parameters["wrenches"])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda m, q: lw.mass_matrix(), r"mass_matrix lacks 'model', 'q'; it takes \(model, q, method='composite'\)"),
        (lambda m, q: lw.mass_matrix(m), r"mass_matrix lacks 'q'; it takes \(model, q, "),
        (lambda m, q: lw.inverse_dynamics(m, q=q, v=q), r"inverse_dynamics lacks 'a'; it takes \(model, q, v, a, "),
        (lambda m, q: lw.pose(m, q), r"pose lacks 'frame'; it takes \(model, q, frame, relative_to="),
        (lambda m, q: lw.derivative(lw.mass_matrix, "q")(m), r"mass_matrix_q lacks 'q'; it takes \(model, q, "),
        (lambda m, q: lw.derivative(lw.mass_matrix), r"derivative lacks 'wrt'; it takes \(function, wrt\)"),
        (
            lambda m, q: lw.simulate(m, q, foo=1),
            r"simulate lacks 'v0', 'duration' and has no argument 'foo'; it takes ",
        ),
        (
            lambda m, q: lw.close_loops(m, q, initial_guess=q),
            r"close_loops is given 'initial_guess' twice; it takes \(model, initial_guess, ",
        ),
        (lambda m, q: lw.check(m, q, q, q), r"check is given 4 positional arguments; it takes \(model, q\)"),
        (lambda m, q: lw.load(), r"load lacks 'source'; it takes \(source, \*, root=None, "),
        (lambda m, q: lw.equations(m, parameter={}), r"equations has no argument 'parameter'; it takes \(model, "),
        (lambda m, q: lw.compile(), r"compile lacks 'function'; it takes "),
        (lambda m, q: lw.Builder(), r"Builder lacks 'name'; it takes \(name, gravity="),
        (
            lambda m, q: lw.Builder("b").joint("j", ax=1),
            r"joint lacks 'type', 'parent', 'child' and has no .*'ax'",
        ),
    ],
)
def test_calls_that_do_not_fit_say_what_the_function_takes(call, message):
    model = lw.load("two_link")
    lw.mass_matrix(model, model.neutral())  # compiled functions have the same help as others
    for _ in range(2):
        with pytest.raises(ArgumentError, match=message):
            call(model, model.neutral())


def test_doubled_arguments_of_what_compiles_itself_are_python_s_errors():
    """They name the public function; to look for them would cost right calls time."""
    model = lw.load("two_link")
    with pytest.raises(TypeError, match=r"^mass_matrix\(\) got multiple values for argument 'model'"):
        lw.mass_matrix(model, model.neutral(), model=model)


def test_mistakes_within_a_function_are_not_reported_as_of_its_arguments():
    def law(t, q):
        return q

    model = lw.load("pendulum")
    with pytest.raises(TypeError, match="law"):
        lw.simulate(model, [0.1], [0.0], 0.1, callback=law)


@pytest.mark.parametrize("name", ["load", "simulate", "equations", "compile", "linearize", "close_loops", "stack"])
def test_functions_that_explain_their_calls_keep_their_names(name):
    function = sys.modules[lw.Equations.__module__].equations if name == "equations" else getattr(lw, name)
    assert pickle.loads(pickle.dumps(function)) is function
    assert len(inspect.signature(function).parameters) > 0


@pytest.mark.skipif(not (ROOT / "tools").is_dir(), reason="this is no checkout")
def test_what_type_checkers_are_reported_is_up_to_date(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    import write_types

    result = (ROOT / "src" / "linkwright" / "__init__.pyi").read_text(encoding="utf-8")
    assert result == write_types.types_of_public_names(), "run python tools/write_types.py"
    assert all(f"def {name}(" in result or f" as {name}\n" in result for name in lw.__all__)
    sys.modules.pop("write_types")


def test_no_package_has_the_name_of_a_function():
    """A package that is imported binds itself under its name, above a function of that name."""
    packages = {file.parent.name for file in Path(lw.__file__).parent.glob("*/__init__.py")}
    assert not [name for name in packages & set(lw.__all__) if not inspect.ismodule(getattr(lw, name))]


PACKAGES = "import sys; print(*{name.partition('.')[0] for name in sys.modules} - before)"


@pytest.mark.parametrize(
    "use",
    [
        "import linkwright",
        "import linkwright as lw; lw.load('two_link'), lw.mass_matrix, lw.compile, lw.simulate, lw.inverse_kinematics",
    ],
)
def test_only_numpy_and_llvmlite_are_loaded(use):
    """Plots, equations, the command line and extras load their libraries when they are used."""
    loaded = _in_python(f"import sys; before = {{*sys.stdlib_module_names, *sys.modules}}; {use}; {PACKAGES}").split()
    assert {name for name in loaded if "_" not in name} <= {"linkwright", "numpy", "llvmlite"}  # and C parts of NumPy


def test_what_few_programs_need_is_loaded_when_it_is_used():
    code = "import linkwright, sys; print(*(name for name in sys.modules if name.startswith('linkwright.')))"
    assert {*_in_python(code).split()} == {"linkwright.errors", "linkwright.provided"}


def _in_python(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout


PASSED = {"self", "model", "t", "q", "v", "state", "wrench"}
"""Names of the arguments that a simulation passes to a controller, and of the object of a method."""


def functions_of(module, prefix=""):
    """Public functions and methods of a module, by name; classes that are results have no constructor here."""
    for name in module.__all__:
        thing = getattr(module, name)
        if inspect.ismodule(thing):
            if thing is not lw.dynamics:
                yield from functions_of(thing, f"{name}.")
        elif inspect.isclass(thing):
            yield from (
                (f"{prefix}{name}.{method}", function)
                for method, function in inspect.getmembers(thing, inspect.isfunction)
                if not method.startswith("_")
            )
        elif callable(thing):
            yield prefix + name, thing


FUNCTIONS = dict(functions_of(lw))


def test_no_public_function_has_more_than_twelve_parameters():
    counts = {
        name: len(set(inspect.signature(function).parameters) - PASSED - {"args", "options"})
        for name, function in FUNCTIONS.items()
    }
    assert not {name: count for name, count in counts.items() if count > 12}
    assert len(counts) > 300


FORMER = {
    *(
        "guess",
        "q_guess",
        "random",
        "driven",
        "law",
        "route",
        "snap",
        "slowest",
        "unwinding",
        "informed",
        "unsure",
        "late",
    ),
    *("regularisation", "stabilisation", "centre", "colour", "told"),
}
"""Names of parameters that had one meaning in one function and another, or a house synonym, elsewhere."""


def test_one_meaning_has_one_name():
    of = {
        name: set(inspect.signature(function).parameters)
        for name, function in FUNCTIONS.items()
        if not name.startswith("tasks.")
    }
    assert not {name: names & FORMER for name, names in of.items() if names & FORMER}
    axes = {name for name, names in of.items() if "reference_frame" in names}
    assert {"jacobian", "velocity", "acceleration", "joint_forces"} <= axes
    assert not [name for name in axes if "reference" in of[name]]
    assert all(name.startswith("control.") for name, names in of.items() if "reference" in names)
