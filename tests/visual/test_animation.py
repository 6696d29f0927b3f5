"""Pictures and moving pictures."""

from __future__ import annotations

import base64
import io
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest
from PIL import Image

from counting import calls
from linkwright.errors import (
    ArgumentError,
    DisplayError,
    InputError,
    LinkwrightError,
    MissingExtraError,
    ShapeError,
    UnknownNameError,
)
from linkwright.visual.animations.animation import animate
from linkwright.visual.animations.film import default_trace, make_film, shown_times
from linkwright.visual.animations.gif import MAX_FPS, durations_of, encode_gif
from linkwright.visual.animations.window import FilmPlayer, show
from linkwright.visual.drawing.linkage import poses_along, skeleton
from linkwright.visual.drawing.scene import Scene, draw
from linkwright.visual.drawing.view import choose_view, round_step
from visual.robots import arm, cart_pole, planar, satellite, walker, waving


def scene_of(model, q, **options):
    bones = skeleton(model)
    poses = poses_along(model, q)
    points, centers = bones.along(poses), bones.center_of_mass_along(poses)
    view = choose_view(points, centers, model.gravity, **options)
    return bones, points, centers, view


def length(path):
    """Number of frames, and seconds."""
    image = Image.open(path)
    total = 0
    for k in range(image.n_frames):
        image.seek(k)
        total += image.info["duration"]
    return image.n_frames, total / 1000.0


@pytest.mark.parametrize(("make", "fps"), [(planar, 25.0), (arm, 30.0), (walker, 12.5)])
def test_the_gif_plays_in_real_time(tmp_path, make, fps):
    model = make(2) if make is planar else make()
    t = np.linspace(0.0, 1.6, 801)
    path = animate(model, t, waving(model, t), tmp_path / "motion.gif", fps=fps)
    n, seconds = length(path)
    assert n == int(1.6 * fps) + 1
    assert abs(seconds - n / fps) <= 0.006


def test_speed_and_the_bound_on_frames(tmp_path):
    model = planar(1)
    t = np.linspace(0.0, 4.0, 101)
    path = animate(model, t, waving(model, t), tmp_path / "fast.gif", speed=4.0)
    assert length(path) == (26, 1.04)
    path = animate(model, t, waving(model, t), tmp_path / "few.gif", max_frames=5)
    assert length(path) == (5, 5.0)
    path = animate(model, t, waving(model, t), tmp_path / "slow.gif", max_frames=3, speed=4.0 / 1300.0)
    assert length(path) == (3, 1950.0)


def test_frame_times_round_to_hundredths_without_drift():
    times, period = shown_times(np.array([1.0, 11.0]), 30.0, 1000, 1.0, MAX_FPS)
    durations = durations_of(len(times), period)
    assert len(times) == 301
    np.testing.assert_allclose(times, 1.0 + np.arange(301) / 30.0)
    assert set(np.round(100 * durations).astype(int)) == {3, 4}
    shown = np.concatenate([[0.0], np.cumsum(durations)])[:-1]
    assert np.abs(shown - (times - 1.0)).max() <= 0.0051


def test_one_sample_is_one_frame(tmp_path):
    path = animate(planar(1), [2.0], [[0.1]], tmp_path / "still.gif")
    assert Image.open(path).n_frames == 1


def test_a_gif_keeps_colors_and_what_moves():
    frames = np.full((4, 20, 30, 3), 255, dtype=np.uint8)
    for k in range(4):
        frames[k, 5:9, 3 + k] = (0, 114, 178)
        frames[k, 15, 2:20] = (213, 94, 0)
    image = Image.open(io.BytesIO(encode_gif(frames, np.full(4, 0.1))))
    assert image.n_frames == 4
    assert image.info["loop"] == 0
    for k in range(4):
        image.seek(k)
        np.testing.assert_array_equal(np.array(image.convert("RGB")), frames[k])


