"""Code for long simulations of one motion: made quickly first, and well once it ran as long as that takes."""

from __future__ import annotations

import numpy as np
import pytest

import linkwright as lw
from linkwright.compiler.native import cache, native


@pytest.fixture
def made(monkeypatch, tmp_path, request) -> list[bool]:
    """Whether each code of steps that is made from now on is made quickly."""
    alone = "batches" not in request.node.name
    monkeypatch.setenv("LINKWRIGHT_CODE", "")
    monkeypatch.setenv("LINKWRIGHT_CACHE", str(tmp_path / "cache"))
    found = []

    def generate(text, scheduled=True, of=None, generate=cache.generate):
        if of is not None and ("@loop(" in text) != alone:
            found.append(of.quick)
        return generate(text, scheduled, of)

    monkeypatch.setattr(cache, "generate", generate)
    return found


def motion_of(duration: float = 0.2) -> lw.Motion:
    model = lw.load("two_link")
    return lw.simulate(model, [0.3, 0.4], [1.0, -2.0], duration, 1e-3, lw.Integrator("rk4"))


def test_code_is_made_well_once_it_ran_as_long_as_that_takes(made, monkeypatch):
    first = motion_of()
    assert made == [True]
    monkeypatch.setattr(native.CompileRate, "rate", 1e-12)
    model = lw.load("two_link")
    motions = [lw.simulate(model, [0.3, 0.4], [1.0, -2.0], 0.2, 1e-3, lw.Integrator("rk4")) for _ in range(3)]
    assert made == [True, False]  # the first was in the cache
    for motion in motions:
        np.testing.assert_array_equal(motion.q, first.q)
        np.testing.assert_array_equal(motion.v, first.v)


def test_good_code_of_the_cache_is_used(made, monkeypatch):
    monkeypatch.setattr(native.CompileRate, "rate", 1e-12)
    motion_of()
    assert made == [True, False]
    monkeypatch.setattr(native.CompileRate, "rate", 1.0)
    motion_of()
    assert made == [True, False]


def test_batches_are_made_well_at_once(made):
    model = lw.load("two_link")
    lw.simulate(model, np.zeros((3, 2)), np.ones((3, 2)), 0.05, 1e-3, lw.Integrator("rk4"))
    assert made
    assert not any(made)


def test_code_is_replaced_once(made, monkeypatch):
    """Also if a thread has counted before another one replaced it: code that may still be called is kept."""
    code = native.Native(lw.compile(lambda x: np.sin(x) + x**3, x=(3,)).program, 4)
    code.prepare(batches=False, soon=True)
    quick, counting = code._codes["row"], code.counted(lambda: None)
    for _ in range(2):
        code._left = 0.0
        counting()
    assert made == [True, False]
    assert code._quick is quick
