"""The parameters of a mechanism from its motions and efforts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwright.bounds import at_least
from linkwright.dynamics.parameters.identifiable import combination
from linkwright.errors import ArgumentError, InputError, UnknownNameError, warn
from linkwright.identification.fitting.columns import RegressorColumns
from linkwright.identification.fitting.estimate import ParameterEstimate, estimate
from linkwright.identification.fitting.normal import MeasuredRows, MeasurementSource
from linkwright.identification.fitting.physical import near_prior
from linkwright.identification.fitting.unknowns import Unknowns
from linkwright.identification.measured.measurements import Measurements
from linkwright.model.names import velocity_names
from linkwright.model.requirement import require_model, takes_model
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.figure import Figure

EXACT = 1e-6
"""Of a joint's efforts: in the search for physical parameters none counts as known better, or numbers have no room."""

LEAST = 1e-5
"""The smallest weight of the prior: with less of it numbers have no room to tell bodies from what none can be."""

LEFT = 0.7
"""Of a joint's efforts, root mean squares: what leaves more, explains less than half of their squares."""

WORSE = 3.0
"""Times what least squares leaves: bodies that leave more are not what the measurements ask for."""

MINOR = 0.05
"""Of a joint's efforts: what leaves less is near enough."""

SMALL = 0.02
"""Of the largest joint's efforts: what leaves less of a joint may be noise alone."""

ALONE = 1e-6
"""What is left of a parameter's unit vector outside the combinations that are seen, where it is seen by itself."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Identified:
    """What :func:`identify` found."""

    names: tuple[str, ...]
    """(p,) of all parameters: "link3.m", "link3.mcx", …, "joint2.damping\""""
    parameters: Array
    """(p,), such as bodies can have them, near the prior: SI units, inertias about the bodies' origins"""
    prior: Array
    """(p,): what was taken to be likely before; of motors and friction zero where the model has none"""
    seen: tuple[str, ...]
    """(p,): "alone": the measurements tell it; "with others": they tell sums it is in; "no": the prior alone does"""
    share: Array
    """(p,): how much of each value the measurements tell, beside the prior: from 0 to 1"""
    base: ParameterEstimate = field(repr=False)
    base_names: tuple[str, ...] = field(repr=False)
    """(r,): the combinations that the measurements show"""
    joints: tuple[str, ...]
    """whose efforts were measured"""
    rms_before: Array
    """(joints,): root mean squares of what the prior leaves of the efforts"""
    rms: Array
    """(joints,): the same of ``parameters``"""
    mended: tuple[str, ...]
    """bodies of the prior that no body can be, and were made thicker"""
    structural: int
    """base parameters that the best of motions would show"""
    unknowns: Unknowns = field(repr=False)
    example: tuple[Array, Array] = field(repr=False)
    """efforts measured, and those of ``parameters``: (samples, joints), of the first samples"""
    times: Array = field(repr=False)
    """of these samples, s, or their numbers"""

    @property
    def base_parameters(self) -> Array:
        """(r,): by weighted least squares."""
        return self.base.values

    @property
    def standard_errors(self) -> Array:
        """(r,), of the base parameters."""
        return np.sqrt(np.diag(self.base.covariance))

    @property
    def sigma(self) -> Array:
        """(joints,): the noise of the efforts; standard deviations of what base parameters do not explain."""
        return self.base.sigma

    @property
    def samples(self) -> int:
        """How many were read."""
        return self.base.samples

    @cached_property
    def model(self) -> Model:
        """The mechanism with these parameters; ``.model.save("robot.urdf")`` writes it."""
        return self.unknowns.model_of(self.parameters)

    def __getitem__(self, name: str) -> float:
        """A parameter by its name."""
        if name not in self.names:
            raise UnknownNameError("parameter", name, self.names)
        return float(self.parameters[self.names.index(name)])

    def report(self, all_parameters: bool = True) -> str:
        """What was found, as text: efforts, base parameters with standard errors, every parameter and who tells it."""
        from linkwright.identification.report import report

        return report(self, all_parameters)

    def __str__(self) -> str:
        return self.report(all_parameters=False)

    def plot(self, path: str | Path | None = None) -> Figure:
        """Efforts measured and explained, and what is left of them; saved if a path is given."""
        from linkwright.files import write_figure
        from linkwright.identification.pictures import plot_efforts

        figure = plot_efforts(self)
        if path is not None:
            write_figure(path, figure)
        return figure

    def plot_parameters(self, path: str | Path | None = None) -> Figure:
        """Base parameters with error bars, and masses beside their prior; saved if a path is given."""
        from linkwright.files import write_figure
        from linkwright.identification.pictures import plot_parameters

        figure = plot_parameters(self)
        if path is not None:
            write_figure(path, figure)
        return figure


