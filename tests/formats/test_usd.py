"""USD stages with UsdPhysics: contents in any unit, and messages on mistakes."""

import re
import warnings
from contextlib import suppress

import numpy as np
import pytest

import linkwright as lw
from linkwright import dynamics
from linkwright.errors import FormatError, FormatWarning, LinkwrightError
from linkwright.formats.load import load
from linkwright.formats.usd import read_usd
from linkwright.model.joints.joint import Free

pytest.importorskip("pxr")

HEAD = """#usda 1.0
(
    defaultPrim = "arm"
    metersPerUnit = {m}
    kilogramsPerUnit = {kg}
    upAxis = "{up}"
)
"""

BODY = """
    def Xform "{name}" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"{more}])
    {{
        double3 xformOp:translate = ({x}, {y}, {z})
        uniform token[] xformOpOrder = ["xformOp:translate"]
        {mass}
{inside}
    }}
"""

MASS = """float physics:mass = {mass}
        point3f physics:centerOfMass = ({c[0]}, {c[1]}, {c[2]})
        float3 physics:diagonalInertia = ({I[0]}, {I[1]}, {I[2]})
        quatf physics:principalAxes = (1, 0, 0, 0)"""

JOINT = """
    def Physics{type}Joint "{name}"
    {{
        {ends}
        point3f physics:localPos0 = ({p[0]}, {p[1]}, {p[2]})
        quatf physics:localRot0 = (1, 0, 0, 0)
        point3f physics:localPos1 = ({r[0]}, {r[1]}, {r[2]})
        quatf physics:localRot1 = (1, 0, 0, 0)
        {more}
    }}
"""


def body(name, xyz=(0, 0, 0), mass="", inside="", more=""):
    x, y, z = xyz
    return BODY.format(name=name, x=x, y=y, z=z, mass=mass, inside=inside, more=more)


def joint(type, name, one, other, p=(0, 0, 0), r=(0, 0, 0), more=""):
    ends = [f"rel physics:body{k} = </arm/{end}>" for k, end in enumerate((one, other)) if end]
    return JOINT.format(type=type, name=name, ends="\n        ".join(ends), p=p, r=r, more=more)


def stage(*parts, m=1.0, kg=1.0, up="Z", world=""):
    return HEAD.format(m=m, kg=kg, up=up) + 'def Xform "arm"\n{' + "".join(parts) + "}\n" + world


def read(tmp_path, text, **options):
    (tmp_path / "arm.usda").write_text(text)
    return load(tmp_path / "arm.usda", trusted=True, **options)


def arm(unit=1.0, heavy=1.0):
    """Two links in a stage whose unit of length is so many meters, and of mass so many kg."""

    def lengths(*x):
        return tuple(value / unit for value in x)

    def mass(m, c, I):
        return MASS.format(mass=m / heavy, c=lengths(*c), I=tuple(x / heavy / unit**2 for x in I))

    limits = "float physics:lowerLimit = -90\n        float physics:upperLimit = 45"
    slide = f"float physics:lowerLimit = {0.1 / unit}\n        float physics:upperLimit = {0.4 / unit}"
    slide += f"\n        float drive:linear:physics:maxForce = {7.0 / heavy / unit}"
    slide += '\n        uniform token physics:axis = "Z"'
    about = f'uniform token physics:axis = "Y"\n        {limits}'
    return stage(
        body("upper", lengths(0, 0, 1), mass(2.0, (0.1, 0, 0.3), (0.02, 0.03, 0.01))),
        body("lower", lengths(0.5, 0, 1), mass(1.0, (0, 0, 0.2), (0.01, 0.01, 0.005))),
        joint(
            "Revolute",
            "hinge",
            "",
            "upper",
            lengths(0, 0, 1),
            more=about,
        ),
        joint("Prismatic", "slide", "upper", "lower", lengths(0.5, 0, 0), more=slide),
        m=unit,
        kg=heavy,
    )


def by_hand():
    limits = (-np.pi / 2, np.pi / 4)
    builder = lw.Builder("arm").body("upper", 2.0, [0.1, 0, 0.3], [0.02, 0.03, 0.01])
    builder.joint("hinge", "revolute", "world", "upper", xyz=[0, 0, 1], axis=[0, 1, 0], limits=limits)
    builder.body("lower", 1.0, [0, 0, 0.2], [0.01, 0.01, 0.005])
    return builder.joint(
        "slide",
        "prismatic",
        "upper",
        "lower",
        xyz=[0.5, 0, 0],
        axis=[0, 0, 1],
        limits=lw.JointLimits(0.1, 0.4, effort=7.0),
    ).build()


