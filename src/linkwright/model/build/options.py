"""Options of the builder: limits of joints, and contact properties of shapes."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from numpy.typing import ArrayLike

from linkwright.errors import ArgumentError, InputError, explained
from linkwright.model.equality import ByValue
from linkwright.model.parts.shape import MAY_BE_NONE, SURFACE, surface_problems
from linkwright.spatial.arrays import finite


@explained
@dataclass(frozen=True, eq=False)
class JointLimits(ByValue):
    """Limits of a joint: one number, or one per coordinate; None is no limit.

    Parameters
    ----------
    lower, upper : float or array_like, shape (nq,), optional
        Limits of the coordinates in rad or m.
    velocity : float or array_like, shape (nv,), optional
        Largest speed in rad/s or m/s.
    effort : float or array_like, shape (nv,), optional
        Largest effort in N m or N.

    Examples
    --------
    >>> import linkwright as lw
    >>> made = lw.Builder("arm").body("link", mass=1.0, inertia=0.1)
    >>> made = made.joint("elbow", "revolute", "world", "link", limits=lw.JointLimits(-2.0, 2.0, effort=50.0))
    >>> made.build().joint("elbow").effort_limit
    array([50.])
    """

    lower: ArrayLike | None = None
    upper: ArrayLike | None = None
    velocity: ArrayLike | None = None
    effort: ArrayLike | None = None

    @classmethod
    def of(cls, who: str, given: Any) -> JointLimits:
        """Return the limits of an argument.

        Parameters
        ----------
        who : str
            Name of the function, for messages.
        given : JointLimits, tuple or None
            Limits, (lower, upper), or None.

        Returns
        -------
        JointLimits
            Limits.
        """
        if given is None:
            return cls()
        if isinstance(given, (tuple, list)) and len(given) == 2:
            return cls(*given)
        if not isinstance(given, cls):
            raise ArgumentError(f"{who}: limits is (lower, upper) or lw.JointLimits(…); got {given!r}")
        return given


@explained
@dataclass(frozen=True, kw_only=True)
class ContactProperties:
    """Contact properties of a shape or of the ground.

    Parameters
    ----------
    friction : float, optional
        Coefficient of Coulomb friction. Of two shapes the smaller coefficient acts; None takes that of the other
        shape, and 0.7 where neither has one.
    torsional_friction, rolling_friction : float, optional
        Moment in N m, per newton of normal force, that resists rotation about the normal and rolling. Of two shapes
        the larger one acts.
    restitution : float, optional
        Ratio of the speeds after and before an impact, 0 to 1. Of two shapes the smaller one acts; None takes that of
        the other shape, and 0 where neither has one.
    stiffness : float, optional
        Stiffness of each contact point in N/m; None is rigid. Two compliant shapes act as springs in series.
    damping : float, optional
        Damping of each contact point in N s/m, with a stiffness only. A compliant contact exerts
        max(0, k δ (1 + c δ̇) + d δ̇), c such that an impact at 1 m/s has the restitution (at least 0.05), and zero
        without a restitution.
    margin : float, optional
        Thickness in m that is added to the shape.
    contype, conaffinity : int, optional
        Bits, as in MJCF: shapes meet where a bit of the ``contype`` of one is in the ``conaffinity`` of the other.

    Examples
    --------
    >>> import linkwright as lw
    >>> icy = lw.load("quadruped").with_ground(contact=lw.ContactProperties(friction=0.05))
    >>> icy.pairs[0].friction
    0.05
    """

    friction: float | None = None
    torsional_friction: float = 0.0
    rolling_friction: float = 0.0
    restitution: float | None = None
    stiffness: float | None = None
    damping: float = 0.0
    margin: float = 0.0
    contype: int = 1
    conaffinity: int = 1

    def __post_init__(self) -> None:
        for name in SURFACE:
            given = getattr(self, name)
            if given is not None or name not in MAY_BE_NONE:
                object.__setattr__(self, name, float(finite(name, given, ())))
        for problem in surface_problems(self):
            raise InputError(problem)

    @classmethod
    def of(cls, who: str, given: Any) -> ContactProperties:
        """Return the properties of an argument, the default ones for None.

        Parameters
        ----------
        who : str
            Name of the function, for messages.
        given : ContactProperties or None
            Properties.

        Returns
        -------
        ContactProperties
            Properties.
        """
        if given is None:
            return cls()
        if not isinstance(given, cls):
            raise ArgumentError(f"{who}: contact is lw.ContactProperties(…); got {given!r}")
        return given

    @property
    def values(self) -> dict[str, Any]:
        """The properties by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}
