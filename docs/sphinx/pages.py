"""``(others)`` in a list of pages: what else stands in that folder, so that no page is left out.

And beneath a page its code as one program, where tools/write_examples.py has written one. Tables of two columns are
marked, so that they can be read on a telephone.
"""

from __future__ import annotations

from pathlib import Path, PurePosixPath

from docutils import nodes
from sphinx.application import Sphinx

MARK = "(others)"


def fill(app: Sphinx, page: str, source: list[str]) -> None:
    """Put the pages beside this one, and the first pages of folders beside it, where the mark stands."""
    if f"\n{MARK}\n" not in source[0]:
        return
    folder = PurePosixPath(page).parent
    listed = set(source[0].split())
    beside = []
    for other in sorted(map(PurePosixPath, app.env.found_docs)):
        if other.parent == folder or (other.parent.parent == folder and other.name == "index"):
            name = other.relative_to(folder).as_posix()
            if name not in listed and other.as_posix() != page:
                beside.append(name)
    source[0] = source[0].replace(f"\n{MARK}\n", "".join(f"\n{name}" for name in beside) + "\n")


def offer(app: Sphinx, page: str, source: list[str]) -> None:
    """Name the program of a page beneath it."""
    program = Path(app.srcdir).parent / "examples" / f"{page}.py"
    if program.is_file():
        named = f"examples/{page}.py"
        place = "../" * (page.count("/") + 1) + named
        source[0] += f"\n---\n\nThe code of this page as one program: {{download}}`{named} <{place}>`\n"


def pair(app: Sphinx, doctree: nodes.document) -> None:
    """Call tables of two columns pairs: on a telephone the second cell stands beneath the first."""
    for table in doctree.findall(nodes.table):
        group = next(table.findall(nodes.tgroup))
        if group["cols"] == 2 and "names" not in table["classes"]:
            table["classes"].append("pairs")


def setup(app: Sphinx) -> dict[str, bool]:
    """Tell Sphinx of it."""
    app.connect("source-read", fill)
    app.connect("source-read", offer)
    app.connect("doctree-read", pair)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
