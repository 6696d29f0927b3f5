"""The stories of the mass matrix: what they tell is what the algorithm gives."""

import re

import numpy as np
import pytest
from PIL import Image

from linkwright import dynamics
from linkwright.errors import ArgumentError, InputError, UnknownNameError
from linkwright.model.build.builder import Builder
from linkwright.model.joints.joint import JOINT_TYPES, Free, Planar, Revolute, Spherical
from linkwright.model.library.built_in import built_in
from linkwright.visual.inertia import (
    STORIES,
    _composites,
    _force,
    _InertiaFigure,
    _order,
    animate_inertia,
    standing,
)
from mechanisms import random_tree


@pytest.mark.parametrize("seed", range(4))
def test_the_blocks_told_are_those_of_the_mass_matrix(seed):
    model = random_tree(list(JOINT_TYPES), seed)
    q = model.random(seed=seed)
    messages, H = standing(model, q), np.diag(model.armature)
    ends = np.cumsum([0, *(joint.nv for joint in model.joints)])
    for i in range(len(model.links)):
        for j in model.path(i):
            block = messages.block(j, i)
            H[ends[j] : ends[j + 1], ends[i] : ends[i + 1]] += block
            if i != j:
                H[ends[i] : ends[i + 1], ends[j] : ends[j + 1]] += block.T
    np.testing.assert_allclose(H, dynamics.mass_matrix(model, q), atol=1e-12 * max(1.0, np.abs(H).max()))


@pytest.mark.parametrize("story", STORIES)
def test_a_story_has_a_picture_for_each_step(story, tmp_path):
    model = built_in("two_link")
    path = animate_inertia(model, [0.5, 0.5], story, tmp_path / "story.gif")
    with Image.open(path) as film:
        assert film.n_frames == {"composites": 3, "force": 1, "order": 4}[story]


def test_floating_bases_and_joints_of_several_coordinates_have_a_story(tmp_path):
    model = random_tree([Free, Spherical, Revolute, Planar], 3, floating=True)
    for story in STORIES:
        assert animate_inertia(model, model.neutral(), story, tmp_path / f"{story}.gif").stat().st_size > 1000


def titles(model, story):
    """Yield the title of each picture of a story in order, and the page."""
    page = _InertiaFigure(standing(model, model.neutral()), story)
    for _ in {"composites": _composites, "force": _force, "order": _order}[story](page):
        page.pixels()
        yield page.title.get_text(), page


@pytest.mark.parametrize(("name", "last"), [("two_link", "Done"), ("four_bar", "Done: what is empty .* (loops open)")])
def test_what_is_empty_and_what_is_open_is_reported_where_it_is_so(name, last):
    *_, (title, _) = titles(built_in(name), "order")
    assert re.fullmatch(last.replace("(", r"\(").replace(")", r"\)"), title)


def test_bodies_without_numbers_are_reported_by_name():
    model = built_in("humanoid")
    found = [title for title, _ in titles(model, "composites")]
    assert all(body.name in title for body, title in zip(reversed(model.bodies), found[1:], strict=True))


@pytest.mark.parametrize("story", STORIES)
def test_words_lie_on_nothing_that_is_drawn(story):
    for _, page in titles(built_in("planar:4"), story):
        points = np.concatenate([page.at(page.points)[pair] for pair in page.bones.segments])
        middle = 0.5 * (points[::2] + points[1::2])
        for text in page.axes.texts:
            box = text.get_window_extent(page.canvas.get_renderer()).transformed(page.axes.transData.inverted())
            if text.get_text().replace(", ", "").isdigit() or text.get_text().endswith("kg"):
                assert not any(box.contains(*point) for point in (*points, *middle))


def test_what_has_no_story_is_reported(tmp_path):
    with pytest.raises(UnknownNameError, match="unknown story 'rows'"):
        animate_inertia(built_in("two_link"), [0, 0], "rows", tmp_path / "a.gif")
    with pytest.raises(InputError, match=r"the animation requires 1 to 40 bodies; 'planar:41' has 41"):
        animate_inertia(built_in("planar:41"), np.zeros(41), "order", tmp_path / "a.gif")
    with pytest.raises(InputError, match="the animation requires 1 to 40 bodies"):
        animate_inertia(Builder("none").body("a").build("fixed"), [], "order", tmp_path / "a.gif")
    with pytest.raises(ArgumentError, match=r"are written as \.gif"):
        animate_inertia(built_in("two_link"), [0, 0], "order", tmp_path / "a.png")
