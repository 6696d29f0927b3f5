"""Identification: recovered parameters, their errors, and messages on bad measurements."""

from __future__ import annotations

import math
import warnings
from dataclasses import replace

import numpy as np
import pytest
from tests.identification.measured import motion, noisy, roughly, with_motors
from tests.mechanisms import one_of_each, random_tree, relative_error

import linkwright as lw
from linkwright.errors import (
    ArgumentError,
    InputError,
    LinkwrightWarning,
    ModelError,
    ShapeError,
    TooLargeError,
    UnknownNameError,
)
from linkwright.identification.fitting.physical import is_physical, near_prior, pseudo_inertia
from linkwright.model.joints.joint import Revolute


@pytest.mark.parametrize("name", ["two_link", "arm4", "puma560"])
def test_base_parameters_are_recovered_from_exact_data(name):
    model = with_motors(lw.load(name))
    q, v, a, tau = motion(model, 400)
    prior = roughly(model, np.random.default_rng(1))
    for options in ({}, {"armature": True, "friction": True}):
        found = lw.identify(prior, q, v, a, tau, **options)
        true = found.base.matrix @ found.unknowns.of_model(model)
        assert relative_error(found.base_parameters, true) < 1e-9
        assert len(found.base_parameters) == found.structural


def test_the_puma_has_36_base_parameters():
    model = lw.load("puma560")
    found = lw.identify(model, *motion(model, 200))
    assert len(found.base_parameters) == 36
    assert len(lw.identify(model, *motion(model, 200), armature=True, friction=True).base_parameters) == 36 + 4 + 12


@pytest.mark.parametrize("seed", range(3))
def test_every_kind_of_joint_is_identified(seed):
    model = one_of_each(seed, mimics=bool(seed), springs=True)
    q, v, a, tau = motion(model, 600, seed)
    found = lw.identify(model, q, v, a, tau)
    true = found.base.matrix @ found.unknowns.of_model(model)
    assert relative_error(found.base_parameters, true) < 1e-9


def test_the_identified_model_gives_the_efforts():
    model = with_motors(lw.load("arm4"))
    q, v, a, tau = motion(model, 400)
    prior = roughly(model, np.random.default_rng(1))
    found = lw.identify(prior, q, v, a, tau, armature=True, friction=True).model
    other = motion(model, 50, seed=5)
    again = lw.inverse_dynamics(found, *other[:3]) - lw.passive_forces(found, *other[:2])
    assert relative_error(again, other[3]) < 1e-5


def test_deviations_are_as_large_as_standard_errors_say():
    """Of 60 runs: the rms of deviations in standard errors is 1, and they exceed three as often as they should."""
    model = with_motors(lw.load("arm4"))
    rng, deviations, sigmas = np.random.default_rng(3), [], []
    q, v, a, tau = motion(model, 600)
    priors = [roughly(model, rng) for _ in range(6)]
    for k in range(60):
        measured, sigma = noisy(tau, rng)
        found = lw.identify(priors[k % 6], q, v, a, measured, armature=True, friction=True)
        true = found.base.matrix @ found.unknowns.of_model(model)
        deviations.append((found.base_parameters - true) / found.standard_errors)
        sigmas.append(found.sigma / sigma)
        bodies = found.parameters[: 10 * len(model.bodies)].reshape(-1, 10)
        assert is_physical(bodies).all()
        assert (found.parameters[10 * len(model.bodies) :] > 0.0).all()
    z = np.concatenate(deviations)
    assert len(z) == 60 * 32
    assert abs(np.sqrt((z**2).mean()) - 1.0) < 0.05
    expected = math.erfc(3.0 / math.sqrt(2.0)) * len(z)
    assert (np.abs(z) > 3.0).sum() <= expected + 4.0 * math.sqrt(expected)
    assert np.abs(np.mean(sigmas, axis=0) - 1.0).max() < 0.02


