"""``linkwright simulate``: simulation of a mechanism, with plots and an animation."""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast

import numpy as np
from cyclopts import Parameter
from rich.text import Text

from linkwright.bounds import finite_number, not_negative, positive
from linkwright.cli.app import DEMONSTRATION, Root, Verbose, app, file_name, load_robot
from linkwright.cli.input.arguments import starting_posture, starting_velocity
from linkwright.cli.input.disturbances import PUSH_TIME, dropped, pushed
from linkwright.cli.output import terminal
from linkwright.cli.output.results import RESULTS, summary, writing
from linkwright.cli.shell.values import RobotOrNone
from linkwright.errors import (
    InputError,
    counted,
)
from linkwright.files import folder_at, replacing_together
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array
from linkwright.status import CompileRate, compiled_code

if TYPE_CHECKING:
    from linkwright.simulation import Motion
    from linkwright.simulation.integrators.methods import IntegrationMethod


STIFF = 4.0
"""Stiffness of the joints of a mechanism with a fixed base, Hz."""

Several = Annotated[list[str] | None, Parameter(consume_multiple=True, negative="")]


@app.command
def simulate(
    robot: RobotOrNone = None,
    /,
    *,
    time: float = 10.0,
    step: float = 1e-3,
    method: Literal["auto", "rk4", "midpoint", "euler", "dopri5", "semi_implicit", "variational", "equations"] = "auto",
    posture: str = "",
    velocity: str = "",
    hold: bool = False,
    limits: bool = True,
    ground: bool = True,
    height: float | None = None,
    friction: float | None = None,
    drop: Several = None,
    limp: bool = False,
    push: Several = None,
    root: Root = "fixed",
    out: Path | None = None,
    fps: float = 25.0,
    speed: float = 1.0,
    animation: bool = True,
    film: Literal["gif", "mp4", "frames"] = "gif",
    show: bool = False,
    verbose: Verbose = False,
) -> None:
    """Simulate a mechanism and write its motion, plots and an animation.

    A robot with a floating base and collision shapes stands on the ground and holds its posture; the built-in legged
    robots bend their knees. Joints stay within their limits.

    Example: ``linkwright simulate two_link --time 3``

    Parameters
    ----------
    robot
        Robot file (.urdf, .xacro, .xml, .sdf, .ztk), installed robot, or built-in mechanism: pendulum, two_link,
        planar:N, chain3d:N, arm4, puma560, arm7, quadruped, humanoid; with closed loops: four_bar, slider_crank,
        four_bars:N, bricard, delta, stewart. Default: arm7.
    time
        Duration, s.
    step
        Step size, s.
    method
        Integration method. rk4: fourth-order Runge–Kutta. midpoint: second order. euler: first order. dopri5: fifth
        order with adaptive steps. semi_implicit: first order, stable with stiff dampers and friction. variational:
        second order and symplectic (bounded energy error). equations: generated equations of motion in Python with
        SciPy's DOP853 (most accurate, slow). auto: semi_implicit with contact, joint limits or stiff forces, else rk4.
        With rk4, midpoint, euler and dopri5 the ground is a stiff spring, and joints have no limits. variational and
        equations have no ground.
    posture
        Initial posture: all coordinates ("0.1,0.2,…"), some of them ("elbow=90deg,shoulder=0.3"; the others are
        neutral), or "random". Radians and meters, or degrees with "deg". Default without --velocity and --hold:
        linkwright.default_configuration, which for built-in mechanisms starts a typical motion; the arm of a file
        starts bent, as in the studio.
    velocity
        Initial velocity, in the same format. Default: 0.
    hold
        Hold the initial posture with a controller. A floating base is not held, only the joints.
    limits
        Enforce joint limits.
    ground
        Add a ground under a robot with a floating base.
    height
        Height of the ground, m. Adds a ground under a robot with a fixed base, too.
    friction
        Coefficient of friction of the ground. Default: that of the shapes, or 0.7.
    drop
        Drop the robot from this height above the ground, m. Default height: 0.5.
    limp
        Leave the joints passive; the posture on the ground is not held.
    push
        Push the floating base (with a fixed base, the last link) at 1 s, for 0.1 s. One number: impulse sideways, N s;
        three numbers: impulse along x, y and z. Default: proportional to the mass.
    out
        Folder for the files. Default: linkwright_NAME.
    fps
        Frames per second of the animation.
    speed
        Playback speed of the animation, relative to real time.
    animation
        Write the animation, which takes most of the time.
    film
        Format of the animation: animation.gif, animation.mp4 (needs ffmpeg), or numbered pictures in frames/.
    show
        Play the motion in a window at the end; needs a screen.
    verbose
        List every remark about the robot file.
    """
    from linkwright.browser.balance import raised, standing_start
    from linkwright.browser.posture import welcoming
    from linkwright.control import hold_joints, hold_posture
    from linkwright.dynamics.contact.smooth import fastest_pair
    from linkwright.dynamics.impulses.constraints import has_limits
    from linkwright.dynamics.limbs import legs_below_base
    from linkwright.simulation import Integrator, Surroundings, default_configuration, standing_configuration
    from linkwright.simulation import simulate as run
    from linkwright.simulation.actuation.external_forces import STIFF as FOLLOWED
    from linkwright.simulation.ground import advice, floating, on_ground
    from linkwright.simulation.initial_state import is_built_in, showing_bend
    from linkwright.simulation.preparation import suitable_method
    from linkwright.simulation.standing_posture import above_ground, held
    from linkwright.visual.animations.animation import remove_pictures
    from linkwright.visual.animations.gif import MAX_FPS

    if animation and film == "mp4":
        from linkwright.visual.animations.mp4 import ffmpeg

        ffmpeg()  # an error here comes before the simulation
    if show:
        from linkwright.visual.animations.window import require_window

        require_window()
    for option, value in (("--time", time), ("--step", step)):
        positive(option, value, "s")
    for option, value in (("--fps", fps), ("--speed", speed)):
        positive(option, value)
    if animation and film == "gif" and fps > MAX_FPS:
        raise InputError(f"--fps is at most {MAX_FPS:g} in a GIF; got {fps:g} (use --film mp4)")
    if friction is not None:
        not_negative("--friction", friction)
    if height is not None:
        finite_number("--height", height, "m")
    if hold and method == "equations":
        raise InputError("--hold needs a controller, and --method equations has none; use another method")
    model = load_robot(DEMONSTRATION if robot is None else robot, root, verbose)
    notes: list[str] = []
    constrained = method in ("auto", "semi_implicit")
    fall, shove = dropped(drop, robot), pushed(model, push, robot)
    if shove is not None and method in ("variational", "equations"):
        raise InputError(f"--push cannot be used with --method {method}; use another method")
    if shove is not None and time <= PUSH_TIME:
        raise InputError(f"--push begins at {PUSH_TIME:g} s, after the end at --time {time:g}; use a longer time")
    touching = ground and method not in ("variational", "equations")
    if touching:
        free, model = model, on_ground(model, height, friction, bool(fall or limp or shove))
        if model.pairs and not constrained and method != "dopri5":
            rate = fastest_pair(model, model.neutral())[0]
            if rate * step > FOLLOWED:
                model, touching = free, False
                notes.append(f"no ground: with {method} its contact needs steps below {FOLLOWED / rate:.2g} s (--step)")
    standing = bool(model.pairs) and floating(model)
    if (fall or limp) and not standing:
        why = "--no-ground" if not ground else advice(model) if floating(model) else "its base is fixed"
        raise InputError(f"--drop and --limp need a ground, and {model.name!r} has none: {why}")
    controller: Any = None
    shown, height_in_file = model, 0.0
    with terminal.errors.status("compiling the initial state"):
        if posture or velocity or (hold and not standing):
            q0 = starting_posture(model, posture)
            v0 = starting_velocity(model, velocity)
            if model.loops:
                q0, v0 = _closed(model, q0, v0)
            if standing and not _places_base(model, posture):
                q0 = standing_configuration(model, q0)
        else:
            q0, v0, height_in_file = standing_start(model) if standing else (*default_configuration(model), 0.0)
            if not (standing or model.loops or floating(model) or is_built_in(model)):
                q0 = welcoming(model)
        if standing and (up := above_ground(model, q0)):
            notes.append(_not_level(up))
        if standing and (fall or height_in_file):
            q0 = raised(model, q0, fall or height_in_file)
        if standing and not limp:
            still = posture or velocity or hold or fall or height_in_file or shove
            holding = held(model, q0, bend=None if still else showing_bend(model))
            if constrained or method == "dopri5" or suitable_method(holding.model, q0, v0, step) == "rk4":
                model, controller = holding.model, holding.controller
                bends = not still and showing_bend(shown) is not None
                notes.append(_standing(fall, height_in_file, bends, shove is not None))
            else:
                notes.append(
                    f"its joints are passive: {method} is not stable with the dampers of the posture controller"
                )
        elif not (standing or posture or velocity or hold) and constrained and showing_bend(model) is not None:
            holding = held(model, q0, STIFF, bend=showing_bend(model))
            model, controller = holding.model, holding.controller
            notes.append("its motors move it between two postures; with --posture its joints are passive")
        elif standing:
            notes.append("its joints are passive")
        elif hold:
            controller = (hold_joints if floating(model) else hold_posture)(model, q0, step=step)
        limited = limits and constrained and has_limits(model)
        if method != "auto":
            chosen = method
        else:
            chosen = "semi_implicit" if model.pairs or limited else suitable_method(model, q0, v0, step, controller)
        if limits and has_limits(model) and not limited:
            notes.append(f"joint limits are ignored: they need --method semi_implicit, not {chosen}")
    if shove is not None:
        strength = " ".join(f"{x:.3g}" for x in shove.impulse)
        notes.append(f"push at {PUSH_TIME:g} s on {shove.frame}: {strength} N s (--push X Y Z)")
    if floating(model) and not model.pairs and np.any(model.gravity):
        notes.append("its base floats, and there is no ground: free fall")
        if touching:
            notes.append(advice(model))
    notes += _odd_start(model, q0)
    if root == "fixed" and legs_below_base(model) > 1:
        notes.append(
            "its base is welded to the world, and its legs hang from it; with --root free "
            "(lw.load(…, root='free')) it stands on the ground"
        )
    folder = Path(out or f"linkwright_{file_name(model.name)}")
    was_there = folder.exists()
    folder_at(folder)

    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    loops = f"{model.nv} velocities, {counted(len(model.loops), 'closed loop')}"
    freedom = loops if model.loops else counted(model.nv, "degree of freedom", "degrees of freedom")
    terminal.output.print(
        Text.assemble((model.name, "bold"), f": {counted(len(model.bodies), 'body', 'bodies')}, {freedom}")
    )
    for line in notes:
        terminal.output.print(Text(line), soft_wrap=True)
    sticks = not any(shape.is_seen and model.frame(shape.body).body >= 0 for shape in model.shapes)
    look: dict[str, Any] = {"fps": fps, "speed": speed, "shapes": "touching" if sticks and model.pairs else True}
    surroundings = None if shove is None else Surroundings(wrenches=shove.wrenches)
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    with Progress(*columns, console=terminal.errors, transient=True) as progress:
        by_equations = chosen == "equations"
        task = progress.add_task("deriving and integrating" if by_equations else "compiling", total=1.0)
        stopped: BaseException | None = None

        def compiling(size: int) -> None:
            seconds = CompileRate.expected(size)
            progress.update(task, description="compiling" + f", about {seconds:.0f} s" * (seconds > 1.0))

        try:
            if by_equations:
                motion = _by_equations(model, q0, v0, time, step)
            else:
                integrator = Integrator(
                    cast("IntegrationMethod", chosen),
                    joint_limits=limited,
                    progress=lambda done: progress.update(task, description="simulating", completed=done),
                )
                with compiled_code(compiling):
                    motion = run(model, q0, v0, time, step, integrator, controller, surroundings=surroundings)
        except (Exception, KeyboardInterrupt) as error:
            if not hasattr(error, "motion"):
                if not was_there:
                    with suppress(OSError):
                        folder.rmdir()
                raise
            stopped, motion = error, error.motion
        progress.update(task, description="writing", completed=0.0)
        files: list[Path] = []
        with replacing_together(folder, RESULTS) as place:
            drawn: list[Path] = []
            try:
                with writing(motion, place, files):
                    if animation and not stopped and film != "frames":
                        progress.update(task, description="animating", completed=0.5)
                        drawn.append(motion.animate(place / f"animation.{film}", **look))
                files += drawn
            except KeyboardInterrupt as error:
                if not files:
                    terminal.errors.print("stopped before any file was written; previous files are unchanged")
                    raise
                stopped = error
        remove_pictures(folder / "frames")  # of a previous run
        if animation and not stopped and film == "frames":
            progress.update(task, description="animating", completed=0.5)
            try:
                files.append(motion.animate(f"{folder / 'frames'}/", **look))
            except KeyboardInterrupt as error:
                stopped = error
        progress.update(task, description="summarizing")
        table = summary(motion, METHOD_NAMES[chosen], controller is not None, shove is not None)
    terminal.output.print(table)
    if standing and not (fall or limp or shove) and (fell := _fell(motion)):
        terminal.output.print(fell, soft_wrap=True)
    for path in files:
        terminal.output.print(f"  {folder / path.name}", soft_wrap=True)
    if stopped:
        left = time - motion.t[-1] > 0.5 * motion.step
        what = f"stopped at t = {motion.t[-1]:g} s; the files contain the motion until then"
        terminal.errors.print(what if left else "stopped; the files contain the whole motion", soft_wrap=True)
        raise stopped
    if time - motion.t[-1] > 0.5 * motion.step:
        terminal.errors.print(f"the motion ended at {motion.t[-1]:g} s of {time:g} s", soft_wrap=True)
        sys.exit(1)
    if show:
        motion.show("window", speed=speed, shapes=look["shapes"])


