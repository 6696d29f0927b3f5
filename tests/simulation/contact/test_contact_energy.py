"""Contact and energy: an impact at one configuration adds none, and a step adds energy of the order h² at most."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import linkwright as lw
from linkwright.dynamics import configuration
from linkwright.dynamics.impulses.constraints import dense_jacobian
from linkwright.simulation.integrators.constrained_step import (
    Constraints,
    _factorized,
    _groups,
    _step_impact,
    constrained_step,
)

COUNT = 300
"""Impacts of each kind of mechanism"""

EXACT = lw.Solver(iterations=2000, tolerance=1e-12)


def chain(restitution: float = 0.5, friction: float = 0.5, damping: float = 0.0) -> lw.Builder:
    """Three light links on a ball joint and a hinge with limits."""
    builder = lw.Builder("chain")
    for k in range(3):
        builder.body(f"b{k}", 1.0, (0, 0, 0.1), np.diag([0.004, 0.004, 0.001]))
        builder.shape(
            f"b{k}",
            "capsule",
            radius=0.03,
            length=0.2,
            xyz=(0, 0, 0.1),
            contact=lw.ContactProperties(friction=friction, restitution=restitution),
        )
    builder.joint("f", "free", "world", "b0").joint("j1", "spherical", "b0", "b1", xyz=(0, 0, 0.25), damping=damping)
    at: dict[str, Any] = dict(xyz=(0, 0, 0.25), axis=(1, 0, 0), limits=(-0.8, 0.8), damping=damping)
    return builder.joint("j2", "revolute", "b1", "b2", **at)


def tree() -> lw.Builder:
    """A trunk on three legs of two links, with limits and balls for feet."""
    builder = lw.Builder("tree").body("trunk", 3.0, inertia=(0.02, 0.02, 0.03)).joint("root", "free", "world", "trunk")
    builder.shape("trunk", "box", size=(0.3, 0.3, 0.1))
    for k in range(3):
        x, y = 0.15 * np.cos(2.1 * k), 0.15 * np.sin(2.1 * k)
        for name, parent, xyz in ((f"thigh{k}", "trunk", (x, y, -0.05)), (f"shank{k}", f"thigh{k}", (0, 0, -0.2))):
            builder.body(name, 0.3, (0, 0, -0.1), 0.001)
            builder.joint(name, "revolute", parent, name, xyz=xyz, axis=(0, 1, 0), limits=(-0.6, 0.6))
        builder.shape(f"shank{k}", "sphere", radius=0.03, xyz=(0, 0, -0.2))
    return builder


def loop() -> lw.Builder:
    """A free frame of four hinges: a closed loop, with balls at its links."""
    builder = lw.Builder("loop").body("base", 1.0, inertia=0.01).joint("root", "free", "world", "base")
    for name, parent, xyz in (
        ("left", "base", (0, 0, 0)),
        ("right", "base", (0.3, 0, 0)),
        ("bar", "left", (0, 0, 0.2)),
    ):
        builder.body(name, 0.3, (0.1 if name == "bar" else 0.0, 0, 0.0 if name == "bar" else 0.1), 0.002)
        builder.joint(name, "revolute", parent, name, xyz=xyz, axis=(0, 1, 0), limits=(-0.7, 0.7))
        builder.shape(name, "sphere", radius=0.04, xyz=(0.05, 0, 0.05))
    builder.shape("base", "sphere", radius=0.05)
    return builder.frame("end", "bar", xyz=(0.3, 0, 0)).loop(
        "closed", "revolute", "end", "right", xyz=(0, 0, 0.2), axis=(0, 1, 0)
    )


def pile(*kinds: tuple[str, dict[str, Any]]) -> lw.Builder:
    """Free bodies of some shapes."""
    builder = lw.Builder("pile")
    for k, (kind, shape) in enumerate(kinds):
        builder.body(f"b{k}", 0.3 + k, inertia=np.array([0.004, 0.006, 0.008]) * (0.3 + k))
        builder.joint(f"f{k}", "free", "world", f"b{k}").shape(f"b{k}", kind, **shape)
    return builder


BOX, BALL = ("box", {"size": (0.2, 0.3, 0.1)}), ("sphere", {"radius": 0.12})
ROD = ("capsule", {"radius": 0.08, "length": 0.2})
CASES = {
    "chain": (chain().build().with_ground(), {}),
    "chain with limits": (chain().build().with_ground(), {"limits": True}),
    "chain with dampers": (chain(damping=2.0).build().with_ground(), {"limits": True}),
    "chain with a servo": (chain().build().with_ground(), {"limits": True, "servos": ("j2",)}),
    "tree": (tree().build().with_ground(), {"limits": True}),
    "closed loop": (loop().build().with_ground(), {"limits": True}),
    "box": (pile(BOX).build().with_ground(), {}),
    "capsule and ball": (pile(ROD, BALL).build().with_ground().with_contact(), {}),
    "box and ball": (pile(BOX, BALL).build().with_contact(), {}),
    "two boxes": (pile(BOX, BOX).build().with_contact(), {}),
}


def states(model: lw.Model, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Configurations in which something touches or overlaps, and velocities."""
    rng, q = np.random.default_rng(5), model.random(count, 3)
    v = 3.0 * rng.normal(size=(count, model.nv)) * 10.0 ** rng.uniform(-1, 1, (count, 1))
    frees = [model.slice(joint.name) for joint in model.joints if joint.name.startswith("f") and joint.motion.nv == 6]
    for at in frees[1:]:
        q[:, at.q.start : at.q.start + 3] = q[:, frees[0].q.start : frees[0].q.start + 3]
        q[:, at.q.start : at.q.start + 3] += 0.15 * rng.normal(size=(count, 3))
    if model.loops:
        q = lw.close_loops(model, q)
        v = lw.project(model, q, v)[1]
    if any(model.shapes[pair.second].kind == "plane" for pair in model.pairs):
        q = lw.standing_configuration(model, q)
    return q, v


