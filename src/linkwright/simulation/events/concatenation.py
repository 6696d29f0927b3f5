"""Concatenation of the parts of a motion between events."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

import numpy as np

from linkwright.errors import ModelError
from linkwright.model.tree import Model
from linkwright.simulation.events.event import Occurrence
from linkwright.simulation.recording.motion import Motion
from linkwright.spatial.arrays import Array


def concatenated_motion(pieces: Sequence[Motion], events: Sequence[Occurrence], step: float, every: int = 1) -> Motion:
    """Concatenate the parts of a motion with steps of ``step`` seconds, some of which events made shorter.

    Samples before and after an event have the same time. Coordinates are those of the mechanism with most of them;
    locked coordinates keep their values.
    """
    parts = [
        _concatenated([*some], step, every, events) for _, some in groupby(pieces, key=lambda piece: id(piece.model))
    ]
    if len(parts) == 1:
        return replace(parts[0], events=tuple(events), parts=())
    whole = max((part.model for part in parts), key=lambda model: model.nq)
    q, v, tau = (np.concatenate(rows) for rows in zip(*_in_coordinates_of(whole, parts), strict=True))
    t = np.concatenate([part.t for part in parts])
    frames = [*dict.fromkeys(frame for part in parts for frame in part.wrenches)]
    wrenches = {
        frame: np.concatenate([part.wrenches.get(frame, np.zeros((len(part.t), 6))) for part in parts])
        for frame in frames
    }
    lengths = [part.lengths for part in parts if part.lengths is not None]
    return Motion(
        model=whole,
        t=t,
        q=q,
        v=v,
        tau=tau,
        step=step,
        compile_time=sum(part.compile_time for part in parts),
        run_time=sum(part.run_time for part in parts),
        states=_states(parts),
        shapes=parts[0].shapes,
        cut=parts[0].cut,
        wrenches=wrenches,
        lengths=np.sum(lengths, axis=0) if lengths else None,
        parts=tuple(parts),
        events=tuple(events),
    )


def _states(parts: Sequence[Motion]) -> Array | None:
    if any(part.states is None for part in parts):
        return None
    return np.concatenate([part.states for part in parts if part.states is not None])


def _concatenated(pieces: list[Motion], step: float, every: int, events: Sequence[Occurrence]) -> Motion:
    """Concatenate parts of one mechanism; a first sample that repeats the last one of the previous part is dropped."""
    times = {event.t for event in events}
    keep: list[Array] = []
    kept_at = 0  # steps since the last sample kept
    for n, piece in enumerate(pieces):
        count = len(piece.t)
        again = n > 0 and piece.t[0] not in times
        mask = np.zeros(count, dtype=bool)
        for k in range(1 if again else 0, count):
            ends = (n == 0 and k == 0) or piece.t[k] in times or (n == len(pieces) - 1 and k == count - 1)
            mask[k] = ends or kept_at % every == 0
            kept_at = 1 if mask[k] else kept_at + 1
        keep.append(mask)
    if n == 0 and every == 1:
        return replace(pieces[0], step=step, durations=np.full(len(pieces[0].t), pieces[0].step))

    def together(of: Any) -> Array:
        return np.concatenate([of(piece)[mask] for piece, mask in zip(pieces, keep, strict=True)])

    first = pieces[0]
    lengths = [piece.lengths for piece in pieces if piece.lengths is not None]
    return replace(
        first,
        t=together(lambda piece: piece.t),
        q=together(lambda piece: piece.q),
        v=together(lambda piece: piece.v),
        tau=together(lambda piece: piece.tau),
        step=step,
        compile_time=sum(piece.compile_time for piece in pieces),
        run_time=sum(piece.run_time for piece in pieces),
        states=None if first.states is None else together(lambda piece: piece.states),
        wrenches={frame: together(lambda piece, frame=frame: piece.wrenches[frame]) for frame in first.wrenches},
        lengths=np.sum(lengths, axis=0) if lengths else None,
        impulses=None if first.impulses is None else together(lambda piece: piece.impulses),
        durations=together(lambda piece: np.full(len(piece.t), piece.step)),
    )


def _in_coordinates_of(whole: Model, parts: Sequence[Motion]) -> list[tuple[Array, Array, Array]]:
    """Return q (n, nq), v and tau (n, nv) of each part in the coordinates of the whole mechanism."""
    found: list[tuple[Array, Array, Array]] = []
    last = whole.neutral()
    known = {name: None for name in whole.coordinate_names}
    for part in parts:
        if unknown := [name for name in part.model.coordinate_names if name not in known]:
            raise ModelError(f"{part.model.name!r} has a coordinate {unknown[0]!r} that the other mechanisms have not")
    missing: list[tuple[Array, list[int]]] = []
    for part in parts:
        n = len(part.t)
        q = np.repeat(last[None], n, axis=0)
        v, tau = np.zeros((n, whole.nv)), np.zeros((n, whole.nv))
        there = np.zeros(whole.nq, dtype=bool)
        for joint in part.model.joints:
            if not joint.nq:
                continue
            own, at = part.model.slice(joint.name), whole.slice(joint.name)
            q[:, at.q], v[:, at.v], tau[:, at.v] = part.q[:, own.q], part.v[:, own.v], part.tau[:, own.v]
            there[at.q] = True
            for rows, columns in missing:
                fresh = [k for k in columns if k in range(whole.nq)[at.q]]
                rows[:, fresh] = part.q[0, [range(part.model.nq)[own.q][k - at.q.start] for k in fresh]]
                columns[:] = [k for k in columns if k not in fresh]
        if not found:
            missing.append((q, [k for k in range(whole.nq) if not there[k]]))
        found.append((q, v, tau))
        last = q[-1]
    return found
