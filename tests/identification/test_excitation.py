"""Exciting motions: they start at rest, keep limits, and show what there is to be seen."""

from __future__ import annotations

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import InputError, ModelError
from linkwright.identification.excitation import _ExcitationSearch
from linkwright.identification.fitting.unknowns import Unknowns


@pytest.mark.parametrize("name", ["arm4", "arm7"])
def test_limits_are_kept_at_all_times(name):
    model = lw.load(name)
    for joint in model.joints:
        model = model.with_joint(joint.name, lower=-1.0, upper=2.0, velocity_limit=1.5)
    motion = lw.exciting_trajectory(model, steps=3)
    q, v, a = motion(np.linspace(0.0, motion.period, 100_001))
    assert (q >= model.lower).all()
    assert (q <= model.upper).all()
    assert np.abs(v).max() <= 1.5
    assert ((np.abs(v).max(axis=0) > 1.3) | (np.ptp(q, axis=0) > 2.7)).all()  # as large as they may be
    np.testing.assert_allclose(np.gradient(q, motion.period / 100_000, axis=0)[1:-1], v[1:-1], atol=1e-6)
    np.testing.assert_allclose(np.gradient(v, motion.period / 100_000, axis=0)[1:-1], a[1:-1], atol=1e-5)


def test_motions_are_periodic_and_begin_at_rest():
    motion = lw.exciting_trajectory(lw.load("arm4"), period=4.0, steps=0)
    q, v, a = motion(np.array([0.0, 4.0, 8.0]))
    np.testing.assert_allclose(v, 0.0, atol=1e-9)
    np.testing.assert_allclose(a, 0.0, atol=1e-9)
    np.testing.assert_allclose(q[1:], q[:2], atol=1e-9)
    assert motion(1.0)[0].shape == (4,)


def test_efforts_keep_their_limits():
    model = lw.load("arm4")
    strong = lw.exciting_trajectory(model, steps=0).sampled().tau
    limits = 0.6 * np.abs(strong).max(axis=0) + 5.0
    for joint, limit in zip(model.joints, limits, strict=True):
        model = model.with_joint(joint.name, effort_limit=limit)
    samples = lw.exciting_trajectory(model, period=8.0, steps=2).sampled(1000.0)
    assert (np.abs(samples.tau) <= limits).all()
    with pytest.raises(ModelError, match=r"joint 'joint2' of 'arm4' takes .* times its limit"):
        lw.exciting_trajectory(model.with_joint("joint2", effort_limit=0.01, lower=-0.1, upper=0.1))


def test_the_condition_number_is_made_small_and_true():
    model = lw.load("arm7")
    motion = lw.exciting_trajectory(model, steps=8)
    assert motion.condition < 0.8 * motion.first_condition
    samples = motion.sampled(100.0)
    found = lw.identify(model, *samples)
    assert len(found.base_parameters) == 43
    Y = found.base.plain.columns.dense(*samples[:3]).reshape(-1, 43)
    assert np.linalg.cond(Y / np.linalg.norm(Y, axis=0)) == pytest.approx(motion.condition, rel=0.05)


def test_slopes_are_those_of_the_condition_number():
    search = _ExcitationSearch(lw.load("two_link"), Unknowns.of(lw.load("two_link"), friction=True), 5.0, 4)
    x = np.random.default_rng(0).standard_normal(12)
    value, slope = search.slope(x)
    assert value == pytest.approx(search.costs(x[None])[0])
    for k in range(12):
        d = 1e-5 * np.eye(12)[k]
        ends = search.costs(np.stack([x - d, x + d]))
        assert slope[k] == pytest.approx((ends[1] - ends[0]) / 2e-5, abs=1e-4)


def test_motions_are_drawn_and_saved(tmp_path):
    model = lw.load("two_link")
    motion = lw.exciting_trajectory(model, steps=0)
    motion.plot(tmp_path / "motion.png")
    assert (tmp_path / "motion.png").stat().st_size > 10_000
    motion.save(tmp_path / "motion.csv", rate=20.0, periods=2)
    header, *rows = (tmp_path / "motion.csv").read_text().splitlines()
    assert header.startswith("t,q:joint1,q:joint2,v:joint1")
    assert len(rows) == 401
    with pytest.raises(InputError, match="rate"):
        motion.sampled(0.0)


def test_what_cannot_be_excited_is_reported():
    with pytest.raises(ModelError, match="plain coordinates"):
        lw.exciting_trajectory(lw.load("quadruped"))
    for wrong in ({"period": -1.0}, {"harmonics": 2}, {"steps": -1}):
        with pytest.raises(InputError, match=next(iter(wrong))):
            lw.exciting_trajectory(lw.load("two_link"), **wrong)
