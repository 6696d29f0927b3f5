"""The studio in a real browser: Chromium, driven by Playwright, without a graphics card and without a network."""

from __future__ import annotations

import io
import time
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import linkwright as lw

SIZE = {"width": 800, "height": 420}
WAIT = 60.0
"""seconds, on a busy machine"""


def until(condition, what, page=None):
    """Wait for it."""
    end = time.monotonic() + WAIT
    while not (found := condition()):
        if time.monotonic() > end:
            raise AssertionError(f"waited in vain for {what}")
        page.wait_for_timeout(50) if page is not None else time.sleep(0.05)
    return found


def opened(browser, studio, context=None):
    """A page of a studio, and whatever goes wrong there; with the panel folded, so that all of the scene is seen."""
    wrong = []
    before = set(studio.server.get_clients())
    page = browser.new_page(viewport=SIZE) if context is None else context.new_page()
    page.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("requestfailed", lambda request: wrong.append(f"failed: {request.url}"))
    page.on("dialog", lambda dialog: wrong.append(f"dialog: {dialog.message}"))
    hosts = set()
    page.on("request", lambda request: hosts.add(request.url.split("?")[0]) if request.url[:4] == "http" else None)
    page.goto(studio.address)
    until(lambda: set(studio.server.get_clients()) - before, "the page to connect", page)
    page.get_by_text("Software WebGL rendering detected").wait_for(timeout=1000 * WAIT)
    page.locator("button.mantine-Notification-closeButton").click()
    assert {host.split("/")[2] for host in hosts} == {studio.address.split("/")[2]}  # nothing from elsewhere
    return page, wrong


def pixels(page):
    """(height, width, 3): the scene, left of the panel."""
    picture = page.screenshot(clip={"x": 0, "y": 0, "width": SIZE["width"] - 340, "height": SIZE["height"]})
    return np.asarray(Image.open(io.BytesIO(picture)).convert("RGB")).astype(int)


def settled(page):
    """The scene once it does not change any more."""
    last = pixels(page)
    end = time.monotonic() + WAIT
    while time.monotonic() < end:
        page.wait_for_timeout(250)
        now = pixels(page)
        if changed(last, now) < 1e-4 and np.ptp(now) > 100:
            return now
        last = now
    raise AssertionError("the scene does not come to rest")


def changed(a, b):
    """Which part of the pixels differ by more than a little."""
    return float((np.abs(a - b).max(axis=2) > 24).mean())


def where(studio, point, page):
    """The pixel (x, y) of a point (3,) of the world on the page, whose picture is beside the panel."""
    box = page.locator("canvas").first.bounding_box()
    camera = list(studio.server.get_clients().values())[-1].camera
    forward = np.array(camera.look_at) - camera.position
    forward /= np.linalg.norm(forward)
    right = np.cross(forward, camera.up_direction)
    right /= np.linalg.norm(right)
    away = np.asarray(point) - camera.position
    scale = 0.5 * box["height"] / np.tan(0.5 * camera.fov) / (away @ forward)
    x = box["x"] + 0.5 * box["width"] + scale * (away @ right)
    return float(x), float(box["y"] + 0.5 * box["height"] - scale * (away @ np.cross(right, forward)))


@pytest.fixture(scope="module")
def arm(browser):
    studio = lw.studio(lw.load("arm7"), port=18400)
    yield studio
    studio.stop()


def test_a_slider_moves_the_robot(arm, browser):
    page, wrong = opened(browser, arm)
    before, start = settled(page), arm.q
    box = page.get_by_text("joint2", exact=True).locator("xpath=ancestor::div[.//input][1]").locator("input").last
    box.fill("50")
    box.press("Enter")
    until(lambda: np.isclose(arm.q[1], np.radians(50.0)), "joint2 to turn", page)
    np.testing.assert_array_equal(np.delete(arm.q, 1), np.delete(start, 1))
    after = settled(page)
    assert changed(before, after) > 0.01
    page.get_by_role("button", name="Initial").click()
    until(lambda: np.allclose(arm.q, start), "the start", page)
    again = settled(page)
    assert changed(before, again) < 0.002  # it is where it was, to the pixel
    assert wrong == []
    page.close()


