"""Ellipsoids are drawn where they are and as long as they are, but for one scale."""

from __future__ import annotations

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import InputError, LinkwrightError, ShapeError


def outlines(figure):
    """By label, the points of the outlines."""
    axes = figure.axes[0]
    return {patch.get_label(): patch.get_xy()[:-1] for patch in axes.patches if patch.get_label()}


def test_a_planar_arm():
    model, q = lw.load("planar:3"), np.array([0.4, 0.8, -0.5])
    figure = lw.draw_ellipsoids(model, q, "tip")
    found = outlines(figure)
    assert [label.split(" ")[0] for label in found] == ["velocity", "force"]
    center = lw.pose(model, q, "tip")[:2, 3]
    J = lw.jacobian(model, q, "tip")[:2]
    for label, shape in zip(found, (np.linalg.inv(J @ J.T), J @ J.T), strict=True):
        d = found[label] - center
        sizes = np.einsum("ki,ij,kj->k", d, shape, d)  # one number, on an ellipse
        assert np.ptp(sizes) < 1e-9 * sizes.max()
    assert f"{lw.velocity_ellipsoid(model, q, 'tip').semi_axes[0]:.3g} m/s" in next(iter(found))


def test_where_forces_have_no_bound():
    model = lw.load("planar:3")
    figure = lw.draw_ellipsoids(model, np.zeros(3), "tip", ("force",))
    (label,) = outlines(figure)
    assert label == "force (up to 0.267 N, no bound along 2 axes)"  # along the arm, and out of the plane
    assert "--" in {line.get_linestyle() for line in figure.axes[0].lines}
    assert np.isfinite(outlines(figure)[label]).all()


@pytest.mark.parametrize(
    ("name", "q"),
    [("two_link", [0.3, 0.0]), ("two_link", [0.0, 0.0]), ("pendulum", [0.3]), ("arm7", [0.3, 0.5, 0, 0, 0, 0, 0])],
)
def test_a_velocity_has_a_bound(name, q):
    """Where the frame cannot move the outline is flat: of a straight arm of two links a line."""
    model = lw.load(name)
    frame = "tool" if name == "arm7" else "tip"
    figure = lw.draw_ellipsoids(model, q, frame, ("velocity",))
    ((label, ring),) = outlines(figure).items()
    assert label == f"velocity (up to {lw.velocity_ellipsoid(model, q, frame).semi_axes[0]:.3g} m/s)"
    assert "--" not in {line.get_linestyle() for line in figure.axes[0].lines}
    if name != "arm7":
        long, short = np.linalg.svd(ring - ring.mean(axis=0), compute_uv=False)
        assert short < 1e-12 * long


@pytest.mark.parametrize("name", ["arm7", "humanoid"])
def test_in_space(name, tmp_path):
    model = lw.load(name)
    figure = lw.draw_ellipsoids(model, model.random(seed=0), model.bodies[-1].name, title="")
    assert len(outlines(figure)) == 2
    figure.savefig(tmp_path / "ellipsoids.png")
    assert (tmp_path / "ellipsoids.png").stat().st_size > 5000


def test_mistakes_are_reported():
    model = lw.load("planar:3")
    with pytest.raises(InputError, match="kinds are a list of 'velocity', 'force'; got 'speed'"):
        lw.draw_ellipsoids(model, np.zeros(3), "tip", "speed")
    with pytest.raises(ShapeError, match="one configuration"):
        lw.draw_ellipsoids(model, np.zeros((2, 3)), "tip")
    with pytest.raises(InputError, match="q must be finite numbers"):
        lw.draw_ellipsoids(model, [0.0, np.nan, 0.0], "tip")
    with pytest.raises(InputError, match="no joint of 'planar:3' moves 'world'"):
        lw.draw_ellipsoids(model, np.zeros(3), "world")
    with pytest.raises(LinkwrightError, match="unknown frame"):
        lw.draw_ellipsoids(model, np.zeros(3), "top")
