"""The unknown parameters of a mechanism as one vector, and the known part of its efforts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from linkwright import dynamics
from linkwright.bounds import truth
from linkwright.compiler.public import public
from linkwright.errors import ArgumentError, InputError, ModelError, UnknownNameError
from linkwright.identification.fitting.physical import inside, is_physical
from linkwright.model.coordinates import joint_parameters
from linkwright.model.scale import scale_of
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array
from linkwright.spatial.inertia import RigidInertia, rigid_inertia
from linkwright.spatial.transform import inverse_pose

regressor = public(dynamics.regressor)
inverse_dynamics = public(dynamics.inverse_dynamics)
mass_matrix = public(dynamics.mass_matrix)


class Algorithms(NamedTuple):
    """By which efforts are computed."""

    inverse_dynamics: Callable[..., Any]
    passive_forces: Callable[..., Any]


BOOK = Algorithms(dynamics.inverse_dynamics, dynamics.passive_forces)

PUBLIC = Algorithms(inverse_dynamics, public(dynamics.passive_forces))

SIX = ((0, 0, 1, 0, 1, 2), (0, 1, 1, 2, 2, 2))
"""Indices of the six independent numbers of an inertia."""

ASSUMED = 0.1
"""Size of friction or armature of a joint without a prior, relative to a typical effort or inertia."""


@dataclass(frozen=True, eq=False)
class Unknowns:
    """θ (p,): ten parameters of each of some bodies or links, then armature, damping and friction of the joints.

    Velocities that can have no armature, as the translations of free joints, have none among these.
    """

    model: Model
    links: tuple[str, ...] | None
    """those of the file whose own parameters are meant; None: of all moving bodies, with all that is welded to them"""
    armature: bool
    friction: bool

    @classmethod
    def of(
        cls, model: Any, only: Sequence[str] | None = None, *, armature: bool = False, friction: bool = False
    ) -> Unknowns:
        """Checked."""
        model.require_physical("identification")
        model.require_numbers("identification")
        if model.loops:
            raise ModelError(
                f"{model.name!r} has closed loops, whose inner forces are in the measured efforts; identify the tree"
            )
        truth("armature", armature)
        truth("friction", friction)
        if only is not None:
            if isinstance(only, str) or not all(isinstance(name, str) for name in only):
                raise ArgumentError(f"only is a list of links, as ['payload']; got {only!r}")
            links = [body.name for body in model.description.bodies]
            for name in only:
                if name not in links:
                    raise UnknownNameError("link", name, links)
                if model.frames[name].body < 0:
                    raise InputError(f"link {name!r} does not move: no effort depends on it")
            only = tuple(dict.fromkeys(only))
            if not only and not armature and not friction:
                raise InputError("only is empty: name a link at least, or leave it out to find those of all bodies")
        elif mixed := _unequal_compensation(model):
            raise InputError(
                f"the links of the body {mixed!r} have different gravity_compensation, which the parameters of the "
                "whole body do not determine: identify links, only=[…]"
            )
        found = cls(model, only, armature, friction)
        if not found.blocks and not armature and not friction:
            raise InputError(f"{model.name!r} has no bodies with mass: there is nothing to identify")
        return found

    @cached_property
    def blocks(self) -> tuple[tuple[str, int, Array | None], ...]:
        """Return for each unknown body its name, the index of the moving body, and the map to it (10, 10)."""
        model = self.model
        if self.links is None:  # what has no mass is a frame, and stays one
            return tuple((body.name, k, None) for k, body in enumerate(model.bodies) if body.mass > 0.0)
        found = []
        for name in self.links:
            frame = model.frames[name]
            in_body = inverse_pose(model.frames[model.bodies[frame.body].name].placement) @ frame.placement
            found.append((name, frame.body, moved(in_body)))
        return tuple(found)

    @property
    def are_all(self) -> bool:
        """Return whether θ contains all parameters of :func:`parameter_names`."""
        return self.links is None and len(self.blocks) == len(self.model.bodies)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """(p,)"""
        whole = dynamics.parameter_names(self.model, armature=self.armature, friction=self.friction)
        ten = [name.rpartition(".")[2] for name in whole[:10]]
        return (
            *(f"{block}.{one}" for block, _, _ in self.blocks for one in ten),
            *whole[10 * len(self.model.bodies) :],
        )

    @property
    def units(self) -> tuple[str, ...]:
        """(p,): of each parameter; armature, damping and friction as their joints turn or slide."""
        turns = [unit == "rad" for joint in self.model.joints if joint.nv for unit in joint.motion.units]
        units = {"armature": ("kg m²", "kg"), "damping": ("N m s/rad", "N s/m"), "friction": ("N m", "N")}
        of_joints = tuple(units[name][0 if turns[k] else 1] for name, own in self.places.items() for k in own)
        return (*("kg", *["kg m"] * 3, *["kg m²"] * 6) * len(self.blocks), *of_joints)

    @cached_property
    def places(self) -> dict[str, list[int]]:
        """Return the velocity indices of the unknown joint parameters, in the order of θ."""
        return joint_parameters(self.model, armature=self.armature, friction=self.friction)

    def columns(self, Y: Array) -> Array:
        """(…, nv, p) of a regressor (…, nv, all): symbols too."""
        parts = []
        for _, body, block in self.blocks:
            ten = Y[..., 10 * body : 10 * body + 10]
            parts.append(ten if block is None else ten @ block)
        return np.concatenate([*parts, Y[..., 10 * len(self.model.bodies) :]], axis=-1)

    def regressor(self, model: Model, q: Array, v: Array, a: Array) -> Array:
        """∂τ/∂θ (nv, p), as an algorithm that can be compiled."""
        return self.columns_at(dynamics.regressor, model, q, v, a)

    def columns_at(self, regressor: Callable[..., Array], model: Model, q: Array, v: Array, a: Array) -> Array:
        """Return ∂τ/∂θ (…, nv, p) by a function that computes the regressor.

        A compensated fraction of the weight of a link takes the same fraction of the efforts that hold it.
        """
        Y = self.columns(regressor(model, q, v, a, self.armature, self.friction))
        if not any(self.compensated):
            return Y
        weight, n = self.columns(regressor(model, q, 0.0 * v, 0.0 * a, self.armature, self.friction)), len(self.blocks)
        lifted = weight[..., : 10 * n] * np.repeat(self.compensated, 10)
        return np.concatenate([Y[..., : 10 * n] - lifted, Y[..., 10 * n :]], axis=-1)

    @cached_property
    def compensated(self) -> tuple[float, ...]:
        """Return the compensated fraction of the weight of each unknown body."""
        fractions = {body.name: body.gravity_compensation for body in self.model.description.bodies}
        return tuple(fractions[name] for name, _, _ in self.blocks)

    def known(self, model: Model, q: Array, v: Array, a: Array, by: Algorithms | None = None) -> Array:
        """The efforts (nv,) that do not depend on θ: of springs, and of all that the model is taken to know.

        ``by``: with which algorithms; None: such as can be compiled.
        """
        by = by or BOOK
        rest = self.rest
        passive = rest.physical or rest
        resisted = any(np.any(x) for joint in passive.joints for x in (joint.stiffness, joint.damping, joint.friction))
        tau = (
            -by.passive_forces(passive, q, v) if resisted or passive.springs or passive.compensated_weights else 0.0 * a
        )
        if self.links is None:
            return tau + rest.armature * a
        return tau + by.inverse_dynamics(rest, q, v, a)

    @cached_property
    def rest(self) -> Model:
        """The mechanism without what is unknown; where all bodies are, with them."""
        rest = self.model
        for joint in rest.joints:
            gone = dict(armature=0.0) if self.armature and np.any(joint.armature) else {}
            gone |= {x: 0.0 for x in ("damping", "friction") if self.friction and np.any(getattr(joint, x))}
            if gone:
                rest = rest.with_joint(joint.name, **gone)
        if self.links is None:
            rest = replace(rest, compensated_weights=())
        for link in self.links or ():
            rest = rest.with_link(link, mass=0.0, center_of_mass=(0.0, 0.0, 0.0), inertia=0.0)
        return rest

    def of_model(self, model: Model) -> Array:
        """θ (p,) of a mechanism of the same bodies and joints."""
        whole = dynamics.inertial_parameters(model, armature=self.armature, friction=self.friction)
        if self.links is None:
            parts = [whole[10 * k : 10 * k + 10] for _, k, _ in self.blocks]
        else:
            specs = {body.name: body for body in model.description.bodies}
            parts = [
                ten(rigid_inertia(s.mass, s.center_of_mass, s.inertia)) for s in map(specs.__getitem__, self.links)
            ]
        return np.concatenate([*parts, whole[10 * len(model.bodies) :]])

    def prior(self, model: Model) -> tuple[Array, tuple[str, ...]]:
        """θ (p,) of a mechanism, made such as bodies can have it, and the names of bodies where that changed something.

        Flat bodies become a little thick; armature and friction below zero become zero.
        """
        theta = self.of_model(model).astype(float)
        length, changed = scale_of(self.model).length, []
        for k, (name, _, _) in enumerate(self.blocks):
            own = theta[10 * k : 10 * k + 10]
            if own[0] <= 0.0:
                raise InputError(f"{name!r} has no mass in the prior; give one by with_link or prior=")
            mended = inside(own, length)
            if mended is not own or not is_physical(own):
                changed.append(name)
            theta[10 * k : 10 * k + 10] = mended
        theta[10 * len(self.blocks) :] = np.maximum(theta[10 * len(self.blocks) :], 0.0)
        return theta, tuple(changed)

    @cached_property
    def usual(self) -> Array:
        """Return the usual sizes of armature, damping and friction, where a prior has none."""
        model, nv = self.model, self.model.nv
        if not (self.armature or self.friction):
            return np.zeros(0)
        q, rng = model.random(64, seed=0), np.random.default_rng(0)
        inertia = np.einsum("kii->i", mass_matrix(model, q)) / 64
        tau = inverse_dynamics(model, q, rng.standard_normal((64, nv)), rng.standard_normal((64, nv)))
        effort = np.sqrt((tau**2).mean(axis=0))
        for x in (inertia, effort):
            x[x <= 0.0] = x.max() or 1.0
        sizes = {"armature": inertia, "damping": effort, "friction": effort}
        return ASSUMED * np.concatenate([sizes[name][own] for name, own in self.places.items()])

    def model_of(self, theta: Array, name: str | None = None) -> Model:
        """The mechanism with these parameters."""
        model, n = self.model, 10 * len(self.blocks)
        if self.links is None:
            whole = dynamics.inertial_parameters(model, armature=self.armature, friction=self.friction).astype(float)
            for k, (_, body, _) in enumerate(self.blocks):
                whole[10 * body : 10 * body + 10] = theta[10 * k : 10 * k + 10]
            whole[10 * len(model.bodies) :] = theta[n:]
            changed = model.with_parameters(whole, armature=self.armature, friction=self.friction)
        else:
            changed = model
            for k, link in enumerate(self.links):
                own = theta[10 * k : 10 * k + 10]
                m, c, I = own[0], own[1:4] / own[0], np.zeros((3, 3))
                I[SIX], I[SIX[::-1]] = own[4:], own[4:]
                I = I - m * ((c @ c) * np.eye(3) - np.outer(c, c))
                changed = changed.with_link(link, mass=m, center_of_mass=c, inertia=I)
            numbers, at = {}, n
            for name_of, having in self.places.items():
                numbers[name_of] = np.zeros(model.nv)
                numbers[name_of][having] = theta[at : at + len(having)]
                at += len(having)
            for joint in model.joints if numbers else ():
                places = model.slice(joint.name).v if joint.nv else None  # what follows leaves it to its leader
                values = {key: 0.0 if places is None else x[places] for key, x in numbers.items()}
                changed = changed.with_joint(joint.name, **values)
        return changed if name is None else replace(changed, name=name)


def _unequal_compensation(model: Model) -> str:
    """Return the name of a body that merges links of different compensated fractions of their weights; "" if none."""
    fractions = {body.name: body.gravity_compensation for body in model.description.bodies if body.mass}
    unequal = (body.name for body in model.bodies if len({fractions.get(link) for link in body.links} - {None}) > 1)
    return next(unequal, "")


def ten(body: RigidInertia) -> Array:
    """m, m c (3), Ixx Ixy Iyy Ixz Iyz Izz (10,)."""
    m, h, I = body
    return np.concatenate([[m], h, np.asarray(I)[SIX]])


def moved(T: Array) -> Array:
    """(10, 10): what ten parameters are as seen from A, of the pose T (4, 4) of their frame in A."""
    columns = []
    for unit in np.eye(10):
        I = np.zeros((3, 3))
        I[SIX], I[SIX[::-1]] = unit[4:], unit[4:]
        columns.append(ten(RigidInertia(unit[0], unit[1:4], I).moved(T)))
    return np.stack(columns, axis=1)