def test_spikes_do_not_sway_robust_weights():
    model = lw.load("arm4")
    rng = np.random.default_rng(4)
    q, v, a, tau = motion(model, 800)
    robust, plain = [], []
    for _ in range(8):
        measured, sigma = noisy(tau, rng)
        spikes = (rng.uniform(size=tau.shape) < 0.05) * rng.choice([-20.0, 20.0], tau.shape)
        found = lw.identify(model, q, v, a, measured + spikes * sigma, robust=True)
        true = found.base.matrix @ found.unknowns.of_model(model)
        robust.append((found.base_parameters - true) / found.standard_errors)
        squares = lw.identify(model, q, v, a, measured + spikes * sigma)
        plain.append((squares.base_parameters - true) / found.standard_errors)
        assert np.abs(found.sigma / sigma - 1.0).max() < 0.2
        assert ((found.base.wild > 0.1) & (found.base.wild < 0.3)).all()
    assert abs(np.sqrt(np.mean(np.square(robust))) - 1.0) < 0.12
    assert np.sqrt(np.mean(np.square(plain))) > 2.5


def test_every_link_is_physical_where_least_squares_leaves_some_that_are_not():
    model = lw.load("arm7")
    rng = np.random.default_rng(0)
    q, v, a, tau = motion(model, 300)
    beyond = 0
    for _ in range(5):
        prior = roughly(model, rng)
        found = lw.identify(prior, q, v, a, noisy(tau, rng)[0])
        assert is_physical(found.parameters.reshape(-1, 10)).all()
        before = found.unknowns.of_model(prior)
        K = found.base.matrix
        plain = before + np.linalg.pinv(K) @ (found.base_parameters - K @ before)
        beyond += int((~is_physical(plain.reshape(-1, 10))).sum())
    assert beyond > 0


def test_what_is_not_seen_is_the_priors():
    model = lw.load("arm7")
    prior = model.with_body("link1", mass=3.0)
    q, v, a, tau = motion(model, 400)
    found = lw.identify(prior, q, v, a, noisy(tau, np.random.default_rng(0))[0])
    assert found.seen[found.names.index("link1.m")] == "no"
    assert found.seen[found.names.index("link7.mcx")] == "alone"
    assert found.seen[found.names.index("link7.m")] == "with others"
    assert found["link1.m"] == pytest.approx(3.0, rel=0.1)
    with pytest.raises(UnknownNameError, match="link1"):
        found["link1.mass"]


def test_streams_are_as_good_as_arrays():
    model = with_motors(lw.load("arm4"))
    q, v, a, tau = motion(model, 20_000)
    tau = noisy(tau, np.random.default_rng(0))[0]
    whole = lw.identify(model, q, v, a, tau, friction=True, robust=True)
    parts = [lw.Measurements(*(x[k : k + 3000] for x in (q, v, a, tau))) for k in range(0, len(q), 3000)]
    for given in (parts, lambda: iter(parts)):
        found = lw.identify(model, given, friction=True, robust=True)
        np.testing.assert_allclose(found.base_parameters, whole.base_parameters, atol=1e-4)
    plain = lw.identify(model, iter(parts), friction=True)
    np.testing.assert_allclose(
        plain.base_parameters, lw.identify(model, q, v, a, tau, friction=True).base_parameters, rtol=1e-9, atol=1e-11
    )
    with pytest.raises(InputError, match="several passes"):
        lw.identify(model, iter(parts), robust=True)


def test_normal_equations_are_those_of_the_dense_regressor():
    model = lw.load("two_link")
    q, v, a, tau = motion(model, 5000)
    tau, _ = noisy(tau, np.random.default_rng(0))
    found = lw.identify(model, q, v, a, tau)
    columns = found.base.plain.columns
    Y = columns.dense(q, v, a) / found.sigma[:, None]
    dense = np.linalg.lstsq(Y.reshape(-1, Y.shape[-1]), (tau / found.sigma).reshape(-1), rcond=None)[0]
    np.testing.assert_allclose(found.base_parameters, dense, rtol=1e-6)
    covariance = np.linalg.inv(np.einsum("nji,njk->ik", Y, Y))
    np.testing.assert_allclose(found.base.covariance, covariance, rtol=1e-6, atol=1e-12)


def test_accelerations_are_computed_where_they_are_missing():
    model = lw.load("two_link")
    motion_ = lw.exciting_trajectory(model, steps=0)
    samples = motion_.sampled(500.0, 2)
    found = lw.identify(model, samples.q, tau=samples.tau, t=samples.t)
    true = found.base.matrix @ found.unknowns.of_model(model)
    assert relative_error(found.base_parameters, true) < 1e-3


