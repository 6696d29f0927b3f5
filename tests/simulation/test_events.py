"""Events: where they are, what happens then, what touches stays or is thrown back."""

from functools import partial

import numpy as np
import pytest
from tests.setups import grouped

import linkwright as lw
from linkwright.errors import ArgumentError, InputError, LinkwrightError, ModelError
from linkwright.simulation.events import Event, Impact, event_loop, limits, touch

G = 9.81


def a_ball():
    made = lw.Builder("ball").body("ball", mass=2.0, inertia=0.1)
    return made.joint("slide", "prismatic", "world", "ball", axis=(0, 0, 1)).build()


def over_ground(restitution=0.0):
    """The ball over the ground, which it touches at q = 0."""
    made = lw.Builder(a_ball()).shape("ball", "sphere", radius=0.2, xyz=(0, 0, 0.2))
    return made.build().with_ground(contact=lw.ContactProperties(restitution=restitution))


@pytest.mark.parametrize(("method", "step"), [("rk4", 1e-2), ("dopri5", 1e-2), ("rk4", 0.13)])
def test_a_ball_bounces_forty_times_and_comes_to_rest(method, step):
    H, e = 1.0, 0.8
    ball = over_ground(e)
    motion = lw.simulate(ball, [H], [0.0], 4.5, step, method=method, events=[touch(ball)])
    n = np.arange(40)
    apexes = np.array([event.after[1][0] ** 2 / (2 * G) for event in motion.events[:40]])
    assert np.abs(apexes - H * e ** (2.0 * (n + 1))).max() < 1e-12
    times = np.array([event.t for event in motion.events[:40]])
    expected = np.sqrt(2 * H / G) * (1 + 2 * (e - e ** (n + 1)) / (1 - e))
    assert np.abs(times - expected).max() < 1e-12
    rest = np.sqrt(2 * H / G) * (1 + e) / (1 - e)  # of all bounces, however small
    assert motion.events[-1].t == pytest.approx(rest, abs=1e-4)
    assert len(motion.events) < 60
    after = motion.t > rest
    assert after.any()
    assert np.abs(motion.q[after]).max() < 1e-12
    assert np.abs(motion.v[after]).max() < 1e-12
    assert [len(part.model.loops) for part in motion.parts] == [0, 1]
    assert sum(event.lost for event in motion.events) == pytest.approx(2.0 * G * H, rel=1e-6)
    assert (np.diff(motion.t) >= 0.0).all()


def lifting(model, t, q, v, when, force):
    return lw.where(t > when, force, 0.0) * np.ones(model.nv)


def test_what_rests_leaves_when_it_would_have_to_be_held_down():
    law = partial(lifting, when=0.5, force=30.0)
    ball = over_ground()
    motion = lw.simulate(ball, [0.0], [-0.5], 1.0, 1e-2, controller=law, events=[touch(ball)])
    names = [event.name for event in motion.events]
    assert "leaves" in names[-1]
    assert motion.events[-1].t == pytest.approx(0.51, abs=1.1e-2)  # the law is asked every 10 ms
    a = 30.0 / 2.0 - G
    assert motion.q[-1, 0] == pytest.approx(0.5 * a * (1.0 - motion.events[-1].t) ** 2, rel=1e-2)
    assert [len(part.model.loops) for part in motion.parts] == [0, 1, 0] or len(motion.parts) == 2


def test_an_event_is_located_where_it_is():
    seen = lw.simulate(a_ball(), [1.0], [0.0], 0.6, 0.07, events=[lambda model, t, q, v: q[0] - 0.3])
    (event,) = seen.events
    assert event.t == pytest.approx(np.sqrt(2 * 0.7 / G), abs=1e-13)
    assert event.before[0][0] == pytest.approx(0.3, abs=1e-13)
    assert event.t in seen.t
    assert len(seen.parts) == 0
    plain = lw.simulate(a_ball(), [1.0], [0.0], 0.6, 0.07)
    assert seen.q[-1] == pytest.approx(plain.q[-1], abs=1e-12)

    model = lw.load("arm7")
    q, v = lw.default_configuration(model)
    where = float(lw.pose(model, lw.simulate(model, q, v, 0.2, 1e-3).q[-1], model.bodies[-1].name)[2, 3])
    height = partial(turned, height=where)
    fine = lw.simulate(model, q, v, 0.3, 1e-3, events=[height], method=lw.Integrator("dopri5", tolerance=1e-13))
    rough = lw.simulate(model, q, v, 0.3, 1e-3, events=[height])
    assert len(fine.events) == len(rough.events) > 0
    for a, b in zip(fine.events, rough.events, strict=True):
        assert a.t == pytest.approx(b.t, abs=1e-8)


