"""Written-out equations of a mechanism, or of a block of it, as on paper or by computer algebra.

A block is a chain or tree of hinges on a floating base body or on the ground. Its equations of :func:`equations` are
polynomials in sines, cosines and rates (`equations.md` §8),

    M [V̇; v̇] + c + g = [0; τ] + Jᵀ f,   a_handles = J [V̇; v̇] + J̇ v,

with M = [[M_A, M_AV], [M_AVᵀ, M_V]]. The motion of the base of a floating block is relative to the instantaneous
position of its origin: accelerations are then the classical ones, as in :mod:`linkwright.dynamics.assembly`, and its
pose does not occur. Weight is an acceleration of the ground: it acts on a floating block through its base, and is g of
a block on the ground. Angles along parallel axes are summed before products are expanded, so that a planar chain of n
links has of the order of n⁴ terms, not 2ⁿ.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from linkwright import dynamics
from linkwright.errors import InputError, TooLargeError
from linkwright.expression.harmonics import Wave, terms_of
from linkwright.expression.polynomial import Polynomial
from linkwright.model.build.builder import Builder
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array, mirror
from linkwright.spatial.inertia import about_center_of_mass
from linkwright.spatial.rotation import skew
from linkwright.symbolic.derivation.equations_of_motion import LagrangianMechanism
from linkwright.symbolic.derivation.plan import plan_of

MOST_TERMS, MOST_IN_SPACE = 30_000, 8_000
"""Terms of a block's equations up to which they are written out, along parallel axes (where a term has one cosine or
sine) and else (where it has one for each angle); more make programs of more than a megabyte."""

FORMS = ("products", "angles")
"""Products of sines and cosines of as few terms as are found, or multiple angles."""


class BlockTerms(NamedTuple):
    """The terms of a block, (n,) with n its hinges, and six more of a floating base; h handles."""

    mass: Array
    """M (n, n)"""
    bias: Array
    """c + g (n,)"""
    jacobians: Array
    """J (6h, n), each handle in its own axes"""
    drifts: Array
    """(6h,), the handles' accelerations without [V̇; v̇]"""
    turning: Array
    """(3h,), ω of the handles in their own axes"""


class WrittenBlock(NamedTuple):
    """A block written out: polynomials, and what their letters stand for."""

    polynomials: BlockTerms
    angles: tuple[tuple[str, tuple[int, ...]], ...]
    """of each letter the hinges whose angles it sums"""
    rates: tuple[str, ...]
    """ω of a floating base, and the hinges' rates"""

    @property
    def terms(self) -> int:
        """Number of terms; those of M count once."""
        counts = [[len(p) for p in np.ravel(x)] for x in self.polynomials[1:]]
        return sum(map(sum, counts)) + sum(len(p) for p in self.polynomials.mass[np.triu_indices(len(self.mass))])

    @property
    def parallel(self) -> bool:
        """Whether all axes are parallel, in a chain of hinges."""
        return all(hinges == tuple(range(len(hinges))) for _, hinges in self.angles)

    @property
    def forms(self) -> tuple[str, ...]:
        """The forms worth trying: along parallel axes products are cosines and sines of differences of angles."""
        return FORMS[1:] if self.parallel else FORMS

    @property
    def mass(self) -> Array:
        """M (n, n), of polynomials."""
        return self.polynomials.mass

    def at(self, theta: Sequence[Any], rates: Sequence[Any], form: str) -> BlockTerms:
        """The terms at numbers or symbols; ``form``: one of :data:`FORMS`."""
        values: dict[str, Any] = dict(zip(self.rates, rates, strict=True))
        values |= {name: sum(theta[k] for k in hinges) for name, hinges in self.angles}

        def value(p: Polynomial) -> Any:
            return sum((_product(term.coefficient, term.factors, values) for term in terms_of(p, form)), 0.0)

        def filled(x: Array) -> Array:
            return np.array([value(p) for p in np.ravel(x)]).reshape(x.shape)

        M = self.mass
        upper = np.array([[value(p) if i <= j else 0.0 for j, p in enumerate(row)] for i, row in enumerate(M)])
        return BlockTerms(mirror(upper), *(filled(x) for x in self.polynomials[1:]))


def _product(coefficient: Any, factors: Any, values: dict[str, Any]) -> Any:
    x: Any = float(coefficient)
    for atom, power in factors:
        if isinstance(atom, Wave):
            angle = sum(n * values[name] for name, n in atom.angles)
            factor = np.cos(angle) if atom.function == "cos" else np.sin(angle)
        else:
            factor = {"sqrt2": 2.0**0.5, "sqrt3": 3.0**0.5, "1/pi": 1.0 / np.pi}.get(atom) or values[atom]
        for _ in range(power):
            x = x * factor
    return x


