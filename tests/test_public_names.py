"""The public names: what there is, and what tools are told of it."""

from __future__ import annotations

import inspect
import re
import sys
from pathlib import Path

import pytest

import linkwright as lw

ROOT = Path(__file__).parents[1]


def test_only_public_names_are_shown():
    assert dir(lw) == sorted([*lw.__all__, "__version__"])
    assert all(getattr(lw, name) is not None for name in dir(lw))
    assert not [name for name in lw.__all__ if name.startswith("_")]


def test_the_version_is_that_of_the_package():
    assert re.fullmatch(r"\d+\.\d+\.\d+", lw.__version__)


def test_signatures_say_that_batches_are_taken():
    shown = str(inspect.signature(lw.mass_matrix))
    assert "(…, nq)" in shown
    assert "(…, nv, nv)" in shown
    assert "(…, 6)" in str(inspect.signature(lw.inverse_dynamics).parameters["wrenches"])


@pytest.mark.skipif(not (ROOT / "tools").is_dir(), reason="this is no checkout")
def test_what_type_checkers_are_told_is_up_to_date(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    import write_types

    told = (ROOT / "src" / "linkwright" / "__init__.pyi").read_text(encoding="utf-8")
    assert told == write_types.types_of_public_names(), "run python tools/write_types.py"
    assert all(f"def {name}(" in told or f" as {name}\n" in told for name in lw.__all__)
    sys.modules.pop("write_types")
