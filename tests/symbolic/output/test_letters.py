"""Which letters are listed with equations, what their values and meanings are, and whether equations are the same."""

from __future__ import annotations

import re

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import ModelError
from linkwright.symbolic import equations


def slider():
    """Of the sliding body nothing but its mass matters; lengths point backwards."""
    builder = lw.Builder("slider").body("a", 1.0, (0.5, 0, 0), 0.1).body("b", 2.0, (-0.4, 0, 0), 0.2)
    builder.joint("slide", "prismatic", "world", "a", axis=(1, 0, 0), xyz=(0, 0, 0.7))
    builder.joint("hinge", "revolute", "a", "b", axis=(0, 1, 0), xyz=(-0.2, 0, 0))
    return builder.frame("tip", "b", xyz=(-0.3, 0, 0)).build()


def follower(offset: float, turn: float = 0.0, motion: str = "revolute"):
    builder = lw.Builder("follower").body("a", 1.0, (0.5, 0, 0), 0.1).body("b", 1.0, (0.4, 0, 0), 0.1)
    builder.joint("lead", motion, "world", "a")
    builder.joint("follow", motion, "a", "b", xyz=(1, 0, 0), rpy=(0, 0, turn)).mimic("follow", "lead", offset=offset)
    return builder.build()


def test_only_letters_that_matter_are_listed(tmp_path):
    made = equations(slider())
    assert list(made.parameters) == ["m1", "m2", "g", "lg2", "I2"]
    assert made.meanings.keys() > made.parameters.keys()  # which has them all
    assert list(made.frame_parameters("tip")) == ["m1", "m2", "g", "lg2", "I2", "l0", "l1", "l2"]
    document = made.latex(document=True)
    table = document[document.index(r"\begin{longtable}") :]
    assert re.findall(r"^\$(.*?)\$ &", table, re.M) == ["m_{1}", "m_{2}", "g", "l_{g2}", "I_{2}"]
    only_m = made.latex(what="M", document=True)
    assert "$g$ &" not in only_m
    for source in (made.c(), made.c_header(), made.python(), made.octave(), made.fortran(), made.python("rhs")):
        assert not re.search(r"\b(I1|lg1|l0|l1)\b", source)
    assert re.findall(r"p: (\w+) =", made.c()) == list(made.parameters)
    assert "slider_equations_parameters[5]" in made.c()
    page = made.html(tmp_path / "page.html").read_text()
    assert "<code>lg2</code>" in page
    assert "<code>I1</code>" not in page
    assert "Only in these steps" in page  # of Lagrange's, which tell the height l0
    scope: dict = {}
    exec(made.python(), scope)
    q, v = np.array([0.3, 0.7]), np.array([0.2, -0.4])
    M, h, g = scope["slider_equations"](q, v, list(made.parameters.values()))
    np.testing.assert_allclose(M, lw.mass_matrix(slider(), q), atol=1e-14)
    np.testing.assert_allclose(np.add(h, g), lw.bias_forces(slider(), q, v), atol=1e-14)


def test_what_cancels_is_not_listed():
    """Not by the form that an algorithm gives it, but by what it is: cos² + sin² = 1."""
    upright = lw.Builder("upright").body("a", 1.0, (0.3, 0, 0), 0.1).body("b", 1.0, (0.1, 0, 0.2), 0.1)
    upright.joint("turn", "revolute", "world", "a", rpy=(0, 0, np.pi / 4))
    upright.joint("ball", "spherical", "a", "b", xyz=(0.5, 0, 0), damping=0.1).joint_spring("ball", 2.0)
    made = equations(upright.build())
    used = set().union(*(p.used() for name in ("mass_matrix", "velocity_forces", "gravity_forces", "friction_forces")
                         for p in made.polynomials(name).flat))  # fmt: skip
    assert made.parameters.keys() == used & {*made.parameters}
    assert made.parameters.keys() == used & {*made._plan.values}
    assert not any(name.startswith("k") for name in made.parameters)  # a ball's spring has no exact form
    assert len(equations(slider(), {"inertial": "all"}).parameters) > len(equations(slider()).parameters)


