"""``linkwright reach``, as a user runs it."""

from __future__ import annotations

import re

import numpy as np
import pytest
from PIL import Image

import linkwright as lw
from linkwright.browser.posture import default_frame
from linkwright.cli import main
from linkwright.cli.input.arguments import target_poses
from linkwright.errors import InputError
from linkwright.ik_solvers.paths import followed, straight
from linkwright.visual.postures import draw_postures
from linkwright.visual.workspace import plot_workspace


def run(*arguments, capsys):
    status = 0
    try:
        main([str(a) for a in arguments])
    except SystemExit as stop:
        status = int(stop.code or 0)
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def test_all_postures_of_an_arm_with_formulas(tmp_path, capsys):
    arm = lw.load("puma560")
    x, y, z = 0.3, -0.4, 0.2
    target = f"{x} {y} {z} 0 180deg 30deg"
    status, text, _ = run("reach", "puma560", "--to", target, "--out", tmp_path, "--no-workspace", capsys=capsys)
    assert status == 0
    assert "exact (spherical wrist)" in text
    rows = [line.split() for line in text.splitlines() if line.strip()[:1].isdigit()]
    (T,) = target_poses(target)
    assert len(rows) == lw.analytic_inverse_kinematics(arm, "tool")(T).count
    for row in rows:
        q = np.radians([float(x) for x in row[1:7]])
        assert np.abs(lw.pose(arm, q, "tool") - T).max() < 1e-3
    assert {path.name for path in tmp_path.iterdir()} == {"postures.png"}


def test_a_path_with_the_elbow_up_and_down(tmp_path, capsys):
    (tmp_path / "path_7.gif").write_text("of an earlier run")
    status, text, _ = run(
        *("reach", "two_link", "--to", "1.2 0.5 0; 0.9 1.0 0", "--out", tmp_path, "--no-workspace"), capsys=capsys
    )
    assert status == 0
    assert "2 postures" in text
    assert {path.name for path in tmp_path.iterdir()} == {"postures.png", "path_1.gif", "path_2.gif"}
    with Image.open(tmp_path / "path_1.gif") as film:
        assert film.n_frames == 101


def test_out_of_reach_is_reported_and_the_nearest_posture_drawn(tmp_path, capsys):
    status, text, _ = run(
        "reach", "planar:3", "--to", "5 0 0", "--out", tmp_path, "--no-workspace", "--frame", "tip", capsys=capsys
    )
    assert status == 1
    assert "out of reach" in text
    assert "position error 2 m" in text
    assert (tmp_path / "postures.png").exists()


def test_the_default_frame_is_the_hand_that_the_studio_drags(tmp_path, capsys):
    """A robot with several ends reports the frame and the others."""
    robot = lw.load("humanoid")
    arguments = ("humanoid", "--to", "9 0 1 0 0 0", "--out", tmp_path, "--no-workspace")
    status, text, _ = run("reach", *arguments, capsys=capsys)
    assert status == 1
    assert f"frame: {default_frame(robot)}. Others (--frame NAME): " in text
    assert re.search(r"position error \d\.?\d* m, orientation error [\d.e-]+ rad", text)


