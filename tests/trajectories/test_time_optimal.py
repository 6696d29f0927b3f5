"""Time-optimal motions along paths: limits are kept everywhere and used, and the laws of time hold."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import linkwright as lw
from linkwright.dynamics.forces.actuation import joint_effort_limits as effort_limits
from linkwright.errors import ArgumentError, InputError, LinkwrightError, ModelError
from linkwright.trajectories import time_optimal
from linkwright.trajectories.joint_space.boundary_conditions import velocity_limits
from linkwright.trajectories.timing import solver
from mechanisms import few_trees, with_loops
from shortened import long_form


def any_path(model, seed, batch=(), n=1, degree=5, size=0.5):
    """Polynomials of a parameter from 0 to n, as smooth as they come within pieces."""
    rng = np.random.default_rng(seed)
    c = size * rng.normal(size=(*batch, n, degree + 1, model.nv)) / 2.0 ** np.arange(degree + 1)[:, None]
    c[..., 0, :] = 0.0
    times = np.broadcast_to(np.arange(n + 1.0), (*batch, n + 1))
    start = model.random(int(np.prod(batch, dtype=int)), seed=seed).reshape(*batch, model.nq)
    return lw.Trajectory(model, times, start, c)


@cache
def the_arm():
    """One for all tests, which share what is compiled for it."""
    return lw.load("arm7")


def arm_path(seed, batch=(), n=4):
    """Through random postures, twice continuously differentiable."""
    from scipy.interpolate import CubicSpline

    count = int(np.prod(batch, dtype=int))
    s = np.linspace(0.0, 1.0, n + 1)
    waypoints = 0.6 * the_arm().random(count * (n + 1), seed=seed).reshape(count, n + 1, 7)
    c = np.stack([CubicSpline(s, x, bc_type="natural").c[::-1].transpose(1, 0, 2) for x in waypoints])
    q = c[:, :, 0].copy()
    c[:, :, 0] = 0.0
    path = lw.Trajectory(the_arm(), np.broadcast_to(s, (count, n + 1)), q, c)
    return path._like(*(x.reshape(*batch, *x.shape[1:]) for x in (path.times, path.q, path.coefficients)))


def limits_of(model, path, seed):
    """With room to hold itself anywhere on the path, and to move."""
    rng = np.random.default_rng(seed)
    q = path.at(np.linspace(*path.times[[0, -1]], 200)).q
    holding = np.abs(lw.gravity_forces(model, q) - lw.passive_forces(model, q, np.zeros(model.nv))).max(axis=0)
    return {
        "velocity": rng.uniform(0.5, 3.0, model.nv),
        "acceleration": rng.uniform(2.0, 30.0, model.nv),
        "effort": rng.uniform(1.3, 2.0, model.nv) * (holding + friction(model) + 5.0),
    }


def everywhere(model):
    """Motors at all joints, free ones too."""
    return [joint.name for joint in model.joints if joint.coupling is None]


def friction(model):
    own = [np.zeros(0), *(3.0 * joint.damping + joint.friction for joint in model.joints)]
    return np.abs(model.coupling_matrix).T @ np.concatenate(own)


def used(motion, places=17):
    """Return the used share of each limit (intervals, places, limits), computed by the dynamics of the library."""
    model, times = motion.model, motion.times
    inside = np.linspace(1e-9, 1.0 - 1e-9, places)
    t = times[:-1, None] + np.diff(times)[:, None] * inside
    q, v, a = motion(t)
    tau = lw.inverse_dynamics(model, q, v, a) - lw.passive_forces(model, q, v)
    parts = [v / motion.allowed["velocity"], a / motion.allowed["acceleration"], tau / motion.allowed["effort"]]
    return np.abs(np.concatenate(parts, axis=-1))


@settings(max_examples=6, deadline=None)
@given(few_trees(), st.integers(0, 2**31))
def test_limits_are_kept_at_all_times(model, seed):
    """On joints of every kind, with friction and springs of joints, between the points of the grid too."""
    path = any_path(model, seed, n=2)
    motion = time_optimal(model, path, **limits_of(model, path, seed), points=40, actuated=everywhere(model))
    assert used(motion).max() <= 1.0 + 1e-6


@settings(max_examples=5, deadline=None)
@given(few_trees(), st.integers(0, 2**31))
def test_the_motion_follows_the_path(model, seed):
    path = any_path(model, seed, n=2)
    motion = time_optimal(model, path, **limits_of(model, path, seed), points=40, actuated=everywhere(model))
    assert np.abs(lw.difference(model, motion.at(motion.times).q, path.at(motion.s).q)).max() < 1e-9
    v, along = motion.at(motion.times[1:-1] - 1e-9).v, path.at(motion.s[1:-1] - 1e-12).v
    assert np.allclose(v, along * motion.speed[1:-1, None], atol=1e-5 * (1.0 + np.abs(v).max()))
    assert np.allclose(motion.start, path.start, atol=1e-12)
    assert np.allclose(lw.difference(model, motion.end, path.end), 0.0, atol=1e-9)


@pytest.mark.parametrize("seed", [0, 1, *long_form(*range(2, 6))])
def test_limits_are_kept_and_used_on_an_arm(seed):
    """At every moment some limit is as good as reached: else it would not be the fastest."""
    path = arm_path(seed)
    efforts = 0.45 * effort_limits(path.model)
    for velocity in (None, np.inf):
        motion = time_optimal(path.model, path, effort=efforts, velocity=velocity, points=200)
        part = used(motion)
        assert part.max() <= 1.0 + 1e-6
        assert np.mean(part.max(axis=(1, 2)) > 0.95) > 0.97


def test_what_coarse_grids_exceed_is_drawn_in():
    path = arm_path(3)
    for points in (14, 30):
        motion = time_optimal(path.model, path, effort=0.45 * effort_limits(path.model), velocity=np.inf, points=points)
        assert used(motion).max() <= 1.0 + 1e-6


def test_interpolation_and_collocation_exceed_limits_between():
    path = arm_path(3)
    how = {"effort": 0.45 * effort_limits(path.model), "velocity": np.inf}
    over = {k: used(time_optimal(path.model, path, **how, scheme=k)).max() for k in ("interpolation", "collocation")}
    assert over["collocation"] > over["interpolation"] > 1.001


def test_durations_converge():
    path = arm_path(0)
    limit = time_optimal(path.model, path, points=400, check=False).duration
    assert limit < time_optimal(path.model, path).duration < 1.006 * limit
    assert limit < time_optimal(path.model, path, points=200).duration < 1.0015 * limit


@pytest.mark.parametrize("seed", [0, *long_form(1, 2)])
@pytest.mark.parametrize("scheme", ["interpolation", "collocation"])
def test_the_same_as_toppra_on_the_same_grid(seed, scheme):
    """Hung Pham's own solver, its rows from our inverse dynamics called one by one."""
    toppra = pytest.importorskip("toppra")
    from toppra.algorithm import TOPPRA
    from toppra.constraint import DiscretizationType, JointTorqueConstraint, JointVelocityConstraint

    path = arm_path(seed)
    arm = path.model
    efforts, velocities = 0.45 * effort_limits(arm), velocity_limits(arm)
    motion = time_optimal(arm, path, effort=efforts, scheme=scheme)

    class Path(toppra.SplineInterpolator):
        def __init__(self):
            self.path = path

        def __call__(self, s, order=0):
            return path.at(s)[order] if np.ndim(s) else path.at(float(s))[order]

        dof, path_interval = 7, np.array([0.0, 1.0])

    kind = DiscretizationType.Interpolation if scheme == "interpolation" else DiscretizationType.Collocation
    speeds = JointVelocityConstraint(np.stack([-velocities, velocities], axis=1))
    torques = JointTorqueConstraint(
        lambda q, v, a: lw.inverse_dynamics(arm, q, v, a),
        np.stack([-efforts, efforts], axis=1),
        np.zeros(7),
        discretization_scheme=kind,
    )
    solver = TOPPRA([speeds, torques], Path(), gridpoints=motion.s, solver_wrapper="seidel")
    theirs = solver.compute_parameterization(0.0, 0.0)[1]
    duration = (2.0 * np.diff(motion.s) / (theirs[1:] + theirs[:-1])).sum()
    assert motion.duration == pytest.approx(duration, rel=1e-6)


