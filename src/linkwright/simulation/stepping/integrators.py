"""Methods of integration: Runge–Kutta on the configuration manifold (Munthe-Kaas 1999), and one for stiff joints.

A method is a tableau. Stages lie at q ⊕ Exp(u); the rate of u that gives the body velocity v is
dexp⁻¹, whose series v + ½[u, v] + ¹⁄₁₂[u, [u, v]] suffices up to order four. For plain coordinates the
brackets vanish and the classical method is left.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

import numpy as np

from linkwright import dynamics
from linkwright.compiler.public import kernel_of
from linkwright.dynamics import configuration
from linkwright.dynamics.closed_loops.forces import row_orders
from linkwright.dynamics.closed_loops.independent import eliminations, row_scales
from linkwright.dynamics.closed_loops.rows import loop_groups
from linkwright.dynamics.inertias.massless import massless_joints
from linkwright.errors import InputError
from linkwright.model.derived import kept, share_derived
from linkwright.model.tree import Model
from linkwright.simulation.stepping.adaptive.pair import DORMAND_PRINCE, Embedded
from linkwright.spatial.arrays import Array, mirror, where
from linkwright.spatial.linalg import solve_symmetric
from linkwright.spatial.repeats import repeat


@dataclass(frozen=True)
class Tableau:
    """An explicit Runge–Kutta method: stage i starts from the rates of earlier stages weighted by row i."""

    order: int
    stability: float
    """how far on the negative real axis it is stable: |λ| h may reach this"""
    stages: tuple[tuple[float, ...], ...]
    weights: tuple[float, ...]

    @property
    def times(self) -> tuple[float, ...]:
        """Where in a step its stages are: 0 at its beginning, 1 at its end."""
        return tuple(float(sum(row)) for row in self.stages)

    @property
    def in_sequence(self) -> bool:
        """Whether each stage starts from the rates of the one before alone."""
        return not any(any(row[:-1]) for row in self.stages)


@dataclass(frozen=True)
class SemiImplicit:
    """Semi-implicit Euler, linearly implicit in springs, dampers and friction: stable however stiff these are.

    It takes energy out of springs, as backward Euler does: one that swings at ω (rad/s) keeps 1/(1 + h²ω²) of its
    energy a step, e^(−h ω² t) after a time t, be it damped or not. Where there are no springs, and M is constant, it
    is symplectic Euler. "variational" is what keeps energy.
    """

    order: int = 1
    stability: float = np.inf


@dataclass(frozen=True)
class Variational:
    """The variational midpoint rule, implicit and symplectic: `variational.py`."""

    order: int = 2
    stability: float = np.inf


Options = Mapping[str, Any]
"""of ``forward_dynamics``"""

Efforts = Callable[[Any, Array, Array], Array]
"""(t, q, v) -> efforts (nv,); of numbers (…, nv)"""

PLAIN: Options = MappingProxyType({})

IntegrationMethod = Literal["rk4", "midpoint", "euler", "dopri5", "semi_implicit", "variational"]

Method = Tableau | Embedded | SemiImplicit | Variational

METHODS: dict[str, Method] = {
    "rk4": Tableau(4, 2.78, ((), (1 / 2,), (0.0, 1 / 2), (0.0, 0.0, 1.0)), (1 / 6, 1 / 3, 1 / 3, 1 / 6)),
    "midpoint": Tableau(2, 2.0, ((), (1 / 2,)), (0.0, 1.0)),
    "euler": Tableau(1, 2.0, ((),), (1.0,)),
    "dopri5": DORMAND_PRINCE,
    "semi_implicit": SemiImplicit(),
    "variational": Variational(),
}
"""By name; "rk4" is Kutta's classical method of order four."""


def method_of(name: str) -> Method:
    """The method of that name; :class:`InputError` where there is none."""
    if not isinstance(name, str) or name not in METHODS:
        raise InputError(f"method is {name!r}; it may be {', '.join(map(repr, METHODS))}")
    return METHODS[name]


def total_acceleration(model: Model, q: Array, v: Array, tau: Array, options: Options = PLAIN) -> Array:
    """The acceleration (nv,) under efforts, springs, dampers and friction."""
    effort = tau + dynamics.passive_forces(model, q, v)
    return dynamics.forward_dynamics(model, q, v, effort, **options)


