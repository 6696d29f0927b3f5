"""Armature is a diagonal of M: of velocities whose axes turn with the body it would push what spins, and is refused."""

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import LinkwrightError
from mechanisms import relative_error


def a_body(kind, **options):
    made = lw.Builder("spinner", gravity=(0, 0, 0)).body("b", 1.0, (0.1, 0, 0.05), inertia=[0.1, 0.2, 0.25])
    return made.joint("j", kind, "world", "b", **options).build()


@pytest.mark.parametrize(
    ("kind", "armature", "zeros"),
    [
        ("free", 0.5, r"\[0, 0, 0, a, a, a\]"),
        ("free", [0, 0.1, 0, 0, 0, 0], r"\[0, 0, 0, a, a, a\]"),
        ("planar", 0.5, r"\[0, 0, a\]"),
        ("planar", [0.1, 0, 0.2], r"\[0, 0, a\]"),
    ],
)
def test_armature_of_a_translation_in_axes_that_turn_is_refused(kind, armature, zeros):
    message = rf"joint 'j': a {kind} joint has no armature of its translation.*Give {zeros}, or separate prismatic"
    with pytest.raises(LinkwrightError, match=message):
        a_body(kind, armature=armature)
    with pytest.raises(LinkwrightError, match=message):
        a_body(kind).with_joint("j", armature=armature)


@pytest.mark.parametrize("kind", ["free", "planar"])
def test_as_a_parameter_it_is_refused_too(kind):
    model = a_body(kind)
    with pytest.raises(LinkwrightError, match=rf"'j\.armature' is no parameter: a {kind} joint"):
        lw.compile(lw.forward_dynamics, model, parameters=["j.armature"])
    with pytest.raises(LinkwrightError, match=r"'j\.armature' is no parameter"):
        lw.rollout(model, model.neutral(), np.zeros(model.nv), 3, parameters={"j.armature": np.zeros(model.nv)})


@pytest.mark.parametrize(
    ("kind", "armature"),
    [("free", [0, 0, 0, 0.1, 0.2, 0.3]), ("planar", [0, 0, 0.4]), ("spherical", [0.1, 0.2, 0.3]), ("spherical", 0.5)],
)
def test_what_no_force_acts_on_keeps_its_energy_with_armature_of_turning(kind, armature):
    model = a_body(kind, armature=armature)
    v = np.random.default_rng(0).normal(size=model.nv)
    motion = lw.simulate(model, model.neutral(), v, 1.0, 1e-3)
    assert motion.drift < 1e-10 * motion.energy[0]
    assert motion.kinetic[0] == pytest.approx(0.5 * v @ lw.mass_matrix(model, model.neutral()) @ v)
    if kind != "spherical":  # nothing holds it: its momentum along the world's axes stays
        p = lw.momentum(model, motion.q, motion.v)[:, :3]
        assert np.abs(p - p[0]).max() < 1e-9
    q, tau = motion.q[-1], np.random.default_rng(1).normal(size=model.nv)
    a = lw.forward_dynamics(model, q, v, tau)
    assert relative_error(lw.inverse_dynamics(model, q, v, a), tau) < 1e-12
    bare = a_body(kind)
    assert relative_error(lw.bias_forces(model, q, v), lw.bias_forces(bare, q, v)) < 1e-12
