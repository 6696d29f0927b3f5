"""Laws as kernels of their own, and as C: the same numbers as the laws themselves, states and gains included."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from functools import cache, partial

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import LinkwrightError

control = lw.control
COMPILER = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
START = np.array([0.3, 0.6, -0.2, 1.2, 0.4, 0.8, 0.1])
LIMITS = np.array([60.0, 60.0, 40.0, 40.0, 15.0, 6.0, 3.0])


def moving(t):
    return START + 0.1 * np.sin(t), 0.1 * np.cos(t) * np.ones(7), -0.1 * np.sin(t) * np.ones(7)


def laws(arm):
    home = lw.pose(arm, START, "tool")
    gains = {"frame": "tool", "stiffness": 100.0, "damping": 20.0}
    return {
        "pd": partial(control.pd, target=START, stiffness=50.0, damping=np.arange(1.0, 8.0)),
        "pid": partial(
            control.pid, target=START, stiffness=50.0, damping=5.0, integral=3.0, step=1e-3, limit=30.0, anti_windup=0.1
        ),
        "computed_torque": partial(control.computed_torque, reference=moving, stiffness=100.0, damping=20.0),
        "operational_space": partial(control.operational_space, reference=home, **gains),
        "within limits": partial(control.operational_space, reference=home, effort_limits=LIMITS, **gains),
        "impedance": partial(control.impedance, target=home, **gains),
    }


def in_c(kernel, folder):
    """The kernel as C, called with the arrays of one row."""
    path = kernel.save(folder / "controller.c")
    flags = ["-std=c99", "-O1", "-ffp-contract=off", "-shared", "-fPIC"]
    subprocess.run([COMPILER, *flags, str(path), "-o", str(folder / "controller.so"), "-lm"], check=True)
    function = getattr(ctypes.CDLL(str(folder / "controller.so")), kernel.program.name)

    def call(*given):
        arrays = [np.ascontiguousarray(x, dtype=float) for x in given]
        outs = [np.full(slot.shape, np.nan) for slot in kernel.program.outputs]
        function(*(x.ctypes.data_as(ctypes.c_void_p) for x in (*arrays, *outs)))
        return outs[0] if kernel.program.single else tuple(outs)

    return call


@pytest.fixture(scope="module")
def forms_of(tmp_path_factory):
    """A function that returns an arm, one of its laws, the law's state, and the law as a kernel and as C."""
    arm = lw.load("arm7")

    @cache
    def made(name):
        law = laws(arm)[name]
        kernel, state = control.compiled(arm, law, **({"initial_state": np.zeros(7)} if name == "pid" else {}))
        folder = tmp_path_factory.mktemp("law")
        return arm, law, state, [kernel] if COMPILER is None else [kernel, in_c(kernel, folder)]

    return made


@pytest.mark.parametrize("name", ["pd", "pid", "computed_torque", "operational_space", "within limits", "impedance"])
def test_a_law_alone_and_as_c_gives_what_it_gives(name, forms_of):
    arm, law, state, forms = forms_of(name)
    rng = np.random.default_rng(0)
    assert state.shape == ((7,) if name == "pid" else (0,))
    for k in range(5):
        t, q, v = 0.3 * k, START + 0.2 * rng.normal(size=7), 0.3 * rng.normal(size=7)
        own = (rng.normal(size=7),) if len(state) else ()
        expected = law(arm, t, q, v, *own)
        for form in forms:
            found = form(np.array(t), q, v, *own)
            for x, y in zip(np.atleast_2d(found), np.atleast_2d(expected), strict=True):
                np.testing.assert_allclose(x, y, rtol=1e-7, atol=1e-7)


def test_efforts_within_limits_do_not_depend_on_rounding(forms_of):
    """Targets beyond the effort limits, however far, leave no rounding errors in the efforts."""
    arm, law, _, forms = forms_of("within limits")
    rng, held = np.random.default_rng(1), 0
    for k in range(60):
        q, v = START + 0.2 * rng.normal(size=7), 0.3 * rng.normal(size=7)
        expected = law(arm, 0.3 * k, q, v)
        held += bool((np.abs(expected) > LIMITS * (1.0 - 1e-12)).any())
        for form in forms:
            np.testing.assert_allclose(form(0.3 * k, q, v), expected, rtol=1e-10, atol=1e-10)
    assert held > 20


def test_states_of_several_arrays_and_what_is_measured_lie_one_after_the_other():
    arm = lw.load("planar:2")

    def law(model, t, q, v, state, *, wrench, gain):
        own = {"sum": state["sum"] + q, "last": (v, state["last"][1] + 1.0)}
        return -gain * state["sum"] + lw.joint_forces(model, q, "link2", wrench), own

    start = {"sum": np.ones(2), "last": (np.zeros(2), 5.0)}
    kernel, state = control.compiled(arm, partial(law, gain=3.0), start, inputs=["gain"])
    np.testing.assert_array_equal(state, [1, 1, 0, 0, 5])
    q, v, wrench = np.array([0.1, 0.2]), np.array([0.3, 0.4]), np.arange(6.0)
    tau, after = kernel(0.0, q, v, state, wrench, 2.0)
    np.testing.assert_allclose(tau, -2.0 + lw.joint_forces(arm, q, "link2", wrench))
    np.testing.assert_allclose(after, [1.1, 1.2, 0.3, 0.4, 6.0])
    with pytest.raises(LinkwrightError, match="unknown number bound to law 'gian'; there is gain"):
        control.compiled(arm, partial(law, gain=3.0), start, inputs=["gian"])


def test_gains_may_be_inputs():
    arm = lw.load("planar:2")
    kernel, _ = control.compiled(
        arm, partial(control.pd, target=np.zeros(2), stiffness=1.0, damping=0.0), inputs=["target", "stiffness"]
    )
    q = np.array([0.1, 0.2])
    found = kernel(0.0, q, 0.0 * q, np.ones(2), 7.0)
    np.testing.assert_allclose(found, lw.gravity_forces(arm, q) + 7.0 * (1.0 - q))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda arm: control.compiled(7, control.pd), "first argument is a Model"),
        (lambda arm: control.compiled(arm, control.pd), "target"),
        (lambda arm: control.compiled(arm, laws(arm)["pd"], inputs="target"), "list of names"),
    ],
)
def test_what_is_no_law_is_reported(call, message):
    with pytest.raises(LinkwrightError, match=message):
        call(lw.load("arm7"))
