"""Degenerate equilibria: one each, decided by higher derivatives of the potential or not at all."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

import linkwright as lw

INERTIA = (0.02, 0.03, 0.025)
G = 9.81


def inverted(stiffness, rest=0.0, tilt=0.0):
    """A pendulum that stands at the angle ``tilt``, on a torsion spring; m g l is 4.905 N m."""
    gravity = (-G * np.sin(tilt), 0, -G * np.cos(tilt))
    builder = lw.Builder("inverted", gravity=gravity).body("bob", 1.0, (0, 0, 0.5), INERTIA)
    builder.joint("hinge", "revolute", "world", "bob", axis=(0, 1, 0)).joint_spring("hinge", stiffness, rest=rest)
    return builder.build()


def geared(standing, hanging, stiffness=0.0):
    """U = k θ²/2 + a cos θ − b cos 2θ, a and b in N m: a pendulum that stands, geared to one that hangs."""
    builder = lw.Builder("geared").body("one", standing / G / 0.5, (0, 0, 0.5), INERTIA)
    builder.body("two", hanging / G / 0.5, (0, 0, -0.5), INERTIA)
    builder.joint("first", "revolute", "world", "one", axis=(0, 1, 0)).joint_spring("first", stiffness)
    builder.joint("second", "revolute", "world", "two", axis=(0, 1, 0)).mimic("second", "first", 2.0)
    return builder.build()


def double(tilt=0.0):
    """Two standing pendulums whose stiffness matrix is singular: det [[k₁ − 2 G, −G/2], [−G/2, k₂ − G/2]] = 0."""
    upper = 8.0
    lower = 2.0 * G + (0.5 * G) ** 2 / (upper - 0.5 * G)
    builder = lw.Builder("double", gravity=(-G * np.sin(tilt), 0, -G * np.cos(tilt)))
    builder.body("a", 1.0, (0, 0, 0.5), INERTIA).body("b", 1.0, (0, 0, 0.5), INERTIA)
    builder.joint("one", "revolute", "world", "a", axis=(0, 1, 0)).joint_spring("one", lower, rest=tilt)
    return (
        builder.joint("two", "revolute", "a", "b", axis=(0, 1, 0), xyz=(0, 0, 1.0)).joint_spring("two", upper).build()
    )


def explained(model):
    result = lw.equations(model, parameters="numbers").explanation()
    return result, result.equilibria.found


def test_a_spring_as_stiff_as_gravity_has_one_equilibrium():
    """k θ − m g l sin θ with k = m g l vanishes at zero only: a quartic minimum."""
    messages, found = explained(inverted(G * 0.5))
    (one,) = found
    assert one.exact
    assert one.q == pytest.approx([0.0])
    assert one.kind == "stable"
    assert one.leading.order == 4
    inertia = 0.25 + 0.03
    assert one.leading.value == pytest.approx(0.5 * G / inertia**2, rel=1e-4)
    assert not one.frequencies.size
    assert "one equilibrium found" in messages.text()
    assert "Stable, by higher derivatives" in messages.text()
    assert "rad/s" not in messages.text().split("Stability\n")[1]


@pytest.mark.parametrize("factor", [1.0 - 1e-3, 1.0 + 1e-3, 1.0 - 1e-5])
def test_near_the_degenerate_one_the_linearised_motion_decides(factor):
    _, found = explained(inverted(factor * G * 0.5))
    kinds = [one.kind for one in found]
    assert sorted(kinds) == (["stable"] if factor > 1.0 else ["stable", "stable", "unstable"])
    assert not any(one.nullity for one in found)
    aside = np.sqrt(6.0 * max(1.0 - factor, 0.0))
    assert max(abs(one.q[0]) for one in found) == pytest.approx(aside, rel=1e-3, abs=1e-9)


def test_where_the_degenerate_one_is_no_multiple_of_a_quarter_turn():
    _, found = explained(inverted(0.5 * G, rest=0.3, tilt=0.3))
    (one,) = found
    assert not one.exact
    assert one.q == pytest.approx([0.3], abs=1e-6)  # where Newton's method alone is off by 1e-4
    assert (one.kind, one.leading.order) == ("stable", 4)


def test_where_two_equilibria_meet_it_is_unstable():
    """At a fold the third derivative of the potential is the first that does not vanish."""
    messages, found = explained(inverted(0.5 * G * np.cos(0.5), rest=0.5 - np.tan(0.5)))
    assert len(found) == 2
    (fold,) = [one for one in found if one.nullity]
    assert fold.q == pytest.approx([0.5], abs=1e-6)
    assert (fold.kind, fold.leading.order) == ("unstable", 3)
    assert "that of order 3" in messages.text()
    # pushed to the side on which the energy falls, it leaves; the other equilibrium is far away
    motion = lw.simulate(inverted(0.5 * G * np.cos(0.5), rest=0.5 - np.tan(0.5)), [0.45], [0.0], 10.0, 0.01)
    assert np.abs(motion.q[:, 0] - 0.5).max() > 0.5


def test_negative_fourth_and_positive_sixth_derivative():
    _, found = explained(geared(4.0, 1.0))  # a = 4 b: U'''' = a − 16 b < 0
    zero = next(one for one in found if np.abs(one.q).max() < 1e-3)
    assert (zero.kind, zero.leading.order) == ("unstable", 4)
    _, found = explained(geared(16.0, 1.0, 12.0))  # k = a − 4 b, a = 16 b: the sixth derivative is 48 b
    (zero,) = [one for one in found if np.abs(one.q).max() < 1e-1]
    assert (zero.kind, zero.leading.order) == ("stable", 6)


@pytest.mark.parametrize("tilt", [0.0, 0.3])
def test_two_coordinates_and_one_direction_without_stiffness(tilt):
    model = double(tilt)
    messages, found = explained(model)
    (one,) = found
    assert one.exact == (tilt == 0.0)
    assert one.q == pytest.approx([tilt, 0.0], abs=1e-6)
    assert (one.kind, one.leading.order, one.nullity) == ("stable", 4, 1)
    assert "oscillations at ω = 12.797 rad/s across" in messages.text()
    energy = lw.potential_energy(model, one.q) + lw.spring_energy(model, one.q)
    near = one.q + 0.05 * np.array([[np.cos(a), np.sin(a)] for a in np.linspace(0, 2 * np.pi, 200)])
    assert (lw.potential_energy(model, near) + lw.spring_energy(model, near) > energy).all()


def push(model, t, q, v, stiffness, damping):
    return -stiffness * q - damping * v


@pytest.mark.parametrize("damping", [0.0, 0.1])
def test_a_law_as_stiff_as_gravity(damping):
    law = partial(push, stiffness=0.5 * G, damping=damping)
    result = lw.equations(inverted(0.0)).explanation(controller=law)
    (one,) = result.equilibria.found
    assert (one.kind, one.leading.order) == ("stable", 4)
    assert one.leading.value == pytest.approx(0.5 * G / (0.25 + 0.03) ** 2, rel=1e-4)
    assert "Stable, by higher derivatives" in result.text()


def follow(model, t, q, v, stiffness):
    """Each joint's effort depends on the other's angle with opposite signs: a force without an energy."""
    return -stiffness * q + np.stack([q[1], -q[0]]) ** 3


@pytest.mark.parametrize(
    "law", [partial(push, stiffness=0.5 * G, damping=-0.1), partial(follow, stiffness=0.5 * G)], ids=["adds", "curl"]
)
def test_a_law_without_an_energy_is_not_decided_by_one(law):
    model = several((0.5 * G, 0.0, 0.0), (0.5 * G, 0.0, 0.0))
    found = lw.equations(model).explanation(controller=law).equilibria.found
    upright = min(found, key=lambda one: np.abs(one.q).max())
    assert not upright.conservative
    assert upright.leading is None
    assert upright.kind == "undecided"
    assert "no potential energy" in upright.why_undecided


def parallelogram(stiffness):
    """A coupler on two standing cranks: 2 G holds it upright, of U = 2 G cos θ + k θ²/2."""
    builder = (
        lw.Builder("parallelogram").body("left", 1.0, (0, 0, 0.5), INERTIA).body("right", 1.0, (0, 0, 0.5), INERTIA)
    )
    builder.body("bar", 1.0, (0.5, 0, 0), INERTIA)
    builder.joint("a", "revolute", "world", "left", axis=(0, 1, 0)).joint_spring("a", stiffness)
    builder.joint("b", "revolute", "world", "right", axis=(0, 1, 0), xyz=(1, 0, 0))
    builder.joint("c", "revolute", "left", "bar", axis=(0, 1, 0), xyz=(0, 0, 1)).frame("end", "right", xyz=(0, 0, 1))
    return builder.loop("d", "revolute", "bar", "end", xyz=(1, 0, 0), axis=(0, 1, 0)).build()


def test_closed_loops_with_a_degenerate_equilibrium():
    result = lw.equations(parallelogram(2.0 * G)).explanation()
    (upright,) = [one for one in result.equilibria.found if np.abs(one.q).max() < 0.1]
    assert (upright.kind, upright.leading.order) == ("stable", 4)
    inertia = 2.0 * (0.25 + 0.03) + 1.0
    assert upright.leading.value == pytest.approx(2.0 * G / inertia**2, rel=1e-4)
    assert "Stable, by higher derivatives" in result.text()
    stiff = lw.equations(parallelogram(2.04 * G)).explanation()
    upright = [one for one in stiff.equilibria.found if np.abs(one.q).max() < 0.1]
    assert [one.kind for one in upright] == ["stable"]


def test_closed_loops_where_two_equilibria_meet():
    result = lw.equations(parallelogram(2.0 * G * np.cos(0.5)).with_joint("a", rest=0.5 - np.tan(0.5))).explanation()
    (fold,) = [one for one in result.equilibria.found if np.abs(one.q - [0.5, -0.5, 0.5]).max() < 0.1]
    assert fold.q == pytest.approx([0.5, -0.5, 0.5], abs=1e-6)
    assert (fold.kind, fold.leading.order) == ("unstable", 3)


def several(*pendulums, cart=False):
    """Pendulums side by side, each (standing, hanging, stiffness) as those of ``geared``; on a cart, where wanted."""
    builder, ground = lw.Builder("several"), "world"
    if cart:
        ground = "cart"
        builder.body("cart", 2.0, (0, 0, 0), INERTIA).joint("slide", "prismatic", "world", "cart", axis=(1, 0, 0))
    for k, (standing, hanging, stiffness) in enumerate(pendulums):
        builder.body(f"one{k}", standing / G / 0.5, (0, 0, 0.5), INERTIA)
        builder.joint(f"first{k}", "revolute", ground, f"one{k}", axis=(0, 1, 0)).joint_spring(f"first{k}", stiffness)
        if hanging:
            builder.body(f"two{k}", hanging / G / 0.5, (0, 0, -0.5), INERTIA)
            builder.joint(f"second{k}", "revolute", ground, f"two{k}", axis=(0, 1, 0)).mimic(
                f"second{k}", f"first{k}", 2.0
            )
    return builder.build()


QUARTIC, NEGATIVE, SIXTH = (0.5 * G, 0.0, 0.5 * G), (4.0, 1.0, 0.0), (16.0, 1.0, 12.0)


def least(found):
    return min(found, key=lambda one: np.abs(one.q).max())


@pytest.mark.parametrize("n", [2, 3])
def test_several_directions_in_which_all_fourth_derivatives_are_positive(n):
    messages, found = explained(several(*[QUARTIC] * n))
    one = least(found)
    assert (one.nullity, one.kind, one.leading.order, one.leading.directions) == (n, "stable", 4, n)
    single = 0.5 * G / (0.25 + 0.03) ** 2
    assert one.leading.value == pytest.approx(single / n, rel=1e-3)  # of Σ s⁴ on the unit sphere the least is 1/n
    assert "positive along all of them" in messages.text()


def test_several_directions_that_are_coupled():
    """Two standing pendulums, one on the other, and a law of the stiffness that cancels that of gravity."""
    builder = lw.Builder("rods").body("a", 1.0, (0, 0, 0.5), INERTIA).body("b", 1.0, (0, 0, 0.5), INERTIA)
    builder.joint("one", "revolute", "world", "a", axis=(0, 1, 0))
    model = builder.joint("two", "revolute", "a", "b", axis=(0, 1, 0), xyz=(0, 0, 1.0)).build()
    law = partial(linear, K=-lw.derivative(lw.gravity_forces, "q")(model, np.zeros(2)))
    one = least(lw.equations(model).explanation(controller=law).equilibria.found)
    assert one.q == pytest.approx([0.0, 0.0], abs=1e-6)
    assert (one.kind, one.leading.order, one.leading.directions) == ("stable", 4, 2)


def linear(model, t, q, v, K):
    return -K @ q


def test_several_directions_along_one_of_which_the_energy_falls():
    _, found = explained(several(QUARTIC, NEGATIVE))
    one = least(found)
    assert (one.nullity, one.kind, one.leading.order) == (2, "unstable", 4)


@pytest.mark.parametrize("n", [2, 4])
def test_what_is_not_decided_says_why(n):
    messages, found = explained(several(QUARTIC, *[SIXTH] * (n - 1)))
    one = least(found)
    assert (one.nullity, one.kind) == (n, "undecided")
    reason = "vanish, or nearly, along some direction" if n == 2 else "of more than 3 directions"
    assert reason in one.why_undecided
    assert reason in messages.text()


@pytest.mark.parametrize(("pendulum", "kind"), [(QUARTIC, "valley"), (NEGATIVE, "unstable")])
def test_a_coordinate_that_no_energy_depends_on_is_left_out(pendulum, kind):
    _, found = explained(several(pendulum, cart=True))
    one = least(found)
    assert (one.nullity, one.kind, one.leading.order, one.leading.directions) == (2, kind, 4, 1)
    assert one.family == 1
