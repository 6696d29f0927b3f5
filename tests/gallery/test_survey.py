"""The survey of robots: structures, cuts into the fewest parts, reports."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, distribution

import numpy as np
import pytest

import linkwright as lw
from linkwright import cli
from linkwright.errors import InputError
from linkwright_gallery.experiments import survey as surveying
from linkwright_gallery.experiments.survey import chains, choose, cut, robot_of, saved, survey, tree_of


def chain(*axes, root="world", builder=None, tag=""):
    """A chain of hinges about these axes; the builder, so that more may hang on it."""
    builder = builder or lw.Builder("robot")
    for k, axis in enumerate(axes):
        name, parent = f"{tag}{k}", f"{tag}{k - 1}" if k else root
        builder.body(name, 1.0, (0, 0, 0.1), 0.1)
        builder.joint(name, "revolute", parent, name, axis=axis, xyz=(0, 0, 0.2), limits=(-1, 1))
    return builder


X, Y, Z = (1, 0, 0), (0, 1, 0), (0, 0, 1)


def test_structures_tell_how_axes_lie():
    robot = robot_of(chain(Z, Y, Y, (0, 1, 1), X).build())
    assert {"R", "R⊥R", "R∥R", "R∠R", "R⊥R∥R", "R⊥R∥R∠R⊥R"} <= robot.structures(5)
    assert robot.structures(1) == {"R"}
    # the same whatever the sense of an axis, and where the base floats
    other = lw.Builder("floats").body("base", 1.0, (0, 0, 0), 1.0).joint("root", "free", "world", "base")
    floating = tree_of(chain(Z, (0, -1, 0), Y, (0, 1, 1), X, root="base", builder=other).build())
    assert floating == robot.tree


def test_chains_end_where_a_tree_branches():
    builder = chain(Z, Y)
    chain(X, X, root="1", builder=builder, tag="left ")
    chain(Y, root="1", builder=builder, tag="right ")
    tree = tree_of(builder.build())
    assert tree.parents == (-1, 0, 1, 2, 3, 2)
    assert chains(tree, 3) == [[(1,), (1, 2)], [(2,)], [(3,), (3, 4), (5,)], [(4,)], [], []]


def test_cuts_have_the_fewest_parts():
    # against all ways to choose which joints lie within blocks
    rng = np.random.default_rng(4)
    for _ in range(12):
        builder = lw.Builder("tree")
        n = int(rng.integers(2, 8))
        for k in range(n):
            parent = "world" if k == 0 else ["world", *map(str, range(k))][int(rng.integers(0, k + 1))]
            builder.body(str(k), 1.0, (0, 0, 0.1), 0.1)
            axis = (X, Y, Z)[int(rng.integers(0, 3))]
            builder.joint(str(k), "revolute", parent, str(k), axis=axis, xyz=(0, 0, 0.2), limits=(-1, 1))
        robot = robot_of(builder.build())
        structures = {s for s in robot.structures(3) if rng.random() < 0.6}
        parts = cut(robot, structures)
        assert sorted(node for _, members in parts for node in members) == list(range(n + 1))
        assert all(not name or name in structures for name, _ in parts)
        assert len(parts) == fewest(robot, structures)
        assert saved(robot, parts) == pytest.approx(1.0 - (len(parts) - 1) / n)


def fewest(robot, structures):
    every = [(s, (node, *c)) for node, own in enumerate(robot.starting) for s, c in own if s in structures]

    def best(left, free):
        if not left:
            return len(free)
        (_, members), *others = left
        without = best(others, free)
        return min(without, 1 + best(others, free - set(members))) if set(members) <= free else without

    return best(every, frozenset(range(robot.joints + 1)))


def test_the_most_useful_structures_come_first():
    legs = lw.Builder("legs").body("base", 1.0, (0, 0, 0), 1.0).joint("root", "free", "world", "base")
    for leg in "abcd":
        chain(X, Y, Y, root="base", builder=legs, tag=leg)
    robots = [robot_of(legs.build(), "legs"), robot_of(chain(Z, Y, Y, X).build(), "arm")]
    found = choose(robots, 3, 4)
    assert [one.structure for one in found[:2]] == ["R∥R", "R⊥R∥R"]
    assert [one.within for one in found] == sorted(one.within for one in found)
    assert found[0].robots == 1  # the arm is one block and a body by the end
    # of four legs one can be a block with the trunk; of the others the hip is the base
    assert [s for s, _ in cut(robots[0], ["R⊥R∥R"])].count("R⊥R∥R") == 1
    assert sorted(s for s, _ in cut(robots[0], ["R∥R", "R⊥R∥R"])) == [*["R∥R"] * 3, "R⊥R∥R"]


def test_robots_of_a_folder(tmp_path, capsys):
    body = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
    joint = '<joint name="j" type="continuous"><parent link="a"/><child link="b"/><axis xyz="0 1 0"/></joint>'
    text = f'<robot name="r"><link name="a">{body}</link><link name="b">{body}</link>{joint}</robot>'
    (tmp_path / "one.urdf").write_text(text)
    (tmp_path / "same.urdf").write_text(text.replace('value="1"', 'value="2"'))
    (tmp_path / "bad.urdf").write_text("<robot/>")
    found = survey(tmp_path)
    assert (found.files, len(found.robots), list(found.refused)) == (3, 1, ["bad.urdf"])
    assert "| 1 | R | 1 | 1 | 100% | 100% |" in found.markdown()
    with pytest.raises(SystemExit) as end:
        cli.main(["experiment", "--survey", "--robots", str(tmp_path), "--out", str(tmp_path / "out")])
    assert not end.value.code
    assert "joints within blocks" in capsys.readouterr().out
    assert (tmp_path / "out" / "survey.md").read_text() == found.markdown()


def test_mistakes_are_reported(tmp_path, monkeypatch, capsys):
    with pytest.raises(InputError, match="no robot to survey"):
        survey(tmp_path)
    with pytest.raises(InputError, match="1 to 7 joints"):
        survey(tmp_path, largest=8)
    with pytest.raises(SystemExit) as end:
        cli.main(["experiment", "planar", "--survey"])
    assert end.value.code
    with pytest.raises(SystemExit) as end:
        cli.main(["experiment", "--robots", str(tmp_path)])
    assert end.value.code

    def missing(name):
        raise PackageNotFoundError(name)

    monkeypatch.setattr(surveying, "distribution", missing)
    with pytest.raises(InputError, match="pip install example-robot-data"):
        survey()


def test_the_robots_installed():
    try:
        distribution("example-robot-data")
    except PackageNotFoundError:
        pytest.skip("example-robot-data is not installed (the extra robots)")
    robots = surveying._robots_installed()
    assert len(robots) > 50
