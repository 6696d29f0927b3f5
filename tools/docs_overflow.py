"""Check that no built page of the documentation scrolls sideways.

``python tools/docs_overflow.py build/docs`` opens all pages in Chromium at window widths from 320 to 1920 pixels;
``python tools/docs_overflow.py build/docs index learn/dynamics`` opens some. The exit status is 1 if one is too wide.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

WIDTHS = (1920, 1600, 1440, 1366, 1280, 1024, 768, 390, 320)
"""pixels"""


def pages_of(folder: Path) -> list[str]:
    """Return the names of the built pages, without static files."""
    paths = (path.relative_to(folder) for path in sorted(folder.rglob("*.html")))
    return [path.with_suffix("").as_posix() for path in paths if "_static" not in path.parts]


def overflows(tab: Any, name: str, widths: Iterable[int]) -> Iterator[str]:
    """Measure the open page in windows of these widths; yield a message for each in which it scrolls sideways."""
    for width in widths:
        tab.set_viewport_size({"width": width, "height": 800})
        excess = tab.evaluate("document.documentElement.scrollWidth - innerWidth")
        if excess > 0:
            yield f"{name} is {excess} px too wide in a window of {width} px"


def too_wide(folder: Path, pages: list[str], widths: tuple[int, ...]) -> list[str]:
    """Measure the pages in one browser; return a message for each page and width that scrolls sideways."""
    found: list[str] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        tab = browser.new_page()
        tab.set_default_timeout(120_000)  # ms; the browser may get little of the processor
        for name in pages:
            tab.goto((folder / f"{name}.html").resolve().as_uri())
            found += overflows(tab, name, widths)
        browser.close()
    return found


def main(arguments: list[str] | None = None) -> int:
    """Print the pages that scroll sideways; return 1 if there are any."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("pages", nargs="*", help="names of pages, by default all")
    parser.add_argument("--widths", type=int, nargs="+", default=WIDTHS, metavar="PIXELS")
    options = parser.parse_args(arguments)
    pages = options.pages or pages_of(options.folder)
    found = too_wide(options.folder, pages, tuple(options.widths))
    print("\n".join(found) or f"{len(pages)} pages fit windows of {', '.join(map(str, options.widths))} px")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
