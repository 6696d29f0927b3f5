"""Options of runs by their names alone, grouped into the objects that they belong to."""

from dataclasses import fields
from typing import Any

import linkwright as lw

OBJECTS = {
    "method": lw.Integrator,
    "actuation": lw.Actuation,
    "surroundings": lw.Surroundings,
    "episode": lw.Episode,
}
"""Objects of options, by the argument that takes them."""


def grouped(objects: dict[str, Any] = OBJECTS, /, **options: Any) -> dict[str, Any]:
    """Return arguments of a run: options of the objects by their own names, others as they are."""
    found, groups = {}, {name: {} for name in objects}
    owner = {one.name: name for name, kind in objects.items() for one in fields(kind) if one.name != "_"}
    for name, value in options.items():
        if name in objects and name != "method":
            found[name] = value
        elif name in owner:
            groups[owner[name]][name] = value
        else:
            found[name] = value
    if [*groups["method"]] == ["method"]:  # a name is enough
        found["method"] = groups.pop("method")["method"]
    return found | {name: objects[name](**group) for name, group in groups.items() if group}
