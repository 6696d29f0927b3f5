"""Loading of models from files and texts, and of built-in and installed robots by name."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from linkwright.bounds import truth
from linkwright.errors import ArgumentError, FormatError, InputError, UnknownNameError, explained
from linkwright.formats.lookup.installed_robots import is_name_of_two_parts, robot_file
from linkwright.formats.lookup.packages import Packages, packages_of, placed
from linkwright.formats.table import FORMATS, FileFormat, format_of, format_of_text, suffixes
from linkwright.formats.xml import MAX_BYTES, is_xml, shortened, without_declaration
from linkwright.model.build.assembly import assemble
from linkwright.model.joints.joint_type import joint_name
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
    packages: Packages = (),
    trusted: bool = False,
) -> Model:
    """Load a model from a file or text, or by the name of a built-in or installed robot.

    Parameters
    ----------
    source : str or path-like
        Path of a file (.urdf, .xacro, .xml, .mjcf, .sdf, .ztk, .usd); text of a URDF, MJCF or SDF file, such as the
        ``robot_description`` of ROS; name of a built-in mechanism ("puma560", "planar:5"); or name of a robot in an
        installed package ("panda": example-robot-data; robot_descriptions or mujoco-menagerie with downloaded files).
        The format of a text or an .xml file (URDF, MJCF or SDF) is that of its root element. Relative paths in a text
        start at the working directory.
    root : {"free", "fixed"}, optional
        Joint of the base: "free" makes it float on a free joint named "root". By default that of the file; the base of
        a URDF file is welded to the world.
    formats : sequence of str, optional
        Accepted formats: ("urdf",) rejects all others.
    packages : mapping of str to path-like, or sequence of path-like, optional
        Folders of packages by name, ``{"my_robot": "/path/of/my_robot"}``; or folders in which ``package://`` paths are
        searched, in addition to the folders above the file and the paths of ROS.
    trusted : bool, optional
        Read the file in this process without limits, about 0.3 s faster.

    Returns
    -------
    Model
        Mechanism. Missing meshes are no error, since meshes are opened when they are drawn or weighed.

    Raises
    ------
    FormatError
        With all problems of the file or text.
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
    root = joint_name(root)
    if root not in ROOTS:
        raise InputError(f"root is {root!r}; it may be 'free', 'fixed' or None")
    truth("trusted", trusted)
    named, folders = packages_of(packages)
    given = [] if isinstance(formats, str) or not isinstance(formats, Collection) else list(formats)
    if not given or not all(one in FORMATS for one in given):
        raise InputError(f"formats is a list of some of {', '.join(map(repr, FORMATS))}; got {formats!r}")
    if not isinstance(source, str | os.PathLike) or not isinstance(os.fspath(source), str):
        raise ArgumentError(f"load takes a path or the name of a built-in mechanism; got {source!r:.200}")
    text = os.fspath(source)
    if not text.strip():
        raise InputError("load takes a robot file, or the name of a mechanism; the name that is given is empty")
    options: dict[str, Any] = {"packages": packages, "trusted": trusted}
    if isinstance(source, str) and is_xml(source):
        xml = without_declaration(source)
        model: Model = _format_of_text(xml, given).read_text(xml, root, **options)
    else:
        if isinstance(source, str) and not _is_file(source):
            _reject_other_text(source)
            if source.partition(":")[0] in BUILT_IN and not _is_path(source):
                return _built_in(source, root)
            text = source if _is_path(source) else _file_of_name(source)
        found = format_of(text)
        if found.name not in given:
            raise FormatError(f"{shortened(text, 300)} is {found.name}; allowed is {', '.join(given)}")
        with status_message(f"reading {shortened(text)}"):
            model = found.read(text, root, **options)
    if packages and model.shapes:
        model = replace(model, shapes=tuple(placed(shape, named, folders) for shape in model.shapes))
    return model


def _format_of_text(source: str, formats: Sequence[str]) -> FileFormat:
    if len(source) > MAX_BYTES:
        raise FormatError(f"the text is longer than {MAX_BYTES >> 20} MB, the most that is read")
    found = format_of_text(source)
    if found.name not in formats:
        raise FormatError(f"the text is {found.name}; allowed is {', '.join(formats)}")
    return found


def _reject_other_text(source: str) -> None:
    """Raise :class:`FormatError` for a text that is neither XML nor a name."""
    start = re.search(r"<[?!a-zA-Z]", source)
    if start is None and "\n" not in source.strip():
        return
    shown = shortened(" ".join(source[:200].split()))
    if start is None:
        raise FormatError(
            f"the text is no XML: it begins with {shown!r}; load takes the text of a URDF, MJCF or SDF file, "
            "a path, or a name"
        )
    raise FormatError(f"the text does not begin with '<', as XML does, but with {shown!r}; remove what precedes '<'")


def _file_of_name(source: str) -> str:
    try:
        return os.fspath(robot_file(source, NAMES))
    except UnknownNameError:
        if os.path.isdir(source):
            raise FormatError(f"{shortened(source)!r} is a folder; expected a robot file, or a name") from None
        raise


def _is_path(source: str) -> bool:
    """Return whether a text that names no file is a path: by its suffix or its folders."""
    if Path(source).suffix.lower() in suffixes():
        return True
    return ("/" in source or os.sep in source) and not is_name_of_two_parts(source)


def _is_file(source: str) -> bool:
    try:
        return Path(source).is_file()
    except (OSError, ValueError):  # too long, or with a null character
        return False


def _built_in(name: str, root: str | None) -> Model:
    model = built_in(name)
    return model if root is None else assemble(model.description.rooted(root))
