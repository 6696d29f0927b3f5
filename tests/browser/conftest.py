from __future__ import annotations

import pytest

from linkwright.browser.serving import serve


@pytest.fixture
def server():
    pytest.importorskip("viser", reason="the extra studio is not installed")
    served = serve(port=18080)
    yield served.server
    served.server.stop()


@pytest.fixture(scope="module")
def browser(browser):
    pytest.importorskip("viser", reason="the extra studio is not installed")
    return browser
