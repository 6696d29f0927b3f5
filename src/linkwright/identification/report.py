"""Results of identification as text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from linkwright.errors import counted

if TYPE_CHECKING:
    from linkwright.identification.identify import Identified

TOLD = 60
"""Characters of a combination of parameters; longer ones are shortened."""


def report(found: Identified, all_parameters: bool = True) -> str:
    """Return efforts, base parameters and, if requested, every parameter."""
    model, base = found.unknowns.model, found.base
    units = found.unknowns.units
    seen = Counter(found.seen)
    lines = [
        f"{model.name}: {counted(found.samples, 'sample')}, {counted(len(found.joints), 'effort')} each, read "
        f"{counted(base.passes, 'time')}",
        f"{len(base.values)} of {counted(found.structural, 'base parameter')} seen, condition number "
        f"{base.condition:.3g}",
        f"of {counted(len(found.names), 'parameter')} {seen['alone']} are seen alone, {seen['with others']} in sums "
        f"with others, {seen['no']} not at all: these are the prior's",
    ]
    if found.mended:
        lines.append(f"no body can be as the prior says, and was made a little thicker: {', '.join(found.mended)}")
    lines += ["", "efforts (N m, N): root mean squares, and what is left of them"]
    wild = bool(np.any(base.wild))
    heads = ["joint", "measured", "prior leaves", "found leaves", "noise", *["counted less"] * wild]
    rows = [
        [name, *(f"{x:.4g}" for x in values), *[f"{100.0 * share:.1f} %"] * wild]
        for name, *values, share in zip(
            found.joints, base.measured, found.rms_before, found.rms, base.sigma, base.wild, strict=True
        )
    ]
    lines += table(heads, rows)
    lines += ["", "base parameters, by least squares alone"]
    rows = [
        [f"{x:.5g}", f"{error:.2g}", unit, name if all_parameters else shortened(name)]
        for x, error, unit, name in zip(
            base.values,
            found.standard_errors,
            np.array(units)[base.plain.columns.chosen[base.kept]],
            found.base_names,
            strict=True,
        )
    ]
    lines += table(["value", "std. error", "unit", "combination"], rows, left=(2, 3))
    if all_parameters:
        lines += ["", "physically consistent parameters; share: part of the value determined by the measurements"]
        rows = [
            [name, f"{x:.5g}", f"{prior:.5g}", unit, f"{100.0 * share:.0f} %", seen]
            for name, x, prior, unit, share, seen in zip(
                found.names, found.parameters, found.prior, units, found.share, found.seen, strict=True
            )
        ]
        lines += table(["parameter", "value", "prior", "unit", "share", "seen"], rows, left=(0, 3, 5))
    return "\n".join(lines)


def table(heads: Sequence[str], rows: Sequence[Sequence[str]], left: Sequence[int] = (0,)) -> list[str]:
    """Lines with columns below each other, to the right but those of ``left``."""
    widths = [max(map(len, column)) for column in zip(heads, *rows, strict=True)]
    return [
        "  ".join(
            x.ljust(n) if k in left else x.rjust(n) for k, (x, n) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in (heads, *rows)
    ]


def shortened(name: str) -> str:
    """A combination that fits on a line."""
    return name if len(name) <= TOLD else name[: TOLD - 2].rsplit(" ", 2)[0] + " …"
