"""Figures of time series."""

from __future__ import annotations

import numpy as np
import pytest

from linkwright import load
from linkwright.errors import ArgumentError, InputError, ShapeError
from linkwright.model.build.builder import Builder
from linkwright.visual.plots import (
    LINES_PER_PANEL,
    MAX_POINTS,
    coordinate_groups,
    plot_efforts,
    plot_energies,
    plot_motion,
    plot_positions,
    plot_velocities,
)
from visual.robots import arm, planar, walker

T = np.linspace(0.0, 2.0, 201)


def series(n):
    return np.sin(T[:, None] + np.arange(n))


def lines(figure):
    """Every line with a label of its own, by label."""
    found = {}
    for axes in figure.axes:
        for line in axes.get_lines():
            if not line.get_label().startswith("_"):
                found.setdefault(line.get_label(), []).append(line)
    return found


def test_every_coordinate_is_a_line_with_its_data():
    q = series(7)
    figure = plot_positions(arm(), T, q)
    found = lines(figure)
    assert list(found) == [f"joint{k}" for k in range(7)]
    for k in range(7):
        np.testing.assert_array_equal(found[f"joint{k}"][0].get_xydata(), np.stack([T, q[:, k]], axis=1))
    assert figure.axes[0].get_xlabel() == "time (s)"
    assert figure.axes[0].get_ylabel() == "position (rad)"


def test_limits_are_dashed_where_the_motion_comes_near():
    def dashed(q, **options):
        axes = plot_positions(arm(), T, q, **options).axes[0]
        return sorted({line.get_ydata()[0] for line in axes.get_lines() if line.get_linestyle() == "--"})

    assert dashed(series(7)) == [-1.0, 1.0]
    assert dashed(series(7), limits=False) == []
    assert dashed(0.01 * series(7)) == []


def test_groups_are_limbs_and_units():
    groups = coordinate_groups(walker(), "nq")
    assert [(g.title, g.unit, g.labels) for g in groups[:3]] == [
        ("root", "m", ("x", "y", "z")),
        ("root", "1", ("qw", "qx", "qy", "qz")),
        ("a_hip … a_knee", "rad", ("a_hip", "a_knee")),
    ]
    assert [i for g in groups for i in g.indices] == list(range(walker().nq))
    rates = coordinate_groups(walker(), "nv")
    assert [g.labels for g in rates[:2]] == [("vx", "vy", "vz"), ("ωx", "ωy", "ωz")]
    assert [i for g in rates for i in g.indices] == list(range(walker().nv))


def test_long_chains_are_split_and_single_joints_gathered():
    assert [len(g.indices) for g in coordinate_groups(planar(20))] == [LINES_PER_PANEL, LINES_PER_PANEL, 4]
    builder = Builder("drone").body("frame", 1.0, inertia=0.1).joint("root", "free", "world", "frame")
    for k in range(6):
        builder.body(f"blade{k}", 0.1, inertia=0.01).joint(f"rotor{k}", "continuous", "frame", f"blade{k}")
    assert coordinate_groups(builder.build())[-1].labels == tuple(f"rotor{k}" for k in range(6))


def test_every_joint_type_has_its_units():
    builder, parent = Builder("all"), "world"
    for type in ("prismatic", "helical", "cylindrical", "universal", "spherical", "planar", "revolute", "free"):
        builder.body(type, 1.0, inertia=1.0)
        builder.joint(f"J {type}", ("helical", 0.1) if type == "helical" else type, parent, type)
        parent = type
    model = builder.build()
    for which in ("nq", "nv"):
        groups = coordinate_groups(model, which)
        assert sorted(i for g in groups for i in g.indices) == list(range(getattr(model, which)))
    unit = {i: g.unit for g in coordinate_groups(model, "nv") for i in g.indices}
    assert [unit[i] for i in range(model.nv)] == [u for joint in model.joints for u in joint.motion.units]
    unit = {i: g.unit for g in coordinate_groups(model, "nq") for i in g.indices}
    for start in model.quaternion_starts:
        assert [unit[i] for i in range(start, start + 4)] == ["1"] * 4
    assert [unit[i] for i in range(model.nq)].count("m") == [u for j in model.joints for u in j.motion.units].count("m")


def test_velocities_and_efforts_have_their_units():
    model = walker()
    assert [axes.get_ylabel() for axes in plot_velocities(model, T, series(model.nv)).axes[:2]] == [
        "velocity (m/s)",
        "velocity (rad/s)",
    ]
    assert [axes.get_ylabel() for axes in plot_efforts(model, T, series(model.nv)).axes[:2]] == [
        "effort (N)",
        "effort (N m)",
    ]


def test_energies_and_their_drift():
    kinetic, potential = 5.0 + T, 3.0 - T + 1e-9 * T**2
    upper, lower = plot_energies(T, kinetic, potential).axes
    found = {line.get_label(): line.get_ydata() for line in upper.get_lines()}
    np.testing.assert_array_equal(found["kinetic"], kinetic)
    np.testing.assert_array_equal(found["potential"], potential)
    np.testing.assert_array_equal(found["total"], kinetic + potential)
    np.testing.assert_allclose(lower.get_lines()[0].get_ydata(), 1e-9 * T**2, atol=1e-14)
    given = plot_energies(T, kinetic, potential, total=kinetic).axes[1]
    np.testing.assert_allclose(given.get_lines()[0].get_ydata(), T, atol=1e-14)


