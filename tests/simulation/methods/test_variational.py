"""The variational midpoint rule: what it promises, and nothing more."""

from __future__ import annotations

import numpy as np
import pytest

import linkwright as lw
from linkwright import dynamics
from linkwright.dynamics.configuration import exp_gradient, exp_gradient_inverse
from linkwright.errors import InputError, LinkwrightWarning
from linkwright.model.joints.joint import JOINT_TYPES
from linkwright.simulation.integrators import variational
from linkwright.simulation.integrators.variational import momentum_and_force
from mechanisms import one_of_each, random_tree, relative_error, state


def oscillator(**options):
    builder = lw.Builder("oscillator", gravity=(0, 0, 0)).body("mass", 1.0, inertia=0.01)
    return (
        builder.joint("slide", "prismatic", "world", "mass", axis=[1, 0, 0], **options)
        .joint_spring("slide", 1e3)
        .build()
    )


def test_what_semi_implicit_takes_out_of_springs_is_reported_and_variational_leaves_it():
    model = oscillator()
    damped = lw.simulate(model, [0.1], [0.0], 2.0, method="semi_implicit", every=100)
    result = np.exp(-1e-3 * 1e3 * damped.t)  # e^(−h ω² t)
    np.testing.assert_allclose(damped.energy / damped.energy[0], result, rtol=2e-3)
    kept = lw.simulate(model, [0.1], [0.0], 2.0, method="variational", every=100)
    np.testing.assert_allclose(kept.energy, kept.energy[0], rtol=1e-12)  # of quadratic energies exactly so


@pytest.mark.parametrize("kind", JOINT_TYPES, ids=lambda kind: kind.__name__)
def test_gradients_along_exp(kind):
    model = random_tree([kind, kind], 3)
    rng = np.random.default_rng(0)
    q = model.random(seed=rng)
    for size in (1e-9, 0.05, 1.0):
        u, f = size * rng.normal(size=model.nv), rng.normal(size=model.nv)
        end, h = lw.integrate(model, q, u), 1e-6
        ends = [(lw.integrate(model, q, u + h * e), lw.integrate(model, q, u - h * e)) for e in np.eye(model.nv)]
        J = [(lw.difference(model, end, far) - lw.difference(model, end, near)) / (2 * h) for far, near in ends]
        found = exp_gradient(model, u, f)
        assert relative_error(found, np.array(J) @ f) < 1e-8
        assert relative_error(exp_gradient_inverse(model, u, found), f) < 1e-14


@pytest.mark.parametrize("mimics", [False, True])
@pytest.mark.parametrize("seed", range(2))
def test_momentum_and_force_are_those_of_the_lagrangian(seed, mimics):
    model = one_of_each(seed, mimics=mimics)
    q, v, _ = state(model, seed)
    p, f = momentum_and_force(model, q, v)
    assert relative_error(p, dynamics.mass_matrix(model, q) @ v) < 1e-13

    def lagrangian(delta):
        moved = dynamics.integrate(model, q, delta)
        return dynamics.kinetic_energy(model, moved, v) - dynamics.potential_energy(model, moved)

    slopes = [(lagrangian(1e-5 * e) - lagrangian(-1e-5 * e)) / 2e-5 for e in np.eye(model.nv)]
    assert relative_error(f, slopes) < 1e-8


@pytest.mark.parametrize("kinds", [JOINT_TYPES[:5], JOINT_TYPES[5:7], JOINT_TYPES[7:]], ids=["plain", "ball", "free"])
def test_order_two_with_springs_dampers_friction_and_efforts_on_every_joint_type(kinds):
    model = random_tree(list(kinds), 1)
    q, v, tau = state(model, 1)
    v = 3.0 * np.sign(v) + v  # friction turns round within 0.01 of rest, which no step here resolves

    def end(h, method):
        return lw.simulate(model, q, v, 0.02, h, method, callback=lambda t, q, v: tau).q[-1]

    exact = end(5e-4, "rk4")
    coarse, fine = (np.abs(lw.difference(model, end(h, "variational"), exact)).max() for h in (4e-3, 2e-3))
    assert 1.9 < np.log2(coarse / fine) < 2.1