def written_out(model: Model, members: Sequence[int], handles: Sequence[int], floating: bool) -> WrittenBlock:
    """The equations of the block of these bodies, with those of ``handles`` (all by number) as its handles.

    ``floating``: whether its first body is a base that nothing in the block holds. Its other joints are hinges.
    Raises :class:`TooLargeError` above MOST_TERMS terms (MOST_IN_SPACE).
    """
    block = block_model(model, members, floating)
    made = LagrangianMechanism(plan_of(block, "numbers", 0.0))
    ring, exact = made.ring, made.model
    hinges = range(1, len(members)) if floating else range(len(members))
    sums = _angle_sums(block, hinges)
    letters = {k: ring[name] for k, name in zip(hinges, made.coordinates.angles, strict=True)}
    angles = [letters[k] - (letters[sums[k][-2]] if len(sums[k]) > 1 else ring.zero) for k in hinges]
    rates = made.coordinates.v[3:] if floating else made.coordinates.v
    still = np.zeros(len(hinges) + 6 * floating)
    # a base is at the origin, unturned, and has no velocity where it is seen from
    q = ring.array([*block.neutral()[: 7 * floating], *angles])
    v = ring.array([*np.zeros(3 * floating), *(ring[name] for name in rates)])
    if floating:
        exact = replace(exact, gravity=np.zeros(3))
    M = dynamics.mass_matrix(exact, q)
    ring.check()
    bias = dynamics.inverse_dynamics(exact, q, v, still)
    nothing = np.zeros((0, len(still))), np.zeros(0), np.zeros(0)
    of_handles = [_handle(exact, q, v, block.bodies[members.index(body)].name) for body in handles]
    J, drifts, turning = (np.concatenate(parts) for parts in zip(nothing, *of_handles, strict=True))
    polynomials = BlockTerms(*(ring.array(x) for x in (M, bias, J, drifts, turning)))
    places = {k: place for place, k in enumerate(hinges)}
    summed = tuple((made.coordinates.angles[places[k]], tuple(places[j] for j in sums[k])) for k in hinges)
    found = WrittenBlock(polynomials, summed, rates)
    most = MOST_TERMS if found.parallel else MOST_IN_SPACE
    if found.terms > most:
        raise TooLargeError(
            f"the equations of {len(members)} bodies of {model.name!r} have {found.terms} terms written out, more than "
            f"{most}"
        )
    return found


def _handle(model: Model, q: Array, v: Array, name: str) -> tuple[Array, Array, Array]:
    """J (6, n), J̇ v and what weight adds (6,), and ω (3,) of a body, in its axes."""
    J = dynamics.jacobian(model, q, name, "body")
    twist = J @ v
    R = dynamics.pose(model, q, name)[:3, :3]
    centripetal = skew(twist[3:]) @ twist[:3]
    drift = dynamics.jacobian_dot(model, q, v, name, "body") @ v
    weight = R.T @ model.gravity
    return J, drift + np.concatenate([centripetal - weight, np.zeros(3)]), twist[3:]


def block_model(model: Model, members: Sequence[int], floating: bool) -> Model:
    """Return some bodies of a model as a model in canonical axes; the base of a floating block on a free joint."""
    places = {body: k for k, body in enumerate(members)}
    names = [model.bodies[k].name for k in members]
    builder = Builder(f"{names[0]} … {names[-1]}", gravity=tuple(model.gravity))
    for k, name in zip(members, names, strict=True):
        link = model.links[k]
        m, c, I = about_center_of_mass(link.rigid_inertia)
        builder.body(name, m, c, I)
        if floating and places[k] == 0:
            builder.joint("base", "free", "world", name)
            continue
        if not link.motion.hinge or model.has_couplings:
            raise InputError(
                f"blocks are written out of hinges; {model.joints[k].name!r} of {model.name!r} is {link.motion.type}"
            )
        parent = names[places[link.parent]] if link.parent >= 0 else "world"
        armature = link.armature
        builder.joint(model.joints[k].name, "continuous", parent, name, placement=link.placement, armature=armature)
    return builder.build()


def _angle_sums(block: Model, hinges: Sequence[int]) -> dict[int, tuple[int, ...]]:
    """Return for every hinge the hinges whose angles add up along parallel axes, itself last."""
    sums: dict[int, tuple[int, ...]] = {}
    for k in hinges:
        link = block.links[k]
        parallel = link.parent in sums and abs(link.placement[2, 2] - 1.0) < 1e-12
        sums[k] = (*sums[link.parent], k) if parallel else (k,)
    return sums