@pytest.mark.parametrize(("unit", "heavy"), [(1.0, 1.0), (0.01, 1.0), (0.01, 0.001)])
def test_an_arm_is_what_it_is_by_hand_in_any_unit(unit, heavy, tmp_path):
    model, other = read(tmp_path, arm(unit, heavy)), by_hand()
    assert [body.name for body in model.bodies] == ["upper", "lower"]
    assert [joint.name for joint in model.joints] == ["hinge", "slide"]
    rng = np.random.default_rng(0)
    for _ in range(3):
        q, v, a = rng.normal(size=(3, 2))
        tau = dynamics.inverse_dynamics(other, q, v, a)
        np.testing.assert_allclose(dynamics.inverse_dynamics(model, q, v, a), tau, rtol=2e-6)
        np.testing.assert_allclose(dynamics.pose(model, q, "lower"), dynamics.pose(other, q, "lower"), atol=1e-6)
    for one, two in zip(model.joints, other.joints, strict=True):
        for what in ("lower", "upper", "effort_limit"):
            np.testing.assert_allclose(getattr(one, what), getattr(two, what), rtol=1e-6)


def test_a_joint_may_name_its_bodies_in_either_order(tmp_path):
    mass = MASS.format(mass=1.0, c=(0.1, 0, 0), I=(0.1, 0.1, 0.1))
    axis = 'uniform token physics:axis = "Z"'
    bodies = body("a", mass=mass), body("b", (1, 0, 0), mass=mass)
    base = joint("Fixed", "base", "", "a")
    one = read(tmp_path, stage(*bodies, base, joint("Revolute", "j", "a", "b", (1, 0, 0), more=axis)))
    other = read(tmp_path, stage(*bodies, base, joint("Revolute", "j", "b", "a", (0, 0, 0), (1, 0, 0), more=axis)))
    # the coordinate is that of the second body in the first in both
    np.testing.assert_allclose(dynamics.pose(one, [0.3], "b"), dynamics.pose(other, [-0.3], "b"), atol=1e-12)


def test_what_no_joint_holds_floats_from_where_it_is(tmp_path):
    mass = MASS.format(mass=1.0, c=(0.1, 0, 0), I=(0.1, 0.1, 0.1))
    model = read(tmp_path, stage(body("a", (1, 2, 3), mass=mass, more=', "PhysicsArticulationRootAPI"')))
    assert isinstance(model.joints[0].motion, Free)
    np.testing.assert_allclose(dynamics.pose(model, model.neutral(), "a")[:3, 3], [1, 2, 3])


def test_a_second_way_round_closes_a_loop(tmp_path):
    mass = MASS.format(mass=1.0, c=(0.1, 0, 0), I=(0.1, 0.1, 0.1))
    axis = 'uniform token physics:axis = "Z"'
    left_out = f"{axis}\n        bool physics:excludeFromArticulation = 1"
    model = read(
        tmp_path,
        stage(
            body("a", mass=mass),
            body("b", (1, 0, 0), mass=mass),
            joint("Revolute", "j", "", "a", more=axis),
            joint("Revolute", "k", "a", "b", (1, 0, 0), more=axis),
            joint(
                "Revolute",
                "l",
                "",
                "b",
                (2, 0, 0),
                (1, 0, 0),
                left_out,
            ),
        ),
    )
    assert [(loop.name, loop.type) for loop in model.loops] == [("l", "revolute")]
    np.testing.assert_allclose(dynamics.constraint_residual(model, [0.0, 0.0]), 0.0, atol=1e-12)
    assert np.abs(dynamics.constraint_residual(model, [0.5, 0.0])).max() > 0.1


def test_masses_come_from_colliders(tmp_path):
    """By a density of the body, of a collider, or 1000 kg/m³; scaled to the mass that is given."""
    box = """
        def Cube "box" (prepend apiSchemas = ["PhysicsCollisionAPI"])
        {
            double size = 2
            float3 xformOp:scale = (0.5, 1, 1.5)
            uniform token[] xformOpOrder = ["xformOp:scale"]
        }"""
    model = read(tmp_path, stage(body("a", mass="float physics:density = 10", inside=box)))
    assert model.bodies[0].mass == pytest.approx(60.0)
    np.testing.assert_allclose(np.diag(model.bodies[0].inertia), 5.0 * np.array([13.0, 10.0, 5.0]), rtol=1e-6)
    model = read(tmp_path, stage(body("a", inside=box)))
    assert model.bodies[0].mass == pytest.approx(6000.0)
    model = read(tmp_path, stage(body("a", mass="float physics:mass = 12", inside=box)))
    np.testing.assert_allclose(np.diag(model.bodies[0].inertia), [13.0, 10.0, 5.0], rtol=1e-6)
    (shape,) = model.shapes
    assert (shape.kind, shape.size, shape.use) == ("box", (1.0, 2.0, 3.0), "both")


