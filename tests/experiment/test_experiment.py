"""The published experiments run, their methods agree, and their numbers are told."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from linkwright import cli, dynamics
from linkwright.errors import InputError, TooLargeError
from linkwright.experiment import EXPERIMENTS, contenders, experiment, run
from linkwright.model.library import built_in


@pytest.mark.parametrize(("name", "links"), [("planar", (1, 3)), ("floating", (1, 2))])
def test_all_methods_agree_along_the_motion(name, links, tmp_path):
    result = experiment(name, links, duration=0.2, rows=16, rounds=1)
    assert [row.links for row in result.table] == list(links)
    for row in result.table:
        assert set(row.operations) == set(row.single) == set(row.batch) == set(row.motion_gap)
        assert len(row.operations) == 8
        assert max(row.acceleration_gap.values()) < 1e-10
        assert max(row.motion_gap.values()) < 1e-10
    last = result.table[-1].operations
    assert last["ADA folded"] < last["ADA"]
    kept = json.loads(result.save(tmp_path / "result.json").read_text())
    assert kept["table"][1]["links"] == links[1]
    assert result.plot(tmp_path / "figure.png").stat().st_size > 10_000
    assert "hybrid faster than composite" in result.wins()


def test_initial_states_are_those_published():
    planar, floating = EXPERIMENTS["planar"], EXPERIMENTS["floating"]
    arm, chain = planar.model(7), floating.model(12)
    assert not planar.start(arm)[0].any()
    assert not planar.start(arm)[1].any()
    v = floating.start(chain)[1]
    assert np.array_equal(v[:6], [0, 0, 0, 1, 1, 1])
    assert not v[6:].any()


def test_written_out_equations_give_the_accelerations():
    model = built_in("planar:4")
    rng = np.random.default_rng(3)
    q, v, tau = rng.normal(size=(3, 6, 4))
    found = contenders.lagrange(model)(q, v, tau)
    expected = [dynamics.forward_dynamics(model, *row) for row in zip(q, v, tau, strict=True)]
    assert np.abs(found - expected).max() < 1e-10 * (1.0 + np.abs(expected).max())
    with pytest.raises(TooLargeError, match="terms"):
        contenders.lagrange(built_in("planar:8"))


def test_mistakes_are_told():
    with pytest.raises(InputError, match="'planar', 'floating'"):
        experiment("spatial")
    with pytest.raises(InputError, match="some time"):
        experiment("planar", duration=0.0)


def test_command_line(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(run.EXPERIMENTS, "planar", replace(EXPERIMENTS["planar"], links=(1, 2)))
    with pytest.raises(SystemExit) as end:
        cli.main(["experiment", "planar", "--time", "0.05", "--rows", "16", "--rounds", "1", "--out", str(tmp_path)])
    assert not end.value.code
    told = capsys.readouterr().out
    assert "hybrid / Lagrange" in told
    assert (tmp_path / "planar.png").exists()
    assert (tmp_path / "planar.json").exists()