def straight(model, q0, q1):
    """A straight line in joints."""
    return lw.Trajectory(model, [0.0, 1.0], q0, np.stack([np.zeros(model.nv), lw.difference(model, q0, q1)])[None])


def test_one_joint_without_gravity_is_a_trapezoid():
    model = lw.load("pendulum").with_gravity([0.0, 0.0, 0.0])
    path = straight(model, [0.0], [2.0])
    how = {"velocity": np.inf, "effort": np.inf}
    triangle = time_optimal(model, path, **(how | {"acceleration": 8.0}))
    assert triangle.duration == pytest.approx(2.0 * np.sqrt(2.0 / 8.0), rel=1e-9)
    trapezoid = time_optimal(model, path, **(how | {"acceleration": 8.0, "velocity": 1.0}), points=800)
    assert trapezoid.duration == pytest.approx(2.0 + 1.0 / 8.0, rel=1e-3)
    inertia = float(lw.mass_matrix(model, [0.0])[0, 0])
    by_effort = time_optimal(model, path, **(how | {"effort": 8.0 * inertia}))
    assert by_effort.duration == pytest.approx(triangle.duration, rel=1e-9)


def test_higher_limits_take_less_time_and_without_gravity_exactly():
    path = arm_path(1)
    arm = path.model
    floating = arm.with_gravity([0.0, 0.0, 0.0])
    base = {"velocity": velocity_limits(arm), "acceleration": 10.0, "effort": 0.4 * effort_limits(arm)}
    weightless = lw.Trajectory(floating, path.times, path.q, path.coefficients)
    first, k = time_optimal(floating, weightless, **base), 1.7
    faster = {"velocity": k * base["velocity"], "acceleration": k * k * 10.0, "effort": k * k * base["effort"]}
    assert time_optimal(floating, weightless, **faster).duration == pytest.approx(first.duration / k, rel=1e-9)
    durations = [
        time_optimal(arm, path, **(base | {kind: part * base[kind]})).duration
        for kind in base
        for part in (0.9, 1.0, 1.1)
    ]
    for slow, middle, fast in np.reshape(durations, (3, 3)):
        assert slow >= middle - 1e-12 >= fast - 2e-12
    assert np.ptp(durations) > 0.0


