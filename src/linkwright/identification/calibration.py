"""Kinematic calibration: the Denavit–Hartenberg table that fits where an arm was measured to be."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from linkwright.bounds import positive
from linkwright.compiler.kernel import Kernel, compile
from linkwright.errors import ArgumentError, InputError, ShapeError, UnknownNameError, counted, explained, warn
from linkwright.model.library.dh import DHTable, from_dh, to_dh
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array, as_numbers
from linkwright.spatial.transform import inverse_pose, pose_exp, pose_log, pose_of_rows

OF_ROWS = ("a", "alpha", "d", "theta")
PLACEMENTS = ("base", "tool")

FAR = 0.1
"""Largest remaining error, relative to the length of the arm; larger errors indicate another arm or other units."""

STEPS = 100
"""of Levenberg and Marquardt, at most"""

SEEN = 1e-4
"""Threshold of observability: singular values of the Jacobian with unit columns, relative to the largest."""

"""Last row of every pose."""

NOTHING = 1e-9
"""A column shorter than this, of the longest, is none."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Calibrated:
    """Result of :func:`calibrate`."""

    table: DHTable
    """the table that fits, base and tool in it"""
    before: DHTable
    """nominal table"""
    names: tuple[str, ...]
    """(p,) of what was varied: "joint1.a", …, "base.x", …, "tool.rz\""""
    changes: Array
    """(p,): what was added to the table, m and rad; of base and tool the twist in their own axes"""
    covariance: Array
    """(p, p), of the changes; of what poses do not show, that of the part they do show"""
    seen: tuple[str, ...]
    """(p,): "alone", "with others" (only sums with others are known), or "no\""""
    rank: int
    """how many numbers the poses show, of p"""
    errors_before: Array
    """(samples, 2): errors of position, m, and of rotation, rad (NaN where positions alone were measured)"""
    errors: Array
    """the same of the table that fits"""
    steps: int
    """number of iterations"""
    converged: bool = True
    """whether the steps came to an end: else numbers and standard errors are not to be trusted"""
    structural: int = 0
    """how many numbers poses all over the joints' ranges would show"""

    @property
    def standard_errors(self) -> Array:
        """(p,), m and rad."""
        return np.sqrt(np.diag(self.covariance))

    def model(self, name: str = "calibrated") -> Model:
        """Return the arm of the calibrated table.

        Parameters
        ----------
        name : str, optional
            Name of the model.

        Returns
        -------
        Model
            The arm.
        """
        t = self.table
        return from_dh(name, t.rows, t.convention, base=t.base, tool=t.tool)

    def report(self) -> str:
        """Return the result as text.

        Returns
        -------
        str
            The report.
        """
        rms = [np.sqrt(np.mean(x[:, 0] ** 2)) for x in (self.errors_before, self.errors)]
        lines = [
            f"{counted(len(self.errors), 'pose')}, {self.rank} of {len(self.names)} numbers are seen",
            *[f"not converged in {self.steps} steps: these numbers are not to be trusted"] * (not self.converged),
            f"error of position (rms): {rms[0]:.3g} m before, {rms[1]:.3g} m after",
        ]
        if np.isfinite(self.errors).all():
            turns = [np.sqrt(np.mean(x[:, 1] ** 2)) for x in (self.errors_before, self.errors)]
            lines.append(f"error of rotation (rms): {turns[0]:.3g} rad before, {turns[1]:.3g} rad after")
        width = max(map(len, self.names))
        lines.append(f"{'':{width}}  {'change':>12}  {'std. error':>10}  seen")
        for name, x, s, seen in zip(self.names, self.changes, self.standard_errors, self.seen, strict=True):
            lines.append(f"{name:{width}}  {x:12.4g}  {s:10.2g}  {seen}")
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.report()


