"""``{names}``: public names, in a table with a sentence each, then each with its signature and its docstring."""

from __future__ import annotations

import inspect
import re
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from linkwright.compiler.public import _NOTE


class Names(SphinxDirective):
    """A list of names of ``:of:`` (linkwright unless told); without a list all public names of that module.

    ``:not-in:`` takes those that no page of this folder has, so that the reference never lacks a name.
    """

    has_content = True
    option_spec = {"of": directives.unchanged, "not-in": directives.flag}  # noqa: RUF012 docutils declares it so

    def run(self) -> list[nodes.Node]:
        """Write what autodoc is asked for, and let it."""
        home = self.options.get("of", "linkwright")
        module = import_module(home)
        named = " ".join(self.content).split() or public_names(module)
        if "not-in" in self.options:
            folder = Path(self.env.doc2path(self.env.docname)).parent
            self.env.note_reread()
            named = not_yet(module, folder)
            if not named:
                return []
        lines = [".. list-table::", "   :class: names", "   :widths: 30 70", ""]
        for name in named:
            value = getattr(module, name)
            role = "class" if isinstance(value, type) else "func" if callable(value) else "data"
            lines += [f"   * - :py:{role}:`{name} <{home}.{name}>`", f"     - {summary(value)}"]
        lines.append("")
        for name in named:
            lines += [*described(home, name, getattr(module, name)), ""]
        return self.parse_text_to_nodes("\n".join(lines), allow_section_headings=True)


def public_names(module: ModuleType) -> list[str]:
    """What a module gives: what it says itself, or what is defined in it without an underscore."""
    if hasattr(module, "__all__"):
        return list(module.__all__)
    return [
        name
        for name, value in vars(module).items()
        if not name.startswith("_") and not isinstance(value, ModuleType) and inspect.getmodule(value) is module
    ]


def not_yet(module: ModuleType, folder: Path) -> list[str]:
    """The functions and classes of a module that no page of a folder lists."""
    listed = {name for page in folder.glob("*.rst") for name in listed_in(page.read_text(encoding="utf-8"))}
    names = [name for name in public_names(module) if not isinstance(getattr(module, name), ModuleType)]
    return [name for name in names if name not in listed]


def listed_in(text: str) -> set[str]:
    """The names in all lists of a page: those that stand there, and those of the modules that stand there."""
    listed: set[str] = set()
    for block in re.findall(r"^\.\. names::\n((?:[ ]+.*\n|\n(?=[ ]))*)", text + "\n", re.MULTILINE):
        home = re.search(r":of: (\S+)", block)
        names = [name for line in block.splitlines() if not line.strip().startswith(":") for name in line.split()]
        listed.update(names or (public_names(import_module(home[1])) if home else ()))
    return listed


def summary(value: Any) -> str:
    """The first sentence of its docstring."""
    text = " ".join((inspect.getdoc(value) or "").split("\n\n")[0].split())
    return plain(text.split(". ")[0].rstrip(".:")) if text else ""


def plain(line: str) -> str:
    """A line of a docstring with its |v| and (*batch, n) as they are meant: neither substitutions nor emphasis."""
    kept = re.split(r"(``.*?``|:\w+:`[^`]*`|`[^`]*`|(?<![\w*])\*[A-Za-z][\w ]*\*(?![\w*]))", line)
    return "".join(part if k % 2 else re.sub(r"(?<!\\)([|*])", r"\\\1", part) for k, part in enumerate(kept))


SAID_ONCE = inspect.cleandoc(_NOTE)
"""What every function says that compiles itself: pages of the reference say it once."""


def mend(app: Sphinx, what: str, name: str, value: Any, options: Any, lines: list[str]) -> None:
    """Docstrings before they are parsed."""
    text = "\n".join(lines).replace(SAID_ONCE, "").rstrip()
    lines[:] = [line if line.lstrip().startswith((">>>", "...")) else plain(line) for line in text.split("\n")] + [""]


def described(home: str, name: str, value: Any) -> list[str]:
    """What autodoc is asked for."""
    if isinstance(value, type):
        members = [] if issubclass(value, Exception) else ["   :members:"]
        return [f".. autoclass:: {home}.{name}", *members]
    return [f".. autofunction:: {home}.{name}" if callable(value) else f".. autodata:: {home}.{name}"]


class Written:
    """An annotation as it is to be read."""

    def __init__(self, annotation: Any) -> None:
        text = annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)
        text = re.sub(r"""(?:Annotated|Shaped)\[(?:Array|ArrayLike), ["']\(?([^"']*?)\)?["']\]""", r'array["\1"]', text)
        self.text = re.sub(r"\b(?:[a-z_]+\.)+(?=[A-Za-z])", "", text)

    def __repr__(self) -> str:
        return self.text


def call(app: Sphinx, what: str, name: str, value: Any, options: Any, given: Any, returned: Any) -> Any:
    """How a function is called, with the shapes that its annotations tell: ``array["…, nq"]``."""
    if what not in {"function", "method"} or not callable(value):
        return None
    try:
        signature = inspect.signature(value)
    except (TypeError, ValueError):
        return None
    empty = inspect.Signature.empty
    parameters = [
        p if p.annotation is empty else p.replace(annotation=Written(p.annotation))
        for p in signature.parameters.values()
    ]
    if what == "method" and parameters and parameters[0].name in {"self", "cls"}:
        parameters = parameters[1:]
    back = signature.return_annotation
    bare = signature.replace(parameters=parameters, return_annotation=empty)
    return str(bare), None if back is empty else repr(Written(back))


def setup(app: Sphinx) -> dict[str, bool]:
    """Tell Sphinx of it."""
    app.add_directive("names", Names)
    app.connect("autodoc-process-docstring", mend, priority=400)  # before napoleon, whose markup stays
    app.connect("autodoc-process-signature", call)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
