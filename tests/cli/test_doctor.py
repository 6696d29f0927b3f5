"""``linkwright doctor``: it tells what is there, finds what is broken, and never fails itself."""

from __future__ import annotations

import os
import re
import tomllib
from pathlib import Path

import pytest

import linkwright as lw
from linkwright.cli import main
from linkwright.cli.commands import doctor

ROOT = Path(__file__).parents[2]


def report(capsys, expected_status: int = 0) -> str:
    status = 0
    try:
        main(["doctor"])
    except SystemExit as stop:
        status = int(stop.code or 0)
    said = capsys.readouterr()
    assert status == expected_status, said.out + said.err
    return said.out


def test_where_all_is_well_it_says_so(capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("LINKWRIGHT_CACHE", str(tmp_path / "kept"))
    monkeypatch.setenv("LINKWRIGHT_THREADS", "3")
    said = report(capsys)
    assert lw.__version__ in said
    assert str(tmp_path / "kept") in said
    assert re.search(r"threads +3 for large batches", said)
    assert re.search(r"vector units .* doubles per instruction", said)
    assert all(re.search(rf"{re.escape(name)} +works +\d+ ms", said) for name in doctor.TRIALS)
    assert said.rstrip().endswith("everything works")
    assert any((tmp_path / "kept").iterdir())  # it compiled, and nothing of that was kept before


@pytest.mark.skipif(not (ROOT / "pyproject.toml").is_file(), reason="this is no checkout")
def test_it_knows_every_extra_and_what_is_needed():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

    def names(requirements):
        return {re.split(r"[<>=!~\[; ]", one)[0] for one in requirements}

    extras = {name: names(report) for name, report in project["optional-dependencies"].items()}
    ours = {name: {package.name for package in packages} for name, (_, packages) in doctor.EXTRAS.items()}
    assert ours == {name: report for name, report in extras.items() if name not in {"test", "docs", "dev"}}
    assert {package.name for package in doctor.REQUIRED} == names(project["dependencies"])


@pytest.fixture
def without_trying(monkeypatch):
    monkeypatch.delitem(doctor.PARTS, "self-test")


@pytest.mark.usefixtures("without_trying")
@pytest.mark.parametrize("columns", [None, "20", "80"])
def test_what_is_missing_is_reported_with_what_it_is_for(columns, capsys, monkeypatch):
    if columns:
        monkeypatch.setenv("COLUMNS", columns)  # lines are there to be copied: none is cut or wrapped
    real = doctor.version
    gone = {"viser", "SALib", "python-flint"}
    monkeypatch.setattr(doctor, "version", lambda package: None if package.name in gone else real(package))
    said = report(capsys, expected_status=1)
    line = next(line for line in said.splitlines() if line.strip().startswith("studio"))
    assert 'pip install "linkwright[studio]"' in line
    assert "browser" in line
    assert next(line for line in said.splitlines() if line.strip().startswith("study")).split()[1] == "partial"
    assert "python-flint is missing: pip install python-flint" in said.partition("problems:")[2]


def test_a_package_that_is_not_there_has_no_version():
    assert doctor.version(doctor.Package("no-such-package", "no_such_package")) is None
    assert doctor.version(doctor.Package("numpy", "numpy")) is not None
    assert doctor.version(doctor.Package("not-its-name", "json")) == "?"


@pytest.mark.usefixtures("without_trying")
def test_a_part_that_fails_does_not_hide_the_others(capsys, monkeypatch):
    def broken():
        raise RuntimeError("the processor is a teapot")

    monkeypatch.setattr("linkwright.compiler.native.machine.target", broken)
    said = report(capsys, expected_status=1)
    assert "check failed: RuntimeError: the processor is a teapot" in said
    assert "cache of compiled code" in said


@pytest.mark.usefixtures("without_trying")
@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="this user may write anywhere")
def test_a_cache_that_cannot_be_written_is_reported_of(capsys, monkeypatch, tmp_path):
    (tmp_path / "closed").mkdir(mode=0o500)
    monkeypatch.setenv("LINKWRIGHT_CACHE", str(tmp_path / "closed" / "deeper"))
    assert "the cache folder is not writable" in report(capsys, expected_status=1)


@pytest.mark.usefixtures("without_trying")
def test_a_cache_that_is_a_file_is_reported_of(capsys, monkeypatch, tmp_path):
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("LINKWRIGHT_CACHE", str(tmp_path / "file"))
    assert "the cache folder is not writable" in report(capsys, expected_status=1)
    monkeypatch.setenv("LINKWRIGHT_CACHE", "off")
    assert "every process compiles again" in report(capsys)


@pytest.mark.usefixtures("without_trying")
@pytest.mark.skipif(not Path("/proc/self").exists(), reason="a folder in which nobody can write")
def test_a_cache_where_nobody_can_write_is_reported_of(capsys, monkeypatch):
    monkeypatch.setenv("LINKWRIGHT_CACHE", "/proc/nope")
    assert "the cache folder is not writable" in report(capsys, expected_status=1).partition("problems:")[2]


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("import os; os.abort()", "the self-test ended early with signal 6"),
        ("import sys; print('compiling a function\\tworks\\t1 ms'); sys.exit('gone')", "with status 1: gone"),
        ("pass", "the self-test ended early with status 0"),
        ("import time; time.sleep(60)", "the self-test took longer than 1 s"),
    ],
)
@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_what_ends_the_process_does_not_end_the_doctor(code, why, capsys, monkeypatch):
    monkeypatch.setattr(doctor, "PARTS", {"self-test": doctor.PARTS["self-test"]})
    monkeypatch.setattr(doctor, "TRY", code)
    monkeypatch.setattr(doctor, "PATIENCE", 1 if "sleep" in code else 60)
    said = report(capsys, expected_status=1)
    assert why in said
    assert "not tried" in said


def test_wrong_numbers_are_found(capsys, monkeypatch):
    monkeypatch.setattr(lw, "mass_matrix", lambda model, q: 1.0)
    monkeypatch.setattr(doctor, "TRIALS", {"compiling a function": doctor.TRIALS["compiling a function"]})
    doctor.try_all()
    assert "compiling a function\tFAILED\tWrongNumbersError: differs by 1.6" in capsys.readouterr().out
