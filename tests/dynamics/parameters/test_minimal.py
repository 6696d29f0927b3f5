"""Minimal models: regrouped inertias change nothing in joint space, and are as few as they can be."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import linkwright as public
from linkwright import dynamics as lw
from linkwright.compiler.front.algorithms import facts
from linkwright.errors import InputError, ModelError
from linkwright.model.build.assembly import assemble
from linkwright.model.build.origins import with_near_origins
from linkwright.model.joints.joint import JOINT_TYPES
from linkwright.model.transformations.minimal import FORMS
from linkwright.model.tree import Model
from linkwright.spatial.inertia import RigidInertia
from mechanisms import body, one_of_each, random_tree, relative_error, state, trees

laws = settings(max_examples=30, deadline=None)
seeds = st.integers(0, 2**32 - 1)


def with_full_inertias(model: Model, seed: int = 0) -> Model:
    """The mechanism with ten general parameters in every body, and joints that only move."""
    rng = np.random.default_rng(seed)
    bare = {"armature": 0.0, "damping": 0.0, "friction": 0.0, "stiffness": 0.0}
    return assemble(
        replace(
            model.description,
            bodies=tuple(body(spec.name, rng) for spec in model.description.bodies),
            joints=tuple(replace(joint, **bare) for joint in model.description.joints),
        )
    )


def in_joint_space(model, seed):
    """Everything that must not change, by name."""
    q, v, a = state(model, seed)
    wrenches = {"tip": np.arange(6.0), "body0": np.ones(6)}
    return {
        "inverse_dynamics": lw.inverse_dynamics(model, q, v, a, wrenches),
        "bias_forces": lw.bias_forces(model, q, v),
        "gravity_forces": lw.gravity_forces(model, q),
        "coriolis_matrix": lw.coriolis_matrix(model, q, v),
        "pose": lw.pose(model, q, "tip"),
        "jacobian_dot": lw.jacobian_dot(model, q, v, "tip"),
        "passive_forces": lw.passive_forces(model, q, v),
        **{method: lw.mass_matrix(model, q, method) for method in ("composite", "unit_vector", "jacobian")},
    }


@pytest.mark.parametrize("form", FORMS)
@laws
@given(trees(), seeds)
def test_joint_space_does_not_notice(form, model, seed):
    expected = in_joint_space(model, seed)
    for name, found in in_joint_space(model.minimal(form), seed).items():
        assert relative_error(found, expected[name]) < 1e-13, name


@laws
@given(trees(), seeds)
def test_forward_dynamics_does_not_notice(model, seed):
    q, v, tau = state(model, seed)
    condition = np.linalg.cond(lw.mass_matrix(model, q))
    for method in ("articulated", "composite"):
        expected = lw.forward_dynamics(model, q, v, tau, {"tip": np.ones(6)}, method)
        found = lw.forward_dynamics(model.minimal(), q, v, tau, {"tip": np.ones(6)}, method)
        assert relative_error(found, expected) < 1e-14 * max(condition, 100.0), method


@laws
@given(trees(), seeds)
def test_nothing_public_is_said_in_the_origins_of_frames(model, seed):
    q, v, _ = state(model, seed)
    near = with_near_origins(model)
    expected = in_joint_space(model, seed)
    for name, found in in_joint_space(near, seed).items():
        assert relative_error(found, expected[name]) < 1e-13, name
    for function, arguments in {
        lw.momentum_matrix: (q,),
        lw.kinetic_energy: (q, v),
        lw.potential_energy: (q,),
        lw.center_of_mass: (q,),
    }.items():
        assert relative_error(function(near, *arguments), function(model, *arguments)) < 1e-13, function


def test_axes_that_meet_share_an_origin():
    """Shoulder, elbow and wrist of the seven-joint arm; what is left are the two arms' lengths and the flange."""
    model = public.load("arm7")
    offsets = [np.abs(link.placement[:3, 3]) > 0.0 for link in with_near_origins(model).links[1:]]
    assert sum(int(x.any()) for x in offsets) <= 3
    assert sum(int(x.any()) for x in offsets) < sum(int(link.placement[:3, 3].any()) for link in model.links[1:])


def parameters(body: RigidInertia) -> np.ndarray:
    return np.array([body.mass, *body.first_moment, *body.inertia[np.triu_indices(3)]])


