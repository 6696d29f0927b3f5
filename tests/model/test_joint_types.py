"""The class of a joint type describes its motion correctly, and no code elsewhere compares types."""

from __future__ import annotations

import ast
from functools import reduce
from pathlib import Path

import numpy as np
import pytest

import linkwright as lw
from linkwright.model.joints.joint import JOINT_TYPES
from linkwright.spatial.transform import inverse_pose, pose_matrix
from mechanisms import joint_of

SOURCE = Path(lw.__file__).parent
NAMES = {kind.__name__ for kind in JOINT_TYPES}
TYPES = {kind.type for kind in JOINT_TYPES} | {"continuous"}

DECIDE = {
    "cli/commands/simulate.py": "free bases",
    "symbolic/derivation/loops.py": "types of loops",
    "symbolic/derivation/plan.py": "a pitch is a symbol of the equations",
    "symbolic/derivation/realization.py": "a pitch is a symbol of the equations",
    "formats/mjcf/writing.py": "names of a file format",
    "formats/sdf/writing.py": "names of a file format",
    "formats/urdf/writing.py": "names of a file format",
    "formats/writing.py": "a screw is a hinge and a slide that follows it",
    "formats/ztk/writing.py": "names of a file format",
    "identification/calibration.py": "rows of a table of Denavit and Hartenberg",
    "ik_solvers/exact/chain.py": "hinges and slides",
    "model/transformations/additions.py": "parts are edited by their names",
    "model/library/dh.py": "rows of a table of Denavit and Hartenberg",
    "simulation/actuation/posture_control.py": "free joints",
    "browser/view/solids.py": "types of loops",
}
"""The files that compare the types of joints, or of loops by the same names, and why; the list only gets shorter."""


@pytest.fixture(params=JOINT_TYPES, ids=lambda kind: kind.type)
def motion(request):
    return joint_of(request.param, np.random.default_rng(7))


def drawn(motion, seed=3):
    rng = np.random.default_rng(seed)
    return motion.integrate(motion.neutral, rng.normal(size=motion.nv))


def test_kinds_are_those_of_the_motion_subspace(motion):
    S = np.array([motion.motion_subspace(drawn(motion, seed)) for seed in range(3)])
    about_z, along_z = np.eye(6)[[5]].T, np.eye(6)[[2]].T
    same = np.ptp(S, axis=0).max() < 1e-12
    assert motion.hinge == (S.shape[2] == 1 and same and np.array_equal(S[0], about_z))
    assert motion.slide == (S.shape[2] == 1 and same and np.array_equal(S[0], along_z))
    assert motion.axial == (same and not S[:, [0, 1, 3, 4]].any())
    assert motion.floating == (motion.nv == 6)
    if motion.axial and motion.nv == 1 and motion.units == ("rad",):
        assert motion.pitch == pytest.approx(2.0 * np.pi * S[0, 2, 0], abs=1e-15)
    else:
        assert motion.pitch == 0.0


def test_every_velocity_has_a_name(motion):
    assert len(motion.velocity_names) == motion.nv
    assert len(set(motion.velocity_names)) == motion.nv


def test_circular_coordinates_are_the_same_a_turn_later(motion):
    q = drawn(motion)
    same = []
    for k in range(motion.nq):
        later = q + 2.0 * np.pi * np.eye(motion.nq)[k]
        if np.abs(motion.transform(later) - motion.transform(q)).max() < 1e-12:
            same.append(k)
    assert tuple(same) == motion.circular


def test_simple_parts_make_up_the_motion(motion):
    q, at, poses = drawn(motion), 0, []
    for part in motion.simple_parts():
        poses += [np.array(part.placement), part.motion.transform(q[at : at + part.motion.nq])]
        at += part.motion.nq
    assert at == motion.nq
    np.testing.assert_allclose(reduce(np.matmul, poses) @ np.array(motion.end), motion.transform(q), atol=1e-14)


@pytest.mark.parametrize("M", [np.diag([-1.0, 1.0, 1.0]), np.diag([1.0, 1.0, -1.0])], ids=["x", "z"])
def test_mirrored_types_are_seen_in_a_mirror(motion, M):
    image, q = motion.mirrored(M), drawn(motion)
    N, T = image.reflection, motion.transform(q)
    expected = pose_matrix(N @ T[:3, :3] @ N, N @ T[:3, 3])
    np.testing.assert_allclose(image.motion.transform(image.signs * q), expected, atol=1e-14)


def test_inverted_types_carry_the_parent(motion):
    other, q = motion.inverted(), drawn(motion)
    F = pose_matrix(other.turn)
    expected = inverse_pose(F) @ inverse_pose(motion.transform(q)) @ F
    q = q[other.of_q]
    if other.inverse:  # of those parts that have no other
        at, pieces = 0, []
        for part in other.motion.simple_parts():
            own = q[at : at + part.motion.nq]
            if part.motion.inverted().inverse:
                own = part.motion.integrate(part.motion.neutral, part.motion.difference(own, part.motion.neutral))
            pieces.append(own)
            at += part.motion.nq
        q = np.concatenate(pieces)
    np.testing.assert_allclose(other.motion.transform(q), expected, atol=1e-14)


def literals(node):
    return {x.value for x in ast.walk(node) if isinstance(x, ast.Constant)}


def compares_types(tree):
    """Whether a module asks for the class or the name of a joint type."""
    names = {
        name.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module == "linkwright.model.joints.joint"
        for name in node.names
    } & NAMES
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("isinstance", "issubclass"):
            if {x.id for x in ast.walk(node.args[1]) if isinstance(x, ast.Name)} & names:
                return True
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            types = any(isinstance(side, ast.Attribute) and side.attr == "type" for side in sides)
            classes = any(isinstance(side, ast.Call) and getattr(side.func, "id", "") == "type" for side in sides)
            compared = {x.id for side in sides for x in ast.walk(side) if isinstance(x, ast.Name)}
            if (types and any(literals(side) & TYPES for side in sides)) or (classes and compared & names):
                return True
    return False


def test_few_files_compare_the_types_of_joints():
    """Everywhere else a joint type is asked for what it knows."""
    texts = {file.relative_to(SOURCE).as_posix(): file.read_text(encoding="utf-8") for file in SOURCE.rglob("*.py")}
    may = {where: text for where, text in texts.items() if "linkwright.model.joints.joint" in text or ".type" in text}
    found = {where for where, text in may.items() if compares_types(ast.parse(text))}
    assert found - {"model/joints/joint.py"} <= set(DECIDE)
