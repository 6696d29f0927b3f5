"""Energy that steps add or take is warned of where joints turn far in a step, and nowhere else."""

import re
import warnings
from functools import partial

import numpy as np
import pytest
from tests.setups import grouped

import linkwright as lw
from linkwright.errors import LinkwrightWarning

FAST = [(200.0, -400.0), (300.0, -300.0), (50.0, 80.0)]


def two_link_at(v, duration=0.1, step=1e-3, **options):
    return lw.simulate(lw.load("two_link"), [0.1, 0.2], v, duration, step, **grouped(**options))


def quiet(run):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return run()


@pytest.mark.parametrize("v", FAST)
def test_energy_from_nowhere_is_warned_of_with_its_figure_time_and_remedy(v):
    with pytest.warns(UserWarning, match=r"energy of 'two_link' grows from .* nothing supplies it.*dopri5") as caught:
        motion = two_link_at(v, 0.3 if v[0] < 100.0 else 0.1, method="semi_implicit")
    message = str(caught[0].message)
    before, after, t, first = map(
        float,
        re.findall(r"([\d.e+]+) J|t = ([\d.]+) s", message)
        and [x or y for x, y in re.findall(r"([\d.e+]+) J|t = ([\d.]+) s", message)],
    )
    assert before == pytest.approx(motion.energy[0], rel=1e-2)
    k = int(np.abs(motion.t - t).argmin())
    assert after == pytest.approx(motion.energy[k], rel=1e-2)
    assert after == pytest.approx(motion.energy.max(), rel=0.2)
    assert first < t
    step = float(re.search(r"take about ([\d.e-]+) s a step", message).group(1))
    cured = quiet(lambda: two_link_at(v, 0.05, 0.05 / np.ceil(0.05 / step), method="semi_implicit"))
    assert cured.drift < 0.1 * cured.energy[0]
    exact = quiet(lambda: two_link_at(v, 0.1, method="dopri5"))
    assert exact.drift < 1e-5 * exact.energy[0]


def test_energy_that_is_lost_is_warned_of():
    with pytest.warns(UserWarning, match="falls from .* nothing dissipates it.*'midpoint'"):
        two_link_at((300.0, 0.0), 0.5, method="midpoint")
    damped = lw.Builder("damped").body("wheel", 1.0, center_of_mass=(0.1, 0, 0), inertia=0.1)
    model = damped.joint("hinge", "revolute", "world", "wheel", axis=(0, 1, 0), damping=1.0).build()
    motion = quiet(lambda: lw.simulate(model, [0.0], [300.0], 0.5, 1e-3))
    assert motion.energy[-1] < 0.1 * motion.energy[0]


def test_the_motion_of_a_batch_is_named():
    v = [[1.0, 2.0], [50.0, 80.0]]
    with pytest.warns(UserWarning, match=r"in motion \[1\] grows"):
        lw.simulate(lw.load("two_link"), [0.1, 0.2], v, 0.3, 1e-3, "semi_implicit")


def test_actuators_and_controllers_are_named_as_suppliers():
    with pytest.warns(
        UserWarning, match=r"grows from .*, and actuators and controllers do not supply that much: joints"
    ):
        two_link_at(FAST[0], 0.3, method="semi_implicit", controller=lambda model, t, q, v: 0.0 * v)


def pushed(model, t, q, v, gain):
    return gain * v / (1.0 + np.abs(v))


@pytest.mark.parametrize("method", ["rk4", "semi_implicit"])
@pytest.mark.parametrize("gain", [50.0, 500.0])
def test_what_a_law_supplies_is_no_error(method, gain):
    """A flywheel is driven from rest to hundreds of rad/s: its energy is the work of its motor."""
    made = lw.Builder("wheel").body("wheel", 1.0, inertia=0.1)
    model = made.joint("hinge", "revolute", "world", "wheel", axis=(0, 1, 0)).build()
    motion = quiet(lambda: lw.simulate(model, [0.0], [1.0], 0.5, 1e-3, method, controller=partial(pushed, gain=gain)))
    assert motion.energy[-1] > 100.0 * motion.energy[0]


