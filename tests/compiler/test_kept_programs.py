"""Programs on disk: a step is traced once for all processes, and again whenever what determines it changes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import linkwright as lw
from linkwright.compiler.native import kept_programs
from linkwright.compiler.native.kept_programs import kept_program
from linkwright.compiler.schedules import selection
from linkwright.simulation.integrators import step_function

SOURCES = kept_programs.sources


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    """A cache of this test's own, with programs."""
    monkeypatch.setenv("LINKWRIGHT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(kept_programs, "sources", lambda: b"sources")
    return tmp_path / "cache"


class Counted:
    """A program, and how often it was made."""

    def __init__(self):
        self.program = lw.compile(lambda x: np.sin(x) + 1.0, x=(3,)).program
        self.made = 0

    def __call__(self):
        self.made += 1
        return self.program


def test_program_is_made_once_for_the_same_content(folder):
    make = Counted()
    for model in (lw.load("two_link"), lw.load("two_link")):
        found = kept_program(make, model, {"gains": np.arange(3.0)}, "rk4", 0.1, lw.mass_matrix)
        assert found.digest == make.program.digest
        assert (found.name, found.inputs, found.outputs) == (
            make.program.name,
            make.program.inputs,
            make.program.outputs,
        )
    assert make.made == 1


@pytest.mark.parametrize(
    "changed",
    [
        lambda model: (model.with_gravity([0.0, 0.0, -1.6]), 0.1),
        lambda model: (model.minimal(), 0.1),
        lambda model: (model, np.nextafter(0.1, 1.0)),
        lambda model: (model, 0.1, None),
    ],
)
def test_other_content_is_another_program(folder, changed):
    make, model = Counted(), lw.load("two_link")
    kept_program(make, model, 0.1)
    kept_program(make, *changed(model))
    assert make.made == 2


def test_other_sources_are_another_program(folder, monkeypatch):
    make = Counted()
    kept_program(make, 1)
    monkeypatch.setattr(kept_programs, "sources", lambda: b"edited")
    kept_program(make, 1)
    assert make.made == 2


def test_sources_are_those_of_the_library():
    assert SOURCES() == SOURCES()
    assert len(SOURCES()) == 32


class OfUser:
    """A class that may change without the library noticing."""


def gain_of_user(x):
    return 2.0 * x


@pytest.mark.parametrize("unknown", [gain_of_user, OfUser, OfUser(), lambda x: x, np, {"law": [gain_of_user]}])
def test_what_functions_of_users_determine_is_not_kept(folder, unknown):
    make = Counted()
    for _ in range(2):
        assert kept_program(make, unknown) is make.program
    assert make.made == 2
    assert not folder.exists() or not list(folder.iterdir())


def test_nothing_is_kept_without_sources_or_a_folder(folder, monkeypatch):
    make = Counted()
    monkeypatch.setattr(kept_programs, "sources", lambda: None)
    kept_program(make, 1)
    monkeypatch.setattr(kept_programs, "sources", lambda: b"sources")
    monkeypatch.setenv("LINKWRIGHT_CACHE", "off")
    kept_program(make, 1)
    assert make.made == 2


@pytest.mark.parametrize("damage", [b"", b"linkwright code 1\n", None])
def test_damaged_files_are_made_again(folder, damage):
    make = Counted()
    kept_program(make, 1)
    (path,) = folder.iterdir()
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2] if damage is None else damage)
    assert kept_program(make, 1).digest == make.program.digest
    kept_program(make, 1)
    assert make.made == 2


def motion_of(duration: float = 0.05, **options) -> lw.Motion:
    model = lw.load("quadruped").with_ground()
    q0 = lw.standing_configuration(model, model.neutral())
    return lw.simulate(model, q0, np.full(model.nv, 0.1), duration, **options)


def test_second_simulation_is_not_traced_and_equal(folder, monkeypatch):
    first = motion_of()
    monkeypatch.setattr(step_function, "trace", lambda *bound: pytest.fail("it was traced again"))
    second = motion_of()
    np.testing.assert_array_equal(second.q, first.q)
    np.testing.assert_array_equal(second.v, first.v)
    np.testing.assert_array_equal(second.impulses, first.impulses)


def test_controllers_of_users_are_traced_again(folder, monkeypatch):
    def hold(model, t, q, v):
        return -gain_of_user(v)

    first = motion_of(controller=hold)
    monkeypatch.setitem(globals(), "gain_of_user", lambda x: 5.0 * x)
    assert np.abs(motion_of(controller=hold).v - first.v).max() > 1e-6


def test_functions_of_the_library_are_not_traced_again(folder, monkeypatch):
    def results() -> list[np.ndarray]:
        model = lw.load("arm7")
        q = np.tile(np.linspace(-1.0, 1.0, model.nv), (2, 1))
        derivatives = lw.forward_dynamics_derivatives(model, q, 0.5 * q, q)
        kernel = lw.compile(lw.inverse_dynamics, model, wrenches=["link7"])
        return [lw.mass_matrix(model, q), *derivatives, kernel(q, q, q, np.ones((2, 6)))]

    first = results()
    monkeypatch.setattr(selection, "trace", lambda bound: pytest.fail(f"{bound.title} was traced again"))
    for one, other in zip(first, results(), strict=True):
        np.testing.assert_array_equal(one, other)


def test_options_and_shapes_are_of_what_determines_a_program(folder):
    model, q = lw.load("arm7"), np.full(7, 0.3)
    wrench = np.arange(6.0)
    results = []
    for frames in ([], ["link7"], ["link4"]):
        kernel = lw.compile(lw.inverse_dynamics, lw.load("arm7"), wrenches=frames)
        results.append(kernel(q, q, q, *[wrench] * len(frames)))
    assert np.abs(results[1] - results[2]).max() > 1e-3
    np.testing.assert_allclose(results[0], lw.inverse_dynamics(model, q, q, q), rtol=1e-12)
    np.testing.assert_allclose(results[2], lw.inverse_dynamics(model, q, q, q, wrenches={"link4": wrench}), rtol=1e-12)


def test_functions_of_users_are_traced_again(folder):
    model, q = lw.load("two_link"), np.array([0.3, 0.4])
    for factor in (1.0, 2.0):

        def scaled(model, q, factor=factor):
            return factor * lw.center_of_mass(model, q)

        np.testing.assert_allclose(lw.compile(scaled, model)(q), factor * lw.center_of_mass(model, q), rtol=1e-13)
