"""Files are written completely or not at all: after a full disk or an interrupt the earlier results remain."""

from __future__ import annotations

import os
import stat
import struct
import zipfile
from contextlib import contextmanager

import numpy as np
import pytest
from PIL import Image

import linkwright as lw
from linkwright import files
from linkwright.cli import main
from linkwright.errors import FormatError, InputError
from linkwright.files import read_arrays, replacing, replacing_together, write_arrays, write_figure, write_text


@pytest.fixture(scope="module")
def motion():
    return lw.simulate(lw.load("two_link"), [0.1, 0.2], [0.0, 0.0], 0.05, 1e-2)


def contents(folder):
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@contextmanager
def files_limited_to(size):
    """Raise the error of a full disk."""
    import resource

    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


WRITERS = {
    "motion.npz": lambda motion, path: motion.save(path),
    "motion.csv": lambda motion, path: motion.save(path),
    "motion.png": lambda motion, path: motion.plot(path),
    "motion.svg": lambda motion, path: motion.plot(path),
    "motion.gif": lambda motion, path: motion.animate(path),
    "kernel.c": lambda motion, path: lw.compile(lw.mass_matrix, motion.model).save(path),
    "page.html": lambda motion, path: lw.equations(motion.model).html(path),
    "picture.png": lambda motion, path: lw.equations(motion.model).picture(path),
    "code": lambda motion, path: lw.equations(motion.model).save(path),
}


@pytest.mark.skipif(os.name == "nt", reason="no limit on the size of files")
@pytest.mark.parametrize("name", WRITERS)
def test_a_full_disk_leaves_the_earlier_file_whole(name, motion, tmp_path):
    write, path = WRITERS[name], tmp_path / name
    write(motion, path)
    before = contents(tmp_path)
    with files_limited_to(100), pytest.raises(InputError, match=r"cannot write .*File too large"):
        write(motion, path)
    assert contents(tmp_path) == before
    assert len(os.listdir(tmp_path)) == 1  # nothing half written lies about
    write(motion, path)
    assert contents(tmp_path).keys() == before.keys()


def test_an_interrupt_leaves_the_earlier_file(tmp_path):
    def interrupted():
        with replacing(tmp_path / "a.txt") as place:
            place.write_text("half")
            raise KeyboardInterrupt

    write_text(tmp_path / "a.txt", "before")
    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert contents(tmp_path) == {(tmp_path / "a.txt").relative_to(tmp_path): b"before"}


@pytest.mark.skipif(os.name == "nt", reason="links and modes")
def test_links_stay_links_and_modes_stay(tmp_path):
    target, link = tmp_path / "target.txt", tmp_path / "link.txt"
    target.touch()
    target.chmod(0o604)
    link.symlink_to(target)
    write_text(link, "new")
    assert link.is_symlink()
    assert target.read_text() == "new"
    assert stat.S_IMODE(target.stat().st_mode) == 0o604
    plain = tmp_path / "plain.txt"
    plain.touch()
    assert stat.S_IMODE(write_text(tmp_path / "other.txt", "x").stat().st_mode) == stat.S_IMODE(plain.stat().st_mode)
    write_text(os.devnull, "x")  # what is no file is written to as it is
    assert not os.path.isfile(os.devnull)
    with pytest.raises(InputError, match="cannot write"):
        write_text("/dev/full", "x")


def test_files_that_belong_together_are_replaced_together(tmp_path):
    with replacing_together(tmp_path, ("a", "b", "c")) as place:
        for name in "abc":
            (place / name).write_text(f"first {name}")
    (tmp_path / "mine").write_text("not of the set")
    before = contents(tmp_path)

    def stopped_by(error):
        with replacing_together(tmp_path, ("a", "b", "c")) as place:
            (place / "a").write_text("second a")
            raise error

    for error in (OSError(28, "No space left on device"), KeyboardInterrupt(), ValueError("x")):
        kind = InputError if isinstance(error, OSError) else type(error)
        with pytest.raises(kind):
            stopped_by(error)
        assert contents(tmp_path) == before
    with replacing_together(tmp_path, ("a", "b", "c")) as place:
        (place / "a").write_text("second a")
        (place / "d").write_text("second d")
    assert {path.name: text.decode() for path, text in contents(tmp_path).items()} == {
        "a": "second a",
        "d": "second d",
        "mine": "not of the set",
    }
    with pytest.raises(InputError, match=f"cannot write '{tmp_path}/a.npz'"), replacing_together(tmp_path) as place:
        raise InputError(f"cannot write '{place}/a.npz'")
    (tmp_path / "a").unlink()
    (tmp_path / "a").mkdir()
    with pytest.raises(InputError, match="it is a folder"), replacing_together(tmp_path) as place:
        (place / "a").touch()
    assert not [name for name in os.listdir(tmp_path) if name.startswith(".new-")]


@pytest.mark.skipif(os.name == "nt", reason="no limit on the size of files")
def test_a_run_on_a_full_disk_leaves_the_earlier_run(tmp_path, capsys):
    """The arrays fit, the table does not: the new arrays are not beside the old pictures."""

    def run(time, status):
        with pytest.raises(SystemExit) as stop:
            main(["simulate", "pendulum", "--posture", "1", "--time", time, "--no-animation", "--out", str(tmp_path)])
        assert stop.value.code == status

    run("0.2", 0)
    before = contents(tmp_path)
    with files_limited_to(20_000):
        run("0.3", 2)
    text = capsys.readouterr().err.replace("\n", "")
    assert f"error: cannot write '{tmp_path}/motion.csv': File too large" in text
    assert contents(tmp_path) == before
    assert len(before) == 5


