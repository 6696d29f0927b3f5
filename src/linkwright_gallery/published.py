"""Algorithms of S2 and S4 as their sources write them: to be counted, compiled and timed next to the library's own.

They take numbers of any kind: floats, the compiler's symbols, or :class:`Counted` numbers. Mechanisms have revolute
joints; :func:`general_tree` makes chains and trees of them by tables of modified Denavit–Hartenberg parameters.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

import linkwright as lw
from linkwright.spatial.arrays import Array
from linkwright.spatial.inertia import about_center_of_mass
from linkwright.spatial.rotation import skew


def general_tree(parents: Sequence[int]) -> lw.Model:
    """Return a tree of revolute joints with random parameters and bodies; ``parents``: −1 is the ground.

    No parameter is zero. The frame "hand" is fixed to the last body, away from its joint.
    """
    random = np.random.default_rng(0)
    builder = lw.Builder(f"tree of {len(parents)}")
    for k, parent in enumerate(parents):
        a, alpha, d = random.normal(size=3)
        placement = np.eye(4)
        placement[:3, :3] = lw.rotation.about("x", alpha)
        placement[:3, 3] = [a, -d * np.sin(alpha), d * np.cos(alpha)]
        points = random.normal(size=(3, 3))
        spread = points @ points.T
        inertia = np.trace(spread) * np.eye(3) - spread
        builder.body(f"link{k + 1}", 1.0 + random.random(), random.normal(size=3), inertia)
        on = f"link{parent + 1}" if parent >= 0 else "world"
        builder.joint(f"joint{k + 1}", "continuous", on, f"link{k + 1}", placement=placement)
    return builder.frame("hand", f"link{len(parents)}", xyz=(0.1, 0.2, 0.3)).build()


def serial(n: int) -> lw.Model:
    """Return a chain of n joints."""
    return general_tree(range(-1, n - 1))


def branched(n: int) -> lw.Model:
    """Return a trunk that carries two arms, a third of the joints in each arm."""
    arm = n // 3
    trunk = n - 2 * arm
    first = [trunk - 1, *range(trunk, trunk + arm - 1)]
    second = [trunk - 1, *range(trunk + arm, n - 1)]
    return general_tree([*range(-1, trunk - 1), *first, *second])


class Counts(NamedTuple):
    """Operations that were carried out."""

    multiplications: int
    additions: int

    @property
    def total(self) -> int:
        """Multiplications and additions."""
        return self.multiplications + self.additions


class Counted:
    """A number that counts the multiplications and additions it takes part in."""

    multiplications = 0
    additions = 0

    def __init__(self, value: float):
        self.value = value

    def __add__(self, other: Counted) -> Counted:
        Counted.additions += 1
        return Counted(self.value + other.value)

    def __sub__(self, other: Counted) -> Counted:
        Counted.additions += 1
        return Counted(self.value - other.value)

    def __mul__(self, other: Counted) -> Counted:
        Counted.multiplications += 1
        return Counted(self.value * other.value)

    def __neg__(self) -> Counted:
        return Counted(-self.value)

    def cos(self) -> Counted:
        """Return the cosine, which is not counted."""
        return Counted(float(np.cos(self.value)))

    def sin(self) -> Counted:
        """Return the sine, which is not counted."""
        return Counted(float(np.sin(self.value)))


Number = Callable[[Any], Any]
"""Function that turns a constant into a number of the kind that is computed with"""


class Path(NamedTuple):
    """The joints from the root to the hand."""

    joints: tuple[int, ...]
    constant: Array
    """(n, 3, 3), the constant rotation of each row of the table"""
    steps: Array
    """(n, 3), from each joint to the next, and from the last to the hand, in the axes of the joint before"""


def path_to_hand(model: lw.Model) -> Path:
    """Return the joints of a model of :func:`general_tree` that move its hand."""
    joints = tuple(model.path(len(model.links) - 1))
    placements = [model.links[k].placement for k in joints]
    steps = [placement[:3, 3] for placement in placements[1:]] + [model.frames["hand"].placement[:3, 3]]
    return Path(joints, np.array([placement[:3, :3] for placement in placements]), np.array(steps))


def rate_by_listing(path: Path, q: Array, v: Array, number: Number = float) -> tuple[Array, Array]:
    """J and J̇ (6, n) by S4's listing: products of 3 × 3 matrices, those nearer to the root reused.

    d/dt ⁰R_i = d/dt ⁰R_i−1 ⁱ⁻¹R_i + q̇_i ⁰R_i−1 ∂(ⁱ⁻¹R_i)/∂q_i. Every joint i adds d/dt ⁰R_i ⁱp_i,i+1 to the rates of
    p_E,j of all joints j ≤ i.
    """
    R, R_i, slopes = _rotations(path, q, number)
    steps, n = _numbers(path.steps, number), len(R)
    p = _to_hand(R, steps)
    rates: list[Array] = []
    p_rate: list[Any] = [None] * n
    for i in range(n):
        own = (R[i - 1] @ slopes[i] if i else slopes[i]) * v[i]
        rates.append(rates[-1] @ R_i[i] + own if i else own)
        step = rates[i] @ steps[i]
        for j in range(i + 1):
            p_rate[j] = step if p_rate[j] is None else p_rate[j] + step
    z, z_rate = [one[:, 2] for one in R], [one[:, 2] for one in rates]
    J = [[*np.cross(z[i], p[i]), *z[i]] for i in range(n)]
    J_rate = [[*(np.cross(z_rate[i], p[i]) + np.cross(z[i], p_rate[i])), *z_rate[i]] for i in range(n)]
    return np.transpose(J), np.transpose(J_rate)


def slopes_by_listing(path: Path, q: Array, number: Number = float) -> Array:
    """∂J/∂q (6, n, n), last axis by q_j, by the same products: one run of the listing for every j."""
    R, R_i, slopes = _rotations(path, q, number)
    steps, n, zero = _numbers(path.steps, number), len(R), number(0.0)
    p = _to_hand(R, steps)
    found = np.full((6, n, n), zero, dtype=object)
    for j in range(n):
        slope = R[j - 1] @ slopes[j] if j else slopes[j]
        turned = {j: slope}
        for k in range(j + 1, n):
            turned[k] = turned[k - 1] @ R_i[k]
        arms = [turned[k] @ steps[k] for k in range(j, n)]
        for k in range(n - j - 2, -1, -1):
            arms[k] = arms[k] + arms[k + 1]
        for i in range(n):
            z = R[i][:, 2]
            found[:3, i, j] = np.cross(z, arms[max(i, j) - j])
            if i >= j:
                z_rate = turned[i][:, 2]
                found[:3, i, j] = found[:3, i, j] + np.cross(z_rate, p[i])
                found[3:, i, j] = z_rate
    return found


def _rotations(path: Path, q: Array, number: Number) -> tuple[list[Array], list[Array], list[Array]]:
    """⁰R_i, ⁱ⁻¹R_i = constant · Rz(q_i), and ∂(ⁱ⁻¹R_i)/∂q_i."""
    zero, one = number(0.0), number(1.0)
    R_i, slopes = [], []
    for constant, c, s in zip(path.constant, np.cos(q), np.sin(q), strict=True):
        M = _numbers(constant, number)
        R_i.append(M @ np.array([[c, -s, zero], [s, c, zero], [zero, zero, one]], dtype=object))
        slopes.append(M @ np.array([[-s, -c, zero], [c, -s, zero], [zero, zero, zero]], dtype=object))
    R = [R_i[0]]
    for turn in R_i[1:]:
        R.append(R[-1] @ turn)
    return R, R_i, slopes


def _to_hand(R: list[Array], steps: Array) -> list[Array]:
    """p_E,i as sums of ⁰R_j ʲp_j,j+1 from the hand."""
    p = [R[-1] @ steps[-1]]
    for k in range(len(R) - 2, -1, -1):
        p.insert(0, R[k] @ steps[k] + p[0])
    return p


def _numbers(x: Array, number: Number) -> Array:
    return np.array([number(entry) for entry in np.ravel(x)], dtype=object).reshape(np.shape(x))


def count_listing(model: lw.Model) -> Counts:
    """Count the listing's operations as written: every entry of every product, zeros and ones too."""
    path = path_to_hand(model)
    Counted.multiplications = Counted.additions = 0
    q, v = ([Counted(float(x)) for x in row] for row in np.random.default_rng(1).normal(size=(2, len(path.joints))))
    rate_by_listing(path, np.array(q, dtype=object), np.array(v, dtype=object), Counted)
    return Counts(Counted.multiplications, Counted.additions)


