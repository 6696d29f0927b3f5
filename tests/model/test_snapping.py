"""Right angles that a file gives with few digits."""

from __future__ import annotations

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import InputError
from linkwright.model.transformations.right_angles import simpler
from linkwright.spatial.rotation import rotation_about, rotation_rpy

URDF = """<?xml version="1.0"?>
<robot name="few_digits">
  <link name="base"/>
  {links}
</robot>
"""


def arm(tmp_path, right_angle):
    links = "".join(
        f"""<link name="l{k}"><inertial><origin xyz="0.1 0.02 0.03"/><mass value="1"/>
        <inertia ixx="0.01" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial></link>
        <joint name="j{k}" type="revolute"><parent link="{"base" if k == 0 else f"l{k - 1}"}"/><child link="l{k}"/>
        <origin xyz="0.1 0 0.3" rpy="{right_angle * (-1) ** k} 0 0"/><axis xyz="0 0 1"/>
        <limit lower="-3" upper="3" effort="10" velocity="3"/></joint>"""
        for k in range(5)
    )
    path = tmp_path / f"arm_{right_angle}.urdf"
    path.write_text(URDF.format(links=links))
    return lw.load(path)


def test_few_digits_become_the_angle_that_is_meant(tmp_path):
    messages, meant = arm(tmp_path, 1.5708), arm(tmp_path, np.pi / 2)
    made = messages.snapped()
    for a, b in zip(made.links, meant.links, strict=True):
        assert np.abs(a.placement - b.placement).max() < 1e-15
    counts = [lw.compile(lw.inverse_dynamics, model).operations.total for model in (messages, made, meant)]
    assert counts[1] == counts[2] < 0.85 * counts[0]
    q = messages.random(20, seed=0)
    apart = np.abs(lw.pose(messages, q, "l4") - lw.pose(made, q, "l4")).max()
    assert 1e-8 < apart < 1e-4
    assert (made.joint("j2").lower, made.joint("j2").effort_limit) == (-3.0, 10.0)


def test_what_is_no_simple_turn_stays():
    for name in ("arm7", "puma560", "humanoid", "delta"):
        model = lw.load(name)
        made = model.snapped(1e-7)
        for a, b in zip(model.links, made.links, strict=True):
            assert np.array_equal(a.placement, b.placement)
    R = rotation_rpy(np.array([0.3, -0.7, 1.9]))
    assert np.array_equal(simpler(R, 1e-3), R)


def test_turns_about_any_axes_are_found():
    rng = np.random.default_rng(0)
    for _ in range(200):
        turns = [rotation_about(np.eye(3)[rng.integers(3)], np.pi / 2 * rng.integers(-2, 3)) for _ in range(3)]
        R = turns[0] @ turns[1] @ turns[2]
        axis = rng.normal(size=3)
        near = R @ rotation_about(axis / np.linalg.norm(axis), 3e-6)
        assert np.abs(simpler(near, 1e-5) - R).max() < 1e-15
        assert np.array_equal(simpler(near, 1e-10), near)


def test_one_free_turn_stays_as_it_is():
    R = rotation_about(np.array([0.0, 0.0, 1.0]), 0.4321)
    near = R @ rotation_about(np.array([1.0, 0.0, 0.0]), 4e-6)
    made = simpler(near, 1e-5)
    assert (made == 0.0).sum() == 4
    assert np.abs(made - R).max() < 1e-5


@pytest.mark.parametrize("angle", [-1.0, 0.5, "1e-5", np.nan, True])
def test_angles_that_are_none(angle):
    with pytest.raises(InputError, match=r"angle is a number from 0 to 0\.01 \(rad\)"):
        lw.load("two_link").snapped(angle)
