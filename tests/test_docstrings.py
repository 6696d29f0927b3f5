"""Docstrings of public objects pass the validation of numpydoc."""

from __future__ import annotations

import ast
import dataclasses
import inspect
import re
import textwrap
from collections.abc import Iterator
from itertools import pairwise
from types import ModuleType
from typing import Any

import pytest

import linkwright as lw

validation = pytest.importorskip("numpydoc.validate")

NOT_CHECKED = {
    "ES01",  # no extended summary
    "SA01",  # no section See Also
    "EX01",  # no section Examples
    "GL01",  # the summary stands on the line of the quotes
}


def public_objects(module: ModuleType, prefix: str) -> Iterator[tuple[str, Any]]:
    """Functions, classes and their own public methods and properties, by name."""
    for name in module.__all__:
        thing = getattr(module, name)
        path = f"{prefix}.{name}"
        if inspect.ismodule(thing):
            yield from public_objects(thing, path)
        elif callable(thing):
            yield path, thing
            if inspect.isclass(thing):
                yield from own_members(thing, path)


def own_members(thing: type, path: str) -> Iterator[tuple[str, Any]]:
    """Public methods and properties that are defined in Linkwright."""
    for name, value in inspect.getmembers_static(thing, lambda value: callable(value) or isinstance(value, WRAPPERS)):
        home = next(base for base in thing.__mro__ if name in vars(base))
        inherited = (vars(base)[name] for base in thing.__mro__ if name in vars(base))
        if not value.__doc__ and any(one.__doc__ for one in inherited):
            continue
        if not name.startswith("_") and home.__module__.startswith("linkwright"):
            yield f"{path}.{name}", value


WRAPPERS = (property, classmethod, staticmethod)


OBJECTS = dict(public_objects(lw, "linkwright"))


def fields_with_text(thing: type) -> set[str]:
    """Fields of a record that have a docstring of their own, after the assignment."""
    body = ast.parse(textwrap.dedent(inspect.getsource(thing))).body[0].body
    return {
        field.target.id
        for field, text in pairwise(body)
        if isinstance(field, ast.AnnAssign)
        and isinstance(text, ast.Expr)
        and isinstance(text.value, ast.Constant)
        and isinstance(text.value.value, str)
    }


def is_documented(path: str, code: str, text: str) -> bool:
    """Whether parameters that a class does not list are fields with texts, as results have them."""
    thing = OBJECTS[path]
    if code == "PR01" and getattr(thing, "_is_protocol", False):
        return True  # a protocol is not called
    if code != "PR01" or not dataclasses.is_dataclass(thing):
        return False
    return set(re.findall(r"'(\w+)'", text)) <= fields_with_text(thing)


def test_public_objects_are_found():
    assert {"linkwright.pose", "linkwright.Model.lock", "linkwright.rotation.exp"} <= set(OBJECTS)
    assert len(OBJECTS) > 800


@pytest.mark.parametrize("path", sorted(OBJECTS))
def test_docstrings_are_in_the_form_of_numpydoc(path):
    errors = validation.validate(path)["errors"]
    left = [(code, text) for code, text in errors if code not in NOT_CHECKED]
    assert not [f"{code}: {text}" for code, text in left if not is_documented(path, code, text)]