@pytest.mark.variants("impacts")
@pytest.mark.parametrize("impacts", ["simultaneous", "sequential"])
@pytest.mark.parametrize("case", CASES)
def test_an_impact_at_one_configuration_adds_no_kinetic_energy(case: str, impacts: Any) -> None:
    """With friction from 0 to 2 and restitution from 0 to 1, and by solvers that end early, too."""
    model, acting = CASES[case]
    gains, struck = [], []
    q, v = states(model, COUNT)
    rng = np.random.default_rng(1)
    e, mu = np.minimum(rng.uniform(0.0, 1.2, COUNT), 1.0), 2.0 * np.maximum(rng.uniform(-0.2, 1.0, COUNT), 0.0)
    for solver in (
        lw.Solver(iterations=200, tolerance=1e-10, impacts=impacts),
        lw.Solver(iterations=2, tolerance=None, impacts=impacts),
    ):
        constraints = Constraints(solver=solver, **acting)

        def impact(model: lw.Model, q: Any, v: Any, e: Any, mu: Any, constraints: Constraints = constraints) -> Any:
            pairs = tuple(replace(pair, restitution=e, friction=mu) for pair in model.pairs)
            return _step_impact(replace(model, pairs=pairs), q, v, 1e-3, constraints).v

        after = lw.compile(impact, model, e=(), mu=())(q, v, e, mu)
        energy = lw.kinetic_energy(model, q, v)
        gains.append((lw.kinetic_energy(model, q, after) / energy - 1.0).max())
        struck.append((np.abs(after - v).max(axis=-1) > 1e-9).mean())
    assert max(gains) <= 1e-9
    assert min(struck) > 0.25


def drops(count: int, model: lw.Model) -> tuple[np.ndarray, np.ndarray]:
    """Starts 0.7 m above the ground."""
    q = [np.r_[0.0, 0.0, 0.7, model.random(seed=seed)[3:]] for seed in range(count)]
    v = [2.0 * np.random.default_rng(seed).normal(size=model.nv) for seed in range(count)]
    return np.array(q), np.array(v)


