"""Rollouts and environments in single precision, compared with those in double precision."""

from dataclasses import replace

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import ArgumentError, InputError
from linkwright.simulation.integrators.position_sums import summed_coordinates
from linkwright.simulation.rollouts.preparation import prepare_rollout
from linkwright.simulation.setup import Setup
from mechanisms import one_of_each

SINGLE = lw.Integrator(precision="single")


def box(gravity=9.81):
    made = lw.Builder("box").body("box", 1.0, inertia=0.004).joint("free", "free", "world", "box")
    model = made.shape("box", "box", size=(0.2, 0.2, 0.2)).build()
    return replace(model, gravity=np.array([0.0, 0.0, -gravity])).with_ground()


@pytest.fixture(scope="module")
def model():
    return box()


@pytest.fixture(scope="module")
def arm():
    return lw.load("two_link")


def pull(model, t, q, v, target=0.3):
    return 5.0 * (target - q) - v


@pytest.mark.parametrize("method", ["rk4", "semi_implicit"])
def test_controlled_motions_equal_those_in_double_precision(arm, method):
    q = np.random.default_rng(0).normal(size=(5, 2))
    found, exact = (
        lw.rollout(arm, q, 0.0 * q, 1000, 1e-3, pull, 500, method=lw.Integrator(method, precision=precision))
        for precision in ("single", "double")
    )
    assert found.q.dtype == found.v.dtype == found.end[2].dtype == np.float32
    assert exact.q.dtype == np.float64
    np.testing.assert_allclose(found.q, exact.q, atol=1e-4)
    np.testing.assert_array_equal(found.t, exact.t)


def test_the_bits_of_a_motion_depend_neither_on_its_batch_nor_on_parts(model):
    v = np.random.default_rng(0).normal(size=(37, 6))
    q = np.tile(model.neutral(), (37, 1)) + np.eye(7)[2] * 0.15
    whole = lw.rollout(model, q, v, 40, method=SINGLE)
    some = lw.rollout(model, q[5:9], v[5:9], 20, method=SINGLE)
    again = lw.rollout(model, some, None, 20, method=SINGLE)
    alone = lw.rollout(model, q[7], v[7], 40, method=SINGLE)
    for x, y in zip(whole.end, again.end, strict=True):
        np.testing.assert_array_equal(x[5:9], y)
    np.testing.assert_array_equal(whole.q[:, 7], alone.q)


@pytest.mark.parametrize("distance", [0.0, 1000.0])
def test_a_box_comes_to_rest_as_in_double_precision(model, distance):
    q, v = np.tile(model.neutral(), (8, 1)), np.random.default_rng(0).normal(size=(8, 6))
    q[:, 0], q[:, 2] = distance, 0.25
    found, exact = (lw.rollout(model, q, v, 3000, method=lw.Integrator(precision=one)) for one in ("single", "double"))
    np.testing.assert_allclose(found.q[0, :, 2], exact.q[0, :, 2], atol=1e-6)
    np.testing.assert_allclose(found.q[0, :, :2], exact.q[0, :, :2], atol=1e-3 + 2e-7 * distance)  # tumbling amplifies
    assert abs(found.v).max() < 1e-4
    later = lw.rollout(model, found, None, 3000, method=SINGLE)
    assert abs(later.q[0, :, :3] - found.q[0, :, :3]).max() <= 1e-6 + 1e-7 * distance  # no drift


def test_the_solver_does_not_resolve_the_rounding_of_gaps(model):
    """In short steps the tolerance of the contact solver is the change of velocities at rest by rounded gaps."""
    noise = {}
    for precision in ("double", "single"):
        setup = Setup.of(None, None, lw.Integrator(precision=precision), None, None)
        prepared = prepare_rollout(model, model.neutral(), np.zeros(6), 1e-3, setup)
        noise[precision] = prepared.spec.options.constraints.gap_error
    assert noise["double"] == 0.0
    assert 0.1 < noise["single"] / (np.finfo(np.float32).eps * 0.2) < 20.0
    solver, error = lw.Solver(), noise["single"]
    assert solver.velocity_tolerance(1e-3, error) == pytest.approx(error / 1e-3)
    assert solver.velocity_tolerance(1e-2, error) == solver.velocity_tolerance(1e-2) == 3e-4
    assert lw.Solver(tolerance=1e-9).velocity_tolerance(1e-3, error) == 1e-9


def test_slow_motion_far_from_the_origin_is_not_lost():
    model = box(gravity=0.0)
    q, v = model.neutral(), np.eye(6)[0] * 0.01
    q[0], q[2] = 1000.0, 5.0
    found = lw.rollout(model, q, v, 20_000, method=SINGLE)
    assert found.q[0, 0] == pytest.approx(1000.2, abs=1e-4)


def test_small_displacements_add_up(arm):
    still = replace(arm, gravity=np.zeros(3))
    found = lw.rollout(still, [1.0, 0.0], [1e-3, 0.0], 20_000, 1e-5, method=lw.Integrator("rk4", precision="single"))
    exact = lw.rollout(still, [1.0, 0.0], [1e-3, 0.0], 20_000, 1e-5, method="rk4")
    np.testing.assert_allclose(found.q, exact.q, atol=2e-7)


