"""Proofs of controlled mechanisms are held to the simulated motions, wrong laws are not proved, and rest is rest."""

from __future__ import annotations

from functools import cache, partial

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import ArgumentError
from linkwright.expression.polynomials.polynomial import evaluate
from linkwright.symbolic.closed_loop_control.controller_efforts import Law, bare
from linkwright.symbolic.closed_loop_control.proofs import by_theorem, proof_of
from linkwright.symbolic.derivation.plan import plan_of

NAMES = ["pendulum", "two_link", "arm4"]


def pd(model, target, stiffness=100.0, damping=20.0):
    return partial(lw.control.pd, target=np.asarray(target), stiffness=stiffness, damping=damping)


def own_pd(model, t, q, v, goal, kp, kd):
    return kp @ (goal - q) - kd @ v + lw.gravity_forces(model, q)


def own_computed_torque(model, t, q, v, goal, kp, kd):
    return lw.inverse_dynamics(model, q, v, kp * (goal - q) - kd * v)


def constant_gravity(model, t, q, v, goal, kp, kd):
    return kp * lw.difference(model, q, goal) - kd * v + lw.gravity_forces(model, goal)


def sines(model, t, q, v, k, kd):
    return -k * np.sin(q) - kd * v


def twisting(model, t, q, v, k):
    return k * np.sin(q[::-1] * np.array([1.0, 2.0])) - v


@cache
def equations_of(name):
    """The equations of a mechanism, the same for all tests."""
    return lw.equations(lw.load(name))


def explained(name, law, **options):
    return equations_of(name).explanation(controller=law, **options)


def known(explained, q, v, error, error_rate):
    made = explained.proof.run
    names = made.mechanism.coordinates
    values = {**made.values, **dict(zip(names.q, q, strict=True)), **dict(zip(names.v, v, strict=True))}
    for k, (x, y) in enumerate(zip(error, error_rate, strict=True), start=1):
        values |= {f"e{k}": x, f"e{k}_dot": y}
    return values | {"epsilon": explained.proof.epsilon, "t": 0.0}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("law", ["pd", "own_pd", "computed_torque", "constant"])
def test_what_is_proved_holds_along_simulated_motions(name, law):
    """V by its polynomial falls as its rate by its polynomial says, between the samples of a motion."""
    model = lw.load(name)
    n, target = model.nv, np.linspace(0.4, -0.3, model.nv)
    damping = np.linspace(15.0, 8.0, n)
    laws = {
        "pd": pd(model, target, 60.0, damping),
        "own_pd": partial(own_pd, goal=target, kp=50.0 * np.eye(n), kd=np.diag(damping)),
        "computed_torque": partial(lw.control.computed_torque, reference=target, stiffness=30.0, damping=9.0),
        "constant": partial(constant_gravity, goal=target, kp=200.0, kd=damping),
    }
    result = explained(name, laws[law])
    assert result.proved
    assert not result.proof.left
    motion = lw.simulate(
        model,
        model.neutral(),
        np.zeros(n),
        0.2,
        1e-4,
        controller=laws[law],
        actuation=lw.Actuation(evaluated_at="stages"),
    )
    samples = [known(result, q, v, target - q, -v) for q, v in zip(motion.q, motion.v, strict=True)]
    middle = np.arange(5, len(samples) - 5, 40)
    values = np.array([[evaluate([result.proof.lyapunov], samples[k + n])[0] for n in (-1, 0, 1)] for k in middle])
    rates = np.array([evaluate([result.proof.rate], samples[k])[0] for k in middle])
    assert (np.diff(values.reshape(-1)) <= 1e-12).all()
    measured = (values[:, 2] - values[:, 0]) / (motion.t[middle + 1] - motion.t[middle - 1])
    assert np.abs(measured - rates).max() < 5e-3 * np.abs(rates).max()


def ball_and_hinge():
    arm = lw.Builder("ball").body("upper", 1.0, (0.2, 0, 0), 0.1).body("lower", 0.5, (0.2, 0, 0), 0.05)
    arm = arm.joint("shoulder", "spherical", "world", "upper")
    return arm.joint("elbow", "revolute", "upper", "lower", xyz=(0.4, 0, 0), axis=(0, 1, 0)).build()


@pytest.mark.parametrize("name", ["arm7", "puma560", "ball"])
def test_larger_ones_and_those_that_turn_about_points_are_proved(name):
    model = ball_and_hinge() if name == "ball" else lw.load(name)
    result = lw.equations(bare(model)).explanation(controller=pd(model, model.neutral()))
    assert result.proved
    assert result.proof.structural == (name == "ball")  # whose errors are no polynomials
    rubbing = lw.equations(model).explanation(controller=pd(model, model.neutral()))
    assert rubbing.proof.identity
    assert rubbing.proved == (name != "puma560")  # whose gears can hold it elsewhere


