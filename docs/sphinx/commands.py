"""``{commands} linkwright.cli:app``: every command with its usage and options, in the order of ``--help``."""

from __future__ import annotations

import re
import sys
from typing import Any
from unittest import mock

from cyclopts.ext.sphinx import CycloptsDirective, DirectiveOptions
from docutils import nodes
from sphinx.application import Sphinx

PROGRAM = "linkwright"


class Commands(CycloptsDirective):  # type: ignore[misc]
    """What cyclopts writes of a program, three things mended.

    Commands have no name of their own, so that cyclopts takes the program that runs, here the one that builds the
    pages; it lists them as they were registered; and ``--`` in a title would be printed as a dash.
    """

    def _generate_documentation(self, module_path: str, opts: DirectiveOptions) -> str:
        with mock.patch.object(sys, "argv", [PROGRAM]):
            return in_order_of_help(super()._generate_documentation(module_path, opts))

    def _create_nodes(self, rst_content: str, opts: DirectiveOptions) -> list[nodes.Node]:
        made: list[nodes.Node] = super()._create_nodes(rst_content, opts)
        for node in made:
            if isinstance(node, nodes.section) and isinstance(title := node[0], nodes.title):
                title[:] = [nodes.literal(text=title.astext())]
        return made


def in_order_of_help(text: str) -> str:
    """The commands by their names, options after them; what stands before the first stays there."""
    before, *commands = re.split(r"^(?=\.\. _cyclopts-)", text, flags=re.MULTILINE)

    def place(command: str) -> tuple[bool, str]:
        name = command.splitlines()[2].removeprefix(PROGRAM).strip()
        return name.startswith("-"), name

    return before + "\n".join(f"{command.rstrip()}\n" for command in sorted(commands, key=place))


def setup(app: Sphinx) -> dict[str, Any]:
    """Tell Sphinx of it."""
    app.add_directive("commands", Commands)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