def test_summed_coordinates_are_those_of_sums():
    model = one_of_each(0)
    q, u = lw.integrate(model, model.neutral(), np.full(model.nv, 0.3)), np.full(model.nv, 0.7)
    places = summed_coordinates(model)
    assert 0 < len(places) < model.nq
    shift = np.zeros(model.nq)
    shift[list(places)] = np.arange(1.0, len(places) + 1.0)
    np.testing.assert_allclose(lw.integrate(model, q + shift, u), lw.integrate(model, q, u) + shift, atol=1e-12)


def test_restarts_and_rewards(arm):
    def reward(model, t, q, v, tau):
        return q[0] + t

    def over(model, t, q, v):
        return t > 0.0495

    episode = lw.Episode(reward=reward, terminate=over, reset="start", keep=("q", "reward"))
    q = np.random.default_rng(0).normal(size=(3, 2))
    found, exact = (
        lw.rollout(arm, q, 0.0 * q, 120, 1e-3, pull, 40, method=lw.Integrator(precision=one), episode=episode)
        for one in ("single", "double")
    )
    assert found.rewards.dtype == np.float32
    np.testing.assert_array_equal(found.episodes, exact.episodes)
    np.testing.assert_array_equal(found.steps, exact.steps)
    np.testing.assert_allclose(found.rewards, exact.rewards, rtol=1e-4, atol=1e-4)


def test_arrays_of_either_type_are_converted(arm):
    q = np.array([0.3, 0.2], np.float32)
    for method in (SINGLE, None):
        one, two = (lw.rollout(arm, x, 0.0 * x, 5, method=method) for x in (q, q.astype(float)))
        np.testing.assert_array_equal(one.q, two.q)
    whole = lw.rollout(arm, [1, 0], [0, 1], 5, method=SINGLE)
    assert whole.q.dtype == np.float32
    with pytest.raises(ArgumentError, match="complex"):
        lw.rollout(arm, q + 1j, 0.0 * q, 5, method=SINGLE)


@pytest.mark.filterwarnings("error")
def test_numbers_beyond_the_range_stay_finite(arm):
    def ahead(model, t, q, v):
        return q + 0.1

    servos = lw.Actuation(servos=lw.Servos(100.0, 5.0))  # whose limits are infinite
    found, exact = (
        lw.rollout(arm, [0.1, 0.2], [0.0, 0.0], 100, 1e-3, ahead, method=lw.Integrator(precision=one), actuation=servos)
        for one in ("single", "double")
    )
    np.testing.assert_allclose(found.q, exact.q, atol=1e-5)


def test_wrong_options_are_explained(arm):
    q = np.zeros(2)
    for given in ("half", "float32", None, np.float32):
        with pytest.raises(ArgumentError, match="precision is 'double' or 'single'"):
            lw.Integrator(precision=given)
    with pytest.raises(ArgumentError, match=r"method=lw.Integrator\(precision=…\)"):
        lw.rollout(arm, q, q, 5, precision="single")
    with pytest.raises(InputError, match="'dopri5' need double precision"):
        lw.Integrator("dopri5", precision="single")
    with pytest.raises(InputError, match=r"noise needs whole numbers.*'single'"):
        lw.rollout(arm, q, q, 5, 1e-3, pull, method=SINGLE, actuation=lw.Actuation(noise={"q": 0.01}))
    episode = lw.Episode(reset=lambda model, q0, v0, random: (q0, v0))
    with pytest.raises(InputError, match="a random reset needs"):
        lw.rollout(arm, q, q, 5, method=SINGLE, episode=episode)
    with pytest.raises(InputError, match="at most 16777216 steps"):
        lw.rollout(arm, q, q, 20_000_000, method=SINGLE)
    with pytest.raises(InputError, match="earlier rollout has precision='double'"):
        lw.rollout(arm, lw.rollout(arm, q, q, 5), None, 5, method=SINGLE)
    with pytest.raises(InputError, match="simulate computes in double precision only"):
        lw.simulate(arm, q, q, 0.1, method=SINGLE)
    with pytest.raises(InputError, match="linearize computes in double"):
        lw.linearize(arm, q, q, q, method=SINGLE, step=1e-3)
    with pytest.raises(InputError, match="rollout_derivatives computes in double"):
        lw.rollout_derivatives(arm, q, q, 5, method=SINGLE, wrt=["q0"])


def test_environments_observe_float32():
    gymnasium = pytest.importorskip("gymnasium")
    from linkwright.gymnasium import Interface, VectorEnv

    model = lw.load("pendulum")

    def upright(model, t, q, v, tau):
        return np.cos(q[0])

    def torque(model, t, q, v, action):
        return action

    def drawn(model, q0, v0, random):
        return q0 + random.uniform(-0.1, 0.1, model.nq), v0

    found = []
    for precision in ("single", "double"):
        env = VectorEnv(
            model,
            4,
            controller=torque,
            method=lw.Integrator(precision=precision),
            episode=lw.Episode(reward=upright, reset=drawn),
            interface=Interface(action_space=gymnasium.spaces.Box(-1.0, 1.0, (1,)), limit=3),
        )
        seen = [env.reset(seed=1)[0]]
        for _ in range(5):
            observed, rewards, *_ = env.step(np.full((4, 1), 0.3))
            assert observed in env.observation_space
            seen += [observed, rewards]
        found.append(seen)
        assert env.q.dtype == observed.dtype == env.observation_space.dtype
    for one, two in zip(*found, strict=True):
        assert one.dtype == np.float32
        np.testing.assert_allclose(one, two, rtol=1e-4, atol=1e-5)
