"""Models as text and as tables."""

from __future__ import annotations

import linkwright as lw
from linkwright.model.printing import DEEPEST, MOST_ROWS


def test_joints_of_a_chain_are_indented_under_their_parent():
    lines = str(lw.load("arm7")).splitlines()[2:]
    assert [line.index("joint") for line in lines] == [3 * k + 3 for k in range(7)]
    assert lines[1].endswith("joint2 (revolute, q[1]) ─ link2  6.35 kg")


def test_branches_are_reported_apart():
    lines = str(lw.load("stewart")).splitlines()
    assert lines[2].startswith("├─ leg1 ")
    assert lines[3].startswith("│  └─ slide1 ")
    assert lines[4].startswith("│     └─ ball1 ")
    assert lines[13].startswith("└─ leg6 ")
    assert lines[14].startswith("   └─ slide6 ")


def test_a_very_deep_chain_stays_on_the_page():
    lines = str(lw.load("planar:200")).splitlines()[2:]
    assert max(map(len, lines)) < 140
    assert lines[DEEPEST + 5].endswith(f"on link{DEEPEST + 5}) ─ link{DEEPEST + 6}  1 kg")


def test_a_notebook_shows_a_table_whose_names_are_text():
    builder = lw.Builder("<b>&").body("a<script>", 1.0, inertia=1.0)
    model = builder.joint('j"</td>', "revolute", "world", "a<script>", limits=(-1, 2)).build()
    shown = model._repr_html_()
    assert "a&lt;script&gt;" in shown
    assert "<script>" not in shown
    assert "j&quot;&lt;/td&gt;" in shown
    assert "-1 … 2" in shown
    assert "<b>&lt;b&gt;&amp;" in shown
    long = lw.load("planar:200")._repr_html_()
    assert long.count("<tr>") == MOST_ROWS + 2
    assert "140 more" in long
    assert "ball2 (ball): leg2_rod ─ ball2_end" in lw.load("stewart")._repr_html_()
