"""Against Pinocchio, on robots people have: everything the two have in common, to 1e-9 relative."""

from __future__ import annotations

import numpy as np
import pytest
from pinocchio_side import ROBOTS, Pair, pair_of, pin, robot_folder, states_of

import linkwright as lw
from mechanisms import relative_error

ROWS = 5
TOLERANCE = 1e-9

MIMICS = ("panda", "pr2")
REFERENCE_FRAMES = {
    "world_aligned": pin.ReferenceFrame.LOCAL_WORLD_ALIGNED,
    "body": pin.ReferenceFrame.LOCAL,
    "world": pin.ReferenceFrame.WORLD,
}


@pytest.fixture(scope="module", params=ROBOTS)
def pair(request):
    return pair_of(request.param)


@pytest.fixture(scope="module")
def states(pair):
    return states_of(pair, ROWS)


def close(ours, theirs):
    """Every row of a batch agrees with theirs, row by row."""
    assert len(ours) == ROWS
    errors = [relative_error(x, y) for x, y in zip(ours, theirs, strict=True)]
    assert max(errors) < TOLERANCE, errors


def rows(pair, states, f):
    """``f(their q, v, a)`` row by row."""
    return [f(pair.q(q), pair.v(v), pair.v(a)) for q, v, a in zip(*states, strict=True)]


def test_couplings_are_where_they_are_expected(pair, request):
    assert pair.ours.has_couplings == (request.node.callspec.params["pair"] in MIMICS)
    assert len(pair.order) == pair.theirs.nv
    assert lw.total_mass(pair.ours) == pytest.approx(sum(I.mass for I in list(pair.theirs.inertias)[1:]), rel=1e-12)


def test_poses_of_every_link(pair, states):
    names = [name for body in pair.ours.bodies for name in body.links]

    def all_poses(model, q):
        return np.stack([lw.pose(model, q, name) for name in names])

    def theirs(q, v, a):
        pin.framesForwardKinematics(pair.theirs, pair.data, q)
        return np.stack([pair.data.oMf[pair.frame(name)].homogeneous for name in names])

    close(lw.compile(all_poses, pair.ours)(states[0]), rows(pair, states, theirs))


@pytest.mark.variants("reference_frame")
@pytest.mark.parametrize("reference_frame", REFERENCE_FRAMES)
@pytest.mark.parametrize("which", [0, 1])
def test_jacobians_velocities_accelerations(pair, states, reference_frame, which):
    q, v, a = states
    frame, theirs_reference = pair.some_frames[which], REFERENCE_FRAMES[reference_frame]
    number = pair.frame(frame)

    def ours(model, q, v, a):
        return (
            lw.jacobian(model, q, frame, reference_frame),
            lw.jacobian_dot(model, q, v, frame, reference_frame),
            lw.velocity(model, q, v, frame, reference_frame),
            lw.acceleration(model, q, v, a, frame, reference_frame),
        )

    def theirs(q, v, a):
        m, d = pair.theirs, pair.data
        pin.computeJointJacobiansTimeVariation(m, d, q, v)
        pin.forwardKinematics(m, d, q, v, a)
        pin.updateFramePlacements(m, d)
        J = pin.getFrameJacobian(m, d, number, theirs_reference).copy()
        J_dot = pin.getFrameJacobianTimeVariation(m, d, number, theirs_reference).copy()
        twist = pin.getFrameVelocity(m, d, number, theirs_reference).vector.copy()
        if reference_frame == "world_aligned":  # theirs is the spatial acceleration, ours the classical one
            rate = pin.getFrameClassicalAcceleration(m, d, number, theirs_reference).vector.copy()
        else:
            rate = pin.getFrameAcceleration(m, d, number, theirs_reference).vector.copy()
        return pair.columns(J), pair.columns(J_dot), twist, rate

    expected = zip(*rows(pair, states, theirs), strict=True)
    for x, y in zip(lw.compile(ours, pair.ours)(q, v, a), expected, strict=True):
        close(x, y)


