"""Compare methods for single configurations of large mechanisms with many equal parts: blocks on lanes and others.

The mechanisms are crawlers (a chain of trunks with two legs each), crowds (several unconnected robots), and a random
tree of bodies that are all different. All methods run interleaved in one process; the results are minima (and medians)
of many runs. Run it on a quiet machine. Arguments select mechanisms by name: ``crawler:100``, ``arms:30``,
``humanoids:100``, ``unlike:150``.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

import linkwright as lw
from linkwright.compiler.kernel import Kernel
from linkwright.compiler.schedules.assembly.levels import LevelProgram
from linkwright.errors import TooLargeError
from linkwright.model.build.assembly import assemble
from linkwright.model.build.description import Description
from linkwright_gallery.benchmark.clock import interleaved, machine
from linkwright_gallery.benchmark.peers import Pinocchio, States

MECHANISMS = (
    *(f"crawler:{n}" for n in (15, 30, 60, 100, 1000)),
    *(f"arms:{n}" for n in (8, 30, 100, 1000)),
    "humanoids:100",
    "unlike:150",
)

SIZES = (1, 2, 4, 7, 8, 14, 28)
"""Most bodies in a block."""

ROWS = 64
"""Of the batches that are compared with single rows."""

STRAIGHT_TO = 250
"""Bodies up to which straight-line code is measured too."""

TUNED_TO = 1000
"""Bodies up to which ``tune=True`` is measured too, which compiles every partition it tries."""

PINOCCHIO_TO = 430
"""Its workspace holds four arrays of nv³ numbers, 32 GB at a thousand joints; its time per joint does not change."""

ROD: dict[str, Any] = {"mass": 1.0, "center_of_mass": (0.2, 0.0, 0.0), "inertia": (0.02, 0.1, 0.1)}
LEG, ARM = 3, 7
X, Y, Z = np.eye(3)

Call = Callable[[], object]


def crawler(trunks: int) -> lw.Model:
    """A chain of trunks, the first free, the others on hinges about z and y in turn; two legs of three on each."""
    builder = lw.Builder(f"crawler:{trunks}")
    for k in range(trunks):
        builder.body(f"trunk{k}", **ROD)
        if k == 0:
            builder.joint("base", "free", "world", "trunk0")
        else:
            axis = Y if k % 2 else Z
            builder.joint(f"back{k}", "revolute", f"trunk{k - 1}", f"trunk{k}", axis=axis, xyz=(0.4, 0.0, 0.0))
        for side in (0, 1):
            limb(builder, f"leg{k}.{side}", f"trunk{k}", LEG, 0.1 * X + 0.1 * side * Y)
    return builder.build()


def arms(many: int) -> lw.Model:
    """Return a number of separate arms of seven hinges."""
    builder = lw.Builder(f"arms:{many}")
    for k in range(many):
        limb(builder, f"arm{k}", "world", ARM, 0.1 * k * X)
    return builder.build()


def limb(builder: lw.Builder, name: str, parent: str, bodies: int, start: np.ndarray) -> None:
    """A chain of rods on hinges about x and z in turn."""
    for j in range(bodies):
        body = f"{name}.{j}"
        builder.body(body, **ROD)
        builder.joint(f"hinge {body}", "revolute", parent, body, axis=(X, Z)[j % 2], xyz=0.4 * X if j else start)
        parent = body


def humanoids(many: int) -> lw.Model:
    """Return a number of copies of the built-in humanoid."""
    one = lw.load("humanoid").description
    bodies, joints = [], []
    for k in range(many):
        bodies += [replace(body, name=f"{body.name} {k}") for body in one.bodies]
        for joint in one.joints:
            parent = joint.parent if joint.parent == "world" else f"{joint.parent} {k}"
            joints.append(replace(joint, name=f"{joint.name} {k}", parent=parent, child=f"{joint.child} {k}"))
    return assemble(Description(f"humanoids:{many}", tuple(bodies), tuple(joints), gravity=one.gravity))


def unlike(bodies: int) -> lw.Model:
    """Hinges placed anyhow, each body on one of the twenty before it."""
    rng = np.random.default_rng(1)
    builder = lw.Builder(f"unlike:{bodies}")
    for k in range(bodies):
        builder.body(f"body{k}", rng.uniform(0.5, 2.0), 0.2 * rng.normal(size=3), rng.uniform(0.05, 0.08, size=3))
        parent = f"body{rng.integers(max(0, k - 20), k)}" if k else "world"
        axis, xyz, rpy = rng.normal(size=3), 0.4 * rng.normal(size=3), rng.uniform(-np.pi, np.pi, size=3)
        builder.joint(f"hinge{k}", "revolute", parent, f"body{k}", axis=axis, xyz=xyz, rpy=rpy)
    return builder.build()


MAKERS: dict[str, Callable[[int], lw.Model]] = {
    "crawler": crawler,
    "arms": arms,
    "humanoids": humanoids,
    "unlike": unlike,
}

ALONE: dict[str, Callable[[], lw.Model]] = {"arms": lambda: arms(1), "humanoids": lambda: lw.load("humanoid")}
"""Of crowds, one alone: all of them are a batch of it."""


def pinocchio(model: lw.Model, q: np.ndarray, v: np.ndarray, tau: np.ndarray) -> tuple[Call, np.ndarray]:
    """Pinocchio's aba on the same mechanism, and its answer."""
    peer = Pinocchio(model, States(q[None], v[None], 0.0 * v[None], tau[None], "world"))
    x, aba = peer.q[0], peer.pin.aba
    return lambda: aba(peer.model, peer.data, x, v, tau), aba(peer.model, peer.data, x, v, tau).copy()


