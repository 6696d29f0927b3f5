"""The linear quadratic regulator: the feedback that brings a mechanism back to rest at least cost."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from linkwright.bounds import whole_number
from linkwright.compiler.public import kernel_of
from linkwright.control.optimal.costs import spread, weight_of
from linkwright.control.optimal.holding_efforts import holding_efforts
from linkwright.control.optimal.problem import controls_of
from linkwright.control.optimal.riccati import continuous, discrete, gain
from linkwright.dynamics import constraint_jacobian, difference
from linkwright.errors import ArgumentError, InputError
from linkwright.model.coordinates import velocity_names
from linkwright.model.requirement import takes_model, takes_numeric_model
from linkwright.model.tree import Model
from linkwright.simulation.integrators.methods import IntegrationMethod, total_acceleration
from linkwright.simulation.linearization import linearize
from linkwright.spatial.arrays import Array, as_numbers
from linkwright.spatial.loops.tables import take

AT_REST = 1e-6
"""m/s² or rad/s², above which a posture counts as moving."""

NOT_FOUND = (
    "no regulator was found: the equation has no stabilizing solution to rounding. Are Q and R within some ten orders "
    "of magnitude of each other, and the posture no singular one?"
)

LOST = 1e-9
"""Share of the size of (λ1 − A, B) below which a mode counts as out of the reach of the efforts."""


@takes_model
def regulate(
    model: Model, t: float | Array, q: Array, v: Array, *, posture: Array, effort: Array, gain: Array
) -> Array:
    """Return to rest at a posture: τ = τ̄ − K δ, δ = (difference(posture, q), v).

    Parameters
    ----------
    model : Model
        Mechanism.
    t : float
        Time, s.
    q, v : ndarray, shapes (nq,) and (nv,)
        Configuration and joint velocity.
    posture : ndarray, shape (nq,)
        Equilibrium.
    effort : ndarray, shape (nv,)
        Efforts τ̄ at the equilibrium.
    gain : ndarray, shape (nv, 2 nv)
        K.

    Returns
    -------
    ndarray, shape (nv,)
        Efforts.
    """
    return effort - gain @ np.concatenate([difference(model, posture, q), v])


def regulate_for_a_time(
    model: Model, t: float | Array, q: Array, v: Array, *, posture: Array, effort: Array, gain: Array, spacing: Any
) -> Array:
    """Regulate with time-varying gains (horizon, nv, 2 nv), each for ``spacing`` seconds; the last gain is kept."""
    K = take(gain, np.floor(t / spacing + 1e-6))
    return effort - K @ np.concatenate([difference(model, posture, q), v])


@dataclass(frozen=True, eq=False)
class Regulator:
    """Linear quadratic regulator; the leading axes of all arrays are those of the postures."""

    model: Model
    """mechanism"""
    posture: Array
    """(nq,)"""
    effort: Array
    """(nv,), which holds the posture"""
    gain: Array
    """K (nv, 2 nv); with a horizon (horizon, nv, 2 nv). Rows of joints without a motor are zero."""
    cost_to_go: Array
    """P (2 nv, 2 nv): δᵀ P δ is what it costs from δ on; with a horizon (horizon + 1, …), of each step"""
    poles: Array
    """(2 nv,) complex, eigenvalues of A − B K: of a step inside the unit circle, else with a negative real part; with
    a horizon those of the first step; of closed loops only those of motions that they allow, without a horizon"""
    A: Array
    """(2 nv, 2 nv)"""
    B: Array
    """(2 nv, nv)"""
    step: float | None
    """s; None: continuous"""

    @property
    def controller(self) -> Callable[..., Array]:
        """Controller for ``simulate(…, controller=regulator.controller)``.

        For a batch, add ``actuation=Actuation(each=regulator.each)``.
        """
        values: dict[str, Any] = {"posture": self.posture, "effort": self.effort, "gain": self.gain}
        if self.cost_to_go.ndim > self.A.ndim:
            return partial(regulate_for_a_time, spacing=self.step, **values)
        return partial(regulate, **values)

    @property
    def each(self) -> list[str]:
        """Names of the arguments of :attr:`controller` that differ between the postures of a batch."""
        return ["posture", "effort", "gain"] if self.A.ndim > 2 else []

    def __repr__(self) -> str:
        kind = "continuous" if self.step is None else f"steps of {self.step:g} s"
        batch = f", {self.A.shape[:-2]}" if self.A.ndim > 2 else ""
        if self.step is None:
            slowest = -1.0 / self.poles.real.max() if self.poles.size else 0.0
        else:
            largest = abs(self.poles).max() if self.poles.size else 0.0
            slowest = -self.step / np.log(largest) if largest > 0.0 else 0.0
        return f"Regulator({self.model.name!r}{batch}, {kind}, slowest time constant {slowest:.3g} s)"


@takes_numeric_model()
def lqr(
    model: Model,
    q: ArrayLike,
    Q: ArrayLike = 1.0,
    R: ArrayLike = 1.0,
    *,
    tau: ArrayLike | None = None,
    step: float | None = None,
    horizon: int | None = None,
    final: ArrayLike | None = None,
    actuated: Sequence[str] | None = None,
    method: IntegrationMethod | None = None,
) -> Regulator:
    """Compute the linear quadratic regulator about an equilibrium.

    The feedback δτ = −K δ minimizes ∫ δᵀQδ + δτᵀRδτ dt, or with a `step` the sum over all steps. δ = (difference(q, ·),
    v) is the deviation of the state, δτ that of the efforts from `tau`. Springs, dampers, friction and closed loops are
    part of A and B, which are those of :func:`linearize`; dry friction is the steep damper that it is about rest.

    Parameters
    ----------
    model : Model
        Mechanism.
    q : array_like, shape (..., nq)
        Postures at rest.
    Q : float or array_like, shape (2 nv,) or (2 nv, 2 nv), optional
        Weight of δq, then of v.
    R : float or array_like, optional
        Weight of the efforts, positive-definite: a number, (nv,) or (nv, nv), or (m,) or (m, m) for the m actuated
        efforts in the order of the model.
    tau : array_like, shape (..., nv), optional
        Efforts that hold `q`. By default those against gravity and springs.
    step : float, optional
        Sampling time of the controller, s. By default the regulator is continuous.
    horizon : int, optional
        Number of steps, after which δᵀ F δ is added, F being `final`. By default infinite. A longer simulation keeps
        the last gain, which may be too weak to hold the posture; ``final=regulator.cost_to_go`` of an infinite horizon
        avoids that.
    final : array_like, shape (2 nv, 2 nv), optional
        F. By default Q.
    actuated : sequence of str, optional
        Names of the joints that have motors. By default all.
    method : str, optional
        Integration method of the simulation, with a `step`.

    Returns
    -------
    Regulator
        Gains, cost to go and a controller. V = δᵀ P δ has V⁺ − V = −δᵀ(Q + KᵀRK)δ along the linear motion, so that V is
        a Lyapunov function near q.

    Raises
    ------
    InputError
        If q is no equilibrium under the efforts, an unstable mode is not controllable, Q does not observe a mode on the
        stability boundary, or Q and R are no weights.

    References
    ----------
    Anderson & Moore, *Optimal Control: Linear Quadratic Methods* (1990). The Riccati equation is solved by doubling.

    Examples
    --------
    >>> import linkwright as lw
    >>> lw.control.lqr(lw.load("pendulum"), [3.0], Q=10.0, R=0.1).gain.shape
    (1, 2)
    """
    n, controls = model.nv, list(controls_of(model, actuated))
    posture = as_numbers("q", q)
    if tau is None and posture.shape[-1:] == (model.nq,):
        effort = holding_efforts(model, posture, controls)
    else:
        effort = as_numbers("tau", np.zeros(n) if tau is None else tau)
    if horizon is not None:
        whole_number("horizon", horizon, 1)
        if step is None:
            raise InputError(f"a horizon is a number of steps: give step=…, too; got horizon={horizon!r}")
    if final is not None and horizon is None:
        raise ArgumentError("final is the weight after a horizon, and none is given: lqr(…, step=…, horizon=…)")
    Qm = _matrix("Q", Q, 2 * n)
    Rm = _matrix("R", spread(weight_of("R", R, n, len(controls)), n, controls), n)[np.ix_(controls, controls)]
    if np.linalg.eigvalsh(Rm)[0] <= 0.0:
        raise InputError(
            f"R is no weight of efforts: it has the eigenvalue {np.linalg.eigvalsh(Rm)[0]:g}; all must be > 0"
        )
    A, B = linearize(model, posture, np.zeros(n), effort, step=step, method=method)
    _require_rest(model, posture, effort)
    Bc, hold = B[..., controls], step is not None
    P: Array
    if not A.size:
        raise InputError(f"there is no posture to hold: q has shape {posture.shape}")
    if horizon is None:
        way = _ways(model, np.broadcast_to(posture, (*A.shape[:-2], model.nq)))
        back = way.swapaxes(-1, -2)
        Aw, Bw, Qw = back @ A @ way, back @ Bc, back @ Qm @ way
        _require_reach(model, Aw, Bw, Qw, hold, way)
        try:
            P = (discrete if hold else continuous)(Aw, Bw, Qw, Rm)
            first = gain(Aw, Bw, Rm, P, hold)
            poles = np.linalg.eigvals(Aw - Bw @ first).astype(complex)
        except np.linalg.LinAlgError:
            raise InputError(NOT_FOUND) from None
        P, K = way @ P @ back, first @ back
        outside = abs(poles).max(initial=0.0) >= 1.0 if hold else poles.real.max(initial=-1.0) >= 0.0
        if outside or not np.isfinite(P).all():
            raise InputError(NOT_FOUND)
    else:
        P = np.broadcast_to(Qm if final is None else _matrix("final", final, 2 * n), A.shape)
        gains, costs = [], [P]
        for _ in range(int(horizon)):
            K = gain(A, Bc, Rm, P, True)
            P = Qm + A.swapaxes(-1, -2) @ P @ (A - Bc @ K)
            P = 0.5 * (P + P.swapaxes(-1, -2))
            gains.append(K)
            costs.append(P)
        poles = np.linalg.eigvals(A - Bc @ gains[-1]).astype(complex)
        K, P = np.stack(gains[::-1], axis=-3), np.stack(costs[::-1], axis=-3)
    whole = np.zeros((*K.shape[:-2], n, 2 * n))
    whole[..., controls, :] = K
    batch = A.shape[:-2]
    posture, effort = np.broadcast_to(posture, (*batch, model.nq)), np.broadcast_to(effort, (*batch, n))
    return Regulator(model, posture, effort, whole, P, poles, A, B, step)


def _matrix(name: str, weight: Any, n: int) -> Array:
    W = weight_of(name, weight, n)
    return W if W.ndim == 2 else np.diag(np.broadcast_to(W, n))


def _require_rest(model: Model, q: Array, tau: Array) -> None:
    a = kernel_of(total_acceleration, model)(q, np.zeros(model.nv), tau)
    if not a.size or np.abs(a).max() <= AT_REST:
        return
    place = np.unravel_index(np.abs(a).argmax(), a.shape)
    name = velocity_names(model)[place[-1]]
    raise InputError(
        f"q is not at rest under the efforts: {name!r} accelerates with {a[place]:.3g}. A regulator is about a posture "
        "that tau, or what motors there are, can hold; for a motion take ilqr, whose gains follow it"
    )


def _ways(model: Model, q: Array) -> Array:
    """Return columns (…, 2 nv, k) that span the changes of posture and velocity that closed loops allow."""
    n = model.nv
    if not model.loops:
        return np.broadcast_to(np.eye(2 * n), (*q.shape[:-1], 2 * n, 2 * n))
    _, sizes, rows = np.linalg.svd(kernel_of(constraint_jacobian, model)(q))
    ranks = (sizes > LOST * sizes.max(initial=1e-300)).sum(axis=-1)
    if ranks.min() < ranks.max():
        raise InputError(
            "closed loops allow more motions at some of these postures than at others: regulate them apart"
        )
    free = rows[..., int(ranks.max()) :, :].swapaxes(-1, -2)
    none = np.zeros_like(free)
    return np.concatenate([np.concatenate([free, none], axis=-1), np.concatenate([none, free], axis=-1)], axis=-2)


def _require_reach(model: Model, A: Array, B: Array, Q: Array, hold: bool, ways: Array) -> None:
    """Raise if an undamped mode is not controllable (Popov, Belevitch & Hautus) or not observed by Q."""
    n = A.shape[-1]
    names = velocity_names(model)
    names = [*names, *(f"the rate of {name}" for name in names)]
    rows = zip(*(x.reshape(-1, *x.shape[-2:]) for x in (A, B, Q, ways)), strict=True)
    for a, b, seen, way in rows:
        modes = np.linalg.eigvals(a)
        scale = 1.0 if hold else max(1.0, float(np.linalg.norm(a, 2)))
        size = np.linalg.norm(b, 2)
        for pole in modes:
            edge = abs(pole) - 1.0 if hold else pole.real / scale
            if edge < -1e-7:
                continue
            shifted = a - pole * np.eye(n)
            left, values, _ = np.linalg.svd(np.concatenate([shifted, b / size if size else b], axis=1))
            kind = "grows" if edge > 1e-7 else "does not die away"
            if values[-1] <= LOST * scale:
                worst = int(np.abs(way @ left[:, -1]).argmax())
                raise InputError(
                    f"the efforts cannot stabilize {model.name!r} there: a mode that {kind}, mostly of "
                    f"{names[worst]!r} (eigenvalue {_shown(pole)}), is out of their reach"
                )
            if abs(edge) > 1e-7:
                continue
            _, values, right = np.linalg.svd(
                np.concatenate([shifted, seen / max(np.linalg.norm(seen, 2), 1e-300)], axis=0)
            )
            if values[-1] <= LOST * scale:
                worst = int(np.abs(way @ right[-1].conj()).argmax())
                raise InputError(
                    f"Q does not see a mode that {kind}, mostly of {names[worst]!r} (eigenvalue {_shown(pole)}): no "
                    "regulator of least cost brings it back; give it some weight"
                )


def _shown(pole: complex) -> str:
    return f"{pole.real:.4g}" if abs(pole.imag) < 1e-9 else f"{pole.real:.4g} ± {abs(pole.imag):.4g}i"
