"""Measure networks in kernels: ns per row of a policy of two layers of 64, and NumPy's products of whole batches.

    OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 python benchmarks/policies.py

CPU time of this thread, minima of many short alternating rounds. NumPy's products are OpenBLAS's. PyTorch is measured
if it is installed, in float64 with one thread. Then a step of the quadruped with and without the policy.
"""

from __future__ import annotations

import functools
import os
import time

import numpy as np

import linkwright as lw

for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
    if os.environ.get(name) != "1":
        raise SystemExit(f"run with {name}=1: one thread each")

ROUNDS, ROWS, STEPS = 200, 256, 50


def cpu_time(function, *arrays):
    start = time.thread_time()
    function(*arrays)
    return time.thread_time() - start


def several(kernel, *arrays):
    for _ in range(8):
        kernel(*arrays)


def of_numpy(policy):
    """The same of a whole batch."""

    def outputs(weights, x):
        *hidden, (W, b) = policy.layers(weights)
        for A, a in hidden:
            x = np.tanh(x @ A + a)
        return np.tanh(x @ W + b)

    return outputs


def of_torch(policy, weights):
    """The same by PyTorch, if it is installed."""
    try:
        import torch
    except ImportError:
        return None
    torch.set_num_threads(1)
    layers = [tuple(map(torch.from_numpy, map(np.ascontiguousarray, layer))) for layer in policy.layers(weights)]

    def outputs(weights, x):
        x = torch.from_numpy(x)
        with torch.no_grad():
            for W, b in layers:
                x = torch.tanh(torch.addmm(b, x, W))

    return outputs


def network(model, observed):
    """ns a row."""
    seen = len(lw.control.observation(model, 0.0, model.neutral(), np.zeros(model.nv)))
    policy = lw.Policy(model, (64, 64), commands=observed - seen)
    kernel = lw.compile(lambda weights, x: policy.outputs(weights, x), weights=policy.size, x=observed)
    kernel.threads = 1
    rng = np.random.default_rng(0)
    weights, x = policy.random(0), rng.normal(size=(ROWS, observed))
    eight = np.tile(weights, (8, 1))  # of each row, which stay in the nearer caches, as those of steps do
    found: dict[str, list[float]] = {}
    theirs = {"numpy": of_numpy(policy), "torch": of_torch(policy, weights)}
    assert np.allclose(kernel(weights, x), theirs["numpy"](weights, x), rtol=0.0, atol=1e-13)
    for _ in range(ROUNDS):
        for who, function in [("shared", kernel), *theirs.items()]:
            if function is not None:
                found.setdefault(who, []).append(cpu_time(function, weights, x) / ROWS)
        found.setdefault("each", []).append(cpu_time(several, kernel, eight, x[:8]) / 64)
        found.setdefault("alone", []).append(cpu_time(several, kernel, weights, x[0]) / 8)
    work = 2.0 * sum(n * m for n, m in policy.shapes)
    print(f"{policy}")
    for who, times in found.items():
        print(f"  {who:8s} {min(times) * 1e9:8.0f} ns a row {work / min(times) / 1e9:8.1f} GFLOP/s in products")


def rollouts(model):
    """ns a step."""
    policy = lw.Policy(model, (64, 64))
    q0, v0 = np.tile(model.neutral(), (4096, 1)), np.zeros((4096, model.nv))
    bound = {"stiffness": 40.0, "damping": 1.0}

    def springs(model, t, q, v, *, stiffness, damping):
        e = lw.difference(model, q, model.neutral())
        return np.eye(model.nv)[:, 6:] @ (stiffness * e[6:] - damping * v[6:])

    laws = {
        "springs alone": (functools.partial(springs, **bound), 4096, ()),
        "policy, weights shared": (functools.partial(policy, weights=policy.random(0), scale=0.3, **bound), 4096, ()),
        "policy, weights of each": (
            functools.partial(policy, weights=policy.random(0, (64,)), scale=0.3, **bound),
            64,
            ["weights"],
        ),
    }
    found: dict[str, list[float]] = {}
    for _ in range(8):
        for who, (law, rows, each) in laws.items():
            run = functools.partial(
                lw.rollout,
                model,
                q0[:rows],
                v0[:rows],
                STEPS,
                0.002,
                controller=law,
                method=lw.Integrator(threads=1),
                actuation=lw.Actuation(each=each),
            )
            found.setdefault(who, []).append(cpu_time(run) / rows / STEPS)
    for who, times in found.items():
        print(f"  {who:24s} {min(times) * 1e9:8.0f} ns a step")


if __name__ == "__main__":
    robot = lw.load("quadruped")
    for observed in (36, 48):
        network(robot, observed)
    print("a step of the quadruped, without contact")
    rollouts(robot)
    print("load", os.getloadavg())