@pytest.mark.parametrize("channels", [3, 4])
def test_a_gif_of_noise_fills_and_resets_the_table_of_codes(channels):
    """More different strings than 4096 codes; the decoder is Pillow's."""
    rng = np.random.default_rng(3)
    palette = np.array([[60 * a, 80 * b, 60 * c, 255] for a in range(4) for b in range(4) for c in range(4)], np.uint8)[
        :60, :channels
    ]
    frames = palette[rng.integers(0, 60, (5, 61, 83))]
    frames[1, 20:30, 40:60] = frames[0, 20:30, 40:60]
    frames[3] = frames[2]
    image = Image.open(io.BytesIO(encode_gif(frames, np.array([0.1, 0.2, 0.3, 0.4, 0.5]))))
    shown = []
    for k in range(image.n_frames):
        image.seek(k)
        shown.append((image.info["duration"], np.array(image.convert("RGB"))))
    assert [duration for duration, _ in shown] == [100, 200, 700, 500]
    for (_, pixels), k in zip(shown, (0, 1, 2, 4), strict=True):
        assert np.abs(pixels.astype(int) - frames[k, ..., :3]).max() <= 8
        assert np.array_equal(pixels[20:30, 40:60], shown[0][1][20:30, 40:60]) == (k == 1 or k == 0)


def test_a_gif_is_written_as_frames_come():
    """Only the samples of its palette are kept."""
    frames = np.full((40, 20, 30, 3), 255, dtype=np.uint8)
    for k in range(40):
        frames[k, 5:9, k % 30] = (0, 114, 178)
    read = []
    stream = (read.append(k) or frames[k] for k in range(40))
    assert encode_gif(stream, np.full(40, 0.1), frames[:1]) == encode_gif(frames, np.full(40, 0.1), frames[:1])
    assert read == list(range(40))
    with pytest.raises(ShapeError, match="one size"):
        encode_gif([frames[0], frames[0, :10]], [0.1, 0.1], frames[:1])


def test_the_time_of_a_frame_is_written_where_matplotlib_writes_it():
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.text import Text

    from linkwright.visual.drawing.pixels import WordsInPixels

    places = []
    for kind in (Text, WordsInPixels):
        figure = Figure(figsize=(3.0, 1.0), dpi=100)
        canvas = FigureCanvasAgg(figure)
        figure.add_artist(kind(0.1, 0.8, "t = 1.23 s", ha="left", va="top", fontsize=11, color="#102030"))
        canvas.draw()
        dark = np.asarray(canvas.buffer_rgba())[..., 0] < 120
        rows, columns = np.nonzero(dark)
        places.append([rows.min(), rows.max(), columns.min(), columns.max()])
        assert 80 < dark.sum() < 400
    np.testing.assert_allclose(*places, atol=1.5)


def test_frames_show_the_mechanism_where_it_is():
    model = planar(1)
    q = np.array([[0.0], [np.pi / 2], [np.pi]])
    bones, points, centers, view = scene_of(model, q)
    scene = Scene(bones, view)
    for k, pixels in enumerate(scene.frames(lambda k: scene.show(points[k], center_of_mass=centers[k]), 3)):
        blue = (pixels[..., 2].astype(int) - pixels[..., 0]) > 100
        rows, columns = np.nonzero(blue)
        middle = scene.axes.transData.inverted().transform((columns.mean(), len(pixels) - 1 - rows.mean()))
        np.testing.assert_allclose(middle, 0.5 * np.array([np.cos(q[k, 0]), np.sin(q[k, 0])]), atol=0.06)


def test_strokes_end_at_the_points_of_the_kinematics():
    model = planar(3)
    q = np.array([0.4, -0.3, 0.9])
    _, points, _, _ = scene_of(model, q)
    figure = draw(model, q, view="2d")
    strokes = [c for c in figure.axes[0].collections if len(c.get_paths()) == 12]  # two each for links and dots
    vertices = np.concatenate([path.vertices for path in strokes[-1].get_paths()])
    for point in points[0][:, :2]:
        assert np.abs(vertices - point).max(axis=1).min() < 1e-9


