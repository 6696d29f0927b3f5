"""Built-in mechanisms from published parameters, without files.

``built_in("two_link")``, ``built_in("planar:5")``; :data:`BUILT_IN` contains their functions.
"""

from __future__ import annotations

from collections.abc import Callable

from linkwright.errors import ArgumentError, InputError, UnknownNameError
from linkwright.model.build.builder import Builder
from linkwright.model.build.description import WORLD
from linkwright.model.library.bodies import ACCENT, SHELL, BodyShapes
from linkwright.model.library.humanoid import humanoid
from linkwright.model.library.linkages import bricard, delta, four_bar, four_bars, slider_crank, stewart
from linkwright.model.library.robots import arm7, puma560, quadruped
from linkwright.model.tree import Model

MOST_LINKS = 100_000

LENGTH, MASS = 1.0, 1.0
"""m, kg: length and mass of the links of chains"""
TRANSVERSE, AXIAL = 0.1, 1.0 / 30.0
"""kg m²: moments of a uniform round bar of this length and mass with the transverse moment 0.1"""


def pendulum() -> Model:
    """Return a thin uniform rod, 1 m and 1 kg, on a joint about y: ⅓ m l² q̈ = −½ m g l sin q; frame "tip"."""
    thin = MASS * LENGTH**2 / 12.0
    builder = Builder("pendulum").body("rod", MASS, (0, 0, -LENGTH / 2), (thin, thin, 1e-4 * thin))
    builder.joint("hinge", "continuous", WORLD, "rod", axis=(0, 1, 0))
    return builder.frame("tip", "rod", xyz=(0, 0, -LENGTH)).build()


def two_link() -> Model:
    """Return the two-link arm of T. Nagai's tutorial (2018, `equations.md` §6): ``planar:2``.

    l = 1 m, center of mass at 0.5 m, m = 1 kg, I = 0.1 kg m², gravity (0, −9.8, 0); angles from +x.
    """
    return _planar("two_link", 2)


def planar(n: int) -> Model:
    """Return a chain of n links in the x–y plane with joints about +z, along x at q = 0; gravity (0, −9.8, 0).

    Each link: 1 m along its x, 1 kg, center of mass at 0.5 m, 0.1 kg m² about z. Frame "tip" is at the end.
    """
    return _planar(f"planar:{n}", n)


def _planar(name: str, n: int) -> Model:
    builder = Builder(name, gravity=(0, -9.8, 0))
    for k in range(1, n + 1):
        _bar(builder, k)
        _hinge(builder, k, (0, 0, 1))
    return builder.frame("tip", f"link{n}", xyz=(LENGTH, 0, 0)).build()


def arm4() -> Model:
    """Return an arm with four joints: yaw about z, then three pitches about −y; along x at q = 0, frame "tool" at the
    end.

    A column of 0.3 m carries links of 0.5, 0.4 and 0.2 m: round bars of 1 kg and 4 cm diameter.
    """
    builder = Builder("arm4")
    add = BodyShapes(builder)
    before, end = WORLD, (0.0, 0.0, 0.0)
    for k, length in enumerate((0.3, 0.5, 0.4, 0.2), start=1):
        along = (0.0, 0.0, length) if k == 1 else (length, 0.0, 0.0)
        thick, wide = 0.5 * 0.02**2, length**2 / 12.0 + 0.25 * 0.02**2
        builder.body(f"link{k}", 1.0, [x / 2 for x in along], (wide, wide, thick) if k == 1 else (thick, wide, wide))
        axis = (0, 0, 1) if k == 1 else (0, -1, 0)
        builder.joint(f"joint{k}", "continuous", before, f"link{k}", xyz=end, axis=axis)
        add.rod(f"link{k}", (0, 0, 0.03) if k == 1 else (0, 0, 0), along, 0.045 - 0.005 * k, SHELL)
        if k > 1:
            add.drum(f"link{k}", (0, 0.01 * k - 0.075, 0), (0, 0.075 - 0.01 * k, 0), 0.06 - 0.006 * k)
        before, end = f"link{k}", along
    add.drum("link1", (0, 0, 0), (0, 0, 0.03), 0.09)
    add.ball("link4", (0.2, 0, 0), 0.028, ACCENT)
    return builder.frame("tool", before, xyz=end).build()


def chain3d(n: int) -> Model:
    """Return a chain of n bodies in space: the first free, then joints about y and z alternately; along x at q = 0.

    Each link is a uniform round bar: 1 m along its x, 1 kg, 0.1 kg m² transverse, 1/30 kg m² axial; gravity
    (0, 0, −9.81). Frame "tip" is at the end.
    """
    builder = Builder(f"chain3d:{n}")
    _bar(builder, 1)
    builder.joint("root", "free", WORLD, "link1")
    for k in range(2, n + 1):
        _bar(builder, k)
        _hinge(builder, k, (0, 1, 0) if k % 2 == 0 else (0, 0, 1))
    return builder.frame("tip", f"link{n}", xyz=(LENGTH, 0, 0)).build()


def _bar(builder: Builder, k: int) -> None:
    builder.body(f"link{k}", MASS, (LENGTH / 2, 0, 0), (AXIAL, TRANSVERSE, TRANSVERSE))


def _hinge(builder: Builder, k: int, axis: tuple[float, float, float]) -> None:
    parent, x = (f"link{k - 1}", LENGTH) if k > 1 else (WORLD, 0.0)
    builder.joint(f"joint{k}", "continuous", parent, f"link{k}", xyz=(x, 0, 0), axis=axis)


BUILT_IN: dict[str, Callable[..., Model]] = {
    "pendulum": pendulum,
    "two_link": two_link,
    "planar": planar,
    "chain3d": chain3d,
    "arm4": arm4,
    "puma560": puma560,
    "arm7": arm7,
    "quadruped": quadruped,
    "humanoid": humanoid,
    "four_bar": four_bar,
    "slider_crank": slider_crank,
    "four_bars": four_bars,
    "bricard": bricard,
    "delta": delta,
    "stewart": stewart,
}
"""Functions of the built-in mechanisms by name; those of chains take the number of links or loops."""

COUNTED = ("planar", "chain3d", "four_bars")

NAMES = tuple(f"{key}:N" if key in COUNTED else key for key in BUILT_IN)
"""Names as they are typed."""


def built_in(name: str) -> Model:
    """Return the built-in mechanism of a name: "puma560", "humanoid", …; for chains with a number, "planar:5".

    Raises :class:`UnknownNameError` for other names and :class:`InputError` for a number that is missing, superfluous
    or not an integer from 1 to 100 000.
    """
    if not isinstance(name, str):
        raise ArgumentError(f"a built-in mechanism is given by its name, a str; got {name!r}")
    kind, colon, count = name.partition(":")
    if kind not in BUILT_IN:
        raise UnknownNameError("built-in mechanism", name, NAMES)
    if kind not in COUNTED:
        if colon:
            raise InputError(f"{kind!r} takes no number of links; got {name!r}")
        return BUILT_IN[kind]()
    # int() would accept "1_0", " 3" and digits of other scripts
    if not (count.isascii() and count.isdigit() and len(count) <= 6 and 1 <= int(count) <= MOST_LINKS):
        what = f"got {count[:20]!r}" if colon else "none is given"
        raise InputError(f'"{kind}:N" needs a number N of links, a whole number from 1 to {MOST_LINKS}; {what}')
    return BUILT_IN[kind](int(count))
