"""This machine's code generator: from LLVM IR to an object, from an object to callable addresses."""

from __future__ import annotations

import ctypes
import ctypes.util
import itertools
import os
import threading
from functools import cache
from typing import Any, NamedTuple

from linkwright.compiler.llvm import LIBRARY
from linkwright.errors import LinkwrightError

_LOCK = threading.RLock()  # LLVM's context is not for several threads at once
_NAMES = itertools.count()


class Target(NamedTuple):
    """The processor code is generated for."""

    triple: str
    cpu: str
    features: str
    llvm: tuple[int, ...]

    @property
    def enabled(self) -> frozenset[str]:
        """The names of the features that are on."""
        return frozenset(f[1:] for f in self.features.split(",") if f.startswith("+"))

    @property
    def fused(self) -> bool:
        """Whether a product and a sum can be one instruction."""
        return "fma" in self.enabled or not self.triple.startswith(("x86", "i386", "i686"))

    @property
    def width(self) -> int:
        """Doubles in a vector register: 8 with AVX-512, 4 with AVX, else 2."""
        for feature, width in (("avx512f", 8), ("avx", 4)):
            if feature in self.enabled:
                return width
        return 2


@cache
def target() -> Target:
    """The target of this process; the environment variable LINKWRIGHT_TARGET=generic forces a baseline one."""
    import llvmlite.binding as llvm

    with _LOCK:
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        version = tuple(llvm.llvm_version_info)
        triple = llvm.get_process_triple()
        if os.environ.get("LINKWRIGHT_TARGET") == "generic":
            return Target(triple, "generic", "", version)
        features = llvm.get_host_cpu_features().flatten()
        return Target(triple, llvm.get_host_cpu_name(), features, version)


@cache
def _target_machine() -> Any:
    import llvmlite.binding as llvm

    t = target()
    machine = llvm.Target.from_triple(t.triple).create_target_machine(
        cpu=t.cpu, features=t.features, opt=2, jit=True, reloc="default", codemodel="jitdefault"
    )
    return machine


@cache
def _linker() -> Any:
    import llvmlite.binding as llvm

    return llvm.create_lljit_compiler(_target_machine())


def generate(ir: str) -> bytes:
    """The object code of a module."""
    import llvmlite.binding as llvm

    with _LOCK:
        machine = _target_machine()
        try:
            module = llvm.parse_assembly(ir)
            module.verify()
        except RuntimeError as error:
            raise LinkwrightError(f"the code generated for this function is not valid LLVM IR: {error}") from None
        module.triple = target().triple
        module.data_layout = str(machine.target_data)
        return bytes(machine.emit_object(module))


class Code:
    """Loaded machine code; lives as long as anything that may call it."""

    def __init__(self, image: bytes):
        import llvmlite.binding as llvm

        with _LOCK:
            builder = llvm.JITLibraryBuilder().add_object_img(image)
            for name, address in _library_addresses().items():
                builder = builder.import_symbol(name, address)
            self._library = builder.export_symbol("loop").link(_linker(), f"linkwright{next(_NAMES)}")
            self.loop: int = self._library["loop"]


@cache
def _library_addresses() -> dict[str, int]:
    """Where the C library's functions are."""
    if os.name == "nt":
        libraries = [ctypes.CDLL("ucrtbase")]
    else:
        found = ctypes.util.find_library("m")
        libraries = [ctypes.CDLL(None), *([ctypes.CDLL(found)] if found else [])]
    addresses = {}
    for name in (*LIBRARY, "malloc", "free", "fma"):
        for library in libraries:
            function = getattr(library, name, None)
            if function is not None:
                addresses[name] = ctypes.cast(function, ctypes.c_void_p).value or 0
                break
    return addresses
