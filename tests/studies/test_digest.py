"""The digest of a function depends on all its parts and is the same in every process."""

from __future__ import annotations

import functools
import os
import subprocess
import sys
from dataclasses import dataclass, replace
from functools import partial
from types import FunctionType, ModuleType

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import InputError
from linkwright.studies.digest import function_parts

FACTOR = 2.0


def scaled(x):
    return FACTOR * x


def outer(x):
    return scaled(x) + 1.0


def alike(function, **names):
    """The function with other globals."""
    return FunctionType(function.__code__, {**function.__globals__, **names}, function.__name__)


def bound(x):
    def inner(y):
        return x * y

    return inner


@dataclass(frozen=True)
class Gain:
    """A callable of the user's."""

    k: float

    def __call__(self, x):
        return self.k * x


def differ(*functions):
    found = [next(iter(function_parts(f).values())) for f in functions]
    return len({*found}) == len(found)


def test_what_is_changed_is_noticed():
    assert differ(lambda x: x + 1, lambda x: x + 2, lambda x: x - 1, lambda x, y=2: x + 1, lambda x, y=3: x + 1)
    assert differ(scaled, alike(scaled, FACTOR=3.0))
    assert differ(outer, alike(outer, scaled=alike(scaled, FACTOR=3.0)))
    assert differ(bound(1.0), bound(2.0), bound(np.arange(3)), bound(np.arange(3.0)), bound(np.arange(4)))
    assert differ(Gain(1.0), Gain(2.0), Gain(2))
    assert differ(Gain(1.0).__call__, Gain(2.0).__call__)
    assert differ(functools.cache(lambda x: x + 1), functools.cache(lambda x: x + 2))
    assert differ(lambda x: [y for y in x if y > 1], lambda x: [y for y in x if y > 2])
    assert differ(np.sin, np.cos, bound(np.sin), bound(np.cos))
    assert differ(lambda x: x[..., 0], lambda x: x[..., 1], bound(range(3)), bound(range(4)), bound(slice(3)))


def test_a_method_that_is_changed_is_noticed():
    def made(n):
        class Thing:
            size = n

            def __call__(self, x):
                return self.size * x

        return Thing()

    class Other:
        def __call__(self, x):
            return x + 1

    assert differ(made(1), made(2), Other())


def test_a_function_of_a_module_of_the_users_is_read():
    def with_module(n):
        mine = ModuleType("mine")
        exec(f"def helper(x):\n    return x + {n}", vars(mine))
        return alike(lambda x: mine_module.helper(x), mine_module=mine)

    assert differ(with_module(1), with_module(2))
    assert not differ(with_module(1), with_module(1))


def test_parts_are_named():
    arm = lw.load("arm7")
    parts = function_parts(partial(lw.inverse_kinematics, arm, tolerance=1e-6))
    assert [*parts] == ["function 'inverse_kinematics'", "tolerance", "model 'arm7'"]
    heavier = function_parts(partial(lw.inverse_kinematics, replace(arm, gravity=np.ones(3)), tolerance=1e-7))
    assert {name for name in parts if parts[name] != heavier[name]} == {"tolerance", "model 'arm7'"}


def test_what_linkwright_makes_can_be_described():
    arm = lw.load("two_link")
    kernels = [lw.compile(lambda model, q, k=k: k * q, arm) for k in (2.0, 3.0)]
    policies = [lw.Policy(arm, hidden) for hidden in ((4,), (5,))]
    weights = [partial(policies[0], weights=policies[0].random(k)) for k in (0, 1)]
    assert differ(*kernels, *policies)
    assert function_parts(weights[0]) != function_parts(weights[1])
    assert function_parts(weights[0]) == function_parts(partial(policies[0], weights=policies[0].random(0)))


def test_what_cannot_be_told_is_refused():
    draw = np.random.default_rng(1)
    with pytest.raises(InputError, match="random generator"):
        function_parts(lambda x: draw.random() * x)
    with pytest.raises(InputError, match="whether the function is the same: it has an array of objects"):
        function_parts(bound(np.array([object()])))


def test_recursion_ends():
    def down(n):
        return n if n < 1 else down(n - 1)

    assert function_parts(down) == function_parts(down)


PROGRAM = """
import numpy as np, linkwright as lw
from functools import partial
from linkwright.studies.digest import function_parts
SET = {"one", "two", "three", "four"}
class A:
    k = 3
    def __call__(self, x): return x in {"one", "two", "three"}, x in SET
def law(model, t, q, v, gain): return -gain * q
arm = lw.load("arm7")
print(function_parts(A()), function_parts(partial(lw.rollout, arm, controller=partial(law, gain=np.ones(3)))))
"""


def test_digests_are_the_same_in_every_process(tmp_path):
    found = [
        subprocess.run(
            [sys.executable, "-c", PROGRAM],
            env={**os.environ, "PYTHONHASHSEED": seed},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    ]
    assert found[0]
    assert found[0] == found[1]
