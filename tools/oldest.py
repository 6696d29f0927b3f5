"""Print the oldest versions that pyproject.toml allows, as constraints of pip.

``python tools/oldest.py`` prints those of the base dependencies, ``python tools/oldest.py mjcf study`` adds the extras
of these names, ``python tools/oldest.py --all`` all extras. Continuous integration installs the first set and runs
``tools/smoke.py`` with it.
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

PROJECT = Path(__file__).parent.parent / "pyproject.toml"
_REQUIREMENT = re.compile(r"(?P<name>[A-Za-z0-9._-]+)\s*>=\s*(?P<version>[0-9][0-9A-Za-z.]*)(?:\s*,\s*<[0-9.]+)?")


def lower_bounds(*extras: str) -> dict[str, str]:
    """The lower bound of every dependency: of one named by several, the highest of theirs."""
    project = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]
    optional = project["optional-dependencies"]
    if unknown := sorted(set(extras) - set(optional)):
        raise SystemExit(f"unknown extra {', '.join(unknown)}; extras: {', '.join(sorted(optional))}")
    found: dict[str, str] = {}
    for one in [*project["dependencies"], *(x for extra in extras for x in optional[extra])]:
        requirement = _REQUIREMENT.fullmatch(one)
        if requirement is None:
            raise SystemExit(f"{one!r} has no lower bound of the form name>=version")
        name, version = requirement["name"].lower(), requirement["version"]
        found[name] = max(found.get(name, "0"), version, key=_numbers)
    return found


def all_extras() -> list[str]:
    """The names of the extras."""
    project = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]
    return list(project["optional-dependencies"])


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(x) for x in re.findall(r"\d+", version))


if __name__ == "__main__":
    wanted = all_extras() if "--all" in sys.argv[1:] else sys.argv[1:]
    for package, bound in lower_bounds(*wanted).items():
        print(f"{package}=={bound}")
