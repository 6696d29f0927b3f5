"""Measure the overhead of a call through `lw.bridges`: inverse dynamics of a seven-joint arm in PyTorch and JAX.

The kernel itself runs in the same rounds. Process time on one thread, minima of interleaved rounds, on a quiet machine:

    python benchmarks/bridges.py
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from typing import Any

os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false")

import jax
import numpy as np
import torch

import linkwright as lw

jax.config.update("jax_enable_x64", True)
torch.set_num_threads(1)


def calls() -> dict[str, Callable[[], Any]]:
    """Each call by its name."""
    arm = lw.load("arm7")
    kernel = lw.compile(lw.inverse_dynamics, arm)
    of_torch, of_jax = lw.bridges.torch(kernel), lw.bridges.jax(kernel)
    arrays = np.random.default_rng(0).standard_normal((3, 7))
    q, v, a = arrays
    tensors = [torch.as_tensor(x) for x in arrays]
    recorded = tensors[0].clone().requires_grad_()
    of_arrays = [jax.numpy.asarray(x) for x in arrays]
    jitted, added = jax.jit(of_jax), jax.jit(lambda q, v, a: q + v + a)

    @jax.jit
    def thousand(q: Any, v: Any, a: Any) -> Any:
        return jax.lax.fori_loop(0, 1000, lambda _, q: 1e-3 * of_jax(q, v, a), q)

    return {
        "kernel": lambda: kernel(q, v, a),
        "torch": lambda: of_torch(*tensors),
        "torch, recorded for autograd": lambda: of_torch(recorded, *tensors[1:]),
        "torch's own q * v + a, recorded": lambda: recorded * tensors[1] + tensors[2],
        "jax, jitted": lambda: jitted(*of_arrays),
        "jax's own q + v + a, jitted": lambda: added(*of_arrays),
        "jax, 1000 calls in a loop": lambda: thousand(*of_arrays),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    rounds = parser.parse_args().rounds
    best: dict[str, float] = {}
    every = calls()
    for run in every.values():
        run()
    for _ in range(rounds):
        for name, run in every.items():
            count = 20 if "1000" in name else 5000
            start = time.process_time()
            for _ in range(count):
                run()
            spent = (time.process_time() - start) / count
            best[name] = min(spent, best.get(name, spent))
    print(f"load {os.getloadavg()[0]:.1f}; torch {torch.__version__}, jax {jax.__version__}")
    for name, seconds in best.items():
        print(f"{name:34s} {1e6 * seconds:8.2f} µs")


if __name__ == "__main__":
    main()
