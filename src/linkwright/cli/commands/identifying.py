"""``linkwright identify``: masses, inertias and friction from measured motions and efforts."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from linkwright.cli.app import DEMONSTRATION, Root, app, file_name, load_robot
from linkwright.cli.shell.values import RobotOrNone
from linkwright.cli.told import terminal
from linkwright.errors import InputError
from linkwright.files import folder_at, replacing_together, write_figure
from linkwright.formats.table import written_format
from linkwright.model.tree import Model

if TYPE_CHECKING:
    from linkwright.identification.identify import Identified

_RESULTS = ("report.txt", "efforts.png", "parameters.png")

_NOISE = 0.02
"""Of a joint's root mean square: noise of the efforts in data that are made up."""


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
) -> None:
    """Find what a robot is made of: inertial parameters from measured motions and efforts, told with standard errors.

    Example: ``linkwright identify arm4 --excite data.csv``

    Parameters
    ----------
    robot
        A robot file (.urdf, .xacro, .xml, .sdf, .ztk), an installed robot or a built-in mechanism; arm7 without it.
    data
        What was measured: a table (.csv) with a header such as time, q:joint1, …, v:joint1, …, a:joint1, …, tau:joint1,
        …; an archive (.npz) with arrays t, q, v, a, tau; or a recording of ROS (.bag, .mcap, a folder). Velocities and
        accelerations may be missing.
    excite
        A file to write first (.csv or .npz): a motion that shows all that can be seen, within the robot's limits, with
        the efforts that the model takes for it and noise of 2 %. To try out this command, and for a robot to follow.
    armature
        Find the reflected inertias of motors, too.
    friction
        Find damping and Coulomb friction of the joints, too.
    robust
        Count wild samples less; measurements are read several times.
    only
        The links whose parameters are to be found, with "," between them; all others are taken from the robot.
    prior
        Another file of the same robot, near which parameters stay as far as the measurements do not tell them.
    weight
        How much they stay near it; less lets them follow the measurements more closely.
    cutoff
        Of the filter for velocities and accelerations that are not in the data, Hz; 0 for none.
    period
        Of the motion that --excite writes, s.
    save
        The identified robot: a file (.urdf, .xml, .mjcf, .sdf, .ztk).
    out
        The folder for the report and pictures; linkwright_NAME_identify unless given.
    """
    if save is not None:  # refused before what takes long
        written_format(save)
    model = load_robot(DEMONSTRATION if robot is None else robot, root)
    if excite is not None:
        _excite(model, excite, period, armature, friction)
        if data is None:
            return
    if data is None:
        raise InputError("which measurements? linkwright identify ROBOT DATA.csv; --excite DATA.csv makes some to try")
    from linkwright.identification.identify import identify as identified
    from linkwright.identification.measured.reading import read_measurements

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
            prior=load_robot(prior, root) if prior else None,
            weight=weight,
            cutoff=cutoff or None,
        )
    _tell(found, folder_at(out or f"linkwright_{file_name(model.name)}_identify"))
    if save is not None:
        found.model.save(save)
        terminal.output.print(f"  {save}", soft_wrap=True)


def _excite(model: Model, path: Path, period: float, armature: bool, friction: bool) -> None:
    """Write a motion and the efforts that the model takes, with noise."""
    from linkwright.identification.excitation import exciting_trajectory

    with terminal.errors.status("looking for a motion"):
        motion = exciting_trajectory(model, period, armature=armature, friction=friction)
    samples = motion.sampled()
    assert samples.tau is not None
    noise = _NOISE * np.sqrt((samples.tau**2).mean(axis=0))
    tau = samples.tau + noise * np.random.default_rng(0).standard_normal(samples.tau.shape)
    samples._replace(tau=tau).save(path, model)
    terminal.output.print(f"a motion of {period:g} s, condition number {motion.condition:.3g}")
    terminal.output.print(f"  {path}", soft_wrap=True)


def _tell(found: Identified, folder: Path) -> None:
    """What was found: the report's beginning here, all of it and pictures in the folder."""
    text = found.report()
    terminal.output.print(found.report(all_parameters=False), soft_wrap=True, markup=False, highlight=False)
    with terminal.errors.status("drawing"), replacing_together(folder, _RESULTS) as place:
        (place / "report.txt").write_text(text + "\n", encoding="utf-8")
        write_figure(place / "efforts.png", found.plot(), dpi=110)
        write_figure(place / "parameters.png", found.plot_parameters(), dpi=110)
    for name in _RESULTS:
        terminal.output.print(f"  {folder / name}", soft_wrap=True)
