"""A program as C99: self-contained, no allocation, one function."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from linkwright.compiler.emit.repetition import needed_for
from linkwright.compiler.ir.formats import FORMATS, NumberFormat
from linkwright.compiler.ir.program import ROWS, Each, Program, Steps
from linkwright.expression.operations import HELD

ON_STACK = 4096
"""Numbers that may lie on the stack; for more the caller gives memory."""

_INFIX = {"add": "+", "sub": "-", "mul": "*", "div": "/"}
_READING = ("input", "array")
"""Operations that read arguments of the function."""
_CALL = {"sqrt": "sqrt", "abs": "fabs", "round": "rint"}

_TAKEN = """
    auto break case char const continue default do double else enum extern float for goto if inline int long
    register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while
    alignas alignof and asm bitand bitor bool catch class compl concept const_cast constexpr decltype delete
    dynamic_cast explicit export false friend mutable namespace new noexcept not nullptr operator or private protected
    public reinterpret_cast requires static_assert static_cast template this thread_local throw true try typeid typename
    using virtual wchar_t xor main NAN INFINITY HUGE_VAL
    abs acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh drem erf erfc exp exp2 expm1 fabs fdim finite
    floor fma fmax fmin fmod frexp gamma hypot ilogb isfinite isinf isnan isnormal j0 j1 jn ldexp lgamma llrint
    llround log log10 log1p log2 logb lrint lround modf nan nearbyint nextafter nexttoward pow remainder remquo
    rint round scalb scalbln scalbn signbit signgam significand sin sinh sqrt tan tanh tgamma trunc y0 y1 yn
"""
RESERVED = frozenset(_TAKEN.split())
"""Names that C, C++ and math.h have taken; so have v0, v1, … for values, s0, n0, k0, kept0, … of repetitions and t0,
i0, j0, … of tables."""


def identifier(name: str) -> str:
    """A name as C allows it: Greek letters by their names, other letters without accents."""
    cleaned = re.sub(r"\W", "_", "".join(map(_in_ascii, name)), flags=re.ASCII)
    if not name.isascii() and not cleaned.strip("_"):  # letters of other scripts
        return "x"
    return f"_{cleaned}" if not cleaned or cleaned[0].isdigit() else cleaned


def _in_ascii(letter: str) -> str:
    """Return a letter in ASCII: alpha for α, Theta for Θ, e for é, x_dot for ẋ, 1 for ₁; _ if there is none."""
    if letter.isascii():
        return letter
    if greek := re.match(r"GREEK (SMALL|CAPITAL) LETTER (?:FINAL )?(\w+)", unicodedata.name(letter, "")):
        word = _SPELLED.get(greek[2], greek[2].lower())
        return word.capitalize() if greek[1] == "CAPITAL" else word
    if unicodedata.combining(letter):
        return "_dot" if letter == "\u0307" else ""
    plain = unicodedata.normalize("NFKD", letter)
    return "_" if plain == letter else "".join(map(_in_ascii, plain))


_SPELLED = {"LAMDA": "lambda"}
"""Greek letters whose names in Unicode have another spelling."""


def _distinct(names: Iterable[str], suffix: str) -> list[str]:
    """The names as C allows them, no two alike; ``suffix``: of the library's functions."""
    taken = set(RESERVED) | {f"{name}{suffix}" for name in RESERVED}
    found = []
    for name in names:
        cleaned = identifier(name)
        while cleaned in taken or re.fullmatch(r"(v|s|n|k|kept|row|t|i|j)\d+(_\d+)?|after|i", cleaned):
            cleaned += "_"
        taken.add(cleaned)
        found.append(cleaned)
    return found


