"""This machine's code generator: from LLVM IR to an object, from an object to callable addresses."""

from __future__ import annotations

import ctypes
import ctypes.util
import itertools
import os
import sys
import threading
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

import llvmlite.binding as llvm

from linkwright.compiler.emit.code import LIBRARY
from linkwright.errors import LinkwrightError
from linkwright.status import compiling_code

LOCK = threading.RLock()  # LLVM's context is not for several threads at once
_NAMES = itertools.count()


def _before_fork() -> None:
    """No fork while LLVM is at work: the child would find its state, and its lock, as they then were."""
    LOCK.acquire()
    if _their_lock is not None:
        _their_lock.__enter__()


def _after_fork() -> None:
    if _their_lock is not None:
        _their_lock.__exit__(None, None, None)
    LOCK.release()


_their_lock: Any = None  # llvmlite's own lock, which its objects take when they are freed, too

if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork)


class Target(NamedTuple):
    """The processor code is generated for."""

    triple: str
    cpu: str
    features: str
    llvm: tuple[int, ...]
    quick: bool = False
    """whether code is made quickly, in a fourth of the time, rather than made to be quick"""

    @property
    def enabled(self) -> frozenset[str]:
        """The names of the features that are on."""
        return frozenset(f[1:] for f in self.features.split(",") if f.startswith("+"))

    @property
    def fused(self) -> bool:
        """Whether there are fused multiply–add instructions."""
        return "fma" in self.enabled or self.processor != "x86"

    @property
    def masks(self) -> bool:
        """Whether conditions of lanes have separate registers, in which they outlast a basic block."""
        return "avx512f" in self.enabled

    @property
    def processor(self) -> str:
        """The family: "x86", "arm" or another."""
        kind = self.triple.split("-")[0]
        if kind.startswith(("x86", "i386", "i686")):
            return "x86"
        return "arm" if kind.startswith(("aarch64", "arm64")) else kind

    @property
    def width(self) -> int:
        """Doubles in a vector register: 8 with AVX-512, 4 with AVX, else 2."""
        for feature, width in (("avx512f", 8), ("avx", 4)):
            if feature in self.enabled:
                return width
        return 2

    def lanes(self, size: int) -> int:
        """Numbers of ``size`` bytes in a vector register."""
        return 8 * self.width // size

    def widths(self, size: int) -> tuple[int, ...]:
        """Numbers of lanes worth trying, for numbers of ``size`` bytes: half a register, one, two."""
        lanes = self.lanes(size)
        return tuple(w for w in (lanes // 2, lanes, 2 * lanes) if w > 1)


def target() -> Target:
    """The target of this process; the environment variable LINKWRIGHT_TARGET=generic forces a baseline one.

    LINKWRIGHT_CODE=quick has code made in a fourth of the time, which takes up to three times longer to run: for tests,
    and for what runs once. Its results are the same to the last bit.
    """
    return _target(os.environ.get("LINKWRIGHT_TARGET") == "generic", os.environ.get("LINKWRIGHT_CODE") == "quick")


@cache
def _target(generic: bool, quick: bool) -> Target:
    global _their_lock
    with LOCK:
        _their_lock = getattr(llvm.ffi.lib, "_lock", None)
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        version = tuple(llvm.llvm_version_info)
        triple = llvm.get_process_triple()
        if generic:
            return Target(triple, "generic", "", version, quick)
        features = llvm.get_host_cpu_features().flatten()
        return Target(triple, llvm.get_host_cpu_name(), features, version, quick)


@cache
def _target_machine(t: Target) -> Any:
    machine = llvm.Target.from_triple(t.triple).create_target_machine(
        cpu=t.cpu, features=t.features, opt=0 if t.quick else 2, jit=True, reloc="pic", codemodel="small"
    )
    return machine


LOADED_TOGETHER = 16
"""Number of codes that share a linker. A linker keeps 10 kB of each code that it loaded until the last one is freed; a
linker for each code would take 90 kB and half a millisecond.
"""

_IN_ONE_PIECE = os.name != "nt" and sys.maxsize > 2**32
"""Whether code and its constants are loaded into one memory block, by LLVM's linker "JITLink" (not yet for objects of
Windows). The older linker allocates a block for each: in a process with gigabytes of arrays they may be further apart
than an instruction reaches, and LLVM then aborts the process. It is also eight times slower for code with many
constants.
"""


class _Linkers:
    """The linker that code is loaded with now; full ones live as long as code in them."""

    def __init__(self) -> None:
        self.current: Any = None
        self.room = 0

    def take(self) -> Any:
        """A linker, for one piece of code."""
        if not self.room:
            machine = _target_machine(target())
            self.current = llvm.create_lljit_compiler(machine, use_jit_link=_IN_ONE_PIECE)
            self.room = LOADED_TOGETHER
        self.room -= 1
        return self.current


_linkers = _Linkers()


QUICKER = 4
"""Time to compile optimized code, relative to code that is made quickly"""

LONG = 10_000_000
"""Letters of a function from which code is not made quickly: what waits for its use would fill the stack, which holds
8 MB. It takes 0.02 to 0.2 bytes a letter (measured on functions of 2 to 7 million)."""


SPLIT = 1_000_000
"""Letters of a function from which registers are not allocated over regions of blocks, which would take a fifth of the
time."""


def generate(ir: str, scheduled: bool = True, of: Target | None = None) -> bytes:
    """The object code of a module; ``scheduled``: whether LLVM may reorder its instructions."""
    of = target() if of is None else of
    longest = max(map(len, ir.split("\ndefine ")))
    if longest >= LONG:
        of = of._replace(quick=False)
    with LOCK, compiling_code(len(ir) // QUICKER if of.quick else len(ir)):
        machine = _target_machine(of)
        try:
            module = llvm.parse_assembly(ir)
            module.verify()
        except RuntimeError as error:
            raise LinkwrightError(f"the code generated for this function is not valid LLVM IR: {error}") from None
        module.triple = target().triple
        module.data_layout = str(machine.target_data)
        try:
            # what prepares for code generation would join the blocks again that long programs are cut into
            _choose(scheduled=scheduled, prepared=False, regions=longest < SPLIT)
            return bytes(machine.emit_object(module))
        finally:
            _choose(scheduled=True, prepared=True, regions=True)


def _choose(scheduled: bool, prepared: bool, regions: bool) -> None:
    """Set LLVM's options, which hold for the whole process; of each, the last one given counts.

    ``regions``: whether values keep a register over regions of blocks.
    """
    llvm.set_option("linkwright", f"-enable-misched={str(scheduled).lower()}")
    llvm.set_option("linkwright", f"-disable-post-ra={str(not scheduled).lower()}")  # once more, after registers
    llvm.set_option("linkwright", f"-disable-cgp={str(not prepared).lower()}")
    llvm.set_option("linkwright", f"-grow-region-complexity-budget={10_000 if regions else 1}")
    # code that is made quickly: what selects instructions one by one gives most of those on lanes up, at twice the work
    llvm.set_option("linkwright", "-fast-isel=false")


class Code:
    """Loaded machine code; lives as long as anything that may call it."""

    def __init__(self, image: bytes, symbols: Mapping[str, int], exports: Sequence[str]):
        with LOCK:
            builder = llvm.JITLibraryBuilder().add_object_img(image)
            for name, address in {**_library_addresses(), **symbols}.items():
                builder = builder.import_symbol(name, address)
            for name in exports:
                builder = builder.export_symbol(name)
            linker = _linkers.take()
            self._library = builder.link(linker, f"linkwright{next(_NAMES)}")
            self._linker = linker  # after the library, which goes first
            self.exported: dict[str, int] = {name: self._library[name] for name in exports}
            """addresses"""


def stay(code: Code) -> None:
    """Keep code as long as the process, for threads that may be in it when all else is taken down."""
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(code))


@cache
def _library_addresses() -> dict[str, int]:
    """Return the addresses of the C library's functions."""
    wanted = [*LIBRARY, "malloc", "free", "fma", "fmaf", "floorf", "rintf", "memcpy"]
    library = ctypes.CDLL("ucrtbase" if os.name == "nt" else None)
    if os.name != "nt" and not all(hasattr(library, name) for name in wanted):
        library = ctypes.CDLL(ctypes.util.find_library("m"))  # which brings the rest of the C library along
    functions = {name: getattr(library, name) for name in wanted}
    return {name: ctypes.cast(function, ctypes.c_void_p).value or 0 for name, function in functions.items()}
