"""Coordinates of a model: how q and v consist of those of the joints. All that depends on mimic joints is here."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from linkwright.bounds import whole_number
from linkwright.errors import InputError, ShapeError, explained
from linkwright.model.elements import Coupling, Joint
from linkwright.model.joints.joint_type import generator, samples
from linkwright.spatial.arrays import Array


class JointCoordinates:
    """Coordinates of the joints of a :class:`Model`, their limits, and configurations."""

    if TYPE_CHECKING:
        name: str
        joints: tuple[Joint, ...]

    @cached_property
    def nq(self) -> int:
        """Number of position coordinates."""
        return sum(joint.nq for joint in self.joints)

    @cached_property
    def nv(self) -> int:
        """Number of velocity coordinates: degrees of freedom."""
        return sum(joint.nv for joint in self.joints)

    @cached_property
    def has_couplings(self) -> bool:
        """Whether there are mimic joints."""
        return any(joint.coupling for joint in self.joints)

    @explained
    def coordinates(self, q: Array) -> list[Array]:
        """Return the position coordinates of every joint, including mimic joints.

        Parameters
        ----------
        q : ndarray, shape (nq,)
            Configuration.

        Returns
        -------
        list of ndarray
            Coordinates of each joint.
        """
        return self._split(q, "nq", followers_offset=True)

    @explained
    def rates(self, v: Array) -> list[Array]:
        """Return the velocity coordinates of every joint, including mimic joints.

        Parameters
        ----------
        v : ndarray, shape (nv,)
            Velocity or acceleration.

        Returns
        -------
        list of ndarray
            Velocities of each joint.
        """
        return self._split(v, "nv", followers_offset=False)

    def _split(self, x: Array, width: str, followers_offset: bool) -> list[Array]:
        total = getattr(self, width)
        if np.shape(x) != (total,):
            raise ShapeError(
                f"expected shape ({total},) for {self.name!r}, whose {width} is {total}; got {np.shape(x)}"
            )
        pieces: list[Array] = [np.zeros(0)] * len(self.joints)
        at = 0
        for k, joint in enumerate(self.joints):
            n = getattr(joint, width)
            pieces[k] = x[at : at + n]
            at += n
        for k, joint in enumerate(self.joints):
            if (c := joint.coupling) is not None:
                follows = c.multiplier * pieces[c.leader]
                pieces[k] = follows + c.offset if followers_offset else follows
        return pieces

    @explained
    def assemble(self, pieces: Sequence[Array], rows: tuple[int, ...] = ()) -> Array:
        """Assemble efforts or columns of all joints; those of mimic joints are added to their leaders.

        Parameters
        ----------
        pieces : sequence of ndarray, shape (..., nv of the joint)
            Values of each joint.
        rows : tuple of int, optional
            Leading dimensions of a column, for a mechanism without joints.

        Returns
        -------
        ndarray, shape (..., nv)
            Values of the mechanism.
        """
        gathered = list(pieces)
        for k, c in self._followers:
            gathered[c.leader] = gathered[c.leader] + c.multiplier * gathered[k]
        own = [gathered[k] for k in self._moving]
        if not own:
            return np.zeros((*(np.shape(pieces[0])[:-1] if pieces else rows), 0))
        return np.concatenate(own, axis=-1)

    @cached_property
    def _followers(self) -> tuple[tuple[int, Coupling], ...]:
        return tuple((k, c) for k, joint in enumerate(self.joints) if (c := joint.coupling) is not None)

    @cached_property
    def _moving(self) -> tuple[int, ...]:
        """Indices of the joints with independent velocity coordinates."""
        return tuple(k for k, joint in enumerate(self.joints) if joint.nv)

    @explained
    def positions(self, pieces: Sequence[Array]) -> Array:
        """Assemble position coordinates of all joints; those of mimic joints are omitted.

        Parameters
        ----------
        pieces : sequence of ndarray
            Coordinates of each joint.

        Returns
        -------
        ndarray, shape (nq,)
            Configuration.
        """
        own = [x for x, joint in zip(pieces, self.joints, strict=True) if joint.nq]
        return np.concatenate(own) if own else np.zeros(0)

    @explained
    def velocities(self, pieces: Sequence[Array]) -> Array:
        """Assemble velocity coordinates of all joints; those of mimic joints are omitted.

        Parameters
        ----------
        pieces : sequence of ndarray
            Velocities of each joint.

        Returns
        -------
        ndarray, shape (nv,)
            Velocity.
        """
        return self.positions(pieces)

    @cached_property
    def coupling_matrix(self) -> Array:
        """Matrix G (number of all joints' velocities, nv): v_full = G v."""
        widths = [joint.motion.nv for joint in self.joints]
        full = np.eye(sum(widths))
        return self.assemble(np.split(full, np.cumsum(widths)[:-1], axis=1)) if widths else np.zeros((0, 0))

    @cached_property
    def armature(self) -> Array:
        """Diagonal (nv,) of reflected rotor inertias in the mass matrix."""
        own = [joint.armature for joint in self.joints]
        for joint in self.joints:
            if (c := joint.coupling) is not None:
                own[c.leader] = own[c.leader] + c.multiplier**2 * joint.armature
        return np.concatenate([np.zeros(0), *(x for x, joint in zip(own, self.joints, strict=True) if joint.nv)])

    def neutral(self) -> Array:
        """Return the neutral configuration: zeros and unit quaternions, unless the joints have other neutral values.

        That of an MJCF file is MuJoCo's ``qpos0``: free bodies are where the file places them, hinges and slides are
        at ``ref``.

        Returns
        -------
        ndarray, shape (nq,)
            Configuration.

        Examples
        --------
        >>> import linkwright as lw
        >>> lw.load("two_link").neutral()
        array([0., 0.])
        """
        return np.concatenate([np.zeros(0), *(joint.neutral for joint in self.joints if joint.nq)])

    @cached_property
    def lower(self) -> Array:
        """Lower limits (nq,); -inf without a limit. Those of leaders include the limits of mimic joints."""
        return self._limits[0]

    @cached_property
    def upper(self) -> Array:
        """Upper limits (nq,); inf without a limit. Those of leaders include the limits of mimic joints."""
        return self._limits[1]

    @property
    def contradictions(self) -> tuple[str, ...]:
        """Names of mimic joints whose limits are ignored, since they leave their leader no range."""
        return self._limits[2]

    @cached_property
    def _limits(self) -> tuple[Array, Array, tuple[str, ...]]:
        """Limits of leaders, intersected with those of their mimic joints."""
        low, high = [joint.lower for joint in self.joints], [joint.upper for joint in self.joints]
        contradictions = []
        for joint in self.joints:
            if (c := joint.coupling) is not None and c.multiplier:
                with np.errstate(over="ignore"):  # a tiny multiplier: no limit for the leader
                    ends = [(x - c.offset) / c.multiplier for x in (joint.lower, joint.upper)]
                lower, upper = np.maximum(low[c.leader], min(*ends)), np.minimum(high[c.leader], max(*ends))
                if (lower < upper).all():
                    low[c.leader], high[c.leader] = lower, upper
                elif (low[c.leader] < high[c.leader]).all():
                    contradictions.append(joint.name)
        limits = [
            np.concatenate([np.zeros(0), *(x for x, joint in zip(side, self.joints, strict=True) if joint.nq)])
            for side in (low, high)
        ]
        for side in limits:
            side.setflags(write=False)
        return limits[0], limits[1], tuple(contradictions)

    def random(self, n: int | None = None, seed: int | np.random.Generator | None = None) -> Array:
        """Draw random configurations: uniform within limits, else within ±π and ±1 m, and over rotations.

        Parameters
        ----------
        n : int, optional
            Number of configurations; by default one without a batch dimension.
        seed : int or numpy.random.Generator, optional
            Seed; the same seed gives the same rows.

        Returns
        -------
        ndarray, shape (nq,) or (n, nq)
            Configurations within the limits of all joints, including mimic joints.

        Examples
        --------
        >>> import linkwright as lw
        >>> lw.load("two_link").random(100, seed=0).shape
        (100, 2)
        """
        if n is not None:
            whole_number("the number of random configurations", n, 0)
        chosen = generator(seed)
        rows = () if n is None else (int(n),)
        try:
            return samples(chosen, self.lower, self.upper, self._reach, self.quaternion_starts, rows)
        except (MemoryError, ValueError, OverflowError):
            raise InputError(f"{n} configurations of {self.nq} numbers each are more than memory holds") from None

    @cached_property
    def _reach(self) -> Array:
        return np.concatenate([np.zeros(0), *(joint.motion.reach for joint in self.joints if joint.nq)])

    @cached_property
    def coordinate_names(self) -> tuple[str, ...]:
        """Names of the entries of q."""
        return tuple(name for joint in self.joints for name in joint.coordinate_names)

    @cached_property
    def plain_coordinates(self) -> dict[str, tuple[int, int, int]]:
        """Coordinates whose rates are velocities, by name: index of the joint, indices in its q and v."""
        return {
            joint.coordinate_names[at_q]: (k, at_q, at_v)
            for k, joint in enumerate(self.joints)
            if joint.nq
            for at_q, at_v in joint.motion.plain
        }

    @cached_property
    def quaternion_starts(self) -> tuple[int, ...]:
        """Indices in q at which quaternions start."""
        starts, at = [], 0
        for joint in self.joints:
            if joint.nq:
                starts += [at + k for k in joint.motion.quaternions]
                at += joint.nq
        return tuple(starts)


def velocity_names(model: JointCoordinates) -> list[str]:
    """Return a name for each entry of v; those of compound joints from their parts."""
    names = []
    for joint in model.joints:
        parts = [(f"{joint.name}.{part.name or k}", part.motion) for k, part in enumerate(joint.motion.parts)]
        if joint.nv and not parts:
            parts = [(joint.name, joint.motion)]
        names += [name if motion.nv == 1 else f"{name}.{k}" for name, motion in parts for k in range(motion.nv)]
    return names


def rotor_velocities(model: JointCoordinates) -> list[int]:
    """Return the indices in v of the velocities that can have an armature.

    These are all but the translations of free and planar joints, whose velocities are in axes that rotate with the
    body.
    """
    velocities = [(joint, k) for joint in model.joints for k in range(joint.nv)]
    return [at for at, (joint, k) in enumerate(velocities) if k not in joint.motion.carried]


def joint_parameters(model: JointCoordinates, armature: bool, friction: bool) -> dict[str, list[int]]:
    """Return the velocities that have each parameter of joints, in the order of the parameters."""
    every = list(range(model.nv))
    rotors = {"armature": rotor_velocities(model)} if armature else {}
    return rotors | ({"damping": every, "friction": every} if friction else {})
