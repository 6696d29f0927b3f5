"""Where files are written: folders that are not there are made, and what cannot be written is told."""

from __future__ import annotations

import os
from pathlib import Path

from linkwright.errors import ArgumentError, InputError


def folder_at(path: str | Path) -> Path:
    """The folder of that path, made where there is none."""
    folder = _path(path)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{str(path)!r} cannot be a folder: {error.strerror or error}") from None
    return folder


def file_at(path: str | Path, what: str = "files", *endings: str) -> Path:
    """The path of a file that is to be written, with one of these endings; its folder is made where there is none."""
    file = _path(path)
    if endings and file.suffix.lower() not in endings:
        raise ArgumentError(f"{what} are written as {' or '.join(endings)}; got {str(path)!r}")
    if file.is_dir():
        raise InputError(f"cannot write {str(path)!r}: it is a folder")
    folder_at(file.parent)
    return file


def _path(path: str | Path) -> Path:
    if not isinstance(path, (str, os.PathLike)):
        raise ArgumentError(f"a path is a str or a Path; got {path!r}")
    return Path(path)
