"""Compliance of contact in MJCF files (solref, solimp) as the stiffness and damping of a contact point.

MuJoCo's contact at rest is a spring. With the reference r̈ = −b ṙ − k d r and the impedance d(r) the regularization is
R = (1 − d)/d · w, where w is the sum of the inverse weights (``invweight0``) of both bodies, which is a constant of the
model. So the normal force at the depth r is c k d² r / ((1 − d) w), and its damper c b d / ((1 − d) w). c is 1 for an
elliptic cone and for a contact without friction, n/(2 μ² (1 + μ²)) · impratio for a pyramid of n edges.

d depends on r. The stiffness is the secant at the depth at which the point carries its part of the robot's weight: a
quarter, or more if the robot has fewer contact points.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from linkwright.spatial.arrays import Array

SMALLEST, LARGEST = 1e-4, 0.9999
"""MuJoCo's bounds of the impedance."""

POINTS = 4
"""Largest number of points that carry the weight, and the number of those of a geom of another type than
:data:`FEW`."""

FEW = {2: 1, 4: 1, 3: 2}
"""Contact points on a plane of spheres, ellipsoids and capsules, by mjtGeom."""

EARTH = 9.81
"""m/s², for files without gravity."""

USUAL = (0.02, 1.0)
"""Default of solref: time constant in s and damping ratio."""

EDGES = {3: 4, 4: 6, 6: 10}
"""Edges of the friction pyramid by condim."""

HALVINGS = 40


class Softness(NamedTuple):
    """Compliance of a geom or of a pair."""

    solref: tuple[float, ...]
    solimp: tuple[float, ...]

    @classmethod
    def of(cls, solref: Array, solimp: Array) -> Softness:
        """Return the compliance of MuJoCo's solref (2,) and solimp (5,).

        As in MuJoCo, a solref with numbers of different signs is the default.
        """
        mixed = (solref[0] > 0.0) != (solref[1] > 0.0) or not np.isfinite(solref).all()
        return cls(USUAL if mixed else tuple(solref.tolist()), tuple(solimp.tolist()))

    def rates(self, shortest: float) -> tuple[float, float]:
        """Return k in 1/s² and b in 1/s; ``shortest``: the smallest time constant in s."""
        largest = _bounded(self.solimp[1])
        first, second = self.solref
        if first <= 0.0:
            return -first / largest**2, -second / largest
        time = max(first, shortest)
        return 1.0 / (largest * time * second) ** 2, 2.0 / (largest * time)

    def impedance(self, depth: float) -> float:
        """Return d at a depth in m."""
        low, high, width, middle, power = self.solimp
        low, high, middle, power = _bounded(low), _bounded(high), _bounded(middle), max(power, 1.0)
        x = min(depth / width, 1.0) if width > 0.0 else 1.0
        near, far = x**power / middle ** (power - 1.0), (1.0 - x) ** power / (1.0 - middle) ** (power - 1.0)
        return low + (near if x <= middle else 1.0 - far) * (high - low)

    def pull(self, depth: float, k: float) -> float:
        """Return k d² r/(1 − d) in m/s² at a depth r."""
        d = self.impedance(depth)
        return k * d * d * depth / (1.0 - d)

    def rest_depth(self, load: float, k: float) -> float:
        """Return the depth in m at which the pull is the load in m/s², by bisection."""
        least, most = sorted(_bounded(d) for d in self.solimp[:2])
        low, high = (load * (1.0 - d) / (k * d * d) for d in (most, least))
        for _ in range(HALVINGS):
            depth = 0.5 * (low + high)
            low, high = (depth, high) if self.pull(depth, k) < load else (low, depth)
        return high


DEFAULT = Softness(USUAL, (0.9, 0.95, 0.001, 0.5, 2.0))
"""MuJoCo's defaults."""


def _bounded(impedance: float) -> float:
    return min(max(impedance, SMALLEST), LARGEST)


def mixed_softness(m: Any, g: int, h: int) -> Softness:
    """Return the compliance of two geoms: that of higher priority, or the average by ``solmix``."""
    if m.geom_priority[g] != m.geom_priority[h]:
        g = h = g if m.geom_priority[g] > m.geom_priority[h] else h
    one, other = m.geom_solmix[[g, h]].tolist()
    share = one / (one + other) if one + other > 0.0 else 0.5
    ref = share * m.geom_solref[g] + (1.0 - share) * m.geom_solref[h]
    if min(m.geom_solref[g, 0], m.geom_solref[h, 0]) <= 0.0:
        ref = np.minimum(m.geom_solref[g], m.geom_solref[h])
    return Softness.of(ref, share * m.geom_solimp[g] + (1.0 - share) * m.geom_solimp[h])


class PointCompliance(NamedTuple):
    """Compliance of a contact point, or else its restitution."""

    stiffness: float | None
    """N/m; None: rigid"""
    damping: float
    """N s/m"""
    restitution: float | None
    """None: that of the other shape"""


RIGID = PointCompliance(None, 0.0, None)
"""Contact without restitution that MuJoCo's default is no stiffer than."""


def compliance(m: Any, softness: Softness, bodies: tuple[int, ...], friction: float, condim: int) -> PointCompliance:
    """Return the compliance of a point; rigid where MuJoCo's default is no stiffer."""
    w = float(m.body_invweight0[list(bodies), 0].sum())
    if softness == DEFAULT or w <= 0.0:
        return RIGID
    c = 1.0
    if m.opt.cone == 0 and condim in EDGES and friction > 0.0:  # pyramidal
        c = EDGES[condim] * float(m.opt.impratio) / (2.0 * friction**2 * (1.0 + friction**2))
    shortest = 0.0 if m.opt.disableflags & REFSAFE_OFF else 2.0 * float(m.opt.timestep)
    load = _load(m, bodies) * w / c
    k, b = softness.rates(shortest)
    usual = DEFAULT.rates(shortest)[0]
    if k <= 0.0 or softness.pull(DEFAULT.rest_depth(load, usual), k) >= load:
        return RIGID._replace(restitution=_restitution(k, b))
    d = softness.impedance(softness.rest_depth(load, k))
    return PointCompliance(c * k * d**2 / ((1.0 - d) * w), c * b * d / ((1.0 - d) * w), None)


REBOUND = 0.1
"""Restitution from which it is used: the rebound is 1 % of the height of the fall."""


def _restitution(k: float, b: float) -> float | None:
    """Return the ratio of the velocities after and before half an oscillation of r̈ = −b d ṙ − k d² r."""
    ratio = b / (2.0 * np.sqrt(k)) if k > 0.0 else 1.0
    if ratio >= 1.0:
        return None
    found = float(np.exp(-np.pi * ratio / np.sqrt(1.0 - ratio**2)))
    return found if found > REBOUND else None


REFSAFE_OFF = 1 << 11
"""mjDSBL_REFSAFE"""


def _load(m: Any, bodies: tuple[int, ...]) -> float:
    """Return the part of the weight of the lighter tree of two bodies that a point carries, in N.

    It is a quarter, or more for a tree with fewer contact points, such as a ball.
    """
    roots = [int(m.body_rootid[b]) for b in bodies if m.body_invweight0[b, 0] > 0.0]
    mass, root = min((float(m.body_subtreemass[root]), root) for root in roots)
    touches = (m.body_rootid[m.geom_bodyid] == root) & ((m.geom_contype != 0) | (m.geom_conaffinity != 0))
    points = sum(FEW.get(kind, POINTS) for kind in m.geom_type[touches].tolist())
    return mass * (float(np.linalg.norm(m.opt.gravity)) or EARTH) / min(max(points, 1), POINTS)
