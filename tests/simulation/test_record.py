"""Results that a simulation keeps after a failure, and limits of its time and memory."""

from __future__ import annotations

import os
import signal

import numpy as np
import pytest
from tests.setups import grouped

import linkwright as lw
from linkwright.compiler.kernel import Kernel
from linkwright.errors import InputError, LinkwrightWarning, ShapeError, SimulationError
from linkwright.simulation.recording import available_memory


@pytest.fixture(scope="module")
def model():
    return lw.load("two_link")


def three(model, **more):
    """Three motions, of which the second is thrown too fast."""
    v = np.zeros((3, 2))
    v[1] = 1e6
    return lw.simulate(model, [0.1, 0.2], v, 1.0, **grouped(**more))


@pytest.mark.parametrize("controlled", [False, True])
@pytest.mark.parametrize("every", [1, 7])
def test_one_motion_that_diverges_leaves_the_others(model, controlled, every):
    seen = []

    def brake(t, q, v):
        seen.append(np.isfinite(q).all() and np.isfinite(v).all())
        return -0.1 * v

    more = {"every": every, "callback": brake if controlled else None}
    with pytest.warns(LinkwrightWarning, match=r"1 of 3 motions of 'two_link' .* \[1\] after t = 0(\.\d+)? s;"):
        motion = three(model, **more)
    assert all(seen)  # what has ended is shown as it was last
    assert len(motion.t) == 1000 // every + 1
    end = motion.ended
    assert end.shape == (3,)
    assert (end[[0, 2]] == motion.t[-1]).all()
    n = np.searchsorted(motion.t, end[1]) + 1
    assert 1 <= n < len(motion.t)
    for x in (motion.q, motion.v, motion.tau, motion.kinetic, motion.energy):
        assert np.isnan(x[n:, 1]).all()  # not to be mistaken for a motion
        assert np.isfinite(x[:n, 1]).all()
        assert np.isfinite(x[:, [0, 2]]).all()
    alone = lw.simulate(model, [0.1, 0.2], [0.0, 0.0], 1.0, **grouped(**more))
    assert np.array_equal(motion[0].q, alone.q)
    assert np.array_equal(motion[2].tau, alone.tau)
    with pytest.warns(LinkwrightWarning, match="ends there"):
        alone = lw.simulate(model, [0.1, 0.2], [1e6, 1e6], 1.0, **grouped(**more))
    assert np.array_equal(motion[1].q, alone.q)
    assert alone.ended == alone.t[-1]
    assert motion[[0, 1]].q.shape[:2] == (len(motion.t), 2)
    assert np.isfinite(motion.drift)


def test_it_is_an_error_where_all_motions_of_a_batch_diverge(model):
    with pytest.raises(SimulationError, match=r"all 2 simulations .*\[0\] after t = .*smaller step") as caught:
        lw.simulate(model, [0.1, 0.2], np.full((2, 2), 1e6), 1.0)
    assert 1 <= len(caught.value.motion.t) < 1001
    assert np.isfinite(caught.value.motion.q[0]).all()


def test_a_batch_of_one_is_a_batch(model):
    """As the docstring says: a single motion warns and is short, the same in a batch of one raises."""
    with pytest.warns(LinkwrightWarning, match="ends there"):
        alone = lw.simulate(model, [0.1, 0.2], [1e6, 1e6], 1.0)
    assert len(alone.t) < 1001
    with pytest.raises(SimulationError, match="all 1 simulations") as caught:
        lw.simulate(model, [[0.1, 0.2]], [1e6, 1e6], 1.0)
    assert np.array_equal(caught.value.motion[0].q, alone.q)
    assert "batch of one" in " ".join(lw.simulate.__doc__.split())


def test_the_motions_for_which_a_controller_has_no_efforts_end(model):
    def gives_up(t, q, v):
        tau = np.zeros((2, 3, 2))
        tau[1, 2] = np.nan if t >= 0.01 else 0.0
        return tau

    q = model.random(6, seed=0).reshape(2, 3, 2)
    text = r"\[1, 2\] after t = 0\.01 s; for 1 of them the callback's efforts were not finite"
    with pytest.warns(LinkwrightWarning, match=text):
        motion = lw.simulate(model, q, np.zeros(2), 0.05, callback=gives_up)
    free = lw.simulate(model, q, np.zeros(2), 0.05)
    assert np.array_equal(motion.q[:, 0], free.q[:, 0])
    assert np.array_equal(motion.q[:11], free.q[:11])
    assert np.isnan(motion.q[11:, 1, 2]).all()
    assert motion.ended[1, 2] == pytest.approx(0.01)


class Mine(Exception):
    pass


