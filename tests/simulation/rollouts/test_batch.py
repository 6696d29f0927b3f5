"""Batches: the bits of rollouts, in memory that stays the same."""

import os
import pickle
from functools import partial

import numpy as np
import pytest

import linkwright as lw
from shortened import long_form


def hold(model, t, q, v, *, controls, stiffness):
    return np.concatenate([np.zeros(6), stiffness * (controls - q[7:]) - 1.0 * v[6:]])


def fallen(model, t, q, v, *, height):
    return q[2] < height


def forward(model, t, q, v, tau):
    return v[0]


BENT = np.tile([0.0, 0.7, -1.4], 4)
START = np.concatenate([[0.0, 0.0, 0.33, 1.0, 0.0, 0.0, 0.0], BENT])
N = 11


@pytest.fixture(scope="module")
def robot():
    return lw.load("quadruped").with_ground()


def setting(robot, rng, **more):
    controls = BENT + 0.3 * rng.standard_normal((N, 12))
    return dict(
        q0=START,
        v0=0.3 * rng.standard_normal((N, robot.nv)),
        step=2e-3,
        controller=partial(hold, controls=controls, stiffness=rng.uniform(20.0, 60.0, N)),
        actuation=lw.Actuation(each=["stiffness", "controls"]),
        episode=lw.Episode(reward=forward, terminate=partial(fallen, height=0.29)),
        parameters={"trunk.mass": rng.uniform(3.0, 9.0, N), "pairs.friction": 0.6},
        **more,
    )


def rollout(robot, given, steps, **changes):
    given = {**given, **changes}
    q0, v0 = (np.broadcast_to(given.pop(name), (N, size)) for name, size in (("q0", robot.nq), ("v0", robot.nv)))
    return lw.rollout(robot, q0, v0, steps, **given)


def test_steps_have_the_bits_of_a_rollout_beside_rows_that_end(robot):
    """Impulses of the step before are carried on, through parts of any length and a reset of neighbors."""
    given = setting(robot, np.random.default_rng())
    batch = lw.Batch(robot, N, **given)
    q, v = batch.q, batch.v
    for k in (1, 7, 1, 20, 11):
        batch.step(k)
    whole = rollout(robot, given, 40)
    assert np.array_equal(q, whole.q[0])
    assert np.array_equal(v, whole.v[0])
    assert np.array_equal(batch.status == batch.RUNNING, whole.alive)
    np.testing.assert_array_equal(batch.time, 2e-3 * whole.steps)
    again = np.arange(N) % 3 == 1
    batch.reset(again)
    batch.step(25)
    batch.step(35)
    others = {name: x for name, x in given.items() if name not in ("q0", "v0")}
    on = lw.rollout(robot, whole, None, 60, **others)
    anew = rollout(robot, given, 60)
    assert np.array_equal(batch.q, np.where(again[:, None], anew.q[0], on.q[0]))
    assert np.array_equal(batch.v, np.where(again[:, None], anew.v[0], on.v[0]))
    assert (~on.alive).any()
    assert on.alive.any()


def test_single_precision_is_that_of_rollouts(robot):
    given = setting(robot, np.random.default_rng(), method=lw.Integrator(precision="single"))
    batch = lw.Batch(robot, N, **given)
    height = batch.observe(lambda model, q, v: q[2:3])
    batch.step(3)
    batch.step(9)
    assert batch.q.dtype == height.dtype == batch.contact_forces.dtype == np.float32
    assert np.array_equal(batch.q, rollout(robot, given, 12).q[0])
    np.testing.assert_allclose(batch.time[batch.status == 0], 0.024, rtol=1e-12)


def test_rewards_are_those_of_the_last_call(robot):
    given = setting(robot, np.random.default_rng())
    batch, total = lw.Batch(robot, N, **given), 0.0
    assert not batch.rewards.any()
    for _ in range(3):
        batch.step(5)
        total = total + batch.rewards
    np.testing.assert_allclose(total, rollout(robot, given, 15).reward, rtol=1e-12)


