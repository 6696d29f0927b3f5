"""Results on disk: a zarr (version 3) group with an array for each output, written chunk by chunk.

A chunk of rows is complete once its part of ``status`` exists, which is written last: whenever a run stops, a chunk is
complete or absent. Parts are written to temporary files and renamed, with a checksum. A folder is a study once its
``zarr.json`` exists, which is written last of the description.
"""

from __future__ import annotations

import json
import os
import socket
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from linkwright.errors import InputError, MissingExtraError
from linkwright.files import TEMPORARY, write_text
from linkwright.spatial.arrays import Array
from linkwright.studies.columns import ROW, Column

FORMAT = 1
"""version of the group's attributes"""

STATUS, ERRORS, LOCK, RUNNING, GROUP, PARTIAL = "status", ".errors", ".lock", ".running.json", "zarr.json", ".partial"

ABSENT, DONE, FAILED = 0, 1, 2
"""Values of ``status``."""


class StoredArray(NamedTuple):
    """An array of the store."""

    shape: tuple[int, ...]
    """of one row"""
    dtype: str
    dimensions: tuple[str, ...]
    unit: str = ""

    @classmethod
    def of(cls, column: Column) -> StoredArray:
        """That of a column."""
        kind = "b1" if column.values.dtype.kind == "b" else column.values.dtype.str[1:]
        return cls(column.values.shape[1:], kind, column.dimensions, column.unit)

    @property
    def missing(self) -> Any:
        """Return the value of rows that failed."""
        return np.nan if np.dtype(self.dtype).kind == "f" else np.zeros((), self.dtype)[()]


class StoreMetadata(NamedTuple):
    """Description of a store."""

    rows: int
    chunk: int
    """rows that are computed and written together"""
    function: Mapping[str, str]
    """digests of the function's parts, by name"""
    parameters: Mapping[str, str]
    """likewise of them: kind, rows and seed as they are, digests of values by name"""
    names: Sequence[str]
    """of the parameters"""
    outputs: Sequence[str]
    title: str
    kind: str
    """of the samples"""
    grid: Mapping[str, int] | None
    """of a grid, how many values each parameter has"""
    versions: Mapping[str, str]
    """of Linkwright, NumPy and Python"""


