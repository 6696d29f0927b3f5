"""The cache on disk: whatever is wrong with it, kernels are right."""

from __future__ import annotations

import os
import py_compile
import shutil
import subprocess
import sys
import warnings
from importlib.util import cache_from_source
from pathlib import Path

import numpy as np
import pytest

import linkwright as lw
from linkwright.compiler.native import cache
from linkwright.errors import CacheWarning

pytestmark = pytest.mark.usefixtures("optimized")  # code as users have it

POSIX = pytest.mark.skipif(os.name == "nt", reason="owners and modes are those of POSIX")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A cache of this test's own."""
    place = tmp_path / "cache"
    monkeypatch.setenv("LINKWRIGHT_CACHE", str(place))
    monkeypatch.setattr(cache, "_warned", set())
    monkeypatch.setattr(cache, "_unseen", cache._LIMIT)
    return place


@pytest.fixture
def right():
    """``right()``: a freshly made kernel whose results were found right."""
    model = lw.load("two_link")
    q = model.random(11, seed=0)
    expected = [lw.dynamics.mass_matrix(model, x) for x in q]

    def make():
        kernel = lw.compile(lw.mass_matrix, model)
        assert np.abs(kernel(q) - expected).max() < 1e-14
        assert np.abs(kernel(q[0]) - expected[0]).max() < 1e-14
        return kernel

    return make


def files(folder: Path) -> list[Path]:
    return sorted(folder.iterdir())


def test_kernels_are_kept_and_found(folder, right):
    assert not right().from_cache
    kept = files(folder)
    assert kept
    content = [path.read_bytes() for path in kept]
    assert right().from_cache
    assert files(folder) == kept
    assert [path.read_bytes() for path in kept] == content


@POSIX
def test_nobody_else_may_look(folder, right):
    right()
    assert folder.stat().st_mode & 0o777 == 0o700
    assert all(path.stat().st_mode & 0o777 == 0o600 for path in files(folder))