def test_shapes(tmp_path):
    inside = """
        def Sphere "ball" { double radius = 0.1 color3f[] primvars:displayColor = [(1, 0, 0)] }
        def Capsule "limb" (prepend apiSchemas = ["PhysicsCollisionAPI"])
        { double radius = 0.1 double height = 0.5 uniform token axis = "X" token visibility = "invisible" }
        def Mesh "tent"
        {
            point3f[] points = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0.5, 0.5, 1)]
            int[] faceVertexCounts = [4, 3, 3, 3, 3]
            int[] faceVertexIndices = [3, 2, 1, 0, 0, 1, 4, 1, 2, 4, 2, 3, 4, 3, 0, 4]
        }"""
    inside = inside.replace("double radius = 0.1 ", "double radius = 0.1\n").replace("0.5 uniform", "0.5\nuniform")
    inside = inside.replace('"X" token', '"X"\ntoken').replace("{ double", "{\ndouble").replace(" }\n", "\n}\n")
    mass = MASS.format(mass=1.0, c=(0.1, 0, 0), I=(0.1, 0.1, 0.1))
    ball, limb, tent = read(tmp_path, stage(body("a", mass=mass, inside=inside))).shapes
    assert (ball.kind, ball.radius, ball.use, ball.color) == ("sphere", 0.1, "visual", (1.0, 0.0, 0.0, 1.0))
    assert (limb.kind, limb.radius, limb.length, limb.use) == ("capsule", 0.1, 0.5, "collision")
    np.testing.assert_allclose(np.abs(limb.placement[:3, 2]), [1, 0, 0], atol=1e-12)
    assert tent.faces.shape == (6, 3)
    assert lw.mass_properties(tent, density=1.0).volume == pytest.approx(1.0 / 3.0)


def test_gravity(tmp_path):
    mass = MASS.format(mass=1.0, c=(0.1, 0, 0), I=(0.1, 0.1, 0.1))
    np.testing.assert_array_equal(read(tmp_path, stage(body("a", mass=mass), up="Y")).gravity, [0, -9.81, 0])
    given = "vector3f physics:gravityDirection = (1, 0, 0)\nfloat physics:gravityMagnitude = 162"
    text = stage(body("a", mass=mass), m=0.01, world=f'def PhysicsScene "s" {{\n{given}\n}}')
    np.testing.assert_allclose(read(tmp_path, text).gravity, [1.62, 0, 0], rtol=1e-6)


CROSSED = "float physics:lowerLimit = 9\nfloat physics:upperLimit = 1"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("not a stage", r"arm\.usda: "),
        ('#usda 1.0\ndef Xform "arm" {', r"arm\.usda: "),
        (stage(), "no prim is a rigid body"),
        (stage(body("a"), joint("Fixed", "j", "a", "a")), r"arm\.usda:/arm/j: it joins a body to itself"),
        (stage(body("a"), joint("Fixed", "j", "", "b")), "physics:body1 is /arm/b; there is no such prim"),
        (
            stage(
                body("a"),
                joint("Revolute", "j", "", "a", more=CROSSED),
            ),
            "/arm/j: its lower limit .* exceeds its upper limit",
        ),
    ],
)
def test_what_is_wrong_with_a_stage_is_reported(text, message, tmp_path):
    with pytest.raises(FormatError, match=message):
        read(tmp_path, text)


def test_what_is_not_used_is_reported(tmp_path):
    mass = MASS.format(mass=1.0, c=(0.1, 0, 0), I=(0.1, 0.1, 0.1))
    drive = 'uniform token physics:axis = "Z"\n        float drive:angular:physics:stiffness = 5'
    text = stage(body("a", mass=mass), joint("Revolute", "j", "", "a", more=drive))
    with pytest.warns(FormatWarning, match=r"not used: drives \(1: j\)"):
        read(tmp_path, text)


def test_a_stage_is_read_in_a_process_of_its_own(tmp_path):
    (tmp_path / "arm.usda").write_text(arm())
    model = load(tmp_path / "arm.usda")
    assert model == load(tmp_path / "arm.usda", trusted=True)
    with pytest.raises(FormatError, match="allowed is urdf"):
        load(tmp_path / "arm.usda", formats=["urdf"])


