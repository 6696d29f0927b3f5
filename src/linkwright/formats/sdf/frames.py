"""Frames of an SDF file: all elements with a pose, by full name, with their reference and attached link.

Every node is visited once, so that the time is linear in the size of the file.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np

from linkwright.formats.sdf.values import SDFValues
from linkwright.formats.xml import Element
from linkwright.model.build.checks import unknown_name
from linkwright.model.build.description import WORLD
from linkwright.spatial.arrays import Array


@dataclass
class FrameNode:
    """Element with a pose: a model, a link, a joint or a frame."""

    element: Element
    kind: str
    reference: str
    """full name of the reference of its pose; "" is the world"""
    pose: Array
    attached: str = ""
    """for a frame, the full name of its attached element; for a joint, its child"""
    scope: str = ""


@dataclass
class Item:
    """Link or joint that is read once all poses are known."""

    name: str
    element: Element
    scope: str
    more: dict[str, Any] = field(default_factory=dict)


class Frames(SDFValues):
    """Nodes of a file, their poses in the world, and the links that they are fixed to."""

    def __init__(self, file: str):
        super().__init__(file)
        self.nodes: dict[str, FrameNode] = {}
        self.links: list[Item] = []
        self.world: dict[str, Array] = {}
        """pose (4, 4) of each node in the world"""
        self.held_by: dict[str, str | None] = {"": ""}
        """link of each node looked up so far; None for an error, which is reported"""

    def node(self, full: str, element: Element, kind: str, scope: str, default: str, attached: str = "") -> bool:
        """Add an element with a pose, relative to ``default`` by default; return whether its name is new."""
        if full in self.nodes:
            first = self.nodes[full]
            self.problem(
                element,
                f"a second {kind} is named {self.short(full)!r} (the first, a {first.kind}, is in line "
                f"{first.element.line})",
            )
            return False
        pose = self.child(element, "pose")
        reference = default
        if pose is not None:
            relative_to = pose.attributes.get("relative_to", pose.attributes.get("frame", ""))
            if relative_to:
                reference = self.full(relative_to, scope)
        self.nodes[full] = FrameNode(element, kind, reference, self.pose(pose), attached, scope)
        return True

    def full(self, name: str, scope: str) -> str:
        """Return the full name of a name in a model."""
        if name == WORLD:
            return ""
        if name == "__model__":
            return scope
        return f"{scope}::{name}" if scope else name

    def short(self, full: str) -> str:
        """Return the name without that of the outermost model."""
        return full.partition("::")[2]

    def place_all(self) -> None:
        """Compute the pose of every node in the world."""
        for start in self.nodes:
            way: dict[str, None] = {}
            name = start
            while name and name not in self.world:
                if name in way:
                    names = list(way)
                    names = [*names[names.index(name) :][:10], name]
                    ring = " → ".join(self.short(one) or "__model__" for one in names)
                    self.problem(self.nodes[start].element, f"these poses are relative to each other in a ring: {ring}")
                    self.world[name] = np.eye(4)
                    break
                if name not in self.nodes:
                    at = self.nodes[next(reversed(way))]
                    pose = self.child(at.element, "pose") or at.element
                    self.unknown_frame(pose, "relative_to", self.short(name), at.scope)
                    self.world[name] = np.eye(4)
                    break
                way[name] = None
                name = self.nodes[name].reference
            for one in reversed(way):
                if one not in self.world:
                    above = self.nodes[one].reference
                    self.world[one] = (self.world[above] if above else np.eye(4)) @ self.nodes[one].pose

    def unknown_frame(self, element: Element, attribute: str, name: str, scope: str = "") -> None:
        """Report an unknown frame of a model."""
        known = (self.short(one) for one in self.nodes if one.startswith(scope) and self.short(one))
        so_far = max(self.problems, self.remarks, key=len)  # similar names are searched only for the first ones
        self.problem(element, f"{attribute}: {unknown_name('frame', name, known, so_far)}")

    def attached_link(self, full: str, element: Element) -> str | None:
        """Return the link that an element is fixed to; "" for the world; None, with a problem, if there is none.

        Each node is visited once. A wrong name and a cycle are reported once.
        """
        way: dict[str, None] = {}
        while full not in self.held_by:
            node = self.nodes.get(full)
            if node is None:
                if not way or self.nodes[next(reversed(way))].kind == "model":  # frames and joints report their own
                    known = chain((self.short(link.name) for link in self.links), (WORLD,))
                    self.problem(element, unknown_name("link or frame", self.short(full), known, self.problems))
                found = None
                break
            if full in way:
                self.problem(node.element, f"{self.short(full)!r} is attached to itself")
                found = None
                break
            if node.kind == "link":
                found = full
                way[full] = None
                break
            way[full] = None
            full = self.canonical(full) if node.kind == "model" else node.attached
        else:
            found = self.held_by[full]
        self.held_by.update(dict.fromkeys(way, found))
        return found

    def canonical(self, model: str) -> str:
        """Return the link that represents a model: the named one, or its first."""
        named = self.nodes[model].element.attributes.get("canonical_link")
        if named:
            return self.full(named, model)
        return self.own_links.get(model) or self.inner_links.get(model, "")

    @cached_property
    def own_links(self) -> dict[str, str]:
        """First link of each model with links."""
        return {link.scope: link.name for link in reversed(self.links)}

    @cached_property
    def inner_links(self) -> dict[str, str]:
        """First link of each model or of its nested models."""
        found: dict[str, str] = {}
        for link in self.links:
            scope = link.scope
            while scope and scope not in found:
                found[scope] = link.name
                scope = scope.rpartition("::")[0]
        return found