def inverse_exponential_rate(model: Model, u: Array, v: Array) -> Array:
    """u̇ (nv,) for which q ⊕ Exp(u) moves at the body velocity v, up to terms of fourth order in u."""
    first = configuration.lie_bracket(model, u, v)
    return v + 0.5 * first + (1.0 / 12.0) * configuration.lie_bracket(model, u, first)


def advance(model: Model, q: Array, v: Array, u: Array, w: Array) -> tuple[Array, Array]:
    """The end of a step: q ⊕ Exp(u) and v + w."""
    return configuration.integrate(model, q, u), v + w


def increments(coefficients: tuple[float, ...], h: Any, rates: list[tuple[Array, Array]]) -> tuple[Array, Array]:
    """h Σ c (u̇, v̇)."""
    u, w = np.zeros(rates[0][0].shape), np.zeros(rates[0][1].shape)
    for c, (u_rate, v_rate) in zip(coefficients, rates, strict=True):
        if c:
            u, w = u + (h * c) * u_rate, w + (h * c) * v_rate
    return u, w


def step(
    model: Model,
    q: Array,
    v: Array,
    tau: Array,
    h: Any,
    method: str = "rk4",
    options: Options = PLAIN,
    projection: bool = False,
) -> tuple[Array, Array]:
    """(q, v) after a time h (s) under constant efforts tau (nv,)."""
    return driven_step(model, 0.0, q, v, lambda t, q, v: tau, h, method, options, projection)[:2]


def driven_step(
    model: Model,
    t: Any,
    q: Array,
    v: Array,
    efforts: Efforts,
    h: Any,
    method: str = "rk4",
    options: Options = PLAIN,
    projection: bool = False,
    held: bool = True,
    looped: bool = False,
    outside: Efforts | None = None,
) -> tuple[Array, Array, Array]:
    """(q, v) a time h (s) after t, and the efforts (nv,) at the beginning, held over the step or asked at each stage.

    ``looped``: a Runge–Kutta step's stages are one body of code, run several times, where the tableau allows it.
    ``outside``: further efforts, which are asked at each stage always.
    """
    chosen = method_of(method)
    if isinstance(chosen, (Variational, Embedded)):
        raise InputError(f"a step of {method!r} is iterated, not a formula: take simulate")
    if isinstance(chosen, SemiImplicit):
        tau = efforts(t, q, v)
        q, v = semi_implicit_step(model, q, v, tau if outside is None else tau + outside(t, q, v), h, options)
    else:
        if held:
            tau = efforts(t, q, v)
            efforts = _constant(tau)
        stages = _stages_in_a_loop if looped and chosen.in_sequence else _stages
        tau, u, w = stages(model, chosen, t, q, v, efforts, h, options, outside)
        q, v = advance(model, q, v, u, w)
    return (*(dynamics.project(model, q, v) if projection else (q, v)), tau)


def _constant(tau: Array) -> Efforts:
    return lambda t, q, v: tau


def _stages(
    model: Model,
    method: Tableau,
    t: Any,
    q: Array,
    v: Array,
    efforts: Efforts,
    h: Any,
    options: Options,
    outside: Efforts | None,
) -> tuple[Array, Array, Array]:
    """The efforts at the beginning, and u and w at which the step ends."""
    tau = efforts(t, q, v)
    acting = tau if outside is None else tau + outside(t, q, v)
    rates = [(v, total_acceleration(model, q, v, acting, options))]
    for row, when in zip(method.stages[1:], method.times[1:], strict=True):
        u, w = increments(row, h, rates)
        rates.append(rates_at(model, t + h * when, q, v, u, w, efforts, options, outside)[:2])
    return (tau, *increments(method.weights, h, rates))


def _stages_in_a_loop(
    model: Model,
    method: Tableau,
    t: Any,
    q: Array,
    v: Array,
    efforts: Efforts,
    h: Any,
    options: Options,
    outside: Efforts | None,
) -> tuple[Array, Array, Array]:
    """The same of a method each of whose stages starts from the one before."""
    before = [0.0, *(row[-1] for row in method.stages[1:])]

    def one(
        k: Any, rates: tuple[Array, Array], sums: tuple[Array, Array], first: Array
    ) -> tuple[tuple[Array, Array], tuple[Array, Array], Array]:
        u, w = (h * _numbered(before, k) * rate for rate in rates)
        when = t + h * _numbered(method.times, k)
        u_rate, v_rate, tau = rates_at(model, when, q, v, u, w, efforts, options, outside)
        share = h * _numbered(method.weights, k)
        return (u_rate, v_rate), (sums[0] + share * u_rate, sums[1] + share * v_rate), where(k < 0.5, tau, first)

    zero = 0.0 * v  # of symbols where v is: it need not be found out by a step
    _, (u, w), tau = repeat(len(method.stages), one, (zero, zero), (zero, zero), zero)
    return tau, u, w