def test_a_plane_motion_is_seen_square_on_with_gravity_downwards():
    t = np.linspace(0, 2, 30)
    for model, right, up in (
        (planar(2), [1, 0, 0], [0, 1, 0]),
        (planar(2, axis=(0, 1, 0), gravity=(0, 0, -9.8)), [1, 0, 0], [0, 0, 1]),
        (planar(2, axis=(0, 0, 1), gravity=(0, 0, -9.8)), [1, 0, 0], [0, 1, 0]),  # seen along gravity
        (planar(2, gravity=(0, 9.8, 0)), [1, 0, 0], [0, -1, 0]),
    ):
        _, _, _, view = scene_of(model, waving(model, t))
        assert view.flat
        np.testing.assert_allclose(view.axes[0], right, atol=1e-9)
        np.testing.assert_allclose(view.axes[1], up, atol=1e-9)
        np.testing.assert_allclose(np.linalg.det(view.axes), 1.0)


def test_a_spatial_motion_is_seen_in_perspective_and_the_view_can_be_forced():
    t = np.linspace(0, 2, 30)
    q = waving(arm(), t)
    assert not scene_of(arm(), q)[3].flat
    forced = scene_of(arm(), q, view="2d")[3]
    assert forced.flat
    np.testing.assert_allclose(forced.axes[1], [0, 0, 1], atol=1e-9)
    assert not scene_of(planar(2), waving(planar(2), t), view="3d")[3].flat


def test_a_spatial_mechanism_that_happens_to_be_flat_is_drawn_in_perspective():
    assert not draw(arm(), arm().neutral()).axes[0].axison
    assert draw(planar(2), [0.0, 0.0]).axes[0].axison


def test_the_window_holds_the_whole_motion_and_nearer_is_larger():
    _, points, _, view = scene_of(arm(), waving(arm(), np.linspace(0, 2, 30)))
    xy, _ = view.project(points)
    assert (xy > view.window[0]).all()
    assert (xy < view.window[1]).all()
    near, far = (view.project(view.center + d * view.axes[2] + view.axes[0])[0][0] for d in (0.3, -0.3))
    assert near > far > 0.0


def test_a_long_fall_is_followed():
    model = walker()
    t = np.linspace(0, 5, 50)
    q = waving(model, t)
    q[:, 2] = -4.9 * t**2
    _, points, centers, view = scene_of(model, q)
    assert view.follows
    xy, _ = view.project(points, centers[:, None])
    assert (np.abs(xy) < 1.0).all()
    assert not scene_of(model, waving(model, t))[3].follows


def test_what_is_thrown_starts_on_the_ground_and_shows_its_height():
    model = walker()
    t = np.linspace(0, 2, 50)
    q = waving(model, t)
    q[:, 2] = 20.0 * t - 4.9 * t**2
    bones, points, centers, view = scene_of(model, q)
    assert view.follows
    assert view.ground == pytest.approx(points[0, :, 2].min())  # under its feet
    assert view.climb == pytest.approx((view.ground, centers[:, 2].min(), centers[:, 2].max()))
    below = points[0] * [1, 1, 0] + [0, 0, view.ground]
    seen = view.project(below, centers[0])[0]
    assert (seen > view.window[0]).all()
    assert (seen < view.window[1]).all()
    scene = Scene(bones, view)
    heights = []
    for k, _ in enumerate(scene.frames(lambda k: scene.show(points[k], center_of_mass=centers[k]), 50)):
        heights.append(float(scene._height.get_ydata()[0]))
        assert (len(scene._shadow.get_segments()) > 0) == (k == 0)
    np.testing.assert_allclose(heights, centers[:, 2])


