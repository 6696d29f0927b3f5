"""Energy balance of fixed steps that are too long for fast rotations, and of soft contact."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.dynamics.contact.points import pair_name
from linkwright.dynamics.impulses.constraints import has_restitution
from linkwright.dynamics.impulses.contact_impulses import row_names
from linkwright.errors import warn
from linkwright.simulation.integrators.methods import EmbeddedPair, SemiImplicit, Variational, method_of
from linkwright.simulation.recording.motion import Motion
from linkwright.spatial.arrays import Array

TURNED = 0.03
"""Rotation of a joint in a step, rad, from which the balance is checked."""

WRONG = 0.1
"""Relative energy error from which a warning is given."""

IMPACT_GAIN = 0.01
"""Relative kinetic energy added by a step with an impact from which a warning is given."""

SEVERAL_POINTS = frozenset({"box", "capsule", "cylinder"})
"""Kinds of shapes whose number of contact points with each other changes while they overlap."""

LOOKED_AT = 128
"""Largest number of samples at which energies are computed."""


def warn_if_energy_is_wrong(motion: Motion, method: str, alive: Array, supplied: bool, driven: bool) -> None:
    """Warn where a method of fixed steps adds energy without a source, or removes energy without dissipation.

    Also warn where soft contact adds energy, with any method. ``alive`` (…,): motions that have not diverged.
    ``driven``: efforts act, whose work is at most Σ |τ| |v| h. ``supplied``: external forces of unknown work act.
    Energies are computed only where joints rotate far within a step, or where soft contact may add energy.
    """
    model, h, chosen = motion.model, motion.step, method_of(method)
    fixed, soft = not isinstance(chosen, (EmbeddedPair, Variational)), _soft_pair(motion)
    if not (fixed or soft) or supplied or len(motion.t) < 2:
        return
    if model.physical is not None:  # a minimal model has no energies
        return
    if driven and (not fixed or abs(motion.t[1] - motion.t[0] - h) > 1e-6 * h):
        return  # efforts between samples are not known
    rotational = np.array(
        [unit == "rad" for joint in model.joints if joint.nv for unit in joint.motion.units], dtype=bool
    )
    v = motion.v[..., rotational]
    if not (soft or h * np.fmax.reduce(np.abs(v), axis=None, initial=0.0) > TURNED):
        return
    places = np.unique(np.linspace(0, len(motion.t) - 1, LOOKED_AT).astype(int))
    kinetic, potential = motion.energies_at(places)
    with np.errstate(all="ignore"):  # of motions that diverged
        change = kinetic + potential - kinetic[0] - potential[0]
        work = _largest_work(motion)[places] if driven else np.zeros_like(change)
        scale = kinetic[0] + np.nanmax(np.abs(potential - potential[0]), axis=0) + work
        gained = (change - work) / scale
        lost = np.zeros_like(change) if driven or soft or _dissipates(motion, chosen) else -change / scale
        wrong = np.where(alive & np.isfinite(change), np.maximum(gained, lost), 0.0)
    if not (late := np.argwhere(wrong > WRONG)).size:
        _warn_if_impacts_add_energy(motion, alive, rotational, driven)
        return
    worst = np.unravel_index(int(wrong.argmax()), wrong.shape)
    row = tuple(int(i) for i in worst[1:])
    first = min(int(place[0]) for place in late if tuple(place[1:]) == row)
    before, after = ((kinetic + potential)[(k, *row)] for k in (0, worst[0]))
    grew = change[worst] > 0.0
    rotation = h * float(np.abs(v[: places[first] + 1][(slice(None), *row)]).max())  # type: ignore[arg-type]
    which = f" in motion [{', '.join(map(str, row))}]" if row else ""
    times = [f"t = {motion.t[places[k]]:.3g} s" for k in (worst[0], first)]
    verb, cause = ("grows", "nothing supplies it") if grew else ("falls", "nothing dissipates it")
    if grew and driven:
        cause = "actuators and controllers do not supply that much"
    statement = (
        f"the energy of {model.name!r}{which} {verb} from {before:.3g} J to {after:.3g} J at {times[0]} (by more than "
        f"{WRONG:.0%} from {times[1]} on), and {cause}"
    )
    if not fixed or rotation <= TURNED:  # joints had not turned far
        if soft:  # otherwise overlap was undone, or something else acted
            warn(
                f"{statement}: the soft contact {soft!r} adds energy where its points appear or vanish while the "
                "shapes overlap; give it damping or a restitution, or spheres for corners; rigid contact with the "
                "method 'semi_implicit' adds none"
            )
        return
    enough = 0.5 * h * (WRONG / np.log1p(wrong[worst])) ** (1.0 / chosen.order)  # errors grow with its order
    other = "" if motion.constraints is not None else ", or method='dopri5'"
    warn(
        f"{statement}: joints turn by up to {rotation:.2g} rad in a step of {h:.3g} s, too far for {method!r}; take "
        f"about {enough:.1g} s a step{other}"
    )


def _soft_pair(motion: Motion) -> str:
    """Return the name of a pair in soft contact without a potential; "" without any."""
    if not (motion.smooth or (motion.constraints is not None and motion.constraints.contact)):
        return ""
    for pair in motion.model.pairs:
        kinds = {motion.model.shapes[place].kind for place in (pair.first, pair.second)}
        if kinds <= SEVERAL_POINTS and (motion.smooth or pair.stiffness is not None):
            return pair_name(motion.model, pair)
    return ""


def _warn_if_impacts_add_energy(motion: Motion, alive: Array, rotational: Array, driven: bool) -> None:
    """Warn where a step with an impact adds more than :data:`IMPACT_GAIN` of the kinetic energy.

    The impact itself adds no energy. Links that rotate fast after it rotate far within the step; this error is of the
    second order in the step. At most :data:`LOOKED_AT` steps are checked: those with impulses and the fastest
    rotations, above :data:`TURNED`.
    """
    model, h = motion.model, motion.step
    constraints, impulses = motion.constraints, motion.impulses
    if impulses is None or constraints is None or not any(has_restitution(pair) for pair in model.pairs):
        return
    if np.abs(np.diff(motion.t) - h).max() > 1e-6 * h:  # not every step is recorded
        return
    collides = (impulses[1:, ..., -len(list(row_names(model))) :] != 0.0).any(axis=-1) & alive
    rotation = np.where(collides, h * np.abs(motion.v[1:, ..., rotational]).max(axis=-1, initial=0.0), 0.0)
    fastest = rotation.reshape(len(rotation), -1).max(axis=-1)
    places = np.sort(np.argsort(-fastest)[:LOOKED_AT])
    places = places[fastest[places] > TURNED]
    if not places.size:
        return
    (kinetic, potential), (kinetic_after, potential_after) = (motion.energies_at(places + k) for k in (0, 1))
    with np.errstate(all="ignore"):
        gained = kinetic_after + potential_after - kinetic - potential
        if driven:
            gained = gained - _each_work(motion)[places]
        share = np.where((rotation[places] > TURNED) & np.isfinite(gained), gained / kinetic, 0.0)
    worst = np.unravel_index(int(share.argmax()), share.shape)
    if not share[worst] > IMPACT_GAIN:
        return
    k, row = int(places[worst[0]]), tuple(int(i) for i in worst[1:])
    which = f" in motion [{', '.join(map(str, row))}]" if row else ""
    warn(
        f"the step of {model.name!r}{which} from t = {motion.t[k]:.3g} s, in which shapes collide, adds "
        f"{gained[worst]:.3g} J, {share[worst]:.1%} of the kinetic energy: joints turn by up to "
        f"{rotation[(k, *row)]:.2g} rad in this step of {h:.3g} s; the error falls with the square of the step; for "
        f"less than {IMPACT_GAIN:.0%} take about {h * np.sqrt(IMPACT_GAIN / share[worst]):.1g} s a step"
    )


def _each_work(motion: Motion) -> Array:
    """Return the largest possible work of efforts in each step, (n − 1, …), J."""
    fastest = np.maximum(np.abs(motion.v[:-1]), np.abs(motion.v[1:]))
    each: Array = (np.abs(motion.tau[:-1]) * fastest).sum(axis=-1) * motion.step
    return each


def _largest_work(motion: Motion) -> Array:
    """Return the largest possible work of efforts until each sample, (n, …), J."""
    each = _each_work(motion)
    work: Array = np.concatenate([np.zeros((1, *each.shape[1:])), np.cumsum(each, axis=0)])
    return work


def _dissipates(motion: Motion, method: Any) -> bool:
    """Return whether energy may be dissipated: by joints, springs, contact, or the method, which damps springs."""
    model = motion.model
    resisting = any(np.any(joint.damping) or np.any(joint.friction) for joint in model.joints)
    resisting = resisting or any(spring.damping or spring.friction for spring in model.springs)
    springs = bool(model.springs) or any(np.any(joint.stiffness) for joint in model.joints)
    damped = springs and isinstance(method, SemiImplicit)
    return resisting or damped or bool(model.pairs) or motion.constraints is not None
