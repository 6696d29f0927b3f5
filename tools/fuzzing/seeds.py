"""Files that fuzzers begin with: written by the library itself, and small ones by hand."""

from __future__ import annotations

import json
import struct
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np

import linkwright as lw

MECHANISMS = ("two_link", "four_bar", "quadruped")


def written(ending: str) -> list[bytes]:
    """Built-in mechanisms as files of an ending."""
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings(action="ignore"):
        found = []
        for name in MECHANISMS:
            try:
                found.append(lw.load(name).save(Path(folder) / f"{name}{ending}").read_bytes())
            except lw.errors.ModelError:  # the format has no such joints or loops
                continue
        return found


URDF = b"""<robot name="r">
  <material name="red"><color rgba="1 0 0 1"/></material>
  <link name="a"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>
    <visual><origin xyz="0 0 1" rpy="0 1 0"/><geometry><box size="1 2 3"/></geometry><material name="red"/></visual>
    <collision><geometry><mesh filename="package://p/m.stl" scale="1 1 1"/></geometry></collision></link>
  <link name="b"/><link name="c"/>
  <joint name="j" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" effort="5" velocity="2"/><dynamics damping="0.1" friction="0.2"/></joint>
  <joint name="k" type="prismatic"><parent link="b"/><child link="c"/>
    <limit lower="0" upper="1" effort="1" velocity="1"/><mimic joint="j" multiplier="2" offset="0.1"/></joint>
</robot>
"""

SDF = b"""<sdf version="1.7"><model name="m" canonical_link="a"><pose>0 0 1 0 0 0</pose>
  <link name="a"><inertial><mass>2</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial>
    <visual name="v"><pose relative_to="f">0 0 1 0 0 0</pose><geometry><plane><normal>0 0 1</normal><size>1 1</size>
    </plane></geometry></visual>
    <collision name="w"><geometry><cylinder><radius>1</radius><length>2</length></cylinder></geometry></collision>
  </link><link name="b"/><frame name="f" attached_to="a"><pose>1 0 0 0 0 1</pose></frame>
  <joint name="j" type="revolute"><parent>f</parent><child>b</child><axis><xyz expressed_in="f">0 1 0</xyz>
    <limit><lower>-1</lower><upper>1</upper></limit><dynamics><damping>1</damping></dynamics></axis></joint>
  <model name="n"><link name="c"/><frame name="g" attached_to="c"/></model>
  <joint name="s" type="screw"><parent>b</parent><child>n::c</child><screw_thread_pitch>0.1</screw_thread_pitch>
    <axis><xyz>0 0 1</xyz></axis></joint>
</model></sdf>
"""

ZTK = b"""[roki::chain]
name: arm

[zeo::optic]
name: red
ambient: 1, 0, 0
diffuse: 1, 0, 0
alpha: 1

[zeo::shape]
name: s
type: cylinder
center: 0, 0, 0
center: 0, 0, 0.1
radius: 0.03
optic: red

[zeo::shape]
name: p
type: polyhedron
vert: 0 0 0 0
vert: 1 1 0 0
vert: 2 0 1 0
vert: 3 0 0 1
face: 0 1 2
face: 0 1 3

[roki::motor]
name: m
type: trq
min: -1
max: 1

[roki::link]
name: base
jointtype: fixed
mass: 1
stuff: s
shape: s

[roki::link]
name: one
jointtype: revolute
min: -90
max: 90
mass: 1
COM: 0, 0, 0.1
inertia: { 1, 0, 0, 0, 1, 0, 0, 0, 1 }
frame: { 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0.2 }
shape: p
motor: m
parent: base
"""

