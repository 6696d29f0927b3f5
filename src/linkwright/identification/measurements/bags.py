"""Recordings of ROS (1 and 2): ``sensor_msgs/JointState`` messages, read by ``rosbags``, which needs no ROS."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from linkwright.errors import FormatError, MissingExtraError, counted, warn
from linkwright.identification.measurements.record import Measurements
from linkwright.model.coordinates import velocity_names
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array

BAGS = (".bag", ".mcap", ".db3")

STATE = "sensor_msgs/msg/JointState"


def read_bag(path: Path, model: Model, topic: str | None = None) -> Measurements:
    """Return the joint states of a recording, in the order of the model.

    They are those of ``topic``, or of the only topic with such messages. Messages without all joints are skipped.
    Raises :class:`FormatError` if no message has all joints, :class:`MissingExtraError` without rosbags.
    """
    try:
        from rosbags.highlevel import AnyReader
        from rosbags.typesys import Stores, get_typestore
    except ImportError as error:
        raise MissingExtraError(
            f"reading recordings of ROS needs rosbags: install the extra, linkwright[bags]; {error}"
        ) from None
    names = velocity_names(model)
    if list(model.coordinate_names) != names:
        raise FormatError(f"{path}: joint states are of joints with one coordinate each; {model.name!r} has others")
    try:
        with AnyReader([path], default_typestore=get_typestore(Stores.ROS2_HUMBLE)) as reader:
            connections = [one for one in reader.connections if one.msgtype == STATE and topic in (None, one.topic)]
            topics = sorted({one.topic for one in connections})
            if len(topics) != 1:
                have = ", ".join(topics) or "none"
                raise FormatError(f"{path}: measurements are of one topic of {STATE}; there are {have}")
            messages = (reader.deserialize(raw, STATE) for _, _, raw in reader.messages(connections=connections))
            return _gathered(path, topics[0], messages, names)
    except FormatError:
        raise
    except Exception as error:  # a reader of many formats, each with its exceptions
        raise FormatError(f"{path}: this recording cannot be read: {error}") from None


def _gathered(path: Path, topic: str, messages: Any, names: list[str]) -> Measurements:
    rows: dict[str, list[Array]] = {"position": [], "velocity": [], "effort": []}
    times, order, known, partial, others = [], np.zeros(0, dtype=int), None, 0, set()
    for message in messages:
        if message.name != known:  # usually all messages have the same names
            known = list(message.name)
            places = {name: k for k, name in enumerate(known)}
            whole = all(name in places for name in names)
            order = np.array([places[name] for name in names] if whole else [], dtype=int)
            others |= set(known) - set(names)
        if len(order) != len(names) or len(message.position) != len(known or ()):
            partial += 1
            continue
        times.append(message.header.stamp.sec + 1e-9 * message.header.stamp.nanosec)
        for what, kept in rows.items():
            values = np.asarray(getattr(message, what), dtype=float)
            if len(values) == len(known or ()):
                kept.append(values[order])
    if not times:
        raise FormatError(
            f"{path}: no message of {topic} has all of {', '.join(names)}; {counted(partial, 'message')} of others"
        )
    if partial:
        warn(f"{path}: {counted(partial, 'message')} of {topic} without all joints are skipped")
    if others:
        warn(f"{path}: joints of {topic} that are not used: {', '.join(sorted(others))}")
    t = np.array(times)
    arrays = {what: np.array(kept) if len(kept) == len(t) else None for what, kept in rows.items()}
    assert arrays["position"] is not None
    return Measurements(arrays["position"], arrays["velocity"], None, arrays["effort"], t - t[0])
