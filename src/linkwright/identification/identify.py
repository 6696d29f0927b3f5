"""The parameters of a mechanism from its motions and efforts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from linkwright.bounds import at_least
from linkwright.dynamics.parameters.identifiable import combination
from linkwright.errors import ArgumentError, InputError, UnknownNameError, warn
from linkwright.identification.fitting.columns import RegressorColumns
from linkwright.identification.fitting.estimate import ParameterEstimate, estimate
from linkwright.identification.fitting.normal import MeasuredRows, MeasurementSource
from linkwright.identification.fitting.physical import near_prior
from linkwright.identification.fitting.unknowns import Unknowns
from linkwright.identification.measurements.record import Measurements
from linkwright.model.coordinates import velocity_names
from linkwright.model.requirement import require_model, takes_numeric_model
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.figure import Figure

EXACT = 1e-6
"""Least relative noise of a joint's efforts in the search for physically consistent parameters."""

LEAST = 1e-5
"""Smallest weight of the prior, which keeps the search away from singular inertias."""

LEFT = 0.7
"""Large residual, relative to a joint's efforts (root mean squares): less than half of the squares are explained."""

WORSE = 3.0
"""Largest ratio of the residual of physically consistent parameters to that of least squares."""

MINOR = 0.05
"""Small residual, relative to the efforts of a joint."""

SMALL = 0.02
"""Residual that may be noise alone, relative to the efforts of the largest joint."""

ALONE = 1e-6
"""Largest part of a parameter's unit vector outside the identifiable combinations, if it is identifiable alone."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Identified:
    """Result of :func:`identify`."""

    names: tuple[str, ...]
    """(p,) of all parameters: "link3.m", "link3.mcx", …, "joint2.damping\""""
    parameters: Array
    """(p,), such as bodies can have them, near the prior: SI units, inertias about the bodies' origins"""
    prior: Array
    """(p,): what was taken to be likely before; of motors and friction zero where the model has none"""
    seen: tuple[str, ...]
    """(p,): "alone": determined by the measurements; "with others": part of determined sums; "no": the prior's value"""
    share: Array
    """(p,): share of each value that is determined by the measurements, the rest by the prior: from 0 to 1"""
    base: ParameterEstimate = field(repr=False)
    """estimate of the base parameters"""
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
    """unknown parameters of the mechanism"""
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
        """Number of samples."""
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

    def report(self, *, all_parameters: bool = True) -> str:
        """Return the result as text: efforts, base parameters with standard errors, and parameters with their source.

        Parameters
        ----------
        all_parameters : bool, optional
            Whether all parameters are listed.

        Returns
        -------
        str
            The report.
        """
        from linkwright.identification.report import report

        return report(self, all_parameters)

    def __str__(self) -> str:
        return self.report(all_parameters=False)

    def plot(self, path: str | Path | None = None) -> Figure:
        """Plot measured and predicted efforts, and residuals.

        Parameters
        ----------
        path : str or Path, optional
            File of the figure.

        Returns
        -------
        matplotlib.figure.Figure
            The figure.
        """
        from linkwright.files import write_figure
        from linkwright.identification.pictures import plot_efforts

        figure = plot_efforts(self)
        if path is not None:
            write_figure(path, figure)
        return figure

    def plot_parameters(self, path: str | Path | None = None) -> Figure:
        """Plot base parameters with error bars, and masses next to their prior.

        Parameters
        ----------
        path : str or Path, optional
            File of the figure.

        Returns
        -------
        matplotlib.figure.Figure
            The figure.
        """
        from linkwright.files import write_figure
        from linkwright.identification.pictures import plot_parameters

        figure = plot_parameters(self)
        if path is not None:
            write_figure(path, figure)
        return figure


@takes_numeric_model()
def identify(
    model: Model,
    q: ArrayLike,
    v: ArrayLike | None = None,
    a: ArrayLike | None = None,
    tau: ArrayLike | None = None,
    t: ArrayLike | None = None,
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
    """Estimate inertial parameters from measured motions and efforts.

    Base parameters, the combinations that efforts depend on, are estimated by weighted least squares, each joint
    weighted by its residuals. Their standard errors assume independent noise of the efforts alone. All parameters are
    the physically consistent ones near the prior that fit: min ½ χ² + weight · Σ d(Jᵢ‖Jᵢ⁰); unidentifiable combinations
    have the values of the prior. Warns if the motion identifies less than the structure allows, or large residuals
    remain.

    Parameters
    ----------
    model : Model
        Mechanism.
    q : array_like, shape (n, nq), or sequence of Measurements, iterator or callable
        Configurations. Instead of arrays: a list of :class:`Measurements` (separate recordings), an iterator of them,
        or a function that returns a new one; only some hundred rows of the regressor are in memory.
    v, a : array_like, shape (n, nv), optional
        Velocities and accelerations. By default they are computed by :func:`smooth_derivatives`.
    tau : array_like, shape (n, nv)
        Efforts, N m or N.
    t : array_like, shape (n,), optional
        Times, s, required without `a`.
    armature, friction : bool, optional
        Whether these parameters of the joints are estimated too; by default those of the model are used.
    robust : bool, optional
        Whether Huber's weights are used, which reduce the influence of outliers.
    only : sequence of str, optional
        Links whose parameters are estimated, such as "payload"; all others are those of the model.
    joints : iterable of str, optional
        Joints with measured efforts. By default all.
    prior : Model, optional
        Prior parameters. By default those of `model`.
    weight : float, optional
        Weight of the prior.
    cutoff : float, optional
        Cutoff frequency of the filter, Hz.

    Returns
    -------
    Identified
        Parameters with standard errors and residuals.

    Raises
    ------
    ShapeError
        If arrays do not match.
    InputError
        If a number is not finite, or there are too few samples.
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
    information = found.information(EXACT * float(np.sqrt(np.mean(found.measured**2))))
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
    """Warn if no physically consistent parameters, or no parameters at all, explain the efforts."""
    whole = np.maximum(np.sqrt(base.plain.efforts / base.samples), base.measured)  # with what is known of them
    share = rms / whole
    impossible = (rms > WORSE * base.own_rms) & (share > MINOR) & (weight <= 1.0)
    poor = share > LEFT
    large = rms > SMALL * whole.max()  # noise may be all there is of a wrist's efforts
    if not (impossible | poor & large).any() and 2 * poor.sum() < len(names):
        return
    which = np.flatnonzero(impossible | poor)
    worst = sorted(which, key=lambda k: -share[k])[:5]
    text = ", ".join(f"{names[k]} {100.0 * share[k]:.3g} %" for k in worst) + (", …" if len(which) > 5 else "")
    why = (
        "the efforts ask for what no bodies can be, as negative masses" if impossible.any() else "nothing explains them"
    )
    warn(
        f"much of the measured efforts is left (rms): {text}; {why}. Are signs, units (rad, s, N m) and the order of "
        "the joints those of the model, and is friction known or asked for (friction=True)?"
    )


def seen_by(matrix: Array) -> tuple[str, ...]:
    """Return for each parameter θ_i whether combinations K (r, p) determine it: "alone", "with others" or "no"."""
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
        raise ArgumentError("parts of measurements contain v, a, tau and t: give no further arrays")
    return MeasurementSource(model, q if callable(q) else lambda: q, not isinstance(q, Iterator), cutoff)
