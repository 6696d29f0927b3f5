"""The command line: ``linkwright simulate``, ``reach``, ``info``, ``convert``, ``identify``, ``bench`` and others."""

from __future__ import annotations

import sys
import warnings
from typing import Any

from cyclopts import CycloptsError
from rich.text import Text

from linkwright.cli.app import app, with_standard_input
from linkwright.cli.commands.cache import cache
from linkwright.cli.commands.check import check
from linkwright.cli.commands.compare import compare
from linkwright.cli.commands.convert import convert
from linkwright.cli.commands.doctor import doctor
from linkwright.cli.commands.identify import identify
from linkwright.cli.commands.inspection import equations, info
from linkwright.cli.commands.reach import reach
from linkwright.cli.commands.simulate import simulate
from linkwright.cli.commands.studio import studio
from linkwright.cli.commands.study import study
from linkwright.cli.input import usage_errors
from linkwright.cli.output import terminal
from linkwright.cli.output.encodings import accept_all_characters_in_output
from linkwright.errors import FormatWarning, LinkwrightError, LinkwrightWarning
from linkwright.plugins import description_of, plugins
from linkwright.status import status_elsewhere

# importing these modules registers their commands
COMMANDS = (simulate, reach, info, check, equations, compare, convert, identify, study, studio, cache, doctor)
for name, command in plugins("commands").items():
    app.command(command.value, name=name, help=description_of(command) or None)  # imported at its first call


def main(arguments: list[str] | None = None) -> None:
    """Run the command line; errors end with a message and status 2, never with a traceback."""
    accept_all_characters_in_output()
    warnings.showwarning = _show_warning  # type: ignore[assignment]
    try:
        with status_elsewhere():
            words = sys.argv[1:] if arguments is None else arguments
            app(with_standard_input(words), print_error=False, exit_on_error=False)
    except CycloptsError as error:
        _report("error", "bold red", usage_errors.message(error))
        sys.exit(2)
    except LinkwrightError as error:
        _report("error", "bold red", str(error))
        sys.exit(2)
    except OSError as error:  # without the number of the error, such as [Errno 2]
        text = f"{error.filename!r}: {error.strerror}" if error.filename and error.strerror else str(error)
        _report("error", "bold red", text)
        sys.exit(2)
    except KeyboardInterrupt:
        terminal.errors.print("interrupted")
        sys.exit(130)


def _show_warning(message: Any, category: type[Warning], *position: Any, **more: Any) -> None:
    kind = "robot file" if issubclass(category, FormatWarning) else "note"
    _report(kind if issubclass(category, LinkwrightWarning) else category.__name__, "yellow", str(message))


def _report(kind: str, style: str, message: str) -> None:
    terminal.errors.print(Text.assemble((f"{kind}: ", style), message), soft_wrap=True)
