"""``linkwright studio``: a robot in the browser."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from rich.text import Text

from linkwright.cli.app import DEMONSTRATION, Root, Verbose, Whole, app, load_robot
from linkwright.cli.input.arguments import starting_posture
from linkwright.cli.output import terminal
from linkwright.cli.shell.values import RobotOrNone
from linkwright.errors import InputError
from linkwright.plugins import plugins

if TYPE_CHECKING:
    from linkwright.browser.page import Studio

    Page = str
else:
    Page = Literal[*plugins("pages")]


@app.command
def studio(
    robot: RobotOrNone = None,
    /,
    *,
    page: Page | None = None,
    posture: str = "",
    host: str = "127.0.0.1",
    port: Whole | None = None,
    browser: bool = True,
    root: Root = "fixed",
    verbose: Verbose = False,
) -> None:
    """Open a robot in the browser: move its joints with sliders, drag its hand, simulate it.

    Example: ``linkwright studio arm7``

    Parameters
    ----------
    robot
        Robot file (.urdf, .xacro, .xml, .sdf, .ztk), installed robot, or built-in mechanism. Default: arm7.
    page
        Page of the robotics tutorial instead of a robot: forward and inverse kinematics of an arm, joint torques that
        balance a force at its tip, a double pendulum.
    posture
        Initial posture: all coordinates ("0.1,0.2,…"), some of them ("elbow=90deg,shoulder=0.3"), or "random".
    host
        Address to listen at. Other computers can connect if it is not 127.0.0.1; the printed address then contains a
        token, required for access.
    port
        Port. Default: 8080, or the next free port.
    browser
        Open a browser.
    """
    from linkwright.browser.page import studio as show
    from linkwright.browser.posture import beyond_limits
    from linkwright.dynamics import check, close_loops

    if page is not None:
        if robot is not None or posture:
            raise InputError(f"--page {page} has its own mechanism: omit {'--posture' if posture else robot}")
        _served(show(page, host=host, port=port), page, "Move the sliders", browser)
        return
    model = load_robot(DEMONSTRATION if robot is None else robot, root, verbose)
    q = None
    if posture:
        q = starting_posture(model, posture)
        check(model, q)
        q = close_loops(model, q) if model.loops else q
        if warning := beyond_limits(model, q):
            terminal.errors.print(Text(warning), soft_wrap=True)
    with terminal.errors.status(Text(f"preparing {model.name}")):
        made = show(model, q, host=host, port=port)
    _served(made, model.name, "Drag the arrows at the hand, or move the sliders", browser)


def _served(made: Studio, name: str, advice: str, browser: bool) -> None:
    """Print the address, open a browser, and wait for Ctrl-C."""
    for note in made.notes:
        terminal.errors.print(Text(note), soft_wrap=True)
    try:
        terminal.output.print(Text(f"{name} is at {made.address}"), soft_wrap=True)
        terminal.output.print(f"{advice}. Ctrl-C stops the server.")
        if browser and not made.open():
            terminal.errors.print("no browser found; open the address in a browser")
        made.wait()
    except KeyboardInterrupt:  # before wait()
        made.stop()