def test_dampers_count_beside_springs_between_bodies():
    """There D and K have no exact form, but the right-hand side has both."""
    builder = lw.Builder("hung").body("a", 1.0, (0.5, 0, 0), 0.1)
    builder.joint("hinge", "revolute", "world", "a", axis=(0, 1, 0), xyz=(0, 0, 0.6), damping=0.7).joint_spring(
        "hinge", 2.0, rest=0.3
    )
    model = builder.spring(("world", (0, 0, 1)), ("a", (0.5, 0, 0)), stiffness=5.0, damping=0.2).build()
    made = equations(model)
    assert {"b1", "k1", "rest1", "l0"} <= made.parameters.keys()
    scope: dict = {}
    exec(made.python("rhs"), scope)
    q, v = np.array([0.4]), np.array([-0.3])
    a = lw.forward_dynamics(model, q, v, lw.passive_forces(model, q, v))
    np.testing.assert_allclose(scope["hung_rhs"](0.0, [*q, *v]), [*v, *a], rtol=1e-12)


def test_lengths_are_positive():
    model = slider()
    made = equations(model)
    assert made.parameters["lg2"] == 0.4
    assert made.meanings["lg2"] == "from hinge to the center of mass of b along -x, m"
    assert all(value > 0.0 for value in made.frame_parameters("tip").values())
    assert made.frame_meanings("tip")["l2"] == "from b's joint to frame tip along -x of the first, m"
    given = equations(model, {"lg2": 0.4})
    q = np.array([0.1, 0.6])
    for one in (made, given):
        np.testing.assert_allclose(lw.mass_matrix(one.model, q), lw.mass_matrix(model, q), atol=1e-15)
        np.testing.assert_allclose(lw.pose(one.model, q, "tip"), lw.pose(model, q, "tip"), atol=1e-15)
    assert made.text().splitlines()[1] == "M[1,2] = m2*lg2*sin(theta2)"


@pytest.mark.parametrize("turn", [0.0, np.pi / 6])
def test_an_offset_is_called_one(turn):
    with pytest.raises(ModelError, match=r"the offset 0\.3 by which joint 'follow' follows 'lead' turns by angles"):
        equations(follower(0.3, turn), "numbers")
    made = equations(follower(0.3, turn))
    assert made.parameters["alpha2"] == 0.3
    assert made.meanings["alpha2"] == "turn of the offset 0.3 by which joint 'follow' follows 'lead' about z, rad"
    q = np.array([0.4])
    np.testing.assert_allclose(lw.mass_matrix(made.model, q), lw.mass_matrix(follower(0.3, turn), q), atol=1e-14)
    with pytest.raises(ModelError, match="the placement of joint 'follow' turns by angles"):
        equations(follower(np.pi / 3, 0.2), "numbers")
    for exact in (follower(-0.2, 0.2), follower(np.pi / 3, turn), follower(0.3, turn, "prismatic")):
        equations(exact, "numbers").text()


def test_the_same_equations_are_equal():
    model = lw.load("two_link")
    first, second = equations(model).canonical, equations(model, method="lagrange").canonical
    assert first == second
    different = first != second
    assert not different
    assert first.mass_matrix[0, 0] == second.mass_matrix[0, 0]
    assert hash(first.mass_matrix[0, 0]) == hash(second.mass_matrix[0, 0])
    # with other letters in the ring
    assert first == equations(lw.Builder(model).frame("more", "link1").build(), {"inertial": "symbols"}).canonical
    lifted = lw.Builder("lifted", gravity=model.gravity)
    for body in model.bodies:
        lifted.body(body.name, body.mass, body.center_of_mass, body.inertia)
    lifted.joint("joint1", "revolute", "world", "link1", xyz=(0, 0.3, 0))
    lifted.joint("joint2", "revolute", "link1", "link2", xyz=(1, 0, 0))
    assert equations(lifted.build()).canonical == first
    for other in (equations(model, "numbers"), equations(model.with_gravity((9.8, 0, 0))), equations(slider())):
        assert first != other.canonical
    assert first != 3
