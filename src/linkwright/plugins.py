"""Entry points of other installed packages: the groups ``linkwright.commands`` and ``linkwright.pages``."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


def plugins(kind: Literal["commands", "pages"]) -> dict[str, EntryPoint]:
    """Return the entry points of a group by name, in alphabetical order, without importing them."""
    from importlib.metadata import entry_points  # slow to import

    return {one.name: one for one in sorted(entry_points(group=f"linkwright.{kind}"))}


def description_of(entry: EntryPoint) -> str:
    """Return the docstring of an entry point's function up to its parameters, read from the source without an import.

    The import of a command may take seconds, and help lists all commands. The result is "" without a source.
    """
    from importlib.util import find_spec

    package, *inner = entry.module.split(".")
    spec = find_spec(package)
    for folder in (spec.submodule_search_locations or ()) if spec is not None else ():
        file = Path(folder).joinpath(*inner).with_suffix(".py")
        try:
            source = ast.parse(file.read_bytes())
        except (OSError, SyntaxError, ValueError):
            continue
        for node in source.body:
            if isinstance(node, ast.FunctionDef) and node.name == entry.attr:
                return (ast.get_docstring(node) or "").partition("\n\nParameters\n---")[0]
    return ""
