"""The benchmark measures what it says, and compares results before it times them."""

from __future__ import annotations

import json

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import InputError
from linkwright.model.joints.joint import Free, Helical, Planar, Prismatic, Revolute, Spherical
from linkwright_gallery.benchmark import FUNCTIONS, bench
from linkwright_gallery.benchmark import run as bench_run
from linkwright_gallery.benchmark.clock import Timing, interleaved
from linkwright_gallery.benchmark.peers import PEERS, Pinocchio
from linkwright_gallery.benchmark.run import OURS
from mechanisms import random_tree


def test_bench_and_its_files(tmp_path):
    messages = []
    result = bench(lw.load("two_link"), rows=64, rounds=2, tell=messages.append)
    names = [row.function for row in result.table]
    assert messages == names
    assert set(names) <= set(FUNCTIONS)
    assert "inverse_dynamics" in names
    for row in result.table:
        for timing in (*row.batch.values(), *row.single.values()):
            assert 0.0 < timing.minimum <= timing.median
        assert all(gap < 1e-9 for gap in row.disagreement.values()), row
    assert len(result.peers) + len(result.left_out) == len(PEERS)
    saved = json.loads(result.save(tmp_path / "bench.json").read_text())
    assert saved["machine"]["processor"]
    assert [row["function"] for row in saved["table"]] == names
    assert result.plot(tmp_path / "bench.png").stat().st_size > 5000
    batches, singles = result.tables()
    assert batches.row_count == singles.row_count == len(names)


def test_peers_are_given_the_same_mechanism():
    pytest.importorskip("pinocchio", reason="Pinocchio is not installed")
    model = random_tree([Free, Revolute, Spherical, Planar, Prismatic], 5)
    result = bench(model, rows=16, rounds=1)
    assert any(peer.startswith("Pinocchio") for peer in result.peers)
    for row in result.table:
        for peer, gap in row.disagreement.items():
            assert gap < 1e-9, (row.function, peer)


def test_what_a_peer_cannot_take_is_said():
    pytest.importorskip("pinocchio", reason="Pinocchio is not installed")
    result = bench(random_tree([Helical], 1), functions=["mass_matrix"], rows=16, rounds=1)
    assert "helical" in result.left_out[Pinocchio.name]


def test_what_took_no_time_is_left_out_of_the_picture(tmp_path, monkeypatch):
    drawn = []
    monkeypatch.setattr(bench_run, "write_figure", lambda path, figure, **options: drawn.append(figure))
    rows = [
        bench_run.BenchmarkRow("a", 1, 0.1, {OURS: Timing(1.0, ours), "Peer": Timing(1.0, theirs)}, {}, 0.0, {})
        for ours, theirs in ((1.0, 4.0), (1.0, 0.0), (0.0, 4.0), (1.0, -2.0))
    ]
    bench_run.BenchmarkResult("robot", 1, 16, {"processor": "one"}, ["Peer"], {}, rows).plot(tmp_path / "bench.png")
    axes = drawn[0].axes[0]
    assert [bar.get_width() for bar in axes.patches] == [4.0]
    assert axes.get_xlim()[0] > 0.1


def test_timing_is_per_row():
    calls = []
    timings = interleaved({"a": (lambda: calls.append("a"), 1), "b": (lambda: calls.append("b"), 1000)}, 3, 1e-5)
    assert {"a", "b"} == set(calls)
    assert timings["b"].minimum < timings["a"].minimum
    assert np.isfinite(timings["a"].median)


def test_bad_requests():
    with pytest.raises(InputError, match="inverse_dynamics"):
        bench(lw.load("two_link"), functions=["nothing"])
    with pytest.raises(InputError, match="rows"):
        bench(lw.load("two_link"), rows=1)
