"""Equality of models, places of joints, builders that start from a model, and warnings."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
import warnings
from dataclasses import replace

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import FormatWarning, ModelError, UnknownNameError
from linkwright.model.build.assembly import assemble
from mechanisms import one_of_each, with_loops

NAMES = ["arm7", "humanoid", "stewart", "four_bars:2"]

ODD = """<robot name="odd">
  <link name="base"/><link name="arm"><inertial><mass value="1"/>
    <inertia ixx="1" iyy="1" izz="9" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="hinge" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/></joint>
</robot>
"""


def everything():
    """A mechanism with every joint type, couplings, springs, limits, frames and loops of every kind."""
    model = one_of_each(2)
    names = [joint.name for joint in model.joints if joint.motion.nq == 1 and not joint.coupling]
    first, second = names[:2]
    specs = [
        replace(spec, stiffness=2.0, damping=0.3, lower=-1.0, upper=2.0, armature=0.1, friction=0.2)
        if spec.name == first
        else spec
        for spec in model.description.joints
    ]
    builder = lw.Builder(assemble(replace(model.description, joints=tuple(specs))))
    builder.body("follower", 1.0, inertia=0.1)
    builder.joint("follows", "revolute", model.bodies[-1].name, "follower").mimic("follows", second, 2.0, 0.1)
    builder.spring(("world", (0, 0, 1)), ("follower", (0.1, 0, 0)), stiffness=3.0, damping=0.1)
    return with_loops(builder.build(), ["ball", "mask", "joint", "distance"], 5)[0].with_gravity((0.1, 0.2, -3.0))


@pytest.mark.parametrize("make", [everything, *(lambda name=name: lw.load(name) for name in NAMES)])
def test_equal_models_compare_equal(make):
    model = make()
    for other in (make(), pickle.loads(pickle.dumps(model)), copy.copy(model), copy.deepcopy(model)):
        assert other is not model
        assert other == model
        assert hash(other) == hash(model)
        assert not other.gravity.flags.writeable
    assert model.with_gravity(model.gravity) == model
    heavier = replace(model.links[0], rigid_inertia=model.links[0].rigid_inertia._replace(mass=77.0))
    for other in (
        replace(model, name="other"),
        replace(model, gravity=model.gravity + 1e-9),
        replace(model, links=(heavier, *model.links[1:])),
        replace(model, joints=(replace(model.joints[0], damping=model.joints[0].damping + 1.0), *model.joints[1:])),
        lw.Builder(model).frame("another", "world").build(),
        model.minimal(),
        model.name,
        None,
    ):
        assert other != model


@pytest.mark.parametrize("make", [everything, *(lambda name=name: lw.load(name) for name in NAMES)])
def test_a_builder_goes_on_from_a_model(make):
    model = make()
    assert lw.Builder(model).build() == model
    grown = lw.Builder(model).body("more", 1.0, inertia=0.1)
    grown = grown.joint("another", "revolute", model.bodies[-1].name, "more").build()
    assert grown.nq == model.nq + 1
    assert [joint.name for joint in grown.joints if joint.name != "another"] == [joint.name for joint in model.joints]
    assert (grown.loops, grown.springs) == (model.loops, model.springs)
    assert grown.frames.keys() == {*model.frames, "more"}
    assert np.array_equal(grown.gravity, model.gravity)
    for joint in model.joints:
        assert replace(grown.joint(joint.name), coupling=None) == replace(joint, coupling=None)


def test_a_builder_takes_what_the_model_says_now():
    """Not what the file said of it that it was made from."""
    arm = lw.load("arm7")
    moon = replace(arm, gravity=np.array([0.0, 0.0, -1.62]), name="moon")
    smooth = replace(moon, joints=tuple(replace(joint, damping=0.0 * joint.damping + 0.7) for joint in moon.joints))
    assert lw.Builder(smooth).build() == smooth
    assert np.array_equal(smooth.lock({"joint1": 0.3}).gravity, moon.gravity)
    assert lw.Builder(arm, gravity=(0, 0, -1.62)).build() == replace(moon, name=arm.name)
    with pytest.raises(ModelError, match=r"minimal model.*arm7"):
        lw.Builder(arm.minimal())


def test_springs_go_on_too():
    """Relaxed at the length that they had, whatever is locked or added, and next to new ones."""
    model = everything()
    assert lw.Builder(model).spring(("world", (0, 0, 1)), "follower").build().springs[0] == model.springs[0]
    first = next(joint.name for joint in model.joints if joint.nq == 1)
    tree = replace(model, loops=())
    assert tree.lock({first: 0.4}).springs == model.springs
    q = tree.random(seed=0)
    q[tree.slice(first).q] = 0.4
    free = np.ones(model.nq, dtype=bool)
    free[tree.slice(first).q] = False
    locked = tree.lock({first: 0.4})
    np.testing.assert_allclose(lw.spring_lengths(locked, q[free]), lw.spring_lengths(tree, q))


def test_where_joints_stand():
    model = everything()
    q, v = np.arange(float(model.nq)), np.arange(float(model.nv))
    for joint, own_q, own_v in zip(model.joints, model.coordinates(q), model.rates(v), strict=True):
        at_q, at_v = model.slice(joint.name)
        if joint.coupling:
            assert q[at_q].shape == v[at_v].shape == (0,)
        else:
            assert np.array_equal(q[at_q], own_q)
            assert np.array_equal(v[at_v], own_v)
    for wrong in ("nothing", 3, None):
        with pytest.raises(UnknownNameError, match="unknown joint"):
            model.slice(wrong)


def test_an_unknown_parent_lists_the_world():
    builder = lw.Builder("typo").body("a", 1.0, inertia=1.0)
    with pytest.raises(ModelError, match=r"unknown parent body 'wrold'; there are a, world"):
        builder.joint("hinge", "revolute", "wrold", "a").build()
    with pytest.raises(ModelError, match=r"frame 'tip': unknown body 'b'; there are a, world"):
        lw.Builder("frame").body("a", 1.0).joint("j", "revolute", "world", "a").frame("tip", "b").build()


def test_warnings_point_at_the_line_that_loads(tmp_path):
    file = tmp_path / "odd.urdf"
    file.write_text(ODD)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = lw.load(file)  # of the calls in between none is named
        lw.load(file, root="free")
        lw.Builder(model).build()
    assert [warning.category for warning in caught] == [FormatWarning] * 3
    assert {warning.filename for warning in caught} == {__file__}
    first = test_warnings_point_at_the_line_that_loads.__code__.co_firstlineno + 5
    assert [warning.lineno for warning in caught] == [first, first + 1, first + 2]


def test_warnings_on_the_command_line_are_in_words(tmp_path):
    file = tmp_path / "odd.urdf"
    file.write_text(ODD)
    command = [sys.executable, "-m", "linkwright.cli", "info", str(file)]
    done = subprocess.run([*command, "--verbose"], capture_output=True, text=True)
    assert done.returncode == 0
    assert "robot file:" in done.stderr
    assert "stacklevel" not in done.stderr
    assert "principal moments" in done.stderr
    if len(done.stderr.splitlines()) > 1:
        brief = subprocess.run(command, capture_output=True, text=True).stderr
        assert brief.count("\n") == 1
        assert "--verbose" in brief
