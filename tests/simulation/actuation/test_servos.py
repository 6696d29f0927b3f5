"""Servos: springs and dampers that act within the step, cut to what they can do."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest
from tests.setups import grouped

import linkwright as lw
from linkwright.errors import LinkwrightError
from linkwright.simulation.recording.contact_history import impulse_names

H = 2e-3
EXACT = lw.Solver(iterations=5000, tolerance=1e-14)


def goto(model: lw.Model, t: Any, q: Any, v: Any, *, target: Any) -> Any:
    return target


def slider(**joint: Any) -> lw.Model:
    builder = lw.Builder("slider", gravity=(0, 0, 0)).body("mass", mass=2.0, inertia=1.0)
    return builder.joint("slide", "prismatic", "world", "mass", axis=(1, 0, 0), **joint).build()


@pytest.fixture(scope="module")
def arm() -> lw.Model:
    return lw.load("arm7")


def test_every_effort_is_the_servos_law_at_the_end_of_its_step(arm: lw.Model) -> None:
    """Of all joints at once, cut and not."""
    k, d = np.array([4000.0, 4000, 2000, 2000, 500, 500, 100]), np.array([200.0, 200, 100, 100, 20, 20, 2])
    target, limit = np.full(7, 0.4), np.array([100.0, 100, 60, 60, 30, 8, 5])
    options: dict[str, Any] = dict(controller=partial(goto, target=target), servos=lw.Servos(k, d), effort_limits=limit)
    motion = lw.simulate(arm, np.zeros(7), np.zeros(7), 0.5, H, **grouped(solver=EXACT, **options))
    q, after = motion.q[:-1], motion.v[1:]
    wanted = np.clip(k * (target - q - H * after) - d * after, -limit, limit)
    assert np.abs(motion.tau[:-1] - wanted).max() < 1e-7
    assert (np.abs(wanted) == limit).any(axis=0).all()
    assert (np.abs(wanted) < limit).any(axis=0).all()


@pytest.mark.parametrize(("k", "d"), [(50.0, 3.0), (1e6, 10.0), (1e4, 1e5)])
def test_a_servo_is_the_spring_and_damper_of_a_joint(k: float, d: float) -> None:
    springy, still = slider().with_joint("slide", stiffness=k, damping=d, rest=0.0), np.zeros(1)
    by_spring = lw.simulate(springy, [0.3], [1.0], 0.5, H, method="semi_implicit")
    by_servo = lw.simulate(
        slider(),
        [0.3],
        [1.0],
        0.5,
        H,
        controller=partial(goto, target=still),
        actuation=lw.Actuation(servos=lw.Servos(k, d)),
    )
    assert np.abs(by_servo.q - by_spring.q).max() < 1e-12
    assert np.abs(by_servo.v - by_spring.v).max() < 1e-10


def test_a_servo_that_goes_at_a_speed() -> None:
    law = partial(goto, target=np.array([0.7]))
    motion = lw.simulate(
        slider(),
        [0.0],
        [0.0],
        1.0,
        H,
        controller=law,
        actuation=lw.Actuation(servos=lw.Servos(0.0, 1e5), effort_limits=4.0),
    )
    assert motion.v[100, 0] == pytest.approx(4.0 / 2.0 * 100 * H, rel=1e-9)  # as fast as its limit lets it
    assert motion.v[-1, 0] == pytest.approx(0.7, abs=1e-9)
    assert motion.tau[-1] == pytest.approx(0.0, abs=1e-5)


def pd(model: lw.Model, t: Any, q: Any, v: Any, *, target: Any, k: float, d: float) -> Any:
    return k * (target - q) - d * v


@pytest.mark.filterwarnings("ignore")
def test_light_wrists_are_held_where_an_explicit_law_diverges(arm: lw.Model) -> None:
    target = np.full(7, 0.3)
    start = target + 0.01
    explicit = partial(pd, target=target, k=2000.0, d=50.0)
    shaken = lw.simulate(arm, start, np.zeros(7), 0.5, H, controller=explicit, method="semi_implicit")
    assert len(shaken.t) < 251 or not np.abs(shaken.v).max() < 100.0
    held = lw.simulate(
        arm,
        start,
        np.zeros(7),
        2.0,
        H,
        controller=partial(goto, target=target),
        actuation=lw.Actuation(servos=lw.Servos(2e3, 50.0)),
    )
    assert np.abs(held.v[-1]).max() < 1e-3
    bent = lw.gravity_forces(arm, held.q[-1]) / 2000.0
    assert held.q[-1] == pytest.approx(target - bent, abs=1e-4)
    rare = dict(controller=partial(goto, target=target), period=0.02, servos=lw.Servos(2e3, 50.0))
    assert np.array_equal(lw.simulate(arm, start, np.zeros(7), 2.0, H, **grouped(**rare)).q, held.q)


def test_rows_have_targets_and_gains_of_their_own(arm: lw.Model) -> None:
    targets = np.random.default_rng(0).uniform(-0.5, 0.5, (5, 7))
    gains = np.linspace(100.0, 3000.0, 5)[:, None] * np.ones(7)
    options: dict[str, Any] = dict(effort_limits=True, joint_limits=True)
    servos = lw.Servos(gains, gains / 20.0)
    law, still = partial(goto, target=targets), np.zeros((5, 7))
    found = lw.rollout(
        arm,
        still,
        still,
        100,
        H,
        **grouped(controller=law, each=["target"], servos=servos, keep=["q", "tau"], **options),
    )
    same = lw.simulate(
        arm, still, still, 100 * H, H, **grouped(controller=law, each=["target"], servos=servos, **options)
    )
    assert np.array_equal(found.q[-1], same.q[-1])
    assert np.array_equal(found.tau[-1], same.tau[-2])
    for row in (0, 4):
        alone = lw.simulate(
            arm,
            still[0],
            still[0],
            100 * H,
            H,
            **grouped(
                controller=partial(goto, target=targets[row]),
                servos=lw.Servos(gains[row], gains[row] / 20.0),
                **options,
            ),
        )
        assert np.abs(alone.q[-1] - found.q[-1, row]).max() < 1e-5


def feet_apart(model: lw.Model, t: Any, q: Any, v: Any, *, target: Any) -> Any:
    return np.concatenate([np.zeros(6), target])


def test_a_quadruped_stands_on_stiff_servos() -> None:
    robot = lw.load("quadruped").with_ground()
    q, v = lw.default_configuration(robot)
    q = lw.standing_configuration(robot, q)
    options: dict[str, Any] = dict(controller=partial(feet_apart, target=q[7:]), servos=lw.Servos(1000.0, 20.0))
    motion = lw.simulate(robot, q, v, 1.0, H, **grouped(effort_limits=40.0, joint_limits=True, **options))
    assert np.abs(motion.q[-1] - q).max() < 0.05
    assert np.abs(motion.v[-1]).max() < 1e-2
    assert np.abs(motion.tau).max() <= 40.0
    assert not motion.tau[:, :6].any()
    assert motion.pressing
    weight = -lw.total_mass(robot) * robot.gravity[2]
    assert motion.contacts.of_pairs[-1].sum(axis=0)[2] == pytest.approx(weight, rel=1e-2)
    assert motion.contacts.residual.max() < 1e-3
    dropped = q.copy()
    dropped[2] += 0.3
    fallen = lw.simulate(robot, dropped, v, 1.0, H, **grouped(effort_limits=15.0, joint_limits=True, **options))
    assert np.abs(fallen.tau).max() == pytest.approx(15.0, abs=1e-9)
    assert np.isfinite(fallen.q).all()


def test_some_joints_have_servos_and_the_others_efforts(arm: lw.Model) -> None:
    names = [arm.joints[6].name, arm.joints[0].name]
    answer = np.array([0.2, 500.0, 0, 0, 0, 0, 0.1])
    options: dict[str, Any] = dict(
        controller=partial(goto, target=answer), servos=lw.Servos([4e3, 50.0], [200.0, 1.0], names)
    )
    motion = lw.simulate(arm, np.zeros(7), np.zeros(7), 0.02, H, **grouped(effort_limits=30.0, **options))
    assert np.all(motion.tau[:-1, 1] == 30.0)
    assert not motion.tau[:, 2:6].any()
    assert motion.tau[0, 0] == pytest.approx(30.0)
    assert np.abs(motion.tau[:, [0, 6]]).max() <= 30.0
    assert motion.constraints is not None
    assert len(impulse_names(arm, motion.constraints)) == 2
    assert all(name.startswith("servo of ") for name in impulse_names(arm, motion.constraints))


def effort_spent(model: lw.Model, t: Any, q: Any, v: Any, tau: Any) -> Any:
    return -(v @ v) - 1e-3 * (tau @ tau)


def test_rewards_change_with_targets_through_servos(arm: lw.Model) -> None:
    target = np.full(7, 0.3)
    options: dict[str, Any] = dict(servos=lw.Servos(500.0, 30.0), reward=effort_spent)
    _, by = lw.rollout_derivatives(
        arm,
        np.zeros(7),
        np.zeros(7),
        20,
        H,
        **grouped(controller=partial(goto, target=target), wrt=["target"], **options),
    )
    moved = target + np.concatenate([1e-6 * np.eye(7), -1e-6 * np.eye(7)])
    each: dict[str, Any] = dict(controller=partial(goto, target=moved), each=["target"], solver=EXACT)
    found = lw.rollout(arm, np.zeros((14, 7)), np.zeros((14, 7)), 20, H, **grouped(**each, **options)).reward
    wanted = (found[:7] - found[7:]) / 2e-6
    assert np.abs(by["target"] - wanted).max() < 1e-5 * np.abs(wanted).max()


@pytest.mark.parametrize(
    ("message", "match"),
    [
        (dict(servos=lw.Servos(1.0, 1.0)), "none is given: controller="),
        (dict(servos=(1.0, 1.0)), "Servos"),
        (dict(servos=lw.Servos(np.ones(3), 1.0)), "stiffness of servos has shape"),
        (dict(servos=lw.Servos(1.0, 1.0, ["elbow"])), "elbow"),
        (dict(servos=lw.Servos(1.0, 1.0), method="rk4"), "in steps of 'semi_implicit'"),
        (dict(servos=lw.Servos(1.0, 1.0), lag=0.1), "lag acts on efforts"),
        (dict(servos=lw.Servos(1.0, 1.0), velocity_limits=1.0), "velocity_limits acts on efforts"),
    ],
)
@pytest.mark.parametrize("run", ["simulate", "rollout"])
def test_what_servos_cannot_be_is_reported(arm: lw.Model, message: dict[str, Any], match: str, run: str) -> None:
    law = {} if "none is given" in match else dict(controller=partial(goto, target=np.zeros(7)))
    still = np.zeros(7)
    with pytest.raises(LinkwrightError, match=match):
        getattr(lw, run)(arm, still, still, {"simulate": 0.1, "rollout": 5}[run], H, **grouped(**law, **message))


def test_numbers_of_servos_are_checked() -> None:
    with pytest.raises(LinkwrightError, match="stiffness of servos is finite"):
        lw.Servos(-1.0, 1.0)
    with pytest.raises(LinkwrightError, match="list of names"):
        lw.Servos(1.0, 1.0, "elbow")
    free = lw.Builder("ball").body("ball", mass=1.0, inertia=1.0).joint("free", "free", "world", "ball").build()
    law = partial(goto, target=np.zeros(6))
    with pytest.raises(LinkwrightError, match="no joint of 'ball' has a servo"):
        lw.simulate(
            free,
            free.neutral(),
            np.zeros(6),
            0.1,
            H,
            controller=law,
            actuation=lw.Actuation(servos=lw.Servos(1.0, 1.0)),
        )
    with pytest.raises(LinkwrightError, match="no single axis"):
        lw.simulate(
            free,
            free.neutral(),
            np.zeros(6),
            0.1,
            H,
            controller=law,
            actuation=lw.Actuation(servos=lw.Servos(1.0, 1.0, ["free"])),
        )


def test_actions_of_an_environment_are_targets() -> None:
    gymnasium = pytest.importorskip("gymnasium")
    from linkwright.gymnasium import Interface, VectorEnv

    def acted(model: lw.Model, t: Any, q: Any, v: Any, *, action: Any) -> Any:
        return action

    def begun(model: lw.Model, q0: Any, v0: Any, random: Any) -> Any:
        return q0, v0

    options: dict[str, Any] = dict(controller=acted, servos=lw.Servos(1e5, 1e4), reward=effort_spent, reset=begun)
    space = gymnasium.spaces.Box(-1.0, 1.0, (1,), np.float64)
    environments = VectorEnv(
        slider(), 3, **grouped(step=H, interface=Interface(action_space=space, steps=50), **options)
    )
    environments.reset(seed=0)
    goals = np.array([[0.1], [-0.2], [0.3]])
    for _ in range(20):
        observed, *_ = environments.step(goals)
    assert np.abs(np.asarray(observed)[:, 0] - goals[:, 0]).max() < 1e-3
