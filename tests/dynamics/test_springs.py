"""Laws of springs and dampers between points of two bodies."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import linkwright as lw
from linkwright.dynamics.forces import springs as book
from linkwright.errors import LinkwrightError
from linkwright.model.build.assembly import assemble
from linkwright.model.joints.joint import JOINT_TYPES, Free
from linkwright.model.parts.spring import Spring
from mechanisms import one_of_each, random_tree, relative_error, state


def sprung(model, seed, count=3, grounded=True):
    """The mechanism with springs between random places, one in two through a third."""
    rng = np.random.default_rng(seed)
    places = [name for name, frame in model.frames.items() if grounded or frame.body >= 0]
    made = []
    for n in range(count):
        ends = tuple(map(str, rng.choice(places, 2 + n % 2)))
        if len({model.frames[end].body for end in ends}) > 1:
            low = float(rng.uniform(0.1, 1.0))
            length = [(low, low), (0.0, low), (low, np.inf), None, (0.0, 0.0)][n % 5]
            made.append(Spring(f"s{n}", ends, float(rng.uniform(1, 9)), float(rng.uniform(0, 2)), length))
    return assemble(replace(model.description, springs=tuple(made)))


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.sampled_from(JOINT_TYPES), min_size=1, max_size=5),
    st.integers(0, 2**32 - 1),
    st.booleans(),
)
def test_forces_are_minus_the_gradient_of_the_energy_and_dampers_take_power(kinds, seed, mimics):
    model = sprung(random_tree(kinds, seed, mimics=mimics, springs=False), seed, 6)
    q, v, _ = state(model, seed)
    h = 1e-5
    at = [lw.integrate.book(model, q, s * h * v) for s in (-1.0, 1.0)]
    energies = [lw.spring_energy.book(model, x) for x in at]
    at_rest = lw.passive_forces.book(model, q, 0.0 * v)
    assert at_rest @ v == pytest.approx(-(energies[1] - energies[0]) / (2 * h), rel=1e-6, abs=1e-6)
    lengths = [lw.spring_lengths.book(model, x) for x in at]
    rates = (lengths[1] - lengths[0]) / (2 * h)
    lost = sum(spring.damping * rate**2 for spring, rate in zip(model.springs, rates, strict=True))
    assert (lw.passive_forces.book(model, q, v) - at_rest) @ v == pytest.approx(-lost, rel=1e-6, abs=1e-6)


def test_the_compiled_gradient_on_every_joint_type_and_regrouped():
    model = sprung(one_of_each(3, springs=False), 5, 6)
    q, v, _ = state(model, 1)
    gradient = lw.derivative(lw.spring_energy, "q")(model, q)
    assert relative_error(-lw.passive_forces(model, q, 0.0 * v), gradient) < 1e-13
    book = lw.passive_forces.book(model, q, v)
    for same in (model, model.minimal(), pickle.loads(pickle.dumps(model)), model.with_gravity([0.0, 0.0, 0.0])):
        assert relative_error(lw.passive_forces(same, q, v), book) < 1e-13
        assert lw.spring_lengths(same, q) == pytest.approx(lw.spring_lengths.book(model, q), rel=1e-13)
    x = lw.symbols("x", model.nq + model.nv)
    assert len(lw.passive_forces(model, x[: model.nq], x[model.nq :])) == model.nv
    batch = lw.passive_forces(model, model.random(7, seed=0), v)
    assert np.isfinite(batch).all()
    assert batch.shape == (7, model.nv)


def test_springs_within_a_mechanism_leave_its_momentum_alone():
    model = sprung(random_tree([Free, *JOINT_TYPES], 2, springs=False, floating=True), 8, 6, False)
    model = model.with_gravity([0.0, 0.0, 0.0])
    q, v, _ = state(model, 4)
    forces = lw.passive_forces(model, q, v)
    assert len(model.springs) > 3
    assert np.abs(forces).max() > 1.0
    assert np.abs(forces[:6]).max() < 1e-13  # neither force nor moment on the whole


def test_models_without_springs_compile_to_the_same_operations(monkeypatch):
    model = one_of_each(0)
    q, _v, _ = state(model, 0)
    before = [lw.compile(f, model).operations for f in (lw.passive_forces, lw.spring_energy)]
    assert lw.spring_lengths(model, q).shape == (0,)
    monkeypatch.setattr(book, "_piece", None)  # not even looked at
    assert before == [lw.compile(f, one_of_each(0)).operations for f in (lw.passive_forces, lw.spring_energy)]


@pytest.mark.parametrize("length", [0.0, 0.5, (0.0, 0.5), (0.5, np.inf)])
def test_ends_that_meet(length):
    model = (
        lw.Builder("ball", gravity=(0, 0, 0))
        .body("ball", mass=1.0, inertia=0.1)
        .joint("free", "free", "world", "ball")
        .spring("world", "ball", 100.0, 2.0, length)
        .build()
    )
    q = np.array([0.0, 0, 0, 1, 0, 0, 0])
    v = np.array([1.0, 2, 3, 0, 0, 0])
    assert np.array_equal(lw.passive_forces(model, q, 0.0 * v), np.zeros(6))
    assert np.isfinite(lw.passive_forces(model, q, v)).all()
    assert np.isfinite(lw.derivative(lw.passive_forces, "q")(model, q, 0.0 * v)).all()
    assert np.isfinite(lw.derivative(lw.passive_forces, "v")(model, q, v)).all()
    q[:3] = 1e-3, 2e-3, -2e-3
    pulled = lw.passive_forces(model, q, 0.0 * v)[:3]
    free = {0.0: 0.0, 0.5: 0.5, (0.0, 0.5): 0.003, (0.5, np.inf): 0.5}[length]
    assert pulled == pytest.approx(-100.0 * (0.003 - free) * q[:3] / 0.003, rel=1e-9, abs=1e-9)


def test_locks_keep_what_still_moves():
    model = sprung(one_of_each(3, springs=False), 5, 6)
    q, v, _ = state(model, 1)
    joint = model.joints[2]
    start = sum(one.nq for one in model.joints[:2])
    locked = model.lock({joint.name: q[start : start + joint.nq]})
    keep = np.r_[0:start, start + joint.nq : model.nq]
    at = sum(one.nv for one in model.joints[:2])
    moving = np.r_[0:at, at + joint.nv : model.nv]
    v[at : at + joint.nv] = 0.0
    assert relative_error(lw.passive_forces(locked, q[keep], v[moving]), lw.passive_forces(model, q, v)[moving]) < 1e-13
    one = model.lock({joint.name: q for joint, q in zip(model.joints, model.coordinates(q), strict=True) if joint.nq})
    assert one.springs == ()
    assert one.nq == 0


def test_free_lengths_that_are_not_given_are_those_of_the_neutral_configuration():
    model = (
        lw.Builder("arm")
        .body("a", mass=1.0, inertia=1.0)
        .joint("j", "revolute", "world", "a")
        .spring(("world", [3.0, 0, 0]), ("a", [0, 4.0, 0]), 10.0)
        .spring("world", ("a", [0, 1.0, 0]), 10.0, through=[("world", [0, 0, 2.0])], name="cable")
        .build()
    )
    assert model.springs[0].length == (5.0, 5.0)
    assert model.springs[0].name == "spring1"
    assert model.springs[1].length[0] == pytest.approx(2.0 + np.sqrt(5.0), rel=1e-15)
    assert "cable: world ─ cable_1 on world ─ cable_b on a, 10 N/m" in str(model)
    turned = lw.Builder("other").body("a", mass=1.0, inertia=1.0).joint("j", "revolute", "world", "a")
    assert "springs" not in str(turned.build())
    assert np.allclose(lw.spring_lengths(model, [[0.0], [np.pi / 2]])[:, 0], [5.0, 7.0])


@pytest.mark.parametrize("followers", [False, True])
def test_a_large_mechanism_has_springs_too(followers):
    made = lw.Builder("chain")
    parent = "world"
    for k in range(120):
        made.body(f"b{k}", mass=1.0, center_of_mass=[0.5, 0, 0], inertia=[0.01, 0.1, 0.1])
        made.joint(f"j{k}", "revolute", parent, f"b{k}", xyz=[1.0 * (k > 0), 0, 0], axis=[0, k % 2, 1 - k % 2])
        if followers and k % 4 == 3:
            made.mimic(f"j{k}", f"j{k - 1}", -0.5, 0.2)
        parent = f"b{k}"
    for k in range(0, 117, 9):
        length = [0.3, (0.0, 1.5), (1.5, np.inf), None][k % 4]
        made.spring(
            f"b{k}", (f"b{k + 2}", [0.3, 0.1, 0.01 * k]), 10.0 + k, k % 5, length, through=[f"b{k + 1}"] * (k % 2)
        )
    made.spring("world", "b3", 10.0)
    model = made.build()
    q, v, _ = state(model, 0)
    q = np.stack([q, 0.5 * q, -q])
    by_book = [
        [function.book(model, row, *more) for row in q]
        for function, more in ((lw.passive_forces, (v,)), (lw.spring_energy, ()), (lw.spring_lengths, ()))
    ]
    found = [lw.passive_forces(model, q, v), lw.spring_energy(model, q), lw.spring_lengths(model, q)]
    for one, expected in zip(found, by_book, strict=True):
        assert relative_error(one, np.array(expected)) < 1e-13
    assert np.array_equal(lw.passive_forces(model, q[1], v), found[0][1])
    assert lw.passive_forces(model, q[:0], v).shape == (0, model.nv)
    with pytest.raises(LinkwrightError, match="passive_forces: q has shape"):
        lw.passive_forces(model, q[:, :5], v)


def builder():
    made = lw.Builder("two").body("a", mass=1.0, inertia=1.0).body("b", mass=1.0, inertia=1.0)
    return made.joint("first", "revolute", "world", "a").joint("weld", "fixed", "a", "b")


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (("world", "aa", 1.0), {}, "spring 'spring1': unknown frame 'aa'; there are a, b, world"),
        (
            ("world", ("aa", [0, 0, 0]), 1.0),
            {},
            r"spring 'spring1': its point .* on 'aa': unknown body 'aa'; there are a, b, world",
        ),
        (("a", "b", 1.0), {}, "spring 'spring1' moves nothing: 'a' and 'b' are all on the body 'a'"),
        (("world", "a", -1.0), {}, "its stiffness must be finite and not negative; got -1"),
        (("world", "a", 1.0, -2.0), {}, "its damping must be finite and not negative; got -2"),
        (("world", "a", np.nan), {}, "the stiffness of spring 'spring1' must be a finite number; got nan"),
        (("world", "a", 1.0, 0.0, -0.5), {}, "a free length is not negative.*got -0.5 m"),
        (("world", "a", 1.0, 0.0, (2.0, 1.0)), {}, "nor the longest less than the shortest; got 2 … 1 m"),
        (("world", "a", 1.0, 0.0, np.inf), {}, "a free length"),
        (("world", "a", 1.0, 0.0, np.nan), {}, "a free length"),
        (("world", "a", 1.0, 0.0, "long"), {}, "the free length of spring 'spring1' must be an array of real numbers"),
        (("world", "a", 1.0, 0.0, [1, 2, 3]), {}, "is one number, or the shortest and the longest"),
        (("world", 3, 1.0), {}, r"an end is the name of a frame, or \(body, xyz\); got 3"),
        (("world", ("a", [0, 0]), 1.0), {}, r"a point on 'a' must be finite numbers of shape \(3,\)"),
        (("world", "a", 1.0), {"name": ""}, "a spring needs a name"),
        (("world", "a", 1.0), {"name": 5}, "a spring is given by its name"),
        (("world", "a", 1.0), {"through": "a"}, "through is a list of points; got 'a'"),
    ],
)
def test_what_is_no_spring_is_reported(arguments, options, message):
    with pytest.raises(LinkwrightError, match=message):
        builder().spring(*arguments, **options).build()


def test_a_second_spring_of_a_name_is_reported():
    with pytest.raises(LinkwrightError, match="a second spring is named 'x'"):
        builder().spring("world", "a", name="x").spring("world", "b", name="x").build()


def test_points_of_springs_are_reported_without_the_names_of_their_frames():
    def hinge():
        return lw.Builder("x").body("a", 1.0, (0, 0, 1), 0.1).joint("j", "revolute", "world", "a", axis=(0, 1, 0))

    point = r"spring 's': its point \(0\.0, 0\.0, 1\.0\) on 'b': unknown body 'b'; there are a, world"
    with pytest.raises(LinkwrightError, match=f"^{point}$"):
        hinge().spring(("a", (0, 0, 1)), ("b", (0, 0, 1)), 10.0, name="s").build()
    with pytest.raises(LinkwrightError, match=f"^{point}$"):
        hinge().spring("a", "world", 10.0, name="s", through=[("b", (0, 0, 1))]).build()
    with pytest.raises(LinkwrightError, match=r"^spring 's' moves nothing: its points are all on the body 'a'$"):
        hinge().spring(("a", (0, 0, 1)), ("a", (0, 0, 0.5)), 10.0, name="s").build()
    with pytest.raises(LinkwrightError, match=r"^spring 's': its point .* on 'a' is placed 1e\+40 m away"):
        hinge().spring(("a", (0, 0, 1e40)), "world", 10.0, name="s").build()


def test_a_rope_around_a_cylinder_slides_without_friction():
    made = lw.Builder("winch").body("left", 2.0, inertia=0.1).body("right", 1.0, inertia=0.1).body("pin", 1.0)
    made.joint("down", "prismatic", "world", "left", axis=(0, 0, 1), xyz=(-0.1, 0, -1))
    made.joint("up", "prismatic", "world", "right", axis=(0, 0, 1), xyz=(0.1, 0, -1))
    made.joint("weld", "fixed", "world", "pin", rpy=(np.pi / 2, 0, 0))
    made.frame("top", "world", xyz=(0, 0, 0.2))
    around, options = lw.Wrap("pin", 0.1, "cylinder", "top"), {"limits": (0.0, 3.0), "friction": 1.0}
    made.spring("left", "right", 1e5, 100.0, 1.0, through=[around], name="rope", **options)
    model = made.build()
    length = lw.spring_lengths(model, [0.1, -0.1])[0]
    assert length == pytest.approx(2.0 + 0.1 * np.pi, abs=1e-12)  # two vertical pieces and half a turn
    rest = replace(model, springs=(replace(model.springs[0], friction=0.0, length=(length, length)),))
    motion = lw.simulate(rest, [0.0, 0.0], [0.0, 0.0], 0.5, 1e-4, "rk4")
    fall = motion.q[-1, 0] - motion.q[-1, 1]
    assert fall == pytest.approx(-2 * 0.5 * 9.81 / 3 * 0.5**2, rel=2e-3)  # Atwood's machine
    with pytest.raises(LinkwrightError, match="between two frames"):
        lw.Builder(model).spring("left", "right", length=1.0, through=[around, around]).build()
    with pytest.raises(LinkwrightError, match="give its free length"):
        lw.Builder(model).spring("left", "right", through=[around]).build()
