"""SRDF, MoveIt's additions to a URDF file: pairs of links that do not collide are read and written."""

from __future__ import annotations

import os
from collections.abc import Collection
from typing import Any

from linkwright.errors import ArgumentError, FormatError, FormatWarning, listed, warn
from linkwright.formats.writing import XmlNode
from linkwright.formats.xml import TEXT, Element, is_xml, parse_xml, read_bytes, shortened, without_declaration
from linkwright.model.build.description import WORLD
from linkwright.model.transformations.contact_pairs import neighbors
from linkwright.model.tree import Model

PAIRS = ("disable_collisions", "enable_collisions")


def disabled_collisions(source: Any, links: Collection[str]) -> list[tuple[str, str]]:
    """Return the pairs of links that an SRDF file, or its text, excludes from collisions.

    ``disable_default_collisions`` excludes all pairs of a link but those of ``enable_collisions``. Pairs of other links
    than ``links`` are ignored with one :class:`FormatWarning`. Raises :class:`FormatError` with all problems.
    """
    if not isinstance(source, str | os.PathLike):
        raise ArgumentError(f"srdf is the path of an SRDF file, or its text; got {source!r:.200}")
    if isinstance(source, str) and is_xml(source):
        place, root = TEXT, parse_xml(without_declaration(source), TEXT)
    else:
        place = os.fspath(source)
        root = parse_xml(read_bytes(source), place)
    if root.tag != "robot":
        raise FormatError(f"{_at(place, root)}: the root element is <{shortened(root.tag)}>; SRDF has <robot>")
    if any(child.tag == "joint" for child in root.children):
        raise FormatError(f"{place}: it has joints, as URDF has; expected SRDF, with <disable_collisions>")
    problems: list[str] = []
    unknown: dict[str, str] = {}
    named: dict[str, list[tuple[str, str]]] = {tag: [] for tag in PAIRS}
    isolated: list[str] = []
    for child in root.children:
        names = [child.attributes.get(name, "") for name in _attributes(child)]
        if not names:
            continue
        if not all(names) or len({*names}) < len(names):
            wanted = "two different links" if len(names) > 1 else "a link"
            problems.append(f"{_at(place, child)}: <{child.tag}> names {wanted}: {', '.join(_attributes(child))}")
            continue
        others = [name for name in names if name not in links]
        for name in others:
            unknown.setdefault(name, _at(place, child))
        if others:
            continue
        if len(names) == 1:
            isolated.append(names[0])
        else:
            named[child.tag].append((names[0], names[1]))
    if problems:
        raise FormatError(problems)
    enabled = {frozenset(pair) for pair in named["enable_collisions"]}
    defaults = [(one, other) for one in isolated for other in links if other != one]
    found = [*named["disable_collisions"], *(pair for pair in defaults if frozenset(pair) not in enabled)]
    if unknown and not found:
        raise FormatError(f"{place}: none of its pairs is of links of this robot: {', '.join([*unknown][:6])}, …")
    if unknown:
        remarks = [f"{at}: the robot has no link {name!r}; its pairs are ignored" for name, at in unknown.items()]
        warn(FormatWarning(listed(tuple(remarks), "remarks"), remarks))
    return found


def _attributes(element: Element) -> tuple[str, ...]:
    """Return the attributes of an element that name links."""
    if element.tag in PAIRS:
        return ("link1", "link2")
    return ("link",) if element.tag == "disable_default_collisions" else ()


def _at(place: str, element: Element) -> str:
    return f"{place}:{element.line}:{element.column}"


def srdf_text(model: Model) -> str:
    """Return an SRDF file with the pairs of links that do not collide: neighbors, and ``model.excluded``."""
    robot = XmlNode("robot", {"name": model.name})
    known: set[frozenset[str]] = set()
    for reason, pairs in (("Adjacent", neighbors(model)), ("User", model.excluded)):
        for first, second in pairs:
            if WORLD not in (first, second) and frozenset((first, second)) not in known:
                known.add(frozenset((first, second)))
                robot.add("disable_collisions", link1=first, link2=second, reason=reason)
    return '<?xml version="1.0"?>\n' + robot.text()
