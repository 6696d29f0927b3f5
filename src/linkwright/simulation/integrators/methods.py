"""Methods of integration: Runge–Kutta on the configuration manifold (Munthe-Kaas 1999), and a semi-implicit one.

A method is a tableau. Stages lie at q ⊕ Exp(u). The rate of u for the body velocity v is dexp⁻¹ v; its series v + ½[u,
v] + ¹⁄₁₂[u, [u, v]] suffices up to order four. For plain coordinates the brackets vanish and the classical method
remains.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, Protocol, runtime_checkable

import numpy as np

from linkwright import dynamics
from linkwright.compiler.public import kernel_of
from linkwright.dynamics import configuration
from linkwright.dynamics.closed_loops.articulated import closing_eliminations
from linkwright.dynamics.closed_loops.forces import whole_elimination
from linkwright.dynamics.closed_loops.independent import eliminations, row_scales
from linkwright.dynamics.closed_loops.rows import loop_groups
from linkwright.dynamics.forces.actuators import ActuatorDamping, actuator_damping
from linkwright.dynamics.forces.springs import Resistance
from linkwright.dynamics.inertias.massless import massless_joints
from linkwright.errors import InputError
from linkwright.model.memo import kept, share_derived
from linkwright.model.tree import Model
from linkwright.simulation.integrators.position_sums import Placement, placed
from linkwright.spatial.arrays import Array, mirror, where
from linkwright.spatial.linear_algebra.linalg import solve_symmetric
from linkwright.spatial.loops.repeats import repeat


@dataclass(frozen=True)
class Tableau:
    """Explicit Runge–Kutta method: stage i starts from the rates of earlier stages, weighted by row i."""

    order: int
    stability: float
    """stability limit on the negative real axis: |λ| h"""
    stages: tuple[tuple[float, ...], ...]
    weights: tuple[float, ...]

    @property
    def times(self) -> tuple[float, ...]:
        """Times of the stages: 0 at the beginning of the step, 1 at its end."""
        return tuple(float(sum(row)) for row in self.stages)

    @property
    def in_sequence(self) -> bool:
        """Return whether each stage depends on the rates of the previous stage alone."""
        return not any(any(row[:-1]) for row in self.stages)


@dataclass(frozen=True)
class EmbeddedPair:
    """Embedded pair of explicit methods; the last stage is the first of the next step."""

    order: int
    stages: tuple[tuple[float, ...], ...]
    """stage i starts from the rates of earlier stages weighted by row i; the last row is the method"""
    errors: tuple[float, ...]
    """weights of the error estimate: those of the method minus those of the method of lower order"""
    between: tuple[tuple[float, ...], ...]
    """for each stage the weights of θ, θ², … of dense output at the share θ of the step"""
    stability: float = np.inf
    """unlimited: steps are adapted"""

    @property
    def times(self) -> tuple[float, ...]:
        """Times of the stages: 0 at the beginning of the step, 1 at its end."""
        return tuple(float(sum(row)) for row in self.stages)


@dataclass(frozen=True)
class SemiImplicit:
    """Semi-implicit Euler, linearly implicit in springs, dampers and friction, and stable for any stiffness of these.

    It dissipates the energy of springs, as backward Euler does: an oscillation at ω (rad/s) keeps 1/(1 + h²ω²) of its
    energy in a step, e^(−h ω² t) after a time t. Without springs, and with constant M, it is symplectic Euler.
    "variational" conserves energy.
    """

    order: int = 1
    stability: float = np.inf


@dataclass(frozen=True)
class Variational:
    """Variational midpoint rule, implicit and symplectic: `variational.py`."""

    order: int = 2
    stability: float = np.inf


Options = Mapping[str, Any]
"""Options of ``forward_dynamics``."""

Efforts = Callable[[Any, Array, Array], Array]
"""(t, q, v) -> efforts (nv,); of numbers (…, nv)"""


@runtime_checkable
class StageEfforts(Protocol):
    """Efforts (t, q, v) -> (nv,) that depend on the stage of a method, and are evaluated at each."""

    def __call__(self, t: Any, q: Array, v: Array) -> Array:
        """Return the efforts at the first stage."""

    def at_stage(self, k: Any) -> Efforts:
        """Return the efforts at the k-th stage; k may be a symbol."""


@runtime_checkable
class DampedEfforts(Protocol):
    """Efforts (t, q, v) -> (nv,) with damping that semi-implicit methods take as implicit."""

    def damping(self, q: Array, v: Array) -> ActuatorDamping | None:
        """Return the damping at the beginning of a step."""


PLAIN: Options = MappingProxyType({})

IntegrationMethod = Literal["rk4", "midpoint", "euler", "dopri5", "semi_implicit", "variational"]

Method = Tableau | EmbeddedPair | SemiImplicit | Variational

DORMAND_PRINCE = EmbeddedPair(
    5,
    (
        (),
        (1 / 5,),
        (3 / 40, 9 / 40),
        (44 / 45, -56 / 15, 32 / 9),
        (19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729),
        (9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656),
        (35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84),
    ),
    (71 / 57600, 0.0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40),
    (
        (1.0, -8048581381 / 2820520608, 8663915743 / 2820520608, -12715105075 / 11282082432),
        (0.0, 0.0, 0.0, 0.0),
        (0.0, 131558114200 / 32700410799, -68118460800 / 10900136933, 87487479700 / 32700410799),
        (0.0, -1754552775 / 470086768, 14199869525 / 1410260304, -10690763975 / 1880347072),
        (0.0, 127303824393 / 49829197408, -318862633887 / 49829197408, 701980252875 / 199316789632),
        (0.0, -282668133 / 205662961, 2019193451 / 616988883, -1453857185 / 822651844),
        (0.0, 40617522 / 29380423, -110615467 / 29380423, 69997945 / 29380423),
    ),
)
"""Order 5 with an error estimate of order 4 (Dormand & Prince 1980), and dense output of order 4 (Shampine 1986)."""

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
    """Return the method of that name; raise :class:`InputError` for an unknown name."""
    if not isinstance(name, str) or name not in METHODS:
        raise InputError(f"method is {name!r}; it may be {', '.join(map(repr, METHODS))}")
    return METHODS[name]


def total_acceleration(model: Model, q: Array, v: Array, tau: Array, options: Options = PLAIN) -> Array:
    """Return the acceleration (nv,) under efforts, springs, dampers and friction."""
    effort = tau + dynamics.passive_forces(model, q, v)
    return dynamics.forward_dynamics(model, q, v, effort, **options)


def inverse_exponential_rate(model: Model, u: Array, v: Array) -> Array:
    """Return u̇ (nv,) for which q ⊕ Exp(u) moves with the body velocity v, up to terms of fourth order in u."""
    first = configuration.lie_bracket(model, u, v)
    return v + 0.5 * first + (1.0 / 12.0) * configuration.lie_bracket(model, u, first)


def advance(model: Model, q: Array, v: Array, u: Array, w: Array) -> tuple[Array, Array]:
    """Return the end of a step: q ⊕ Exp(u) and v + w."""
    return configuration.integrate(model, q, u), v + w


def increments(coefficients: tuple[float, ...], h: Any, rates: list[tuple[Array, Array]]) -> tuple[Array, Array]:
    """Return h Σ c (u̇, v̇)."""
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
    """Return (q, v) after a time h (s) under constant efforts tau (nv,)."""
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
    external: Efforts | None = None,
    place: Placement = placed,
) -> tuple[Array, Array, Array]:
    """Return (q, v) a time h (s) after t, and the efforts (nv,) at the beginning, held or evaluated at each stage.

    ``looped``: the stages of a Runge–Kutta step are a loop, where the tableau allows it. ``external``: additional
    efforts, evaluated at each stage. ``place``: sum of positions, see `position_sums.py`.
    """
    chosen = method_of(method)
    if isinstance(chosen, (Variational, EmbeddedPair)):
        raise InputError(f"a step of {method!r} is iterated, not a formula: take simulate")
    if isinstance(chosen, SemiImplicit):
        tau = efforts(t, q, v)
        acting = tau if external is None else tau + external(t, q, v)
        damping, before = damping_of(efforts, q, v), v
        q, v = semi_implicit_step(model, q, v, acting, h, options, place, damping)
        tau = tau if damping is None else tau - damping.efforts(model, v - before)
    else:
        if held and not isinstance(efforts, StageEfforts):
            tau = efforts(t, q, v)
            efforts = _constant(tau)
        stages = _stages_in_a_loop if looped and chosen.in_sequence else _stages
        tau, u, w = stages(DrivenMechanism(model, efforts, options, external), chosen, t, q, v, h)
        q, v = place(q, lambda q: configuration.integrate(model, q, u)), v + w
    return (*(dynamics.project(model, q, v) if projection else (q, v)), tau)


def damping_of(efforts: Efforts, q: Array, v: Array) -> ActuatorDamping | None:
    """Return the damping of efforts at the beginning of a step; None without any."""
    return efforts.damping(q, v) if isinstance(efforts, DampedEfforts) else None


def _constant(tau: Array) -> Efforts:
    return lambda t, q, v: tau


class DrivenMechanism(NamedTuple):
    """A mechanism under efforts, and additional ones that are evaluated at each stage even where these are held."""

    model: Model
    efforts: Efforts
    options: Options
    external: Efforts | None

    def acceleration(self, t: Any, q: Array, v: Array, stage: Any = 0) -> tuple[Array, Array]:
        """Return the acceleration (nv,) and the efforts."""
        efforts = self.efforts.at_stage(stage) if isinstance(self.efforts, StageEfforts) else self.efforts
        tau = efforts(t, q, v)
        acting = tau if self.external is None else tau + self.external(t, q, v)
        return total_acceleration(self.model, q, v, acting, self.options), tau

    def rates(self, t: Any, q: Array, v: Array, u: Array, w: Array, stage: Any = 0) -> tuple[Array, Array, Array]:
        """Return the rates (u̇, v̇) at the configuration q ⊕ Exp(u) and the velocity v + w, and the efforts there."""
        there, velocity = advance(self.model, q, v, u, w)
        a, tau = self.acceleration(t, there, velocity, stage)
        return inverse_exponential_rate(self.model, u, velocity), a, tau


def _stages(driven: DrivenMechanism, method: Tableau, t: Any, q: Array, v: Array, h: Any) -> tuple[Array, Array, Array]:
    """Return the efforts at the beginning, and u and w at the end of the step."""
    a, tau = driven.acceleration(t, q, v)
    rates = [(v, a)]
    for k, (row, when) in enumerate(zip(method.stages[1:], method.times[1:], strict=True), start=1):
        rates.append(driven.rates(t + h * when, q, v, *increments(row, h, rates), k)[:2])
    return (tau, *increments(method.weights, h, rates))


def _stages_in_a_loop(
    driven: DrivenMechanism, method: Tableau, t: Any, q: Array, v: Array, h: Any
) -> tuple[Array, Array, Array]:
    """Return the same for a method whose stages each depend on the previous one."""
    before = [0.0, *(row[-1] for row in method.stages[1:])]

    def one(
        k: Any, rates: tuple[Array, Array], sums: tuple[Array, Array], first: Array
    ) -> tuple[tuple[Array, Array], tuple[Array, Array], Array]:
        u, w = (h * _numbered(before, k) * rate for rate in rates)
        u_rate, v_rate, tau = driven.rates(t + h * _numbered(method.times, k), q, v, u, w, k)
        share = h * _numbered(method.weights, k)
        return (u_rate, v_rate), (sums[0] + share * u_rate, sums[1] + share * v_rate), where(k < 0.5, tau, first)

    zero = 0.0 * v  # of symbols where v is: it need not be found out by a step
    _, (u, w), tau = repeat(len(method.stages), one, (zero, zero), (zero, zero), zero)
    return tau, u, w


def _numbered(choices: Sequence[float], k: Any) -> Any:
    """Return the k-th number; k may be a symbol."""
    chosen: Any = choices[-1]
    for i in reversed(range(len(choices) - 1)):
        if choices[i] != choices[i + 1]:
            chosen = where(k < i + 0.5, choices[i], chosen)
    return chosen


def semi_implicit_step(
    model: Model,
    q: Array,
    v: Array,
    tau: Array,
    h: Any,
    options: Options = PLAIN,
    place: Placement = placed,
    damping: ActuatorDamping | None = None,
) -> tuple[Array, Array]:
    """Return (q, v) by (M + h D + h² K) v̇ = τ + passive − h K v − bias, with damping D and stiffness K.

    ``damping``: of the efforts τ, part of D.
    """
    terms = implicit_terms(model, q, v, h, damping)
    effort = tau + dynamics.passive_forces(model, q, v) - terms.pull
    v_next = v + h * implicit_acceleration(model, q, v, effort, terms, options)
    return place(q, lambda q: configuration.integrate(model, q, h * v_next)), v_next


class ImplicitTerms(NamedTuple):
    """Implicit terms of passive efforts in a step of "semi_implicit", with the acceleration a at its end."""

    joints: list[Array]
    """diagonal h D + h² K of the joints, added as armature"""
    springs: list[tuple[Array, Any]]
    """e (nv,) and h d + h² k of springs between bodies: the matrix is Σ e (h d + h² k) eᵀ"""
    pull: Array
    """h K v (nv,)"""

    def resistance(self, model: Model, a: Array) -> Array:
        """Return (h D + h² K) a (nv,)."""
        pairs = zip(self.joints, model.rates(a), strict=True)
        resisted = model.assemble([own * a_k for own, a_k in pairs])
        return resisted + sum((c * (e @ a) * e for e, c in self.springs), np.zeros(model.nv))


def implicit_terms(model: Model, q: Array, v: Array, h: Any, damping: ActuatorDamping | None = None) -> ImplicitTerms:
    """Return the terms of a step of h seconds from q and v; ``damping``: of actuators, in addition."""
    rates, x = model.rates(v), model.coordinates(q)
    D = [dynamics.damping_coefficient(joint, v_k) for joint, v_k in zip(model.joints, rates, strict=True)]
    K = [dynamics.spring_stiffness(joint, q_k) for joint, q_k in zip(model.joints, x, strict=True)]
    pull = h * model.assemble([K_k * v_k for K_k, v_k in zip(K, rates, strict=True)])
    springs = []
    if model.springs:
        for e, k, d in dynamics.spring_resistances(model, q, v):
            pull = pull + (h * k * (e @ v)) * e
            springs.append((e, h * d + h * h * k))
    if damping is not None:
        D = [D_k + own for D_k, own in zip(D, damping.joints, strict=True)]
        springs += [(e, h * d) for e, d in damping.others]
    return ImplicitTerms([h * D_k + h * h * K_k for K_k, D_k in zip(K, D, strict=True)], springs, pull)


def implicit_acceleration(
    model: Model, q: Array, v: Array, effort: Array, terms: ImplicitTerms, options: Options = PLAIN
) -> Array:
    """Return the acceleration a (nv,) with (M + h D + h² K) a = effort − bias.

    Springs between bodies add N Nᵀ, where N has few columns. With the map Λ from efforts to accelerations, and a₀ of
    forward dynamics without N, a = a₀ − Λ N (1 + Nᵀ Λ N)⁻¹ Nᵀ a₀ (Woodbury 1950), for every method and with loops.
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
    """Return the model with armature (numbers or symbols) added to each joint."""
    dynamics.require_mass(model)
    return _with(
        model,
        joints=tuple(replace(j, armature=j.armature + x) for j, x in zip(model.joints, added, strict=True)),
        links=tuple(replace(k, armature=k.armature + x) for k, x in zip(model.links, added, strict=True)),
    )


