"""Run tests with the machine code that kernels share from a library: ``python sanitized.py LIBRARY TESTS…``."""

from __future__ import annotations

import ctypes
import sys

import pytest

from linkwright.compiler.native import runtime

if __name__ == "__main__":
    library = ctypes.CDLL(sys.argv[1])
    found = {name: ctypes.cast(getattr(library, name), ctypes.c_void_p).value for name in runtime.FUNCTIONS}
    runtime.load = lambda *_: found
    code = pytest.main(["-p", "no:cacheprovider", *sys.argv[2:]])
    assert runtime.addresses()["call_kernel"] == found["call_kernel"]
    raise SystemExit(code)
