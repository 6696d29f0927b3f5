"""``linkwright compare``: equations of a text and the equations of motion of a mechanism."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Literal

from rich.text import Text

from linkwright.cli.app import STANDARD_INPUT, Root, Verbose, app, load_robot
from linkwright.cli.input.arguments import meanings, named_parameters
from linkwright.cli.output import terminal
from linkwright.cli.shell.values import Robot
from linkwright.errors import FormatError, InputError, counted

DIFFERENT = 1
"""Exit status if an equation differs."""


@app.command
def compare(
    robot: Robot,
    file: Path | None = None,
    /,
    *,
    names: str = "",
    terms: str = "M,h,g",
    frame: str | None = None,
    reference_frame: Literal["world_aligned", "body", "world"] = "world_aligned",
    parameters: str = "symbols",
    coordinates: str = "",
    angle_tolerance: float = 1e-5,
    root: Root = "fixed",
    verbose: Verbose = False,
) -> None:
    """Compare equations of a paper or program with the equations of motion of a mechanism.

    Each equation is proved equal, or its differing terms are listed. The text may be written as in a paper (θ̇₁²,
    LaTeX), in Python, MATLAB, C, Fortran or Maxima; it is parsed and never executed. The exit status is 0 if all are
    equal, 1 if one differs, 2 if the text cannot be read.

    Example: ``linkwright compare two_link paper.txt``

    Parameters
    ----------
    robot
        Robot file (.urdf, .xacro, .xml, .sdf, .ztk), installed robot, or built-in mechanism.
    file
        Text file with equations: "M[1,2] = …", "h2 = …", "M = [[…]]", "tau1 = …". Default: the standard input.
    names
        Meaning of other names in the text: "a1=l1,J=I1 + m1*lg1^2".
    terms
        Terms of an equation of motion: M, h, g and optionally D (friction) and K (springs).
    frame
        Frame of poses (T), Jacobians (J, J_dot) and twists (V) in the text.
    reference_frame
        Reference frame of the Jacobian and the twist: frame origin in world axes (world_aligned), frame itself (body),
        or world origin (world).
    parameters
        Masses, lengths and inertias as "symbols" or "numbers", or by group and name: "geometry=numbers,l1=0.5".
        Groups: geometry, inertial, gravity, passive.
    coordinates
        Change of coordinates: new ones as functions of the old ones, "phi1=theta1,phi2=theta1+theta2", or old ones as
        functions of new ones, "d1=r*cos(phi),d2=r*sin(phi)".
    angle_tolerance
        Angles of the file this close to a multiple of π/12 are rounded to it, rad.
    """
    from linkwright.symbolic import equations

    if file is None and robot == STANDARD_INPUT:
        raise InputError(
            "robot and equations cannot both be the standard input: give a file of one of them, "
            "linkwright compare - paper.txt or linkwright compare robot.urdf"
        )
    text = _text(file)
    model = load_robot(robot, root, verbose)
    with terminal.errors.status("comparing the equations"):
        derived = equations(model, named_parameters(parameters), angle_tolerance=angle_tolerance)
        if coordinates:
            derived = derived.in_coordinates(meanings(coordinates, "coordinates"))
        known = meanings(names, "names") if names else {}
        compared = derived.same_as(text, None, terms, frame, reference_frame, known)
    different = {(one.place, one.line): one for one in compared.differences}
    for place, line in zip(compared.compared, compared.lines, strict=True):
        found = different.get((place, line))
        said = ("different", "bold red") if found else ("equal", "green")
        terminal.output.print(Text.assemble(f"line {line}: {place}: ", said), soft_wrap=True)
        for term in found.terms if found else ():
            terminal.output.print(f"    {term.text}", markup=False, soft_wrap=True)
        if found and not found.terms:
            terminal.output.print(f"    given - derived: {found.text}", markup=False, soft_wrap=True)
    count = len(compared.compared)
    equal = count - len(different)
    parts = [f"{counted(count, 'equation')}: {equal} proved equal, {len(different)} different"]
    if compared.defined:
        parts.append(f"names defined by the text: {', '.join(compared.defined)}")
    if compared.abbreviations:
        parts.append(f"read as {', '.join(compared.abbreviations)}")
    if compared.left_out:
        parts.append(f"not compared: {'line' if len(compared.left_out) == 1 else 'lines'} ")
        parts[-1] += ", ".join(map(str, compared.left_out))
    terminal.output.print("; ".join(parts), markup=False, soft_wrap=True)
    if different:
        sys.exit(DIFFERENT)


def _text(file: Path | None) -> str:
    """Return the text of a file, or of the standard input."""
    from linkwright.symbolic.derivation.given.statements import MOST_LETTERS

    if file is None:
        if sys.stdin is None or sys.stdin.isatty():
            raise InputError("there are no equations: give a text file, or pipe a text into the standard input")
        data = sys.stdin.buffer.read(4 * MOST_LETTERS + 1)
    else:
        with open(file, "rb") as stream:
            data = stream.read(4 * MOST_LETTERS + 1)
    name = "the standard input" if file is None else f"{str(file)!r}"
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise FormatError(f"{name} is not UTF-8 text; expected a text with equations") from None
