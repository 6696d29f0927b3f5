"""At any size: lengths and masses times some number change no verdict, and results as their units say."""

from __future__ import annotations

import warnings
from functools import cache

import numpy as np
import pytest

import linkwright as public
from linkwright import dynamics as lw
from linkwright.dynamics.assembly.partition import flat_bodies
from linkwright.dynamics.forward import FORWARD_DYNAMICS_METHODS
from linkwright.errors import InconsistentMotionError, InputError, ModelError
from linkwright.model.joints.joint import JOINT_TYPES
from linkwright.model.tree import Model
from mechanisms import grown_coordinates, grown_velocities, larger, one_of_each, random_tree, with_loops

SIZES = [(1e-9, 1e-9), (1e-6, 1e-15), (1e9, 1e9), (1e-9, 1e9)]


def loose_and_tied() -> tuple[Model, np.ndarray]:
    """Slides, hinges, balls and screws with loops of several kinds."""
    kinds = [JOINT_TYPES[k] for k in (0, 1, 2, 3, 6, 8)]
    return with_loops(random_tree(kinds, 3), ["revolute", "joint", "distance"], 1)


@cache
def mechanism(name: str) -> tuple[Model, np.ndarray]:
    if name == "one of each":
        model = one_of_each(3)
        return model, model.random(seed=2)
    if name == "followers":
        model = random_tree(list(JOINT_TYPES)[:6], 1, mimics=True)
        return model, model.random(seed=2)
    if name == "loose and tied":
        return loose_and_tied()
    model = public.load(name)
    q = np.clip(model.random(seed=2), model.lower, model.upper)
    return model, public.close_loops(model, model.neutral()) if model.loops else q


NAMES = ["one of each", "followers", "loose and tied", "planar:3", "four_bar", "slider_crank", "bricard"]


def alike(name: str, length: float, mass: float):
    """The mechanism at both sizes, each with q, v and efforts that correspond, and by what v and efforts grow."""
    model, q = mechanism(name)
    rng = np.random.default_rng(0)
    v, tau = rng.normal(size=model.nv), rng.normal(size=model.nv)
    if model.loops:
        v = lw.project(model, q, v)[1]
    units = grown_velocities(model, length)
    efforts = mass * length**2 / units
    other = larger(model, length, mass)
    return (model, q, v, tau), (other, q * grown_coordinates(model, length), v * units, tau * efforts), units, efforts


def same(one, other, unit=1.0) -> bool:
    one, other = np.asarray(one, float), np.asarray(other, float) / unit
    return one.shape == other.shape and bool(
        np.abs(one - other).max(initial=0.0) <= 1e-8 * np.abs(one).max(initial=0.0)
    )


@pytest.mark.variants("length")
@pytest.mark.parametrize(("length", "mass"), SIZES)
@pytest.mark.parametrize("name", NAMES)
def test_dynamics_scale_as_their_units_say(name, length, mass):
    (model, q, v, tau), (other, q_o, v_o, tau_o), units, efforts = alike(name, length, mass)
    lw.require_mass(other)
    assert flat_bodies(model) == flat_bodies(other)
    assert same(lw.inverse_dynamics(model, q, v, v), lw.inverse_dynamics(other, q_o, v_o, v_o), efforts)
    still = np.zeros(model.nv)
    springs = lw.passive_forces(model, q, still), lw.passive_forces(other, q_o, still)
    assert same(*springs, efforts)
    for form in ("inertia", "second moment"):
        fewer = other.minimal(form)
        assert same(lw.inverse_dynamics(model, q, v, v), lw.inverse_dynamics(fewer, q_o, v_o, v_o), efforts), form
    for method in FORWARD_DYNAMICS_METHODS:
        if method in ("assembly", "hybrid") and any(loop.type == "joint" for loop in model.loops):
            continue
        a = lw.forward_dynamics(model, q, v, tau, method=method)
        assert same(a, lw.forward_dynamics(other, q_o, v_o, tau_o, method=method), units), method


