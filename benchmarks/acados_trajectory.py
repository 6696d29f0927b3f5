"""Solve the trajectory of the page "Trajectory optimization with CasADi" by acados, if it is installed.

    python benchmarks/acados_trajectory.py [--short]

A Panda moves from rest to rest in 1 s with least efforts: 20 intervals of four steps of the Runge–Kutta method of order
four (ERK), or of the implicit form with two Gauss–Legendre stages (IRK); SQP with HPIPM. acados is built from source,
or installed by `pip install comma-deps-acados` (Linux), whose package is `acados`. A compiler is needed.
"""

from __future__ import annotations

import argparse
import ctypes
import importlib
import os
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

import casadi as ca
import numpy as np

import linkwright as lw

NODES = 20
START = np.array([0.0, -0.6, 0.0, -2.2, 0.0, 1.6, 0.8])
GOAL = np.array([1.2, 0.3, -0.4, -1.4, 0.3, 1.9, 0.2])
LIMITS = np.array([87.0, 87.0, 87.0, 87.0, 12.0, 12.0, 12.0])


def imported(folder: Path) -> Any:
    """Return the package acados_template, with the environment it needs; None if acados is not installed."""
    try:
        return importlib.import_module("acados_template")
    except ImportError:
        pass
    try:
        package = importlib.import_module("acados")
    except ImportError:
        return None
    root = Path(package.__file__).parent
    (folder / "interfaces" / "acados_template").mkdir(parents=True)
    (folder / "interfaces" / "acados_template" / "acados_template").symlink_to(root / "acados_template")
    for name in ("lib", "include", "bin"):  # the folders of a build from source
        (folder / name).symlink_to(root / "install" / name)
    for name in ("blasfeo", "hpipm", "qpOASES_e"):  # loaded here, or the linker would search for them by their names
        ctypes.CDLL(str(root / "install" / "lib" / f"lib{name}.so"), ctypes.RTLD_GLOBAL)
    os.environ["ACADOS_SOURCE_DIR"], os.environ["TERA_PATH"] = str(folder), str(folder / "bin" / "t_renderer")
    return importlib.import_module("acados.acados_template")


def dynamics(robot: lw.Model) -> dict[str, Any]:
    """Return the fields of an AcadosModel: explicit and implicit dynamics of a fixed arm."""
    forward = lw.compile(lw.forward_dynamics, robot).casadi()
    inverse = lw.compile(lw.inverse_dynamics, robot).casadi()
    n = robot.nv
    x, xdot, u = ca.SX.sym("x", 2 * n), ca.SX.sym("xdot", 2 * n), ca.SX.sym("u", n)
    return {
        **{"name": "panda", "x": x, "xdot": xdot, "u": u},
        "f_expl_expr": ca.vertcat(x[n:], forward(x[:n], x[n:], u)),
        "f_impl_expr": ca.vertcat(xdot[:n] - x[n:], inverse(x[:n], x[n:], xdot[n:]) - u),
    }


def problem(acados: Any, robot: lw.Model, integrator: str) -> Any:
    """Return the optimal control problem."""
    ocp, n = acados.AcadosOcp(), robot.nv
    for name, value in dynamics(robot).items():
        setattr(ocp.model, name, value)
    source = os.environ["ACADOS_SOURCE_DIR"]
    ocp.acados_include_path, ocp.acados_lib_path = f"{source}/include", f"{source}/lib"
    ocp.dims.N, ocp.solver_options.tf = NODES, 1.0
    cost, limits, options = ocp.cost, ocp.constraints, ocp.solver_options
    cost.cost_type = cost.cost_type_e = "LINEAR_LS"
    cost.W, cost.yref = np.diag([1e-3] * 2 * n + [1.0 / 87.0**2] * n), np.zeros(3 * n)
    cost.Vx, cost.Vu = np.eye(3 * n, 2 * n), np.eye(3 * n, n, -2 * n)
    cost.W_e, cost.Vx_e, cost.yref_e = np.zeros((2 * n, 2 * n)), np.eye(2 * n), np.zeros(2 * n)
    limits.x0 = np.concatenate([START, np.zeros(n)])
    limits.lbx_e = limits.ubx_e = np.concatenate([GOAL, np.zeros(n)])
    limits.idxbx_e = np.arange(2 * n)
    limits.lbu, limits.ubu, limits.idxbu = -0.7 * LIMITS, 0.7 * LIMITS, np.arange(n)
    options.integrator_type, options.sim_method_num_steps = integrator, 4
    options.sim_method_num_stages = 4 if integrator == "ERK" else 2
    options.qp_solver, options.nlp_solver_type = "PARTIAL_CONDENSING_HPIPM", "SQP"
    options.hessian_approx, options.globalization = "GAUSS_NEWTON", "MERIT_BACKTRACKING"
    options.levenberg_marquardt, options.nlp_solver_max_iter = 1e-4, 100
    return ocp


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--short", action="store_true")
    short = parser.parse_args().short
    with warnings.catch_warnings(action="ignore"):  # the file has attributes that URDF does not have
        robot = lw.load("panda").lock({"panda_finger_joint1": 0.04})
    with tempfile.TemporaryDirectory() as place:
        acados = imported(Path(place) / "acados")
        if acados is None:
            print("acados is not installed")
            return
        os.chdir(place)
        for integrator in ("ERK",) if short else ("ERK", "IRK"):
            ocp = problem(acados, robot, integrator)
            solver = acados.AcadosOcpSolver(ocp, json_file=f"{integrator}.json", verbose=False)
            t = np.linspace(0.0, 1.0, NODES + 1)[:, None]
            by_s = 10 * t**3 - 15 * t**4 + 6 * t**5, 30 * t**2 - 60 * t**3 + 30 * t**4, 60 * t - 180 * t**2 + 120 * t**3
            q, v, a = (s * (GOAL - START) for s in by_s)
            efforts = lw.inverse_dynamics(robot, START + q, v, a)
            for k in range(NODES + 1):  # the first guess: a polynomial of fifth order
                solver.set(k, "x", np.concatenate([START + q[k], v[k]]))
                if k < NODES:
                    solver.set(k, "u", efforts[k])
            begun = time.process_time()
            status = solver.solve()
            seconds = time.process_time() - begun
            states = np.array([solver.get(k, "x") for k in range(NODES + 1)])
            controls = np.array([solver.get(k, "u") for k in range(NODES)])
            print(
                f"{integrator}: status {status}, {solver.get_stats('sqp_iter')[0]} iterations, {seconds * 1e3:.0f} ms "
                f"of processor time, cost {solver.get_cost():.6f}, largest share of the torque limits "
                f"{np.abs(controls / LIMITS).max():.2f}, largest gap to our steps {gap(robot, states, controls):.1e}"
            )


def gap(robot: lw.Model, states: np.ndarray, controls: np.ndarray) -> float:
    """Return the largest difference of the states from four Runge–Kutta steps of each interval by our kernel."""

    def rate(x: np.ndarray) -> np.ndarray:
        return np.concatenate([x[:, 7:], lw.forward_dynamics(robot, x[:, :7], x[:, 7:], controls)], axis=1)

    x, h = states[:-1], 1.0 / NODES / 4
    for _ in range(4):
        a = rate(x)
        b = rate(x + h / 2 * a)
        c = rate(x + h / 2 * b)
        x = x + h / 6 * (a + 2 * b + 2 * c + rate(x + h * c))
    return float(np.abs(x - states[1:]).max())


if __name__ == "__main__":
    main()
