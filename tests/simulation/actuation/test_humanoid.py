"""The laws of examples/humanoid_balance.py keep the humanoid on its feet."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pytest

PATH = Path(__file__).parents[3] / "examples" / "humanoid_balance.py"


@pytest.fixture(scope="module")
def example():
    spec = importlib.util.spec_from_file_location("humanoid_balance", PATH)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_it_stands_up_to_a_push_from_any_side_and_comes_to_rest(example):
    trying = example.Trying()
    found = trying.motions(trying.laws["stand"], 8, 5.0, 100.0)
    assert found.alive.all()
    assert np.abs(found.v[-1]).max() < 0.05
    assert np.abs(trying.lowest(found.q[-1])).max() < 1e-3
    thrown = trying.motions(trying.laws["stand"], 8, 5.0, 400.0)
    assert not thrown.alive.any()  # so it was the law that stood, and not a robot that cannot fall