@explained
def calibrate(
    arm: Model | DHTable,
    q: ArrayLike,
    measured: ArrayLike,
    vary: Iterable[str] = (*OF_ROWS, *PLACEMENTS),
    *,
    length: float | None = None,
) -> Calibrated:
    """Fit the Denavit–Hartenberg table of an arm to measured poses or positions of its tool.

    Levenberg–Marquardt minimizes the sum of squares of position errors, and of rotation errors times `length`.
    Combinations of parameters that the poses do not determine (the base and the first row, parallel axes) change as
    little as possible and are reported. Warns if the iteration does not converge, if large errors remain (check the
    units), or if other poses would determine more.

    Parameters
    ----------
    arm : Model or DHTable
        Nominal table, or a serial arm, which is converted by :func:`to_dh`.
    q : array_like, shape (n, nq)
        Commanded configurations.
    measured : array_like, shape (n, 4, 4) or (n, 3)
        Measured poses or positions of the tool (the end of the table), in the world.
    vary : iterable of str, optional
        Parameters to estimate: columns of the table ("a", "alpha", "d", "theta"; for the joint variable its offset),
        single entries ("joint2.theta"), and the placements "base" and "tool".
    length : float, optional
        Length, m, that relates rotation to position errors; by default that of the arm.

    Returns
    -------
    Calibrated
        The table with covariances and errors.

    Raises
    ------
    InputError
        If there are fewer measurements than parameters, or a number is not finite.
    """
    table = arm if isinstance(arm, DHTable) else to_dh(_model(arm))
    q, measured = _checked(table, q, measured)
    names = [row.name or f"joint{k}" for k, row in enumerate(table.rows, start=1)]
    varied = _varied(names, vary)
    all_names = [f"{joint}.{of}" for joint in names for of in OF_ROWS]
    all_names += [f"{place}.{axis}" for place in PLACEMENTS for axis in ("x", "y", "z", "rx", "ry", "rz")]
    chosen = np.array([all_names.index(name) for name in varied])
    length = positive("length", _length(table) if length is None else length, "m")
    slides = tuple(row.type == "prismatic" for row in table.rows)
    error, slope = _errors(table.convention, slides, measured.ndim == 3)
    rows = np.array([[getattr(row, of) for of in OF_ROWS] for row in table.rows])
    numbers = (rows, table.base[:3], table.tool[:3], length)
    x = np.zeros(len(all_names))

    def residuals(x: Array) -> Array:
        r: Array = error(q, measured, x, *numbers).reshape(-1)
        return r

    def jacobian(x: Array) -> Array:
        J: Array = slope(q, measured, x, *numbers).reshape(-1, len(x))[:, chosen]
        return J

    first = residuals(x)
    if first.size < len(chosen):
        raise InputError(f"{first.size} measured numbers for {len(chosen)} unknown ones; measure more, or vary less")
    x, r, steps, converged = _least(x, chosen, residuals, jacobian)
    J = jacobian(x)
    scales, _, S, Vt = _scaled(J)
    rank = int((SEEN * S[0] < S).sum())
    free = r.size - rank
    variance = float(r @ r) / free if free else np.nan
    root = Vt[:rank].T / S[:rank] / scales[:, None]
    structural = max(rank, _structural(slope, numbers, measured, chosen))
    off = float(np.sqrt(np.mean(_pose_errors(r, len(q), length)[:, 0] ** 2)))
    longest = float(np.abs(x[: 4 * len(names)].reshape(-1, 4)[:, [0, 2]]).max(initial=0.0))
    if not converged or off > FAR * length or longest > length:
        end = "" if converged else f"did not converge in {steps} steps, and "
        warn(
            f"calibration {end}leaves {off:.3g} m (rms), with links changed by up to {longest:.3g} m, of an arm of "
            f"{length:.3g} m. Are positions in m, joints in rad, and both of this table? Vary less, else"
        )
    if rank < structural:
        warn(
            f"these poses show {rank} numbers of {structural} that others would show; measure in poses that differ in "
            "all joints, or vary less"
        )
    own = np.linalg.norm(Vt[:rank], axis=0)
    seen = tuple("no" if x < SEEN else "alone" if x > 1.0 - SEEN else "with others" for x in own)
    return Calibrated(
        table=_changed(table, x),
        before=table,
        names=tuple(varied),
        changes=x[chosen],
        covariance=variance * (root @ root.T),
        seen=seen,
        rank=rank,
        errors_before=_pose_errors(first, len(q), length),
        errors=_pose_errors(r, len(q), length),
        steps=steps,
        converged=converged,
        structural=structural,
    )