def test_mass_matrix(pair, states):
    def theirs(q, v, a):
        M = np.triu(pin.crba(pair.theirs, pair.data, q))
        return pair.square(M + np.triu(M, 1).T)

    close(lw.mass_matrix(pair.ours, states[0]), rows(pair, states, theirs))


def test_inverse_dynamics_gravity_and_bias(pair, states):
    q, v, _ = states
    m, d = pair.theirs, pair.data
    close(lw.inverse_dynamics(pair.ours, *states), rows(pair, states, lambda *s: pair.efforts(pin.rnea(m, d, *s))))
    g = rows(pair, states, lambda q, v, a: pair.efforts(pin.computeGeneralizedGravity(m, d, q)))
    close(lw.gravity_forces(pair.ours, q), g)
    b = rows(pair, states, lambda q, v, a: pair.efforts(pin.nonLinearEffects(m, d, q, v)))
    close(lw.bias_forces(pair.ours, q, v), b)


def test_coriolis_matrix(pair, states):
    def theirs(q, v, a):
        return pair.square(pin.computeCoriolisMatrix(pair.theirs, pair.data, q, v))

    close(lw.coriolis_matrix(pair.ours, *states[:2]), rows(pair, states, theirs))


def their_accelerations(pair, q, v, tau, forces=None):
    """By articulated bodies; with couplings, by their M and bias projected."""
    m, d, q, v = pair.theirs, pair.data, pair.q(q), pair.v(v)
    forces = forces or [pin.Force.Zero() for _ in range(m.njoints)]
    if not pair.ours.has_couplings:
        return pin.aba(m, d, q, v, pair.v(tau), forces)[pair.order]
    full = np.triu(pin.crba(m, d, q))
    bias = pair.efforts(pin.rnea(m, d, q, v, np.zeros(m.nv), forces))
    return np.linalg.solve(pair.square(full + np.triu(full, 1).T), tau - bias)


@pytest.mark.parametrize("method", ["articulated", "composite"])
def test_forward_dynamics(pair, states, method):
    expected = [their_accelerations(pair, *state) for state in zip(*states, strict=True)]
    close(lw.forward_dynamics(pair.ours, *states, method=method), expected)


def test_wrenches(pair, states):
    rng = np.random.default_rng(3)
    wrenches = {name: rng.normal(size=(ROWS, 6)) * 10.0 for name in pair.some_frames}
    each = [{name: w[k] for name, w in wrenches.items()} for k in range(ROWS)]
    forces = [pair.forces(pair.q(q), some) for q, some in zip(states[0], each, strict=True)]
    m, d = pair.theirs, pair.data
    expected = [
        pair.efforts(pin.rnea(m, d, pair.q(q), pair.v(v), pair.v(a), some))
        for q, v, a, some in zip(*states, forces, strict=True)
    ]
    tau = lw.inverse_dynamics(pair.ours, *states, wrenches)
    close(tau, expected)
    assert relative_error(tau, lw.inverse_dynamics(pair.ours, *states)) > 1e-3  # the wrenches were felt
    expected = [their_accelerations(pair, *state, some) for *state, some in zip(*states, forces, strict=True)]
    close(lw.forward_dynamics(pair.ours, *states, wrenches), expected)


def test_center_of_mass_and_momentum(pair, states):
    q, v, _ = states
    m, d = pair.theirs, pair.data
    c = rows(pair, states, lambda q, v, a: pin.centerOfMass(m, d, q).copy())
    close(lw.center_of_mass(pair.ours, q), c)
    J = rows(pair, states, lambda q, v, a: pair.columns(pin.jacobianCenterOfMass(m, d, q)))
    close(lw.center_of_mass_jacobian(pair.ours, q), J)
    A = rows(pair, states, lambda q, v, a: pair.columns(pin.computeCentroidalMap(m, d, q)))
    close(lw.momentum_matrix(pair.ours, q), A)
    h = rows(pair, states, lambda q, v, a: pin.computeCentroidalMomentum(m, d, q, v).vector.copy())
    close(lw.momentum(pair.ours, q, v), h)


