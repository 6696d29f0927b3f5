"""Lines of LLVM IR with numbered values, loops and switches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager

LIBRARY = ("sin", "cos", "tan", "floor", "rint")
"""Functions of the C library that programs may call, lane by lane: what angles too large for the lanes' own need,
and rounding where processors cannot."""


class FunctionBuilder:
    """A function's lines as they are written."""

    def __init__(self, prefix: str = "%t") -> None:
        self.lines: list[str] = []
        self.prefix = prefix
        self.count = 0
        self.block = "start"
        """the basic block that is being written"""

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
        if line.endswith(":"):
            self.block = line[:-1]
        self.lines.append(line if line.endswith(":") else f"  {line}")

    def item(self, type: str, array: str, k: int | str) -> str:
        """The address of an entry."""
        return self.emit(f"getelementptr {type}, ptr {array}, i64 {k}")

    def load(self, type: str, array: str, k: int | str) -> str:
        """An entry."""
        return self.emit(f"load {type}, ptr {self.item(type, array, k)}")

    @contextmanager
    def loop(self, first: str, end: str, down: bool = False, step: int = 1) -> Iterator[str]:
        """A loop around what is written within: numbers from the first to before the end, or back from there."""
        start = self.emit(f"sub i64 {end}, 1") if down else first
        n, before = self.label(), self.block
        i, following = f"%{n}.i", f"%{n}.next"
        self.do(f"br label %{n}.head")
        self.do(f"{n}.head:")
        self.do(f"{i} = phi i64 [{start}, %{before}], [{following}, %{n}.latch]")
        more = self.emit(f"icmp {'sge' if down else 'slt'} i64 {i}, {first if down else end}")
        self.do(f"br i1 {more}, label %{n}.body, label %{n}.exit")
        self.do(f"{n}.body:")
        yield i
        self.do(f"br label %{n}.latch")
        self.do(f"{n}.latch:")
        self.do(f"{following} = add i64 {i}, {-step if down else step}")
        self.do(f"br label %{n}.head")
        self.do(f"{n}.exit:")

    def switch(self, which: str, cases: Sequence[int], write: Callable[[int], str]) -> str:
        """One of several cases, by a number; each writes itself and gives the name of a bit."""
        n = self.label()
        labels = " ".join(f"i64 {k}, label %{n}.case{k}" for k in cases)
        self.do(f"switch i64 {which}, label %{n}.case{cases[0]} [{labels}]")
        given = []
        for k in cases:
            self.do(f"{n}.case{k}:")
            bit = write(k)
            given.append(f"[{bit}, %{self.block}]")
            self.do(f"br label %{n}.after")
        self.do(f"{n}.after:")
        return self.emit(f"phi i1 {', '.join(given)}")

    @contextmanager
    def only_if(self, bit: str) -> Iterator[None]:
        """Emit the enclosed code under the condition that a bit is set."""
        n = self.label()
        self.do(f"br i1 {bit}, label %{n}.then, label %{n}.after")
        self.do(f"{n}.then:")
        yield
        self.do(f"br label %{n}.after")
        self.do(f"{n}.after:")


def definition(result: str, name: str, arguments: str) -> str:
    """The beginning of a function; ``single``, the code of one row, is called from outside its module."""
    return f"define {'' if name == 'single' else 'internal '}{result} @{name}({arguments})"


def module(declared: set[str], texts: Iterable[str], bits: int) -> str:
    """Return an LLVM module of functions, with vectors of at most ``bits`` bits."""
    return "\n".join(
        [
            *sorted(declared | {"declare ptr @malloc(i64)", "declare void @free(ptr)"}),
            *texts,
            f'attributes #0 = {{ noinline nounwind "prefer-vector-width"="{bits}" "min-legal-vector-width"="{bits}" }}',
            "attributes #1 = { noinline nounwind }",
            '!0 = !{!"branch_weights", i32 1, i32 100000}',
            '!1 = !{!"branch_weights", i32 100000, i32 1}',
        ]
    )
