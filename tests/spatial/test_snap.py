"""Rotations whose zeros are made exact stay rotations."""

from __future__ import annotations

import numpy as np
import pytest

from linkwright.spatial.arrays import snap
from linkwright.spatial.rotation import quaternion_exp, quaternion_matrix, quaternion_unit, rotation_rpy

AXES = np.eye(3)


def about(axis, angle):
    return quaternion_matrix(quaternion_exp(angle * axis))


def rotations(rng):
    """One each with no, one, four and six zeros, and nearly the identity; axes in any order."""
    turn = about(AXES[2], rng.uniform(-4, 4))
    order = AXES[rng.permutation(3)]
    order = order * np.linalg.det(order)
    for R in (
        quaternion_matrix(quaternion_unit(rng.normal(size=4))),
        turn @ about(AXES[1], rng.uniform(-4, 4)),
        turn,
        AXES,
        about(AXES[rng.integers(3)], 1e-5),  # within 1e-10 of 1 on the diagonal, but no identity
    ):
        yield order @ R
        yield R @ order


def test_snapped_rotations_are_orthonormal_and_keep_their_zeros():
    rng = np.random.default_rng(0)
    for _ in range(200):
        for R in rotations(rng):
            noisy = about(AXES[rng.integers(3)], rng.uniform(-4e-11, 4e-11)) @ R
            S = snap(noisy)
            assert np.abs(S @ S.T - AXES).max() < 3e-15
            assert np.linalg.det(S) > 0.0
            assert np.abs(S - R).max() < 2e-10
            assert ((np.abs(R) < 1e-14) == (S == 0.0)).all()
            assert not np.signbit(S[S == 0.0]).any()


def test_snapped_axes_are_of_unit_length():
    assert np.array_equal(snap([1e-11, -3e-11, 1.0 - 1e-11]), [0.0, 0.0, 1.0])
    assert np.linalg.norm(snap([1e-11, 0.6, 0.8])) == pytest.approx(1.0, abs=2e-16)


def test_what_is_no_rotation_is_left_for_the_checks_to_find():
    assert np.array_equal(snap(2.0 * AXES), 2.0 * AXES)
    assert np.array_equal(snap(np.zeros((3, 3))), np.zeros((3, 3)))


def test_files_with_rounded_angles_give_rotations():
    R = rotation_rpy([1.5707963267, 1e-5, -3.14159265])
    assert np.abs(R @ R.T - AXES).max() < 1e-15