FALLEN = 0.6
"""Height of the center of mass, relative to the initial height above the feet, below which a robot has fallen."""


def _fell(motion: Motion) -> str:
    """Return a message if a robot that should stand has fallen."""
    from linkwright.dynamics import center_of_mass

    contacts = motion.contacts
    if not len(contacts.points[0]):
        return ""
    ends = [center_of_mass(motion.model, q)[2] for q in (motion.q[0], motion.q[-1])]  # without a kernel
    height = np.array(ends) - contacts.points[0, :, 2].min()
    if height[1] > FALLEN * height[0]:
        return ""
    return "it falls: the posture is not balanced, or the motors are too weak; --posture and --hold select another"


def _odd_start(model: Model, q0: Array) -> list[str]:
    """Return notes about an unusual initial posture."""
    notes = []
    beyond = (q0 < model.lower - 1e-9) | (q0 > model.upper + 1e-9)
    if names := [name for name, one in zip(model.coordinate_names, beyond, strict=True) if one]:
        notes.append(f"the initial posture exceeds the limits of {', '.join(names)}")
    if names := [name for name, x in zip(model.coordinate_names, q0, strict=True) if abs(x) > LARGE]:
        notes.append(f"the initial posture is too large for precise results ({', '.join(names)}); units: rad, m")
    return notes


