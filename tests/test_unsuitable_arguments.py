"""Unsuitable values of every argument of every public function end in an error of the library, not of NumPy."""

from __future__ import annotations

import inspect
import zlib
from typing import Any

import numpy as np
import pytest

import linkwright as lw
import public_calls
from linkwright.argument_types import is_user_code
from linkwright.errors import ArgumentError, LinkwrightError, ModelError, ShapeError
from shortened import long_form
from test_sympy_arguments import FUNCTIONS

UNSUITABLE: dict[str, Any] = {
    **{"None": None, "text": "x", "bytes": b"x", "dict": {}, "dict of None": {"x": None}, "object": object()},
    **{"class": int, "function": len, "True": True, "set": {1.0}, "empty": [], "texts": ["x"], "whole numbers": [3]},
    **{"NaN": float("nan"), "NaNs": np.full(2, np.nan), "complex": 1j, "complex array": np.array([1j, 2j])},
    **{"three axes": np.zeros((2, 2, 2)), "long": np.zeros(17), "ragged": [[1, 2], [3]], "list of None": [None, None]},
    **{"masked": np.ma.masked_array([1.0, 2.0], mask=[True, False]), "large": 10**400, "negative": -1},
}

ELSEWHERE = """
    study studio bridges.jax bridges.torch bridges.pufferlib bridges.rsl_rl bridges.stable_baselines3
    Model.each Model.inward Model.inward_columns Model.outward Model.save Builder.describe
""".split()
"""Functions of other libraries, files, servers, and of the user's functions."""

SLOW = "calibrate draw equations exciting_trajectory phase_portrait region_of_attraction".split()
"""Functions that take long for values that they accept."""


def raw_errors(name: str, kinds: list[str]) -> list[str]:
    """Return the calls with an unsuitable value that end by an error of Python or NumPy."""
    valid = public_calls.valid_call(name)
    found = []
    for p in inspect.signature(FUNCTIONS[name]).parameters.values() if valid is not None else ():
        if p.name == "self" or p.kind is p.VAR_KEYWORD:
            continue
        for kind in kinds or [list(UNSUITABLE)[zlib.crc32(f"{name} {p.name}".encode()) % len(UNSUITABLE)]]:
            try:
                public_calls.call(name, {**valid, p.name: UNSUITABLE[kind]})
            except LinkwrightError:
                continue
            except Exception as error:
                if not is_user_code(_of_library(error.__traceback__)):
                    found.append(f"{name}({p.name}={kind}): {type(error).__name__}: {error}")
    return found


def _of_library(traceback):
    """Return a traceback from the first frame of the library on."""
    while traceback is not None and not traceback.tb_frame.f_globals["__name__"].startswith("linkwright"):
        traceback = traceback.tb_next
    return traceback


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kinds", [[], *long_form(*([kind] for kind in UNSUITABLE))], ids=str)
def test_no_unsuitable_value_ends_in_an_error_of_numpy_or_python(kinds):
    left_out = ELSEWHERE if kinds else [*ELSEWHERE, *SLOW]
    assert not [error for name in FUNCTIONS if name not in left_out for error in raw_errors(name, kinds)]


ARM = lw.load("two_link")


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: lw.atan2(None, 1.0), r"^atan2: y must be an array_like; got None$"),
        (lambda: lw.clip(None, 0.0, 1.0), r"^clip: x must be an array_like; got None$"),
        (lambda: lw.sign("x"), r"^sign: x must be an array_like; got 'x'$"),
        (lambda: ARM.assemble(None), r"^Model.assemble: pieces must be "),
        (lambda: lw.draw_ellipsoids(ARM, [0.0, 0.0], {}), r"^draw_ellipsoids: frame must be a str; got {}$"),
    ],
)
def test_the_message_names_the_argument_and_its_type(wrong, message):
    with pytest.raises(ArgumentError, match=message) as caught:
        wrong()
    assert caught.value.__cause__ is not None  # the error of NumPy or Python stays visible


def test_arrays_that_do_not_fit_together_are_named_with_their_shapes():
    with pytest.raises(ShapeError, match=r"^maximum .*x of shape \(2,\) .*; y of shape \(3,\)"):
        lw.maximum([1.0, 2.0], np.zeros(3))


def test_errors_of_functions_of_the_user_stay_theirs():
    def controller(model, t, q, v):
        return {}["gain"]

    with pytest.raises(KeyError, match="gain") as caught:
        lw.control.encoders(ARM, 0.0, np.zeros(2), np.zeros(2), controller=controller, resolution=0.1)
    assert not isinstance(caught.value, LinkwrightError)


def arm_of_symbols() -> lw.Model:
    """Return a planar arm with a symbolic length and a symbolic mass."""
    length, mass = lw.symbols("l m")
    builder = lw.Builder("arm").body("a", mass, [0.1, 0.0, 0.0], 0.1).joint("j", "revolute", "world", "a")
    builder.body("b", 1.0, inertia=0.1).joint("k", "revolute", "a", "b", xyz=[length, 0.0, 0.0])
    return builder.frame("tip", "b", xyz=[0.3, 0.0, 0.0]).build()


@pytest.mark.parametrize(
    ("call", "symbols"),
    [
        (lambda m, q: lw.null_space(m, q, "tip"), "l"),
        (lambda m, q: lw.singular_directions(m, q, "tip"), "l"),
        (lambda m, q: lw.static_wrench(m, q, "tip", q), "l"),
        (lambda m, q: lw.to_dh(m, "tip"), "l"),
        (lambda m, q: lw.calibrate(m, [q], [q]), "l"),
        (lambda m, q: lw.analytic_inverse_kinematics(m, "tip"), "l"),
        (lambda m, q: lw.draw_ellipsoids(m, q, "tip"), "l"),
        (lambda m, q: lw.identify(m, [q], [q], [q], [q]), "l, m"),
        (lambda m, q: lw.exciting_trajectory(m), "l, m"),
        (lambda m, q: lw.phase_portrait(m), "l, m"),
        (lambda m, q: lw.region_of_attraction(m), "l, m"),
        (lambda m, q: lw.smooth_derivatives(m, [0.0], [q]), "l, m"),
        (lambda m, q: lw.control.lqr(m, q), "l, m"),
        (lambda m, q: lw.structure.lock_joints(m, q, q, ["j"]), "l, m"),
        (lambda m, q: lw.simulate(m, q, q, 0.1), "l, m"),
    ],
)
def test_functions_of_numbers_name_the_symbols_of_a_model(call, symbols):
    with pytest.raises(ModelError, match=rf"needs numbers, but 'arm' has symbols \({symbols}\): build it with"):
        call(arm_of_symbols(), [0.1, 0.2])


def test_symbolic_masses_do_not_matter_for_geometry():
    arm = lw.load("two_link").with_payload("link2", lw.symbols("m"))
    assert len(lw.to_dh(arm, "tip").rows) == 2
    assert lw.null_space(arm, [0.1, 0.2], "tip", directions="linear").shape == (2, 0)