def source(program: Program, prefix: str = "", static: bool = False) -> tuple[str, str]:
    """Return the C source of a program, and the declaration of its function.

    The function is ``void name(const double q[7], …, double result[49])``, or with ``float``, as the precision of the
    program says. Matrices are stored row by row. Intermediate values that are too large for the stack are in an
    additional array. ``prefix``: of the function's name; ``static``: whether only its own file can call it.
    """
    slots, form = (*program.inputs, *program.outputs), FORMATS[program.precision]
    named = [f"{prefix}{program.name}", *(slot.name for slot in slots), "work"]
    function, *names, work = _distinct(named, form.c_suffix)
    inputs, outputs = names[: len(program.inputs)], names[len(program.inputs) :]
    arguments = [
        *(f"const {form.scalar} {n}[{slot.size}]" for n, slot in zip(inputs, program.inputs, strict=True)),
        *(f"{form.scalar} {n}[{slot.size}]" for n, slot in zip(outputs, program.outputs, strict=True)),
    ]
    shapes = "\n".join(f" *   {name}: {list(slot.shape)}" for name, slot in zip(names, slots, strict=True))
    writer = _CEmitter(inputs, work, form)
    given = [
        [f"{name}[{entry}]" for entry in range(slot.size)] for name, slot in zip(inputs, program.inputs, strict=True)
    ]
    tables = {number: outputs[number] for number in program.tables}
    writer.write(program, given, tables=tables)
    if writer.lent:
        arguments.append(f"{form.scalar} {work}[{writer.lent}]")
        shapes += f"\n *   {work}: memory for intermediate values, {writer.lent} numbers, of any value"
    comment = f"/* {function}: {program.operations}.\n * Arguments, arrays stored row by row:\n{shapes}\n */"
    declaration = f"{'static ' if static else ''}void {function}({', '.join(arguments)})"
    read = {args[0] if op == "input" else value[0] for op, args, value in program.instructions if op in _READING}
    lines = [
        comment,
        "#include <math.h>",
        "",
        declaration,
        "{",
        *(f"    (void){name};" for number, name in enumerate(inputs) if number not in read),
        *writer.lines,
    ]
    for number, (name, numbers) in enumerate(zip(outputs, program.results, strict=True)):
        if number in tables:
            continue
        for first, value in program.in_rows.get(number, ()):
            row, place = writer.places[writer.values[value]], f"{first} + i" if first else "i"
            lines += ["    {", "        int i;", f"        for (i = 0; i < {program.sizes[value]}; ++i)"]
            lines += [f"            {name}[{place}] = {row.entry('i')};", "    }"]
        entries = (entry for loose in program.loose(number) for entry in loose)
        lines += [f"    {name}[{entry}] = {writer.values[numbers[entry]]};" for entry in entries]
    lines += ["}", ""]
    return "\n".join(lines), f"{comment}\n{declaration};\n"


def header(declaration: str, name: str) -> str:
    """Return a header file, for C and C++, with a declaration; ``name``: of the file."""
    guard = re.sub(r"\W", "_", name, flags=re.ASCII).upper()
    guard = f"H_{guard}" if not guard[0].isalpha() else guard  # other names are the implementation's
    opening, closing = (f"#ifdef __cplusplus\n{brace}\n#endif\n" for brace in ('extern "C" {', "}"))
    return f"#ifndef {guard}\n#define {guard}\n\n{opening}\n{declaration}\n{closing}\n#endif\n"


class _ArrayView(NamedTuple):
    """Memory of a row of numbers."""

    array: str
    first: int
    step: int

    def entry(self, place: str) -> str:
        """One of its entries."""
        if place.isdecimal():
            return f"{self.array}[{self.first + self.step * int(place)}]"
        place = f"({place})" if self.step != 1 else place
        return f"{self.array}[{f'{self.first} + ' if self.first else ''}{place}{f' * {self.step}' * (self.step != 1)}]"


