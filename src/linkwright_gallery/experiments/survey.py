"""Which few blocks, prepared once, serve most robots: the second question that the source leaves open.

A block is taken as prepared equations are: a chain of joints between a base body (or the ground, which is one that does
not move) and a tip, nothing else hanging on the bodies between. Its *structure* is what remains where lengths and
masses are letters: the kinds of its joints, and whether consecutive axes are parallel (∥), perpendicular (⊥) or neither
(∠), for that decides which terms there are. The joint by which the base itself hangs is joined by assembly.

Given some structures, a robot is cut into the fewest parts: blocks of these structures, and single bodies. The survey
takes in one structure after another, each time that which leaves fewest parts, all robots counting alike.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from linkwright.errors import FormatWarning, InputError, LinkwrightError
from linkwright.formats.load import load
from linkwright.model.tree import Model

if TYPE_CHECKING:
    from rich.table import Table

LARGEST = 7
"""Joints in a block: as many as an arm or a leg has."""

TOLERANCE = 1e-3
"""rad: angles in files are rounded."""

KINDS = {"revolute": "R", "prismatic": "P"}


class Tree(NamedTuple):
    """Kinematic tree of a robot. Node 0 is the ground or the base; the others are bodies."""

    parents: tuple[int, ...]
    """of each node, -1 of the first"""
    kinds: tuple[str, ...]
    """of the joint that moves each node: R, P, or the type's name in parentheses; "" of the first"""
    relations: tuple[str, ...]
    """of each node's axis to that of its parent's joint: ∥, ⊥, ∠; "" where there is none"""

    def structure(self, chain: Sequence[int]) -> str:
        """Return the structure of the joints of a chain of nodes: "R⊥R∥R"."""
        first, *others = chain
        return self.kinds[first] + "".join(self.relations[k] + self.kinds[k] for k in others)


def tree_of(model: Model) -> Tree:
    """The tree of a robot; a single body on a free joint counts as the one that everything hangs on."""
    links, joints = list(model.links), model.joints
    free = (
        bool(links) and links[0].parent < 0 and joints[0].motion.floating and [k.parent for k in links].count(-1) == 1
    )
    first = 1 if free else 0
    parents, kinds, relations = [-1], [""], [""]
    for k in range(first, len(links)):
        parent = links[k].parent
        kinds.append(KINDS.get(joints[k].type, f"({joints[k].type})"))
        parents.append(parent + 1 - first if parent >= 0 else 0)
        has_axis = parent >= first and {joints[parent].type, joints[k].type} <= set(KINDS)
        relations.append(_relation(float(links[k].placement[2, 2])) if has_axis else "·" if parent >= first else "")
    return Tree(tuple(parents), tuple(kinds), tuple(relations))


def _relation(cosine: float) -> str:
    """Return the relation of two axes, of a joint and its parent; canonical axes are along z."""
    if abs(cosine) > np.cos(TOLERANCE):
        return "∥"
    return "⊥" if abs(cosine) < np.sin(TOLERANCE) else "∠"


def chains(tree: Tree, largest: int) -> list[list[tuple[int, ...]]]:
    """Return for every node the chains of at most ``largest`` joints that start at it: nodes without the base."""
    children: list[list[int]] = [[] for _ in tree.parents]
    for node, parent in enumerate(tree.parents[1:], 1):
        children[parent].append(node)
    found: list[list[tuple[int, ...]]] = []
    for node in range(len(tree.parents)):
        own: list[tuple[int, ...]] = []
        for child in children[node]:
            chain = [child]
            own.append(tuple(chain))
            while len(chain) < largest and len(children[chain[-1]]) == 1:
                chain.append(children[chain[-1]][0])
                own.append(tuple(chain))
        found.append(own)
    return found


@dataclass(frozen=True)
class SurveyedRobot:
    """A robot to be cut into blocks."""

    name: str
    tree: Tree
    starting: tuple[tuple[tuple[str, tuple[int, ...]], ...], ...]
    """of every node the chains that start at it: their structures, and their nodes without the base"""

    def structures(self, largest: int) -> set[str]:
        """Return the structures of all chains of at most ``largest`` joints."""
        return {structure for own in self.starting for structure, chain in own if len(chain) <= largest}

    @property
    def joints(self) -> int:
        """Number of joints."""
        return len(self.tree.parents) - 1


def robot_of(model: Model, name: str = "", largest: int = LARGEST) -> SurveyedRobot:
    """A robot with all its chains of at most ``largest`` joints."""
    return _surveyed(name or model.name, tree_of(model), largest)