def test_a_batch_is_its_problems():
    """Of paths, of limits, of speeds at the ends, each with its own."""
    paths = arm_path(5, (2, 3))
    arm = paths.model
    efforts = np.linspace(0.45, 0.6, 6).reshape(2, 3, 1) * effort_limits(arm)
    many = time_optimal(arm, paths, effort=efforts)
    for i, j in np.ndindex(2, 3):
        one = time_optimal(arm, paths[i, j], effort=efforts[i, j])
        assert many[i, j].duration == pytest.approx(one.duration, rel=1e-12)
        assert np.allclose(many[i, j].speed, one.speed, rtol=1e-9, atol=1e-12)
        assert np.allclose(many[i, j].allowed["effort"], efforts[i, j])
    assert many.duration.shape == (2, 3)
    of_limits = time_optimal(arm, paths[0, 0], effort=efforts[0])
    assert of_limits.batch == (3,)
    assert of_limits.duration[0] == pytest.approx(many.duration[0, 0], rel=1e-12)


def test_speeds_at_the_ends():
    path = arm_path(2)
    rest = time_optimal(path.model, path)
    moving = time_optimal(path.model, path, start_speed=0.05, end_speed=[0.0, 0.05])
    assert np.allclose(moving.speed[:, 0], 0.05)
    assert np.allclose(moving.speed[:, -1], [0.0, 0.05])
    assert (moving.duration < rest.duration).all()
    assert np.allclose(np.abs(moving[1].at(0.0).v), np.abs(0.05 * path.at(0.0).v))
    with pytest.raises(InputError, match=r"cannot be begun with speed 50 along it: within the limits it is 0 to"):
        time_optimal(path.model, path, start_speed=50.0)
    ended = r"problem \[1\]: the path cannot be ended with speed 50 along it: within the limits it is at most"
    with pytest.raises(InputError, match=ended) as caught:
        time_optimal(path.model, path, end_speed=[0.05, 50.0])
    most = float(str(caught.value).split()[-1])
    assert time_optimal(path.model, path, end_speed=0.9999 * most).speed[-1] == pytest.approx(0.9999 * most)
    with pytest.raises(InputError, match="cannot be ended"):
        time_optimal(path.model, path, end_speed=1.0001 * most)


