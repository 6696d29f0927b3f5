"""The shapes that annotations promise, executed in one pass: everywhere, that would take most of the tests' time."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def test_annotations_hold_on_every_joint_type():
    result = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("shapes.py"))], capture_output=True, text=True, timeout=600
    )
    assert result.returncode == 0, result.stderr[-3000:]
    functions, calls = (int(word) for word in result.stdout.split() if word.isdigit())
    assert functions >= 40
    assert calls > 1000
