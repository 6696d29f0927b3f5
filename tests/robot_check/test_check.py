"""Each fault of a robot file is found, at its line, with its severity; sound files have no findings."""

import re
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import linkwright as lw
from linkwright.cli import main
from linkwright.errors import MissingFileError, UnknownNameError
from linkwright.formats.lookup.installed_robots import example_robots
from linkwright.robot_check.check import check_robot

INERTIAL = '<inertial><mass value="1"/><inertia ixx="1e-3" iyy="1e-3" izz="1e-3" ixy="0" ixz="0" iyz="0"/></inertial>'
BOX = '<collision><geometry><box size="0.1 0.1 0.1"/></geometry></collision>'
LIMIT = '<limit lower="-1" upper="1" effort="10" velocity="5"/>'
LINKS = ("base", "upper", "lower", "hand")


def robot(inertial=(), shapes=(), limits=(), origins=(), types=()):
    """Four links in a row, 0.3 m apart, one element a line; dictionaries replace the parts of links and joints."""
    lines = ['<robot name="row">']
    for name in LINKS:
        lines += [f'<link name="{name}">', dict(inertial).get(name, INERTIAL), dict(shapes).get(name, BOX), "</link>"]
    for parent, child in pairwise(LINKS):
        lines += [
            f'<joint name="to_{child}" type="{dict(types).get(child, "revolute")}">',
            f'<parent link="{parent}"/><child link="{child}"/><axis xyz="0 1 0"/>',
            f'<origin xyz="0 0 {dict(origins).get(child, 0.3)}"/>',
            dict(limits).get(child, LIMIT),
            "</joint>",
        ]
    return "\n".join([*lines, "</robot>"])


def found(text, **options):
    return [tuple(finding) for finding in check_robot(text, **options).findings]


def one(text):
    (finding,) = check_robot(text).findings
    return finding


def test_a_sound_robot_has_no_findings():
    assert found(robot()) == []
    assert found(robot(), root="free") == []


@pytest.mark.parametrize("name", ["arm7", "puma560", "quadruped", "humanoid", "delta"])
def test_built_in_robots_have_neither_errors_nor_warnings(name):
    assert {finding.severity for finding in check_robot(name).findings} <= {"note"}


