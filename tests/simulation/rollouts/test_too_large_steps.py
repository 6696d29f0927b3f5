"""Steps that are too large for machine code: the same motion, found out once, and a warning with the way out."""

import warnings
from functools import partial

import numpy as np
import pytest
from tests.setups import grouped

import linkwright as lw
from linkwright.errors import TooLargeError
from linkwright.simulation.actuation import external_forces
from linkwright.simulation.integrators import step_function, step_kernels


def a_box():
    made = lw.Builder("box").body("base", 1.0, inertia=0.01).body("arm", 0.5, center_of_mass=(0.2, 0, 0), inertia=0.01)
    made.joint("free", "free", "world", "base").joint("elbow", "revolute", "base", "arm", axis=(0, 1, 0))
    made.joint(
        "slide", "prismatic", "arm", made.body("tip", 0.1, inertia=0.001) and "tip", axis=(1, 0, 0), friction=0.1
    )
    made.shape("base", "sphere", radius=0.1)
    return made.build().with_ground()


def goto(model, t, q, v, target):
    return np.concatenate([np.array([0.0, 0.0, 1.0, 0.0, 0.1, 0.0]), target])


def refuse(*_, **__):
    raise TooLargeError("91000 operations, more than 90000")


def moved(model, **options):
    q = model.neutral()
    q[2] = 0.12
    law = partial(goto, target=np.array([0.3, -0.1]))
    return lw.simulate(
        model, q, np.zeros(8), 0.05, **grouped(controller=law, servos=lw.Servos([300.0, 80.0], 2.0), **options)
    )


@pytest.mark.parametrize(
    "message", [{}, {"effort_limits": 3.0}, {"every": 5}, {"wrenches": {"tip": [0.0, 0.0, 2.0, 0.0, 0.0, 0.0]}}]
)
def test_servos_do_the_same_in_steps_of_any_size(monkeypatch, message):
    compiled = moved(a_box(), **message)
    monkeypatch.setattr(step_kernels, "_made", refuse)
    with pytest.warns(UserWarning, match="1 pairs? of shapes"):
        single = moved(a_box(), **message)
    for name in ("t", "q", "v", "tau", "impulses"):
        assert getattr(single, name) == pytest.approx(getattr(compiled, name), abs=1e-9)
    assert np.abs(compiled.tau[:, 6:]).max() > 1.0


def test_servos_of_a_batch_do_the_same_one_by_one(monkeypatch):
    def both(model):
        q = np.tile(model.neutral(), (2, 1))
        q[:, 2] = 0.12
        law = partial(goto, target=np.array([[0.3, -0.1], [0.1, 0.2]]))
        return lw.simulate(
            model,
            q,
            np.zeros((2, 8)),
            0.02,
            controller=law,
            actuation=lw.Actuation(each=["target"], servos=lw.Servos(100.0, 2.0)),
        )

    compiled = both(a_box())
    monkeypatch.setattr(step_kernels, "_made", refuse)
    with pytest.warns(UserWarning, match="one kernel"):
        single = both(a_box())
    for name in ("q", "v", "tau"):
        assert getattr(single, name) == pytest.approx(getattr(compiled, name), abs=1e-9)


def test_what_is_too_large_is_found_out_once_and_told_once_with_the_way_out(monkeypatch):
    attempts = []

    def counted(*values, **named):
        attempts.append(values)
        refuse()

    monkeypatch.setattr(step_kernels, "_made", counted)
    model = a_box()
    with pytest.warns(UserWarning, match=r"each is a call from Python.*with_ground\(only="):
        moved(model)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        moved(model)
        moved(model)
    assert len(attempts) == 1
    q = model.neutral()
    for _ in range(2):
        with pytest.raises(TooLargeError, match=r"91000 operations.*with_ground\(only="):
            lw.rollout(model, q, np.zeros(8), 5)
    assert len(attempts) == 2  # without a law it is another kernel


def test_a_step_never_runs_uncompiled_because_of_contact(monkeypatch):
    attempts = []

    def counted(*values, **named):
        attempts.append(values)
        refuse()

    monkeypatch.setattr(step_kernels, "_made", refuse)
    monkeypatch.setattr(step_function, "compiled", counted)
    model = a_box()
    for _ in range(2):
        with pytest.raises(TooLargeError, match=r"1 pairs of shapes.*with_ground\(only="):
            moved(model)
    assert len(attempts) == 1


def feet():
    """A bar with four balls, which touch each other and a floor of their own."""
    made = lw.Builder("feet").body("base", 1.0, inertia=0.01).joint("free", "free", "world", "base")
    for k in range(4):
        made.body(f"foot{k}", 0.1, inertia=0.001).joint(
            f"j{k}", "prismatic", "base", f"foot{k}", axis=(0, 0, 1), limits=(-1.0, 1.0)
        )
        made.shape(f"foot{k}", "sphere", radius=0.1, xyz=(0.25 * k, 0.0, 0.0))
    made.shape("world", "plane", name="floor")
    return made.build()


def test_remedies_of_messages_reduce_pairs(monkeypatch):
    model = feet()
    assert len(model.with_contact().pairs) == 10
    monkeypatch.setattr(step_kernels, "_made", refuse)
    with pytest.raises(TooLargeError, match=r"itself=False.*the 6 pairs between moving.*between=.'floor'") as found:
        lw.rollout(model.with_contact(), model.neutral(), np.zeros(model.nv), 2, 1e-3)
    assert "uncompiled" not in str(found.value)
    assert "joint_limits=False" not in str(found.value)
    limited = lw.Integrator("semi_implicit", joint_limits=True)
    with pytest.raises(TooLargeError, match=r"Integrator\(joint_limits=False\)"):
        lw.rollout(model.with_contact(), model.neutral(), np.zeros(model.nv), 2, 1e-3, method=limited)
    for options, pairs in (
        ({"itself": False}, 4),
        ({"between": ["floor", "foot0", "foot3"]}, 3),
        ({"exclude": [("foot0", "foot1"), ("foot2", "floor")]}, 8),
    ):
        assert len(model.with_contact(**options).pairs) == pairs


def test_smooth_contact_of_too_many_pairs_is_refused(monkeypatch):
    monkeypatch.setattr(step_kernels, "_made", refuse)
    monkeypatch.setattr(step_function, "compiled", refuse)
    monkeypatch.setattr(step_function, "trace", refuse)
    monkeypatch.setattr(external_forces, "trace", refuse)
    model = a_box()
    with pytest.raises(TooLargeError, match=r"smooth contact.*take the method 'semi_implicit'.*1 pairs of shapes"):
        lw.simulate(model, model.neutral(), np.zeros(8), 1e-4, 1e-5, "rk4")