def test_the_momentum_matrix_and_its_rate(pair, states):
    q, v, a = states
    m, d = pair.theirs, pair.data

    def theirs(q, v, a):
        pin.dccrba(m, d, q, v)
        return pair.columns(d.Ag.copy()), pair.columns(d.dAg.copy()), d.hg.vector.copy(), d.Ig.inertia.copy()

    A, A_dot, h, I = zip(*rows(pair, states, theirs), strict=True)
    close(lw.momentum_matrix(pair.ours, q), A)
    close(lw.momentum_matrix_dot(pair.ours, q, v), A_dot)
    close(lw.momentum(pair.ours, q, v), h)
    close(lw.whole_body_inertia(pair.ours, q), I)
    rate = rows(pair, states, lambda q, v, a: pin.computeCentroidalMomentumTimeVariation(m, d, q, v, a).vector.copy())
    close(lw.momentum_rate(pair.ours, q, v, a), rate)


def test_centers_of_mass_of_subtrees(pair, states):
    m, d = pair.theirs, pair.data

    def theirs(q, v, a):
        pin.centerOfMass(m, d, q, True)
        places = [m.getJointId("root_joint" if one.type == "free" else one.name) for one in pair.ours.joints]
        return np.stack([d.oMi[k].act(d.com[k]) for k in places])

    expected = rows(pair, states, theirs)
    found = np.stack([lw.subtree_center_of_mass(pair.ours, states[0], body.name) for body in pair.ours.bodies[:8]], 1)
    close(found, [x[:8] for x in expected])


def test_energies(pair, states):
    q, v, _ = states
    m, d = pair.theirs, pair.data
    T = rows(pair, states, lambda q, v, a: pin.computeKineticEnergy(m, d, q, v))
    close(lw.kinetic_energy(pair.ours, q, v), T)
    V = rows(pair, states, lambda q, v, a: pin.computePotentialEnergy(m, d, q))
    close(lw.potential_energy(pair.ours, q), V)


def test_integrate_and_difference(pair, states):
    q, v, _ = states
    moved = lw.integrate(pair.ours, q, v)
    expected = rows(pair, states, lambda q, v, a: pin.integrate(pair.theirs, q, v))
    for x, y in zip(moved, expected, strict=True):
        ours = pair.q(x)
        for joint in pair.joints:  # a quaternion and its negative are one rotation
            if joint.nq == 7:
                at = slice(joint.idx_q + 3, joint.idx_q + 7)
                ours[at] *= np.sign(ours[at] @ y[at])
        assert relative_error(ours, y) < TOLERANCE
    other = np.roll(q, 1, axis=0)
    if pair.ours.nq == pair.ours.nv:
        assert np.array_equal(lw.difference(pair.ours, q, other), other - q)
        return
    expected = [pin.difference(pair.theirs, pair.q(x), pair.q(y))[pair.order] for x, y in zip(q, other, strict=True)]
    close(lw.difference(pair.ours, q, other), expected)


@pytest.mark.parametrize("name", ["panda"])
def test_couplings_of_pinocchio_itself(name):
    """With couplings in Pinocchio, its results are ours."""
    path, _ = ROBOTS[name]
    ours = Pair(robot_folder() / path, False).ours
    theirs = pin.buildModelFromUrdf(str(robot_folder() / path), mimic=True)
    data = theirs.createData()
    assert [joint.name for joint in ours.joints if joint.nq] == [
        name for name, joint in list(zip(theirs.names, theirs.joints, strict=True))[1:] if joint.nq
    ]
    rng = np.random.default_rng(5)
    q, v, a = ours.random(ROWS, seed=rng), rng.normal(size=(ROWS, ours.nv)), rng.normal(size=(ROWS, ours.nv))
    close(lw.inverse_dynamics(ours, q, v, a), [pin.rnea(theirs, data, *s) for s in zip(q, v, a, strict=True)])
