"""Completion in interactive bash, zsh and fish."""

from __future__ import annotations

import os
import pty
import re
import select
import shutil
import subprocess
import time

import pytest

from linkwright.cli import main
from linkwright.cli.shell.installing import with_values
from linkwright.formats.lookup.installed_robots import example_robots

COMMANDS = {"simulate", "reach", "info", "convert", "studio", "gallery", "doctor", "bench", "study", "cache"}


@pytest.fixture(scope="module")
def script(tmp_path_factory):
    """The script that is installed for a shell."""
    home = tmp_path_factory.mktemp("home")

    def made(shell):
        path = home / f"linkwright.{shell}"
        if not path.exists():
            with pytest.MonkeyPatch.context() as patch:
                patch.setenv("HOME", str(home))
                with pytest.raises(SystemExit) as stop:
                    main(["--install-completion", "--shell", shell, "--output", str(path)])
            assert not stop.value.code
        return path

    return made


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my robots").mkdir()
    (tmp_path / "my robots" / "mine.urdf").touch()
    for name in ("zebra.urdf", "zebra.txt", "zoo.sdf"):
        (tmp_path / name).touch()
    (tmp_path / "zone").mkdir()
    return tmp_path


class Terminal:
    """A shell, typed into; ``linkwright`` tells what words it gets."""

    def __init__(self, *command, **variables):
        self.process, self.end = pty.fork()
        if not self.process:
            os.environ.update(PS1="", TERM="dumb", **variables)
            os.execvp(command[0], command)

    def typed(self, text, until):
        """Return the output after typing, up to a pattern."""
        os.write(self.end, text.encode())
        seen, last = "", time.monotonic() + 60.0
        while not re.search(until, seen, re.DOTALL):
            ready, _, _ = select.select([self.end], [], [], max(0.0, last - time.monotonic()))
            assert ready, seen
            seen += os.read(self.end, 65536).decode(errors="replace")
        return seen

    def words(self, line):
        """Return the arguments of ``linkwright`` after TAB and return."""
        seen = self.typed(f"{line}\t\n", r"\[\[.*\]\]\r?\n")
        return re.findall(r"<(.*?)>", re.findall(r"\[\[(.*?)\]\]\r?\n", seen)[-1])

    def close(self):
        os.close(self.end)
        os.waitpid(self.process, 0)


CALLED = "linkwright() { printf '[['; printf '<%s>' \"$@\"; printf ']]\\n'; }"


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
def test_in_a_bash_that_is_typed_into(script, place):
    bash = Terminal("bash", "--norc", "--noprofile", "-i", INPUTRC="/dev/null")
    try:
        bash.typed(f"bind 'set bell-style none'; {CALLED}; source '{script('bash')}'; echo rea''dy\n", "ready\r")
        assert bash.words("linkwright sim") == ["simulate"]
        assert bash.words("linkwright info stew") == ["info", "stewart"]
        assert bash.words("linkwright info pla") == ["info", "planar:"]
        assert bash.words("linkwright info pla\t7 --no-oper") == ["info", "planar:7", "--no-operations"]
        assert bash.words("linkwright simulate --time 3 stew") == ["simulate", "--time", "3", "stewart"]
        assert bash.words("linkwright convert arm4 z1.urdf") == ["convert", "arm4", "z1.urdf"]
        assert bash.words("linkwright reach zeb") == ["reach", "zebra.urdf"]  # no zebra.txt
        assert bash.words("linkwright reach zon") == ["reach", "zone/"]
        assert bash.words("linkwright reach my") == ["reach", "my robots/"]
        assert bash.words("linkwright reach my\tm") == ["reach", "my robots/mine.urdf"]
        assert bash.words("linkwright gallery two-link-m") == ["gallery", "two-link-motion"]
        assert bash.words("linkwright gallery statics two-link-m") == ["gallery", "statics", "two-link-motion"]
        assert bash.words("linkwright studio --page dou") == ["studio", "--page", "double-pendulum"]
        assert bash.words("linkwright studio --page=dou") == ["studio", "--page=double-pendulum"]
        assert bash.words("linkwright simulate --film fr") == ["simulate", "--film", "frames"]
        assert bash.words("linkwright simulate --film gi\tstew") == ["simulate", "--film", "gif", "stewart"]
        if "talos_reduced" in example_robots():
            assert bash.words("linkwright info talos_left") == ["info", "talos_left_arm"]
    finally:
        bash.close()


