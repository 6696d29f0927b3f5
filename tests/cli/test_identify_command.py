"""``linkwright identify``, as a newcomer runs it."""

from __future__ import annotations

import numpy as np
import pytest

import linkwright as lw
from linkwright.cli import main


def run(*arguments, capsys):
    status = 0
    try:
        main([str(a) for a in arguments])
    except SystemExit as stop:
        status = int(stop.code or 0)
    captured = capsys.readouterr()
    return status, captured.out, captured.err


@pytest.fixture
def robot(tmp_path):
    """A file of an arm with two joints."""
    return lw.load("arm4").lock({"joint3": 0.3, "joint4": -0.2}).save(tmp_path / "arm.urdf")


@pytest.fixture
def data(tmp_path, robot, capsys):
    path = tmp_path / "data.csv"
    status, text, _ = run("identify", robot, "--excite", path, "--period", "5", "--friction", capsys=capsys)
    assert status == 0
    assert "condition number" in text
    return path


def test_data_are_made_and_identified(tmp_path, robot, data, capsys):
    rows = np.loadtxt(data, delimiter=",", skiprows=1)
    assert rows.shape == (501, 1 + 4 * 2)
    out, urdf = tmp_path / "report", tmp_path / "found.urdf"
    status, text, _ = run("identify", robot, data, "--friction", "--out", out, "--save", urdf, capsys=capsys)
    assert status == 0
    assert "base parameters seen" in text
    assert {path.name for path in out.iterdir()} == {"report.txt", "efforts.png", "parameters.png"}
    assert "link2.m" in (out / "report.txt").read_text(encoding="utf-8")
    arm, found = lw.load(robot), lw.load(urdf)
    q = arm.random(20, seed=0)
    assert np.abs(lw.mass_matrix(arm, q) - lw.mass_matrix(found, q)).max() < 0.1


def test_a_payload_and_a_prior_are_reported_by_files(tmp_path, robot, data, capsys):
    lw.load(robot).with_payload("tool", 0.5, inertia=0.01).save(tmp_path / "loaded.urdf")
    lw.load(robot).with_payload("tool", 0.7, inertia=0.01).save(tmp_path / "heavier.urdf")
    status, text, _ = run(
        *("identify", tmp_path / "loaded.urdf", data, "--only", "payload", "--prior", tmp_path / "heavier.urdf"),
        *("--robust", "--out", tmp_path / "out"),
        capsys=capsys,
    )
    assert status == 0
    assert "payload.m" in text
    assert "counted less" in text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("identify", "ROBOT"), "no measurements"),
        (("identify", "ROBOT", "none.csv"), "there is no file 'none.csv'"),
        (("identify", "ROBOT", "DATA", "--only", "hand"), "unknown link 'hand'"),
        (("identify", "arm7", "DATA"), "columns of 'arm7' missing"),
    ],
)
def test_mistakes_are_reported(tmp_path, robot, data, capsys, arguments, message):
    status, _, printed = run(
        *({"DATA": data, "ROBOT": robot}.get(x, x) for x in arguments), "--out", tmp_path / "out", capsys=capsys
    )
    assert status == 2
    assert message in printed


def test_a_file_that_cannot_be_written_is_reported_before_others_are(tmp_path, robot, data, capsys):
    out = tmp_path / "out"
    status, _, printed = run("identify", robot, data, "--out", out, "--save", tmp_path / "x.stl", capsys=capsys)
    assert status == 2
    assert "models are written as .urdf" in printed
    assert not out.exists()
