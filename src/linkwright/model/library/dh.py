"""Serial arms from Denavit–Hartenberg tables, and tables of serial arms.

One row per joint. *Modified* (Craig 1986): frame i follows frame i − 1 by
Rot_x(α) Trans_x(a) Rot_z(θ) Trans_z(d), so that its axis is z of frame i. *Standard* (Paul 1981): by
Rot_z(θ) Trans_z(d) Trans_x(a) Rot_x(α), so that its axis is z of frame i − 1.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from linkwright.errors import (
    ArgumentError,
    InputError,
    LinkwrightError,
    ModelError,
    UnknownNameError,
    explained,
    is_choice,
    listed,
)
from linkwright.model.build.builder import Builder
from linkwright.model.build.description import STANDARD_GRAVITY, WORLD, pose_of
from linkwright.model.elements import PER_COORDINATE, PER_VELOCITY, Link
from linkwright.model.requirement import takes_numeric_model
from linkwright.model.scale import scale_of
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array, as_numbers, finite, snap
from linkwright.spatial.euler import euler_from_quaternion
from linkwright.spatial.inertia import about_center_of_mass
from linkwright.spatial.rotation import quaternion_from_matrix, rotation_about
from linkwright.spatial.transform import inverse_pose, pose_matrix

CONVENTIONS = ("modified", "standard")
X, _, Z = np.eye(3)


@explained
@dataclass(frozen=True, eq=False)
class DHRow:
    """Row of a Denavit–Hartenberg table, with the inertial parameters of the link that its joint moves.

    Parameters
    ----------
    a : float, optional
        Length of the common normal in m.
    alpha : float, optional
        Twist of the axes in rad.
    d : float, optional
        Offset along the axis in m; for prismatic joints added to the coordinate.
    theta : float, optional
        Angle about the axis in rad; for revolute joints added to the coordinate.
    type : {"revolute", "continuous", "prismatic"}, optional
        Type of the joint.
    mass : float, optional
        Mass of the link in kg.
    center_of_mass : array_like, shape (3,), optional
        Center of mass in frame i in m.
    inertia : array_like, shape (3, 3), (3,) or (), optional
        Inertia about the center of mass in the axes of frame i in kg m²: a matrix, its diagonal, or one number.
    joint : dict, optional
        Further arguments of :meth:`Builder.joint`: limits, armature, friction, ….
    name : str, optional
        Name of the joint; by default joint1, joint2, ….
    """

    a: float = 0.0
    alpha: float = 0.0
    d: float = 0.0
    theta: float = 0.0
    type: str = "revolute"
    mass: float = 0.0
    center_of_mass: Sequence[float] = (0.0, 0.0, 0.0)
    inertia: Any = 0.0
    joint: Mapping[str, Any] = field(default_factory=dict)
    name: str = ""


def screw_x(row: DHRow) -> Array:
    """Return Rot_x(α) Trans_x(a), the constant part of a row: a pose (4, 4)."""
    return pose_matrix(rotation_about(X, row.alpha), row.a * X)


def screw_z(row: DHRow) -> Array:
    """Return Rot_z(θ) Trans_z(d), the part along the joint axis, at coordinate zero: a pose (4, 4)."""
    return pose_matrix(rotation_about(Z, row.theta), row.d * Z)


@explained
def from_dh(
    name: str,
    rows: Sequence[DHRow],
    convention: str = "modified",
    *,
    base: ArrayLike | None = None,
    tool: ArrayLike | None = None,
    gravity: Sequence[float] = STANDARD_GRAVITY,
) -> Model:
    """Build a serial arm from a Denavit–Hartenberg table.

    Parameters
    ----------
    name : str
        Name of the mechanism.
    rows : sequence of DHRow
        Rows of the table.
    convention : {"modified", "standard"}, optional
        "modified" (Craig), or "standard" (Paul), which is also called classic.
    base : array_like, shape (4, 4), optional
        Pose of frame 0 in the world.
    tool : array_like, shape (4, 4), optional
        Pose of the frame "tool" in the last frame.
    gravity : array_like, shape (3,), optional
        Gravity in the world in m/s².

    Returns
    -------
    Model
        Mechanism with links link1, …, and the frames of the table as dh1, ….

    Raises
    ------
    UnknownNameError
        If the convention is unknown.
    InputError
        With all problems of the rows.

    References
    ----------
    Craig, *Introduction to Robotics* (1986), section 3.4.

    Examples
    --------
    >>> import numpy as np
    >>> import linkwright as lw
    >>> rows = [lw.DHRow(a=0.5), lw.DHRow(a=0.4), lw.DHRow(alpha=np.pi, type="prismatic")]
    >>> arm = lw.from_dh("scara", rows, "standard")
    >>> lw.pose(arm, [0.0, 0.0, 0.1], "tool")[:3, 3]
    array([0.9, 0. , 0.1])
    """
    if not is_choice(convention, CONVENTIONS):
        raise UnknownNameError("DH convention", convention, CONVENTIONS)
    if isinstance(rows, (str, bytes)) or not isinstance(rows, Sequence):
        raise ArgumentError(f"a DH table is a list of DHRow(a=, alpha=, d=, theta=, …); got {rows!r:.200}")
    if not rows:
        raise InputError("a DH table needs at least one row")
    if problems := [
        f"row {k} of {name!r}{problem}" for k, row in enumerate(rows, start=1) for problem in _problems(row)
    ]:
        raise InputError(listed(tuple(problems), "problems"))
    rows = [_with_numbers(row) for row in rows]
    builder = Builder(name, gravity)
    parent, before = WORLD, pose_of(base)  # frame i − 1 in the parent link
    for k, row in enumerate(rows, start=1):
        if convention == "modified":  # Rot_z and Trans_z commute: the link's frame is the table's
            placement, end = before @ screw_x(row) @ screw_z(row), np.eye(4)
        else:
            placement, end = before @ screw_z(row), screw_x(row)
        link = f"link{k}"
        R = end[:3, :3]
        inertia = np.asarray(row.inertia)
        if inertia.shape in ((), (3,)):
            inertia = np.diag(np.broadcast_to(inertia, (3,)))
        center = end[:3, 3] + R @ row.center_of_mass
        builder.body(link, row.mass, center, R @ inertia @ R.T)
        builder.joint(row.name or f"joint{k}", row.type, parent, link, placement=placement)
        builder.frame(f"dh{k}", link, placement=end)
        parent, before = link, end
    builder.frame("tool", parent, placement=before @ pose_of(tool))
    model = builder.build()
    for k, row in enumerate(rows, start=1):
        if row.joint:
            model = model.with_joint(row.name or f"joint{k}", **row.joint)
    return model


def _with_numbers(row: DHRow) -> DHRow:
    """Return a row with arrays of float64."""
    numbers: dict[str, Any] = {name: as_numbers(name, getattr(row, name))[()] for name in _SHAPES}
    return replace(row, **numbers)


_SHAPES: dict[str, tuple[tuple[int, ...], ...]] = {
    **dict.fromkeys(("a", "alpha", "d", "theta"), ((),)),
    "center_of_mass": ((3,),),
    "inertia": ((), (3,), (3, 3)),
}
"""Shapes of the numbers of a row."""


def _problems(row: Any) -> Iterator[str]:
    """Yield the problems of a row."""
    if not isinstance(row, DHRow):
        yield f" must be a DHRow(a=, alpha=, d=, theta=, …); got {row!r:.200}"
        return
    for what, allowed in _SHAPES.items():
        try:
            finite(what, getattr(row, what), *allowed)
        except LinkwrightError as error:
            yield f": {error}"
    if row.type not in ("revolute", "continuous", "prismatic"):
        yield f": a DH joint is revolute, continuous or prismatic; got {row.type!r}"
    if not isinstance(row.joint, Mapping):
        yield f": joint is a dict {{name: value}}; got {row.joint!r:.200}"


@explained
@dataclass(frozen=True, eq=False)
class DHTable:
    """Denavit–Hartenberg table: ``from_dh(name, table.rows, table.convention, base=table.base, tool=table.tool)``.

    Parameters
    ----------
    rows : tuple of DHRow
        Rows, one per joint.
    convention : {"modified", "standard"}
        Convention of the rows.
    base : ndarray, shape (4, 4)
        Pose of frame 0 in the world.
    tool : ndarray, shape (4, 4)
        Pose of the end of the chain in the last frame.
    """

    rows: tuple[DHRow, ...]
    convention: str
    base: Array
    tool: Array

    def __str__(self) -> str:
        """Return the table as text, with a and d in m and α and θ in rad; q marks the variable.

        Poses of base and tool that are not the identity follow, with x, y, z in m and roll, pitch, yaw in rad.
        """
        after = [] if self.convention == "standard" else [" (i-1)"]
        heading = ("joint", *(f"{letter}{''.join(after)}" for letter in ("a", "alpha")), "d", "theta")
        lines = [heading]
        for k, row in enumerate(self.rows, start=1):
            slides = row.type == "prismatic"
            d, theta = (
                (_added(row.d) if slides else f"{row.d:.6g}"),
                (f"{row.theta:.6g}" if slides else _added(row.theta)),
            )
            lines.append((row.name or f"joint{k}", f"{row.a:.6g}", f"{row.alpha:.6g}", d, theta))
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        texts = ["  ".join(x.ljust(n) for x, n in zip(line, widths, strict=True)).rstrip() for line in lines]
        ends = {"base, of frame 0 in the world": self.base, "tool, in the last frame": self.tool}
        return "\n".join(
            [*texts, *(f"{of}: {_place(T)}" for of, T in ends.items() if not np.array_equal(T, np.eye(4)))]
        )


def _place(T: Array) -> str:
    rpy = euler_from_quaternion(quaternion_from_matrix(T[:3, :3]), "xyz", "fixed")
    return f"xyz {_row_of(T[:3, 3])}, rpy {_row_of(rpy)}"


def _row_of(numbers: Array) -> str:
    return " ".join(f"{x + 0.0:.6g}" for x in np.where(np.abs(numbers) < 1e-12, 0.0, numbers))


def _added(offset: float) -> str:
    return f"q {'-' if offset < 0.0 else '+'} {abs(offset):.6g}" if offset else "q"


@takes_numeric_model(placements_only=True)
def to_dh(model: Model, frame: str | None = None, convention: str = "modified") -> DHTable:
    """Compute the Denavit–Hartenberg table of a serial arm.

    Parameters
    ----------
    model : Model
        Mechanism.
    frame : str, optional
        End of the chain; by default its frame "tool", or the outermost frame of its last body.
    convention : {"modified", "standard"}, optional
        Convention of the table.

    Returns
    -------
    DHTable
        Table with base and tool. Frame 0 is on the first axis at the point nearest to the world's origin, with x along
        the world's x as far as possible. For parallel axes the common normal at the previous frame is used; for
        intersecting axes x has the direction with the smallest θ.

    Raises
    ------
    ModelError
        With the name of the first joint that has no row: it is neither revolute nor prismatic, is a mimic joint, closes
        a loop, or is not on the path to `frame`.
    """
    if not is_choice(convention, CONVENTIONS):
        raise UnknownNameError("DH convention", convention, CONVENTIONS)
    if not model.joints:
        raise ModelError(f"{model.name!r} has no joints and therefore no DH table")
    named = frame is not None or "tool" in model.frames
    if frame is None:
        frame = "tool" if named else model.outermost(len(model.links) - 1)
    end = model.frame(frame)
    way = model.path(end.body)
    _require_chain(model, way, frame if named else end.body)
    bodies = _at_zero(model)
    axes = [bodies[k] for k in way]
    tip = axes[-1] @ end.placement
    near = 1e-9 * scale_of(model).length
    frames, last = [_first(axes[0])], _first(axes[0])
    x, foot = last[:3, 0], last[:3, 3]  # of the previous normal, on the next axis
    for axis, following in pairwise(axes):
        x, on_axis, foot = _normal(axis, following, x, foot, near)
        frames.append(
            _frame(axis[:3, 2], x, on_axis) if convention == "modified" else _frame(following[:3, 2], x, foot)
        )
    last = _frame(axes[-1][:3, 2], x, foot)
    final = _row(inverse_pose(frames[-1]) @ tip, convention, near)
    fits = np.abs(frames[-1] @ _of_row(final, convention) - tip).max() <= max(1e-9, near)
    if convention == "modified":  # its last frame is on the last axis
        fits = fits and _off(tip, axes[-1]) <= max(1e-9, near)
    frames.append(tip if fits else last)
    rows = []
    for k, body in enumerate(way):
        row = _row(inverse_pose(frames[k]) @ frames[k + 1], convention, near)
        rows.append(_with_body(model, body, row, inverse_pose(frames[k + 1]) @ bodies[body]))
    table = DHTable(tuple(rows), convention, frames[0], _snapped(inverse_pose(frames[-1]) @ tip, near))
    _require_same(model, way, table, tip)
    return table


def _require_chain(model: Model, way: Sequence[int], end: int | str) -> None:
    """Raise :class:`ModelError` with the joint's name for a mechanism without a table."""
    if model.loops:
        raise ModelError(f"a DH table is for an open chain; {model.loops[0].name!r} closes a loop of {model.name!r}")
    for k, joint in enumerate(model.joints):
        where = f"joint {joint.name!r} of {model.name!r}"
        if k not in way:
            place = "the last body" if isinstance(end, int) else repr(end)
            held = f"lock({{{joint.name!r}: …}}) holds it"
            raise ModelError(f"a DH table is for one chain; {where} is not on the path to {place}: {held}")
        if joint.coupling is not None:
            leader = model.joints[joint.coupling.leader].name
            raise ModelError(f"a DH table needs independent joints; {where} is a mimic joint of {leader!r}")
        if not (joint.motion.hinge or joint.motion.slide):
            raise ModelError(f"a DH joint is revolute or prismatic; {where} is {joint.type}")


