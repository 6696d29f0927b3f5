"""Models to files: one door for every format that is written."""

from __future__ import annotations

import os
from pathlib import Path

from linkwright.errors import ModelError
from linkwright.files import write_text
from linkwright.formats.table import written_format
from linkwright.model.build.assembly import described
from linkwright.model.tree import Model


def save(model: Model, path: str | os.PathLike[str]) -> Path:
    """Write a model: as URDF (.urdf), MJCF (.xml, .mjcf), SDF (.sdf) or ZTK (.ztk), by the ending of the path, which
    is returned.

    The file is whole or not written at all; folders that are not there are made. Numbers are written with all their
    digits. Warns once (:class:`FormatWarning`) of what the format cannot say, item by item. Raises
    :class:`ArgumentError` for another ending, :class:`InputError` where writing fails, and :class:`ModelError` for a
    minimal model, whose inertias are no longer those of bodies, or one that holds symbols.
    """
    format = written_format(path)
    if model.holds_symbols:
        raise ModelError(f"{model.name!r} holds symbols, and files hold numbers: build it with numbers to save it")
    text, losses = format.text_of(described(model), os.fspath(path))
    written = write_text(Path(path), text)
    losses.tell()
    return written
