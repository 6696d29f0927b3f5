"""Contents, downloads, tables, pictures and social cards of the pages.

- An index page, and a page with a folder of its name, gets a hidden table of contents: the pages that it links to, in
  that order, then the others of the folder.
- A page gets a link to its code as one program, where tools/write_examples.py has written one.
- Tables of two columns get the class ``pairs``; tables whose first column has pictures get the class ``cards``.
- Pictures get the class ``drawing`` or ``render``; the dark theme inverts drawings only.
"""

from __future__ import annotations

import re
from html import escape
from pathlib import Path, PurePosixPath
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

LINK = re.compile(r"\]\(([^)\s]+\.(?:md|rst))(?:#[^)\s]*)?\)")
RENDERED = ("studio_", "landing_", "robots_", "how_to_weld_feet", "contact_forces", "humanoid_balance", "running")
"""Pictures of solids, by the beginnings of their names."""
SOCIAL = "_static/social.jpg"


def list_children(app: Sphinx, page: str, source: list[str]) -> None:
    """Append a hidden table of contents to an index page, and to a page with a folder of its name."""
    if app.env.doc2path(page).suffix == ".md" and (children := children_of(page, source[0], {*app.env.found_docs})):
        source[0] += "\n\n```{toctree}\n:hidden:\n:maxdepth: 2\n\n" + "\n".join(children) + "\n```\n"


def children_of(page: str, text: str, pages: set[str]) -> list[str]:
    """Return the pages beneath a page: linked pages first.

    Beneath ``topics/index`` are the pages of its folder and ``topics/NAME/index``; beneath another page ``topics/NAME``
    are those of the folder ``topics/NAME``.
    """
    here = PurePosixPath(page)
    folder = here.parent if here.name == "index" else here
    children = [
        name.relative_to(here.parent).as_posix()
        for name in sorted(map(PurePosixPath, pages - {page}))
        if name.parent == folder or (here.name == name.name == "index" and name.parent.parent == folder)
    ]
    linked = [PurePosixPath(target).with_suffix("").as_posix() for target in LINK.findall(text)]

    def first_link(name: str) -> int:
        inside = name.removesuffix("index") if name.endswith("/index") else name
        return next(
            (k for k, target in enumerate(linked) if target == name or (inside != name and target.startswith(inside))),
            len(linked),
        )

    return sorted(children, key=first_link)


def offer_program(app: Sphinx, page: str, source: list[str]) -> None:
    """Link to the program of a page at its end."""
    program = Path(app.srcdir).parent / "examples" / f"{page}.py"
    if program.is_file():
        name = f"examples/{page}.py"
        path = "../" * (page.count("/") + 1) + name
        source[0] += f"\n---\n\nThe code of this page as one program: {{download}}`{name} <{path}>`\n"


def classify(app: Sphinx, doctree: nodes.document) -> None:
    """Add the classes of tables and pictures that pages.css uses."""
    for table in doctree.findall(nodes.table):
        group = next(table.findall(nodes.tgroup))
        rows = [row for body in group.findall(nodes.tbody) for row in body.findall(nodes.row)]
        if all(next(row[0].findall(nodes.image), None) is not None for row in rows):
            table["classes"].append("cards")
        elif group["cols"] == 2 and "names" not in table["classes"]:
            table["classes"].append("pairs")
    for image in doctree.findall(nodes.image):
        name = PurePosixPath(image["uri"]).name
        image["classes"].append("render" if name.startswith(RENDERED) else "drawing")


def describe(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None) -> None:
    """Add the title, the first paragraph and the social picture to the head of a page."""
    if doctree is None:
        return
    first = next((node.astext() for node in doctree.findall(nodes.paragraph) if len(node.astext()) > 40), "")
    text = escape(" ".join(first.split())[:200])
    picture = app.config.html_baseurl + SOCIAL if app.config.html_baseurl else context["pathto"](SOCIAL, True)
    title = escape(re.sub(r"<[^>]+>", "", context.get("title", "")))
    context["metatags"] = (
        context.get("metatags", "") + f'<meta name="description" content="{text}">\n'
        f'<meta property="og:title" content="{title}">\n<meta property="og:description" content="{text}">\n'
        f'<meta property="og:image" content="{picture}">\n<meta name="twitter:card" content="summary_large_image">\n'
    )


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the event handlers."""
    app.connect("source-read", list_children)
    app.connect("source-read", offer_program)
    app.connect("doctree-read", classify)
    app.connect("html-page-context", describe)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