def _at_zero(model: Model) -> list[Array]:
    """Return the poses (4, 4) of the (canonical) body frames at zero coordinates; z is the joint's axis."""

    def outward(link: Link, parent: Array) -> Array:
        return parent @ link.transform(np.zeros(link.motion.nq))

    return model.outward(outward, np.eye(4))


def _frame(z: Array, x: Array, origin: Array) -> Array:
    return pose_matrix(np.stack([x, np.cross(z, x), z], axis=1), origin)


def _first(axis: Array) -> Array:
    """Return frame 0: on the first axis next to the world's origin, with x along the world's x, or else y."""
    z, p = axis[:3, 2], axis[:3, 3]
    x = X - (X @ z) * z
    if np.linalg.norm(x) < 1e-6:
        x = np.cross(Z, z)
    return _frame(z, x / np.linalg.norm(x), p - (p @ z) * z)


def _normal(axis: Array, following: Array, x: Array, foot: Array, near: float) -> tuple[Array, Array, Array]:
    """Return the direction (3,) of the common normal of two axes, and its feet (3,), close to the previous ones."""
    z, z_next, p, p_next = axis[:3, 2], following[:3, 2], axis[:3, 3], following[:3, 3]
    n = np.cross(z, z_next)
    square = n @ n
    if square < PARALLEL**2:
        on_axis = foot
        on_next = p_next + ((on_axis - p_next) @ z_next) * z_next
    else:
        d = p_next - p
        on_axis = p + (np.cross(d, z_next) @ n / square) * z
        on_next = p_next + (np.cross(d, z) @ n / square) * z_next
    gap = on_next - on_axis
    if np.linalg.norm(gap) > near:
        x = gap / np.linalg.norm(gap)
    elif square >= PARALLEL**2:
        side = n / np.sqrt(square)
        x = side if side @ x > -1e-9 else -side
    return x, on_axis, on_next


