"""``linkwright info`` and ``equations``: what a mechanism is, and what its equations say."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Literal

import numpy as np
from rich.table import Table

from linkwright.cli.app import Root, app, file_name, load_robot
from linkwright.cli.shell.values import Robot
from linkwright.cli.told import terminal
from linkwright.cli.typed.arguments import named_parameters, starting_posture
from linkwright.errors import (
    ClosureError,
    InputError,
    LinkwrightError,
)
from linkwright.files import write_text
from linkwright.model.tree import Joint, Model
from linkwright.spatial.arrays import Array


@app.command
def info(robot: Robot, /, *, root: Root = "fixed", operations: bool = True) -> None:
    """Show a mechanism: its links and joints, limits and masses, and how many operations its dynamics take.

    Example: ``linkwright info two_link``

    Parameters
    ----------
    robot
        A robot file (.urdf, .xacro, .xml, .sdf, .ztk), an installed robot or a built-in mechanism.
    operations
        Whether to count the multiplications, additions, … of each algorithm.
    """
    from linkwright.dynamics import total_mass, welded_mass

    model = load_robot(robot, root)
    terminal.output.print(str(model), soft_wrap=True)
    terminal.output.print()
    limits = Table("joint", "type", "limits", "velocity", "effort", "damping", "friction", "armature", box=None)
    for joint in model.joints:
        limits.add_row(*_joint_row(joint))
    terminal.output.print(limits)
    terminal.output.print(f"\nmoving mass {total_mass(model):.6g} kg, welded to the world {welded_mass(model):.6g} kg")
    if model.loops:
        with terminal.errors.status("compiling what the loops leave free"):
            free = _mobility(model)
        terminal.output.print(free, soft_wrap=True)
    names = [name for name in model.frames if name != "world"]
    shown = ", ".join(names[:40]) + (f", … ({len(names)} in all)" if len(names) > 40 else "")
    terminal.output.print(f"frames: {shown}", soft_wrap=True)
    if operations:
        with terminal.errors.status("counting operations") as status:
            table = _operations_table(model, lambda name: status.update(f"counting the operations of {name}"))
        terminal.output.print(table)


@app.command
def equations(
    robot: Robot,
    file: Path | None = None,
    /,
    *,
    format: Literal["text", "latex", "mathml", "derivation", "c", "python", "octave", "fortran", "html"] = "text",
    html: bool = False,
    what: str = "",
    frame: str | None = None,
    reference_frame: Literal["world_aligned", "body", "world"] = "world_aligned",
    parameters: str = "symbols",
    base_parameters: bool = False,
    coordinates: str = "",
    angles: bool = False,
    form: Literal["products", "angles", "expanded", "expanded angles", "factored"] = "products",
    explain: bool = False,
    controller: Literal["pd", "computed_torque"] | None = None,
    target: str = "",
    stiffness: float | None = None,
    damping: float | None = None,
    angle_tolerance: float = 1e-5,
    root: Root = "fixed",
) -> None:
    """Write the equations of motion M(q) a + h(q, v) + g(q) = tau: to read, or as code.

    Example: ``linkwright equations two_link``

    Parameters
    ----------
    robot
        A robot file (.urdf, .xacro, .xml, .sdf, .ztk), an installed robot or a built-in mechanism.
    file
        Where to write them, instead of to the screen.
    format
        "text", "latex" and "mathml" are the equations, "derivation" shows Lagrange's steps, "html" is a page to read
        in a browser, NAME_equations.html unless FILE is given; the others are source code.
    html
        The same as --format html.
    what
        Some of M, h, g, D (friction), K (springs), A and b (closed loops), C (h is C v), G (rates of coordinates:
        G v), E and U (energies), c and J_c (center of mass), P and L (momentum), and of --frame T (pose), J
        (Jacobian), J_dot (its rate) and V (twist); or all there is; M,h,g unless given, T,J with --frame.
        As code also rhs, the right-hand side for integrators. Not of "derivation" and "html".
    frame
        The frame whose kinematics are asked for.
    reference_frame
        What its Jacobian and twist refer to: its origin in world axes, itself (body) or the origin of the world.
    parameters
        Whether masses, lengths and inertias have names: "symbols", "numbers", or by group and name,
        "geometry=numbers,l1=0.5"; the groups are geometry, inertial, gravity and passive.
    base_parameters
        Inertial parameters combined to as few as determine the motion.
    coordinates
        Other coordinates: "phi1=theta1,phi2=theta1+theta2", or the mechanism's by others,
        `d1=r*cos(phi),d2=r*sin(phi)`.
    angles
        Products of sines and cosines as sums of multiple angles: the same as --form angles.
    form
        How they are written: "products" or "angles", with brackets, "expanded" or "expanded angles", without, or
        "factored", as products of factors.
    explain
        What the equations say, in words and formulas, instead of the equations: kinds of terms, what vanishes
        and why, what is conserved, equilibria and their stability. As "text" or "latex".
    controller
        With --explain: the mechanism under this controller. Its Lyapunov function, proved, LaSalle's invariant
        set, equilibria and eigenvalues.
    target
        Where the controller leads, "30deg,0.2" or "shoulder=30deg"; the neutral posture unless given.
    stiffness
        Of the controller, N m/rad of pd and 1/s² of computed torque; 100 unless given.
    damping
        Of the controller, N m s/rad and 1/s; 20 unless given.
    angle_tolerance
        How far, in rad, angles of the file may be from the multiples of π/12 they are taken to.
    """
    from linkwright.symbolic import equations as made_of

    if html and format not in ("text", "html"):
        raise InputError(f"--html and --format {format} cannot both be; ask for one after the other")
    kind = "html" if html else format
    if explain and (kind not in ("text", "latex") or what or frame or angles or form != "products"):
        raise InputError("--explain is whole, and goes with --format text and latex (the page of html has it anyway)")
    if controller and not explain:
        raise InputError(f"--controller {controller} is of an explanation; add --explain")
    for name, given in (("target", target or None), ("stiffness", stiffness), ("damping", damping)):
        if given is not None and not controller:
            raise InputError(f"--{name} is of a controller; add --controller pd")
    if kind in ("derivation", "html") and what:
        raise InputError(f"--what chooses what the other formats show; {kind} is always whole")
    if angles and form not in ("products", "angles"):
        raise InputError(f"--angles is --form angles, and --form {form} was given too; take one of them")
    model = load_robot(robot, root)
    with terminal.errors.status("deriving the equations"):
        made = made_of(model, named_parameters(parameters), angle_tolerance, base_parameters=base_parameters)
        if coordinates:
            parts = [entry.partition("=") for entry in coordinates.split(",")]
            if wrong := [name for name, equals, value in parts if not (equals and value.strip())]:
                raise InputError(f"--coordinates takes new=expression, as phi1=theta1; got {wrong[0]!r}")
            made = made.in_coordinates({name.strip(): value for name, _, value in parts})
    what = what or ("M,h,g" if frame is None else "T,J")
    if what == "all":
        what = ",".join([*made.letters, *["G", "T", "J", "J_dot", "V"] * (frame is not None)])
    for note in (*made.snapped, *(f"{row} vanishes identically" for row in made.left_out)):
        terminal.errors.print(note, soft_wrap=True)
    if kind == "html":
        with terminal.errors.status("writing the page"):
            path = made.html(file or Path(f"{file_name(made.model.name)}_equations.html"), frame)
        terminal.output.print(f"  {path}", soft_wrap=True)
        return
    with terminal.errors.status("explaining them" if explain else "writing them"):
        if explain:
            told = (
                made.explanation(_controller(made.model, controller, target, stiffness, damping))
                if controller
                else made.explanation()
            )
            shown = told.text() if kind == "text" else told.latex()
        elif kind in ("text", "latex", "mathml"):
            shown = getattr(made, kind)("angles" if angles else form, what, frame, reference_frame)
        elif kind == "derivation":
            shown = made.derivation_text()
        else:
            shown = getattr(made, kind)(what, frame, reference_frame)
    if file is None:
        terminal.output.print(shown, soft_wrap=True)
    else:
        write_text(file, f"{shown.rstrip()}\n")
        terminal.output.print(f"  {file}", soft_wrap=True)


def _controller(
    model: Model, name: str, target: str, stiffness: float | None, damping: float | None
) -> Callable[..., Any]:
    """Return the controller of that name."""
    from linkwright import control

    wanted = {"pd": "target", "computed_torque": "reference"}[name]
    place = starting_posture(model, target, "target")
    gains = {"stiffness": 100.0 if stiffness is None else stiffness, "damping": 20.0 if damping is None else damping}
    return partial(getattr(control, name), **{wanted: place}, **gains)


def _mobility(model: Model) -> str:
    """What the loops leave free, in a sentence."""
    from linkwright.dynamics import mobility

    try:
        return f"mobility: {mobility(model)}"
    except ClosureError as error:
        return f"mobility: {error}"


def _operations_table(model: Model, tell: Callable[[str], None]) -> Table:
    """Operation counts of the main algorithms; traced, not compiled."""
    from linkwright import dynamics
    from linkwright.compiler.front.bind import bind
    from linkwright.compiler.schedules.selection import program
    from linkwright.dynamics.forward import cheapest_method
    from linkwright.errors import TooLargeError

    table = Table("algorithm", "multiplications", "additions", "divisions", "sincos", box=None, title="operations")
    for column in table.columns[1:]:
        column.justify = "right"
    algorithms = ("inverse_dynamics", "forward_dynamics", "mass_matrix", "gravity_forces", "coriolis_matrix")
    for name in (*algorithms, "momentum_matrix", "kinetic_energy"):
        tell(name)
        try:
            count = program(bind(getattr(dynamics, name), model, {})).operations
            name += f" ({cheapest_method(model)})" if name == "forward_dynamics" else ""
        except TooLargeError:
            table.add_row(name, "too large for straight-line code")
        except LinkwrightError as error:
            table.add_row(name, str(error))
        else:
            table.add_row(name, *(str(n) for n in (count[0], count[1], count[2], count.sincos)))
    return table


def _joint_row(joint: Joint) -> tuple[str, ...]:
    def shown(x: Array, default: float) -> str:
        return "" if np.all(x == default) else ", ".join(f"{value:.4g}" for value in np.atleast_1d(x))

    pairs = zip(joint.lower, joint.upper, strict=True)
    limited = np.isfinite(joint.lower).any() or np.isfinite(joint.upper).any()
    limits = ", ".join(f"{low:.4g} … {high:.4g}" for low, high in pairs) if limited else ""
    return (
        joint.name,
        joint.type,
        limits,
        shown(joint.velocity_limit, np.inf),
        shown(joint.effort_limit, np.inf),
        shown(joint.damping, 0.0),
        shown(joint.friction, 0.0),
        shown(joint.armature, 0.0),
    )
