"""Xacro files, expanded by xacrodoc (the extra ``xacro``) and read as URDF.

The expansion runs Python expressions of the file and reads other files that it names. Use it only for
files that you trust; a plain ``.urdf`` file runs nothing. It runs in a separate process with limited time and memory,
with access only to files of its packages and to few environment variables.
"""

from __future__ import annotations

import json
import math
import os
import re
from pathlib import Path
from typing import Any

from linkwright.errors import FormatError, MissingExtraError
from linkwright.formats.isolation.child_process import confined, only_files_in
from linkwright.formats.lookup.packages import Packages, packages_of
from linkwright.formats.urdf.reading import parse_urdf
from linkwright.formats.xml import read_bytes
from linkwright.model.tree import Model

PACKAGE_FILES = ("package.xml", "manifest.xml")
PACKAGE_PATHS = ("ROS_PACKAGE_PATH", "AMENT_PREFIX_PATH")
NESTED, FLAT = r"""[^\s'\"]+)+""", r"""[^\s'\"])+"""
"""Part of xacro's pattern of a macro's parameters, and the same without nested repetition.

After a quote that is not closed, the time of the first doubles with every letter of a default value.
"""


def read_xacro(
    path: str | os.PathLike[str],
    root: str | None = None,
    *,
    packages: Packages = (),
    trusted: bool = False,
) -> Model:
    """Read a model from a xacro file, with default arguments. Trusted input only.

    ``root`` as in ``read_urdf``, ``packages`` and ``trusted`` as in ``expand_xacro``. Raises :class:`FormatError`
    if it cannot be expanded or the result is not a robot, and :class:`MissingExtraError` without xacrodoc.
    """
    text = expand_xacro(path, packages=packages, trusted=trusted)
    return parse_urdf(text, root, f"{os.fspath(path)} (expanded)", Path(path).name.split(".")[0])


def expand_xacro(path: str | os.PathLike[str], *, packages: Packages = (), trusted: bool = False) -> str:
    """Return the URDF text of a xacro file. Trusted input only.

    It may include files of its package (the outermost folder above it with a package.xml, or else its folder),
    of ``packages`` (folders of packages, or packages, or a mapping of names to folders) and of ROS_PACKAGE_PATH and
    AMENT_PREFIX_PATH, and no others, within a minute; ``trusted`` removes both limits. Raises :class:`FormatError` and
    :class:`MissingExtraError`.
    """
    read_bytes(path)  # checks the path and the size
    named, folders = packages_of(packages)
    if trusted:
        return str(confined("trusted_xacro", os.fspath(path), json.dumps(named), *folders, seconds=math.inf))
    return str(confined("xacro", os.fspath(path), json.dumps(named), *folders))


def expanded(path: str, named: str, *packages: str) -> str:
    """Return the URDF text of a xacro file; this process then opens only files of packages."""
    _xacrodoc()  # imports all its modules before the restriction
    places = [place for name in PACKAGE_PATHS for place in os.environ.get(name, "").split(os.pathsep) if place]
    only_files_in([_package_of(path), *json.loads(named).values(), *packages, *places])
    return expanded_freely(path, named, *packages)


def expanded_freely(path: str, named: str, *packages: str) -> str:
    """Return the URDF text of a xacro file in a separate process, whose working directory is the file's folder.

    ``named`` are the folders of packages by name, as JSON; ``packages`` are further folders.
    """
    xacrodoc = _xacrodoc()
    xacrodoc.packages.update_package_cache(json.loads(named))
    os.chdir(Path(path).absolute().parent)  # xacro resolves included files relative to it
    try:
        if packages:
            xacrodoc.packages.look_in(list(packages))
        return str(xacrodoc.XacroDoc.from_file(Path(path).name, resolve_packages=False).to_urdf_string())
    except (Exception, SystemExit) as error:  # its code may raise any error
        raise FormatError(f"{path}: xacro cannot expand it: {type(error).__name__}: {error}") from error


def _xacrodoc() -> Any:
    try:
        import xacro
        import xacrodoc
    except ImportError:
        raise MissingExtraError(
            "xacro files need the package xacrodoc: pip install 'linkwright[xacro]' (or expand the file to .urdf)"
        ) from None
    if (pattern := getattr(xacro, "re_macro_arg", None)) is not None:
        xacro.re_macro_arg = re.compile(pattern.pattern.replace(NESTED, FLAT), pattern.flags)
    return xacrodoc


def _package_of(path: str) -> Path:
    """Return the outermost package that the file is in, or its folder."""
    folders = list(Path(path).resolve().parents)
    return next((f for f in reversed(folders) if any((f / name).is_file() for name in PACKAGE_FILES)), folders[0])
