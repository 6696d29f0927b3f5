"""Compare compiled SymPy expressions with lambdify with common subexpressions, and with symjit if installed.

    python benchmarks/sympy_expressions.py [--short]

The mass matrix and forcing of a chain of pendulums by Lagrange's method: one evaluation from Python, and one of a batch
of 10 000. One thread; interleaved rounds; minima of CPU time.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from typing import Any

os.environ.setdefault("LINKWRIGHT_THREADS", "1")

import numpy as np
import sympy as sp
import sympy.physics.mechanics as me

import linkwright as lw

BATCH = 10_000


def chain(links: int) -> tuple[Any, list[Any], list[Any]]:
    """Return the method of Lagrange of a chain of point masses, the coordinates and the rates."""
    q = list(me.dynamicsymbols(f"q:{links}"))
    rates, t = [x.diff() for x in q], me.dynamicsymbols._t
    place, kinetic, potential = sp.Matrix([0, 0]), sp.Integer(0), sp.Integer(0)
    for angle in q:
        place = place + sp.Matrix([sp.sin(angle), -sp.cos(angle)])
        speed = place.diff(t)
        kinetic += speed.dot(speed) / 2
        potential += sp.Rational(981, 100) * place[1]
    method = me.LagrangesMethod(kinetic - potential, q)
    method.form_lagranges_equations()
    return method, q, rates


def timed(function: Callable[[], Any]) -> tuple[float, Any]:
    start = time.process_time()
    result = function()
    return time.process_time() - start, result


def called(kernel: lw.Kernel, arrays: np.ndarray) -> tuple[lw.Kernel, Any]:
    return kernel, kernel(*arrays)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--short", action="store_true")
    short = parser.parse_args().short
    for links in (2,) if short else (2, 4):
        method, q, rates = chain(links)
        results = (method.mass_matrix, method.forcing)
        random = np.random.default_rng(0)
        row, rows = random.normal(size=(2, links)), random.normal(size=(2, BATCH, links))
        columns = [*rows[0].T, *rows[1].T]
        seconds, (kernel, (M, _)) = timed(
            lambda some=results, of=(q, rates), x=row: called(lw.compile(some, list(of)), x)
        )
        print(f"{links} links, with the first call: compile {seconds * 1e3:.0f} ms", end="")
        seconds, theirs = timed(lambda some=results, of=(q, rates): sp.lambdify([*of[0], *of[1]], some, cse=True))
        print(f", lambdify {seconds * 1e3:.0f} ms")
        assert np.allclose(theirs(*row[0], *row[1])[0], M)
        calls: dict[str, tuple[Callable[[], Any], int]] = {
            "one, ours": (lambda k=kernel, x=row: k(*x), 2000),
            "one, lambdify": (lambda f=theirs, x=[*row[0], *row[1]]: f(*x), 200),
            "batch, ours": (lambda k=kernel, x=rows: k(*x), 20),
        }
        entries = [x for some in results for x in some]
        each = sp.lambdify([*q, *rates], entries, cse=True)  # matrices of arrays are no arrays
        calls["batch, lambdify"] = (lambda f=each, x=columns: f(*x), 3)
        try:
            from symjit import compile_func
        except ImportError:
            print("  symjit is not installed")
        else:
            plain = {x: sp.Symbol(f"x{k}") for k, x in enumerate([*rates, *q])}
            compiled = compile_func(list(plain.values()), [x.subs(plain) for x in entries])
            swapped = [*rows[1].T, *rows[0].T]
            calls["one, symjit"] = (lambda f=compiled, x=[*row[1], *row[0]]: f(*x), 2000)
            calls["batch, symjit"] = (lambda f=compiled, x=swapped: f(*x), 5)
        best = dict.fromkeys(calls, np.inf)
        for _ in range(2 if short else 15):
            for name, (call, repetitions) in calls.items():
                start = time.process_time()
                for _ in range(repetitions):
                    call()
                best[name] = min(best[name], (time.process_time() - start) / repetitions)
        for name, taken in best.items():
            print(f"  {name:16} {taken * 1e6:10.2f} µs")


if __name__ == "__main__":
    main()