DAMAGES = {
    "empty": lambda content: b"",
    "truncated": lambda content: content[: len(content) // 2],
    "one byte short": lambda content: content[:-1],
    "one more byte": lambda content: content + b"\0",
    "one bit": lambda content: content[:-100] + bytes([content[-100] ^ 1]) + content[-99:],
    "the digest": lambda content: content[:20] + bytes([content[20] ^ 1]) + content[21:],
    "another kind of file": lambda content: b"#!/bin/sh\nexit 1\n" * 50,
    "an object alone": lambda content: content[content.index(b"\x7fELF") :] if b"\x7fELF" in content else b"MZ",
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_files_are_replaced(folder, right, damage):
    right()
    whole = {path: path.read_bytes() for path in files(folder)}
    for path, content in whole.items():
        path.write_bytes(DAMAGES[damage](content))
    assert not right().from_cache
    assert {path: len(path.read_bytes()) for path in files(folder)} == {p: len(c) for p, c in whole.items()}
    assert right().from_cache


def test_files_of_another_program_are_not_taken(folder, right):
    """A digest is of the name too: a whole file under another's name is damaged."""
    right()
    own = files(folder)
    lw.compile(lw.gravity_forces, lw.load("two_link"))([0.1, 0.2])
    (other,) = (path for path in files(folder) if path not in own)
    for path in own:
        path.write_bytes(other.read_bytes())
    assert not right().from_cache


def test_code_of_another_kind_of_machine_is_made_anew(folder, right, monkeypatch):
    """A file whose digest is right but which this machine cannot load."""
    right()
    for own in files(folder):
        cache.write(own.name, b"no object code at all")
    assert not right().from_cache
    assert right().from_cache


@POSIX
def test_foreign_files_are_not_executed(folder, right):
    right()
    for mode in (0o622, 0o602, 0o666):
        for path in files(folder):
            path.chmod(mode)
        assert not right().from_cache, oct(mode)
    assert right().from_cache  # replaced by its own


@POSIX
@pytest.mark.parametrize("mode", [0o777, 0o770, 0o701, 0o750])
def test_folders_open_to_others_are_not_used(folder, right, mode):
    folder.mkdir(mode=0o700)
    folder.chmod(mode)
    with pytest.warns(CacheWarning, match="every run compiles again.*chmod 700"):
        assert not right().from_cache
    assert files(folder) == []
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        right()  # one warning


@POSIX
def test_files_of_another_owner_are_not_executed(folder, right, monkeypatch):
    right()
    monkeypatch.setattr(os, "getuid", lambda: os.stat(folder).st_uid + 1)
    with pytest.warns(CacheWarning):
        assert not right().from_cache


def test_a_folder_that_cannot_be_made(folder, right):
    folder.write_text("a file where the folder should be")
    with pytest.warns(CacheWarning, match="is not used"):
        assert not right().from_cache
    assert folder.read_text().startswith("a file")


def test_a_folder_beneath_a_file(tmp_path, right, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("LINKWRIGHT_CACHE", str(tmp_path / "file" / "cache"))
    with pytest.warns(CacheWarning):
        right()


@POSIX
def test_a_folder_that_cannot_be_written(folder, right):
    folder.mkdir(mode=0o500)
    try:
        (folder / "try").write_text("")
    except OSError:
        with pytest.warns(CacheWarning):
            right()
    else:
        pytest.skip("this user may write anywhere")
    finally:
        folder.chmod(0o700)


def test_a_full_disk(folder, right, monkeypatch):
    def full(*args, **kwargs):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.warns(CacheWarning, match="No space"):
        assert not right().from_cache
    assert files(folder) == []  # no half-written file stays


@pytest.mark.parametrize("off", ["off", "", "0"])
def test_without_a_cache(off, tmp_path, right, monkeypatch):
    monkeypatch.setenv("LINKWRIGHT_CACHE", off)
    monkeypatch.chdir(tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter("error", CacheWarning)
        assert not right().from_cache
        assert not right().from_cache
    assert files(tmp_path) == []


def test_without_a_home(right, monkeypatch):
    monkeypatch.delenv("LINKWRIGHT_CACHE", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)

    def homeless(path):
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "expanduser", homeless)
    monkeypatch.delenv("LOCALAPPDATA", raising=False)
    assert cache.folder() is None
    right()


@POSIX
def test_with_the_home_of_nobody(right, monkeypatch):
    monkeypatch.setenv("LINKWRIGHT_CACHE", "~nobody-of-this-name/cache")
    assert cache.folder() is None
    assert not right().from_cache


def test_the_users_folder_is_the_platforms(monkeypatch, tmp_path):
    monkeypatch.delenv("LINKWRIGHT_CACHE", raising=False)
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(os, "name", "posix")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache.folder() == tmp_path / "linkwright"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache.folder() == tmp_path / ".cache" / "linkwright"


def test_what_was_unused_longest_goes_first(folder, right, monkeypatch):
    right()
    own = {path.name for path in files(folder)}
    size = cache.size()[1]
    monkeypatch.setattr(cache, "_LIMIT", 2 * size)
    monkeypatch.setattr(cache, "_unseen", 2 * size)
    for age in (1, 2, 3):
        old = folder / f"{age:064x}"
        old.write_bytes(b"x" * (size // 2))
        os.utime(old, (1e9 - age, 1e9 - age))
    cache.write("f" * 64, b"x" * (size // 2))
    left = {path.name for path in files(folder)}
    assert own <= left
    assert "f" * 64 in left
    assert f"{3:064x}" not in left
    assert sum(path.stat().st_size for path in files(folder)) <= 2 * size
    assert cache.size() == (len(left), sum(path.stat().st_size for path in files(folder)))


def test_only_what_was_kept_is_removed(folder, right, monkeypatch):
    """The folder may have been somebody's before."""
    right()
    other = folder / "thesis.txt"
    other.write_text("x" * 10_000)
    inside = folder / ("0" * 64)
    inside.mkdir()
    monkeypatch.setattr(cache, "_LIMIT", 0)
    monkeypatch.setattr(cache, "_unseen", 1)
    cache.write("f" * 64, b"x")
    assert cache.size() == (0, 0)
    assert other.exists()
    assert inside.exists()


def test_clearing(folder, right, monkeypatch):
    right()
    (folder / "thesis.txt").write_text("x")
    kept = len(files(folder)) - 1
    assert cache.size()[0] == kept > 0
    assert cache.clear() == kept
    assert cache.size() == (0, 0)
    assert [path.name for path in files(folder)] == ["thesis.txt"]
    right()
    monkeypatch.setenv("LINKWRIGHT_CACHE", "off")
    assert cache.size() == (0, 0)
    assert cache.clear() == 0


PROGRAM = """
import linkwright as lw
model = lw.load("two_link")
kernel = lw.compile(lw.mass_matrix, model)
entry = kernel(model.neutral())[0, 0]
print(int(kernel.from_cache), entry)
"""


def run(environment: dict[str, str], program: str = PROGRAM) -> str:
    """Return the output of a separate process."""
    done = subprocess.run(
        [sys.executable, "-W", "error::linkwright.errors.CacheWarning", "-c", program],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_second_process_finds_what_the_first_kept(folder):
    first, second = (run({}) for _ in range(2))
    assert first.split()[0] == "0"
    assert second.split()[0] == "1"
    assert first.split()[1] == second.split()[1]


def test_a_baseline_target_has_code_of_its_own(folder):
    """Without the processor's own features: other code, rows still the same bits alone and in a batch."""
    program = """
import numpy as np, linkwright as lw
model = lw.load("arm7")
rng = np.random.default_rng(0)
q, v, tau = model.random(21, seed=rng), *rng.normal(size=(2, 21, 7))
kernel = lw.compile(lw.forward_dynamics, model)
found = kernel(q, v, tau)
expected = lw.dynamics.forward_dynamics(model, q[0], v[0], tau[0])
assert np.array_equal([kernel(*row) for row in zip(q, v, tau)], found)
assert np.abs(found[0] - expected).max() < 1e-9 * np.abs(expected).max()
print(int(kernel.from_cache))
"""
    assert run({"LINKWRIGHT_TARGET": "generic"}, program).strip() == "0"
    assert run({}, program).strip() == "0"
    assert run({"LINKWRIGHT_TARGET": "generic"}, program).strip() == "1"


def test_many_processes_at_once(folder):
    """None sees a half-written file."""
    command = [sys.executable, "-c", PROGRAM]
    processes = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(4)]
    outputs = [process.communicate(timeout=120)[0] for process in processes]
    assert all(process.returncode == 0 for process in processes)
    assert len({output.split()[1] for output in outputs}) == 1
    assert run({}).split()[0] == "1"
    assert not [path for path in files(folder) if path.name.startswith(".new-")]


def installed(kind, where):
    """The package as a zip file of sources, or bytecode alone in a folder; where it is imported from."""
    package = Path(lw.__file__).parent
    for path in package.rglob("*"):
        inside = where / path.relative_to(package.parent)
        if path.suffix == ".ll":
            inside.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, inside)
        if path.suffix == ".py":
            inside.parent.mkdir(parents=True, exist_ok=True)
            made = Path(cache_from_source(str(path)))
            if kind == "zip of sources":
                shutil.copy(path, inside)
            elif made.exists() and made.stat().st_mtime >= path.stat().st_mtime:
                shutil.copy(made, inside.with_suffix(".pyc"))
            else:
                py_compile.compile(str(path), str(inside.with_suffix(".pyc")))
    return shutil.make_archive(str(where), "zip", where) if kind == "zip of sources" else str(where)


@pytest.mark.parametrize("kind", ["zip of sources", "bytecode"])
def test_installed_otherwise_than_as_a_folder_of_sources(kind, folder, tmp_path):
    place = installed(kind, tmp_path / "installed")
    text = "import linkwright as lw; k = lw.compile(lw.mass_matrix, lw.load('two_link'))"
    script = f"{text}; M = k([0.1, 0.2]); print(lw.__file__, k.from_cache, M[0, 0])"
    environment = os.environ | {"PYTHONPATH": place, "LINKWRIGHT_CACHE": str(folder)}
    found = []
    for _ in range(2):
        run = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True)
        assert run.returncode == 0, run.stderr
        found.append(run.stdout.split())
    assert all(file.startswith(place) for file, *_ in found)
    assert [kept for _, kept, _ in found] == ["False", "True"]
    assert found[0][2] == found[1][2] == repr(lw.mass_matrix(lw.load("two_link"), [0.1, 0.2])[0, 0].item())


def test_a_loader_that_tells_nothing_means_no_cache(folder, right, monkeypatch):
    monkeypatch.setattr(cache, "find_spec", lambda name: None)
    cache._compiler.cache_clear()
    try:
        assert not right().from_cache
        assert not right().from_cache
        assert not folder.exists()
    finally:
        cache._compiler.cache_clear()
