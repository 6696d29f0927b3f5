"""Writing of models to files."""

from __future__ import annotations

import os
from pathlib import Path

from linkwright.errors import ModelError
from linkwright.files import write_text
from linkwright.formats.srdf import srdf_text
from linkwright.formats.table import written_format
from linkwright.model.build.assembly import described
from linkwright.model.tree import Model


def save(model: Model, path: str | os.PathLike[str]) -> Path:
    """Write a model as URDF (.urdf), MJCF (.xml, .mjcf), SDF (.sdf) or ZTK (.ztk), by the ending of the path; return
    it. An SRDF file (.srdf) has the pairs of links that do not collide.

    The file is written completely or not at all, and missing folders are created. Numbers are written with all
    digits. Elements that the format cannot represent are listed in one :class:`FormatWarning`. Raises
    :class:`ArgumentError` for another ending, :class:`InputError` if writing fails, and :class:`ModelError` for a
    minimal model, whose inertias are not those of bodies, or for a model with symbols.
    """
    if isinstance(path, str | os.PathLike) and Path(path).suffix.lower() == ".srdf":
        return write_text(Path(path), srdf_text(model))
    format = written_format(path)
    if model.holds_symbols:
        raise ModelError(f"{model.name!r} has symbols, which files cannot contain: build it with numbers to save it")
    text, losses = format.text_of(described(model), os.fspath(path))
    written = write_text(Path(path), text)
    losses.warn()
    return written
