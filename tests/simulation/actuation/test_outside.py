"""External wrenches over time in a simulation, and force sensors."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from tests.setups import grouped

import linkwright as lw

arm = lw.load("arm7")
START = np.array([0.3, 0.6, -0.2, 1.2, 0.4, 0.8, 0.1])
STILL = np.zeros(7)
DAMPING = np.array([20, 20, 10, 10, 1, 1, 0.1])
PUSH = np.array([3.0, -2.0, 5.0, 0.2, 0.1, -0.3])


def ball(height=0.3, mass=2.0):
    """A body that slides along z, x and y, and does not turn."""
    builder = lw.Builder("ball").body("a").body("b").body("ball", mass=mass, inertia=np.eye(3) * 1e-3)
    for parent, child, axis in (("world", "a", (1, 0, 0)), ("a", "b", (0, 1, 0)), ("b", "ball", (0, 0, 1))):
        builder = builder.joint(child + "_slide", "prismatic", parent, child, axis=axis)
    return builder.build()


FREE = ball()


def moving_push(t, size):
    return {"tool": np.stack([size * np.sin(3.0 * t), 0.0 * t, size + t, 0.0 * t, 0.1 * size, 0.0 * t])}


def drag(model, t, q, v, c):
    return {"tool": -c * lw.velocity(model, q, v, "tool"), "link4": 0.1 * c * np.ones(6)}


def integrated(model, q, v, h, steps, wrenches, tau):
    """rk4 in plain coordinates, by forward dynamics' own wrenches."""

    def a(t, q, v):
        return lw.forward_dynamics(model, q, v, tau + lw.passive_forces(model, q, v), wrenches(t, q, v))

    for k in range(steps):
        t = k * h
        k1 = v, a(t, q, v)
        k2 = v + h / 2 * k1[1], a(t + h / 2, q + h / 2 * k1[0], v + h / 2 * k1[1])
        k3 = v + h / 2 * k2[1], a(t + h / 2, q + h / 2 * k2[0], v + h / 2 * k2[1])
        k4 = v + h * k3[1], a(t + h, q + h * k3[0], v + h * k3[1])
        q, v = (x + h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]) for i, x in enumerate((q, v)))
    return q, v


@pytest.mark.parametrize("which", ["held", "of time", "of the state"])
def test_wrenches_are_those_of_forward_dynamics(which):
    messages, same = {
        "held": ({"tool": PUSH}, lambda t, q, v: {"tool": PUSH}),
        "of time": (partial(moving_push, size=4.0), lambda t, q, v: moving_push(t, 4.0)),
        "of the state": (partial(drag, c=2.0), lambda t, q, v: drag(arm, t, q, v, 2.0)),
    }[which]
    motion = lw.simulate(arm, START, STILL, 0.05, 1e-3, "rk4", surroundings=lw.Surroundings(wrenches=messages))
    q, v = integrated(arm, START, STILL, 1e-3, 50, same, np.zeros(7))
    assert np.abs(motion.q[-1] - q).max() < 1e-10
    assert np.abs(motion.v[-1] - v).max() < 1e-9
    for k in (0, 20, 50):
        for frame, wrench in same(motion.t[k], motion.q[k], motion.v[k]).items():
            assert np.allclose(motion.wrenches[frame][k], wrench, atol=1e-12)


def push_back(model, t, q, v, wrench, hold):
    return (
        lw.gravity_forces(model, q)
        + hold * lw.difference(model, q, START)
        - DAMPING * v
        - lw.joint_forces(model, q, "tool", wrench)
    )