class _CEmitter:
    """The statements of a program; repetitions are loops in it."""

    def __init__(self, arrays: list[str], work: str, form: NumberFormat) -> None:
        self.lines: list[str] = []
        self.values: list[str] = []
        self.loops = 0
        self.arrays = arrays
        self.form, self.real = form, form.scalar
        self.zero, self.one = self.number(0.0), self.number(1.0)
        self.work, self.lent = work, 0
        self.kept: dict[str, list[int]] = {}  # of repetitions, the states of which records are read
        self.places: dict[str, _ArrayView] = {}  # of rows of numbers

    def write(
        self,
        program: Program,
        inputs: list[list[str]],
        prefix: str = "v",
        indent: str = "    ",
        tables: Mapping[int, str] = MappingProxyType({}),
        some: Iterable[int] | None = None,
    ) -> None:
        """Write the instructions (or some of them); ``tables``: the arrays of results that repetitions fill."""
        if some is None:
            self.values = [""] * len(program.instructions)
        for k in range(len(program.instructions)) if some is None else some:
            op, args, value = program.instructions[k]
            if op == "constant":
                self.values[k] = self.number(value)
            elif op == "repeat":
                given = [self.values[a] for a in args]
                kept = {number: name for number, name in tables.items() if program.tables[number][0] == k}
                self.values[k] = self._repeat(program, value, given, indent, kept)
            elif op == "item":
                self.values[k] = self._item(program, args[0], value) if k not in program.in_tables else ""
            elif op == "array":
                self.values[k] = self._placed(_ArrayView(self.arrays[value[0]], value[1], 1))
            elif op == "input" and inputs[args[0]][args[1]] in self.places:
                self.values[k] = inputs[args[0]][args[1]]
            elif op in ROWS and op != "take":
                self.values[k] = self._row(program, op, args, value, indent)
            else:
                # inputs are read before anything is written, so that an output may be an input
                if op == "input":
                    expression = inputs[args[0]][args[1]]
                elif op == "take":
                    place = self.values[args[1]]
                    entry = self.places[self.values[args[0]]].entry(f"(long){place}")
                    expression = f"({place} == {place}) ? {entry} : NAN"
                else:
                    expression = self._expression(op, [self.values[a] for a in args])
                self.lines.append(f"{indent}const {self.real} {prefix}{k} = {expression};")
                self.values[k] = f"{prefix}{k}"

    def _item(self, program: Program, repetition: int, which: int) -> str:
        name = self.values[repetition]
        if name in self.places:
            return self.places[name].entry(str(which))
        steps: Steps = program.instructions[repetition].value
        if which < steps.size:
            given = self.values[program.instructions[repetition].args[which]]
            return given if given in self.places else f"s{name}[{which}]"
        if which == steps.size:
            return f"n{name}" if steps.stops else self.number(float(steps.count))
        row, column = divmod(which - steps.size - 1, steps.size)
        return self._record(name, column, steps.size).entry(str(row))

    def _record(self, name: str, column: int, size: int) -> _ArrayView:
        """Store a state in its row."""
        columns = self.kept[name]
        return _ArrayView(f"kept{name}", columns.index(column), len(columns))

    def _memory(self, name: str, size: int, indent: str, zero: bool = False) -> None:
        """An array, on the stack or, where it is large, of what the caller lent."""
        if size <= ON_STACK:
            self.lines.append(f"{indent}{self.real} {name}[{size}]{f' = {{{self.zero}}}' if zero else ''};")
            return
        self.lines.append(f"{indent}{self.real} *const {name} = {self.work}{f' + {self.lent}' if self.lent else ''};")
        self.lent += size
        if zero:
            self.loops += 1
            place = f"i{self.loops}"
            self.lines += [f"{indent}int {place};", f"{indent}for ({place} = 0; {place} < {size}; ++{place})"]
            self.lines.append(f"{indent}    {name}[{place}] = {self.zero};")

    def _repeat(self, around: Program, steps: Steps, given: list[str], indent: str, kept: Mapping[int, str]) -> str:
        """Emit a loop with states ``s…`` and the number of steps ``n…``; return its number."""
        self.loops += 1
        name, program, size = str(self.loops), steps.program, steps.size
        rows = [x in self.places for x in given[:size]]
        state = [x if row else f"s{name}[{i}]" for i, (x, row) in enumerate(zip(given[:size], rows, strict=True))]
        start = ", ".join(self.zero if row else x for x, row in zip(given[:size], rows, strict=True))
        lines, inner, deeper = self.lines, indent + "    ", indent + "        "
        lines.append(f"{indent}{self.real} s{name}[{size}] = {{{start}}};")
        if steps.stops:
            lines.append(f"{indent}{self.real} n{name} = {self.zero};")
        own = self.kept[name] = self._read(around, steps)
        if own:
            self._memory(f"kept{name}", steps.rows * len(own), indent)
        lines.append(f"{indent}int k{name};")
        lines.append(f"{indent}for (k{name} = 0; k{name} < {steps.count}; ++k{name}) {{")
        outer = self.values
        self.values = [""] * len(program.instructions)
        inputs = [[f"({self.real})k{name}"], state, given[size:]]
        rest = list(range(len(program.instructions)))
        if steps.stops:
            first = needed_for(program, program.results[1][0])
            self.write(program, inputs, f"v{name}_", inner, some=first)
            lines.append(f"{inner}if ({self.values[program.results[1][0]]} != {self.zero}) break;")
            rest = [k for k in rest if k not in set(first)]
        self.write(program, inputs, f"v{name}_", inner, some=rest)
        after, self.values = [self.values[k] for k in program.results[0]], outer
        # a state may be what another becomes
        lines.append(f"{inner}{{")
        after = [self.zero if row else x for x, row in zip(after, rows, strict=True)]
        lines.append(f"{deeper}const {self.real} after[{size}] = {{{', '.join(after)}}};")
        lines += [f"{deeper}s{name}[{i}] = after[{i}];" for i in range(size)]
        lines.append(f"{inner}}}")
        if steps.stops:
            lines.append(f"{inner}n{name} += {self.one};")

        def keep(row: str, indent: str) -> list[str]:
            places = [f"{indent}{self._record(name, i, size).entry(row)} = s{name}[{i}];" for i in own]
            for number, array in kept.items():
                columns, first = around.outputs[number].size // steps.rows, around.tables[number][1]
                places += [
                    f"{indent}{array}[({row}) * {columns} + {i}] = s{name}[{first + i}];" for i in range(columns)
                ]
            return places

        if own or kept:
            lines.append(f"{inner}if (k{name} % {steps.keep} == {steps.keep - 1}) {{")
            lines += [*keep(f"k{name} / {steps.keep}", deeper), f"{inner}}}"]
        lines.append(f"{indent}}}")
        if (own or kept) and steps.stops:
            lines.append(f"{indent}for (k{name} /= {steps.keep}; k{name} < {steps.rows}; ++k{name}) {{")
            lines += [*keep(f"k{name}", inner), f"{indent}}}"]
        return name

    def _placed(self, place: _ArrayView) -> str:
        """A name for a row."""
        name = f"row{len(self.places)}"
        self.places[name] = place
        return name

    def _row(self, program: Program, op: str, args: tuple[int, ...], value: Any, indent: str) -> str:
        """A row of numbers, by the name it has in ``places``."""
        x, lines, inner = [self.values[a] for a in args], self.lines, indent + "    "
        if op == "part":
            row = self.places[x[0]]
            return self._placed(_ArrayView(row.array, row.first + row.step * value.first, row.step * value.step))
        if op == "kept":
            return self._placed(self._record(x[0], value, program.instructions[args[0]].value.size))
        if op == "put":
            lines.append(f"{indent}{self.places[x[0]].entry(f'(long)({x[1]})')} = {x[2]};")
            return x[0]
        if op == "added":
            entry = self.places[x[0]].entry(f"({x[1]} == {x[1]}) ? (long)({x[1]}) : 0")
            lines.append(f"{indent}{entry} += ({x[1]} == {x[1]}) ? {x[2]} : NAN;")
            return x[0]
        if op == "each":
            return self._each(value, x, indent)
        self.loops += 1
        n = str(self.loops)
        name, i, j = f"t{n}", f"i{n}", f"j{n}"
        if op in ("numbers", "table"):
            entries = [self.number(one) for one in value.entries.tolist()] if op == "numbers" else x
            kind = f"{'static ' if op == 'numbers' else ''}const {self.real}"
            lines.append(f"{indent}{kind} {name}[{len(entries)}] = {{{', '.join(entries)}}};")
            return self._placed(_ArrayView(name, 0, 1))
        if op in ("zeros", "room"):
            self._memory(name, value, indent, zero=op == "zeros")
            return self._placed(_ArrayView(name, 0, 1))
        matrix = self.places[x[0]].entry(f"{value.first} + {i} * {value.down} + {j} * {value.right}")
        last = self.places[x[-1]].entry(j)
        lines.append(f"{indent}int {i}, {j};")
        if op == "product":
            self._memory(name, value.height, indent, zero=True)
        lines.append(f"{indent}for ({i} = 0; {i} < {value.height}; ++{i})")
        lines.append(f"{inner}for ({j} = 0; {j} < {value.width}; ++{j})")
        if op == "product":
            lines.append(f"{inner}    {name}[{i}] += {matrix} * {last};")
            return self._placed(_ArrayView(name, 0, 1))
        lines.append(f"{inner}    {matrix} += {self.places[x[1]].entry(i)} * {last};")
        return x[0]

    def _each(self, each: Each, given: list[str], indent: str) -> str:
        """A row of entries that are alike, in a loop."""
        self.loops += 1
        name, i, inner = f"t{self.loops}", f"i{self.loops}", indent + "    "
        self._memory(name, each.size, indent)
        self.lines += [f"{indent}int {i};", f"{indent}for ({i} = 0; {i} < {each.size}; ++{i}) {{"]
        around, entries = self.values, [self.places[row].entry(i) for row in given[: each.rows]]
        self.write(each.program, [entries, given[each.rows :]], f"v{self.loops}_", inner)
        result, self.values = self.values[each.program.results[0][0]], around
        self.lines += [f"{inner}{name}[{i}] = {result};", f"{indent}}}"]
        return self._placed(_ArrayView(name, 0, 1))

    @staticmethod
    def _read(around: Program, steps: Steps) -> list[int]:
        """The states that are kept for others than results that are tables of them."""
        found = set[int]()
        for k, (op, args, which) in enumerate(around.instructions):
            if op == "kept" and around.instructions[args[0]].value is steps:
                found.add(which)
            elif op == "item" and around.instructions[args[0]].value is steps and k not in around.in_tables:
                found.update([(which - steps.size - 1) % steps.size] if which > steps.size else ())
        return sorted(found)

    def _expression(self, op: str, x: list[str]) -> str:
        zero, one = self.zero, self.one
        if op in _INFIX:
            return f"{x[0]} {_INFIX[op]} {x[1]}"
        if op in HELD:
            return x[0]
        if op == "neg":
            return f"-{x[0]}"
        if op in ("less", "less_equal"):
            return f"({x[0]} {'<' if op == 'less' else '<='} {x[1]}) ? {one} : {zero}"
        if op == "where":
            return f"({x[0]} != {zero}) ? {x[1]} : {x[2]}"
        if op in ("min", "max"):  # NaN if either is, unlike fmin and fmax
            return f"({x[0]} {'<' if op == 'min' else '>'} {x[1]} || {x[0]} != {x[0]}) ? {x[0]} : {x[1]}"
        if op == "sign":
            return f"({x[0]} > {zero}) ? {one} : (({x[0]} < {zero}) ? -{one} : {x[0]})"
        if op == "inverse_root":
            return f"{one} / sqrt{self.form.c_suffix}({x[0]})"
        return f"{_CALL.get(op, op)}{self.form.c_suffix}({', '.join(x)})"

    def number(self, value: float) -> str:
        """A number as C writes it, exactly."""
        if value != value:
            return "NAN"
        if value in (float("inf"), float("-inf")):
            return "INFINITY" if value > 0 else "(-INFINITY)"
        shortest = str(self.form.dtype.type(self.form.rounded(value)))  # that is read as the same number
        text = f"{shortest}{self.form.c_suffix}"
        return text if value >= 0 else f"({text})"
