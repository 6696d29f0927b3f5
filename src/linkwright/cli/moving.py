"""``linkwright simulate``: a motion, its plots and its animation."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Literal, cast

import numpy as np
from rich.text import Text

from linkwright.cli import terminal
from linkwright.cli.app import DEMONSTRATION, Root, app, file_name, load_robot
from linkwright.cli.arguments import starting_posture, starting_velocity
from linkwright.cli.results import RESULTS, summary, written
from linkwright.errors import (
    InputError,
    counted,
)
from linkwright.files import folder_at, replacing_together
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array

if TYPE_CHECKING:
    from linkwright.simulation import Motion
    from linkwright.simulation.integrators import IntegrationMethod


@app.command
def simulate(
    robot: str | None = None,
    /,
    *,
    time: float = 10.0,
    step: float = 1e-3,
    method: Literal["auto", "rk4", "midpoint", "euler", "dopri5", "semi_implicit", "variational", "equations"] = "auto",
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
    """Simulate a mechanism; write its motion, plots and an animation.

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
        error of the energy does not grow. auto takes rk4 where it is stable, else semi_implicit. equations takes the
        generated equations of motion in Python with SciPy's integrator DOP853, as exact as numbers are, and slow.
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
    from linkwright.simulation.running import suitable_method
    from linkwright.visual.animation import remove_pictures

    if animation and film == "mp4":
        from linkwright.visual.mp4 import ffmpeg

        ffmpeg()  # told before the work, where it is missing
    if show:
        from linkwright.visual.window import require_window

        require_window()
    if hold and method == "equations":
        raise InputError("--hold needs a controller, which --method equations has not; take another method")
    model = load_robot(DEMONSTRATION if robot is None else robot, root)
    controller = None
    with terminal.errors.status("compiling for the start"):
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
        chosen = suitable_method(model, q0, v0, step, controller) if method == "auto" else method
    folder = folder_at(out or f"linkwright_{file_name(model.name)}")

    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    loops = f"{model.nv} velocities, {counted(len(model.loops), 'closed loop')}"
    freedom = loops if model.loops else counted(model.nv, "degree of freedom", "degrees of freedom")
    terminal.output.print(
        Text.assemble((model.name, "bold"), f": {counted(len(model.bodies), 'body', 'bodies')}, {freedom}")
    )
    if any(joint.type == "free" for joint in model.joints) and np.any(model.gravity):
        terminal.output.print("its base floats, and there is no ground: it falls as thrown")
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
                    cast("IntegrationMethod", chosen),
                    controller=controller,
                    progress=lambda done: progress.update(task, description="simulating", completed=done),
                )
        except (Exception, KeyboardInterrupt) as error:
            if not hasattr(error, "motion"):
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
                    files.append(motion.animate(place / f"animation.{film}", fps=fps, speed=speed))
            except KeyboardInterrupt as error:
                if not files:
                    terminal.errors.print("stopped before anything was written; earlier files are as they were")
                    raise
                stopped = error
        remove_pictures(folder / "frames")  # of an earlier run
        if animation and not stopped and film == "frames":
            progress.update(task, description="animating", completed=0.5)
            try:
                files.append(motion.animate(f"{folder / 'frames'}/", fps=fps, speed=speed))
            except KeyboardInterrupt as error:
                stopped = error
    terminal.output.print(summary(motion, METHOD_NAMES[chosen], controlled=hold))
    for path in files:
        terminal.output.print(f"  {folder / path.name}", soft_wrap=True)
    if stopped:
        left = time - motion.t[-1] > 0.5 * motion.step
        what = f"stopped at t = {motion.t[-1]:g} s; these files hold the motion until then"
        terminal.errors.print(what if left else "stopped; these files hold the whole motion", soft_wrap=True)
        raise stopped
    if show:
        motion.show(speed=speed)


def _closed(model: Model, q0: Array, v0: Array) -> tuple[Array, Array]:
    """The nearest start that the loops allow."""
    from linkwright.dynamics import close, impulse

    q0 = close(model, q0)
    return q0, impulse(model, q0, v0)[0]


def _by_equations(model: Model, q0: Array, v0: Array, duration: float, step: float) -> Motion:
    """The motion after the generated equations, at the times that the other methods step to."""
    from linkwright.equations import equations as made_of
    from linkwright.equations.write.motion import motion_of
    from linkwright.simulation import Motion

    if not (duration > 0.0 and step > 0.0 and np.isfinite((duration, step)).all()):
        raise InputError(f"--time and --step must be positive numbers of seconds; got {duration:g} and {step:g}")
    t = np.linspace(0.0, duration, max(1, round(duration / step)) + 1)
    began = perf_counter()
    made = made_of(model, "numbers")
    for note in made.snapped:
        terminal.errors.print(note, soft_wrap=True)
    made.python("rhs")
    compiled = perf_counter() - began

    def record(q: Array, v: Array) -> Motion:
        run_time = perf_counter() - began - compiled
        return Motion(made.model, t[: len(q)], q, v, np.zeros_like(v), t[1], compiled, run_time)

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
