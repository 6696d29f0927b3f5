"""The first calls of kernels are interpreted: most functions are compared a few times only.

Compilation takes as long as ten to thirty calls of the interpreter. `tests/compiler/test_back_ends.py` holds that the
book, the interpreter and machine code have the same results, on every joint type.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from linkwright.compiler.ir.interpreter import interpret_call
from linkwright.compiler.ir.program import Program
from linkwright.compiler.kernel import Kernel
from linkwright.compiler.native.threads import rows_of

FEW_CALLS = 8
"""Calls that are interpreted."""
MOST_NUMBERS = 4_000_000
"""Instructions times rows of the largest batch that is interpreted, since all intermediate results are kept."""


def has_loops(program: Program) -> bool:
    """Return whether a program repeats steps, which its interpreter does slowly."""
    return any(instruction.op == "repeat" for instruction in program.instructions)


class InterpretedKernel(Kernel):
    """A kernel of straight-line code that becomes an ordinary one after a few calls."""

    interpreted_calls = 0

    def __call__(self, *arrays: Any, out: Any = None, **named: Any) -> Any:
        return self._any(self._in_order(arrays, named) if named else arrays, out)

    def _call(self, *arrays: Any, out: Any = None) -> Any:
        assert isinstance(self.program, Program)
        rows = math.prod(rows_of(arrays, self._dims) or (1,))
        if self.interpreted_calls == FEW_CALLS or rows * self.program.length > MOST_NUMBERS:
            self.__class__ = Kernel
            return self._call(*arrays, out=out)
        self.interpreted_calls += 1
        return interpret_call(self.program, *arrays, out=out)


@contextmanager
def first_calls_interpreted() -> Iterator[None]:
    """Interpret the first calls of all kernels of straight-line code that are created meanwhile."""
    made = Kernel.__init__

    def make_interpreted(self: Kernel, program: Any, *options: Any, **named: Any) -> None:
        made(self, program, *options, **named)
        if type(self) is Kernel and isinstance(program, Program) and not has_loops(program):
            self.__class__ = InterpretedKernel

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Kernel, "__init__", make_interpreted)
        yield
