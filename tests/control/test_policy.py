"""Policies: what the network gives is what NumPy gives, alone, in batches, within steps; weights in and out."""

from __future__ import annotations

import functools
import re

import numpy as np
import pytest

import linkwright as lw
from linkwright.compiler import kernel
from linkwright.control.policy import ACTIVATIONS
from linkwright.errors import ArgumentError, FormatError, InputError, MissingFileError, ShapeError
from mechanisms import one_of_each, relative_error

ROWS = 11


@pytest.fixture(scope="module")
def robot():
    return lw.load("quadruped")


def by_hand(activation, layers, x, bounded=True):
    """The network, layer by layer."""
    for W, b in layers[:-1]:
        x = activation(x @ W + b)
    W, b = layers[-1]
    return np.tanh(x @ W + b) if bounded else x @ W + b


OF_NUMPY = {
    "tanh": np.tanh,
    "relu": lambda x: np.maximum(x, 0.0),
    "elu": lambda x: np.where(x > 0.0, x, np.expm1(x)),
    "sigmoid": lambda x: 1.0 / (1.0 + np.exp(-x)),
    "silu": lambda x: x / (1.0 + np.exp(-x)),
}


@pytest.mark.variants("hidden")
@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("hidden", [(), (5,), (24, 40)])
def test_outputs_are_those_of_the_network(robot, activation, hidden):
    policy = lw.Policy(robot, hidden, activation=activation, bounded=bool(hidden), commands=2)
    assert policy.sizes == (35, *hidden, 12)
    rng = np.random.default_rng(0)
    weights, x = rng.normal(size=(ROWS, policy.size)) / 4.0, rng.normal(size=(ROWS, 35))
    found = policy.outputs(weights, x)
    for row in range(ROWS):
        expected = by_hand(OF_NUMPY[activation], policy.layers(weights[row]), x[row], bool(hidden))
        assert relative_error(found[row], expected) < 1e-13
    outputs = lw.compile(lambda w, x: policy.outputs(w, x), w=policy.size, x=35)
    assert relative_error(outputs(weights, x), found) < 1e-13
    shared = outputs(weights[0], x)
    assert relative_error(shared, policy.outputs(weights[0], x)) < 1e-13
    assert np.array_equal(shared[3], outputs(weights[0], x[3]))


def test_a_policy_is_a_law_whose_weights_are_values(robot, monkeypatch):
    policy = lw.Policy(robot, (16, 16), commands=3)
    several = policy.random(0, (3,)) * 5.0
    bound = {"command": [1.0, 0.0, 0.5], "scale": 0.3, "stiffness": 40.0, "damping": 1.0}
    q0, v0 = robot.neutral(), np.zeros(robot.nv)
    ends = []
    for weights in several:
        motion = lw.simulate(robot, q0, v0, 0.02, controller=functools.partial(policy, weights=weights, **bound))
        ends.append(motion.q[-1])
        monkeypatch.setattr(kernel, "build", None)  # nothing is compiled for the others
    monkeypatch.undo()
    assert not np.allclose(ends[0], ends[1], rtol=0.0, atol=1e-9)
    law = functools.partial(policy, weights=several, **bound)
    batch = lw.simulate(robot, np.tile(q0, (3, 1)), v0, 0.02, controller=law, actuation=lw.Actuation(each=["weights"]))
    assert np.array_equal(batch.q[-1], ends)
    rolled = lw.rollout(
        robot,
        np.tile(q0, (3, 1)),
        v0,
        20,
        0.001,
        controller=law,
        method="rk4",
        actuation=lw.Actuation(each=["weights"]),
    )
    assert rolled.q.shape[-2:] == (3, robot.nq)


def test_efforts_are_of_the_motors_alone(robot):
    policy = lw.Policy(robot, (8,))
    rng = np.random.default_rng(1)
    q, v = robot.random(seed=2), rng.normal(size=robot.nv)
    w = rng.normal(size=policy.size)
    y = policy.outputs(w, policy.input(robot, 0.0, q, v))
    scale = np.linspace(1.0, 2.0, 12)
    found = policy(robot, 0.0, q, v, weights=w, scale=scale, damping=0.2)
    assert not found[:6].any()
    assert np.allclose(found[6:], scale * y - 0.2 * v[6:], rtol=0.0, atol=1e-12)
    held = policy(robot, 0.0, q, v, weights=w, scale=0.1, stiffness=30.0, posture=robot.neutral())
    assert np.allclose(held[6:], 30.0 * (0.1 * y + robot.neutral()[7:] - q[7:]), rtol=0.0, atol=1e-12)
    legs = lw.Policy(robot, (8,), actuated=["front_left_knee", "front_right_hip_roll"])
    assert legs.sizes[-1] == 2
    assert np.count_nonzero(legs(robot, 0.0, q, v, weights=rng.normal(size=legs.size))) == 2


