"""Spellings of equations in papers and programs: read as one, and nothing of the text is run."""

from __future__ import annotations

import os
import random

import pytest
import sympy
from test_same_as import TWO_LINK

import linkwright as lw
from linkwright.errors import InputError, LinkwrightError, UnknownNameError
from linkwright.symbolic.derivation.given.statements import MOST_LETTERS, entries_of, equation_text
from linkwright.symbolic.output.notation import FORMS

ARM = lw.equations(lw.load("two_link"))
H2 = "m2*l1*lg2*sin(th2)*dth1^2"
M12 = "m2*(lg2**2 + l1*lg2*cos(th2)) + I2"


@pytest.mark.parametrize(
    "typed",
    [
        "h2 = dth1^2*l1*lg2*m2*sin(th2)",
        "h2 = dtheta1**2*l1*lg2*m2*sin(theta2)",
        "h2 = m2*l1*lg2*sin(th2)*dot(th1)^2",
        "h2 = m2*l1*lg2*sin(th2)*th1dot^2",
        "h2 = m2*l1*lg2*sin(th2)*th1_dot*thdot1",
        "h2 = m2*l1*lg2*np.sin(th2)*dth1**2",
        "h2 = m2*l1*lg2*math.sin(th2)*sp.diff(th1, t)**2",
        "h2 = m2*l1*lg2*std::sin(th2)*pow(dth1, 2);",
        "double h2 = m2*l1*lg2*sin(th2)*dth1*dth1;",
        "h(2) = m2.*l1.*lg2.*sin(q(2)).*dq(1).^2;",
        "h[1] = m2*l1*lg2*sin(q[1])*dq[0]**2",
        "h[2]: m2*l1*lg2*sin(th2)*'diff(th1, t, 1)^2$",
        "(%o7) h[2] = m2*l1*lg2*cos(th2 - %pi/2)*'diff(th1(t), t)^2",
        "h2 = m2*l1*lg2*sin(th2(t))*Derivative(th1(t), t)**2",
        "h2 = m2*l1*lg2*sin(th2)*dth1^2 + 0*(ddth1 + diff(th1, t, 2) + Derivative(th1(t), (t, 2)) - ddot(th2))",
        "h_2 = m_2*l_1*l_g2*sin(theta_2)*theta_1_dot^2",
        "h_2 = m_2*l_1*lg_2*sin(θ₂)*θ̇₁²",
        "h2 = Rational(1, 2)*m2*l1*lg2*sin(th2)*2.0d0*dth1**2  ! Fortran",
    ],
)
def test_the_tutorials_line_in_many_spellings(typed):
    compared = ARM.same_as(typed)
    assert compared, compared
    assert compared.compared == ("h[2]",)
    assert not ARM.same_as(typed.replace("m2", "2*m2").replace("m_2", "2*m_2"))


MATRICES = [
    "M : matrix([{}, {}], [{}, {}])$",
    "M = np.array([[{},\n     {}],\n    [{}, {}]], dtype=float)",
    "M = Matrix([[{}, {}], [{}, {}]])",
    "M = [{}, ...\n   {};\n   {}, {}];",
    "M = [{}, {}\n     {}, {}]",
    "M = [[{}, {}], [{}, {}]]",
]


@pytest.mark.parametrize("matrix", MATRICES)
def test_matrices_of_programs(matrix):
    entries = [TWO_LINK[f"M[{i},{j}]"] for i in (1, 2) for j in (1, 2)]
    compared = ARM.same_as(matrix.format(*entries))
    assert compared
    assert compared.compared == ("M[1,1]", "M[1,2]", "M[2,1]", "M[2,2]")
    wrong = ARM.same_as(matrix.format(*entries[:2], "0", entries[3]))
    assert [one.place for one in wrong.differences] == ["M[2,1]"]


