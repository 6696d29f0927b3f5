"""S3, chapters 6, 7, 8 and 11: straight and turning, Lagrange's equations, their code and properties."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import linkwright as lw
from linkwright.spatial.arrays import Array
from linkwright.symbolic import Equations
from linkwright_gallery.drawing import BLUE, GRAY, GREEN, INK, PURPLE, RED, arrow, chain, curves, figure, inset, written
from linkwright_gallery.exhibit import Erratum, Exhibit, Remark, derived, formula, found, known, measured, printed, said

# S3.6 Straight and turning

M_, C_, K_ = 1.5, 0.4, 6.0
"""kg, N s/m and N/m, or kg m², N m s/rad and N m/rad"""


def oscillator(turning: bool) -> lw.Model:
    """m ẍ + c ẋ + k x = f on a slide, or I θ̈ + c_θ θ̇ + k_θ θ = τ on a hinge."""
    builder = lw.Builder("turning" if turning else "straight", gravity=(0.0, 0.0, 0.0))
    builder.body("body", M_, inertia=M_)
    kind = "revolute" if turning else "prismatic"
    return builder.joint("joint", kind, "world", "body", damping=C_).joint_spring("joint", K_).build()


def damped(t: Array, x0: float) -> Array:
    """The oscillation from x0 at rest, by formula."""
    decay = C_ / (2.0 * M_)
    w = np.sqrt(K_ / M_ - decay**2)
    x: Array = x0 * np.exp(-decay * t) * (np.cos(w * t) + decay / w * np.sin(w * t))
    return x


def point(length: float, mass: float = 2.0) -> lw.Model:
    """A point mass on a weightless rod."""
    return lw.Builder("point").body("b", mass, (length, 0, 0)).joint("j", "revolute", "world", "b").build()


def turning() -> Iterator[Remark]:
    """The table of straight and turning, and inertia tensors."""
    straight, turn = (lw.simulate(oscillator(kind), [0.3], [0.0], 3.0) for kind in (False, True))
    yield derived("m ẍ + c ẋ + k x = 0: x after 3 s", damped(np.array([3.0]), 0.3), straight.q[-1], 6, 1e-9)
    yield derived("I θ̈ + c θ̇ + k θ = 0: the same numbers", straight.q[-1], turn.q[-1], 6)
    arm, still = point(0.7), np.zeros(1)
    yield formula("I = m l² of a point", 2.0 * 0.7**2, lw.mass_matrix(arm, still)[0, 0])
    yield formula(
        "τ = f l",
        3.0 * 0.7,
        lw.joint_forces(arm.with_frame("end", "b", xyz=(0.7, 0, 0)), still, "end", [0, 3.0, 0, 0, 0, 0])[0],
    )
    shifted = lw.Builder("rod").body("b", 2.0, (0.7, 0, 0), 0.1).joint("j", "revolute", "world", "b").build()
    yield formula("parallel axes: I₀ + m l²", 0.1 + 2.0 * 0.7**2, lw.mass_matrix(shifted, still)[0, 0])
    masses, places = np.array([1.0, 2.0, 0.5]), np.array([[0.3, 0.2, 0.0], [-0.1, 0.1, 0.4], [-0.2, -0.8, -1.6]])
    places = places - masses @ places / masses.sum()
    x, y, z = places.T
    products = {"xy": masses @ (x * y), "xz": masses @ (x * z), "yz": masses @ (y * z)}
    tensor = np.diag([masses @ (y * y + z * z), masses @ (x * x + z * z), masses @ (x * x + y * y)])
    for (i, j), name in (((0, 1), "xy"), ((0, 2), "xz"), ((1, 2), "yz")):
        tensor[i, j] = tensor[j, i] = -products[name]
    merged = lw.add_mass_properties([(m, p, np.zeros((3, 3))) for m, p in zip(masses, places, strict=True)])
    yield formula("the tensor of three points, with −I_xy off the diagonal", tensor, merged[2])
    ball = lw.Builder("points", gravity=(0, 0, 0)).body("b", masses.sum(), inertia=merged[2])
    free = ball.joint("j", "spherical", "world", "b").build()
    omega = np.array([1.0, -2.0, 0.5])
    yield formula("L = I ω", tensor @ omega, lw.momentum(free, free.neutral(), omega)[3:])
    with tempfile.TemporaryDirectory() as folder:
        hinged = lw.Builder("points").body("b", masses.sum(), inertia=merged[2]).joint("j", "continuous", "world", "b")
        text = hinged.build().save(Path(folder) / "points.urdf").read_text(encoding="utf-8")
    ixy = float(re.findall(r'ixy="([^"]+)"', text)[0])
    yield found("URDF's ixy is the tensor's entry, −I_xy", abs(ixy + products["xy"]) < 1e-9)
    rod = lw.Builder("rod").body("b", 1.0, inertia=[0.0, 1 / 12, 1 / 12]).joint("j", "free", "world", "b").build()
    smallest = abs(np.linalg.eigvalsh(rod.bodies[0].inertia)[0])
    yield Erratum(
        "the inertia tensor",
        "it is positive definite",
        "not for a thin rod or a point: the moment of a rod about its axis is zero",
        "the smallest moment of a thin rod",
        "positive",
        "zero",
        "zero" if smallest < 1e-15 else "positive",
    )


def draw_turning(path: Path) -> Path:
    """The two oscillators, and the table."""
    made = figure(9.5, 3.8)
    left, right = made.subplots(1, 2)
    straight, turn = (lw.simulate(oscillator(kind), [0.3], [0.0], 8.0, 1e-2) for kind in (False, True))
    left.plot(straight.t, straight.q[:, 0], color=BLUE, linewidth=4, label="x of the slide (m)")
    left.plot(turn.t, turn.q[:, 0], "--", color=RED, label="θ of the hinge (rad)")
    curves(left, "one equation, two meanings", "time (s)", "x (m), θ (rad)")
    left.legend(fontsize=9)
    rows = [
        *(("place", "x, m", "θ, rad"), ("velocity", "v, m/s", "ω, rad/s"), ("acceleration", "a, m/s²", "α, rad/s²")),
        *(
            ("effort", "f, N", "τ, N m"),
            ("inertia", "m, kg", "I, kg m²"),
            ("damper", "c, N s/m", r"$c_\theta$, N m s/rad"),
        ),
        ("spring", "k, N/m", r"$k_\theta$, N m/rad"),
    ]
    right.axis("off")
    table = right.table(rows, colLabels=("", "straight", "turning"), loc="center", cellLoc="left", edges="horizontal")
    table.auto_set_font_size(False)
    table.set_fontsize(10)
    table.scale(1.0, 1.5)
    return written(path, made)


# S3.7 Lagrange's equations of the two-link arm

PRINTED = (
    "M[1,1] = m1*lg1^2 + m2*(l1^2 + lg2^2 + 2*l1*lg2*cos(q2)) + I1 + I2",
    "M[1,2] = m2*(lg2^2 + l1*lg2*cos(q2)) + I2",
    "M[2,2] = m2*lg2^2 + I2",
    "h[1] = -m2*l1*lg2*sin(q2)*qd2*(2*qd1 + qd2)",
    "h[2] = m2*l1*lg2*sin(q2)*qd1^2",
    "g[1] = m2*g*(lg2*cos(q1 + q2) + l1*cos(q1)) + m1*g*lg1*cos(q1)",
    "g[2] = m2*g*lg2*cos(q1 + q2)",
)
"""The result, entry by entry"""

ENERGIES = {
    "kinetic energy": "E = 1/2*(m1*lg1^2 + I1)*qd1^2 + 1/2*m2*((-l1*sin(q1)*qd1 - lg2*sin(q1 + q2)*(qd1 + qd2))^2"
    " + (l1*cos(q1)*qd1 + lg2*cos(q1 + q2)*(qd1 + qd2))^2) + 1/2*I2*(qd1 + qd2)^2",
    "potential energy": "U = m1*g*lg1*sin(q1) + m2*g*(l1*sin(q1) + lg2*sin(q1 + q2))",
}
"""K1 = ½ (m1 lg1² + I1) θ̇1², K2 = ½ m2 v2² + ½ I2 (θ̇1 + θ̇2)² with v2 from the position of the center, U = Σ m g y"""

FORMS = {
    "ratsimp, which keeps sin² + cos²": "M[1,2] = m2*lg2*(lg2*(sin(q1 + q2)^2 + cos(q1 + q2)^2)"
    " + l1*(sin(q1)*sin(q1 + q2) + cos(q1)*cos(q1 + q2))) + I2",
    "simplify": "M[1,2] = m2*lg2*(lg2 + l1*cos(q2)) + I2",
    "trigreduce, whose h2 keeps two terms that cancel": "h[2] = m2*l1*lg2*sin(q2)*qd1^2"
    " + m2*l1*lg2*sin(q2)*qd1*qd2 - m2*l1*lg2*sin(q2)*qd1*qd2",
}


@cache
def made() -> Equations:
    """The equations of the two-link arm, with letters."""
    return lw.equations(lw.load("two_link"))


def lagrange() -> Iterator[Remark]:
    """Energies, M, h and g, three forms, other coordinates."""
    arm = made()
    for what, text in ENERGIES.items():
        yield printed(f"{what}, from K1 + K2 and Σ m g y", f"{text[0]}: the same", str(arm.same_as(text)))
    for text in PRINTED:
        left = text.partition(" = ")[0]
        yield printed(text, f"{left}: the same", str(arm.same_as(text)))
    for name, text in FORMS.items():
        yield said(f"equal to it: {name}", bool(arm.same_as(text)))
    robot, rng = lw.load("two_link"), np.random.default_rng(0)
    q, v, a = rng.normal(size=(3, 2))
    l1 = m2 = 1.0
    lg2, I1, I2 = 0.5, 0.1, 0.1
    c2, s2 = np.cos(q[1]), np.sin(q[1])
    m12 = m2 * (lg2**2 + l1 * lg2 * c2) + I2
    M = np.array([[0.25 + m2 * (l1**2 + lg2**2 + 2 * l1 * lg2 * c2) + I1 + I2, m12], [m12, m2 * lg2**2 + I2]])
    h = np.array([-m2 * l1 * lg2 * s2 * v[1] * (2 * v[0] + v[1]), m2 * l1 * lg2 * s2 * v[0] ** 2])
    g2 = 9.8 * lg2 * np.cos(q[0] + q[1])
    g = np.array([g2 + 9.8 * l1 * np.cos(q[0]) + 9.8 * 0.5 * np.cos(q[0]), g2])
    yield formula(
        "M q̈ + h + g = τ with numbers, and inverse dynamics", M @ a + h + g, lw.inverse_dynamics(robot, q, v, a)
    )
    yield formula("h as a product H(q, q̇) q̇", h, lw.coriolis_matrix(robot, q, v) @ v)
    other = arm.in_coordinates({"phi1": "theta1", "phi2": "theta1 + theta2"})
    yield said("other coordinates give other equations", other.canonical != arm.canonical)
    yield known("M[1,2] in the angles of the world", "m2*l1*lg2*cos(phi1 - phi2)", _entry(other, "M[1,2]"))
    wrong = "g[2] = m2*g*lg2*sin(q1 + q2)"
    yield found("a typed equation that is wrong is found: sin for cos in g2", not arm.same_as(wrong))


def _entry(equations: Equations, name: str) -> str:
    lines = dict(line.split(" = ", 1) for line in equations.text().splitlines())
    return lines[name]


def draw_lagrange(path: Path) -> Path:
    """The arm with its letters, and the equations."""
    whole = figure(10.0, 4.4)
    left, right = whole.subplots(1, 2, width_ratios=[1.0, 1.5])
    q = np.radians([25.0, 45.0])
    robot = lw.load("two_link")
    points = np.array([lw.pose(robot, q, name)[:3, 3] for name in ("link1", "link2", "tip")])[:, :2]
    chain(left, points, "#B9BEC6")
    letters: dict[str, Any] = {"fontsize": 13, "math_fontfamily": "cm"}  # those of the equations: l is not I there
    for k in (0, 1):
        middle = 0.5 * (points[k] + points[k + 1])
        across = np.array([-(points[k + 1] - points[k])[1], (points[k + 1] - points[k])[0]])
        left.plot(*middle, "o", color=RED, ms=9, zorder=6)
        left.text(
            *(middle - 0.3 * across + 0.12 * (points[k + 1] - points[k])),
            f"$m_{k + 1}$, $I_{k + 1}$",
            color=RED,
            **letters,
        )
        left.text(
            *(0.5 * (points[k] + middle) + 0.13 * across), f"$l_{{g{k + 1}}}$", ha="center", color=BLUE, **letters
        )
        left.text(*(middle + 0.12 * across + 0.25 * (points[k + 1] - points[k])), f"$l_{k + 1}$", color=INK, **letters)
        start = 0.0 if k == 0 else q[0]
        sweep = start + np.linspace(0.0, q[k], 20)
        left.plot(points[k][0] + 0.35 * np.cos(sweep), points[k][1] + 0.35 * np.sin(sweep), color=GREEN)
        at = points[k] + (0.66 if k == 0 else 0.43) * np.array([np.cos(sweep[10]), np.sin(sweep[10])])
        left.text(*at, rf"$\theta_{k + 1}$, $\tau_{k + 1}$", color=GREEN, **letters)
        ahead = points[k] + 0.6 * np.array([np.cos(start), np.sin(start)])
        left.plot(*np.array([points[k], ahead]).T, ":", color=GRAY)
    arrow(left, np.array([1.75, 0.5]), np.array([0.0, -0.3]), GRAY, "$g$")
    left.set_aspect("equal")
    left.set_xlim(-0.1, 2.1)
    left.set_ylim(-0.35, 1.6)
    left.axis("off")
    inset(right, made().figure(width=70.0))
    return written(path, whole)


# S3.8 Code

LANGUAGES = ("c", "fortran", "octave", "python")


def code() -> Iterator[Remark]:
    """The equations as TeX and as code; what is written in Python is run, and compared."""
    arm, robot = made(), lw.load("two_link")
    scope: dict[str, object] = {}
    exec(arm.python(), scope)  # code written by the library
    rng = np.random.default_rng(1)
    q, v = rng.normal(size=(2, 2))
    M, h, g = scope["two_link_equations"](q, v)  # type: ignore[operator]
    yield derived("M of the generated Python", np.array(M), lw.mass_matrix(robot, q))
    yield derived("h + g of the generated Python", np.add(h, g), lw.bias_forces(robot, q, v))
    yield said("tex() typesets them", r"\begin{aligned}" in arm.latex() and r"\cos \theta_{2}" in arm.latex())
    first = {
        "c": "void two_link_equations(",
        "fortran": "subroutine two_link_equations(q, v, p, M, h, g)",
        "octave": "function [M, h, g] = two_link_equations(q, v, p)",
        "python": "def two_link_equations(q, v",
    }
    notes = {"fortran": ", of which the tutorial shows no output", "c": ", which the tutorial does not have"}
    for name in LANGUAGES:
        text = getattr(arm, name)()
        yield found(f"{name.capitalize()} is written{notes.get(name, '')}", first[name] in text)
    counted = (arm.operations.total, arm.operations.sincos)
    yield measured("multiplications and additions of the code, and sines with cosines", "not printed", counted, 0)


def draw_code(path: Path) -> Path:
    """The first lines of the code in two languages."""
    whole = figure(13.0, 4.2)
    for axes, name in zip(whole.subplots(1, 2), ("fortran", "c"), strict=True):
        lines = [line for line in getattr(made(), name)().splitlines() if not line.strip().startswith(("!", "*", "/*"))]
        shown = "\n".join(line[:92] for line in lines if line.strip())
        axes.text(0.0, 1.0, shown, family="monospace", fontsize=7, va="top", transform=axes.transAxes, parse_math=False)
        axes.set_title(name.capitalize(), fontsize=10)
        axes.axis("off")
    return written(path, whole)


# S3.11 Properties


def slides() -> lw.Model:
    """Three slides at right angles, in gravity."""
    builder = lw.Builder("slides")
    for k, axis in enumerate(np.eye(3)):
        builder.body(f"b{k}", 1.0, (0.1, 0.2, 0.3), 0.1)
        builder.joint(f"j{k}", "prismatic", f"b{k - 1}" if k else "world", f"b{k}", axis=axis)
    return builder.build()


def properties() -> Iterator[Remark]:
    """Verify common properties of equations of motion, each by proof or by numbers."""
    arm, robot = made(), lw.load("two_link")
    turns = np.linspace(-np.pi, np.pi, 721)
    M = lw.mass_matrix(robot, np.stack([0.0 * turns, turns], axis=1))
    yield said("M12 = M21", np.array_equal(M[:, 0, 1], M[:, 1, 0]))
    yield said("M11 is largest at θ2 = 0", turns[M[:, 0, 0].argmax()] == 0.0)
    yield known("M11 at θ2 = 0 and at π", (2.7, 0.7), (M[360, 0, 0], M[-1, 0, 0]), digits=1)
    q = np.array([0.3, 0.9])
    rates = {
        name: lw.bias_forces(robot, q, v) - lw.gravity_forces(robot, q)
        for name, v in (("first", [1.0, 0.0]), ("second", [0.0, 1.0]), ("both", [1.0, 1.0]))
    }
    s = 0.5 * np.sin(0.9)
    yield derived(
        "squares are centrifugal: h at rates (1, 0) and (0, 1)", [0.0, s, -s, 0.0], [*rates["first"], *rates["second"]]
    )
    mixed = rates["both"] - rates["first"] - rates["second"]
    yield derived("products are Coriolis: what is left at rates (1, 1)", [-2.0 * s, 0.0], mixed)
    yield said("h is zero with slides only (a proof)", lw.equations(slides()).vanishes("velocity_forces"))
    yield found("h of the two-link arm is not", not arm.vanishes("velocity_forces"))
    weightless = lw.equations(robot.with_gravity([0, 0, 0]))
    yield said("g is zero without weight (a proof)", weightless.vanishes("gravity_forces"))
    v = np.array([1.0, -2.0])
    M_dot = sum(lw.derivative(lw.mass_matrix, "q")(robot, q)[..., k] * v[k] for k in range(2))
    skew = M_dot - 2.0 * lw.coriolis_matrix(robot, q, v)
    yield found("beyond the chapter: Ṁ − 2C is skew", bool(np.abs(skew + skew.T).max() < 1e-12))


def draw_properties(path: Path) -> Path:
    """M and h over θ2, g over θ1."""
    whole = figure(10.0, 3.4)
    left, middle, right = whole.subplots(1, 3)
    robot, turns = lw.load("two_link"), np.linspace(-np.pi, np.pi, 181)
    q = np.stack([0.0 * turns, turns], axis=1)
    M, still = lw.mass_matrix(robot, q), np.zeros(2)
    for (i, j), color in (((0, 0), BLUE), ((0, 1), GREEN), ((1, 1), RED)):
        left.plot(turns, M[:, i, j], color=color, label=f"M{i + 1}{j + 1}")
    curves(left, "inertia", "θ2 (rad)", "entries of M (kg m²)")
    gravity = lw.gravity_forces(robot, q)
    for v, color, name in (
        ([1.0, 0.0], BLUE, "h2, rates (1, 0)"),
        ([0.0, 1.0], GREEN, "h1, rates (0, 1)"),
        ([1.0, 1.0], RED, "h1, rates (1, 1)"),
    ):
        h = lw.bias_forces(robot, q, np.broadcast_to(v, q.shape)) - gravity
        middle.plot(turns, h[:, 1 if v[1] == 0.0 else 0], color=color, label=name)
    curves(middle, "centrifugal and Coriolis", "θ2 (rad)", "effort (N m)")
    g = lw.gravity_forces(robot, np.stack([turns, 0.0 * turns], axis=1))
    right.plot(turns, g[:, 0], color=BLUE, label="g1")
    right.plot(turns, g[:, 1], color=PURPLE, label="g2")
    right.plot(turns, 0.0 * turns + still[0], ":", color=GRAY, label="without weight")
    curves(right, "gravity, θ2 = 0", "θ1 (rad)", "effort (N m)")
    for axes in (left, middle, right):
        axes.legend(fontsize=8)
    return written(path, whole)


EXHIBITS = (
    Exhibit(
        "S3.6",
        "turning",
        "Translation and rotation",
        "chapter 6",
        "A table compares x with θ, v with ω, a with α, f with τ, m with I, and linear with rotational dampers and "
        "springs, with units. τ = f l, I = m l², m ẍ + c ẋ + k x = f and its rotational form; I₀ + m l²; L = I ω "
        "with the tensor, which has −I_xy off the diagonal.",
        turning,
        draw_turning,
        "Left: a prismatic and a revolute joint with equal numbers have equal motions. Right: the table.",
        """import linkwright as lw

