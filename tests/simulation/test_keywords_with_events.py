"""Every argument of `simulate` has the same effect with events as without."""

import dataclasses
import inspect
from functools import partial

import numpy as np
import pytest
from tests.setups import grouped

import linkwright as lw
from linkwright.errors import LinkwrightError
from linkwright.simulation.events import Event

H, T = 5e-3, 0.1


def never(model, t, q, v):
    return q[0] + 10.0


def pull(model, t, q, v, target=1.0):
    return 30.0 * (target - q) - 0.5 * v


def counted(model, t, q, v, state):
    return -state * np.ones(model.nv), state + 1.0


def measured(model, t, q, v, wrench):
    return wrench[:2]


def asked(t, q, v):
    return np.array([np.sin(30.0 * t), 0.0])


def there(model, t, q, v):
    return q + 0.5


def an_arm():
    made = lw.Builder("arm").body("upper", mass=1.0, center_of_mass=(0.5, 0, 0), inertia=0.1)
    made.body("lower", mass=0.5, center_of_mass=(0.4, 0, 0), inertia=0.05)
    made.joint(
        "shoulder",
        "revolute",
        "world",
        "upper",
        axis=(0, 1, 0),
        limits=lw.JointLimits(lower=-0.1, velocity=0.5, effort=3.0),
    )
    made.joint(
        "elbow",
        "revolute",
        "upper",
        "lower",
        axis=(0, 1, 0),
        xyz=(1, 0, 0),
        limits=lw.JointLimits(upper=0.25, velocity=0.5, effort=1.0),
    )
    return made.frame("tip", "lower", xyz=(0.8, 0, 0)).build()


def a_ball():
    made = lw.Builder("ball").body("ball", 1.0, inertia=0.004).joint("free", "free", "world", "ball")
    return made.shape("ball", "sphere", radius=0.1).build().with_ground(contact=lw.ContactProperties(restitution=0.5))


def on_the_ground():
    model = a_ball()
    q = model.neutral()
    q[2] = 0.11
    return model, q, np.array([0.5, 0, -1.0, 0, 0, 0])


def of_an_arm():
    return an_arm(), [0.1, 0.2], [0.3, -0.2]


def actuated():
    return an_arm().with_actuators(lw.Actuator("motor", "elbow", gain=(2.0, 0.1, 0.1))), [0.1, 0.2], [0.3, -0.2]


def closed():
    model = lw.load("four_bar")
    return model, *lw.default_configuration(model)


PUSH = {"tip": [0.0, 0.0, 20.0, 0.0, 0.0, 0.0]}

REACHES = {
    "callback": (of_an_arm, {}, asked),
    "controller": (of_an_arm, {}, pull),
    "every": (of_an_arm, {}, 4),
    "method": (of_an_arm, {}, "euler"),
    "tolerance": (of_an_arm, {"method": "dopri5"}, 1e-3),
    "joint_limits": (of_an_arm, {}, True),
    "solver": (on_the_ground, {}, lw.Solver(rest_velocity=10.0)),
    "stabilization": (closed, {"projection": False}, (50.0, 50.0)),
    "projection": (closed, {}, False),
    "initial_state": (of_an_arm, {"controller": counted, "initial_state": 0.0}, 3.0),
    "evaluated_at": (of_an_arm, {"controller": pull}, "stages"),
    "effort_limits": (of_an_arm, {"controller": pull}, True),
    "gear": (of_an_arm, {"controller": pull}, 2.0),
    "velocity_limits": (of_an_arm, {"controller": pull}, True),
    "controls": (actuated, {}, [0.7]),
    "servos": (of_an_arm, {"controller": there}, lw.Servos(100.0, 5.0)),
    "wrenches": (of_an_arm, {}, PUSH),
    "sensor": (of_an_arm, {"controller": measured, "wrenches": PUSH}, "tip"),
    "duration": (of_an_arm, {"callback": asked}, (0.7, 0.7 + T)),
}
"""By option: a mechanism with its start, the other options, and a value with which the motion is another one."""

REFUSED = {"period": 0.02, "delay": 0.01, "lag": 0.05, "noise": {"q": 0.01}}
"""Options that events do not go with."""

ELSEWHERE = {"progress", "each", "seed", "threads", "activations", "precision"}
"""Options with a test of their own."""

OBJECTS = {"actuation": lw.Actuation, "surroundings": lw.Surroundings, "method": lw.Integrator}
OTHERS = {"model", "q0", "v0", "step", "events", "actuation", "surroundings"}


def run(start, **options):
    model, q, v = start()
    return lw.simulate(model, q, v, **grouped(**{"duration": T, "step": H, **options}))


def of(motion):
    return [np.nan_to_num(x) for x in (motion.t, motion.q, motion.v, motion.tau, motion.impulses) if x is not None]


