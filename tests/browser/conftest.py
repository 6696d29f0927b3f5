from __future__ import annotations

import shutil

import pytest

from linkwright.browser.serving import serve

CHROMIUM = next(
    (path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), ""
)
ARGUMENTS = (
    *("--no-sandbox", "--disable-gpu", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run"),
    *("--disable-quic", "--force-device-scale-factor=1"),
)


@pytest.fixture
def server():
    pytest.importorskip("viser", reason="the extra studio is not installed")
    served = serve(port=18080)
    yield served.server
    served.server.stop()


@pytest.fixture(scope="module")
def browser():
    """Chromium, without a graphics card and without a network."""
    pytest.importorskip("viser", reason="the extra studio is not installed")
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if not CHROMIUM:
        pytest.skip("there is no Chromium")
    with playwright.sync_playwright() as running:
        opened = running.chromium.launch(executable_path=CHROMIUM, args=list(ARGUMENTS))
        yield opened
        opened.close()
