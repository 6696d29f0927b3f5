"""C99 for microcontrollers: functions that allocate nothing, their header, and a program that tests them."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from linkwright.compiler.emit.languages import C, real, statements
from linkwright.compiler.ir.program import ArraySpec
from linkwright.spatial.arrays import Array
from linkwright.symbolic.output.code import GeneratedFunction, ReferenceValues

TOLERANCE = 1e-12
"""Largest difference from the reference values in the test program, relative to 1 + the largest entry of the array."""


def _prototype(code: GeneratedFunction) -> str:
    arguments = [f"const double {_declared(slot)}" for slot in code.arguments]
    arguments += [f"double {_declared(slot)}" for slot in _results(code)]
    return f"void {code.name}({', '.join(arguments) or 'void'})"


def _results(code: GeneratedFunction) -> list[ArraySpec]:
    """The outputs that hold anything: C has no empty arrays."""
    return [slot for slot in code.outputs if slot.size]


def _declared(slot: ArraySpec) -> str:
    return f"{slot.name}[{slot.size}]" if slot.shape else slot.name


def _comment(code: GeneratedFunction) -> list[str]:
    text = ["/*", *(f" * {line}".rstrip() for line in code.header())]
    if any(len(slot.shape) == 2 for slot in code.outputs):
        text.append(" * Matrices are stored row by row.")
    return [*text, " */"]


def c_source(codes: Sequence[GeneratedFunction]) -> str:
    """Functions of C99 that allocate nothing and need <math.h> alone."""
    text = ["#include <math.h>", ""]
    for code in codes:
        lines, results, _ = statements(code.program, C)
        text += _comment(code)
        if code.values:
            numbers = ", ".join(real(value) for value in code.values.values())
            # declared before: C++ gives constants no name to others otherwise
            text += [
                f"extern const double {_parameters(code)};",
                f"const double {_parameters(code)} = {{{numbers}}};",
                "",
            ]
        text += [_prototype(code), "{", *lines]
        for slot, entries in zip(code.outputs, results, strict=True):
            text += [f"    {slot.name}[{k}] = {entry};" for k, entry in enumerate(entries)]
        text += [*(f"    (void){slot.name};" for slot in code.arguments), "}", ""]
    return "\n".join(text)


def _parameters(code: GeneratedFunction) -> str:
    return f"{code.name}_parameters[{len(code.values)}]"


def c_header(codes: Sequence[GeneratedFunction], name: str) -> str:
    """The prototypes, for C and C++."""
    guard = re.sub(r"\W", "_", name, flags=re.ASCII).upper() + "_H"
    text = [f"#ifndef {guard}", f"#define {guard}", "", "#ifdef __cplusplus", 'extern "C" {', "#endif", ""]
    for code in codes:
        text += _comment(code)
        if code.values:
            text += [f"/* the model's values of p */\nextern const double {_parameters(code)};"]
        text += [f"{_prototype(code)};", ""]
    return "\n".join([*text, "#ifdef __cplusplus", "}", "#endif", "", f"#endif /* {guard} */", ""])


_COMPARE = """
/* the largest difference of n numbers from their references, over 1 + the largest reference */
static double difference(const double *x, const double *reference, int n)
{
    double largest = 0.0, size = 0.0;
    int k;
    for (k = 0; k < n; k++) {
        const double error = fabs(x[k] - reference[k]);
        if (error > largest || error != error) largest = error; /* NaN stays */
        if (fabs(reference[k]) > size) size = fabs(reference[k]);
    }
    return largest / (1.0 + size);
}
"""


def test_program(codes: Sequence[GeneratedFunction], samples: Sequence[Sequence[ReferenceValues]]) -> str:
    """A program that calls the functions at samples of each and compares with the library's results.

    It prints the largest difference of every result and exits with 0 if all are within the tolerance, else 1.
    """
    if not any(_results(code) for code in codes):
        return "int main(void)\n{\n    return 0;\n}\n"
    text = ["#include <math.h>", "#include <stdio.h>", _COMPARE, "int main(void)", "{", "    int failed = 0;"]
    for code, own in zip(codes, samples, strict=True):
        names = [slot.name for slot in _results(code)]
        if not names:
            continue
        text += ["    {", f"        double worst[{len(names)}] = {{0.0}};"]
        for sample in own:
            text.append("        {")
            arguments = []
            for slot, x in zip(code.arguments, sample.arguments, strict=True):
                text.append(f"            {_array(slot, x)}")
                arguments.append(slot.name)
            for slot, reference in zip(_results(code), sample.results, strict=True):
                text.append(f"            double {_declared(slot)};")
                text.append(f"            {_array(slot._replace(name=f'{slot.name}_reference'), reference)}")
            text += ["            double found;", f"            {code.name}({', '.join([*arguments, *names])});"]
            for k, slot in enumerate(_results(code)):
                text.append(f"            found = difference({slot.name}, {slot.name}_reference, {slot.size});")
                text.append(f"            if (found > worst[{k}] || found != found) worst[{k}] = found;")
            text.append("        }")
        for k, name in enumerate(names):
            shown = f"{code.name}: {name} differs by %.2g from the library in {len(own)} states"
            text.append(f'        printf("{shown}\\n", worst[{k}]);')
            text.append(f"        if (!(worst[{k}] <= {TOLERANCE!r})) failed = 1;")
        text.append("    }")
    return "\n".join([*text, "    return failed;", "}", ""])


def _array(slot: ArraySpec, x: Array) -> str:
    numbers = ", ".join(real(float(value)) for value in np.ravel(x))
    return f"const double {_declared(slot)} = {f'{{{numbers}}}' if slot.shape else numbers};"
