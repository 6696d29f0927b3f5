"""Equations set in lines: broken without loss, drawn with nothing cut, compiled by TeX."""

from __future__ import annotations

import re
import shutil
from itertools import pairwise

import matplotlib.image
import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from test_equations import with_joint

import linkwright as lw
from generated import run
from linkwright.errors import ArgumentError, InputError, TooLargeError
from linkwright.symbolic import equations
from linkwright.symbolic.output.document import Equation, broken, glyphs
from linkwright.symbolic.output.notation import latex_name

PDFLATEX = shutil.which("pdflatex")
CASES = {
    "two_link": (lambda: lw.load("two_link"), {"what": "M,h,g,J,J_dot", "frame": "tip"}),
    "pendulum": (lambda: lw.load("pendulum"), {}),
    "planar:3": (lambda: lw.load("planar:3"), {}),
    "free": (lambda: lw.load("chain3d:1"), {"what": "M,h,g,G"}),
    "puma560": (lambda: lw.load("puma560"), {"what": "g,D,K"}),
}


@pytest.mark.parametrize("case", CASES)
def test_lines_are_short_and_whole(case):
    maker, chosen = CASES[case]
    made = equations(maker())
    for _, equation in made._typeset("products", chosen.get("what", "M,h,g"), chosen.get("frame"), "world_aligned"):
        lines = broken(equation, 60.0)
        together = " ".join(line.right for line in lines).split()
        assert together == equation.right.replace(r"\left", "").replace(r"\right", "").split()
        assert lines[0].left == equation.left
        assert not any(line.left for line in lines[1:])
        assert all(line.right[:2] in ("+ ", "- ") for line in lines[1:])
        assert all(glyphs(line.right) < 75.0 for line in lines)


def test_lines_break_outside_brackets_where_they_can():
    equation = Equation("x", r"a \, (b + c + d + e) + f \, (g + h + i + j) + k \, \cos(l + m)")
    lines = [line.right for line in broken(equation, 30.0)]
    assert lines[0] == r"a \, (b + c + d + e)"
    assert all(line.count("(") == line.count(")") for line in lines)
    assert len(broken(equation, 200.0)) == 1


@pytest.mark.parametrize("case", CASES)
def test_figures_cut_nothing(case):
    maker, chosen = CASES[case]
    figure = equations(maker()).figure(**chosen)
    renderer = FigureCanvasAgg(figure).get_renderer()
    boxes = [text.get_window_extent(renderer) for text in figure.texts]
    page = figure.bbox
    assert boxes
    for box in boxes:
        assert page.x0 < box.x0 < box.x1 < page.x1
        assert page.y0 < box.y0 < box.y1 < page.y1
    rows = sorted(boxes, key=lambda box: -box.y0)
    for above, below in pairwise(rows):  # what shares columns does not overlap
        if above.x0 < below.x1 and below.x0 < above.x1:
            assert below.y1 < above.y0 + 0.01 * page.height + 1.0


def test_pictures_of_every_kind(tmp_path):
    made = equations(lw.load("two_link"))
    for kind in ("png", "svg", "pdf"):
        path = made.picture(tmp_path / f"two_link.{kind}")
        assert path.stat().st_size > 1000
    image = matplotlib.image.imread(tmp_path / "two_link.png")[..., :3]
    assert image.min() < 0.1
    border = np.concatenate([image[:12].ravel(), image[-12:].ravel(), image[:, :12].ravel(), image[:, -12:].ravel()])
    assert border.min() == 1.0
    with pytest.raises(ArgumentError, match="pictures are written as"):
        made.picture(tmp_path / "two_link.docx")
    with pytest.raises(InputError, match="width is a number from 20 to 1000"):
        made.figure(width=3.0)
    with pytest.raises(TooLargeError, match="the limit is 400"):
        equations(with_joint("spherical")).figure()


LONG = {
    "helical": (lambda: with_joint("helical"), {"what": "M,h,g,T", "frame": "tool", "form": "angles"}),
    "spherical": (lambda: with_joint("spherical"), {"what": "M,g,G"}),
}


@pytest.mark.skipif(PDFLATEX is None, reason="there is no TeX here")
@pytest.mark.parametrize("case", [*CASES, *LONG])
def test_tex_compiles_documents(case, tmp_path):
    maker, chosen = (CASES | LONG)[case]
    model = maker()
    (tmp_path / "made.tex").write_text(equations(model).latex(document=True, **chosen), encoding="utf-8")
    printed = run(PDFLATEX, "-interaction=nonstopmode", "-halt-on-error", "made.tex", cwd=tmp_path)
    assert (tmp_path / "made.pdf").stat().st_size > 5000
    assert "Overfull" not in printed


@pytest.mark.skipif(PDFLATEX is None, reason="there is no TeX here")
def test_tex_compiles_what_stands_in_a_paper(tmp_path):
    builder = lw.Builder("ro_bot & 50% #1 {µ} ロボ").body("b_1^2 ~ü", 1.0, (0.1, 0, 0), 0.1)
    model = builder.joint("j$", "revolute", "world", "b_1^2 ~ü", axis=(1, 0, 0)).frame("f_&", "b_1^2 ~ü").build()
    made = equations(model)
    text = made.latex(what="M,g,J", frame="f_&", document=True)
    body = "\\[" + made.latex(what="M,h,g,D,K,G") + "\\]"
    text = text.replace(r"\end{document}", body + "\n" + r"\end{document}")
    (tmp_path / "made.tex").write_text(text, encoding="utf-8")
    run(PDFLATEX, "-interaction=nonstopmode", "-halt-on-error", "made.tex", cwd=tmp_path)


def test_documents_name_everything():
    made = equations(lw.load("two_link"))
    text = made.latex(what="M,h,g,J", frame="tip", document=True)
    for name in (*made.parameters, *made.coordinates.q, *made.coordinates.v):
        assert latex_name(name) in text
    assert "l_{2}" in re.sub(r"(?s).*longtable}{lll}", "", text)
    assert r"\dot q = G(q)" not in text
    assert r"\dot q = G(q)" in equations(lw.load("chain3d:1")).latex(document=True)