def test_it_stops_where_the_direction_jumps():
    arm = the_arm()
    q = 0.5 * arm.random(3, seed=4)
    path = straight(arm, q[0], q[1]).then(straight(arm, q[1], q[2]))
    motion = time_optimal(arm, path)
    there = np.argmin(np.abs(motion.s - 1.0))
    assert motion.speed[there] == 0.0
    assert np.allclose(motion.at(motion.times[there]).q, q[1])
    halves = [time_optimal(arm, straight(arm, *ends), points=50).duration for ends in (q[:2], q[1:])]
    assert motion.duration == pytest.approx(sum(halves), rel=5e-3)


def test_friction_takes_time_and_limits_are_kept_with_it():
    rough = lw.Builder("rough", gravity=[0.0, 0.0, -9.81])
    plain = lw.Builder("plain", gravity=[0.0, 0.0, -9.81])
    for builder, resists in ((rough, {"damping": 0.8, "friction": 1.5}), (plain, {})):
        parent = "world"
        for k in range(3):
            builder.body(f"link{k}", mass=1.0, center_of_mass=[0.2, 0.0, 0.0], inertia=0.02 * np.eye(3))
            place = [0.0, 0.0, 0.0] if k == 0 else [0.4, 0.0, 0.0]
            builder.joint(
                f"joint{k}", "revolute", parent, f"link{k}", axis=[0.0, 1.0, 0.0], xyz=place, armature=0.05, **resists
            )
            parent = f"link{k}"
    limits = {"velocity": 2.0, "effort": [30.0, 18.0, 8.0]}
    durations = []
    for builder in (plain, rough):
        model = builder.build()
        motion = time_optimal(model, straight(model, [0.3, -0.5, 0.4], [-1.2, 1.0, 1.1]), **limits)
        assert used(motion).max() <= 1.0 + 1e-6
        durations.append(motion.duration)
    assert durations[1] > durations[0]


def damped_arm(damping, springs=False):
    """Of three joints in a plane, gravity across them; dampers beside springs between its bodies if asked."""
    arm = lw.Builder("damped", gravity=[0.0, 0.0, -9.81])
    parent = "world"
    for k in range(3):
        arm.body(f"link{k}", mass=1.0, center_of_mass=[0.2, 0.0, 0.0], inertia=0.02 * np.eye(3))
        place = [0.0, 0.0, 0.0] if k == 0 else [0.4, 0.0, 0.0]
        arm.joint(
            f"joint{k}", "revolute", parent, f"link{k}", axis=[0.0, 1.0, 0.0], xyz=place, armature=0.05, damping=damping
        )
        parent = f"link{k}"
    if springs:
        arm.frame("from", "link0", xyz=[0.1, 0.0, 0.1])
        arm.frame("to", "link2", xyz=[0.2, 0.0, 0.0])
        arm.spring("from", "to", stiffness=3.0, damping=4.0)
    return arm.build()


@pytest.mark.parametrize(
    ("damping", "springs"),
    [(0.02, False), (0.5, True), *long_form((0.02, True), (0.5, False), (4.0, False), (4.0, True))],
)
def test_looser_limits_are_never_slower_where_there_is_damping(damping, springs):
    """Of velocity, up to none at all; damping counts as it is at the speed found."""
    model = damped_arm(damping, springs)
    path = lw.trajectories.spline(model, 0.8 * np.random.default_rng(3).normal(size=(4, 3)), 1.0, ends="natural")
    effort = np.array([30.0, 18.0, 8.0])
    durations = []
    for velocity in (0.5, 1.0, 2.0, 8.0, 1e3, np.inf):
        motion = time_optimal(model, path, velocity=velocity, effort=effort)
        assert used(motion).max() <= 1.0 + 1e-6
        durations.append(motion.duration)
    by_effort = [time_optimal(model, path, velocity=np.inf, effort=k * effort).duration for k in (1.0, 1.1, 3.0)]
    for found in (durations, by_effort):
        assert (np.diff(found) <= 1e-9).all()
        assert found[-1] < found[0]
    assert durations[-1] == pytest.approx(by_effort[0], rel=1e-9)


