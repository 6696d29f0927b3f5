"""Meshes as convex parts: holes and bays stay open, everything else of the model stays."""

from dataclasses import replace

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import ArgumentError, InputError, ModelError, UnknownNameError
from linkwright.formats.meshes.reading import mesh_of

pytest.importorskip("coacd", reason="CoACD is not installed (the extra decomposition)")
trimesh = pytest.importorskip("trimesh")

RING = trimesh.creation.annulus(0.05, 0.1, 0.04)


def world(use="both", **options):
    """A ring at rest, and a ball that moves freely."""
    builder = lw.Builder("ring").body("stand").joint("s", "fixed", "world", "stand")
    builder.mesh("stand", vertices=RING.vertices, faces=RING.faces, name="ring", use=use, **options)
    builder.body("ball", 1.0, inertia=0.01).joint("b", "free", "world", "ball")
    return builder.shape("ball", "sphere", radius=0.02).build()


@pytest.fixture(scope="module")
def parts():
    return lw.decompose_meshes(world())


def test_a_ball_passes_the_hole_of_a_ring(parts):
    inside, through = [0, 0, 0, 1, 0, 0, 0], [0.075, 0, 0, 1, 0, 0, 0]
    assert lw.collisions(world().with_contact(), inside).any, "the hull closes the hole"
    assert not lw.collisions(parts.with_contact(), inside).any
    assert lw.collisions(parts.with_contact(), through).any
    distance = lw.distances(parts.with_contact(), inside).distance.min()
    assert distance == pytest.approx(0.03, abs=0.05 * 0.2)


def test_parts_are_inside_the_hull_and_fill_the_mesh(parts):
    hulls = [shape for shape in parts.shapes if shape.use == "collision"]
    assert len(hulls) > 4
    assert {shape.name for shape in hulls} == {f"ring_{n}" for n in range(len(hulls))}
    volumes = [trimesh.Trimesh(*mesh_of(shape)).convex_hull.volume for shape in hulls]
    assert sum(volumes) == pytest.approx(RING.volume, rel=0.15)
    V = np.concatenate([shape.vertices for shape in hulls])
    assert np.abs(np.hypot(V[:, 0], V[:, 1])).max() < 0.1 + 0.005
    assert [shape.use for shape in parts.shapes if shape.name == "ring"] == ["visual"]
    assert max(lw.convex_hull(shape).error for shape in hulls) < 1e-3


def test_options(parts):
    contact = lw.ContactProperties(friction=0.3)
    few = lw.decompose_meshes(world("collision", contact=contact), ["ring"], parts=3)
    assert 2 <= sum(shape.kind == "mesh" for shape in few.shapes) <= 3
    assert {shape.friction for shape in few.shapes if shape.kind == "mesh"} == {0.3}
    assert len(lw.decompose_meshes(world(), concavity=0.9).shapes) < len(parts.shapes)


def test_a_convex_mesh_and_listed_pairs_stay():
    box = trimesh.creation.box((0.1, 0.1, 0.1))
    builder = lw.Builder(world()).body("box").joint("f", "fixed", "world", "box")
    model = builder.mesh("box", vertices=box.vertices, faces=box.faces, name="box").build()
    ring, ball, cube = range(3)
    listed = tuple(pair for pair in model.with_contact().pairs if {pair.first, pair.second} == {ring, ball})
    model = replace(model, listed_pairs=tuple(replace(pair, friction=0.1) for pair in listed))
    made = lw.decompose_meshes(model)
    (kept,) = [shape for shape in made.shapes if shape.name == "box"]
    assert np.array_equal(kept.vertices, model.shapes[cube].vertices)
    slippery = {made.shapes[pair.second].name for pair in made.with_contact().pairs if pair.friction == 0.1}
    assert slippery == {shape.name for shape in made.shapes if shape.name.startswith("ring_")}


def test_wrong_calls():
    with pytest.raises(ModelError, match=r"has contact pairs: decompose its meshes before with_ground"):
        lw.decompose_meshes(world().with_contact())
    with pytest.raises(ModelError, match=r"no shape of 'ball' is a collision mesh"):
        lw.decompose_meshes(world(), ["ball"])
    with pytest.raises(UnknownNameError, match="rung"):
        lw.decompose_meshes(world(), ["rung"])
    with pytest.raises(ArgumentError, match="only is a list of names"):
        lw.decompose_meshes(world(), "ring")
    for wrong in (0.0, 2.0, "fine"):
        with pytest.raises(InputError, match="concavity"):
            lw.decompose_meshes(world(), concavity=wrong)
