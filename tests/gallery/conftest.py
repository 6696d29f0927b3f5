"""Exhibits are run once for all tests of a process."""

from __future__ import annotations

from functools import cache

import pytest

import linkwright_gallery as gallery
from linkwright_gallery import hybrid_assembly


@cache
def run_once(number):
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(hybrid_assembly, "ROUNDS", 1)  # of measurements, which decide nothing
        return gallery.run(number)


@pytest.fixture(scope="session")
def run():
    return run_once
