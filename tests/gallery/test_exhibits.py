"""Every exhibit runs: what its source printed is found again, each erratum is proved, its picture is drawn."""

from __future__ import annotations

import re
import subprocess
import sys

import numpy as np
import pytest
from PIL import Image

import linkwright_gallery as gallery
from linkwright.errors import UnknownNameError
from linkwright_gallery import EXHIBITS, SOURCES
from linkwright_gallery.exhibit import Erratum, Finding, Spread, formula, found, known, measured, printed, said, shown

NUMBERS = [one.number for one in EXHIBITS]


@pytest.mark.parametrize("number", NUMBERS)
def test_all_that_is_given_holds_and_every_erratum_is_proved(number, run):
    made = run(number)
    assert made.findings
    assert made.holds, [one.cells() for one in made.wrong]
    assert len({one.what for one in made.findings}) == len(made.findings)


@pytest.mark.parametrize("exhibit", EXHIBITS, ids=NUMBERS)
def test_pictures_are_drawn(exhibit, tmp_path):
    path = exhibit.draw(tmp_path / "picture.png")
    with Image.open(path) as picture:
        pixels = np.asarray(picture.convert("L"), dtype=float)
    assert min(pixels.shape) > 250
    assert pixels.std() > 5.0  # something is on it


def test_the_sources_are_whole():
    assert [source.letter for source in SOURCES] == ["S0", "S1", "S2", "S3", "S4", "H5"]
    assert [len(made) for made in SOURCES.values()] == [4, 5, 2, 12, 3, 6]
    for source, made in SOURCES.items():
        assert [one.number for one in made] == [f"{source.letter}.{k}" for k in range(1, len(made) + 1)]
        assert all(gallery.source_of(one) is source for one in made)
    assert len({one.name for one in EXHIBITS}) == len(EXHIBITS)


ERRATA = {
    "S0.1": ["on H", "the vectors q and τ"],
    "S0.3": ["Iᶜ, the sign before m_jᶜ […]×²"],
    "S1.2": ["step 4 of the disassembly"],
    "S2.1": [
        "prismatic joints, L_j and h_j",
        "revolute joints, L_j",
        "rows and columns",
        "the variable of the derivative",
    ],
    "S3.1": ["RotateY, in both programs"],
    "S3.6": ["the inertia tensor"],
    "S3.9": ["the simulation in Python"],
    "S4.1": ["the head of (2)", "p_E,n−1"],
    "S4.2": ["∂p_E,i/∂q_j", "the constant rotation of a row"],
}
"""All that is known to be wrong in the sources"""

OPEN_POINTS = {
    "S0.4": ["on time"],
    "S1.2": ["(12)", "(9)"],
    "S1.3": ["the start, q1 = 90°"],
    "S2.1": ["the name"],
    "S3.3": ["infinitely many solutions", "the number of solutions"],
    "S3.12": ["inverse dynamics"],
    "S4.3": ["the cost"],
}
"""Passages that the sources leave open or ambiguous, or where our copy may have a misprint"""


@pytest.mark.parametrize("number", NUMBERS)
def test_no_remark_is_missing(number, run):
    assert [one.where for one in run(number).errata] == ERRATA.get(number, [])
    assert [one.where for one in run(number).open_points] == OPEN_POINTS.get(number, [])


def test_lines_are_counted_by_what_they_rest_on(run):
    assert run("S3.2").counts == {"printed": 5, "derived": 6, "measured": 0}
    assert run("S1.5").counts == {"printed": 0, "derived": 0, "measured": 7}
    assert sum(run(number).counts["printed"] for number in NUMBERS) == 19


