"""Robots of installed packages by name: their files are found without running code or downloading.

* ``example-robot-data``: the name of a robot's file, "panda", or of its folder if that contains one robot; or both,
  "anymal_b_simple/anymal", if several folders have files of one name. For an ambiguous name, "talos" or
  "ur5", the error lists the candidates.
* ``robot_descriptions``: the name of a description, "panda_description" or "panda_mj_description", or the part
  before "_description", if its files were downloaded. Importing a description would download it; its source
  is parsed instead to find the file.
* MuJoCo Menagerie: the name of a robot's folder, "unitree_go2" (`menagerie.py`).
"""

from __future__ import annotations

import ast
import difflib
import os
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

from linkwright.errors import InputError, MissingFileError, UnknownNameError
from linkwright.formats.lookup.menagerie import menagerie_file, menagerie_names, require_downloaded
from linkwright.formats.xml import shortened

EXAMPLES = "share/example-robot-data/robots"
DESCRIPTION = "_description"
FOLDER = "_(description|data)$"
"""Ending of the name of a robot's folder."""
KINDS = ("URDF_PATH", "MJCF_PATH")
MORE = '; real robots are known by name, such as "panda", with: pip install "linkwright[robots]"'
SMALL = 2000
"""Size of a robot's file in bytes below which its links are checked."""

CACHE = "~/.cache/robot_descriptions"


def robot_file(name: str, built_in: Iterable[str]) -> Path:
    """Return the file of a robot in an installed package.

    Raises :class:`InputError` for an ambiguous name, :class:`MissingFileError` for a description of
    robot_descriptions that was not downloaded, and :class:`UnknownNameError` for any other name.
    """
    every = _example_files()
    examples = {known: files[0] for known, files in every.items() if len(files) == 1}
    if name in examples:
        return examples[name]
    described = robot_descriptions()
    files = {one: described_file(described[one]) for one in (name, name + DESCRIPTION) if one in described}
    if (file := files.get(name)) is not None:
        return file
    folder = re.sub(FOLDER, "", name)
    if folder in examples:
        return examples[folder]
    if (file := menagerie_file(name, _checkouts())) is not None:
        return file
    file = files.get(name + DESCRIPTION)
    if several := _several(name, every):
        raise InputError(several + (f"; or {name + DESCRIPTION}, of robot_descriptions" if file else ""))
    if file is not None:
        return file
    for one in files:
        raise MissingFileError(
            f"{name!r} is known to robot_descriptions, but its files are not on this computer: "
            f"`import robot_descriptions.{one}` downloads them, if you want that"
        )
    require_downloaded(name)
    menagerie = menagerie_names(_checkouts())
    known = {*built_in, *examples, *menagerie, *(one.removesuffix(DESCRIPTION) for one in described)}
    of_lower = {one.lower(): one for one in sorted(known, reverse=True)}
    near = [of_lower[one] for one in difflib.get_close_matches(name[:200].lower(), of_lower, n=3, cutoff=0.7)]
    begun = [one for one in sorted(examples) if one.startswith((f"{folder}_", f"{folder}-"))]
    meant = [*dict.fromkeys([*begun, *near])][:3]
    advice = f"; did you mean {' or '.join(meant)}?" if meant else ""
    advice += "" if every or described or menagerie else MORE
    raise UnknownNameError("file or built-in mechanism", shortened(name), built_in, advice=advice)


def example_robots() -> dict[str, Path]:
    """Return the robots of example-robot-data by name: files, and folders of one robot."""
    return {name: files[0] for name, files in _example_files().items() if len(files) == 1}


def is_name_of_two_parts(name: str) -> bool:
    """Return whether "folder/file" is a robot of example-robot-data or of MuJoCo Menagerie."""
    return name in _example_files() or name.partition("/")[0] in menagerie_names(_checkouts())


def _checkouts() -> tuple[Path, ...]:
    """Return the checkout of MuJoCo Menagerie in the cache of robot_descriptions, where it would be."""
    return (Path(os.path.expanduser(os.environ.get("ROBOT_DESCRIPTIONS_CACHE", CACHE))) / "mujoco_menagerie",)


def _example_files() -> dict[str, list[Path]]:
    """Return the files of each name in example-robot-data: files of this name, else all files in the folder of this
    name.

    If folders have files of the same name, "folder/file" is one of them.
    """
    named: dict[str, list[Path]] = {}
    within: dict[str, list[Path]] = {}
    both: dict[str, list[Path]] = {}
    for folder in _example_folders():
        for robot in sorted(folder.iterdir()):
            files = sorted([*robot.rglob("*.urdf"), *robot.rglob("*.sdf")]) if robot.is_dir() else []
            files = [file for file in files if _has_links(file)]
            short = re.sub(FOLDER, "", robot.name)
            for file in files:
                named.setdefault(file.stem, []).append(file)
                both.setdefault(f"{short}/{file.stem}", []).append(file)
            if files:
                within[short] = files
        break
    return within | named | {name: files for name, files in both.items() if len(named[name.partition("/")[2]]) > 1}