def completed(script, *words):
    """Return all completions of bash, which calls the script."""
    asked = (
        'source "$1"; shift; f=$(complete -p linkwright | sed "s/.*-F \\([^ ]*\\).*/\\1/"); COMP_WORDS=("$@"); '
        'COMP_CWORD=$(($# - 1)); COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}; '
        '$f linkwright "${COMP_WORDS[$COMP_CWORD]}" "${COMP_WORDS[$COMP_CWORD-1]}"; printf "%s\\n" "${COMPREPLY[@]}"'
    )
    command = ["bash", "--norc", "-c", asked, "bash", str(script), *words]
    done = subprocess.run(command, check=True, capture_output=True, text=True, env={"PATH": "/usr/bin:/bin"})
    return {word.strip() for word in done.stdout.split("\n")} - {""}


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
def test_all_that_bash_offers(script, place):
    made = script("bash")
    assert "__complete" not in made.read_text()  # no Python where TAB is pressed: PATH has none of ours
    assert completed(made, "linkwright", "") >= COMMANDS
    assert "--posture" in completed(made, "linkwright", "simulate", "--po")
    every = completed(made, "linkwright", "info", "")
    assert every >= {"arm7", "two_link", "humanoid", "planar:", "zebra.urdf", "zoo.sdf", "zone/", *example_robots()}
    assert "zebra.txt" not in every
    assert completed(made, "linkwright", "info", "arm7", "") == set()
    assert {"S3", "S3.5", "statics"} <= completed(made, "linkwright", "gallery", "")
    assert completed(made, "linkwright", "gallery", "zeb") == set()
    pages = {"forward-kinematics", "statics", "double-pendulum"}
    assert completed(made, "linkwright", "studio", "--page", "") == pages


@pytest.mark.skipif(shutil.which("fish") is None, reason="there is no fish")
def test_fish_offers_the_same(script, place):
    def offered(line):
        asked = f"source {script('fish')}; complete -C '{line}'"
        done = subprocess.run(["fish", "--no-config", "-c", asked], check=True, capture_output=True, text=True)
        assert not done.stderr
        return {one.partition("\t")[0] for one in done.stdout.splitlines()}

    assert offered("linkwright ") >= COMMANDS
    assert offered("linkwright info ") >= {"arm7", "planar:", "zebra.urdf", "zone/", *example_robots()}
    assert offered("linkwright gallery two-link-m") == {"two-link-motion"}
    assert offered("linkwright studio --page dou") == {"double-pendulum"}


@pytest.mark.skipif(shutil.which("zsh") is None, reason="there is no zsh")
def test_in_a_zsh_that_is_typed_into(script, place):
    folder = place / "zsh"
    folder.mkdir()
    shutil.copy(script("zsh"), folder / "_cyclopts_linkwright")
    zsh = Terminal("zsh", "-f", "-i")
    try:
        typed = "zstyle ':completion:*' insert-tab false; echo rea''dy"  # it completes though more is typed already
        zsh.typed(f"{CALLED}; fpath=({folder} $fpath); autoload -U compinit; compinit -u -D; {typed}\n", "ready\r")
        assert zsh.words("linkwright sim") == ["simulate"]
        assert zsh.words("linkwright info stew") == ["info", "stewart"]
        assert zsh.words("linkwright reach zeb") == ["reach", "zebra.urdf"]
        assert zsh.words("linkwright gallery two-link-m") == ["gallery", "two-link-motion"]
        assert zsh.words("linkwright studio --page dou") == ["studio", "--page", "double-pendulum"]
    finally:
        zsh.close()


def test_what_is_not_known_of_a_script_stays():
    assert with_values("powershell's", "powershell", {}) == "powershell's"
    assert with_values("a later cyclopts: linkwright --ask\n", "bash", {}).startswith(
        "a later cyclopts: linkwright --ask\n"
    )


def test_completion_that_cannot_be_installed_is_reported(tmp_path, capsys):
    (tmp_path / "file").write_text("no folder")
    place = tmp_path / "file" / "deeper"
    with pytest.raises(SystemExit) as stop:
        main(["--install-completion", "--shell", "bash", "--output", str(place)])
    result = capsys.readouterr().err
    assert (stop.value.code, "Errno" in result, str(tmp_path / "file") in result) == (2, False, True)