def test_vectors_and_equations_of_motion_in_one():
    h = f"{TWO_LINK['h[1]']}, {TWO_LINK['h[2]']}"
    for text in (f"h = [{h}]", f"h = matrix([{h.replace(', ', '], [')}])", f"h = [{h.replace(', ', '; ')}]';"):
        assert ARM.same_as(text).compared == ("h[1]", "h[2]")
    rows = []
    for k in (1, 2):
        inertial = " + ".join(f"({TWO_LINK[f'M[{k},{j}]']})*ddth{j}" for j in (1, 2))
        rows.append(f"{inertial} + {TWO_LINK[f'h[{k}]']} + {TWO_LINK[f'g[{k}]']}")
    assert ARM.same_as(f"tau = [{rows[0]},\n {rows[1]}]").compared == ("tau[1]", "tau[2]")
    assert not ARM.same_as(f"tau = [{rows[1]}, {rows[0]}]")
    momentum = f"({TWO_LINK['M[2,1]']})*dth1 + ({TWO_LINK['M[2,2]']})*dth2"
    kept = f"{H2.replace('dth1^2', 'dth1*(dth1 + dth2)')} + {TWO_LINK['g[2]']}"
    assert ARM.same_as(f"tau2 = diff({momentum}, t) + {kept}")  # d/dt of the momentum is a derivative, too


def test_a_program_with_names_of_its_own():
    python = "\n".join(
        [
            "import numpy as np",
            "def terms(th1, th2, dth1, dth2):",
            '    """Inertia: M = 0."""',
            "    l1 = 0.5",
            "    c2 = np.cos(th2)  # as in h = 0",
            "    a = m2*l1*lg2",
            "    M = np.array([[m1*lg1**2 + m2*(l1**2 + lg2**2) + 2*a*c2 + I1 + I2,",
            "                   m2*lg2**2 + a*c2 + I2],",
            "                  [m2*lg2**2 + a*c2 + I2, m2*lg2**2 + I2]])",
            "    h2 = (a",
            "          * np.sin(th2)*dth1**2)",
            "    return M, h2",
        ]
    )
    compared = ARM.same_as(python)
    assert compared
    assert compared.defined == ("c2", "a")
    assert compared.lines == (7, 7, 7, 7, 10)
    assert compared.left_out == (1, 2, 4, 12)
    wrong = ARM.same_as(python.replace("a = m2*l1*lg2", "a = m1*l1*lg2"))
    assert {(one.place, one.line) for one in wrong.differences} == {(f"M[{p}]", 7) for p in ("1,1", "1,2", "2,1")} | {
        ("h[2]", 10)
    }
    with pytest.raises(UnknownNameError, match=r"line 2: unknown letter of the equations 's9'"):
        ARM.same_as(
            f"M12 = {M12}\ns9 = sin(th2)"
        )  # defined, but used by nothing: a misspelled M or h would be passed over
    with pytest.raises(InputError, match="definitions and values only"):
        ARM.same_as("l1 = 0.5")


def test_sines_and_cosines_of_textbooks():
    compared = ARM.same_as(
        "M12 = m2*(lg2^2 + l1*lg2*c2) + I2\ng1 = m2*g*(lg2*c12 + l1*c1) + m1*g*lg1*c_1\nh2 = m2*l1*lg2*s_2*dth1^2"
    )
    assert compared
    assert compared.abbreviations == (
        "c2 = cos(theta2)",
        "c12 = cos(theta1 + theta2)",
        "c1 = cos(theta1)",
        "c_1 = cos(theta1)",
        "s_2 = sin(theta2)",
    )
    assert ARM.same_as(r"g_2 = m_2 g l_{g2} (c_1 c_2 - s_1 s_2)")
    assert not ARM.same_as("c2 = sin(th2)\nM12 = m2*(lg2^2 + l1*lg2*c2) + I2")  # the text's own definition holds
    for name in ("c3", "c11", "s0", "c"):
        with pytest.raises(UnknownNameError):
            ARM.same_as(f"M22 = m2*lg2^2 + I2 + {name}*0")


