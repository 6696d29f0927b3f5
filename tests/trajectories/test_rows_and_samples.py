"""Batches without rows, and samples that are too many."""

import numpy as np
import pytest

import linkwright as lw

plans = lw.trajectories
ARM = lw.load("two_link")
NONE = np.zeros((0, 2))
LIMITS = {"velocity": 1.0, "acceleration": 2.0}


@pytest.mark.variants("batch")
@pytest.mark.parametrize("batch", [(0,), (3, 0), (0, 2)])
@pytest.mark.parametrize(
    "plan",
    [
        lambda none: plans.s_curve(ARM, none, none, jerk=10.0, **LIMITS),
        lambda none: plans.s_curve(ARM, none, none, jerk=10.0, duration=3.0, **LIMITS),
        lambda none: plans.trapezoid(ARM, none, none, **LIMITS),
        lambda none: plans.polynomial(ARM, none, none, 1.0),
        lambda none: plans.spline(ARM, np.stack([none, none, none], axis=-2), 1.0),
        lambda none: plans.time_optimal(ARM, np.stack([none, none, none], axis=-2), effort=10.0, velocity=1.0),
    ],
)
def test_a_batch_without_rows_is_planned_as_any_other(batch, plan, tmp_path):
    found = plan(np.zeros((*batch, 2)))
    assert found.batch == batch
    assert found.duration.shape == batch
    assert found.start.shape == found.end.shape == (*batch, 2)
    assert [x.shape for x in found(0.3)] == [(*batch, 2)] * 3
    assert [x.shape for x in found.sample(0.1)] == [(0,), *[(0, *batch, 2)] * 3]
    both = found.then(found.reversed())
    assert both.batch == batch
    assert both.retimed(2.0).batch == batch
    assert lw.Trajectory.load(both.save(tmp_path / "none.npz"), ARM).batch == batch
    if isinstance(found, plans.TimeOptimal):
        assert found.speed_limits().shape == (*batch, found.s.shape[-1] - 1)
        assert found.efforts(0.1).shape == (*batch, 2)


def test_a_step_that_makes_too_many_samples_is_reported_with_their_number():
    plan = plans.polynomial(ARM, [0.0, 0.0], [1.0, 0.5], 2.0)
    path = plans.straight(np.eye(4), [0.1, 0.0, 0.0], 2.0)
    for one in (plan, path):
        with pytest.raises(lw.errors.InputError, match=r"2e\+12 samples of 2 s"):
            one.sample(1e-12)
        t = one.sample(0.3)[0]
        assert t[0] == 0.0
        assert t[-1] == 2.0
        assert len(t) == 8


def test_one_piece_is_not_one_pieces():
    path = plans.straight(np.eye(4), [0.1, 0.0, 0.0], 2.0)
    assert repr(path) == "<PoseTrajectory: 2 s, 1 piece>"
    assert repr(path.then(plans.straight(path.end, np.zeros(3), 2.0))) == "<PoseTrajectory: 4 s, 2 pieces>"