@pytest.mark.parametrize(("restitution", "friction", "duration"), [(0.8, 0.5, 1.2), (0.9, 1.0, 0.8), (1.0, 0.0, 0.8)])
def test_the_work_of_contacts_over_a_step_is_bounded(restitution: float, friction: float, duration: float) -> None:
    """W ≤ ⅛ Δvᵀ M̂ Δv, Δv being the change of the velocity by forces alone in the step: of order h²."""
    model, h = chain(restitution, friction).build().with_ground(), 1e-3
    q, v = drops(12, model)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of energy, where a step is long for how fast links turn
        motion = lw.simulate(model, q, v, duration, h, method=lw.Integrator(solver=EXACT))
    work, constraints = motion.contacts.work, motion.constraints
    assert constraints is not None
    assert motion.impulses is not None
    assert work.min() < -1.0
    assert work.max() < 1e-3
    added = np.argwhere(work > 1e-9)
    for k, row in added[np.argsort(-work[tuple(added.T)])][:20]:  # by the reference implementation, which is slow
        q0, v0, q1, v1 = motion.q[k - 1, row], motion.v[k - 1, row], motion.q[k, row], motion.v[k, row]
        impact = _step_impact(model, q0, v0, h, constraints)
        J = dense_jacobian(_groups(model, q0, impact.v, h, constraints), model.nv)
        factors = _factorized(model, q0, impact.v, h, constraints)[2]
        v1 = configuration.velocity_before(model, configuration.difference(model, q0, q1), v1)
        forced = v1 - factors.velocity(J.T @ (motion.impulses[k, row] - impact.p)) - impact.v
        assert work[k, row] <= 0.25 * factors.energy(forced)
    found = lw.rollout(model, q, v, round(duration / h), h, method=lw.Integrator(solver=EXACT))
    assert np.array_equal(found.q[-1], motion.q[-1])


def test_a_bounce_that_is_mixed_leaves_no_residual() -> None:
    """Of plastic impulses and those with restitution each fulfills its own law."""
    model = chain(0.8, 0.5).build().with_ground()
    motion = lw.simulate(model, *drops(30, model), 0.8, method=lw.Integrator(solver=EXACT))
    assert (motion.contacts.work < -0.1).sum() > 30
    assert motion.contacts.residual.max() < 1e-6
    assert (
        lw.simulate(
            model, *drops(30, model), 0.8, method=lw.Integrator(solver=lw.Solver(iterations=1))
        ).contacts.residual.max()
        > 1e-3
    )


def test_the_energy_that_a_step_with_an_impact_adds_is_of_the_second_order() -> None:
    """Elastic impacts without friction on light links, which turn by up to 0.3 rad in a step of 0.5 ms after them."""
    model, count = chain(1.0, 0.0).build().with_ground(), 500
    constraints = Constraints(solver=lw.Solver(iterations=500, tolerance=1e-11))
    q, v = (
        lw.standing_configuration(model, model.random(count, 1)),
        4.0 * np.random.default_rng(0).normal(size=(count, model.nv)),
    )

    def step(model: lw.Model, q: Any, v: Any, h: Any) -> Any:
        return constrained_step(model, q, v, np.zeros(model.nv), h, np.zeros(constraints.size(model)), constraints)

    def energy(q: Any, v: Any) -> Any:
        return lw.kinetic_energy(model, q, v) + lw.potential_energy(model, q)

    kernel, gains, steps = lw.compile(step, model, h=()), [], np.array([5e-4, 2.5e-4, 1.25e-4, 6.25e-5])
    for h in steps:
        q1, v1, p = kernel(q, v, h)
        struck = np.abs(p).max(axis=-1) > 1e-6
        assert struck.mean() > 0.4
        gains.append((energy(q1, v1) - energy(q, v))[struck].max())
    order = np.polyfit(np.log(steps), np.log(gains), 1)[0]
    assert 1.9 < order < 2.1
    assert gains[0] < 0.01 * energy(q, v).max()


def test_steps_with_impacts_that_add_much_energy_are_warned_of() -> None:
    model = chain(1.0, 0.0).build().with_ground()
    q, v = drops(30, model)
    with pytest.warns(
        lw.errors.LinkwrightWarning, match=r"in motion \[26\] .* shapes collide, adds .* take about"
    ) as found:
        lw.simulate(model, q[:27], v[:27], 0.13)
    assert len(found) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        lw.simulate(model, q[:27], v[:27], 0.13, 2.5e-4)
