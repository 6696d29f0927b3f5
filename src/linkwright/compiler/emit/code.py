"""Lines of LLVM IR with numbered values."""

from __future__ import annotations

LIBRARY = ("sin", "cos", "tan", "floor", "rint")
"""Functions of the C library that programs may call, lane by lane: what angles too large for the lanes' own need,
and rounding where processors cannot."""


class Code:
    """A function's lines as they are written."""

    def __init__(self, prefix: str = "%t") -> None:
        self.lines: list[str] = []
        self.prefix = prefix
        self.count = 0

    def new(self) -> str:
        """The name of a further value (or, without its %, label)."""
        self.count += 1
        return self.last

    @property
    def last(self) -> str:
        """The name given last."""
        return f"{self.prefix}{self.count}"

    def label(self) -> str:
        """The name of a further block."""
        return self.new()[1:]

    def emit(self, instruction: str) -> str:
        """Append an instruction; the name of its value."""
        name = self.new()
        self.lines.append(f"  {name} = {instruction}")
        return name

    def do(self, line: str) -> None:
        """Append a label, or an instruction without a value."""
        self.lines.append(line if line.endswith(":") else f"  {line}")

    def item(self, type: str, array: str, k: int | str) -> str:
        """The address of an entry."""
        return self.emit(f"getelementptr {type}, ptr {array}, i64 {k}")

    def load(self, type: str, array: str, k: int | str) -> str:
        """An entry."""
        return self.emit(f"load {type}, ptr {self.item(type, array, k)}")