def test_lines_that_continue_each_other():
    first, second = "g1 = m2*g*(lg2*cos(th1 + th2) + l1*cos(th1))", "m1*g*lg1*cos(th1)"
    for between in (" + ...\r\n  ", "\r\n  + ", " + ...\n  ", "\n  + ", " +\n", " \\\n + ", " &\n  & + "):
        assert ARM.same_as(first + between + second).lines == (1,)
    assert ARM.same_as(f"/* two\n lines */ h2 = {H2}\ng2 = {TWO_LINK['g[2]']}").lines == (2, 3)


def test_differing_terms_have_places_and_coefficients():
    compared = ARM.same_as(
        f"h2 = {H2}\nh1 = -m2*l1*lg2*sin(th2)*dth2*(dth1 + dth2)\ng2 = m2*g*lg2*sin(th1 + th2) + 3*I1"
    )
    first, second = compared.differences
    assert (first.place, first.line) == ("h[1]", 2)
    assert [one.text for one in first.terms] == [
        "m2*l1*lg2*sin(theta2)*theta1_dot*theta2_dot: coefficient -1, derived -2"
    ]
    assert (second.place, second.line) == ("g[2]", 3)
    assert {one.text for one in second.terms} == {
        "missing: m2*g*lg2*cos(theta1 + theta2)",
        "not derived: m2*g*lg2*sin(theta1 + theta2)",
        "not derived: 3*I1",
    }
    assert ARM.same_as("h2 = 1/l1").differences[0].terms == ()


def test_derivatives_by_time():
    pendulum = lw.equations(lw.load("pendulum"))
    t = sympy.Symbol("t")
    th = sympy.Function("th1")(t)
    m, lg, inertia, g = sympy.symbols("m1 lg1 I1 g")
    equation = sympy.Eq(sympy.Symbol("tau1"), (m * lg**2 + inertia) * th.diff(t, 2) + m * g * lg * sympy.sin(th))
    assert pendulum.same_as(equation)
    assert pendulum.same_as("tau = diff((m*lg^2 + I)*dot(th), t) - diff(m*g*lg*cos(th), t)/dot(th)")
    assert pendulum.same_as("tau = (m*lg^2 + I)*ddot(phi) + m*g*lg*sin(phi)", names={"phi": "theta1"})
    for wrong, said in (
        ("tau = dot(tau)", "derivative of tau1"),
        ("tau = ddot(dot(th))", "derivative of theta1_ddot"),
        ("tau = diff(th, t, 3)", "the first or the second"),
        ("tau = diff(th, th)", "by the time t"),
    ):
        with pytest.raises(InputError, match=said):
            pendulum.same_as(wrong)
    floating = lw.Builder("ball").body("b", 1.0, inertia=0.1).joint("j", "free", "world", "b").build()
    with pytest.raises(InputError, match="derivative of x1 by time is no letter"):
        lw.equations(floating).same_as("dot(x1)", "g[1]")


LATEX = [
    r"h_2 = m_2 l_1 l_{g2} \sin\theta_2 \dot\theta_1^2",
    r"$$h_{2} = m_2 l_1 l_{g2}\, \dot{\theta}_1^2 \sin(\theta_2).$$",
    r"h_2 = \frac{2 m_2}{2} l_1 l_{g2} \sin{q_2} \left( \frac{d}{dt}\theta_1 \right)^{2}",
    r"""
\begin{align}
h_2 &= m_2 l_1 \bigl( l_{g2} \\
    &\quad \sin \theta_2 \bigr) \dot{q}_1^{2}, \nonumber
\end{align}
""",
    r"h_{2} = \tfrac12 m_2 l_1 l_{g2} \sin\theta_2 \dot{\theta}_1 \cdot 2\dot{\theta}_1(t)",
]


@pytest.mark.parametrize("typed", LATEX)
def test_latex_of_papers(typed):
    compared = ARM.same_as(typed)
    assert compared, compared
    assert compared.compared == ("h[2]",)
    assert not ARM.same_as(typed.replace(r"\sin", r"\cos"))


