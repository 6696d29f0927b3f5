"""Blocks of written equations: the accelerations of all methods, one program for a structure, and its parameters."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import linkwright as lw
from linkwright import dynamics
from linkwright.dynamics.assembly.block import base_terms, block_equations, block_shape, body_terms
from linkwright.dynamics.assembly.choice import lagrange_schedule
from linkwright.dynamics.assembly.normal_form import AxisPlacement, NormalForm, common_normal, normal_form
from linkwright.dynamics.assembly.schedule import schedule_of
from linkwright.dynamics.assembly.subassembly import angular_velocity
from linkwright.errors import InputError
from linkwright.model.joints.joint import Cylindrical, Free, Prismatic, Revolute, Spherical
from linkwright.model.library.built_in import built_in
from linkwright.spatial.transform import inverse_pose, pose_matrix
from linkwright.symbolic.derivation.block_equations import written_equations
from mechanisms import random_rotation, random_tree, relative_error, state, with_loops

laws = settings(max_examples=12, deadline=None)
seeds = st.integers(0, 2**32 - 1)

WITHIN = st.lists(st.sampled_from([Revolute, Revolute, Prismatic]), min_size=1, max_size=6)


def trees(joints, seed, base):
    """A random tree of hinges and sliders, also on a free, spherical or cylindrical first joint."""
    kinds = joints if base is None else [base, *joints]
    return random_tree(kinds, seed, floating=base is not None)


mechanisms = st.builds(trees, WITHIN, st.integers(0, 2**32 - 1), st.sampled_from([None, Free, Spherical, Cylindrical]))


def bound(model, q):
    return 1e-13 * max(np.linalg.cond(lw.mass_matrix(model, q)), 100.0)


@laws
@given(mechanisms, seeds, st.integers(1, 3), st.sampled_from(["serial", "balanced"]))  # with oblique axes: few bodies
def test_written_blocks_give_the_accelerations_of_articulated_bodies(model, seed, size, schedule):
    q, v, tau = state(model, seed)
    wrenches = {"tip": np.arange(6.0), "body0": np.ones(6)}
    expected = dynamics.forward_dynamics(model, q, v, tau, wrenches, "articulated")
    found = dynamics.forward_dynamics(model, q, v, tau, wrenches, "hybrid", schedule, size, blocks="lagrange")
    assert relative_error(found, expected) < bound(model, q)


@pytest.mark.parametrize("kind", ["ball", "revolute"])
def test_closed_loops_and_stabilization(kind):
    model, q = with_loops(random_tree([Revolute] * 4 + [Prismatic], 3), [kind], 5)
    v, tau = np.random.default_rng(0).normal(size=(2, model.nv))
    expected = dynamics.forward_dynamics(model, q, v, tau, stabilization=(3.0, 4.0))
    found = dynamics.forward_dynamics(
        model, q, v, tau, method="hybrid", partition=2, blocks="lagrange", stabilization=(3.0, 4.0)
    )
    assert relative_error(found, expected) < 1e-9


def test_a_block_may_stand_on_the_ground_with_several_feet():
    model = random_tree([Revolute, Prismatic, Revolute, Revolute, Revolute], 4)
    assert sum(link.parent < 0 for link in model.links) > 1
    q, v, tau = state(model, 3)
    found = dynamics.forward_dynamics(
        model, q, v, tau, method="hybrid", partition=[range(len(model.links))], blocks="lagrange"
    )
    assert relative_error(found, dynamics.forward_dynamics(model, q, v, tau)) < bound(model, q)


@laws
@given(mechanisms, seeds, st.integers(1, 4))
def test_the_normal_form_is_the_same_mechanism(model, seed, size):
    form = normal_form(model, lagrange_schedule(model, None, size))
    q, v, a = state(model, seed)
    x = form.coordinates(q)
    assert np.allclose(lw.mass_matrix(form.model, x), lw.mass_matrix(model, q), rtol=1e-9, atol=1e-9)
    assert np.allclose(
        lw.inverse_dynamics(form.model, x, v, a), lw.inverse_dynamics(model, q, v, a), rtol=1e-9, atol=1e-9
    )
    assert np.allclose(lw.pose(form.model, x, "tip"), lw.pose(model, q, "tip"), atol=1e-9)
    for body, placed in enumerate(form.placements):
        if placed is not None:
            assert np.allclose(placed.pose(), form.model.links[body].placement)


@laws
@given(seeds, st.sampled_from(["general", "parallel", "antiparallel", "intersecting", "coaxial"]))
def test_common_normal_gives_the_pose(seed, case):
    rng = np.random.default_rng(seed)
    R, p = random_rotation(rng), rng.normal(size=3)
    about = AxisPlacement(beta=(np.cos(p[0]), np.sin(p[0]))).pose()[:3, :3]
    if case in ("parallel", "coaxial"):
        R = about
    if case == "antiparallel":
        R = about @ np.diag([1.0, -1.0, -1.0])
    if case == "coaxial":
        p = p * [0.0, 0.0, 1.0]
    if case == "intersecting":
        p = p[2] * R[:, 2] + [0.0, 0.0, 0.3]
    placed = common_normal(pose_matrix(R, p), 1e-12)
    assert np.allclose(placed.pose(), pose_matrix(R, p), atol=1e-12)
    assert placed.alpha[1] >= 0.0
    if case in ("coaxial", "intersecting"):
        assert abs(placed.a) < 1e-12
    if case in ("parallel", "antiparallel", "coaxial"):
        assert placed.b == 0.0


def reframed(model, rng):
    """The mechanism with each hinge's and slider's frame turned about and moved along its axis."""
    moves = [AxisPlacement(beta=(np.cos(x), np.sin(x)), b=y).pose() for x, y in rng.normal(size=(len(model.links), 2))]
    moves = [C if k.motion.axial else np.eye(4) for C, k in zip(moves, model.links, strict=True)] + [np.eye(4)]
    links = tuple(
        replace(
            link,
            placement=inverse_pose(moves[link.parent]) @ link.placement @ moves[k],
            rigid_inertia=link.rigid_inertia.moved(inverse_pose(moves[k])),
        )
        for k, link in enumerate(model.links)
    )
    return replace(model, links=links)


def structures(model, size):
    return normal_form(model, lagrange_schedule(model, None, size)).structures


@pytest.mark.parametrize("name", ["arm7", "puma560", "planar:5", "chain3d:4", "quadruped", "humanoid"])
def test_frames_masses_and_lengths_are_not_in_a_structure(name):
    model, rng = built_in(name), np.random.default_rng(2)
    for size in (3, 4):
        own = structures(model, size)
        assert structures(reframed(model, rng), size) == own
        longer = tuple(
            replace(
                link,
                placement=pose_matrix(link.placement[:3, :3], 1.7 * link.placement[:3, 3]),
                rigid_inertia=link.rigid_inertia + link.rigid_inertia,
            )
            for link in model.links
        )
        assert structures(replace(model, links=longer), size) == own


def test_a_turned_axis_is_another_structure():
    model = built_in("arm7")
    T = model.links[2].placement
    tilted = replace(model.links[2], placement=pose_matrix(T[:3, :3] @ lw.rotation.about("x", 0.3), T[:3, 3]))
    other = replace(model, links=(*model.links[:2], tilted, *model.links[3:]))
    assert structures(other, 4)[1:] == structures(model, 4)[1:]
    assert structures(other, 4)[0].joints[2].twist == "oblique"


@pytest.mark.parametrize("joints", [[Revolute] * 3, [Revolute, Prismatic, Revolute], [Prismatic, Revolute]])
@pytest.mark.parametrize("floating", [False, True])
def test_written_equations_are_those_of_the_recursion(joints, floating):
    model = random_tree([Free, *joints] if floating else joints, 11, floating=True)
    form = normal_form(model, schedule_of(model, "serial", [range(len(model.links))]))
    (structure,) = form.structures
    structure = structure._replace(handles=tuple(range(len(model.links))))
    q, v, _ = state(form.model, 1)
    x, rates = form.model.coordinates(q), form.model.rates(v)
    w, g = np.random.default_rng(1).normal(size=(2, 3))
    written = written_equations(structure)
    found = written.at(form.letters(0, x, rates, w, g))
    assert np.array_equal(found.M, found.M.T)
    assert written is written_equations(structure)
    expected = equations_by_recursion(form, structure, x, rates, w, g)
    for one, other in zip(found, expected, strict=True):
        assert relative_error(one, other) < 1e-12


def equations_by_recursion(form: NormalForm, structure, q, v, w, g):
    bodies = []
    for k, joint in enumerate(structure.joints):
        link = form.model.links[k]
        if joint is None or k == 0:
            link = replace(link, placement=np.eye(4))
        link = replace(link, armature=0.0 * link.armature)
        T = link.transform(q[k])
        w_parent = np.zeros(3) if link.parent < 0 else bodies[link.parent].w
        turning = w if joint is None else angular_velocity(link, w_parent, T, q[k], v[k])
        terms = body_terms(link, T, q[k], v[k], 0.0 * v[k], w_parent, turning, np.zeros(6))
        bodies.append(base_terms(terms) if joint is None else terms)
    shape = block_shape(form.schedule, 0)._replace(floating=structure.floating, handles=structure.handles)
    return block_equations(shape, tuple(bodies), np.concatenate([g, np.zeros(3)]))


def test_kernels_and_public_calls():
    model = built_in("arm7")
    q, v, tau = state(model, 4)
    expected = lw.forward_dynamics(model, q, v, tau)
    found = lw.forward_dynamics(model, q, v, tau, method="hybrid", blocks="lagrange")
    assert relative_error(found, expected) < 1e-12
    kernel = lw.compile(
        lw.forward_dynamics, model, method="hybrid", partition=[range(3), range(3, 7)], blocks="lagrange"
    )
    rows = np.array([q, model.neutral()]), np.array([v, 0.0 * v]), np.array([tau, tau])
    assert relative_error(kernel(*rows), lw.forward_dynamics(model, *rows)) < 1e-12


def test_messages():
    model = random_tree([Revolute, Cylindrical, Revolute], 1, floating=True)
    q, v, tau = state(model, 4)
    lw.forward_dynamics(model, q, v, tau, method="hybrid", partition=3, blocks="lagrange")  # divided at the cylinder
    with pytest.raises(InputError, match=r"hinges and sliders; 'joint1' of .* is cylindrical"):
        lw.forward_dynamics(model, q, v, tau, method="hybrid", partition=[range(3)], blocks="lagrange")
    with pytest.raises(InputError, match="blocks is for method 'hybrid'"):
        lw.forward_dynamics(model, q, v, tau, blocks="lagrange")
    with pytest.raises(InputError, match="it may be 'recursive' or 'lagrange'"):
        lw.forward_dynamics(model, q, v, tau, method="hybrid", blocks="newton")
    bent = built_in("planar:3")
    link = bent.links[1]
    R = link.placement[:3, :3] @ lw.rotation.about("x", 3e-6)
    bent = replace(
        bent, links=(bent.links[0], replace(link, placement=pose_matrix(R, link.placement[:3, 3])), bent.links[2])
    )
    with pytest.raises(InputError, match=r"parallel up to 3\.0e-06 rad"):
        dynamics.forward_dynamics(bent, np.ones(3), np.ones(3), np.ones(3), method="hybrid", blocks="lagrange")
