"""Measurements from files: contents, and messages on wrong files."""

from __future__ import annotations

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import FormatError, LinkwrightWarning, MissingFileError

HEADER = "time,q:joint1,q:joint2,tau:joint1,tau:joint2"
ROWS = "0.0,0.1,0.2,1.0,2.0\n0.1,0.3,0.4,3.0,4.0\n"


@pytest.fixture
def arm():
    return lw.load("two_link")


def written(tmp_path, text, name="data.csv"):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def test_tables_are_read(arm, tmp_path):
    data = lw.read_measurements(written(tmp_path, f"{HEADER}\n{ROWS}"), arm)
    np.testing.assert_array_equal(data.q, [[0.1, 0.2], [0.3, 0.4]])
    np.testing.assert_array_equal(data.tau, [[1.0, 2.0], [3.0, 4.0]])
    np.testing.assert_array_equal(data.t, [0.0, 0.1])
    assert data.v is None
    assert data.a is None


@pytest.mark.parametrize(
    "header",
    [
        "t,q1,q2,tau1,tau2",
        "t,q[1],q[2],tau[1],tau[2]",
        "timestamp,joint1,joint2,effort.joint1,effort.joint2",
        "Time,joint1_position,joint2_position,joint1_torque,joint2_torque",
        '"time","pos joint1","pos joint2","force/joint1","force/joint2"',
    ],
)
def test_columns_may_be_headed_in_several_ways(arm, tmp_path, header):
    data = lw.read_measurements(written(tmp_path, f"{header}\n{ROWS}"), arm)
    np.testing.assert_array_equal(data.q[1], [0.3, 0.4])
    np.testing.assert_array_equal(data.tau[1], [3.0, 4.0])


def test_the_order_of_columns_and_the_separator_do_not_matter(arm, tmp_path):
    text = "\ufefftau:joint2;q:joint2;q:joint1;tau:joint1\n2.0;0.2;0.1;1.0\n\n4;0.4;0.3;3\n"
    data = lw.read_measurements(written(tmp_path, text), arm)
    np.testing.assert_array_equal(data.q, [[0.1, 0.2], [0.3, 0.4]])
    np.testing.assert_array_equal(data.tau, [[1.0, 2.0], [3.0, 4.0]])
    assert data.t is None


def test_other_columns_are_reported_and_left(arm, tmp_path):
    text = f"{HEADER},temperature\n0.0,0.1,0.2,1.0,2.0,nan\n"
    with pytest.warns(LinkwrightWarning, match="1 column not used: temperature"):
        assert len(lw.read_measurements(written(tmp_path, text), arm).q) == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "1:1: the first line names the columns"),
        ("0.0,0.1,0.2,1.0,2.0\n", "1:1: the first line names the columns"),
        (f"{HEADER}\n", "2:1: there are no samples below the header"),
        (f"{HEADER}\n{ROWS}0.2,0.1\n", "4:1: 5 values expected, one a column; got 2"),
        (f"{HEADER}\n{ROWS}0.2,0.1,abc,1,2\n", "4:9: q:joint2 is a number; got 'abc'"),
        (f"{HEADER}\n{ROWS}0.2,0.1,,1,2\n", "4:9: q:joint2 is a number; got ''"),
        (f"{HEADER}\n0.0,0.1,0.2,nan,2.0\n", "2:13: tau:joint1 is finite; got nan"),
        (f"{HEADER},q:elbow\n", "1:6: column 'q:elbow': unknown coordinate 'elbow'; there are joint1, joint2"),
        ("t,q1,q2,q3\n", "1:4: column 'q3': unknown coordinate '3 .from 1.'"),
        ("t,q:joint1,tau1,tau2\n0,0,0,0\n", "1:1: 1 column of 'two_link' missing: q:joint2"),
        ("t,q1,q2,tau1\n0,0,0,0\n", "1:1: 1 column of 'two_link' missing: tau:joint2"),
        ("t,q1,q2,q:joint1\n0,0,0,0\n", "1:4: column 'q:joint1' repeats joint1"),
    ],
)
def test_tables_that_are_wrong_are_reported_with_the_place(arm, tmp_path, text, message):
    with pytest.raises(FormatError, match=message):
        lw.read_measurements(written(tmp_path, text), arm)