def test_quaternions_are_differentiated_too():
    model = random_tree([Revolute], 3, floating=True)
    t = np.arange(0.0, 4.0, 1e-3)
    start, rate = model.random(seed=1), np.random.default_rng(0).standard_normal((2, model.nv))
    angles = np.sin(np.multiply.outer(2.0 * t, np.ones(model.nv))) * rate[0] * 0.3
    q = lw.integrate(model, np.broadcast_to(start, (len(t), model.nq)), angles)
    v, a = lw.smooth_derivatives(model, t, q, cutoff=None)
    k = 1000
    ahead = lw.integrate(model, q[k], 1e-3 * v[k] + 0.5e-6 * a[k])
    assert relative_error(lw.difference(model, ahead, q[k + 1]), np.zeros(model.nv)) < 1e-8


def test_large_mechanisms_are_identified_without_one_kernel_for_all(monkeypatch):
    model = with_motors(lw.load("arm4"))
    q, v, a, tau = motion(model, 300)
    found = lw.identify(model, q, v, a, tau, friction=True, only=["link3", "link4"])

    def refused(*arguments, **named):
        raise TooLargeError("too large")

    monkeypatch.setattr("linkwright.identification.fitting.columns.compile", refused)
    monkeypatch.setattr("linkwright.identification.fitting.columns.ENTRIES", 5000)
    again = lw.identify(replace(model), q, v, a, tau, friction=True, only=["link3", "link4"])
    np.testing.assert_allclose(again.base_parameters, found.base_parameters, atol=1e-9)


def test_a_payload_is_found():
    arm = lw.load("arm7")
    true = arm.with_payload("tool", 2.0, (0.02, 0.0, 0.1), 0.01)
    q, v, a, tau = motion(true, 500)
    found = lw.identify_payload(arm, "tool", q, v, a, tau)
    assert found.names[0] == "payload.m"
    assert found["payload.m"] == pytest.approx(2.0, rel=1e-4)
    body = next(b for b in found.model.description.bodies if b.name == "payload")
    np.testing.assert_allclose(body.center_of_mass, [0.02, 0.0, 0.1], atol=1e-4)
    np.testing.assert_allclose(body.inertia, 0.01 * np.eye(3), atol=1e-4)
    assert relative_error(lw.inverse_dynamics(found.model, q, v, a), tau) < 1e-4


@pytest.mark.parametrize("noise", [0.0, 1e-3])
def test_physical_parameters_of_inner_links_explain_the_efforts(noise):
    """The outer joints, on which the two links have no influence, have residuals of rounding alone."""
    arm, rng = lw.load("arm7"), np.random.default_rng(3)
    heavier = arm.with_link("link1", mass=1.6 * arm.bodies[0].mass).with_link("link2", mass=1.6 * arm.bodies[1].mass)
    q, v, a, tau = motion(heavier, 400)
    tau = tau + noise * tau.std(axis=0) * rng.standard_normal(tau.shape)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LinkwrightWarning)
        found = lw.identify(arm, q, v, a, tau, only=["link1", "link2"])
    assert (found.rms <= 1.02 * found.base.own_rms + 1e-4 * found.base.measured).all()


def test_joints_without_sensors_are_left_out():
    model = lw.load("arm4")
    q, v, a, tau = motion(model, 400)
    tau[:, 0] = 1e3
    found = lw.identify(model, q, v, a, tau, joints=["joint2", "joint3", "joint4"])
    assert found.joints == ("joint2", "joint3", "joint4")
    true = found.base.matrix @ found.unknowns.of_model(model)
    assert relative_error(found.base_parameters, true) < 1e-9


def test_motions_that_show_little_are_reported():
    model = lw.load("arm4")
    q, _, _, _ = motion(model, 400)
    still = np.zeros((400, 4))
    tau = lw.gravity_forces(model, q)
    with pytest.warns(LinkwrightWarning, match=r"show \d of 22 base parameters"):
        found = lw.identify(model, q, still, still, tau)
    true = found.base.matrix @ found.unknowns.of_model(model)
    assert len(found.base_parameters) < 22
    assert relative_error(found.base_parameters, true) < 1e-9
    with pytest.warns(LinkwrightWarning, match="base parameters"):
        once = lw.identify(model, np.tile(q[:1], (400, 1)), still, still, np.tile(tau[:1], (400, 1)))
    assert len(once.base_parameters) <= 4


def test_flat_and_thin_bodies_of_files_are_made_thicker():
    model = lw.load("two_link").with_body("link2", inertia=(0.0, 0.1, 0.1))
    q, v, a, tau = motion(model, 200)
    found = lw.identify(model, q, v, a, tau)
    assert found.mended == ("link2",)
    assert is_physical(found.parameters.reshape(-1, 10)).all()
    assert "thicker" in found.report()


