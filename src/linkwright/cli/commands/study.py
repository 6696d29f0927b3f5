"""``linkwright study``: parameter studies described in a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from linkwright.cli.app import Whole, app
from linkwright.cli.output import terminal
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
    """Evaluate a function for many sets of parameters, with results on disk. An interrupted study resumes.

    Example: ``linkwright study pendulum.toml``

    Parameters
    ----------
    file
        TOML file: model, function, parameters, outputs, and folder for the results (see docs/topics/motion/studies.md).
    dry_run
        Only estimate the number of rows, the time, and the disk space.
    status
        Only report the progress and the failures of the study in this folder.
    threads
        Number of threads. Default: number of processors.
    store
        Folder for the results. Default: the folder named in the file.
    pictures
        Draw histograms of scalar outputs at the end, in the folder of the results.
    """
    from linkwright.studies import Study
    from linkwright.studies import file as files
    from linkwright.studies import study as run
    from linkwright.studies.run import estimate

    if status is not None:
        return _report(Study(status))
    if file is None:
        raise InputError("no study given: run linkwright study FILE.toml, or linkwright study --status FOLDER")
    setup = files.read_study(file)
    folder = setup.store if store is None else store
    if dry_run:
        with terminal.errors.status("evaluating the first rows"):
            found = estimate(setup.function, setup.parameters, threads, **setup.options)
        return _report_estimate(found, folder)
    try:
        done = run(setup.function, setup.parameters, folder, threads, **setup.options)
    except KeyboardInterrupt:
        _report_interruption(folder)
        raise
    _report(done)
    if pictures and done.drawable:
        _warn_of_nonfinite(done)
        path = done.path / "histograms.png"
        done.plot_histogram(path=path)
        terminal.output.print(f"  {path}", soft_wrap=True)


def _report_estimate(found: StudyEstimate, folder: Path) -> None:
    terminal.output.print(
        f"{counted(found.rows, 'row')} in {counted(found.chunks, 'chunk')} of {found.chunk}: about "
        f"{_time(found.seconds)} on {counted(found.workers, 'worker')}, at most {_size(found.bytes)} in {folder}",
        soft_wrap=True,
    )
    terminal.output.print(f"  outputs: {', '.join(found.outputs)}", soft_wrap=True)


def _report(found: Study) -> None:
    terminal.output.print(str(found), soft_wrap=True)
    shown: dict[str, list[int]] = {}
    for row, text in found.errors.items():
        shown.setdefault(text, []).append(row)
    for text, rows in list(shown.items())[:5]:
        terminal.output.print(f"  {counted(len(rows), 'row')}, the first {rows[0]}: {text}", soft_wrap=True)
    terminal.output.print(f"  {found.path}", soft_wrap=True)


def _report_interruption(folder: Path) -> None:
    """Report the results of an interrupted study."""
    from linkwright.studies import Study

    try:
        what = str(Study(folder))
    except (LinkwrightError, OSError):  # stopped before its first result
        what = "no results yet; run the command again"
    terminal.errors.print(f"stopped: {what}", soft_wrap=True)


def _warn_of_nonfinite(found: Study) -> None:
    """Warn of NaN and infinite results in rows that did not fail."""
    for name in found.drawable:
        bad = sum(int(np.count_nonzero(~np.isfinite(x))) for (x,) in found.chunks(name))
        if bad:
            what = f"{name} is NaN or infinite in {bad} of {counted(found.rows, 'row')}"
            terminal.errors.print(f"note: {what}", soft_wrap=True)


def _time(seconds: float) -> str:
    """Return a duration as text: ``3 min 20 s``."""
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
