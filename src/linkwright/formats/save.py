"""Models to files: one door for every format that is written."""

from __future__ import annotations

import os
from pathlib import Path

from linkwright.errors import ArgumentError, ModelError
from linkwright.files import write_text
from linkwright.formats.mjcf.writing import mjcf_text
from linkwright.formats.sdf.writing import sdf_text
from linkwright.formats.urdf.writing import urdf_text
from linkwright.formats.ztk.writing import ztk_text
from linkwright.model.build.assembly import described
from linkwright.model.tree import Model

WRITTEN = {".urdf": urdf_text, ".xml": mjcf_text, ".mjcf": mjcf_text, ".sdf": sdf_text, ".ztk": ztk_text}
"""What writes the files of an ending."""


def save(model: Model, path: str | os.PathLike[str]) -> Path:
    """Write a model: as URDF (.urdf), MJCF (.xml, .mjcf), SDF (.sdf) or ZTK (.ztk), by the ending of the path, which
    is returned.

    The file is whole or not written at all; folders that are not there are made. Numbers are written with all their
    digits. Warns once (:class:`FormatWarning`) of what the format cannot say, item by item. Raises
    :class:`ArgumentError` for another ending, :class:`InputError` where writing fails, and :class:`ModelError` for a
    minimal model, whose inertias are no longer those of bodies, or one that holds symbols.
    """
    ending = ending_of(path)
    if model.holds_symbols:
        raise ModelError(f"{model.name!r} holds symbols, and files hold numbers: build it with numbers to save it")
    text, losses = WRITTEN[ending](described(model), os.fspath(path))
    written = write_text(Path(path), text)
    losses.tell()
    return written


def ending_of(path: str | os.PathLike[str]) -> str:
    """The ending, one that models are written with; :class:`ArgumentError` for another."""
    if not isinstance(path, str | os.PathLike):
        raise ArgumentError(f"a path is a str or a Path; got {path!r}")
    ending = Path(path).suffix.lower()
    if ending not in WRITTEN:
        raise ArgumentError(
            f"models are written as .urdf (URDF), .xml, .mjcf (MJCF), .sdf (SDF) or .ztk (ZTK); got {os.fspath(path)!r}"
        )
    return ending
