"""What a mechanism touches: compliant surfaces, planes and spheres, at frames of its bodies.

The formulas are those of :mod:`linkwright.dynamics.contact`; of numbers they are compiled, and take batches.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from linkwright.compiler.public import compile_or_not
from linkwright.dynamics import contact
from linkwright.dynamics.contact import Plane, Sphere, Surface, dissipation
from linkwright.errors import ArgumentError
from linkwright.model.derived import derived
from linkwright.model.requirement import takes_model
from linkwright.model.tree import Model
from linkwright.simulation.acting.laws import apart, one_after_another, size_of
from linkwright.spatial.arrays import Array, as_numbers, is_symbolic

__all__ = ["Plane", "Sphere", "Surface", "dissipation", "energy", "gap", "wrench"]


def __dir__() -> list[str]:
    return __all__


@takes_model
def gap(model: Model, q: Array, surface: Surface) -> Any:
    """How far the frame, or the ball about it, is from the surface, m; less than zero: how deep it is in it.

    q (…, nq) and the surface's numbers may be batches.
    """
    return _found(contact.gap, model, surface, q)


@takes_model
def energy(model: Model, q: Array, surface: Surface) -> Any:
    """What is stored in the surface, k δᵖ⁺¹/(p + 1), J, of q (…, nq)."""
    return _found(contact.energy, model, surface, q)


@takes_model
def wrench(model: Model, q: Array, v: Array, surface: Surface) -> Array:
    """What the surface exerts on the mechanism (…, 6): [f; n] at the frame's origin, in world axes."""
    found: Array = _found(contact.wrench, model, surface, q, v)
    return found


def _found(book: Callable[..., Any], model: Model, surface: Surface, *states: Any) -> Any:
    if not isinstance(surface, Surface):
        raise ArgumentError(f"{book.__name__}: surface is a contact.Plane or a contact.Sphere; got {surface!r}")
    values, shapes = [getattr(surface, name) for name in surface.shapes], tuple(surface.shapes.values())
    if model.holds_symbols or model.sweeps_are_recorded or is_symbolic(*states, *values):
        return book(model, *states, surface)
    names = ("q", "v")[: len(states)]

    def of_surface(model: Model, q: Array, told: Array) -> Any:
        return book(model, q, surface.of(*apart(told, shapes)))

    def of_surface_and_velocity(model: Model, q: Array, v: Array, told: Array) -> Any:
        return book(model, q, v, surface.of(*apart(told, shapes)))

    def make() -> Callable[..., Any]:
        return compile_or_not(
            of_surface_and_velocity if len(states) > 1 else of_surface, model, told=(size_of(shapes),)
        )

    kind: Any = type(surface)
    kernel = derived(model, book, kind, surface.frame, surface.exponent, make=make)
    return kernel(
        *(as_numbers(name, x) for name, x in zip(names, states, strict=True)), one_after_another(values, shapes)
    )