def test_robots_with_damping_move_at_the_limits_that_they_have():
    puma = lw.load("puma560")
    waypoints = 0.4 * puma.random(4, seed=3)
    motion = time_optimal(puma, waypoints)
    assert used(motion).max() <= 1.0 + 1e-6
    assert motion.duration < 1.05
    durations = [time_optimal(puma, waypoints, velocity=v).duration for v in (4.0, 8.0, 15.0)]
    assert (np.diff(durations) <= 1e-9).all()
    assert durations[-1] == pytest.approx(motion.duration, rel=1e-9)
    limits = motion.speed_limits()
    assert (motion.speed[:-1] <= limits * (1.0 + 1e-6)).all()


@pytest.mark.parametrize("damping", [0.05, 2.0, *long_form(0.5, 5.0)])
def test_a_damped_pendulum_is_as_fast_as_full_effort_in_either_direction_makes_it(damping):
    """Its equation is integrated forwards from the start and backwards from the end to where both meet."""
    from scipy.integrate import solve_ivp
    from scipy.optimize import brentq

    builder = lw.Builder("damped pendulum", gravity=[0.0, 0.0, -9.81])
    builder.body("rod", mass=1.0, center_of_mass=[0.5, 0.0, 0.0], inertia=0.02 * np.eye(3))
    builder.joint("hinge", "revolute", "world", "rod", axis=[0.0, 1.0, 0.0], damping=damping)
    model = builder.build()
    end, effort = 2.0, 10.0
    inertia = float(lw.mass_matrix(model, [0.0])[0, 0])

    def driven(tau, sign):
        def rates(t, y):
            gravity = -4.905 * np.cos(y[0])
            return [sign * y[1], sign * (tau - damping * y[1] - gravity) / inertia]

        return rates

    assert lw.gravity_forces(model, [0.3])[0] == pytest.approx(-4.905 * np.cos(0.3))

    def at_start(t, y):
        return y[0]

    def turns(t, y):
        return y[1]

    at_start.terminal = turns.terminal = True
    turns.direction = -1.0
    how = {"rtol": 1e-10, "atol": 1e-12, "dense_output": True}
    speeding = solve_ivp(driven(effort, 1.0), [0.0, 3.0], [0.0, 0.0], **how).sol
    back = solve_ivp(driven(-effort, -1.0), [0.0, 3.0], [end, 0.0], events=[at_start, turns], **how)
    halting, longest = back.sol, back.t[-1]

    def rest(t):
        """How long it takes to halt from where it is when sped up for t, and how fast it may be there."""
        there = speeding(t)[0]
        left = brentq(lambda u: halting(u)[0] - there, 0.0, longest)
        return left, halting(left)[1]

    first = brentq(lambda t: speeding(t)[0] - halting(longest)[0] - 1e-6, 0.0, 3.0)
    last = brentq(lambda t: speeding(t)[0] - end + 1e-6, 0.0, 3.0)
    meeting = brentq(lambda t: speeding(t)[1] - rest(t)[1], first, last)
    best = meeting + rest(meeting)[0]
    path = straight(model, [0.0], [end])
    found = [time_optimal(model, path, effort=effort, points=n).duration for n in (100, 800)]
    assert best * (1.0 - 1e-6) <= found[1] < 1.003 * best
    assert found[0] < 1.012 * best


def afloat(gravity):
    """A floating base with a hinge, and waypoints between which the hinge turns."""
    builder = lw.Builder("afloat", gravity=[0.0, 0.0, gravity])
    builder.body("base", mass=5.0, center_of_mass=[0.0, 0.0, 0.0], inertia=0.1 * np.eye(3))
    builder.joint("root", "free", "world", "base")
    builder.body("link", mass=1.0, center_of_mass=[0.2, 0.0, 0.0], inertia=0.02 * np.eye(3))
    builder.joint("hinge", "revolute", "base", "link", axis=[0.0, 1.0, 0.0])
    model = builder.build()
    waypoints = np.stack([model.neutral(), model.neutral()])
    waypoints[1, -1] = 1.0
    return model, waypoints


