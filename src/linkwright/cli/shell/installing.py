"""Scripts for shells that complete what is typed, without running Python at each TAB.

cyclopts writes them, with commands, options and fixed choices in them. Where a value comes from a function of Python
they call ``linkwright __complete``, which imports the library at each TAB. Instead the values as they are on that day
are written into the script, as a function of the shell that is called in place of the program; files are looked for at
each TAB. Were a later cyclopts to write the call in another way, its scripts would still ask the program, and be slow.
"""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

from cyclopts import App
from cyclopts.completion.install import create_install_completion_command

from linkwright.cli.shell.values import exhibits, robots

BASH = """
# What words may be, in place of the program, which would take long to start: COMMAND … WORD.
_linkwright_values() {
  local word="${@: -1}" file
  if [[ "$1" == gallery ]]; then
    printf '%s\\n' EXHIBITS
    return
  fi
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
  if [[ "$1" == gallery ]]; then
    print -rl -- EXHIBITS
  else
    print -rl -- ROBOTS
  fi
}
"""

ZSH_BEGINS = "_cyclopts_linkwright() {"

FISH = """
# What words may be, in place of the program, which would take long to start: COMMAND … WORD.
function __fish_linkwright_values
    if test "$argv[1]" = gallery
        printf '%s\\n' EXHIBITS
    else
        printf '%s\\n' ROBOTS
        __fish_complete_path (commandline -ct)
    end
end
"""


def with_values(script: str, shell: str) -> str:
    """A script of cyclopts that finds values by itself; PowerShell's is left as it is."""
    if shell == "bash":
        return script.replace('"$_cmd" __complete', "_linkwright_values") + _filled(BASH)
    if shell == "zsh":
        found = "(( ${#_cyc_vals} )) && compadd -d _cyc_disp -a _cyc_vals"
        if ZSH_BEGINS not in script:
            return script
        files = f'  [[ "${{_cyc_words[2]}}" == gallery ]] || _files -g "*.({_suffixes()})"'
        script = script.replace("$_cyc_cmd __complete", "_linkwright_values").replace(found, f"{found}\n{files}")
        # within its one function: of a file that defines one only, zsh knows that the function is meant
        return script.replace(f"{ZSH_BEGINS}\n", f"{ZSH_BEGINS}\n{_filled(ZSH)}\n", 1)
    if shell == "fish":
        return _filled(FISH) + script.replace("(linkwright __complete", "(__fish_linkwright_values")
    return script


def _filled(text: str) -> str:
    for mark, words in (("EXHIBITS", exhibits()), ("ROBOTS", robots())):
        text = text.replace(mark, " ".join(map(shlex.quote, words)))
    return text.replace("SUFFIXES", _suffixes())


def _suffixes() -> str:
    from linkwright.formats.table import suffixes

    return "|".join(suffix.removeprefix(".") for suffix in suffixes())


def offer(app: App) -> None:
    """Make ``--install-completion`` an option of the program."""

    def install(*, shell: Any, output: Path | None, add_to_startup: bool) -> Path:
        from linkwright.files import write_text

        path = app.install_completion(shell=shell, output=output, add_to_startup=add_to_startup)
        write_text(path, with_values(path.read_text(encoding="utf-8"), shell))
        return path

    app.command(
        create_install_completion_command(install, True),
        name="--install-completion",
        help="Let the shell (bash, zsh, fish, powershell: --shell) complete commands, options, robots, files and "
        "exhibits, when TAB is pressed. Run it again when robots were installed since, or a newer linkwright.",
    )
