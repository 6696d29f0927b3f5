"""`linkwright equations`, as a user runs it, and simulations by the equations that it writes."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.integrate
from PIL import Image
from test_cli import URDF, run

import linkwright as lw


def test_equations(tmp_path, capsys):
    status, text, _ = run("equations", "two_link", "--what", "g,h", capsys=capsys)
    assert status == 0
    assert text.splitlines()[-1] == "g[2] = m2*g*lg2*cos(theta1 + theta2)"
    assert "M[" not in text
    robot = tmp_path / "swing.urdf"
    robot.write_text(URDF.replace('<axis xyz="0 1 0"/>', '<origin rpy="1.5708 0 0"/><axis xyz="0 1 0"/>'))
    status, text, notes = run("equations", robot, "--format", "c", "--parameters", "numbers", capsys=capsys)
    assert status == 0
    assert "void swing_equations(const double q[1], const double v[1], double M[1]" in text
    assert "'hinge': angles taken to multiples" in notes
    for form, shown in (("latex", r"\begin{aligned}"), ("derivation", "L = K - U ="), ("python", "def two_link_eq")):
        status, text, _ = run("equations", "two_link", "--format", form, capsys=capsys)
        assert status == 0
        assert shown in text
    status, text, _ = run("equations", "puma560", "--what", "D,g", "--format", "c", capsys=capsys)
    assert "double g[6], double D[6])" in text
    for wrong in (["--what", "J"], ["--what", "M", "--format", "derivation"], ["--parameters", "letters"]):
        status, text, message = run("equations", "two_link", *wrong, capsys=capsys)
        assert status != 0
        assert wrong[1] in text + message or "always complete" in message


def test_further_forms_of_equations(capsys):
    status, text, _ = run("equations", "two_link", "--what", "C,c", "--form", "expanded", capsys=capsys)
    assert status == 0
    assert "C[1,2] = -m2*l1*lg2*sin(theta2)*theta1_dot - m2*l1*lg2*sin(theta2)*theta2_dot" in text
    status, text, _ = run("equations", "two_link", "--what", "g", "--format", "mathml", capsys=capsys)
    assert status == 0
    assert text.startswith("<math ")
    status, text, _ = run("equations", "two_link", "--coordinates", "phi1=theta1, phi2=theta1+theta2", capsys=capsys)
    assert status == 0
    assert "g[2] = m2*g*lg2*cos(phi2)" in text
    for wrong in (("--angles", "--form", "factored"), ("--coordinates", "phi1"), ("--form", "short")):
        status, _, message = run("equations", "two_link", *wrong, capsys=capsys)
        assert status != 0
        assert message


def test_explained_equations(capsys):
    status, text, _ = run("equations", "two_link", "--explain", capsys=capsys)
    assert status == 0
    assert "Stable, a center of the linearized motion: oscillations at ω = 2.6591 and 6.7663 rad/s." in text
    status, text, _ = run("equations", "two_link", "--explain", "--format", "latex", capsys=capsys)
    assert status == 0
    assert text.startswith(r"\section*{The terms}")
    for more in (["--format", "c"], ["--what", "M"], ["--angles"]):
        status, _, message = run("equations", "two_link", "--explain", *more, capsys=capsys)
        assert status != 0
        assert "--explain has no" in message


def test_a_law_explained(capsys):
    law = ("--explain", "--controller", "pd", "--target", "30deg,0.2", "--damping", "7")
    status, text, _ = run("equations", "two_link", *law, capsys=capsys)
    assert status == 0
    assert "V̇ = -D*theta1_dot^2 - D*theta2_dot^2" in text
    assert "D = 7" in text
    without = [("--explain", option, value) for option, value in (("--target", "0,0"), ("--stiffness", "5"))]
    for wrong, printed in ((law[1:3], "add --explain"), *((one, "add --controller") for one in without)):
        status, _, message = run("equations", "two_link", *wrong, capsys=capsys)
        assert status != 0
        assert printed in message


def test_parameters_of_equations(capsys):
    def printed(*arguments: str) -> str:
        status, text, _ = run("equations", "two_link", *arguments, capsys=capsys)
        assert status == 0
        return text

    text = printed("--parameters", "geometry=numbers, lg2=1,inertial=symbols", "--what", "M")
    assert text.splitlines()[1] == "M[1,2] = m2*(1 + cos(theta2)) + I2"
    assert printed("--base-parameters").splitlines()[0] == "M[1,1] = 2*mcx2*l1*cos(theta2) + IzzR1 + Izz2"
    assert printed("--what", "all") == printed()  # no friction, no springs, no loops
    for wrong, expected in (
        ("geometry=few", "'few'"),
        ("l1=long", "'long' is not a number"),
        ("l1=90degrees", "'90degrees' is not a number; write 90deg"),
        ("l1=1,l2", "'l2' has no value"),
        ("l9=1", "'l9'"),
    ):
        status, _, message = run("equations", "two_link", "--parameters", wrong, capsys=capsys)
        assert status == 2
        assert expected in message


def test_equations_into_files(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    status, text, _ = run("equations", "planar:2", "--html", capsys=capsys)
    assert status == 0
    assert "planar_2_equations.html" in text
    page = (tmp_path / "planar_2_equations.html").read_text(encoding="utf-8")
    assert "<math>" in page
    for arguments in (["--html", "here.html"], ["here.html", "--format", "html"]):
        (tmp_path / "here.html").unlink(missing_ok=True)
        assert run("equations", "planar:2", *arguments, capsys=capsys)[0] == 0
        assert (tmp_path / "here.html").read_text(encoding="utf-8") == page
    assert run("equations", "planar:2", "arm.c", "--format", "c", capsys=capsys)[0] == 0
    assert "void planar_2_equations(" in (tmp_path / "arm.c").read_text(encoding="utf-8")
    wrong = (
        ["--html", "--format", "c"],
        ["--html", "--what", "M"],
        ["file/where.c", "--format", "c"],
        ["--html", "file/x"],
    )
    (tmp_path / "file").touch()
    printed = ("cannot both", "always complete", "cannot be a folder", "cannot be a folder")
    for arguments, expected in zip(wrong, printed, strict=True):
        status, _, message = run("equations", "planar:2", *arguments, capsys=capsys)
        assert status == 2
        assert expected in message


def test_simulate_by_the_generated_equations(tmp_path, capsys):
    command = ("simulate", "two_link", "--posture", "30deg,30deg", "--time", 0.5, "--step", 0.01)
    status, text, error = run(*command, "--method", "equations", "--out", tmp_path / "a", capsys=capsys)
    assert status == 0, error
    assert "DOP853" in text
    with Image.open(tmp_path / "a" / "animation.gif") as animation:
        assert animation.n_frames == 13
    found = np.genfromtxt(tmp_path / "a" / "motion.csv", delimiter=",", names=True)
    assert len(found) == 51
    compiled = lw.simulate(lw.load("two_link"), np.radians([30.0, 30.0]), np.zeros(2), 0.5, 1e-3, every=10)
    assert found["qjoint2"] == pytest.approx(compiled.q[:, 1], abs=1e-10)
    assert found["energy"] == pytest.approx(compiled.energy, abs=1e-9)
    for more, expected in ((["--hold"], "--hold"), (["--time", "-1"], "positive"), (["--step", "0"], "positive")):
        status, _, error = run("simulate", "two_link", "--method", "equations", *more, "--out", tmp_path, capsys=capsys)
        assert status == 2
        assert expected in error


def test_an_interrupt_saves_what_the_generated_equations_gave(tmp_path, monkeypatch, capsys):
    taken, step = [], scipy.integrate.DOP853.step

    def interrupted(solver):
        taken.append(solver.t)
        if len(taken) > 20:
            raise KeyboardInterrupt
        return step(solver)

    monkeypatch.setattr(scipy.integrate.DOP853, "step", interrupted)
    command = ("simulate", "two_link", "--posture", "30deg,30deg", "--time", 5, "--step", 0.01, "--method", "equations")
    status, _, error = run(*command, "--out", tmp_path, capsys=capsys)
    assert status == 130
    assert "stopped at t = " in error
    with np.load(tmp_path / "motion.npz") as motion:
        assert 2 < len(motion["t"]) == len(motion["q"]) < 501
        assert taken[-1] - 0.01 < motion["t"][-1] <= taken[-1]
        assert np.ptp(motion["energy"]) < 1e-9


def test_equations_of_a_frame(tmp_path, capsys):
    status, text, _ = run("equations", "two_link", "--frame", "tip", capsys=capsys)
    assert status == 0
    assert "T[1,4] = l1*cos(theta1) + l2*cos(theta1 + theta2)" in text
    assert "J[6,1] = 1" in text
    assert "M[" not in text
    body = run("equations", "two_link", "--frame", "tip", "--what", "J", "--reference-frame", "body", capsys=capsys)[1]
    assert "J[2,2] = l2" in body
    status, text, _ = run(
        "equations", "two_link", "--frame", "tip", "--what", "J,J_dot", "--format", "c", capsys=capsys
    )
    assert status == 0
    assert "J_dot[" in text
    status, text, _ = run("equations", "two_link", "--what", "rhs", "--format", "python", capsys=capsys)
    assert "def two_link_rhs(t, y" in text
    assert {line[0] for line in run("equations", "two_link", "--what", "all", capsys=capsys)[1].splitlines()} == {
        *"Mhg"
    }
    every = run("equations", "two_link", "--what", "all", "--frame", "tip", capsys=capsys)[1]
    assert {line.partition("[")[0].split()[0] for line in every.splitlines()} == {*"MhgGTJV", "J_dot"}
    page = tmp_path / "page.html"
    assert run("equations", "two_link", page, "--html", "--frame", "link2", capsys=capsys)[0] == 0
    assert "Of the frame link2" in page.read_text(encoding="utf-8")
    for wrong, expected in (
        (["--frame", "tp"], "tip"),
        (["--what", "J"], "is of a frame"),
        (["--frame", "tip", "--what", "M"], "of no frame"),
        (["--frame", "tip", "--html", "--what", "J"], "always complete"),
        (["--what", "A"], "no closed loops"),
        (["--what", "X"], "'X'"),
    ):
        status, _, message = run("equations", "two_link", *wrong, capsys=capsys)
        assert status == 2
        assert expected in message
