"""Every command's help has an example, and the examples run; the shell completes commands."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from linkwright.cli import app, main

COMMANDS = [name for name in app.resolved_commands() if not name.startswith("-")]

ELSEWHERE = {"studio", "gallery", "experiment"}
"""Those that go on until they are stopped, or take long: here their example is only parsed; other tests run them."""

STUDIES = Path(__file__).parents[2] / "docs" / "topics" / "motion" / "studies.md"


def example_of(name: str, capsys) -> list[str]:
    """Return the example of a help text, split as by a shell."""
    with pytest.raises(SystemExit) as stop:
        main([name, "--help"])
    assert not stop.value.code
    result = re.sub(r"\s+", " ", capsys.readouterr().out)
    found = re.search(r"Examples?: (linkwright [^;]*?)(?= [╭─]| Parameters| Arguments|;|$)", result)
    assert found, f"linkwright {name} --help has no example"
    return shlex.split(found[1].strip().rstrip("."))[1:]


@pytest.mark.parametrize("name", COMMANDS)
def test_the_example_of_a_command_runs(name, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("LINKWRIGHT_CODE", "quick")  # compiled in a fourth of the time
    words = example_of(name, capsys)
    assert words[0] == name
    command, *_ = app.parse_args(words, exit_on_error=False, print_error=False)
    assert command.__name__ == name
    if name in ELSEWHERE:
        return
    if name == "study":
        block = re.search(r"```toml\n(.*?)```", STUDIES.read_text(encoding="utf-8"), re.DOTALL)
        (tmp_path / "pendulum.toml").write_text(block[1].replace("rows = 5000", "rows = 20"), encoding="utf-8")
    if name == "compare":
        (tmp_path / "paper.txt").write_text("h2 = dth1^2*l1*lg2*m2*sin(th2)\n", encoding="utf-8")
    with pytest.raises(SystemExit) as stop:
        main(words)
    said = capsys.readouterr()
    assert not stop.value.code, said.err
    assert said.out.strip()
    for path in re.findall(r"^ {2}(\S.*)$", said.out, re.MULTILINE) if name != "doctor" else []:
        if "." in path.rsplit("/", 1)[-1] and " " not in path:
            assert (tmp_path / path).exists(), f"{name} writes no {path}"


def test_the_program_can_be_called_as_a_module():
    done = subprocess.run(
        [sys.executable, "-m", "linkwright.cli", "--help"], check=True, capture_output=True, text=True
    )
    assert all(name in done.stdout for name in COMMANDS)
