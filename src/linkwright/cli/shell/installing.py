"""Scripts for shells that complete what is typed, without running Python at each TAB.

cyclopts writes them, with commands, options and fixed choices in them. Where a value comes from a function of Python
they call ``linkwright __complete``, which imports the library at each TAB. Instead the values as they are on that day
are written into the script, as a function of the shell that is called in place of the program; files are looked for at
each TAB. Were a later cyclopts to write the call in another way, its scripts would still ask the program, and be slow.
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
# What words may be, in place of the program, which would take long to start: COMMAND … WORD.
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

# The word as it is meant, "my robots" and not "my\\ robots"; no blank after a folder, nor after "planar:", which a
# number follows.
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
# What words may be, in place of the program, which would take long to start: COMMAND … WORD.
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
"""A command whose words are no robots."""

ZSH_BEGINS = "_cyclopts_linkwright() {"

FISH = """
# What words may be, in place of the program, which would take long to start: COMMAND … WORD.
function __fish_linkwright_values
    switch "$argv[1]"
OTHERS        case '*'
            printf '%s\\n' ROBOTS
            __fish_complete_path (commandline -ct)
    end
end
"""


def with_values(script: str, shell: str, others: Mapping[str, Sequence[str]]) -> str:
    """Return a script of cyclopts that finds values by itself; PowerShell's is left as it is.

    ``others`` gives the words of the commands that do not take robots.
    """
    if shell == "bash":
        return script.replace('"$_cmd" __complete', "_linkwright_values") + _filled(BASH, shell, others)
    if shell == "zsh":
        found = "(( ${#_cyc_vals} )) && compadd -d _cyc_disp -a _cyc_vals"
        if ZSH_BEGINS not in script:
            return script
        files = f'  [[ " {" ".join(others)} " == *" ${{_cyc_words[2]}} "* ]] || _files -g "*.({_suffixes()})"'
        script = script.replace("$_cyc_cmd __complete", "_linkwright_values").replace(found, f"{found}\n{files}")
        # within its one function: of a file that defines one only, zsh knows that the function is meant
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
    """The words of the commands that do not take robots."""
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
    """Make ``--install-completion`` an option of the program."""

    def install(*, shell: Any, output: Path | None, add_to_startup: bool) -> Path:
        from linkwright.files import write_text

        path = app.install_completion(shell=shell, output=output, add_to_startup=add_to_startup)
        write_text(path, with_values(path.read_text(encoding="utf-8"), shell, _words_of_commands(app)))
        return path

    app.command(
        create_install_completion_command(install, True),
        name="--install-completion",
        help="Let the shell (bash, zsh, fish, powershell: --shell) complete commands, options, robots, files and "
        "exhibits, when TAB is pressed. Run it again when robots were installed since, or a newer linkwright.",
    )
