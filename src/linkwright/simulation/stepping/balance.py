"""The balance of energy of steps that are too long for how fast a mechanism turns."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.errors import warn
from linkwright.simulation.recorded.motion import Motion
from linkwright.simulation.stepping.adaptive.pair import Embedded
from linkwright.simulation.stepping.integrators import SemiImplicit, Variational, method_of
from linkwright.spatial.arrays import Array

TURNED = 0.03
"""rad, in a step: the balance is checked only where some joint rotates by more"""

WRONG = 0.1
"""The share of the energy that moves, to be gained or lost by the method, from which on it is warned of."""

LOOKED_AT = 128
"""Samples at which energies are computed, at most."""


def warn_if_energy_is_wrong(motion: Motion, method: str, alive: Array, supplied: bool, driven: bool) -> None:
    """Warn where a method of fixed steps adds energy that nothing supplies, or takes some that nothing dissipates.

    ``alive`` (…,): which motions have not diverged, of which others warn.
    ``driven``: efforts act, whose work is at most Σ |τ| |v| h. ``supplied``: something else acts, whose work is not
    known. Energies are computed only where joints turn far within a step.
    """
    model, h, chosen = motion.model, motion.step, method_of(method)
    if isinstance(chosen, (Embedded, Variational)) or supplied or len(motion.t) < 2:
        return
    if model.physical is not None:  # a minimal model has no energies
        return
    if driven and abs(motion.t[1] - motion.t[0] - h) > 1e-6 * h:  # efforts between samples are not known
        return
    turning = np.array([unit == "rad" for joint in model.joints if joint.nv for unit in joint.motion.units], dtype=bool)
    v = motion.v[..., turning]
    if not h * np.fmax.reduce(np.abs(v), axis=None, initial=0.0) > TURNED:
        return
    places = np.unique(np.linspace(0, len(motion.t) - 1, LOOKED_AT).astype(int))
    kinetic, potential = motion.energies_at(places)
    with np.errstate(all="ignore"):  # of motions that grew beyond all numbers
        change = kinetic + potential - kinetic[0] - potential[0]
        work = _largest_work(motion)[places] if driven else np.zeros_like(change)
        scale = kinetic[0] + np.nanmax(np.abs(potential - potential[0]), axis=0) + work
        gained = (change - work) / scale
        lost = np.zeros_like(change) if driven or _dissipates(motion, chosen) else -change / scale
        wrong = np.where(alive & np.isfinite(change), np.maximum(gained, lost), 0.0)
    if not (late := np.argwhere(wrong > WRONG)).size:
        return
    worst = np.unravel_index(int(wrong.argmax()), wrong.shape)
    row = tuple(int(i) for i in worst[1:])
    first = min(int(place[0]) for place in late if tuple(place[1:]) == row)
    before, after = ((kinetic + potential)[(k, *row)] for k in (0, worst[0]))
    grew = change[worst] > 0.0
    turned = h * float(np.abs(v[: places[first] + 1][(slice(None), *row)]).max())  # type: ignore[arg-type]
    which = f" in motion [{', '.join(map(str, row))}]" if row else ""
    times = [f"t = {motion.t[places[k]]:.3g} s" for k in (worst[0], first)]
    enough = 0.5 * h * (WRONG / np.log1p(wrong[worst])) ** (1.0 / chosen.order)  # errors grow with its order
    other = "" if motion.constraints is not None else ", or method='dopri5'"
    warn(
        f"the energy of {model.name!r}{which} {'grows' if grew else 'falls'} from {before:.3g} J to {after:.3g} J at "
        f"{times[0]} (by more than {WRONG:.0%} from {times[1]} on), and nothing {'supplies' if grew else 'dissipates'} "
        f"it: joints turn by up to {turned:.2g} rad in a step of {h:.3g} s, too far for {method!r}; take about "
        f"{enough:.1g} s a step{other}"
    )


def _largest_work(motion: Motion) -> Array:
    """(n, …), J: the most that efforts can have done until each sample."""
    fastest = np.maximum(np.abs(motion.v[:-1]), np.abs(motion.v[1:]))
    each = (np.abs(motion.tau[:-1]) * fastest).sum(axis=-1) * motion.step
    work: Array = np.concatenate([np.zeros((1, *each.shape[1:])), np.cumsum(each, axis=0)])
    return work


def _dissipates(motion: Motion, method: Any) -> bool:
    """Whether energy may be lost: by joints, springs and contact, or by the method, which damps springs."""
    model = motion.model
    resisting = any(np.any(joint.damping) or np.any(joint.friction) for joint in model.joints)
    resisting = resisting or any(spring.damping for spring in model.springs)
    springs = bool(model.springs) or any(np.any(joint.stiffness) for joint in model.joints)
    damped = springs and isinstance(method, SemiImplicit)
    return resisting or damped or bool(model.pairs) or motion.constraints is not None