def test_wrong_laws_are_not_proved():
    model = lw.load("two_link")
    target = np.array([0.3, 0.4])
    negative = explained("two_link", pd(model, target, damping=-1.0))
    assert negative.proof.identity
    assert not negative.proved
    assert [one.kind for one in negative.equilibria.found] == ["unstable"]
    uneven = np.array([[100.0, 90.0], [-90.0, 100.0]])
    twisted = explained("two_link", partial(own_pd, goal=target, kp=uneven, kd=np.eye(2)))
    assert not twisted.proof.identity
    assert "not symmetric" in twisted.text()
    soft = explained("two_link", partial(constant_gravity, goal=target, kp=5.0, kd=2.0))
    assert soft.proof.identity
    assert not soft.proved
    assert len(soft.equilibria.found) > 1
    unknown = explained("two_link", partial(twisting, k=3.0))
    assert not unknown.proved
    assert "No proof is known for the controller twisting" in unknown.text()
    assert "eigenvalues" in unknown.text()


def test_a_bound_that_is_only_sampled_proves_nothing():
    """The norm of the gravity gradient of two_link is below 21.0836 everywhere; samples reach 21.068."""
    law = partial(constant_gravity, goal=np.array([0.3, 0.4]), kp=22.0, kd=2.0)
    bounded = explained("two_link", law)
    assert bounded.proved
    assert bounded.proof.steepest < bounded.proof.steepness_bound < bounded.proof.steepest * 1.002
    assert "sampled" not in bounded.text()
    between = 0.5 * (bounded.proof.steepest + bounded.proof.steepness_bound)
    close = explained("two_link", partial(constant_gravity, goal=np.array([0.3, 0.4]), kp=between, kd=2.0))
    assert close.proof.definite
    assert close.proof.sampled
    assert not close.proved
    assert "sampled" in close.text()
    arm = lw.Builder("polar").body("beam", 1.0, (0.3, 0, 0), 0.1).body("slider", 1.0, (0, 0, 0), 0.1)
    arm = arm.joint("turn", "revolute", "world", "beam", axis=(0, 1, 0))
    arm = arm.joint("reach", "prismatic", "beam", "slider", axis=(1, 0, 0), limits=(0.0, 1.0)).build()
    result = lw.equations(arm).explanation(
        controller=partial(constant_gravity, goal=np.array([0.3, 0.4]), kp=200.0, kd=2.0)
    )
    assert result.proof.identity
    assert result.proof.steepness_bound == np.inf  # the farther the slider is, the steeper
    assert not result.proved


def test_a_law_that_asks_for_equality_is_not_taken_for_what_it_does_on_polynomials():
    def choosy(model, t, q, v):
        return -q - v if bool(np.all(q == q)) and not isinstance(q[0], float) else -5.0 * q * q[0] - v

    model = lw.load("two_link")
    assert "compare numbers" in proof_of(plan_of(model, "symbols", 1e-5), Law(model, choosy), 300_000).why_not


def test_a_law_that_forgets_friction_is_no_computed_torque():
    arm = lw.Builder("arm").body("link", 1.0, (0.3, 0, 0), 0.1)
    arm = arm.joint("joint", "revolute", "world", "link", axis=(0, -1, 0), damping=0.5).build()
    own = partial(own_computed_torque, goal=np.array([0.2]), kp=np.array([30.0]), kd=np.array([9.0]))
    kept = partial(lw.control.computed_torque, reference=np.array([0.2]), stiffness=30.0, damping=9.0)
    assert lw.equations(arm).explanation(controller=kept).proved
    result = lw.equations(arm).explanation(controller=own)
    assert result.proof.kind == "pd"  # with one joint it is that, and friction adds to what V loses
    assert "act in addition to the controller" in result.text()


@pytest.mark.parametrize("name", NAMES)
def test_computed_torque_along_a_moving_reference_is_strict(name):
    n = lw.load(name).nv

    def reference(t):
        one = np.ones(n)
        return np.sin(2.0 * t) * one, 2.0 * np.cos(2.0 * t) * one, -4.0 * np.sin(2.0 * t) * one

    result = explained(name, partial(lw.control.computed_torque, reference=reference, stiffness=30.0, damping=9.0))
    assert result.proved
    assert "LaSalle's theorem is not needed" in result.text()


