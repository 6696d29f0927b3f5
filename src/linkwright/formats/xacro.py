"""Xacro files, expanded by xacrodoc (the extra ``xacro``) and read as URDF.

Expanding a xacro file runs Python expressions found in it and reads other files it names. Do so with
files you trust only; a plain ``.urdf`` runs nothing.
"""

from __future__ import annotations

import os
from pathlib import Path

from linkwright.errors import FormatError, MissingExtraError
from linkwright.formats.urdf import parse_urdf
from linkwright.formats.xml import read_bytes
from linkwright.model.tree import Model


def read_xacro(path: str | os.PathLike[str], root: str | None = None) -> Model:
    """The model in a xacro file, with its arguments at their defaults. Trusted input only.

    ``root`` as in ``read_urdf``. Packages are searched in the folders above the file. Raises
    :class:`FormatError` where it cannot be expanded or the result is not a robot, and
    :class:`MissingExtraError` without xacrodoc.
    """
    return parse_urdf(expand_xacro(path), root, f"{os.fspath(path)} (expanded)", Path(path).name.split(".")[0])


def expand_xacro(path: str | os.PathLike[str]) -> str:
    """The URDF text of a xacro file. Trusted input only."""
    read_bytes(path)  # missing, a directory, too large: said in our words
    try:
        from xacrodoc import XacroDoc
    except ImportError:
        raise MissingExtraError(
            "xacro files need the package xacrodoc: pip install 'linkwright[xacro]' (or expand the file to .urdf)"
        ) from None
    try:
        text = XacroDoc.from_file(os.fspath(path), resolve_packages=False).to_urdf_string()
    except (Exception, SystemExit) as error:  # what it runs may raise anything
        raise FormatError(f"{os.fspath(path)}: xacro cannot expand it: {type(error).__name__}: {error}") from error
    return str(text)
