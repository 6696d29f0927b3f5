"""Compare CasADi functions of Linkwright and Pinocchio: F and its Jacobian, interpreted and as C, and the kernels.

    python benchmarks/casadi_functions.py [--short] [--peers FOLDER]

The wheel of Pinocchio contains no CasADi functions (pinocchio.casadi). Its own functions are measured; and with --peers
the functions of other libraries, among them Pinocchio's by casadi_kin_dyn: the first run writes URDF files into
FOLDER, then `casadi_peers.py FOLDER` writes their functions in the environment of these libraries, and the second run
measures them. One thread; every round evaluates each function once, interleaved; minima of CPU time over all rounds.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ.setdefault("LINKWRIGHT_THREADS", "1")

import casadi as ca
import numpy as np

import casadi_peers
import linkwright as lw


def functions(robot: lw.Model, name: str) -> tuple[lw.Kernel, dict[str, Any]]:
    """Return a kernel, and CasADi's functions of its value and its Jacobian by q."""
    kernel = lw.compile(getattr(lw, name), robot)
    value = kernel.casadi()
    return kernel, {"F": value, "J": jacobian(value)}


def jacobian(function: Any) -> Any:
    symbols = [ca.SX.sym(function.name_in(k), *function.size_in(k)) for k in range(function.n_in())]
    return ca.Function("jacobian", symbols, [ca.jacobian(function(*symbols), symbols[0])])


def own_functions(robot: lw.Model, name: str, folder: Path) -> dict[str, Any]:
    """Return Pinocchio's own functions, without CasADi."""
    import pinocchio as pin

    robot.save(folder / "robot.urdf")
    model = pin.buildModelFromUrdf(str(folder / "robot.urdf"))
    data = model.createData()
    value, derivative = {
        "inverse_dynamics": (pin.rnea, pin.computeRNEADerivatives),
        "forward_dynamics": (pin.aba, pin.computeABADerivatives),
    }[name]
    return {"F": lambda *x: value(model, data, *x), "J": lambda *x: derivative(model, data, *x)}


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
    parser.add_argument("--peers", type=Path)
    given = parser.parse_args()
    rounds, repetitions = (2, 20) if given.short else (20, 300)
    robots = {"arm7": lw.load("arm7")}
    if given.peers is not None:
        with warnings.catch_warnings(action="ignore"):  # the file has attributes that URDF does not have
            robots["panda"] = lw.load("panda").lock({"panda_finger_joint1": 0.04})
        given.peers.mkdir(parents=True, exist_ok=True)
        for robot_name in ("arm7", "panda"):
            robots[robot_name].save(given.peers / f"{robot_name}.urdf")
    if not given.short:
        robots["humanoid"] = lw.load("humanoid")
    for robot_name, robot in robots.items():
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
                sides = {"ours": made}
                for library, function in casadi_peers.read(given.peers, robot_name, name) if given.peers else ():
                    error = np.abs(function(*arrays).full().ravel() - out_f).max()
                    if error < 1e-9 * max(1.0, np.abs(out_f).max()):
                        sides[library] = {"F": function, "J": jacobian(function)}
                    else:
                        print(f"{robot_name}, {name}: {library} differs by {error:.1e} and is not measured")
                own = {} if robot_name == "humanoid" else own_functions(robot, name, folder)
                for side, some in sides.items():
                    for what, function in some.items():
                        calls[f"{what}, CasADi of {side}"] = buffered(function, arrays)
                        compiled = in_c(function, folder, f"{side}_{what}")
                        calls[f"{what}, C of CasADi of {side}"] = buffered(compiled, arrays)
                for what, call in own.items():
                    calls[f"{what}, Pinocchio itself"] = lambda call=call, a=arrays: call(*a)
                print(f"{robot_name}, {name}")
                for what, seconds in minima(calls, rounds, repetitions).items():
                    print(f"  {what:32} {seconds * 1e6:9.2f} µs")


if __name__ == "__main__":
    main()
