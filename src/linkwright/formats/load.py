"""Loading of models from files, and of built-in and installed robots by name."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path

from linkwright.bounds import truth
from linkwright.errors import ArgumentError, FormatError, InputError, UnknownNameError, explained
from linkwright.formats.installed_robots import example_names, robot_file
from linkwright.formats.table import FORMATS, format_of, suffixes
from linkwright.formats.xml import shortened
from linkwright.model.build.assembly import assemble
from linkwright.model.library.built_in import BUILT_IN, NAMES, built_in
from linkwright.model.tree import Model
from linkwright.status import status_message

ROOTS = (None, "fixed", "free")


@explained
def load(
    source: str | os.PathLike[str],
    *,
    root: str | None = None,
    formats: Sequence[str] = tuple(FORMATS),
    packages: Sequence[str | os.PathLike[str]] = (),
    trusted: bool = False,
) -> Model:
    """Load a model from a file, or by the name of a built-in or installed robot.

    Parameters
    ----------
    source : str or path-like
        Path of a file (.urdf, .xacro, .xml, .mjcf, .sdf, .ztk, .usd); name of a built-in mechanism ("puma560",
        "planar:5"); or name of a robot in an installed package ("panda": example-robot-data, or robot_descriptions with
        downloaded files). The format of an .xml file (URDF, MJCF or SDF) is that of its root element.
    root : {"free", "fixed"}, optional
        Joint of the base: "free" makes it float on a free joint named "root". By default that of the file; the base of
        a URDF file is welded to the world.
    formats : sequence of str, optional
        Accepted formats: ("urdf",) rejects all others.
    packages : sequence of path-like, optional
        Folders in which ``package://`` paths are searched, in addition to the folders above the file and the paths of
        ROS.
    trusted : bool, optional
        Read the file in this process without limits, about 0.3 s faster.

    Returns
    -------
    Model
        Mechanism. Missing meshes are no error, since meshes are opened when they are drawn or weighed.

    Raises
    ------
    FormatError
        With all problems of the file.
    MissingFileError
        If the file does not exist.
    UnknownNameError
        If the name is unknown; the message contains similar names.
    InputError
        If the name may mean several robots.

    Notes
    -----
    URDF, SDF and ZTK files are read by strict parsers of this library and are safe from any source. MJCF and USD files
    are read by MuJoCo and OpenUSD, native code that opens the files they name; it runs in a separate process with a
    minute of time and 4 GiB of memory. A xacro file is a program: load only files that you trust. It runs in such a
    process with access only to the files of its package and of `packages`. Nothing is downloaded. Elements that were
    ignored or repaired are listed in one :class:`FormatWarning`.

    Examples
    --------
    >>> import linkwright as lw
    >>> lw.load("two_link").nq
    2
    """
    if root not in ROOTS:
        raise InputError(f"root is {root!r}; it may be 'free', 'fixed' or None")
    truth("trusted", trusted)
    if isinstance(packages, (str, bytes, os.PathLike)) or not isinstance(packages, Sequence):
        raise ArgumentError(f"packages is a list of folders; got {packages!r}")
    given = [] if isinstance(formats, str) or not isinstance(formats, Collection) else list(formats)
    if not given or not all(one in FORMATS for one in given):
        raise InputError(f"formats is a list of some of {', '.join(map(repr, FORMATS))}; got {formats!r}")
    if not isinstance(source, str | os.PathLike) or not isinstance(os.fspath(source), str):
        raise ArgumentError(f"load takes a path or the name of a built-in mechanism; got {source!r:.200}")
    text = os.fspath(source)
    if not text.strip():
        raise InputError("load takes a robot file, or the name of a mechanism; the name that is given is empty")
    if text.lstrip().startswith("<"):
        raise InputError("load takes a path, not the text of a file; linkwright.formats.urdf.parse_urdf reads text")
    if isinstance(source, str) and not _is_path(source):
        if source.partition(":")[0] in BUILT_IN:
            return _built_in(source, root)
        try:
            text = os.fspath(robot_file(source, NAMES))
        except UnknownNameError:
            if os.path.isdir(source):
                raise FormatError(f"{shortened(source)!r} is a folder; expected a robot file, or a name") from None
            raise
    found = format_of(text)
    if found.name not in formats:
        raise FormatError(f"{shortened(text, 300)} is {found.name}; allowed is {', '.join(formats)}")
    with status_message(f"reading {shortened(text)}"):
        model: Model = found.read(text, root, packages=packages, trusted=trusted)
    if packages and model.shapes:
        folders = tuple(os.fspath(folder) for folder in packages)
        shapes = tuple(replace(shape, folders=(*shape.folders, *folders)) for shape in model.shapes)
        model = replace(model, shapes=shapes)
    return model


def _is_path(source: str) -> bool:
    if Path(source).suffix.lower() in suffixes():
        return True
    parts = "/" in source or os.sep in source
    try:
        return Path(source).is_file() or (parts and source not in example_names())
    except (OSError, ValueError):  # too long, or with a null character
        return False


def _built_in(name: str, root: str | None) -> Model:
    model = built_in(name)
    return model if root is None else assemble(model.description.rooted(root))
