"""``linkwright gallery``, the pages it writes, and those of the documentation, which are what it would write."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest

import linkwright_gallery as gallery
from linkwright import cli
from linkwright.errors import InputError
from linkwright.plugins import plugins
from linkwright_gallery.exhibit import Erratum, OpenPoint, formula
from linkwright_gallery.page import index, page, section

ROOT = Path(__file__).parents[2]


def tool():
    place = ROOT / "tools" / "draw_gallery.py"
    spec = importlib.util.spec_from_file_location("draw_gallery", place)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


PAGES = tool().PAGES


def plain(text):
    """Without times, counts and tiny differences: those of another machine are others."""
    lines = [line for line in text.splitlines() if "| measurement |" not in line]
    return re.sub(r"\d(\.\d+)?e-\d+", "ε", "\n".join(lines))


@pytest.mark.parametrize("name", PAGES)
def test_pages_of_the_documentation_are_what_is_computed(name, run):
    kept = (ROOT / "docs" / "gallery" / f"{name}.md").read_text(encoding="utf-8")
    assert plain(kept) == plain(tool().text_of(name, run)), "run tools/draw_gallery.py"


def test_the_index_leads_to_every_exhibit(run):
    kept = (ROOT / "docs" / "gallery" / "index.md").read_text(encoding="utf-8")
    assert plain(kept) == plain(tool().index_text(run)), "run tools/draw_gallery.py"
    assert "not confirmed" not in kept
    shown = [one.number for _, _, some in PAGES.values() for one in some]
    assert sorted(shown) == sorted(one.number for one in gallery.EXHIBITS)
    for one in gallery.EXHIBITS:
        assert (ROOT / "docs" / "pictures" / f"gallery_{one.name}.png").stat().st_size > 10_000


def test_nothing_in_a_page_is_taken_for_marks(run):
    whole = run("S3.7")
    given = formula("a | b * c [d](e) <f>", 1.0, 1.0)
    wrong = Erratum("(1)", "x*y*z", "x|y", "`e`", 1.0, 2.0, 2.0)
    text = section(gallery.ExhibitResult(whole.exhibit, (given,), (wrong,)), "p.png")
    assert r"| a \| b \* c [d]\(e) \<f\> |" in text
    assert r"Printed: x\*y\*z. Correct: x\|y. Example: \`e\`." in text
    assert "![" not in section(whole, "")
    bad = gallery.ExhibitResult(whole.exhibit, (formula("a", 1.0, 2.0),), ())
    assert "Not confirmed: a." in section(bad, "p.png")
    source = gallery.source_of(whole.exhibit)
    assert "**1 not confirmed.**" in index([(source, [(bad, "a.md")])])
    point = OpenPoint("(2)", "left open", "a|b", "c*d", "e", 1.5, 1)
    text = section(gallery.ExhibitResult(whole.exhibit, (given,), (), (point,)), "p.png")
    assert r"**(2)** (left open). The source: a\|b. Here: c\*d. Example: e: 1.5." in text
    assert page("Title", source, [text], "legend").count("legend") == 1


def outcome(*arguments, capsys):
    with pytest.raises(SystemExit) as stop:
        cli.main(["gallery", *map(str, arguments)])
    result = capsys.readouterr()
    return stop.value.code, result.out, result.err


def test_without_names_it_lists(capsys):
    status, text, _ = outcome(capsys=capsys)
    assert status == 0
    for one in gallery.EXHIBITS:
        assert re.search(rf"{re.escape(one.number)} +{one.name.replace('_', '-')} ", text)
    assert all(source.by in text for source in gallery.SOURCES)


def test_one_is_run_and_written(tmp_path, capsys):
    status, text, _ = outcome("S3.1", "--out", tmp_path, capsys=capsys)
    assert status == 0
    assert "RotateX(0.3)" in text
    assert "wrong in print, RotateY, in both programs: [c s 0; -s 1 0; 0 0 c]" in text
    assert sorted(file.name for file in tmp_path.iterdir()) == ["coordinates.md", "coordinates.png"]
    written = (tmp_path / "coordinates.md").read_text(encoding="utf-8")
    assert "![Coordinates](coordinates.png)" in written
    assert "- *printed value*:" in written


def test_several_have_an_index(tmp_path, capsys):
    status, text, _ = outcome("any-axis", "S3.4", "--no-pictures", "--out", tmp_path, capsys=capsys)
    assert status == 0
    assert "2 of 2 exhibits confirmed: 6 compared with printed values, 15 derived and proved" in text
    assert sorted(file.name for file in tmp_path.iterdir()) == ["any_axis.md", "index.md", "plane_jacobian.md"]
    assert "[S3.2 Rotations about any axis](any_axis.md)" in (tmp_path / "index.md").read_text(encoding="utf-8")


def test_pages_of_the_studio_are_there():
    named = [one.studio for one in gallery.EXHIBITS if one.studio]
    assert sorted(named) == list(plugins("pages"))


def test_mistakes_are_reported(tmp_path, capsys):
    status, _, printed = outcome("static", "--out", tmp_path, capsys=capsys)
    assert (status, "unknown exhibit 'static'; there is statics" in printed) == (2, True)
    assert f"(of {len(gallery.EXHIBITS)} exhibits); `linkwright gallery` without a name lists them all" in printed
    status, _, printed = outcome("statics", "--all", "--out", tmp_path, capsys=capsys)
    assert (status, "--all runs all exhibits" in printed) == (2, True)
    assert not list(tmp_path.iterdir())
    (tmp_path / "file").write_text("no folder")
    status, said, printed = outcome("statics", "--out", tmp_path / "file", capsys=capsys)
    assert (status, said, "cannot be a folder" in printed) == (2, "", True)  # before the work


def test_what_does_not_hold_ends_with_a_status(tmp_path, capsys, monkeypatch):
    def wrong():
        yield formula("one is two", 1.0, 2.0)
        yield Erratum("(1)", "p", "r", "e", 1.0, 2.0, 3.0)

    broken = gallery.EXHIBITS[0].__class__(
        "S3.5", "statics", "Statics", "chapter 5", "", wrong, gallery.find("statics")[0].draw, "", ""
    )
    monkeypatch.setattr(gallery, "EXHIBITS", (broken,))
    monkeypatch.setattr(gallery, "SOURCES", {next(iter(gallery.SOURCES)): (broken,)})
    status, _, printed = outcome("statics", "--no-pictures", "--out", tmp_path, capsys=capsys)
    assert status == 1
    assert "does not hold: one is two" in printed
    assert "does not hold: (1)" in printed


def test_a_folder_that_cannot_be_is_reported(tmp_path, capsys):
    (tmp_path / "file").touch()
    status, _, printed = outcome("S3.2", "--no-pictures", "--out", tmp_path / "file", capsys=capsys)
    assert (status, "cannot be a folder" in printed) == (2, True)
    with pytest.raises(InputError):
        gallery.find("statics")[0].draw(tmp_path)