def turned(model, t, q, v, height):
    return lw.pose(model, q, model.bodies[-1].name)[2, 3] - height


def swing(model, t, q, v):
    return q[0]


@pytest.mark.parametrize(("direction", "count"), [("both", 5), ("down", 3), ("up", 2)])
def test_directions_are_reported_apart(direction, count):
    model = lw.load("pendulum")
    down = lw.simulate(model, [0.0], [1.0], 2.5, 1e-3).q[:, 0]
    crossings = np.flatnonzero(down[1:-1] * down[2:] < 0.0)
    signs = np.sign(down[crossings + 1])  # positive before: down
    expected = {"both": len(signs), "down": int((signs > 0).sum()), "up": int((signs < 0).sum())}[direction]
    seen = lw.simulate(model, [0.0], [1.0], 2.5, 1e-2, events=[Event(swing, direction=direction)])
    assert len(seen.events) == expected
    assert all(abs(event.before[0][0]) < 1e-12 for event in seen.events)


def test_an_event_may_stop_the_motion_or_happen_once():
    model = lw.load("pendulum")
    stopped = lw.simulate(model, [0.5], [0.0], 3.0, 1e-2, events=[Event(swing, "stop", name="through")])
    assert stopped.t[-1] == stopped.events[0].t
    assert stopped.q[-1, 0] == pytest.approx(0.0, abs=1e-12)
    assert repr(stopped.events[0]).startswith("<'through' at t =")
    once = lw.simulate(model, [0.5], [0.0], 3.0, 1e-2, events=[Event(swing, once=True)])
    assert len(once.events) == 1


def meeting(model, t, q, v, left):
    return q[left + 1] - q[left]


def row_of_balls(n):
    made = lw.Builder("balls", gravity=(0, 0, 0))
    for k in range(n):
        made.body(f"b{k}", mass=1.0, inertia=0.1).joint(f"s{k}", "prismatic", "world", f"b{k}", axis=(1, 0, 0))
    return made.build()


def test_newton_s_cradle_is_exact():
    model, n = row_of_balls(5), 5
    cradle = [Event(partial(meeting, left=k), Impact(1.0), "down", name=f"{k}") for k in range(n - 1)]
    q, v = [-1.0, 0.0, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0, 0.0]
    motion = lw.simulate(model, q, v, 1.5, 1e-2, events=cradle)
    assert motion.v[-1] == pytest.approx([0, 0, 0, 0, 1.0], abs=1e-12)
    assert motion.drift < 1e-12
    v = [1.0, 1.0, 0.0, 0.0, 0.0]
    two = lw.simulate(model, [-1.0, -1.0, 0.0, 0.0, 0.0], v, 1.5, 1e-2, events=cradle)
    assert two.v[-1] == pytest.approx([0, 0, 0, 1.0, 1.0], abs=1e-12)
    plastic = [Event(one.condition, Impact(0.0), "down") for one in cradle]
    together = lw.simulate(model, q, [1.0, 0.0, 0.0, 0.0, 0.0], 1.5, 1e-2, events=plastic)
    assert together.v[-1] == pytest.approx(np.full(5, 0.2), abs=1e-9)


def test_a_joint_is_thrown_back_by_its_limit_and_rests_at_it():
    made = lw.Builder("flap").body("flap", mass=1.0, center_of_mass=(0.5, 0, 0), inertia=0.02)
    model = made.joint("hinge", "revolute", "world", "flap", axis=(0, -1, 0), limits=(-0.3, 1.0)).build()
    stops = limits(model, ["hinge"], restitution=0.5)
    assert len(stops) == 2
    motion = lw.simulate(model, [0.5], [0.0], 4.0, 5e-3, events=stops)
    first = motion.events[0]
    assert first.name == "hinge at its lower limit"
    assert first.after[1] == pytest.approx(-0.5 * first.before[1], rel=1e-12)
    assert first.lost == pytest.approx(0.75 * lw.kinetic_energy(model, *first.before), rel=1e-9)
    assert motion.q.min() > -0.3 - 1e-9
    assert motion.q[-1, 0] == pytest.approx(-0.3, abs=1e-10)
    assert motion.parts[-1].model.loops