MassProperty = tuple[Any, Array, Array]
"""Mass, center of mass, and inertia about it"""


def momentum_by_subtrees(model: lw.Model, q: Array) -> Array:
    """[M_θ̇; H_θ̇] (6, n) as the manual of irteus computes it: mass properties of subtrees in world axes."""
    T: list[Array] = []
    subtrees: list[MassProperty] = []
    for k, link in enumerate(model.links):
        own = link.transform(q[k : k + 1])
        T.append(T[link.parent] @ own if link.parent >= 0 else own)
        m, c, I = about_center_of_mass(link.rigid_inertia)
        R = T[k][:3, :3]
        subtrees.append((m, R @ c + T[k][:3, 3], R @ I @ R.T))
    for k in reversed(range(len(T))):
        parent = model.links[k].parent
        if parent >= 0:
            subtrees[parent] = add_mass_property(subtrees[parent], subtrees[k])
    whole = subtrees[0]
    for k, link in enumerate(model.links[1:], 1):
        if link.parent < 0:
            whole = add_mass_property(whole, subtrees[k])
    columns = []
    for (m, c, I), pose in zip(subtrees, T, strict=True):
        a, p = pose[:3, 2], pose[:3, 3]
        P = np.cross(a, c - p) * m
        columns.append([*P, *(np.cross(c, P) + I @ a - np.cross(whole[1], P))])
    return np.transpose(columns)


def add_mass_property(one: MassProperty, other: MassProperty) -> MassProperty:
    """AddMassProperty: m = Σ m_j, c = Σ m_j c_j / m, I = Σ (I_j + m_j D(c_j − c)) with D(r) = [r]×ᵀ[r]×."""
    m = one[0] + other[0]
    c = (one[0] * one[1] + other[0] * other[1]) / m
    I = sum(I_j + m_j * skew(c_j - c).T @ skew(c_j - c) for m_j, c_j, I_j in (one, other))
    return m, c, I