@pytest.mark.parametrize("make", [arm, walker, cart_pole, satellite])
def test_every_kind_of_mechanism_is_drawn(make):
    model = make()
    q = np.stack([model.neutral()] * 2)
    figure = draw(model, q, center_of_mass=True, title="two")
    figure.canvas.draw()
    pixels = np.asarray(figure.canvas.buffer_rgba())
    assert (pixels[..., :3] < 128).any(axis=-1).sum() > 500


def test_the_trace_is_the_end_of_a_single_chain():
    assert default_trace(planar(2)) == "tip"
    assert default_trace(arm()) == "tool"
    assert default_trace(walker()) is None
    assert default_trace(satellite()) is None


def test_the_trace_leaves_its_color(tmp_path):
    model, t = planar(1), np.linspace(0.0, 1.0, 51)
    q = 2.0 * t[:, None]

    def orange(trace):
        image = Image.open(animate(model, t, q, tmp_path / "trace.gif", trace=trace))
        image.seek(image.n_frames - 1)
        pixels = np.array(image.convert("RGB")).astype(int)
        return int((pixels[..., 0] - pixels[..., 2] > 90).sum())

    assert orange(None) == 0
    assert orange("tip") > 200


def test_the_work_grows_with_the_time_and_ten_seconds_take_little_room(tmp_path):
    model, t = arm(), np.linspace(0.0, 10.0, 2001)

    def animated(samples):
        return animate(model, t[:samples], waving(model, t[:samples]), tmp_path / "arm.gif")

    animated(2)  # what is imported when first drawn is not counted
    assert calls(lambda: animated(401)) < 2.5 * calls(lambda: animated(201))
    path = animated(2001)
    assert path.stat().st_size < 5_000_000


@pytest.mark.parametrize(
    ("options", "error", "match"),
    [
        ({"trace": "tipp"}, UnknownNameError, "unknown frame 'tipp'.*tip"),
        ({"fps": 0.0}, InputError, "fps"),
        ({"fps": 100.0}, InputError, "at most 50"),
        ({"speed": -1.0}, InputError, "speed"),
        ({"speed": np.nan}, InputError, "speed"),
        ({"max_frames": 0}, InputError, "max_frames"),
        ({"speed": 1e-300}, InputError, "of a GIF, it is at most 655 s"),
        ({"speed": 5e-324, "t": np.array([0.0, 1.0, 1e10])}, InputError, "shown for inf s"),
        ({"fps": 1e-3}, InputError, "shown for 1000 s"),
        ({"view": "4d"}, InputError, "4d"),
        ({"elevation": 90.0}, InputError, "elevation"),
        ({"t": np.zeros(3)}, InputError, r"t must increase; t\[0\]"),
        ({"t": np.array([0.0, 1.0])}, ShapeError, "3 rows"),
        ({"t": np.array([0.0, np.nan, 1.0])}, InputError, "finite"),
        ({"q": np.full((3, 2), np.nan)}, InputError, "not finite"),
        ({"q": np.zeros((3, 5))}, ShapeError, "nq is 2"),
        ({"t": np.zeros(0), "q": np.zeros((0, 2))}, InputError, "no sample"),
    ],
)
def test_what_cannot_be_animated_is_reported(tmp_path, options, error, match):
    given = {"t": np.array([0.0, 0.1, 0.2]), "q": np.zeros((3, 2)), **options}
    with pytest.raises(error, match=match):
        animate(planar(2), given.pop("t"), given.pop("q"), tmp_path / "motion.gif", **given)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("name", "match"),
    [("a.avi", r"\.gif"), ("a.tar.gz", "frames/"), ("file/a.gif", "cannot be a folder"), ("sub.gif", "folder")],
)
def test_a_path_that_cannot_be_written_is_reported(tmp_path, name, match):
    (tmp_path / "sub.gif").mkdir()
    (tmp_path / "file").touch()
    with pytest.raises(LinkwrightError, match=match):
        animate(planar(1), [0.0, 0.1], [[0.0], [0.1]], tmp_path / name)