def test_arrays_are_the_memory_of_the_steps(robot):
    rng = np.random.default_rng()
    given = setting(robot, rng)
    batch = lw.Batch(robot, N, **given)
    arrays = [batch.q, batch.v, batch.controls, batch.values["height"], *batch.parameters.values()]
    batch.controls[...] = controls = BENT + 0.3 * rng.standard_normal((N, 12))
    batch.parameters["pairs.friction"][3] = 0.1
    batch.values["height"][...] = 0.1
    batch.q[2, 0] = 5.0
    batch.step(30)
    friction = np.where(np.arange(N) == 3, 0.1, 0.6)
    q0 = np.tile(START, (N, 1))
    q0[2, 0] = 5.0
    found = rollout(
        robot,
        given,
        30,
        q0=q0,
        controller=partial(hold, controls=controls, stiffness=batch.values["stiffness"]),
        parameters={**given["parameters"], "pairs.friction": friction},
        episode=lw.Episode(reward=forward, terminate=partial(fallen, height=0.1)),
    )
    assert np.array_equal(batch.q, found.q[0])
    new = [batch.q, batch.v, batch.controls, batch.values["height"], *batch.parameters.values()]
    assert all(np.shares_memory(x, y) for x, y in zip(arrays, new, strict=True))


def test_controls_that_are_assigned_are_written_into_the_memory():
    batch = lw.Batch(lw.load("two_link"), 3)
    controls, given = batch.controls, np.random.default_rng().standard_normal((3, 2))
    batch.controls = given
    assert np.array_equal(controls, given)
    batch.controls += 1.0
    assert batch.controls is controls
    assert np.array_equal(controls, given + 1.0)
    batch.controls = [1.0, 2.0]
    assert np.array_equal(controls, [[1.0, 2.0]] * 3)


def test_tensors_alias_the_arrays(robot):
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    batch = lw.Batch(robot, N, START, parameters={"trunk.mass": 5.0})
    q, controls, mass = map(torch.from_numpy, (batch.q, batch.controls, batch.parameters["trunk.mass"]))
    before = q.clone()
    controls[:, 0] = 3.0
    mass[0] = 8.0
    batch.step(5)
    assert not torch.equal(before, q)
    assert np.array_equal(q.numpy(), batch.q)
    assert batch.controls[0, 0] == 3.0
    assert batch.parameters["trunk.mass"][0] == 8.0


def test_a_simulation_that_diverges_is_reported_and_others_go_on(robot):
    batch, other = (lw.Batch(robot, N, START) for _ in range(2))
    batch.controls[4, 2] = np.nan
    batch.q[6, 0] = np.nan
    batch.step(3)
    batch.step(3)
    other.step(6)
    assert [*np.flatnonzero(batch.status == batch.DIVERGED)] == [4, 6]
    assert np.isfinite(batch.q[4]).all()
    np.testing.assert_allclose(batch.time[[0, 4, 6]], [6e-3, 0.0, 0.0], atol=1e-12)
    rest = np.delete(np.arange(N), [4, 6])
    assert np.array_equal(batch.q[rest], other.q[rest])
    batch.controls[4, 2] = 0.0
    batch.reset(batch.status != batch.RUNNING)
    assert not batch.status.any()
    batch.step(6)
    assert np.array_equal(batch.q[[4, 6]], other.q[[4, 6]])


def test_a_step_that_diverges_changes_nothing():
    """Neither the state nor the time nor the activations of actuators."""
    cart = lw.Builder("cart").body("cart", mass=1.0).joint("rail", "prismatic", "world", "cart", axis=(1, 0, 0)).build()
    cart = cart.with_actuators(lw.Actuator("motor", "rail", dynamics="filter", time_constant=0.01))
    batch = lw.Batch(cart, 2)
    batch.controls[:] = 1.0
    batch.step(5)
    before = batch.q.copy(), batch.v.copy(), batch.activations.copy(), batch.time.copy()
    batch.controls[1] = np.nan
    batch.step(3)
    assert [*batch.status] == [batch.RUNNING, batch.DIVERGED]
    for now, then in zip((batch.q, batch.v, batch.activations, batch.time), before, strict=True):
        assert np.array_equal(now[1], then[1])
        assert (now[0] > then[0]).all()


