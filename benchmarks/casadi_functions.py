"""Compare CasADi functions of Linkwright and Pinocchio: F and its Jacobian, interpreted and as C, and the kernels.

    python benchmarks/casadi_functions.py [--short]

The wheel of Pinocchio contains no CasADi functions (pinocchio.casadi). Where they are missing, Pinocchio's own
functions are measured. One thread; every round evaluates each function once, interleaved; minima of CPU time over all
rounds.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ.setdefault("LINKWRIGHT_THREADS", "1")

import casadi as ca
import numpy as np

import linkwright as lw


def functions(robot: lw.Model, name: str) -> tuple[lw.Kernel, dict[str, Any]]:
    """Return a kernel, and CasADi's functions of its value and its Jacobian by q."""
    kernel = lw.compile(getattr(lw, name), robot)
    value = kernel.casadi()
    return kernel, {"F": value, "J": jacobian(value)}


def jacobian(function: Any) -> Any:
    symbols = [ca.SX.sym(function.name_in(k), *function.size_in(k)) for k in range(function.n_in())]
    return ca.Function("jacobian", symbols, [ca.jacobian(function(*symbols), symbols[0])])


def pinocchio_functions(robot: lw.Model, name: str, folder: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return Pinocchio's functions of CasADi, where it has them, and its own functions."""
    import pinocchio as pin

    robot.save(folder / "robot.urdf")
    model = pin.buildModelFromUrdf(str(folder / "robot.urdf"))
    data = model.createData()
    value, derivative = {
        "inverse_dynamics": (pin.rnea, pin.computeRNEADerivatives),
        "forward_dynamics": (pin.aba, pin.computeABADerivatives),
    }[name]
    own = {"F": lambda *x: value(model, data, *x), "J": lambda *x: derivative(model, data, *x)}
    try:
        import pinocchio.casadi as cpin
    except ImportError:
        return {}, own
    symbolic = cpin.Model(model)
    symbols = [ca.SX.sym(one, model.nv) for one in ("q", "v", "x")]
    result = getattr(cpin, value.__name__)(symbolic, symbolic.createData(), *symbols)
    made = ca.Function("pinocchio", symbols, [result])
    return {"F": made, "J": jacobian(made)}, own


def in_c(function: Any, folder: Path, name: str) -> Any:
    """Return a function compiled from the C that CasADi writes."""
    function.generate(f"{name}.c", {"with_header": False})
    Path(f"{name}.c").replace(folder / f"{name}.c")
    library = folder / f"{name}.so"
    subprocess.run(
        ["gcc", "-O3", "-march=native", "-shared", "-fPIC", folder / f"{name}.c", "-o", library, "-lm"], check=True
    )
    return ca.external(function.name(), str(library))


def buffered(function: Any, arrays: list[np.ndarray]) -> Callable[[], Any]:
    """Return an evaluation without conversions: CasADi's buffers."""
    buffer, evaluate = function.buffer()
    outs = [np.empty(function.size_out(k)[::-1]) for k in range(function.n_out())]
    for k, x in enumerate(arrays):
        buffer.set_arg(k, memoryview(x))
    for k, x in enumerate(outs):
        buffer.set_res(k, memoryview(x))
    evaluate.kept = (buffer, arrays, outs) if hasattr(evaluate, "__dict__") else None
    return lambda kept=(buffer, arrays, outs): evaluate()


def minima(calls: dict[str, Callable[[], Any]], rounds: int, repetitions: int) -> dict[str, float]:
    best = dict.fromkeys(calls, np.inf)
    for _ in range(rounds):
        for name, call in calls.items():
            start = time.process_time()
            for _ in range(repetitions):
                call()
            best[name] = min(best[name], (time.process_time() - start) / repetitions)
    return best


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--short", action="store_true")
    rounds, repetitions = (2, 20) if (short := parser.parse_args().short) else (20, 300)
    for robot_name in ("arm7",) if short else ("arm7", "humanoid"):
        robot = lw.load(robot_name)
        for name in ("inverse_dynamics", "forward_dynamics"):
            with tempfile.TemporaryDirectory() as place:
                folder = Path(place)
                kernel, made = functions(robot, name)
                arrays = [robot.random(seed=0), *(np.random.default_rng(k).normal(size=robot.nv) for k in (1, 2))]
                calls: dict[str, Callable[[], Any]] = {}
                derivative = kernel.derivative("q")
                out_f, out_j = kernel(*arrays), derivative(*arrays)
                calls["F, our kernel"] = lambda k=kernel, a=arrays, o=out_f: k(*a, out=o)
                calls["J, our kernel"] = lambda k=derivative, a=arrays, o=out_j: k(*a, out=o)
                theirs, own = pinocchio_functions(robot, name, folder) if robot_name == "arm7" else ({}, {})
                for side, some in (("ours", made), ("Pinocchio's", theirs)):
                    for what, function in some.items():
                        calls[f"{what}, CasADi of {side}"] = buffered(function, arrays)
                        compiled = in_c(function, folder, f"{side[:4]}_{what}")
                        calls[f"{what}, C of CasADi of {side}"] = buffered(compiled, arrays)
                for what, call in own.items():
                    calls[f"{what}, Pinocchio itself"] = lambda call=call, a=arrays: call(*a)
                print(f"{robot_name}, {name}" + ("" if theirs else ": pinocchio.casadi is not installed"))
                for what, seconds in minima(calls, rounds, repetitions).items():
                    print(f"  {what:28} {seconds * 1e6:9.2f} µs")


if __name__ == "__main__":
    main()
