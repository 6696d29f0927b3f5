"""``linkwright identify``: inertial parameters and friction from measured motions and efforts."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from linkwright.cli.app import DEMONSTRATION, Root, Verbose, app, file_name, load_robot
from linkwright.cli.output import terminal
from linkwright.cli.shell.values import RobotOrNone
from linkwright.errors import InputError
from linkwright.files import folder_at, replacing_together, write_figure
from linkwright.formats.table import written_format
from linkwright.model.tree import Model

if TYPE_CHECKING:
    from linkwright.identification.identify import Identified

_RESULTS = ("report.txt", "efforts.png", "parameters.png")

_NOISE = 0.02
"""Noise of synthetic efforts, relative to the root mean square of each joint."""


@app.command
def identify(
    robot: RobotOrNone = None,
    data: Path | None = None,
    /,
    *,
    excite: Path | None = None,
    armature: bool = False,
    friction: bool = False,
    robust: bool = False,
    only: str = "",
    prior: str = "",
    weight: float = 1.0,
    cutoff: float = 10.0,
    period: float = 10.0,
    save: Path | None = None,
    root: Root = "fixed",
    out: Path | None = None,
    verbose: Verbose = False,
) -> None:
    """Estimate inertial parameters from measured data, with standard errors.

    Example: ``linkwright identify arm4 --excite data.csv``

    Parameters
    ----------
    robot
        Robot file (.urdf, .xacro, .xml, .sdf, .ztk), installed robot, or built-in mechanism. Default: arm7.
    data
        Measurements: a table (.csv) with the header time, q:joint1, …, v:joint1, …, a:joint1, …, tau:joint1, …; an
        archive (.npz) of the arrays t, q, v, a, tau; or a ROS bag (.bag, .mcap, folder). Velocities and accelerations
        are optional.
    excite
        File to write first (.csv or .npz): an exciting trajectory within the limits of the robot, with the efforts of
        the model and 2 % noise. Use it to try this command, or as a reference trajectory for the robot.
    armature
        Estimate the reflected rotor inertias, too.
    friction
        Estimate damping and Coulomb friction of the joints, too.
    robust
        Reduce the weight of outliers. The measurements are read several times.
    only
        Links to estimate, separated by commas. The parameters of the other links are those of the robot.
    prior
        Robot file with prior parameters. They determine what the measurements do not. Default: the robot itself.
    weight
        Weight of the prior. Smaller values follow the measurements more closely.
    cutoff
        Cutoff frequency of the filter for missing velocities and accelerations, Hz; 0: no filter.
    period
        Period of the trajectory of --excite, s.
    save
        File for the identified robot (.urdf, .xml, .mjcf, .sdf, .ztk).
    out
        Folder for the report and the plots. Default: linkwright_NAME_identify.
    verbose
        List every remark about the robot file.
    """
    if save is not None:  # an error here comes before the long computation
        written_format(save)
    model = load_robot(DEMONSTRATION if robot is None else robot, root, verbose)
    if excite is not None:
        _excite(model, excite, period, armature, friction)
        if data is None:
            return
    if data is None:
        raise InputError(
            "no measurements: run linkwright identify ROBOT DATA.csv; --excite DATA.csv writes synthetic data"
        )
    from linkwright.identification.identify import identify as identified
    from linkwright.identification.measurements.reading import read_measurements

    with terminal.errors.status(f"reading {data.name}"):
        measurements = read_measurements(data, model)
    with terminal.errors.status("identifying"):
        found = identified(
            model,
            *measurements,
            armature=armature,
            friction=friction,
            robust=robust,
            only=[name.strip() for name in only.split(",") if name.strip()] or None,
            prior=load_robot(prior, root, verbose) if prior else None,
            weight=weight,
            cutoff=cutoff or None,
        )
    _report(found, folder_at(out or f"linkwright_{file_name(model.name)}_identify"))
    if save is not None:
        found.model.save(save)
        terminal.output.print(f"  {save}", soft_wrap=True)


def _excite(model: Model, path: Path, period: float, armature: bool, friction: bool) -> None:
    """Write an exciting trajectory and the efforts of the model, with noise."""
    from linkwright.identification.excitation import exciting_trajectory

    with terminal.errors.status("optimizing the trajectory"):
        motion = exciting_trajectory(model, period, armature=armature, friction=friction)
    samples = motion.sampled()
    assert samples.tau is not None
    noise = _NOISE * np.sqrt((samples.tau**2).mean(axis=0))
    tau = samples.tau + noise * np.random.default_rng(0).standard_normal(samples.tau.shape)
    samples._replace(tau=tau).save(path, model)
    terminal.output.print(f"exciting trajectory of {period:g} s, condition number {motion.condition:.3g}")
    terminal.output.print(f"  {path}", soft_wrap=True)


def _report(found: Identified, folder: Path) -> None:
    """Print the first part of the report; write the whole report and the plots."""
    text = found.report()
    terminal.output.print(found.report(all_parameters=False), soft_wrap=True, markup=False, highlight=False)
    with terminal.errors.status("drawing"), replacing_together(folder, _RESULTS) as place:
        (place / "report.txt").write_text(text + "\n", encoding="utf-8")
        write_figure(place / "efforts.png", found.plot(), dpi=110)
        write_figure(place / "parameters.png", found.plot_parameters(), dpi=110)
    for name in _RESULTS:
        terminal.output.print(f"  {folder / name}", soft_wrap=True)
