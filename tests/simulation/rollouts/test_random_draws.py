"""Random numbers of NumPy and Python in compiled functions are drawn once, and a warning says so."""

from __future__ import annotations

import random
import warnings
from functools import partial

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import LinkwrightWarning

GENERATOR = np.random.default_rng(3)


def of_numpy(model, t, q, v):
    return -v + np.random.normal(size=model.nv)  # noqa: NPY002


def of_python(model, t, q, v):
    return -v * random.random()


def of_a_global_generator(model, t, q, v):
    return -v + GENERATOR.normal(size=model.nv)


def of_an_argument(model, t, q, v, *, rng):
    return -v + rng.normal()


class WithGenerator:
    def __init__(self, rng):
        self.rng = rng

    def __call__(self, model, t, q, v):
        return self.helper(v)

    def helper(self, v):
        return -v + self.rng.uniform(-1.0, 1.0)


def in_a_closure():
    rng = np.random.RandomState(1)

    def controller(model, t, q, v):
        return -v + rng.normal()

    return controller


def simulated(controller):
    model = lw.load("two_link")
    return lw.simulate(model, [0.1, 0.2], [0.0, 0.0], 0.01, 1e-3, controller=controller)


@pytest.mark.parametrize(
    ("controller", "source"),
    [
        (of_numpy, "np.random"),
        (of_python, "Python's random"),
        (of_a_global_generator, "NumPy generator"),
        (WithGenerator(np.random.default_rng(1)), "NumPy generator"),
        (WithGenerator(np.random.default_rng(1)).__call__, "NumPy generator"),
        (in_a_closure(), "NumPy generator"),
        (partial(of_numpy), "np.random"),
    ],
)
def test_a_controller_that_draws_is_warned_of_with_the_alternatives(controller, source):
    with pytest.warns(LinkwrightWarning, match=rf"{source} only once.*lw\.Actuation\(noise=.*callback="):
        simulated(controller)


def test_a_compiled_function_that_draws_is_warned_of():
    with pytest.warns(LinkwrightWarning, match="only once"):
        lw.compile(lambda x: x + GENERATOR.normal(), x=(2,))


def test_functions_without_a_module_are_searched():
    scope = {"rng": np.random.default_rng(1)}
    exec("def controller(model, t, q, v): return -v + rng.normal()\ndef quiet(model, t, q, v): return -v", scope)
    del scope["__builtins__"]
    assert scope["quiet"].__module__ is None
    simulated(scope["quiet"])
    with pytest.warns(LinkwrightWarning, match="only once"):
        simulated(scope["controller"])


def test_controllers_that_draw_nothing_are_compiled_without_a_warning():
    weights = np.random.default_rng(2).normal(size=(2, 2))

    def of_constants(model, t, q, v):
        return weights @ v

    def of_a_generator_that_is_not_used(model, t, q, v):
        assert GENERATOR is not None
        return -v

    def with_its_own_generator(model, t, q, v):
        return np.random.default_rng(0).normal(size=2) - v

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for controller in (of_constants, of_a_generator_that_is_not_used, with_its_own_generator):
            simulated(controller)
        model = lw.load("two_link")
        lw.simulate(model, [0.1, 0.2], [0.0, 0.0], 0.01, 1e-3, callback=lambda t, q, v: -v + GENERATOR.normal(size=2))
        noisy = lw.Actuation(noise={"q": 1e-3}, seed=1)
        lw.simulate(model, [0.1, 0.2], [0.0, 0.0], 0.01, 1e-3, controller=of_constants, actuation=noisy)
