"""Wrong arguments give one sentence with the given and the accepted values; the status is 2."""

from __future__ import annotations

import pytest

from linkwright.cli import app, main

COMMANDS = [name for name in app.resolved_commands() if not name.startswith("-")]


def mistake(arguments, capsys):
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    said = capsys.readouterr()
    assert (stop.value.code, said.out) == (2, "")
    lines = said.err.splitlines()
    assert len(lines) == 1, said.err
    return lines[0].removeprefix("error: ")


@pytest.fixture(autouse=True)
def wide(monkeypatch):
    monkeypatch.setenv("COLUMNS", "300")


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_tells_an_option_that_it_has_not(command, capsys):
    said = mistake([command, "--hlep"], capsys)
    assert said == f"{command} has no option '--hlep'; did you mean --help? (linkwright {command} --help)"


@pytest.mark.parametrize("command", [name for name in COMMANDS if name not in {"gallery", "experiment"}])
def test_every_command_tells_words_that_it_does_not_take(command, capsys):
    said = mistake([command, "one", "two", "three words"], capsys)
    assert said.startswith(f"{command} takes ")
    assert "'three words'" in said.partition("unexpected: ")[2]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("doctor a b", "doctor takes only options; unexpected: 'a', 'b'"),
        ("convert a b c", "convert takes ROBOT and FILE; unexpected: 'c'"),
        ("identify a b c", "identify takes at most ROBOT and DATA; unexpected: 'c'"),
        ("info", "info takes ROBOT; ROBOT is missing"),
        ("convert a", "convert takes ROBOT and FILE; FILE is missing"),
        ("simulat", "unknown command 'simulat'; did you mean simulate? The commands are bench, cache, check"),
        ("qqq", "unknown command 'qqq'. The commands are bench,"),
        ("--versoin", "unknown option '--versoin' before a command; did you mean --version? The commands"),
        ("simulate --tiem 3", "simulate has no option '--tiem'; did you mean --time?"),
        ("simulate --tiem=3", "simulate has no option '--tiem'; did you mean --time?"),
        ("simulate --time", "--time needs a number"),
        ("simulate --time x", "--time takes a number; got 'x'"),
        ("simulate two_link --time 1 --time 2", "--time is given twice"),
        ("simulate --hold=maybe", "--hold takes yes or no; got 'maybe'"),
        ("bench --rows 2.5", "--rows takes an integer; got '2.5'"),
        ("studio --port x", "--port takes an integer; got 'x'"),
        ("gallery --out", "--out needs a file or folder"),
        ("studio --page static", "--page takes one of double-pendulum, forward-kinematics, statics; got 'static'"),
        ("experiment foo", "NAMES takes one of planar, floating; got 'foo'"),
        ("simulate two_link --fps 0", "--fps is a positive number; got 0"),
        ("simulate two_link --fps 60", "--fps is at most 50 in a GIF; got 60 (use --film mp4)"),
        ("simulate two_link --speed -1", "--speed is a positive number; got -1"),
        ("simulate two_link --friction -1", "--friction is a number from 0 on; got -1"),
        ("equations two_link --coordinates x", "--coordinates expects name=expression, such as phi1=theta1; got 'x'"),
        ("info pendulm", "; did you mean pendulum?"),
    ],
)
def test_what_is_wrong_is_reported_in_a_sentence(arguments, expected, capsys):
    assert expected in mistake(arguments.split(), capsys)


@pytest.mark.parametrize("columns", ["0", "40"])
def test_help_in_a_terminal_of_any_width(columns, monkeypatch):
    """COLUMNS=0 says nothing of the width."""
    monkeypatch.setenv("COLUMNS", columns)
    from linkwright.cli.output.terminal import PlainConsole

    console = PlainConsole()
    assert console.width == (int(columns) or 80)