def same(a, b):
    return all(x.shape == y.shape and np.abs(x - y).max(initial=0.0) < 1e-9 for x, y in zip(of(a), of(b), strict=True))


def test_every_option_is_here():
    own = {*inspect.signature(lw.simulate).parameters} - OTHERS
    fields = {one.name for kind in OBJECTS.values() for one in dataclasses.fields(kind)} - {"_"}
    assert own | fields == {*REACHES, *REFUSED, *ELSEWHERE}


@pytest.mark.parametrize("name", REACHES)
def test_an_option_has_its_effect_with_events_too(name):
    start, others, value = REACHES[name]
    alone, with_events = (run(start, **{**others, name: value}, events=events) for events in (None, [never]))
    assert same(alone, with_events)
    if name == "sensor":  # without it another argument of the controller
        others = {**others, "controller": pull}
    assert not same(alone, run(start, **others))


ROLLOUTS = {name: one for name, one in REACHES.items() if name not in ("callback", "every", "evaluated_at", "duration")}
"""Options of rollouts as well: :data:`REACHES`."""


@pytest.mark.parametrize("name", [*ROLLOUTS, *REFUSED])
def test_an_option_has_the_same_effect_in_rollouts(name):
    start, others, value = {**REACHES, **{name: (of_an_arm, {"controller": pull}, x) for name, x in REFUSED.items()}}[
        name
    ]
    model, q, v = start()
    options = {**others, name: value}
    found = lw.rollout(model, q, v, round(T / H), H, every=1, **grouped(**options))
    motion = run(start, **options)
    near = 1e-3 if name == "tolerance" else 1e-12  # simulate takes steps longer than H, rollout does not
    assert np.abs(found.q - motion.q[1:]).max() < near
    assert np.abs(found.v - motion.v[1:]).max() < 1e3 * near


def test_an_option_given_as_an_argument_names_its_object():
    for name, expected in (("delay", "actuation=lw.Actuation"), ("sensor", "surroundings=lw.Surroundings")):
        with pytest.raises(LinkwrightError, match=f"has no argument '{name}', which is an option: {expected}"):
            lw.simulate(*of_an_arm(), T, H, **{name: 0.1})
    with pytest.raises(LinkwrightError, match="episode=lw"):
        lw.rollout(*of_an_arm(), 3, H, reward=pull)


def test_each_is_checked_with_events_too():
    for events in (None, [never]):
        with pytest.raises(LinkwrightError, match="a batch of initial states"):
            run(of_an_arm, controller=partial(pull, target=0.5), each=["target"], events=events)


def test_progress_comes_to_its_end_with_events_too():
    for events in (None, [never]):
        messages = []
        run(of_an_arm, progress=messages.append, events=events)
        assert messages[-1] == 1.0


@pytest.mark.parametrize("name", REFUSED)
def test_what_remembers_earlier_steps_is_refused_by_name(name):
    run(of_an_arm, controller=pull, **{name: REFUSED[name]})
    with pytest.raises(LinkwrightError, match=name):
        run(of_an_arm, controller=pull, events=[never], **{name: REFUSED[name]})


@pytest.mark.parametrize(
    "message",
    [
        {"duration": -1.0},
        {"duration": 0.0},
        {"step": np.nan},
        {"step": 1.0},
        {"every": 0},
        {"every": 1000},
        {"duration": (0.0, np.inf)},
    ],
)
def test_wrong_times_are_refused_alike(message):
    given = {"duration": T, "step": H, **message}
    start, messages = of_an_arm(), []
    for events in (None, [never]):
        with pytest.raises(LinkwrightError) as found:
            lw.simulate(*start, **grouped(**given, events=events))
        messages.append(str(found.value))
    assert messages[0] == messages[1]


@pytest.mark.parametrize("message", [{}, {"every": 3}])
def test_contacts_of_a_motion_with_events(message):
    """Impulses belong to their samples, and forces are those over the steps of their own lengths."""
    model, q, v = on_the_ground()
    clock = Event(lambda model, t, q, v: t - 0.8513)
    motion = lw.simulate(model, q, v, 1.0, H, **grouped(events=[clock], **message))
    assert len(motion.impulses) == len(motion.t) == len(motion.contacts.forces)
    resting = motion.t > 0.7
    resting &= np.append(True, np.diff(motion.t) > 0.0)  # a sample after an event ends no step
    assert resting.sum() > 5
    pressing = motion.contacts.normal_forces.sum(axis=-1)
    if not message:
        assert pressing[resting] == pytest.approx(9.81, rel=1e-6)
        assert np.isfinite(motion.contacts.work).all()
        assert np.isfinite(motion.contacts.residual).all()
