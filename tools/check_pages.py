"""Hold built pages of the documentation to what they promise: they load nothing from outside, and nothing is missing.

``python tools/check_pages.py build/docs`` reads what the pages, their styles and their scripts name;
``--browser`` also opens every page in Chromium (of playwright, or the system's) and records its requests;
``--widths 1440 320`` with it measures too that no page scrolls sideways in windows of these widths
(`docs_overflow.py` does only that).
"""

from __future__ import annotations

import argparse
import re
import shutil
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LOADING = {
    "script": ("src",),
    "img": ("src", "srcset"),
    "source": ("src", "srcset"),
    "iframe": ("src",),
    "embed": ("src",),
    "object": ("data",),
    "video": ("src", "poster"),
    "audio": ("src",),
    "track": ("src",),
    "input": ("src",),
    "image": ("href", "xlink:href"),
    "use": ("href", "xlink:href"),
    "link": ("href",),
}
"""Attributes whose addresses a browser fetches; those of links (``a``) only after a click."""

NOT_FETCHED = {"next", "prev", "index", "search", "author", "canonical", "genindex", "alternate", "license", "help"}
"""``rel`` of ``link`` that a browser does not fetch."""

ELSEWHERE = re.compile(r"""(?:url\(\s*["']?|@import\s+["'])\s*([^"')]+)""")
SCRIPTED = re.compile(r"""(?:fetch|import|importScripts|open|Worker|EventSource|WebSocket)\(\s*["'`]([^"'`]+)""")


class Loaded(HTMLParser):
    """What a page makes a browser fetch."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.places: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what one element names."""
        attributes = {name: value or "" for name, value in attrs}
        if tag == "link" and set(attributes.get("rel", "").lower().split()) & NOT_FETCHED:
            return
        if tag == "base" or attributes.get("http-equiv", "").lower() == "refresh":
            self.places.append(attributes.get("href", attributes.get("content", "")))
        for name in LOADING.get(tag, ()):
            if name in attributes:
                parts = attributes[name].split(",") if name == "srcset" else [attributes[name]]
                self.places += [part.split()[0] for part in parts if part.strip()]
        self.places += ELSEWHERE.findall(attributes.get("style", ""))


def named_in(path: Path) -> Iterator[str]:
    """What a file of the built pages names to be fetched."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".html":
        yield from Loaded(text).places
        for style in re.findall(r"<style[^>]*>(.*?)</style>", text, re.DOTALL):
            yield from ELSEWHERE.findall(style)
    elif path.suffix == ".css":
        yield from ELSEWHERE.findall(text)
    elif path.suffix == ".js":
        yield from SCRIPTED.findall(text)


def faults(folder: Path) -> Iterator[str]:
    """What a page loads from outside, or what is not there."""
    for path in sorted(p for p in folder.rglob("*") if p.suffix in {".html", ".css", ".js"}):
        for place in named_in(path):
            parts = urlsplit(place.strip())
            if parts.scheme == "data":
                continue
            if parts.scheme or parts.netloc:
                yield f"{path.relative_to(folder)} loads {place} from outside"
            elif parts.path and not (path.parent / unquote(parts.path)).exists():
                yield f"{path.relative_to(folder)} loads {place}, which is not there"


def faults_in_browser(folder: Path, widths: list[int]) -> Iterator[str]:
    """Return requests outside the folder, errors of the console and pages that scroll sideways."""
    from docs_overflow import overflows
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page()
        page.set_default_timeout(120_000)  # ms; the browser may get little of the processor
        findings: list[str] = []
        page.on("request", lambda r: findings.append(f"requests {r.url}") if outside(r.url, folder) else None)
        # the next page aborts requests of the last one, such as that of its icon
        aborted = "net::ERR_ABORTED"
        page.on("requestfailed", lambda r: findings.append(f"does not get {r.url}") if r.failure != aborted else None)
        page.on("console", lambda m: findings.append(f"reports {m.text}") if m.type in {"error", "warning"} else None)
        page.on("pageerror", lambda error: findings.append(f"fails: {error}"))
        for path in sorted(path for path in folder.rglob("*.html") if "_static" not in path.parts):
            page.goto(path.as_uri(), wait_until="load")
            name = str(path.relative_to(folder))
            yield from overflows(page, name, widths)
            yield from (f"{name} {what}" for what in findings)
            findings.clear()
        browser.close()


def outside(address: str, folder: Path) -> bool:
    """Whether an address is neither in the folder nor in the page itself."""
    parts = urlsplit(address)
    if parts.scheme in {"data", "blob", "about"}:
        return False
    return parts.scheme != "file" or not Path(unquote(parts.path)).is_relative_to(folder)


def main(arguments: list[str] | None = None) -> int:
    """Tell what is wrong; 1 if there is something."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--browser", action="store_true")
    parser.add_argument("--widths", type=int, nargs="+", default=[], metavar="PIXELS")
    options = parser.parse_args(arguments)
    folder = options.folder.resolve()
    pages = list(folder.rglob("*.html"))
    if not pages:
        print(f"no pages in {folder}")
        return 1
    found = [*faults(folder), *(faults_in_browser(folder, options.widths) if options.browser else ())]
    print("\n".join(found) or f"{len(pages)} pages load nothing from outside")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
