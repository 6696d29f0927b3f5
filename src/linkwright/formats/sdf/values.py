"""Values of elements of an SDF file: numbers, names, poses."""

from __future__ import annotations

import numpy as np

from linkwright.formats.findings import LONGEST_NAME, near
from linkwright.formats.text_values import WordFindings
from linkwright.formats.xml import Element, shortened
from linkwright.model.build.description import WORLD
from linkwright.spatial.arrays import Array, snap
from linkwright.spatial.rotation import rotation_rpy
from linkwright.spatial.transform import pose_matrix


class SDFValues(WordFindings):
    """Reads values and reports invalid ones."""

    filtered = False
    """whether the file has bit masks of contact"""

    def child(self, element: Element, tag: str) -> Element | None:
        """Return the only child of a tag; report a second one."""
        found = [one for one in element.children if one.tag == tag]
        for one in found[1:]:
            self.second(one, found[0])
        return found[0] if found else None

    def numbers(self, element: Element, counts: tuple[int, ...], infinite: bool = False) -> list[float] | None:
        """Return the numbers of an element; None, with a problem, for invalid ones."""
        words = element.text.split()
        shown, expected = shortened(" ".join(words)), " or ".join(map(str, counts))
        if len(words) not in counts:
            many = "numbers" if counts != (1,) else "number"
            self.problem(element, f"<{element.tag}> is {shown!r}; expected {expected} {many}, found {len(words)}")
            return None
        return self.reals(f"<{element.tag}>", [(word, element) for word in words], "a finite number", infinite)

    def value(self, element: Element | None, tag: str, default: float | None, infinite: bool = False) -> float | None:
        """Return the number in a child; the default if it is missing or invalid."""
        child = self.child(element, tag) if element is not None else None
        x = self.numbers(child, (1,), infinite) if child is not None else None
        return x[0] if x else default

    def word(self, element: Element, tag: str) -> str | None:
        """Return the name in a child; None, with a problem, if missing."""
        child = self.child(element, tag)
        text = child.text.strip() if child is not None else ""
        if not text:
            self.problem(child or element, f"<{element.tag}> has no <{tag}>" if child is None else f"<{tag}> is empty")
            return None
        return text

    def name(self, element: Element) -> str | None:
        """Return the name of an element."""
        name = element.attributes.get("name", "")
        if not name:
            self.problem(element, f"<{element.tag}> has no name")
            return None
        if len(name) > LONGEST_NAME or "::" in name:
            text = f"{len(name)} characters" if len(name) > LONGEST_NAME else "'::', which is for nested models"
            self.problem(element, f"the name of <{element.tag}> has {text}: {shortened(name)}")
            return None
        if name in (WORLD, "__model__"):
            self.problem(element, f"the name {name!r} of <{element.tag}> is reserved in SDF; choose another")
            return None
        return name

    def unknown(self, element: Element, known: tuple[str, ...]) -> None:
        """Report unknown child elements; those of other namespaces are ignored."""
        for one in element.children:
            if one.tag not in known and ":" not in one.tag:
                hint = near(one.tag, known)
                tag = shortened(one.tag)
                self.remark(one, f"<{tag}> in <{element.tag}> is not an element of SDF that is read{hint}")

    def pose(self, element: Element | None) -> Array:
        """Return the pose (4, 4) of a <pose>; the identity if missing."""
        if element is None or not element.text.strip():
            return np.eye(4)
        form = element.attributes.get("rotation_format", "euler_rpy")
        if form not in ("euler_rpy", "quat_xyzw"):
            self.problem(element, f"rotation_format is {shortened(form)!r}; there are euler_rpy and quat_xyzw")
            return np.eye(4)
        x = self.numbers(element, (6,) if form == "euler_rpy" else (7,))
        if x is None:
            return np.eye(4)
        if form == "euler_rpy":
            turned = element.attributes.get("degrees", "false").strip().lower() in ("true", "1")
            return pose_matrix(rotation_rpy(np.radians(x[3:]) if turned else x[3:]), np.array(x[:3]))
        R = self.rotation(element, "the quaternion of <pose>", x[3:])
        return np.eye(4) if R is None else pose_matrix(snap(R), np.array(x[:3]))
