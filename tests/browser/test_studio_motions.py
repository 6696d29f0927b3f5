"""Motions and trajectories in the studio, and as one file: played, scrubbed, saved."""

from __future__ import annotations

import re
import sys
import time
import types

import numpy as np
import pytest

import linkwright as lw
from linkwright.browser.recorded import motion_studio
from linkwright.browser.recorded.page import framed, page_of, playable
from linkwright.errors import ArgumentError, InputError, LinkwrightError, MissingExtraError, ShapeError

MODEL = lw.load("two_link")


@pytest.fixture(scope="module")
def motion():
    return lw.simulate(MODEL, [0.5, 0.8], [0.0, 0.0], 1.0)


@pytest.fixture(scope="module")
def trajectory():
    return lw.trajectories.polynomial(MODEL, [0.0, 0.0], [1.0, -0.5], 2.0)


@pytest.fixture
def viser():
    return pytest.importorskip("viser", reason="the extra studio is not installed")


def test_a_page_has_everything_and_loads_nothing(motion, viser, tmp_path):
    path = motion.save_html(tmp_path / "motion.html", fps=20.0)
    page = path.read_text(encoding="utf-8")
    assert "<title>two_link – Linkwright</title>" in page
    assert "__VISER_EMBED_DATA__" in page
    head = re.sub(r"<script\b.*?</script>", "", page, flags=re.DOTALL)
    assert not re.findall(r"""(?:src|href)\s*=\s*["']?(?:https?:)?//""", head)
    assert path.stat().st_size < 3e6


def test_what_is_recorded_is_the_motion(motion, viser, monkeypatch):
    from linkwright.browser.view.scene import BrowserScene

    shown_at = []
    monkeypatch.setattr(BrowserScene, "show", lambda self, q: shown_at.append(np.array(q)))
    page_of(motion, fps=10.0)
    np.testing.assert_allclose(shown_at[-11:], motion.q[::100], atol=1e-6)


def test_a_name_is_no_html(viser):
    hostile = lw.Builder('</title><script>alert("x")</script>')
    hostile.body("a", mass=1.0, inertia=0.1).joint("j", "revolute", "world", "a")
    model = hostile.build()
    page = page_of(lw.simulate(model, [0.0], [1.0], 0.1))
    assert 'alert("x")' not in page


def test_trajectories_are_played_too(trajectory, viser, tmp_path):
    play = playable(trajectory)
    assert play.t[-1] == pytest.approx(2.0)
    np.testing.assert_allclose(play.q[-1], [1.0, -0.5], atol=1e-12)
    with lw.studio(trajectory, port=18600) as made:
        made.player.seek(1.0)
        np.testing.assert_allclose(made.scene.q, trajectory(1.0)[0], atol=1e-4)
        assert made.save_html(tmp_path / "t.html").exists()


def test_a_motion_is_played_scrubbed_and_plays_again(motion, viser):
    with lw.studio(motion, port=18600) as made:
        player = made.player
        player.seek(0.5)
        np.testing.assert_allclose(made.scene.q, motion.q[500], atol=1e-6)
        assert "0.50 s" in player.state.content
        player.set_speed(4.0)
        player.play()
        end = time.monotonic() + 30.0
        while player.at > 0.4 and time.monotonic() < end:  # beyond its end it begins again
            time.sleep(0.01)
        player.pause()
        assert player.at < 0.4
        player.again.value = False
        player.seek(0.9)
        player.play()
        while player.playing and time.monotonic() < end:
            time.sleep(0.01)
        assert player.at == pytest.approx(1.0)
        curve = player.curves.energies.data
        np.testing.assert_allclose(curve[3], motion.energy[0], atol=1e-6)


def test_contact_forces_are_arrows(viser):
    ball = lw.Builder("ball").body("ball", mass=1.0, inertia=0.01).joint("free", "free", "world", "ball")
    model = ball.shape("ball", "sphere", radius=0.1).build().with_ground()
    q = lw.standing_configuration(model, model.neutral())
    motion = lw.simulate(model, q, np.zeros(6), 0.2)
    with lw.studio(motion, port=18600) as made:
        made.player.seek(0.2)
        arrow = made.scene._named["contact forces"].points[0]
        np.testing.assert_allclose(arrow[0], [0.0, 0.0, 0.0], atol=1e-3)
        assert arrow[1][2] > 0.0


def test_show_goes_to_the_studio_where_it_is_installed(motion, viser, monkeypatch):
    monkeypatch.setattr(motion_studio.MotionStudio, "open", lambda self: True)
    made = motion.show(block=False, port=18600, speed=2.0)
    try:
        assert made.player.playing
        assert made.player.speed == 2.0
    finally:
        made.stop()
    with pytest.raises(InputError, match="'studio' or 'window'"):
        motion.show("elsewhere")


