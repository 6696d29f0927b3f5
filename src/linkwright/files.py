"""Atomic writing of files and folders, and reading of archives of arrays.

A file is written under a temporary name in the same folder and then renamed, so that a full disk or an interrupt
leaves the earlier file unchanged. Missing folders are created.
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
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from linkwright.errors import ArgumentError, FormatError, InputError, MissingFileError

TEMPORARY = ".new-"
"""First characters of temporary names; a killed process can leave such files."""

LARGEST_ARCHIVE = 16 * 2**30
"""Largest size of all arrays of an archive after decompression, in bytes."""


def folder_at(path: str | Path) -> Path:
    """Return the folder at a path; create it where it does not exist."""
    folder = _path(path)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{str(path)!r} cannot be a folder: {error.strerror or error}") from None
    return folder


def file_at(path: str | Path, what: str = "files", *endings: str) -> Path:
    """Return the path of a file to write, with one of these endings; create its folder where it does not exist."""
    file = _path(path)
    if endings and file.suffix.lower() not in endings:
        shown = " or ".join([", ".join(endings[:-1]), endings[-1]] if len(endings) > 1 else endings)
        raise ArgumentError(f"{what} are written as {shown}; got {str(path)!r}")
    if file.is_dir():
        raise InputError(f"cannot write {str(path)!r}: it is a folder")
    folder_at(file.parent)
    return file


@contextmanager
def replacing(path: str | Path, what: str = "files", *endings: str) -> Iterator[Path]:
    """Yield a temporary path, which replaces ``path`` when the block ends without an error.

    The temporary path has the ending of ``path``, which is checked as in :func:`file_at`. Raises :class:`InputError`
    where writing fails; the file at ``path`` is then unchanged, and the temporary file is removed.
    """
    file = file_at(path, what, *endings)
    target = Path(os.path.realpath(file))  # a symbolic link is kept
    place = target.with_name(f"{TEMPORARY}{secrets.token_hex(6)}{target.suffix}")
    if target.is_fifo() or target.is_socket():
        raise InputError(f"cannot write {str(path)!r}: it is a pipe, which blocks until it is read")
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
    """Write text to a file in UTF-8 and return its path."""
    with replacing(path, what, *endings) as place:
        place.write_text(text, encoding="utf-8")
    return Path(path)


def write_figure(path: str | Path, figure: Any, **options: Any) -> Path:
    """Write a Matplotlib figure in the format of the path's ending and return the path."""
    file, data = file_at(path), io.BytesIO()
    kind = file.suffix[1:] or "png"
    try:  # Matplotlib's writers raise other errors on a full disk
        with _laid_out(figure, options.get("dpi")) if kind == "png" else nullcontext():
            figure.savefig(data, format=kind, **options)
    except ValueError as error:  # an unknown picture format
        raise InputError(f"cannot write {str(path)!r}: {error}") from None
    with replacing(file) as place:
        place.write_bytes(data.getvalue())
    return file


def write_rows(file: TextIO, table: Any, digits: int = 17) -> None:
    """Write rows (n, k) of numbers, separated by commas, with so many digits; 17 are exact."""
    line = ",".join([f"%.{digits}g"] * table.shape[1]) + "\n"  # NumPy's savetxt takes a third longer
    file.writelines(line % tuple(row) for row in table.tolist())


@contextmanager
def _laid_out(figure: Any, dpi: float | None) -> Iterator[None]:
    """Keep the layout of a figure during the block: Matplotlib would draw the figure once more for it."""
    engine, before = figure.get_layout_engine(), figure.dpi
    if engine is None:
        yield
        return
    try:
        figure.dpi = dpi or before
        engine.execute(figure)
        figure.set_layout_engine(None)
        yield
    finally:
        figure.dpi = before
        figure.set_layout_engine(engine)


@contextmanager
def replacing_together(folder: str | Path, names: Iterable[str] = ()) -> Iterator[Path]:
    """Yield a temporary folder, whose files move to ``folder`` together when the block ends without an error.

    Files of ``folder`` with the other ``names`` come from an earlier run and are removed. Raises :class:`InputError`
    where writing fails; ``folder`` is then unchanged.
    """
    folder = folder_at(folder)
    try:
        with tempfile.TemporaryDirectory(prefix=TEMPORARY, dir=folder) as made:
            place = Path(made)
            try:
                yield place
            except InputError as error:  # the message names the final path
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
    if not stat.S_ISREG(mode):  # reading a pipe blocks until it is written
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
    except Exception as error:  # decompressors and NumPy's parser raise various errors
        reason = "it has arrays of objects" if "allow_pickle" in str(error) else f"{error}"[:200]
        raise FormatError(f"{file}: this is no {kind} (.npz), or it is damaged: {reason}") from None
    return found


SAMPLE, WORTHWHILE = 65_536, 0.5
"""Bytes of the middle of an array that show how far it can be compressed, and the share that must be saved."""


def write_arrays(path: Path, arrays: Mapping[str, Any]) -> None:
    """Write an archive of NumPy (.npz), whose arrays are compressed where this saves half of their size.

    The last digits of measured or simulated numbers are noise: compression takes longer than everything else, and saves
    little.
    """
    with zipfile.ZipFile(path, "w") as archive:
        for name, given in arrays.items():
            array = np.asarray(given)
            middle = array.ravel()[array.size // 2 :][: SAMPLE // max(array.itemsize, 1)].tobytes()
            compressed = len(zlib.compress(middle, 1)) <= WORTHWHILE * len(middle)
            entry = zipfile.ZipInfo(f"{name}.npy", (1980, 1, 1, 0, 0, 0))
            entry.external_attr = 0o644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED if compressed else zipfile.ZIP_STORED
            with archive.open(entry, "w", force_zip64=True) as member:
                np.lib.format.write_array(member, array, allow_pickle=False)


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