def test_what_colliders_are_like_to_touch(tmp_path):
    ball = """
        def Sphere "{name}" (prepend apiSchemas = ["PhysicsCollisionAPI", "MaterialBindingAPI"])
        {{
            double radius = 0.1
            {more}
        }}"""
    material = """
    def Material "rubber" (prepend apiSchemas = ["PhysicsMaterialAPI"])
    {
        float physics:dynamicFriction = 0.4
        float physics:staticFriction = 0.6
        float physics:restitution = 0.3
    }"""
    bound = "rel material:binding:physics = </arm/rubber>"
    mass = MASS.format(mass=1.0, c=(0.1, 0, 0), I=(0.1, 0.1, 0.1))
    filtered = "rel physics:filteredPairs = </arm/b>"
    one = body(
        "a",
        mass=mass + filtered.join(("\n", "\n")),
        more=', "PhysicsFilteredPairsAPI"',
        inside=ball.format(name="soft", more=bound),
    )
    two = body("b", mass=mass, inside=ball.format(name="hard", more="bool physics:collisionEnabled = 0"))
    world = """
    def Plane "floor" (prepend apiSchemas = ["PhysicsCollisionAPI"])
    {
        uniform token axis = "Z"
    }
"""
    model = read(tmp_path, stage(one, two, material, world))
    shapes = {shape.name: shape for shape in model.shapes}
    assert (shapes["soft"].friction, shapes["soft"].restitution) == pytest.approx((0.4, 0.3))
    assert shapes["hard"].friction is None
    assert not shapes["hard"].touches
    assert (shapes["floor"].body, shapes["floor"].kind) == ("world", "plane")
    assert model.excluded == (("a", "b"),)
    (pair,) = model.with_contact().pairs
    assert pair.friction == pytest.approx(0.4)


SOUND = (
    HEAD.format(m=1, kg=1, up="Z")
    + """
def Xform "arm"
{
    def Xform "a" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"])
    {
        float physics:mass = 2
        point3f physics:centerOfMass = (0, 0, 0)
        float3 physics:diagonalInertia = (1, 1, 1)
        quatf physics:principalAxes = (1, 0, 0, 0)
        def Mesh "m" (prepend apiSchemas = ["PhysicsCollisionAPI"])
        {
            int[] faceVertexCounts = [3, 3, 3, 3]
            int[] faceVertexIndices = [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3]
            point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
        }
    }
    def PhysicsRevoluteJoint "j"
    {
        rel physics:body1 = </arm/a>
        uniform token physics:axis = "Y"
        float physics:lowerLimit = -90
        point3f physics:localPos0 = (0, 0, 0)
    }
}
"""
)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("", "", ""),
        ("[3, 3, 3, 3]", "[3, 3, 3, 900]", "its faceVertexCounts do not fit its faceVertexIndices"),
        ("float physics:mass = 2", "moss physics:mass = 2", "physics:mass"),
        ("float physics:mass = 2", "float physics:mass = nan", "physics:mass is nan; expected finite numbers"),
        ("(1, 1, 1)", "(1, 1, 3e38)", ""),
        ("(1, 1, 1)", "(1, 1, inf)", "physics:diagonalInertia"),
        ("quatf physics:principal", "float3 physics:principal", ""),
        ('"Y"', '"Q"', "physics:axis is 'Q'; expected X, Y or Z"),
        ('upAxis = "Z"', 'upAxis = "Q"', "upAxis is 'Q'; expected X, Y or Z"),
        ("metersPerUnit = 1", "metersPerUnit = 0", "metersPerUnit is 0.0; expected a number above zero"),
        ('defaultPrim = "arm"', 'defaultPrim = "leg"', ""),
        ("rel physics:body1 = </arm/a>", "float physics:body1 = 3", ""),
        ("point3f physics:localPos0", "float physics:localPos0", ""),
    ],
)
def test_values_of_another_type_are_refused_alike_in_this_process(tmp_path, old, new, message):
    """None of them raises what is not the library's own: in this process nothing stands between OpenUSD and us."""
    path = tmp_path / "s.usda"
    path.write_text(SOUND.replace(old, new, 1) if old else SOUND)
    if not message:
        with suppress(LinkwrightError), warnings.catch_warnings(action="ignore"):
            read_usd(path, trusted=True)
        return
    with pytest.raises(FormatError, match=re.escape(message)):
        read_usd(path, trusted=True)


def test_a_message_of_openusd_that_is_not_utf_8(tmp_path):
    path = tmp_path / "s.usda"
    path.write_bytes(SOUND.encode().replace(b"uniform token", b"uniform t\xffken"))
    with pytest.raises(FormatError):
        read_usd(path, trusted=True)
