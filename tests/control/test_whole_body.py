"""A whole body on contacts: what holds of every answer, and that no other is better."""

from __future__ import annotations

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import LinkwrightError
from linkwright.spatial.rotation import skew

pytest.importorskip("daqp")
optimize = pytest.importorskip("scipy.optimize")

StanceContact, WholeBody = lw.control.StanceContact, lw.control.WholeBody
CenterOfMass, Joints, Momentum = lw.tasks.CenterOfMass, lw.tasks.Joints, lw.tasks.Momentum
Pose, Position, Rotation = lw.tasks.Pose, lw.tasks.Position, lw.tasks.Rotation
FEET = [f"{end}_{side}_foot" for end in ("front", "hind") for side in ("left", "right")]
SOLE = [(x, y, 0.0) for x in (-0.06, 0.18) for y in (-0.05, 0.05)]


def crouching(model, bend=0.5):
    q = model.neutral()
    for joint in model.joints:
        at = model.slice(joint.name)[0]
        if joint.name.endswith("knee") or joint.name.endswith("knee_pitch"):
            q[at] = 2 * bend if "_pitch" in joint.name else -2 * bend
        if joint.name.endswith("hip_pitch"):
            q[at] = -bend if any(j.name == "left_ankle_pitch" for j in model.joints) else bend
        if joint.name.endswith("ankle_pitch"):
            q[at] = -bend
    return q


@pytest.fixture(scope="module")
def dog():
    return lw.load("quadruped")


def tasks_of(dog):
    names = [joint.name for joint in dog.joints[1:]]
    return {
        CenterOfMass(weight=10.0): (30.0, 10.0),
        Rotation("trunk"): (30.0, 10.0),
        Joints(names, weight=0.1): (9.0, 6.0),
    }


def problem(dog, seed, moving=True):
    """A state near crouching, and targets."""
    rng = np.random.default_rng(seed)
    q = lw.integrate(dog, crouching(dog), 0.1 * rng.normal(size=dog.nv))
    v = 0.3 * rng.normal(size=dog.nv) if moving else np.zeros(dog.nv)
    com, turn, joints = tasks_of(dog)
    R = lw.pose(dog, q, "trunk")[:3, :3]
    rates = (0.1 * rng.normal(size=3), 0.3 * rng.normal(size=3))
    return (
        q,
        v,
        {com: (lw.center_of_mass(dog, q) + 0.02 * rng.normal(size=3), *rates), turn: R, joints: crouching(dog)[7:]},
    )


def pushed(body, q, answer):
    """The wrenches at the contacts' frames that the forces make."""
    wrenches, at = {}, 0
    for contact in body.contacts:
        f = answer.forces[at : at + len(contact.points)]
        arms = np.asarray(contact.points) @ lw.pose(body.model, q, contact.frame)[:3, :3].T
        wrenches[contact.frame] = np.concatenate([f.sum(axis=0), np.cross(arms, f).sum(axis=0)])
        at += len(contact.points)
    return wrenches


def holds(body, q, v, answer, limits):
    """All that must hold of an answer that is feasible."""
    model = body.model
    assert answer.feasible, answer.reason
    a = lw.forward_dynamics(
        model, q, v, answer.efforts + lw.passive_forces(model, q, v), wrenches=pushed(body, q, answer)
    )
    np.testing.assert_allclose(a, answer.acceleration, atol=1e-12 * (1.0 + 1e3 * np.abs(a).max()))
    np.testing.assert_array_equal(answer.efforts[:6], 0.0)
    assert (np.abs(answer.efforts) <= limits + 1e-6).all()
    at = 0
    for contact in body.contacts:
        f = answer.forces[at : at + len(contact.points)] @ contact.axes
        at += len(contact.points)
        assert (np.abs(f[:, :2]) <= contact.friction / np.sqrt(2.0) * f[:, 2:] + 1e-5).all()
        rate = lw.acceleration(model, q, v, answer.acceleration, contact.frame)
        np.testing.assert_allclose(rate[: 6 if contact.rigid else 3], 0.0, atol=1e-9)


