"""The command line: ``linkwright simulate``, ``reach``, ``info``, ``convert``, ``identify``, ``bench``, …"""

from __future__ import annotations

import sys
import warnings
from typing import Any

from cyclopts import CycloptsError
from rich.text import Text

from linkwright.cli.app import app
from linkwright.cli.commands import (
    browsing,
    caching,
    converting,
    doctor,
    identifying,
    moving,
    reaching,
    showing,
    studying,
)
from linkwright.cli.told import terminal
from linkwright.cli.told.encodings import accept_all_characters_in_output
from linkwright.cli.typed import mistakes
from linkwright.errors import FormatWarning, LinkwrightError, LinkwrightWarning
from linkwright.plugins import plugins
from linkwright.status import told_elsewhere

# importing them makes them commands of the program
COMMANDS = (
    *(moving.simulate, reaching.reach, showing.info, showing.equations, converting.convert),
    *(identifying.identify, studying.study, browsing.studio),
    *(caching.cache, doctor.doctor),
)
for name, command in plugins("commands").items():
    app.command(command.value, name=name)  # imported when it is called


def main(arguments: list[str] | None = None) -> None:
    """Run the command line; mistakes end with a message and status 2, never with a traceback."""
    accept_all_characters_in_output()
    warnings.showwarning = _show_warning  # type: ignore[assignment]
    try:
        with told_elsewhere():
            app(sys.argv[1:] if arguments is None else arguments, print_error=False, exit_on_error=False)
    except CycloptsError as error:
        _tell("error", "bold red", mistakes.told(error))
        sys.exit(2)
    except LinkwrightError as error:
        _tell("error", "bold red", str(error))
        sys.exit(2)
    except OSError as error:  # without its number, which "[Errno 2]" begins with
        told = f"{error.filename!r}: {error.strerror}" if error.filename and error.strerror else str(error)
        _tell("error", "bold red", told)
        sys.exit(2)
    except KeyboardInterrupt:
        terminal.errors.print("interrupted")
        sys.exit(130)


def _show_warning(message: Any, category: type[Warning], *place: Any, **more: Any) -> None:
    what = "in the file" if issubclass(category, FormatWarning) else "note"
    if issubclass(category, LinkwrightWarning):
        _tell(what, "yellow", str(message))
    else:
        _tell(category.__name__, "yellow", str(message))


def _tell(kind: str, style: str, message: str) -> None:
    terminal.errors.print(Text.assemble((f"{kind}: ", style), message), soft_wrap=True)
