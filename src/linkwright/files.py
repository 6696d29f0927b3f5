"""How files are written: whole or not at all. Folders that are not there are made; what cannot be written is told.
How archives of arrays are read.

What is new is written beside what was there and takes its place at the end, so that a full disk or an interrupt
leaves the earlier results as they were.
"""

from __future__ import annotations

import io
import os
import secrets
import shutil
import stat
import tempfile
import warnings
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np

from linkwright.errors import ArgumentError, FormatError, InputError, MissingFileError

LARGEST_ARCHIVE = 16 * 2**30
"""Bytes of all arrays of an archive, decompressed."""


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


@contextmanager
def replacing(path: str | Path, what: str = "files", *endings: str) -> Iterator[Path]:
    """Where to write a file, which takes the place of what is at ``path`` when the block ends well.

    Its ending is that of ``path``, which is refused as by :func:`file_at`. Raises :class:`InputError` where writing
    fails; what was at ``path`` is as it was then, and what was written is gone.
    """
    file = file_at(path, what, *endings)
    target = Path(os.path.realpath(file))  # a link stays one
    place = target.with_name(f".new-{secrets.token_hex(6)}{target.suffix}")
    if target.is_fifo() or target.is_socket():
        raise InputError(f"cannot write {str(path)!r}: it is a pipe, which would wait for whoever reads it")
    if target.exists() and not target.is_file():
        place = target  # a device
    try:
        if target.exists() and not os.access(target, os.W_OK):
            raise PermissionError("it may not be written to")
        yield place
        if place != target:
            with suppress(OSError):
                shutil.copymode(target, place)
            os.replace(place, target)
    except OSError as error:
        raise InputError(f"cannot write {str(path)!r}: {error.strerror or error}") from error
    finally:
        if place != target:
            with suppress(OSError):
                place.unlink()


def write_text(path: str | Path, text: str, what: str = "files", *endings: str) -> Path:
    """Write a file of that text, in UTF-8; its path."""
    with replacing(path, what, *endings) as place:
        place.write_text(text, encoding="utf-8")
    return Path(path)


def write_figure(path: str | Path, figure: Any, **options: Any) -> Path:
    """Write a Matplotlib figure, as the kind of picture that the path's ending says; its path."""
    file, data = file_at(path), io.BytesIO()
    try:  # Matplotlib's writers of files leave odd errors on a full disk
        figure.savefig(data, format=file.suffix[1:] or "png", **options)
    except ValueError as error:  # a kind of picture that there is not
        raise InputError(f"cannot write {str(path)!r}: {error}") from None
    with replacing(file) as place:
        place.write_bytes(data.getvalue())
    return file


@contextmanager
def replacing_together(folder: str | Path, names: Iterable[str] = ()) -> Iterator[Path]:
    """A folder to write files in that belong together: when the block ends well, all of them move to ``folder``.

    Files there of the other ``names`` are of an earlier run, and removed. Raises :class:`InputError` where writing
    fails, and ``folder`` is as it was then.
    """
    folder = folder_at(folder)
    try:
        with tempfile.TemporaryDirectory(prefix=".new-", dir=folder) as made:
            place = Path(made)
            try:
                yield place
            except InputError as error:  # told of the place that is meant
                raise InputError(str(error).replace(str(place), str(folder))) from error
            written = sorted(file.name for file in place.iterdir())
            for name in written:
                if (folder / name).is_dir():
                    raise InputError(f"cannot write {str(folder / name)!r}: it is a folder")
            for name in sorted({*names} - {*written}):
                (folder / name).unlink(missing_ok=True)
            for name in written:
                os.replace(place / name, folder / name)
    except OSError as error:
        raise InputError(f"cannot write in {str(folder)!r}: {error.strerror or error}") from error


def readable_file(path: str | os.PathLike[str]) -> Path:
    """Return the path of an ordinary file that exists.

    Raises :class:`MissingFileError` where there is none, and :class:`FormatError` for a folder, a pipe, a device or
    a name that no file can have.
    """
    if not isinstance(path, (str, os.PathLike)):
        raise ArgumentError(f"a path is a str or a Path; got {path!r}")
    name = f"{os.fspath(path)!s:.300}"
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        raise MissingFileError(f"there is no file {name!r}") from None
    except (OSError, ValueError) as error:  # ValueError: a null character, or characters that no file name has
        raise FormatError(f"{name!r} cannot be read: {getattr(error, 'strerror', None) or error}") from None
    if not stat.S_ISREG(mode):  # reading a pipe waits for whoever writes to it
        kind = "a folder" if stat.S_ISDIR(mode) else "a pipe, a socket or a device"
        raise FormatError(f"{name!r} is {kind}; expected a file")
    return Path(path)


def read_arrays(
    path: str | os.PathLike[str], kind: str, needed: Iterable[str] = (), others: Iterable[str] | None = None
) -> dict[str, Any]:
    """Read arrays of numbers, texts and truth values from an archive of NumPy (.npz).

    Parameters
    ----------
    path : path-like
        Archive.
    kind : str
        Content of the file, for messages: "a trajectory".
    needed : iterable of str, optional
        Names of arrays that the archive must have.
    others : iterable of str, optional
        Names of arrays that are read where the archive has them. By default all are read.

    Returns
    -------
    dict of str to ndarray
        Arrays by name. No array has objects: nothing of the file is executed.

    Raises
    ------
    MissingFileError
        If there is no such file.
    FormatError
        If the file is no archive, is damaged, lacks an array, has objects, or holds more than ``LARGEST_ARCHIVE``.
    """
    file, needed = readable_file(path), list(needed)
    wanted = None if others is None else {*needed, *others}
    found: dict[str, Any] = {}
    try:
        with zipfile.ZipFile(file) as archive, warnings.catch_warnings(action="ignore"):
            members = {one.filename.removesuffix(".npy"): one for one in archive.infolist()}
            if missing := [name for name in needed if name not in members]:
                raise FormatError(
                    f"{file}: this is no {kind}: it has no array {missing[0]!r}; "
                    f"there are {', '.join(sorted(members)[:16]) or 'none'}"
                )
            read = {name: one for name, one in members.items() if wanted is None or name in wanted}
            if sum(one.file_size for one in read.values()) > LARGEST_ARCHIVE:
                raise FormatError(f"{file}: its arrays have more than {LARGEST_ARCHIVE >> 30} GB")
            for name, one in read.items():
                with archive.open(one) as member:
                    found[name] = np.lib.format.read_array(member, allow_pickle=False)
    except FormatError:
        raise
    except Exception as error:  # each decompressor, and NumPy's parser of headers, has errors of its own
        reason = "it has arrays of objects" if "allow_pickle" in str(error) else f"{error}"[:200]
        raise FormatError(f"{file}: this is no {kind} (.npz), or it is damaged: {reason}") from None
    return found


def _path(path: str | Path) -> Path:
    if not isinstance(path, (str, os.PathLike)):
        raise ArgumentError(f"a path is a str or a Path; got {path!r}")
    try:
        Path(path).exists()
        if "\0" in os.fspath(path):
            raise ValueError("it has a null character")
        os.fsencode(path)
    except (OSError, ValueError) as error:  # too long, or of characters that no file name has
        raise InputError(f"cannot write {str(path)!r:.200}: {getattr(error, 'strerror', None) or error}") from None
    return Path(path)