def test_a_byte_that_is_no_text_is_reported_with_its_place(arm, tmp_path):
    """After the first 8 kB: the header is read before it."""
    path = tmp_path / "long.csv"
    path.write_bytes(b"t,q1,q2\n" + b"0,0.0,0.0\n" * 2000 + b"1,0,\xb0\n")
    with pytest.raises(FormatError, match=r"long\.csv:2002:5: q2 is a number"):
        lw.read_measurements(path, arm)
    with pytest.raises(FormatError, match="coordinate"):
        lw.read_measurements(written(tmp_path, f"t,q{'1' * 5000},q2\n0,1,2\n"), arm)


def test_files_that_are_no_measurements_are_reported(arm, tmp_path):
    with pytest.raises(MissingFileError, match="there is no file"):
        lw.read_measurements(tmp_path / "none.csv", arm)
    with pytest.raises(FormatError, match="measurements are"):
        lw.read_measurements(written(tmp_path, "x", "data.xlsx"), arm)
    with pytest.raises(FormatError, match="this is no archive of measurements"):
        lw.read_measurements(written(tmp_path, "x", "data.npz"), arm)
    (tmp_path / "binary.csv").write_bytes(b"\xff\xfe\x00q")
    with pytest.raises(FormatError, match=r"binary\.csv"):
        lw.read_measurements(tmp_path / "binary.csv", arm)
    np.savez(tmp_path / "objects.npz", q=np.array([None, 3], dtype=object))
    with pytest.raises(FormatError, match="it has arrays of objects") as caught:
        lw.read_measurements(tmp_path / "objects.npz", arm)
    assert "pickle" not in str(caught.value)
    np.savez(tmp_path / "whole.npz", q=np.zeros((50, 2)))
    (tmp_path / "half.npz").write_bytes((tmp_path / "whole.npz").read_bytes()[:300])
    with pytest.raises(FormatError, match="or it is damaged"):
        lw.read_measurements(tmp_path / "half.npz", arm)
    np.savez(tmp_path / "other.npz", x=np.zeros(3))
    with pytest.raises(FormatError, match="it has no array 'q'; there are x"):
        lw.read_measurements(tmp_path / "other.npz", arm)
    np.savez(tmp_path / "short.npz", q=np.zeros((5, 2)), tau=np.zeros((4, 2)))
    with pytest.raises(FormatError, match=r"tau is of numbers \(5, 2\); got \(4, 2\)"):
        lw.read_measurements(tmp_path / "short.npz", arm)


@pytest.mark.parametrize("ending", [".csv", ".npz"])
def test_what_is_saved_is_read_again(arm, tmp_path, ending):
    samples = lw.exciting_trajectory(arm, steps=0).sampled(50.0)
    again = lw.read_measurements(samples.save(tmp_path / f"data{ending}", arm), arm)
    for x, y in zip(samples, again, strict=True):
        np.testing.assert_allclose(x, y, atol=1e-9)


@pytest.mark.parametrize("ending", [".csv", ".npz"])
def test_simulated_motions_are_read(arm, tmp_path, ending):
    motion = lw.simulate(arm, [0.1, 0.2], [0.0, 0.0], 0.05, callback=lambda t, q, v: [1.0, 2.0])
    data = lw.read_measurements(motion.save(tmp_path / f"motion{ending}"), arm)
    np.testing.assert_allclose(data.q, motion.q)
    np.testing.assert_allclose(data.tau, motion.tau)


