"""``linkwright compare``, as a user runs it."""

from __future__ import annotations

import io
import sys
from types import SimpleNamespace

import pytest
from test_reach import run

GOOD = "% MATLAB\nc2 = cos(th2);\nM22 = m2*lg2^2 + I2;\nM(1,2) = m2*(lg2^2 + l1*lg2*c2) + I2;\n"
WRONG = "h1 = -m2*l1*lg2*sin(th2)*dth2*(dth1 + dth2);\nl1 = 1;\n"


def test_equal_equations(tmp_path, capsys):
    path = tmp_path / "paper.txt"
    path.write_text(GOOD, encoding="utf-8")
    status, text, _ = run("compare", "two_link", path, capsys=capsys)
    assert status == 0
    assert text.splitlines() == [
        "line 3: M[2,2]: equal",
        "line 4: M[1,2]: equal",
        "2 equations: 2 proved equal, 0 different; names defined by the text: c2",
    ]
    path.write_text("g2 = m2*g*lg2*c12\n", encoding="utf-8")
    _, text, _ = run("compare", "two_link", path, capsys=capsys)
    assert text.splitlines()[-1].endswith("read as c12 = cos(theta1 + theta2)")


def test_differing_terms_and_exit_status(capsys, monkeypatch):
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(isatty=lambda: False, buffer=io.BytesIO((GOOD + WRONG).encode())))
    status, text, _ = run("compare", "two_link", capsys=capsys)
    assert status == 1
    assert (
        "line 5: h[1]: different\n    m2*l1*lg2*sin(theta2)*theta1_dot*theta2_dot: coefficient -1, derived -2\n" in text
    )
    assert "3 equations: 2 proved equal, 1 different" in text
    assert text.splitlines()[-1].endswith("not compared: line 6")


def test_options(tmp_path, capsys):
    path = tmp_path / "paper.txt"
    path.write_text("T[1,4] = r1*cos(th1) + l2*cos(th1 + th2)\n", encoding="utf-8")
    status, _, said = run("compare", "two_link", path, "--frame", "tip", capsys=capsys)
    assert status == 2
    assert "unknown letter of the equations 'r1'" in said
    assert run("compare", "two_link", path, "--frame", "tip", "--names", "r1=l1", capsys=capsys)[0] == 0
    path.write_text("g2 = m2*g*lg2*cos(phi2)\n", encoding="utf-8")
    words = ("compare", "two_link", path, "--coordinates", "phi1=theta1,phi2=theta1+theta2")
    assert run(*words, capsys=capsys)[0] == 0
    path.write_text("g2 = 4.9*cos(q1 + q2)\n", encoding="utf-8")
    assert run("compare", "two_link", path, "--parameters", "numbers", capsys=capsys)[0] == 0
    assert run("compare", "two_link", path, "--parameters", "g=9.81", capsys=capsys)[0] == 1


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"h2 = (m2", "a bracket is not closed"),
        (b"", "nothing given to compare"),
        (b"\xff\xfe\x00", "is not UTF-8 text"),
        (b"h2 = 1\nh3 = 2", "line 2: h has 2; got h[3]"),
    ],
)
def test_text_that_cannot_be_read(content, said, tmp_path, capsys):
    path = tmp_path / "paper.txt"
    path.write_bytes(content)
    status, _, error = run("compare", "two_link", path, capsys=capsys)
    assert status == 2
    assert said in error


def test_robot_and_equations_are_not_both_the_standard_input(capsys, monkeypatch):
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(isatty=lambda: False, buffer=io.BytesIO(GOOD.encode())))
    status, _, said = run("compare", "-", capsys=capsys)
    assert status == 2
    assert "cannot both be the standard input" in said