def test_a_ball_on_a_slope_slides_along_it():
    made = lw.Builder("puck").body("puck", mass=1.0, inertia=0.01).joint("free", "free", "world", "puck")
    angle = 0.3
    normal = (np.sin(angle), 0.0, np.cos(angle))
    made.shape("puck", "sphere", radius=0.1)
    model = made.build().with_ground(normal=normal, contact=lw.ContactProperties(friction=0.0))
    q = model.neutral()
    q[:3] = 0.1001 * np.array(normal)
    motion = lw.simulate(model, q, np.zeros(6), 0.5, 1e-2, events=[touch(model)])
    rested = motion.events[0].t
    gone = motion.q[-1, :3] - motion.q[0, :3]
    along = np.array([np.cos(angle), 0.0, -np.sin(angle)])
    assert gone @ along == pytest.approx(0.5 * G * np.sin(angle) * 0.25, rel=1e-6)
    assert motion.q[-1, :3] @ normal == pytest.approx(0.1, abs=1e-9)
    assert rested < 0.01


def test_pairs_of_the_model_touch():
    made = lw.Builder("ball").body("ball", mass=1.0, inertia=0.01).joint("free", "free", "world", "ball")
    made.shape("ball", "sphere", radius=0.2)
    model = made.build().with_ground(contact=lw.ContactProperties(restitution=0.9))
    q = model.neutral()
    q[2] = 1.0
    motion = lw.simulate(model, q, np.zeros(6), 1.0, 1e-2, events=[touch(model)], method="dopri5")
    first = motion.events[0]
    assert first.t == pytest.approx(np.sqrt(2 * 0.8 / G), abs=1e-6)
    with pytest.raises(LinkwrightError, match="pair"):
        touch(model, 3)


def test_what_comes_to_rest_and_is_not_held_ends_the_motion():
    made = lw.Builder("box").body("box", mass=1.0, inertia=0.01).joint("free", "free", "world", "box")
    model = made.shape("box", "box", size=(0.2, 0.2, 0.2)).build().with_ground()
    q = model.neutral()
    q[2] = 1.0
    with pytest.warns(UserWarning, match="nothing says how it is held"):
        ended = lw.simulate(model, q, np.zeros(6), 1.0, 1e-2, events=[touch(model)])
    assert ended.t[-1] == pytest.approx(np.sqrt(2 * 0.9 / G), abs=1e-6)


def two_bodies():
    made = lw.Builder("two", gravity=(0, 0, 0))
    for name in "ab":
        made.body(name, mass=2.0, inertia=[0.1, 0.2, 0.25])
        made.joint(f"{name}_free", "free", "world", name)
    return made.build()


def near(model, t, q, v):
    gap = lw.pose(model, q, "b")[:3, 3] - lw.pose(model, q, "a")[:3, 3]
    return gap @ gap - 0.25


def at_half_a_second(model, t, q, v):
    return t - 0.5


def test_bodies_are_grasped_and_let_go_and_momentum_stays():
    model = two_bodies()
    q = model.neutral()
    q[7] = 1.0
    v = np.array([2.0, 0.1, 0, 0, 0, 1.0, 0, 0, 0, 0, 0, 0])

    def grasped(model, t, q, v):
        return lw.structure.grasp(model, q, v, "a", "b")

    def released(model, t, q, v):
        return lw.structure.remove_loop(model, q, v, "grasp")

    events = [
        Event(near, grasped, "down", name="grasp", once=True),
        Event(at_half_a_second, released, "up", name="release"),
    ]
    motion = lw.simulate(model, q, v, 1.0, 1e-2, events=events)
    assert [event.name for event in motion.events] == ["grasp", "release"]
    assert motion.events[1].t == pytest.approx(0.5, abs=1e-12)
    assert [len(part.model.loops) for part in motion.parts] == [0, 1, 0]
    linear = [lw.momentum(part.model, part.q, part.v) for part in motion.parts]
    assert np.abs(np.concatenate(linear) - linear[0][0]).max() < 1e-9
    kinetic = motion.kinetic
    assert kinetic[0] - kinetic[-1] == pytest.approx(motion.events[0].lost, rel=1e-9)
    assert motion.events[0].lost > 0.1
    assert motion.closure < 1e-9
    assert len(motion.t) == len(motion.q) == len(motion.energy)
    figure = motion.plot()
    assert figure is not None