def test_one_step_is_symplectic():
    """The derivative of (q, p) by (q, p), in δ of integrate and body momenta, keeps the canonical form.

    Of left-trivialized coordinates ω((δ, π), (δ′, π′)) = π′·δ − π·δ′ + p·[δ, δ′].
    """
    model = random_tree([*JOINT_TYPES[4:8], JOINT_TYPES[2]], 2, springs=False)
    q, v, _ = state(model, 2)
    n, h, eps = model.nv, 0.02, 1e-5
    take = variational.variational_step_function(model, {})
    M = lw.mass_matrix(model, q)
    p = M @ v

    def moved(delta, push):
        start = lw.integrate(model, q, delta)
        return start, np.linalg.solve(lw.mass_matrix(model, start), p + push)

    steps = np.concatenate([eps * np.eye(2 * n), -eps * np.eye(2 * n), np.zeros((1, 2 * n))])
    starts = [moved(x[:n], x[n:]) for x in steps]
    q1, v1 = take(np.array([s[0] for s in starts]), np.array([s[1] for s in starts]), np.zeros((len(steps), n)), h)
    p1 = np.einsum("kij,kj->ki", lw.mass_matrix(model, q1), v1)
    ends = np.concatenate([lw.difference(model, q1[-1], q1[:-1]), p1[:-1]], axis=1)
    F = (ends[: 2 * n] - ends[2 * n :]).T / (2 * eps)

    def form(p):
        bracket = np.array([[p @ dynamics.lie_bracket(model, a, b) for b in np.eye(n)] for a in np.eye(n)])
        return np.block([[bracket, np.eye(n)], [-np.eye(n), np.zeros((n, n))]])

    kept = F.T @ form(p1[-1]) @ F
    assert np.abs(kept - form(p)).max() < 1e-5 * np.abs(F).max() ** 2


@pytest.mark.parametrize("seed", range(2))
def test_energy_does_not_drift(seed):
    kinds = [JOINT_TYPES[k] for k in ((0, 4, 6), (1, 2, 8))[seed]]
    model = random_tree(kinds, seed, springs=False)
    q, v, _ = state(model, seed)
    motion = lw.simulate(model, q, 0.3 * v, 20.0, 4e-3, "variational", every=5)
    error = np.abs(motion.energy - motion.energy[0])
    early, late = error[:200].max(), error[-200:].max()
    assert late < 4.0 * early


def test_momenta_of_what_floats_are_conserved_to_rounding():
    model = random_tree([JOINT_TYPES[7], *JOINT_TYPES[4:7]], 5, springs=False, floating=True).with_gravity(np.zeros(3))
    q, v, _ = state(model, 5)
    motion = lw.simulate(model, q, v, 1.0, 5e-3, "variational", every=20)
    h = lw.momentum(model, motion.q, motion.v)
    c = lw.center_of_mass(model, motion.q)
    about_the_origin = h[:, 3:] + np.cross(c, h[:, :3])
    assert np.abs(h[:, :3] - h[0, :3]).max() < 1e-11 * np.abs(h).max()
    assert np.abs(about_the_origin - about_the_origin[0]).max() < 1e-11 * np.abs(about_the_origin).max()


def test_loops_stay_closed_and_keep_their_energy():
    model = lw.load("four_bar")
    q, v = lw.default_configuration(model)
    motion = lw.simulate(model, q, v, 10.0, 5e-3, "variational", every=5)
    assert motion.closure < 1e-12
    assert np.abs(dynamics.constraint_jacobian(model, motion.q[-1]) @ motion.v[-1]).max() < 1e-11
    error = np.abs(motion.energy - motion.energy[0])
    assert error[-100:].max() < 2.0 * error[:100].max()
    exact = lw.simulate(model, q, v, 0.5, 2e-4).q[-1]
    ends = (lw.simulate(model, q, v, 0.5, h, "variational").q[-1] for h in (1e-2, 5e-3))
    coarse, fine = (np.abs(x - exact).max() for x in ends)
    assert 1.9 < np.log2(coarse / fine) < 2.1
    with pytest.raises(InputError, match="stabilization"):
        lw.simulate(model, q, v, 0.1, method=lw.Integrator("variational", stabilization=(1.0, 1.0)))


def test_a_row_does_not_depend_on_its_batch():
    model = lw.load("two_link")
    q, v = model.random(3, seed=0), np.array([[0.0, 0.0], [30.0, -10.0], [1.0, 2.0]])
    together = lw.simulate(model, q, v, 0.1, 1e-2, "variational")
    alone = lw.simulate(model, q[2], v[2], 0.1, 1e-2, "variational")
    np.testing.assert_allclose(together.q[:, 2], alone.q, rtol=0, atol=1e-14)


def test_steps_that_do_not_converge_are_reported_and_end_alone():
    model = lw.load("two_link")
    result = pytest.warns(LinkwrightWarning, match=r"1 of 2 steps of 0.1 s .* did not converge")
    with result, pytest.warns(LinkwrightWarning, match="diverged"):
        motion = lw.simulate(model, [[0.1, 0.2]] * 2, [[0.0, 0.0], [60.0, -90.0]], 0.3, 0.1, "variational")
    assert np.isfinite(motion.q[:, 0]).all()
    assert np.isnan(motion.q[-1, 1]).all()