def test_an_empty_path_is_reported():
    with pytest.raises(ArgumentError, match="not empty"):
        animate(planar(1), [0.0, 0.1], [[0.0], [0.1]], "")


def test_no_configuration_is_no_picture():
    with pytest.raises(InputError, match="no configuration"):
        draw(planar(1), np.zeros((0, 1)))


def test_grids_are_of_round_size():
    assert [round_step(x) for x in (0.1, 0.19, 0.2, 0.73, 1.0, 49.0)] == [0.1, 0.1, 0.2, 0.5, 1.0, 20.0]


def test_no_global_state_of_the_plotter_and_no_import_before_it_is_needed(tmp_path):
    code = f"""
import sys
import linkwright.visual.animations.animation, linkwright.visual.plots, linkwright.visual.drawing.scene
assert "matplotlib" not in sys.modules and "PIL" not in sys.modules
from linkwright.model.build.builder import Builder
model = Builder("p").body("rod", 1.0, [1, 0, 0]).joint("hinge", "revolute", "world", "rod").build()
linkwright.visual.animations.animation.animate(model, [0.0, 0.1], [[0.0], [0.1]], {str(tmp_path / "a.gif")!r})
linkwright.visual.plots.plot_positions(model, [0.0, 0.1], [[0.0], [0.1]])
assert "matplotlib" in sys.modules and "matplotlib.pyplot" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_a_long_chain_is_not_hidden_by_its_own_edges():
    figure = draw(planar(300), np.zeros(300))
    figure.canvas.draw()
    pixels = np.asarray(figure.canvas.buffer_rgba()).astype(int)
    assert ((pixels[..., 2] - pixels[..., 0]) > 100).sum() > 400


def fake_ffmpeg(folder, monkeypatch, says=""):
    """A program of that name that writes how much it was given, and of what size, or fails."""
    program = folder / "bin" / "ffmpeg"
    program.parent.mkdir()
    code = f"""#!{sys.executable}
import sys
data = sys.stdin.buffer.read()
if {says!r}:
    sys.exit({says!r})