def folded(model, t, q, v):
    return q[0] - 0.2


def test_joints_are_locked_while_it_moves_and_all_is_one_record():
    model = lw.load("two_link")

    def lock(model, t, q, v):
        return lw.structure.lock_joints(model, q, v, [model.joints[1].name])

    q, v = np.array([0.5, 0.4]), np.zeros(2)
    events = [Event(folded, lock, "down", once=True)]
    motion = lw.simulate(model, q, v, 1.0, 1e-2, events=events)
    first, second = motion.parts
    assert (first.model.nq, second.model.nq) == (2, 1)
    assert motion.model.nq == 2
    at = len(first.t)
    assert np.all(motion.q[at:, 1] == motion.q[at - 1, 1])
    assert np.all(motion.v[at:, 1] == 0.0)
    assert np.abs(np.diff(motion.energy[at:])).max() < 1e-6
    assert motion.energy[at - 1] - motion.energy[at] == pytest.approx(motion.events[0].lost, rel=1e-9)

    def unlock(model_, t, q, v):
        return lw.structure.unlock_joints(model_, q, v, model)

    locked = lw.structure.lock_joints(model, q, v, [model.joints[1].name])
    again = lw.simulate(
        locked.model, locked.q, locked.v, 0.4, 1e-2, events=[Event(partial(later, when=0.2), unlock, "up")]
    )
    assert again.model.nq == 2
    assert np.all(again.q[: len(again.parts[0].t), 1] == pytest.approx(q[1]))
    assert again.events[0].lost == pytest.approx(0.0, abs=1e-12)


def later(model, t, q, v, when):
    return t - when


def counted(model, t, q, v, state):
    return np.zeros(model.nv), state + 1.0


def test_laws_with_states_go_on_after_events():
    events = [lambda model, t, q, v: q[0] - 0.3]
    motion = lw.simulate(
        a_ball(), [1.0], [0.0], 0.6, 0.1, controller=counted, events=events, actuation=lw.Actuation(initial_state=0.0)
    )
    assert motion.state[-1] >= 6.0
    assert (np.diff(motion.state) >= 0.0).all()
    thinned = lw.simulate(a_ball(), [1.0], [0.0], 0.6, 0.01, every=10, events=events)
    assert len(thinned.t) < 14
    assert thinned.events[0].t in thinned.t
    assert thinned.t[-1] == pytest.approx(0.6)


@pytest.mark.parametrize(
    ("message", "match"),
    [
        ({"events": near}, "list"),
        ({"events": ["touch"]}, "an event is"),
        ({"events": [near], "method": "variational"}, "variational"),
        ({"events": [near], "controller": lifting, "period": 0.1}, "period"),
    ],
)
def test_what_events_cannot_be_is_reported(message, match):
    with pytest.raises(LinkwrightError, match=match):
        lw.simulate(two_bodies(), two_bodies().neutral(), np.zeros(12), 0.1, 1e-2, **grouped(**message))


def test_batches_bad_actions_and_too_many_events_are_reported(monkeypatch):
    ball, grounded = a_ball(), over_ground()
    with pytest.raises(LinkwrightError, match="one by one"):
        lw.simulate(grounded, [[1.0]], [[0.0]], 0.1, 1e-2, events=[touch(grounded)])
    with pytest.raises(LinkwrightError, match="returns None"):
        lw.simulate(ball, [0.1], [0.0], 0.5, 1e-2, events=[Event(lambda m, t, q, v: q[0], lambda m, t, q, v: 3.0)])
    with pytest.raises(LinkwrightError, match="one number"):
        lw.simulate(ball, [0.1], [0.0], 0.5, 1e-2, events=[lambda m, t, q, v: q])
    with pytest.raises(LinkwrightError, match="restitution"):
        Impact(1.5)
    back = Event(lambda m, t, q, v: q[0], lambda m, t, q, v: (q + 1e-9, v), "down")
    monkeypatch.setattr(event_loop, "MANY", 20)
    with pytest.raises(LinkwrightError, match="more than 20 events"):
        lw.simulate(ball, [0.1], [0.0], 0.5, 0.05, events=[back])


