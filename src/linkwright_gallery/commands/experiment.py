"""``linkwright experiment``: the published experiments on long chains of links."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from linkwright.cli.app import Whole
from linkwright.cli.output import terminal
from linkwright.errors import InputError
from linkwright.files import folder_at, replacing_together, write_text


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
    """Repeat the published experiments on long chains of links. Default: all experiments.

    Forward dynamics of chains by several methods: agreement, times, crossover lengths; plots of the times, of the
    assembly trees, of the models with their blocks, and of the motion.

    Example: ``linkwright experiment planar --time 1 --rows 8 --rounds 1 --no-pictures``

    Parameters
    ----------
    names
        planar: chains of links on the ground, falling; floating: chains in space.
    time
        Duration of the compared motion, s.
    rows
        Number of configurations per call.
    rounds
        Number of rounds of measurements of processor time; the tables give the minima.
    pictures
        Draw trees and models, and animate the motion.
    survey
        Survey the block structures of the robots of example-robot-data instead.
    robots
        Folder with URDF files for --survey.
    out
        Folder for plots and numbers. Default: linkwright_experiment.
    """
    from linkwright_gallery.experiments import EXPERIMENTS
    from linkwright_gallery.experiments import experiment as run
    from linkwright_gallery.experiments.pictures import draw_all
    from linkwright_gallery.experiments.survey import survey as surveyed

    if robots is not None and not survey:
        raise InputError("--robots needs --survey; add --survey")
    folder = out or Path("linkwright_experiment")
    if survey:
        if names:
            raise InputError("--survey cannot be combined with an experiment; run them separately")
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
            files.append(write_text(place / f"{name}.md", result.markdown()))
            if pictures:
                with terminal.errors.status("drawing"):
                    files += draw_all(EXPERIMENTS[name], place, name, time)
        for path in files:
            terminal.output.print(f"  {folder / path.name}", soft_wrap=True)