def test_a_law_and_a_python_controller_are_pushed_alike():
    def law(model, t, q, v):
        return 20.0 * lw.difference(model, q, START) - DAMPING * v

    def controller(t, q, v):
        return 20.0 * (START - q) - DAMPING * v

    for method in ("rk4", "semi_implicit"):
        options = dict(method=method, wrenches=partial(moving_push, size=4.0))
        one = lw.simulate(arm, START, STILL, 0.2, **grouped(**options, controller=law))
        other = lw.simulate(arm, START, STILL, 0.2, **grouped(**options, callback=controller))
        assert np.abs(one.q - other.q).max() < 1e-9
        assert one.wrenches["tool"].shape == (201, 6)
        assert np.allclose(one.wrenches["tool"], other.wrenches["tool"], atol=1e-5)
    staged = dict(method="rk4", wrenches=partial(moving_push, size=4.0), evaluated_at="stages")
    one = lw.simulate(arm, START, STILL, 0.2, **grouped(**staged, controller=law))
    other = lw.simulate(arm, START, STILL, 0.2, **grouped(**staged, callback=controller))
    assert np.abs(one.q - other.q).max() < 1e-9


def test_batches_are_single_motions():
    sizes, q0, law = np.array([1.0, 2.0, 5.0]), START + np.zeros((3, 7)), partial(push_back, hold=30.0)
    all_of_them = lw.simulate(
        arm,
        q0,
        0 * q0,
        0.1,
        controller=law,
        actuation=lw.Actuation(each=["size"]),
        surroundings=lw.Surroundings(wrenches=partial(moving_push, size=sizes), sensor="tool"),
    )
    for k, size in enumerate(sizes):
        alone = lw.simulate(
            arm,
            START,
            STILL,
            0.1,
            controller=law,
            surroundings=lw.Surroundings(wrenches=partial(moving_push, size=size), sensor="tool"),
        )
        assert np.abs(all_of_them.q[:, k] - alone.q).max() < 1e-10
        assert np.allclose(all_of_them[k].wrenches["tool"], alone.wrenches["tool"], atol=1e-6)
    held = lw.simulate(arm, q0, 0 * q0, 0.05, surroundings=lw.Surroundings(wrenches={"tool": sizes[:, None] * PUSH}))
    alone = lw.simulate(arm, START, STILL, 0.05, surroundings=lw.Surroundings(wrenches={"tool": sizes[2] * PUSH}))
    assert np.abs(held.q[:, 2] - alone.q).max() < 1e-10


def test_other_numbers_need_no_other_code():
    def pushed(x):
        return lw.simulate(FREE, np.zeros(3), np.zeros(3), 0.05, surroundings=lw.Surroundings(wrenches=x))

    pushed({"ball": np.ones(6)})
    assert pushed({"ball": np.arange(6.0)}).compile_time < 0.05


def test_a_sensor_measures_all_that_acts_on_its_body():
    def law(model, t, q, v, last, wrench):
        return lw.gravity_forces(model, q) - DAMPING * v, wrench

    body = "link7"
    motion = lw.simulate(
        arm,
        START,
        STILL,
        0.05,
        controller=law,
        actuation=lw.Actuation(initial_state=np.zeros(6)),
        surroundings=lw.Surroundings(sensor="tool", wrenches={"tool": PUSH, body: PUSH, "link2": PUSH}),
    )
    k = 30
    arm_of_body = lw.pose(arm, motion.q[k - 1], body)[:3, 3] - lw.pose(arm, motion.q[k - 1], "tool")[:3, 3]
    expected = 2 * PUSH + np.concatenate([np.zeros(3), np.cross(arm_of_body, PUSH[:3])])
    assert np.allclose(motion.state[k], expected, atol=1e-9)
    noisy = lw.simulate(
        arm,
        START,
        STILL,
        2.0,
        controller=law,
        actuation=lw.Actuation(initial_state=np.zeros(6), noise={"wrench": [1, 2, 3, 0.1, 0.2, 0]}),
        surroundings=lw.Surroundings(sensor="tool", wrenches={"tool": PUSH}),
    )
    off = noisy.state[1:] - PUSH
    assert np.allclose(off.std(axis=0), [1, 2, 3, 0.1, 0.2, 0], rtol=0.1)
    assert np.abs(off.mean(axis=0)).max() < 0.3