def test_the_dragged_gizmo_takes_the_hand_along(arm, browser):
    arm.show(arm.posture.start)
    page, wrong = opened(browser, arm)
    before, start = settled(page), arm.hand.pose(arm.q)
    reach = 0.22 * arm.scene.size
    tip, axis = start[:3, 3] + 0.8 * reach * start[:3, 2], start[:3, 2]
    x, y = where(arm, tip, page)
    page.mouse.move(x, y)
    page.wait_for_timeout(200)
    page.mouse.down()
    wanted = -0.12
    for k in range(1, 9):
        page.mouse.move(*where(arm, tip + wanted * k / 8 * axis, page))
        page.wait_for_timeout(30)
        if k == 8:
            until(lambda: abs((np.array(arm.hand.gizmo.position) - start[:3, 3]) @ axis - wanted) < 0.02, "it", page)
            until(lambda: off(arm) < 1e-3, "the hand to follow", page)
    dragged_to = np.array(arm.hand.gizmo.position)
    page.mouse.up()
    until(lambda: not arm.hand.dragged, "the end of the drag", page)
    assert np.linalg.norm(arm.hand.pose(arm.q)[:3, 3] - dragged_to) < 1e-3
    np.testing.assert_allclose(arm.hand.pose(arm.q)[:3, :3], start[:3, :3], atol=1e-3)
    assert np.linalg.norm(dragged_to - start[:3, 3]) > 0.1
    assert changed(before, settled(page)) > 0.01
    page.get_by_text("Target reached.").wait_for(timeout=1000 * WAIT)
    assert wrong == []
    page.close()


def off(studio):
    """How far the hand is from its gizmo, m."""
    return float(np.linalg.norm(studio.hand.pose(studio.q)[:3, 3] - studio.hand.gizmo.position))


def test_two_browsers_at_once(arm, browser):
    arm.show(arm.posture.start)
    first, wrong = opened(browser, arm)
    context = browser.new_context(viewport=SIZE)
    second, wrong_too = opened(browser, arm, context)
    until(lambda: len(arm.server.get_clients()) == 2, "earlier pages to be gone", first)
    before = settled(second)
    first.get_by_role("button", name="Zero").click()
    until(lambda: np.allclose(arm.q, 0.0), "zero", first)
    assert changed(before, settled(second)) > 0.01
    box = second.get_by_text("joint4", exact=True).locator("xpath=ancestor::div[.//input][1]").locator("input").last
    box.fill("-60")
    box.press("Enter")
    until(lambda: np.isclose(arm.q[3], np.radians(-60.0)), "the other browser's slider", second)
    until(lambda: "-60" in values(first), "the first browser to follow", first)
    first.close()
    second.get_by_role("button", name="Zero").click()
    until(lambda: np.allclose(arm.q, 0.0), "zero without the first browser", second)
    assert wrong == wrong_too == []
    context.close()


def values(page):
    """Return the values of all input boxes of the panel."""
    return page.evaluate("() => [...document.querySelectorAll('input')].map(x => x.value)")


HOSTILE = "<img src=x onerror=alert(1)> [a](javascript:alert(1)) **b** $x$ ../../"


def test_hostile_names_are_shown_as_they_are_and_do_nothing(browser, tmp_path):
    builder = lw.Builder(HOSTILE)
    for k in range(2):
        builder.body(f"{HOSTILE}{k}", mass=1.0, center_of_mass=[0.2, 0, 0], inertia=0.01 * np.eye(3))
    builder.joint(f"{HOSTILE} a", "revolute", "world", f"{HOSTILE}0", axis=[0, 0, 1])
    builder.joint(f"{HOSTILE} b", "revolute", f"{HOSTILE}0", f"{HOSTILE}1", xyz=[0.4, 0, 0], axis=[0, 1, 0])
    with lw.studio(builder.build(), port=18420) as studio:
        page, wrong = opened(browser, studio)
        for look in ("frames", "names", "inertia", "center of mass", "velocity", "force"):
            studio.looks.set(look, True)
        studio.show_message(HOSTILE)
        page.wait_for_timeout(2000)
        assert page.locator("img[src='x']").count() == 0
        assert page.locator("a[href^='javascript']").count() == 0
        assert page.get_by_text(HOSTILE, exact=True).count() >= 1  # the sentence, letter by letter
        assert wrong == []
        page.close()


def test_a_browser_with_the_token_is_let_in_and_one_without_is_not(browser):
    with lw.studio(lw.load("two_link"), host="0.0.0.0", port=18440) as studio:
        address = f"http://127.0.0.1:{studio.server.get_port()}/"
        page = browser.new_page(viewport=SIZE)
        page.goto(address)
        assert "Access refused" in page.content()
        page.goto(f"{address}?{studio.address.partition('?')[2]}")
        until(lambda: len(studio.server.get_clients()) == 1, "the page with the token", page)
        page.close()


def test_another_page_may_not_connect(arm, browser, tmp_path):
    """A page from elsewhere, open in the same browser, finds the door shut."""
    place = Path(tmp_path) / "evil.html"
    place.write_text("<p>hello</p>")
    page = browser.new_page()
    page.goto(place.as_uri())
    script = """address => new Promise(done => {
        const line = new WebSocket(address, ["viser-v%s"]);
        line.onopen = () => done("open"); line.onerror = () => done("refused");
    })"""
    import viser

    assert page.evaluate(script % viser.__version__, f"ws://127.0.0.1:{arm.server.get_port()}/") == "refused"
    page.close()
