"""Forward dynamics: accelerations from efforts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, get_args

import numpy as np

from linkwright.dynamics.assembly.cost import block_cost, profile_of_tree
from linkwright.dynamics.assembly.loops import Closing
from linkwright.dynamics.assembly.method import by_assembly, by_blocks
from linkwright.dynamics.closed_loops import forces as constrained
from linkwright.dynamics.closed_loops.rows import loop_groups
from linkwright.dynamics.closed_loops.stabilization import Gains, checked_gains
from linkwright.dynamics.inertias.mass import mass_matrix
from linkwright.dynamics.inertias.massless import require_mass
from linkwright.dynamics.inverse import Wrenches, external_forces, inverse_dynamics
from linkwright.errors import InputError, is_choice
from linkwright.model.elements import Link, motion_subspace, transform
from linkwright.model.requirement import takes_model
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array, Shaped
from linkwright.spatial.inertia import congruence
from linkwright.spatial.linear_algebra.linalg import solve_symmetric
from linkwright.spatial.transform import force_to_parent, motion_to_child
from linkwright.spatial.vectors import force_cross, motion_cross

Method = Literal["articulated", "composite", "assembly", "hybrid"]
Blocks = Literal["recursive", "lagrange"]


@takes_model
def forward_dynamics(
    model: Model,
    q: Shaped[Array, "nq"],
    v: Shaped[Array, "nv"],
    tau: Shaped[Array, "nv"],
    wrenches: Wrenches | None = None,
    method: Method | None = None,
    schedule: Any = None,
    partition: Any = None,
    loops: Literal["closed", "ignore"] = "closed",
    stabilization: Gains | None = None,
    blocks: Blocks | None = None,
) -> Shaped[Array, "nv"]:
    """Compute the accelerations of the joints from their efforts.

    Parameters
    ----------
    model : Model
        Mechanism.
    q : array_like, shape (..., nq)
        Configuration.
    v : array_like, shape (..., nv)
        Velocity.
    tau : array_like, shape (..., nv)
        Efforts of the joints in N or N m.
    wrenches : dict of str to array_like, shape (..., 6), optional
        External wrenches [f; n] in N and N m by frame, at the frame's origin in world axes.
    method : {"articulated", "composite", "assembly", "hybrid"}, optional
        Algorithm. "articulated": articulated-body algorithm, linear in the number of bodies. "composite": factorization
        of the mass matrix. "assembly": assembly–disassembly (divide and conquer). "hybrid": assembly of blocks of
        several bodies. By default "articulated" or "composite", whichever takes fewer operations for this mechanism. A
        model with couplings is always solved by "composite". Compiled, a mechanism with closed loops and at least a
        hundred bodies is assembled on SIMD lanes for "articulated" too.
    schedule : {"serial", "balanced", "grouped:N"} or sequence of str, optional
        Order of assembly, or all joints in order. By default "serial"; compiled on SIMD lanes, "balanced".
    partition : int or sequence of sequence of str, optional
        For "hybrid": the largest number of bodies in a block, or the blocks as lists of bodies. By default the blocks
        with the fewest operations on one processor, and of "lagrange" blocks of at most four bodies.
    loops : {"closed", "ignore"}, optional
        "ignore" computes the spanning tree alone.
    stabilization : tuple of float, optional
        Gains (α, β) in 1/s of Baumgarte's stabilization, K a = −K̇ v − 2α K v − β² φ.
        Errors decay like those of an oscillator of natural frequency β and damping ratio α/β. With (1/h, 1/h) at a step
        of h they decay within a few steps.
    blocks : {"recursive", "lagrange"}, optional
        For "hybrid": the equations within a block. "recursive" (default): by recursion over its bodies. "lagrange":
        Lagrange's equations, written out once for the structure of the block, for hinges and sliders. Both are constant
        code with the mechanism's numbers; ``compile(…, parameters=["structure"])`` makes them arguments.

    Returns
    -------
    ndarray, shape (..., nv)
        Accelerations a with M a + b = τ + Jᵀf + Kᵀλ, in m/s² or rad/s². Loops satisfy K a = −K̇ v; in singular
        configurations and with redundant loops by least squares.

    Raises
    ------
    ModelError
        If a joint moves neither mass nor armature. For assembly also if a single body has no inertia about an axis, or
        if couplings tie the coordinates of a loop.
    InputError
        If a joint within a block of "lagrange" is no hinge or slider.

    References
    ----------
    Featherstone, *Rigid Body Dynamics Algorithms* (2008), sections 6.2 and 7.3.

    Yamane & Nakamura, "Efficient parallel dynamics computation of human figures", *ICRA* 2002.

    Examples
    --------
    >>> import linkwright as lw
    >>> arm = lw.load("two_link")
    >>> lw.forward_dynamics(arm, [0.0, 0.0], [0.0, 0.0], [19.6, 4.9]).round(9) + 0.0  # gravity is compensated
    array([0., 0.])
    """
    method = cheapest_method(model, loops) if method is None else method
    options = checked_options(method, schedule, partition, loops, blocks)
    gains = checked_gains(stabilization)
    require_mass(model)
    if model.has_couplings:
        method, options = "composite", {}
    if model.loops and loops == "closed":
        return CONSTRAINED_METHODS[method](model, q, v, tau, wrenches, gains, **options)
    return FORWARD_DYNAMICS_METHODS[method](model, q, v, tau, wrenches, **options)


FEW = 100
"""Number of bodies from which the default is the method that is linear in it."""

APART = 45
"""Operations per pair of rows of loops without common joints; only the composite method couples them, through M."""


def cheapest_method(model: Model, loops: str = "closed") -> Method:
    """Return the serial method with fewer operations, for single calls and batches: "articulated" or "composite".

    The operation counts are those of general mechanisms (`assembly/cost.py`). They select the same method as counts of
    traces for all but one of the robots of example-robot-data (where both differ by less than 1 %), and the same method
    as the measured times.
    """
    if model.sweeps_are_recorded or len(model.links) >= FEW:
        return "articulated"
    whole = profile_of_tree([link.parent for link in model.links], [joint.nv for joint in model.joints])
    composite, articulated = (block_cost(form, whole, 0) for form in ("composite", "articulated"))
    if model.loops and loops == "closed":
        rows = [len(group.rows) for group in loop_groups(model)]
        composite += APART * (sum(rows) ** 2 - sum(m * m for m in rows)) / 2
    return "composite" if composite <= articulated else "articulated"


def checked_options(
    method: str | None = None,
    schedule: Any = None,
    partition: Any = None,
    loops: str = "closed",
    blocks: Any = None,
    **_: Any,
) -> dict[str, Any]:
    """Check the options of :func:`forward_dynamics` together and return those that are given."""
    if method is not None and not is_choice(method, FORWARD_DYNAMICS_METHODS):
        raise InputError(f"method is {method!r}; it may be {', '.join(map(repr, FORWARD_DYNAMICS_METHODS))}")
    given = (("schedule", schedule), ("partition", partition), ("blocks", blocks))
    options = {name: x for name, x in given if x is not None}
    for name in options:
        if not is_choice(method, OPTIONS[name]):
            raise InputError(f"{name} is for method {' and '.join(map(repr, OPTIONS[name]))}; method is {method!r}")
    if not is_choice(loops, ("closed", "ignore")):
        raise InputError(f"loops is {loops!r}; it may be 'closed' or 'ignore'")
    if blocks is not None and not is_choice(blocks, get_args(Blocks)):
        raise InputError(f"blocks is {blocks!r}; it may be {' or '.join(map(repr, get_args(Blocks)))}")
    return options


def _composite(model: Model, q: Array, v: Array, tau: Array, wrenches: Wrenches | None) -> Array:
    bias = inverse_dynamics(model, q, v, np.zeros(model.nv), wrenches)
    return solve_symmetric(mass_matrix(model, q), tau - bias)


def _articulated(model: Model, q: Array, v: Array, tau: Array, wrenches: Wrenches | None) -> Array:
    """Articulated-body algorithm: Featherstone (2008), table 7.1."""

    def outward(link: Link, parent: Array, T: Array, S: Array, v: Array) -> Array:
        return motion_to_child(T, parent) + S @ v

    def inward(
        link: Link,
        received: tuple[Array, Array],
        T: Array,
        S: Array,
        q: Array,
        v: Array,
        tau: Array,
        V: Array,
        f: Array,
    ) -> tuple[tuple[Array, ...], tuple[Array, Array]]:
        c = link.velocity_product(q, v) + motion_cross(V) @ (S @ v)
        I = link.rigid_inertia.matrix() + received[0]
        p = force_cross(V) @ link.rigid_inertia.times(V) - f + received[1]
        U = I @ S
        D = S.T @ U + np.diag(link.armature)
        u = tau - S.T @ p
        K = solve_symmetric(D, U.T)  # D⁻¹ Uᵀ
        I_a = I - U @ K
        p_a = p + I_a @ c + K.T @ u
        return (c, D, u, K), (congruence(I_a, T), force_to_parent(T, p_a))

    def outward_again(
        link: Link, parent: tuple[Array, Array], T: Array, S: Array, kept: tuple[Array, ...]
    ) -> tuple[Array, Array]:
        c, D, u, K = kept
        a = motion_to_child(T, parent[0]) + c
        a_joint = solve_symmetric(D, u) - K @ a
        return a + S @ a_joint, a_joint

    x, rates = model.coordinates(q), model.rates(v)
    T, S = model.each(transform, x), model.each(motion_subspace, x)
    V = model.outward(outward, np.zeros(6), T, S, rates)
    external = external_forces(model, q, wrenches)
    start = (np.zeros((6, 6)), np.zeros(6))
    kept, _ = model.inward(inward, start, T, S, x, rates, model.rates(tau), V, external)
    ground = np.concatenate([-model.gravity, np.zeros(3)])
    states = model.outward(outward_again, (ground, np.zeros(0)), T, S, kept)
    return model.assemble(model.each(lambda link, state: state[1], states))


def _closed_assembly(
    model: Model, q: Array, v: Array, tau: Array, wrenches: Wrenches | None, gains: Gains | None, schedule: Any = None
) -> Array:
    return by_assembly(model, q, v, tau, wrenches, schedule, Closing(gains))


def _closed_blocks(
    model: Model,
    q: Array,
    v: Array,
    tau: Array,
    wrenches: Wrenches | None,
    gains: Gains | None,
    schedule: Any = None,
    partition: Any = None,
    blocks: str = "recursive",
) -> Array:
    return by_blocks(model, q, v, tau, wrenches, schedule, partition, blocks, Closing(gains))


FORWARD_DYNAMICS_METHODS: dict[str, Callable[..., Array]] = {
    "articulated": _articulated,
    "composite": _composite,
    "assembly": by_assembly,
    "hybrid": by_blocks,
}

CONSTRAINED_METHODS: dict[str, Callable[..., Array]] = {
    "articulated": constrained.articulated,
    "composite": constrained.composite,
    "assembly": _closed_assembly,
    "hybrid": _closed_blocks,
}
"""Methods of mechanisms with closed loops."""

OPTIONS = {"schedule": ("assembly", "hybrid"), "partition": ("hybrid",), "blocks": ("hybrid",)}
"""Methods that accept each option."""