def test_loops_are_closed_with_the_geometry_of_each_simulation():
    bars = lw.load("four_bar")
    lengths = np.array([0.9, 0.85])
    q = np.stack([lw.close_loops(bars.with_geometry({"rocker.distance": x}), bars.neutral()) for x in lengths])
    batch = lw.Batch(bars, 2, q, parameters={"rocker.distance": lengths})
    batch.step(2)
    batch.reset([1], q=q[1])
    with pytest.raises(lw.errors.InputError, match="open at q0"):
        batch.reset([1], q=q[0])
    with pytest.raises(lw.errors.InputError, match="open at q0"):
        lw.rollout(bars, q[0], np.zeros(3), 2, parameters={"rocker.distance": lengths})
    with pytest.raises(lw.errors.ShapeError, match=r"rocker\.distance has shape"):
        lw.rollout(bars, q, np.zeros(3), 2, parameters={"rocker.distance": [0.9, 0.85, 0.9]})


def test_angles_beyond_the_sine_of_lanes():
    """Rows that lanes leave aside are computed again from their arguments, which must still be there."""
    pendulum = lw.load("pendulum")
    q0 = np.linspace(0.0, 1.0, 20)[:, None]
    q0[5] = 1e9
    batch = lw.Batch(pendulum, 20, q0)
    for _ in range(4):
        batch.step(5)
    assert np.array_equal(batch.q, lw.rollout(pendulum, q0, np.zeros((20, 1)), 20).q[0])


@pytest.mark.parametrize("method", ["dopri5", "semi_implicit", "rk4"])
def test_every_method_starts_again_like_the_first_time(method):
    arm = lw.load("two_link")
    rng = np.random.default_rng()
    q, v = rng.standard_normal((2, 5, 2))
    batch, fresh = lw.Batch(arm, 5, q, method=method), lw.Batch(arm, 5, q, v, method=method)
    batch.step(30)
    batch.reset(None, q, v)
    batch.step(20)
    fresh.step(20)
    assert np.array_equal(batch.q, fresh.q)


def test_noise_is_that_of_rollouts_and_continues_after_a_reset():
    arm, q0 = lw.load("two_link"), np.full((6, 2), 0.3)

    def pull(model, t, q, v):
        return -5.0 * q - v

    noisy = lw.Actuation(noise={"q": 0.1}, seed=4)
    batch = lw.Batch(arm, 6, q0, controller=pull, actuation=noisy)
    batch.step(10)
    found = lw.rollout(arm, q0, np.zeros((6, 2)), 10, controller=pull, actuation=noisy).q[0]
    assert np.array_equal(batch.q, found)
    batch.reset()
    batch.step(10)
    assert not np.isclose(batch.q, found, rtol=1e-9).any()
    batch.reset()
    batch.seed(4)
    batch.step(10)
    assert np.array_equal(batch.q, found)


def test_controls_of_actuators_are_live():
    arm = lw.load("two_link").with_actuators(lw.Actuator("motor", "joint1", gear=2.0))
    batch = lw.Batch(arm, 3)
    batch.controls[:, 0] = [0.0, 1.0, 2.0]
    batch.step(10)
    found = lw.rollout(
        arm, np.zeros((3, 2)), np.zeros((3, 2)), 10, actuation=lw.Actuation(controls=batch.controls.copy())
    )
    assert np.array_equal(batch.q, found.q[0])


def test_observations_follow_steps_and_resets(robot):
    def look(model, q, v):
        return np.stack([lw.pose(model, q, "trunk")[2, 3], v[0]])

    controller = partial(hold, controls=BENT, stiffness=40.0)
    batch = lw.Batch(robot, N, START, step=2e-3, controller=controller)
    seen, forces = batch.observe(look), batch.contact_forces
    batch.step(500)
    assert np.array_equal(seen, np.stack([batch.q[:, 2], batch.v[:, 0]], axis=-1))
    total, weight = forces.sum(axis=1)[0], -robot.gravity[2] * lw.total_mass(robot)
    assert abs(total[2] - weight) < 0.05 * weight
    batch.reset([1])
    assert seen[1, 0] == START[2]
    assert not forces[1].any()
    with pytest.raises(ValueError, match="read-only"):
        seen[0] = 0.0