MJCF = b"""<mujoco model="m"><compiler angle="degree"/><option gravity="0 0 -9"/>
<default><geom density="100"/></default>
<asset><mesh name="t" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/><hfield name="h" nrow="2" ncol="2" size="1 1 1 1"/></asset>
<worldbody><geom type="plane" size="1 1 1"/><body name="a"><freejoint name="f"/><geom name="g" size="0.1"/>
<site name="s"/><body name="b" pos="0 0 1"><joint name="j" range="-90 90" ref="10" armature="0.1"/>
<joint name="k" type="slide" axis="1 0 0"/><geom type="mesh" mesh="t"/><site name="u" pos="0 1 0"/></body></body>
</worldbody><tendon><spatial name="n" stiffness="3"><site site="s"/><site site="u"/></spatial></tendon>
<equality><joint joint1="j" joint2="k" polycoef="0 1 0 0 0"/></equality>
<contact><exclude body1="a" body2="b"/></contact><actuator><motor name="q" joint="j"/></actuator></mujoco>
"""

XACRO = b"""<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:property name="n" value="${1 + 2}"/>
<xacro:arg name="x" default="1"/><xacro:macro name="l" params="name kind:='one two' size:=^|1 *block">
<link name="${name}"/><xacro:insert_block name="block"/><xacro:unless value="$(arg x)"><link name="${kind}"/>
</xacro:unless></xacro:macro><xacro:l name="a"><link name="b"/></xacro:l>
<xacro:if value="${n > 2}"><joint name="j" type="fixed"><parent link="a"/><child link="b"/></joint></xacro:if></robot>
"""

USD = b"""#usda 1.0
(
    defaultPrim = "arm"
    metersPerUnit = 1
    upAxis = "Z"
)
def Xform "arm"
{
    def Xform "a" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"])
    {
        double3 xformOp:translate = (0, 0, 1)
        uniform token[] xformOpOrder = ["xformOp:translate"]
        float physics:mass = 2
        point3f physics:centerOfMass = (0, 0, 0)
        float3 physics:diagonalInertia = (1, 1, 1)
        quatf physics:principalAxes = (1, 0, 0, 0)
        def Cube "c" (prepend apiSchemas = ["PhysicsCollisionAPI"])
        {
            double size = 2
        }
    }
    def Xform "b" (prepend apiSchemas = ["PhysicsRigidBodyAPI"])
    {
        def Mesh "m" (prepend apiSchemas = ["PhysicsCollisionAPI"])
        {
            int[] faceVertexCounts = [3, 3, 3, 3]
            int[] faceVertexIndices = [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3]
            point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
        }
    }
    def PhysicsRevoluteJoint "j"
    {
        rel physics:body0 = </arm/a>
        rel physics:body1 = </arm/b>
        uniform token physics:axis = "Y"
        float physics:lowerLimit = -90
        float physics:upperLimit = 90
        point3f physics:localPos0 = (0, 0, 0)
        quatf physics:localRot0 = (1, 0, 0, 0)
    }
}
"""

CORNERS = ((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1))
FACES = ((0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3))


def stl() -> list[bytes]:
    """A tetrahedron in binary and as text."""
    rows = [[x for corner in face for x in CORNERS[corner]] for face in FACES]
    binary = bytes(80) + struct.pack("<I", 4) + b"".join(struct.pack("<12fH", 0, 0, 0, *row, 0) for row in rows)
    facets = "".join(
        "facet normal 0 0 1\n outer loop\n" + "  vertex {} {} {}\n" * 3 + " endloop\nendfacet\n" for _ in rows
    )
    text = "solid t\n" + facets.format(*(x for row in rows for x in row)) + "endsolid t\n"
    return [binary, text.encode()]


OBJ = b"""mtllib none.mtl
o t
v 0 0 0
v 1 0 0
v 0 1 0
v 0 0 1
vt 0 0
vn 0 0 1
usemtl red
f 1/1/1 3/1/1 2/1/1
f 1 2 4
f 1//1 4//1 3//1
f 2 3 4
"""

DAE = b"""<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit name="u" meter="1"/><up_axis>Z_UP</up_axis></asset>
<library_geometries><geometry id="g"><mesh><source id="p">
<float_array id="a" count="12">0 0 0 1 0 0 0 1 0 0 0 1</float_array>
<technique_common><accessor source="#a" count="4" stride="3"><param name="X" type="float"/>
<param name="Y" type="float"/><param name="Z" type="float"/></accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<triangles count="4"><input semantic="VERTEX" source="#v" offset="0"/><p>0 2 1 0 1 3 0 3 2 1 2 3</p></triangles></mesh>
</geometry></library_geometries><library_visual_scenes><visual_scene id="s"><node id="n"><scale>1 2 1</scale>
<instance_geometry url="#g"/></node></visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#s"/></scene></COLLADA>
"""

