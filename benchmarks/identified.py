"""Identify robots from a million samples, and test the standard errors.

    python benchmarks/identified.py [name …]

A name is that of a fixed-base robot, built in or of a file. For each robot, from samples in memory: the shortest wall
and processor time of several runs of ``identify`` (base parameters with standard errors, and all physically consistent
parameters), next to Pinocchio's regressor alone, called in a Python loop for twenty thousand samples and scaled. Then
100 runs with new noise and a new prior each (masses and moments off by up to 20 %, centers of mass by a centimeter):
errors of base parameters in standard errors, the number of bodies without a physically consistent mass distribution for
least squares, for the prior and for the result, and the errors of masses.
"""

from __future__ import annotations

import math
import os
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np

import linkwright as lw
from linkwright.identification.fitting.physical import is_physical

NAMES = ("panda", "arm7")
SAMPLES, RUNS, FEW = 1_000_000, 5, 1000


def measured(model: lw.Model, n: int, rng: np.random.Generator) -> list[np.ndarray]:
    """q, v, a and efforts with 5 % of noise."""
    q, (v, a) = model.random(n, seed=rng), rng.standard_normal((2, n, model.nv))
    tau = lw.inverse_dynamics(model, q, v, a) - lw.passive_forces(model, q, v)
    return [q, v, a, tau + 0.05 * np.sqrt((tau**2).mean(axis=0)) * rng.standard_normal(tau.shape)]


def roughly(model: lw.Model, rng: np.random.Generator) -> lw.Model:
    """What one might believe of it."""
    for body in model.bodies:
        if body.mass:
            model = model.with_body(
                body.name,
                mass=body.mass * rng.uniform(0.8, 1.2),
                center_of_mass=body.center_of_mass + rng.uniform(-0.01, 0.01, 3),
                inertia=body.inertia * rng.uniform(0.8, 1.2),
            )
    return model


def million(model: lw.Model) -> None:
    """How long it takes."""
    rng = np.random.default_rng(0)
    arrays, prior = measured(model, SAMPLES, rng), roughly(model, rng)
    lw.identify(prior, *(x[:FEW] for x in arrays))  # compiles
    wall, processor = [], []
    for _ in range(RUNS):
        began, used = time.perf_counter(), time.process_time()
        found = lw.identify(prior, *arrays)
        wall.append(time.perf_counter() - began)
        processor.append(time.process_time() - used)
    physical = is_physical(found.parameters.reshape(-1, 10)).all()
    print(f"\n{model.name}: {SAMPLES} samples of {model.nv} joints, {len(found.base_parameters)} base parameters")
    print(f"  identified in {min(wall):.2f} s, processor time {min(processor):.2f} s; all bodies physical: {physical}")
    if (theirs := pinocchio(model, arrays)) is not None:
        print(f"  Pinocchio's regressor alone, called from Python: {theirs * SAMPLES:.1f} s")


def pinocchio(model: lw.Model, arrays: list[np.ndarray], n: int = 20_000) -> float | None:
    """Seconds a sample; None where it is not installed or has other coordinates."""
    try:
        import pinocchio as pin
    except ImportError:
        return None
    with tempfile.TemporaryDirectory() as folder:
        theirs = pin.buildModelFromUrdf(str(model.save(Path(folder) / "robot.urdf")))
    if theirs.nq != theirs.nv:
        return None
    data, best = theirs.createData(), math.inf
    q, v, a = (np.pad(x[:n], ((0, 0), (0, theirs.nv - model.nv))) for x in arrays[:3])
    for _ in range(3):
        began = time.perf_counter()
        for k in range(n):
            pin.computeJointTorqueRegressor(theirs, data, q[k], v[k], a[k])
        best = min(best, (time.perf_counter() - began) / n)
    return best


def noisy_runs(model: lw.Model, runs: int = 100) -> None:
    """What standard errors are worth, and how many bodies can be."""
    rng, z, unphysical, plain, off = np.random.default_rng(1), [], 0, [], []
    for _ in range(runs):
        prior = roughly(model, rng)
        found = lw.identify(prior, *measured(model, FEW, rng))
        K, before, true = found.base.matrix, found.unknowns.of_model(prior), found.unknowns.of_model(model)
        z.append((found.base_parameters - K @ true) / found.standard_errors)
        unphysical += int((~is_physical(found.parameters.reshape(-1, 10))).sum())
        least = before + np.linalg.pinv(K) @ (found.base_parameters - K @ before)
        plain.append(int((~is_physical(least.reshape(-1, 10))).sum()))
        off.append(np.abs(found.parameters[::10] - true[::10]).mean())
    deviations = np.concatenate(z)
    expected = math.erfc(3.0 / math.sqrt(2.0)) * len(deviations)
    print(f"  {runs} runs of {FEW} samples, {len(deviations)} deviations in standard errors: rms", end=" ")
    print(f"{np.sqrt((deviations**2).mean()):.3f}, {int((np.abs(deviations) > 3.0).sum())} beyond 3", end=" ")
    print(f"(expected {expected:.1f}), largest {np.abs(deviations).max():.2f}")
    print(f"  bodies that cannot be: {unphysical}; of prior and least squares {np.mean(plain):.2f} a run", end=", ")
    print(f"at most {max(plain)} of {len(model.bodies)}; masses off by {np.mean(off):.2f} kg on average")


def main(names: list[str]) -> None:
    """All tables."""
    warnings.simplefilter("ignore")
    for name in names:
        model = lw.load(name)
        million(model)
        noisy_runs(model)
    if hasattr(os, "getloadavg"):
        print(f"\nload {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")


if __name__ == "__main__":
    main(sys.argv[1:] or list(NAMES))
