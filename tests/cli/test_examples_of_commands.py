"""Every command's help has an example, and the examples run; the shell completes commands."""

from __future__ import annotations

import re
import shlex
import shutil
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
    """What the help shows, as the shell would split it."""
    with pytest.raises(SystemExit) as stop:
        main([name, "--help"])
    assert not stop.value.code
    told = re.sub(r"\s+", " ", capsys.readouterr().out)
    found = re.search(r"Examples?: (linkwright [^;]*?)(?= [╭─]| Parameters| Arguments|;|$)", told)
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
        told = re.search(r"```toml\n(.*?)```", STUDIES.read_text(encoding="utf-8"), re.DOTALL)
        (tmp_path / "pendulum.toml").write_text(told[1].replace("rows = 5000", "rows = 20"), encoding="utf-8")
    with pytest.raises(SystemExit) as stop:
        main(words)
    said = capsys.readouterr()
    assert not stop.value.code, said.err
    assert said.out.strip()
    for path in re.findall(r"^ {2}(\S.*)$", said.out, re.MULTILINE) if name != "doctor" else []:
        if "." in path.rsplit("/", 1)[-1] and " " not in path:
            assert (tmp_path / path).exists(), f"{name} told of {path}"


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
def test_the_shell_completes_commands_and_options(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("HOME", str(tmp_path))
    script = tmp_path / "completion.bash"
    with pytest.raises(SystemExit) as stop:
        main(["--install-completion", "--shell", "bash", "--output", str(script)])
    assert not stop.value.code
    assert str(tmp_path) in capsys.readouterr().out

    def completed(*words: str) -> set[str]:
        given = " ".join(map(shlex.quote, words))
        line = shlex.quote(" ".join(words))
        asked = (
            f"source {shlex.quote(str(script))}; f=$(complete -p linkwright | sed 's/.*-F \\([^ ]*\\).*/\\1/'); "
            f"COMP_WORDS=({given}); COMP_CWORD={len(words) - 1}; COMP_LINE={line}; COMP_POINT=${{#COMP_LINE}}; "
            f"$f linkwright {shlex.quote(words[-1])} {shlex.quote(words[-2])}; printf '%s\\n' \"${{COMPREPLY[@]}}\""
        )
        done = subprocess.run(["bash", "--norc", "-c", asked], check=True, capture_output=True, text=True)
        return {word.strip() for word in done.stdout.split()}

    assert set(COMMANDS) <= completed("linkwright", "")
    assert completed("linkwright", "sim") == {"simulate"}
    assert "--posture" in completed("linkwright", "simulate", "--po")


def test_completion_that_cannot_be_installed_is_told(tmp_path, capsys):
    (tmp_path / "file").write_text("no folder")
    place = tmp_path / "file" / "deeper"
    with pytest.raises(SystemExit) as stop:
        main(["--install-completion", "--shell", "bash", "--output", str(place)])
    told = capsys.readouterr().err
    assert (stop.value.code, "Errno" in told, str(tmp_path / "file") in told) == (2, False, True)


def test_the_program_can_be_called_as_a_module():
    done = subprocess.run(
        [sys.executable, "-m", "linkwright.cli", "--help"], check=True, capture_output=True, text=True
    )
    assert all(name in done.stdout for name in COMMANDS)