def mass_and_place(model, q, v):
    return np.concatenate([lw.center_of_mass(model, q), lw.pose(model, q, "front_left_foot")[:3, 3]])


@pytest.mark.parametrize("ground", ["plane", "compliant plane", *long_form("heights")])
def test_arrays_that_follow_from_the_states_are_those_of_the_parameters(ground):
    """Geometry, masses and gravity, also after they are changed; each simulation like one of a model of its own."""
    smooth, rng = ground == "compliant plane", np.random.default_rng()
    surface = {"heights": np.linspace(0.0, 0.03, 25).reshape(5, 5), "size": (3.0, 3.0)} if ground == "heights" else {}
    contact = lw.ContactProperties(friction=0.7, **({"stiffness": 3000.0, "damping": 100.0} if smooth else {}))
    robot = lw.load("quadruped").with_ground(**surface, contact=contact)
    robot = robot.with_frame("downwards", "trunk", rpy=[np.pi, 0.0, 0.0])
    robot = robot.with_sensors(
        lw.Sensor("place", "framepos", "hind_left_foot"),
        lw.Sensor("felt", "accelerometer", "trunk"),
        lw.Sensor("pressed", "touch", "hind_left_foot", zone=("sphere", (0.05,)), cutoff=200.0),
        lw.Sensor("carried", "force", "hind_left_thigh"),
        lw.Sensor("twisted", "torque", "hind_left_thigh"),
        lw.Sensor("below", "rangefinder", "downwards"),
    )
    geometry = {
        "front_left_knee.distance": rng.uniform(0.19, 0.22, 2),
        "front_left_foot.radius": rng.uniform(0.01, 0.02, 2),
        "ground.position": rng.uniform(0.0, 0.002, (2, 3)),
    }
    masses, points, gravity = rng.uniform(3.0, 9.0, 2), rng.uniform(-0.3, 0.3, (4, 2)), np.array([0.0, 0.5, -5.0])
    given = {**geometry, "trunk.mass": masses, "gravity": gravity, "pairs.friction": 0.7}
    start = START - 0.002 * np.eye(19)[2]  # the hind feet touch
    batch = lw.Batch(robot, 2, start, parameters=given)

    def arrays(batch):
        of = batch.observe(mass_and_place), batch.height_scan(points), batch.contact_forces
        return dict(zip(("observed", "scan", "forces"), of, strict=True)) | batch.sensors

    found = arrays(batch)
    batch.parameters["front_left_foot.radius"][:] += 0.005
    geometry["front_left_foot.radius"] += 0.005
    batch.step()
    assert found["forces"].any(axis=(1, 2)).all()
    assert (found["pressed"] > 0.0).all()
    assert (found["below"] > 0.0).all()
    for k in range(2):
        own = {name: values[k] for name, values in geometry.items()}
        alone = robot.with_geometry(own).with_link("trunk", mass=masses[k]).with_gravity(gravity)
        other = lw.Batch(alone, 1, start)
        expected = arrays(other)
        other.step()
        for name, values in expected.items():
            np.testing.assert_allclose(found[name][k], values[0], rtol=1e-6, atol=1e-6, err_msg=name)


def test_a_scan_takes_no_height_field_that_turns():
    robot = lw.load("quadruped").with_ground(heights=np.zeros((3, 3)), size=(3.0, 3.0))
    batch = lw.Batch(robot, 2, START, parameters={"ground.orientation": [1.0, 0.0, 0.0, 0.0]})
    with pytest.raises(lw.errors.InputError, match="no height field whose orientation is a parameter; 'ground'"):
        batch.height_scan([[0.0, 0.0]])


