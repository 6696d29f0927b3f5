"""Studies described in a file, from the command line."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import linkwright as lw
from linkwright.cli import main
from linkwright.errors import LinkwrightError
from linkwright.studies.file import read_study

DOCS = Path(__file__).parents[2] / "docs"

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


@pytest.mark.skipif(not DOCS.is_dir(), reason="this is no checkout")
def test_the_file_that_the_documentation_prints_is_the_example():
    page = (DOCS / "topics" / "motion" / "studies.md").read_text(encoding="utf-8")
    example = (DOCS.parent / "examples" / "pendulum.toml").read_text(encoding="utf-8")
    assert f"```toml\n{example}```" in page


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
    ("text", "message"),
    [
        ("", "is empty; it needs a header"),
        ("a,b\n", "needs a header with the names of its columns, and rows below it"),
        ("a,b\n1,2\n3\n", "line 3 has 1 entry, the header 2 names"),
        ("a,b\n1,x\n", "the column 'b' has entries that are no numbers"),
    ],
)
def test_what_is_wrong_in_a_table_is_reported(text, message, tmp_path, capsys):
    (tmp_path / "rows.csv").write_text(text)
    (tmp_path / "s.toml").write_text('model = "pendulum"\nfunction = "simulate"\ntable = "rows.csv"\n')
    assert run("study", tmp_path / "s.toml") == 2
    assert message in capsys.readouterr().err


def read_and_run(file):
    said = read_study(file)
    return lw.study(said.function, said.parameters, said.store, **said.options)


@pytest.mark.parametrize(
    ("old", "new", "message"),
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
        ("rows = 50", 'rows = 50\nsamples = "table"', "a table has lists of values; q0 is a distribution"),
        ("rows = 50", 'rows = 50\nsamples = "halton"', "halton"),
        ("duration", "duratoin", "has no argument 'duratoin'; did you mean 'duration'?"),
        ("rows = 50", 'rows = 50\ntable = "x.csv"', "leave vary and samples away"),
        ("rows = 50", "rows = ", "is not TOML"),
        ("rows = 50", f"rows = {'9' * 5000}", "is not TOML"),
        ('"pendulum"', f'"{"a" * 300}"', "aaa"),
        ('"simulate"', f'"{"a" * 300}.py:f"', "no Python file"),
        ("{uniform = [[0.1], [1.0]]}", "{linspace = [1e308, -1e308, 3]}", "linspace of q0 must be finite"),
        ("{uniform = [[0.1], [1.0]]}", '{linspace = ["a", 1, 3]}', "an end of linspace of q0"),
        ("{uniform = [[0.1], [1.0]]}", "{linspace = [0, 1, 1000000000000]}", "more than 100000000 values"),
        ("{uniform = [[0.1], [1.0]]}", "{linspace = [[0, 1], [1, 2, 3], 3]}", "differ in shape"),
        ('["q"]', '["p"]', "got 'p'"),
    ],
)
def test_what_is_wrong_in_a_file_is_reported(tmp_path, old, new, message):
    file = tmp_path / "s.toml"
    file.write_text(GOOD.replace(old, new))
    with pytest.raises(LinkwrightError) as caught:
        read_and_run(file)
    assert message in str(caught.value)


OWN = """
import sys
import numpy as np

def quits(a):
    if (a > 2.0).any():
        sys.exit(3)
    return {"x": a}

def nothing(a):
    return {"x": np.where(a > 1.0, np.nan, a)}
"""


def own(folder, name, more=""):
    (folder / "mine.py").write_text(OWN)
    (folder / "s.toml").write_text(f'function = "mine.py:{name}"\n{more}\n[vary]\na = [0.5, 1.5, 2.5]\n')
    return folder / "s.toml"


def test_a_function_that_quits_fails_for_its_rows_alone(tmp_path, capsys):
    assert run("study", own(tmp_path, "quits")) == 0
    assert "1 row, the first 2: SystemExit: 3" in capsys.readouterr().out
    assert lw.Study(tmp_path / "s").failed == 1


def test_what_is_no_number_is_reported(tmp_path, capsys):
    assert run("study", own(tmp_path, "nothing")) == 0
    assert "note: x is NaN or infinite in 2 of 3 rows" in capsys.readouterr().err
    assert run("study", own(tmp_path, "quits"), "--store", tmp_path / "other") == 0
    assert "finite" not in capsys.readouterr().err  # a failed row is reported as such


def test_of_an_interrupt_it_is_reported_what_is_kept(tmp_path, capsys, monkeypatch):
    from linkwright.studies import run as running

    def interrupted(store, *more):
        raise KeyboardInterrupt

    file = own(tmp_path, "nothing")
    with monkeypatch.context() as patch:
        patch.setattr(running, "_run", interrupted)
        assert run("study", file) == 130
    assert "stopped: s: 0 of 3 rows; incomplete: run it again to go on" in capsys.readouterr().err
    assert run("study", file) == 0
    with monkeypatch.context() as patch:
        patch.setattr(running, "_planned", interrupted)
        assert run("study", file, "--store", tmp_path / "new") == 130
    assert "stopped: no results yet; run the command again" in capsys.readouterr().err


def test_a_disk_that_is_too_small_is_reported(tmp_path, monkeypatch):
    import shutil

    usage = shutil.disk_usage(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(shutil, "disk_usage", lambda path: usage._replace(free=40))
        with pytest.warns(lw.errors.LinkwrightWarning, match="GB free: keep fewer outputs"):
            lw.study(lambda a: {"x": a}, {"a": [1.0, 2.0, 3.0]}, tmp_path / "a" / "deep")
    lw.study(lambda a: {"x": a}, {"a": [1.0, 2.0, 3.0]}, tmp_path / "b")
