"""Write the types of the public names, `src/linkwright/__init__.pyi`: run it when these change.

The algorithms compile themselves, so that no checker can see their types in the code; they are those of the book with
room for batches. Everything else is imported from where it is.
"""

from __future__ import annotations

import inspect
import re
import sys
from functools import cache
from pathlib import Path

import linkwright
from linkwright import _MODULE_OF, _MODULES
from linkwright.compiler.signatures import batched

HEADER = '''"""Written by tools/write_types.py. Arrays may have any leading batch dimensions: (…, nq)."""

'''
FROM = {
    "collections.abc": ("Mapping", "Sequence"),
    "typing": ("Annotated", "Any", "Literal"),
    "numpy.typing": ("ArrayLike",),
}
STUB = Path(linkwright.__file__).with_suffix(".pyi")


def types_of_public_names() -> str:
    """The text of the file."""
    imports, functions = [f"from linkwright import {name} as {name}" for name in ("dynamics", "errors")], []
    types: set[tuple[str, str]] = set()
    for name in linkwright.__all__:
        if name in ("dynamics", "errors", "__version__"):
            continue
        value = getattr(linkwright, name)
        book = getattr(value, "book", None)
        if book is None:
            home = _MODULES[name].rpartition(".")[0] if name in _MODULES else _MODULE_OF[name]
            imports.append(f"from {home} import {name} as {name}")
            continue
        signature = batched(book)
        for word in re.findall(r"[A-Z]\w+", str(signature).replace("ArrayLike", "")):
            if word not in linkwright.__all__ and (home := _home_of(word)) is not None:
                types.add((home, word))
        functions.append(_definition(name, signature))
    imports += [f"from {module} import {word}" for module, word in types]
    body = "\n".join(functions)
    standard = [
        f"from {module} import {', '.join(used)}"
        for module, names in FROM.items()
        if (used := [name for name in names if re.search(rf"\b{name}\b", body)])
    ]
    every = "\n".join(f'    "{name}",' for name in linkwright.__all__)
    return (
        "\n".join([HEADER, *standard, "", *sorted(set(imports)), "", "__version__: str", "", body])
        + f"\n\n__all__ = [\n{every}\n]\n"
    )


def _definition(name: str, signature: inspect.Signature) -> str:
    parts = []
    for p in signature.parameters.values():
        if p.kind is p.KEYWORD_ONLY and "*" not in parts:
            parts.append("*")
        default = "" if p.default is p.empty else f" = {_text(p.default)}"
        parts.append(f"{p.name}: {p.annotation}{default}")
    arguments = "".join(f"    {part},\n" for part in parts)
    return f"def {name}(\n{arguments}) -> {signature.return_annotation}: ..."


def _text(default: object) -> str:
    return f'"{default}"' if isinstance(default, str) else repr(default)


@cache
def _home_of(word: str) -> str | None:
    """The module of the package that defines a type named in a book's annotations."""
    defined = re.compile(rf"^(class {word}\b|{word}(: \w+)? = )", re.MULTILINE)
    for name, module in sorted(sys.modules.items()):
        if name.startswith("linkwright.") and hasattr(module, word) and defined.search(inspect.getsource(module)):
            return name
    return None


if __name__ == "__main__":
    STUB.write_text(types_of_public_names(), encoding="utf-8")
    print(f"wrote {STUB}")