def _has_links(file: Path) -> bool:
    """Return whether a file contains a robot; example-robot-data also has files of xacro macros."""
    with suppress(OSError):
        return file.stat().st_size >= SMALL or b"<link" in file.read_bytes()
    return True  # reading it reports the error


def _several(name: str, every: Mapping[str, Sequence[Path]]) -> str:
    """Return the message for a name of several robots; "" for a unique name."""
    folder = re.sub(FOLDER, "", name)
    files = [*every.get(name, ()), *every.get(folder, ())]
    files += [file for known, some in every.items() if known.startswith((f"{folder}_", f"{folder}-")) for file in some]
    files = [*dict.fromkeys(files)]
    if len(files) < 2:
        return ""
    names = [_name_of(file, every) for file in files]
    return f"{name!r} may mean several robots of example-robot-data; name one of them: {', '.join(names)}"


def _name_of(file: Path, every: Mapping[str, Sequence[Path]]) -> str:
    """Return the name that loads a file: its own, its folder's or both, the first unique one."""
    own = sorted(
        (one for one, files in every.items() if list(files) == [file]), key=lambda one: (one != file.stem, "/" in one)
    )
    return own[0] if own else os.fspath(file)


def _example_folders() -> list[Path]:
    folders = [Path(sys.prefix) / EXAMPLES]
    from importlib.metadata import PackageNotFoundError, distribution  # slow to import and rarely needed

    with suppress(PackageNotFoundError):
        folders.insert(0, Path(str(distribution("example-robot-data").locate_file(f"cmeel.prefix/{EXAMPLES}"))))
    return [folder for folder in folders if folder.is_dir()]


def robot_descriptions() -> dict[str, Path]:
    """Return the sources of the descriptions in robot_descriptions by name, without running them."""
    try:
        spec = find_spec("robot_descriptions")
    except (ImportError, ValueError):
        return {}
    if spec is None or not spec.submodule_search_locations:
        return {}
    folder = Path(spec.submodule_search_locations[0])
    return {file.stem: file for file in sorted(folder.glob(f"[!_]*{DESCRIPTION}.py"))}


def described_file(source: Path) -> Path | None:
    """Return the robot file named in a description's source, if it was downloaded."""
    known: dict[str, str] = {}
    for statement in _statements(source):
        target, value = _assigned(statement)
        if target is not None and value is not None:
            text = _text(value, known, source.parent)
            if text is not None:
                known[target] = text
    for kind in KINDS:
        if kind in known and Path(known[kind]).is_file():
            return Path(known[kind])
    return None


def _statements(source: Path) -> list[ast.stmt]:
    try:
        return ast.parse(source.read_text(encoding="utf-8")).body
    except (OSError, SyntaxError, ValueError, RecursionError):
        return []


def _assigned(statement: ast.stmt) -> tuple[str | None, ast.expr | None]:
    target: ast.expr | None = None
    if isinstance(statement, ast.AnnAssign):
        target = statement.target
    elif isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        target = statement.targets[0]
    value = statement.value if isinstance(statement, ast.AnnAssign | ast.Assign) else None
    return (target.id if isinstance(target, ast.Name) else None), value


def _text(value: ast.expr, known: Mapping[str, str], package: Path) -> str | None:
    """Return the value of a text, a name, a join of paths or the clone of a repository; None for other expressions."""
    if isinstance(value, ast.Constant):
        return value.value if isinstance(value.value, str) else None
    if isinstance(value, ast.Name):
        return known.get(value.id)
    if not isinstance(value, ast.Call):
        return None
    function = value.func
    name = (
        function.attr if isinstance(function, ast.Attribute) else function.id if isinstance(function, ast.Name) else ""
    )
    parts = [_text(argument, known, package) for argument in value.args]
    if not parts or None in parts:
        return None
    if name == "join":
        return os.path.join(*(part for part in parts if part is not None))
    if name.endswith("clone_to_cache"):
        return _repository(str(parts[0]), package)
    return None


def _repository(name: str, package: Path) -> str | None:
    """Return the path of a repository of robot_descriptions."""
    for statement in _statements(package / "_repositories.py"):
        target, value = _assigned(statement)
        if target != "REPOSITORIES" or not isinstance(value, ast.Dict):
            continue
        for key, call in zip(value.keys, value.values, strict=True):
            if isinstance(key, ast.Constant) and key.value == name and isinstance(call, ast.Call):
                paths = [one.value for one in call.keywords if one.arg == "cache_path"]
                path = _text(paths[0], {}, package) if paths else None
                if path is None:
                    return None
                commit = os.environ.get("ROBOT_DESCRIPTION_COMMIT")
                path = f"{path}-{commit}/{path}" if commit else path
                cache = os.environ.get("ROBOT_DESCRIPTIONS_CACHE", CACHE)
                return os.path.join(os.path.expanduser(cache), path)
    return None
