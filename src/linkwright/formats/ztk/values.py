"""Values of keys in a ZTK file: numbers, names, placements."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from linkwright.formats.text_values import WordFindings
from linkwright.formats.ztk.text import Key, Word, ZtkSection
from linkwright.spatial.arrays import Array, snap, unit_vector
from linkwright.spatial.rotation import rotation_about
from linkwright.spatial.transform import pose_matrix

ROUNDED = 1e-9
"""Deviation of an attitude from an orthonormal one above which there is a remark; all are made orthonormal."""

ORTHONORMAL = 1e-2
"""Deviation above which an attitude is rejected."""


class ZTKValues:
    """Reads values and reports invalid ones."""

    def __init__(self, findings: WordFindings):
        self.findings = findings

    def name(self, section: ZtkSection, what: str) -> str:
        """Return the name of a section; "", with a problem, if missing."""
        key = section.get("name")
        self.findings.owner = ""
        if key is None or not key.values:
            self.findings.problem(key or section, f"a [{section.tag}] needs a name")
            return ""
        return self.word(key) or ""

    def word(self, key: Key) -> str | None:
        """Return the only word of a key; None, with a problem, for none or several."""
        if len(key.values) != 1:
            text = f"is {key.text!r}; expected one word" if key.values else "has no value"
            self.findings.problem(key, f"{key.name} {text}")
            return None
        return self.findings.bounded_name(key, key.name, key.values[0].text)

    def number(self, key: Key) -> float | None:
        """Return one number; None, with a problem, if missing."""
        found = self.numbers(key, 1)
        return None if found is None else found[0]

    def required(self, section: ZtkSection, name: str) -> float | None:
        """Return the only number of a required key."""
        key = section.get(name)
        if key is None:
            self.findings.problem(section, f"{name} is missing")
            return None
        return self.number(key)

    def vector(self, key: Key) -> Array | None:
        """Return three numbers."""
        found = self.numbers(key, 3)
        return None if found is None else np.array(found)

    def matrix(self, key: Key) -> Array | None:
        """Return nine numbers, row by row, as (3, 3)."""
        found = self.numbers(key, 9, "9 numbers, row by row")
        return None if found is None else np.array(found).reshape(3, 3)

    def numbers(self, key: Key, n: int, expected: str = "") -> list[float] | None:
        """Return n numbers; None, with a problem, if missing."""
        expected = expected or (f"{n} numbers" if n > 1 else "one number")
        if len(key.values) != n:
            text = f"is {key.text!r}" if key.values else "has no value"
            self.findings.problem(key, f"{key.name} {text}; expected {expected}, found {len(key.values)}")
            return None
        return self.numbers_of(key, key.values, expected)

    def numbers_of(self, key: Key, words: Sequence[Word], expected: str) -> list[float] | None:
        """Return the numbers of these words."""
        return self.findings.reals(key.name, [(word.text, word) for word in words], expected)

    def placement(self, section: ZtkSection) -> Array | None:
        """Return the pose (4, 4) of pos, att, rot, frame and DH, in the order of the file as in RoKi.

        None, with a problem, for invalid ones.
        """
        R, p = np.eye(3), np.zeros(3)
        right = True
        for key in section.keys:
            if key.name not in PLACING:
                continue
            n, expected = PLACING[key.name]
            x = self.numbers(key, n, expected)
            if x is None:
                right = False
            elif key.name == "pos":
                p = np.array(x)
            elif key.name == "att":
                R, sound = self._attitude(key, np.array(x).reshape(3, 3))
                right = right and sound
            elif key.name == "rot":
                axis = np.array(x[:3])
                if not axis.any():
                    self.findings.problem(key, f"rot is {key.text!r}; its axis is zero")
                    right = False
                    continue
                R = rotation_about(unit_vector(axis), np.radians(x[3])) @ R
            elif key.name == "frame":
                T = np.array(x).reshape(3, 4)
                p = T[:, 3]
                R, sound = self._attitude(key, T[:, :3])
                right = right and sound
            else:
                a, alpha, d, theta = x
                turn = rotation_about(np.eye(3)[0], np.radians(alpha))
                R = turn @ rotation_about(np.eye(3)[2], np.radians(theta))
                p = np.array([a, 0.0, 0.0]) + turn @ np.array([0.0, 0.0, d])
        return pose_matrix(snap(R), p) if right else None

    def _attitude(self, key: Key, R: Array) -> tuple[Array, bool]:
        """Return the matrix (3, 3) made orthonormal as in RoKi (z kept, x next), and whether it is valid."""
        off = np.abs(R.T @ R - np.eye(3)).max()
        if off > ORTHONORMAL or np.linalg.det(R) < 0.0:
            wrong = "left-handed" if off <= ORTHONORMAL else f"not orthonormal: it is off by {off:.2g}"
            self.findings.problem(key, f"the attitude in {key.name} is {wrong}; expected a rotation matrix")
            return np.eye(3), False
        if off > ROUNDED:
            self.findings.remark(
                key, "the attitude is orthonormal only roughly; z is kept and x next to it", self.findings.owner
            )
        z = R[:, 2] / np.linalg.norm(R[:, 2])
        x = R[:, 0] - (R[:, 0] @ z) * z
        x = x / np.linalg.norm(x)
        return np.stack([x, np.cross(z, x), z], axis=1), True


PLACING = {
    "pos": (3, "3 numbers"),
    "att": (9, "9 numbers, row by row"),
    "rot": (4, "an axis of 3 numbers and an angle in degrees"),
    "frame": (12, "12 numbers, 3 rows of a rotation and a position"),
    "DH": (4, "a, alpha, d and theta in m and degrees"),
}
"""Keys that place a link or a shape: the number and the meaning of their numbers."""
