"""Exhibits are run once for all tests of a process."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import pytest

import linkwright_gallery as gallery
from linkwright_gallery import hybrid_assembly


@pytest.fixture(autouse=True, scope="session")
def few_measurements() -> Iterator[None]:
    """Measure once and on few chains: measurements decide nothing."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(hybrid_assembly, "ROUNDS", 1)
        patched.setattr(hybrid_assembly, "LINKS_A", (1, 2, 3, 5, 7))
        yield


run_once = cache(gallery.run)


@pytest.fixture(scope="session")
def run():
    return run_once
