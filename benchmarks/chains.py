"""Compare methods for single configurations of long chains: loops, blocks, assembly, and Pinocchio's algorithms.

All methods run interleaved in one process; the results are minima (and medians) of many runs. Run it on a quiet
machine.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import partial

import numpy as np

import linkwright as lw
from linkwright.compiler.kernel import Kernel
from linkwright_gallery.benchmark.clock import interleaved, machine
from linkwright_gallery.benchmark.peers import Pinocchio, States

LENGTHS = (30, 128, 400, 512, 1000, 4000, 10_000, 100_000)

PINOCCHIO_TO = 400
"""Its workspace holds four arrays of nv³ numbers, 32 GB at a thousand joints; its time per joint does not change."""


def assembly_of(model: lw.Model, order: str) -> Kernel:
    kernel = lw.compile(lw.forward_dynamics, model, method="assembly", schedule=order, unroll=False)
    kernel.threads = 1
    return kernel


def pinocchio(model: lw.Model, q: np.ndarray, v: np.ndarray, tau: np.ndarray) -> tuple[Callable[[], object], float]:
    """Pinocchio's aba on the same chain, and how far its answer is from ours."""
    peer = Pinocchio(model, States(q[None], v[None], 0.0 * v[None], tau[None], "world"))
    x, aba = peer.q[0], peer.pin.aba
    ours = lw.forward_dynamics(model, q, v, tau)
    difference = np.abs(aba(peer.model, peer.data, x, v, tau) - ours).max() / (1.0 + np.abs(ours).max())
    return lambda: aba(peer.model, peer.data, x, v, tau), float(difference)


def row(name: str) -> None:
    model = lw.load(name)
    n = len(model.links)
    rng = np.random.default_rng(0)
    scale = 1.0 if n <= 1000 else 0.01
    q = model.random(seed=0) if name.startswith("chain3d") else scale * rng.normal(size=model.nq)
    v, tau = scale * rng.normal(size=(2, model.nv))
    contenders: dict[str, Callable[[], object]] = {}
    start = time.perf_counter()
    articulated = lw.compile(lw.forward_dynamics, model, unroll=False)
    compiled = time.perf_counter() - start
    out = np.empty(model.nv)
    articulated.threads = 1
    expected = articulated(q, v, tau)
    contenders["articulated"] = lambda: articulated(q, v, tau, out=out)
    notes = []
    if n <= 128:
        straight = lw.compile(lw.forward_dynamics, model, unroll=True)
        contenders["straight line"] = lambda: straight(q, v, tau, out=out)
    for order in ("serial", "balanced"):
        joined = assembly_of(model, order)
        error = np.abs(joined(q, v, tau) - expected).max() / (1.0 + np.abs(expected).max())
        contenders[f"assembly, {order}"] = partial(joined, q, v, tau, out=out)
        notes.append(f"{order} assembly differs by {error:.0e}")
    if n >= 128:
        blocks = lw.compile(lw.forward_dynamics, model, method="hybrid")
        error = np.abs(blocks(q, v, tau) - expected).max() / (1.0 + np.abs(expected).max())
        contenders["blocks"] = lambda: blocks(q, v, tau, out=out)
        notes.append(f"blocks differ by {error:.0e}")
    if n <= PINOCCHIO_TO:
        contenders["Pinocchio aba"], difference = pinocchio(model, q, v, tau)
        notes.append(f"Pinocchio differs by {difference:.0e}")
    timings = interleaved({who: (run, n) for who, run in contenders.items()}, rounds=60)
    best = {who: timing.minimum for who, timing in timings.items()}
    times = ", ".join(f"{who} {timing.minimum:.1f} ({timing.median:.1f})" for who, timing in timings.items())
    ratio = f"; Pinocchio / articulated {best['Pinocchio aba'] / best['articulated']:.1f}" if n <= PINOCCHIO_TO else ""
    if "blocks" in best and n <= PINOCCHIO_TO:
        ratio += f", / blocks {best['Pinocchio aba'] / best['blocks']:.1f}"
    print(f"{name}: ns per link: {times}{ratio}; compiled in {compiled:.2f} s; {'; '.join(notes)}", flush=True)


def main() -> None:
    print(machine())
    lengths = [int(x) for x in sys.argv[1:]] or LENGTHS
    for kind in ("planar", "chain3d"):
        for n in lengths:
            row(f"{kind}:{n}")


if __name__ == "__main__":
    main()
