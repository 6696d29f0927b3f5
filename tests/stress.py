"""Stress runs of the hypothesis tests: `pytest -m stress` runs each with other seeds, and once with more examples.

The normal run does not contain them, and draws a part of a test's examples.
Seeds are counted up from one that is printed, so that a failure can be repeated.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest

MARKER = "stress"

SHORT = 3
"""The normal run draws one of this many examples of a test, but not less than ``LEAST`` of those that it has."""
LEAST = 6


class StressRun(NamedTuple):
    """One run of a test: the seed of its examples, and how many times the usual number of examples."""

    seed: int
    factor: int = 1

    def __str__(self) -> str:
        return f"seed-{self.seed}" if self.factor == 1 else f"seed-{self.seed}-times-{self.factor}"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of stress runs."""
    group = parser.getgroup("stress", "stress runs of hypothesis tests (-m stress)")
    group.addoption("--stress-seed", type=int, metavar="SEED", help="first seed (default: a random one)")
    group.addoption("--stress-seeds", type=int, default=20, metavar="N", help="number of seeds (default: 20)")
    group.addoption(
        "--stress-factor",
        type=int,
        default=10,
        metavar="N",
        help="with the seed after these, N times the usual number of examples (default: 10; 0: no such run)",
    )


def is_stressed(config: pytest.Config) -> bool:
    """Return whether stress runs are selected: by `-m stress` and by no other expression."""
    return str(config.getoption("markexpr")).strip() == MARKER


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker, and choose the first seed: once, for all workers."""
    config.addinivalue_line("markers", f"{MARKER}: a hypothesis test with another seed, or with more examples")
    if is_stressed(config) and config.option.stress_seed is None:
        given = getattr(config, "workerinput", {}).get("stress_seed")
        config.option.stress_seed = random.SystemRandom().randrange(10**6) if given is None else given


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Hand the first seed to a worker."""
    node.workerinput["stress_seed"] = node.config.option.stress_seed


def runs(config: pytest.Config) -> list[StressRun]:
    """Return the runs of each test."""
    first, count, factor = config.option.stress_seed, config.option.stress_seeds, config.option.stress_factor
    return [StressRun(first + k) for k in range(count)] + [StressRun(first + count, factor)] * (factor > 0)


def pytest_sessionstart(session: pytest.Session) -> None:
    """Print the runs: at once, and with `-q` too."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if is_stressed(session.config) and reporter is not None:  # workers have none
        reporter.write_line(f"stress runs: {', '.join(map(str, runs(session.config)))}")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Repeat every hypothesis test, once for each run."""
    if is_stressed(metafunc.config) and hasattr(metafunc.function, "hypothesis"):
        metafunc.fixturenames.append("stress_run")
        each = [pytest.param(run, id=str(run), marks=pytest.mark.stress) for run in runs(metafunc.config)]
        metafunc.parametrize("stress_run", each, indirect=True)


@pytest.hookimpl(wrapper=True, tryfirst=True)  # before hypothesis reads the settings
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Give the test the seed and the number of examples of its run; stress runs take no examples of earlier ones."""
    if not hasattr(getattr(item, "function", None), "hypothesis"):
        return (yield)
    run = item.callspec.params.get("stress_run") if hasattr(item, "callspec") else None
    from hypothesis import settings  # not at the top: most tests do without

    test = item.function
    usual = test._hypothesis_internal_use_settings, test._hypothesis_internal_use_seed
    count = usual[0].max_examples
    if run is None:
        fewer = min(count, max(LEAST, count // SHORT))
        test._hypothesis_internal_use_settings = settings(usual[0], max_examples=fewer)
    else:
        test._hypothesis_internal_use_settings = settings(usual[0], max_examples=run.factor * count, database=None)
        test._hypothesis_internal_use_seed = run.seed
    try:
        return (yield)
    finally:
        test._hypothesis_internal_use_settings, test._hypothesis_internal_use_seed = usual


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Print how the failed runs are repeated."""
    if not is_stressed(config):
        return
    failed = [report.nodeid for report in terminalreporter.stats.get("failed", [])]
    for run in runs(config):
        if any(re.search(rf"\b{run}(?!-times|\d)", name) for name in failed):
            count, factor = (1, 0) if run.factor == 1 else (0, run.factor)
            options = f"--stress-seed {run.seed} --stress-seeds {count} --stress-factor {factor}"
            terminalreporter.write_line(f"repeat {run} by: pytest -m stress {options}")
