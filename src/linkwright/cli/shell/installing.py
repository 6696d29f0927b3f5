"""Completion scripts for shells that do not run Python at each TAB.

The scripts of cyclopts contain commands, options and fixed choices. For values that come from a Python function they
call ``linkwright __complete``, which imports the library at each TAB. Here a shell function with the present values
replaces that call; files are searched at each TAB. If a later version of cyclopts writes the call differently, its
scripts still work, but slowly.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from cyclopts import App
from cyclopts.completion.install import create_install_completion_command

from linkwright.cli.shell.values import robots

BASH = """
# Values of a word, instead of running the program, which starts slowly: COMMAND … WORD.
_linkwright_values() {
  local word="${@: -1}" file
  case "$1" in
OTHERS  esac
  printf '%s\\n' ROBOTS
  compgen -d -S / -- "$word"
  compgen -f -- "$word" | while IFS= read -r file; do
    [[ "$file" == *.@(SUFFIXES) && ! -d "$file" ]] && printf '%s\\n' "$file"
  done
}

# The unquoted word, "my robots" and not "my\\ robots"; no space after a folder, nor after "planar:", which needs a
# number.
_linkwright_words() {
  COMP_WORDS[COMP_CWORD]="${COMP_WORDS[COMP_CWORD]//\\\\/}"
  _linkwright "$@"
  if [[ ${#COMPREPLY[@]} -eq 1 && "${COMPREPLY[0]}" == *[/:] ]]; then
    compopt -o nospace 2>/dev/null
  fi
  return 0
}
shopt -s extglob
complete -F _linkwright_words linkwright
"""

ZSH = """
# Values of a word, instead of running the program, which starts slowly: COMMAND … WORD.
_linkwright_values() {
  case "$1" in
OTHERS    *) print -rl -- ROBOTS ;;
  esac
}
"""

OTHERS = {
    "bash": "    {command}) printf '%s\\n' {values}; return ;;\n",
    "zsh": "    {command}) print -rl -- {values} ;;\n",
    "fish": "        case {command}\n            printf '%s\\n' {values}\n",
}
"""A command whose arguments are not robots."""

ZSH_BEGINS = "_cyclopts_linkwright() {"

FISH = """
# Values of a word, instead of running the program, which starts slowly: COMMAND … WORD.
function __fish_linkwright_values
    switch "$argv[1]"
OTHERS        case '*'
            printf '%s\\n' ROBOTS
            __fish_complete_path (commandline -ct)
    end
end
"""


def with_values(script: str, shell: str, others: Mapping[str, Sequence[str]]) -> str:
    """Return a script of cyclopts that contains its values; the script for PowerShell is unchanged.

    ``others``: values of the commands that do not take robots.
    """
    if shell == "bash":
        return script.replace('"$_cmd" __complete', "_linkwright_values") + _filled(BASH, shell, others)
    if shell == "zsh":
        found = "(( ${#_cyc_vals} )) && compadd -d _cyc_disp -a _cyc_vals"
        if ZSH_BEGINS not in script:
            return script
        files = f'  [[ " {" ".join(others)} " == *" ${{_cyc_words[2]}} "* ]] || _files -g "*.({_suffixes()})"'
        script = script.replace("$_cyc_cmd __complete", "_linkwright_values").replace(found, f"{found}\n{files}")
        # inside its only function: zsh calls the function of a file that defines only one
        return script.replace(f"{ZSH_BEGINS}\n", f"{ZSH_BEGINS}\n{_filled(ZSH, shell, others)}\n", 1)
    if shell == "fish":
        return _filled(FISH, shell, others) + script.replace("(linkwright __complete", "(__fish_linkwright_values")
    return script


def _filled(text: str, shell: str, others: Mapping[str, Sequence[str]]) -> str:
    cases = (OTHERS[shell].format(command=name, values=shlex.join(words)) for name, words in others.items())
    return (
        text.replace("OTHERS", "".join(cases)).replace("ROBOTS", shlex.join(robots())).replace("SUFFIXES", _suffixes())
    )


def _words_of_commands(app: App) -> dict[str, list[str]]:
    """Return the values of the commands that do not take robots."""
    found = {}
    for name in app.resolved_commands():
        for argument in () if name.startswith("-") else app[name].assemble_argument_collection():
            completer: Any = argument.parameter.completer
            if completer not in (None, robots):
                found[name] = completer(None)
    return found


def _suffixes() -> str:
    from linkwright.formats.table import suffixes

    return "|".join(suffix.removeprefix(".") for suffix in suffixes())


def offer(app: App) -> None:
    """Add the option ``--install-completion`` to the program."""

    def install(*, shell: Any, output: Path | None, add_to_startup: bool) -> Path:
        from linkwright.files import write_text

        path = app.install_completion(shell=shell, output=output, add_to_startup=add_to_startup)
        write_text(path, with_values(path.read_text(encoding="utf-8"), shell, _words_of_commands(app)))
        return path

    app.command(
        create_install_completion_command(install, True),
        name="--install-completion",
        help="Install TAB completion of commands, options, robots, files and exhibits (--shell: bash, zsh, fish, "
        "powershell). Run it again after installing robots or a new version of Linkwright.",
    )