PARALLEL = 1e-9
"""Angle between axes in rad below which they are parallel."""


def _off(one: Array, other: Array) -> float:
    """Return the deviation of the z axes of two frames from one line."""
    z = other[:3, 2]
    return float(max(np.abs(one[:3, 2] - z).max(), np.abs(np.cross(one[:3, 3] - other[:3, 3], z)).max()))


def _row(T: Array, convention: str, near: float) -> DHRow:
    """Return the row from one frame to the next, if there is one."""
    R, p = T[:3, :3], T[:3, 3]
    if convention == "modified":
        alpha, theta = np.arctan2(-R[1, 2], R[2, 2]), np.arctan2(-R[0, 1], R[0, 0])
        a, d = p[0], np.cos(alpha) * p[2] - np.sin(alpha) * p[1]
    else:
        alpha, theta = np.arctan2(R[2, 1], R[2, 2]), np.arctan2(R[1, 0], R[0, 0])
        a, d = np.cos(theta) * p[0] + np.sin(theta) * p[1], p[2]
    a, d = (0.0 if abs(x) <= near else float(x) for x in (a, d))
    alpha, theta = (0.0 if abs(x) <= PARALLEL else float(x) for x in (alpha, theta))
    return DHRow(a=a, alpha=alpha, d=d, theta=theta)


