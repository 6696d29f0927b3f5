"""Studies told of in a file, from the command line."""

from __future__ import annotations

import numpy as np
import pytest

import linkwright as lw
from linkwright.cli import main
from linkwright.errors import LinkwrightError
from linkwright.study.file import read_study

GOOD = """
title = "let go"
model = "pendulum"
function = "simulate"
store = "swings"
rows = 50
keep = ["q"]
[with]
duration = 0.1
[vary]
q0 = {uniform = [[0.1], [1.0]]}
v0 = {normal = [[0.0], [0.1]]}
[units]
q = "rad"
"""


def run(*arguments):
    try:
        main([str(x) for x in arguments])
    except SystemExit as stop:
        return int(stop.code or 0)
    return 0


def test_a_file_is_tried_run_and_looked_at(tmp_path, capsys):
    file = tmp_path / "swing.toml"
    file.write_text(GOOD)
    assert run("study", file, "--dry-run") == 0
    assert "50 rows" in capsys.readouterr().out
    assert not (tmp_path / "swings").exists()
    assert run("study", file, "--threads", 1) == 0
    assert not capsys.readouterr().err  # no progress where there is no terminal
    found = lw.Study(tmp_path / "swings")
    assert (found.title, found.outputs, found.unit("q"), found.complete) == ("let go", ("q",), "rad", True)
    assert run("study", "--status", tmp_path / "swings") == 0
    assert "50 of 50 rows" in capsys.readouterr().out


def test_a_table_and_a_function_of_ones_own(tmp_path):
    (tmp_path / "mine.py").write_text("def twice(a, b):\n    return {'x': 2 * a + b}\n")
    np.savetxt(tmp_path / "rows.csv", [[1.0, 2.0], [3.0, 4.0]], delimiter=",", header="a,b", comments="")
    (tmp_path / "s.toml").write_text('function = "mine.py:twice"\ntable = "rows.csv"\n')
    assert run("study", tmp_path / "s.toml") == 0
    assert lw.Study(tmp_path / "s")["x"].tolist() == [4.0, 10.0]


def test_a_folder_is_no_model(tmp_path, monkeypatch):
    """The results of a study may have the name of a built-in mechanism: it is run again all the same."""
    (tmp_path / "pendulum.toml").write_text(GOOD.replace('store = "swings"\n', ""))
    for _ in range(2):
        assert run("study", tmp_path / "pendulum.toml") == 0
        assert (tmp_path / "pendulum").is_dir()
    monkeypatch.chdir(tmp_path)
    assert run("study", "pendulum.toml") == 0


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "is empty; it needs a header"),
        ("a,b\n", "needs a header with the names of its columns, and rows below it"),
        ("a,b\n1,2\n3\n", "line 3 has 1 entry, the header 2 names"),
        ("a,b\n1,x\n", "the column 'b' has entries that are no numbers"),
    ],
)
def test_what_is_wrong_in_a_table_is_told(text, told, tmp_path, capsys):
    (tmp_path / "rows.csv").write_text(text)
    (tmp_path / "s.toml").write_text('model = "pendulum"\nfunction = "simulate"\ntable = "rows.csv"\n')
    assert run("study", tmp_path / "s.toml") == 2
    assert told in capsys.readouterr().err


def told_and_run(file):
    said = read_study(file)
    return lw.study(said.function, said.parameters, said.store, **said.options)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("rows = 50", "rows = 'x'", "rows is a whole number"),
        ("rows = 50", "", "needs rows"),
        ("rows = 50", "row = 50", "row"),
        ("title", "titel", "titel"),
        ('function = "simulate"', "", "has no function"),
        ('"simulate"', '"simulat"', "simulat"),
        ('"simulate"', '"no.py:f"', "no Python file"),
        ('"pendulum"', '"pendulim"', "pendulim"),
        ("{uniform = [[0.1], [1.0]]}", "{uniforn = [[0.1], [1.0]]}", "q0 is a list of values or one of uniform"),
        ("{uniform = [[0.1], [1.0]]}", "{uniform = [0.1]}", "takes 2 entries"),
        ("{uniform = [[0.1], [1.0]]}", "{uniform = [[2.0], [1.0]]}", "low may not be above high"),
        ("rows = 50", 'rows = 50\nsamples = "grid"', "q0 is a distribution"),
        ("rows = 50", 'rows = 50\nsamples = "halton"', "halton"),
        ("rows = 50", 'rows = 50\ntable = "x.csv"', "leave vary and samples away"),
        ("rows = 50", "rows = ", "is not TOML"),
        ('["q"]', '["p"]', "got 'p'"),
    ],
)
def test_what_is_wrong_in_a_file_is_told(tmp_path, old, new, told):
    file = tmp_path / "s.toml"
    file.write_text(GOOD.replace(old, new))
    with pytest.raises(LinkwrightError) as caught:
        told_and_run(file)
    assert told in str(caught.value)
