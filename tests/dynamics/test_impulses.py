"""Impulses of one step: each keeps its law, none brings energy, and loops stay closed."""

from __future__ import annotations

import numpy as np
import pytest

import linkwright as lw
from linkwright import dynamics
from linkwright.dynamics.impulses.rows import Brake, Stop, Touch, brakes, stops, touches
from linkwright.dynamics.impulses.solving import Impulses, Solver
from linkwright.dynamics.impulses.system import Inertia, inertia

H = 1e-3


def standing(name: str, **surface: float) -> lw.Model:
    """The model with a ground 2 cm above its lowest shape in the neutral posture."""
    model = lw.load(name).with_ground(**surface)
    lowest = min(touch.gap for touch in touches(model, model.neutral()))
    ground = model.shapes[model.pairs[0].second]
    return lw.load(name).with_ground(height=float(ground.placement[2, 3] + lowest) + 0.02, **surface)


def near_ground(model: lw.Model, generator: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """A state at which some points overlap the ground and others are above it, moving down."""
    q = dynamics.integrate(model, model.neutral(), 0.02 * generator.normal(size=model.nv))
    return q, generator.normal(size=model.nv) - np.eye(model.nv)[2] * 2.0


def impulses_at(
    model: lw.Model, q: np.ndarray, v: np.ndarray, limits: bool, solver: Solver
) -> tuple[Impulses, list, Inertia]:
    blocks = [*brakes(model), *(stops(model, q) if limits else []), *touches(model, q)]
    factors = inertia(model, q, dynamics.mass_matrix(model, q))
    return Impulses(factors, blocks, v, v, H, solver), blocks, factors


@pytest.mark.parametrize("name", ["quadruped", "humanoid"])
@pytest.mark.parametrize(
    "surface",
    [{"friction": 0.2}, {"friction": 0.2, "torsional_friction": 0.02, "rolling_friction": 0.01}],
    ids=["slides", "rolls"],
)
def test_converged_impulses_keep_the_laws(name: str, surface: dict[str, float]) -> None:
    model, generator = standing(name, **surface), np.random.default_rng(3)
    slides = 0
    for _ in range(3):
        q, v = near_ground(model, generator)
        found, blocks, _ = impulses_at(model, q, v, True, Solver(sweeps=20_000, tolerance=1e-13))
        p = found.found(np.zeros(found.size))
        after, at = v + found.velocity(p), 0
        for block in blocks:
            own, u = p[at : at + len(block.J)], block.J @ after
            at += len(block.J)
            if isinstance(block, Stop):
                low, high = min(block.below / H, 0.0), max(block.above / H, 0.0)
                assert low - 1e-9 <= u[0] <= high + 1e-9
                assert own[0] <= 1e-12 or abs(u[0] - low) < 1e-9
                assert own[0] >= -1e-12 or abs(u[0] - high) < 1e-9
            if isinstance(block, Touch):
                room = u[0] + max(block.gap, 0.0) / H
                assert own[0] >= 0.0
                assert room > -1e-9
                assert own[0] * room < 1e-9
                for friction in block.frictions:
                    rows = list(friction.rows)
                    size, speed = np.linalg.norm(own[rows]), np.linalg.norm(u[rows])
                    assert size <= friction.reach * own[0] + 1e-12
                    if speed > 1e-7 and own[0] > 1e-9:  # the most dissipation
                        slides += 1
                        assert own[rows] @ u[rows] == pytest.approx(-friction.reach * own[0] * speed, rel=1e-6)
    assert slides


def test_impulses_bring_no_energy_from_any_start() -> None:
    generator = np.random.default_rng(5)
    for e in (0.0, 0.9):
        model = standing("humanoid", restitution=e)
        for _ in range(10):
            q, v = near_ground(model, generator)
            found, _, _ = impulses_at(model, q, v, True, Solver(sweeps=60))
            after = v + found.velocity(found.found(np.zeros(found.size)))
            M = dynamics.mass_matrix(model, q)
            assert after @ M @ after <= v @ M @ v + 1e-9


def test_many_rows_are_solved_by_factors_as_few_are_by_their_matrix(monkeypatch: pytest.MonkeyPatch) -> None:
    model, generator = standing("humanoid", restitution=0.5), np.random.default_rng(7)
    q, v = near_ground(model, generator)
    found, _, _ = impulses_at(model, q, v, True, Solver(sweeps=6))
    assert found.system.A is None
    p = found.found(np.zeros(found.size))
    shift = found.shift(p)
    full, _, _ = impulses_at(model, q, v, True, Solver(sweeps=6))
    full.system = full.system._replace(A=full.system.Y.T @ full.system.scaled)
    again = full.found(np.zeros(full.size))
    assert np.allclose(p, again, atol=1e-9)
    assert np.allclose(shift, full.shift(again), atol=1e-12)


def test_loops_stay_closed_under_impulses() -> None:
    model, generator = lw.load("four_bar"), np.random.default_rng(1)
    q = lw.close(model, model.neutral())
    v = lw.impulse(model, q, generator.normal(size=model.nv))[0]
    factors = inertia(model, q, dynamics.mass_matrix(model, q))
    K = dynamics.constraint_jacobian(model, q)
    blocks = [Brake(np.eye(model.nv)[:1], 50.0), Stop(np.eye(model.nv)[1:2], -1e-5, 1e-5)]
    found = Impulses(factors, blocks, v, v, H, Solver(sweeps=200))
    after = v + found.velocity(found.found(np.zeros(2)))
    assert np.abs(K @ after).max() < 1e-9
    assert abs(after[1]) <= 1e-5 / H + 1e-9