def _structural(slope: Kernel, numbers: tuple[Any, ...], measured: Array, chosen: Array) -> int:
    """Return the number of parameters that random poses determine."""
    n = len(numbers[0])
    q = np.random.default_rng(0).uniform(-np.pi, np.pi, (4 * (n + 3), n))
    x = np.zeros((len(q), 4 * n + 12))
    there = np.broadcast_to(measured[0], (len(q), *measured.shape[1:]))
    J = slope(q, there, x, *numbers).reshape(-1, x.shape[1])[:, chosen]
    S = _scaled(J)[2]
    return int((SEEN * S[0] < S).sum())


def _least(x: Array, chosen: Array, residuals: Any, jacobian: Any) -> tuple[Array, Array, int, bool]:
    """The nearest least sum of squares: x, its residuals, the steps taken, and whether they came to an end."""
    r, damping = residuals(x), 1e-6
    for step in range(1, STEPS + 1):
        J = jacobian(x)
        scales, U, S, Vt = _scaled(J)
        kept = SEEN * S[0] < S
        g = (U.T @ r)[kept]
        while True:
            moved = -(Vt[kept].T @ (g * S[kept] / (S[kept] ** 2 + damping * S[0] ** 2))) / scales
            there = x.copy()
            there[chosen] += moved
            r_there = residuals(there)
            if r_there @ r_there <= r @ r or damping > 1e12:
                break
            damping = max(10.0 * damping, 1e-12)
        if damping > 1e12:
            return x, r, step, True
        gained = r @ r - r_there @ r_there
        x, r, damping = there, r_there, damping / 10.0
        if gained <= 1e-14 * (r @ r) or np.linalg.norm(moved * scales) <= 1e-15 * max(1.0, len(r) ** 0.5):
            return x, r, step, True
    return x, r, STEPS, False


def _scaled(J: Array) -> tuple[Array, Array, Array, Array]:
    """The lengths (p,) of the columns, 1 of those that are nothing, and U, S, Vᵀ of the matrix divided by them."""
    scales = np.linalg.norm(J, axis=0)
    nothing = scales <= NOTHING * scales.max()
    J = np.where(nothing, 0.0, J)
    scales[nothing] = 1.0
    return (scales, *np.linalg.svd(J / scales, full_matrices=False))


@lru_cache(maxsize=16)
def _errors(convention: str, slides: tuple[bool, ...], poses: bool) -> tuple[Kernel, Kernel]:
    """A kernel (q, measured, x, rows, base, tool, length) -> what is missing (6,) or (3,), m, and its slope by x.

    x: the changes of all rows, of base and of tool; made once for all tables of such rows, whose numbers are arguments.
    """
    n = len(slides)

    def screw(column: int, angle: Any, shift: Any) -> Array:
        c, s, o, i = np.cos(angle), np.sin(angle), 0.0 * shift, 0.0 * shift + 1.0
        if column == 0:
            return np.array([[i, o, o, shift], [o, c, -s, o], [o, s, c, o], [o, o, o, i]])
        return np.array([[c, -s, o, o], [s, c, o, o], [o, o, i, shift], [o, o, o, i]])

    def error(q: Array, measured: Array, x: Array, rows: Array, base: Array, tool: Array, length: Array) -> Array:
        T = pose_of_rows(base) @ pose_exp(x[4 * n : 4 * n + 6])
        for k in range(n):
            a, alpha, d, theta = rows[k] + x[4 * k : 4 * k + 4]
            d, theta = (d + q[k], theta) if slides[k] else (d, theta + q[k])
            along, about = screw(0, alpha, a), screw(2, theta, d)
            T = T @ (along @ about if convention == "modified" else about @ along)
        T = T @ pose_of_rows(tool) @ pose_exp(x[4 * n + 6 :])
        if not poses:
            return T[:3, 3] - measured
        off = inverse_pose(measured) @ T
        return np.concatenate([off[:3, 3], length * pose_log(off)[3:]])

    measured = (4, 4) if poses else (3,)
    kernel = compile(
        error, q=(n,), measured=measured, x=(4 * n + 12,), rows=(n, 4), base=(3, 4), tool=(3, 4), length=()
    )
    return kernel, kernel.derivative("x")


