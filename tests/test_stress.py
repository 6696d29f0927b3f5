"""Stress runs: each hypothesis test with the seeds and the numbers of examples that are asked for, else as usual."""

import subprocess
import sys
from pathlib import Path

import pytest

TESTS = """
from hypothesis import given, settings, strategies as st

@settings(max_examples=10, deadline=None)
@given(st.integers(0, 10**9))
def test_law(x):
    with open("examples.txt", "a") as file:
        file.write(f"{x}\\n")

@settings(max_examples=10, deadline=None)
@given(st.integers(0, 10**9))
def test_false(x):
    assert x < 10**5

def test_other():
    pass
"""


def run(folder: Path, *options: str) -> tuple[str, list[str]]:
    """Return the output of pytest and the examples of the test."""
    (folder / "conftest.py").write_text(
        f"import sys\nsys.path.insert(0, {str(Path(__file__).parent)!r})\n"
        "def pytest_addoption(pluginmanager):\n    pluginmanager.import_plugin('stress')\n"
    )
    (folder / "test_laws.py").write_text(TESTS)
    (folder / "examples.txt").write_text("")
    without = ("-p", "no:xdist", "-p", "no:zarr")
    command = [sys.executable, "-m", "pytest", "-v", *without, "--strict-markers", "test_laws.py", *options]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    return done.stdout + done.stderr, (folder / "examples.txt").read_text().split()


def test_every_seed_is_run_and_can_be_repeated(tmp_path: Path) -> None:
    said, examples = run(tmp_path, "-m", "stress", "--stress-seed=6", "--stress-seeds=2", "--stress-factor=3")
    assert "test_other" not in said
    for each in ("seed-6", "seed-7", "seed-8-times-3"):
        assert f"test_law[{each}] PASSED" in said
        assert f"test_false[{each}] FAILED" in said
    assert len(examples) == 10 + 10 + 30
    assert examples[:10] != examples[10:20]
    assert "repeat seed-7 by: pytest -m stress --stress-seed 7 --stress-seeds 1 --stress-factor 0" in said
    assert "repeat seed-8-times-3 by: pytest -m stress --stress-seed 8 --stress-seeds 0 --stress-factor 3" in said

    _, again = run(tmp_path, "-m", "stress", "--stress-seed=7", "--stress-seeds=1", "--stress-factor=0")
    assert again == examples[10:20]
    _, again = run(tmp_path, "-m", "stress", "--stress-seed=8", "--stress-seeds=0", "--stress-factor=3")
    assert again == examples[20:]


@pytest.mark.parametrize("expression", [[], ["-m", "not stress"]])
def test_the_normal_run_has_no_stress_runs(tmp_path: Path, expression: list[str]) -> None:
    said, examples = run(tmp_path, *expression, "--stress-seed=6")
    assert "test_other PASSED" in said
    assert "test_law PASSED" in said
    assert "seed-6" not in said
    assert len(examples) == 6  # a part of them


def test_a_seed_is_chosen_and_printed(tmp_path: Path) -> None:
    said, _ = run(tmp_path, "-m", "stress", "--stress-seeds=1", "--stress-factor=0", "-k", "not false")
    assert "stress runs: seed-" in said
    assert "1 passed" in said
