"""The command line, as a user runs it."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import warnings

import matplotlib
import numpy as np
import pytest
import rich.progress
import rich.status
from PIL import Image

import linkwright as lw
from linkwright.cli import main
from linkwright.cli.input.arguments import starting_posture, starting_velocity
from linkwright.cli.output.terminal import PlainConsole
from linkwright.errors import InputError, UnknownNameError
from linkwright.simulation import Motion
from linkwright.simulation.recording.recorder import MotionRecorder

URDF = """<?xml version="1.0"?>
<robot name="swing">
  <link name="post"/>
  <link name="arm">
    <inertial><origin xyz="0 0 -0.4"/><mass value="1.5"/>
      <inertia ixx="0.02" iyy="0.02" izz="0.001" ixy="0" ixz="0" iyz="0"/></inertial>
    <visual><geometry><mesh filename="package://nowhere/arm.stl"/></geometry></visual>
  </link>
  <joint name="hinge" type="continuous"><parent link="post"/><child link="arm"/><axis xyz="0 1 0"/></joint>
</robot>
"""


def run(*arguments, capsys):
    status = 0
    try:
        main([str(a) for a in arguments])
    except SystemExit as stop:
        status = int(stop.code or 0)
    captured = capsys.readouterr()
    return status, captured.out, captured.err


@pytest.mark.filterwarnings("ignore:.*is not found:linkwright.errors.FormatWarning")
def test_simulate_writes_everything(tmp_path, capsys):
    robot, out = tmp_path / "swing.urdf", tmp_path / "out"
    robot.write_text(URDF)
    status, text, _ = run("simulate", robot, "--time", 0.5, "--posture", "hinge=90deg", "--out", out, capsys=capsys)
    assert status == 0
    assert "energy drift" in text
    names = {"motion.npz", "motion.csv", "positions.png", "velocities.png", "energies.png", "animation.gif"}
    assert {path.name for path in out.iterdir()} == names
    with np.load(out / "motion.npz") as motion:
        assert motion["q"].shape == (501, 1)
        assert motion["q"][0, 0] == pytest.approx(np.pi / 2)
        assert np.ptp(motion["energy"]) < 1e-9
    with Image.open(out / "animation.gif") as animation:
        assert animation.n_frames >= 12
    for picture in ("positions.png", "velocities.png", "energies.png"):
        with Image.open(out / picture) as image:
            pixels = np.asarray(image.convert("L"))
            assert pixels.std() > 5  # something is drawn


def test_an_interrupt_saves_what_was_computed(tmp_path, monkeypatch, capsys):
    def interrupted(*more, **options):
        os.kill(os.getpid(), signal.SIGINT)

    written = MotionRecorder.mark_recorded
    command = ("simulate", "pendulum", "--posture", 1, "--out", tmp_path, "--time", 0.6)
    assert run(*command, capsys=capsys)[0] == 0
    with monkeypatch.context() as patch:
        patch.setattr(
            MotionRecorder, "mark_recorded", lambda record, n: written(record, n) or (n == 256 and interrupted())
        )
        status, text, error = run(*command, capsys=capsys)
    assert status == 130
    assert "stopped at t = 0.256 s; the files contain the motion until then" in error
    assert "motion.npz" in text.replace("\n", "")
    with np.load(tmp_path / "motion.npz") as motion:
        assert len(motion["t"]) == 257
    names = {"motion.npz", "motion.csv", "positions.png", "velocities.png", "energies.png"}
    assert {path.name for path in tmp_path.iterdir()} == names
    with monkeypatch.context() as patch:
        patch.setattr(Motion, "animate", interrupted)
        status, _, error = run(*command, capsys=capsys)
    assert status == 130
    assert "stopped; the files contain the whole motion" in error
    with np.load(tmp_path / "motion.npz") as motion:
        assert len(motion["t"]) == 601


def test_an_interrupt_before_the_first_step_leaves_no_folder(tmp_path, monkeypatch, capsys):
    def interrupted(*more, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr("linkwright.simulation.simulate", interrupted)
    status, _, error = run("simulate", "pendulum", "--out", tmp_path / "new", capsys=capsys)
    assert (status, error.strip()) == (130, "interrupted")
    assert not (tmp_path / "new").exists()
    status, _, _ = run("simulate", "pendulum", "--out", tmp_path, capsys=capsys)
    assert (status, tmp_path.exists()) == (130, True)


def test_the_film_is_what_was_requested(tmp_path, monkeypatch, capsys):
    out = tmp_path / "out"
    options = ("simulate", "pendulum", "--time", 0.2, "--out", out)
    status, text, _ = run(*options, "--film", "frames", "--fps", 20, capsys=capsys)
    assert status == 0
    assert text.rstrip().endswith("frames")
    assert [file.name for file in sorted((out / "frames").iterdir())] == [f"frame_{k:05d}.png" for k in range(5)]
    assert not (out / "animation.gif").exists()
    status, _, _ = run(*options, capsys=capsys)
    assert status == 0
    assert not (out / "frames").exists()
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    status, _, printed = run(*options, "--film", "mp4", capsys=capsys)
    assert status == 2
    assert "needs ffmpeg" in printed
    matplotlib.use("agg")  # as without a screen
    status, _, printed = run(*options, "--show", capsys=capsys)
    assert status == 2
    assert "no window can be opened" in printed


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("info", "four_bar"), ("reading four_bar", "compiling the loop constraints", "counting operations: ")),
        (("equations", "two_link", "--explain"), ("reading two_link", "deriving the equations", "explaining")),
        (("equations", "two_link", "here.html", "--html"), ("deriving the equations", "writing the page")),
        (
            ("simulate", "pendulum", "--hold", "--time", "0.6", "--no-animation", "--out", "out"),
            ("reading pendulum", "compiling the initial state", "simulating", "writing"),
        ),
        (("bench", "pendulum", "--no-peers", "--rows", "16", "--rounds", "1"), ("measuring inverse_dynamics",)),
    ],
)
def test_a_terminal_is_reported_what_is_done(arguments, expected, monkeypatch, tmp_path, capsys):
    monkeypatch.chdir(tmp_path)
    written = io.StringIO()
    terminal = PlainConsole(file=written, force_terminal=True, width=100)
    every = []  # what is shown at once may be gone before the terminal is drawn anew
    monkeypatch.setattr(rich.status.Status, "__init__", told_of(rich.status.Status.__init__, every, 1))
    monkeypatch.setattr(rich.status.Status, "update", told_of(rich.status.Status.update, every, 1))
    monkeypatch.setattr(rich.progress.Progress, "update", told_of(rich.progress.Progress.update, every, "description"))
    with monkeypatch.context() as patch:
        patch.setattr("linkwright.cli.output.terminal.errors", terminal)
        assert run(*arguments, capsys=capsys)[0] == 0
    for what in expected:
        assert any(what in one for one in every), every
    assert written.getvalue().strip()
    if arguments[0] == "info":
        assert run(*arguments, capsys=capsys)[2].strip() == ""  # no terminal


def told_of(method, every, where):
    def noted(self, *arguments, **more):
        said = more.get(where) if isinstance(where, str) else arguments[0] if arguments else None
        every.append(str(said))
        return method(self, *arguments, **more)

    return noted


def test_brackets_in_a_path_are_no_markup_to_a_terminal(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(
        "linkwright.cli.output.terminal.errors", PlainConsole(file=io.StringIO(), force_terminal=True, width=100)
    )
    robot = tmp_path / "[" / "x].urdf"
    robot.parent.mkdir()
    robot.write_text(URDF)
    assert run("info", robot, "--no-operations", capsys=capsys)[0] == 0


def test_simulate_without_a_robot(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    status, text, _ = run("simulate", "--time", 0.05, "--no-animation", capsys=capsys)
    assert status == 0
    assert "arm7" in text
    assert (tmp_path / "linkwright_arm7" / "motion.csv").exists()


def test_hold_and_free_base(tmp_path, capsys):
    status, _, _ = run(
        "simulate", "quadruped", "--hold", "--time", 0.05, "--no-animation", "--out", tmp_path / "a", capsys=capsys
    )
    assert status == 0
    assert (tmp_path / "a" / "efforts.png").exists()
    robot = tmp_path / "swing.urdf"
    inertia = '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
    base = f'<link name="post"><inertial><mass value="2"/>{inertia}</inertial></link>'
    robot.write_text(URDF.replace('<link name="post"/>', base))
    command = ("simulate", robot, "--root", "free", "--time", 0.01, "--no-animation", "--out", tmp_path / "b")
    status, text, error = run(*command, capsys=capsys)
    assert status == 0, error
    assert "7 degrees of freedom" in text


def test_convert_writes_one_format_from_another(tmp_path, capsys):
    robot, mjcf = tmp_path / "swing.urdf", tmp_path / "there" / "swing.xml"
    robot.write_text(URDF)
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        status, text, printed = run("convert", robot, mjcf, capsys=capsys)
    assert (status, text.split()) == (0, [str(mjcf)])
    assert "meshes are not found: 'package://nowhere/arm.stl'" in printed
    assert len(printed.splitlines()) == 1
    assert [joint.name for joint in lw.load(mjcf).joints] == ["hinge"]
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        status, _, printed = run("convert", "two_link", tmp_path / "two.urdf", capsys=capsys)
    assert status == 0
    assert "gravity (0, -9.8, 0) is lost" in printed
    status, _, printed = run("convert", "two_link", tmp_path / "two.step", capsys=capsys)
    assert status == 2
    assert "models are written as .urdf (URDF), .xml, .mjcf (MJCF), .sdf (SDF) or .ztk (ZTK)" in printed


def test_info(capsys):
    status, text, _ = run("info", "puma560", capsys=capsys)
    assert status == 0
    model = lw.load("puma560")
    for joint in model.joints:
        assert joint.name in text
    count = lw.compile(lw.inverse_dynamics, model).operations
    line = next(line for line in text.splitlines() if line.strip().startswith("inverse_dynamics"))
    assert [str(count.multiplications), str(count.additions)] == line.split()[1:3]


def test_tables_in_a_pipe_are_whole(monkeypatch, capsys):
    monkeypatch.delenv("COLUMNS", raising=False)
    _, text, _ = run("info", "puma560", "--no-operations", capsys=capsys)
    rows = [line for line in text.splitlines() if line.startswith(" joint")]
    assert len(rows) == 1 + lw.load("puma560").nq
    assert "-0.7854 … 3.927" in rows[2]
    monkeypatch.setenv("COLUMNS", "60")
    narrow = PlainConsole(file=io.StringIO())
    narrow.print(" ".join(["word"] * 30))
    assert max(map(len, narrow.file.getvalue().splitlines())) <= 60


def test_closed_loops(tmp_path, capsys):
    status, printed, _ = run("info", "bricard", "--no-operations", capsys=capsys)
    assert status == 0
    assert "last_hinge (revolute): world ─ last_hinge_end" in printed
    assert "mobility: 1 degree of freedom; 5 constraints, 4 independent, 1 redundant" in printed
    arguments = ["--posture", "crank=0.5", "--velocity", "crank=3", "--no-animation", "--out", str(tmp_path)]
    _, printed, _ = run("simulate", "four_bar", "--time", "0.2", *arguments, capsys=capsys)
    assert "3 velocities, 1 closed loop" in printed
    assert float(printed.split("closure error")[1].split()[0]) < 1e-12


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("simulate", "no_such_robot.urdf"), "no_such_robot.urdf"),
        (("simulate", "no_such_robot"), "two_link"),
        (("simulate", "two_link", "--posture", "1"), "nq = 2"),
        (("simulate", "two_link", "--posture", "elbow=1"), "elbow"),
        (("simulate", "two_link", "--posture", "1,x"), "'x'"),
        (("simulate", "two_link", "--time", "-1"), "positive"),
        (("simulate", "two_link", "--step", "5", "--time", "1"), "longer than the 1 s"),
        (("simulate", "two_link", "--posture", "joint1=1,joint2=2,joint1=3"), "gives 'joint1' twice"),
        (("simulate", "two_link", "--velocity", "joint2=1,joint2=1"), "gives 'joint2' twice"),
        (("simulate", "two_link", "--out", "file"), "'file' cannot be a folder"),
        (("simulate", "two_link", "--out", "file/folder"), "cannot be a folder"),
        (("simulate", "two_link", "--root", "free"), "needs one base"),
        (("info", "planar:x"), "planar"),
    ],
)
def test_mistakes_end_with_a_message(arguments, expected, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").touch()
    status, _, error = run(*arguments, capsys=capsys)
    assert status == 2
    assert expected in error.replace("\n", " ")
    assert "Traceback" not in error


def test_a_wrong_file_is_reported_with_its_place(tmp_path, capsys):
    robot = tmp_path / "broken.urdf"
    robot.write_text(URDF.replace('value="1.5"', 'value="-1.5"').replace('link="post"/>', 'link="pst"/>'))
    status, _, error = run("info", robot, capsys=capsys)
    assert status == 2
    assert "broken.urdf:" in error
    assert "negative" in error
    assert "pst" in error


@pytest.mark.filterwarnings("ignore:.*is not found:linkwright.errors.FormatWarning")
def test_strange_names_and_paths_come_out_as_they_are(tmp_path, monkeypatch, capsys):
    name, folder = r"[/x][bold]:smile: $\q$ _%s {0}", tmp_path / "[/y]\x1b[31m $z"
    folder.mkdir(parents=True)
    monkeypatch.chdir(folder)
    robot = folder / "[red] \x1b].urdf"
    robot.write_text(URDF.replace("swing", name).replace("hinge", name).replace('"arm"', f'"{name} arm"'))
    for arguments in (
        ("info", robot),
        ("simulate", robot, "--time", 0.1, "--out", "[out]\x1b[2J"),
        ("equations", robot, "--html"),
    ):
        status, text, printed = run(*arguments, capsys=capsys)
        assert status == 0, printed
        assert name in text or arguments[0] == "equations"
        assert "\x1b" not in text + printed
    for arguments in (("info", "[/x]\x1b.urdf"), ("simulate", robot, "--posture", "[/x]\x1b=1")):
        status, text, printed = run(*arguments, capsys=capsys)
        assert status == 2
        assert "[/x]" in printed
        assert "\x1b" not in text + printed


def test_control_characters_are_refused_in_names(tmp_path, capsys):
    robot = tmp_path / "r.urdf"
    robot.write_text(URDF.replace("hinge", "hin\u009bge"))
    status, _, printed = run("info", robot, capsys=capsys)
    assert status == 2
    assert "the name 'hin\\x9bge' of a joint has control characters" in printed
    assert str(InputError("a \x1b[31m b \u202e c")) == "a ␛[31m b � c"


def test_postures():
    model = lw.load("two_link")
    first, second = model.coordinate_names
    assert starting_posture(model, "0.1, -2e-1") == pytest.approx([0.1, -0.2])
    assert starting_posture(model, f"{second}=180deg") == pytest.approx([0.0, np.pi])
    assert starting_velocity(model, f"{first}=-3") == pytest.approx([-3.0, 0.0])
    assert starting_posture(model, "random").shape == (2,)
    with pytest.raises(UnknownNameError, match=first):
        starting_posture(model, "nothing=1")
    with pytest.raises(InputError):
        starting_velocity(model, "1,2,3")
    limited = lw.load("arm7").lock({"joint1": 0.0})
    assert (starting_posture(limited, "") <= limited.upper).all()


def test_cache(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("LINKWRIGHT_CACHE", str(tmp_path / "kept"))
    lw.compile(lambda x: 2.0 * x, x=3)(np.ones(3))
    files = len(list((tmp_path / "kept").iterdir()))
    status, text, _ = run("cache", capsys=capsys)
    assert status == 0
    assert f"{files} compiled functions" in text
    status, text, _ = run("cache", "--clear", capsys=capsys)
    assert f"{files} files removed" in text
    assert files > 0
    status, text, _ = run("cache", capsys=capsys)
    assert "0 compiled functions" in text
    monkeypatch.setenv("LINKWRIGHT_CACHE", "off")
    status, text, _ = run("cache", capsys=capsys)
    assert status == 0
    assert "no cache" in text


def test_bench(tmp_path, capsys):
    status, text, _ = run("bench", "pendulum", "--rows", 16, "--rounds", 1, "--out", tmp_path, capsys=capsys)
    assert status == 0
    assert "inverse_dynamics" in text
    assert {path.suffix for path in tmp_path.iterdir()} == {".json", ".png"}


def test_as_a_program():
    done = subprocess.run(
        [sys.executable, "-m", "linkwright.cli", "info", "pendulum"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0
    assert "pendulum" in done.stdout
    assert done.stderr == ""


def test_help_describes_every_command_and_every_method(capsys):
    from typing import get_args, get_type_hints

    from linkwright.cli.commands.simulate import METHOD_NAMES, simulate
    from linkwright.simulation.integrators.methods import METHODS

    lines = [line.strip("│ ") for line in run("--help", capsys=capsys)[1].splitlines()]
    for command in ("bench", "experiment", "gallery", "simulate"):
        assert any(line.startswith(f"{command} ") and len(line.split()) > 4 for line in lines), command
    methods = get_args(get_type_hints(simulate)["method"])
    assert set(methods) == {"auto", *METHODS, "equations"} == {"auto", *METHOD_NAMES}
    shown = " ".join(run("simulate", "--help", capsys=capsys)[1].replace("│", " ").split())
    assert all(f" {name}: " in shown for name in methods)


def test_info_lists_missing_mesh_files_in_one_line(tmp_path, capsys):
    model = tmp_path / "swing.urdf"
    meshes = "".join(f'<visual><geometry><mesh filename="{k}.stl"/></geometry></visual>' for k in "bcd")
    model.write_text(URDF.replace("<visual>", f"{meshes}<visual>", 1))
    text = run("info", model, "--no-operations", capsys=capsys)[1]
    (line,) = [line for line in text.splitlines() if "mesh" in line]
    assert line == "4 mesh files are missing: b.stl, c.stl, d.stl, … (4 in total; --verbose lists them)"
    text = run("info", model, "--no-operations", "--verbose", capsys=capsys)[1]
    assert "b.stl, c.stl, d.stl, package://nowhere/arm.stl" in text
    assert "mesh" not in run("info", "two_link", "--no-operations", capsys=capsys)[1]


@pytest.mark.filterwarnings("ignore:.*is not found:linkwright.errors.FormatWarning")
def test_lengths_in_millimeters_are_reported_in_one_line(tmp_path, capsys):
    model = tmp_path / "swing.urdf"
    model.write_text(URDF)
    assert "large" not in run("info", model, "--no-operations", capsys=capsys)[2]
    model.write_text(URDF.replace("<axis", '<origin xyz="0 0 500"/><axis'))
    line = f"the robot is 500 m large: are its lengths in millimeters? More: linkwright check {model}\n"
    assert line in run("info", model, "--no-operations", capsys=capsys)[2]
    simulation = ("simulate", model, "--time", "0.1", "--no-animation", "--out", tmp_path / "out")
    assert line in run(*simulation, capsys=capsys)[2]
