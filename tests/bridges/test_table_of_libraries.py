"""The table of libraries in the documentation: the line of each runs, and gives Linkwright's results."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import linkwright as lw

PAGE = Path(__file__).parents[2] / "docs/how_to/other_libraries/index.md"
LINES = dict(re.findall(r"^\| (\w+) [\d.]+ \| `([^`]+)`", PAGE.read_text(encoding="utf-8"), re.MULTILINE))
ARM = lw.load("two_link")
Q, V, TAU = np.random.default_rng(0).standard_normal((3, 2))


@pytest.mark.parametrize(
    ("library", "package", "converted"),
    [("PyTorch", "torch", "as_tensor"), ("JAX", "jax", "numpy.asarray"), ("CasADi", "casadi", "DM")],
)
def test_line_of_a_library(library, package, converted):
    module = pytest.importorskip(package, reason=f"{library} is not installed (extra {package})")
    if library == "JAX":
        module.config.update("jax_enable_x64", True)
    for name in converted.split("."):
        module = getattr(module, name)
    function = eval(LINES[library], {"lw": lw, "arm": ARM})
    result = np.asarray(function(*map(module, (Q, V, TAU)))).reshape(2)
    np.testing.assert_allclose(result, lw.forward_dynamics(ARM, Q, V, TAU), rtol=1e-12)


def test_line_of_sympy():
    import sympy as sp

    symbols = sp.symbols("a b")
    expressions = lw.mass_matrix(ARM, symbols)
    kernel = eval(LINES["SymPy"], {"lw": lw, "expressions": expressions, "symbols": symbols})
    np.testing.assert_allclose(kernel(*Q), lw.mass_matrix(ARM, Q), rtol=1e-12)


def test_every_line_is_tested():
    assert set(LINES) == {"PyTorch", "JAX", "CasADi", "SymPy"}