def fails_with(error):
    def controller(t, q, v):
        if t > 0.0195:
            if isinstance(error, BaseException):
                raise error
            return error
        return np.full(2, 0.5)

    return controller


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (Mine("mine"), Mine),
        (KeyboardInterrupt(), KeyboardInterrupt),
        (MemoryError(), MemoryError),
        ([np.nan, 0.0], InputError),
        ([0.0], ShapeError),
        ("text", lw.errors.LinkwrightError),
    ],
)
def test_what_was_computed_is_on_whatever_ends_it(model, error, kind):
    with pytest.raises(kind) as caught:
        lw.simulate(model, [0.1, 0.2], [0.0, 0.0], 1.0, every=2, callback=fails_with(error))
    motion = caught.value.motion
    whole = lw.simulate(model, [0.1, 0.2], [0.0, 0.0], 0.02, every=2, callback=lambda t, q, v: np.full(2, 0.5))
    assert np.array_equal(motion.t, whole.t)
    assert np.array_equal(motion.q, whole.q)
    assert np.array_equal(motion.energy, whole.energy)
    assert np.array_equal(motion.tau[:-1], whole.tau[:-1])
    assert np.isnan(motion.tau[-1]).all()  # it never came
    assert "until t = 0.02 s" in caught.value.__notes__[0]


def test_an_interrupt_between_the_energies_keeps_all(model, monkeypatch):
    def interrupted(part):
        if part == 1.0:
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt) as caught:
        lw.simulate(model, [0.1, 0.2], [0.0, 0.0], 0.01, method=lw.Integrator(progress=interrupted))
    assert len(caught.value.motion.t) == 11


def test_without_memory_for_energies_the_samples_are_kept(model, monkeypatch):
    """Energies are there when there is memory for them again."""

    def none_left(*arrays, out=None):
        raise MemoryError

    def controller(t, q, v):
        if t > 0.0045:
            monkeypatch.setattr(Kernel, "_any", none_left)
            monkeypatch.setattr("linkwright.simulation.recording.motion.measuring", none_left)
            raise MemoryError
        return np.zeros(2)

    with pytest.raises(MemoryError) as caught:
        lw.simulate(model, [0.1, 0.2], [0.0, 0.0], 0.1, callback=controller)
    motion = caught.value.motion
    assert len(motion.t) == 6
    with pytest.raises(MemoryError):
        motion.energy  # noqa: B018
    monkeypatch.undo()
    assert motion.drift < 1e-9


# memory


def of_this_process(monkeypatch, folder, own="0::/", meminfo=8e9):
    monkeypatch.setattr(available_memory, "PROCESS", folder)
    monkeypatch.setattr(available_memory, "GROUPS", folder / "groups")
    monkeypatch.setattr(available_memory, "MACHINE", folder / "meminfo")
    (folder / "statm").write_text("1000 500 100 10 0 800 0\n")
    (folder / "cgroup").write_text(own + "\n")
    (folder / "meminfo").write_text(f"MemTotal: 99999999 kB\nMemAvailable: {int(meminfo / 1024)} kB\n")
    (folder / "groups").mkdir()


def group(folder, limit, taken, files, version=2):
    folder.mkdir(parents=True, exist_ok=True)
    names = ("memory.max", "memory.current") if version == 2 else ("memory.limit_in_bytes", "memory.usage_in_bytes")
    for name, number in zip(names, (limit, taken), strict=True):
        (folder / name).write_text(f"{number}\n")
    (folder / "memory.stat").write_text(f"anon 5\n{'total_' * (version == 1)}inactive_file {files}\n")


def test_memory_is_what_control_groups_leave(tmp_path, monkeypatch):
    of_this_process(monkeypatch, tmp_path, "0::/a/b")
    assert available_memory.available() == pytest.approx(8e9, rel=1e-6)
    groups = tmp_path / "groups"
    group(groups / "a/b", "max", 10, 0)
    assert available_memory.available() == pytest.approx(8e9, rel=1e-6)
    group(groups / "a", 3_000_000_000, 1_000_000_000, 500_000_000)  # what is above counts
    assert available_memory.available() == 2.5e9
    group(groups / "a/b", 1_000_000_000, 2_000_000_000, 0)
    assert available_memory.available() == 0.0


def test_memory_is_what_older_control_groups_leave(tmp_path, monkeypatch):
    of_this_process(monkeypatch, tmp_path, "9:name=systemd:/\n4:cpu,memory:/here/within\n0::/")
    group(tmp_path / "groups" / "memory", 2_000_000_000, 1_500_000_000, 100_000_000, version=1)
    assert available_memory.available() == 6e8


def test_memory_is_what_the_limits_of_the_process_leave(tmp_path, monkeypatch):
    resource = pytest.importorskip("resource")
    of_this_process(monkeypatch, tmp_path)
    page = resource.getpagesize()
    limits = {resource.RLIMIT_AS: 10**9, resource.RLIMIT_DATA: resource.RLIM_INFINITY}
    monkeypatch.setattr(resource, "getrlimit", lambda which: (limits[which], 10**10))
    assert available_memory.available() == 10**9 - 1000 * page
    limits[resource.RLIMIT_DATA] = 900 * page
    assert available_memory.available() == 100 * page


def test_a_record_too_large_for_the_process_is_refused_before_it_starts(model, monkeypatch):
    monkeypatch.setattr(available_memory, "available", lambda: 2.0**28)
    with pytest.raises(InputError, match=r"0\.3\d\d GiB, more than the 0\.25 GiB .*every="):
        lw.simulate(model, np.zeros(2), np.zeros(2), 5e3)
    monkeypatch.setattr(available_memory, "available", lambda: 2.0**60)
    with pytest.raises(InputError, match="more than this process can have"):
        lw.simulate(model, np.zeros(2), np.zeros(2), 1e13)
