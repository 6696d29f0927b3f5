"""Kinematic calibration: the table that fits, what of it is seen, and how well."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import InputError, LinkwrightWarning, ModelError, ShapeError, UnknownNameError
from linkwright.spatial.transform import pose_exp


def arm_and_truth(convention: str = "modified", seed: int = 0):
    """A table, and an arm that was built a little otherwise."""
    rng = np.random.default_rng(seed)
    rows = [
        lw.DHRow(a=0.1 * k, alpha=(-1.0) ** k * np.pi / 2, d=0.2, theta=0.1, type="prismatic" if k == 2 else "revolute")
        for k in range(5)
    ]
    table = lw.to_dh(lw.from_dh("arm", rows, convention), "tool", convention)
    other = [
        replace(row, **{of: getattr(row, of) + 2e-3 * rng.standard_normal() for of in ("a", "alpha", "d", "theta")})
        for row in table.rows
    ]
    truth = lw.from_dh("truth", other, convention, base=table.base, tool=table.tool @ pose_exp(np.full(6, 1e-3)))
    return table, truth, rng


@pytest.mark.parametrize("convention", ["modified", "standard"])
def test_arms_are_where_they_were_measured(convention):
    table, truth, rng = arm_and_truth(convention)
    q = rng.uniform(-1.5, 1.5, (60, 5))
    found = lw.calibrate(table, q, lw.pose(truth, q, "tool"))
    other = rng.uniform(-1.5, 1.5, (40, 5))
    np.testing.assert_allclose(lw.pose(found.model(), other, "tool"), lw.pose(truth, other, "tool"), atol=1e-9)
    assert found.errors_before[:, 0].max() > 1e-3
    assert found.errors.max() < 1e-10
    # the base and the first row tell the same in part, so do the last row and the tool
    assert found.rank < len(found.names)
    assert {"with others", "alone"} <= set(found.seen)


def test_positions_alone_will_do():
    table, truth, rng = arm_and_truth()
    table = replace(table, tool=pose_exp(np.array([0.1, 0.05, 0.1, 0.0, 0.0, 0.0])))
    truth = lw.from_dh("truth", lw.to_dh(truth).rows, base=table.base, tool=table.tool)
    q = rng.uniform(-1.5, 1.5, (80, 5))
    found = lw.calibrate(table, q, lw.pose(truth, q, "tool")[:, :3, 3])
    other = rng.uniform(-1.5, 1.5, (40, 5))
    there, here = lw.pose(truth, other, "tool"), lw.pose(found.model(), other, "tool")
    np.testing.assert_allclose(here[:, :3, 3], there[:, :3, 3], atol=1e-8)
    assert np.isnan(found.errors[:, 1]).all()


def test_deviations_are_as_large_as_standard_errors_say():
    table, truth, rng = arm_and_truth()
    vary = ("joint2.theta", "joint4.theta", "joint4.alpha", "joint5.a", "base")
    truth = lw.from_dh("same", table.rows, base=table.base, tool=table.tool)
    q = rng.uniform(-1.5, 1.5, (50, 5))
    exact = lw.pose(truth, q, "tool")
    z = []
    for _ in range(40):
        measured = exact.copy()
        measured[:, :3, 3] += 1e-4 * rng.standard_normal((50, 3))
        found = lw.calibrate(table, q, measured[:, :3, 3], vary)
        z.append(found.changes / found.standard_errors)
        assert set(found.seen) <= {"alone", "with others"}
    assert abs(np.sqrt(np.mean(np.square(z))) - 1.0) < 0.15


def test_what_is_not_seen_does_not_change():
    puma = lw.load("puma560")
    rng = np.random.default_rng(0)
    q = rng.uniform(-1.0, 1.0, (30, 6))
    wrist = lw.calibrate(puma, q, lw.pose(puma, q, "tool")[:, :3, 3], "theta")
    assert wrist.seen[-1] == "no"
    assert wrist.changes[-1] == 0.0
    assert wrist.report().splitlines()[-1].endswith("no")


def test_a_slide_is_calibrated_as_a_row_says():
    table, truth, rng = arm_and_truth()
    assert table.rows[2].type == "prismatic"
    q = rng.uniform(-1.0, 1.0, (60, 5))
    found = lw.calibrate(table, q, lw.pose(truth, q, "tool"))
    assert [row.type for row in found.table.rows] == [row.type for row in table.rows]
    assert "joint3.d" in found.names


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        (lambda q, T: (q[:, :4], T), ShapeError, r"expected \(poses, 5\)"),
        (lambda q, T: (q, T[:-1]), ShapeError, r"expected positions \(30, 3\) or poses \(30, 4, 4\)"),
        (lambda q, T: (q * np.nan, T), InputError, r"q\[0, 0\] is not"),
        (lambda q, T: (q, 2.0 * T), InputError, r"measured\[\d+\] is not a pose"),
        (lambda q, T: (q[:0], T[:0]), InputError, "there are no poses"),
        (lambda q, T: (q[:3], T[:3]), InputError, "18 measured numbers for 32 unknown ones"),
        (lambda q, T: (q, T, ("beta",)), UnknownNameError, "unknown entry of a DH table 'beta'"),
        (lambda q, T: (q, T, ("beta",)), UnknownNameError, r"\(of 38 entries of a DH table\)"),
        (lambda q, T: (q, T, ()), InputError, "vary names what may change"),
    ],
)
def test_wrong_input_is_reported(change, error, message):
    table, truth, rng = arm_and_truth()
    q = rng.uniform(-1.0, 1.0, (30, 5))
    with pytest.raises(error, match=message):
        lw.calibrate(table, *change(q, lw.pose(truth, q, "tool")))


def test_arms_without_tables_are_reported():
    model = lw.load("quadruped")
    with pytest.raises(ModelError):
        lw.calibrate(model, np.zeros((5, model.nq)), np.zeros((5, 3)))


def test_what_does_not_fit_is_reported():
    table, truth, rng = arm_and_truth()
    q = rng.uniform(-1.5, 1.5, (60, 5))
    T = lw.pose(truth, q, "tool")
    far = T.copy()
    far[:, :3, 3] *= 1e3
    for poses, joints in ((far, q), (T, np.degrees(q)), (far[:, :3, 3], q)):
        with pytest.warns(LinkwrightWarning, match=r"calibration .*leaves .* Are positions in m, joints in rad"):
            lw.calibrate(table, joints, poses)
    good = lw.calibrate(table, q, T)
    assert good.converged
    assert "not converged" not in good.report()
    assert "not converged in 7 steps" in replace(good, converged=False, steps=7).report()


def test_steps_that_do_not_come_to_an_end_are_reported(monkeypatch):
    monkeypatch.setattr("linkwright.identification.calibration.STEPS", 1)
    table, truth, rng = arm_and_truth()
    q = rng.uniform(-1.5, 1.5, (60, 5))
    with pytest.warns(LinkwrightWarning, match="did not converge in 1 steps, and leaves"):
        found = lw.calibrate(table, q, lw.pose(truth, q, "tool"))
    assert not found.converged


def test_one_pose_again_and_again_is_reported():
    puma = lw.load("puma560")
    q = np.tile(np.random.default_rng(0).uniform(-1.0, 1.0, (1, 6)), (60, 1))
    with pytest.warns(LinkwrightWarning, match="these poses show 6 numbers of 29 that others would show"):
        found = lw.calibrate(puma, q, lw.pose(puma, q, "tool"))
    assert (found.rank, found.structural) == (6, 29)
