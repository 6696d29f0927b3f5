"""The command line: ``linkwright simulate``, ``info``, ``equations``, ``bench``, ``experiment``, ``cache``."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any, Literal

import cyclopts
import numpy as np
from cyclopts import Parameter
from rich.table import Table
from rich.text import Text

from linkwright.arguments import named_parameters, starting_posture, starting_velocity
from linkwright.errors import (
    ClosureError,
    FormatWarning,
    InputError,
    LinkwrightError,
    LinkwrightWarning,
)
from linkwright.files import folder_at, replacing_together, write_text
from linkwright.model.tree import Joint, Model
from linkwright.results import RESULTS, summary, written
from linkwright.spatial.arrays import Array
from linkwright.terminal import errors, output

if TYPE_CHECKING:
    from linkwright.simulation import Trajectory

DEMONSTRATION = "arm7"

app = cyclopts.App(name="linkwright", help="Kinematics and dynamics of linked mechanisms.", console=output)

Root = Annotated[Literal["fixed", "free"], Parameter(help="'free' sets the base afloat.")]


@app.command
def simulate(
    robot: str | None = None,
    /,
    *,
    time: float = 10.0,
    step: float = 1e-3,
    method: Literal["auto", "rk4", "midpoint", "euler", "semi_implicit", "variational", "equations"] = "auto",
    posture: str = "",
    velocity: str = "",
    hold: bool = False,
    root: Root = "fixed",
    out: Path | None = None,
    fps: float = 25.0,
    speed: float = 1.0,
    animation: bool = True,
    film: Literal["gif", "mp4", "frames"] = "gif",
    show: bool = False,
) -> None:
    """Simulate a mechanism; write its trajectory, plots and an animation.

    Parameters
    ----------
    robot
        A robot file (.urdf, .xacro, .xml) or a built-in mechanism: pendulum, two_link, planar:N, chain3d:N,
        puma560, arm7, quadruped, humanoid, and with closed loops four_bar, slider_crank, four_bars:N, bricard,
        delta, stewart; arm7 without it.
    time
        How long, in seconds of motion.
    step
        The step of the integration, s.
    method
        rk4 is Runge–Kutta of order four; semi_implicit is of order one and stable with stiff dampers and
        friction; variational is of order two and symplectic: the error of the energy does not grow. auto takes
        rk4 where it is stable. equations takes the generated equations of motion in Python with SciPy's integrator
        DOP853, as exact as numbers are, and slow.
    posture
        Where it starts: all coordinates ("0.1,0.2,…"), some of them ("elbow=90deg,shoulder=0.3"; the others
        neutral), or "random". Radians and metres, or degrees with "deg". Without it, without --velocity and
        --hold, a built-in mechanism starts where it shows what it can do (linkwright.showing_start).
    velocity
        The velocities it starts with, in the same way; 0 unless given.
    hold
        Hold the posture by control instead of letting go. The joints of a floating base are held, not the base.
    out
        The folder for the files; linkwright_NAME unless given.
    fps
        Frames a second of the animation.
    speed
        How many times faster than real the animation plays.
    animation
        Whether to write the animation, which takes most of the time.
    film
        What the animation is: animation.gif; animation.mp4, which needs ffmpeg; or numbered pictures in frames/.
    show
        Play the motion in a window afterwards, until it is closed; needs a screen.
    """
    from linkwright.simulation import hold as hold_posture
    from linkwright.simulation import hold_joints, showing_start
    from linkwright.simulation import simulate as run
    from linkwright.visual.animation import remove_pictures

    if animation and film == "mp4":
        from linkwright.visual.mp4 import ffmpeg

        ffmpeg()  # told before the work, where it is missing
    if show:
        from linkwright.visual.window import require_window

        require_window()
    if hold and method == "equations":
        raise InputError("--hold needs a controller, which --method equations has not; take another method")
    model = _load(robot or DEMONSTRATION, root)
    controller = None
    with errors.status("compiling for the start"):
        if posture or velocity or hold:
            q0 = starting_posture(model, posture)
            v0 = starting_velocity(model, velocity)
            if model.loops:
                q0, v0 = _closed(model, q0, v0)
        else:
            q0, v0 = showing_start(model)
        if hold:
            floating = any(joint.type == "free" for joint in model.joints)
            controller = (hold_joints if floating else hold_posture)(model, q0, step=step)
        chosen = _suitable(model, q0, v0, step) if method == "auto" else method
    folder = folder_at(out or f"linkwright_{_file_name(model.name)}")

    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    loops = f"{model.nv} velocities, {len(model.loops)} closed loop{'' if len(model.loops) == 1 else 's'}"
    freedom = loops if model.loops else f"{model.nv} degrees of freedom"
    output.print(Text.assemble((model.name, "bold"), f": {len(model.bodies)} bodies, {freedom}"))
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    with Progress(*columns, console=errors, transient=True) as progress:
        by_equations = chosen == "equations"
        task = progress.add_task("deriving and integrating" if by_equations else "compiling", total=1.0)
        stopped: BaseException | None = None
        try:
            if by_equations:
                trajectory = _by_equations(model, q0, v0, time, step)
            else:
                trajectory = run(
                    model,
                    q0,
                    v0,
                    time,
                    step,
                    chosen,
                    controller=controller,
                    progress=lambda done: progress.update(task, description="simulating", completed=done),
                )
        except (Exception, KeyboardInterrupt) as error:
            if not hasattr(error, "motion"):
                raise
            stopped, trajectory = error, error.motion
        progress.update(task, description="writing", completed=0.0)
        files: list[Path] = []
        with replacing_together(folder, RESULTS) as place:
            try:
                for path in written(trajectory, place):
                    files.append(path)
                if animation and not stopped and film != "frames":
                    progress.update(task, description="animating", completed=0.5)
                    files.append(trajectory.animate(place / f"animation.{film}", fps=fps, speed=speed))
            except KeyboardInterrupt as error:
                if not files:
                    errors.print("stopped before anything was written; earlier files are as they were")
                    raise
                stopped = error
        remove_pictures(folder / "frames")  # of an earlier run
        if animation and not stopped and film == "frames":
            progress.update(task, description="animating", completed=0.5)
            try:
                files.append(trajectory.animate(folder / "frames", fps=fps, speed=speed))
            except KeyboardInterrupt as error:
                stopped = error
    output.print(summary(trajectory, METHOD_NAMES[chosen], controlled=hold))
    for path in files:
        output.print(f"  {folder / path.name}")
    if stopped:
        left = time - trajectory.t[-1] > 0.5 * trajectory.step
        what = f"stopped at t = {trajectory.t[-1]:g} s; these files hold the motion until then"
        errors.print(what if left else "stopped; these files hold the whole motion", soft_wrap=True)
        raise stopped
    if show:
        trajectory.show(speed=speed)


@app.command
def info(robot: str, /, *, root: Root = "fixed", operations: bool = True) -> None:
    """Show a mechanism: its tree, sizes and masses, and what its compiled algorithms cost.

    Parameters
    ----------
    robot
        A robot file (.urdf, .xacro, .xml) or a built-in mechanism.
    operations
        Whether to count the operations of the algorithms.
    """
    from linkwright.dynamics import total_mass, welded_mass

    model = _load(robot, root)
    output.print(str(model), soft_wrap=True)
    output.print()
    limits = Table("joint", "type", "limits", "velocity", "effort", "damping", "friction", "armature", box=None)
    for joint in model.joints:
        limits.add_row(*_joint_row(joint))
    output.print(limits)
    output.print(f"\nmoving mass {total_mass(model):.6g} kg, welded to the world {welded_mass(model):.6g} kg")
    if model.loops:
        with errors.status("compiling what the loops leave free"):
            free = _mobility(model)
        output.print(free, soft_wrap=True)
    names = [name for name in model.frames if name != "world"]
    shown = ", ".join(names[:40]) + (f", … ({len(names)} in all)" if len(names) > 40 else "")
    output.print(f"frames: {shown}", soft_wrap=True)
    if operations:
        with errors.status("counting operations") as status:
            table = _operations_table(model, lambda name: status.update(f"counting the operations of {name}"))
        output.print(table)


@app.command
def bench(
    robot: str = DEMONSTRATION,
    /,
    *,
    peers: bool = True,
    rows: int = 4096,
    rounds: int = 25,
    root: Root = "fixed",
    out: Path | None = None,
) -> None:
    """Measure speed beside the installed peers, interleaved, in one thread.

    Peers: Pinocchio, MuJoCo, heyoka.py, CasADi, Robotics Toolbox.

    Parameters
    ----------
    robot
        A robot file (.urdf, .xacro, .xml) or a built-in mechanism.
    peers
        Whether to measure the peers too.
    rows
        Rows of a batch.
    rounds
        How often each is measured; the tables give the minima, the ratios are of the medians.
    out
        A folder for the results as JSON and a plot.
    """
    from linkwright.benchmark import bench as run

    model = _load(robot, root)
    with errors.status("measuring") as status:
        result = run(model, peers, rows=rows, rounds=rounds, tell=lambda name: status.update(f"measuring {name}"))
    output.print("  ".join(f"{what}: {value}" for what, value in result.machine.items()), soft_wrap=True)
    for table in result.tables():
        output.print()
        output.print(table)
    output.print()
    costs = Table("function", "operations", "of two vector units", "compiled in", "differs by", box=None)
    for row in result.table:
        gap = max(row.disagreement.values(), default=None)
        shown = "" if gap is None else f"{gap:.1e}"
        speed = f"{row.saturation:.0%}"
        costs.add_row(row.function, str(row.operations), speed, f"{row.compile_time:.3f} s", shown)
    output.print(costs)
    for peer, why in result.left_out.items():
        output.print(f"{peer} left out: {why}")
    if out is not None:
        name = _file_name(model.name)
        with replacing_together(out) as place:
            files = result.save(place / f"{name}.json"), result.plot(place / f"{name}.png")
        for path in files:
            output.print(f"  {out / path.name}")


@app.command
def experiment(
    *names: Literal["planar", "floating"],
    time: float = 10.0,
    rows: int = 512,
    rounds: int = 25,
    pictures: bool = True,
    survey: bool = False,
    robots: Path | None = None,
    out: Path | None = None,
) -> None:
    """Run the published experiments on assembly and hybrid blocks again, both unless one is named.

    Accelerations of chains by several methods: how well they agree, what they take, from how many links on which is
    ahead; pictures of the times, of the trees of assembly and disassembly, of the models with their blocks, and of the
    motion.

    Parameters
    ----------
    names
        planar: chains of links on the ground, falling; floating: chains in space.
    time
        How long the motion is along which the methods are compared, s.
    rows
        Rows of a batch.
    rounds
        How often each is measured; the tables give the minima.
    pictures
        Whether to draw trees and models and to animate the motion.
    survey
        Instead: which few structures of block serve most robots, of those that example-robot-data has.
    robots
        A folder with URDF files to survey instead.
    out
        The folder for pictures and numbers; linkwright_experiment unless given.
    """
    from linkwright.experiment import EXPERIMENTS
    from linkwright.experiment import experiment as run
    from linkwright.experiment.pictures import draw_all
    from linkwright.experiment.survey import survey as surveyed

    if robots is not None and not survey:
        raise InputError("--robots names what --survey is of; add --survey")
    folder = out or Path("linkwright_experiment")
    if survey:
        if names:
            raise InputError("--survey is no part of an experiment; ask for one after the other")
        with errors.status("reading robots") as status:
            found = surveyed(robots, tell=lambda what: status.update(f"surveying {what}"))
        for table in found.tables():
            output.print(table)
            output.print()
        for file, why in found.refused.items():
            output.print(f"left out: {file}: {why}", soft_wrap=True)
        output.print(f"  {write_text(folder_at(folder) / 'survey.md', found.markdown())}")
        return
    for name in dict.fromkeys(names or EXPERIMENTS):
        with errors.status(name) as status:
            result = run(name, None, time, rows, rounds, tell=status.update)
        output.print("  ".join(f"{what}: {value}" for what, value in result.machine.items()), soft_wrap=True)
        for table in (*result.tables(), result.ratios()):
            output.print()
            output.print(table)
        output.print()
        output.print(result.crossings(), soft_wrap=True)
        for row in result.table:
            for left, why in row.left_out.items():
                output.print(f"{row.links} links: {left} left out: {why}", soft_wrap=True)
        with replacing_together(folder) as place:
            files = [result.plot(place / f"{name}.png"), result.save(place / f"{name}.json")]
            if pictures:
                with errors.status("drawing"):
                    files += draw_all(EXPERIMENTS[name], place, name, time)
        for path in files:
            output.print(f"  {folder / path.name}")


@app.command
def equations(
    robot: str,
    file: Path | None = None,
    /,
    *,
    format: Literal["text", "latex", "derivation", "c", "python", "octave", "fortran", "html"] = "text",
    html: bool = False,
    what: str = "",
    frame: str | None = None,
    reference: Literal["world_aligned", "body", "world"] = "world_aligned",
    parameters: str = "symbols",
    base_parameters: bool = False,
    angles: bool = False,
    explain: bool = False,
    snap: float = 1e-5,
    root: Root = "fixed",
) -> None:
    """Write the equations of motion M(q) a + h(q, v) + g(q) = tau: to read, or as code.

    Parameters
    ----------
    robot
        A robot file (.urdf, .xacro, .xml) or a built-in mechanism.
    file
        Where to write them, instead of to the screen.
    format
        "text" and "latex" are the equations, "derivation" shows Lagrange's steps, "html" is a page to read in a
        browser, NAME_equations.html unless FILE is given; the others are source code.
    html
        The same as --format html.
    what
        Some of M, h, g, D (friction), K (springs), A and b (closed loops), G (rates of coordinates: G v), and of
        --frame T (pose), J (Jacobian), J_dot (its rate) and V (twist); or all there is; M,h,g unless given, T,J with
        --frame. As code also rhs, the right-hand side for integrators. Not of "derivation" and "html".
    frame
        The frame whose kinematics are asked for.
    reference
        What its Jacobian and twist refer to: its origin in world axes, itself (body) or the origin of the world.
    parameters
        Whether masses, lengths and inertias have names: "symbols", "numbers", or by group and name,
        "geometry=numbers,l1=0.5"; the groups are geometry, inertial, gravity and passive.
    base_parameters
        Inertial parameters combined to as few as determine the motion.
    angles
        Products of sines and cosines as sums of multiple angles.
    explain
        What the equations say, in words and formulas, instead of the equations: kinds of terms, what vanishes
        and why, what is conserved, equilibria and their stability. As "text" or "latex".
    snap
        How far, in rad, angles of the file may be from the multiples of π/12 they are taken to.
    """
    from linkwright.equations import equations as made_of

    if html and format not in ("text", "html"):
        raise InputError(f"--html and --format {format} cannot both be; ask for one after the other")
    form = "html" if html else format
    if explain and (form not in ("text", "latex") or what or frame or angles):
        raise InputError("--explain is whole, and goes with --format text and latex (the page of html has it anyway)")
    if form in ("derivation", "html") and what:
        raise InputError(f"--what chooses what the other formats show; {form} is always whole")
    model = _load(robot, root)
    with errors.status("deriving the equations"):
        made = made_of(model, named_parameters(parameters), snap, base_parameters=base_parameters)
    what = what or ("M,h,g" if frame is None else "T,J")
    if what == "all":
        what = ",".join([*made.letters, *["G", "T", "J", "J_dot", "V"] * (frame is not None)])
    for note in (*made.snapped, *(f"{row} vanishes identically" for row in made.left_out)):
        errors.print(note, soft_wrap=True)
    if form == "html":
        with errors.status("writing the page"):
            path = made.html(file or Path(f"{_file_name(made.model.name)}_equations.html"), frame)
        output.print(f"  {path}", soft_wrap=True)
        return
    with errors.status("explaining them" if explain else "writing them"):
        if explain:
            told = made.explanation()
            shown = told.text() if form == "text" else told.latex()
        elif form in ("text", "latex"):
            write = made.text if form == "text" else made.latex
            shown = write("angles" if angles else "products", what, frame, reference)
        elif form == "derivation":
            shown = made.derivation_text()
        else:
            shown = getattr(made, form)(what, frame, reference)
    if file is None:
        output.print(shown, soft_wrap=True)
    else:
        write_text(file, f"{shown.rstrip()}\n")
        output.print(f"  {file}", soft_wrap=True)


@app.command
def cache(*, clear: bool = False) -> None:
    """Show where compiled code is kept and how much there is.

    Parameters
    ----------
    clear
        Remove it all; it is compiled anew when needed.
    """
    from linkwright.compiler import cache as kept

    where = kept.folder()
    if where is None:
        output.print("nothing is kept: LINKWRIGHT_CACHE is off, or there is no home folder")
        return
    files, size = kept.size()
    output.print(f"{where}: {files} kernels, {size / 2**20:.1f} MiB", soft_wrap=True)
    if clear:
        output.print(f"{kept.clear()} removed")


def _closed(model: Model, q0: Array, v0: Array) -> tuple[Array, Array]:
    """The nearest start that the loops allow."""
    from linkwright.dynamics import close, impulse

    q0 = close(model, q0)
    return q0, impulse(model, q0, v0)[0]


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
    from linkwright.compiler.trace import bind, program
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


def _by_equations(model: Model, q0: Array, v0: Array, duration: float, step: float) -> Trajectory:
    """The motion after the generated equations, at the times that the other methods step to."""
    from linkwright.equations import equations as made_of
    from linkwright.equations.motion import motion_of
    from linkwright.simulation.record import recorded

    if not (duration > 0.0 and step > 0.0 and np.isfinite((duration, step)).all()):
        raise InputError(f"--time and --step must be positive numbers of seconds; got {duration:g} and {step:g}")
    t = np.linspace(0.0, duration, max(1, round(duration / step)) + 1)
    began = perf_counter()
    made = made_of(model, "numbers")
    for note in made.snapped:
        errors.print(note, soft_wrap=True)
    made.python("rhs")
    compiled = perf_counter() - began

    def record(q: Array, v: Array) -> Trajectory:
        run_time = perf_counter() - began - compiled
        return recorded(made.model, t[: len(q)], q, v, np.zeros_like(v), t[1], compiled, run_time)

    try:
        return record(*motion_of(made, q0, v0, t))
    except (Exception, KeyboardInterrupt) as error:
        if hasattr(error, "computed"):
            error.motion = record(*error.computed)  # type: ignore[union-attr]
        raise


METHOD_NAMES = {
    "equations": "the generated equations in SciPy's DOP853, steps of its own between",
    "rk4": "Runge–Kutta, order 4",
    "midpoint": "midpoint, order 2",
    "euler": "Euler, order 1",
    "semi_implicit": "semi-implicit, order 1: dampers or friction are stiff",
    "variational": "variational midpoint rule, order 2: symplectic",
}


def _suitable(model: Model, q0: Array, v0: Array, step: float) -> str:
    """rk4, unless dampers or friction are too stiff for it at this step."""
    from linkwright.simulation.integrators import METHODS, stiffest
    from linkwright.simulation.motion import LARGE

    if model.nv > LARGE or stiffest(model, q0, v0)[0] * step < METHODS["rk4"].stability:
        return "rk4"
    return "semi_implicit"


def _load(robot: str, root: str) -> Model:
    from linkwright.formats.load import load

    with errors.status(Text(f"reading {robot}")):
        return load(robot, root=None if root == "fixed" else root)


def _file_name(name: str) -> str:
    return "".join(c if c.isalnum() or c in "-_" else "_" for c in name) or "robot"


def main(arguments: list[str] | None = None) -> None:
    """Run the command line; mistakes end with a message and status 2, never with a traceback."""
    warnings.showwarning = _show_warning  # type: ignore[assignment]
    try:
        app(sys.argv[1:] if arguments is None else arguments)
    except LinkwrightError as error:
        _tell("error", "bold red", str(error))
        sys.exit(2)
    except OSError as error:
        _tell("error", "bold red", str(error))
        sys.exit(2)
    except KeyboardInterrupt:
        errors.print("interrupted")
        sys.exit(130)


def _show_warning(message: Any, category: type[Warning], *place: Any, **more: Any) -> None:
    what = "in the file" if issubclass(category, FormatWarning) else "note"
    if issubclass(category, LinkwrightWarning):
        _tell(what, "yellow", str(message))
    else:
        _tell(category.__name__, "yellow", str(message))


def _tell(kind: str, style: str, message: str) -> None:
    errors.print(Text.assemble((f"{kind}: ", style), message), soft_wrap=True)


if __name__ == "__main__":
    main()