def _with(model: Model, **changes: Any) -> Model:
    """Return the model with changes that preserve inertias and the rank of loops."""
    changed = replace(model, **changes)
    orders = whole_elimination, closing_eliminations, eliminations
    share_derived(model, changed, massless_joints, row_scales, loop_groups, *orders)
    return changed


def stiffest(model: Model, q: Array, v: Array, above: float = 0.0, actuated: bool = False) -> tuple[float, str]:
    """Return the fastest rate (1/s) of dampers, friction and springs, and its joint.

    Returns (0, "") if the rate is certainly below ``above``. ``actuated``: whether the actuators of the model act.
    """
    of_joints, between = _resistances_of_joints(model), dynamics.spring_resistances(model, q)
    if actuated and (own := actuator_damping(model, q, v, np.zeros(model.nu))) is not None:
        of_joints = of_joints[0] + model.assemble(own.joints), of_joints[1]
        between = [*between, *(Resistance(e, 0.0, d) for e, d in own.others)]
    if not (between or any(own.any() for own in of_joints)):
        return 0.0, ""
    D, K = (np.diag(own) for own in of_joints)
    for e, k, d in between:
        D, K = D + d * np.outer(e, e), K + k * np.outer(e, e)
    M = kernel_of(dynamics.mass_matrix, model)(q)
    names = [joint.name for joint in model.joints for _ in range(joint.nv)]
    try:
        D, K = np.linalg.solve(M, np.stack([D, K]))
    except np.linalg.LinAlgError:  # joints that together move no mass at q, such as aligned axes of a wrist
        return np.inf, names[int(np.abs(np.linalg.eigh(M)[1][:, 0]).argmax())]
    if max(np.abs(D).sum(axis=1).max(), np.sqrt(np.abs(K).sum(axis=1).max())) <= above:  # norms bound eigenvalues
        return 0.0, ""
    speed, shapes = np.linalg.eig(D)
    beat = np.sqrt(np.abs(np.linalg.eigvals(K)).max())
    worst = int(np.abs(speed).argmax())
    return float(max(np.abs(speed[worst]), beat)), names[int(np.abs(shapes[:, worst]).argmax())]


@kept
def _resistances_of_joints(model: Model) -> tuple[Array, Array]:
    """Return the damping (nv,) of joints at rest, with friction, and their stiffness (nv,)."""
    still = model.rates(np.zeros(model.nv))
    D = [dynamics.damping_coefficient(joint, v) for joint, v in zip(model.joints, still, strict=True)]
    return model.assemble(D), model.assemble([joint.stiffness for joint in model.joints])


def stiffest_feedback(
    model: Model, efforts: Callable[[Array, Array], Array], q: Array, v: Array, by: float = 1e-6
) -> tuple[float, str]:
    """Return the fastest rate (1/s) of the feedback efforts(q, v), and its joint; of a batch for the first row.

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