def compiled(model: lw.Model, unroll: bool = False, **options: Any) -> Kernel:
    kernel = lw.compile(lw.forward_dynamics, model, unroll=unroll, **options)
    kernel.threads = 1
    return kernel


def what(kernel: Kernel) -> str:
    """What a kernel of method "hybrid" does."""
    program = kernel.program
    if isinstance(program, LevelProgram):
        return f"blocks of at most {max(map(len, program.schedule.blocks))}"
    return "articulated"


def row(name: str) -> None:
    kind, number = name.split(":")
    model = MAKERS[kind](int(number))
    n = len(model.links)
    rng = np.random.default_rng(0)
    q, v, tau = model.random(seed=rng), rng.normal(size=model.nv), rng.normal(size=model.nv)
    out, notes, errors = np.empty(model.nv), [], [0.0]
    batch, outs = [np.tile(x, (ROWS, 1)) for x in (q, v, tau)], np.empty((ROWS, model.nv))
    articulated = compiled(model)
    expected = articulated(q, v, tau)
    contenders: dict[str, tuple[Call, int]] = {}

    def far(found: np.ndarray) -> float:
        return float(np.abs(found - expected).max() / (1.0 + np.abs(expected).max()))

    def enter(who: str, kernel: Kernel, in_batches: bool = False) -> None:
        errors.append(far(kernel(q, v, tau)))
        contenders[who] = partial(kernel, q, v, tau, out=out), n
        if in_batches:
            contenders[f"{who}, a row of {ROWS}"] = partial(kernel, *batch, out=outs), ROWS * n

    enter("articulated", articulated, in_batches=True)
    if n <= STRAIGHT_TO:
        start = time.perf_counter()
        try:
            straight = compiled(model, unroll=True)
        except TooLargeError as error:
            notes.append(f"no straight line: {error}")
        else:
            notes.append(f"straight line compiled in {time.perf_counter() - start:.1f} s")
            enter("straight line", straight, in_batches=True)
    enter("assembly, balanced", compiled(model, method="assembly"))
    start = time.perf_counter()
    chosen = compiled(model, method="hybrid")
    notes.append(f"hybrid compiled in {time.perf_counter() - start:.1f} s")
    enter(f"hybrid ({what(chosen)})", chosen)
    made: set[Any] = set()
    for size in SIZES:
        kernel = compiled(model, method="hybrid", partition=size)
        blocks = kernel.program.schedule.blocks if isinstance(kernel.program, LevelProgram) else None
        if blocks not in made:  # larger blocks than any tree are the same again
            enter(f"blocks of {size}", kernel)
        made.add(blocks)
    if n <= TUNED_TO:
        start = time.perf_counter()
        tuned = compiled(model, method="hybrid", tune=True)
        notes.append(f"tuned in {time.perf_counter() - start:.0f} s")
        enter(f"tuned ({what(tuned)})", tuned)
    if kind in ALONE:
        alone = lw.compile(lw.forward_dynamics, ALONE[kind]())
        alone.threads = 1
        rows = [np.ascontiguousarray(x.reshape(int(number), -1)) for x in (q, v, tau)]
        each = np.empty_like(rows[1])
        errors.append(far(alone(*rows).ravel()))
        contenders["one alone, as many rows"] = partial(alone, *rows, out=each), n
    if model.nv <= PINOCCHIO_TO:
        theirs, found = pinocchio(model, q, v, tau)
        contenders["Pinocchio aba"] = theirs, n
        notes.append(f"Pinocchio differs by {far(found):.0e}")
    timings = interleaved(contenders, rounds=60)
    times = ", ".join(f"{who} {timing.minimum:.1f} ({timing.median:.1f})" for who, timing in timings.items())
    notes.append(f"others by {max(errors):.0e} at most")
    print(f"{name}, {n} bodies: ns per body: {times}; {'; '.join(notes)}", flush=True)


def main() -> None:
    print(machine())
    for name in sys.argv[1:] or MECHANISMS:
        row(name)


if __name__ == "__main__":
    main()
