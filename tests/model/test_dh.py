"""Denavit–Hartenberg tables: to models and back."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import linkwright as lw
from linkwright import dynamics
from linkwright.errors import ArgumentError, InputError, LinkwrightError, ModelError, UnknownNameError
from linkwright.model.joints.joint import Prismatic, Revolute
from linkwright.model.library.dh import CONVENTIONS
from mechanisms import one_of_each, random_pose, relative_error, state

angles = st.sampled_from([0.0, np.pi / 2, -np.pi / 2, np.pi, 0.7, -2.1])
lengths = st.sampled_from([0.0, 0.3, -0.2, 1.5])


@st.composite
def rows(draw):
    """Tables with axes that are parallel, meet or coincide, and general ones; links with all that rows can say."""
    made = []
    for k in range(draw(st.integers(1, 7))):
        rng = np.random.default_rng(draw(st.integers(0, 1000)))
        A = rng.normal(size=(3, 3))
        kind = draw(st.sampled_from(["revolute", "prismatic", "continuous"]))
        limits = {} if kind == "continuous" else {"lower": -1.0, "upper": 2.0}
        made.append(
            lw.DHRow(
                a=draw(lengths),
                alpha=draw(angles),
                d=draw(lengths),
                theta=draw(angles),
                type=kind,
                mass=1.0 + k,
                center_of_mass=rng.normal(size=3),
                inertia=np.eye(3) + 0.02 * (A + A.T),
                joint={"armature": 0.1 * k, "damping": 0.2, **limits},
            )
        )
    return made


def chained(rows, convention, q):
    """The book's product of a table's rows."""
    T = np.eye(4)
    for row, x in zip(rows, q, strict=True):
        theta, d = (row.theta, row.d + x) if row.type == "prismatic" else (row.theta + x, row.d)
        about_z = lw.transform.make(lw.rotation.about("z", theta), [0.0, 0.0, d])
        about_x = lw.transform.make(lw.rotation.about("x", row.alpha), [row.a, 0.0, 0.0])
        T = T @ (about_x @ about_z if convention == "modified" else about_z @ about_x)
    return T


@settings(max_examples=40, deadline=None)
@given(rows(), st.sampled_from(CONVENTIONS), st.sampled_from(CONVENTIONS), st.integers(0, 99))
def test_tables_make_models_and_models_tables(rows, convention, other, seed):
    rng = np.random.default_rng(seed)
    base, tool = random_pose(rng), random_pose(rng)
    model = lw.from_dh("arm", rows, convention, base=base, tool=tool)
    q = rng.uniform(-1.0, 1.0, len(rows))
    expected = base @ chained(rows, convention, q)
    assert relative_error(dynamics.pose(model, q, f"dh{len(rows)}"), expected) < 1e-13
    assert relative_error(dynamics.pose(model, q, "tool"), expected @ tool) < 1e-13
    # back, in either convention, and there again: the same mechanism
    table = lw.to_dh(model, "tool", other)
    assert [row.name for row in table.rows] == [joint.name for joint in model.joints]
    again = lw.from_dh("arm", table.rows, other, base=table.base, tool=table.tool)
    v, a = rng.normal(size=(2, len(rows)))
    assert relative_error(dynamics.pose(again, q, "tool"), dynamics.pose(model, q, "tool")) < 1e-8
    efforts = dynamics.inverse_dynamics(again, q, v, a), dynamics.inverse_dynamics(model, q, v, a)
    assert relative_error(*efforts) < 1e-8
    for name in ("lower", "upper", "armature"):
        assert np.array_equal(getattr(again, name), getattr(model, name))
    assert [joint.damping for joint in again.joints] == [joint.damping for joint in model.joints]


def test_a_published_table_comes_back():
    """The modified parameters of the PUMA 560 (Craig 1986, fig. 3.21), up to where frames 0 and 6 are."""
    table = lw.to_dh(lw.load("puma560"))
    half = np.pi / 2
    assert np.allclose([abs(row.alpha) for row in table.rows], [0.0, half, 0.0, half, half, half])
    assert np.allclose([row.a for row in table.rows[1:]], [0.0, 0.4318, 0.0203, 0.0, 0.0], atol=1e-12)
    assert np.allclose(table.base, np.eye(4))
    lines = str(table).splitlines()
    assert lines[0].split() == ["joint", "a", "(i-1)", "alpha", "(i-1)", "d", "theta"]
    assert len(lines) == 7


def test_a_planar_arm_needs_no_tool():
    model = lw.load("planar:3")
    table = lw.to_dh(model, "tip", "standard")
    assert [(row.a, row.alpha, row.d, row.theta) for row in table.rows] == [(1.0, 0.0, 0.0, 0.0)] * 3
    assert np.array_equal(table.tool, np.eye(4))
    assert np.array_equal(table.base, np.eye(4))
    assert str(table).splitlines()[1].split() == [model.joints[0].name, "1", "0", "0", "q"]


@pytest.mark.parametrize("name", ["puma560", "arm7", "arm4", "planar:3"])
@pytest.mark.parametrize("convention", CONVENTIONS)
def test_built_in_arms(name, convention):
    model = lw.load(name)
    table = lw.to_dh(model, convention=convention)
    again = lw.from_dh(name, table.rows, convention, base=table.base, tool=table.tool, gravity=model.gravity)
    q, v, a = state(model, 0)
    assert relative_error(dynamics.inverse_dynamics(again, q, v, a), dynamics.inverse_dynamics(model, q, v, a)) < 1e-12
    end = "tip" if name == "planar:3" else "tool"
    assert relative_error(dynamics.pose(again, q, "tool"), dynamics.pose(model, q, end)) < 1e-13


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_a_table_tells_of_the_tool(convention):
    """Unless another frame is named, the table ends at the frame "tool"; printed, it has base and tool."""
    tool = lw.transform.make(lw.rotation.about("x", 0.4), [0.1, 0.2, 0.3])
    base = lw.transform.make(p=[0.0, 0.0, 0.5])
    rows = [lw.DHRow(alpha=1.0), lw.DHRow(a=1.0, alpha=-1.0), lw.DHRow(alpha=0.5, d=0.2)]
    model = lw.from_dh("p", rows, convention, base=base, tool=tool)
    table = lw.to_dh(model, convention=convention)
    again = lw.from_dh("p", table.rows, convention, base=table.base, tool=table.tool)
    q = [0.3, 0.5, -0.2]
    assert np.abs(lw.pose(again, q, "tool") - lw.pose(model, q, "tool")).max() < 1e-13
    printed = str(table).splitlines()[4:]
    options = {"base, of frame 0 in the world": table.base, "tool, in the last frame": table.tool}
    options = {what: T for what, T in options.items() if not np.array_equal(T, np.eye(4))}
    assert "tool, in the last frame" in options
    assert [line.partition(":")[0] for line in printed] == list(options)
    for line, T in zip(printed, options.values(), strict=True):
        xyz, rpy = (np.array(part.split()[1:], dtype=float) for part in line.partition(": ")[2].split(","))
        assert np.abs(lw.transform.make(lw.rotation.from_rpy(rpy), xyz) - T).max() < 1e-5


def test_what_is_in_no_table_is_reported_by_its_joint():
    tree = one_of_each(0)
    first = next(j for j in tree.joints if not isinstance(j.motion, (Revolute, Prismatic)) or j.coupling)
    with pytest.raises(ModelError, match=r"joint '\w+' of .*"):
        lw.to_dh(tree)
    humanoid = lw.load("humanoid")
    with pytest.raises(ModelError, match=r"joint '\w+' of 'humanoid' is (not on the path|free)"):
        lw.to_dh(humanoid)
    with pytest.raises(ModelError, match="closes a loop"):
        lw.to_dh(lw.load("four_bar"))
    two = lw.Builder("two")
    two.body("a", 1.0).joint("turn", "revolute", "world", "a").body("b", 1.0).joint("finger", "prismatic", "a", "b")
    two.body("c", 1.0).joint("thumb", "prismatic", "a", "c")
    with pytest.raises(ModelError, match=r"'finger' of 'two' is not on the path to 'c': lock\(\{'finger': …\}\) holds"):
        lw.to_dh(two.build(), "c")
    assert len(lw.to_dh(two.build().lock({"finger": 0.0}), "c").rows) == 2
    ball = lw.Builder("ball").body("a", 1.0).joint("hip", "spherical", "world", "a").build()
    with pytest.raises(ModelError, match="a DH joint is revolute or prismatic; joint 'hip' of 'ball' is spherical"):
        lw.to_dh(ball)
    assert first is not None


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_axes_too_nearly_parallel_are_reported(convention):
    def tilted(by):
        builder = lw.Builder("warped").body("a", 1.0).body("b", 1.0)
        builder.joint("first", "revolute", "world", "a")
        builder.joint("second", "revolute", "a", "b", xyz=[1.0, 0.0, 0.0], axis=[by, by, 1.0])
        return builder.build()

    model = tilted(1e-6)
    table = lw.to_dh(model, convention=convention)
    again = lw.from_dh("again", table.rows, convention, base=table.base, tool=table.tool)
    assert relative_error(lw.pose(again, [0.3, 0.4], "tool"), lw.pose(model, [0.3, 0.4], "b")) < 1e-9
    with pytest.raises(ModelError, match=r"joint '(first|second)' of 'warped' has no row .* nearly parallel"):
        lw.to_dh(tilted(1e-8), convention=convention)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (3, r"a DH table is a list of DHRow\(a=, alpha=, d=, theta=, …\); got 3"),
        (lw.DHRow(), r"a DH table is a list of DHRow\(a=, alpha=, d=, theta=, …\); got DHRow\("),
        (np.zeros((3, 4)), r"a DH table is a list of DHRow\(a=, alpha=, d=, theta=, …\); got array"),
        ("abc", r"a DH table is a list of DHRow\(a=, alpha=, d=, theta=, …\); got 'abc'"),
        ([], "a DH table needs at least one row"),
        ([None], r"row 1 of 'arm' must be a DHRow\(a=, alpha=, d=, theta=, …\); got None"),
        ([lw.DHRow(a=np.nan)], "row 1 of 'arm': a must be "),
        ([lw.DHRow(alpha=np.inf)], "row 1 of 'arm': alpha must be "),
        ([lw.DHRow(), lw.DHRow(d="x")], "row 2 of 'arm': d .*'x'"),
        ([lw.DHRow(theta=None)], "row 1 of 'arm': theta .*None"),
        ([lw.DHRow(d=[1, 2])], "row 1 of 'arm': d "),
        ([lw.DHRow(center_of_mass=[1, 2])], r"row 1 of 'arm': center_of_mass .*\(3,\)"),
        ([lw.DHRow(inertia=[1, 2])], r"row 1 of 'arm': inertia .*\(3, 3\)"),
        ([lw.DHRow(mass=[1])], "the mass of body 'link1'"),
        ([lw.DHRow(mass=-1)], "body 'link1': the mass is -1; it cannot be negative"),
        ([lw.DHRow(inertia=[1, 1, -1])], "body 'link1': no rigid body has a negative principal moment of inertia"),
        ([lw.DHRow(type="helical")], "row 1 of 'arm': a DH joint is revolute, continuous or prismatic; got 'helical'"),
        ([lw.DHRow(joint=3)], "row 1 of 'arm': joint is a dict .*; got 3"),
        ([lw.DHRow(joint={"mass": 3})], "joint has no argument 'mass'|joint lacks"),
        (
            [lw.DHRow(joint={"lower": 2.0, "upper": 1.0})],
            "joint 'joint1': the lower limit 2.0 exceeds the upper",
        ),
        ([lw.DHRow(name="j"), lw.DHRow(name="j")], "a second joint is named 'j'"),
    ],
)
def test_a_corpus_of_bad_tables(rows, message):
    with pytest.raises(LinkwrightError, match=message):
        lw.from_dh("arm", rows)


def test_everything_wrong_with_a_table_is_reported_at_once():
    with pytest.raises(InputError) as caught:
        lw.from_dh("arm", [lw.DHRow(a=np.nan, type="free"), lw.DHRow(), lw.DHRow(theta="right")])
    text = str(caught.value)
    assert "row 1 of 'arm': a must be" in text
    assert "row 1 of 'arm': a DH joint is revolute" in text
    assert "row 3 of 'arm': theta" in text


def test_mistakes():
    with pytest.raises(UnknownNameError, match="unknown DH convention 'craig'; there are modified, standard"):
        lw.to_dh(lw.load("arm7"), convention="craig")
    with pytest.raises(InputError, match=r"row 1 of 'arm' must be a DHRow\(a=, alpha=, d=, theta=, …\); got \(0, 1"):
        lw.from_dh("arm", [(0, 1, 2, 3)])
    with pytest.raises(ArgumentError, match="from_dh lacks 'rows'"):
        lw.from_dh("arm")
    with pytest.raises(InputError, match="revolute, continuous or prismatic; got 'free'"):
        lw.from_dh("arm", [lw.DHRow(type="free")])
