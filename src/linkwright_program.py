"""``linkwright`` as a program: an interrupt ends it without a word also while the library is being imported.

It is not a module of the package, because the import of such a module imports the package first, which takes a while.
"""

from __future__ import annotations

import os
import signal

INTERRUPTED = 130
"""Exit status that shells report for a program ended by an interrupt."""


def _end(*_: object) -> None:
    os._exit(INTERRUPTED)  # nothing is open yet; an exception would pass through half-made modules


def main() -> None:
    """Run the command line."""
    ends = signal.getsignal(signal.SIGINT) is signal.default_int_handler  # not in the background, where it is ignored
    if ends:
        signal.signal(signal.SIGINT, _end)
    from linkwright.cli import main as run

    if ends:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        run()
    except KeyboardInterrupt:
        os._exit(INTERRUPTED)


if __name__ == "__main__":
    main()