def _surveyed(name: str, tree: Tree, largest: int = LARGEST) -> SurveyedRobot:
    starting = tuple(tuple((tree.structure(chain), chain) for chain in own) for own in chains(tree, largest))
    return SurveyedRobot(name, tree, starting)


def cut(robot: SurveyedRobot, structures: Iterable[str]) -> list[tuple[str, tuple[int, ...]]]:
    """Return a partition into the fewest parts: blocks of these structures and single bodies (""), base first.

    Dynamic programming from the leaves: the best partition of a subtree is computed before it is used.
    """
    known = set(structures)
    n = len(robot.tree.parents)
    children: list[list[int]] = [[] for _ in range(n)]
    for node, parent in enumerate(robot.tree.parents[1:], 1):
        children[parent].append(node)
    fewest = [0] * n
    best: list[tuple[str, tuple[int, ...]]] = [("", (node,)) for node in range(n)]
    for node in reversed(range(n)):
        below = sum(fewest[child] for child in children[node])
        fewest[node] = 1 + below
        for structure, chain in robot.starting[node]:
            if structure in known:
                number = 1 + below - fewest[chain[0]] + sum(fewest[child] for child in children[chain[-1]])
                if number < fewest[node]:
                    fewest[node], best[node] = number, (structure, (node, *chain))
    parts, open_nodes = [], [0]
    while open_nodes:
        node = open_nodes.pop()
        structure, members = best[node]
        parts.append((structure, members))
        within = set(members)
        open_nodes += [child for member in members for child in children[member] if child not in within]
    return parts


def saved(robot: SurveyedRobot, parts: Sequence[tuple[str, tuple[int, ...]]]) -> float:
    """The share of joints that lie within blocks: those that assembly has not to join."""
    return 1.0 - (len(parts) - 1) / robot.joints if robot.joints else 1.0


class Chosen(NamedTuple):
    """One structure that was taken in, with what all up to it do together."""

    structure: str
    robots: int
    """in how many robots it is a block, cut as they are at the end"""
    blocks: int
    """how many blocks it is there"""
    within: float
    """the mean share of joints within blocks"""
    half: float
    """the share of robots with at least half their joints within blocks"""


class Size(NamedTuple):
    """Results for blocks of at most a number of joints."""

    largest: int
    structures: int
    """how many different ones there are"""
    within: tuple[float, ...]
    """the mean share of joints within blocks of the best 1, 2, 3, 5 of them, and of all"""


FEW = (1, 2, 3, 5)


@dataclass(frozen=True)
class Survey:
    """Results for several robots."""

    files: int
    robots: tuple[SurveyedRobot, ...]
    """each mechanism once: files that differ in lengths and masses only count as one"""
    refused: dict[str, str]
    """files that are no robots, and why"""
    largest: int
    chosen: tuple[Chosen, ...]
    """structures of at most ``largest`` joints, the most useful first"""
    sizes: tuple[Size, ...]

    def contents(self) -> list[tuple[str, list[str], list[list[str]]]]:
        """Both tables: title, heads and cells."""
        title = f"{len(self.robots)} mechanisms in {self.files} files; blocks of at most {self.largest} joints"
        heads = ["", "structure", "robots", "blocks", "joints within blocks", "robots half served"]
        rows = [
            [str(place), one.structure, str(one.robots), str(one.blocks), f"{one.within:.0%}", f"{one.half:.0%}"]
            for place, one in enumerate(self.chosen, 1)
        ]
        of_sizes = ["at most", "structures there are", *(f"best {n}" if n > 1 else "best one" for n in FEW), "all"]
        cells = [
            [
                f"{one.largest} joint{'s' if one.largest > 1 else ''}",
                str(one.structures),
                *map("{:.0%}".format, one.within),
            ]
            for one in self.sizes
        ]
        return [(title, heads, rows), ("joints within blocks, by their size", of_sizes, cells)]

    def tables(self) -> list[Table]:
        """The tables for a terminal."""
        from rich.table import Table

        tables = []
        for title, heads, rows in self.contents():
            table = Table(*heads, title=title, box=None)
            for column in table.columns:
                column.justify = "left" if column.header in ("structure", "at most") else "right"
            for row in rows:
                table.add_row(*row)
            tables.append(table)
        return tables

    def markdown(self) -> str:
        """The tables as they stand in the documentation."""
        lines: list[str] = []
        for title, heads, rows in self.contents():
            lines += [f"{title}:", "", *(f"| {' | '.join(row)} |" for row in (heads, ["---"] * len(heads), *rows)), ""]
        return "\n".join(lines) + "\n"


