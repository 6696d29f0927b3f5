"""One door for every robot: a file of any kind that is read here, or the name of a built-in mechanism."""

from __future__ import annotations

import os
from pathlib import Path

from linkwright.errors import ArgumentError, FormatError, InputError, UnknownNameError
from linkwright.formats.xml import read_bytes, root_tag, shortened
from linkwright.model.assembly import assemble
from linkwright.model.tree import Model

SUFFIXES = (".urdf", ".xacro", ".xml", ".mjcf")
ROOTS = (None, "fixed", "free")


def load(source: str | os.PathLike[str], *, root: str | None = None) -> Model:
    """The model in a file (.urdf, .xacro, .xml) or of a built-in mechanism ("puma560", "planar:5").

    ``root="free"`` sets the base afloat on a free joint named "root"; otherwise a URDF's base is welded
    to the world. Missing meshes and unresolved ``package://`` do not matter. A .xml file is URDF or
    MJCF, by its root element. Xacro files run code: load those you trust only.

    Raises :class:`FormatError` with everything wrong in the file (also a ``ValueError``; where there is
    no such file, a ``FileNotFoundError``), :class:`UnknownNameError` for a name that is not built in;
    warns once with :class:`FormatWarning` of what was ignored or mended.
    """
    if root not in ROOTS:
        raise InputError(f"root is {root!r}; it may be 'free', 'fixed' or None")
    if not isinstance(source, str | os.PathLike) or not isinstance(os.fspath(source), str):
        raise ArgumentError(f"load takes a path or the name of a built-in mechanism; got {source!r:.200}")
    text = os.fspath(source)
    if text.lstrip().startswith("<"):
        raise InputError("load takes a path, not the text of a file; linkwright.formats.urdf.parse_urdf reads text")
    if isinstance(source, str) and not _is_path(source):
        return _built_in(source, root)
    return _read(text, root)


def _is_path(source: str) -> bool:
    looks = Path(source).suffix.lower() in SUFFIXES or "/" in source or os.sep in source
    try:
        return looks or Path(source).is_file()
    except (OSError, ValueError):  # too long, or with a null character: no path
        return False


def _built_in(name: str, root: str | None) -> Model:
    from linkwright.model.library import BUILT_IN, built_in

    if name.partition(":")[0] not in BUILT_IN:
        raise UnknownNameError("file or built-in mechanism", shortened(name), BUILT_IN)
    model = built_in(name)
    return model if root is None else assemble(model.description.rooted(root))


def _read(path: str, root: str | None) -> Model:
    suffix = Path(path).suffix.lower()
    if suffix == ".xacro":
        from linkwright.formats.xacro import read_xacro

        return read_xacro(path, root)
    from linkwright.formats.urdf import read_urdf

    if suffix == ".urdf":
        return read_urdf(path, root)
    tag = root_tag(read_bytes(path), path)
    if tag == "robot":
        return read_urdf(path, root)
    if tag == "mujoco":
        from linkwright.formats.mjcf import read_mjcf

        return read_mjcf(path, root)
    raise FormatError(f"{path}: the root element is <{shortened(tag)}>; expected <robot> (URDF) or <mujoco> (MJCF)")
