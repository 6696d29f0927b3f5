"""Rollouts of many motions, sorted by their active contacts: every motion has the bits that it has alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.dynamics.contact.test_looped_gauss_seidel import crawling, states

import linkwright as lw
from linkwright.simulation.rollouts import regrouping

H, STEPS = 2e-3, 25


@pytest.mark.parametrize("threads", [1, 2])
def test_sorted_motions_have_the_bits_that_they_have_alone(threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    model, rows = crawling(), 70
    q, v = states(model, rows)
    friction = np.random.default_rng(1).uniform(0.2, 1.0, rows)
    sizes: list[int] = []

    def counted(*arguments: object) -> None:
        sizes.append(len(arguments[2][0]))  # type: ignore[index]
        take(*arguments)  # type: ignore[arg-type]

    take = regrouping.take_sorted_steps
    monkeypatch.setattr("linkwright.simulation.rollouts.rollout_loop.take_sorted_steps", counted)
    monkeypatch.setattr(regrouping, "PIECE", 40)  # in two pieces

    def moved(rows: slice, steps: int = STEPS) -> lw.Rollout:
        return lw.rollout(
            model,
            q[rows],
            v[rows],
            steps,
            H,
            method=lw.Integrator(threads=threads),
            parameters={"pairs.friction": friction[rows]},
        )

    whole = moved(slice(None))
    assert sizes == [rows]
    assert np.isfinite(whole.q).all()
    active = np.any(whole.end[2], axis=0)
    assert active.sum() > 10
    iterations = whole.end[2][:, whole.layout.places["iterations"].start]
    assert not iterations[::5].any()  # far above the ground
    assert np.all(np.delete(iterations, np.s_[::5]) > 0.0)
    for part in (slice(0, 9), slice(33, 34), slice(50, 60)):
        few = moved(part)
        for x, y in zip(whole.end, few.end, strict=True):
            assert np.array_equal(x[part], y)
    again = lw.rollout(
        model,
        moved(slice(None), 5),
        None,
        STEPS - 5,
        H,
        method=lw.Integrator(threads=threads),
        parameters={"pairs.friction": friction},
    )
    assert sizes == [rows] * 2  # five steps are not sorted
    for x, y in zip(whole.end, again.end, strict=True):
        assert np.array_equal(x, y)


@pytest.mark.parametrize(("every", "steps"), [(1, 24), (4, 24), (12, 36)])
def test_recorded_motions_are_sorted_and_have_the_bits_that_they_have_alone(
    every: int, steps: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, rows = crawling(), 66
    q, v = states(model, rows)
    take, taken = regrouping.take_sorted_steps, []

    def counted(*arguments: Any) -> None:
        taken.append(arguments[3:5])
        take(*arguments)

    monkeypatch.setattr("linkwright.simulation.rollouts.rollout_loop.take_sorted_steps", counted)

    def moved(rows: slice) -> lw.Rollout:
        return lw.rollout(model, q[rows], v[rows], steps, H, every=every, method=lw.Integrator(threads=1))

    whole, few = moved(slice(None)), moved(slice(20, 31))
    assert taken == [(steps // every, every)]
    assert np.isfinite(whole.q).all()
    assert whole.q.shape[0] == steps // every
    for x, y in ((whole.q, few.q), (whole.v, few.v)):
        assert np.array_equal(x[:, 20:31], y)
    for x, y in zip(whole.end, few.end, strict=True):
        assert np.array_equal(x[20:31], y)


def test_sorted_batches_have_the_bits_of_rollouts() -> None:
    model, rows = crawling(), 66
    q, v = states(model, rows)
    batch = lw.Batch(model, rows, q, v, H, method=lw.Integrator(threads=1))
    for k in (4, 1, 7, 3, 10):
        batch.step(k)
    assert batch._order is not None
    assert not np.array_equal(batch._order.indices, np.arange(rows))
    few = lw.rollout(model, q[20:31], v[20:31], 25, H, method=lw.Integrator(threads=1))
    assert np.array_equal(batch.q[20:31], few.q[-1])
    assert np.array_equal(batch.v[20:31], few.v[-1])
    batch.reset([21])
    assert np.array_equal(batch.q[21], q[21])
    batch.step(2)
    alone = lw.rollout(model, q[21], v[21], 2, H)
    assert np.array_equal(batch.q[21], alone.q[-1])


def test_motions_of_one_block_need_as_many_iterations_over_the_same_contacts() -> None:
    rng, places = np.random.default_rng(0), {"memory": slice(0, 9), "iterations": slice(9, 10)}
    rest = np.concatenate([rng.integers(0, 2, (40, 9)), rng.choice([1.0, 2.0, 20.0], (40, 1))], axis=1)
    ordered = rest[regrouping._order(rest, places, np.zeros(40))]
    assert np.all(np.diff(ordered[:, 9]) >= 0.0)
    for number in (1.0, 2.0, 20.0):
        own = [tuple(row) for row in ordered[ordered[:, 9] == number, :9]]
        assert own == sorted(own)
