"""``linkwright simulate``: a motion, its plots and its animation."""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast

import numpy as np
from cyclopts import Parameter
from rich.text import Text

from linkwright.cli.app import DEMONSTRATION, Root, app, file_name, load_robot
from linkwright.cli.shell.values import RobotOrNone
from linkwright.cli.told import terminal
from linkwright.cli.told.results import RESULTS, summary, written
from linkwright.cli.typed.arguments import starting_posture, starting_velocity
from linkwright.cli.typed.world import PUSH_TIME, dropped, pushed
from linkwright.errors import (
    InputError,
    counted,
)
from linkwright.files import folder_at, replacing_together
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array

if TYPE_CHECKING:
    from linkwright.simulation import Motion
    from linkwright.simulation.integrators.methods import IntegrationMethod


STIFF = 4.0
"""Hz: of joints that move what does not stand"""

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
) -> None:
    """Simulate a mechanism; write its motion, plots and an animation.

    A robot whose base floats, and of which shapes touch others, stands on the ground and holds its posture; the
    built-in ones bend their knees. Joints stay within their limits.

    Example: ``linkwright simulate two_link --time 3``

    Parameters
    ----------
    robot
        A robot file (.urdf, .xacro, .xml, .sdf, .ztk), an installed robot or a built-in mechanism: pendulum,
        two_link, planar:N, chain3d:N,
        arm4, puma560, arm7, quadruped, humanoid, and with closed loops four_bar, slider_crank, four_bars:N, bricard,
        delta, stewart; arm7 without it.
    time
        How long, in seconds of motion.
    step
        The step of the integration, s.
    method
        rk4 is Runge–Kutta of order four; semi_implicit is of order one and stable with stiff dampers and
        friction; dopri5 is of order five and chooses its steps; variational is of order two and symplectic: the
        error of the energy does not grow. auto takes rk4 where it is stable, else semi_implicit, and that for contact
        and limits, too. With rk4, midpoint, euler and dopri5 the ground is a stiff spring, and joints have no limits;
        variational and equations have no ground either. equations takes the
        generated equations of motion in Python with SciPy's integrator DOP853, as exact as numbers are, and slow.
    posture
        Where it starts: all coordinates ("0.1,0.2,…"), some of them ("elbow=90deg,shoulder=0.3"; the others
        neutral), or "random". Radians and meters, or degrees with "deg". Without it, without --velocity and
        --hold, a built-in mechanism starts where it shows what it can do (linkwright.default_configuration).
    velocity
        The velocities it starts with, in the same way; 0 unless given.
    hold
        Hold the posture by control instead of letting go. The joints of a floating base are held, not the base.
    limits
        Whether joints stay within their limits.
    ground
        Whether there is a ground under a robot whose base floats.
    height
        The height of the ground, m; with it, a robot whose base is fixed has one, too.
    friction
        The ground's coefficient of friction; that of the shapes, or 0.7, unless given.
    drop
        Drop the robot from this height above the ground, m; 0.5 where no number follows.
    limp
        Let joints go instead of holding them at the posture on the ground.
    push
        Push the base (where that is fixed, the last link) at 1 s, for 0.1 s: N s sideways, or three numbers along x,
        y and z; without a number so that it shows.
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
    from linkwright.control import hold_joints, hold_posture
    from linkwright.dynamics.contact.smooth import fastest_pair
    from linkwright.dynamics.impulses.constraints import has_limits
    from linkwright.simulation import Integrator, Surroundings, default_configuration, standing_configuration
    from linkwright.simulation import simulate as run
    from linkwright.simulation.actuation.external_forces import STIFF as FOLLOWED
    from linkwright.simulation.ground import advice, floating, on_ground
    from linkwright.simulation.initial_state import showing_bend
    from linkwright.simulation.preparation import suitable_method
    from linkwright.simulation.standing_posture import above_ground, held
    from linkwright.visual.moving.animation import remove_pictures
    from linkwright.visual.moving.gif import MAX_FPS

    if animation and film == "mp4":
        from linkwright.visual.moving.mp4 import ffmpeg

        ffmpeg()  # told before the work, where it is missing
    if show:
        from linkwright.visual.moving.window import require_window

        require_window()
    for option, value in (("--time", time), ("--step", step)):
        if not 0.0 < value < np.inf:
            raise InputError(f"{option} must be a positive number of seconds; got {value:g}")
    for option, value in (("--fps", fps), ("--speed", speed)):
        if not 0.0 < value < np.inf:
            raise InputError(f"{option} must be a positive number; got {value:g}")
    if animation and film == "gif" and fps > MAX_FPS:
        raise InputError(f"--fps is at most {MAX_FPS:g} in a GIF; got {fps:g} (--film mp4 shows more)")
    if friction is not None and not 0.0 <= friction < np.inf:
        raise InputError(f"--friction is a number from 0 on; got {friction:g}")
    if height is not None and not np.isfinite(height):
        raise InputError(f"--height must be finite; got {height:g}")
    if hold and method == "equations":
        raise InputError("--hold needs a controller, which --method equations has not; take another method")
    model = load_robot(DEMONSTRATION if robot is None else robot, root)
    told: list[str] = []
    constrained = method in ("auto", "semi_implicit")
    fall, shove = dropped(drop, robot), pushed(model, push, robot)
    if shove is not None and method in ("variational", "equations"):
        raise InputError(f"--push is not for --method {method}; take another method")
    if shove is not None and time <= PUSH_TIME:
        raise InputError(f"--push comes at {PUSH_TIME:g} s, and --time {time:g} ends before: let it last longer")
    touching = ground and method not in ("variational", "equations")
    if touching:
        free, model = model, on_ground(model, height, friction, bool(fall or limp or shove))
        if model.pairs and not constrained and method != "dopri5":
            rate = fastest_pair(model, model.neutral())[0]
            if rate * step > FOLLOWED:
                model, touching = free, False
                told.append(f"no ground: {method} follows its contact in steps below {FOLLOWED / rate:.2g} s (--step)")
    standing = bool(model.pairs) and floating(model)
    if (few := len(model.pairs)) and few < sum(s.touches and model.frame(s.body).body >= 0 for s in model.shapes):
        told.append(f"of its shapes {few} touch the ground: of many, only the lowest at the ends of limbs")
    if (fall or limp) and not standing:
        why = "--no-ground" if not ground else advice(model) if floating(model) else "its base is fixed"
        raise InputError(f"--drop and --limp are for robots on a ground, and {model.name!r} has none: {why}")
    controller: Any = None
    shown = model
    with terminal.errors.status("compiling for the start"):
        if posture or velocity or (hold and not standing):
            q0 = starting_posture(model, posture)
            v0 = starting_velocity(model, velocity)
            if model.loops:
                q0, v0 = _closed(model, q0, v0)
            if standing and not _places_base(model, posture):
                q0 = standing_configuration(model, q0)
        else:
            q0, v0 = default_configuration(model)
            if standing:
                q0 = standing_configuration(model, q0)
        if standing and (up := above_ground(model, q0)):
            told.append(_not_level(up))
        if standing and fall:
            q0 = _raised(model, q0, fall)
        if standing and not limp:
            still = posture or velocity or hold or fall or shove
            holding = held(model, q0, bend=None if still else showing_bend(model))
            if constrained or method == "dopri5" or suitable_method(holding.model, q0, v0, step) == "rk4":
                model, controller = holding.model, holding.controller
                told.append(_standing(fall, not still and showing_bend(shown) is not None, shove is not None))
            else:
                told.append(f"its joints are let go: {method} does not follow the dampers that would hold them")
        elif not (standing or posture or velocity or hold) and constrained and showing_bend(model) is not None:
            holding = held(model, q0, STIFF, bend=showing_bend(model))
            model, controller = holding.model, holding.controller
            told.append("its motors move it to and fro; with --posture it is let go")
        elif standing:
            told.append("its joints are let go")
        elif hold:
            controller = (hold_joints if floating(model) else hold_posture)(model, q0, step=step)
        limited = limits and constrained and has_limits(model)
        if method != "auto":
            chosen = method
        else:
            chosen = "semi_implicit" if model.pairs or limited else suitable_method(model, q0, v0, step, controller)
        if limits and has_limits(model) and not limited:
            told.append(f"its joints have no limits here: these act with semi_implicit, not with {chosen}")
    if shove is not None:
        strength = " ".join(f"{x:.3g}" for x in shove.impulse)
        told.append(f"{shove.frame} is pushed at {PUSH_TIME:g} s, by {strength} N s (--push X Y Z)")
    if floating(model) and not model.pairs and np.any(model.gravity):
        what = "there is no ground" if touching else "there is no ground now"
        told.append(f"its base floats, and {what}: it falls as thrown")
        if touching:
            told.append(advice(model))
    told += _odd_start(model, q0)
    folder = Path(out or f"linkwright_{file_name(model.name)}")
    was_there = folder.exists()
    folder_at(folder)

    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    loops = f"{model.nv} velocities, {counted(len(model.loops), 'closed loop')}"
    freedom = loops if model.loops else counted(model.nv, "degree of freedom", "degrees of freedom")
    terminal.output.print(
        Text.assemble((model.name, "bold"), f": {counted(len(model.bodies), 'body', 'bodies')}, {freedom}")
    )
    for line in told:
        terminal.output.print(Text(line), soft_wrap=True)
    sticks = not any(shape.is_seen and model.frame(shape.body).body >= 0 for shape in model.shapes)
    look: dict[str, Any] = {"fps": fps, "speed": speed, "shapes": "touching" if sticks and model.pairs else True}
    surroundings = None if shove is None else Surroundings(wrenches=shove.wrenches)
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    with Progress(*columns, console=terminal.errors, transient=True) as progress:
        by_equations = chosen == "equations"
        task = progress.add_task("deriving and integrating" if by_equations else "compiling", total=1.0)
        stopped: BaseException | None = None
        try:
            if by_equations:
                motion = _by_equations(model, q0, v0, time, step)
            else:
                motion = run(
                    model,
                    q0,
                    v0,
                    time,
                    step,
                    Integrator(
                        cast("IntegrationMethod", chosen),
                        joint_limits=limited,
                        progress=lambda done: progress.update(task, description="simulating", completed=done),
                    ),
                    controller,
                    surroundings=surroundings,
                )
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
            try:
                for path in written(motion, place):
                    files.append(path)
                if animation and not stopped and film != "frames":
                    progress.update(task, description="animating", completed=0.5)
                    files.append(motion.animate(place / f"animation.{film}", **look))
            except KeyboardInterrupt as error:
                if not files:
                    terminal.errors.print("stopped before anything was written; earlier files are as they were")
                    raise
                stopped = error
        remove_pictures(folder / "frames")  # of an earlier run
        if animation and not stopped and film == "frames":
            progress.update(task, description="animating", completed=0.5)
            try:
                files.append(motion.animate(f"{folder / 'frames'}/", **look))
            except KeyboardInterrupt as error:
                stopped = error
    controlled = controller is not None
    terminal.output.print(summary(motion, METHOD_NAMES[chosen], controlled, shove is not None))
    for path in files:
        terminal.output.print(f"  {folder / path.name}", soft_wrap=True)
    if stopped:
        left = time - motion.t[-1] > 0.5 * motion.step
        what = f"stopped at t = {motion.t[-1]:g} s; these files hold the motion until then"
        terminal.errors.print(what if left else "stopped; these files hold the whole motion", soft_wrap=True)
        raise stopped
    if time - motion.t[-1] > 0.5 * motion.step:
        terminal.errors.print(f"the motion ended at {motion.t[-1]:g} s of {time:g} s", soft_wrap=True)
        sys.exit(1)
    if show:
        motion.show("window", speed=speed, shapes=look["shapes"])


def _odd_start(model: Model, q0: Array) -> list[str]:
    """What a reader may not have meant of where it starts."""
    told = []
    beyond = (q0 < model.lower - 1e-9) | (q0 > model.upper + 1e-9)
    if names := [name for name, one in zip(model.coordinate_names, beyond, strict=True) if one]:
        told.append(f"it starts beyond the limits of {', '.join(names)}")
    if names := [name for name, x in zip(model.coordinate_names, q0, strict=True) if abs(x) > LARGE]:
        told.append(f"it starts so far away that rounding shows ({', '.join(names)}): are these radians and meters?")
    return told


LARGE = 1e6
"""rad or m"""


def _not_level(up: dict[str, float]) -> str:
    """That some feet are above the ground."""
    several = ", ".join(f"{body} by {1e3 * gap:.2g} mm" for body, gap in up.items())
    return f"its feet are not level in this posture: above the ground are {several}; it tips until they touch"


def _standing(fall: float, bends: bool, shoved: bool) -> str:
    """What a robot on the ground does."""
    if fall:
        return f"dropped from {fall:g} m, its joints held; --limp lets them go"
    if shoved:
        return "stands on the ground and holds its posture"
    does = "bends its legs" if bends else "holds its posture"
    return f"stands on the ground and {does}; --drop, --push and --limp try it, --no-ground throws it"


def _places_base(model: Model, text: str) -> bool:
    """Whether a posture that was typed says where the base is."""
    if not text or text == "random":
        return False
    free = [joint.name for joint in model.joints if joint.type == "free"]
    names = [entry.partition("=")[0].strip() for entry in text.replace(";", ",").split(",")]
    return "=" not in text or any(name.startswith(f"{joint}.") for name in names for joint in free)


def _raised(model: Model, q: Array, height: float) -> Array:
    """What floats, higher by so much (m)."""
    q, at = q.copy(), 0
    for joint, link in zip(model.joints, model.links, strict=True):
        if joint.type == "free" and link.parent < 0:
            q[at : at + 3] += height * link.placement[2, :3]
        at += joint.nq
    return q


def _closed(model: Model, q0: Array, v0: Array) -> tuple[Array, Array]:
    """The nearest start that the loops allow."""
    from linkwright.dynamics import close_loops, impulse

    q0 = close_loops(model, q0)
    return q0, impulse(model, q0, v0)[0]


def _by_equations(model: Model, q0: Array, v0: Array, duration: float, step: float) -> Motion:
    """The motion after the generated equations, at the times that the other methods step to."""
    from linkwright.simulation import Motion
    from linkwright.symbolic import equations as made_of
    from linkwright.symbolic.write.motion import motion_of

    t = np.linspace(0.0, duration, max(1, round(duration / step)) + 1)
    began = perf_counter()
    made = made_of(model, "numbers")
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
    "equations": "the generated equations in SciPy's DOP853, steps of its own between",
    "rk4": "Runge–Kutta, order 4",
    "midpoint": "midpoint, order 2",
    "euler": "Euler, order 1",
    "dopri5": "Dormand–Prince, orders 5 and 4: steps as long as their error allows",
    "semi_implicit": "semi-implicit, order 1: stable where dampers are stiff or loops are held",
    "variational": "variational midpoint rule, order 2: symplectic",
}
