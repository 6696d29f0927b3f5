"""``linkwright convert``: convert a robot file to another format."""

from __future__ import annotations

from pathlib import Path

from linkwright.cli.app import Root, Verbose, app, load_robot
from linkwright.cli.output import terminal
from linkwright.cli.shell.values import Robot


@app.command
def convert(robot: Robot, file: Path, /, *, root: Root = "fixed", verbose: Verbose = False) -> None:
    """Convert a robot to URDF (.urdf), MJCF (.xml, .mjcf), SDF (.sdf) or ZTK (.ztk).

    The suffix of FILE selects the format. A note lists everything that the format cannot represent.

    Example: ``linkwright convert arm4 arm4.urdf``

    Parameters
    ----------
    robot
        Robot file (.urdf, .xacro, .xml, .sdf, .ztk), installed robot, or built-in mechanism.
    file
        File to write.
    """
    model = load_robot(robot, root, verbose)
    model.save(file)
    terminal.output.print(f"  {file}", soft_wrap=True)
