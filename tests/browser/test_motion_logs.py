"""Logs of motions for Foxglove and Rerun, read by their own readers."""

from __future__ import annotations

from importlib.util import find_spec

import numpy as np
import pytest

import linkwright as lw
from linkwright.browser.recorded.motion_log import log_of
from linkwright.errors import ArgumentError, InputError, MissingExtraError, ShapeError
from linkwright.model.coordinates import velocity_names

MECHANISMS = ("two_link", "slider_crank", "stewart", "quadruped")


def on_ground():
    """Return a robot that falls on its feet."""
    return lw.load("quadruped").with_ground()


def with_welded_links():
    """Return an arm with a link that is welded to its tip, and one that is welded to the world."""
    builder = lw.Builder(lw.load("two_link").with_payload("tip", 0.1, name="gripper")).body("post", 1.0, inertia=0.1)
    return builder.joint("foot", "fixed", "world", "post", xyz=(1, 2, 3), rpy=(0.1, 0.2, 0.3)).build()


@pytest.fixture(scope="module", params=[*MECHANISMS, with_welded_links, on_ground])
def motion(request):
    model = request.param() if callable(request.param) else lw.load(request.param)
    return lw.simulate(model, *lw.default_configuration(model), 0.02, step=0.005)


def poses(motion):
    """Poses (n, bodies, 4, 4) of the links."""
    return lw.pose(motion.model, motion.q, frame=tuple(body.name for body in motion.model.bodies))


def test_the_log_has_all_links_and_coordinates(motion):
    log = log_of(motion)
    model = motion.model
    assert {one.name for one in log.joints} == {*model.coordinate_names, *velocity_names(model)}
    values = {(one.name, quantity): x for one in log.joints for quantity, x in one.values.items()}
    for k, name in enumerate(model.coordinate_names):
        assert np.array_equal(values[name, "position"], motion.q[:, k])
    for k, name in enumerate(velocity_names(model)):
        assert np.array_equal(values[name, "velocity"], motion.v[:, k])
        assert np.array_equal(values[name, "effort"], motion.tau[:, k])
    assert np.allclose(log.positions, poses(motion)[..., :3, 3])
    for strut in log.solids.struts:
        ends = log.strut_ends(strut)
        assert ends.shape == (len(motion.t), 2, 3)
        for k, (body, end) in enumerate(zip(strut.bodies, strut.ends, strict=True)):
            expected = end if body < 0 else (poses(motion)[:, body] @ np.append(end, 1.0))[..., :3]
            assert np.allclose(ends[:, k], expected)


def test_mcap(motion, tmp_path):
    pytest.importorskip("mcap_protobuf", reason="mcap-protobuf-support is not installed (the extra foxglove)")
    from mcap.reader import make_reader
    from mcap_protobuf.decoder import DecoderFactory

    file = motion.save(tmp_path / "motion.mcap")
    with file.open("rb") as stream:
        messages = [
            (schema.name, channel.topic, message.log_time, decoded)
            for schema, channel, message, decoded in make_reader(
                stream, decoder_factories=[DecoderFactory()]
            ).iter_decoded_messages()
        ]
    assert {(name, topic) for name, topic, _, _ in messages} == {
        ("foxglove.FrameTransforms", "/tf"),
        ("foxglove.JointStates", "/joint_states"),
        ("foxglove.SceneUpdate", "/robot"),
        *([("foxglove.SceneUpdate", "/contacts")] if motion.model.pairs else []),
    }
    of = {topic: [(time, one) for _, name, time, one in messages if name == topic] for _, topic, _, _ in messages}
    times = np.array([time for time, _ in of["/tf"]]) * 1e-9
    assert np.allclose(times, motion.t, rtol=0.0, atol=1e-9)
    links = tuple(body.name for body in motion.model.description.bodies)
    T = lw.pose(motion.model, motion.q, frame=links)
    for k, (time, message) in enumerate(of["/tf"]):
        found = {"world": np.eye(4)}
        for one in message.transforms:
            assert one.timestamp.ToNanoseconds() == time
            p, h = one.translation, one.rotation
            R = lw.rotation.from_quaternion([h.w, h.x, h.y, h.z])
            found[one.child_frame_id] = found[one.parent_frame_id] @ lw.transform.make(R, [p.x, p.y, p.z])
        assert found.keys() == {"world", *links}
        for link, X in zip(links, T[k], strict=True):
            assert np.allclose(found[link], X)
    for k, (_, message) in enumerate(of["/joint_states"]):
        given = {one.name: one.position for one in message.joints if one.HasField("position")}
        expected = dict(zip(motion.model.coordinate_names, motion.q[k].tolist(), strict=True))
        assert given == {name: x for name, x in expected.items() if not name.startswith("root.")}
    arrows = 0
    for k, (_, message) in enumerate(of.get("/contacts", [])):
        (entity,), (centers, forces) = message.entities, (x[k] for x in motion.contact_arrows)
        log, acting = log_of(motion).contacts, np.flatnonzero(forces.any(axis=-1))
        assert [one.key for one in entity.metadata] == [motion.contacts.names[pair] for pair in acting]
        for pair, one, given in zip(acting, entity.arrows, entity.metadata, strict=True):
            p, h = one.pose.position, one.pose.orientation
            along = lw.rotation.from_quaternion([h.w, h.x, h.y, h.z])[:, 0]
            found = along * (one.shaft_length + one.head_length) / log.scale
            assert np.allclose(found, forces[pair])
            assert np.allclose(np.array(given.value.split(), dtype=float), forces[pair])
            assert np.allclose([p.x, p.y, p.z], centers[pair])
            arrows += 1
    assert (arrows > 0) == bool(motion.model.pairs)
    solids = log_of(motion).solids
    entities = [one for _, message in of["/robot"] for one in message.entities]
    triangles = sum(len(part.indices) for one in entities for part in one.triangles)
    assert triangles == sum(solid.mesh.faces.size for solid in solids.solids) > 0
    assert all(one.frame_locked for one in entities if one.triangles)
    assert sum(len(one.lines) for one in entities) == len(solids.struts) * len(motion.t)