def test_in_a_notebook_the_page_is_in_it(motion, viser, monkeypatch):
    displayed = []
    shell = types.SimpleNamespace(kernel=object())
    ipython = types.ModuleType("IPython")
    ipython.get_ipython = lambda: shell
    display = types.ModuleType("IPython.display")
    display.display = displayed.append
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    assert motion.show(height=300) is None
    html = displayed[0]._repr_html_()
    assert html.startswith('<iframe srcdoc="')
    assert 'height="300"' in html
    with pytest.raises(InputError, match="height is a whole number"):
        motion.show(height=3)
    assert '"' not in framed('"<>', 100).split('srcdoc="')[1].split('"')[0]


def test_a_notebook_is_executed(viser, tmp_path):
    nbclient = pytest.importorskip("nbclient", reason="nbclient is not installed")
    nbformat = pytest.importorskip("nbformat", reason="nbformat is not installed")
    pytest.importorskip("ipykernel", reason="ipykernel is not installed")
    book = nbformat.v4.new_notebook()
    book.cells = [
        nbformat.v4.new_code_cell(
            "import linkwright as lw\n"
            "model = lw.load('two_link')\n"
            "motion = lw.simulate(model, [0.5, 0.8], [0.0, 0.0], 0.2)\n"
            "motion.show()"
        ),
        nbformat.v4.new_code_cell("made = lw.studio(motion, port=18700)\nmade"),
        nbformat.v4.new_code_cell("made.stop()"),
    ]
    nbclient.NotebookClient(book, timeout=120, kernel_name="python3").execute()
    outputs = [cell.outputs for cell in book.cells]
    assert "__VISER_EMBED_DATA__" in outputs[0][0]["data"]["text/html"]
    assert "127.0.0.1:187" in outputs[1][0]["data"]["text/html"]


def test_what_is_wrong_is_reported(motion, viser, tmp_path):
    with pytest.raises(ArgumentError, match="expected a Motion or a Trajectory"):
        playable(3)
    batch = lw.simulate(MODEL, np.zeros((2, 2)), np.zeros((2, 2)), 0.01)
    with pytest.raises(ShapeError, match=r"motion\[0\]"):
        batch.save_html(tmp_path / "a.html")
    with pytest.raises(LinkwrightError, match="html"):
        motion.save_html(tmp_path / "a.txt")
    with pytest.raises(InputError, match="fps"):
        motion.save_html(tmp_path / "a.html", fps=0.0)
    with pytest.raises(InputError, match="speed"):
        motion.show(speed=0.0, block=False, port=18600)


def test_without_viser_it_says_what_to_install(motion, monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "viser", None)
    with pytest.raises(MissingExtraError, match=r"linkwright\[studio\]"):
        motion.save_html(tmp_path / "a.html")


def test_the_curves_of_a_page_are_the_motion():
    import base64
    import json

    model = lw.load("arm7")
    motion = lw.simulate(model, np.full(7, 0.3), np.zeros(7), 0.2)
    page = page_of(motion, fps=10.0)
    result = json.loads(page.rpartition('type="application/json">')[2].partition("</script>")[0])
    numbers = np.frombuffer(base64.b64decode(result["numbers"]), dtype="<f4").reshape(-1, result["samples"])
    expected = np.column_stack([motion.t, motion.q, motion.kinetic, motion.potential, motion.energy, motion.tau])
    np.testing.assert_allclose(numbers, expected.T, rtol=1e-6, atol=1e-6)
    assert result["seconds"] == pytest.approx(0.2, abs=0.11)
    positions, energies, efforts = result["plots"]
    names = [name for group in positions["groups"].values() for name, _ in group]
    assert names == list(model.coordinate_names)
    assert [numbers[k][0] for _, k in positions["groups"]["joint1 … joint7"]] == pytest.approx([0.3] * 7)
    assert energies["groups"]["energy"][2] == ["total", 10]
    assert [k for group in efforts["groups"].values() for _, k in group] == list(range(11, 18))
    assert "lw-curves" not in page_of(motion, fps=10.0, curves=False)


def test_names_do_not_end_what_they_stand_in():
    hostile = "</script><script>document.title=1</script>"
    made = lw.Builder("r").body("rod", mass=1.0, inertia=0.1).joint(hostile, "revolute", "world", "rod").build()
    page = page_of(lw.simulate(made, [0.0], [1.0], 0.01), fps=10.0)
    assert hostile not in page