def _changed(table: DHTable, x: Array) -> DHTable:
    n = len(table.rows)
    rows = tuple(
        replace(row, **{of: getattr(row, of) + float(change) for of, change in zip(OF_ROWS, own, strict=True)})
        for row, own in zip(table.rows, x[: 4 * n].reshape(n, 4), strict=True)
    )
    base, tool = table.base @ pose_exp(x[4 * n : 4 * n + 6]), table.tool @ pose_exp(x[4 * n + 6 :])
    return DHTable(rows, table.convention, base, tool)


def _pose_errors(r: Array, n: int, length: float) -> Array:
    """Errors (n, 2) of position and rotation."""
    each = r.reshape(n, -1)
    turned = np.linalg.norm(each[:, 3:], axis=1) / length if each.shape[1] == 6 else np.full(n, np.nan)
    return np.stack([np.linalg.norm(each[:, :3], axis=1), turned], axis=1)


def _varied(joints: Sequence[str], vary: Iterable[str]) -> list[str]:
    """The names of all single numbers that may change, in the order of the table."""
    if isinstance(vary, str):
        vary = (vary,)
    single = [f"{joint}.{of}" for joint in joints for of in OF_ROWS]
    of_places = {place: [f"{place}.{axis}" for axis in ("x", "y", "z", "rx", "ry", "rz")] for place in PLACEMENTS}
    known = {of: [f"{joint}.{of}" for joint in joints] for of in OF_ROWS} | of_places
    known |= {name: [name] for name in (*single, *(name for names in of_places.values() for name in names))}
    wanted: set[str] = set()
    for name in vary:
        if name not in known:
            raise UnknownNameError("entry of a DH table", name, known, "entries of a DH table")
        wanted |= set(known[name])
    if not wanted:
        raise InputError("vary names what may change: a, alpha, d, theta, base, tool, or entries as joint2.theta")
    return [name for name in (*single, *of_places["base"], *of_places["tool"]) if name in wanted]


def _model(arm: Any) -> Model:
    if not isinstance(arm, Model):
        raise ArgumentError(f"calibrate takes a DHTable or a serial arm (a Model); got {arm!r:.200}")
    return arm


def _checked(table: DHTable, q: Any, measured: Any) -> tuple[Array, Array]:
    q, measured = as_numbers("q", q), as_numbers("measured", measured)
    n = len(table.rows)
    if q.ndim != 2 or q.shape[1] != n:
        raise ShapeError(f"q has shape {q.shape}; expected (poses, {n}), a coordinate for each row of the table")
    if measured.shape not in ((len(q), 3), (len(q), 4, 4)):
        raise ShapeError(
            f"measured has shape {measured.shape}; expected positions ({len(q)}, 3) or poses ({len(q)}, 4, 4), one for "
            "each row of q"
        )
    if not len(q):
        raise InputError("there are no poses: q and measured have no rows")
    for name, x in (("q", q), ("measured", measured)):
        if not np.isfinite(x).all():
            raise InputError(
                f"measurements are finite; {name}{[int(k) for k in np.argwhere(~np.isfinite(x))[0]]} is not"
            )
    if measured.ndim == 3:
        R = measured[:, :3, :3]
        off = np.abs(R @ np.swapaxes(R, 1, 2) - np.eye(3)).max(axis=(1, 2))
        off = np.maximum(off, np.abs(measured[:, 3] - np.eye(4)[3]).max(axis=1))
        off[np.linalg.det(R) < 0.0] = 2.0
        if off.max() > 1e-3:
            raise InputError(f"measured[{int(off.argmax())}] is not a pose: its rotation is off by {off.max():.2g}")
    return q, measured


def _length(table: DHTable) -> float:
    """Return the length of the arm, which relates rotation to position errors."""
    sizes = [abs(row.a) + abs(row.d) for row in table.rows]
    own = float(np.sum(sizes) + np.linalg.norm(table.tool[:3, 3]))
    return own if own > 0.0 else 1.0