a = sys.argv
open(a[-1].removeprefix("file:"), "w").write(" ".join([a[a.index("-s") + 1], a[a.index("-r") + 1], str(len(data))]))
"""
    program.write_text(code)
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent))


def test_an_mp4_is_given_every_picture_and_its_rate(tmp_path, monkeypatch):
    fake_ffmpeg(tmp_path, monkeypatch)
    path = animate(planar(1), [0.0, 1.0], [[0.0], [1.0]], tmp_path / "motion.mp4", fps=60.0)
    size, fps, given = path.read_text().split()
    width, height = map(int, size.split("x"))
    assert width % 2 == height % 2 == 0
    assert float(fps) == 60.0
    assert int(given) == 61 * width * height * 3
    assert "<video" in path._repr_html_()


def test_an_mp4_that_cannot_be_written_is_reported(tmp_path, monkeypatch):
    fake_ffmpeg(tmp_path, monkeypatch, "no such encoder")
    (tmp_path / "motion.mp4").write_text("earlier")
    with pytest.raises(InputError, match="ffmpeg could not write the film: no such encoder"):
        animate(planar(1), [0.0, 0.1], [[0.0], [1.0]], tmp_path / "motion.mp4")
    assert (tmp_path / "motion.mp4").read_text() == "earlier"
    monkeypatch.setenv("PATH", str(tmp_path / "none"))
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    with pytest.raises(MissingExtraError, match=r"apt install ffmpeg.*\.gif"):
        animate(planar(1), [0.0, 0.1], [[0.0], [1.0]], tmp_path / "motion.mp4")


def test_a_folder_gets_numbered_pictures(tmp_path):
    folder = tmp_path / "frames"
    with pytest.raises(
        ArgumentError, match=r'unless in a folder \("frames/"\) or .*, are written as \.gif or \.mp4; got .*frames'
    ):
        animate(planar(1), [0.0, 1.0], [[0.0], [1.0]], folder)
    assert not folder.exists()
    animate(planar(1), [0.0, 1.0], [[0.0], [1.0]], f"{folder}/", fps=10.0)
    path = animate(planar(1), [0.0, 1.0], [[0.0], [1.0]], folder, fps=5.0)  # which is there
    assert sorted(file.name for file in folder.iterdir()) == [f"frame_{k:05d}.png" for k in range(6)]
    first, last = (np.asarray(Image.open(folder / f"frame_0000{k}.png")) for k in (0, 5))
    assert first.shape == last.shape
    assert (first != last).any()
    assert "6 pictures" in path._repr_html_()


def test_numbered_pictures_have_the_name_that_is_given(tmp_path):
    """The tutorial's sim0000.png, sim0001.png, …"""
    (tmp_path / "simulation.png").write_bytes(b"of somebody else")
    animate(planar(1), [0.0, 1.0], [[0.0], [1.0]], tmp_path / "sim%04d.png", fps=10.0)
    assert (tmp_path / "sim0010.png").exists()
    folder = animate(planar(1), [0.0, 1.0], [[0.0], [1.0]], tmp_path / "sim%04d.png", fps=5.0)
    names = sorted(file.name for file in tmp_path.iterdir())
    assert names == [*(f"sim000{k}.png" for k in range(6)), "simulation.png"]
    assert folder == tmp_path
    with pytest.raises(ArgumentError, match=r"sim%04d\.png"):
        animate(planar(1), [0.0, 1.0], [[0.0], [1.0]], tmp_path / "sim.png")


def test_a_notebook_shows_a_gif(tmp_path):
    path = animate(planar(1), [0.0, 0.1], [[0.0], [0.1]], tmp_path / 'a"<b>.gif')
    shown = path._repr_html_()
    assert base64.b64encode(path.read_bytes()).decode() in shown
    assert 'alt="a&quot;&lt;b&gt;.gif"' in shown
    path.unlink()
    assert path._repr_html_() is None
    kept = animate(planar(1), [0.0, 0.1], [[0.0], [0.1]])
    assert kept.suffix == ".gif"
    assert kept.exists()
    assert kept != animate(planar(1), [0.0, 0.1], [[0.0], [0.1]])


def test_without_a_screen_no_window_is_opened():
    import matplotlib

    matplotlib.use("agg")  # as Matplotlib chooses by itself without a screen
    with pytest.raises(DisplayError, match=r"'agg'.*motion.animate"):
        show(planar(1), [0.0, 0.1], [[0.0], [0.1]])


def test_a_window_shows_what_is_due():
    t, q = np.array([0.0, 1.0]), np.array([[0.0], [1.0]])
    times, period = shown_times(t, 10.0, 100, 2.0, 50.0)
    film = make_film(planar(1), t, q, times, period, speed=2.0)
    player = FilmPlayer(film)
    film.scene.canvas.draw()
    player.start()
    for later, number in ((0.0, 0), (0.11, 1), (0.34, 3), (0.55, 5), (0.61, 0)):
        player.tick(player.began + later)
        assert player.shown == number
        assert film.scene._time.get_text().startswith(f"t = {times[number]:.2f} s")
    player._pressed(SimpleNamespace(key=" "))
    player.tick(player.began + 100.0)
    assert player.shown == 0
    player._pressed(SimpleNamespace(key=" "))
    player.tick(player.began + 0.31)
    assert player.shown == 3
    pixels = np.asarray(film.scene.canvas.buffer_rgba())[..., :3].astype(int)
    assert ((pixels[..., 2] - pixels[..., 0]) > 100).sum() > 400