@takes_model
def identify(
    model: Model,
    q: Any,
    v: Any = None,
    a: Any = None,
    tau: Any = None,
    t: Any = None,
    *,
    armature: bool = False,
    friction: bool = False,
    robust: bool = False,
    only: Sequence[str] | None = None,
    joints: Iterable[str] | None = None,
    prior: Model | None = None,
    weight: float = 1.0,
    cutoff: float | None = 10.0,
) -> Identified:
    """The inertial parameters of a mechanism from motions q (n, nq), v, a (n, nv) and their efforts tau (n, nv).

    Where ``a`` (or v too) is not given it is computed from q at the times ``t`` (n,), by filtered differences
    (:func:`smooth_derivatives`, with its ``cutoff`` in Hz). Instead of arrays ``q`` may be a list of
    :class:`Measurements` (recordings apart from each other), an iterator of them, or a function that gives one anew:
    nothing but some hundred rows of the regressor is held at once. ``armature``, ``friction``: find these of the
    joints too; else the model's own are taken. ``robust``: weights by Huber, which spikes do not sway. ``only``: links
    (such as "payload") whose own parameters are to be found, all else taken from the model. ``joints``: those whose
    efforts were measured (all).

    The base parameters, the combinations that efforts depend on, are found by weighted least squares, each joint
    weighted by its residuals; their standard errors suppose that noise is in the efforts alone, and of one sample
    independent of the next's. All parameters, which bodies can have, are those near ``prior`` (the model) that fit:
    min ½ χ² + weight · Σ d(Jᵢ‖Jᵢ⁰), see the page on identification; what the measurements do not show is the prior's.

    Raises :class:`~linkwright.errors.ShapeError` and :class:`~linkwright.errors.InputError` of arrays that do not fit
    or are not finite, and of too few samples; warns where motions show less than there is to be seen, and where much
    of the efforts is left.
    """
    unknowns = Unknowns.of(model, only, armature=armature, friction=friction)
    at_least("weight", weight, LEAST)
    before = _likely(unknowns, prior)
    theta, mended = unknowns.prior(before)
    source = _source(model, (q, v, a, tau, t), cutoff)
    places, names = _joints(model, joints)
    columns = RegressorColumns.of(unknowns, None if len(places) == model.nv else tuple(places.tolist()))
    found = estimate(columns, places, source, robust)
    if len(found.values) < len(columns.chosen):
        warn(
            f"the measurements show {len(found.values)} of {len(columns.chosen)} base parameters; a motion of all "
            "joints, quick ones too, shows more: exciting_trajectory(model) finds one"
        )
    known = np.maximum(found.sigma, EXACT * np.sqrt(np.mean(found.measured**2)))
    information = np.linalg.inv(found.covariance * float((known / found.sigma).max()) ** 2)
    near = near_prior(
        found.matrix, found.values, information, theta, len(unknowns.blocks), float(weight), unknowns.usual
    )
    first = found.plain.first
    assert first is not None
    rms = found.rms(near.parameters)
    _tell_what_is_left(names, rms, found, float(weight))
    return Identified(
        names=unknowns.names,
        parameters=near.parameters,
        prior=theta,
        seen=seen_by(found.matrix),
        share=near.share,
        base=found,
        base_names=tuple(
            combination(row, int(k), unknowns.names)
            for row, k in zip(found.matrix, columns.chosen[found.kept], strict=True)
        ),
        joints=names,
        rms_before=found.rms(theta),
        rms=rms,
        mended=mended,
        structural=len(columns.chosen),
        unknowns=unknowns,
        example=(first.tau[:, places], _explained(columns, places, first, found.coefficients(near.parameters))),
        times=first.t,
    )