@pytest.mark.variants("length")
@pytest.mark.parametrize(("length", "mass"), SIZES)
@pytest.mark.parametrize("name", ["loose and tied", "four_bar", "slider_crank", "bricard"])
def test_loops_are_judged_alike(name, length, mass):
    (model, q, v, tau), (other, q_o, v_o, tau_o), units, efforts = alike(name, length, mass)
    assert lw.mobility(model, q) == lw.mobility(other, q_o)
    force = [
        lw.constraint_jacobian(*x[:2]).T @ lw.constraint_forces(*x)
        for x in ((model, q, v, tau), (other, q_o, v_o, tau_o))
    ]
    assert same(*force, efforts)
    assert same(lw.project(model, q, v)[1], lw.project(other, q_o, v_o)[1], units)
    off = np.linspace(-0.01, 0.01, model.nv)
    closed = (
        lw.close_loops(model, lw.integrate(model, q, off)),
        lw.close_loops(other, lw.integrate(other, q_o, off * units)),
    )
    assert same(*closed, grown_coordinates(model, length))
    with pytest.raises(InputError, match="not closed"):
        lw.mobility(other, lw.integrate(other, q_o, off * units))
    with pytest.raises(InputError, match="open at q0"):
        public.simulate(other, lw.integrate(other, q_o, off * units), np.zeros(model.nv), 0.01)


@pytest.mark.parametrize(("length", "mass"), SIZES)
def test_motions_are_possible_alike(length, mass):
    (model, q, v, _), (other, q_o, v_o, _), units, efforts = alike("slider_crank", length, mass)
    crank = [model.joints[0].name]
    a = lw.forward_dynamics(model, q, v, np.zeros(model.nv))
    tau = public.inverse_dynamics(model, q, v, a, actuated=crank)
    assert np.abs(public.inverse_dynamics(other, q_o, v_o, a * units, actuated=crank) / efforts - tau).max() < 1e-8
    with pytest.raises(InconsistentMotionError, match="opens loop"):
        public.inverse_dynamics(other, q_o, v_o, (a + 1.0) * units, actuated=crank)
    arm, small = public.load("two_link"), larger(public.load("two_link"), length, mass)
    for one in (arm, small):
        with pytest.raises(InconsistentMotionError, match="is missing"):
            public.inverse_dynamics(one, [0.1, 0.2], [0.0, 0.0], [1.0, 1.0], actuated=["joint1"])


@pytest.mark.parametrize(("length", "mass"), [(1.0, 1.0), *SIZES])
def test_what_has_no_inertia_is_reported_at_any_size(length, mass):
    for spin in (0.0, 1e-18):  # of a point on the axis, or rounding of that
        rod = public.Builder("rod").body("a", 2.0, (0, 0, 1), (0.1, 0.1, spin)).body("b", 0.0)
        rod = rod.joint("i", "revolute", "world", "a", axis=(0, 0, 1)).joint("j", "revolute", "a", "b", axis=(0, 1, 0))
        with pytest.raises(ModelError, match="moved by joint 'i', 'j' have no inertia"):
            lw.require_mass(larger(rod.build(), length, mass))
    needle = public.Builder("needle").body("a", 2.0, (0, 0, 1), (0.1, 0.1, 1e-9)).joint("i", "revolute", "world", "a")
    lw.require_mass(larger(needle.build(), length, mass))


@pytest.mark.parametrize(("length", "mass"), [(1.0, 1.0), *SIZES])
def test_what_is_locked_open_is_reported_at_any_size(length, mass):
    _, (other, q_o, _, _), *_ = alike("four_bar", length, mass)
    names = [joint.name for joint in other.joints]
    other.lock(dict(zip(names, q_o, strict=True)))
    with pytest.raises(InputError, match="locked in an open state"):
        other.lock(dict(zip(names, q_o + 1e-4, strict=True)))


def test_moments_that_are_rounding_are_none_at_any_size():
    for scale in (1e-18, 1.0, 1e18):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            builder = public.Builder("b").body("a", 1.0, inertia=np.array([1.0, 1.0, 1.0]) * scale)
            builder.body("c", 1.0, inertia=np.array([0.0, 0.0, 1e-17]) * scale).joint("j", "revolute", "world", "a")
            builder.joint("k", "revolute", "a", "c").build()


@pytest.mark.parametrize("mass", [5e-324, 1e-310, 2.2e-308])
def test_masses_too_small_for_full_precision_are_refused(mass):
    with pytest.raises(ModelError, match="full precision"):
        public.Builder("b").body("a", mass, inertia=1.0).joint("j", "prismatic", "world", "a").build()
    with pytest.raises(ModelError, match="full precision"):
        public.Builder("b").body("a", 1.0, inertia=mass).joint("j", "revolute", "world", "a").build()


def two_bodies(mass=1.0, length=1.0, inertia=0.1, armature=0.0, pitch=None):
    builder = public.Builder("two").body("a", mass, (0, length, 0), inertia).body("b", mass, inertia=inertia)
    builder.joint("i", "revolute", "world", "a", armature=armature).frame("tip", "b", xyz=(length, 0, 0))
    kind = "revolute" if pitch is None else "helical"
    return builder.joint("j", (kind, pitch), "a", "b", xyz=(length, 0, 0), armature=armature).build()