def test_one_page_has_everything():
    model = walker()
    q, v, tau = series(model.nq), series(model.nv), series(model.nv)
    figure = plot_motion(model, T, q, v, tau, np.ones_like(T), T)
    labels = [axes.get_ylabel() for axes in figure.axes]
    assert labels.count("velocity (rad/s)") == 5
    assert labels.count("effort (N m)") == 5
    assert labels[-2:] == ["energy (J)", "change (J)"]
    assert len(lines(figure)["a_hip"]) == 3
    figure.canvas.draw()  # the layout has room for all of it
    boxes = [axes.get_window_extent() for axes in figure.axes]
    assert min(box.width for box in boxes) > 200
    assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])


@pytest.mark.parametrize(("name", "panels"), [("pendulum", 1), ("arm7", 1), ("planar:12", 2), ("humanoid", 7)])
def test_panels_are_neither_strips_nor_a_tall_page(name, panels):
    model = load(name)
    assert len(coordinate_groups(model)) == len(coordinate_groups(model, "nv")) == panels
    figure = plot_motion(model, T, series(model.nq), series(model.nv), None, T, T)
    width, height = figure.get_size_inches()
    assert 4.5 < height < 16.0
    assert 1.0 < width / height < 2.2 or panels > 4
    figure.canvas.draw()
    boxes = [axes.get_window_extent() for axes in figure.axes]
    assert max(box.width / box.height for box in boxes[: 2 * panels]) < (3.0 if panels < 3 else 5.0)


def test_legends_of_positions_and_velocities_are_one():
    figure = plot_motion(load("arm7"), T, series(7), series(7), series(7), T, T)
    legends = [axes.get_legend() for axes in figure.axes]
    named = [[text.get_text() for text in legend.get_texts()] for legend in legends if legend is not None]
    assert named == [[f"joint{k}" for k in range(1, 8)], ["kinetic", "potential", "total"]]
    hinge = plot_positions(load("pendulum"), T, series(1)).axes[0]
    assert hinge.get_legend() is None  # the title says it
    assert hinge.get_title(loc="left") == "hinge"


def test_six_legs_share_panels():
    model = load("stewart")
    assert [(g.title, g.unit, len(g.labels)) for g in coordinate_groups(model)] == [
        ("leg1 first … leg4 second", "rad", 8),
        ("slide1 … slide6", "m", 6),
        ("ball1", "1", 4),
        ("leg5 first … leg6 second", "rad", 4),
    ]
    for which in ("nq", "nv"):
        groups = coordinate_groups(model, which)
        assert sorted(i for g in groups for i in g.indices) == list(range(getattr(model, which)))
        assert len(groups) == 4


def test_hundreds_of_coordinates_are_one_map():
    model = planar(300)
    for figure in (plot_positions(model, T, series(300)), plot_motion(model, T, series(300), series(300))):
        (image,) = figure.axes[0].get_images()
        np.testing.assert_array_equal(image.get_array(), series(300).T)


def test_long_series_are_thinned_with_their_ends():
    t = np.linspace(0.0, 10.0, 100_001)
    (line,) = lines(plot_positions(planar(1), t, t[:, None]))["joint0"]
    x = line.get_xdata()
    assert len(x) == MAX_POINTS
    assert (x[0], x[-1]) == (0.0, 10.0)


def test_a_joint_at_rest_is_not_an_axis_of_rounding_errors():
    low, high = plot_positions(planar(1), T, 1.0 + 1e-15 * series(1)).axes[0].get_ylim()
    assert high - low > 0.5


def test_a_motion_that_broke_down_is_still_plotted():
    q = series(1)
    q[100:] = np.nan
    plot_motion(planar(1), T, q, q).canvas.draw()
    plot_positions(planar(1), T, q).canvas.draw()


@pytest.mark.parametrize(
    ("call", "error", "match"),
    [
        (lambda: plot_positions(arm(), T, series(6)), ShapeError, r"q has shape \(201, 7\)"),
        (lambda: plot_velocities(arm(), T[1:], series(7)), ShapeError, r"v has shape \(200, 7\)"),
        (lambda: plot_efforts(arm(), T, series(6)), ShapeError, "tau"),
        (lambda: plot_positions(arm(), T + np.nan, series(7)), InputError, "t must be finite"),
        (lambda: plot_positions(arm(), [], np.zeros((0, 7))), ShapeError, "at least 1"),
        (lambda: plot_positions(arm(), T, "q"), ArgumentError, "array of real numbers"),
        (lambda: plot_energies(T, T, T[1:]), ShapeError, "potential"),
        (lambda: plot_motion(arm(), T, series(7), kinetic=T), ArgumentError, "both"),
        (lambda: coordinate_groups(arm(), "tau"), InputError, "nq"),
    ],
)
def test_what_cannot_be_plotted_is_reported(call, error, match):
    with pytest.raises(error, match=match):
        call()