@pytest.mark.parametrize(
    ("parts", "severity", "rule", "line", "message"),
    [
        (
            {"inertial": {"lower": INERTIAL.replace('ixx="1e-3"', 'ixx="5e-3"')}},
            *("warning", "inertia", 11, "violate the triangle inequality"),
        ),
        (
            {"inertial": {"lower": INERTIAL.replace('ixx="1e-3"', 'ixx="-1e-3"')}},
            *("error", "inertia", 11, "negative principal moment"),
        ),
        (
            {"inertial": {"lower": INERTIAL.replace('"1"', '"0"')}},
            *("warning", "mass", 11, "link 'lower' has moments of inertia, and no mass"),
        ),
        (
            {"inertial": {"lower": INERTIAL.replace('"1"', '"2e-5"').replace("1e-3", "1e-8")}},
            *("note", "mass", 23, "the masses of 'upper' and 'lower', 1 and 2e-05 kg, differ by a factor of 5e+04"),
        ),
        (
            {"inertial": {"lower": INERTIAL.replace("1e-3", "1")}},
            *(
                "warning",
                "units",
                11,
                "link 'lower': its radius of gyration is 1 m, more than its size of 0.3 m allows",
            ),
        ),
        (
            {"inertial": {"lower": INERTIAL.replace("<mass", '<origin xyz="0 0 150"/><mass')}},
            *("warning", "units", 11, "link 'lower': its center of mass is 150 m from the middle of the link"),
        ),
        ({"limits": {"lower": ""}}, "warning", "limits", 23, "'to_lower': revolute without <limit>"),
        (
            {"limits": {"lower": LIMIT.replace('upper="1"', 'upper="90"')}},
            *("warning", "units", 23, "joint 'to_lower': limits of -1 to 90 rad: are they in degrees?"),
        ),
        (
            {"limits": {"lower": LIMIT.replace('lower="-1"', 'lower="0.5"')}},
            *("note", "limits", 23, "zero is outside the limits of to_lower"),
        ),
        (
            {"limits": {"lower": LIMIT.replace('effort="10"', 'effort="0"')}},
            *("warning", "limits", 23, "an effort or velocity limit of 0, so that no motor moves them: to_lower"),
        ),
        (
            {"limits": {"lower": '<limit lower="-1" upper="1"/>'}},
            *("note", "limits", 23, "without effort limits: to_lower"),
        ),
        (
            {"limits": {"lower": LIMIT.replace('lower="-1"', 'lower="2"')}},
            *("error", "schema", 23, "joint 'to_lower': the lower limit 2.0 exceeds the upper limit 1.0"),
        ),
        (
            {"origins": {"lower": 300.0}},
            *("warning", "units", 23, "joint 'to_lower': its origin is 300 m from its parent link"),
        ),
        (
            {"shapes": {"lower": BOX.replace("0.1 0.1 0.1", "100 100 100")}},
            *("warning", "units", 12, "the box of lower is 173.2 m large, the robot 0.9 m"),
        ),
        (
            {"shapes": {"lower": BOX.replace("0.1 0.1 0.1", "1e-5 1e-5 1e-5")}},
            *("warning", "units", 12, "the box of lower is 1.7e-05 m large, the robot 0.9 m"),
        ),
        (
            {"shapes": {"hand": BOX.replace("0.1 0.1 0.1", "0.1 0.1 1.5")}},
            *("warning", "overlap", 14, "the collision shapes of 'hand' and 'upper' overlap by"),
        ),
        (
            {"shapes": {"lower": BOX.replace('<box size="0.1 0.1 0.1"/>', '<mesh filename="package://a/b.stl"/>')}},
            *("error", "mesh", 12, "link 'lower': there is no mesh file package://a/b.stl"),
        ),
        ({"shapes": {"lower": BOX.replace("size", "sise")}}, "error", "schema", 12, "the size of <box> is missing"),
        ({"types": {"lower": "revolut"}}, "error", "schema", 23, "unknown type 'revolut'"),
        ({"shapes": {"lower": "<colision/>"}}, "warning", "schema", 12, "did you mean 'collision'?"),
    ],
)
def test_a_fault_is_found_at_its_line(parts, severity, rule, line, message):
    findings = check_robot(robot(**parts)).findings
    matching = [finding for finding in findings if message in finding.message]
    assert matching, findings
    assert (matching[0].severity, matching[0].rule) == (severity, rule)
    assert matching[0].place.startswith(f"<text>:{line}:")
    assert findings[0].severity == severity, "nothing worse is found"


def test_joints_that_move_no_mass_make_forward_dynamics_singular():
    finding = check_robot(robot(inertial={"hand": ""})).findings[0]
    assert (finding.severity, finding.rule, finding.place) == ("error", "mass", "<text>:28:1")
    assert "joint 'to_hand' moves no mass and no inertia" in finding.message
    point = INERTIAL.replace("1e-3", "0")
    finding = check_robot(robot(inertial={"hand": point}, origins={"hand": 0.0})).findings[0]
    assert "'to_hand' moves no mass and no inertia" in finding.message


def test_two_joints_on_one_axis_without_inertia_between_them_are_named():
    text = robot(inertial={"lower": "", "upper": INERTIAL}, origins={"hand": 0.0, "lower": 0.3})
    finding = check_robot(text).findings[0]
    assert finding.severity == "error"
    assert "to_lower, to_hand: together they can move without moving mass" in finding.message


def test_a_robot_in_millimeters_is_found():
    boxes = {name: BOX.replace("0.1 0.1 0.1", "100 100 100") for name in LINKS}
    text = robot(
        shapes=boxes, origins=dict.fromkeys(LINKS, 300.0), inertial={n: INERTIAL.replace("1e-3", "1e3") for n in LINKS}
    )
    assert "the robot is 900 m large: are its lengths in millimeters?" in one(text).message


