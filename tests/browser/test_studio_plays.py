"""Motions in a real browser: a file without a server, the programs of the tutorial, a push with the mouse."""

from __future__ import annotations

import io
import time

import numpy as np
import pytest
from PIL import Image

import linkwright as lw

SIZE = {"width": 820, "height": 380}
WAIT = 60.0
"""seconds, on a busy machine"""
PASSIVE = "Unable to preventDefault inside passive event listener invocation."
"""Harmless message of Chromium about viser's listeners of the mouse."""


class Page:
    """A page, and whatever goes wrong there."""

    def __init__(self, browser, address, offline=False, size=SIZE):
        self.context = browser.new_context(viewport=size, offline=offline)
        self.page = self.context.new_page()
        self.wrong, self.asked = [], []
        self.page.on("console", self.heard)
        self.page.on("pageerror", lambda error: self.wrong.append(str(error)))
        self.page.on("request", lambda one: self.asked.append(one.url))
        self.page.goto(address)
        self.page.get_by_text("Software WebGL rendering detected").wait_for(timeout=1000 * WAIT)
        self.tap(self.page.locator("button.mantine-Notification-closeButton"))

    def heard(self, message):
        if message.type == "error" and message.text != PASSIVE:
            self.wrong.append(message.text)

    def tap(self, what):
        """Press with the mouse, without waiting for pictures, which are slow here."""
        what.wait_for(timeout=1000 * WAIT)
        box = self.until(what.bounding_box, "its place on the page")  # none while the page draws it again
        self.page.mouse.click(box["x"] + 0.5 * box["width"], box["y"] + 0.5 * box["height"])

    def press(self, slider, keys):
        """Keys at the slider of a number."""
        what = self.page.get_by_role("slider").nth(slider)
        what.evaluate("e => e.focus()")
        for key in keys:
            self.page.keyboard.press(key)

    def until(self, condition, what):
        end = time.monotonic() + WAIT
        while not (found := condition()):
            assert time.monotonic() < end, f"waited in vain for {what}; the page reported {self.wrong}"
            self.page.wait_for_timeout(50)
        return found

    def pixels(self, clip=None):
        picture = self.page.screenshot(clip=clip, timeout=1000 * WAIT)
        return np.asarray(Image.open(io.BytesIO(picture)).convert("RGB")).astype(int)

    def close(self):
        self.context.close()
        assert self.wrong == []


def connected(browser, studio, size=SIZE):
    page = Page(browser, studio.address, size=size)
    page.until(lambda: studio.server.get_clients(), "the page to connect")
    return page


def test_a_file_plays_without_a_server_and_without_a_network(browser, tmp_path):
    model = lw.load("two_link")
    path = lw.simulate(model, [0.5, 0.8], [0.0, 0.0], 3.0).save_html(tmp_path / "motion.html", fps=10.0)
    page = Page(browser, path.as_uri(), offline=True)
    assert {url.split(":")[0] for url in page.asked} <= {"file", "blob", "data"}
    scene = {"x": 0, "y": 0, "width": SIZE["width"], "height": SIZE["height"] - 60}
    first = page.pixels(scene)
    page.until(lambda: (np.abs(page.pixels(scene) - first).max(axis=2) > 40).mean() > 0.004, "the arm to move")
    clock = page.page.locator("input").first
    began = clock.input_value()
    page.until(lambda: clock.input_value() != began, "the time to go on")
    assert page.page.title() == "two_link – Linkwright"

    def line():
        return page.page.locator(".lw-line").first.evaluate("x => new DOMMatrix(getComputedStyle(x).transform).e")

    before = line()
    page.until(lambda: line() != before, "the line over the curves to move")
    area = page.page.locator(".lw-area").first.evaluate(
        "x => { const b = x.getBoundingClientRect(); return [b.x, b.y] }"
    )
    page.page.mouse.click(area[0] + 46 + 0.5, area[1] + 20)  # the beginning, where it then waits
    page.until(lambda: page.page.locator(".lw-clock").inner_text() == "t = 0.00 s", "the motion to begin again")
    assert page.page.locator(".lw-names").first.locator("span").all_inner_texts() == ["joint1 0.5", "joint2 0.8"]
    page.page.locator("#lw-hide").click()
    assert not page.page.locator("#lw-curves").is_visible()
    page.close()