@pytest.mark.parametrize(("gravity", "expected"), [(-9.81, "58.86 N or N m at rest"), (0.0, "to move along the path")])
def test_a_root_without_a_motor_is_reported(gravity, expected):
    """However it is gone along the path needs effort there."""
    model, waypoints = afloat(gravity)
    for effort in (None, 100.0):
        with pytest.raises(InputError, match=f"joint 'root' has no motor, but needs effort, {expected}"):
            time_optimal(model, waypoints, effort=effort, velocity=2.0, acceleration=5.0)


def test_a_root_moves_where_efforts_do_not_matter_or_it_has_motors():
    model, waypoints = afloat(-9.81)
    how = {"velocity": 2.0, "acceleration": 5.0}
    motion = time_optimal(model, waypoints, effort=np.inf, **how)
    assert used(motion).max() <= 1.0 + 1e-6
    driven = time_optimal(model, waypoints, effort=100.0, actuated=["root", "hinge"], **how)
    assert np.abs(driven.efforts(0.1)).max() <= 100.0
    with pytest.raises(InputError, match="joint 'hinge' has no motor"):
        time_optimal(model, waypoints, effort=100.0, actuated=["root"], **how)
    locked = model.lock({"root": model.neutral()[:7]})
    assert time_optimal(locked, waypoints[:, -1:], effort=100.0, **how).duration > 0.0


def test_motions_stay_what_they_are_when_moved_slowed_and_in_files(tmp_path):
    path = arm_path(2, (2,))
    motion = time_optimal(path.model, path)
    later = motion.shifted(2.0)
    assert np.allclose(later.efforts(2.5), motion.efforts(0.5))
    slow = motion.retimed([5.0 * motion.duration[0], 2.0 * motion.duration[1]])
    assert np.allclose(slow.speed, motion.speed / [[5.0], [2.0]])
    k = 40
    tangent = np.stack([path[row].at(motion.s[row, k]).v for row in range(2)])
    found = np.stack([slow[row].at(slow.times[row, k]).v for row in range(2)])
    assert np.allclose(found, tangent * slow.speed[:, k, None], atol=1e-6)
    place = motion.save(tmp_path / "motion.npz")
    again = lw.Trajectory.load(place, path.model)
    assert type(again) is type(motion)
    for name in ("s", "speed", "times", "coefficients"):
        assert np.array_equal(getattr(again, name), getattr(motion, name))
    assert np.allclose(again.speed_limits(), motion.speed_limits())
    assert np.array_equal(again[1].allowed["effort"], motion[1].allowed["effort"])
    assert again[1].limits.keys() == motion[1].limits.keys()


def test_batches_may_be_empty_and_need_to_go_together():
    arm = the_arm()
    none = time_optimal(arm, np.zeros((0, 4, 7)))
    assert none.batch == (0,)
    assert none.duration.shape == (0,)
    assert time_optimal(arm, arm.random(3, seed=0), velocity=np.ones((0, 7))).speed.shape[0] == 0
    with pytest.raises(LinkwrightError, match=r"batches do not broadcast: the path \(2,\), velocity \(3,\)"):
        time_optimal(arm, arm.random(6, seed=0).reshape(2, 3, 7), velocity=np.ones((3, 7)))


def test_another_number_of_waypoints_takes_the_kernels_that_are_there(monkeypatch):
    arm = the_arm()
    time_optimal(arm, 0.5 * arm.random(3, seed=1))

    def never(*args, **shapes):
        raise AssertionError("it is compiled again")

    monkeypatch.setattr(solver, "compile_or_not", never)
    time_optimal(arm, 0.5 * arm.random(6, seed=1))


def test_coordinates_that_do_not_move_need_no_special_care():
    arm = the_arm()
    q = 0.4 * arm.random(2, seed=9)
    q[1, [0, 3, 6]] = q[0, [0, 3, 6]]
    motion = time_optimal(arm, straight(arm, *q), acceleration=10.0)
    assert used(motion).max() <= 1.0 + 1e-6
    assert np.isfinite(motion.duration)


