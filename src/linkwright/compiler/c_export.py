"""Files of C source of programs."""

from __future__ import annotations

from pathlib import Path

from linkwright.bounds import truth
from linkwright.compiler.emit import c
from linkwright.compiler.ir.program import Program
from linkwright.compiler.precision import checked_precision, in_precision
from linkwright.errors import ArgumentError
from linkwright.files import write_text


def save_c(program: Program, path: str | Path, precision: str | None, prefix: str, static: bool, header: bool) -> Path:
    """Write the C source of a program, and its declaration to a header file; return the file of the source."""
    if precision is not None:
        program = in_precision(program, checked_precision(precision))
    if not isinstance(prefix, str) or (prefix and c.identifier(prefix) != prefix):
        raise ArgumentError(f"prefix is the beginning of a name in C: letters, digits and _; got {prefix!r}")
    static, header = truth("static", static), truth("header", header)
    if static and header:
        raise ArgumentError(
            "header=True declares the function for other files, which cannot call a static one (static=True); use one "
            "of both"
        )
    source, declaration = c.source(program, prefix, static)
    if header:
        file = Path(path).with_suffix(".h")
        source = source.replace("#include <math.h>\n", f'#include "{file.name}"\n\n#include <math.h>\n', 1)
        write_text(file, c.header(declaration, file.name), "header files", ".h")
    return write_text(path, source, "kernels", ".c")
