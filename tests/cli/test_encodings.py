"""The command line writes readable text where the output's encoding is not UTF-8 (Windows, the C locale)."""

import io
import os
import subprocess
import sys

import pytest

from linkwright.cli import app, main
from linkwright.cli.output.encodings import accept_all_characters, ascii_of
from shortened import long_form

COMMANDS = [name for name in app.resolved_commands() if not name.startswith("-")]


def said(monkeypatch: pytest.MonkeyPatch, encoding: str, *words: str) -> tuple[int, str, str]:
    """The status of a command and what it writes into streams of that encoding."""
    streams = [io.TextIOWrapper(io.BytesIO(), encoding=encoding) for _ in range(2)]
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", streams[0])
        patch.setattr(sys, "stderr", streams[1])
        with pytest.raises(SystemExit) as stop:
            main(list(words))
        for stream in streams:
            stream.flush()
    out, err = (stream.buffer.getvalue().decode(encoding) for stream in streams)
    return int(stop.value.code or 0), out, err


@pytest.mark.variants("encoding")
@pytest.mark.parametrize("encoding", ["cp1252", "latin-1", "ascii"])
@pytest.mark.parametrize("command", COMMANDS)
def test_every_help_can_be_written(monkeypatch, encoding, command):
    status, out, err = said(monkeypatch, encoding, command, "--help")
    assert (status, err) == (0, "")
    assert f"linkwright {command}" in out
    _, in_full, _ = said(monkeypatch, "utf-8", command, "--help")
    assert out.count("?") == in_full.count("?")  # every character has a replacement


@pytest.mark.parametrize("encoding", ["cp1252", "ascii", *long_form("latin-1")])
def test_trees_equations_and_mistakes_are_readable(monkeypatch, tmp_path, encoding):
    _, tree, _ = said(monkeypatch, encoding, "info", "two_link")
    assert "+- joint1 (revolute, q[0]) - link1" in tree
    _, equations, _ = said(monkeypatch, encoding, "equations", "two_link")
    assert "cos(theta2)" in equations
    assert "\nh[1] = " in equations
    status, _, err = said(monkeypatch, encoding, "info", "θ─é.urdf")
    assert status == 2
    assert ("theta-é.urdf" if encoding != "ascii" else "theta-e.urdf") in err
    out = str(tmp_path / "out")
    status, text, err = said(monkeypatch, encoding, "reach", "two_link", "--to", "1.2,0.5,0", "--out", out)
    assert status == 0, err
    assert "deg" in text if encoding == "ascii" else "°" in text


@pytest.mark.parametrize(
    ("character", "written"),
    {
        "θ": "theta",
        "Γ": "Gamma",
        "²": "^2",
        "ᵀ": "^T",
        "₁": "1",
        "ẋ": "x'",
        "é": "e",
        "─": "-",
        "−": "-",
        "🤖": "?",
    }.items(),
)
def test_characters_that_ascii_lacks(character, written):
    assert ascii_of(character) == written


def test_utf_8_stays_as_it_is():
    stream = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    accept_all_characters(stream)
    stream.write("θ₁ ─ 🤖 \udcff")  # the last is a byte of a file name
    stream.flush()
    assert stream.buffer.getvalue().decode() == "θ₁ ─ 🤖 ?"
    bytes_of_names = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", errors="surrogateescape")
    accept_all_characters(bytes_of_names)
    assert bytes_of_names.errors == "surrogateescape"


def test_the_program_itself_writes_into_a_narrow_file():
    environment = {**os.environ, "PYTHONIOENCODING": "cp1252", "PYTHONUTF8": "0"}
    command = [sys.executable, "-m", "linkwright.cli", "info", "arm4"]
    done = subprocess.run(command, capture_output=True, env=environment, check=True)
    assert b"+- joint1" in done.stdout
    assert done.stderr == b""