def test_a_gear_and_speeds():
    def law(model, t, q, v):
        return np.array([1.0, 0.0, 0.0])

    motion = lw.simulate(
        FREE.with_gravity((0, 0, 0)),
        np.zeros(3),
        np.zeros(3),
        0.1,
        controller=law,
        actuation=lw.Actuation(gear=[50.0, 1, 1]),
    )
    assert motion.tau[0, 0] == 50.0
    assert motion.v[-1, 0] == pytest.approx(50.0 / 2.0 * 0.1)
    cut = lw.simulate(
        FREE, np.zeros(3), np.zeros(3), 0.1, controller=law, actuation=lw.Actuation(gear=50.0, effort_limits=30.0)
    )
    assert cut.tau[0, 0] == 30.0
    assert cut.saturated[:-1, 0].all()
    limit = np.concatenate([joint.velocity_limit for joint in arm.joints])
    fast = lw.simulate(arm, START, 1.01 * limit, 0.01, surroundings=lw.Surroundings(wrenches={"tool": PUSH}))
    assert fast.overspeed[0].all()
    assert not lw.simulate(arm, START, 0.9 * limit, 0.002, 1e-3).overspeed[0].any()


def test_a_drive_turns_no_faster_than_its_limit():
    def law(model, t, q, v):
        return lw.where(t < 0.5, np.array([40.0, -40.0, 0.0]), np.array([-40.0, 40.0, 0.0]))

    weightless = FREE.with_gravity((0, 0, 0))
    motion = lw.simulate(
        weightless,
        np.zeros(3),
        np.zeros(3),
        0.6,
        controller=law,
        actuation=lw.Actuation(velocity_limits=[2.0, 3.0, 1.0]),
    )
    reached = motion.v[(motion.t > 0.3) & (motion.t < 0.5)]
    assert np.abs(reached[:, 0] - 2.0).max() < 0.01
    assert np.abs(reached[:, 1] + 3.0).max() < 0.01
    assert np.abs(motion.v).max() <= 3.0
    assert motion.saturated[300:499, :2].all()
    assert not motion.saturated[:50].any()
    braked = motion.t[:-1] > 0.5005
    assert (motion.tau[:-1][braked, 0] == -40.0).all()  # what slows down is whole
    falling = lw.simulate(
        FREE, np.zeros(3), np.zeros(3), 0.5, controller=law, actuation=lw.Actuation(velocity_limits=1.0)
    )
    assert falling.v[-1, 2] == pytest.approx(-9.81 * 0.5)  # nothing holds what falls
    both = lw.simulate(
        weightless,
        np.zeros(3),
        np.zeros(3),
        0.3,
        controller=law,
        actuation=lw.Actuation(velocity_limits=2.0, effort_limits=10.0),
    )
    assert both.tau[0, 0] == 10.0
    own = arm.random(seed=1) * 0.1
    assert np.isfinite(
        lw.simulate(arm, own, STILL, 0.02, controller=push_back_alone, actuation=lw.Actuation(velocity_limits=True)).q
    ).all()
    with pytest.raises(lw.errors.InputError, match="velocity_limits must not be negative"):
        lw.simulate(FREE, np.zeros(3), np.zeros(3), 0.1, controller=law, actuation=lw.Actuation(velocity_limits=-1.0))


def push_back_alone(model, t, q, v):
    return 30.0 * lw.difference(model, q, START) - DAMPING * v


def test_what_a_motion_keeps(tmp_path):
    motion = lw.simulate(arm, START, STILL, 0.01, surroundings=lw.Surroundings(wrenches={"tool": PUSH}))
    with np.load(motion.save(tmp_path / "a.npz")) as kept:
        assert np.array_equal(kept["wrench:tool"], np.tile(PUSH, (11, 1)))
    table = motion.save(tmp_path / "a.csv").read_text().splitlines()
    assert table[0].endswith("wrench:tool:nx,wrench:tool:ny,wrench:tool:nz")
    assert table[1].endswith("0.20000000000000001,0.10000000000000001,-0.29999999999999999")
    drawn = motion.plot(tmp_path / "a.png").axes
    assert [axes.get_ylabel() for axes in drawn[-2:]] == ["force (N)", "moment (N m)"]
    alone = lw.simulate(arm, START, STILL, 0.01)
    assert alone.wrenches == {}
    assert drawn[-3].get_ylabel() == alone.plot().axes[-1].get_ylabel()