@pytest.mark.parametrize("law", [sines, twisting])
def test_eigenvalues_are_those_of_linearize_and_the_law(law):
    model = lw.load("two_link")
    bound = partial(law, k=20.0, kd=1.0) if law is sines else partial(law, k=20.0)
    found = explained("two_link", bound).equilibria.found
    assert found
    for one in found:
        still, h = np.zeros(2), 1e-6

        def efforts(x):
            return bound(model, 0.0, x[:2], x[2:])

        state = np.concatenate([one.q, still])
        assert np.abs(lw.forward_dynamics(model, one.q, still, efforts(state))).max() < 1e-6
        slopes = np.stack([(efforts(state + h * e) - efforts(state - h * e)) / (2 * h) for e in np.eye(4)], axis=1)
        A, B = lw.linearize(model, one.q, still, one.efforts)
        expected = np.linalg.eigvals(A + B @ slopes)
        for x in one.eigenvalues:
            assert np.abs(expected - x).min() < 1e-5 * np.abs(expected).max()


def test_a_force_of_a_potential_leads_to_rest():
    result = explained("two_link", partial(sines, k=30.0, kd=1.0))
    assert result.proof.kind == "potential"
    assert result.proof.identity
    assert [one.kind for one in result.equilibria.found].count("asymptotically stable") == 1
    assert "Every bounded motion tends to them" in result.text()


@pytest.mark.parametrize(("integral", "stable"), [(30.0, True), (4000.0, False)])
def test_routh_condition_of_pid_agrees_with_its_eigenvalues_and_with_simulation(integral, stable):
    model, target = lw.load("pendulum"), np.array([0.5])
    law = partial(lw.control.pid, target=target, stiffness=60.0, damping=8.0, integral=integral, step=1e-3, limit=None)
    result = explained("pendulum", law, initial_state=np.zeros(1))
    assert result.proof.kind == "pid"
    text = result.text()
    assert ("asymptotically stable, locally" in text) == stable
    assert ("is asymptotically stable;" in text) == stable
    start = model.neutral() + target + 0.01
    motion = lw.simulate(
        model,
        start,
        np.zeros(1),
        3.0,
        controller=law,
        every=100,
        actuation=lw.Actuation(initial_state=lw.gravity_forces(model, target)),
    )
    assert (np.abs(motion.q[-1] - target).max() < 0.005) == stable


@pytest.mark.parametrize(
    ("stiffness", "damping", "integral", "holds", "linear"),
    [
        (100.0, 20.0, 1.0, True, "is asymptotically stable;"),
        (1.0, 0.01, 1000.0, False, "is unstable;"),
        (100.0, 20.0, 0.0, False, "decides nothing"),
        (-1000.0, -20.0, 1.0, False, "is unstable;"),
    ],
)
def test_no_lyapunov_function_of_pid_is_claimed_and_the_criterion_agrees_with_the_eigenvalues(
    stiffness, damping, integral, holds, linear
):
    law = partial(lw.control.pid, stiffness=stiffness, damping=damping, integral=integral, step=1e-3)
    result = explained("two_link", partial(law, target=np.array([0.3, 0.4])))
    assert not result.proved
    assert "no Lyapunov function is known" in result.proof.why_not
    assert ("it holds" in result.text()) == holds
    assert linear in result.text()


@pytest.mark.parametrize("rate", [0.0, np.array([1.0] * 9 + [0.0])])
def test_nothing_is_proved_of_an_adaptive_law_that_does_not_learn(rate):
    """V has Γ⁻¹: where a rate is zero, an error of that parameter stays, and motions end elsewhere."""
    law = partial(
        lw.control.adaptive, bodies=["link2"], reference=np.array([0.3, 0.4]), convergence=2.0, damping=10.0, step=1e-3
    )
    result = explained("two_link", partial(law, rate=rate))
    assert not result.proved
    assert "Γ is singular" in result.proof.why_not
    assert "Γ is singular" in result.text()
    assert explained("two_link", partial(law, rate=1.0)).proved


def test_impedance_is_passive():
    model = lw.load("arm7")
    q = np.array([0.3, 0.6, -0.2, 1.2, 0.4, 0.8, 0.1])
    law = partial(
        lw.control.impedance, frame="tool", target=lw.pose(model, q, "tool"), stiffness=300.0, damping=40.0,
        joint_damping=1.0,
    )  # fmt: skip
    assert explained("arm7", law).proof.identity


@pytest.mark.parametrize("name", ["pendulum", "two_link", "arm4", "arm7", "chain3d:2"])
def test_the_properties_that_control_uses_are_reported_and_hold(name):
    made = equations_of(name)
    result = made.explanation()
    assert result.structure.is_skew
    assert "Ṁ − 2C is skew" in result.text()
    assert "linear in the inertial parameters" in result.text()