@pytest.mark.parametrize(
    ("condition", "match"),
    [
        (lambda m, t, q, v: q[0] > 0.5, "truth value"),
        (lambda m, t, q, v: ~((q[0] > 0.5) & (v[0] < 0.0)), "truth value"),
        (lambda m, t, q, v: lw.where(q[0] > 0.5, 1.0, 0.0), "truth value"),
        (lambda m, t, q, v: True, "truth value"),
        (lambda m, t, q, v: None, "'here' is one number; it returned None"),
        (lambda m, t, q, v: "x", "it returned 'x'"),
        (lambda m, t, q, v: np.sqrt(q[0] - 2.0), "event 'here' is nan at t = 3 s"),
    ],
)
def test_a_condition_that_has_no_sign_is_refused(condition, match):
    with pytest.raises(LinkwrightError, match=match):
        lw.simulate(a_ball(), [1.0], [0.0], (3.0, 3.0 + 0.5), 1e-2, events=[Event(condition, name="here")])


def test_a_condition_may_be_no_number_where_the_motion_does_not_come():
    nowhere = Event(lambda m, t, q, v: np.sqrt(q[0] - 0.5) + 0.1, name="root")
    above = Event(lambda m, t, q, v: q[0] - 0.6, "stop")
    motion = lw.simulate(a_ball(), [1.0], [0.0], 0.5, 1e-2, events=[above, nowhere])
    assert motion.q[-1, 0] == pytest.approx(0.6, abs=1e-12)
    with pytest.raises(InputError, match=r"'root' is nan at t = 0\.32 s"):
        lw.simulate(a_ball(), [1.0], [0.0], 0.5, 1e-2, events=[nowhere])


def test_functions_of_events_tell_which_they_are():
    with pytest.raises(
        ArgumentError, match=r"condition of the event 'here' is called with \(model, t, q, v\).* \(q, v\)"
    ):
        Event(lambda q, v: q[0], name="here")
    with pytest.raises(ArgumentError, match=r"action of the event 'here' is called .* \(q, v\)"):
        Event(lambda m, t, q, v: q[0], lambda q, v: None, name="here")
    wrong = lambda m, t, q, v: 1 / 0  # noqa: E731
    asked = Event(wrong, name="here")
    with pytest.raises(ZeroDivisionError) as found:
        lw.simulate(a_ball(), [1.0], [0.0], 0.5, 1e-2, events=[asked])
    assert "in the condition of the event 'here'" in found.value.__notes__
    acted = Event(lambda m, t, q, v: t - 0.2, wrong, name="here")
    with pytest.raises(ZeroDivisionError) as found:
        lw.simulate(a_ball(), [1.0], [0.0], 0.5, 1e-2, events=[acted])
    assert "in the action of the event 'here', at t = 0.2 s" in found.value.__notes__


def test_touches_that_cannot_be_are_reported():
    with pytest.raises(ModelError, match=r"'two' has no pairs .* with_ground\(\)"):
        touch(two_bodies())
    model = lw.load("quadruped").with_ground()
    for pair in (1.5, True, "0"):
        with pytest.raises(InputError, match=r"pair, a place in model\.pairs, is a whole number from 0"):
            touch(model, pair)


def test_a_motion_may_begin_at_another_time():
    model = lw.load("two_link")
    law = partial(lifting, when=0.5, force=1.0)
    q, v = np.array([0.3, 0.2]), np.zeros(2)
    for method in ("rk4", "dopri5"):
        whole = lw.simulate(model, q, v, 1.0, 1e-2, controller=law, method=method)
        first = lw.simulate(model, q, v, 0.3, 1e-2, controller=law, method=method)
        rest = lw.simulate(model, first.q[-1], first.v[-1], (0.3, 0.3 + 0.7), 1e-2, controller=law, method=method)
        assert rest.t == pytest.approx(whole.t[30:], abs=1e-12)
        assert rest.q[-1] == pytest.approx(whole.q[-1], abs=1e-6)


