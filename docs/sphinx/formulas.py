"""Formulas as MathML, which browsers draw without any script: by docutils' own translator of LaTeX."""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.util import logging

BRACKETS = re.compile(r"<mo[^>]*>\[</mo>\s*<mtable(.*?</mtable>)\s*<mo[^>]*>\]</mo>", re.DOTALL)
"""Those of a matrix: drawn by pages.css, for browsers make them tall only where a font of formulas is installed."""

ACCENTED = re.compile(
    r"<munderover>\s*(<mi>[^<]*</mi>)\s*(<m[ino]>[^<]*</m[ino]>|<mrow>.*?</mrow>)"
    r"\s*(<mo[^>]*>[˙¨~ˉ^]</mo>)\s*</munderover>",
    re.DOTALL,
)
"""A letter with an accent and an index, which docutils sets beneath the letter."""

LONG = 30
"""letters of a formula within a sentence that a telephone scrolls"""

LOGGER = logging.getLogger(__name__)


def formula(self: Any, node: nodes.Element) -> None:
    """Write a formula, within a sentence or on a line of its own."""
    alone = isinstance(node, nodes.math_block)
    text = node.astext()
    if alone and "\\\\" in text and "\\begin" not in text:
        text = rf"\begin{{aligned}}{text}\end{{aligned}}"
    try:
        written = tex2mathml(text, as_block=alone)
    except MathError as error:
        LOGGER.warning("formula cannot be read: %s: %s", text, error, location=node)
        written = f"<code>{self.encode(text)}</code>"
    written = ACCENTED.sub(r'<msub><mover accent="true">\1\3</mover>\2</msub>', written)
    written = BRACKETS.sub(r'<mtable class="brackets"\1', written)
    if not alone and len(text) > LONG:
        written = f'<span class="long formula">{written}</span>'
    self.body.append(f'<div class="formula">{written}</div>' if alone else written)
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, bool]:
    """Tell Sphinx of it."""
    app.add_html_math_renderer("mathml", (formula, None), (formula, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