@pytest.mark.parametrize("name", ["two_link", "arm4"])
def test_the_regressor_gives_the_efforts(name):
    from linkwright.symbolic.interpretation.linear_parameters import LinearForm

    made = equations_of(name)
    form = LinearForm(made._plan, 300_000)
    assert form.holds
    rng, model = np.random.default_rng(0), made.model
    q, v, a = (rng.normal(size=model.nv) for _ in range(3))
    names = form.mechanism.coordinates
    values = {**form.plan.values}
    for own, x in ((names.q, q), (names.v, v), (names.a, a)):
        values |= dict(zip(own, x, strict=True))
    Y = evaluate(form.regressor.ravel().tolist(), values).reshape(form.regressor.shape)
    parameters = np.array([values[name] for name in form.parameters])
    assert np.allclose(Y @ parameters, lw.inverse_dynamics(model, q, v, a), rtol=1e-10, atol=1e-10)


def test_formulas_are_ascii_in_latex_and_no_law_is_reported():
    target = np.array([0.3, 0.4])
    for law in (pd(None, target), partial(sines, k=3.0, kd=1.0), partial(twisting, k=2.0)):
        assert explained("two_link", law).latex().isascii()
    with pytest.raises(ArgumentError):
        explained("two_link", 3.0)


def test_loops_do_no_work_but_can_hold_it_elsewhere():
    model = lw.load("four_bar")
    target = lw.close_loops(model, model.neutral() + 0.2)
    result = lw.equations(model).explanation(controller=pd(model, target))
    assert result.proof.identity
    assert "their forces do no work" in result.text()
    assert "Every motion tends to one of these" in result.text()
    near = min(result.equilibria.found, key=lambda one: np.abs(one.q - target).max())
    assert np.allclose(near.q, target, atol=1e-6)
    assert near.kind == "asymptotically stable"


def test_what_is_too_large_to_be_written_out_is_proved_by_theorem():
    arm, humanoid = lw.load("arm7"), lw.load("humanoid")
    proof = by_theorem(Law(arm, pd(None, arm.neutral())), "too many terms")
    assert proof.proved
    assert proof.structural
    assert "too large" in proof.remark
    floating = by_theorem(Law(humanoid, pd(None, humanoid.neutral())), "too many terms")
    assert "no motor drives" in floating.why_not


def sines_in_time(n):
    def reference(t):
        one = np.linspace(1.0, 0.5, n)
        return np.sin(t) * one, np.cos(t) * one, -np.sin(t) * one

    return reference


def adaptive(model, **changed):
    bound = {
        "bodies": model.bodies[-1].name,
        "reference": sines_in_time(model.nv),
        "convergence": 5.0,
        "damping": np.full(model.nv, 10.0),
        "rate": 0.3,
        "step": 1e-3,
    }
    return partial(lw.control.adaptive, **{**bound, **changed})


@pytest.mark.parametrize("name", NAMES)
def test_adaptive_control_is_proved_as_it_is_run(name):
    model = lw.load(name)
    result = lw.equations(model).explanation(controller=adaptive(model))
    assert result.proof.kind == "adaptive"
    assert result.proved
    assert not result.proof.structural
    assert "Barbalat" in result.text()
    assert result.latex().isascii()
    predicting = lw.equations(model).explanation(controller=adaptive(model, prediction=1.0))
    assert predicting.proved
    assert "is not part of this proof" in predicting.text()


def test_adaptive_control_of_larger_mechanisms_is_proved_by_its_formula():
    result = explained("arm7", adaptive(lw.load("arm7"), bodies="all"))
    assert result.proved
    assert result.proof.structural
    assert "whose first part vanishes" in result.text()


def one_joint(**own):
    arm = lw.Builder("arm").body("link", 1.0, (0.3, 0, 0), 0.1)
    return arm.joint("joint", "revolute", "world", "link", axis=(0, -1, 0), **own).build()


def test_coulomb_friction_holds_it_elsewhere_and_so_nothing_is_proved_of_the_target():
    """The proof of a frictionless arm says globally asymptotically stable; a real one sticks where |K e| ≤ F."""
    result = lw.equations(one_joint(friction=5.0)).explanation(controller=pd(None, [1.0], 20.0, 3.0))
    assert result.proof.identity
    assert not result.proved
    assert "globally" not in result.text()
    assert "friction holds the mechanism wherever" in result.text()
    assert lw.equations(one_joint(damping=5.0)).explanation(controller=pd(None, [1.0], 20.0, 3.0)).proved


