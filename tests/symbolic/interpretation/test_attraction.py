"""Regions of attraction and phase portraits: what the grid tells is what finer simulations do."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import ArgumentError, InputError, ModelError, UnknownNameError

UPRIGHT = np.array([np.pi])
LIMIT = 4.0


def upright():
    return partial(lw.control.pd, target=UPRIGHT, stiffness=20.0, damping=3.0)


def sines(model, t, q, v, goal, k, kd):
    return k * np.sin(goal - q) - kd * v + lw.gravity_forces(model, q)


@pytest.fixture(scope="module")
def weak():
    """A pendulum that its motor is too weak to lift: 21 by 17 states."""
    return lw.region_of_attraction(
        lw.load("pendulum"), upright(), samples=(21, 17), actuation=lw.Actuation(effort_limits=LIMIT)
    )


def test_a_saturated_pendulum_is_attracted_where_a_finer_simulation_arrives(weak):
    model, law = lw.load("pendulum"), upright()
    assert 0.2 < weak.share < 0.95
    wrong, near_edge = 0, 0
    x, y = (z[..., None] for z in np.meshgrid(weak.x[::2], weak.y[::2]))
    motion = lw.simulate(
        model, x, y, weak.duration, 2e-4, controller=law, every=100_000, actuation=lw.Actuation(effort_limits=LIMIT)
    )
    there = ((np.abs(motion.q[-1] - np.pi) < 0.02) & (np.abs(motion.v[-1]) < 0.02))[..., 0]
    for i, row in enumerate(there):
        for j, arrived in enumerate(row):
            around = weak.attracted[max(0, 2 * i - 1) : 2 * i + 2, max(0, 2 * j - 1) : 2 * j + 2]
            differs = arrived != weak.attracted[2 * i, 2 * j]
            wrong += differs and np.ptp(around) == 0
            near_edge += differs
    assert wrong == 0
    assert near_edge <= 2


def test_all_states_below_the_level_are_attracted_and_v_falls(weak):
    """V of the cut force is no less a Lyapunov function: it falls along every motion."""
    model, law, controlled = lw.load("pendulum"), upright(), weak.plane.controlled
    V = controlled.function(weak.target)
    # the saddle, where gravity is as strong as the motor, is where the level runs over
    saddle = [one.q for one in controlled.rest.found if one.kind == "unstable"]
    height = min(float(V(q, np.zeros(1))) for q in saddle)
    assert 0.95 * height <= weak.level <= 1.2 * height
    rng = np.random.default_rng(0)
    q, v = UPRIGHT + rng.uniform(-0.9, 0.9, (400, 1)), rng.uniform(-2.0, 2.0, (400, 1))
    inside = V(q, v) < 0.99 * height
    assert inside.sum() > 50
    motion = lw.simulate(
        model, q[inside], v[inside], 20.0, 1e-3, controller=law, every=50, actuation=lw.Actuation(effort_limits=LIMIT)
    )
    assert np.abs(motion.q[-1] - np.pi).max() < 0.02
    values = np.array([V(a, b) for a, b in zip(motion.q[:40], motion.v[:40], strict=True)])
    assert (np.diff(values, axis=0) < 1e-3).all()  # held over steps


def test_separatrices_divide_what_is_attracted():
    model = lw.load("pendulum")
    result = lw.phase_portrait(
        model, upright(), actuation=lw.Actuation(effort_limits=LIMIT), samples=11, motions=4, duration=0.5
    )
    assert len(result.separatrices) >= 2
    # where the cut effort balances the weight it is constant and damps nothing: a minimum of the energy, "stable"
    assert {one.kind for one in result.equilibria} == {"asymptotically stable", "unstable", "stable"}
    rate = result.plane.controlled.acceleration
    for line in result.separatrices:  # they are motions: v dv = a dq
        z = line[5:-1:50]
        step = np.diff(line[5:], axis=0)[::50][: len(z)]
        slope = rate(z[:, :1], z[:, 1:])[:, 0]
        assert np.abs(step[:, 1] * z[:, 1] - slope * step[:, 0]).max() < 1e-3  # of the first order in their steps


def test_the_pendulum_without_a_law_has_its_energy_at_the_saddle_as_separatrix(tmp_path):
    model = lw.load("pendulum")
    result = lw.phase_portrait(model, spans=((-4, 4), (-9, 9)), motions=4, duration=0.5)
    assert result.region is None
    top = lw.potential_energy(model, UPRIGHT)
    for line in result.separatrices:
        energy = lw.kinetic_energy(model, line[:, :1], line[:, 1:]) + lw.potential_energy(model, line[:, :1])
        assert np.abs(energy - top).max() < 1e-5
    result.plot(tmp_path / "free.png")
    assert (tmp_path / "free.png").stat().st_size > 20_000


def test_a_slice_of_two_joints(tmp_path):
    model, goal = lw.load("two_link"), np.array([0.3, 0.4])
    law = partial(sines, goal=goal, k=30.0, kd=3.0)
    result = lw.phase_portrait(model, law, samples=9, motions=9, duration=1.0)
    assert result.axes == ("theta1", "theta2")
    assert np.allclose(result.region.target, goal, atol=1e-6)
    assert result.region.share > 0.5
    # k (1 − cos e₁) + k (1 − cos e₂) at rest
    x, y = np.meshgrid(result.region.x, result.region.y)
    expected = 30.0 * (2.0 - np.cos(x - goal[0]) - np.cos(y - goal[1]))
    assert np.allclose(result.region.lyapunov, expected, rtol=1e-6, atol=1e-6)
    assert result.region.level == pytest.approx(60.0, rel=0.05)
    result.plot(tmp_path / "slice.png")
    assert (tmp_path / "slice.png").stat().st_size > 20_000
    other = lw.region_of_attraction(
        model, law, target=goal, axes=("theta2", "theta2_dot"), spans=((-1, 1), (-2, 2)), samples=5
    )
    assert other.attracted.all()


def test_what_cannot_be_drawn_is_reported():
    model = lw.load("two_link")
    with pytest.raises(UnknownNameError, match="theta3"):
        lw.region_of_attraction(model, target=np.zeros(2), axes=("theta1", "theta3"))
    with pytest.raises(ArgumentError, match="axes"):
        lw.phase_portrait(model, target=np.zeros(2), axes=("theta1",))
    with pytest.raises(InputError, match="spans"):
        lw.phase_portrait(model, target=np.zeros(2), spans=((1, 0), (0, 1)))
    with pytest.raises(InputError, match="samples"):
        lw.region_of_attraction(model, target=np.zeros(2), spans=((0, 1), (0, 1)), samples=1)
    with pytest.raises(ModelError, match="loops"):
        lw.phase_portrait(lw.load("four_bar"))
    with pytest.raises(ArgumentError, match="effort_limits"):
        lw.phase_portrait(lw.load("pendulum"), actuation=lw.Actuation(effort_limits=3.0))


def pd(target, stiffness, damping):
    return partial(lw.control.pd, target=np.array(target), stiffness=stiffness, damping=damping)


@pytest.mark.parametrize(
    ("target", "stiffness", "damping"), [(0.0, 1e6, 1e4), (0.0, 100.0, 700.0), (np.pi, 20.0, 0.01)]
)
def test_steps_that_are_too_long_for_the_law_are_refused_and_shorter_ones_named(target, stiffness, damping):
    """In the simulation disturbances grew, and the region was said to be the target alone."""
    model, law = lw.load("pendulum"), pd([target], stiffness, damping)
    with pytest.raises(InputError, match="too long") as caught:
        lw.region_of_attraction(model, law, samples=5)
    step = float(str(caught.value).rpartition("step=")[2])
    assert step < 1e-3
    if damping > 1.0:
        assert lw.region_of_attraction(model, law, samples=5, step=step / 2).share == 1.0


def test_slow_motions_are_followed_until_they_are_there():
    model, law = lw.load("pendulum"), pd([np.pi], 20.0, 500.0)
    result = lw.region_of_attraction(model, law, samples=7)
    assert result.share == 1.0
    short = lw.region_of_attraction(model, law, samples=7, duration=5.0)
    assert short.share < 0.5
    assert (short.attracted | short.undecided).all()  # it is proved that none is lost
    assert "undecided" in repr(short)


def test_motions_that_pass_by_a_saddle_are_not_called_lost():
    law, spans = upright(), ((0.0, 2.0 * np.pi), (-8.0, 8.0))
    found, longer = (
        lw.region_of_attraction(
            lw.load("pendulum"),
            law,
            actuation=lw.Actuation(effort_limits=LIMIT),
            samples=21,
            spans=spans,
            duration=time,
        )
        for time in (None, 200.0)
    )
    assert (found.attracted | found.undecided)[longer.attracted].all()


@pytest.mark.parametrize("law", [pd([np.pi], 20.0, 0.0), None, lambda model, t, q, v: 5.0 * v])
def test_what_attracts_nothing_has_no_level(law):
    result = lw.region_of_attraction(lw.load("pendulum"), law, target=UPRIGHT if law else np.zeros(1), samples=5)
    assert result.level is None


def test_a_target_that_the_motors_cannot_hold_is_reported():
    model = lw.load("two_link")
    law = pd([0.3, 0.4], 100.0, 20.0)
    with pytest.raises(InputError, match="is no equilibrium"):
        lw.region_of_attraction(model, law, actuation=lw.Actuation(effort_limits=[5.0, 3.0]), samples=5)
    assert np.allclose(lw.region_of_attraction(model, law, samples=5).target, [0.3, 0.4])


def test_laws_with_a_state_have_regions():
    model, goal = lw.load("two_link"), np.array([0.3, 0.4])
    law = partial(lw.control.pid, target=goal, stiffness=60.0, damping=20.0, integral=60.0, step=1e-3)
    result = lw.region_of_attraction(model, law, target=goal, spans=((0.2, 0.4), (0.3, 0.5)), samples=3)
    assert result.attracted.all()
    with pytest.raises(ArgumentError, match="has a state"):
        _ = lw.equations(model).explanation(controller=law).equilibria.found


@pytest.mark.parametrize("samples", [2.5, (3, 4, 5), "many", (3, 2.5)])
def test_samples_are_whole_numbers(samples):
    with pytest.raises(InputError, match="samples"):
        lw.region_of_attraction(lw.load("pendulum"), samples=samples)