def test_what_is_identified_is_saved_and_read_again(tmp_path):
    model = with_motors(lw.load("arm4"))
    q, v, a, tau = motion(model, 300)
    found = lw.identify(roughly(model, np.random.default_rng(0)), q, v, a, tau, friction=True)
    with pytest.warns(LinkwrightWarning, match="armature"):
        found.model.save(tmp_path / "found.urdf")
    again = lw.load(tmp_path / "found.urdf")
    before = found.model
    for joint in before.joints:
        before = before.with_joint(joint.name, armature=0.0)
    got = lw.inverse_dynamics(again, q, v, a) - lw.passive_forces(again, q, v)
    assert relative_error(got, lw.inverse_dynamics(before, q, v, a) - lw.passive_forces(before, q, v)) < 1e-9


def test_reports_and_pictures_say_what_was_found(tmp_path):
    model = lw.load("two_link")
    q, v, a, tau = motion(model, 200)
    found = lw.identify(model, q, v, a, noisy(tau, np.random.default_rng(0))[0], np.arange(200) * 0.01, robust=True)
    text = found.report()
    for expected in ("6 of 6 base parameters", "std. error", "link1.Izz", "counted less", "share"):
        assert expected in text
    assert len(str(found)) < len(text)
    found.plot(tmp_path / "efforts.png")
    found.plot_parameters(tmp_path / "parameters.png")
    assert (tmp_path / "efforts.png").stat().st_size > 10_000


def _arm():
    model = lw.load("two_link")
    return model, *motion(model, 50)


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        (lambda q, v, a, tau: (q[:, :1], v, a, tau), ShapeError, r"q has shape \(50, 1\); expected \(samples, 2\)"),
        (lambda q, v, a, tau: (q, v[:-1], a, tau), ShapeError, "numbers of rows: q 50, v 49, a 50, tau 50"),
        (lambda q, v, a, tau: (q, v, a, tau * np.nan), InputError, r"tau\[0, 0\] \(joint1\) is nan"),
        (
            lambda q, v, a, tau: (np.where(q == q[3, 1], np.inf, q), v, a, tau),
            InputError,
            r"q\[3, 1\] \(joint2\) is inf",
        ),
        (lambda q, v, a, tau: (q, v, a, None), InputError, "have efforts tau"),
        (lambda q, v, a, tau: (q, v, None, tau), InputError, "need times t"),
        (lambda q, v, a, tau: (q, v, a, tau, [0.0, 1.0]), ShapeError, r"t has shape \(2,\); expected \(50,\)"),
        (lambda q, v, a, tau: (q[:2], v[:2], a[:2], tau[:2]), InputError, "4 samples|2 samples of 2 joints for 6"),
        (lambda q, v, a, tau: (q[:0], v[:0], a[:0], tau[:0]), InputError, "no samples"),
        (lambda q, v, a, tau: (q, v, a, tau * 0.0), InputError, "no effort"),
        (lambda q, v, a, tau: ("abc", v, a, tau), ArgumentError, "q must be an array of real numbers"),
        (lambda q, v, a, tau: ([lw.Measurements(q, v, a, tau)], v), ArgumentError, "give no further arrays"),
        (lambda q, v, a, tau: (iter([(q, v)]),), ArgumentError, "parts of measurements are Measurements"),
    ],
)
def test_measurements_that_cannot_be_used_are_reported(change, error, message):
    model, *arrays = _arm()
    with pytest.raises(error, match=message):
        lw.identify(model, *change(*arrays))


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"only": ["hand"]}, UnknownNameError, "unknown link 'hand'; there are link1, link2"),
        ({"only": "link2"}, ArgumentError, "only is a list of links"),
        ({"joints": ["elbow"]}, UnknownNameError, "elbow"),
        ({"joints": []}, InputError, "one at least"),
        ({"weight": 0.0}, InputError, "weight is a number from 1e-05 on"),
        ({"friction": 1}, ArgumentError, "friction is True or False"),
        ({"prior": 3}, ArgumentError, "prior is a Model"),
        ({"prior": lw.load("arm4")}, InputError, "has other bodies or joints than 'two_link'"),
    ],
)
def test_options_that_cannot_be_are_reported(options, error, message):
    model, *arrays = _arm()
    with pytest.raises(error, match=message):
        lw.identify(model, *arrays, **options)