@pytest.mark.parametrize("above", [1e-6, 1e-3, -1e-6])
def test_what_is_beyond_for_a_moment_is_seen_between_samples(above):
    height = 0.5 * 3.0**2 / G  # thrown at 3 m/s

    def ceiling(model, t, q, v):
        return q[0] - (height - above)

    motion = lw.simulate(a_ball(), [0.0], [3.0], 0.6, 0.04, events=[ceiling])
    times = [event.t for event in motion.events]
    if above < 0.0:
        assert not times
    else:
        half = np.sqrt(2 * above / G)
        assert times == pytest.approx([3.0 / G - half, 3.0 / G + half], abs=1e-10)


def lift_one(model, t, q, v):
    return np.concatenate([lw.where(t > 0.295, 50.0, 0.0) * np.ones(1), np.zeros(model.nv - 1)])


def test_what_is_held_stays_held_when_something_else_changes():
    made = lw.Builder("two")
    for name in "ab":
        made.body(name, mass=2.0, inertia=0.1).joint(f"{name}_up", "prismatic", "world", name, axis=(0, 0, 1))
    model = made.shape("a", "sphere", radius=0.1, xyz=(0, 0, 0.1)).build().with_ground()

    def lock(model, t, q, v):
        return lw.structure.lock_joints(model, q, v, ["b_up"])

    events = [touch(model), Event(partial(later, when=0.1), lock, "up", name="lock")]
    motion = lw.simulate(model, [0.0, 3.0], [0.0, 0.0], 0.5, 1e-2, controller=lift_one, events=events)
    assert [event.name for event in motion.events][:3] == ["a touches ground", "lock", "a touches ground: leaves"]
    assert motion.events[2].t == pytest.approx(0.295, abs=1e-9)  # where the law begins to lift
    assert np.abs(motion.q[motion.t < 0.29, 0]).max() < 1e-10
    assert motion.q[-1, 0] == pytest.approx(0.5 * (25.0 - G) * (0.5 - motion.events[-1].t) ** 2, rel=1e-6)
    assert [len(part.model.loops) for part in motion.parts][-1] == 0


@pytest.mark.variants("wave", "t0")
@pytest.mark.parametrize("t0", [0.0, 0.1, 7.3])
@pytest.mark.parametrize("wave", [np.sin, np.cos])
@pytest.mark.parametrize("period", [0.02, 0.05, 0.1, 0.2, 0.25, 0.333])
def test_a_clock_that_changes_its_sign_at_samples_is_seen_each_time_once(wave, period, t0):
    def clock(model, t, q, v):
        return wave(np.pi * t / period)

    motion = lw.simulate(a_ball(), [1.0], [0.0], (t0, t0 + 0.6), 0.01, events=[clock])
    zeros = (np.arange(400) + (0.5 if wave is np.cos else 0.0)) * period
    within = [np.abs(t - t0 - 0.3) < 0.3 - 1e-9 for t in (zeros, np.array([event.t for event in motion.events]))]
    found = np.array([event.t for event in motion.events])[within[1]]
    assert found == pytest.approx(zeros[within[0]], abs=1e-13)
    assert motion.t[-1] == pytest.approx(t0 + 0.6, abs=1e-12)
    assert (np.diff(motion.t) >= 0.0).all()
    fall = motion.t - t0
    assert motion.q[:, 0] == pytest.approx(1.0 - 0.5 * G * fall**2, abs=1e-11)


@pytest.mark.parametrize("height", [1e-30, 1e-15, 1e-13])
def test_what_touches_at_once_does_not_end_the_motion(height):
    ball = over_ground(0.5)
    motion = lw.simulate(ball, [height], [0.0], 0.1, 0.01, events=[touch(ball)])
    assert motion.t[-1] == pytest.approx(0.1)
    assert np.abs(motion.q).max() < 1e-12
    assert motion.parts[-1].model.loops if motion.parts else motion.model.loops


@pytest.mark.parametrize("rate", [1e3, 1e4, 1e6])
def test_a_condition_faster_than_the_steps_is_warned_of(rate):
    def fast(model, t, q, v):
        return np.sin(rate * t)

    with pytest.warns(UserWarning, match="'fast' changes its sign several times within a step of 0.01 s"):
        motion = lw.simulate(a_ball(), [1.0], [0.0], 0.2, 0.01, events=[fast])
    assert motion.t[-1] == pytest.approx(0.2)
    assert all(abs(np.sin(rate * event.t)) < 4e-15 * rate for event in motion.events)