def bag(path, kind, names=("joint2", "joint1", "gripper"), every=1):
    """A recording of 20 joint states, in the order of the names; of every n-th message the last joint is not told."""
    rosbags = pytest.importorskip("rosbags")
    del rosbags
    from rosbags.rosbag1 import Writer as Writer1
    from rosbags.rosbag2 import StoragePlugin, Writer
    from rosbags.typesys import Stores, get_typestore

    one = kind == "bag"
    types = get_typestore(Stores.ROS1_NOETIC if one else Stores.ROS2_HUMBLE)
    state, header = types.types["sensor_msgs/msg/JointState"], types.types["std_msgs/msg/Header"]
    time = types.types["builtin_interfaces/msg/Time"]
    if one:
        writer = Writer1(path)
    else:
        plugin = StoragePlugin.MCAP if kind == "mcap" else StoragePlugin.SQLITE3
        writer = Writer(path, version=9, storage_plugin=plugin)
    with writer:
        connection = writer.add_connection("/joint_states", state.__msgtype__, typestore=types)
        for k in range(20):
            result = list(names if k % every == 0 else names[:-1])
            stamp = time(sec=7, nanosec=k * 10**7)
            message = state(
                header=header(seq=k, stamp=stamp, frame_id="") if one else header(stamp=stamp, frame_id=""),
                name=result,
                position=np.array([0.1 * k + n for n in range(len(result))]),
                velocity=np.array([1.0 + n for n in range(len(result))]),
                effort=np.array([3.0 + n for n in range(len(result))]),
            )
            serialize = types.serialize_ros1 if one else types.serialize_cdr
            writer.write(connection, 7 * 10**9 + k * 10**7, serialize(message, state.__msgtype__))
    return path


@pytest.mark.parametrize("kind", ["bag", "mcap", "sqlite"])
def test_recordings_of_ros_are_read(arm, tmp_path, kind):
    path = bag(tmp_path / ("data.bag" if kind == "bag" else "data"), kind)
    files = [path, *path.glob("*.mcap"), *path.glob("*.db3")] if path.is_dir() else [path]
    for file in files:
        with pytest.warns(LinkwrightWarning, match="not used: gripper"):
            data = lw.read_measurements(file, arm)
        np.testing.assert_allclose(data.q[:, 0], 0.1 * np.arange(20) + 1.0)
        np.testing.assert_allclose(data.q[:, 1], 0.1 * np.arange(20))
        np.testing.assert_allclose(data.tau, [[4.0, 3.0]] * 20)
        np.testing.assert_allclose(data.v, [[2.0, 1.0]] * 20)
        np.testing.assert_allclose(data.t, 0.01 * np.arange(20), atol=1e-9)


def test_recordings_that_do_not_tell_all_are_reported(arm, tmp_path):
    with pytest.warns(LinkwrightWarning, match="10 messages of /joint_states without all joints"):
        assert len(lw.read_measurements(bag(tmp_path / "half", "mcap", ("joint2", "joint1"), every=2), arm).q) == 10
    with pytest.raises(FormatError, match=r"no message of /joint_states has all of joint1, joint2; 20 messages"):
        lw.read_measurements(bag(tmp_path / "none", "mcap", ("joint1", "wrist")), arm)
    with pytest.raises(FormatError, match="cannot be read"):
        lw.read_measurements(written(tmp_path, "hello", "bad.mcap"), arm)
    quad = lw.load("quadruped")
    with pytest.raises(FormatError, match="one coordinate each"):
        lw.read_measurements(bag(tmp_path / "quad", "mcap"), quad)


@pytest.mark.parametrize("cell", ["1_0", "٣", "x"])
def test_a_cell_that_is_no_number_is_found_by_line_and_column(cell, tmp_path):
    path = tmp_path / "measured.csv"
    path.write_text(f"time,q1\n0,0.5\n0.1,{cell}\n", encoding="utf-8")
    with pytest.raises(lw.errors.FormatError, match=rf":3:5: q1 is a number; got '{cell}'"):
        lw.read_measurements(path, lw.load("pendulum"))
