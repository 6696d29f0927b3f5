"""Every algorithm with shapes in its annotations, run with these annotations executed (jaxtyping, beartype).

A program of its own, since the annotations are executed from the import on, and make what is imported several times
slower: run by ``test_shapes.py``. Functions are found by their annotations and called with all that the table below
has for their parameters; a parameter that is not in it fails.
"""

from __future__ import annotations

import gc
import importlib
import inspect
import pkgutil
import sys
from collections.abc import Callable, Iterator
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import Any

import jaxtyping
import numpy as np

gc.set_threshold(500_000, 20, 20)  # as in the tests
jaxtyping.install_import_hook(  # where a float is promised, a whole number will do, as to every type checker
    ["linkwright.dynamics"], "beartype.beartype(conf=beartype.BeartypeConf(is_pep484_tower=True))"
)
executed = jaxtyping.jaxtyped


def where_shapes_are(**how: Any) -> Callable[[Any], Any]:
    """Decorate as jaxtyping does, except inner functions without shapes, which are created again at each call."""
    decorated = executed(**how)

    def decorate(f: Any) -> Any:
        return f if "<locals>" in f.__qualname__ and not says_a_shape(f) else decorated(f)

    return decorate


def says_a_shape(f: Any) -> bool:
    """Whether an annotation of the function does."""
    return any("Shaped" in str(a) for a in f.__annotations__.values())


jaxtyping.jaxtyped = where_shapes_are
sys.path.insert(0, str(Path(__file__).parents[1]))

from linkwright import dynamics
from linkwright.dynamics.forward import FORWARD_DYNAMICS_METHODS
from linkwright.dynamics.inertias.mass import MASS_MATRIX_METHODS
from linkwright.dynamics.kinematics import REFERENCE_FRAMES
from linkwright.errors import InconsistentMotionError, ModelError
from linkwright.expression.graph import Graph
from linkwright.model.joints.joint import JOINT_TYPES, Prismatic, Revolute, Spherical
from linkwright.model.tree import Model
from mechanisms import LOOP_NAMES, one_of_each, random_tree, state, with_loops


def annotated() -> list[Callable[..., Any]]:
    """The functions of ``linkwright.dynamics`` that say a shape."""
    found = []
    for module in pkgutil.walk_packages(dynamics.__path__, dynamics.__name__ + "."):
        for f in vars(importlib.import_module(module.name)).values():
            if inspect.isfunction(f) and f.__module__ == module.name and says_a_shape(f):
                found.append(f)
    return found


def values(model: Model, seed: int) -> dict[str, list[Any]]:
    """Return the possible values of each parameter for a mechanism."""
    q, v, a = state(model, seed)
    rng = np.random.default_rng(seed)
    if model.loops:  # a motion that keeps them closed
        v = dynamics.impulse(model, q, v)[0]
        a = dynamics.forward_dynamics(model, q, v, a)
    joints = [joint.name for joint in model.joints if joint.nv]
    return {
        "q": [q],
        "q0": [q],
        "q1": [model.random(seed=rng)],
        "v": [v],
        "u": [a],
        "turning": [a],
        "f": [rng.normal(size=model.nv)],
        "x": [0.01 * rng.normal(size=model.nv)],
        "v1": [rng.normal(size=model.nv)],
        "v_r": [rng.normal(size=model.nv)],
        "a": [a],
        "a_r": [rng.normal(size=model.nv)],
        "tau": [rng.normal(size=model.nv)],
        "twists": [rng.normal(size=(len(model.bodies), 6))],
        "forces": [list(rng.normal(size=(len(model.bodies), 6)))],
        "wrench": [np.arange(6.0)],
        "frame": ["tip", "world"],
        "frames": [("tip", "world")],
        "body": ["tip", "body0"],
        "values": [list(rng.normal(size=len(model.bodies)))],
        "point": [np.arange(3.0)],
        "base": ["body", "world"],
        "armature": [False, True],
        "friction": [False, True],
        "of": ["total", "kinetic", "potential"],
        "height": [0.0, 0.3],
        "root": [-1, 0],
        "relative_to": ["world", "body0"],
        "order": ["zyx", "zxz"],
        "measure": ["yoshikawa", "condition", "asada"],
        "directions": ["all", "linear", ("x", "rz")],
        "axes": ["moving", "fixed"],
        "reference_frame": list(REFERENCE_FRAMES),
        "wrenches": [None, {"tip": np.arange(6.0), "body0": np.ones(6)}],
        "method": [None],
        "schedule": [None, "balanced"],
        "partition": [None],
        "blocks": [None],
        "loops": ["closed"],
        "stabilization": [None, (3.0, 5.0)],
        "actuated": [joints],
        "prescribed": [[], joints[:1]],
    }


OPTIONS: dict[str, dict[str, list[Any]]] = {
    "articulated_inertia": {"body": ["body0"]},
    "forward_dynamics": {"method": list(FORWARD_DYNAMICS_METHODS), "schedule": [None], "loops": ["closed", "ignore"]},
    "mass_matrix": {"method": list(MASS_MATRIX_METHODS)},
}
"""Where a parameter of a function may be something else."""


def arguments(f: Callable[..., Any], known: dict[str, list[Any]]) -> Iterator[dict[str, Any]]:
    """Arguments of the function, so many that every choice of each parameter is among them."""
    choices = known | OPTIONS.get(f.__name__, {})
    taken = {name: choices[name] for name in inspect.signature(f).parameters if name != "model"}
    for k in range(max(map(len, taken.values()))):
        yield {name: choice[(k + k // len(choice)) % len(choice)] for name, choice in taken.items()}


def mechanisms() -> Iterator[Model]:
    """Each joint type alone, all together with and without couplings, and with every kind of loop."""
    for n, kind in enumerate(JOINT_TYPES):
        yield random_tree([kind], n)
    yield one_of_each(0)
    yield one_of_each(1, mimics=True)
    for n in range(len(LOOP_NAMES)):
        tree = random_tree([Revolute, Prismatic, Spherical, Revolute], n, springs=False)
        yield with_loops(tree, LOOP_NAMES[n : n + 1], n)[0]


def on_symbols(given: dict[str, Any]) -> dict[str, Any]:
    """The same with symbols for numbers."""
    graph = Graph()
    return {name: graph.symbols(name, x.shape) if isinstance(x, np.ndarray) else x for name, x in given.items()}


def main() -> None:
    functions = annotated()
    try:
        model = random_tree([JOINT_TYPES[0]], 0)
        dynamics.mass_matrix(model, np.zeros((model.nq, 1)))
    except jaxtyping.TypeCheckError:
        pass
    else:
        raise SystemExit("annotations are not executed")
    calls = 0
    for seed, model in enumerate(mechanisms()):
        known = values(model, seed)
        small = len(model.joints) == 1 or bool(model.loops)
        for f in functions:
            every = list(arguments(f, known))
            for given in [every[seed % len(every)]] if small else every:  # of small ones each choice is some one's
                unserved = model.loops or (model.has_couplings and f.__name__ == "articulated_inertia")
                # not all is served with every loop, and open loops have no prescribed motion
                with suppress(ModelError, InconsistentMotionError) if unserved else nullcontext():
                    f(model, **given)
                    calls += 1
    for seed, kind in enumerate(JOINT_TYPES):
        model = random_tree([kind], seed)
        known = values(model, seed)
        for f in functions:
            f(model, **on_symbols(next(arguments(f, known))))
            calls += 1
    print(f"{len(functions)} functions, {calls} calls")


if __name__ == "__main__":
    main()