def _of_row(row: DHRow, convention: str) -> Array:
    """Return the pose (4, 4) of a row's frame in the previous frame."""
    parts = (screw_x(row), screw_z(row))
    return parts[0] @ parts[1] if convention == "modified" else parts[1] @ parts[0]


def _with_body(model: Model, body: int, row: DHRow, T: Array) -> DHRow:
    """Return the row with the parameters of its joint and its link, whose frame is at T (4, 4) in the row's frame."""
    joint, R = model.joints[body], T[:3, :3]
    mass, center, inertia = about_center_of_mass(model.links[body].rigid_inertia)
    options = {
        name: float(value) for name in (*PER_COORDINATE, *PER_VELOCITY) if np.isfinite(value := getattr(joint, name)[0])
    }
    return replace(
        row,
        type=joint.type,
        mass=mass,
        center_of_mass=T[:3, 3] + R @ center,
        inertia=R @ inertia @ R.T,
        joint=options,
        name=joint.name,
    )


def _snapped(T: Array, near: float) -> Array:
    return pose_matrix(snap(T[:3, :3]), np.where(np.abs(T[:3, 3]) <= near, 0.0, T[:3, 3]))


def _require_same(model: Model, way: Sequence[int], table: DHTable, tip: Array) -> None:
    """Raise :class:`ModelError` for the first joint whose axis differs between table and model."""
    off = 1e-9 * max(1.0, scale_of(model).length)
    axes, here = _at_zero(model), table.base
    for k, (row, body) in enumerate(zip(table.rows, way, strict=True)):
        following = here @ _of_row(row, table.convention)
        axis = following if table.convention == "modified" else here
        last = k == len(way) - 1 and np.abs(following @ table.tool - tip).max() > off
        if _off(axis, axes[body]) > off or last:
            raise ModelError(
                f"joint {model.joints[body].name!r} of {model.name!r} has no row in a DH table: its axis "
                "and the next are nearly parallel, and their common normal is too far away"
            )
        here = following
