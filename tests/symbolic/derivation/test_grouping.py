"""Base parameters: exact by substitution, as many as the regressor has rank, and right in numbers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from test_equations import FULL, compare, follower, once, with_joint

import linkwright as lw
from linkwright import dynamics
from linkwright.errors import InputError, ModelError, TooLargeError
from linkwright.expression.polynomials.polynomial import Polynomial, Ring
from linkwright.model.build.description import JOINT_NAMES
from linkwright.model.tree import Model
from linkwright.spatial.inertia import RigidInertia
from linkwright.symbolic import Equations, equations
from mechanisms import relative_error, state

MODELS = {
    "two_link": lambda: lw.load("two_link"),
    "planar:3": lambda: lw.load("planar:3"),
    "puma560": lambda: lw.load("puma560"),
    "chain3d:2": lambda: lw.load("chain3d:2"),
    "follower": follower,
    "without gravity": lambda: with_joint("prismatic").with_gravity((0, 0, 0)),
    **{kind: (lambda kind=kind: with_joint(kind)) for kind in JOINT_NAMES if kind != "fixed"},
}


@pytest.fixture(scope="module", params=MODELS)
def model(request) -> Model:
    return MODELS[request.param]()


def substituted(p: Polynomial, ring: Ring, definitions: dict[str, Polynomial]) -> Polynomial:
    """The polynomial in another ring, what is defined there put in its place."""
    total = ring.zero
    for factors, c in p:
        product = ring.constant(c)
        for name, e in factors:
            product = product * (definitions[name] if name in definitions else ring[name]) ** e
        total = total + product
    return total


def rank_of_regressor(model: Model) -> int:
    """Of inverse dynamics as a linear function of the ten parameters of every body and its rotors' inertias."""
    columns = []
    states = [state(model, seed) for seed in range(14)]
    nothing = RigidInertia(0.0, np.zeros(3), np.zeros((3, 3)))

    def column(k: int, own: RigidInertia, armature: np.ndarray) -> np.ndarray:
        rotors = [armature if i == k else 0.0 * joint.armature for i, joint in enumerate(model.joints)]
        links = [
            replace(link, rigid_inertia=own if i == k else nothing, armature=rotors[i])
            for i, link in enumerate(model.links)
        ]
        joints = [replace(joint, armature=rotor) for joint, rotor in zip(model.joints, rotors, strict=True)]
        changed = replace(model, links=tuple(links), joints=tuple(joints))
        return np.concatenate([dynamics.inverse_dynamics(changed, *one) for one in states])

    for k, joint in enumerate(model.joints):
        none = 0.0 * joint.armature
        columns.append(column(k, RigidInertia(1.0, np.zeros(3), np.zeros((3, 3))), none))
        columns += [column(k, RigidInertia(0.0, axis, np.zeros((3, 3))), none) for axis in np.eye(3)]
        for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)):
            I = np.zeros((3, 3))
            I[i, j] = I[j, i] = 1.0
            columns.append(column(k, RigidInertia(0.0, np.zeros(3), I), none))
        columns += [column(k, nothing, unit) for unit in np.eye(len(none))]
    sizes = np.linalg.svd(np.stack(columns, axis=1), compute_uv=False)
    assert not np.any((sizes > 1e-12 * sizes[0]) & (sizes < 1e-7 * sizes[0])), sizes
    return int((sizes > 1e-9 * sizes[0]).sum())


@pytest.mark.variants("parameters")
@pytest.mark.parametrize("parameters", ["symbols", {"inertial": "all"}, FULL], ids=["symbols", "all", "full"])
def test_definitions_put_in_give_the_equations_back(model, parameters):
    made = once(model, parameters, base_parameters=True)
    ungrouped, definitions = made.grouping.ungrouped, made.grouping.definitions
    ring = ungrouped.gravity_forces[0].ring
    for grouped, whole in zip(made.canonical, ungrouped, strict=True):
        for ours, theirs in zip(grouped.flat, whole.flat, strict=True):
            assert substituted(ours, ring, definitions) == theirs
    assert definitions
    assert made.canonical.terms < ungrouped.terms