def test_forward_kinematics_by_sliders(browser):
    with lw.studio("forward-kinematics", port=18800) as studio:
        page = connected(browser, studio)
        page.page.get_by_text("Joints (forward)").wait_for(timeout=1000 * WAIT)
        before = studio.q
        page.press(0, ["ArrowRight"] * 5)
        page.until(lambda: studio.q[0] > before[0], "the arm to turn")
        np.testing.assert_allclose(studio.q[1:], np.radians(np.round(np.degrees(before[1:]), 1)), atol=1e-9)
        hand = studio.place[2].value
        q = studio.q
        page.press(6, ["ArrowRight"] * 3)  # z of the hand
        page.until(lambda: studio.place[2].value > hand and abs(studio.q[1] - q[1]) > 1e-4, "the joints to follow")
        tip = lw.pose(studio.model, studio.q, "tool")[2, 3]
        assert tip == pytest.approx(studio.place[2].value, abs=2e-3)
        page.press(4, ["Home"])  # as far as x goes
        page.page.get_by_text("Out of reach").wait_for(timeout=1000 * WAIT)
        page.close()


def test_statics_by_sliders(browser):
    with lw.studio("statics", port=18800) as studio:
        page = connected(browser, studio)
        page.page.get_by_text("Tau1").wait_for(timeout=1000 * WAIT)
        result = page.page.get_by_text("Tau1").bounding_box()
        assert result["x"] < 0.4 * SIZE["width"]
        assert result["y"] > 0.5 * SIZE["height"]  # at the lower left
        before = studio.force[0].value
        page.press(2, ["ArrowRight"] * 4)
        page.until(lambda: studio.force[0].value > before + 0.3, "the force")
        tau = lw.jacobian(studio.model, studio.q, "tip")[:2].T @ [slider.value for slider in studio.force]
        shown = f"{tau[0]:.3f} N m".replace("-", "−")
        page.page.get_by_text(shown).wait_for(timeout=1000 * WAIT)
        page.close()


def test_the_double_pendulum_is_played_and_pushed_with_the_mouse(browser):
    with lw.studio("double-pendulum", port=18800) as studio:
        page = connected(browser, studio, {"width": 1100, "height": 420})
        live = studio.live
        page.tap(page.page.get_by_role("button", name="Play"))
        page.until(lambda: live.t > 0.3, "it to move")
        page.tap(page.page.get_by_role("button", name="Pause"))
        page.until(lambda: not studio.panel.clock.playing, "it to stop")
        page.page.get_by_text("energy").first.wait_for(timeout=1000 * WAIT)

        # take the first link in its middle
        live.place([-0.5 * np.pi, 0.0])
        studio.scene.show(live.q)
        studio.server.flush()
        camera = next(iter(studio.server.get_clients().values())).camera
        box = page.page.locator("canvas").first.bounding_box()
        scale = 0.5 * box["height"] / (np.tan(0.5 * camera.fov) * camera.position[2])
        x = box["x"] + 0.5 * box["width"] + scale * (0.0 - camera.look_at[0])
        y = box["y"] + 0.5 * box["height"] - scale * (-0.6 - camera.look_at[1])
        for _ in range(5):  # a busy page may not have drawn it there yet
            page.page.wait_for_timeout(1000)
            page.page.mouse.move(x, y)
            page.page.mouse.down()
            for k in range(1, 9):
                page.page.mouse.move(x + 5 * k, y)
                page.page.wait_for_timeout(80)
            page.page.wait_for_timeout(1500)
            if live.push is not None:
                break
            page.page.mouse.up()
        page.until(lambda: live.pulled() is not None and live.pulled()[1][0] > 0.1, "the mouse to pull")
        assert live.push.frame == "link1"
        angle = live.q[0]
        live.take(200)
        assert live.q[0] > angle + 0.02
        page.page.mouse.up()
        page.until(lambda: live.push is None, "it to be let go")
        before = studio.angles[0].value
        page.press(0, ["ArrowRight"] * 3)
        page.until(
            lambda: studio.angles[0].value > before and live.q[0] == pytest.approx(np.radians(studio.angles[0].value)),
            "the start to move",
        )
        page.close()


def test_on_a_telephone_the_controls_start_collapsed(browser):
    """The first steps stay visible, and the robot is above them."""
    with lw.studio(lw.load("two_link"), port=18800) as studio:
        page = connected(browser, studio, {"width": 390, "height": 800})
        page.page.get_by_text("All controls").wait_for(timeout=1000 * WAIT)
        assert page.page.get_by_role("button", name="Drag").is_visible()
        slider = page.page.get_by_text("joint2", exact=True)
        assert not slider.is_visible()
        client = next(iter(studio.server.get_clients().values()))
        points = np.concatenate([studio.camera._points(), studio.hand.extent()])[:, 1]
        middle = 0.5 * (points.min() + points.max())
        page.until(lambda: 0.1 < middle - client.camera.look_at[1] < 1.0, "the camera to fit the robot")
        page.page.locator("#lw-more").evaluate("box => box.click()")
        page.until(slider.is_visible, "the controls")
        spacing = slider.evaluate("label => getComputedStyle(label).letterSpacing")
        assert spacing == "normal"
        page.close()
