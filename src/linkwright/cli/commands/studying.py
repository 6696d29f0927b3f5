"""``linkwright study``: a function for very many sets of parameters, told of in a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from linkwright.cli.app import Whole, app
from linkwright.cli.told import terminal
from linkwright.errors import InputError, LinkwrightError, counted

if TYPE_CHECKING:
    from linkwright.studies.result import Study
    from linkwright.studies.run import StudyEstimate


@app.command
def study(
    file: Path | None = None,
    /,
    *,
    dry_run: bool = False,
    status: Path | None = None,
    threads: Whole | None = None,
    store: Path | None = None,
    pictures: bool = True,
) -> None:
    """Compute a function for very many sets of parameters, kept on disk; run it again to go on where it stopped.

    Example: ``linkwright study pendulum.toml``

    Parameters
    ----------
    file
        A TOML file: model, function, what is varied, what is kept, and where to (see docs/topics/motion/studies.md).
    dry_run
        Only tell how many rows there are, how long they take, and how much disk.
    status
        Only tell how far the study in this folder is, and what failed.
    threads
        How many work at once; all processors unless given.
    store
        The folder for results, instead of the one that the file names.
    pictures
        Draw histograms of the outputs with one number a row when all is done, beside the results.
    """
    from linkwright.studies import Study
    from linkwright.studies import file as files
    from linkwright.studies import study as run
    from linkwright.studies.run import estimate

    if status is not None:
        return _tell(Study(status))
    if file is None:
        raise InputError("which study? linkwright study FILE.toml, or linkwright study --status FOLDER")
    told = files.read_study(file)
    place = told.store if store is None else store
    if dry_run:
        with terminal.errors.status("trying the first rows"):
            found = estimate(told.function, told.parameters, threads=threads, **told.options)
        return _expect(found, place)
    try:
        done = run(told.function, told.parameters, place, threads=threads, **told.options)
    except KeyboardInterrupt:
        _tell_what_is_kept(place)
        raise
    _tell(done)
    if pictures and done.drawable:
        _tell_of_no_numbers(done)
        path = done.path / "histograms.png"
        done.plot_histogram(path=path)
        terminal.output.print(f"  {path}", soft_wrap=True)


def _expect(found: StudyEstimate, place: Path) -> None:
    terminal.output.print(
        f"{counted(found.rows, 'row')} in {counted(found.chunks, 'chunk')} of {found.chunk}: some "
        f"{_time(found.seconds)} on {counted(found.threads, 'thread')}, at most {_size(found.bytes)} in {place}",
        soft_wrap=True,
    )
    terminal.output.print(f"  outputs: {', '.join(found.outputs)}", soft_wrap=True)


def _tell(found: Study) -> None:
    terminal.output.print(str(found), soft_wrap=True)
    shown: dict[str, list[int]] = {}
    for row, text in found.errors.items():
        shown.setdefault(text, []).append(row)
    for text, rows in list(shown.items())[:5]:
        terminal.output.print(f"  {counted(len(rows), 'row')}, the first {rows[0]}: {text}", soft_wrap=True)
    terminal.output.print(f"  {found.path}", soft_wrap=True)


def _tell_what_is_kept(place: Path) -> None:
    """What a study that was stopped leaves."""
    from linkwright.studies import Study

    try:
        what = str(Study(place))
    except (LinkwrightError, OSError):  # stopped before it was begun
        what = "nothing was computed yet; run it again"
    terminal.errors.print(f"stopped: {what}", soft_wrap=True)


def _tell_of_no_numbers(found: Study) -> None:
    """Where a function gave NaN or infinities for rows that did not fail."""
    for name in found.drawable:
        bad = sum(int(np.count_nonzero(~np.isfinite(x))) for (x,) in found.chunks(name))
        if bad:
            what = f"{name} is not a finite number in {bad} of {counted(found.rows, 'row')}"
            terminal.errors.print(f"note: {what}", soft_wrap=True)


def _time(seconds: float) -> str:
    """A time as a reader wants it: ``3 min 20 s``."""
    whole = round(seconds)
    if whole < 60:
        return f"{seconds:.2g} s" if seconds < 9.95 else f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def _size(size: float) -> str:
    for unit in ("bytes", "kB", "MB", "GB"):
        if size < 1000.0:
            return f"{size:.3g} {unit}"
        size /= 1000.0
    return f"{size:.3g} TB"
