"""Studies: what they compute, what they keep, what they refuse, and how they go on."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import threading
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from tests.setups import grouped

import linkwright as lw
from linkwright.errors import (
    ArgumentError,
    InputError,
    LinkwrightWarning,
    MissingExtraError,
    ShapeError,
    UnknownNameError,
)
from linkwright.studies import samples
from linkwright.studies.store import Store

AB = samples.random(1000, 3, a=samples.uniform(0.0, 1.0), b=samples.normal([0.0, 1.0], 1.0))
CALLS: list[int] = []


def both(a, b):
    return {"sum": a[:, None] + b, "large": a > 0.5}


def counted(a, b):
    CALLS.append(len(a))
    return both(a, b)


def files(folder):
    """All that a study is made of."""
    places = [path for path in Path(folder).rglob("*") if path.is_file() and path.name != ".lock"]
    return {str(path.relative_to(folder)): path.read_bytes() for path in places}


def test_outputs_and_parameters_are_kept(tmp_path):
    units = {"sum": "m", "a": "kg"}
    found = lw.study(both, AB, tmp_path / "s", chunk=130, units=units, title="sums")
    whole = AB.at(0, 1000)
    np.testing.assert_array_equal(found["sum"], whole["a"][:, None] + whole["b"])
    np.testing.assert_array_equal(found["b"], whole["b"])
    assert found["large"].dtype == bool
    assert (found.rows, found.done, found.failed, found.complete) == (1000, 1000, 0, True)
    assert (found.title, found.unit("sum"), found.unit("large"), found.outputs) == ("sums", "m", "", ("sum", "large"))
    np.testing.assert_array_equal(found.read("a", 128, 262), whole["a"][128:262])
    with pytest.raises(UnknownNameError, match="sum"):
        found["summ"]


@pytest.mark.parametrize("package", ["zarr", "filelock"])
def test_a_missing_package_is_reported_with_its_extra(tmp_path, monkeypatch, package):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtraError, match=rf"{package}: install the extra, linkwright\[study\]"):
        lw.study(lambda a: {"x": a}, samples.table(a=[1.0, 2.0]), tmp_path / "s")


def test_what_is_kept_is_chosen(tmp_path):
    found = lw.study(both, AB, tmp_path / "s", keep=["large"], keep_parameters="a")
    assert {name for name, _ in found._store.group.arrays()} == {"a", "large", "status"}
    assert lw.study(both, AB, tmp_path / "t", keep_parameters=False).drawable == ("large",)


@pytest.mark.parametrize("compress", [True, False])
def test_one_thread_or_two_give_the_same_bits(tmp_path, compress):
    for threads in (1, 2):
        lw.study(both, AB, tmp_path / str(threads), chunk=90, workers=threads, compress=compress)
    assert files(tmp_path / "1") == files(tmp_path / "2")


def test_a_simulation_of_a_batch_is_kept_with_its_times(tmp_path):
    pendulum = lw.load("pendulum")
    starts = {"q0": np.linspace(0.1, 1.0, 5)[:, None], "v0": np.zeros((5, 1))}
    found = lw.study(partial(lw.simulate, pendulum, duration=0.5), starts, tmp_path / "s")
    motion = lw.simulate(pendulum, **grouped(**starts, duration=0.5))
    np.testing.assert_array_equal(found["q"], np.moveaxis(motion.q, 0, 1))
    np.testing.assert_array_equal(found["time"], motion.t)
    assert found.to_xarray()["q"].dims == ("row", "time", "coordinate")


def test_a_rollout_takes_what_its_mechanism_and_its_law_are_made_of(tmp_path):
    arm = lw.load("two_link")

    def law(model, t, q, v, gain):
        return -gain * q - v

    values = {"link2.mass": np.linspace(0.5, 2.0, 6), "gain": np.linspace(1.0, 9.0, 6)}
    call = partial(lw.rollout, arm, [0.3, 0.3], [0.0, 0.0], 50, controller=partial(law, gain=1.0))
    found = lw.study(call, values, tmp_path / "s")
    masses = {"link2.mass": values["link2.mass"]}
    same = lw.rollout(
        arm,
        np.tile([0.3, 0.3], (6, 1)),
        np.zeros((6, 2)),
        50,
        controller=partial(law, gain=values["gain"]),
        parameters=masses,
        actuation=lw.Actuation(each="gain"),
    )
    np.testing.assert_array_equal(found["q"], np.moveaxis(same.q, 0, 1))


def test_inverse_kinematics_tells_each_field(tmp_path):
    arm = lw.load("arm7")
    targets = lw.pose(arm, arm.random(8, seed=1), "tool")
    found = lw.study(lambda T: lw.inverse_kinematics(arm, {"tool": T}), {"T": targets}, tmp_path / "s")
    assert found["converged"].all()
    assert found["q"].shape == (8, 7)


@pytest.mark.parametrize(
    ("function", "outputs"),
    [
        (lambda a, b: a, {"value": ()}),
        (lambda a, b: (a, b), {"value_1": (), "value_2": (2,)}),
        (lambda a, b: {"x": {"y": a, "z": b}}, {"x_y": (), "x_z": (2,)}),
    ],
)
def test_results_are_taken_apart(tmp_path, function, outputs):
    found = lw.study(function, AB, tmp_path / "s")
    assert {name: found[name].shape[1:] for name in found.outputs} == outputs


def test_functions_of_one_row(tmp_path):
    found = lw.study(lambda a, b: {"x": float(a), "y": 2 * b}, AB, tmp_path / "s", batched=False, chunk=400)
    np.testing.assert_array_equal(found["x"], found["a"])
    np.testing.assert_array_equal(found["y"], 2 * found["b"])


@pytest.mark.parametrize("batched", [True, False])
def test_rows_that_fail_are_recorded_and_the_others_go_on(tmp_path, batched):
    def fails(a, k):
        if np.any((k % 100) == 37):
            raise ValueError("a row of 37")
        return {"x": a, "n": np.asarray(k, dtype=int)}

    rows = {"a": np.arange(500.0), "k": np.arange(500)}
    found = lw.study(fails, rows, tmp_path / "s", batched=batched, chunk=60)
    assert found.errors == dict.fromkeys(range(37, 500, 100), "ValueError: a row of 37")
    assert (found.done, found.failed) == (500, 5)
    good = found.status == 1
    np.testing.assert_array_equal(found["x"][good], rows["a"][good])
    assert np.isnan(found["x"][~good]).all()
    assert sum(len(x) for (x,) in found.chunks("x")) == 495


def test_a_chunk_of_which_all_rows_fail_is_complete(tmp_path):
    def fails(k):
        if (k >= 50).any():
            raise ValueError("late")
        return k

    found = lw.study(fails, {"k": np.arange(100)}, tmp_path / "s", chunk=25)
    assert found.complete
    assert found.failed == 50
    before = files(tmp_path / "s")
    assert lw.study(fails, {"k": np.arange(100)}, tmp_path / "s").complete
    assert files(tmp_path / "s") == before


def test_only_what_is_missing_is_computed(tmp_path):
    for name in ("s", "whole"):
        CALLS.clear()  # what a function reads is part of it
        lw.study(counted, AB, tmp_path / name, chunk=100)
    missing = (2, 5, 9)
    for k in missing:
        (tmp_path / "s" / "status" / f"c.{k}").unlink()
    assert not lw.Study(tmp_path / "s").complete
    assert lw.Study(tmp_path / "s").done == 700
    CALLS.clear()
    lw.study(counted, AB, tmp_path / "s")
    assert CALLS == [100] * 3
    assert files(tmp_path / "s") == files(tmp_path / "whole")
    CALLS.clear()
    messages = []
    lw.study(counted, AB, tmp_path / "s", progress=messages.append)
    assert not CALLS
    assert messages == [1.0]


@pytest.mark.parametrize("damage", ["torn status", "empty status", "missing output", "empty fold of zeros"])
def test_torn_chunks_are_computed_again(tmp_path, damage):
    zeros = partial(lambda a, b: {"sum": 0.0 * b, "large": a > 2.0})
    for name in ("s", "whole"):
        lw.study(zeros, AB, tmp_path / name, chunk=100)
    place = tmp_path / "s" / ("status/c.3" if "status" in damage else "sum/c.3.0")
    if damage == "torn status":
        place.write_bytes(place.read_bytes()[:-3])
    elif damage == "empty status":
        place.write_bytes(b"")
    else:
        place.unlink()
    assert lw.Study(tmp_path / "s").done == 900
    lw.study(zeros, AB, tmp_path / "s")
    assert files(tmp_path / "s") == files(tmp_path / "whole")


def test_damaged_outputs_are_reported(tmp_path):
    found = lw.study(both, AB, tmp_path / "s", chunk=100)
    place = tmp_path / "s" / "sum" / "c.3.0"
    bits = bytearray(place.read_bytes())
    bits[40] ^= 4
    place.write_bytes(bits)
    np.testing.assert_array_equal(found.read("sum", 0, 300), found.read("a", 0, 300)[:, None] + found.read("b", 0, 300))
    with pytest.raises(InputError, match=r"'sum' of .* is damaged .* Delete \S*c\.3\.0, and run it again") as caught:
        found["sum"]
    assert str(place) in str(caught.value)
    place.unlink()
    assert lw.study(both, AB, tmp_path / "s").complete
    np.testing.assert_array_equal(lw.Study(tmp_path / "s")["sum"], found["a"][:, None] + found["b"])


def test_another_function_is_refused(tmp_path):
    arm = lw.load("two_link")
    q = {"q": arm.random(10, seed=1)}
    lw.study(partial(lw.pose, arm, frame="tip"), q, tmp_path / "s")
    before = files(tmp_path / "s")
    with pytest.raises(InputError, match="frame has changed"):
        lw.study(partial(lw.pose, arm, frame="link2"), q, tmp_path / "s")
    with pytest.raises(InputError, match="function 'velocity' is new"):
        lw.study(partial(lw.velocity, arm, frame="tip"), q, tmp_path / "s")
    with pytest.raises(InputError, match=r"other parameters: rows 10, not 11; parameter 'q' has changed"):
        lw.study(partial(lw.pose, arm, frame="tip"), {"q": arm.random(11, seed=1)}, tmp_path / "s")
    with pytest.raises(InputError, match="other parameters"):
        lw.study(partial(lw.pose, arm, frame="tip"), {"q": 2 * q["q"]}, tmp_path / "s")
    with pytest.raises(InputError, match="kept in chunks of"):
        lw.study(partial(lw.pose, arm, frame="tip"), q, tmp_path / "s", chunk=3)
    assert files(tmp_path / "s") == before


def test_what_differs_of_parameters_is_reported(tmp_path):
    spread = {"a": samples.uniform(0.0, 1.0), "seed": samples.normal(0.0, 1.0)}
    lw.study(minus, samples.random(100, 1, **spread), tmp_path / "s")
    for other, expected in (
        (samples.random(100, 2, **spread), "seed 1, not 2"),
        (samples.random(99, 1, **spread), "rows 100, not 99"),
        (samples.random(100, 1, **dict(reversed(spread.items()))), "order a, seed, not seed, a"),
        (samples.random(100, 1, a=spread["a"], seed=samples.normal(0.0, 2.0)), "parameter 'seed' has changed"),
        (samples.random(100, 1, **spread, c=spread["a"]), "parameter 'c' is new"),
        (samples.sobol(100, 1, **spread), "kind random, not sobol; scrambled is new"),
    ):
        with pytest.raises(InputError, match=f"other parameters: {expected}\\. Give another folder"):
            lw.study(minus, other, tmp_path / "s")


def minus(a, seed):
    return a - seed


def test_another_version_goes_on_with_a_warning(tmp_path):
    lw.study(both, AB, tmp_path / "s", chunk=100)
    place = tmp_path / "s" / "zarr.json"
    result = json.loads(place.read_text())
    result["attributes"]["linkwright"]["versions"]["Linkwright"] = "0.0.9"
    place.write_text(json.dumps(result))
    with pytest.warns(LinkwrightWarning, match=r"begun with Linkwright 0\.0\.9, and goes on with"):
        lw.study(both, AB, tmp_path / "s")


def test_two_runs_at_once_are_refused(tmp_path):
    begun, go = threading.Event(), threading.Event()

    def slow(a, b):
        if len(a) == 100:
            begun.set()
            go.wait(20)
        return both(a, b)

    def run():
        lw.study(slow, AB, tmp_path / "s", chunk=100)

    first = threading.Thread(target=run)
    first.start()
    try:
        assert begun.wait(20)
        with pytest.raises(InputError, match=f"another run writes to .*, process {os.getpid()} on .* since"):
            lw.study(slow, AB, tmp_path / "s")
    finally:
        go.set()
        first.join()
    assert lw.study(slow, AB, tmp_path / "s").complete


def test_folders_of_something_else_are_refused_and_left_alone(tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.tex").write_text("much work")
    (tmp_path / "file").write_text("x")
    (tmp_path / "odd").mkdir()
    (tmp_path / "odd" / "zarr.json").write_text("{")
    import zarr

    zarr.open_group(str(tmp_path / "other"), mode="w", zarr_format=3).create_array("x", data=np.arange(3))
    before = files(tmp_path)
    for name, expected in (
        ("mine", "other files"),
        ("file", "is a file"),
        ("odd", "not a study"),
        ("other", "not a study"),
    ):
        with pytest.raises(InputError, match=expected):
            lw.study(both, AB, tmp_path / name)
        with pytest.raises(InputError):
            lw.Study(tmp_path / name)
    assert files(tmp_path) == before
    with pytest.raises(InputError, match="there is no study"):
        lw.Study(tmp_path / "nothing")
    assert not (tmp_path / "nothing").exists()


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="the administrator may write everywhere")
def test_read_only_folders(tmp_path):
    lw.study(both, AB, tmp_path / "s", chunk=100)
    (tmp_path / "part").mkdir()
    for folder in (tmp_path / "s", tmp_path / "part"):
        folder.chmod(0o500)
    assert lw.study(both, AB, tmp_path / "s").complete
    with pytest.raises(InputError, match="cannot write"):
        lw.study(both, AB, tmp_path / "part")


@pytest.mark.filterwarnings("ignore:all rows take up to:linkwright.errors.LinkwrightWarning")
def test_a_full_disk_loses_nothing(tmp_path):
    """A real one, of 3 MB, which is made larger then."""
    disk = tmp_path / "disk"
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=3m", "none", disk], capture_output=True).returncode:
        pytest.skip("no disk may be mounted here")
    try:
        noise = {"a": np.random.default_rng(0).normal(size=600_000)}
        lw.study(twice, noise, tmp_path / "whole", chunk=50_000, keep_parameters=False)
        for _ in range(2):  # a full disk stays full
            with pytest.raises(InputError, match=r"cannot write .*No space left on device\. Complete chunks are kept"):
                lw.study(twice, noise, disk / "s", chunk=50_000, keep_parameters=False)
        assert 200_000 <= lw.Study(disk / "s").done < 600_000
        subprocess.run(["mount", "-o", "remount,size=20m", disk], check=True)
        assert lw.study(twice, noise, disk / "s", keep_parameters=False).complete
        assert files(disk / "s") == files(tmp_path / "whole")
    finally:
        subprocess.run(["umount", disk], check=True)


def twice(a):
    return 2.0 * a


@pytest.mark.skipif(os.name == "nt", reason="there are no such limits")
def test_a_limit_of_files_loses_nothing(tmp_path):
    import resource
    import signal

    noise = {"a": np.random.default_rng(0).normal(size=4000)}
    lw.study(twice, noise, tmp_path / "whole", chunk=1000)
    before, handler = resource.getrlimit(resource.RLIMIT_FSIZE), signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (6000, before[1]))
        with pytest.raises(InputError, match=r"cannot write .*File too large\. Complete chunks are kept"):
            lw.study(twice, noise, tmp_path / "s", chunk=1000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)
    assert not [*tmp_path.rglob("*.partial")]
    assert lw.study(twice, noise, tmp_path / "s").complete
    assert files(tmp_path / "s") == files(tmp_path / "whole")


def test_a_billion_rows_are_planned_without_arrays_of_them(tmp_path):
    import tracemalloc

    class Enough(Exception):
        """of it"""

    def stop(fraction):
        if fraction > 1e-5:
            raise Enough

    many = samples.random(10**9, 1, a=samples.uniform(0.0, 1.0))
    tracemalloc.start()
    with pytest.raises(Enough):
        lw.study(lambda a: a > 0.5, many, tmp_path / "s", chunk=20_000, progress=stop, workers=1)
    found = lw.Study(tmp_path / "s")
    assert found.done >= 10_000
    assert "incomplete" in str(found)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 30e6


def drawn(a, b, source):
    return a + source.random(len(a))


@pytest.mark.parametrize("first", [np.int32, np.float32, bool])
def test_what_would_lose_digits_is_refused(tmp_path, first):
    """Kept as in the first rows; what comes later as something that is wider would be cut."""
    rows = {"x": np.arange(60_000.0)}
    with pytest.raises(InputError, match=r"'y' is (int64|float64) from row \d+ on, and .* in others"):
        lw.study(
            lambda x: {"y": x.astype(first) if x[0] < 2e4 else np.int64(10**9) * x.astype(int)}, rows, tmp_path / "s"
        )


@pytest.mark.parametrize("batched", [True, False])
def test_whole_numbers_may_come_among_floats(tmp_path, batched):
    rows = {"x": np.arange(3000.0)}

    def miss(x):
        return x + 0.5 if np.all(x < 2000) else 0 * np.asarray(x).astype(int)

    found = lw.study(miss, rows, tmp_path / "s", batched=batched, chunk=500)
    np.testing.assert_array_equal(found["value"], np.where(rows["x"] < 2000, rows["x"] + 0.5, 0.0))


def test_histograms_tell_values_that_there_are(tmp_path):
    x = np.random.default_rng(3).normal(size=5000)
    found = lw.study(
        lambda x: {"high": x > 0.1, "one": 0 * x + 2.0, "same": x, "odd": np.where(x > 2, np.inf, x), "no": x * np.nan},
        {"x": x},
        tmp_path / "s",
    )
    axes = {one.get_xlabel() or one.get_title(): one for one in found.plot_histogram().axes}
    options = {
        name: [float(one.get_text().split()[-1]) for one in axis.get_legend().get_texts()]
        for name, axis in axes.items()
        if axis.get_legend()
    }
    assert options["high"][1:] == [0, 0, 1]
    assert options["one"] == [2, 2, 2, 2]
    assert options["same"] == pytest.approx([x.mean(), *np.percentile(x, [5, 50, 95])], rel=1e-3)
    assert f"{np.count_nonzero(x > 2)} rows not finite" in axes["odd"].get_title()
    assert "no: no finite number" in axes


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((3, AB), ArgumentError, "function of the parameters"),
        ((both, 3), ArgumentError, "samples.grid"),
        ((both, {"a": [1, 2], "b": [1]}), ShapeError, "a 2, b 1"),
        ((lambda a, b: None, AB), InputError, "'value' is NoneType"),
        ((lambda a, b: a[0], AB), ShapeError, "batched=False"),
        ((lambda a, b: {"a": a}, AB), InputError, "'a' has the name of a parameter"),
        ((lambda a, b: {"x/y": a}, AB), InputError, "'x/y'"),
        ((lambda a, b: {"": a}, AB), InputError, "''"),
        ((lambda a, b: {}, AB), InputError, "gave no outputs"),
        ((lambda a, b: {"c": a[:, None].sum()}, AB), ShapeError, "(a (1,), b (1, 2)), and returned 'c' of shape ()"),
        ((lambda a: a, AB), InputError, "failed for all of the first 64 rows: TypeError"),
        ((partial(drawn, source=np.random.default_rng(1)), AB), InputError, "random generator"),
    ],
)
def test_wrong_arguments_are_reported_and_leave_nothing(tmp_path, arguments, error, message):
    with pytest.raises(error) as caught:
        lw.study(*arguments, tmp_path / "s")
    assert message in str(caught.value)
    assert not (tmp_path / "s").exists()


@pytest.mark.parametrize(
    ("named", "error"),
    [
        ({"keep": ["no"]}, "got 'no'"),
        ({"keep": []}, "got none"),
        ({"units": {"sum": 3}}, "a unit is text"),
        ({"keep_parameters": ["no"]}, "got 'no'"),
        ({"units": {"no": "m"}}, "got 'no'"),
        ({"chunk": 0}, "chunk is a whole number"),
        ({"workers": 0}, "workers is a whole number"),
        ({"workers": "many"}, "distributed.Client"),
    ],
)
def test_wrong_options_are_reported(tmp_path, named, error):
    with pytest.raises((InputError, ArgumentError), match=error):
        lw.study(both, AB, tmp_path / "s", **named)
    assert not (tmp_path / "s").exists()


def test_outputs_that_change_their_shape_are_refused(tmp_path):
    def odd(k):
        return k[:, None] * np.ones(3 if k.max() > 150 else 2)

    with pytest.raises(InputError, match="outputs are the same of all rows"):
        lw.study(odd, {"k": np.arange(300.0)}, tmp_path / "s", chunk=100, workers=1)


def test_a_store_travels_by_its_path(tmp_path):
    import pickle

    lw.study(both, AB, tmp_path / "s")
    assert pickle.loads(pickle.dumps(Store(tmp_path / "s"))).kept.rows == 1000


def test_functions_travel_to_workers(tmp_path):
    """Those of the library by their names, those of scripts and closures with what they read, lw among it."""
    import pickle

    cloudpickle = pytest.importorskip("cloudpickle")
    assert pickle.loads(pickle.dumps(lw.pose)) is lw.pose
    arm = lw.load("two_link")
    lw.pose(arm, arm.neutral(), "tip")
    here = lambda q: lw.inverse_kinematics(arm, {"tip": lw.pose(arm, q, "tip")}, initial_guess=q).q  # noqa: E731
    there = cloudpickle.loads(cloudpickle.dumps(here))
    q = arm.random(3, seed=1)
    np.testing.assert_array_equal(there(q), here(q))
    assert there.__globals__["lw"] is lw


def test_progress_in_a_notebook_is_a_line_that_changes(tmp_path, monkeypatch):
    display = pytest.importorskip("IPython.display")
    from linkwright.studies import progress

    shown: list[str] = []

    class Handle:
        def update(self, data, raw):
            shown.append(data["text/plain"])

    def first(data, raw, display_id):
        shown.append(data["text/plain"])
        return Handle()

    monkeypatch.setattr(display, "display", first)
    monkeypatch.setattr(progress, "terminal", lambda: io.StringIO())  # as a notebook's: no terminal
    rows = {"a": np.r_[np.zeros(999), np.nan]}
    lw.study(refusing, rows, tmp_path / "s", chunk=100, workers=1, title="refusing")
    assert shown[0].startswith("refusing: 10.0%, ")
    assert shown[-1].startswith("refusing: 100.0%, ")
    assert shown[-1].endswith("rows/s, 0:00 left, 1 failed")


def refusing(a):
    if np.isnan(a).any():
        raise ValueError("no number")
    return {"b": a}


def test_xarray_of_rows_and_of_a_grid(tmp_path):
    found = lw.study(both, AB, tmp_path / "s", units={"sum": "m"}).to_xarray()
    assert found["sum"].dims == ("row", "sum_0")
    assert found["sum"].attrs == {"units": "m"}
    assert {"a", "b"} <= {*found.coords}
    axes = {"a": [1.0, 2.0, 3.0], "b": np.arange(4.0)}
    grid = lw.study(lambda a, b: {"x": 10 * a + b}, samples.grid(**axes), tmp_path / "g", chunk=5).to_xarray()
    assert grid["x"].dims == ("a", "b")
    assert float(grid["x"].sel(a=2.0, b=3.0)) == 23.0


def test_indices_of_ishigamis_function(tmp_path):
    u = samples.uniform(-np.pi, np.pi)
    y = lambda a, b, c: {"y": np.sin(a) + 7.0 * np.sin(b) ** 2 + 0.1 * c**4 * np.sin(a)}  # noqa: E731
    study = lw.study(y, samples.saltelli(2**12, a=u, b=u, c=u), tmp_path / "s")
    found = study.sensitivity("y")
    np.testing.assert_allclose(found.first, [0.3139, 0.4424, 0.0], atol=0.02)  # Ishigami & Homma 1990
    np.testing.assert_allclose(found.total, [0.5576, 0.4424, 0.2437], atol=0.02)
    assert "a" in str(found)
    found.plot(tmp_path / "sensitivity.png")
    study.plot_histogram(path=tmp_path / "histogram.png")
    study.plot_scatter("y", path=tmp_path / "scatter.png")
    assert all((tmp_path / f"{name}.png").stat().st_size > 5000 for name in ("sensitivity", "histogram", "scatter"))
    with pytest.raises(InputError, match=r"samples\.saltelli"):
        lw.study(both, AB, tmp_path / "t").sensitivity("large")
