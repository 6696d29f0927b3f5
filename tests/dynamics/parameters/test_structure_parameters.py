"""One kernel for all mechanisms of a structure: masses, lengths, offsets, rotors and gravity are its argument."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import linkwright as lw
from linkwright import dynamics
from linkwright.dynamics.assembly.method import by_normal_form
from linkwright.dynamics.assembly.structure_parameters import flattened, layout, structural_form, with_parameters
from linkwright.errors import ArgumentError, InputError
from linkwright.model.joints.joint import Cylindrical, Free, Helical, Prismatic, Revolute, Spherical
from linkwright.model.library.built_in import built_in
from linkwright.spatial.inertia import rigid_inertia
from linkwright.spatial.transform import pose_matrix
from mechanisms import random_tree, relative_error, state

WITHIN = st.lists(st.sampled_from([Revolute, Revolute, Prismatic]), min_size=1, max_size=5)
BASES = st.sampled_from([None, Free, Spherical, Cylindrical, Helical])


def another(model, rng):
    """A mechanism of the same structure with other masses, lengths and gravity."""

    def varied(link):
        c, half = rng.normal(size=3) * 0.1, rng.normal(size=(3, 3))
        p = link.placement[:3, 3] * rng.uniform(0.5, 2.0)
        inertia = rigid_inertia(rng.uniform(1.0, 3.0), c, half @ half.T + np.eye(3))
        return replace(link, placement=pose_matrix(link.placement[:3, :3], p), rigid_inertia=inertia)

    return replace(model, links=tuple(map(varied, model.links)), gravity=rng.normal(size=3))


@settings(max_examples=12, deadline=None)
@given(WITHIN, BASES, st.integers(0, 2**32 - 1), st.integers(1, 3), st.sampled_from(["recursive", "lagrange"]))
def test_parameters_are_all_numbers_of_forward_dynamics(joints, base, seed, size, blocks):
    kinds = joints if base is None else [base, *joints]
    model = random_tree(kinds, seed, floating=base is not None)
    other = another(model, np.random.default_rng(seed))
    q, v, tau = state(model, seed)
    form = structural_form(model, None, size)
    given = with_parameters(form, layout(form), flattened(structural_form(other, None, size), layout(form)))
    found = by_normal_form(given, q, v, tau, blocks=blocks)
    expected = dynamics.forward_dynamics(other, q, v, tau)
    assert relative_error(found, expected) < 1e-13 * max(np.linalg.cond(lw.mass_matrix(other, q)), 100.0)


@pytest.fixture(scope="module")
def arm():
    return built_in("arm7")


@pytest.fixture(scope="module")
def kernel(arm):
    return structural(arm, "lagrange")


def structural(model, blocks, partition=4):
    return lw.compile(
        lw.forward_dynamics, model, method="hybrid", partition=partition, blocks=blocks, parameters=["structure"]
    )


def test_one_kernel_serves_other_robots(arm, kernel):
    rng = np.random.default_rng(6)
    q, v, tau = rng.normal(size=(3, 20, 7))
    for robot in (arm, arm.with_gravity((0.0, 0.0, 0.0)), *(another(arm, rng) for _ in range(3))):
        found = kernel(q, v, tau, lw.structure_parameters(robot, 4, structure_of=arm))
        expected = np.array([dynamics.forward_dynamics(robot, *row) for row in zip(q, v, tau, strict=True)])
        assert relative_error(found, expected) < 1e-12


def test_the_program_does_not_depend_on_the_robot(arm, kernel):
    own, recursive = kernel.program, structural(arm, "recursive").program
    other = structural(another(arm, np.random.default_rng(1)), "lagrange").program
    assert (other.instructions, other.results) == (own.instructions, own.results)
    assert recursive.instructions != own.instructions


def test_lengths_that_vanish_are_served_by_a_kernel_that_has_them():
    model = built_in("puma560")
    kernel = structural(model, "lagrange", 3)
    links = list(model.links)
    for k in (2, 3):
        links[k] = replace(links[k], placement=pose_matrix(links[k].placement[:3, :3]))
    shorter = replace(model, links=tuple(links))
    q, v, tau = state(model, 2)
    parameters = lw.structure_parameters(shorter, 3, structure_of=model)
    assert relative_error(kernel(q, v, tau, parameters), dynamics.forward_dynamics(shorter, q, v, tau)) < 1e-11
    with pytest.raises(InputError, match=r"is not that of .*the axis of joint .* is at a = "):
        lw.structure_parameters(model, 3, structure_of=shorter)


def test_other_structures_are_refused(arm):
    T = arm.links[2].placement
    tilted = replace(arm.links[2], placement=pose_matrix(T[:3, :3] @ lw.rotation.about("x", 0.3), T[:3, 3]))
    other = replace(arm, links=(*arm.links[:2], tilted, *arm.links[3:]))
    name = arm.joints[2].name
    with pytest.raises(InputError, match=f"the axis of joint '{name}' is oblique to that before it, not perpendicular"):
        lw.structure_parameters(other, 4, structure_of=arm)
    assert lw.structure_parameters(arm, 4, structure_of=other).shape == lw.structure_parameters(other, 4).shape
    with pytest.raises(InputError, match="the tree of its bodies"):
        lw.structure_parameters(built_in("two_link"), 4, structure_of=arm)
    slider = random_tree([Revolute, Prismatic], 1, floating=True)
    with pytest.raises(InputError, match="joint 'joint1' is revolute, not prismatic"):
        lw.structure_parameters(random_tree([Revolute, Revolute], 1, floating=True), 2, structure_of=slider)
    rotors = replace(arm, links=(replace(arm.links[0], armature=np.ones(1)), *arm.links[1:]))
    with pytest.raises(InputError, match=r"the armature of joint .* is \[1.0\], not zero"):
        lw.structure_parameters(rotors, 4, structure_of=arm)
    with pytest.raises(ArgumentError, match="the mechanism of the kernel"):
        lw.structure_parameters(arm, 4, structure_of="arm7")


def test_messages_of_compilation(arm):
    for function, options, message in (
        (lw.mass_matrix, {}, "forward_dynamics with method='hybrid'; got mass_matrix"),
        (lw.forward_dynamics, {"method": "assembly"}, "got forward_dynamics with method='assembly'"),
        (lw.forward_dynamics, {"method": "hybrid", "wrenches": [arm.bodies[-1].name]}, "excludes wrenches"),
    ):
        with pytest.raises(InputError, match=message):
            lw.compile(function, arm, **options, parameters=["structure"])
    with pytest.raises(ArgumentError, match="name no others"):
        lw.compile(lw.forward_dynamics, arm, method="hybrid", parameters=["structure", "gravity"])
    with pytest.raises(InputError, match="without closed loops"):
        lw.compile(lw.forward_dynamics, built_in("four_bar"), method="hybrid", parameters=["structure"])