wheel = lw.Builder("wheel", gravity=(0, 0, 0)).body("rim", 1.5, inertia=1.5)
wheel = wheel.joint("axle", "revolute", "world", "rim", damping=0.4).joint_spring("axle", 6.0).build()
motion = lw.simulate(wheel, [0.3], [0.0], 3.0)
print(motion.q[-1])        # I θ̈ + c θ̇ + k θ = 0, after 3 s""",
        (
            ("translation and rotation", "learn/translation_and_rotation.md"),
            ("parallel axes", "learn/parallel_axes.md"),
        ),
    ),
    Exhibit(
        "S3.7",
        "lagrange",
        "Lagrange's equations of the two-link arm",
        "chapter 7",
        "Positions of the centers of mass; v2; K1 = ½ (m1 lg1² + I1) θ̇1²; K2 = ½ m2 v2² + ½ I2 (θ̇1 + θ̇2)²; U = Σ "
        "m g y; L, its derivatives, and M q̈ + h + g = τ in three forms. The tutorial checks their equality by "
        "differences and by ==. A figure shows the arm with q, l, lg, m, I. Other coordinates give other equations.",
        lagrange,
        draw_lagrange,
        "The arm with its symbols, and its typeset equations.",
        """import linkwright as lw

arm = lw.equations(lw.load("two_link"))
print(arm.text())                  # M, h and g
print(arm.derivation_text())       # every step from positions to ∂L/∂q
assert arm.same_as("h[2] = m2*l1*lg2*sin(q2)*qd1^2")
print(arm.same_as("g[2] = m2*g*lg2*sin(q1 + q2)"))     # what differs""",
        (("symbolic equations", "topics/mechanisms/equations.md"),),
    ),
    Exhibit(
        "S3.8",
        "code",
        "The equations as code",
        "chapter 8",
        "tex() typesets the equations; fortran() is called, but its output is not shown; the equations are given as "
        "code of Maxima, MATLAB, Octave and Python. There is no C code.",
        code,
        draw_code,
        "The generated Fortran and C code, without comments; a long line is truncated.",
        """import linkwright as lw

arm = lw.equations(lw.load("two_link"))
print(arm.fortran().splitlines()[0])
scope = {}
exec(arm.python(), scope)
equations = scope["two_link_equations"]
M, h, g = equations([0.5, 0.5], [0.0, 0.0])""",
        (("symbolic equations", "topics/mechanisms/equations.md"),),
    ),
    Exhibit(
        "S3.11",
        "properties",
        "Properties of the equations",
        "chapter 11",
        "M12 = M21; the inertia of joint 1 is largest for the stretched arm; squares of rates are centrifugal terms, "
        "products Coriolis terms; h is zero for prismatic joints only; g is zero without gravity.",
        properties,
        draw_properties,
        "The terms of the two-link arm over its angles.",
        """import linkwright as lw

found = lw.equations(lw.load("two_link")).explanation()
print(found.text()[:900])          # what M depends on, what is centrifugal, what rests where""",
        (
            ("explanation of the equations", "topics/mechanisms/equations.md"),
            ("stability", "topics/control/stability.md"),
        ),
    ),
)