def test_a_mesh_in_millimeters_is_found(tmp_path):
    trimesh = pytest.importorskip("trimesh", reason="needs the extra meshes")
    path = tmp_path / "part.stl"
    path.write_bytes(trimesh.creation.box((100.0, 50.0, 80.0)).export(file_type="stl"))
    shape = BOX.replace('<box size="0.1 0.1 0.1"/>', f'<mesh filename="{path}"/>')
    finding = check_robot(robot(shapes={"lower": shape})).findings[0]
    assert (finding.severity, finding.rule, finding.place) == ("warning", "units", "<text>:12:1")
    assert 'is it in millimeters? scale="0.001 0.001 0.001" converts it' in finding.message
    assert found(robot(shapes={"lower": shape.replace("stl", 'stl" scale="0.001 0.001 0.001', 1)})) == []
    path.write_text("no mesh")
    finding = one(robot(shapes={"lower": shape}))
    assert (finding.severity, finding.rule) == ("error", "mesh")


def test_a_file_that_cannot_be_read_has_all_its_problems():
    checked = check_robot(robot(types={"lower": "revolut", "hand": "fixt"}))
    assert checked.model is None
    assert [finding.place for finding in checked.findings] == ["<text>:23:1", "<text>:28:1"]
    assert check_robot("<robot>\n<link").findings[0].place == "<text>:2:1"
    with pytest.raises(MissingFileError):
        check_robot("nothing.urdf")
    with pytest.raises(UnknownNameError):
        check_robot("nothing")


@pytest.mark.skipif(not example_robots(), reason="example-robot-data is not installed (the extra robots)")
@pytest.mark.parametrize("name", ["ur5_robot", "romeo", "icub", "go2", "panda_collision", "talos_full_v2", "cassie"])
def test_real_robots(name):
    path = str(example_robots()[name])
    checked = check_robot(path)
    known = {
        "ur5_robot": ("warning", "link 'wrist_1_link': its radius of gyration is 0.424 m"),
        "romeo": ("error", "joint 'LHand' moves no mass and no inertia"),
        "icub": ("error", "neck_roll, neck_yaw: together they can move"),
        "go2": ("warning", "<joint> has no attribute 'dont_collapse'"),
        "panda_collision": ("note", "zero is outside the limits of panda_joint4"),
        "talos_full_v2": ("warning", "'leg_left_1_link' and 'leg_left_3_link' overlap by 91.5 mm in the neutral"),
        "cassie": ("error", "joint 'left-roll-joint': unknown type 'gearbox'"),
    }
    severity, message = known[name]
    assert any(one.severity == severity and message in one.message for one in checked.findings), checked.findings
    assert all(one.place.startswith(path) or not one.place for one in checked.findings)


@pytest.mark.parametrize(
    ("parts", "arguments", "status"),
    [
        ({}, [], 0),
        ({}, ["--strict"], 0),
        ({"limits": {"lower": LIMIT.replace('lower="-1"', 'lower="0.5"')}}, ["--strict"], 0),
        ({"limits": {"lower": ""}}, [], 0),
        ({"limits": {"lower": ""}}, ["--strict"], 1),
        ({"types": {"lower": "revolut"}}, [], 2),
        ({"types": {"lower": "revolut"}}, ["--strict"], 2),
    ],
)
def test_the_exit_status_is_that_of_the_worst_finding(tmp_path, capsys, parts, arguments, status):
    path = tmp_path / "row.urdf"
    path.write_text(robot(**parts))
    with pytest.raises(SystemExit) as stop:
        main(["check", str(path), *arguments])
    said = capsys.readouterr()
    assert stop.value.code == status
    assert said.err == ""
    *lines, last = said.out.splitlines()
    assert last == {0: "row: no findings", 1: "row: 1 warning", 2: "the file cannot be read: 1 error"}[status] or lines
    assert all(line.startswith(f"{path}:23:1: ") for line in lines)


