"""Detection of the arithmetic operator that a program evaluates, from its source."""

from __future__ import annotations

import ast
import inspect
import linecache
from types import FrameType


def operator_at(frame: FrameType) -> type[ast.operator] | None:
    """Return the operator that a frame evaluates; None for other code and for unknown source."""
    place = inspect.getframeinfo(frame, context=0).positions
    if place is None or place.lineno is None or place.end_lineno is None:
        return None
    lines = linecache.getlines(frame.f_code.co_filename, frame.f_globals)[place.lineno - 1 : place.end_lineno]
    encoded = [line.encode() for line in lines]  # columns are byte offsets
    if not encoded:
        return None
    encoded[-1] = encoded[-1][: place.end_col_offset]
    encoded[0] = encoded[0][place.col_offset :]
    text = b"".join(encoded).decode(errors="replace")
    for form in (f"({text}\n)", text):  # an expression, possibly on several lines; or x += y
        try:
            statements = ast.parse(form).body
        except (SyntaxError, ValueError):
            continue
        node: ast.AST | None = statements[0] if len(statements) == 1 else None
        node = node.value if isinstance(node, ast.Expr) else node
        return type(node.op) if isinstance(node, ast.BinOp | ast.AugAssign) else None
    return None
