"""Compliant surfaces, planes and spheres, in contact with frames of a mechanism.

The formulas are those of :mod:`linkwright.dynamics.contact`, compiled for numbers and batches.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from linkwright.compiler.public import compile_or_not
from linkwright.dynamics import contact
from linkwright.dynamics.contact import Plane, Sphere, Surface, dissipation
from linkwright.errors import ArgumentError
from linkwright.model.memo import derived
from linkwright.model.requirement import takes_model
from linkwright.model.tree import Model
from linkwright.simulation.actuation.law_controller import pack_values, packed_size, unpack_values
from linkwright.spatial.arrays import Array, as_numbers, is_symbolic

__all__ = ["Plane", "Sphere", "Surface", "dissipation", "energy", "gap", "wrench"]


def __dir__() -> list[str]:
    return __all__


@takes_model
def gap(model: Model, q: Array, surface: Surface) -> Any:
    """Compute the distance of a frame, or of the ball about it, from a surface.

    Parameters
    ----------
    model : Model
        Mechanism.
    q : array_like, shape (..., nq)
        Configuration.
    surface : Surface
        Plane or sphere; its numbers may be batches.

    Returns
    -------
    ndarray, shape (...)
        Distance, m; negative inside.
    """
    return _found(contact.gap, model, surface, q)


@takes_model
def energy(model: Model, q: Array, surface: Surface) -> Any:
    """Compute the energy stored in a surface, k δᵖ⁺¹/(p + 1).

    Parameters
    ----------
    model : Model
        Mechanism.
    q : array_like, shape (..., nq)
        Configuration.
    surface : Surface
        Plane or sphere; its numbers may be batches.

    Returns
    -------
    ndarray, shape (...)
        Energy, J.
    """
    return _found(contact.energy, model, surface, q)


@takes_model
def wrench(model: Model, q: Array, v: Array, surface: Surface) -> Array:
    """Compute the wrench of a surface on the mechanism.

    Parameters
    ----------
    model : Model
        Mechanism.
    q, v : array_like, shapes (..., nq) and (..., nv)
        Configuration and joint velocity.
    surface : Surface
        Plane or sphere; its numbers may be batches.

    Returns
    -------
    ndarray, shape (..., 6)
        Wrench [f; n] at the origin of the frame, in world axes, N and N m.
    """
    found: Array = _found(contact.wrench, model, surface, q, v)
    return found


def _found(reference: Callable[..., Any], model: Model, surface: Surface, *states: Any) -> Any:
    if not isinstance(surface, Surface):
        raise ArgumentError(f"{reference.__name__}: surface is a contact.Plane or a contact.Sphere; got {surface!r}")
    values, shapes = [getattr(surface, name) for name in surface.shapes], tuple(surface.shapes.values())
    if model.holds_symbols or model.sweeps_are_recorded or is_symbolic(*states, *values):
        return reference(model, *states, surface)
    names = ("q", "v")[: len(states)]

    def of_surface(model: Model, q: Array, packed: Array) -> Any:
        return reference(model, q, surface.of(*unpack_values(packed, shapes)))

    def of_surface_and_velocity(model: Model, q: Array, v: Array, packed: Array) -> Any:
        return reference(model, q, v, surface.of(*unpack_values(packed, shapes)))

    def make() -> Callable[..., Any]:
        return compile_or_not(
            of_surface_and_velocity if len(states) > 1 else of_surface, model, packed=(packed_size(shapes),)
        )

    kind: Any = type(surface)
    kernel = derived(model, reference, kind, surface.frame, surface.exponent, make=make)
    return kernel(*(as_numbers(name, x) for name, x in zip(names, states, strict=True)), pack_values(values, shapes))