def _numbered(choices: Sequence[float], k: Any) -> Any:
    """The k-th of some numbers, k a symbol perhaps."""
    chosen: Any = choices[-1]
    for i in reversed(range(len(choices) - 1)):
        if choices[i] != choices[i + 1]:
            chosen = where(k < i + 0.5, choices[i], chosen)
    return chosen


def rates_at(
    model: Model,
    t: Any,
    q: Array,
    v: Array,
    u: Array,
    w: Array,
    efforts: Efforts,
    options: Options,
    outside: Efforts | None,
) -> tuple[Array, Array, Array]:
    """The rates (u̇, v̇) at the configuration q ⊕ Exp(u) and the velocity v + w, and the efforts there."""
    there, velocity = advance(model, q, v, u, w)
    tau = efforts(t, there, velocity)
    acting = tau if outside is None else tau + outside(t, there, velocity)
    a = total_acceleration(model, there, velocity, acting, options)
    return inverse_exponential_rate(model, u, velocity), a, tau


def semi_implicit_step(
    model: Model, q: Array, v: Array, tau: Array, h: Any, options: Options = PLAIN
) -> tuple[Array, Array]:
    """(M + h D + h² K) v̇ = τ + passive − h K v − bias; D v is damping and friction, K springs' stiffness."""
    terms = implicit_terms(model, q, v, h)
    effort = tau + dynamics.passive_forces(model, q, v) - terms.pull
    v_next = v + h * implicit_acceleration(model, q, v, effort, terms, options)
    return configuration.integrate(model, q, h * v_next), v_next


class ImplicitTerms(NamedTuple):
    """By what a step of "semi_implicit" knows passive efforts beforehand, with the acceleration a at its end."""

    joints: list[Array]
    """h D + h² K of each joint, a diagonal: it enters as armature, K of a joint's spring being nowhere stiffer"""
    springs: list[tuple[Array, Any]]
    """e (nv,) and h d + h² k of springs between bodies, whose part is Σ e (h d + h² k) eᵀ"""
    pull: Array
    """h K v (nv,)"""

    def resistance(self, model: Model, a: Array) -> Array:
        """(h D + h² K) a (nv,)."""
        pairs = zip(self.joints, model.rates(a), strict=True)
        resisted = model.assemble([own * a_k for own, a_k in pairs])
        return resisted + sum((c * (e @ a) * e for e, c in self.springs), np.zeros(model.nv))


def implicit_terms(model: Model, q: Array, v: Array, h: Any) -> ImplicitTerms:
    """The terms of a step of h seconds from q and v."""
    rates, x = model.rates(v), model.coordinates(q)
    D = [dynamics.damping_coefficient(joint, v_k) for joint, v_k in zip(model.joints, rates, strict=True)]
    K = [dynamics.spring_stiffness(joint, q_k) for joint, q_k in zip(model.joints, x, strict=True)]
    pull = h * model.assemble([K_k * v_k for K_k, v_k in zip(K, rates, strict=True)])
    springs = []
    if model.springs:
        for e, k, d in dynamics.spring_resistances(model, q):
            pull = pull + (h * k * (e @ v)) * e
            springs.append((e, h * d + h * h * k))
    return ImplicitTerms([h * D_k + h * h * K_k for K_k, D_k in zip(K, D, strict=True)], springs, pull)


def implicit_acceleration(
    model: Model, q: Array, v: Array, effort: Array, terms: ImplicitTerms, options: Options = PLAIN
) -> Array:
    """The acceleration a (nv,) with (M + h D + h² K) a = effort − bias.

    What springs between bodies add is N Nᵀ, and N has few columns: with Λ what takes efforts to accelerations,
    a = a₀ − Λ N (1 + Nᵀ Λ N)⁻¹ Nᵀ a₀ (Woodbury 1950), for a₀ what forward dynamics gives without N, whatever its
    method and its loops.
    """
    heavier = with_added_armature(model, terms.joints)
    a = dynamics.forward_dynamics(heavier, q, v, effort, **options)
    if not terms.springs:
        return a
    still = _with(heavier, gravity=np.zeros(3))
    N = np.stack([np.sqrt(c) * e for e, c in terms.springs], axis=1)
    unbiased = {name: value for name, value in options.items() if name != "stabilization"}
    moved = [dynamics.forward_dynamics(still, q, np.zeros(model.nv), column, **unbiased) for column in N.T]
    moves = np.stack(moved, axis=1)
    return a - moves @ solve_symmetric(np.eye(len(moved)) + mirror(N.T @ moves), N.T @ a)


