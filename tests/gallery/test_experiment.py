"""The published experiments run, their methods agree, and their numbers are reported."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import numpy as np
import pytest

import linkwright as lw
from linkwright import cli, dynamics
from linkwright.errors import InputError, TooLargeError
from linkwright.model.library.built_in import built_in
from linkwright_gallery.benchmark.clock import Timing
from linkwright_gallery.experiments import (
    EXPERIMENTS,
    ExperimentResult,
    ExperimentRow,
    contenders,
    experiment,
    pictures,
    run,
)
from linkwright_gallery.experiments.motion import Runner


@pytest.mark.parametrize(("name", "links"), [("planar", (1, 3)), ("floating", (1, 2))])
def test_all_methods_agree_along_the_motion(name, links, tmp_path):
    result = experiment(name, links, duration=0.2, rows=16, rounds=1)
    assert [row.links for row in result.table] == list(links)
    for row in result.table:
        assert set(row.operations) == set(row.single) == set(row.batch) == set(row.motion_gap) == set(row.total)
        assert len(row.operations) == 9
        assert max(row.acceleration_gap.values()) < 1e-10
        assert max(row.motion_gap.values()) < 1e-10
    last = result.table[-1].operations
    assert last["ADA folded"] < last["ADA"]
    kept = json.loads(result.save(tmp_path / "result.json").read_text())
    assert kept["table"][1]["links"] == links[1]
    assert result.plot(tmp_path / "figure.png").stat().st_size > 10_000
    assert "hybrid faster than Lagrange — single: " in result.crossings()
    assert {table.row_count for table in result.tables()} == {2}


def agrees(kernel, model, seed=3):
    rng = np.random.default_rng(seed)
    q = model.random(6, seed=rng)
    v, tau = rng.normal(size=(2, 6, model.nv))
    found = kernel(q, v, tau)
    expected = np.array([dynamics.forward_dynamics(model, *row) for row in zip(q, v, tau, strict=True)])
    return np.abs(found - expected).max() / (1.0 + np.abs(expected).max())


@pytest.mark.parametrize(("mechanism", "block"), [("planar:7", 4), ("planar:5", 2), ("chain3d:5", 3)])
def test_blocks_written_out_and_joined_by_numeric_assembly(mechanism, block):
    # the paper's own contender: 4 + 3 links, and where single links are left over
    model = built_in(mechanism)
    assert agrees(contenders.written_blocks(model, block), model) < 1e-12


def test_written_blocks_of_a_branching_mechanism():
    # handles at a base that several joints sit on, general placements, rotors
    builder = lw.Builder("tree")
    for name, parent, axis in (
        ("trunk", "world", (0, 1, 0)),
        ("left", "trunk", (1, 0, 0)),
        ("right 1", "trunk", (0, 0, 1)),
        ("right 2", "right 1", (0, 0, 1)),
    ):
        builder.body(name, 1.5, (0.1, 0.02, 0.2), (0.02, 0.03, 0.01))
        builder.joint(name, "revolute", parent, name, axis=axis, xyz=(0.1, 0.2, 0.3), armature=0.05)
    model = builder.build()
    for block in (1, 2, 4):
        assert agrees(contenders.written_blocks(model, block), model) < 1e-12


def test_written_blocks_hold_no_numbers_of_the_mechanism():
    model = built_in("planar:6")
    made = contenders.written_blocks(model, 3).kernel.program
    other = contenders.written_blocks(model.with_payload("link4", 2.0), 3).kernel.program
    assert (made.instructions, made.results) == (other.instructions, other.results)
    folded = contenders.method(model, "hybrid", partition=3).kernel.operations.total
    assert folded < made.operations.total < contenders.general_assembly(model).kernel.operations.total


def test_initial_states_are_those_published():
    planar, floating = EXPERIMENTS["planar"], EXPERIMENTS["floating"]
    arm, chain = planar.model(7), floating.model(12)
    assert not planar.start(arm)[0].any()
    assert not planar.start(arm)[1].any()
    v = floating.start(chain)[1]
    assert np.array_equal(v[:6], [0, 0, 0, 1, 1, 1])
    assert not v[6:].any()


def test_it_runs_past_the_published_number_of_links():
    planar = EXPERIMENTS["planar"]
    assert (planar.published_links, EXPERIMENTS["floating"].published_links) == (7, 12)
    assert max(planar.links) > 10
    assert (planar.published["hybrid", "Lagrange"], planar.published["hybrid", "ADA"]) == (0.50, 0.60)
    assert EXPERIMENTS["floating"].published == {("hybrid", "ADA"): 0.66}


def test_written_out_equations_give_the_accelerations():
    for name in ("planar:4", "chain3d:3"):
        model = built_in(name)
        assert agrees(contenders.lagrange(model), model) < 1e-12
    with pytest.raises(TooLargeError):
        contenders.lagrange(built_in("chain3d:9"))


def test_terms_of_a_plane_chain_grow_like_a_power():
    # along parallel axes angles are summed before anything is multiplied: n^4, not 2^n
    counts = [contenders.lagrange(built_in(f"planar:{n}")).kernel.operations.total for n in (4, 8)]
    assert counts[1] < 16 * counts[0]


def test_the_motion_is_that_of_simulate():
    model = built_in("chain3d:2")
    q, v = EXPERIMENTS["floating"].start(model)
    v[6:] = 0.7
    found = Runner(model, 1e-3).run(contenders.method(model, "articulated"), q, v, 0.05)
    expected = lw.simulate(model, q, v, 0.05, 1e-3)
    assert np.abs(found.q - expected.q).max() < 1e-13
    assert np.abs(found.v - expected.v).max() < 1e-13
    assert found.seconds.shape == (1,)
    assert found.seconds[0] > 0.0


def made_up(costs):
    """A result with single times of "Lagrange" and "ADA" by number of links."""
    ones = {"Lagrange": 1.0, "ADA": 1.0}
    table = [
        ExperimentRow(
            n,
            {"Lagrange": 10, "ADA": 10},
            {"Lagrange": Timing(a, a), "ADA": Timing(b, b)},
            {},
            ones,
            1.0,
            ones,
            ones,
            {},
        )
        for n, (a, b) in costs.items()
    ]
    return ExperimentResult("A", 1.0, 1e-3, 1, {"processor": "none"}, table, 7, [("Lagrange", "ADA", 1.2)])


def test_crossings():
    result = made_up({1: (1.0, 9.0), 2: (8.0, 5.0), 4: (3.0, 5.0), 8: (7.0, 5.0), 9: (9.0, 5.0)})
    assert result.crossing("Lagrange", "ADA", "single") == (4, 8)
    assert "ADA faster than Lagrange — single: from 8 links on (at 4 not); batch: not measured" in result.crossings()
    assert made_up({1: (2.0, 1.0), 2: (3.0, 1.0)}).crossing("Lagrange", "ADA", "single") == (None, 1)
    assert made_up({1: (2.0, 1.0), 2: (3.0, 4.0)}).crossing("Lagrange", "ADA", "single") is None


def test_times_of_nothing_are_no_points_of_a_logarithmic_axis(tmp_path, monkeypatch):
    from matplotlib.figure import Figure

    drawn = []
    monkeypatch.setattr(Figure, "savefig", lambda figure, path, **options: drawn.append(figure))
    result = made_up({1: (-3.0, 2.0), 2: (0.0, 2.0), 3: (4.0, 2.0)})
    result.plot(tmp_path / "times.png")
    lines = {line.get_label(): line.get_xydata().tolist() for line in drawn[0].axes[0].lines}
    assert lines == {"Lagrange": [[3.0, 4.0]], "ADA": [[1.0, 2.0], [2.0, 2.0], [3.0, 2.0]]}
    assert result.tables()[0].columns[1]._cells == ["–", "–", "4"]


def test_trees_and_models_are_drawn(tmp_path):
    trees = pictures.published_trees()
    single, blocks = trees.values()
    by_level = {}
    for number, join in enumerate(single.joins, 8):
        by_level.setdefault(single.level_of[number], []).append(join.joint)
    assert by_level == {1: [1, 3, 5, 7], 2: [2, 6], 3: [4]}
    assert (blocks.blocks, blocks.order) == (((0, 1, 2, 3), (4, 5, 6, 7)), (4,))
    assert pictures.draw_trees(trees, tmp_path / "trees.png").stat().st_size > 20_000
    for name, chosen in EXPERIMENTS.items():
        assert pictures.draw_models(chosen, tmp_path / f"{name}.png").stat().st_size > 5_000
    short = replace(EXPERIMENTS["planar"], published_links=2)
    assert pictures.draw_motion(short, tmp_path / "motion.gif", 0.1).read_bytes().startswith(b"GIF89a")


def test_mistakes_are_reported():
    with pytest.raises(InputError, match="'planar', 'floating'"):
        experiment("spatial")
    with pytest.raises(InputError, match="some time"):
        experiment("planar", duration=0.0)
    with pytest.raises(InputError, match="some time"):
        experiment("planar", duration=float("nan"))
    with pytest.raises(InputError, match="links"):
        experiment("planar", links=())
    with pytest.raises(InputError, match="links"):
        experiment("planar", links=(0, 2))


def test_command_line(tmp_path, monkeypatch, capsys):
    short = replace(EXPERIMENTS["planar"], links=(1, 2), published_links=2)
    monkeypatch.setitem(run.EXPERIMENTS, "planar", short)
    with pytest.raises(SystemExit) as end:
        cli.main(["experiment", "planar", "--time", "0.05", "--rows", "16", "--rounds", "1", "--out", str(tmp_path)])
    assert not end.value.code
    result = capsys.readouterr().out
    assert "hybrid to Lagrange" in result
    assert "ADA faster than Lagrange" in result
    tables = (tmp_path / "planar.md").read_text(encoding="utf-8")
    assert re.search(r"\| hybrid to ADA \| 0\.60 \| .* \| \d\.\d\d \|", tables)
    assert "without the integrator" in tables
    for name in ("planar.png", "planar.json", "planar.gif", "planar_trees.png", "planar_models.png", "trees.png"):
        assert (tmp_path / name).stat().st_size > 1_000


def test_its_authors_are_named_rightly():
    assert "Jun Takahashi" in (run.__doc__ or "")