def test_long_tables_are_written_in_pieces(motion, tmp_path, monkeypatch):
    whole = motion.save(tmp_path / "whole.csv").read_text()
    monkeypatch.setattr("linkwright.simulation.recording.motion.ROWS_AT_ONCE", 2)
    assert motion.save(tmp_path / "pieces.csv").read_text() == whole


DAMAGES = "whole data version compression encrypted header missing folder pipe objects half".split()


def damaged(path, damage, folder):
    """A copy of an archive, with one thing wrong with it."""
    odd, data = folder / "odd.npz", bytearray(path.read_bytes())
    with zipfile.ZipFile(path) as archive:
        first = archive.infolist()[0]
    lengths = struct.unpack("<HH", data[first.header_offset + 26 : first.header_offset + 30])
    content, central = first.header_offset + 30 + sum(lengths), data.find(b"PK\x01\x02")
    if damage == "data":
        data[content : content + 20] = b"\xff" * 20
    elif damage == "version":
        data[central + 6] = 250
    elif damage == "compression":
        data[central + 10] = data[first.header_offset + 8] = 99
    elif damage == "encrypted":
        data[central + 8] |= 1
    elif damage == "half":
        data = data[: len(data) // 2]
    odd.write_bytes(data)
    with np.load(path) as archive:
        arrays = dict(archive)
    if damage == "header":
        with zipfile.ZipFile(odd, "w") as archive:
            for name in arrays:
                archive.writestr(f"{name}.npy", b"\x93NUMPY\x01\x00\x20\x00{'descr': '<f8', 'shape': (9".ljust(42))
    elif damage == "objects":
        np.savez(odd, **{name: np.array([x, None], dtype=object) for name, x in arrays.items()})
    elif damage in ("missing", "folder", "pipe"):
        odd.unlink()
        {"missing": lambda: None, "folder": odd.mkdir, "pipe": lambda: os.mkfifo(odd)}[damage]()
    return odd


@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_archives_are_refused(damage, tmp_path):
    arm = lw.load("two_link")
    plan, policy = lw.trajectories.polynomial(arm, [0, 0], [1, 1], duration=1.0), lw.Policy(arm, hidden=(2,))
    np.savez_compressed(tmp_path / "m.npz", q=np.zeros((5, 2)))
    readers = {
        plan.save(tmp_path / "t.npz"): lambda path: lw.Trajectory.load(path, arm),
        policy.save(tmp_path / "p.npz", policy.random(0)): policy.load,
        tmp_path / "m.npz": lambda path: lw.read_measurements(path, arm),
    }
    for path, read in readers.items():
        folder = tmp_path / path.stem
        folder.mkdir()
        odd = damaged(path, damage, folder)
        if damage == "whole":
            read(odd)
            continue
        with pytest.raises(FormatError, match=r"odd\.npz"):
            read(odd)


def test_an_archive_that_grows_too_large_is_refused(tmp_path, monkeypatch):
    np.savez_compressed(tmp_path / "bomb.npz", q=np.zeros(10**6))
    monkeypatch.setattr(files, "LARGEST_ARCHIVE", 2**22)
    with pytest.raises(FormatError, match="its arrays have more than"):
        files.read_arrays(tmp_path / "bomb.npz", "archive")


def test_odd_paths_are_reported(tmp_path):
    motion = lw.simulate(lw.load("pendulum"), [0.1], [0.0], 0.02, 1e-2)
    for path in ("\0.npz", "é\ud800.npz", "x" * 300 + ".npz"):
        with pytest.raises(InputError, match="cannot write"):
            motion.save(path)
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe.npz")
        with pytest.raises(InputError, match="it is a pipe"):
            motion.save(tmp_path / "pipe.npz")


def test_arrays_are_compressed_where_it_saves_space(tmp_path):
    rng = np.random.default_rng(1)
    arrays = {
        "noise": rng.normal(size=(3000, 7)),
        "zeros": np.zeros((9000, 3)),
        "empty": np.zeros((0, 3)),
        "number": np.array(3.0),
        "columns": np.asfortranarray(rng.normal(size=(4, 5))),
        "names": np.array(["a", "longer"]),
        "wrench:tool": np.arange(3),
    }
    path = tmp_path / "arrays.npz"
    write_arrays(path, arrays)
    read = read_arrays(path, "test")
    assert list(read) == list(arrays)
    for name, array in arrays.items():
        assert read[name].dtype == array.dtype
        np.testing.assert_array_equal(read[name], array)
    with zipfile.ZipFile(path) as archive:
        kinds = {entry.filename: entry.compress_type for entry in archive.infolist()}
    assert kinds["noise.npy"] == zipfile.ZIP_STORED
    assert kinds["zeros.npy"] == zipfile.ZIP_DEFLATED


def test_a_figure_is_laid_out_once(tmp_path):
    from matplotlib.figure import Figure

    figure = Figure(figsize=(3.0, 2.0), layout="constrained")
    axes = figure.add_subplot()
    axes.set_ylabel("a long label\nin two lines")
    draws = []
    whole = axes.draw
    axes.draw = lambda renderer: (draws.append(1), whole(renderer))[1]
    write_figure(tmp_path / "once.png", figure, dpi=70)
    assert len(draws) == 1
    assert figure.dpi == 100.0
    figure.savefig(tmp_path / "usual.png", dpi=70)
    assert len(draws) == 3
    once, usual = (np.asarray(Image.open(tmp_path / name)) for name in ("once.png", "usual.png"))
    np.testing.assert_array_equal(once, usual)
