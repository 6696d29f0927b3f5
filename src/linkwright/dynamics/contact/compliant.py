"""Compliant surfaces at rest in the world, in contact with the origin of a frame, or with a ball about it.

With the gap g along the normal n of the surface, the depth δ = max(−g, 0) and the velocity u of the contact point:

    f_n = max(0, k δᵖ (1 + c δ̇) + d δ̇) where δ > 0, else 0           δ̇ = −n·u
    f_t = −μ f_n u_t/√(|u_t|² + ε²)                                  u_t = u − (n·u) n

k δᵖ c δ̇ is the damping of Hunt & Crossley ("Coefficient of restitution interpreted as damping in vibroimpact", 1975),
which starts from zero at contact; d δ̇ is a damper parallel to the spring (Kelvin & Voigt). The surface never pulls.
f_t is Coulomb friction, smoothed at the speed ε: a sticking contact creeps at a speed below ε. Both dissipate energy.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any, ClassVar

import numpy as np

from linkwright.bounds import positive
from linkwright.dynamics.kinematics import pose, velocity
from linkwright.errors import InputError, explained
from linkwright.model.equality import ByValue
from linkwright.model.pair import FRICTION
from linkwright.model.requirement import takes_model
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array, as_numbers, is_symbolic, maximum, where
from linkwright.spatial.rotation import skew

NEARLY_ELASTIC = 1e-2
"""1 − e below which a series gives the dissipation; Newton's method would lose all digits."""

POSITIVE = ("radius", "slip_speed")
"""Numbers that must be positive."""