def test_rrd(motion, tmp_path):
    chunk = pytest.importorskip("rerun.chunk", reason="rerun-sdk is not installed (the extra rerun)")
    file = motion.save(tmp_path / "motion.rrd")
    batches = {}
    for one in chunk.RrdReader(file).stream():
        batches.setdefault(one.entity_path, []).append(one.to_record_batch())

    def column(path, ending):
        """The rows of a component in time."""
        (batch,) = batches[path]
        (name,) = (name for name in batch.schema.names if name.endswith(ending))
        return np.array(batch.column(name).to_pylist()).reshape(batch.num_rows, -1)

    model = motion.model
    for k, name in enumerate(model.coordinate_names):
        path = "/joints/position/" + escaped(name)
        assert np.array_equal(column(path, "Scalars:scalars")[:, 0], motion.q[:, k])
        times = [time.total_seconds() for time in column(path, "time")[:, 0]]
        assert np.allclose(times, motion.t, rtol=0.0, atol=1e-6)
    for k, body in enumerate(model.bodies):
        path = f"/{escaped(model.name)}/{escaped(body.name)}"
        assert np.allclose(column(path, "Transform3D:translation"), poses(motion)[:, k, :3, 3], atol=1e-6)
        quaternions = np.roll(column(path, "Transform3D:quaternion"), 1, axis=1)
        assert np.allclose(lw.rotation.from_quaternion(quaternions), poses(motion)[:, k, :3, :3], atol=1e-6)
    solids = log_of(motion).solids
    assert sum("solid_" in path for path in batches) == len(solids.solids) > 0
    assert any(path.endswith("struts") for path in batches) == bool(solids.struts)
    assert ("/contacts" in batches) == bool(model.pairs)
    for pair, name in enumerate(motion.contacts.names if model.pairs else ()):
        found = column("/contact_forces/" + escaped(name), "Scalars:scalars")
        assert np.array_equal(found, motion.contact_arrows[1][:, pair])


def test_rrd_has_textures(tmp_path):
    chunk = pytest.importorskip("rerun.chunk", reason="rerun-sdk is not installed (the extra rerun)")
    from PIL import Image

    pixels = np.random.default_rng(0).integers(0, 256, (2, 3, 3), dtype=np.uint8)
    Image.fromarray(pixels).save(tmp_path / "cover.png")
    (tmp_path / "plate.mtl").write_text("newmtl cover\nmap_Kd cover.png\n")
    corners = "v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 0 0.25\n"
    (tmp_path / "plate.obj").write_text(f"mtllib plate.mtl\n{corners}usemtl cover\nf 1/1 2/2 3/3\n")
    (tmp_path / "plate.urdf").write_text(
        '<robot name="r"><link name="base"/><link name="plate"><inertial><mass value="1"/><inertia ixx="1" iyy="1" '
        'izz="1" ixy="0" ixz="0" iyz="0"/></inertial><visual><geometry><mesh filename="plate.obj"/></geometry></visual>'
        '</link><joint name="j" type="continuous"><parent link="base"/><child link="plate"/></joint></robot>'
    )
    motion = lw.simulate(lw.load(tmp_path / "plate.urdf"), [0.0], [0.0], 0.01, step=0.005)
    file = motion.save(tmp_path / "motion.rrd")
    batches = [one.to_record_batch() for one in chunk.RrdReader(file).stream()]
    (batch,) = (one for one in batches if any("texcoords" in name for name in one.schema.names))

    def component(ending):
        (name,) = (name for name in batch.schema.names if name.endswith(ending))
        return batch.column(name).to_pylist()[0]

    places = dict(zip(map(tuple, component("vertex_positions")), component("vertex_texcoords"), strict=True))
    at = {place[:2]: tuple(corner) for place, corner in places.items()}  # Rerun counts from the upper left corner
    assert len(at) == 3
    assert sorted(at.values()) == [(0.0, 0.75), (0.0, 1.0), (1.0, 1.0)]
    assert bytes(component("albedo_texture_buffer")[0]) == pixels.tobytes()


def escaped(name):
    import rerun as rr

    return rr.escape_entity_path_part(name)


def test_wrong_calls(tmp_path):
    model = lw.load("two_link")
    motion = lw.simulate(model, np.zeros(2), np.zeros(2), 0.01, step=0.005)
    with pytest.raises(ArgumentError, match=r"\.npz, \.csv, \.mcap or \.rrd"):
        motion.save(tmp_path / "motion.bag")
    batch = lw.simulate(model, np.zeros((3, 2)), np.zeros(2), 0.01, step=0.005)
    for ending in ("mcap", "rrd"):
        with pytest.raises(ShapeError, match="batch"):
            batch.save(tmp_path / f"motion.{ending}")
    for ending, module in (("mcap", "mcap_protobuf"), ("rrd", "rerun")):
        if find_spec(module) is None:
            with pytest.raises(MissingExtraError, match="pip install"):
                motion.save(tmp_path / f"motion.{ending}")
    early = lw.simulate(model, np.zeros(2), np.zeros(2), 0.01, step=0.005)
    object.__setattr__(early, "t", early.t - 1.0)
    with pytest.raises(InputError, match="0 s or later"):
        log_of(early)
    assert list(tmp_path.iterdir()) == []