LARGE = 1e6
"""rad or m"""


def _not_level(up: dict[str, float]) -> str:
    """Return a note about feet above the ground."""
    several = ", ".join(f"{body} by {1e3 * gap:.2g} mm" for body, gap in up.items())
    return f"its feet are not level: {several} above the ground; it tips until they touch"


def _standing(fall: float, height: float, bends: bool, shoved: bool) -> str:
    """Return what a robot on the ground does."""
    if fall:
        return f"dropped from {fall:g} m, its joints are held; --limp leaves them passive"
    if height:
        return f"starts {height:.2g} m above the ground, where its file places it, and holds its posture"
    if shoved:
        return "starts on the ground and holds its posture"
    does = "bends its legs" if bends else "holds its posture"
    return f"starts on the ground and {does}. Options: --drop, --push, --limp, --no-ground"


def _places_base(model: Model, text: str) -> bool:
    """Return whether the option --posture contains coordinates of the base."""
    if not text or text == "random":
        return False
    free = [joint.name for joint in model.joints if joint.type == "free"]
    names = [entry.partition("=")[0].strip() for entry in text.replace(";", ",").split(",")]
    return "=" not in text or any(name.startswith(f"{joint}.") for name in names for joint in free)


def _closed(model: Model, q0: Array, v0: Array) -> tuple[Array, Array]:
    """Return the nearest state that satisfies the loop constraints."""
    from linkwright.dynamics import close_loops, impulse

    q0 = close_loops(model, q0)
    return q0, impulse(model, q0, v0)[0]