def test_heights_around_the_base_on_a_height_field():
    rng = np.random.default_rng()
    heights = rng.uniform(0.0, 0.2, (9, 13))
    robot = lw.load("quadruped").with_ground(heights=heights, size=(6.0, 4.0))
    q = np.tile(START, (N, 1))
    q[:, 2], yaw = 1.0, rng.uniform(-3.0, 3.0, N)
    q[:, :2] = rng.uniform(-1.0, 1.0, (N, 2))
    q[:, 3], q[:, 6] = np.cos(yaw / 2), np.sin(yaw / 2)
    points = rng.uniform(-0.8, 0.8, (7, 2))
    batch = lw.Batch(robot, N, q)
    scan = batch.height_scan(points)
    c, s = np.cos(yaw)[:, None], np.sin(yaw)[:, None]
    x = q[:, :1] + c * points[:, 0] - s * points[:, 1]
    y = q[:, 1:2] + s * points[:, 0] + c * points[:, 1]
    u, w = (x + 3.0) * 2.0, (y + 2.0) * 2.0
    i, j = np.clip(np.floor(u).astype(int), 0, 11), np.clip(np.floor(w).astype(int), 0, 7)
    u, w = np.clip(u - i, 0.0, 1.0), np.clip(w - j, 0.0, 1.0)
    row = heights[j, i] * (1 - u) + heights[j, i + 1] * u
    next_row = heights[j + 1, i] * (1 - u) + heights[j + 1, i + 1] * u
    np.testing.assert_allclose(scan, 1.0 - (row * (1 - w) + next_row * w), atol=1e-12)


def test_contact_and_range_sensors_of_a_ball_of_any_radius():
    ball = lw.Builder("ball").body("ball", mass=1.0, inertia=0.1).joint("base", "free", "world", "ball")
    ball = ball.shape("ball", "sphere", radius=0.1, name="skin").frame(
        "ceiling", "world", xyz=(0, 0, 3), rpy=(np.pi, 0, 0)
    )
    model = (
        ball.build()
        .with_ground()
        .with_sensors(
            lw.Sensor("pressed", "touch", "ball", zone=("sphere", (0.3,))),
            lw.Sensor("gap", "rangefinder", "ceiling"),
            lw.Sensor("turning", "gyro", "ball"),
        )
    )
    radius = np.array([0.1, 0.2, 0.1])
    q0 = [[0.0, 0.0, z, 1.0, 0.0, 0.0, 0.0] for z in (0.1, 0.2, 2.0)]
    for precision, within in (("double", 1e-3), ("single", 1e-2)):
        method = lw.Integrator(precision=precision)
        batch = lw.Batch(model, 3, q0, parameters={"skin.radius": radius}, method=method)
        sensors = batch.sensors
        batch.step(20)
        np.testing.assert_allclose(sensors["pressed"][:, 0], [9.81, 9.81, 0.0], rtol=within)
        np.testing.assert_allclose(sensors["gap"][:, 0], 3.0 - radius - batch.q[:, 2], rtol=1e-5)


def test_sensors_are_live():
    arm = lw.load("two_link").with_sensors(
        lw.Sensor("speed", "velocimeter", "tip"), lw.Sensor("felt", "accelerometer", "tip", cutoff=8.0)
    )
    batch = lw.Batch(arm, 4, np.random.default_rng().standard_normal((4, 2)))
    sensors = batch.sensors
    batch.step(9)
    before = batch.v.copy()
    batch.step()
    expected = lw.sensor_readings(arm, batch.q, batch.v, (batch.v - before) / 1e-3)
    for name, readings in expected.items():
        np.testing.assert_allclose(sensors[name], readings, rtol=1e-9, atol=1e-9)
    ten, other = lw.Batch(arm, 4, batch.start[0]), sensors["felt"].copy()
    assert ten.sensors["felt"].shape == (4, 3)
    ten.step(10)
    np.testing.assert_allclose(ten.sensors["felt"], other, rtol=1e-9)
    late = lw.Batch(arm, 4, batch.start[0])
    late.step(10)
    np.testing.assert_allclose(late.sensors["felt"], other, rtol=1e-9)
    np.testing.assert_allclose(pickle.loads(pickle.dumps(late)).sensors["felt"], other, rtol=1e-9)


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="threads are not bound to processors here")
def test_threads_are_bound_to_processors_while_they_work(robot):
    here = os.sched_getaffinity(0)
    batch, other = lw.Batch(robot, N, START, cpus=sorted(here)[:2]), lw.Batch(robot, N, START)
    batch.step(20)
    other.step(20)
    assert np.array_equal(batch.q, other.q)
    assert os.sched_getaffinity(0) == here


