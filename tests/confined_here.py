"""Robot files are read in this process: a child for each takes 0.3 s, most of it to import MuJoCo or OpenUSD.

`tests/formats/test_confined.py` holds that files say the same in a child, and tests what protects from them.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

import pytest

from linkwright.errors import FormatError, LinkwrightError
from linkwright.formats import usd
from linkwright.formats.isolation.child_process import TASKS, confined
from linkwright.formats.isolation.process_results import decoded, encoded
from linkwright.formats.mjcf import reading
from linkwright.formats.xml import shortened

READERS = (reading, usd)


def confined_here(task: str, path: str, *more: str) -> Any:
    """Return the result of a task as a child would: written as data and read again; all errors are the library's."""
    module, function, kind = TASKS[task]
    try:
        return decoded(encoded(getattr(import_module(module), function)(path, *more)), kind)
    except LinkwrightError:
        raise
    except Exception as error:
        raise FormatError(f"{shortened(path, 300)}: reading it failed: {type(error).__name__}: {error}") from None


@contextmanager
def children_spared() -> Iterator[None]:
    """Read MJCF and USD files here meanwhile."""
    with pytest.MonkeyPatch.context() as patched:
        for reader in READERS:
            patched.setattr(reader, "confined", confined_here)
        yield


def leave_children(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read files in child processes from now on."""
    for reader in READERS:
        monkeypatch.setattr(reader, "confined", confined)