def test_matrices_in_latex():
    m12 = r"m_2 (l_{g2}^2 + l_1 l_{g2} \cos\theta_2) + I_2"
    m11 = r"m_1 l_{g1}^2 + m_2 (l_1^2 + l_{g2}^2 + 2 l_1 l_{g2}\cos\theta_2) + I_1 + I_2"
    rows = rf"{m11} & {m12} \\ {m12} & m_2 l_{{g2}}^2 + I_2"
    for begin, end in (
        (r"\begin{bmatrix}", r"\end{bmatrix}"),
        (r"\left[\begin{array}{cc}", r"\end{array}\right]"),
        (r"\left( \begin{matrix}", r"\end{matrix} \right)"),
    ):
        assert ARM.same_as(f"M = {begin} {rows} {end}").compared == ("M[1,1]", "M[1,2]", "M[2,1]", "M[2,2]")


@pytest.mark.variants("form")
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", ["two_link", "planar:3", "chain3d:1", "damped"])
def test_latex_that_is_printed_is_read(name, form):
    builder = lw.Builder("damped").body("a", 1.0, (0.5, 0, 0), 0.1)
    builder.joint("j", "revolute", "world", "a", axis=(0, 1, 0), damping=0.3, friction=0.1).joint_spring(
        "j", 2.0, rest=0.2
    )
    made = lw.equations(builder.build() if name == "damped" else lw.load(name))
    what = "M,h,g,D,K" if name == "damped" else "M,h,g,C,E,U"
    compared = made.same_as(made.latex(form, what))
    assert compared, compared
    assert compared.compared == made.same_as(made.text(form, what)).compared


@pytest.mark.parametrize("name", ["two_link", "planar:3", "chain3d:1", "helical"])
def test_maxima_that_is_written_is_read(name):
    if name == "helical":  # π, and a sign
        builder = lw.Builder("screw").body("a", 1.0, (0.1, 0, 0), 0.1)
        made = lw.equations(builder.joint("j", ("helical", 0.2), "world", "a", friction=0.1).build())
    else:
        made = lw.equations(lw.load(name))
    what = "M,h,g,D" if name == "helical" else "M,h,g,C,E,U"
    text = made.maxima(what)
    assert made.same_as(text), made.same_as(text)
    assert text.count("$") == len(what.split(","))
    assert ("%pi" in text) == ("signum(" in text) == (name == "helical")
    assert not made.same_as(text.replace("m1", "2*m1"))


@pytest.mark.parametrize("language", ["text", "expanded", "angles"])
@pytest.mark.parametrize("name", ["two_link", "planar:3", "pendulum"])
def test_what_is_printed_is_read_as_python_matlab_and_maxima(name, language):
    made = lw.equations(lw.load(name))
    text = made.text("products" if language == "text" else language)
    n = made.coordinates.v
    for changed in (
        text,
        text.replace("^", "**").replace("sin(", "np.sin(").replace("cos(", "np.cos("),
        text.replace("^", ".^").replace("*", ".*") + ";",
        "\n".join(line.replace(" = ", " : ", 1) + "$" for line in text.splitlines()),
    ):
        compared = made.same_as(changed)
        assert compared, compared
        assert len(compared.compared) >= len(n)