def distinguishable(model: Model) -> int:
    """How many combinations of the 10 n inertial parameters show in the efforts: the rank of the regressor."""
    places = np.triu_indices(3)
    nothing = [RigidInertia(0.0, np.zeros(3), np.zeros((3, 3)))] * len(model.links)
    samples = [state(model, seed) for seed in range(30 * len(model.links) // model.nv + 5)]
    columns = []
    for k in range(len(model.links)):
        for x in np.eye(10):
            I = np.zeros((3, 3))
            I[places] = x[4:]
            inertias = list(nothing)
            inertias[k] = RigidInertia(x[0], x[1:4], I + np.triu(I, 1).T)
            links = tuple(
                replace(link, rigid_inertia=one, armature=0.0 * link.armature)
                for link, one in zip(model.links, inertias, strict=True)
            )
            joints = tuple(replace(joint, armature=0.0 * joint.armature) for joint in model.joints)
            one_parameter = replace(model, links=links, joints=joints)
            columns.append(np.concatenate([lw.inverse_dynamics(one_parameter, *x) for x in samples]))
    sizes = np.linalg.svd(np.stack(columns, axis=1), compute_uv=False)
    return int((sizes > 1e-9 * sizes[0]).sum())


def kept(model: Model) -> int:
    counts = {
        form: sum(int((F @ parameters(link.rigid_inertia) != 0.0).sum()) for link in model.minimal(form).links)
        for form, (F, _) in FORMS.items()
    }
    assert len(set(counts.values())) == 1, counts
    return counts["inertia"]


@pytest.mark.parametrize(("name", "known"), [("puma560", 36), ("arm7", 43), ("planar:3", 9), ("pendulum", 3)])
def test_as_few_parameters_as_the_efforts_tell_apart(name, known):
    model = with_full_inertias(public.load(name))
    assert kept(model) == distinguishable(model) == known


@settings(max_examples=8, deadline=None)
@given(st.lists(st.sampled_from(JOINT_TYPES), min_size=1, max_size=4), seeds)
def test_few_of_every_joint_type(kinds, seed):
    model = random_tree(kinds, seed)
    assert kept(model) == distinguishable(model)


def test_near_the_ground_more_is_regrouped():
    """Under an upright first axis one moment of the first body is all that counts; aslant, its first moment too."""
    model = with_full_inertias(public.load("puma560"))
    (first, *_), (aslant, *_) = model.minimal().links, model.with_gravity((1.0, 2.0, -9.0)).minimal().links
    assert np.flatnonzero(parameters(first.rigid_inertia)).tolist() == [9]
    assert np.flatnonzero(parameters(aslant.rigid_inertia)).tolist() == [1, 2, 9]


def test_gravity_and_locks_regroup_anew():
    model = with_full_inertias(public.load("puma560"))
    q, v, a = state(model, 0)
    turned = model.minimal().with_gravity((1.0, 2.0, -9.0))
    expected = lw.inverse_dynamics(model.with_gravity((1.0, 2.0, -9.0)), q, v, a)
    assert turned.physical is not None
    assert relative_error(lw.inverse_dynamics(turned, q, v, a), expected) < 1e-13
    locked = {"joint3": q[2]}
    expected = lw.inverse_dynamics(model.lock(locked), *(np.delete(x, 2) for x in (q, v, a)))
    found = lw.inverse_dynamics(model.minimal().lock(locked), *(np.delete(x, 2) for x in (q, v, a)))
    assert relative_error(found, expected) < 1e-13


def test_minimal_of_minimal():
    model = one_of_each()
    minimal = model.minimal()
    assert minimal.minimal() is minimal
    assert model.minimal() is minimal
    assert minimal.physical is model
    with pytest.raises(InputError, match="second moment"):
        model.minimal("least")
    assert (minimal.nq, minimal.nv, minimal.name) == (model.nq, model.nv, model.name)
    assert pickle.loads(pickle.dumps(minimal)).physical is not None


def test_what_regrouping_loses_is_refused():
    model = one_of_each().minimal()
    q, v, _ = state(model, 0)
    refused = {
        lw.kinetic_energy: (q, v),
        lw.potential_energy: (q,),
        lw.center_of_mass: (q,),
        lw.center_of_mass_jacobian: (q,),
        lw.momentum: (q, v),
        lw.momentum_matrix: (q,),
        lw.total_mass: (),
    }
    for function, arguments in refused.items():
        with pytest.raises(ModelError, match="cannot be computed from a minimal model") as caught:
            function(model, *arguments)
        assert model.name in str(caught.value)
    with pytest.raises(ModelError, match="minimal model"):
        public.kinetic_energy(model, q, v)


@pytest.mark.parametrize("scale", [1e-3, 1e3])
def test_at_every_size(scale):
    """A mechanism of millimeters is regrouped as one of kilometers."""
    model = with_full_inertias(public.load("puma560"))
    places = [replace(j, placement=j.placement * scaled(scale), anchor=scale * j.anchor) for j in specs(model)]
    bodies = [
        replace(b, center_of_mass=scale * b.center_of_mass, inertia=scale**2 * b.inertia)
        for b in model.description.bodies
    ]
    small = assemble(replace(model.description, joints=tuple(places), bodies=tuple(bodies)))
    assert kept(small) == 36


def specs(model):
    return model.description.joints


def scaled(scale: float) -> np.ndarray:
    factors = np.ones((4, 4))
    factors[:3, 3] = scale
    return factors


def test_kernels_regroup_by_themselves():
    model = with_full_inertias(public.load("puma560"))
    q, v, a = state(model, 0)
    for function, arguments in {
        public.inverse_dynamics: (q, v, a),
        public.bias_forces: (q, v),
        public.gravity_forces: (q,),
        public.mass_matrix: (q,),
        public.coriolis_matrix: (q, v),
        public.forward_dynamics: (q, v, a),
    }.items():
        as_it_is = public.compile(function, model, regroup=False)
        regrouped = public.compile(function, model)
        by_hand = public.compile(function, model.minimal(facts(function.book).regroup), regroup=False)
        assert regrouped.operations.total < as_it_is.operations.total
        assert regrouped.operations == by_hand.operations
        assert relative_error(regrouped(*arguments), as_it_is(*arguments)) < 1e-12
        assert relative_error(function(model, *arguments), as_it_is(*arguments)) < 1e-12


def test_functions_made_of_algorithms_regroup_too():
    model = with_full_inertias(public.load("puma560"))

    def both(model, q, v, a):
        return public.inverse_dynamics(model, q, v, a), public.kinetic_energy(model, q, v)

    as_it_is, regrouped = public.compile(both, model, regroup=False), public.compile(both, model)
    assert regrouped.operations.total < as_it_is.operations.total
    d_tau = public.derivative(public.inverse_dynamics, "q")
    as_it_is, regrouped = public.compile(d_tau, model, regroup=False), public.compile(d_tau, model)
    assert regrouped.operations.total < as_it_is.operations.total
    x = state(model, 1)
    assert relative_error(regrouped(*x), as_it_is(*x)) < 1e-12