def test_what_is_observed_does_not_depend_on_where_a_robot_stands_and_heads(robot):
    rng = np.random.default_rng(3)
    q, v = robot.random(seed=4), rng.normal(size=robot.nv)
    seen = lw.control.observation(robot, 0.0, q, v)
    assert seen.shape == (3 + 12 + 18,)
    half = 0.7
    turn = np.array([np.cos(half), 0.0, 0.0, np.sin(half)])
    moved = q.copy()
    moved[:3] += [3.0, -1.0, 0.5]
    moved[3:7] = lw.quaternion.product(turn, q[3:7])
    assert np.allclose(lw.control.observation(robot, 0.0, moved, v), seen, rtol=0.0, atol=1e-12)
    R = lw.pose(robot, q, robot.joints[0].child)[:3, :3]
    assert np.allclose(R @ seen[:3], [0.0, 0.0, -1.0], rtol=0.0, atol=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_policies_of_any_mechanism(seed):
    model = one_of_each(seed)
    policy = lw.Policy(model, (20,))
    w = policy.random(seed)
    law = lw.compile(lambda model, q, v, w: policy(model, 0.0, q, v, weights=w), model, w=policy.size)
    q, v = model.random(seed=seed), np.random.default_rng(seed).normal(size=model.nv)
    assert relative_error(law(q, v, w), policy(model, 0.0, q, v, weights=w)) < 1e-12


def test_the_gradient_of_a_motion_by_its_weights():
    model = lw.load("two_link")
    policy = lw.Policy(model, (24,))

    def cost(model, q, v, w):
        def step(k, q, v, total):
            tau = policy(model, 0.0, q, v, weights=w)
            v = v + 0.01 * lw.forward_dynamics(model, q, v, tau)
            q = lw.integrate(model, q, 0.01 * v)
            return q, v, total + q @ q + 0.1 * tau @ tau

        return lw.repeat(12, step, q, v, 0.0)[2]

    costs = lw.compile(cost, model, w=policy.size)
    q, v, w = np.array([0.4, -0.2]), np.zeros(2), policy.random(0) * 3.0
    slope = costs.derivative("w")(q, v, w)
    unit = np.random.default_rng(0).normal(size=policy.size)
    measured = (costs(q, v, w + 1e-6 * unit) - costs(q, v, w - 1e-6 * unit)) / 2e-6
    assert abs(slope @ unit - measured) < 1e-7 * max(1.0, abs(measured))


def test_weights_are_kept_and_come_back(robot, tmp_path):
    policy = lw.Policy(robot, (9, 10))
    w = policy.random(5, (2,))
    assert np.array_equal(policy.flat(policy.layers(w)), w)
    path = policy.save(tmp_path / "walk.npz", w)
    assert np.array_equal(policy.load(path), w)
    with pytest.raises(InputError, match=re.escape("33 -> 9 -> 10 -> 12")):
        lw.Policy(robot, (9, 11)).load(path)
    with pytest.raises(InputError, match="tanh"):
        lw.Policy(robot, (9, 10), activation="relu").load(path)
    broken = tmp_path / "broken.npz"
    broken.write_bytes(path.read_bytes()[:100])
    with pytest.raises(FormatError, match="policy's weights"):
        policy.load(broken)
    with pytest.raises(MissingFileError):
        policy.load(tmp_path / "none.npz")


def test_weights_that_are_not_finite_are_refused(robot, tmp_path):
    policy = lw.Policy(robot, (2,))
    w = policy.random(0)
    w[3] = np.nan
    with pytest.raises(FormatError, match=f"1 of {policy.size} weights are not finite"):
        policy.load(policy.save(tmp_path / "nan.npz", w))
    np.savez(tmp_path / "odd.npz", weights=policy.random(0), sizes=3, activation="tanh", bounded=True)
    with pytest.raises(FormatError, match="policy weights: sizes is"):
        policy.load(tmp_path / "odd.npz")


class _Tensor:
    """Attributes of a tensor that a policy uses."""

    def __init__(self, x):
        self.x = x

    def detach(self):
        return self

    def cpu(self):
        return self

    def numpy(self):
        return self.x


def test_weights_of_a_state_dict(robot):
    policy = lw.Policy(robot, (9, 10))
    w = policy.random(6)
    state = {"value.weight": np.zeros((1, 33))}
    for number, (W, b) in enumerate(policy.layers(w)):
        state[f"actor.{2 * number}.weight"] = _Tensor(W.T.astype(np.float32))
        state[f"actor.{2 * number}.bias"] = _Tensor(b.astype(np.float32))
    assert np.allclose(policy.from_state_dict(state, "actor."), w, rtol=0.0, atol=1e-6)
    del state["actor.0.bias"]
    assert np.allclose(policy.from_state_dict(state, "actor."), w, rtol=0.0, atol=1e-6)
    with pytest.raises(ShapeError, match="layers are pairs"):
        policy.from_state_dict(state)
    with pytest.raises(InputError, match="ends in 'weight'"):
        policy.from_state_dict(state, "critic.")


def test_what_is_wrong_is_reported(robot):
    for wrong, words in [
        ({"hidden": (0,)}, "hidden"),
        ({"commands": -1}, "commands"),
        ({"activation": "softmax"}, "tanh, relu"),
        ({"observe": 3}, "observe"),
    ]:
        with pytest.raises(InputError if words in ("hidden", "commands") else ArgumentError, match=words):
            lw.Policy(robot, **wrong)
    with pytest.raises(ShapeError, match="observe"):
        lw.Policy(robot, observe=lambda model, t, q, v: q[0])
    policy = lw.Policy(robot, (8,), commands=1)
    w, q0, v0 = policy.random(0), robot.neutral(), np.zeros(robot.nv)
    for bound, error, words in [
        ({}, ArgumentError, "bind the weights"),
        ({"weights": w}, ArgumentError, "1 numbers"),
        ({"weights": w[1:], "command": 1.0}, ShapeError, "weights has shape"),
        ({"weights": np.stack([w, w]), "command": 1.0}, ShapeError, r"each=\['weights'\]"),
        ({"weights": w, "command": 1.0, "posture": q0}, ArgumentError, "stiffness"),
        ({"weights": w, "command": 1.0, "scale": np.ones(3)}, ShapeError, "scale"),
    ]:
        with pytest.raises(error, match=words):
            lw.simulate(robot, q0, v0, 0.01, controller=functools.partial(policy, **bound))
    with pytest.raises(ShapeError, match="input has shape"):
        policy.outputs(w, np.ones(3))
    with pytest.raises(InputError, match=r"seed is a whole number from 0 on, .*got -1"):
        policy.random(-1)