@pytest.mark.parametrize(
    ("numbers", "message"),
    [
        ({"mass": 1e300}, r"body 'a': the mass is 1e\+300 kg; it may be up to 1e\+30"),
        ({"mass": 1e300, "inertia": 1e300}, r"body 'b': the mass"),
        ({"inertia": 1e300}, r"body 'a': the inertia is 1e\+300 kg m²; it may be up to 1e\+90"),
        ({"length": 1e300}, r"(?s)center of mass is 1e\+300 m away.*joint 'j' is placed 1e\+300 m.*frame 'tip' is"),
        ({"pitch": 1e40}, r"joint 'j' has a pitch of 1e\+40 m"),
        ({"mass": 1e-200, "inertia": 1e-200}, "heaviest body, 'a', has a mass of 1e-200 kg; it must be at least 1e-30"),
        ({"length": 1e-150, "inertia": 0.0}, r"joint 'i' and others rotate are .*e-150 m long; it must be at least"),
        ({"length": 1e-150, "inertia": 1e-300}, "joint 'i' and others rotate are .*e-150 m long"),
    ],
)
def test_sizes_whose_products_overflow_or_vanish_are_refused(numbers, message):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ModelError, match=message):
            two_bodies(**numbers)


@pytest.mark.variants("mass")
@pytest.mark.parametrize("mass", [1e-30, 1.0, 1e30])
@pytest.mark.parametrize("length", [1e-30, 1.0, 1e30])
def test_all_methods_agree_to_the_ends_of_the_range(length, mass):
    model, q, v = two_bodies(mass, length, 0.1 * mass * length**2), np.array([0.3, 0.4]), np.ones(2)
    tau = mass * length**2 * v
    found = [public.forward_dynamics(model, q, v, tau, method=m) for m in (None, *FORWARD_DYNAMICS_METHODS)]
    assert np.isfinite(found).all()
    assert all(same(found[0], a) for a in found)


def test_rotors_alone_may_carry_what_has_next_to_no_size():
    for numbers in ({"mass": 1e-300, "inertia": 1e-300}, {"length": 1e-100, "inertia": 0.0}):
        model = two_bodies(**numbers, armature=1.0)
        assert same(public.forward_dynamics(model, [0.3, 0.4], [0.0, 0.0], [1.0, 1.0]), [1.0, 1.0])
        with pytest.raises(ModelError, match="lacks mass or inertia"):
            public.forward_dynamics(model, [0.3, 0.4], [0.0, 0.0], [1.0, 1.0], method="assembly")


@pytest.mark.parametrize("name", ["planar:7", "chain3d:12"])
def test_regrouped_inertias_are_judged_in_silence(name):
    model = public.load(name).minimal()
    with np.errstate(all="raise"):
        lw.forward_dynamics(model, model.random(seed=1), np.ones(model.nv), np.ones(model.nv), method="hybrid")


@pytest.mark.parametrize("looped", [False, True])
def test_massless_bodies_are_named_wherever_the_mass_matrix_is_solved(looped):
    builder = public.Builder("frame").body("a", 0.0).body("b", 1.0, (1, 0, 0), 0.1)
    builder.joint("i", "revolute", "world", "a").joint("j", "revolute", "world", "b").frame("end", "b", xyz=(1, 0, 0))
    if looped:
        builder.body("c").joint("k", "revolute", "a", "c", xyz=(1, 0, 0)).loop("closing", "ball", "c", "end")
    model = builder.build()
    q, x = model.neutral(), np.zeros(model.nv)
    needed = [
        lambda: public.forward_dynamics(model, q, x, x),
        lambda: public.impulse(model, q, x),
        lambda: public.project(model, q, x),
        lambda: public.control.hold_posture(model, q),
        lambda: public.simulate(model, q, x, 0.1),
        *([lambda: public.constraint_forces(model, q, x, x)] if looped else []),
    ]
    for asked in needed:
        with pytest.raises(ModelError, match=r"moved by joint 'i'.* have no inertia .*; give body 'a'"):
            asked()
    with np.errstate(all="raise"):
        efforts = lw.inverse_dynamics(model, q, x, x, actuated=["j"])
        assert np.array_equal(efforts, public.inverse_dynamics(model, q, x, x, actuated=["j"]))
    assert not public.mass_matrix(model, q)[0].any()
