"""The contract of layers holds for modules that are imported by their names, too, which import-linter does not see."""

from __future__ import annotations

import ast
import tomllib
from pathlib import Path

import pytest

import linkwright as lw
from linkwright import provided

SOURCE = Path(lw.__file__).parent
PROJECT = Path(__file__).parents[1] / "pyproject.toml"

BY_VALUE = {
    "__init__.py": "the package is above all layers",
    "browser/recorded/motion_log.py": "a writer of the same folder",
    "compiler/native/cache.py": "the compiler itself",
    "formats/isolation/child_process.py": "a reader, of the same layer, in a process of its own",
    "formats/table.py": "readers and writers of the same layer",
}
"""Files that import a module whose name is no literal, and which it is."""


def imported_by_name(tree):
    """The argument of every import_module(…) and __import__(…)."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = getattr(node.func, "id", getattr(node.func, "attr", None))
            if name in ("import_module", "__import__"):
                yield node.args[0]


def layers():
    """The number of the layer of every module that the contract names."""
    contract = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"][0]
    return {module.strip(): k for k, modules in enumerate(contract["layers"]) for module in modules.split("|")}


@pytest.mark.skipif(not PROJECT.is_file(), reason="this is no checkout")
def test_no_module_of_another_layer_is_imported_by_its_name():
    layer, found = layers(), []
    for file in sorted(SOURCE.rglob("*.py")):
        where = file.relative_to(SOURCE).as_posix()
        text = file.read_text(encoding="utf-8")
        tree = ast.parse(text if "import_module" in text or "__import__" in text else "")
        for argument in imported_by_name(tree):
            if not isinstance(argument, ast.Constant):
                if where not in BY_VALUE:
                    found.append(f"{where}:{argument.lineno}: a module whose name is computed")
                continue
            own = "linkwright." + where.removesuffix(".py").partition("/")[0]
            other = ".".join(argument.value.split(".")[:2])
            if other in layer and layer[other] <= layer[own] and other != own:
                found.append(f"{where}:{argument.lineno}: {argument.value} is no layer beneath")
    assert not found


def test_what_lower_layers_call_is_provided():
    slots = [one for one in vars(provided).values() if isinstance(one, provided.Provided)]
    assert len(slots) >= 4
    assert all(one.function is not None for one in slots)
    with pytest.raises(lw.errors.LinkwrightError, match="that writes letters: import the package"):
        provided.Provided("writes letters")()