def _by_equations(model: Model, q0: Array, v0: Array, duration: float, step: float) -> Motion:
    """Integrate the generated equations of motion; samples at the times of the other methods."""
    from linkwright.simulation import Motion
    from linkwright.symbolic import equations as derive
    from linkwright.symbolic.output.motion import motion_of

    t = np.linspace(0.0, duration, max(1, round(duration / step)) + 1)
    began = perf_counter()
    made = derive(model, "numbers")
    for note in made.snapped:
        terminal.errors.print(note, soft_wrap=True)
    made.python("rhs")
    compiled = perf_counter() - began

    def record(q: Array, v: Array) -> Motion:
        run_time = perf_counter() - began - compiled
        return Motion(
            model=made.model,
            t=t[: len(q)],
            q=q,
            v=v,
            tau=np.zeros_like(v),
            step=t[1],
            compile_time=compiled,
            run_time=run_time,
        )

    try:
        return record(*motion_of(made, q0, v0, t))
    except (Exception, KeyboardInterrupt) as error:
        if hasattr(error, "computed"):
            error.motion = record(*error.computed)  # type: ignore[union-attr]
        raise


METHOD_NAMES = {
    "equations": "generated equations with SciPy's DOP853, adaptive steps",
    "rk4": "fourth-order Runge–Kutta",
    "midpoint": "midpoint, second order",
    "euler": "Euler, first order",
    "dopri5": "Dormand–Prince 5(4), adaptive steps",
    "semi_implicit": "semi-implicit, first order",
    "variational": "variational midpoint rule, second order, symplectic",
}
