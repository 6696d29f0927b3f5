"""``linkwright convert``: a robot from one format to another."""

from __future__ import annotations

from pathlib import Path

from linkwright.cli.app import Root, app, load_robot
from linkwright.cli.shell.values import Robot
from linkwright.cli.told import terminal


@app.command
def convert(robot: Robot, file: Path, /, *, root: Root = "fixed") -> None:
    """Write a robot in another format: URDF (.urdf), MJCF (.xml, .mjcf), SDF (.sdf) or ZTK (.ztk), by
    the ending of FILE.

    What the format cannot say is told.

    Example: ``linkwright convert arm4 arm4.urdf``

    Parameters
    ----------
    robot
        A robot file (.urdf, .xacro, .xml, .sdf, .ztk), an installed robot or a built-in mechanism.
    file
        The file to write.
    """
    model = load_robot(robot, root)
    model.save(file)
    terminal.output.print(f"  {file}", soft_wrap=True)
