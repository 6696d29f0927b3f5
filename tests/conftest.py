"""Shared by all tests: the folder of their helpers, and a last line about skipped tests."""

from __future__ import annotations

import gc
import os
import shutil
import signal
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from linkwright.call_stack import with_room

sys.path.insert(0, str(Path(__file__).parent))

# most kernels of the tests run a few times; where code itself is tested it is made as users' is: `optimized` there
os.environ.setdefault("LINKWRIGHT_CODE", "quick")

# workers fill all cores: where each had linear algebra on several threads, these would wait for each other, at work.
# What this process reads is read before this; its workers, and what tests start, are told
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# what a shell starts in the background ignores Ctrl-C, of which some tests are
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(pluginmanager: pytest.PytestPluginManager) -> None:
    """Add stress runs (`pytest -m stress`)."""
    pluginmanager.import_plugin("stress")


@pytest.hookimpl(tryfirst=True)  # before markers select
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave most combinations of similar variants to the nightly run."""
    from shortened import leave_combinations_to_nightly

    leave_combinations_to_nightly(items)


gc.set_threshold(500_000, 20, 20)  # expressions and code are made by the million and seldom in cycles


def pytest_collection_finish() -> None:
    """Exclude imported modules and collected tests, which stay to the end, from garbage collection."""
    gc.collect()
    gc.freeze()


INTERPRETED = {
    *("dynamics", "oracles", "trajectories"),
    *("control/test_bounds_of_laws.py", "control/test_optimal_motions.py", "control/test_whole_body.py"),
}
"""Folders and files of tests of values, whose kernels run a few times (see `interpreted.py`)."""

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
IN_CHROMIUM = (
    *("--no-sandbox", "--disable-gpu", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run"),
    *("--disable-quic", "--force-device-scale-factor=1"),
)


@pytest.fixture(scope="module")
def browser() -> Any:
    """Chromium, driven by Playwright, without a graphics card."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if CHROMIUM is None:
        pytest.skip("no Chromium is installed")
    with playwright.sync_playwright() as running:
        opened = running.chromium.launch(executable_path=CHROMIUM, args=list(IN_CHROMIUM))
        yield opened
        opened.close()


@pytest.fixture(autouse=True, scope="session")
def traced_anew() -> Iterator[None]:
    """Trace functions in each test: some change constants of the library, by which kept programs are not known."""
    with pytest.MonkeyPatch.context() as changed:
        changed.setattr("linkwright.compiler.native.kept_programs.sources", lambda: None)
        yield


@pytest.fixture(autouse=True, scope="module")
def interpreted(request: pytest.FixtureRequest) -> Iterator[None]:
    """Interpret the first calls of kernels in `INTERPRETED`, unless a file has a fixture of this name."""
    from interpreted import first_calls_interpreted

    path = request.path.relative_to(Path(__file__).parent)
    with nullcontext() if INTERPRETED.isdisjoint((path.parts[0], path.as_posix())) else first_calls_interpreted():
        yield


@pytest.fixture(autouse=True, scope="module")
def reading_here(request: pytest.FixtureRequest) -> Iterator[None]:
    """Read MJCF and USD files in this process, except for the commands."""
    from confined_here import children_spared

    folder = request.path.relative_to(Path(__file__).parent).parts[0]
    with nullcontext() if folder == "cli" else children_spared():
        yield


@pytest.fixture
def in_children(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read files in child processes, as users do."""
    from confined_here import leave_children

    leave_children(monkeypatch)


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> None:
    """Tests run below so many calls of pytest that loops often cross a chunk of the stack: up to half of their time."""
    pyfuncitem.obj = with_room(pyfuncitem.obj)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Each worker runs whole files, so that what their tests share is made once; one that is done helps the others."""
    from xdist.scheduler import WorkStealingScheduling

    return WorkStealingScheduling(config, log)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """How many tests were skipped for what, since what is missing on a machine is not tested on it."""
    reasons: Counter[str] = Counter()
    for report in terminalreporter.stats.get("skipped", []):
        _, _, reason = report.longrepr
        reasons[reason.removeprefix("Skipped: ")] += 1
    if reasons:
        text = "; ".join(f"{count} because {reason}" for reason, count in reasons.most_common())
        terminalreporter.write_line(f"{reasons.total()} tests skipped: {text}")