def test_copies_go_on_alike(robot):
    first = lw.Batch(robot, N, **setting(robot, np.random.default_rng()))
    first.step(10)
    second = pickle.loads(pickle.dumps(first))
    first.step(10)
    second.step(10)
    assert np.array_equal(first.q, second.q)
    assert np.array_equal(first.status, second.status)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda arm: lw.Batch(arm, 0), "n is a whole number from 1"),
        (lambda arm: lw.Batch(arm, 2, q0=np.zeros((3, 2))), r"q0 has shape \(3, 2\); expected \(2,\) or \(2, 2\)"),
        (lambda arm: lw.Batch(arm, 2, q0=[np.nan, 0.0]), "finite|not a number"),
        (lambda arm: lw.Batch(arm, 2, parameters={"link9.mass": 1.0}), "link9"),
        (lambda arm: lw.Batch(arm, 2, reward=forward), "has no argument 'reward'"),
        (lambda arm: lw.Batch(arm, 2, cpus=[10**6]), "cpus is a list of different processors"),
        (lambda arm: lw.Batch(arm, 2, cpus="0"), "cpus is a list of processors"),
        (lambda arm: lw.Batch(arm, 2).step(0), "k is a whole number from 1"),
        (lambda arm: lw.Batch(arm, 2).reset([True, False, True]), r"truth values \(2,\)"),
        (lambda arm: lw.Batch(arm, 2).reset([5]), "simulations 0 to 1; got 5"),
        (lambda arm: lw.Batch(arm, 2).reset(["a"]), "rows are truth values"),
        (lambda arm: lw.Batch(arm, 2).reset([0], q=[1.0]), r"q has shape \(1,\)"),
        (lambda arm: lw.Batch(arm, 2).reset([0], v=[1.0, np.inf]), "finite"),
        (lambda arm: lw.Batch(arm, 2).rewards, "no reward"),
        (lambda arm: setattr(lw.Batch(arm, 2), "controls", np.zeros(3)), r"\(3,\); expected \(2,\) or \(2, 2\)"),
        (lambda arm: setattr(lw.Batch(arm, 2), "controls", "much"), "controls must be an array of real numbers"),
        (lambda arm: lw.Batch(arm, 2, parameters={"gravity": np.zeros(3)}).parameters["gravty"], "there is gravity"),
        (
            lambda arm: lw.Batch(arm, 2).parameters["link2.mass"],
            "there are no parameters; .* parameters={name: values}",
        ),
        (lambda arm: lw.Batch(arm, 2).values.__setitem__("controls", 0.0), r"exchanged: .*\['controls'\]\[\.\.\.\] ="),
        (lambda arm: lw.Batch(arm, 2).values.__setitem__("gain", 0.0), "unknown bound value 'gain'"),
        (lambda arm: setattr(lw.Batch(arm, 2), "controls", [0.0, np.nan]), "controls are not finite"),
        (lambda arm: setattr(lw.Batch(arm, 2), "q", [0.0, np.nan]), "q is not finite: 'joint2' is nan"),
        (lambda arm: setattr(lw.Batch(arm, 2), "v", [[0.0], [1.0]]), r"v has shape \(2, 1\); expected \(2,\)"),
        (lambda arm: lw.Batch(arm, 2).values["gain"], "unknown bound value 'gain'; there is controls"),
        (lambda arm: lw.Batch(arm.with_sensors(lw.Sensor("at", "framepos", "tip")), 2).sensors["on"], "there is at"),
        (lambda arm: lw.Batch(arm, 2).sensors["on"], "unknown sensor 'on'"),
        (lambda arm: lw.Batch(arm, 2).height_scan([[0.0, 0.0]]), "name the frame"),
        (lambda arm: lw.Batch(arm, 2).height_scan([[0.0, 0.0]], "tip"), "no plane and no height field"),
        (
            lambda arm: lw.Batch(arm, 2, actuation=lw.Actuation(each=["gain"])),
            "bound value 'gain'; there is controls; bind",
        ),
        (lambda arm: arm.geometry_of("joint2.length"), "'joint2' is a joint, with .* joint2.distance"),
        (lambda arm: lw.Batch(arm, 2).observe(lambda model, q, v: None), "returned None"),
        (lambda arm: lw.Batch(arm, 2, episode=lw.Episode(terminate=fallen, reset="start")).stop(), "height|reset"),
        (lambda arm: lw.Batch(arm, 2, controller=lambda model, t, q, v: -q).controls, "no controls"),
    ],
)
def test_what_is_wrong_is_reported(call, said):
    with pytest.raises(lw.errors.LinkwrightError, match=said):
        call(lw.load("two_link"))