def survey(
    folder: Path | str | None = None,
    largest: int = 3,
    most: int = 8,
    tell: Callable[[str], None] = lambda text: None,
) -> Survey:
    """Survey the URDF files of a folder, those of the package example-robot-data unless given.

    ``largest``: the most joints in a block (1 to 7); ``most``: how many structures are chosen. Raises
    :class:`InputError` where there is no robot.
    """
    if not 1 <= largest <= LARGEST or most < 1:
        raise InputError(
            f"blocks have 1 to {LARGEST} joints, and one structure or more is chosen; got {largest!r}, {most!r}"
        )
    found, files, refused = read_robots(folder, tell)
    tell("choosing")
    sizes = tuple(_size(found, n) for n in range(1, LARGEST + 1))
    return Survey(files, found, refused, largest, choose(found, largest, most), sizes)


def read_robots(
    folder: Path | str | None = None, tell: Callable[[str], None] = lambda text: None
) -> tuple[tuple[SurveyedRobot, ...], int, dict[str, str]]:
    """Return the robots of a folder with different trees, the number of files, and why files are left out."""
    files = robot_files(folder)
    robots: dict[Tree, SurveyedRobot] = {}
    refused: dict[str, str] = {}
    for file in files:
        tell(file.stem)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", FormatWarning)
                robot = robot_of(load(file), file.stem)
        except LinkwrightError as error:
            refused[file.name] = str(error)
            continue
        if robot.joints:
            robots.setdefault(robot.tree, robot)
        else:
            refused[file.name] = "nothing moves"
    if not robots:
        raise InputError(f"there is no robot to survey in {str(folder or 'example-robot-data')!r}")
    return tuple(robots.values()), len(files), refused


def robot_files(folder: Path | str | None = None) -> list[Path]:
    """Return the URDF files of a folder, those of the package example-robot-data unless given."""
    return sorted(_robots_installed() if folder is None else Path(folder).rglob("*.urdf"))


def surveyed_robots() -> tuple[SurveyedRobot, ...]:
    """Return the 37 mechanisms of example-robot-data as trees, which the library stores: nothing is downloaded.

    ``tools/write_survey.py`` writes the file from the package.
    """
    rows = json.loads(Path(__file__).with_name("surveyed_robots.json").read_text(encoding="utf-8"))
    return tuple(_surveyed(name, Tree(*map(tuple, columns))) for name, columns in rows.items())


def _robots_installed() -> list[Path]:
    try:
        place = distribution("example-robot-data").locate_file("cmeel.prefix/share/example-robot-data/robots")
    except PackageNotFoundError:
        raise InputError(
            "the robots to survey are those of example-robot-data, which is not installed: pip install "
            "example-robot-data, or name a folder with URDF files"
        ) from None
    return list(Path(str(place)).rglob("*.urdf"))


def _size(robots: Sequence[SurveyedRobot], largest: int) -> Size:
    every = set[str]().union(*(robot.structures(largest) for robot in robots))
    best = choose(robots, largest, max(FEW))
    shares = [best[min(n, len(best)) - 1].within for n in FEW]
    whole = float(np.mean([saved(robot, cut(robot, every)) for robot in robots]))
    return Size(largest, len(every), (*shares, whole))


def choose(robots: Sequence[SurveyedRobot], largest: int, most: int) -> tuple[Chosen, ...]:
    """The structures taken in one after another, each time the one that leaves fewest parts, all robots alike."""
    having: dict[str, list[int]] = {}
    for number, robot in enumerate(robots):
        for structure in robot.structures(largest):
            having.setdefault(structure, []).append(number)
    shares = np.zeros(len(robots))
    taken: list[str] = []
    steps: list[tuple[float, float]] = []
    while len(taken) < most:
        best, gain, found = "", 1e-9, shares
        for one in sorted(having.keys() - set(taken), key=lambda structure: (len(structure), structure)):
            after = shares.copy()
            for number in having[one]:
                after[number] = saved(robots[number], cut(robots[number], (*taken, one)))
            if (more := float((after - shares).sum())) > gain + 1e-9:  # the shorter one where they do the same
                best, gain, found = one, more, after
        if not best:
            break
        taken.append(best)
        shares = found
        steps.append((float(shares.mean()), float((shares >= 0.5 - 1e-9).mean())))
    cuts = [[structure for structure, _ in cut(robot, taken)] for robot in robots]
    return tuple(
        Chosen(one, sum(one in parts for parts in cuts), sum(parts.count(one) for parts in cuts), *step)
        for one, step in zip(taken, steps, strict=True)
    )