PUSHED = {"tool": PUSH}


def no_sensor(model, t, q, v):
    return 0.0 * v


def with_sensor(model, t, q, v, *, wrench):
    return 0.0 * v + wrench[0]


@pytest.mark.parametrize(
    ("error", "message", "options"),
    [
        (lw.errors.UnknownNameError, "hnad", {"wrenches": {"hnad": PUSH}}),
        (lw.errors.UnknownNameError, "hnad", {"wrenches": lambda t: {"hnad": PUSH}}),
        (lw.errors.ShapeError, r"wrench at 'tool' has shape \(3,\)", {"wrenches": {"tool": PUSH[:3]}}),
        (lw.errors.ShapeError, r"shape \(2, 6\), and simulated are a single", {"wrenches": {"tool": [PUSH, PUSH]}}),
        (lw.errors.ShapeError, r"wrench of shape \(2,\) at 'tool'", {"wrenches": lambda t: {"tool": np.stack([t, t])}}),
        (lw.errors.InputError, "wrench at 'tool' is not finite", {"wrenches": {"tool": np.nan * PUSH}}),
        (lw.errors.InputError, "'size', which is bound", {"wrenches": partial(moving_push, size=np.nan)}),
        (lw.errors.ArgumentError, "wrenches are {frame", {"wrenches": PUSH}),
        (lw.errors.ArgumentError, "takes \\(t, size\\)", {"wrenches": moving_push}),
        (lw.errors.ArgumentError, "it returned array|it returned \\[", {"wrenches": lambda t: [t] * 6}),
        (lw.errors.ArgumentError, "no_sensor takes", {"controller": no_sensor, "sensor": "tool", "wrenches": PUSHED}),
        (lw.errors.ArgumentError, "sensor=frame", {"controller": with_sensor, "wrenches": PUSHED}),
        (lw.errors.ArgumentError, "remove one of both",
         {"controller": partial(with_sensor, wrench=PUSH), "sensor": "tool", "wrenches": PUSHED}),
        (lw.errors.ArgumentError, "measures external wrenches", {"controller": with_sensor, "sensor": "tool"}),
        (lw.errors.UnknownNameError, "hnad", {"controller": with_sensor, "sensor": "hnad", "wrenches": PUSHED}),
        (lw.errors.ArgumentError, "that of a sensor", {"controller": no_sensor, "noise": {"wrench": 1.0}}),
        (lw.errors.InputError, "noise of wrench is a number",
         {"controller": with_sensor, "sensor": "tool", "wrenches": PUSHED, "noise": {"wrench": -1.0}}),
        (lw.errors.InputError, "gear is a finite ratio", {"controller": no_sensor, "gear": 0.0}),
        (lw.errors.ArgumentError, "gear is on the path", {"gear": 2.0}),
        (lw.errors.InputError, "not for method 'variational'", {"wrenches": PUSHED, "method": "variational"}),
    ],
)  # fmt: skip
def test_what_is_refused(error, message, options):
    with pytest.raises(error, match=message):
        lw.simulate(arm, START, STILL, 0.01, **grouped(**options))


def test_names_of_each_are_those_that_are_bound():
    q0 = START + np.zeros((2, 7))
    with pytest.raises(lw.errors.UnknownNameError, match=r"sise.*size"):
        lw.simulate(
            arm,
            q0,
            0 * q0,
            0.01,
            actuation=lw.Actuation(each=["sise"]),
            surroundings=lw.Surroundings(wrenches=partial(moving_push, size=np.ones(2))),
        )