HOSTILE = [
    *("(", "h2 = (", "h2 = m2*(l1", "h2 = [", "M = [[", "M = [[1,2],[3", "M = [[]]", "M = matrix()", "h2 = 1)"),
    *(
        "M = " + "[" * 100_000,
        "M = " + "[" * 50 + "]" * 50,
        "M = " + "matrix(" * 1000,
        "h2 = " + "dot(" * 70 + "th1" + ")" * 70,
    ),
    *("h2 = dot(th1", "h2 = diff(th1,t,", "h2 = diff(th1,x)", "h2 = Derivative(th1,(t", "h2 = dot(tau1)"),
    *("h2 = q[99999999999]", "h2 = q[-1]", "h2 = q[0][0]", "h2 = q(0)", "h2 = q[1", "h2 = m1(1)", "h2 = th1(x)"),
    *("h2 = %e", "h2 = np.os.system", "h2 = np.__import__('os')", "h2 = std::system(1)", "h2 = 'sin(th1)", "h2 = ''"),
    *("h2 = pow(2,1e9)", "h2 = pow(pow(pow(2,64),64),64)", "h2 = Rational(1,0)", "h2 = pow(th1)", "h2 == 1 == 2"),
    *("=", ":", "h2 =", "M[1,2,3] = 1", "h[100] = 0", "h[999999999999] = 1", "M[0] = 1", "tau = [1,2,3]", "tau[5] = 1"),
    *("$$$$;;;;", "\n" * 10_000, "\\\n" * 1000, "/*" * 1000, "#" * 1000, '"""', "h2 = \u202e1", "h2 = ∑", "h2 = ①"),
    *("h2 = 1e400", "h2 = 1d400", "x = x\nh2 = x", "x = y\ny = x\nh2 = x", "θ" * 50_000, "m1 = 1", "h2 = sign(th1)"),
    "a = (sin(th1)+sin(th2)+l1+l2+m1+m2)^40\nb = a*a\nh2 = b",
    "\n".join(f"a{k + 1} = a{k}*a{k}" if k else "a1 = th1+th2+l1+m2+2" for k in range(20)) + "\nh2 = a20",
    *("import os; os.system('touch made')\nh2 = 1; exec('x')", "h2 = open('made', 'w')", "h2 = {1}", "h2 = lambda: 1"),
    "h2 = " + "+".join(["a" * 1000] * 90),
    *(r"\frac", r"\frac{1}", r"h_2 = \frac{1}{0}", "h_2 = " + r"\frac{" * 2000, "h_2 = " + "{" * 50_000 + r"\theta"),
    *(
        r"h_2 = \dot",
        r"h_2 = \frac{d}{dt}",
        "h_2 = " + r"\dot" * 5000,
        "h_2 = " + r"\frac{d}{dt}" * 5000,
        r"h_2 = \sum x",
    ),
    *(r"M = \begin{bmatrix} 1 & 2 \\ 3 \end{bmatrix}", r"\begin{bmatrix}", r"h_2 = \input{/etc/passwd}", r"h_2 = x_{"),
    *(r"h_2 = \write18{touch made}", r"\def\a{\a}\a", r"h_2 = a^{b^{c^{d}}}", "h_2 = " + r"\theta " * 30_000),
    "h2 = 1\n" * (MOST_LETTERS // 7 + 1),
]


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_text_is_refused_and_does_nothing(text, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(LinkwrightError):
        ARM.same_as(text)
    assert os.listdir(tmp_path) == []


def test_random_text_is_read_or_refused():
    words = "h2 = M [ ] ( ) 1 , ; th1 dot diff t ' + - * / ^ . np. sin %pi % q 0 : $ tau matrix & ... θ ₁ # ==".split(
        " "
    )
    words += ["\n", "\\", " "]
    rng = random.Random(3)
    read = 0
    for _ in range(3000):
        text = "".join(rng.choice(words) for _ in range(rng.randint(1, 25)))
        try:
            ARM.same_as(text)
            read += 1
        except LinkwrightError:
            pass
    assert read < 3000


def test_entries_of_lists():
    assert entries_of("[a, f(b, c); d, [e]]") == [["a", "f(b, c)"], ["d", ["e"]]]
    assert entries_of("Matrix([[a], [b]]).T") == [["a"], ["b"]]
    assert entries_of("[a]*[b]") is None
    assert entries_of("q[0]") is None
    assert equation_text("h[0] = [0, 1]", bool).first == 0
    assert equation_text("h = [0, q[1]]", bool).first == 1