def with_added_armature(model: Model, added: list[Array]) -> Model:
    """The model with armature added to each joint: numbers or symbols."""
    dynamics.require_mass(model)
    return _with(
        model,
        joints=tuple(replace(j, armature=j.armature + x) for j, x in zip(model.joints, added, strict=True)),
        links=tuple(replace(k, armature=k.armature + x) for k, x in zip(model.links, added, strict=True)),
    )


def _with(model: Model, **changes: Any) -> Model:
    """The model with changes, numbers or symbols, by which nothing loses its inertia and no loop its rank."""
    changed = replace(model, **changes)
    share_derived(model, changed, massless_joints, row_orders, row_scales, loop_groups, eliminations)
    return changed


def stiffest(model: Model, q: Array, v: Array, above: float = 0.0) -> tuple[float, str]:
    """The fastest rate (1/s) at which dampers, friction and springs act on what they move, and the joint it is at.

    What is certain to be slower than ``above`` is not looked at closer: (0, "").
    """
    of_joints, between = _resistances_of_joints(model), dynamics.spring_resistances(model, q)
    if not (between or any(own.any() for own in of_joints)):
        return 0.0, ""
    D, K = (np.diag(own) for own in of_joints)
    for e, k, d in between:
        D, K = D + d * np.outer(e, e), K + k * np.outer(e, e)
    D, K = np.linalg.solve(kernel_of(dynamics.mass_matrix, model)(q), np.stack([D, K]))
    if max(np.abs(D).sum(axis=1).max(), np.sqrt(np.abs(K).sum(axis=1).max())) <= above:  # norms bound eigenvalues
        return 0.0, ""
    speed, shapes = np.linalg.eig(D)
    beat = np.sqrt(np.abs(np.linalg.eigvals(K)).max())
    worst = int(np.abs(speed).argmax())
    names = [joint.name for joint in model.joints for _ in range(joint.nv)]
    return float(max(np.abs(speed[worst]), beat)), names[int(np.abs(shapes[:, worst]).argmax())]


@kept
def _resistances_of_joints(model: Model) -> tuple[Array, Array]:
    """The damping (nv,) of joints at rest, friction included, and their stiffness (nv,)."""
    still = model.rates(np.zeros(model.nv))
    D = [dynamics.damping_coefficient(joint, v) for joint, v in zip(model.joints, still, strict=True)]
    return model.assemble(D), model.assemble([joint.stiffness for joint in model.joints])


def stiffest_feedback(
    model: Model, efforts: Callable[[Array, Array], Array], q: Array, v: Array, by: float = 1e-6
) -> tuple[float, str]:
    """The fastest rate (1/s) at which efforts(q, v) act on what they move, and the joint; of a batch its first row.

    By differences: the largest eigenvalue of M⁻¹ ∂τ/∂v, and the root of that of M⁻¹ ∂τ/∂q.
    """
    first = (0,) * (v.ndim - 1)
    here = efforts(q, v)
    D, K = (
        np.stack([(efforts(*moved) - here)[first] / by for moved in moves], axis=-1)
        for moves in (
            [(q, v + by * unit) for unit in np.eye(model.nv)],
            [
                (
                    np.array([configuration.integrate(model, x, by * unit) for x in q.reshape(-1, model.nq)]).reshape(
                        q.shape
                    ),
                    v,
                )
                for unit in np.eye(model.nv)
            ],
        )
    )
    M = dynamics.mass_matrix(model, q[first])
    names = [joint.name for joint in model.joints for _ in range(joint.nv)]
    found = []
    for slope, power in ((D, 1.0), (K, 0.5)):
        speed, shapes = np.linalg.eig(np.linalg.solve(M, slope))
        worst = int(np.abs(speed).argmax())
        found.append((float(np.abs(speed[worst]) ** power), names[int(np.abs(shapes[:, worst]).argmax())]))
    return max(found)
