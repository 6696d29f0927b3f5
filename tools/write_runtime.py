"""Write the `.ll` files of the package from the C next to them (`SOURCES`): run it when the C changes.

The package contains LLVM's intermediate representation, so that users need no C compiler. It is written for no
particular processor: types and attributes of the machine on which it is written are removed.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

CLANG = "clang-19"
"""The version decides the text. It must not be newer than the LLVM of the oldest llvmlite that is supported."""

FOLDER = Path(__file__).parents[1] / "src/linkwright"
SOURCE = FOLDER / "compiler/native/c/runtime.c"
SOURCES = (
    *(SOURCE, SOURCE.with_name("xla.c")),
    *(FOLDER / "visual/rendering/raster.c", FOLDER / "visual/animations/gif.c"),
)

WARNINGS = ("-std=c17", "-Wall", "-Wextra", "-Wconversion", "-Wno-pass-failed", "-Werror")

_OPTIONS = (
    *("--target=x86_64-unknown-linux-gnu", "-O2", "-ffreestanding", "-fno-strict-aliasing", "-fno-ident", "-fPIC"),
    *("-fno-unroll-loops", "-fno-vectorize", "-fno-slp-vectorize", "-fno-stack-protector"),
    *("-fno-asynchronous-unwind-tables", "-S", "-emit-llvm", "-o", "-"),
)

_LEFT_OUT = re.compile(
    r'^(target (datalayout|triple)|source_filename|; ModuleID|; Function Attrs|!llvm\.|!\d+ = !\{i32 \d, !").*\n'
    r'|^!\d+ = (distinct !\{.*\}|!\{!"llvm\.loop\.\w+(\.\w+)?"\})\n|, !llvm\.loop !\d+'
    r"| +; preds = .*|^.*@llvm\.lifetime\..*\n",
    re.M,
)
"""The target, comments, and hints for optimizers that have already run."""


def find_clang() -> str | None:
    """Return the path of the compiler, or None where it is not installed."""
    return shutil.which(CLANG)


def intermediate_representation(clang: str, source: Path) -> str:
    """Compile a file to LLVM's intermediate representation for any processor."""
    command = [clang, *WARNINGS, *_OPTIONS, str(source)]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    text = _LEFT_OUT.sub("", text)
    text = re.sub(r"^(attributes #\d+ =) \{(.*)\}$", lambda m: f"{m[1]} {{ {_plain(m[2])} }}", text, flags=re.M)
    for group in re.findall(r"^attributes (#\d+) = \{ *\}\n", text, re.M):  # LLVM refuses a group without attributes
        text = re.sub(rf"^attributes {group} = .*\n| {group}\b", "", text, flags=re.M)
    return re.sub("\n{3,}", "\n\n", text).strip() + "\n"


def _plain(attributes: str) -> str:
    """Keep the attributes of LLVM, and drop those in quotes, which are the front end's and the processor's."""
    return " ".join(re.sub(r'"[^"]*"(="[^"]*")?|\buwtable\b', "", attributes).split())


if __name__ == "__main__":
    found = find_clang()
    if found is None:
        raise SystemExit(f"{CLANG} is not installed; on Debian and Ubuntu: apt-get install {CLANG}")
    for path in SOURCES:
        path.with_suffix(".ll").write_text(intermediate_representation(found, path), encoding="utf-8")
        print(f"wrote {path.with_suffix('.ll')}")