def test_mechanisms_that_cannot_be_identified_are_reported():
    loops = lw.load("four_bar")
    with pytest.raises(ModelError, match="closed loops"):
        lw.identify(loops, np.zeros((5, loops.nq)), *np.zeros((3, 5, loops.nv)))
    with pytest.raises(ArgumentError, match="is a Model"):
        lw.identify("arm7", np.zeros((5, 7)))


def test_uneven_times_are_reported():
    model, q, _v, _a, tau = _arm()
    t = np.sort(np.random.default_rng(0).uniform(0.0, 1.0, 50))
    with pytest.raises(InputError, match="evenly spaced"):
        lw.identify(model, q, tau=tau, t=t)
    even = lw.Measurements(q, tau=tau, t=t).resampled(0.01)
    np.testing.assert_allclose(np.diff(even.t), 0.01)
    with pytest.raises(InputError, match="too few"):
        lw.identify(model, q[:8], tau=tau[:8], t=0.01 * np.arange(8))


def test_the_filter_shifts_nothing_and_takes_what_is_too_fast():
    from scipy.signal import butter, sosfiltfilt

    from linkwright.identification.measurements.smoothing import low_pass

    rng = np.random.default_rng(0)
    x = np.cumsum(rng.standard_normal((4000, 2)), axis=0)
    ours = low_pass(x, 1e-3, 15.0)
    reference = sosfiltfilt(butter(4, 15.0, fs=1000.0, output="sos"), x, axis=0)
    middle = slice(500, -500)
    assert np.abs(ours - reference)[middle].max() < 2e-3 * np.abs(x).max()
    line = np.linspace(0.0, 1.0, 500)[:, None]
    np.testing.assert_allclose(low_pass(line, 1e-3, 20.0), line, atol=1e-9)


def test_the_divergence_is_least_at_the_prior_and_convex():
    rng = np.random.default_rng(0)
    for _ in range(20):
        root = rng.standard_normal((4, 4))
        J = root @ root.T + 0.1 * np.eye(4)
        I = np.trace(J[:3, :3]) * np.eye(3) - J[:3, :3]
        ten = np.concatenate([[J[3, 3]], J[:3, 3], I[[0, 0, 1, 0, 1, 2], [0, 1, 1, 2, 2, 2]]])
        np.testing.assert_allclose(pseudo_inertia(ten), J, atol=1e-12)
        none = near_prior(np.zeros((0, 10)), np.zeros(0), np.zeros((0, 0)), ten, 1, 1.0)
        np.testing.assert_allclose(none.parameters, ten, atol=1e-10)
        assert (none.share == 0.0).all()
        # given a mass for which a body of that size would have to be turned inside out for: it stays a body
        K = np.eye(10)[:1]
        light = near_prior(K, np.array([1e-3 * ten[0]]), np.array([[1e12]]), ten, 1, 1.0)
        assert is_physical(light.parameters)
        assert light.parameters[0] == pytest.approx(1e-3 * ten[0], rel=1e-3)


@pytest.mark.parametrize("name", ["pendulum", "two_link", "planar:3", "puma560"])
@pytest.mark.parametrize("friction", [False, True])
def test_efforts_of_the_wrong_sign_are_reported_and_the_nearest_bodies_found(name, friction):
    model = lw.load(name)
    q, v, a, tau = motion(model, 300)
    with pytest.warns(
        LinkwrightWarning, match=r"efforts is left .*; (the efforts ask for what no|nothing).* Are signs"
    ):
        found = lw.identify(model, q, v, a, -tau, armature=friction, friction=friction)
    assert is_physical(found.parameters[: 10 * len(model.bodies)].reshape(-1, 10)).all()
    assert np.isfinite(found.rms).all()
    assert np.isfinite(found.share).all()


@pytest.mark.parametrize(
    "change",
    [
        lambda q, v, a, tau: (np.degrees(q), v, a, tau),
        lambda q, v, a, tau: (q, v, a, tau[:, ::-1]),
        lambda q, v, a, tau: (q, v, a, np.random.default_rng(0).standard_normal(tau.shape)),
    ],
)
@pytest.mark.parametrize("name", ["two_link", "arm7"])
def test_efforts_that_nothing_explains_are_reported(name, change):
    model = lw.load(name)
    q, v, a, tau = motion(model, 300)
    with pytest.warns(LinkwrightWarning, match="much of the measured efforts is left"):
        lw.identify(model, *change(q, v, a, tau))


