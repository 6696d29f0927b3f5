"""By how much loops of large mechanisms are open: loops alike compiled once, all of them at once."""

from __future__ import annotations

import numpy as np
import pytest

import linkwright as lw
from linkwright.compiler import public
from linkwright.compiler.schedules import selection
from linkwright.compiler.schedules.composed import loops as openings
from linkwright.dynamics.closed_loops import rows as constraint
from linkwright.simulation.preparation import require_closed

LOOPS = (
    ("weld", None, {}),
    ("ball", None, {}),
    ("revolute", None, {"axis": [0, 0.6, 0.8]}),
    ("universal", None, {"axis": [[1, 0, 0], [0, 1, 0]]}),
    ("helical", 0.2, {"axis": [0, 0, 1]}),
    ("distance", 0.7, {}),
    ("mask", "x rz", {}),
)


def crowd():
    """Pairs of arms that hang on each other by loops of many kinds; those alike differ in all their numbers."""
    builder, rng = lw.Builder("crowd"), np.random.default_rng(0)
    kinds = ("revolute", "prismatic", "spherical", "universal", "cylindrical", "revolute")
    for n, (loop, parameter, options) in enumerate(LOOPS * 2):
        bodies = [f"{n} {k}" for k in range(len(kinds))]
        for k, (body, kind) in enumerate(zip(bodies, kinds, strict=True)):
            parent = bodies[k - 2] if k > 1 else "world"
            builder.body(body, rng.uniform(1, 2), rng.normal(size=3), 0.3)
            axis = {} if kind == "spherical" else {"axis": rng.normal(size=3)}
            if kind == "universal":
                axis = {"axis": [[1, 0, 0], [0, 0, 1]]}
            builder.joint(f"to {body}", kind, parent, body, xyz=rng.normal(size=3), rpy=rng.normal(size=3), **axis)
        if isinstance(parameter, float):
            parameter *= rng.uniform(1, 2)
        kind = loop if parameter is None else (loop, parameter)
        place = {} if loop == "distance" else {"xyz": rng.normal(size=3)}
        builder.loop(f"loop {n}", kind, bodies[-2], bodies[-1], **place, **options)
        names = [f"to {bodies[k]}" for k in (0, 5)]
        builder.loop(f"tie {n}", ("joint", [0.1, *rng.normal(size=2)]), *names)
    builder.loop("stop", ("joint", [0.3]), "to 0 0", "")
    return builder.build()


@pytest.mark.parametrize("name", ["crowd", "four_bars:3", "delta", "stewart", "bricard"])
def test_loops_alike_open_as_the_book_says(name, monkeypatch):
    model = crowd() if name == "crowd" else lw.load(name)
    monkeypatch.setattr(selection, "BODIES_IN_LOOPS", 1)
    alike = openings.loop_batches(model)
    assert len(alike) < len(model.loops) or name in ("bricard", "delta")
    rng = np.random.default_rng(1)
    q, v = model.random((3), seed=1), rng.normal(size=(2, 1, model.nv))
    for book, arrays in ((constraint.constraint_residual, (q,)), (constraint.constraint_rate, (q, v))):
        kernel = public.compile_or_not(book, model)
        assert type(kernel) is public.AllRows
        found = kernel(*arrays)
        rows = np.broadcast_shapes(*(x.shape[:-1] for x in arrays))
        each = [np.broadcast_to(x, (*rows, x.shape[-1])) for x in arrays]
        expected = np.array([book(model, *(x[i] for x in each)) for i in np.ndindex(*rows)])
        np.testing.assert_allclose(found, expected.reshape(found.shape), rtol=1e-12, atol=1e-12)


def test_a_start_of_a_large_mechanism_is_not_checked_body_by_body(monkeypatch):
    model = lw.load("four_bars:34")
    q, v = model.neutral(), np.zeros(model.nv)
    require_closed(model, q, v)
    monkeypatch.setattr(constraint, "walk_along", None)  # what Python goes along loops with
    require_closed(model, q, v)
    with pytest.raises(lw.errors.InputError, match="the loops of 'four_bars:34' are open at q0"):
        require_closed(model, q + 0.1 * np.arange(model.nq), v)
