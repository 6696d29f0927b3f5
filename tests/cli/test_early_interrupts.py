"""An interrupt ends the program without a word, also while it begins."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

BEGINS = """
import importlib.abc, os, signal, sys
{before}

class Interrupting(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Interrupting())
sys.argv = ["linkwright", "--version"]
from linkwright_program import main
main()
"""


def ended(module, before=""):
    """How the program ends that is interrupted when it imports a module."""
    command = [sys.executable, "-c", BEGINS.format(module=module, before=before)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, start_new_session=True)
    return done.returncode, done.stdout.strip(), done.stderr


@pytest.mark.skipif(os.name == "nt", reason="signals")
@pytest.mark.parametrize("module", ["linkwright", "numpy", "linkwright.model", "cyclopts", "linkwright.cli.commands"])
def test_an_interrupt_while_the_library_is_imported_is_quiet(module):
    assert ended(module) == (130, "", "")


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_a_program_in_the_background_goes_on():
    status, printed, trouble = ended("numpy", "signal.signal(signal.SIGINT, signal.SIG_IGN)")
    assert (status, bool(printed), trouble) == (0, True, "")
