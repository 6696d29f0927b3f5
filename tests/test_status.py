"""Long operations show one status line on a terminal, which disappears at their end."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import threading

import numpy as np
import pytest

import linkwright as lw
from linkwright import status
from linkwright.cli import main

CLEARED = f"\r{' ' * 79}\r"


class Terminal(io.StringIO):
    """A terminal of 80 columns that tells when it is written to."""

    def __init__(self):
        super().__init__()
        self.written = threading.Event()

    def isatty(self):
        return True

    def write(self, text):
        super().write(text)
        self.written.set()
        return len(text)

    def next(self):
        """Wait until more is written."""
        assert self.written.wait(60)
        self.written.clear()


@pytest.fixture
def shown(monkeypatch):
    """Puts a terminal in the place of standard error; to be called in the test, since pytest changes that itself."""
    monkeypatch.delenv("LINKWRIGHT_STATUS", raising=False)
    monkeypatch.setattr(status, "PATIENCE", 0.05)

    def show(stream):
        monkeypatch.setattr(sys, "stderr", stream)
        return stream

    return show


def test_the_line_comes_and_goes(shown):
    terminal = shown(Terminal())
    with status.status_message("compiling f of 'arm'"):
        terminal.next()
        assert terminal.getvalue() == f"{CLEARED}linkwright: compiling f of 'arm' …"
    assert terminal.getvalue() == f"{CLEARED}linkwright: compiling f of 'arm' …{CLEARED}"


def test_the_remaining_compile_time_is_estimated_from_the_size_of_the_code(shown, monkeypatch):
    monkeypatch.setattr(status.CompileRate, "rate", 2e-6)
    terminal = shown(Terminal())
    with status.status_message("compiling f"):
        terminal.next()
        with status.compiling_code(4_000_000):
            terminal.next()
        terminal.next()
    lines = [line for line in terminal.getvalue().split("\r") if line.strip()]
    assert lines == [f"linkwright: compiling f{left} …" for left in ("", ": about 9 s left", "")]
    assert status.CompileRate.expected(4_000_000) < 4.0  # measured: it took a moment
    rate = status.CompileRate.rate
    with pytest.raises(ValueError, match="not valid"), status.compiling_code(4_000_000):
        raise ValueError("not valid")
    with status.compiling_code(10):
        pass
    assert status.CompileRate.rate == rate


def test_the_innermost_is_reported_that_takes_long(shown):
    terminal = shown(Terminal())
    with status.status_message("simulating"):
        terminal.next()
        with status.status_message("compiling"):
            terminal.next()
            with status.status_message("quickly done"):
                pass
        assert terminal.getvalue().endswith("linkwright: simulating …")
    lines = [line for line in terminal.getvalue().split("\r") if line.strip()]
    assert lines == [f"linkwright: {what} …" for what in ("simulating", "compiling", "simulating")]
    assert terminal.getvalue().endswith(CLEARED)


def test_what_is_quick_is_not_reported(shown, monkeypatch):
    terminal = shown(Terminal())
    monkeypatch.setattr(status, "PATIENCE", 1e3)
    with status.status_message("compiling"):
        pass
    assert terminal.getvalue() == ""


def test_errors_leave_no_line(shown):
    terminal = shown(Terminal())

    @status.with_status_message(str)
    def fail(what):
        terminal.next()
        raise ZeroDivisionError(what)

    with pytest.raises(ZeroDivisionError):
        fail("compiling")
    assert terminal.getvalue().endswith(CLEARED)


def test_names_command_no_terminal_and_fill_one_line(shown):
    terminal = shown(Terminal())
    with status.status_message("compiling \x1b[2J\n" + 100 * "机"):
        terminal.next()
        (line,) = (line for line in terminal.getvalue().split("\r") if line.strip())
        assert line.startswith("linkwright: compiling ␛[2J␊")
        assert len(line) < 60


class Elsewhere(Terminal):
    def isatty(self):
        return False


class Closed(Terminal):
    def isatty(self):
        raise ValueError("I/O operation on closed file")


class Notebook(Elsewhere):
    __module__ = "ipykernel.iostream"


@pytest.mark.parametrize("stream", [None, Elsewhere(), Closed(), object()], ids=lambda x: type(x).__name__)
def test_nothing_is_reported_where_there_is_no_terminal(stream, shown):
    shown(stream)
    assert status.terminal() is None
    with status.status_message("compiling"):
        assert not status._reporter.at_work


def test_nothing_is_reported_to_who_does_not_want_it(shown, monkeypatch):
    for stream in (Terminal(), Notebook()):
        shown(stream)
        assert status.terminal() is stream
        with status.status_elsewhere(), status.status_message("compiling"):
            assert not status._reporter.at_work
    for word in ("off", "0", ""):
        monkeypatch.setenv("LINKWRIGHT_STATUS", word)
        assert status.terminal() is None


def test_compiling_deriving_and_simulating_are_reported(monkeypatch):
    said = []
    monkeypatch.setattr(status, "terminal", Terminal)
    monkeypatch.setattr(status._reporter, "begin", lambda what: said.append(what))
    monkeypatch.setattr(status._reporter, "end", lambda work: None)
    model = lw.load("two_link")
    kernel = lw.compile(lw.mass_matrix, model)
    kernel(np.zeros(2))
    assert set(said) == {"compiling mass_matrix of 'two_link'"}
    kernel.derivative("q")
    assert "differentiating mass_matrix" in said
    motion = lw.simulate(model, np.zeros(2), np.zeros(2), 0.01)
    assert {"compiling simulation_step of 'two_link'", "simulating 'two_link'"} <= set(said)
    said.clear()
    lw.simulate(model, np.zeros(2), np.zeros(2), 0.01, callback=lambda t, q, v: 0 * v)
    assert "simulating 'two_link'" not in said  # the controller may print
    lw.equations(model).text()
    assert "deriving the equations of 'two_link'" in said
    motion.animate()
    assert "animating 'two_link'" in said
    said.clear()
    with pytest.raises(SystemExit):
        main(["info", "pendulum"])
    assert not said  # it tells what it does itself


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_forked_process_tells_its_own_work():
    script = """
import os, sys
from linkwright import status
status.PATIENCE = 0.05
class Terminal:
    def isatty(self): return True
    def write(self, text): os.write(1, text.encode()); os.write(w, b".")
    def flush(self): pass
r, w = os.pipe()
sys.stderr = Terminal()
with status.status_message("parent"):
    os.read(r, 1)
    child = os.fork()
    if not child:
        with status.status_message("child"):
            os.read(r, 1)
        os._exit(0)
    os.waitpid(child, 0)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert [line for line in done.stdout.decode().split("\r") if line.strip()] == [
        "linkwright: parent …",
        "linkwright: child …",
    ]
