"""``linkwright cache``: the disk cache of compiled code."""

from __future__ import annotations

from linkwright.cli.app import app
from linkwright.cli.output import terminal


@app.command
def cache(*, clear: bool = False) -> None:
    """Show the folder and the size of the cache of compiled code.

    Example: ``linkwright cache``

    Parameters
    ----------
    clear
        Remove all files of the cache. Functions are compiled again when they are needed.
    """
    from linkwright.compiler.native import cache as disk

    folder = disk.folder()
    if folder is None:
        terminal.output.print("no cache: LINKWRIGHT_CACHE is off, or there is no home folder")
        return
    files, size = disk.size()
    terminal.output.print(f"{folder}: {files} compiled functions, {size / 2**20:.1f} MiB", soft_wrap=True)
    if clear:
        terminal.output.print(f"{disk.clear()} files removed")
