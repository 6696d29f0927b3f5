"""Laws around laws: what is bound to the inner one is a value of the kernel, states nest, initial states are given."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from tests.setups import grouped

import linkwright as lw
from linkwright.errors import LinkwrightError
from linkwright.simulation.integrators import step_function

control = lw.control


@pytest.fixture(scope="module")
def arm():
    return lw.load("two_link")


def integral(model, t, q, v, z, *, gain):
    return -gain * q - v, z + gain


integral.initial_state = lambda model, gain: np.zeros(model.nv)


def counting(model, t, q, v, state, *, controller, push):
    tau, inner = controller(model, t, q, v, state["controller"])
    return tau + push, {"controller": inner, "asked": state["asked"] + 1.0}


counting.initial_state = lambda model, controller, push: {
    "controller": control.initial_state_of(model, controller),
    "asked": np.zeros(()),
}


def test_states_nest_and_are_reported_at_the_start(arm):
    controller = partial(
        counting, controller=partial(counting, controller=partial(integral, gain=2.0), push=0.0), push=1.0
    )
    state = lw.simulate(arm, [0, 0], [0, 0], 0.01, controller=controller).state
    assert state["asked"][-1] == state["controller"]["asked"][-1] == 10.0
    assert np.array_equal(state["controller"]["controller"][-1], [20.0, 20.0])
    start = control.initial_state_of(arm, controller)
    start["controller"]["controller"] = np.array([5.0, 7.0])
    state = lw.simulate(
        arm, [0, 0], [0, 0], 0.01, controller=controller, actuation=lw.Actuation(initial_state=start)
    ).state
    assert np.array_equal(state["controller"]["controller"][-1], [25.0, 27.0])


def test_numbers_of_a_law_within_a_law_are_values_of_the_kernel(arm, monkeypatch):
    def controller(gain):
        return partial(counting, controller=partial(integral, gain=gain), push=0.0)

    for gain in (2.5, 3.5):
        motion = lw.simulate(arm, [0.1, 0], [0, 0], 0.01, controller=controller(gain))
        assert motion.state["controller"][-1] == pytest.approx([10 * gain] * 2)
        monkeypatch.setattr(step_function, "trace", lambda bound: pytest.fail("it was traced again"))


def test_each_motion_may_have_its_own_numbers_within(arm):
    gains = np.arange(6.0).reshape(3, 2)
    controller = partial(counting, controller=partial(integral, gain=gains), push=0.0)
    motions = lw.simulate(
        arm,
        np.zeros((3, 2)),
        np.zeros(2),
        0.01,
        controller=controller,
        actuation=lw.Actuation(each=["controller.gain"]),
    )
    assert np.allclose(motions.state["controller"][-1], 10.0 * gains)


def test_a_law_may_assume_another_mechanism(arm):
    """Gravity of the wrong masses is held, and so the joints feel the difference."""
    other = arm.with_parameters(1.5 * lw.inertial_parameters(arm))
    q = np.array([0.3, 0.4])
    controller = partial(control.pd, target=q, stiffness=0.0, damping=0.0)
    motion = lw.simulate(
        arm, q, np.zeros(2), 0.002, controller=partial(control.with_model, controller=controller, mechanism=other)
    )
    assert motion.tau[0] == pytest.approx(1.5 * lw.gravity_forces(arm, q))


def test_what_is_measured_is_handed_on(arm):
    """A sensor tells the controller within, through all that stand around it."""
    frame = arm.bodies[-1].name

    def yielding(model, t, q, v, *, wrench):
        return lw.joint_forces(model, q, frame, -wrench) + lw.gravity_forces(model, q)

    controller = partial(control.momentum_observer, controller=yielding, gain=50.0, step=1e-3)
    controller = partial(control.kalman_velocity, controller=controller, noise=1e-4, jerk=10.0, step=1e-3)
    controller = partial(control.encoders, controller=controller, resolution=1e-6)
    controller = partial(control.with_model, controller=controller, mechanism=arm)
    push = {frame: [1.0, 2.0, 0.0, 0.0, 0.0, 0.1]}
    motion = lw.simulate(
        arm, [0.3, 0.4], [0, 0], 0.05, controller=controller, surroundings=lw.Surroundings(wrenches=push, sensor=frame)
    )
    assert np.abs(motion.v).max() < 1e-3


def test_a_step_that_is_none_is_warned_of(arm):
    controller = partial(
        counting, controller=partial(control.pid, target=np.zeros(2), stiffness=1, integral=1, damping=1), push=0.0
    )
    controller = partial(counting, controller=partial(controller.keywords["controller"], step=2e-3), push=0.0)
    with pytest.warns(
        match=r"the controller counting is bound to controller.step=0.002 s, but is evaluated every 0.001 s"
    ):
        lw.simulate(arm, [0, 0], [0, 0], 0.01, controller=controller)
    lw.simulate(arm, [0, 0], [0, 0], 0.01, controller=controller, actuation=lw.Actuation(period=2e-3))


def untold(model, t, q, v, z):
    return -v, z


@pytest.mark.parametrize(
    ("controller", "options", "message"),
    [
        (
            partial(control.encoders, controller=untold, resolution=1e-3),
            {},
            "takes a state, and has no initial one",
        ),
        (
            partial(counting, controller=partial(integral, gain=1.0), push=0.0),
            {"initial_state": {"asked": 0.0}},
            r"initial_state of the controller counting is put together as .*; expected .*'controller'",
        ),
        (
            partial(control.with_model, controller=integral, mechanism=lw.load("arm7")),
            {},
            "'arm7' has other joints than 'two_link'",
        ),
        (
            partial(control.momentum_observer, controller=integral, gian=1.0, step=1e-3),
            {},
            "momentum_observer lacks 'gain' and has no argument 'gian'; it takes",
        ),
        (partial(control.with_model, controller=integral, mechanism="arm7"), {}, "mechanism is a Model; got 'arm7'"),
    ],
)
def test_what_cannot_be_is_reported(arm, controller, options, message):
    with pytest.raises(LinkwrightError, match=message):
        lw.simulate(arm, [0, 0], [0, 0], 0.01, **grouped(controller=controller, **options))


def test_a_controller_without_a_state_has_none_of_each_motion():
    arm = lw.load("two_link")
    for found in (control.pd, partial(control.pd, target=np.zeros(2), stiffness=1.0, damping=1.0)):
        with pytest.raises(lw.errors.UnknownNameError, match="'state'"):
            lw.simulate(arm, np.zeros((3, 2)), [0, 0], 0.01, controller=found, actuation=lw.Actuation(each=["state"]))


def test_attributes_of_a_function_are_its_methods_as_a_controller():
    def slow(model, t, q, v, state, *, rate):
        return -state, state + rate * q

    slow.initial_state = lambda model, *, rate: np.zeros(model.nv)
    arm = lw.load("two_link")
    motion = lw.simulate(arm, [0.1, 0.2], [0, 0], 0.01, controller=partial(slow, rate=2.0))
    assert motion.state.shape == (11, 2)
    with pytest.raises(lw.errors.ArgumentError, match="slow has no argument 'rat'"):
        lw.simulate(arm, [0.1, 0.2], [0, 0], 0.01, controller=partial(slow, rate=2.0, rat=1.0))
