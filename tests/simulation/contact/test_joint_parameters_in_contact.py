"""Stiffness, damping, friction and armature of joints as parameters of steps with contact and joint limits."""

from dataclasses import replace

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import InputError

GIVEN = {"stiffness": 3.0, "damping": 0.2, "friction": 0.4, "armature": 0.05}


def leg(stiffness=0.0, **knee):
    model = (
        lw.Builder("leg")
        .body("trunk", 2.0, inertia=0.02)
        .body("shank", 0.5, inertia=0.004)
        .joint("root", "free", "world", "trunk")
        .joint("knee", "revolute", "trunk", "shank", axis=(0, 1, 0), xyz=(0.05, 0, -0.2), limits=(-1.0, 0.4), **knee)
        .shape("trunk", "sphere", radius=0.1)
        .shape("shank", "sphere", radius=0.05, xyz=(0, 0, -0.2))
        .build()
        .with_ground()
    )
    root, joint = model.joints
    return replace(model, joints=(root, replace(joint, stiffness=np.array([stiffness]))))


def end(model, **options):
    q, v = model.neutral(), np.zeros(model.nv)
    q[2], v[-1] = 0.46, 2.0
    return lw.rollout(model, q, v, 400, method=lw.Integrator(joint_limits=True), **options).q[-1]


@pytest.mark.parametrize("name", GIVEN)
def test_parameters_of_joints_have_the_effect_of_the_model(name):
    base = {"friction": 0.01} if name == "friction" else {}
    changed = end(leg(**{name: GIVEN[name]}))
    found = end(leg(**base), parameters={f"knee.{name}": GIVEN[name]})
    np.testing.assert_allclose(found, changed, atol=1e-9)
    assert np.abs(found - end(leg(**base))).max() > 1e-4


def test_friction_of_a_joint_without_friction_is_explained():
    with pytest.raises(InputError, match="Give the model some friction there"):
        end(leg(), parameters={"knee.friction": 0.4})