def test_a_joint_whose_efforts_are_noise_is_no_mistake_of_units():
    model = lw.load("arm7")
    q, v, a, tau = motion(model, 300)
    found = lw.identify(model, q, v, a, tau + 0.01 * np.random.default_rng(0).standard_normal(tau.shape))
    assert found.rms[6] > 0.9 * found.base.measured[6]


def test_a_payload_of_nothing_leaves_little_of_the_efforts():
    """Residuals are relative to all efforts: the model of an arm without a payload fits well."""
    arm = lw.load("arm4")
    q, v, a, tau = motion(arm, 300)
    found = lw.identify_payload(arm, "tool", q, v, a, noisy(tau, np.random.default_rng(0), 0.02)[0])
    assert (found.rms > 0.9 * found.base.measured).any()
    with pytest.warns(LinkwrightWarning, match="much of the measured efforts is left"):
        lw.identify_payload(arm, "tool", q, v, a, -tau)


def test_as_many_equations_as_unknowns_are_too_few():
    model, q, v, a, tau = _arm()
    with pytest.raises(InputError, match="3 samples of 2 joints for 6 base parameters are too few"):
        lw.identify(model, q[:3], v[:3], a[:3], tau[:3])


@pytest.mark.parametrize("samples", [4, 6])
def test_standard_errors_of_few_samples_are_no_nonsense(samples):
    """Where one joint's equations could all be met, its noise is not taken to be nothing."""
    model, rng, z = lw.load("two_link"), np.random.default_rng(0), []
    for seed in range(60):
        q, v, a, tau = motion(model, samples, seed)
        with warnings.catch_warnings(action="ignore", category=LinkwrightWarning):
            found = lw.identify(model, q, v, a, tau + 0.05 * rng.standard_normal(tau.shape))
        true = found.base.matrix @ found.unknowns.of_model(model)
        z.append((found.base_parameters - true) / found.standard_errors)
    assert np.abs(z).max() < 40.0


def test_quaternions_that_are_none_are_reported():
    model = lw.load("quadruped")
    q, v, a, tau = motion(model, 100)
    start = model.quaternion_starts[0]
    found = lw.identify(model, q, v, a, tau)
    for factor in (2.0, 0.0):
        wrong = q.copy()
        wrong[7, start : start + 4] *= factor
        with pytest.raises(InputError, match=rf"quaternion .* q\[7, {start}:{start + 4}\] .*length {factor:g}, not 1"):
            lw.identify(model, wrong, v, a, tau)
    q[:, start : start + 4] *= 1.0 + 1e-4
    np.testing.assert_allclose(lw.identify(model, q, v, a, tau).base_parameters, found.base_parameters, atol=1e-8)


def test_the_prior_is_one_thing_and_what_a_file_does_not_have_is_zero():
    model = lw.load("arm4")
    q, v, a, tau = motion(model, 400)
    found = lw.identify(model, q, v, a, noisy(tau, np.random.default_rng(0))[0], armature=True, friction=True)
    n = 10 * len(model.bodies)
    assert (found.prior[n:] == 0.0).all()
    np.testing.assert_allclose(found.rms_before, found.base.rms(found.prior))
    assert (found.parameters[n:] >= 0.0).all()
    assert (np.abs(found.parameters[n:]) < 0.05).all()  # there is none in the efforts
    still = lw.identify(model, q, v, a, tau, armature=True)
    unseen = [k for k, seen in enumerate(still.seen) if seen == "no"]
    np.testing.assert_allclose(still.parameters[unseen], still.prior[unseen], atol=1e-6)


def test_gaps_are_reported_and_what_is_between_them_taken_apart():
    model, t = lw.load("two_link"), 0.01 * np.arange(400)
    q = np.column_stack([np.sin(3.0 * t), np.cos(2.0 * t)])
    v = np.column_stack([3.0 * np.cos(3.0 * t), -2.0 * np.sin(2.0 * t)])
    tau = lw.inverse_dynamics(model, q, v, -np.array([9.0, 4.0]) * q)
    t[200:] += 5.0
    data = lw.Measurements(q=q, tau=tau, t=t)
    for refused in (lambda: lw.identify(model, data), lambda: data.resampled(0.01)):
        with pytest.raises(InputError, match=r"gap of 5.01 s .*after t\[199\].*parts\(\)"):
            refused()
    parts = data.parts()
    assert [len(part.q) for part in parts] == [200, 200]
    np.testing.assert_array_equal(parts[1].t, t[200:])
    found = lw.identify(model, parts)
    assert (found.rms < 0.01 * found.base.measured).all()
    assert len(lw.Measurements(q, t=np.arange(400.0)).parts()) == 1


