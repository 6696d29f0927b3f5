"""Compliant surfaces: their forces, their energies, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

import linkwright as lw
from linkwright.dynamics import contact

arm = lw.load("arm7")
SURFACES = [
    contact.Plane("tool", stiffness=1e4, damping=30.0, friction=0.4, point=(0.1, 0.2, 5.0), normal=(0.1, -0.3, 2.0)),
    contact.Plane("tool", stiffness=1e4, dissipation=0.5, friction=0.4, tip=0.03, exponent=1.5, point=(0, 0, 5.0)),
    contact.Sphere("tool", stiffness=1e4, friction=0.3, center=(0.3, 0.2, 0.1), radius=2.0, tip=0.02),
]


@pytest.fixture(params=range(len(SURFACES)))
def surface(request):
    return SURFACES[request.param]


@pytest.fixture
def state():
    rng = np.random.default_rng(3)
    return arm.random(seed=rng), rng.normal(size=7)


def replaced(surface, **changes):
    names = {name: getattr(surface, name) for name in ("frame", "exponent", *surface.shapes)}
    return type(surface)(**{**names, **changes})


def test_the_spring_is_the_gradient_of_its_energy(surface, state):
    q, _ = state
    still = replaced(surface, friction=0.0, damping=0.0, dissipation=0.0)
    assert contact.gap(arm, q, still) < 0
    pushed = lw.joint_forces(arm, q, "tool", contact.wrench(arm, q, np.zeros(7), still))
    by = 1e-6
    moved = [[lw.integrate(arm, q, side * by * e) for side in (1, -1)] for e in np.eye(7)]
    slope = [np.diff([contact.energy(arm, x, still) for x in pair])[0] / (-2 * by) for pair in moved]
    assert np.allclose(pushed, np.negative(slope), rtol=1e-6, atol=1e-4 * np.abs(slope).max())


def test_without_friction_it_pushes_along_its_normal_through_the_tip(surface, state):
    q, v = state
    smooth = replaced(surface, friction=0.0)
    force, moment = np.split(contact.wrench(arm, q, v, smooth), 2)
    _, normal = smooth.gap_of(lw.pose(arm, q, "tool")[:3, 3])
    assert np.linalg.norm(force) > 0
    assert np.allclose(np.cross(force, normal), 0.0, atol=1e-9 * np.linalg.norm(force))
    assert np.allclose(moment, 0.0, atol=1e-9 * np.linalg.norm(force))


def test_friction_is_coulombs_beyond_the_speed_of_slipping(surface, state):
    q, v = state
    force = contact.wrench(arm, q, v, surface)[:3]
    _, n = surface.gap_of(lw.pose(arm, q, "tool")[:3, 3])
    V = lw.velocity(arm, q, v, "tool")
    u = V[:3] + np.cross(V[3:], -surface.tip * n)
    slid = u - (u @ n) * n
    tangential = force - (force @ n) * n
    s = np.linalg.norm(slid)
    assert s > 10 * surface.slip_speed
    assert np.linalg.norm(tangential) == pytest.approx(surface.friction * (force @ n) * s / np.hypot(s, 1e-3))
    assert tangential @ slid == pytest.approx(-np.linalg.norm(tangential) * s)


def test_it_takes_energy_out_and_never_pulls(surface):
    rng = np.random.default_rng(5)
    for q in arm.random(50, seed=rng):
        v = 5.0 * rng.normal(size=7)
        wrench = contact.wrench(arm, q, v, surface)
        spring = contact.wrench(arm, q, v, replaced(surface, friction=0.0, damping=0.0, dissipation=0.0))
        V = lw.velocity(arm, q, v, "tool")
        assert (wrench - spring) @ V <= 1e-9 * (1.0 + np.abs(spring @ V))
        _, n = surface.gap_of(lw.pose(arm, q, "tool")[:3, 3])
        assert wrench[:3] @ n >= 0.0


def test_it_is_compiled_like_any_function(surface, state):
    q, v = state
    kernel = lw.compile(lambda model, q, v: contact.wrench(model, q, v, surface), arm)
    assert np.allclose(kernel(q, v), contact.wrench(arm, q, v, surface), rtol=1e-9, atol=1e-9)


def test_apart_nothing_acts():
    q = arm.neutral()
    away = contact.Plane("tool", stiffness=1e4, friction=0.0, damping=50.0, point=(0, 0, -1.0))
    assert contact.gap(arm, q, away) > 0
    assert not contact.wrench(arm, q, -np.ones(7), away).any()
    assert contact.energy(arm, q, away) == 0.0


@pytest.mark.parametrize(("restitution", "x"), [(0.9, 0.1665), (0.8, 0.3731), (0.5, 1.433), (0.1, 9.998)])
def test_dissipation_by_restitution(restitution, x):
    assert 2.0 * contact.dissipation(restitution, 2.0) == pytest.approx(x, rel=1e-3)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: contact.Plane("tool", stiffness=-1.0, friction=0.0), "stiffness must not be negative; got -1"),
        (lambda: contact.Plane("tool", stiffness=np.nan, friction=0.0), "stiffness must be finite numbers"),
        (lambda: contact.Plane("tool", stiffness=1.0, friction=0.0, normal=(0, 0, 0)), "normal has no length"),
        (
            lambda: contact.Plane("tool", stiffness=1.0, friction=0.0, point=(0, 0)),
            r"point must be finite numbers of shape \(…, 3\)",
        ),
        (lambda: contact.Plane("tool", stiffness=1.0, friction=0.0, exponent=2), "exponent is 1 or 1.5"),
        (
            lambda: contact.Sphere("tool", stiffness=1.0, friction=0.0, center=(0, 0, 0), radius=0.0),
            "radius must be more than 0",
        ),
        (lambda: contact.Plane(3, stiffness=1.0, friction=0.0), "frame is the name of a frame; got 3"),
        (lambda: contact.dissipation(0.0, 1.0), "restitution is a positive number"),
        (lambda: contact.dissipation(0.5, -1.0), "speed is a positive number"),
    ],
)
def test_what_is_refused(make, message):
    with pytest.raises(lw.errors.InputError, match=message):
        make()


def test_an_unknown_frame_is_named():
    with pytest.raises(lw.errors.UnknownNameError, match="hnad"):
        contact.wrench(arm, arm.neutral(), np.zeros(7), contact.Plane("hnad", stiffness=1.0, friction=0.0))