def test_what_cannot_be_followed_is_reported():
    arm = lw.load("arm4")
    stretched = straight(arm, [0.0, -1.5, 0.0, 0.0], [0.0, 1.5, 0.0, 0.0])
    holding = np.abs(lw.gravity_forces(arm, stretched.at(np.linspace(0.0, 1.0, 50)).q)).max(axis=0)
    weak = np.where(np.arange(4) == 1, 0.8 * holding, 10.0 * holding + 1.0)
    text = r"joint '\w+' cannot hold the robot at s = 0\.\d+ \(interval \d+ of 100.*: it needs .* N m at rest"
    with pytest.raises(InputError, match=text):
        time_optimal(arm, stretched, effort=weak, velocity=0.1)
    with pytest.raises(InputError, match=r"problem \[1\]: joint"):
        time_optimal(arm, stretched, effort=np.stack([10.0 * holding + 1.0, weak]), velocity=0.1)
    with pytest.raises(InputError, match="no limit bounds the speed along the path"):
        time_optimal(arm, stretched, effort=np.inf, velocity=np.inf)


def test_wrong_arguments_are_reported():
    arm = the_arm()
    path = arm_path(0)
    for how, kind, expected in (
        ({"effort": -1.0}, InputError, "the limit of effort is above 0; of 'joint1' it is -1"),
        ({"velocity": [1.0, 2.0]}, LinkwrightError, r"velocity is a number or an array \(…, 7\); got shape \(2,\)"),
        ({"points": 10.5}, InputError, "points is a whole number"),
        ({"scheme": "best"}, ArgumentError, "scheme is one of 'hull', 'interpolation', 'collocation'; got 'best'"),
        ({"start_speed": -1.0}, InputError, "start_speed is a speed along the path"),
        ({"check": "no"}, ArgumentError, "check is True or False; got 'no'"),
        ({"actuated": "joint1"}, ArgumentError, "actuated is a list of joint names; got 'joint1'"),
    ):
        with pytest.raises(kind, match=expected):
            time_optimal(arm, path, **how)
    with pytest.raises(ArgumentError, match="the path is of another model, 'arm7'"):
        time_optimal(arm.with_gravity([0.0, 0.0, 0.0]), path)
    assert len(time_optimal(arm, path, points=2).times) == 4 + 2 * 3 + 1
    with pytest.raises(InputError, match="waypoints 1 and 2 of the path are equal"):
        time_optimal(arm, arm.random(3, seed=0)[[0, 1, 1, 2]])
    with pytest.raises(LinkwrightError, match=r"the path is a Trajectory or configurations \(…, n, 7\)"):
        time_optimal(arm, [1.0, 2.0])
    still = path.then(straight(arm, path.end, path.end))
    with pytest.raises(InputError, match="piece 4 of the path does not move"):
        time_optimal(arm, still)


def test_waypoints_and_paths_of_the_hand():
    arm = the_arm()
    waypoints = 0.5 * arm.random(8, seed=2).reshape(2, 4, 7)
    motion = time_optimal(arm, waypoints)
    along = [np.abs(motion.at(t).q - q).max() for q, t in ((waypoints[:, 0], 0.0), (waypoints[:, -1], 99.0))]
    assert max(along) < 1e-9
    for one, row in zip((motion[0], motion[1]), waypoints, strict=True):
        q = one.at(one.times).q
        assert max(np.abs(q - x).max(axis=1).min() for x in row) < 1e-9
    q0 = np.array([0.3, 0.6, 0.2, -1.2, 0.1, 0.8, 0.0])
    T = lw.pose(arm, q0, "tool")
    end = T.copy()
    end[:3, 3] += [-0.1, 0.15, -0.1]
    path = lw.trajectories.follow(arm, "tool", lw.trajectories.straight(T, end, 1.0), q0)
    motion = time_optimal(arm, path)
    p = lw.pose(arm, motion.at(np.linspace(0.0, motion.duration, 300)).q, "tool")[:, :3, 3]
    line = (end - T)[:3, 3] / np.linalg.norm((end - T)[:3, 3])
    assert np.abs(np.cross(p - T[:3, 3], line)).max() < 2e-5
    assert used(motion).max() <= 1.0 + 1e-6


def test_closed_loops_are_refused():
    looped, q = with_loops(lw.load("planar:4"), ["revolute"], 0)
    path = straight(looped, q, q + 0.1)
    with pytest.raises(ModelError, match="has closed loops, for which time-optimal motions are not made"):
        time_optimal(looped, path)
