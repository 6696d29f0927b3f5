"""``linkwright check``: problems of a robot file."""

from __future__ import annotations

import sys
from collections import Counter
from typing import Annotated

from cyclopts import Parameter
from rich.text import Text

from linkwright.cli.app import STANDARD_INPUT, Root, app, standard_input
from linkwright.cli.output import terminal
from linkwright.cli.shell.values import Robot
from linkwright.errors import counted

STYLES = {"error": "bold red", "warning": "yellow", "note": "cyan"}

WITH_WARNINGS, WITH_ERRORS = 1, 2
"""Exit status: of warnings with --strict, and of errors."""


@app.command
def check(
    robot: Robot,
    /,
    *,
    strict: Annotated[bool, Parameter(negative="")] = False,
    notes: bool = True,
    root: Root = "fixed",
) -> None:
    """Check a robot file: schema, topology, inertia, limits, units, meshes and overlap of collision shapes.

    Each line is a finding: position, severity (error, warning or note), message and rule. The exit status is 2 with
    errors, 1 with warnings and --strict, otherwise 0.

    Example: ``linkwright check arm7``

    Parameters
    ----------
    robot
        Robot file (.urdf, .xacro, .xml, .sdf, .ztk), installed robot, built-in mechanism, or - (standard input).
    strict
        Exit with status 1 if there are warnings and no errors.
    notes
        List notes, too.
    """
    from linkwright.robot_check.check import check_robot
    from linkwright.robot_check.finding import SEVERITIES

    with terminal.errors.status(Text(f"checking {robot}")):
        source = standard_input() if robot == STANDARD_INPUT else robot
        checked = check_robot(source, None if root == "fixed" else root)
    for finding in checked.findings:
        if notes or finding.severity != "note":
            place = finding.place or robot
            line = Text.assemble(
                f"{place}: ", (f"{finding.severity}: ", STYLES[finding.severity]), f"{finding.message} [{finding.rule}]"
            )
            terminal.output.print(line, soft_wrap=True)
    count = Counter(finding.severity for finding in checked.findings)
    parts = [counted(count[severity], severity) for severity in SEVERITIES if count[severity]]
    name = "the file cannot be read" if checked.model is None else checked.model.name
    terminal.output.print(f"{name}: {', '.join(parts) or 'no findings'}", soft_wrap=True)
    if count["error"]:
        sys.exit(WITH_ERRORS)
    if strict and count["warning"]:
        sys.exit(WITH_WARNINGS)
