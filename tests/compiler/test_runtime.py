"""The machine code that all kernels share: its C, and what the package contains of it."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))

from write_runtime import CLANG, SOURCE, SOURCES, WARNINGS, find_clang, intermediate_representation

from linkwright.compiler.native import entry, layout, runtime, sequence

needs_clang = pytest.mark.skipif(find_clang() is None, reason=f"{CLANG} is not installed")

HERE = Path(__file__).parent

LAYOUTS = {
    "Array": layout.ArrayLayout,
    "Float": layout.FloatLayout,
    "Tuple": layout.TupleLayout,
    "SignalState": runtime.SignalState,
    "Python": runtime.PythonTable,
    "Slot": entry.SlotLayout,
    "CallTable": entry.CallTable,
    "Kernel": entry.KernelLayout,
    "SequenceInput": sequence.SequenceInput,
    "SequenceOutput": sequence.SequenceOutput,
    "CallSequence": sequence.SequenceLayout,
}


def library(folder: Path, source: Path, *options: str) -> Path:
    """A shared library of C."""
    path = folder / "runtime.so"
    clang = find_clang()
    assert clang is not None
    subprocess.run([clang, *WARNINGS, *options, "-shared", "-fPIC", "-o", path, source], check=True)
    return path


@needs_clang
@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.stem)
def test_the_package_contains_what_the_c_gives(source):
    clang = find_clang()
    assert clang is not None
    written = source.with_suffix(".ll").read_text(encoding="utf-8")
    assert intermediate_representation(clang, source) == written, "run tools/write_runtime.py"


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.stem)
def test_the_package_contains_code_for_any_processor(source):
    text = source.with_suffix(".ll").read_text(encoding="utf-8")
    for word in ("target ", "x86", "asm ", "<2 x", "external"):
        assert word not in text


@needs_clang
@pytest.mark.skipif(os.name == "nt", reason="a shared library of another form")
def test_python_and_c_lay_out_structures_alike(tmp_path):
    lines = [f'#include "{SOURCE}"', "const int64_t layouts[] = {"]
    expected: list[int] = []
    headers = {"Array", "Float", "Tuple", "Kernel"}  # of which Python counts the header's fields one by one
    for name, python in LAYOUTS.items():
        fields = [field[0] for field in python._fields_][2 if name in headers else 0 :]
        lines += [f"sizeof({name}), "] + [f"offsetof({name}, {field}), " for field in fields]
        expected += [ctypes.sizeof(python)] + [getattr(python, field).offset for field in fields]
    source = tmp_path / "layouts.c"
    source.write_text("\n".join([*lines, "};"]), encoding="utf-8")
    found = (ctypes.c_int64 * len(expected)).in_dll(ctypes.CDLL(str(library(tmp_path, source))), "layouts")
    assert list(found) == expected


@needs_clang
@pytest.mark.skipif(sys.platform != "linux", reason="the sanitizer's library is loaded first as on Linux")
def test_calls_under_sanitizers(tmp_path):
    """The tests of calls and of sequences, with the C under the address and undefined-behavior sanitizers."""
    sanitizers = ("-fsanitize=address,undefined", "-fno-sanitize=function", "-fno-sanitize-recover=all")
    options = ("-O1", "-g", "-fno-strict-aliasing", "-shared-libasan", *sanitizers)
    path = library(tmp_path, SOURCE, *options)
    clang = find_clang()
    assert clang is not None
    name = f"libclang_rt.asan-{os.uname().machine}.so"
    command = [clang, f"-print-file-name={name}"]
    runtime_library = subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
    if not Path(runtime_library).exists():
        pytest.skip(f"{name} is not installed")
    environment = os.environ | {"LD_PRELOAD": runtime_library, "ASAN_OPTIONS": "detect_leaks=0"}
    tests = [str(HERE / "calls" / name) for name in ("test_call.py", "test_sequence.py")]
    chosen = "not process and not threads and not memory"  # which the sanitizers need themselves
    run = [sys.executable, str(HERE / "sanitized.py"), str(path), *tests, "-k", chosen]
    done = subprocess.run(run, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert " passed" in done.stdout
