"""Exhibits are run once for all tests of a process."""

from __future__ import annotations

from functools import cache

import pytest

import linkwright_gallery as gallery


@cache
def run_once(number):
    return gallery.run(number)


@pytest.fixture(scope="session")
def run():
    return run_once
