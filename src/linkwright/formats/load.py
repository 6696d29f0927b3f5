"""One door for every robot: a file of any kind that is read here, or the name of a built-in mechanism."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path

from linkwright.bounds import truth
from linkwright.errors import ArgumentError, FormatError, InputError, UnknownNameError, explained
from linkwright.formats.named import example_names, robot_file
from linkwright.formats.table import FORMATS, format_of, suffixes
from linkwright.formats.xml import shortened
from linkwright.model.build.assembly import assemble
from linkwright.model.library.built_in import BUILT_IN, NAMES, built_in
from linkwright.model.tree import Model
from linkwright.status import told

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
    """The model in a file (.urdf, .xacro, .xml, .sdf, .ztk, .usd), of a built-in mechanism ("puma560", "planar:5"), or
    of a robot that is installed ("panda": example-robot-data; robot_descriptions where it has the files already).

    ``root="free"`` sets the base afloat on a free joint named "root"; otherwise a URDF's base is welded
    to the world. Missing meshes and unresolved ``package://`` do not matter: meshes are opened when they are drawn or
    weighed; their packages are looked for in the folders above the file, those of ``packages`` and ROS's paths. A .xml
    file is URDF, MJCF or SDF, by its root element. ``formats`` are those allowed: ("urdf",) refuses the others.

    What may be trusted: a URDF, SDF or ZTK file from anywhere does no harm; strict readers of ours read it. MJCF and
    USD files are read by MuJoCo and OpenUSD, native code that opens the files they name: in a process of its own, which
    has a minute and 4 GiB of memory. A xacro file *is* a program: load those you trust only. It too runs in such a
    process, which opens the files of its package and of the folders in ``packages`` alone. ``trusted=True`` says that
    a file is no harm: it is read in this process without these limits, about 0.3 s faster. A robot that is known
    by name is read as its file is; nothing is downloaded.

    Raises :class:`FormatError` with everything wrong in the file (also a ``ValueError``; where there is
    no such file, a ``FileNotFoundError``), :class:`UnknownNameError` for a name that is not known, with near ones,
    and :class:`InputError` for one that may mean several robots;
    warns once with :class:`FormatWarning` of what was ignored or mended.
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
    with told(f"reading {shortened(text)}"):
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
    except (OSError, ValueError):  # too long, or with a null character: no path
        return False


def _built_in(name: str, root: str | None) -> Model:
    model = built_in(name)
    return model if root is None else assemble(model.description.rooted(root))
