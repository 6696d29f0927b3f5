"""Explanations are held to what they claim: as identities, by the compiled library, and by simulated motions."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import replace

import numpy as np
import pytest
from matplotlib.mathtext import MathTextParser

import linkwright as lw
from linkwright.expression.polynomials.polynomial import evaluate
from linkwright.model.tree import Model
from linkwright.symbolic.interpretation.explanation import Formula
from mechanisms import relative_error

INERTIA = (0.02, 0.03, 0.025)


def cart() -> Model:
    """A pole on a cart, hanging at zero."""
    builder = lw.Builder("cart").body("cart", 2.0).body("pole", 0.5, (0, 0, -0.4), 0.01)
    builder.joint("slide", "prismatic", "world", "cart", axis=(1, 0, 0))
    builder.joint("hinge", "continuous", "cart", "pole", axis=(0, 1, 0))
    return builder.build()


def gantry() -> Model:
    """Three slides, the last one vertical."""
    builder = lw.Builder("gantry").body("bridge", 3.0).body("carriage", 2.0).body("lift", 1.0)
    builder.joint("x", "prismatic", "world", "bridge", axis=(1, 0, 0))
    builder.joint("y", "prismatic", "bridge", "carriage", axis=(0, 1, 0))
    return builder.joint("z", "prismatic", "carriage", "lift", axis=(0, 0, 1)).build()


def ball(center: tuple[float, float, float] = (0.0, 0.0, -0.5)) -> Model:
    """A spherical pendulum."""
    builder = lw.Builder("ball").body("bob", 1.2, center, INERTIA)
    return builder.joint("socket", "spherical", "world", "bob").build()


def drifting() -> Model:
    """A body in a plane, with an arm, without weight."""
    builder = lw.Builder("drifting", gravity=(0, 0, 0)).body("base", 2.0, (0.1, 0, 0), INERTIA)
    builder.body("arm", 1.0, (0.3, 0, 0), INERTIA).joint("float", "planar", "world", "base")
    return builder.joint("shoulder", "revolute", "base", "arm", axis=(0, 0, 1), xyz=(0.2, 0, 0)).build()


MODELS = {
    "pendulum": lambda: lw.load("pendulum"),
    "two_link": lambda: lw.load("two_link"),
    "planar:3": lambda: lw.load("planar:3"),
    "cart": cart,
    "gantry": gantry,
    "ball": ball,
    "drifting": drifting,
    "free": lambda: lw.load("chain3d:2"),
    "puma560": lambda: lw.load("puma560"),
    "arm7": lambda: lw.load("arm7"),
}


@pytest.mark.variants("parameters")
@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("parameters", ["symbols", "numbers"])
def test_kinds_of_terms_add_up_to_the_equations(name, parameters):
    model = MODELS[name]()
    made = lw.equations(model, parameters)
    structure, v = made.explanation().structure, made._mechanism.v
    assert structure.is_hessian_of_kinetic_energy
    assert structure.keeps_energy
    for i, row in enumerate(structure.rows):
        total = row.gyroscopic
        for j, p in row.centrifugal.items():
            total = total + p * v[j] * v[j]
        for (j, k), p in row.coriolis.items():
            assert j < k
            total = total + p * v[j] * v[k]
        assert total == made.canonical.velocity_forces[i]
        assert all(row.inertia.get(j, 0) == m for j, m in enumerate(made.canonical.mass_matrix[i]))


@pytest.mark.parametrize("name", MODELS)
def test_gyroscopic_forces_do_no_work(name):
    structure = lw.equations(MODELS[name]()).explanation().structure
    work = sum((x * p for x, p in zip(structure.mechanism.v, structure.gyroscopic, strict=True)), 0)
    assert work == 0
    quasi = {"ball", "drifting", "free"}
    assert any(structure.gyroscopic) == (name in quasi)


@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("cart", 1),
        ("ball", 1),
        ("drifting", 3),
        ("free", 3),
        ("puma560", 2),  # as the last link is symmetric
        ("arm7", 2),
        ("gantry", 2),
        ("two_link", 0),
    ],
)
def test_conserved_momenta_are_constant_in_simulation(name, count):
    model = undamped(MODELS[name]())
    made = lw.equations(model, "numbers")
    momenta = made.explanation().structure.conserved
    assert len(momenta) == count
    rng = np.random.default_rng(1)
    motion = lw.simulate(made.model, made.model.random(seed=2), 0.5 * rng.normal(size=model.nv), 0.3, 2e-4, every=150)
    seen = []
    for q, v in zip(motion.q, motion.v, strict=True):
        values = dict(zip(made.coordinates.q, q, strict=True)) | dict(zip(made.coordinates.v, v, strict=True))
        seen.append(evaluate([momentum.polynomial for momentum in momenta], made.parameters | values))
    assert relative_error(np.array(seen), np.array([seen[0]] * len(seen))) < 1e-9


def undamped(model: Model) -> Model:
    """Without what joints resist with."""
    joints = [replace(j, damping=0.0 * j.damping, friction=0.0 * j.friction) for j in model.joints]
    return replace(model, joints=tuple(joints))


def test_what_vanishes_and_why():
    text = lw.equations(gantry()).explanation().text()
    assert "h ≡ 0: there are neither centrifugal nor Coriolis terms, since all joints slide and M is the same" in text
    assert "g[1] ≡ 0 (x): it slides perpendicular to gravity in all configurations." in text
    assert "{d1_dot}, {d2_dot} and {d3_dot}" in text
    assert "g ≡ 0: there is no gravity." in lw.equations(drifting()).explanation().text()
    assert "g[1] ≡ 0 (joint1): its axis is parallel to gravity" in lw.equations(lw.load("arm7")).explanation().text()
    assert "M depends on theta2, and not on theta1." in lw.equations(lw.load("two_link")).explanation().text()


@pytest.mark.parametrize("name", MODELS)
def test_formulas_are_set_and_latex_is_whole(name):
    made = lw.equations(MODELS[name]()).explanation()
    parser = MathTextParser("path")
    formulas = [
        piece
        for section in made.sections
        for paragraph in section.paragraphs
        for piece in paragraph
        if isinstance(piece, Formula)
    ]
    assert formulas
    for formula in formulas[:12]:
        if len(formula.latex) < 200:
            assert parser.parse(f"${formula.latex}$").width > 0
    latex = made.latex()
    assert latex.isascii()
    assert latex.count(r"\section*") == len(made.sections)


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no TeX here")
def test_tex_sets_it(tmp_path):
    result = [lw.equations(MODELS[name]()).explanation().latex() for name in ("two_link", "cart", "ball", "free")]
    head = r"\documentclass{article}\usepackage{amsmath}\begin{document}"
    (tmp_path / "explained.tex").write_text("\n".join([head, *result, r"\end{document}"]))
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "explained.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout[-2000:]
    assert (tmp_path / "explained.pdf").stat().st_size > 10_000


def test_what_cannot_move_is_reported():
    made = lw.equations(lw.load("pendulum").lock({"hinge": 0.0})).explanation()
    assert "Nothing can move" in made.text()


def sprung(type: str, stiffness, **options) -> Model:
    builder = lw.Builder("sprung", gravity=(0, 0, 0)).body("rod", 1.0, (0.1, 0, 0), 0.1)
    return builder.joint("joint", type, "world", "rod", **options).joint_spring("joint", stiffness).build()


def test_what_springs_hold_is_not_conserved():
    free = lw.equations(sprung("revolute", 0.0)).explanation()
    assert [one.name for one in free.structure.conserved] == ["dL/dtheta1_dot"]
    held = lw.equations(sprung("revolute", 3.0)).explanation()
    assert not held.structure.conserved
    assert [one.name for one in held.structure.sprung] == ["dL/dtheta1_dot"]
    result = held.text()
    assert "is constant while" not in result
    assert "along joint would be constant but for the springs: they act along it, so it is not conserved" in result


@pytest.mark.parametrize(
    ("type", "stiffness", "kept"),
    [
        ("planar", 0.0, ["linear x", "linear y", "angular z"]),
        ("planar", [2.0, 3.0, 0.0], ["angular z"]),
        ("planar", [0.0, 0.0, 1.0], ["linear x", "linear y"]),
        ("free", [1.0, 1.0, 1.0, 0.0, 0.0, 0.0], ["angular x", "angular y", "angular z"]),
        ("spherical", [1.0, 2.0, 2.0], []),
    ],
)
def test_which_momenta_springs_leave(type, stiffness, kept):
    """Of those along and about fixed axes; a simulation keeps these and no others."""
    model = sprung(type, stiffness)
    found = [one.name for one in lw.equations(model).explanation().structure.conserved if one.row is None]
    assert [f"{name.split()[0]} {name.split('fixed ')[1][0]}" for name in found] == kept
    q0 = model.random(seed=0)
    motion = lw.simulate(model, q0, np.linspace(0.3, 0.8, model.nv), 0.5)
    momentum, center = lw.momentum(model, motion.q, motion.v), lw.center_of_mass(model, motion.q)
    momentum[:, 3:] += np.cross(center, momentum[:, :3])
    changes = np.ptp(momentum, axis=0) / np.abs(momentum).max()
    names = [f"{kind} {axis}" for kind in ("linear", "angular") for axis in "xyz"]
    moved = [name for name, change in zip(names, changes, strict=True) if change > 1e-6]
    assert not {*kept} & {*moved}
    expected = {"planar": {"linear x", "linear y", "angular z"}, "spherical": {*names[3:]}, "free": {*names}}[type]
    assert {*moved} >= expected - {*kept}


def test_springs_between_bodies_hold_too():
    def pair(**options):
        builder = (
            lw.Builder("pair", gravity=(0, 0, 0)).body("a", 1.0, (0.5, 0, 0), 0.1).body("b", 1.0, (0.5, 0, 0), 0.1)
        )
        builder.joint("first", "revolute", "world", "a").joint("second", "revolute", "a", "b", xyz=(1, 0, 0))
        return builder

    between = pair().spring(("a", (0, 0.2, 0)), ("b", (0.5, 0, 0)), stiffness=2.0).build()
    to_world = pair().spring(("world", (0, 0.2, 0)), ("b", (0.5, 0, 0)), stiffness=2.0).build()
    assert [one.row for one in lw.equations(between).explanation().structure.conserved] == [0]
    assert [one.row for one in lw.equations(to_world).explanation().structure.sprung] == [0]
