"""Drawings as lines, for pages."""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import InputError, ShapeError
from linkwright.visual.drawing.vector import vector_drawing

SVG = "{http://www.w3.org/2000/svg}"
LINK = "stroke:#0072B2"


def drawn(model, q, labels=None):
    return ElementTree.fromstring(vector_drawing(model, q, labels, "a drawing"))


def ends(line) -> np.ndarray:
    return np.array([[float(line.get(f"{axis}{k}")) for axis in "xy"] for k in (1, 2)])


def test_links_are_where_they_are():
    q = np.array([0.4, 0.9])
    links = [ends(line) for line in drawn(lw.load("two_link"), q).iter(f"{SVG}line") if line.get("style") == LINK]
    assert len(links) == 2
    lengths = [np.linalg.norm(b - a) for a, b in links]
    assert lengths[0] == pytest.approx(lengths[1], abs=0.3)
    links.sort(key=lambda link: link[:, 0].min())
    for (a, b), angle in zip(links, np.cumsum(q), strict=True):
        assert np.arctan2(a[1] - b[1], b[0] - a[0]) == pytest.approx(angle, abs=0.01)  # y downwards on a page
    assert links[0][1] == pytest.approx(links[1][0], abs=0.2)


@pytest.mark.parametrize("name", ["pendulum", "two_link", "puma560", "chain3d:2", "arm7", "quadruped", "humanoid"])
def test_all_is_inside_and_finite(name):
    model = lw.load(name)
    labels = {k: joint.name for k, joint in enumerate(model.joints)}
    picture = drawn(model, model.random(seed=1), labels)
    width, height = (float(x) for x in picture.get("viewBox").split()[2:])
    assert picture.get("aria-label") == "a drawing"
    for line in picture.iter(f"{SVG}line"):
        places = ends(line)
        assert np.isfinite(places).all()
        assert (places > -40.0).all()
        assert (places < np.array([width, height]) + 40.0).all()
    words = [text for text in picture.iter(f"{SVG}text")]
    assert words
    for text in words:
        assert 0.0 < float(text.get("x")) < width
        assert 0.0 < float(text.get("y")) < height + 5.0


def test_joints_at_one_place_share_a_label():
    model = lw.load("puma560")
    labels = {k: f"<{k}>" for k in range(6)}
    words = {text.text for text in drawn(model, model.neutral(), labels).iter(f"{SVG}text")}
    assert "<3>, <4>, <5>" in words  # the wrist
    assert "<2>" in words


def test_gravity_is_an_arrow_where_there_is_any():
    for model, there in ((lw.load("two_link"), True), (lw.load("two_link").with_gravity((0, 0, 0)), False)):
        words = [text.text for text in drawn(model, [0.1, 0.2]).iter(f"{SVG}text")]
        assert ("g" in words) == there


def test_wrong_configurations_are_refused():
    model = lw.load("two_link")
    with pytest.raises(ShapeError):
        vector_drawing(model, [0.0, 0.0, 0.0])
    with pytest.raises(InputError):
        vector_drawing(model, [np.nan, 0.0])
