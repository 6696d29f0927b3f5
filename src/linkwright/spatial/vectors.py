"""Cross products of 6-vectors, linear part first: motions [v; ω], forces [f; n]."""

from __future__ import annotations

import numpy as np

from linkwright.spatial.arrays import Array
from linkwright.spatial.rotation import skew


def motion_cross(v: Array) -> Array:
    """Return v× = [[[ω]×, [v]×], [0, [ω]×]] (6, 6), on motions."""
    a, b, c, x, y, z = np.asarray(v).tolist()  # one conversion, since this function is called most
    return np.array(
        [
            [0.0 * x, -z, y, 0.0 * a, -c, b],
            [z, 0.0 * x, -x, c, 0.0 * a, -a],
            [-y, x, 0.0 * x, -b, a, 0.0 * a],
            [0.0, 0.0, 0.0, 0.0 * x, -z, y],
            [0.0, 0.0, 0.0, z, 0.0 * x, -x],
            [0.0, 0.0, 0.0, -y, x, 0.0 * x],
        ]
    )


def force_cross(v: Array) -> Array:
    """Return v×* = −(v×)ᵀ = [[[ω]×, 0], [[v]×, [ω]×]] (6, 6), on forces."""
    V, W = skew(v[:3]), skew(v[3:])
    top = np.concatenate([W, np.zeros((3, 3))], axis=1)
    return np.concatenate([top, np.concatenate([V, W], axis=1)])


def momentum_cross(f: Array) -> Array:
    """Return f×̄* = −[[0, [f]×], [[f]×, [n]×]] (6, 6), with f×̄* v = v×* f."""
    F, N = skew(f[:3]), skew(f[3:])
    top = np.concatenate([np.zeros((3, 3)), -F], axis=1)
    return np.concatenate([top, np.concatenate([-F, -N], axis=1)])