def test_without_a_target_one_is_taken(tmp_path, capsys):
    status, text, _ = run("reach", "arm4", "--out", tmp_path, capsys=capsys)
    assert status == 0
    assert "no target given" in text
    assert {path.name for path in tmp_path.iterdir()} == {"postures.png", "workspace.png"}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("arm7", "--to", "1 2"), "2 numbers"),
        (("arm7", "--to", "1 2 3; 1 2 3 0 0 0"), "the same for all targets"),
        (("arm7", "--to", "1 2 x"), "'x' is not a number"),
        (("arm7", "--to", "1 2 nan"), "finite"),
        (("arm7", "--to", "0 0 1", "--frame", "nose"), "unknown frame 'nose'"),
        (("arm7", "--to", "0 0 1", "--branches", "0"), "--branches is a whole number from 1 on; got 0"),
        (
            ("arm7", "--to", "0 0 1", "--initial-guess", "1 2"),
            "--initial-guess gives 1 value; 'arm7' has nq = 7; separate them by commas",
        ),
        (("arm7", "--to", "0 0 1", "--initial-guess", "1,2"), "--initial-guess gives 2 values; 'arm7' has nq = 7\n"),
        (("arm7", "--to", "0 0 1", "--initial-guess", "nan,0,0,0,0,0,0"), "--initial-guess: 'nan' is not finite"),
        (("puma560", "--to", "0.3 0.2 0.1", "--initial-guess", "joint1=nan"), "--initial-guess: 'nan' is not finite"),
        (("delta", "--to", "0 0 -0.4", "--initial-guess", "wrist.w=2"), "has length 2"),
    ],
)
def test_bad_input_is_reported(arguments, words, tmp_path, capsys):
    status, _, text = run("reach", *arguments, "--out", tmp_path, capsys=capsys)
    assert status == 2
    assert words in text
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("arguments"), [("reach", "two_link", "--branches"), ("bench", "two_link", "--rows")])
def test_counts_are_whole(arguments, tmp_path, capsys):
    status, out, text = run(*arguments, "1.4", "--out", tmp_path, capsys=capsys)
    assert status
    assert "takes an integer; got '1.4'" in out + text
    assert not list(tmp_path.iterdir())


def test_postures_of_a_mechanism_with_loops_are_reported_by_all_coordinates(tmp_path, capsys):
    status, text, _ = run("reach", "delta", "--to", "0 0 -0.4", "--branches", "5", "--out", tmp_path, capsys=capsys)
    assert status == 0
    model = lw.load("delta")
    rows = [line.split() for line in text.splitlines()[2 : 2 + model.nq]]
    assert [row[0].rstrip("°") for row in rows] == list(model.coordinate_names)
    assert rows[0][0] == "arm1°"
    assert len({tuple(column) for column in zip(*(row[1:] for row in rows), strict=True)}) == 5


def test_targets_are_read():
    assert target_poses("1, 2 3; 4 5 6").tolist() == [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]
    (T,) = target_poses("1 2 3 0 0 90deg")
    assert np.allclose(T[:3, :3] @ [1.0, 0.0, 0.0], [0.0, 1.0, 0.0])
    with pytest.raises(InputError, match="no numbers"):
        target_poses(";")


def test_straight_lines_are_even_and_turn_the_shorter_way():
    targets = target_poses("0 0 0 0 0 0; 1 0 0 0 0 0; 1 3 0 0 0 90deg")
    path = straight(targets, 9)
    assert np.allclose(path[[0, 2, 8]], targets[[0, 1, 2]])
    assert np.allclose(np.linalg.norm(np.diff(path[:, :3, 3], axis=0), axis=1), 0.5)
    yaw = np.arctan2(path[:, 1, 0], path[:, 0, 0])
    assert np.allclose(yaw[2:], np.linspace(0.0, np.pi / 2, 7))
    on_the_spot = straight(target_poses("0 0 0 0 0 0; 0 0 0 0 0 1"), 3)
    assert np.allclose(on_the_spot[1, :3, :3], lw.rotation.about("z", 0.5))


def test_postures_follow_a_path_without_jumps_until_it_leaves_the_reach():
    arm = lw.load("two_link")
    inside, beyond = straight(np.array([[1.2, 0.5, 0.0], [0.4, 1.2, 0.0]]), 50), [[1.2, 0.5, 0.0], [2.2, 0.5, 0.0]]
    starts = np.asarray(lw.inverse_kinematics(arm, {"tip": inside[0]}, solutions=2).q)
    found = followed(arm, "tip", inside, starts)
    assert found.reasons == ["", ""]
    assert np.abs(lw.pose(arm, found.q, "tip")[..., :3, 3] - inside).max() < 1e-6
    assert np.abs(np.diff(found.q, axis=1)).max() < 0.1
    assert (np.sign(found.q[:, :, 1]) == np.sign(starts[:, None, 1])).all()  # the elbow stays where it is
    left = followed(arm, "tip", straight(np.array(beyond), 50), starts)
    assert left.reasons[0] in ("out of reach", "singular")
    assert 20 < left.points[0] < 50
    assert np.isnan(left.q[0, left.points[0] :]).all()