class TestFinding:
    def test_printed_numbers_hold_to_their_last_digit(self):
        assert printed("x", 0.866, 0.8664, digits=3).holds
        assert not printed("x", 0.866, 0.8666, digits=3).holds
        assert not known("x", (1.0, 2.0), (1.0, 2.6), digits=0).holds
        assert printed("x", 0.5, np.nextafter(0.55, 0.0), digits=1).holds

    def test_formulas_hold_to_rounding(self):
        assert formula("x", [1.0, 1e6], [1.0, 1e6 + 1e-8]).holds
        assert not formula("x", [1.0, 2.0], [1.0, 2.0 + 1e-8]).holds
        assert formula("x", 2.0, 2.0 + 1e-8, tolerance=1e-7).holds

    def test_other_shapes_and_nan_do_not_hold(self):
        assert not printed("x", (1.0, 2.0), (1.0, 2.0, 3.0)).holds
        assert not formula("x", 1.0, np.nan).holds
        assert not printed("x", "a", 1.0).holds
        assert not printed("x", "a", "b").holds

    def test_claims_and_times(self):
        assert said("x", True).holds
        assert not said("x", False).holds
        assert not found("x", False).holds
        assert found("x", True).cells() == ("x", "our claim", "", "yes", "none")
        assert said("x", False).cells()[-1] == "differs"
        assert formula("x", 1.0, 2.0).cells()[-1] == "1e+00"
        assert formula("x", 1.0, 1.0).cells()[-1] == "below 1e-10"

    def test_measurements_decide_nothing(self):
        one = measured("x", 0.5, Spread(0.4, 0.75))
        assert one.holds is None
        assert one.cells() == ("x", "measurement", "0.50", "0.40 to 0.75", "")

    def test_values_are_shown_with_their_digits(self):
        assert shown(-0.0001, 3) == "0.000"
        assert shown([1, 2.5], 1) == "(1.0, 2.5)"
        assert shown(np.eye(2), 0) == "[1, 0; 0, 1]"
        assert shown(np.eye(6), 0) == "6 × 6, norm 2.449"
        assert shown(np.ones(16), 0) == "16 entries, norm 4.000"
        assert shown(np.nan, 2) == "–"
        assert shown(True, 0) == "yes"


class TestErratum:
    def test_it_is_proved_by_what_we_get(self):
        assert Erratum("w", "p", "r", "e", 1.0, 2.0, 2.0).proved
        assert not Erratum("w", "p", "r", "e", 2.0, 2.0, 2.0).proved  # what is printed was right
        assert not Erratum("w", "p", "r", "e", 1.0, 2.0, 1.0).proved  # and the correction wrong
        assert not Erratum("w", "p", "r", "e", 1.0, 2.0, 2.1).proved
        assert Erratum("w", "p", "r", "e", None, 2.0, 2.0).proved
        assert not Erratum("w", "p", "r", "e", None, 2.0, 2.5).proved
        assert Erratum("w", "p", "r", "e", "a", "b", "b").proved
        assert not Erratum("w", "p", "r", "e", "b", "b", "b").proved
        assert not Erratum("w", "p", "r", "e", "a", "b", "a").proved
        assert not Erratum("w", "p", "r", "e", 1.0, 2.0, np.nan).proved


def test_what_does_not_hold_is_reported(run):
    whole = run("S3.5")
    bad = gallery.ExhibitResult(whole.exhibit, (Finding("x", 1.0, 2.0, "printed"),), ())
    assert not bad.holds
    assert [one.what for one in bad.wrong] == ["x"]
    assert "wrong in print, RotateY" in str(run("S3.1"))
    assert "perhaps a misprint of our copy, (9)" in str(run("S1.2"))
    assert re.search(r"τ for f_x, per unit: -L2, -L2, 0 \(printed value\), -L2, -L2, 0 here", str(whole))


@pytest.mark.parametrize(
    ("name", "numbers"),
    [
        ("S3.5", ["S3.5"]),
        ("s3.5", ["S3.5"]),
        ("statics", ["S3.5"]),
        ("two-link-motion", ["S3.9"]),
        ("two_link_motion", ["S3.9"]),
        ("S4", ["S4.1", "S4.2", "S4.3"]),
        (" s2 ", ["S2.1", "S2.2"]),
    ],
)
def test_exhibits_are_found(name, numbers):
    assert [one.number for one in gallery.find(name)] == numbers


def test_unknown_and_ambiguous_names_are_reported():
    with pytest.raises(UnknownNameError, match="unknown exhibit 'static'; there is statics"):
        gallery.find("static")
    with pytest.raises(UnknownNameError, match="S4"):
        gallery.run("S4")
    for wrong in ("", "S", "S3.", "S9"):
        with pytest.raises(UnknownNameError):
            gallery.find(wrong)
    assert [one.number for one in gallery.chosen(["S4", "cost", "statics"])] == ["S3.5", "S4.1", "S4.2", "S4.3"]


def test_the_library_does_not_load_the_gallery():
    code = "import sys, linkwright.cli; print('linkwright_gallery' in sys.modules)"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert result.split() == ["False"]
