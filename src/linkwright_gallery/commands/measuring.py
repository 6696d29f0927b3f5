"""``linkwright bench``, ``experiment`` and ``cache``: how fast it is, and what is kept for that."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from rich.table import Table

from linkwright.cli.app import DEMONSTRATION, Root, Whole, app, file_name, load_robot
from linkwright.cli.shell.values import Robot
from linkwright.cli.told import terminal
from linkwright.errors import (
    InputError,
)
from linkwright.files import folder_at, replacing_together, write_text


@app.command
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
    """Measure how fast this library is, beside other libraries that are installed: the peers.

    These are Pinocchio, MuJoCo, heyoka.py, CasADi and Robotics Toolbox. They take turns, each in one thread.

    Example: ``linkwright bench two_link --rows 256 --rounds 3``

    Parameters
    ----------
    robot
        A robot file (.urdf, .xacro, .xml, .sdf, .ztk), an installed robot or a built-in mechanism.
    peers
        Whether to measure the peers too.
    rows
        How many configurations are computed in one call.
    rounds
        How often each is measured; the tables give the minima, the ratios are of the medians.
    out
        A folder for the results as JSON and a plot.
    """
    from linkwright.benchmark import bench as run

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


@app.command
def experiment(
    *names: Literal["planar", "floating"],
    time: float = 10.0,
    rows: Whole = 512,
    rounds: Whole = 25,
    pictures: bool = True,
    survey: bool = False,
    robots: Path | None = None,
    out: Path | None = None,
) -> None:
    """Run the published experiments on long chains of links again, both unless one is named.

    Accelerations of chains by several methods: how well they agree, what they take, from how many links on which is
    ahead; pictures of the times, of the trees of assembly and disassembly, of the models with their blocks, and of the
    motion.

    Example: ``linkwright experiment planar --time 1 --rows 8 --rounds 1 --no-pictures``

    Parameters
    ----------
    names
        planar: chains of links on the ground, falling; floating: chains in space.
    time
        How long the motion is along which the methods are compared, s.
    rows
        How many configurations are computed in one call.
    rounds
        How often each is measured; the tables give the minima.
    pictures
        Whether to draw trees and models and to animate the motion.
    survey
        Instead: which few structures of block serve most robots, of those that example-robot-data has.
    robots
        A folder with URDF files to survey instead.
    out
        The folder for pictures and numbers; linkwright_experiment unless given.
    """
    from linkwright.experiment import EXPERIMENTS
    from linkwright.experiment import experiment as run
    from linkwright.experiment.pictures import draw_all
    from linkwright.experiment.survey import survey as surveyed

    if robots is not None and not survey:
        raise InputError("--robots names what --survey is of; add --survey")
    folder = out or Path("linkwright_experiment")
    if survey:
        if names:
            raise InputError("--survey is no part of an experiment; ask for one after the other")
        with terminal.errors.status("reading robots") as status:
            found = surveyed(robots, tell=lambda what: status.update(f"surveying {what}"))
        for table in found.tables():
            terminal.output.print(table)
            terminal.output.print()
        for file, why in found.refused.items():
            terminal.output.print(f"left out: {file}: {why}", soft_wrap=True)
        terminal.output.print(f"  {write_text(folder_at(folder) / 'survey.md', found.markdown())}", soft_wrap=True)
        return
    for name in dict.fromkeys(names or EXPERIMENTS):
        with terminal.errors.status(name) as status:
            result = run(name, None, time, rows, rounds, tell=status.update)
        terminal.output.print("  ".join(f"{what}: {value}" for what, value in result.machine.items()), soft_wrap=True)
        for table in (*result.tables(), result.ratios()):
            terminal.output.print()
            terminal.output.print(table)
        terminal.output.print()
        terminal.output.print(result.crossings(), soft_wrap=True)
        for row in result.table:
            for left, why in row.left_out.items():
                terminal.output.print(f"{row.links} links: {left} left out: {why}", soft_wrap=True)
        with replacing_together(folder) as place:
            files = [result.plot(place / f"{name}.png"), result.save(place / f"{name}.json")]
            if pictures:
                with terminal.errors.status("drawing"):
                    files += draw_all(EXPERIMENTS[name], place, name, time)
        for path in files:
            terminal.output.print(f"  {folder / path.name}", soft_wrap=True)


@app.command
def cache(*, clear: bool = False) -> None:
    """Show where compiled code is kept and how much there is.

    Example: ``linkwright cache``

    Parameters
    ----------
    clear
        Remove it all; it is compiled anew when needed.
    """
    from linkwright.compiler.native import cache as kept

    where = kept.folder()
    if where is None:
        terminal.output.print("nothing is kept: LINKWRIGHT_CACHE is off, or there is no home folder")
        return
    files, size = kept.size()
    terminal.output.print(f"{where}: {files} pieces of machine code, {size / 2**20:.1f} MiB", soft_wrap=True)
    if clear:
        terminal.output.print(f"{kept.clear()} removed")
