"""Supports of constraints in factor space: chains of bodies, closed loops among them, and mimic joints."""

import numpy as np
import pytest

import linkwright as lw
from linkwright.dynamics.impulses.inertia_factors import inertia_factors
from linkwright.dynamics.impulses.supports import coupled_coordinates, moving_coordinates

PAIR = """
<body pos="{x} 0 1"><joint name="hinge{n}" axis="0 1 0" limited="true" range="-20 20"/>
  <geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.03"/></body>
<body pos="{x} 1 1"><joint name="slide{n}" type="slide" axis="0 0 1" limited="true" range="-0.1 0.1"/>
  <geom type="sphere" size="0.05"/></body>
"""
CHAIN = """
<body pos="-1 0 1"><joint name="first" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.03"/>
  <body pos="0.3 0 0"><joint name="second" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.03"/>
  </body><body pos="0 0 0.1"><joint name="third" axis="1 0 0"/><geom type="sphere" size="0.05" pos="0 0.1 0"/>
  </body></body>
"""


def coupled(count, chain=""):
    bodies = "".join(PAIR.format(n=n, x=0.5 * n) for n in range(count))
    joints = "".join(f'<joint joint1="hinge{n}" joint2="slide{n}" polycoef="0 4 0 0 0"/>' for n in range(count))
    geoms = '<default><geom contype="0" conaffinity="0"/></default>'
    return lw.load(f"<mujoco>{geoms}<worldbody>{bodies}{chain}</worldbody><equality>{joints}</equality></mujoco>")


def with_mimic():
    """Return a tree of five hinges and two mimic joints, in different branches of their leaders."""
    builder, parents = lw.Builder("mimic"), ["world", "b0", "b1", "b0", "b3", "b1", "b0"]
    for k, parent in enumerate(parents):
        builder.body(f"b{k}", 1.0 + k, center_of_mass=(0.1, 0.05, 0.2), inertia=0.02)
        builder.joint(f"j{k}", "revolute", parent, f"b{k}", xyz=(0.1, 0, 0.2), axis=np.eye(3)[k % 3])
    return builder.mimic("j4", "j2", 0.5).mimic("j6", "j3", -2.0).build()


@pytest.mark.parametrize("make", [lambda: coupled(3, CHAIN), with_mimic, lambda: lw.load("stewart")])
def test_impulses_on_bodies_change_their_supports_only(make):
    model = make()
    q = model.random(seed=3)
    factors = inertia_factors(model, q, lw.mass_matrix(model, q))
    for body in model.bodies:
        J = lw.jacobian(model, q, body.name)
        support = list(moving_coordinates(model, [model.frame(body.name).body]))
        whole = factors.to_factor_space(J.T)
        scale = np.abs(whole).max() + 1e-12
        rest = [k for k in range(model.nv) if k not in support]
        assert np.abs(whole[rest]).max(initial=0.0) <= 1e-12 * scale
        own = factors.to_factor_space(J[:, support].T, support)
        np.testing.assert_allclose(own, whole[support], rtol=0, atol=1e-9 * scale)


def test_supports_contain_no_other_loops():
    model = coupled(3, CHAIN)
    assert coupled_coordinates(model) == ((0, 1), (2, 3), (4, 5))
    at = {name: k for k, name in enumerate(model.coordinate_names)}
    ends = [model.joints[at[name]].child for name in ("hinge1", "second", "third")]
    bodies = [model.frame(name).body for name in ends]
    assert moving_coordinates(model, bodies[:1]) == (2, 3)
    assert moving_coordinates(model, bodies[1:2]) == (6, 7)
    assert moving_coordinates(model, bodies) == (2, 3, 6, 7, 8)


def test_several_loops_move_as_one_alone():
    # limits of one loop have rows at constant places, those of several loops have tables of projectors
    method = lw.Integrator("semi_implicit", joint_limits=True)
    ends = []
    for count in (1, 3):
        model = coupled(count)
        q, v = np.zeros((2, model.nq)), np.tile([2.0, 0.5], (2, count))
        ends.append(lw.rollout(model, q, v, 400, 1e-3, method=method, every=5).q)
    one, three = ends
    assert np.abs(one[..., 1]).max() == pytest.approx(np.deg2rad(20.0) / 4.0, abs=1e-4)
    for n in range(3):
        np.testing.assert_allclose(three[..., 2 * n : 2 * n + 2], one, rtol=0, atol=1e-9)
