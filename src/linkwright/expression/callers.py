"""Which arithmetic operator of a program is being computed, by the text of the program."""

from __future__ import annotations

import ast
import inspect
import linecache
from types import FrameType


def operator_at(frame: FrameType) -> type[ast.operator] | None:
    """The operator that a frame computes; None where it computes anything else, and where its text is not known."""
    place = inspect.getframeinfo(frame, context=0).positions
    if place is None or place.lineno is None or place.end_lineno is None:
        return None
    lines = linecache.getlines(frame.f_code.co_filename, frame.f_globals)[place.lineno - 1 : place.end_lineno]
    encoded = [line.encode() for line in lines]  # columns count bytes
    if not encoded:
        return None
    encoded[-1] = encoded[-1][: place.end_col_offset]
    encoded[0] = encoded[0][place.col_offset :]
    text = b"".join(encoded).decode(errors="replace")
    for form in (f"({text}\n)", text):  # an expression, on several lines perhaps; an assignment such as x += y
        try:
            statements = ast.parse(form).body
        except (SyntaxError, ValueError):
            continue
        node: ast.AST | None = statements[0] if len(statements) == 1 else None
        node = node.value if isinstance(node, ast.Expr) else node
        return type(node.op) if isinstance(node, ast.BinOp | ast.AugAssign) else None
    return None