@pytest.mark.variants("method")
@pytest.mark.parametrize(
    "name", ["pendulum", "two_link", "arm4", "arm7", "puma560", "quadruped", "four_bar", "planar:5"]
)
@pytest.mark.parametrize("method", ["rk4", "semi_implicit"])
def test_ordinary_motions_are_not_warned_of(name, method):
    model = lw.load(name)
    q, v = lw.default_configuration(model)
    quiet(lambda: lw.simulate(model, q, v, 1.0, 1e-3, method))


def test_what_spins_about_a_steady_axis_is_not_warned_of():
    made = lw.Builder("rotor", gravity=(0, 0, 0)).body("rotor", 1.0, inertia=[0.1, 0.1, 0.2])
    model = made.joint("free", "free", "world", "rotor").build()
    motion = quiet(lambda: lw.simulate(model, model.neutral(), [1.0, 0, 0, 0, 0, 500.0], 0.2, 1e-3))
    assert motion.drift < 1e-3 * motion.energy[0]


def test_a_minimal_model_has_no_energies_to_watch():
    model = lw.load("two_link").minimal()
    motion = quiet(lambda: lw.simulate(model, [0.1, 0.2], [50.0, 80.0], 0.02, 1e-3))
    assert np.isfinite(motion.q).all()


def test_overlap_that_is_undone_is_not_blamed_on_joints_that_turn_later():
    made = lw.Builder("two").body("ball", 1.0, inertia=0.1).body("wheel", 1.0, inertia=0.01)
    made.joint("up", "prismatic", "world", "ball", axis=(0, 0, 1))
    made.joint("hinge", "revolute", "world", "wheel", axis=(0, 1, 0))
    model = made.shape("ball", "sphere", radius=0.1).build().with_ground()

    def motor(model, t, q, v):
        return np.array([0.0, 5.0])

    with pytest.warns(LinkwrightWarning, match="ball on ground overlap by 0.4 m") as found:
        motion = lw.simulate(model, [-0.3, 0.0], [0.0, 0.0], 0.1, 1e-3, controller=motor)
    assert len(found) == 1
    assert motion.contacts.energy_gained > 3.0
    assert motion.v[-1, 1] > 30.0


def colliding(kind, method, **surface):
    """A free cylinder that flies at a free body, at 3 m/s, with soft contact."""
    made = lw.Builder("two", gravity=(0, 0, 0))
    for name, shape, size in (("a", "cylinder", dict(radius=0.1, length=0.3)), ("b", *kind)):
        made.body(name, 1.0, inertia=(0.01, 0.008, 0.004)).joint(f"free_{name}", "free", "world", name)
        made.shape(name, shape, contact=lw.ContactProperties(friction=0.0, stiffness=2e5, **surface), **size)
    model = made.build().with_contact()
    q, v = model.random(seed=138), np.zeros(12)
    q[:3], q[7:10] = (0.6, 0.0, 0.0), 0.0
    v[:3] = lw.rotation.from_quaternion(q[3:7]).T @ (-3.0, 0.0, 0.0)
    return lw.simulate(model, q, v, 0.3, 1e-4, method)


BOX = "box", dict(size=(0.2, 0.3, 0.4))


@pytest.mark.parametrize("method", ["rk4", "dopri5"])
def test_soft_contact_that_adds_energy_is_warned_of(method):
    """Its points appear while the shapes overlap: the force has no potential."""
    with pytest.warns(UserWarning, match=r"grows from .* the soft contact 'a on b' adds energy where its points"):
        motion = colliding(BOX, method)
    assert motion.energy[-1] > 1.1 * motion.energy[0]
    ball = quiet(lambda: colliding(("sphere", dict(radius=0.1)), method))
    assert ball.energy[-1] == pytest.approx(ball.energy[0], rel=1e-3)
    damped = quiet(lambda: colliding(BOX, method, damping=200.0))
    assert damped.energy[-1] < 0.9 * damped.energy[0]
