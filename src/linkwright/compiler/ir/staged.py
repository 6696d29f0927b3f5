"""Programs of stages: straight-line bodies of code, each mapped over the rows of a table.

A *body* is a program between *spaces*: its inputs are places in them, and so is where its results go. Spaces are what
links of a mechanism remember, constant data, arguments, results, what joins hand each other. A *stage* runs bodies over
the rows of a table, which say which body it is and where its spaces begin. Sweeps over the links of a mechanism,
joins of an assembly are schedules of this one thing; straight lines are one body, run once.
"""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from functools import cached_property
from typing import Any, NamedTuple

from linkwright.compiler.ir.program import ROWS, ArraySpec, Instruction, Operations, Program, written_call
from linkwright.errors import TooLargeError
from linkwright.expression.graph import Expr

Place = tuple[int, ...]
"""Source of a read: a space, an entry and, for rows with several members, the member."""


class Write(NamedTuple):
    """Destination of a result."""

    space: int
    entry: int
    member: int = 0
    add: bool = False
    """to what is there"""


class Fragment(NamedTuple):
    """Straight-line code between spaces."""

    program: Program
    """its inputs are places; its only result is the row of all that is written"""
    writes: tuple[Write, ...]
    """where each of these goes"""

    @property
    def idle(self) -> bool:
        """Whether it has no instructions."""
        return not self.writes


def fragment_of(
    name: str, order: Iterable[Expr], read: Callable[[Expr], Place | None], results: Iterable[tuple[Write, Expr]]
) -> Fragment:
    """Return the fragment that computes expressions in dependency order, and writes results.

    ``read`` returns the position of an expression that is read, when it is first needed or reached in ``order``.
    """
    instructions: list[Instruction] = []
    numbers: dict[int, int] = {}

    def value(node: Expr) -> int:
        if node.index not in numbers:
            if node.value is not None:
                instruction = Instruction("constant", (), node.value)
            elif (place := read(node)) is not None:
                instruction = Instruction("input", place)
            else:
                assert node.op != "symbol", node
                if node.op in ROWS:
                    raise TooLargeError("loops over bodies have no tables, such as those of many contacts")
                instruction = Instruction(node.op, tuple(value(a) for a in node.args))
            numbers[node.index] = len(instructions)
            instructions.append(instruction)
        return numbers[node.index]

    for node in order:
        value(node)
    given = [(write, value(node)) for write, node in results]
    del value  # it refers to itself, and what it refers to would wait for the garbage collector
    slot = ArraySpec("written", (len(given),))
    program = Program(name, (), (slot,), tuple(instructions), (tuple(number for _, number in given),), True)
    return Fragment(program, tuple(write for write, _ in given))


class Staged(ABC):
    """A program of several bodies in stages."""

    name: str
    inputs: tuple[ArraySpec, ...]
    outputs: tuple[ArraySpec, ...]
    single: bool
    algorithm: Any = None
    precision: str = "double"

    @property
    @abstractmethod
    def form(self) -> str:
        """Description in words."""

    @abstractmethod
    def bodies_and_times(self) -> list[tuple[Fragment, int]]:
        """Return all bodies, and how often each runs in one evaluation."""

    @abstractmethod
    def arrangement(self) -> Any:
        """Data that determine the code in addition to the fragments; their text is hashed."""

    @abstractmethod
    def width(self, lanes: int) -> int:
        """Return the number of rows that run simultaneously for registers of ``lanes`` lanes."""

    @abstractmethod
    def text(self, target: Any, width: int) -> str:
        """Return the LLVM module for a target and a number of simultaneous rows."""

    @abstractmethod
    def tables(self) -> tuple[dict[str, int], Any]:
        """Return the addresses that the code refers to, and what must live as long as it."""

    def __repr__(self) -> str:
        return f"<{written_call(self)} as {self.form}: {self.operations}>"

    @cached_property
    def operations(self) -> Operations:
        """The operations of one evaluation."""
        total = [0] * len(Operations._fields)
        for body, times in self.bodies_and_times():
            total = [a + b * times for a, b in zip(total, body.program.operations, strict=True)]
        return Operations(*total)

    @cached_property
    def digest(self) -> str:
        """A hash of everything that decides the code."""
        bodies = [(body.program.digest, body.writes) for body, _ in self.bodies_and_times()]
        parts = (self.name, self.inputs, self.outputs, self.single, bodies, self.arrangement())
        return hashlib.sha256(repr(parts).encode()).hexdigest()
