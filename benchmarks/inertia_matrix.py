"""The inertia matrix by its three methods, in operations and time; and the rate of the basic Jacobian (S4).

Run: ``python benchmarks/inertia_matrix.py [name …]``. Columns: operations (multiplications and additions) of the
composite, the unit vector and the Jacobian method, as multiples of the composite one, and ns a row in batches of
1024 on one thread, the least of many short runs that take turns. Where straight-line code of a method would be too
large it runs as loops over the bodies ("loops", by the number of the method); what looks at all bodies at once has none
("-"). The tutorial that the methods are from says that "the other two take about twice
the time"; what is measured is printed beneath. The second table counts operations of the Jacobian with its rate, for
chains of n revolute joints in general places, beside those of the published listing.
"""

from __future__ import annotations

import sys
import time

import numpy as np

import linkwright as lw

METHODS = ("composite", "unit_vector", "jacobian")
NAMES = ("arm7", "puma560", "quadruped", "humanoid", "planar:7", "planar:20", "planar:40", "chain3d:7", "chain3d:20")
NAMES += ("chain3d:40", "planar:60", "chain3d:60")
ROWS, REPEATS = 1024, 40
LISTED = {6: 848, 20: 3641}
"""Operations of the published listing of the Jacobian's rate, by the number of joints."""


def nanoseconds(kernels: list[lw.Kernel | None], q: np.ndarray) -> list[float]:
    """The shortest time of a row in a batch on one thread, of each; they take turns, for the machine may be busy."""
    outs = []
    for kernel in kernels:
        if kernel is not None:
            kernel.threads = 1
            outs.append(kernel(q))
        else:
            outs.append(None)
    best = [np.inf if kernel is not None else np.nan for kernel in kernels]
    for _ in range(REPEATS):
        for k, kernel in enumerate(kernels):
            if kernel is not None:
                start = time.perf_counter()
                kernel(q, out=outs[k])
                best[k] = min(best[k], time.perf_counter() - start)
    return [1e9 * x / len(q) for x in best]


def compiled(model: lw.Model, method: str) -> tuple[lw.Kernel | None, bool]:
    """The kernel of a method, None where it would be too large, and whether it runs as loops over the bodies."""
    try:
        return lw.compile(lw.mass_matrix, model, method=method, unroll=True), False
    except lw.errors.TooLargeError:
        try:
            return lw.compile(lw.mass_matrix, model, method=method), True
        except lw.errors.TooLargeError:
            return None, False


def general_chain(n: int) -> lw.Model:
    """n revolute joints by a table of modified Denavit–Hartenberg parameters, as in the listing, none of them zero."""
    rows = [lw.DHRow(a=a, alpha=alpha, d=d, mass=1.0) for a, alpha, d in np.random.default_rng(0).normal(size=(n, 3))]
    return lw.from_dh(f"general:{n}", rows)


def main(names: list[str]) -> None:
    """Print both tables."""
    print(f"{'mechanism':12} {'operations':>24} {'of composite':>16} {'ns a row':>27} {'of composite':>16}")
    ratios: list[tuple[float, ...]] = []
    for name in names:
        model = lw.load(name)
        made = [compiled(model, method) for method in METHODS]
        kernels = [kernel for kernel, _ in made]
        loops = [str(k) for k, (_, looped) in enumerate(made, start=1) if looped]
        q = model.random(ROWS, seed=0)
        counts = [np.nan if kernel is None else float(kernel.operations.total) for kernel in kernels]
        times = nanoseconds(kernels, q)
        more = [counts[1] / counts[0], counts[2] / counts[0], times[1] / times[0], times[2] / times[0]]
        ratios.append(tuple(more))
        shown = "".join(f"{x:8.0f}" for x in counts) + f" {more[0]:8.1f}{more[1]:8.1f} "
        shown += "".join(f"{x:9.1f}" for x in times) + f" {more[2]:8.1f}{more[3]:8.1f}"
        print(f"{name:12} {shown.replace('nan', '  -')}{' loops: ' + ', '.join(loops) if loops else ''}", flush=True)
    low, high = np.nanmin(ratios, axis=0), np.nanmax(ratios, axis=0)
    for k, method in enumerate(METHODS[1:]):
        print(
            f"{method}: {low[k]:.1f} to {high[k]:.1f} times the operations of the composite method, "
            f"{low[k + 2]:.1f} to {high[k + 2]:.1f} times its time"
        )
    print("\nthe Jacobian with its rate, operations")
    for n in (3, 6, 7, 12, 20):
        chain = general_chain(n)

        def both(model: lw.Model, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            return lw.jacobian(model, q, "tool"), lw.jacobian_dot(model, q, v, "tool")

        count = lw.compile(both, chain, unroll=True).operations.total
        rate = lw.compile(lw.jacobian_dot, chain, frame="tool", unroll=True).operations.total
        print(f"n = {n:2}: {rate} for the rate alone, {count} with the Jacobian; the listing {LISTED.get(n, '-')}")


if __name__ == "__main__":
    main(sys.argv[1:] or list(NAMES))