ANYWHERE = ("point", "normal", "center")
"""Numbers that may be negative."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Surface(ByValue):
    """Compliant surface in contact with a frame; its numbers may differ between motions of a batch, (…, *shape).

    Parameters
    ----------
    frame : str
        Name of the frame whose origin is in contact.
    stiffness : float or array_like, shape (...)
        Stiffness k in N/m; in N/m^1.5 for the exponent 1.5.
    damping : float or array_like, shape (...), optional
        Damping d in N s/m.
    dissipation : float or array_like, shape (...), optional
        Dissipation c in s/m; :func:`dissipation` computes it from a restitution.
    friction : float or array_like, shape (...), optional
        Coefficient of friction μ; 0.7 by default, as of shapes.
    exponent : {1.0, 1.5}, optional
        Exponent p: 1, or 1.5 for a ball on a plane (Hertz 1882).
    slip_speed : float or array_like, shape (...), optional
        Sliding speed ε in m/s at which friction reaches 0.71 μ f_n.
    tip : float or array_like, shape (...), optional
        Radius in m of the contact ball about the origin of the frame.
    """

    shapes: ClassVar[dict[str, tuple[int, ...]]] = {
        "stiffness": (),
        "damping": (),
        "dissipation": (),
        "friction": (),
        "slip_speed": (),
        "tip": (),
    }
    """Shapes of the numbers of one motion."""

    frame: str = field(kw_only=False)
    stiffness: Any
    damping: Any = 0.0
    dissipation: Any = 0.0
    friction: Any = FRICTION
    exponent: float = 1.0
    slip_speed: Any = 1e-3
    tip: Any = 0.0

    def __post_init__(self) -> None:
        """Raise :class:`InputError` for invalid numbers."""
        kind = type(self).__name__
        if not isinstance(self.frame, str):
            raise InputError(f"{kind}: frame is the name of a frame; got {self.frame!r}")
        if self.exponent not in (1.0, 1.5):
            raise InputError(f"{kind}: exponent is 1 or 1.5; got {self.exponent!r}")
        for name, shape in self.shapes.items():
            x = getattr(self, name)
            if is_symbolic(x):
                continue
            x = as_numbers(f"{kind}: {name}", x)
            if x.shape[max(0, x.ndim - len(shape)) :] != shape or not np.isfinite(x).all():
                wanted = f"finite numbers of shape (…, {shape[0]})" if shape else "finite numbers"
                raise InputError(f"{kind}: {name} must be {wanted}; got {getattr(self, name)!r}")
            if name in POSITIVE and not (x > 0.0).all():
                raise InputError(f"{kind}: {name} must be more than 0; got {x.min():g}")
            if name not in ANYWHERE and not (x >= 0.0).all():
                raise InputError(f"{kind}: {name} must not be negative; got {x.min():g}")
            object.__setattr__(self, name, x)

    def of(self, *numbers: Any) -> Surface:
        """Return the surface with other numbers or symbols.

        Parameters
        ----------
        *numbers : float or Expr
            Numbers in the order of ``shapes``. The normal of a plane must be a unit vector.

        Returns
        -------
        Surface
            Surface of the same class.
        """
        changed: Surface = object.__new__(type(self))
        own = {field.name: getattr(self, field.name) for field in fields(self)}
        changed.__dict__.update({**own, **dict(zip(self.shapes, numbers, strict=True))})
        return changed

    def gap_of(self, point: Array) -> tuple[Any, Array]:
        """Compute the distance of a point from the surface.

        Parameters
        ----------
        point : ndarray, shape (3,)
            Point in the world in m.

        Returns
        -------
        gap : float
            Distance in m, negative inside.
        normal : ndarray, shape (3,)
            Unit normal at the nearest point, outward.
        """
        raise NotImplementedError


@explained
@dataclass(frozen=True, eq=False, kw_only=True)
class Plane(Surface):
    """Compliant half-space bounded by a plane.

    Parameters
    ----------
    frame : str
        Name of the frame whose origin is in contact.
    stiffness : float or array_like, shape (...)
        Stiffness k in N/m; in N/m^1.5 for the exponent 1.5.
    damping : float or array_like, shape (...), optional
        Damping d in N s/m.
    dissipation : float or array_like, shape (...), optional
        Dissipation c in s/m; :func:`dissipation` computes it from a restitution.
    friction : float or array_like, shape (...), optional
        Coefficient of friction μ; 0.7 by default, as of shapes.
    exponent : {1.0, 1.5}, optional
        Exponent p: 1, or 1.5 for a ball on a plane (Hertz 1882).
    slip_speed : float or array_like, shape (...), optional
        Sliding speed ε in m/s at which friction reaches 0.71 μ f_n.
    tip : float or array_like, shape (...), optional
        Radius in m of the contact ball about the origin of the frame.
    point : array_like, shape (..., 3), optional
        Point of the plane in the world in m.
    normal : array_like, shape (..., 3), optional
        Direction out of the solid in the world.
    """

    shapes: ClassVar[dict[str, tuple[int, ...]]] = {**Surface.shapes, "point": (3,), "normal": (3,)}
    point: Any = (0.0, 0.0, 0.0)
    normal: Any = (0.0, 0.0, 1.0)

    def __post_init__(self) -> None:
        """Normalize the normal."""
        super().__post_init__()
        if not is_symbolic(self.normal):
            size = np.linalg.norm(self.normal, axis=-1, keepdims=True)
            if not (size > 0.0).all():
                raise InputError("Plane: normal has no length")
            object.__setattr__(self, "normal", self.normal / size)

    def gap_of(self, point: Array) -> tuple[Any, Array]:
        """Compute the distance of a point from the plane.

        Parameters
        ----------
        point : ndarray, shape (3,)
            Point in the world in m.

        Returns
        -------
        gap : float
            Distance in m, negative inside.
        normal : ndarray, shape (3,)
            Unit normal at the nearest point, outward.
        """
        return self.normal @ (point - self.point), self.normal


@explained
@dataclass(frozen=True, eq=False, kw_only=True)
class Sphere(Surface):
    """Compliant solid ball.

    Parameters
    ----------
    frame : str
        Name of the frame whose origin is in contact.
    stiffness : float or array_like, shape (...)
        Stiffness k in N/m; in N/m^1.5 for the exponent 1.5.
    damping : float or array_like, shape (...), optional
        Damping d in N s/m.
    dissipation : float or array_like, shape (...), optional
        Dissipation c in s/m; :func:`dissipation` computes it from a restitution.
    friction : float or array_like, shape (...), optional
        Coefficient of friction μ; 0.7 by default, as of shapes.
    exponent : {1.0, 1.5}, optional
        Exponent p: 1, or 1.5 for a ball on a plane (Hertz 1882).
    slip_speed : float or array_like, shape (...), optional
        Sliding speed ε in m/s at which friction reaches 0.71 μ f_n.
    tip : float or array_like, shape (...), optional
        Radius in m of the contact ball about the origin of the frame.
    center : array_like, shape (..., 3)
        Center in the world in m.
    radius : float or array_like, shape (...)
        Radius in m.
    """

    shapes: ClassVar[dict[str, tuple[int, ...]]] = {**Surface.shapes, "center": (3,), "radius": ()}
    center: Any
    radius: Any

    def gap_of(self, point: Array) -> tuple[Any, Array]:
        """Compute the distance of a point from the sphere; the normal at the center is +z.

        Parameters
        ----------
        point : ndarray, shape (3,)
            Point in the world in m.

        Returns
        -------
        gap : float
            Distance in m, negative inside.
        normal : ndarray, shape (3,)
            Unit normal at the nearest point, outward.
        """
        away = point - self.center
        square = away @ away
        inside = square > 1e-300
        distance = np.sqrt(where(inside, square, 1.0))
        normal = np.stack([where(inside, away[k] / distance, float(k == 2)) for k in range(3)])
        return where(inside, distance, 0.0) - self.radius, normal


@takes_model
def gap(model: Model, q: Array, surface: Surface) -> Any:
    """Return the distance of the frame, or of the ball about it, from the surface, m; negative inside."""
    distance, _ = surface.gap_of(pose(model, q, surface.frame)[:3, 3])
    return distance - surface.tip


@takes_model
def energy(model: Model, q: Array, surface: Surface) -> Any:
    """Return the energy stored in the surface, k δᵖ⁺¹/(p + 1), J."""
    depth = maximum(-gap(model, q, surface), 0.0)
    return surface.stiffness * depth * _power(depth, surface.exponent) / (surface.exponent + 1.0)


@takes_model
def wrench(model: Model, q: Array, v: Array, surface: Surface) -> Array:
    """Return the wrench of the surface on the mechanism (6,): [f; n] at the origin of the frame, in world axes."""
    distance, normal = surface.gap_of(pose(model, q, surface.frame)[:3, 3])
    depth = maximum(surface.tip - distance, 0.0)
    V = velocity(model, q, v, surface.frame)
    arm = -surface.tip * normal
    u = V[:3] + skew(V[3:]) @ arm
    rate = -(normal @ u)
    elastic = surface.stiffness * _power(depth, surface.exponent)
    pressing = maximum(elastic * (1.0 + surface.dissipation * rate) + surface.damping * rate, 0.0)
    pressing = where(depth > 0.0, pressing, 0.0)
    sliding = u + rate * normal
    speed = np.sqrt(sliding @ sliding + surface.slip_speed * surface.slip_speed)
    force = pressing * (normal - (surface.friction / speed) * sliding)
    return np.concatenate([force, skew(arm) @ force])


@explained
def dissipation(restitution: Any, speed: float) -> Any:
    """Compute the dissipation c of a restitution at a speed.

    Parameters
    ----------
    restitution : float or Expr
        Ratio e of the speeds after and before the impact, 0 < e ≤ 1. A symbol is not checked.
    speed : float
        Speed before the impact in m/s. At lower speeds the restitution is larger.

    Returns
    -------
    float or Expr
        Dissipation c in s/m with x (1 + e) = ln((1 + x)/(1 − e x)), x = c v, for any stiffness, exponent and mass. For
        small x, e = 1 − 2x/3.

    Raises
    ------
    InputError
        If `restitution` or `speed` is out of range.

    Notes
    -----
    Newton's method solves for y = −ln(1 − e x), which is well scaled where e x is close to 1; near e = 1 a series is
    used.

    References
    ----------
    Hunt & Crossley, "Coefficient of restitution interpreted as damping in vibroimpact", *Journal of Applied Mechanics*
    42(2), 1975.
    """
    if not is_symbolic(restitution):
        if positive("restitution", restitution) > 1.0:
            raise InputError(f"restitution is at most 1; got {restitution!r}")
        restitution = float(restitution)
    positive("speed", speed, "m/s")
    e, t = restitution, 1.0 - restitution
    near_one = t * (1.5 - t * t * (0.15 + t * (0.15 + t * (81.0 / 700.0 + t * 57.0 / 700.0))))  # e x
    elastic = t < NEARLY_ELASTIC
    high = where(e > 0.5, -np.log(1.0 - where(e > 0.5, near_one, 0.0)), (1.0 + e) / e - np.log(1.0 + 1.0 / e))
    y = where(elastic, 1.0, high)
    for _ in range(6):
        w = np.exp(-y)
        reach = 1.0 + (1.0 - w) / e
        slope = w / (e * reach) + 1.0 - w * (1.0 + e) / e
        step = (np.log(reach) + y - (reach - 1.0) * (1.0 + e)) / where(elastic, 1.0, slope)
        y = where(elastic, y, y - step)
    found = where(elastic, near_one, 1.0 - np.exp(-y)) / e / speed
    return found if is_symbolic(found) else float(found)


def _power(depth: Any, exponent: float) -> Any:
    return depth if exponent == 1.0 else depth * np.sqrt(depth)
