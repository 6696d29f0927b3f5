"""Folders of ROS packages, in which ``package://`` paths of robot files are searched."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from linkwright.errors import ArgumentError, InputError
from linkwright.model.parts.shape import Shape

Packages = Mapping[str, str | os.PathLike[str]] | Sequence[str | os.PathLike[str]]

SCHEMES = ("package://", "model://")


def packages_of(packages: Any) -> tuple[dict[str, str], list[str]]:
    """Return the folders of packages by name, and the folders in which other packages are searched.

    Raises :class:`ArgumentError` for other types, and :class:`InputError` for a package whose folder does not exist.
    """
    mapping = isinstance(packages, Mapping)
    if isinstance(packages, (str, bytes, os.PathLike)) or not (mapping or isinstance(packages, Sequence)):
        raise ArgumentError(_expected(packages))
    folders = [*packages.values()] if mapping else [*packages]
    if not all(isinstance(folder, str | os.PathLike) and _is_text(folder) for folder in folders):
        raise ArgumentError(_expected(packages))
    if not mapping:
        return {}, [os.path.abspath(folder) for folder in folders]
    for name, folder in packages.items():
        if not isinstance(name, str) or not name or "/" in name:
            raise InputError(f"packages: a package has a name without slashes; got {name!r}")
        if not os.path.isdir(folder):
            raise InputError(f"packages: there is no folder {os.fspath(folder)!r}, which is given for {name!r}")
    return {name: os.path.abspath(folder) for name, folder in packages.items()}, []


def _is_text(folder: Any) -> bool:
    path = os.fspath(folder)
    return isinstance(path, str) and "\0" not in path


def _expected(packages: Any) -> str:
    return f"packages is a list of folders, or a mapping of names of packages to folders; got {packages!r:.200}"


def placed(shape: Shape, named: Mapping[str, str], folders: Sequence[str]) -> Shape:
    """Return a shape whose mesh is found in these packages: its path, or the folders that are searched."""
    for scheme in SCHEMES:
        package, _, path = shape.file.removeprefix(scheme).lstrip("/").partition("/")
        if shape.file.startswith(scheme) and package in named:
            return replace(shape, file=os.path.join(named[package], path))
    return replace(shape, folders=(*shape.folders, *folders)) if folders else shape