def written_out(body, tasks, q, v, targets, limits, r=1e-5):
    """H, g of the cost, E x = e, A x ≤ b in x = [v̇; f/m], by the public functions alone."""
    model, mass = body.model, lw.total_mass(body.model)
    J = np.concatenate([lw.jacobian(model, q, one.frame)[:3] for one in body.contacts])
    rates = np.concatenate([lw.jacobian_dot_times_v(model, q, v, one.frame)[:3] for one in body.contacts])
    M, h = lw.mass_matrix(model, q), lw.bias_forces(model, q, v) - lw.passive_forces(model, q, v)
    n, k = model.nv, len(J)
    E = np.block([[M[:6], -mass * J.T[:6]], [J, np.zeros((k, k))]])
    e = np.concatenate([-h[:6], -rates])
    T = np.concatenate([M[6:], -mass * J.T[6:]], axis=1)
    mu = 0.7 / np.sqrt(2.0)
    pyramid = np.kron(np.eye(k // 3), [[1, 0, -mu], [-1, 0, -mu], [0, 1, -mu], [0, -1, -mu]])
    F = np.concatenate([np.zeros((len(pyramid), n)), pyramid], axis=1)
    A = np.concatenate([T, -T, F])
    b = np.concatenate([limits[6:] - h[6:], limits[6:] + h[6:], np.zeros(len(F))])
    H, g = r * np.eye(n + k), np.zeros(n + k)
    h0 = 1e-6
    for task, (stiffness, damping) in tasks.items():
        result = targets[task]
        target, velocity, acceleration = result if isinstance(result, tuple) else (result, 0.0, 0.0)
        Jt = task.jacobian(model, q)
        there, back = (task.jacobian(model, lw.integrate(model, q, s * v)) @ v for s in (h0, -h0))
        error = task.error(model, q, target, q)
        wanted = acceleration + damping * (velocity - Jt @ v) + stiffness * error - (there - back) / (2 * h0)
        weight = task.weight / task.scales(model) ** 2
        H[:n, :n] += (Jt.T * weight) @ Jt
        g[:n] += (Jt.T * weight) @ wanted
    return H, g, E, e, A, b


@pytest.mark.variants("seed")
@pytest.mark.parametrize("limit", [200.0, 12.0, 6.0])
@pytest.mark.parametrize("seed", range(3))
def test_the_answer_is_feasible_and_none_is_better(dog, limit, seed):
    """Karush, Kuhn and Tucker's conditions, of the problem written out with all its variables."""
    tasks = tasks_of(dog)
    body = WholeBody(dog, FEET, tasks, effort_limits=limit)
    q, v, targets = problem(dog, seed, moving=limit > 100)
    answer = body(q, v, targets)
    limits = np.full(dog.nv, limit)
    holds(body, q, v, answer, limits)
    H, g, E, e, A, b = written_out(body, tasks, q, v, targets, limits)
    x = np.concatenate([answer.acceleration, answer.forces.ravel() / lw.total_mass(dog)])
    np.testing.assert_allclose(E @ x, e, atol=1e-8)
    active = np.abs(A @ x - b) < 1e-6 * (1.0 + np.abs(b))
    assert (A @ x <= b + 1e-6 * (1.0 + np.abs(b))).all()
    columns = np.concatenate([E.T, -E.T, A[active].T], axis=1)
    sizes = np.linalg.norm(columns, axis=0)
    _, left = optimize.nnls(columns / sizes, -(H @ x - g), maxiter=10000)
    assert left < 1e-6 * (1.0 + np.linalg.norm(g))


def test_it_starts_from_what_was_active_and_gives_the_same(dog):
    tasks = tasks_of(dog)
    body = WholeBody(dog, FEET, tasks, effort_limits=4.0)
    q, v, targets = problem(dog, 3, moving=False)
    first, again = body(q, v, targets), body(q, v, targets)
    assert first.iterations > again.iterations
    np.testing.assert_allclose(again.efforts, first.efforts, atol=1e-8)


def test_a_humanoid_stands_on_its_soles():
    man = lw.load("humanoid")
    names = [joint.name for joint in man.joints[1:]]
    com, posture, turning = CenterOfMass(weight=10.0), Joints(names, weight=0.1), Momentum("angular", weight=1e-3)
    soles = [StanceContact(f"{side}_sole", SOLE) for side in ("left", "right")]
    tasks = {com: (30.0, 10.0), "torso": (30.0, 10.0), posture: (9.0, 6.0), turning: (5.0, 0.0)}
    body = WholeBody(man, soles, tasks, effort_limits=150.0)
    q = crouching(man, 0.4)
    place = lw.center_of_mass(man, q)
    targets = {com: place, "torso": lw.pose(man, q, "torso"), posture: q[7:], turning: np.zeros(3)}
    rng = np.random.default_rng(0)
    for v in (np.zeros(man.nv), 0.2 * rng.normal(size=man.nv)):
        answer = body(q, v, targets)
        holds(body, q, v, answer, 150.0)
    for bend in (0.0, 1e-9, 1e-6):  # straight legs are singular: rows of contacts depend on each other, or nearly
        straight = lw.integrate(man, man.neutral(), bend * rng.normal(size=man.nv))
        holds(body, straight, np.zeros(man.nv), body(straight, np.zeros(man.nv), targets), 150.0)
    with pytest.raises(LinkwrightError, match="takes one state"):
        body(np.stack([q, q]), np.zeros((2, man.nv)), targets)
    still = body(q, np.zeros(man.nv), targets)
    np.testing.assert_allclose(still.forces.sum(axis=0), [0.0, 0.0, 9.81 * lw.total_mass(man)], rtol=2e-2, atol=5.0)


def test_points_of_one_frame_that_do_not_span_a_plane_let_it_turn(dog):
    tasks = {"trunk": (30.0, 10.0)}
    edge = [(0.0, 0.03, 0.0), (0.0, -0.03, 0.0)]
    assert not StanceContact("front_left_foot", edge).rigid
    body = WholeBody(dog, [StanceContact("front_left_foot", edge), *FEET[1:]], tasks, effort_limits=100.0)
    q, v, _ = problem(dog, 5)
    targets = {"trunk": lw.pose(dog, q, "trunk")}
    answer = body(q, 0.0 * v, targets)
    assert answer.feasible
    rate = lw.acceleration(dog, q, 0.0 * v, answer.acceleration, "front_left_foot")
    R = lw.pose(dog, q, "front_left_foot")[:3, :3]
    for point in edge:
        np.testing.assert_allclose(rate[:3] - skew(R @ np.array(point)) @ rate[3:], 0.0, atol=1e-8)
    assert "contradict" in body(q, v, targets).reason  # points of a body that turns cannot both be without acceleration


def test_without_contacts_it_falls_and_an_arm_follows():
    dog = lw.load("quadruped")
    com = CenterOfMass()
    body = WholeBody(dog, [], {com: (30.0, 10.0)}, effort_limits=None)
    q = crouching(dog)
    answer = body(q, np.zeros(dog.nv), {com: lw.center_of_mass(dog, q) + np.array([0.0, 0.0, 1.0])})
    assert answer.feasible
    np.testing.assert_allclose(lw.center_of_mass_jacobian(dog, q) @ answer.acceleration, dog.gravity, atol=1e-9)
    arm = lw.load("arm7")
    q, v = arm.random(seed=1), np.zeros(7)
    body = WholeBody(arm, [], {"tool": (100.0, 20.0)}, effort_limits=None)
    goal = lw.pose(arm, q, "tool")
    goal[:3, 3] += [0.01, 0.02, -0.01]
    a = body(q, v, {"tool": goal}).acceleration
    np.testing.assert_allclose((lw.jacobian(arm, q, "tool") @ a)[:3], [1.0, 2.0, -1.0], atol=1e-4)


def test_what_cannot_be_met_is_reported(dog):
    """Hanging from the ground, with hardly any motors, the feet would have to be pulled."""
    tasks = tasks_of(dog)
    body = WholeBody(dog.with_gravity([0.0, 0.0, 9.81]), FEET, tasks, effort_limits=0.1)
    q, v, targets = problem(dog, 0, moving=False)
    answer = body(q, v, targets)
    assert not answer.feasible
    assert "would have to be pulled with" in answer.reason
    assert "would need" in answer.reason
    assert np.abs(answer.efforts).max() < 0.1 + 1e-6
    with pytest.raises(LinkwrightError, match=r"at 0\.5 s contacts cannot hold"):
        body.controller(targets)(0.5, q, v)


def test_contacts_that_are_reported_twice_say_nothing_new(dog):
    tasks = tasks_of(dog)
    q, v, targets = problem(dog, 2)
    once = WholeBody(dog, FEET, tasks, effort_limits=100.0)(q, v, targets)
    twice = WholeBody(dog, [*FEET, FEET[0]], tasks, effort_limits=100.0)(q, v, targets)
    assert twice.feasible
    np.testing.assert_allclose(twice.acceleration, once.acceleration, atol=1e-4)


def test_contacts_that_do_not_hold_are_as_absent_ones(dog):
    tasks, diagonal = tasks_of(dog), [FEET[0], FEET[3]]
    q, v, targets = problem(dog, 4)
    all_feet = WholeBody(dog, FEET, tasks, effort_limits=100.0)
    for held in (diagonal, []):
        some = all_feet(q, v, targets, contacts=held)
        alone = WholeBody(dog, held, tasks, effort_limits=100.0)(q, v, targets)
        assert some.feasible
        np.testing.assert_allclose(some.acceleration, alone.acceleration, atol=1e-7 * np.abs(alone.acceleration).max())
        np.testing.assert_allclose(some.efforts, alone.efforts, atol=1e-4)
        of_frames = dict(zip(FEET, some.forces, strict=True))
        for foot, force in zip(held, alone.forces, strict=True):
            np.testing.assert_allclose(of_frames[foot], force, atol=1e-3)
        assert all(np.abs(of_frames[foot]).max() < 1e-6 for foot in FEET if foot not in held)
    with pytest.raises(LinkwrightError, match="unknown contact 'nose'"):
        all_feet(q, v, targets, contacts=["nose"])
    with pytest.raises(LinkwrightError, match="names of frames that hold"):
        all_feet(q, v, targets, contacts=FEET[0])


def test_welded_to_the_ground_it_moves_as_the_answer_says(dog):
    """The efforts, given to the mechanism whose feet loops hold, make it accelerate as the answer does."""
    tasks = tasks_of(dog)
    body = WholeBody(dog, FEET, tasks, effort_limits=100.0)
    q = crouching(dog)
    pinned = dog
    for foot in FEET:
        pinned = pinned.with_loop(f"{foot}_pin", "ball", "world", foot, xyz=lw.pose(dog, q, foot)[:3, 3])
    com, turn, joints = tasks
    place = lw.center_of_mass(dog, q)
    targets = {com: place + np.array([0.0, 0.0, -0.01]), turn: lw.pose(dog, q, "trunk")[:3, :3], joints: q[7:]}
    answer = body(q, np.zeros(dog.nv), targets)
    a = lw.forward_dynamics(pinned, q, np.zeros(dog.nv), answer.efforts)
    np.testing.assert_allclose(a, answer.acceleration, atol=1e-9)

    def lowered(t):
        down = np.array([0.0, 0.0, -0.03])
        way = (1.0 - np.cos(2.0 * t), 2.0 * np.sin(2.0 * t), 4.0 * np.cos(2.0 * t))
        return targets | {com: (place + way[0] * down, way[1] * down, way[2] * down)}

    motion = lw.simulate(pinned, q, np.zeros(dog.nv), 1.0, step=2e-3, callback=body.controller(lowered))
    wanted = np.array([lowered(t)[com][0] for t in motion.t])
    assert np.abs(lw.center_of_mass(dog, motion.q) - wanted).max() < 5e-3
    assert lw.center_of_mass(dog, motion.q)[-1, 2] < place[2] - 0.03


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda dog: WholeBody(dog, ["nose"], {"trunk": (1, 1)}), "unknown frame 'nose'"),
        (lambda dog: WholeBody(dog, "front_left_foot", {"trunk": (1, 1)}), "contacts are a list"),
        (lambda dog: WholeBody(dog, FEET, {"trunk": 3.0}), r"\(stiffness, damping\)"),
        (lambda dog: WholeBody(dog, FEET, {"trunk": (-1.0, 3.0)}), "stiffness of .* is a number from 0 on"),
        (lambda dog: WholeBody(dog, FEET, {lw.tasks.Direction("trunk"): (1, 1)}), "tasks are names of frames, or Pose"),
        (lambda dog: WholeBody(dog, FEET, {Pose("trunk", FEET[0]): (1, 1)}), "world axes"),
        (lambda dog: WholeBody(dog, FEET, {"trunk": (1, 1)}, effort_limits=[1.0]), r"expected one number or \(18,\)"),
        (lambda dog: WholeBody(dog, FEET, {"trunk": (1, 1)}, actuated=["tail"]), "unknown joint 'tail'"),
        (lambda dog: WholeBody(dog, FEET, {"trunk": (1, 1)}, regularization=0.0), "positive number"),
        (lambda dog: WholeBody(lw.load("four_bar"), [], {}), "closed loops"),
        (lambda dog: StanceContact("trunk", [(0, 0)]), r"\(k, 3\)"),
        (lambda dog: StanceContact("trunk", friction=0.0), "positive number"),
        (lambda dog: StanceContact("trunk", normal=(0, 0, 0)), "vector"),
    ],
)
def test_what_is_no_whole_body_is_refused(dog, make, message):
    with pytest.raises(LinkwrightError, match=message):
        make(dog)


def test_what_is_no_target_is_refused(dog):
    body = WholeBody(dog, FEET, {Position("trunk"): (1.0, 1.0)})
    (task,), q, v = body.tasks, dog.neutral(), np.zeros(dog.nv)
    for targets, message in (
        ({}, "there is no target of Position"),
        ({task: np.zeros(3), "trunk": np.eye(4)}, "unknown task 'trunk'"),
        ({task: np.zeros(4)}, r"has shape \(4,\); expected \(3,\)"),
        ({task: (np.zeros(3), np.zeros(3), np.zeros(2))}, r"has shape \(2,\); expected \(3,\)"),
        ({task: np.full(3, np.nan)}, "not finite"),
        (7, "targets are a dict"),
    ):
        with pytest.raises(LinkwrightError, match=message):
            body(q, v, targets)
