"""Kernels that the tests of calls share."""

from __future__ import annotations

import gc

import numpy as np
import pytest

import linkwright as lw
from linkwright.compiler import kernel as kernel_module


@pytest.fixture(autouse=True, scope="module")
def little_to_collect():
    """Exclude what is there already from garbage collection, for which tests of memory ask often."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="module")
def arm():
    return lw.load("two_link")


@pytest.fixture(scope="module")
def kernel(arm):
    return lw.compile(lw.inverse_dynamics, arm)


@pytest.fixture(scope="module")
def several():
    """Two inputs of different dimensions; a vector, a number and a matrix come out."""
    return lw.compile(lambda A, x: (A @ x, x @ x, A * 2.0), A=(2, 3), x=3)


@pytest.fixture
def slow_calls(monkeypatch):
    """The calls that machine code handed on to Python."""
    calls = []
    real = kernel_module.Kernel._any
    monkeypatch.setattr(kernel_module.Kernel, "_any", lambda self, *a: calls.append(a) or real(self, *a))
    return calls


@pytest.fixture
def rows():
    return tuple(np.random.default_rng(0).standard_normal((3, 2)))