def test_attributes_that_would_have_no_effect_are_refused():
    batch = lw.Batch(lw.load("two_link"), 2, parameters={"link2.mass": 1.0})
    for name in ("control", "status", "time", "start", "parameters", "n", "model", "step"):
        with pytest.raises(lw.errors.ArgumentError, match=rf"batch\.{name} cannot be set"):
            setattr(batch, name, 1.0)


def test_assigned_parameters_are_checked_and_written():
    batch = lw.Batch(lw.load("two_link"), 2, parameters={"link2.mass": 1.0, "gravity": [0.0, 0.0, -9.81]})
    mass = batch.parameters["link2.mass"]
    batch.parameters["link2.mass"] = [2.0, 3.0]
    batch.parameters["gravity"] = [0.0, 0.0, -3.7]
    assert mass.tolist() == [2.0, 3.0]
    assert (batch.parameters["gravity"][:, 2] == -3.7).all()
    for name, value, message in (
        ("link2.mass", -1.0, r"link2\.mass must not be negative; got -1"),
        ("link2.mass", np.nan, "not finite"),
        ("link2.mass", [1.0, 2.0, 3.0], r"shape \(3,\); expected one number or \(2,\)"),
        ("gravity", 9.81, r"shape \(\); expected \(3,\)"),
    ):
        with pytest.raises(lw.errors.LinkwrightError, match=message):
            batch.parameters[name] = value
    assert mass.tolist() == [2.0, 3.0]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"gravity": 9.81}, r"gravity has shape \(\); expected \(3,\)"),
        ({"link2.center_of_mass": 1.0}, r"expected \(3,\)"),
        ({"link2.inertia": [-1.0, 0.0, -1.0, 0.0, 0.0, -1.0]}, "negative principal moment of inertia"),
        (
            {"link2.inertial": [1.0, 0.5, 0.0, 0.0, 0.1, 0.0, 0.2, 0.0, 0.0, 0.2]},
            "negative principal moment of inertia",
        ),
        ({1: 1.0}, "named by text"),
        ({"mass": 1.0}, "unknown parameter 'mass'.*<body>.mass or"),
    ],
)
def test_impossible_parameters_are_refused(parameters, message):
    with pytest.raises(lw.errors.LinkwrightError, match=message):
        lw.Batch(lw.load("two_link"), 2, parameters=parameters)


def test_assigned_states_are_written_into_the_live_arrays():
    batch = lw.Batch(lw.load("two_link"), 2)
    q, v = batch.q, batch.v
    batch.q = [0.1, 0.2]
    batch.q += 1.0
    batch.v = np.eye(2)
    batch.values["controls"] += 2.0
    assert q is batch.q
    assert v is batch.v
    assert np.array_equal(
        np.hstack([q, v, batch.controls]), [[1.1, 1.2, 1.0, 0.0, 2.0, 2.0], [1.1, 1.2, 0.0, 1.0, 2.0, 2.0]]
    )
