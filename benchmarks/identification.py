"""Measure regressors, and the normal equations of least squares formed from them, on one core.

    OPENBLAS_NUM_THREADS=1 python benchmarks/identification.py [name …]

A name is that of a built-in mechanism or of a file. For each mechanism: operations of the dense regressor (nv, p); ns
per row in batches of 128 (in cache) and of 1024, next to a copy of as many numbers, and to Pinocchio's
``computeJointTorqueRegressor`` if that is installed. Then the sums Σ YᵀY and Σ Yᵀτ of a hundred thousand samples, ns
per sample, by three methods:

- ``dense``: blocks of 128 dense regressors in cache, each block's YᵀY by BLAS;
- ``joints``: for each joint the columns of the bodies that it carries and τ, in blocks of 128, BLAS for each joint;
- ``base``: the same with the base parameters' columns alone.

A kernel that forms the sums in a loop (``repeat`` over the samples, the sums as its state) was measured too: for
puma560 it takes 1.3 times as long as ``base``, since its state lies in an outer cache, and seconds to compile. Times
are minima of many alternating rounds; the load of the machine is printed.
"""

from __future__ import annotations

import os
import sys
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import linkwright as lw
from linkwright_gallery.benchmark.clock import interleaved

NAMES = ("arm7", "puma560", "quadruped", "humanoid")
BLOCK, SAMPLES = 128, 100_000


def compiled(function: Callable[..., Any], model: lw.Model) -> lw.Kernel:
    """On one thread."""
    kernel = lw.compile(function, model)
    kernel.threads = 1
    return kernel


def states(model: lw.Model, n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Random ones."""
    rng = np.random.default_rng(0)
    return model.random(n, seed=rng), *rng.normal(size=(2, n, model.nv))


def rows_of(model: lw.Model, repeats: int = 40) -> None:
    """The regressor's time a row."""
    kernel = compiled(lw.regressor, model)
    contenders: dict[str, tuple[Callable[[], Any], int]] = {}
    for n in (BLOCK, 1024):
        arrays = states(model, n)
        out = kernel(*arrays)
        other = np.empty_like(out)
        contenders[f"batches of {n}"] = (lambda arrays=arrays, out=out: kernel(*arrays, out=out)), n
        contenders[f"a copy of {n}"] = (lambda out=out, other=other: np.copyto(other, out)), n
    one = tuple(x[0] for x in states(model, 1))
    contenders["one call"] = (lambda: kernel(*one)), 1
    if (theirs := pinocchio(model, one)) is not None:
        contenders["Pinocchio"] = theirs, 1
    found = interleaved(contenders, rounds=repeats)
    print(f"\n{model.name}: Y ({model.nv}, {kernel.program.outputs[0].shape[1]}), {kernel.operations}")
    for name, timing in found.items():
        print(f"  {name:18} {timing.minimum:10.0f} ns, median {timing.median:10.0f}")
    if "Pinocchio" in found:
        ratios = [found["Pinocchio"].minimum / found[f"batches of {n}"].minimum for n in (BLOCK, 1024)]
        print(f"  of Pinocchio's time a row takes 1/{ratios[0]:.0f} and 1/{ratios[1]:.0f}")


def pinocchio(model: lw.Model, state: tuple[np.ndarray, ...]) -> Callable[[], Any] | None:
    """Its regressor of a fixed-base arm of hinges, called from Python; None where it is not installed."""
    try:
        import pinocchio as pin
    except ImportError:
        return None
    if any(joint.type != "revolute" for joint in model.joints):
        return None
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = pin.buildModelFromUrdf(str(model.save(Path(folder) / "robot.urdf")))
    data = theirs.createData()
    if theirs.nq != model.nq:
        return None
    return lambda: pin.computeJointTorqueRegressor(theirs, data, *state)


def sums_of(model: lw.Model) -> None:
    """The normal equations of many samples."""
    arrays = states(model, SAMPLES)
    tau = lw.inverse_dynamics(model, *arrays)
    base = lw.base_parameters(model)
    p = len(base.parameters)
    seen = np.abs(lw.regressor(model, *states(model, 64))).max(axis=0) > 0.0

    def dense() -> np.ndarray:
        out, total = np.empty((BLOCK, model.nv, p)), np.zeros((p, p))
        for k in range(0, SAMPLES, BLOCK):
            n = min(BLOCK, SAMPLES - k)
            kernels["dense"](*(x[k : k + n] for x in arrays), out=out[:n])
            A = out[:n].reshape(n * model.nv, p)
            total += A.T @ A
        return total

    def joint_by_joint(name: str) -> Callable[[], list[np.ndarray]]:
        def sums() -> list[np.ndarray]:
            kernel = kernels[name]
            out = tuple(np.empty((BLOCK, *slot.shape)) for slot in kernel.program.outputs)
            totals = [np.zeros((x.shape[1], x.shape[1])) for x in out]
            for k in range(0, SAMPLES, BLOCK):
                n = min(BLOCK, SAMPLES - k)
                place = tuple(x[:n] for x in out)
                kernel(*(x[k : k + n] for x in (*arrays, tau)), out=place)
                for total, A in zip(totals, place, strict=True):
                    total += A.T @ A
            return totals

        return sums

    def columns(chosen: np.ndarray) -> Callable[..., Any]:
        def rows(model: lw.Model, q: Any, v: Any, a: Any, tau: Any) -> Any:
            Y = lw.regressor(model, q, v, a)
            each = [np.flatnonzero(chosen & own) for own in seen]
            return tuple(np.concatenate([Y[j][own], tau[j : j + 1]]) for j, own in enumerate(each))

        return rows

    alone = np.zeros(p, dtype=bool)
    alone[base.index] = True
    kernels = {
        "dense": compiled(lw.regressor, model),
        "joints": compiled(columns(np.ones(p, dtype=bool)), model),
        "base": compiled(columns(alone), model),
    }
    ways = {"dense": dense, "joints": joint_by_joint("joints"), "base": joint_by_joint("base")}
    found = interleaved({name: (way, SAMPLES) for name, way in ways.items()}, rounds=5)
    print(f"  sums of {SAMPLES} samples, {p} parameters, {base.rank} base parameters: ns a sample")
    for name, timing in found.items():
        print(f"  {name:18} {timing.minimum:10.0f} ns, median {timing.median:10.0f}")


def main(names: list[str]) -> None:
    """All tables."""
    for name in names:
        model = lw.load(name)
        rows_of(model)
        sums_of(model)
    if hasattr(os, "getloadavg"):
        print(f"\nload {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")


if __name__ == "__main__":
    main(sys.argv[1:] or list(NAMES))
