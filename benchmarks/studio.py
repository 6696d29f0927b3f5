"""Measure the studio in a real browser: pose updates that arrive at the page, and memory over minutes.

    python benchmarks/studio.py [--short] [--minutes 10] [--browsers 1] [ROBOT …]

A robot moves all its joints, first as fast as configurations can be sent, then at 60 configurations per second. A page
counts the poses that arrive for each body, whose minimum is the number of complete updates, and the frames that it
draws, without a graphics card. Memory is that of the server's process, of the page's objects, and of the data that the
server stores for later pages. Needs the extra ``studio``, Playwright and Chromium.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import time
from typing import Any

import numpy as np

import linkwright as lw

ARGUMENTS = (
    *("--no-sandbox", "--disable-gpu", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run"),
    *("--disable-quic", "--enable-precise-memory-info", "--js-flags=--expose-gc"),
)
COUNT = """
window.arrived = {}; window.drawn = 0;
const Plain = window.Worker;
window.Worker = class extends Plain {
  constructor(...given) {
    super(...given);
    this.addEventListener("message", (event) => {
      if (event.data.type !== "message_batch") return;
      for (const message of event.data.messages)
        if (message.type === "SetPositionMessage" || message.type === "SetOrientationMessage") {
          const kinds = (window.arrived[message.name] ??= [0, 0]);
          kinds[message.type === "SetPositionMessage" ? 0 : 1] += 1;
        }
    });
  }
};
const drawing = () => { window.drawn += 1; requestAnimationFrame(drawing); };
requestAnimationFrame(drawing);
"""
"""Run in the page before anything else: the worker that holds the connection hands its messages on."""


def motion(model: lw.Model, start: np.ndarray, n: int = 600) -> np.ndarray:
    """Postures (n, nq), all joints swinging about ``start``, each in its own time."""
    t = np.linspace(0.0, 2.0 * np.pi, n, endpoint=False)[:, None]
    v = 0.25 * np.sin(t * np.arange(1, model.nv + 1) % (2.0 * np.pi)) + 0.05
    q = np.asarray(lw.integrate(model, np.tile(start, (n, 1)), v))
    return np.array([lw.close_loops(model, row) for row in q]) if model.loops else q


def moved(studio: Any, postures: np.ndarray, seconds: float, rate: float | None) -> tuple[int, float]:
    """How many postures were shown, and the CPU seconds this took in this thread."""
    begun, cpu, count = time.monotonic(), time.thread_time(), 0
    while (now := time.monotonic() - begun) < seconds:
        studio.posture.move(postures[count % len(postures)])
        count += 1
        if rate is not None:
            time.sleep(max(0.0, count / rate - now))
    return count, time.thread_time() - cpu


def fewest(pages: list[Any], bodies: list[str]) -> list[float]:
    """Return for each page the smallest number of pose updates that a body received."""
    counts = [page.evaluate("() => window.arrived") for page in pages]
    return [min(max(one.get(name, [0, 0])) for name in bodies) for one in counts]


def resident() -> float:
    """MB of this process."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def heap(page: Any) -> float:
    """MB of the page's objects, once what is not needed is gone."""
    return float(page.evaluate("() => { if (window.gc) gc(); return performance.memory.usedJSHeapSize }")) / 1e6


def main() -> None:
    """Measure, and print."""
    asked = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    asked.add_argument("robots", nargs="*", default=["humanoid"])
    asked.add_argument("--short", action="store_true")
    asked.add_argument("--minutes", type=float, default=10.0)
    asked.add_argument("--browsers", type=int, default=1)
    given = asked.parse_args()
    seconds = 2.0 if given.short else 10.0
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        sys.exit("needs Playwright: pip install playwright")
    chromium = next((path for name in ("chromium", "chromium-browser") if (path := shutil.which(name))), None)
    if chromium is None:
        sys.exit("needs Chromium")
    with sync_playwright() as running:
        browser = running.chromium.launch(executable_path=chromium, args=list(ARGUMENTS))
        for name in given.robots:
            model = lw.load(name)
            begun = time.monotonic()
            with lw.studio(model) as studio:
                ready = time.monotonic() - begun
                pages = [browser.new_page(viewport={"width": 640, "height": 400}) for _ in range(given.browsers)]
                for page in pages:
                    page.set_default_timeout(120_000)  # ms
                    page.add_init_script(COUNT)
                    page.goto(studio.address)
                while len(studio.server.get_clients()) < len(pages):
                    if time.monotonic() - begun > 120.0:
                        sys.exit(f"{name}: {len(studio.server.get_clients())} of {len(pages)} pages connected in 120 s")
                    pages[0].wait_for_timeout(50)
                seen = time.monotonic() - begun
                pages[0].wait_for_timeout(1500)
                print(f"{name}: {len(model.bodies)} bodies, {model.nv} degrees of freedom", end=", ")
                print(f"ready in {ready:.1f} s, seen in {seen:.1f} s; load {os.getloadavg()[0]:.1f}")
                postures = motion(model, studio.q)
                nodes = [node.name for node in studio.scene.robot.nodes]
                for rate in (60.0, None):
                    before = fewest(pages, nodes)
                    drawn = pages[0].evaluate("() => window.drawn")
                    shown, cpu = moved(studio, postures, seconds, rate)
                    pages[0].wait_for_timeout(300)
                    arrived = [(b - a) / seconds for a, b in zip(before, fewest(pages, nodes), strict=True)]
                    drawn = (pages[0].evaluate("() => window.drawn") - drawn) / (seconds + 0.3)
                    how = "as fast as can be" if rate is None else f"{rate:.0f} asked for"
                    counts = ", ".join(f"{x:.0f}" for x in arrived)
                    print(f"  {how}: {shown / seconds:.0f} postures a second shown, {counts} arrive,", end=" ")
                    print(f"{drawn:.0f} pictures drawn; {1e3 * cpu / shown:.2f} ms of CPU each")
                remember(studio, pages[0], postures, 0.1 if given.short else given.minutes)
                for page in pages:
                    page.close()
        browser.close()


def remember(studio: Any, page: Any, postures: np.ndarray, minutes: float) -> None:
    """Print the memory ten times while the robot moves with 30 configurations per second, in a small window."""
    page.set_viewport_size({"width": 240, "height": 160})
    kept = studio.server._websock_server._broadcast_buffer
    for k in range(11):
        if k:
            moved(studio, postures, 6.0 * minutes, 30.0)
        page.wait_for_timeout(100)
        print(
            f"  after {0.1 * k * minutes:5.2f} min: server {resident():.1f} MB, page {heap(page):.1f} MB, "
            f"{len(kept.message_from_id)} messages kept",
            flush=True,
        )


if __name__ == "__main__":
    main()