def inertial(made: Equations) -> list[str]:
    return [name for name in made.parameters if name[0] in "mI" and not name.startswith("mu")]


def test_there_are_as_many_as_the_regressor_has_rank(model):
    made = once(model, FULL, base_parameters=True)
    assert len(inertial(made)) == rank_of_regressor(model)


def test_puma():
    """36 of links (Gautier & Khalil 1990), and the rotors of the last four joints; those of the others join links."""
    names = inertial(equations(lw.load("puma560"), FULL, base_parameters=True))
    assert len([name for name in names if not name.startswith("Ia")]) == 36
    assert [name for name in names if name.startswith("Ia")] == ["Ia3", "Ia4", "Ia5", "Ia6"]


def test_numbers_and_code(model):
    made = once(model, base_parameters=True)
    compare(made, model)
    compare(made, made.model)
    compare(once(model, base_parameters=True, method="lagrange"), model)
    scope: dict = {}
    exec(made.python(), scope)
    q, v, _ = state(model, 3)
    function = next(value for name, value in scope.items() if name.endswith("_equations"))
    for ours, theirs in zip(function(q, v)[1:], (h_of(model, q, v), lw.gravity_forces(model, q)), strict=True):
        assert relative_error(ours, theirs) < 1e-12


def h_of(model: Model, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    return lw.bias_forces(model, q, v) - lw.gravity_forces(model, q)


def test_names_and_their_meanings():
    made = equations(lw.load("two_link"), base_parameters=True)
    assert made.text().splitlines() == [
        "M[1,1] = 2*mcx2*l1*cos(theta2) + IzzR1 + Izz2",
        "M[1,2] = mcx2*l1*cos(theta2) + Izz2",
        "M[2,2] = Izz2",
        "h[1] = -mcx2*l1*sin(theta2)*theta2_dot*(2*theta1_dot + theta2_dot)",
        "h[2] = mcx2*l1*sin(theta2)*theta1_dot^2",
        "g[1] = mcxR1*g*cos(theta1) + mcx2*g*cos(theta1 + theta2)",
        "g[2] = mcx2*g*cos(theta1 + theta2)",
    ]
    assert made.meanings["IzzR1"] == "m2*l1^2 + Izz1"
    assert made.meanings["mcxR1"] == "mcx1 + m2*l1"
    assert made.parameters["IzzR1"] == 1.35
    assert "p: IzzR1 = 1.35, m2*l1^2 + Izz1" in made.c()
    assert "I_{zzR1}" in made.latex()
    assert "mc_{xR1}" in made.latex()


def test_what_cannot_be_grouped_is_refused():
    with pytest.raises(InputError, match="named inertial parameters"):
        equations(lw.load("two_link"), "numbers", base_parameters=True)
    with pytest.raises(InputError, match="named inertial parameters"):
        equations(lw.load("two_link"), {"m2": 1.0}, base_parameters=True)
    builder = lw.Builder("parallel", gravity=(0, 0, 0)).body("a").body("b", 1.0).body("c", 1.0)
    builder.joint("lead", "revolute", "world", "a")
    for name, xyz in (("b", (0.3, 0, 0)), ("c", (0, 0.2, 0))):  # which do not turn: m b² + m c² is all there is
        builder.joint(name, "revolute", "a", name, xyz=xyz).mimic(name, "lead", -1.0)
    with pytest.raises(ModelError, match="fractions of lengths"):
        equations(builder.build(), base_parameters=True)
    made = equations(builder.build(), {"geometry": "numbers"}, base_parameters=True)
    assert inertial(made) == ["mR2"]
    with pytest.raises(TooLargeError, match="base parameters of 'arm7'"):
        equations(lw.load("arm7"), base_parameters=True, term_limit=500)
