"""``linkwright bench``: speed, compared with other installed libraries."""

from __future__ import annotations

from pathlib import Path

from rich.table import Table

from linkwright.cli.app import DEMONSTRATION, Root, Whole, file_name, load_robot
from linkwright.cli.output import terminal
from linkwright.cli.shell.values import Robot
from linkwright.files import replacing_together


def bench(
    robot: Robot = DEMONSTRATION,
    /,
    *,
    peers: bool = True,
    rows: Whole = 4096,
    rounds: Whole = 25,
    root: Root = "fixed",
    out: Path | None = None,
) -> None:
    """Compare the speed with installed libraries (Pinocchio, MuJoCo, heyoka.py, CasADi, Robotics Toolbox).

    Runs are interleaved, each in one thread.

    Example: ``linkwright bench two_link --rows 256 --rounds 3``

    Parameters
    ----------
    robot
        Robot file (.urdf, .xacro, .xml, .sdf, .ztk), installed robot, or built-in mechanism.
    peers
        Measure the other libraries, too.
    rows
        Number of configurations per call.
    rounds
        Number of measurements; tables give minima, ratios are of medians.
    root
        Joint between the world and the robot: fixed or free.
    out
        Folder for the results as JSON and a plot.
    """
    from linkwright_gallery.benchmark import bench as run

    model = load_robot(robot, root)
    with terminal.errors.status("measuring") as status:
        result = run(model, peers, rows=rows, rounds=rounds, tell=lambda name: status.update(f"measuring {name}"))
    terminal.output.print("  ".join(f"{what}: {value}" for what, value in result.machine.items()), soft_wrap=True)
    for table in result.tables():
        terminal.output.print()
        terminal.output.print(table)
    terminal.output.print()
    costs = Table("function", "operations", "of two vector units", "compiled in", "differs by", box=None)
    for row in result.table:
        gap = max(row.disagreement.values(), default=None)
        shown = "" if gap is None else f"{gap:.1e}"
        speed = f"{row.saturation:.0%}"
        costs.add_row(row.function, str(row.operations), speed, f"{row.compile_time:.3f} s", shown)
    terminal.output.print(costs)
    for peer, why in result.left_out.items():
        terminal.output.print(f"{peer} left out: {why}")
    if out is not None:
        name = file_name(model.name)
        with replacing_together(out) as place:
            files = result.save(place / f"{name}.json"), result.plot(place / f"{name}.png")
        for path in files:
            terminal.output.print(f"  {out / path.name}", soft_wrap=True)
