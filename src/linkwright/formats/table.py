"""File formats of robots: one row for each, with all differences between formats."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from linkwright.errors import ArgumentError, FormatError
from linkwright.formats.xml import TEXT, read_bytes, root_tag, shortened


@dataclass(frozen=True)
class FileFormat:
    """A file format of robots, with the functions that read and write it.

    A function is "module:name", below `linkwright.formats`, and is imported when it is called.
    """

    name: str
    """name in `load(formats=…)`"""
    title: str
    reader: str
    """a function (path, root, …) that returns a model"""
    suffixes: tuple[str, ...] = ()
    """suffixes of files that always have this format"""
    root_element: str = ""
    """root element of XML files with other suffixes"""
    options: tuple[str, ...] = ()
    """arguments of :func:`~linkwright.load` that the reader accepts"""
    writer: str = ""
    """a function (description, path) that returns the text and the losses; "": the format is not written"""
    written: tuple[str, ...] = ()
    """suffixes of files that are written in this format"""
    text_reader: str = ""
    """a function (text, root, …) that returns a model; "": the format is read from files only"""

    def read(self, path: str, root: str | None, **options: Any) -> Any:
        """Read the model in a file."""
        return _function(self.reader)(path, root, **{name: options[name] for name in self.options})

    def read_text(self, text: str, root: str | None, **options: Any) -> Any:
        """Read the model in a text."""
        return _function(self.text_reader)(text, root, **{name: options[name] for name in self.options})

    def text_of(self, description: Any, path: str) -> Any:
        """Return the text of a file, and its losses."""
        return _function(self.writer)(description, path)


FORMATS = {
    one.name: one
    for one in (
        FileFormat(
            *("urdf", "URDF", "urdf.reading:read_urdf", (".urdf",), "robot"),
            writer="urdf.writing:urdf_text",
            written=(".urdf",),
            text_reader="urdf.reading:parse_urdf",
        ),
        FileFormat("xacro", "xacro", "urdf.xacro:read_xacro", (".xacro",), options=("packages", "trusted")),
        FileFormat(
            *("mjcf", "MJCF", "mjcf.reading:read_mjcf", (), "mujoco", ("trusted",)),
            writer="mjcf.writing:mjcf_text",
            written=(".xml", ".mjcf"),
            text_reader="mjcf.reading:parse_mjcf",
        ),
        FileFormat(
            *("sdf", "SDF", "sdf.reading:read_sdf", (".sdf",), "sdf"),
            writer="sdf.writing:sdf_text",
            written=(".sdf",),
            text_reader="sdf.reading:parse_sdf",
        ),
        FileFormat(
            *("ztk", "ZTK", "ztk.reading:read_ztk", (".ztk",)),
            writer="ztk.writing:ztk_text",
            written=(".ztk",),
        ),
        FileFormat("usd", "USD", "usd:read_usd", (".usd", ".usda", ".usdc", ".usdz"), options=("trusted",)),
    )
}
"""The formats, by their names."""

BY_ROOT_ELEMENT = (".xml", ".mjcf", ".world")
"""Suffixes of robot files whose format the root element decides."""


def suffixes() -> tuple[str, ...]:
    """Suffixes of robot files that are read."""
    return (*(suffix for one in FORMATS.values() for suffix in one.suffixes), *BY_ROOT_ELEMENT)


def format_of(path: str) -> FileFormat:
    """Return the format of a file, by its suffix or its root element."""
    suffix = Path(path).suffix.lower()
    for one in FORMATS.values():
        if suffix in one.suffixes:
            return one
    if suffix == ".srdf":
        raise FormatError(f"{path}: SRDF has no links: load the URDF file, and give this one to with_contact(srdf=…)")
    return _of_root_element(root_tag(read_bytes(path), path), path)


def format_of_text(text: str) -> FileFormat:
    """Return the format of an XML text, by its root element."""
    return _of_root_element(root_tag(text, TEXT), TEXT)


def _of_root_element(tag: str, place: str) -> FileFormat:
    known = [one for one in FORMATS.values() if one.root_element]
    for one in known:
        if tag == one.root_element:
            return one
    expected = _either([f"<{one.root_element}> ({one.title})" for one in known])
    raise FormatError(f"{place}: the root element is <{shortened(tag)}>; expected {expected}")


def written_format(path: Any) -> FileFormat:
    """Return the format in which a model is written to this path; :class:`ArgumentError` for an unknown suffix."""
    if not isinstance(path, str | os.PathLike):
        raise ArgumentError(f"a path is a str or a Path; got {path!r}")
    for one in FORMATS.values():
        if Path(path).suffix.lower() in one.written:
            return one
    known = _either([f"{', '.join(one.written)} ({one.title})" for one in FORMATS.values() if one.writer])
    text = f"models are written as {known}, pairs of links that do not collide as .srdf"
    raise ArgumentError(f"{text}; got {os.fspath(path)!r}")


def _function(place: str) -> Callable[..., Any]:
    module, _, name = place.partition(":")
    return getattr(import_module(f"{__package__}.{module}"), name)


def _either(names: list[str]) -> str:
    return f"{', '.join(names[:-1])} or {names[-1]}"
