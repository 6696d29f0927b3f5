"""Compiled code kept on disk, so that the second process starts at once.

One file per program, target and version, in the folder LINKWRIGHT_CACHE or the platform's user
cache. Files are written atomically with mode 0600 in a folder of mode 0700; before a file is used its
owner, mode and digest are checked. A file that fails is ignored and replaced, never executed. (The
digest guards against damage, not against somebody who can write there.)
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import pkgutil
import re
import shlex
import stat
import sys
import tempfile
import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import CodeType
from typing import Any

from linkwright.compiler.native.machine import Code, Target, generate
from linkwright.errors import CacheWarning, LinkwrightError

_MAGIC = b"linkwright code 1\n"
_NAME = re.compile(r"[0-9a-f]{64}|\.new-.*")
_LIMIT = 512 * 2**20
_warned: set[str] = set()


def folder() -> Path | None:
    """Return the folder of the cache; None if LINKWRIGHT_CACHE is "off" or there is no home."""
    chosen = os.environ.get("LINKWRIGHT_CACHE")
    if chosen in ("", "off", "0"):
        return None
    try:
        if chosen is not None:
            return Path(chosen).expanduser()
        if os.name == "nt":
            base = os.environ.get("LOCALAPPDATA")
            return Path(base) / "linkwright" / "cache" if base else None
        base = "~/Library/Caches" if sys.platform == "darwin" else os.environ.get("XDG_CACHE_HOME") or "~/.cache"
        return Path(base).expanduser() / "linkwright"
    except RuntimeError:  # no home folder, or none of that user
        return None


def key(digest: str, target: Target, width: int) -> str | None:
    """The name under which the code of a program is kept; None where the compiler does not know itself."""
    compiler = _compiler()
    if compiler is None:
        return None
    parts = (digest, target, width, compiler)
    return hashlib.sha256(repr(parts).encode()).hexdigest()


@cache
def _compiler() -> str | None:
    """Return a digest of the compiler's modules, which determine the code; None if they cannot be read.

    It is a digest of their sources (also in a zip file) or, if only bytecode is installed, of the bytecode.
    """
    package = "linkwright.compiler"
    digest = hashlib.sha256()
    try:
        for found in sorted(
            pkgutil.walk_packages(import_module(package).__path__, f"{package}."), key=lambda x: x.name
        ):
            spec = find_spec(found.name)
            loader: Any = spec.loader if spec else None
            source = loader.get_source(found.name)
            content = repr(_code_description(loader.get_code(found.name))) if source is None else source
            digest.update(f"{found.name} {content}\n".encode())
    except (AttributeError, ImportError, OSError):  # a loader of some other kind
        return None
    return digest.hexdigest()


def _code_description(code: CodeType) -> tuple[Any, ...]:
    """Return a description of a code object that is equal in all processes."""

    def constant(x: Any) -> Any:
        if isinstance(x, CodeType):
            return _code_description(x)
        return sorted(map(repr, x)) if isinstance(x, frozenset) else x

    return code.co_code, code.co_names, code.co_varnames, [constant(x) for x in code.co_consts]


_AT_ONCE = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
"""Opening a pipe that somebody put there does not wait for its writer."""


def read(name: str | None) -> bytes | None:
    """The object code kept under this name, or None."""
    where = folder()
    if where is None or name is None:
        return None
    try:
        if not is_trusted(where, private=True):
            return None
        path = where / name
        with open(os.open(path, os.O_RDONLY | _AT_ONCE), "rb") as file:
            if not is_trusted(path, private=False, handle=file.fileno()):
                return None
            content = file.read()
    except OSError:
        return None
    head, digest, image = content[: len(_MAGIC)], content[len(_MAGIC) : len(_MAGIC) + 32], content[len(_MAGIC) + 32 :]
    if head != _MAGIC or hashlib.sha256(name.encode() + image).digest() != digest:
        return None
    with contextlib.suppress(OSError):
        os.utime(path)  # what is used is kept longest
    return image


def write(name: str | None, image: bytes) -> None:
    """Keep object code under this name; where that is not possible, warn once and go on."""
    where = folder()
    if where is None or name is None:
        return
    try:
        where.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not is_trusted(where, private=True):
            own = os.name == "nt" or os.stat(where).st_uid == os.getuid()
            advice = (
                f"run `chmod 700 {shlex.quote(str(where))}`" if own else "set LINKWRIGHT_CACHE to a folder of your own"
            )
            whose = "other users can open it" if own else "it belongs to another user"
            _warn(where, f"{whose}; {advice}")
            return
        digest = hashlib.sha256(name.encode() + image).digest()
        handle, temporary = tempfile.mkstemp(dir=where, prefix=".new-")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(_MAGIC + digest + image)
            os.replace(temporary, where / name)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
            raise
        _look(where, len(image))
    except OSError as error:
        _warn(where, str(error))


def code(
    name: str | None,
    text: Callable[[], str],
    symbols: Mapping[str, int],
    exports: Sequence[str],
    scheduled: bool = True,
    of: Target | None = None,
) -> tuple[Code, bool]:
    """Return loaded code by its name in the cache, or from the text of an LLVM module; and whether it was cached."""
    image = read(name)
    if image is not None:
        with contextlib.suppress(RuntimeError, LinkwrightError):  # not loadable by this LLVM: compiled again
            return Code(image, symbols, exports), True
    image = generate(text(), scheduled, of)
    write(name, image)
    return Code(image, symbols, exports), False


def is_trusted(path: Path, private: bool, handle: int | None = None) -> bool:
    """Return whether a folder or file belongs to this user, and nobody else can write to it (or list the folder)."""
    if os.name == "nt":
        return True
    status = os.stat(path) if handle is None else os.fstat(handle)
    forbidden = 0o077 if private else 0o022
    kind = stat.S_ISDIR(status.st_mode) if private else stat.S_ISREG(status.st_mode)
    return kind and status.st_uid == os.getuid() and not status.st_mode & forbidden


def size() -> tuple[int, int]:
    """The number of files kept, and their bytes."""
    where = folder()
    kept = [] if where is None else _kept(where)
    return len(kept), sum(status.st_size for _, status in kept)


def clear() -> int:
    """Remove everything kept; the number of files removed."""
    where = folder()
    kept = [] if where is None else _kept(where)
    for path, _ in kept:
        path.unlink(missing_ok=True)
    return len(kept)


def _kept(where: Path) -> list[tuple[Path, os.stat_result]]:
    """The files of the cache: nobody else's that may lie in that folder, nor those another process just removed."""
    found = []
    with contextlib.suppress(OSError):
        for path in where.iterdir():
            if _NAME.fullmatch(path.name):
                with contextlib.suppress(OSError):
                    status = path.lstat()
                    if stat.S_ISREG(status.st_mode):
                        found.append((path, status))
    return found


_unseen = _LIMIT
"""Bytes written since the size of the folder was last computed, which takes longer the more files there are."""


def _look(where: Path, written: int) -> None:
    """Look at the folder's size, the first time and now and then."""
    global _unseen
    _unseen += written
    if _unseen > _LIMIT // 32:
        _unseen = 0
        _shrink(where)


def _shrink(where: Path) -> None:
    """Remove the files longest unused while the folder is over its limit."""
    kept = _kept(where)
    total = sum(status.st_size for _, status in kept)
    for path, status in sorted(kept, key=lambda item: item[1].st_mtime):
        if total <= _LIMIT:
            break
        path.unlink(missing_ok=True)
        total -= status.st_size


def _warn(where: Path, why: str) -> None:
    if str(where) not in _warned:
        _warned.add(str(where))
        warnings.warn(
            f"the cache of compiled code is not used, so every run compiles again: {where}: {why}",
            CacheWarning,
            stacklevel=2,
        )