CSV = [
    b"t,q:joint1,q:joint2,v1,v2,tau:joint1,tau:joint2\n" + b"0.0,0.1,0.2,0,0,1.0,2.0\n0.1,0.3,0.4,0,0,3,4\n" * 8,
    b"time;q1;q2;temperature\n" + b"0.5;1;2;nan\n" * 2000,
]

STUDY = [
    b'title = "t"\nmodel = "pendulum"\nfunction = "simulate"\nstore = "s"\nrows = 50\nseed = 1\nkeep = ["q"]\n'
    b"[with]\nduration = 2.0\n[vary]\nq0 = {uniform = [[0.1], [1.0]]}\nv0 = {normal = [[0.0], [0.1]]}\n[units]\n"
    b'q = "rad"\n',
    b'model = "two_link"\nfunction = "inverse_dynamics"\nsamples = "grid"\n[vary]\n'
    b"q = {linspace = [0, 1, 3]}\nv = [1, 2]\n",
]


def dh() -> list[bytes]:
    """A table of Denavit and Hartenberg as JSON."""
    table = lw.to_dh(lw.load("arm7"))
    rows = [{key: getattr(row, key) for key in ("a", "alpha", "d", "theta", "type")} for row in table.rows]
    return [json.dumps({"name": "arm", "convention": table.convention, "rows": rows}, default=float).encode()]


def archives(kind: str) -> Callable[[], list[bytes]]:
    """A trajectory, the weights of a policy or measurements (.npz)."""

    def make() -> list[bytes]:
        arm = lw.load("two_link")
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "a.npz"
            if kind == "trajectory":
                found = []
                for plan in (
                    lw.trajectories.polynomial(arm, [0, 0], [1, 1], duration=1.0),
                    lw.trajectories.polynomial(arm, [[0, 0], [1, 0]], [1, 1], duration=1.0),
                ):
                    plan.save(path)
                    found.append(path.read_bytes())
                return found
            if kind == "policy":
                policy = lw.Policy(arm, hidden=(2,))
                policy.save(path, policy.random(0))
            else:
                np.savez(path, t=np.arange(9.0), q=np.ones((9, 2)), v=np.ones((9, 2)), tau=np.ones((9, 2)))
            return [path.read_bytes()]

    return make


def bags(ending: str) -> Callable[[], list[bytes]]:
    """A recording of joint states."""

    def make() -> list[bytes]:
        from rosbags.rosbag1 import Writer as Writer1
        from rosbags.rosbag2 import StoragePlugin, Writer
        from rosbags.typesys import Stores, get_typestore

        one = ending == ".bag"
        types = get_typestore(Stores.ROS1_NOETIC if one else Stores.ROS2_HUMBLE)
        state, header = types.types["sensor_msgs/msg/JointState"], types.types["std_msgs/msg/Header"]
        time = types.types["builtin_interfaces/msg/Time"]
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"a{ending if one else ''}"
            plugin = StoragePlugin.MCAP if ending == ".mcap" else StoragePlugin.SQLITE3
            writer = Writer1(path) if one else Writer(path, version=9, storage_plugin=plugin)
            with writer:
                connection = writer.add_connection("/joint_states", state.__msgtype__, typestore=types)
                for k in range(4):
                    stamp, x = time(sec=7, nanosec=k), np.array([0.1 * k, 1.0])
                    head = header(seq=k, stamp=stamp, frame_id="") if one else header(stamp=stamp, frame_id="")
                    message = state(header=head, name=["joint1", "joint2"], position=x, velocity=x, effort=x)
                    serialize = types.serialize_ros1 if one else types.serialize_cdr
                    writer.write(connection, 7 * 10**9 + k, serialize(message, state.__msgtype__))
            return [path.read_bytes() if one else next(path.glob(f"*{ending}")).read_bytes()]

    return make
