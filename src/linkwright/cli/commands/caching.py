"""``linkwright cache``: the machine code that is kept on disk."""

from __future__ import annotations

from linkwright.cli.app import app
from linkwright.cli.told import terminal


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