def test_what_the_mechanism_loses_itself_is_no_part_of_the_adaptive_law():
    model = one_joint(damping=0.5)
    result = lw.equations(model).explanation(controller=adaptive(model, bodies="all"))
    assert result.proved == (result.law.passive == "cancelled")


@pytest.mark.parametrize("damping", [0.0, 3.0])
def test_without_a_minimum_of_v_nothing_is_called_stable(damping):
    result = lw.equations(one_joint()).explanation(controller=pd(None, [1.0], -5.0, damping))
    assert [one.kind for one in result.equilibria.found] == ["unstable"]
    assert "rest at the target is stable" not in result.text()
    assert "LaSalle" not in result.text()
    firm = lw.equations(one_joint()).explanation(controller=pd(None, [1.0], 5.0, 0.0))
    assert "rest at the target is stable" in firm.text()


def test_a_spring_beside_the_law_is_reported_and_nothing_is_said_to_be_left_over():
    result = lw.equations(one_joint().with_joint("joint", stiffness=5.0)).explanation(
        controller=pd(None, [1.0], 20.0, 3.0)
    )
    assert not result.proved
    assert "What is left over" not in result.text()
    assert result.equilibria.found[0].q == pytest.approx([0.8])  # 20 (1 − q) = 5 q
    assert "springs act in addition" in result.text()


@pytest.mark.parametrize(
    ("name", "stiffness", "joint_damping", "said", "not_said"),
    [
        ("two_link", 300.0, 0.0, "less than six independent rows", "the hand is at the target"),
        ("arm7", 300.0, 0.0, "may still move", "the hand is at the target"),
        ("arm7", 300.0, 1.0, "the hand is at the target", "less than six"),
        ("arm7", (300.0, 300.0, 300.0, 0.0, 0.0, 0.0), 1.0, "zero stiffnesses", "the hand is at the target"),
    ],
)
def test_where_an_impedance_leads_depends_on_the_rows_of_the_jacobian(name, stiffness, joint_damping, said, not_said):
    model = lw.load(name)
    q, frame = np.linspace(0.3, 0.8, model.nv), list(model.frames)[-1]
    law = partial(
        lw.control.impedance, frame=frame, target=lw.pose(model, q, frame), stiffness=np.array(stiffness),
        damping=40.0, joint_damping=joint_damping,
    )  # fmt: skip
    text = explained(name, law).text()
    assert said in text
    assert not_said not in text


def test_a_floating_base_is_driven_by_no_motor_and_so_nothing_is_proved():
    model = lw.load("quadruped")
    result = lw.equations(model).explanation(controller=pd(model, model.neutral()))
    assert not result.proved
    assert "no motor drives the free joint 'root'" in result.proof.why_not


def test_both_signs_of_a_quaternion_are_one_configuration():
    model = ball_and_hinge()
    result = lw.equations(model).explanation(controller=pd(model, model.neutral(), 30.0, 5.0))
    places = [lw.difference(model, model.neutral(), one.q) for one in result.equilibria.found]
    for k, x in enumerate(places):
        assert all(np.abs(x - y).max() > 1e-4 for y in places[:k])


def test_rest_that_is_flat_is_one_place_and_undecided():
    def cubic(model, t, q, v, goal):
        return lw.gravity_forces(model, q) + 10.0 * (goal - q) ** 3 - v

    found = explained("two_link", partial(cubic, goal=np.array([0.3, 0.4]))).equilibria.found
    assert len(found) == 1
    assert found[0].kind == "undecided"


def test_a_law_that_pulls_nowhere_rests_everywhere():
    law = partial(lw.control.computed_torque, reference=np.array([0.3, 0.4]), stiffness=0.0, damping=5.0)
    result = explained("two_link", law)
    assert result.equilibria.nothing_pulls
    assert result.equilibria.found == ()
    assert "Every configuration is an equilibrium" in result.text()


def test_a_minimum_of_the_energy_is_called_stable():
    for name in ("four_bar", "pendulum"):
        found = lw.equations(lw.load(name)).explanation().equilibria.found if name == "four_bar" else (
            lw.phase_portrait(lw.load(name), motions=1, samples=3).equilibria)  # fmt: skip
        assert {one.kind for one in found if one.minimum} == {"stable"}
        assert {one.kind for one in found if not one.minimum} == {"unstable"}


def test_a_law_with_a_function_that_polynomials_do_not_have_says_so():
    def cut(model, t, q, v):
        return lw.clip(-10.0 * q, -1.0, 1.0) - v

    result = explained("pendulum", cut)
    assert not result.proved
    assert "uses a function that polynomials do not have" in result.proof.why_not
    assert "AttributeError" not in result.text()