def test_notes_can_be_left_out(capsys):
    with pytest.raises(SystemExit):
        main(["check", "two_link", "--no-notes"])
    assert capsys.readouterr().out == "two_link: 2 notes\n"


@pytest.mark.skipif(not example_robots(), reason="example-robot-data is not installed (the extra robots)")
@pytest.mark.filterwarnings("ignore::linkwright.errors.FormatWarning")
def test_hulls_of_meshes_that_overlap_are_those_of_the_compiled_distances():
    pytest.importorskip("trimesh", reason="needs the extra meshes")
    name = "go2"
    findings = [one for one in check_robot(name).findings if one.rule == "overlap"]
    robot = lw.load(name)
    found = lw.distances(robot, np.clip(robot.neutral(), robot.lower, robot.upper))
    expected = {pair: -d for pair, d in zip(found.pairs, found.distance, strict=True) if d < -1e-4}
    assert len(findings) == len(expected) > 0
    for (first, second), depth in expected.items():
        a, b = sorted((first.partition("[")[0], second.partition("[")[0]))
        text = f"the collision shapes of {a!r} and {b!r} overlap by {1e3 * depth:.3g} mm"
        assert any(one.message.startswith(text) for one in findings), text


def test_the_result_does_not_depend_on_units_of_mass():
    """Thresholds of masses are ratios: a robot of a thousandth of the mass has the same findings."""
    model = lw.load(robot())
    assert np.isclose(lw.total_mass(model), 3.0)
    light = INERTIAL.replace('"1"', '"1e-6"').replace("1e-3", "1e-9")
    assert found(robot(inertial=dict.fromkeys(LINKS, light))) == []


def test_the_page_has_the_output_of_the_command(tmp_path, monkeypatch, capsys):
    page = (Path(__file__).parents[2] / "docs/reference/formats/check.md").read_text(encoding="utf-8")
    code, output = (re.search(rf"```{kind}\n(.*?)```", page, re.DOTALL)[1] for kind in ("python", "text"))
    monkeypatch.chdir(tmp_path)
    exec(code, {})
    with pytest.raises(SystemExit) as stop:
        main(["check", "row.urdf"])
    assert stop.value.code == 2
    assert capsys.readouterr().out == output


@pytest.mark.parametrize(
    ("lengths", "masses", "moments", "message"),
    [
        (1e3, 1.0, 1.0, r"the robot is \d+ m large: are its lengths in millimeters"),
        (1e2, 1.0, 1e-2, "the radius of gyration of its bodies is 0.00387 m and the distance between joints 30 m"),
        (1e-3, 1.0, 1.0, "the radius of gyration of its bodies is 0.0387 m and the distance between joints 0.0003 m"),
        (1.0, 1.0, 1e6, "the radius of gyration of its bodies is 38.7 m and the distance between joints 0.3 m"),
        (1.0, 1.0, 1e-6, "the radius of gyration of its bodies is 3.87e-05 m and the distance between joints 0.3 m"),
        (1.0, 1e3, 1.0, "the radius of gyration of its bodies is 0.00122 m and the distance between joints 0.3 m"),
        (1.0, 1e3, 1e3, r"density of at least 7.2\de\+05 kg/m³ .* are masses in grams"),
        (1.0, 1e-3, 1.0, "density of about .* are masses in tonnes"),
    ],
)
def test_units_of_robots_without_shapes(lengths, masses, moments, message):
    inertial = INERTIAL.replace('value="1"', f'value="{masses}"').replace("1e-3", str(1e-3 * moments))
    text = robot(
        inertial=dict.fromkeys(LINKS, inertial),
        shapes=dict.fromkeys(LINKS, ""),
        origins=dict.fromkeys(LINKS, 0.3 * lengths),
    )
    units = [finding for finding in check_robot(text).findings if finding.rule == "units"]
    assert any(finding.severity == "warning" and re.search(message, finding.message) for finding in units), units
