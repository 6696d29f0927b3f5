"""Motion after the generated right-hand side is that of the compiled simulation."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import InputError, MissingExtraError, ShapeError
from linkwright.symbolic.output.motion import motion_of


def sprung() -> lw.Model:
    """A pendulum with a spring and a damper, on a body that floats."""
    builder = lw.Builder("sprung").body("base", 2.0, (0.1, 0, 0), 0.2).body("bob", 1.0, (0, 0, -0.4), 0.1)
    builder.joint("root", "free", "world", "base")
    return builder.joint("hinge", "revolute", "base", "bob", damping=0.3).joint_spring("hinge", 4.0).build()


@pytest.mark.parametrize(
    ("model", "q0", "v0", "duration"),
    [
        (lw.load("two_link"), np.radians([30.0, 30.0]), np.zeros(2), 3.0),  # the motion is chaotic
        (lw.load("pendulum"), np.array([2.5]), np.array([-1.0]), 3.0),
        (sprung(), None, np.array([0.1, 0.2, -0.3, 1.0, -2.0, 0.5, 3.0]), 1.2),
    ],
    ids=["two_link", "pendulum", "sprung"],
)
def test_it_is_the_simulated_one(model, q0, v0, duration):
    q0 = model.random(seed=1) if q0 is None else q0
    t = np.linspace(0.0, duration, 31)
    q, v = motion_of(lw.equations(model), q0, v0, t)
    found = lw.simulate(model, q0, v0, duration, step=2.5e-4, every=round(duration / 30 / 2.5e-4))
    assert found.t == pytest.approx(t)
    assert np.abs(q - found.q).max() < 1e-9
    assert np.abs(v - found.v).max() < 1e-8
    for start in model.quaternion_starts:
        assert np.linalg.norm(q[:, start : start + 4], axis=1) == pytest.approx(1.0, abs=1e-10)


def test_from_any_time_on():
    made = lw.equations(lw.load("pendulum"), "numbers")
    first, _ = motion_of(made, [0.3], [0.0], [0.0, 1.0, 2.0])
    later, _ = motion_of(made, [0.3], [0.0], [5.0, 6.0, 7.0])
    assert first == pytest.approx(later, abs=1e-11)


def test_mistakes_are_reported(monkeypatch):
    made = lw.equations(lw.load("two_link"))
    with pytest.raises(ShapeError, match="q0"):
        motion_of(made, [0.0, 0.0], [0.0], [0.0, 1.0])
    with pytest.raises(InputError, match="increasing"):
        motion_of(made, [0.0, 0.0], [0.0, 0.0], [0.0, 1.0, 1.0])
    with pytest.raises(InputError, match="v0"):
        motion_of(made, [0.0, 0.0], [0.0, np.nan], [0.0, 1.0])
    with pytest.raises(InputError):
        motion_of(made, [0.0, np.inf], [0.0, 0.0], [0.0, 1.0])
    monkeypatch.setitem(sys.modules, "scipy.integrate", None)
    with pytest.raises(MissingExtraError, match="SciPy"):
        motion_of(made, [0.0, 0.0], [0.0, 0.0], [0.0, 1.0])