def test_the_workspace_of_two_links_is_a_disc():
    figure = plot_workspace(lw.load("two_link"), "tip", samples=20_000)
    (image,) = figure.axes[0].get_images()
    grid, (left, right, bottom, top) = image.get_array(), image.get_extent()
    assert (left, bottom) == pytest.approx((-2.0, -2.0), abs=0.05)
    assert (right, top) == pytest.approx((2.0, 2.0), abs=0.1)
    x = left + (np.arange(grid.shape[1]) + 0.5) * (right - left) / grid.shape[1]
    y = bottom + (np.arange(grid.shape[0]) + 0.5) * (top - bottom) / grid.shape[0]
    far = np.hypot(*np.meshgrid(x, y))
    assert np.isnan(np.ma.filled(grid, np.nan)[far > 2.1]).all()
    # l1 l2 sin θ2 is largest at a right angle, √2 from the base, and nothing at the base and where the arm is straight
    seen = np.ma.filled(grid, np.nan)
    assert np.nanmin(seen[np.abs(far - np.sqrt(2.0)) < 0.05]) > 0.95
    assert np.nanmax(seen[far < 0.05]) < 0.15


def test_the_workspace_has_no_holes_where_the_hand_can_be():
    arm = lw.load("arm7")
    (image,) = plot_workspace(arm, "tool").axes[0].get_images()
    grid, (left, right, bottom, top) = np.ma.filled(image.get_array(), np.nan), image.get_extent()
    assert left == 0.0  # the axis
    x = left + (np.arange(grid.shape[1]) + 0.5) * (right - left) / grid.shape[1]
    z = bottom + (np.arange(grid.shape[0]) + 0.5) * (top - bottom) / grid.shape[0]
    row, column = np.nonzero(np.isnan(grid))
    white = np.stack([x[column], 0.0 * row, z[row]], axis=1)
    assert len(white) > 1000
    assert lw.inverse_kinematics(arm, {"tool": white}).converged.sum() < 10  # at the edge; by chance alone over 150
    rough = np.abs(np.diff(grid, axis=0, n=2))
    assert np.nanquantile(rough, 0.95) < 0.03


def test_the_workspace_of_what_stays_off_its_axis_shows_the_axis():
    axes = plot_workspace(lw.load("puma560"), "tool", samples=20_000).axes[0]
    (image,) = axes.get_images()
    assert image.get_extent()[0] == axes.get_xlim()[0] == 0.0
    seen = np.isfinite(np.ma.filled(image.get_array(), np.nan)).any(axis=0)
    cell = image.get_extent()[1] / len(seen)
    assert cell * np.argmax(seen) == pytest.approx(0.15, abs=0.02)  # its shoulder's offset


def test_pictures_of_postures_are_reported_apart_though_only_the_wrist_differs():
    arm = lw.load("puma560")
    (T,) = target_poses("0.3 -0.4 0.2 0 180deg 30deg")
    found = lw.analytic_inverse_kinematics(arm, "tool")(T)
    q = found.q[found.exact]
    assert len(q) == 8
    figure = draw_postures(arm, q, [""] * 8, target=T)
    pixels = np.asarray(figure.axes[0].get_images()[0].get_array()).astype(int)
    height, width = pixels.shape[0] // 2, pixels.shape[1] // 5
    tiles = [pixels[i * height : (i + 1) * height, j * width : (j + 1) * width] for i in range(2) for j in range(5)][:8]
    for k, tile in enumerate(tiles):
        for other in tiles[:k]:
            assert (np.abs(tile - other).max(axis=2) > 60).sum() > 100
        drawn = (tile.min(axis=2) < 120).any(axis=0)  # the arm is not seen edgeways
        assert drawn.sum() > 0.25 * width


def test_pictures_refuse_what_cannot_be_drawn():
    arm = lw.load("two_link")
    with pytest.raises(InputError, match="no configuration"):
        draw_postures(arm, np.zeros((0, 2)))
    with pytest.raises(InputError, match="1 labels for 2"):
        draw_postures(arm, np.zeros((2, 2)), ["one"])
    with pytest.raises(InputError, match="no joint moves"):
        plot_workspace(arm, "link1")
    with pytest.raises(InputError, match="from 100 on"):
        plot_workspace(arm, "tip", samples=5)
