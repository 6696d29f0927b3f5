"""Robots of MuJoCo Menagerie by name, where its files are on disk; nothing is downloaded.

* ``MENAGERIE_ROOT``: a checkout of the repository, with one folder for each robot.
* The cache of the package ``mujoco-menagerie``: ``MENAGERIE_CACHE_DIR``, or its default folder.
* The checkout in the cache of ``robot_descriptions``.

A name is that of a robot's folder, "unitree_go2", or of a file in it, "unitree_go2/scene".
"""

from __future__ import annotations

import json
import os
import re
import sys
from contextlib import suppress
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from linkwright.errors import InputError, MissingFileError

NAME = re.compile(r"[a-zA-Z0-9_]+")
"""Name of a robot's folder."""

COMPLETE = ".complete"
"""File in a folder of the cache whose download has ended."""

STORED = re.compile(r"(?P<name>.+)-[0-9a-f]{16}")
"""Name of a robot's folder in the cache."""

VARIANT = re.compile(r"scene|mjx|keyframe|assets|actuators|sensor", re.IGNORECASE)
"""Part of the names of files that are no robot alone."""


def menagerie_file(name: str, checkouts: tuple[Path, ...]) -> Path | None:
    """Return the file of a robot of MuJoCo Menagerie; None if its files are not on disk.

    ``checkouts`` are further folders with one folder for each robot. Raises :class:`InputError` for a folder of several
    robots, and for a file that a folder does not contain.
    """
    robot, _, entry = name.partition("/")
    if (folder := _folder(robot, checkouts)) is None:
        return None
    files = {file.stem: file for file in sorted(folder.glob("*.xml"))}
    if entry:
        if entry not in files:
            raise InputError(f"{robot!r} of MuJoCo Menagerie has no file {entry}.xml; there are {', '.join(files)}")
        return files[entry]
    chosen = _registry().get(robot, {}).get("default_model") or _main(robot, tuple(files))
    if chosen in files:
        return files[chosen]
    names = ", ".join(f"{robot}/{stem}" for stem in files)
    raise InputError(f"{robot!r} may mean several robots of MuJoCo Menagerie; name one of them: {names}")


def menagerie_names(checkouts: tuple[Path, ...]) -> list[str]:
    """Return the names of the robots on disk and of those in the registry of the package."""
    root = os.environ.get("MENAGERIE_ROOT")
    found = {*_registry(), *_stored()}
    for place in (*([Path(root)] if root else []), *checkouts):
        with suppress(OSError):
            found |= {folder.name for folder in place.iterdir() if NAME.fullmatch(folder.name) and _has_robot(folder)}
    return sorted(found)


def require_downloaded(name: str) -> None:
    """Raise :class:`MissingFileError` for a robot that the package knows, and whose files are not on disk."""
    robot = name.partition("/")[0]
    if robot in _registry():
        raise MissingFileError(
            f"{name!r} is known to mujoco-menagerie, but its files are not on this computer: "
            f"`mujoco-menagerie prefetch {robot}` downloads them, if you want that"
        )


def _main(robot: str, stems: tuple[str, ...]) -> str | None:
    """Return the file of the robot alone: the one with the name of the folder or its end, or the only one."""
    alone = [stem for stem in stems if not VARIANT.search(stem)]
    named = [stem for stem in alone if _letters(robot).endswith(_letters(stem))]
    chosen = named or alone
    return chosen[0] if len(chosen) == 1 else None


def _letters(name: str) -> str:
    return re.sub("[^a-z0-9]", "", name.lower())


def _folder(robot: str, checkouts: tuple[Path, ...]) -> Path | None:
    if not NAME.fullmatch(robot):
        return None
    root = os.environ.get("MENAGERIE_ROOT")
    if root and _has_robot(Path(root) / robot):
        return Path(root) / robot
    if robot in (stored := _stored()):
        return stored[robot]
    return next((place / robot for place in checkouts if _has_robot(place / robot)), None)


def _has_robot(folder: Path) -> bool:
    with suppress(OSError):
        return any(folder.glob("*.xml"))
    return False


def _stored() -> dict[str, Path]:
    """Return the folders in the cache of the package by the names of their robots: the registry's, or the newest."""
    place = _cache() / "models"
    found: dict[str, Path] = {}
    with suppress(OSError):
        for folder in sorted(place.iterdir(), key=lambda folder: folder.stat().st_mtime):
            if (match := STORED.fullmatch(folder.name)) and (folder / COMPLETE).is_file():
                found[match["name"]] = folder
    for name, robot in _registry().items():
        folder = place / f"{name}-{str(robot.get('oid'))[:16]}"
        if (folder / COMPLETE).is_file():
            found[name] = folder
    return found


def _cache() -> Path:
    if given := os.environ.get("MENAGERIE_CACHE_DIR"):
        return Path(given)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData/Local") / "mujoco_menagerie" / "cache"
    if sys.platform == "darwin":
        return Path.home() / "Library/Caches/mujoco_menagerie"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "mujoco_menagerie"


def _registry() -> dict[str, Any]:
    """Return the registry of the package, read as data; {} if it is not installed."""
    try:
        spec = find_spec("mujoco_menagerie")
    except (ImportError, ValueError):
        return {}
    folders = (spec.submodule_search_locations if spec is not None else None) or ()
    return next((_robots_of(Path(folder) / "registry.json") for folder in folders), {})


@lru_cache(maxsize=4)
def _robots_of(registry: Path) -> dict[str, Any]:
    try:
        robots = json.loads(registry.read_text(encoding="utf-8"))["robots"]
        return {str(name): dict(robot) for name, robot in robots.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}