@pytest.mark.parametrize("factors", [(1e160, 1.0), (1.0, 1e200)])
def test_values_whose_squares_are_no_numbers_are_reported(factors):
    model, q, v, a, tau = _arm()
    with pytest.raises(InputError, match=r"too large.* v is up to "):
        lw.identify(model, q, v * factors[0], a, tau * factors[1])


def test_rows_that_do_not_belong_together_and_empty_lists_are_reported():
    model, q, v, a, tau = _arm()
    with pytest.raises(ShapeError, match="one row per sample; got numbers of rows: q 3, tau 4"):
        lw.Measurements(q[:3], tau=tau[:4])
    with pytest.raises(InputError, match="the list of measurements is empty"):
        lw.identify(model, [])
    with pytest.raises(InputError, match="only is empty: name a link"):
        lw.identify(model, q, v, a, tau, only=[])


@pytest.mark.parametrize("cutoff", [10.0, 50.0])
def test_filters_that_filter_nothing_are_reported(cutoff):
    model, t = lw.load("two_link"), 0.05 * np.arange(100)
    with pytest.warns(LinkwrightWarning, match=rf"cutoff={cutoff:g} Hz filters nothing: 20 samples a second"):
        lw.smooth_derivatives(model, t, np.sin(np.column_stack([t, t])), cutoff=cutoff)
    lw.smooth_derivatives(model, t, np.sin(np.column_stack([t, t])), cutoff=9.0)


def test_reports_tell_units_and_every_combination_whole(tmp_path):
    model = one_of_each(0, mimics=True)
    q, v, a, tau = motion(model, 800)
    found = lw.identify(model, q, v, a, noisy(tau, np.random.default_rng(0))[0], armature=True, friction=True)
    units = dict(zip(found.names, found.unknowns.units, strict=True))
    body = found.names[0].rpartition(".")[0]
    assert (units[f"{body}.m"], units[f"{body}.mcx"], units[f"{body}.Ixy"]) == ("kg", "kg m", "kg m²")
    for joint in model.joints:
        if joint.nv == 1 and joint.type in ("revolute", "prismatic"):
            expected = ["kg m²", "N m s/rad", "N m"] if joint.type == "revolute" else ["kg", "N s/m", "N"]
            assert [units[f"{joint.name}.{of}"] for of in ("armature", "damping", "friction")] == expected
    whole = found.report()
    assert all(name in whole for name in found.base_names)
    assert "kg m²" in str(found)
    assert "…" in str(found)


def test_legends_stand_beside_the_curves():
    model = lw.load("two_link")
    motion_ = lw.exciting_trajectory(model, steps=0)
    found = lw.identify(model, *motion_.sampled())
    for figure in (found.plot(), motion_.plot()):
        figure.draw_without_rendering()
        (legend,) = figure.legends
        box = legend.get_window_extent()
        assert not any(box.overlaps(ax.get_window_extent()) for ax in figure.axes)
        assert not any(box.overlaps(ax.title.get_window_extent()) for ax in figure.axes)
        assert not any(box.overlaps(ax.xaxis.label.get_window_extent()) for ax in figure.axes if ax.get_xlabel())


def test_a_floating_base_is_identified_with_armatures_of_what_has_some():
    made = lw.Builder("f").body("base", 5.0, (0.1, 0, 0), inertia=[0.1, 0.2, 0.25])
    made.body("arm", 1.0, (0.2, 0.1, 0), inertia=[0.02, 0.03, 0.04]).joint("free", "free", "world", "base")
    model = made.joint("j", "revolute", "base", "arm", axis=(0, 1, 0), armature=0.2).build()
    rng = np.random.default_rng(0)
    q, v, a = model.random(300, seed=rng), *rng.normal(size=(2, 300, model.nv))
    tau = lw.inverse_dynamics(model, q, v, a) + 0.01 * rng.normal(size=(300, model.nv))
    found = lw.identify(model, q, v, a, tau, armature=True).model
    assert (found.armature[:3] == 0.0).all()
    assert found.armature[6] == pytest.approx(0.2, abs=0.01)
