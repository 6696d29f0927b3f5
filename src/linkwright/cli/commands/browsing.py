"""``linkwright studio``: the robot in the browser."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from rich.text import Text

from linkwright.cli.app import DEMONSTRATION, Root, Whole, app, load_robot
from linkwright.cli.shell.values import RobotOrNone
from linkwright.cli.told import terminal
from linkwright.cli.typed.arguments import starting_posture
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
) -> None:
    """Show a robot in the browser: move its joints by sliders, drag its hand. Example: linkwright studio arm7

    Parameters
    ----------
    robot
        A robot file (.urdf, .xacro, .xml, .sdf, .ztk), an installed robot or a built-in mechanism; arm7 without it.
    page
        One of the programs of the robotics tutorial instead of a robot: forward and inverse kinematics of an arm, a
        force at the tip of an arm and the efforts of its joints, a double pendulum.
    posture
        Where it is first: all coordinates, with commas between them ("0.1,0.2,…"), some of them
        ("elbow=90deg,shoulder=0.3"), or random.
    host
        The address to listen at. Other machines can connect only if it is another than 127.0.0.1; then the address
        that is told holds a token, and whoever comes without it is turned away.
    port
        Its port, 8080 unless given; where it is taken, the next free one.
    browser
        Whether to open a browser.
    """
    from linkwright.browser.page import studio as show
    from linkwright.browser.posture import beyond_limits
    from linkwright.dynamics import check, close_loops

    if page is not None:
        if robot is not None or posture:
            raise InputError(f"--page {page} has its own mechanism: leave out {'--posture' if posture else robot}")
        _served(show(page, host=host, port=port), page, "Move the sliders", browser)
        return
    model = load_robot(DEMONSTRATION if robot is None else robot, root)
    q = None
    if posture:
        q = starting_posture(model, posture)
        check(model, q)
        q = close_loops(model, q) if model.loops else q
        if told := beyond_limits(model, q):
            terminal.errors.print(Text(told), soft_wrap=True)
    with terminal.errors.status(Text(f"preparing {model.name}")):
        made = show(model, q, host=host, port=port)
    _served(made, model.name, "Drag the arrows at its hand, or the sliders", browser)


def _served(made: Studio, name: str, advice: str, browser: bool) -> None:
    """Tell where it is, and wait."""
    for note in made.notes:
        terminal.errors.print(Text(note), soft_wrap=True)
    try:
        terminal.output.print(Text(f"{name} is at {made.address}"), soft_wrap=True)
        terminal.output.print(f"{advice}; Ctrl-C ends.")
        if browser and not made.open():
            terminal.errors.print("no browser was found here: open the address in one")
        made.wait()
    except KeyboardInterrupt:  # before the waiting began
        made.stop()