class Store:
    """A study's folder, which is there."""

    def __init__(self, path: Path):
        self.path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return Store, (self.path,)

    @cached_property
    def group(self) -> Any:
        """The zarr group."""
        return _zarr().open_group(str(self.path), mode="r+" if os.access(self.path, os.W_OK) else "r", zarr_format=3)

    @cached_property
    def kept(self) -> StoreMetadata:
        """Return the description; raise :class:`InputError` for other contents."""
        try:
            attributes = self.group.attrs.asdict().get("linkwright")
        except Exception as error:
            raise InputError(f"{str(self.path)!r} is not a study: {error}") from None
        if not isinstance(attributes, dict) or attributes.get("format") != FORMAT:
            raise InputError(f"{str(self.path)!r} is not a study of this version of Linkwright")
        values: dict[str, Any] = {name: attributes.get(name) for name in StoreMetadata._fields}
        return StoreMetadata(**values)

    @classmethod
    def create(
        cls,
        path: Path,
        kept: StoreMetadata,
        parameters: Mapping[str, StoredArray],
        outputs: Mapping[str, StoredArray],
        fixed: Mapping[str, Array],
        compress: bool,
    ) -> Store:
        """A new store in a folder that is empty or not there."""
        zarr, files = _zarr(), dict[str, Any]()
        with _quiet():
            options = {"linkwright": {"format": FORMAT, **kept._asdict()}, "title": kept.title}
            group = zarr.create_group(zarr.storage.MemoryStore(files), zarr_format=3, attributes=options)
            for name, x in fixed.items():
                group.create_array(name, data=x, dimension_names=(name,), attributes=_attributes("s"))
            for name, one in {**parameters, **outputs}.items():
                _array(group, name, one, kept, compress)
            _array(group, STATUS, StoredArray((), "u1", ()), kept, True)
            zarr.consolidate_metadata(group.store)
        written = {name: x.to_bytes() for name, x in files.items()}
        written[GROUP] = _ordered(written.pop(GROUP))  # the last
        try:
            for name, content in written.items():
                (path / name).parent.mkdir(parents=True, exist_ok=True)
                _write(path / name, (content,))
            _flush_folder(path)
            _flush_folder(path.parent)
        except OSError as error:
            raise _cannot_write(path, error, begun=False) from error
        return cls(path)

    @property
    def is_new(self) -> bool:
        """Return whether the folder has no study; raise :class:`InputError` for other contents."""
        if not self.path.exists():
            return True
        if not self.path.is_dir():
            raise InputError(f"{str(self.path)!r} is a file: a study is kept in a folder")
        if (self.path / GROUP).is_file():
            return False
        found = {place.name for place in self.path.iterdir() if not place.name.startswith(TEMPORARY)}
        if found - {LOCK, RUNNING} and RUNNING not in found:  # else one that was stopped while it was begun
            raise InputError(f"{str(self.path)!r} has other files: use a new folder for the study")
        return True

    @property
    def chunks(self) -> int:
        """Return the number of chunks, complete or not."""
        return -(-self.kept.rows // self.kept.chunk)

    def bounds(self, k: int) -> tuple[int, int]:
        """The rows of the k-th chunk: the first, and the one after the last."""
        return k * self.kept.chunk, min(self.kept.rows, (k + 1) * self.kept.chunk)

    def statuses(self) -> Iterator[tuple[int, Array]]:
        """Iterate over complete chunks: number, and status of its rows, DONE or FAILED."""
        try:
            names = os.listdir(self.path / STATUS)
        except FileNotFoundError:
            return
        for k in sorted(int(name[2:]) for name in names if name.startswith("c.") and name[2:].isdecimal()):
            if k < self.chunks and (found := self.status_of(k)) is not None:
                yield k, found

    def complete(self) -> Array:
        """(chunks,) truth values: which are complete."""
        done = np.zeros(self.chunks, dtype=bool)
        for k, _ in self.statuses():
            done[k] = True
        return done

    def has(self, k: int) -> bool:
        """Return whether the k-th chunk is complete."""
        return self.status_of(k) is not None

    def status_of(self, k: int) -> Array | None:
        """Return the status of the rows of the k-th chunk; None if it is incomplete: without a valid status, or with a
        missing file.
        """
        first, last = self.bounds(k)
        try:
            found = self._parts[STATUS].decoded(self._place(STATUS, k).read_bytes())[: last - first]
        except (OSError, ValueError, RuntimeError):  # none, or a damaged file with a wrong checksum
            return None
        whole = bool((found != ABSENT).all()) and all(self._place(name, k).is_file() for name in self.arrays)
        return found if whole else None

    @cached_property
    def arrays(self) -> dict[str, Any]:
        """Those with a part for each chunk, the status left out."""
        names = [name for name in (*self.kept.names, *self.kept.outputs) if name in self.group]
        return {name: self.group[name] for name in names}

    @cached_property
    def _parts(self) -> dict[str, ChunkCodec]:
        return {name: ChunkCodec.of(array) for name, array in (*self.arrays.items(), (STATUS, self.group[STATUS]))}

    def _place(self, name: str, k: int) -> Path:
        """The file of a chunk."""
        inner = self.arrays[name].ndim - 1 if name in self.arrays else 0
        return self.path / name / f"c.{k}{'.0' * inner}"

    def damaged(self, name: str, first: int, last: int) -> list[Path]:
        """Files with these rows of an array that are there and cannot be read."""
        found = []
        for k in range(first // self.kept.chunk, -(-last // self.kept.chunk)) if name in self._parts else ():
            place = self._place(name, k)
            try:
                self._parts[name].decoded(place.read_bytes())
            except FileNotFoundError:
                continue
            except (OSError, ValueError, RuntimeError):
                found.append(place)
        return found

    def write(self, k: int, columns: Mapping[str, Array], failures: Mapping[int, str]) -> None:
        """Write a chunk: its arrays by name (rows, …), and the errors of rows that failed, by row of the chunk."""
        first, last = self.bounds(k)
        status = np.full(last - first, DONE, dtype=np.uint8)
        status[list(failures)] = FAILED
        try:
            for name in self.arrays:
                _write(self._place(name, k), self._parts[name].encoded(columns.get(name)))
            self._write_errors(k, first, failures)
            _write(self._place(STATUS, k), self._parts[STATUS].encoded(status))
        except OSError as error:
            raise _cannot_write(self.path, error) from error

    def sweep(self) -> None:
        """Take away what runs that were stopped left half written."""
        for folder, _, files in os.walk(self.path):
            for name in files:
                if name.endswith(PARTIAL) or name.startswith(TEMPORARY):
                    with suppress(FileNotFoundError):
                        os.unlink(os.path.join(folder, name))

    def _write_errors(self, k: int, first: int, failures: Mapping[int, str]) -> None:
        place = self.path / ERRORS / f"{k}.json"
        if not failures:
            with suppress(FileNotFoundError):
                place.unlink()
            return
        by_text: dict[str, list[int]] = {}
        for row, text in failures.items():
            by_text.setdefault(text, []).append(first + row)
        place.parent.mkdir(exist_ok=True)
        _write(place, (json.dumps(by_text, ensure_ascii=False).encode(),))

    def errors(self) -> dict[int, str]:
        """Return the errors of failed rows, by row."""
        found: dict[int, str] = {}
        for k, status in self.statuses():
            if (status == FAILED).any():
                place = self.path / ERRORS / f"{k}.json"
                for text, rows in json.loads(place.read_text(encoding="utf-8")).items():
                    found.update(dict.fromkeys(rows, text))
        return dict(sorted(found.items()))

    @contextmanager
    def alone(self) -> Iterator[None]:
        """While this lasts no other run writes here; :class:`InputError` where one does already."""
        try:
            from filelock import FileLock, Timeout
        except ImportError:
            raise MissingExtraError("studies are locked by filelock: install the extra, linkwright[study]") from None
        lock, about_file = FileLock(self.path / LOCK), self.path / RUNNING
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            lock.acquire(timeout=0)
        except Timeout:
            who = ""
            with suppress(OSError, ValueError, KeyError):
                about = json.loads(about_file.read_text())
                who = f", process {about['process']} on {about['machine']} since {about['since']}"
            raise InputError(f"another run writes to {str(self.path)!r}{who}: only one run may write") from None
        except OSError as error:
            raise _cannot_write(self.path, error, begun=False) from error
        try:
            about = {
                "process": os.getpid(),
                "machine": socket.gethostname(),
                "since": time.strftime("%Y-%m-%d %H:%M:%S"),
            }
            write_text(about_file, json.dumps(about))
            yield
        finally:
            with suppress(OSError):
                about_file.unlink()
            lock.release()

    def forget_killed_run(self) -> None:
        """Remove the file that a run leaves which is killed after its last chunk."""
        if (self.path / RUNNING).exists():
            with suppress(InputError), self.alone():
                pass


def _ordered(group: bytes) -> bytes:
    """Metadata of a group with its arrays by name: zarr lists them in any order."""
    metadata = json.loads(group)
    arrays = metadata["consolidated_metadata"]["metadata"]
    metadata["consolidated_metadata"]["metadata"] = dict(sorted(arrays.items()))
    return json.dumps(metadata, indent=2).encode()


def _write(place: Path, content: Iterable[bytes]) -> None:
    """Write a file to disk under a temporary name and rename it; return when the name is on the disk too."""
    beside = place.with_name(place.name + PARTIAL)
    try:
        with open(beside, "wb", buffering=0) as file:
            for piece in content:
                left = memoryview(piece)
                while left:
                    left = left[file.write(left) :]
            os.fsync(file.fileno())
    except OSError:
        with suppress(OSError):
            beside.unlink()  # room on a full disk
        raise
    os.replace(beside, place)
    _flush_folder(place.parent)


def _flush_folder(folder: Path) -> None:
    if os.name == "nt":  # where folders cannot be opened
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _cannot_write(path: Path, error: OSError, begun: bool = True) -> InputError:
    rest = ". Complete chunks are kept; run it again to continue" if begun else ""
    return InputError(f"cannot write {str(path)!r}: {error.strerror or error}{rest}")


class ChunkCodec(NamedTuple):
    """Encoding of a chunk of an array, as by zarr's codecs, without their threads, which would be slower."""

    shape: tuple[int, ...]
    """of a whole chunk"""
    dtype: np.dtype[Any]
    missing: Any
    compressed: bool

    @classmethod
    def of(cls, array: Any) -> ChunkCodec:
        """That of a zarr array of ours."""
        return cls(array.chunks, np.dtype(array.dtype).newbyteorder("<"), array.fill_value, bool(array.compressors[1:]))

    def encoded(self, values: Array | None) -> tuple[bytes, bytes]:
        """The file for these rows, of which the last chunk may have fewer: its content, and the checksum after it."""
        from google_crc32c import value as checksum
        from numcodecs import blosc  # type: ignore[import-untyped]

        if values is None or len(values) < self.shape[0]:
            whole = np.full(self.shape, self.missing, dtype=self.dtype)
            whole[: 0 if values is None else len(values)] = 0 if values is None else values
        else:
            whole = np.ascontiguousarray(values, dtype=self.dtype).reshape(self.shape)
        content = whole.tobytes() if not self.compressed else blosc.compress(whole, *_shuffled(self.dtype))
        return content, checksum(content).to_bytes(4, "little")

    def decoded(self, file: bytes) -> Array:
        """The rows of a whole chunk; :class:`ValueError` or :class:`RuntimeError` where the file is damaged."""
        from google_crc32c import value as checksum
        from numcodecs import blosc

        content = file[:-4]
        if checksum(content).to_bytes(4, "little") != file[-4:]:
            raise ValueError("the checksum is of something else")
        return np.frombuffer(blosc.decompress(content) if self.compressed else content, self.dtype).reshape(self.shape)


METHOD: Final = "lz4"
LEVEL: Final = 1
"""of compression"""


def _shuffled(dtype: np.dtype[Any]) -> tuple[bytes, int, int]:
    """Method, level and order of bytes (1) or bits (2), as ``blosc`` takes them: single bytes are in order."""
    return METHOD.encode(), LEVEL, 1 if dtype.itemsize > 1 else 2


def _array(group: Any, name: str, one: StoredArray, kept: StoreMetadata, compress: bool) -> None:
    from zarr.codecs import BloscCodec, Crc32cCodec

    codecs: list[Any] = [Crc32cCodec()]
    if compress:
        dtype = np.dtype(one.dtype)
        shuffle: Any = ("", "shuffle", "bitshuffle")[_shuffled(dtype)[2]]
        codecs.insert(0, BloscCodec(typesize=dtype.itemsize, cname=METHOD, clevel=LEVEL, shuffle=shuffle))
    group.create_array(
        name,
        shape=(kept.rows, *one.shape),
        chunks=(kept.chunk, *(max(1, n) for n in one.shape)),
        chunk_key_encoding={"name": "default", "separator": "."},  # one folder: each has to be flushed
        dtype=one.dtype,
        fill_value=one.missing,
        compressors=codecs,
        dimension_names=(ROW, *one.dimensions),
        attributes=_attributes(one.unit),
    )


def _attributes(unit: str) -> dict[str, str]:
    return {"units": unit} if unit else {}


@contextmanager
def _quiet() -> Iterator[None]:
    """Without what zarr warns of: consolidated metadata are not yet part of the specification of version 3."""
    import warnings

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*[Cc]onsolidated metadata.*")
        yield


def _zarr() -> Any:
    try:
        import zarr
    except ImportError:
        raise MissingExtraError("studies are kept by zarr: install the extra, linkwright[study]") from None
    return zarr
