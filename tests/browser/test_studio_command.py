"""``linkwright studio``, as it is typed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import urllib.request

import pytest

from linkwright.cli import main

pytest.importorskip("viser", reason="the extra studio is not installed")


def started(*arguments):
    return subprocess.Popen(
        [sys.executable, "-m", "linkwright.cli", "studio", *arguments, "--no-browser"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "NO_COLOR": "1"},
    )


@pytest.mark.skipif(os.name == "nt", reason="no such signal")
def test_it_tells_where_it_is_until_ctrl_c():
    running = started("four_bar", "--port", "18460", "--posture", "crank=20deg")
    try:
        result = running.stdout.readline()
        assert result.startswith("four_bar is at http://127.0.0.1:18460/")
        with urllib.request.urlopen(result.split()[-1], timeout=20) as page:
            assert page.status == 200
        assert (
            running.stdout.readline() == "Drag the arrows at the hand, or move the sliders. Ctrl-C stops the server.\n"
        )
        running.send_signal(signal.SIGINT)
        rest, wrong = running.communicate(timeout=30)
    finally:
        running.kill()
    assert rest == ""
    assert wrong == ""
    assert running.returncode == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("two_link", "--host", "192.0.2.1"), "cannot listen at '192.0.2.1'"),
        (("two_link", "--port", "0"), "a port is a whole number from 1 to 65535; got 0"),
        (("nobody",), "unknown file or built-in mechanism 'nobody'"),
    ],
)
def test_mistakes_are_reported(arguments, said, capsys):
    with pytest.raises(SystemExit) as stopped:
        main(["studio", *arguments, "--no-browser"])
    assert stopped.value.code == 2
    out, wrong = capsys.readouterr()
    assert said in wrong.replace("\n", " ")
    assert out == ""
