"""Memory that this process may still allocate, by limits of the process, of its control groups, and of the machine."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

PROCESS = Path("/proc/self")
GROUPS = Path("/sys/fs/cgroup")
MACHINE = Path("/proc/meminfo")

SMALL = 2**26
"""Bytes up to which the limits, which take time to read, are not read."""

UNTOLD = 2.0**47
"""Bytes assumed where the system reports no limit."""


def available() -> float:
    """Return the number of bytes that may still be allocated: the smallest limit that the system reports."""
    return max(0.0, min([UNTOLD, *_own_limits(), *_limits_of_groups(), _left_on_machine()]))


def lacking(size: float) -> str:
    """Describe the memory that is left if it is less than ``size`` bytes; "" if it suffices."""
    if size <= SMALL or size <= (room := available()):
        return ""
    return f"the {room / 2**30:.3g} GiB that this process can still have"


def _own_limits() -> Iterator[float]:
    """Yield the bytes left by the limits of the process (``ulimit -v``, ``-d``)."""
    if sys.platform == "win32":
        return
    import resource

    pages = [0] * 7
    with suppress(OSError, ValueError):
        pages = [int(x) for x in (PROCESS / "statm").read_text().split()]
    for limit, taken in ((resource.RLIMIT_AS, pages[0]), (resource.RLIMIT_DATA, pages[5])):
        most, _ = resource.getrlimit(limit)
        if most != resource.RLIM_INFINITY:
            yield most - float(taken * resource.getpagesize())


def _limits_of_groups() -> Iterator[float]:
    """Yield the bytes left by control groups, of both versions: that of the process and all its ancestors."""
    with suppress(OSError):
        for line in (PROCESS / "cgroup").read_text().splitlines():
            _, controllers, path = line.split(":", 2)
            if controllers == "":
                yield from _up(GROUPS, path, "memory.max", "memory.current", "inactive_file")
            elif "memory" in controllers.split(","):
                names = "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"
                yield from _up(GROUPS / "memory", path, *names)


def _up(mount: Path, path: str, limit: str, taken: str, reclaimable: str) -> Iterator[float]:
    """Yield the bytes left by limits from a group up to the mount; file pages can be dropped."""
    group = mount / path.lstrip("/")
    for folder in (group, *group.parents):
        with suppress(OSError, ValueError):  # "max", or a group that is not mounted here
            room = float(int((folder / limit).read_text())) - int((folder / taken).read_text())
            counts = dict(line.split() for line in (folder / "memory.stat").read_text().splitlines())
            yield room + int(counts.get(reclaimable, 0))
        if folder == mount:
            return


def _left_on_machine() -> float:
    with suppress(OSError, ValueError, IndexError):
        for line in MACHINE.read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return 1024.0 * int(line.split()[1])
    try:
        return float(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    except (AttributeError, OSError, ValueError):
        return UNTOLD
