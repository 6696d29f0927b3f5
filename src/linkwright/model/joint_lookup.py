"""Joints of a model by name, also those that are parts of compound joints, and their places in q and v."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from linkwright.errors import UnknownNameError
from linkwright.model.elements import PER_COORDINATE, PER_VELOCITY, Joint
from linkwright.model.joints.joint import Compound, JointPart
from linkwright.model.joints.joint_type import JointType


class Places(NamedTuple):
    """Indices of the coordinates of a joint."""

    q: slice
    v: slice


class JointLookup:
    """Joints of a :class:`Model` and the indices of their coordinates, by name."""

    if TYPE_CHECKING:
        joints: tuple[Joint, ...]

    def joint(self, name: str) -> Joint:
        """Return the joint of a name, or a part of a compound joint.

        Parameters
        ----------
        name : str
            Name of the joint. Joints that were merged into a compound joint, as those of a body with several joints in
            MJCF, keep their names; "compound.part" is a name too.

        Returns
        -------
        Joint
            Joint, or the part of a compound joint.

        Raises
        ------
        UnknownNameError
            If there is no such joint.
        """
        number, part = self._find(name)
        joint = self.joints[number]
        if part is None:
            return joint
        own, (at_q, at_v) = self._part(joint.motion, part)
        shares = {of: getattr(joint, of)[at_q] for of in PER_COORDINATE}
        shares |= {of: getattr(joint, of)[at_v] for of in PER_VELOCITY}
        return replace(joint, name=own.name or name, motion=own.motion, **shares)

    def slice(self, joint: str) -> Places:
        """Return the indices of a joint's coordinates in q and in v: ``q[model.slice("hip").q]``.

        Parameters
        ----------
        joint : str
            Name of the joint, or of a part of a compound joint.

        Returns
        -------
        Places
            Slices ``q`` and ``v``, which are empty for a mimic joint.

        Examples
        --------
        >>> import linkwright as lw
        >>> lw.load("two_link").slice("joint2").q
        slice(1, 2, None)
        """
        number, part = self._find(joint)
        places = self._places[number]
        if part is None:
            return places
        own = self._part(self.joints[number].motion, part)[1]
        return Places(*(_shifted(inner, outer.start) for inner, outer in zip(own, places, strict=True)))

    def place(self, joint: str) -> tuple[int, Places]:
        """Return the index of a joint and the slices of a part in its arrays.

        Parameters
        ----------
        joint : str
            Name of the joint, or of a part of a compound joint.

        Returns
        -------
        number : int
            Index of the joint, or of the compound joint that contains it.
        places : Places
            Slices of its coordinates in those of the joint.
        """
        number, part = self._find(joint)
        motion = self.joints[number].motion
        if part is None:
            return number, Places(slice(0, motion.nq), slice(0, motion.nv))
        return number, self._part(motion, part)[1]

    def full_name(self, coordinate: str) -> str:
        """Return the name in ``coordinate_names`` of a coordinate.

        Parameters
        ----------
        coordinate : str
            Name of the coordinate, or of a merged joint; other names are returned unchanged.

        Returns
        -------
        str
            Full name.
        """
        for name, (number, _) in self._members.items():
            own = self.joints[number].name
            if (coordinate == name or coordinate.startswith(f"{name}.")) and not name.startswith(f"{own}."):
                return f"{own}.{coordinate}"
        return coordinate

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Names that :meth:`joint` accepts: of joints, and of parts of compound joints."""
        return (*self._numbers, *self._members)

    def _find(self, name: str) -> tuple[int, int | None]:
        """Return the index of the joint of a name and, for a part of a compound joint, the index of the part."""
        if isinstance(name, str):
            if name in self._numbers:
                return self._numbers[name], None
            if name in self._members:
                return self._members[name]
        called = {place: member for member, place in self._members.items()}  # the shorter name comes last
        raise UnknownNameError("joint", name, [*self._numbers, *called.values()])

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {joint.name: k for k, joint in enumerate(self.joints)}

    @cached_property
    def _members(self) -> dict[str, tuple[int, int]]:
        """Parts of compound joints by "joint.part", and by their own names where these are unique."""
        found: dict[str, tuple[int, int]] = {}
        own: list[str] = []
        for k, joint in enumerate(self.joints):
            for i, part in enumerate(joint.motion.parts):
                found[f"{joint.name}.{part.name or i}"] = k, i
                if part.name and joint.type == Compound.type:  # those of all universal joints have the same names
                    own.append(part.name)
                    found.setdefault(part.name, (k, i))
        twice = {name for name, count in Counter(own).items() if count > 1}
        return {name: place for name, place in found.items() if name not in twice and name not in self._numbers}

    @cached_property
    def _places(self) -> tuple[Places, ...]:
        """Slices of all joints."""
        q = np.cumsum([0, *(joint.nq for joint in self.joints)]).tolist()
        v = np.cumsum([0, *(joint.nv for joint in self.joints)]).tolist()
        return tuple(map(Places, map(slice, q, q[1:]), map(slice, v, v[1:])))

    @staticmethod
    def _part(motion: JointType, number: int) -> tuple[JointPart, Places]:
        """Return a part of a compound joint type, and its indices in the compound's coordinates."""
        before = [part.motion for part in motion.parts[:number]]
        one = motion.parts[number]
        q, v = sum(m.nq for m in before), sum(m.nv for m in before)
        return one, Places(slice(q, q + one.motion.nq), slice(v, v + one.motion.nv))


def _shifted(places: slice, start: int) -> slice:
    return slice(places.start + start, places.stop + start)
