"""Every robot of example-robot-data: it loads, and is the same mechanism as Pinocchio's."""

import warnings
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import numpy as np
import pytest

from linkwright.errors import FormatError, FormatWarning
from linkwright.formats.load import load

pin = pytest.importorskip("pinocchio", reason="Pinocchio is not installed (package pin)")

EMPTY = {"ur3.urdf"}  # a <robot> without links


def robot_files():
    """The .urdf files where the package puts them, which is no Python module."""
    try:
        robots = distribution("example-robot-data").locate_file("cmeel.prefix/share/example-robot-data/robots")
    except PackageNotFoundError:
        return []
    return [(Path(robots), file) for file in sorted(Path(robots).rglob("*.urdf"))]


FILES = robot_files()
pytestmark = pytest.mark.skipif(not FILES, reason="example-robot-data is not installed (the extra robots)")


def quietly(path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FormatWarning)
        return load(path)


def test_there_are_many():
    assert len(FILES) > 50


@pytest.mark.parametrize("file", [pytest.param(f, id=str(f.relative_to(folder))) for folder, f in FILES])
def test_same_mechanism_as_pinocchio(file):
    if file.name in EMPTY:
        with pytest.raises(FormatError, match="the robot has no links"):
            load(file)
        return
    ours, theirs = quietly(file), pin.buildModelFromUrdf(str(file))
    joints = {name: k for k, name in enumerate(theirs.names)}
    assert sorted(joint.name for joint in ours.joints) == sorted(list(theirs.names)[1:])
    assert sum(joint.motion.nv for joint in ours.joints) == theirs.nv
    assert ours.nv == sum(joint.motion.nv for joint in ours.joints if not joint.coupling)
    for joint, body in zip(ours.joints, ours.bodies, strict=True):
        inertia = theirs.inertias[joints[joint.name]]
        assert body.mass == pytest.approx(inertia.mass, rel=1e-12)
        if body.mass:
            np.testing.assert_allclose(body.center_of_mass, inertia.lever, rtol=0, atol=1e-12)
        scale = np.abs(inertia.inertia).max() + inertia.mass
        np.testing.assert_allclose(body.inertia, inertia.inertia, rtol=0, atol=1e-12 * scale)
    np.testing.assert_allclose(ours.welded.mass, theirs.inertias[0].mass, rtol=1e-12)


@pytest.mark.parametrize("file", [pytest.param(f, id=str(f.relative_to(folder))) for folder, f in FILES])
def test_same_poses_and_limits_as_pinocchio(file):
    if file.name in EMPTY:
        pytest.skip("it has no links")
    ours, theirs = quietly(file), pin.buildModelFromUrdf(str(file))
    generator = np.random.default_rng(1)
    q = {joint.name: joint.motion.sample(generator, joint.lower, joint.upper) for joint in ours.joints}
    full = np.zeros(theirs.nq)
    for k in range(1, theirs.njoints):
        at, x = theirs.idx_qs[k], q[theirs.names[k]]
        kind = theirs.joints[k].shortname()
        if theirs.nqs[k] == 2:  # a continuous joint
            full[at : at + 2] = np.cos(x[0]), np.sin(x[0])
        elif theirs.nqs[k] == 4 and "Planar" in kind:
            full[at : at + 4] = x[0], x[1], np.cos(x[2]), np.sin(x[2])
        elif theirs.nqs[k] == 7:
            full[at : at + 7] = [*x[:3], *x[4:], x[3]]
        else:
            assert theirs.nqs[k] == 1
            full[at] = x[0]
    data = theirs.createData()
    pin.framesForwardKinematics(theirs, data, full)
    poses = [np.eye(4)]
    for k, (link, joint) in enumerate(zip(ours.links, ours.joints, strict=True)):
        poses.insert(k, poses[link.parent] @ link.transform(q[joint.name]))  # the last is the world's
    compared = 0
    for frame, T in zip(theirs.frames, data.oMf, strict=True):
        if frame.type == pin.FrameType.BODY and frame.name not in ("universe", "world"):
            mine = ours.frames[frame.name]  # angles such as 3.14159265359 are read as π: 1e-10 each
            np.testing.assert_allclose(poses[mine.body] @ mine.placement, T.homogeneous, rtol=0, atol=1e-9)
            compared += 1
    assert compared >= len(ours.bodies)
    for joint in ours.joints:
        k = theirs.getJointId(joint.name)
        if theirs.nqs[k] == 1 and np.isfinite(joint.lower).all():
            at = theirs.idx_qs[k]
            assert (joint.lower, joint.upper) == (theirs.lowerPositionLimit[at], theirs.upperPositionLimit[at])
