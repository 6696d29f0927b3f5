"""Laws of simulated motion, and what simulate refuses."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import solve_ivp
from tests.setups import grouped

import linkwright as lw
from linkwright.compiler.front import trace as tracing
from linkwright.compiler.schedules import selection
from linkwright.errors import InputError, LinkwrightError, LinkwrightWarning, ModelError, ShapeError, TooLargeError
from linkwright.model.build.assembly import assemble
from linkwright.model.joints.joint import JOINT_TYPES, Free, Spherical
from linkwright.simulation.integrators import methods, split_kernels, step_function
from linkwright.simulation.integrators.methods import METHODS, inverse_exponential_rate
from linkwright.simulation.integrators.step_kernels import motion_kernel_spec, step_kernels
from mechanisms import few_trees, random_tree, state


def tumbling_body():
    return (
        lw.Builder("brick", gravity=(0, 0, 0))
        .body("brick", mass=2.0, inertia=[0.1, 0.2, 0.27])
        .joint("free", "free", "world", "brick")
        .build()
    )


def final(model, q, v, duration, step, method="rk4"):
    end = lw.simulate(model, q, v, duration, step, method)
    return end.q[-1], end.v[-1]


def convergence_order(model, q, v, duration, step, method):
    """From the differences between steps h, h/2 and h/4."""
    ends = [final(model, q, v, duration, step / 2**k, method) for k in range(3)]
    errors = [
        np.linalg.norm(np.concatenate([lw.difference(model, a[0], b[0]), b[1] - a[1]]))
        for a, b in itertools.pairwise(ends)
    ]
    return np.log2(errors[0] / errors[1])


@pytest.mark.parametrize("method", [name for name in METHODS if name != "dopri5"])  # it chooses its steps
def test_order_on_a_free_rigid_body(method):
    model = tumbling_body()
    q = np.array([0.1, 0.2, 0.3, 1.0, 0.0, 0.0, 0.0])
    v = np.array([1.0, -2.0, 0.5, 3.0, 0.5, -2.0])
    step = {4: 0.02, 2: 0.002, 1: 0.0002}[METHODS[method].order]
    order = convergence_order(model, q, v, 0.5, step, method)
    assert order == pytest.approx(METHODS[method].order, abs=0.25)


def test_order_four_on_every_joint_type():
    model = random_tree([Free, Spherical, *JOINT_TYPES[:6]], 4, floating=True)
    q, v, _ = state(model, 1)
    # friction is nearly discontinuous at standstill: leave it out of a convergence test
    joints = tuple(replace(joint, friction=0.0) for joint in model.description.joints)
    model = assemble(replace(model.description, joints=joints))
    assert convergence_order(model, q, 0.3 * v, 0.2, 0.005, "rk4") == pytest.approx(4.0, abs=0.4)


def test_rotation_without_the_correction_loses_the_order():
    """The bracket terms are what makes it order four: this is what the test above would miss without them."""
    model = tumbling_body()
    u, v = np.array([0.1, 0.2, -0.1, 0.3, -0.2, 0.4]), np.array([1.0, 0.0, 2.0, -1.0, 0.5, 0.3])
    h = 1e-6
    q = model.neutral()
    rate = inverse_exponential_rate(model, u, v)
    moved = lw.integrate(model, q, u + h * rate)
    along = lw.integrate(model, lw.integrate(model, q, u), h * v)
    gap = lw.difference(model, moved, along) / h
    uncorrected = lw.difference(model, lw.integrate(model, q, u + h * v), along) / h
    assert np.abs(gap).max() < 0.01  # fourth order in u
    assert np.abs(uncorrected).max() > 0.1


def test_energy_error_is_of_the_order_of_the_method():
    model = lw.load("two_link")
    q = np.array([0.5, 0.5])
    drifts = [lw.simulate(model, q, np.zeros(2), 1.0, h).drift for h in (0.02, 0.01, 0.005)]
    orders = np.log2(np.array(drifts[:-1]) / drifts[1:])
    assert (orders > 3.5).all()


def test_a_free_body_keeps_momentum_and_energy():
    model = tumbling_body()
    v = np.array([1.0, -2.0, 0.5, 3.0, 0.5, -2.0])
    motion = lw.simulate(model, model.neutral(), v, 5.0, 5e-4)
    momentum = lw.momentum(model, motion.q, motion.v)
    assert np.abs(momentum - momentum[0]).max() < 1e-8
    assert motion.drift < 1e-9
    lw.check(model, motion.q)
    # the center of mass moves on a line
    position = lw.center_of_mass(model, motion.q)
    velocity = momentum[0, :3] / 2.0
    assert np.abs(position - motion.t[:, None] * velocity).max() < 1e-9


def test_two_link_motion_agrees_with_an_independent_integration():
    """Printed equations of `equations.md` §6, integrated by another method, 3 s at step 2e-4."""
    l, lg, m, I, g = 1.0, 0.5, 1.0, 0.1, 9.8

    def rate(t, x):
        a, b, da, db = x
        c2, s2 = np.cos(b), np.sin(b)
        M11 = m * lg**2 + m * (l**2 + lg**2 + 2 * l * lg * c2) + 2 * I
        M12, M22 = m * (lg**2 + l * lg * c2) + I, m * lg**2 + I
        h = np.array([-m * l * lg * s2 * db * (2 * da + db), m * l * lg * s2 * da**2])
        G = np.array(
            [m * g * (lg * np.cos(a + b) + l * np.cos(a)) + m * g * lg * np.cos(a), m * g * lg * np.cos(a + b)]
        )
        return [da, db, *np.linalg.solve([[M11, M12], [M12, M22]], -h - G)]

    start = np.radians([30.0, 30.0])
    t = np.linspace(0.0, 3.0, 61)
    reference = solve_ivp(rate, (0, 3), [*start, 0, 0], method="DOP853", rtol=1e-13, atol=1e-13, t_eval=t).y.T
    motion = lw.simulate(lw.load("two_link"), start, np.zeros(2), 3.0, 2e-4, every=250)
    assert motion.t == pytest.approx(t, abs=1e-12)
    assert np.abs(np.hstack([motion.q, motion.v]) - reference).max() < 1e-9


@settings(max_examples=8, deadline=None)
@given(few_trees(), st.integers(0, 1000))
def test_passive_motion_never_gains_energy(model, seed):
    q, v, _ = state(model, seed)
    motion = lw.simulate(model, q, 0.1 * v, 0.05, 2e-4)
    gain = np.diff(motion.energy)
    assert gain.max() < 1e-6 * (1.0 + np.abs(motion.energy).max())


def test_a_batch_is_its_motions():
    model = lw.load("two_link")
    q = model.random(5, seed=1)
    together = lw.simulate(model, q, np.zeros(2), 0.1, 1e-2)
    assert together.q.shape == (11, 5, 2)
    for k in range(5):
        alone = lw.simulate(model, q[k], np.zeros(2), 0.1, 1e-2)
        assert np.array_equal(together[k].q, alone.q)
        assert np.array_equal(together[k].energy, alone.energy)


def test_controller_holds_a_posture():
    model = lw.load("puma560")
    posture = np.array([0.3, 0.5, -0.4, 0.2, 0.4, -0.1])
    motion = lw.simulate(model, posture + 0.1, np.zeros(6), 3.0, controller=lw.control.hold_posture(model, posture))
    assert np.abs(motion.q[-1] - posture).max() < 1e-3
    assert np.abs(motion.tau[-1] - lw.gravity_forces(model, posture)).max() < 1.0
    asked = []

    def controller(t, q, v):
        asked.append((t, q.copy(), v.copy()))
        return np.full(6, 0.5)

    motion = lw.simulate(model, posture, np.zeros(6), 0.01, 1e-3, callback=controller)
    assert [t for t, _, _ in asked] == pytest.approx(motion.t)
    assert np.array_equal([q for _, q, _ in asked], motion.q)
    assert (motion.tau == 0.5).all()


def test_floating_base_under_joint_control_gets_no_effort_on_its_base():
    model = lw.load("quadruped")
    motion = lw.simulate(
        model, model.neutral(), np.zeros(model.nv), 0.2, controller=lw.control.hold_joints(model, model.neutral())
    )
    assert (motion.tau[:, :6] == 0.0).all()
    fall = 0.5 * 9.81 * 0.2**2
    start, end = (lw.center_of_mass(model, motion.q[k])[2] for k in (0, -1))
    assert start - end == pytest.approx(fall, rel=1e-6)


def test_save_and_read_back(tmp_path):
    model = lw.load("two_link")
    motion = lw.simulate(model, [0.1, 0.2], [0.0, 0.0], 0.05, 1e-2)
    with np.load(motion.save(tmp_path / "motion.npz")) as file:
        assert np.array_equal(file["q"], motion.q)
        assert np.array_equal(file["energy"], motion.energy)
        assert list(file["coordinate_names"]) == list(model.coordinate_names)
    lines = motion.save(tmp_path / "motion.csv").read_text().splitlines()
    assert len(lines) == 7
    header, table = lines[0].split(","), np.loadtxt(lines[1:], delimiter=",")
    assert table.shape == (6, len(header))
    assert np.array_equal(table[:, header.index("energy")], motion.energy)
    assert np.array_equal(table[:, [header.index(f"q:{name}") for name in model.coordinate_names]], motion.q)
    with pytest.raises(LinkwrightError, match=r"\.npz, \.csv, \.mcap or \.rrd"):
        motion.save(tmp_path / "motion.mat")


def test_folders_are_made_for_what_is_written(tmp_path):
    motion = lw.simulate(lw.load("two_link"), [0.1, 0.2], [0.0, 0.0], 0.05, 1e-2)
    for name, write in (
        ("a/motion.npz", motion.save),
        ("b/c/motion.CSV", motion.save),
        ("d/motion.png", motion.plot),
        ("e/f/motion.gif", motion.animate),
        ("g/mass_matrix.c", lw.compile(lw.mass_matrix, motion.model).save),
    ):
        write(tmp_path / name)
        assert (tmp_path / name).stat().st_size > 0
        (tmp_path / "file").touch()
        with pytest.raises(LinkwrightError, match="cannot be a folder"):
            write(tmp_path / "file" / name)
        if write != motion.animate:  # which writes numbered pictures in folders
            with pytest.raises(LinkwrightError, match=r"it is a folder|are written as"):
                write(tmp_path / name[0])
        with pytest.raises(LinkwrightError, match="a path is"):
            write(5)
    with pytest.raises(LinkwrightError, match="xyz"):
        motion.plot(tmp_path / "motion.xyz")


def test_a_controller_may_write_in_what_it_is_given():
    def scribble(t, q, v):
        q[:], v[:] = 5.0, 9.0
        return np.zeros(2)

    model = lw.load("two_link")
    motion = lw.simulate(model, np.zeros(2), np.zeros(2), 0.01, callback=scribble)
    assert np.array_equal(motion.q, lw.simulate(model, np.zeros(2), np.zeros(2), 0.01).q)


@pytest.mark.parametrize("length", [1e200, 1e-200, 2.0])
def test_an_axis_of_any_length_is_its_direction(length):
    joint = {"axis": [0.0, length, 0.0]}
    model = lw.Builder("p").body("r", 1.0, [0, 0, -0.5], 0.1).joint("h", "revolute", "world", "r", **joint).build()
    assert lw.mass_matrix(model, [0.0])[0, 0] == pytest.approx(0.35)


def test_bad_input_is_reported():
    model = lw.load("two_link")
    zero = np.zeros(2)
    with pytest.raises(InputError, match="not finite"):
        lw.simulate(model, [np.nan, 0], zero, 1.0)
    with pytest.raises(InputError, match="v0 is not finite"):
        lw.simulate(model, zero, [np.inf, 0], 1.0)
    with pytest.raises(ShapeError, match="expected"):
        lw.simulate(model, np.zeros(3), zero, 1.0)
    with pytest.raises(ShapeError, match="broadcast"):
        lw.simulate(model, np.zeros((2, 2)), np.zeros((3, 2)), 1.0)
    for duration, step in ((-1.0, 1e-3), (np.nan, 1e-3), (1.0, 0.0)):
        with pytest.raises(InputError, match="positive"):
            lw.simulate(model, zero, zero, duration, step)
    with pytest.raises(InputError, match="rk4"):
        lw.simulate(model, zero, zero, 1.0, method="rk5")
    with pytest.raises(ShapeError, match="callback"):
        lw.simulate(model, zero, zero, 1.0, callback=lambda t, q, v: np.zeros(3))
    for answer in (np.zeros(1), 0.0, np.zeros((2, 1)), np.zeros((1, 1, 2)), np.zeros(0)):
        with pytest.raises(ShapeError, match=r"callback returned shape .*expected \(2,\)"):
            lw.simulate(model, zero, zero, 1.0, callback=lambda t, q, v, answer=answer: answer)
    with pytest.raises(ShapeError, match=r"callback returned shape \(3, 1\) .*expected \(3, 2\)"):
        lw.simulate(model, np.zeros((3, 2)), zero, 1.0, callback=lambda t, q, v: q[:, :1])
    with pytest.raises(InputError, match="callback"):
        lw.simulate(model, zero, zero, 1.0, callback=lambda t, q, v: np.full(2, np.nan))
    with pytest.raises(InputError, match=r"the record of \d+ samples would take .*GiB.*every="):
        lw.simulate(model, zero, zero, 1e9, 1e-6)
    with pytest.raises(InputError, match="too many steps"):
        lw.simulate(model, zero, zero, 1e300, 1e-300)
    with pytest.raises(InputError, match="longer than"):
        lw.simulate(model, zero, zero, 1.0, 5.0)
    free = tumbling_body()
    with pytest.raises(InputError, match="quaternion"):
        lw.simulate(free, np.zeros(7), np.zeros(6), 1.0)
    massless = lw.Builder("m").body("b").joint("j", "revolute", "world", "b").build()
    with pytest.raises(ModelError, match="'j'"):
        lw.simulate(massless, [0.0], [0.0], 1.0)


def test_controllers_may_answer_for_a_whole_batch_or_by_a_number():
    model, pendulum = lw.load("two_link"), lw.load("pendulum")
    q = np.array([[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]])
    same = lw.simulate(model, q, np.zeros(2), 0.01, callback=lambda t, q, v: np.array([1.0, 2.0]))
    assert np.array_equal(same.tau[0], np.tile([1.0, 2.0], (3, 1)))
    number = lw.simulate(pendulum, [0.1], [0.0], 0.01, callback=lambda t, q, v: 0.5)
    assert np.array_equal(number.tau, np.full((11, 1), 0.5))


def test_one_step_is_a_motion():
    assert lw.simulate(lw.load("two_link"), [0.1, 0.2], [0.0, 0.0], 0.3, 0.3).t.tolist() == [0.0, 0.3]


def test_a_motion_that_diverges_ends_with_a_warning():
    model = lw.Builder("m").body("b", 1.0, inertia=1.0).joint("j", "revolute", "world", "b", damping=1e6).build()
    with pytest.warns(LinkwrightWarning, match="smaller step"), pytest.warns(LinkwrightWarning, match="damped within"):
        motion = lw.simulate(model, [0.0], [1.0], 10.0, 1e-2, "rk4")
    assert np.isfinite(motion.q).all()
    assert 1 <= len(motion.t) < 1001


def test_without_a_method_stiff_joints_are_simulated_all_the_same():
    model = lw.Builder("m").body("b", 1.0, inertia=1.0).joint("j", "revolute", "world", "b", damping=1e6).build()
    motion = lw.simulate(model, [0.0], [1.0], 1.0, 1e-2)
    np.testing.assert_allclose(motion.v[-1], 0.0, atol=1e-6)
    soft = lw.load("two_link")
    runs = [lw.simulate(soft, [0.3, 0.2], [0.0, 0.0], 0.1, 1e-3, method) for method in (None, "rk4")]
    np.testing.assert_array_equal(runs[0].q, runs[1].q)


def test_odd_arguments_are_reported():
    model = lw.load("two_link")
    start = ([0.1, 0.2], [0.0, 0.0], 0.05, 1e-2)
    for wrong in ({"method": ["rk4"]}, {"progress": 3}, {"every": 10**30}, {"callback": 3}):
        with pytest.raises(LinkwrightError, match=next(iter(wrong))):
            lw.simulate(model, *start, **grouped(**wrong))
    batch = lw.simulate(model, np.zeros((3, 2)), *start[1:])
    for index in (3, 1.0, "a", (0, 1), None, True):
        with pytest.raises(LinkwrightError, match="no motion"):
            batch[index]
    assert batch[1].q.shape == (6, 2)
    assert batch[:2].q.shape == (6, 2, 2)
    still = lw.Builder("n").body("a", 1.0).joint("j", "fixed", "world", "a").build()
    assert lw.control.hold_joints(still, []).frequency == pytest.approx(2.0)


def stiff_hand():
    """A light finger with the friction and damping of a real one."""
    hand = lw.Builder("finger")
    for k in range(3):
        parent = f"link{k - 1}" if k else "world"
        hand.body(f"link{k}", 0.02, [0, 0, 0.02], 3e-6)
        hand.joint(
            f"joint{k}", "revolute", parent, f"link{k}", xyz=[0, 0, 0.04], axis=[0, 1, 0], damping=0.01, friction=0.03
        )
    return hand.build()


def test_stiff_joints_are_reported_and_served():
    model = stiff_hand()
    q, v = np.array([0.5, 0.8, 0.3]), np.array([5.0, -3.0, 2.0])
    with pytest.warns(LinkwrightWarning, match=r"semi_implicit"), pytest.warns(LinkwrightWarning, match="diverged"):
        lw.simulate(model, q, v, 0.05, method="rk4")
    motion = lw.simulate(model, q, v, 0.1, 1e-3, "semi_implicit")
    assert (motion.energy[1:] < motion.energy[0]).all()
    fine = lw.simulate(model, q, v, 0.1, 5e-7, every=2000)  # where the explicit method is stable
    assert np.abs(motion.q - fine.q).max() < 1e-2
    finer = lw.simulate(model, q, v, 0.1, 1e-4, "semi_implicit", every=10)
    assert np.abs(finer.q - fine.q).max() < 1.5e-3


@settings(max_examples=6, deadline=None)
@given(st.lists(st.sampled_from(JOINT_TYPES), min_size=1, max_size=3), st.integers(0, 1000), st.booleans())
def test_semi_implicit_step_converges_to_the_motion(kinds, seed, mimics):
    model = random_tree(kinds, seed, mimics=mimics)
    q, v, tau = state(model, seed)
    rate = (lw.dynamics.forward_dynamics(model, q, v, tau + lw.dynamics.passive_forces(model, q, v)), v)
    for h in (1e-6, 1e-7):
        q_h, v_h = methods.step(model, q, v, tau, h, "semi_implicit")
        assert np.abs((v_h - v) / h - rate[0]).max() < 3e3 * h * (1 + np.abs(rate[0]).max()) ** 2
        assert np.abs(lw.dynamics.difference(model, q, q_h) / h - v).max() < 1e3 * h * (1 + np.abs(rate[0]).max())


UNEQUAL = {"spherical": [30.0, 8.0, 2.0], "planar": [40.0, 10.0, 2.0], "free": [40.0, 10.0, 20.0, 5.0, 2.0, 8.0]}


def sprung(kind, stiffness):
    body = lw.Builder("sprung", gravity=(0, 0, 0)).body("b", 1.0, (0.1, 0.05, -0.1), (0.1, 0.2, 0.15))
    return body.joint("j", kind, "world", "b").joint_spring("j", stiffness).build()


@pytest.mark.parametrize("kind", UNEQUAL)
def test_springs_of_unequal_stiffness_keep_the_energy(kind):
    model = sprung(kind, UNEQUAL[kind])
    q = lw.integrate(model, model.neutral(), np.full(model.nv, 0.4))  # its energy keeps it from half a turn
    motion = lw.simulate(model, q, np.arange(1.0, model.nv + 1.0) / model.nv, 1.0)
    assert np.ptp(motion.energy) < 1e-8 * motion.energy[0]


@pytest.mark.parametrize("kind", UNEQUAL)
def test_semi_implicit_steps_bear_stiff_springs_of_unequal_stiffness(kind):
    model = sprung(kind, 1e5 * np.array(UNEQUAL[kind]))
    motion = lw.simulate(model, model.random(seed=3), np.zeros(model.nv), 0.5, 1e-3, "semi_implicit")
    assert (motion.energy[1:] < motion.energy[0]).all()
    assert motion.energy[-1] < 0.5 * motion.energy[0]


def test_what_is_too_large_to_compile_still_runs(monkeypatch):
    model, small = lw.load("planar:3"), lw.load("planar:3")
    q, v = model.random(seed=3), np.ones(3)
    expected = lw.simulate(small, q, v, 0.02, 1e-2)

    def refused(bound):
        raise TooLargeError("loops are for others")

    monkeypatch.setattr(tracing.trace.__wrapped__, "__defaults__", (20, 20))
    monkeypatch.setattr(selection, "in_loops", refused)
    with pytest.warns(LinkwrightWarning, match="too large"):
        motion = lw.simulate(model, q, v, 0.02, 1e-2)
    assert np.abs(motion.q - expected.q).max() < 1e-12


@pytest.mark.parametrize("method", ["rk4", "midpoint"])
@pytest.mark.parametrize("controller", [None, lambda t, q, v: -v], ids=["free", "asked"])
def test_the_stages_of_a_long_step_are_a_loop(method, controller, monkeypatch):
    def loops(program):
        inner = [i.value.program for i in program.instructions if i.op == "repeat"]
        return [[], *(["repeat", *loops(one)] for one in inner)][-1]

    model, small = (lw.load("two_link") for _ in range(2))
    q, v = np.array([0.3, 0.2]), np.ones(2)
    way = step_function.StepOptions(method)

    def together(model):
        return step_kernels(model, motion_kernel_spec(model, way, None))[1]

    step_function.step_function(small, way), together(small)
    expected = lw.simulate(small, q, v, 0.1, 1e-2, method, callback=controller)
    monkeypatch.setattr(step_function, "UNROLLED", 0)
    motion = lw.simulate(model, q, v, 0.1, 1e-2, method, callback=controller)
    assert np.abs(motion.q - expected.q).max() < 1e-12
    for one, own in ((small, []), (model, ["repeat"])):  # beside the loop over steps
        assert loops(step_function.step_function(one, way).program) == own
        assert loops(together(one).program) == ["repeat", *own]


def test_a_mechanism_without_joints_stands_still():
    motion = lw.simulate(
        lw.Builder("block").body("b", 1.0).joint("j", "fixed", "world", "b").build(), [], [], 0.1, 1e-2
    )
    assert motion.q.shape == (11, 0)
    assert (motion.energy == 0.0).all()


def test_long_chains_are_simulated(monkeypatch):
    monkeypatch.setattr(split_kernels, "BODIES_OF_STEPS", 100)
    chain = lw.load("planar:100")  # as many bodies as have loops in their code
    motion = lw.simulate(chain, chain.random(seed=0), np.zeros(100), 0.003)
    heights = [lw.center_of_mass(chain, q)[1] for q in motion.q]
    np.testing.assert_allclose(lw.potential_energy(chain, motion.q), 100 * 9.8 * np.array(heights), rtol=1e-12)
    assert motion.drift < 1e-9


@pytest.mark.parametrize("bodies", [100, 400])
def test_long_chains_move_as_short_steps_say(bodies, monkeypatch):
    """One kernel, and stages of several kernels that loop over the bodies: the same as the book's step."""
    monkeypatch.setattr(split_kernels, "BODIES_OF_STEPS", bodies)
    chain = lw.load("chain3d:120")
    rng = np.random.default_rng(0)
    q, v = chain.random(seed=1), 0.1 * rng.normal(size=chain.nv)
    motion = lw.simulate(chain, q, v, 0.003)
    for _ in range(3):
        q, v = methods.step(chain, q, v, np.zeros(chain.nv), 1e-3)
    np.testing.assert_allclose(motion.q[-1], q, atol=1e-10)
    np.testing.assert_allclose(motion.v[-1], v, atol=1e-8)


def test_a_notebook_shows_a_motion():
    builder = lw.Builder("a<b>").body("rod", 1.0, (0, 0, -1), 0.1)
    model = builder.joint("$x_{$ y$", "revolute", "world", "rod", axis=(0, 1, 0)).build()
    motion = lw.simulate(model, [1.0], [0.0], 0.1)
    shown = motion._repr_html_()
    assert "&#x27;a&lt;b&gt;&#x27;: 101 samples over 0.1 s" in shown
    assert '<img src="data:image/png;base64,iVBOR' in shown
    assert "<img" not in lw.simulate(model, [[1.0], [2.0]], [0.0], 0.1)._repr_html_()
