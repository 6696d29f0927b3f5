"""``linkwright info`` and ``equations``: properties of a mechanism, and its equations of motion."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Literal

import numpy as np
from rich.table import Table

from linkwright.cli.app import Root, Verbose, app, file_name, load_robot
from linkwright.cli.input.arguments import meanings, named_parameters, starting_posture
from linkwright.cli.output import terminal
from linkwright.cli.shell.values import Robot
from linkwright.errors import (
    ClosureError,
    InputError,
    LinkwrightError,
    counted,
)
from linkwright.files import write_text
from linkwright.model.elements import Joint
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array

FEW_MESHES = 3
"""Number of missing mesh files that are listed without --verbose."""


@app.command
def info(robot: Robot, /, *, root: Root = "fixed", operations: bool = True, verbose: Verbose = False) -> None:
    """Show the links, joints, limits and masses of a mechanism, and the operation counts of its dynamics.

    Example: ``linkwright info two_link``

    Parameters
    ----------
    robot
        Robot file (.urdf, .xacro, .xml, .sdf, .ztk), installed robot, or built-in mechanism.
    operations
        Count the multiplications and additions of each algorithm.
    """
    from linkwright.dynamics import total_mass, welded_mass
    from linkwright.formats.meshes.reading import missing_meshes

    model = load_robot(robot, root, verbose)
    terminal.output.print(str(model), soft_wrap=True)
    terminal.output.print()
    limits = Table("joint", "type", "limits", "velocity", "effort", "damping", "friction", "armature", box=None)
    for joint in model.joints:
        limits.add_row(*_joint_row(joint))
    terminal.output.print(limits)
    terminal.output.print(f"\nmoving mass {total_mass(model):.6g} kg, fixed mass {welded_mass(model):.6g} kg")
    if model.loops:
        with terminal.errors.status("compiling the loop constraints"):
            free = _mobility(model)
        terminal.output.print(free, soft_wrap=True)
    if lost := missing_meshes(model):
        few = len(lost) if verbose else FEW_MESHES
        more = f", … ({len(lost)} in total; --verbose lists them)" if len(lost) > few else ""
        found = counted(len(lost), "mesh file is missing", "mesh files are missing")
        terminal.output.print(f"{found}: {', '.join(lost[:few])}{more}", soft_wrap=True)
    names = [name for name in model.frames if name != "world"]
    shown = ", ".join(names[:40]) + (f", … ({len(names)} in total)" if len(names) > 40 else "")
    terminal.output.print(f"frames: {shown}", soft_wrap=True)
    if operations:
        with terminal.errors.status("counting operations") as status:
            table = _operations_table(model, lambda name: status.update(f"counting operations: {name}"))
        terminal.output.print(table)


@app.command
def equations(
    robot: Robot,
    file: Path | None = None,
    /,
    *,
    format: Literal[
        "text", "latex", "mathml", "derivation", "c", "python", "octave", "fortran", "maxima", "html"
    ] = "text",
    html: bool = False,
    what: str = "",
    frame: str | None = None,
    reference_frame: Literal["world_aligned", "body", "world"] = "world_aligned",
    parameters: str = "symbols",
    base_parameters: bool = False,
    coordinates: str = "",
    angles: bool = False,
    form: Literal["products", "angles", "expanded", "expanded angles", "factored", "unreduced"] = "products",
    explain: bool = False,
    controller: Literal["pd", "computed_torque"] | None = None,
    target: str = "",
    stiffness: float | None = None,
    damping: float | None = None,
    angle_tolerance: float = 1e-5,
    root: Root = "fixed",
    verbose: Verbose = False,
) -> None:
    """Derive the equations of motion M(q) a + h(q, v) + g(q) = tau, as text or source code.

    Example: ``linkwright equations two_link``

    Parameters
    ----------
    robot
        Robot file (.urdf, .xacro, .xml, .sdf, .ztk), installed robot, or built-in mechanism.
    file
        File to write. Default: print to the screen.
    format
        text, latex, mathml: the equations. derivation: the steps of Lagrange's method. html: a page for the browser
        (default file: NAME_equations.html). c, python, octave, fortran, maxima: source code.
    html
        Same as --format html.
    what
        Quantities, separated by commas: M, h, g, D (friction), K (springs), A and b (closed loops), C (h = C v), G
        (time derivatives of the coordinates: G v), E and U (kinetic and potential energy), c and J_c (center of mass),
        P and L (momentum), A_G (momentum matrix); with --frame also T (pose), J (Jacobian), J_dot (its time derivative)
        and V (twist); or all. Source code also has rhs, the right-hand side for integrators. Default: M,h,g; with
        --frame T,J. Not for derivation and html.
    frame
        Frame for kinematic quantities.
    reference_frame
        Reference frame of the Jacobian and the twist: frame origin in world axes (world_aligned), frame itself (body),
        or world origin (world).
    parameters
        Masses, lengths and inertias as "symbols" or "numbers", or by group and name: "geometry=numbers,l1=0.5".
        Groups: geometry, inertial, gravity, passive.
    base_parameters
        Use base parameters: the minimal set of inertial parameters that determines the motion.
    coordinates
        Change of coordinates: new ones as functions of the old ones, "phi1=theta1,phi2=theta1+theta2", or old ones as
        functions of new ones, "d1=r*cos(phi),d2=r*sin(phi)".
    angles
        Write products of sines and cosines as sums of multiple angles; same as --form angles.
    form
        Form of the equations: products, angles (both with brackets), expanded, expanded angles (without brackets),
        factored, or unreduced (M, h, g, E, U as they are differentiated: sin² + cos² is kept).
    explain
        Explain the equations in words and formulas: kinds of terms, vanishing terms, conserved quantities, equilibria
        and their stability. Formats: text and latex.
    controller
        With --explain: the closed loop with this controller. Lyapunov function with proof, LaSalle's invariant set,
        equilibria and eigenvalues.
    target
        Target of the controller, "30deg,0.2" or "shoulder=30deg". Default: neutral posture.
    stiffness
        Stiffness of the controller, N m/rad (pd) or 1/s² (computed_torque). Default: 100.
    damping
        Damping of the controller, N m s/rad (pd) or 1/s (computed_torque). Default: 20.
    angle_tolerance
        Angles of the file this close to a multiple of π/12 are rounded to it, rad.
    """
    from linkwright.symbolic import equations as derive

    if html and format not in ("text", "html"):
        raise InputError(f"--html and --format {format} cannot both be given; run the command twice")
    kind = "html" if html else format
    if explain and (kind not in ("text", "latex") or what or frame or angles or form != "products"):
        raise InputError(
            "--explain has no --what, --frame or --form, and works with --format text and latex (html includes it)"
        )
    if controller and not explain:
        raise InputError(f"--controller {controller} needs --explain; add --explain")
    for name, given in (("target", target or None), ("stiffness", stiffness), ("damping", damping)):
        if given is not None and not controller:
            raise InputError(f"--{name} needs a controller; add --controller pd")
    if kind in ("derivation", "html") and what:
        raise InputError(f"--what cannot be used with {kind}, which is always complete")
    if angles and form not in ("products", "angles"):
        raise InputError(f"--angles and --form {form} cannot both be given; use one of them")
    model = load_robot(robot, root, verbose)
    with terminal.errors.status("deriving the equations"):
        made = derive(
            model, named_parameters(parameters), angle_tolerance=angle_tolerance, base_parameters=base_parameters
        )
        if coordinates:
            made = made.in_coordinates(meanings(coordinates, "coordinates"))
    what = what or ("M,h,g" if frame is None else "T,J")
    if what == "all":
        what = ",".join([*made.letters, *["G", "T", "J", "J_dot", "V"] * (frame is not None)])
    loops_are_written = explain or kind in ("derivation", "html") or {"A", "b"} & set(re.split(r"[,\s]+", what))
    left_out = made.left_out if loops_are_written else ()
    for note in (*made.snapped, *(f"{row} vanishes identically" for row in left_out)):
        terminal.errors.print(note, soft_wrap=True)
    if kind == "html":
        with terminal.errors.status("writing the page"):
            path = made.html(file or Path(f"{file_name(made.model.name)}_equations.html"), frame)
        terminal.output.print(f"  {path}", soft_wrap=True)
        return
    with terminal.errors.status("explaining the equations" if explain else "writing the equations"):
        if explain:
            explanation = (
                made.explanation(_controller(made.model, controller, target, stiffness, damping))
                if controller
                else made.explanation()
            )
            shown = explanation.text() if kind == "text" else explanation.latex()
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
    posture = starting_posture(model, target, "target")
    gains = {"stiffness": 100.0 if stiffness is None else stiffness, "damping": 20.0 if damping is None else damping}
    return partial(getattr(control, name), **{wanted: posture}, **gains)


def _mobility(model: Model) -> str:
    """Return the mobility in a sentence."""
    from linkwright.dynamics import mobility

    try:
        return f"mobility: {mobility(model)}"
    except ClosureError as error:
        return f"mobility: {error}"


def _operations_table(model: Model, progress: Callable[[str], None]) -> Table:
    """Return the operation counts of the main algorithms; they are traced, not compiled."""
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
        progress(name)
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