def _tell_what_is_left(names: tuple[str, ...], rms: Array, base: ParameterEstimate, weight: float) -> None:
    """A warning where no bodies explain the efforts: those that least squares asks for, or any parameters at all."""
    whole = np.maximum(np.sqrt(base.plain.efforts / base.samples), base.measured)  # with what is known of them
    share = rms / whole
    impossible = (rms > WORSE * base.own_rms) & (share > MINOR) & (weight <= 1.0)
    poor = share > LEFT
    large = rms > SMALL * whole.max()  # noise may be all there is of a wrist's efforts
    if not (impossible | poor & large).any() and 2 * poor.sum() < len(names):
        return
    which = np.flatnonzero(impossible | poor)
    worst = sorted(which, key=lambda k: -share[k])[:5]
    told = ", ".join(f"{names[k]} {100.0 * share[k]:.3g} %" for k in worst) + (", …" if len(which) > 5 else "")
    why = (
        "the efforts ask for what no bodies can be, as negative masses" if impossible.any() else "nothing explains them"
    )
    warn(
        f"much of the measured efforts is left (rms): {told}; {why}. Are signs, units (rad, s, N m) and the order of "
        "the joints those of the model, and is friction known or asked for (friction=True)?"
    )


def seen_by(matrix: Array) -> tuple[str, ...]:
    """Of each parameter θ_i whether combinations K (r, p) tell it: "alone", "with others" or "no"."""
    lengths = np.linalg.norm(matrix, axis=0)
    rows = np.linalg.qr((matrix / np.where(lengths > 0.0, lengths, 1.0)).T)[0] if len(matrix) else np.zeros((0, 0))
    inside = np.linalg.norm(rows, axis=1) if len(matrix) else lengths
    return tuple(
        "no" if size == 0.0 else "alone" if part > 1.0 - ALONE else "with others"
        for size, part in zip(lengths, inside, strict=True)
    )


def _explained(columns: RegressorColumns, places: Array, rows: MeasuredRows, beta: Array) -> Array:
    """The efforts (samples, joints) that coefficients give, with what is known."""
    parts = columns.rows(rows.q, rows.v, rows.a, rows.tau)
    left = [parts[j][:, -1] - parts[j][:, :-1] @ beta[columns.there[j]] for j in places]
    tau: Array = rows.tau[:, places] - np.stack(left, axis=1)
    return tau


def _likely(unknowns: Unknowns, prior: Any) -> Model:
    """The mechanism that the prior is of."""
    if prior is None:
        return unknowns.model
    require_model(prior, "identify", "prior")
    own = [(body.name, joint.name) for body, joint in zip(unknowns.model.bodies, unknowns.model.joints, strict=True)]
    if [(body.name, joint.name) for body, joint in zip(prior.bodies, prior.joints, strict=True)] != own:
        raise InputError(f"the prior {prior.name!r} has other bodies or joints than {unknowns.model.name!r}")
    return prior


def _joints(model: Model, joints: Iterable[str] | None) -> tuple[Array, tuple[str, ...]]:
    """The places in v of the joints whose efforts count, and a name for each."""
    names = velocity_names(model)
    if joints is None:
        return np.arange(model.nv), tuple(names)
    if isinstance(joints, str):
        raise ArgumentError(f"joints is a list of names; got {joints!r}")
    places = sorted({k for name in joints for k in range(model.nv)[model.slice(name).v]})
    if not places:
        raise InputError("joints names those whose efforts were measured: one at least")
    return np.array(places), tuple(names[k] for k in places)


def _source(model: Model, given: tuple[Any, ...], cutoff: float | None) -> MeasurementSource:
    """Measurements as parts."""
    q, *others = given
    if isinstance(q, Measurements):
        q = [q]
    parts = callable(q) or isinstance(q, Iterator)
    parts = parts or (isinstance(q, (list, tuple)) and any(isinstance(x, Measurements) for x in q))
    if isinstance(q, (list, tuple)) and not q:
        raise InputError("the list of measurements is empty")
    if not parts:
        return MeasurementSource(model, lambda: [Measurements._make(given)], True, cutoff)
    if any(x is not None for x in others):
        raise ArgumentError("parts of measurements have v, a, tau and t themselves: give nothing beside them")
    return MeasurementSource(model, q if callable(q) else lambda: q, not isinstance(q, Iterator), cutoff)
