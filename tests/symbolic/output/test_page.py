"""The page of the equations: well formed, complete, and set by a browser without a network."""

from __future__ import annotations

import io
import re
from functools import cache
from html import unescape
from html.parser import HTMLParser
from xml.etree import ElementTree

import numpy as np
import pytest
from test_constraint_rows import four_bar
from test_equations import at, once, with_joint

import linkwright as lw
from linkwright.errors import InputError, UnknownNameError
from linkwright.symbolic import equations
from linkwright.symbolic.interpretation.explanation import Symbol
from linkwright.symbolic.output.mathml import mathml_formula, mathml_name, mathml_of, mathml_pieces
from linkwright.symbolic.output.page import ENTRY_TERMS, SECTION_TERMS, page
from shortened import long_form

VOID = {"meta", "br", "link", "img", "input"}


class Outline(HTMLParser):
    """Elements, checked to be closed in the order they were opened."""

    def __init__(self, text: str):
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None], tuple[str, ...]]] = []
        self.words: dict[str, list[str]] = {}
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes), tuple(self.open)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        assert "svg" in self.open, f"<{tag}/> is no HTML"
        self.elements.append((tag, dict(attributes), tuple(self.open)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open:
            self.words.setdefault(self.open[-1], []).append(data)

    def count(self, tag: str) -> int:
        return sum(1 for each, _, _ in self.elements if each == tag)


def words_of(text: str) -> str:
    return unescape(re.sub("<[^>]*>", " ", text))


def free_body() -> lw.Model:
    builder = lw.Builder("ball").body("b", 1.0, (0.1, 0, 0.2), [[0.2, 0, 0.02], [0, 0.25, 0], [0.02, 0, 0.3]])
    return builder.joint("j", "free", "world", "b").build()


@cache
def equations_of(name: str):
    """The equations of a mechanism, the same for all tests."""
    return equations(free_body() if name == "ball" else lw.load(name))


@cache
def page_of(name: str) -> str:
    return page(equations_of(name))


@pytest.fixture(scope="module")
def two_link() -> str:
    return page_of("two_link")


def test_well_formed_and_complete(two_link):
    found = Outline(two_link)
    assert two_link.startswith("<!DOCTYPE html>")
    assert next(attributes for tag, attributes, _ in found.elements if tag == "html") == {"lang": "en"}
    assert [tag for tag, _, _ in found.elements if re.fullmatch("h[12]", tag)] == ["h1"] + ["h2"] * 6
    inside = {tag: {where[-1] for each, _, where in found.elements if each == tag} for tag in ("summary", "h2", "pre")}
    assert inside == {"summary": {"details"}, "h2": {"section"}, "pre": {"details"}}
    # one printed form (both are the same), expanded, C, energies and momentum, explanations, two bodies,
    # energies, two coordinates, four languages,
    # LaTeX and text, pose and Jacobian
    result = len(equations_of("two_link").explanation().sections)
    assert result > 2
    assert found.count("details") == found.count("summary") == 1 + 3 + result + 2 + 1 + 2 + 4 + 2 + 2
    drawing = next(attributes for tag, attributes, _ in found.elements if tag == "svg")
    assert drawing["role"] == "img"
    assert "two_link" in drawing["aria-label"]
    labels = {attributes["id"] for _, attributes, _ in found.elements if "id" in attributes}
    linked = {attributes["href"][1:] for tag, attributes, _ in found.elements if tag == "a"}
    assert linked == labels
    assert "M 2,2 = m 2 l g 2 2 + I 2" in re.sub(r"[\s\u2062]+", " ", words_of(two_link))
    text = "".join(found.words["code"])
    for language in ("void two_link_eq", "def two_link_eq", "function [M, h, g]", "subroutine two_link_eq"):
        assert language in text
    assert "from joint2 to the center of mass of link2 along x, m" in found.words["td"]
    counts = equations_of("two_link").canonical
    assert {str(sum(map(len, form.flat))) for form in counts} <= set(found.words["td"])


@pytest.mark.parametrize("name", ["two_link", "ball"])
def test_nothing_is_fetched(name):
    text = page_of(name)
    for tag, attributes, _ in Outline(text).elements:
        assert tag not in ("link", "img", "iframe", "object")
        assert not {"src", "srcset", "data", "action", "style_src"} & set(attributes)
        assert attributes.get("href", "#").startswith("#")
        assert "url(" not in attributes.get("style", "")
    style = re.search(r"<style>(.*?)</style>", text, re.DOTALL)[1]
    assert "url(" not in style
    assert "@import" not in style
    assert set(re.findall(r"https?://[^\"<\s]+", text)) <= {"http://www.w3.org/2000/svg"}  # a name, not a place
    assert "default-src 'none'" in text


def value_of(element: ElementTree.Element, values: dict[str, float]) -> str:
    """An element of MathML as Python; ``values`` are by what their names look like."""
    shown = ElementTree.tostring(element, encoding="unicode")
    if shown in values:
        return f"({values[shown]!r})"
    inner = list(element)
    match element.tag:
        case "mi" if element.text in ("sin", "cos"):
            return f"np.{element.text}"
        case "mi" if element.text == "π":
            return "np.pi"
        case "mn":
            return element.text
        case "mo":
            return {"−": "-", "·": "*", "\u2062": "*", "\u2061": ""}.get(element.text, element.text)
        case "mrow" | "math":
            return "".join(value_of(each, values) for each in inner)
        case "msup" if inner[0].text in ("sin", "cos"):
            return f"power({value_of(inner[0], values)}, {value_of(inner[1], values)})"
        case "msup":
            return f"{value_of(inner[0], values)}**({value_of(inner[1], values)})"
        case "msubsup":
            base, index = (ElementTree.tostring(each, encoding="unicode") for each in inner[:2])
            return f"({values[f'<msub>{base}{index}</msub>']!r})**({value_of(inner[2], values)})"
        case "mfrac":
            return f"(({value_of(inner[0], values)})/({value_of(inner[1], values)}))"
        case "msqrt":
            return f"({value_of(inner[0], values)})**0.5"
    raise AssertionError(shown)


def powered(function, n):
    return lambda x: function(x) ** n


@pytest.mark.variants("parameters", "form")
@pytest.mark.parametrize("form", ["products", "angles"])
@pytest.mark.parametrize("parameters", ["numbers", "symbols"])
@pytest.mark.parametrize("kind", ["helical", "planar", "spherical", "universal"])
def test_what_is_typeset_is_what_was_derived(kind, parameters, form):
    model = with_joint(kind)
    made = once(model, parameters)
    numbers, q, v = at(made, model)
    names = made.parameters | dict(zip(made.coordinates.q, q, strict=True))
    names |= dict(zip(made.coordinates.v, v, strict=True))
    looks = {mathml_name(name): float(x) for name, x in names.items()}
    assert len(looks) == len(names)  # no two look the same
    for array, expected in zip(made.canonical, numbers, strict=True):
        for p, x in zip(array.flat, expected.flat, strict=True):
            pieces = mathml_pieces(made.grouped(p, form))
            assert "".join(pieces) == mathml_of(made.grouped(p, form))
            for piece in pieces:
                ElementTree.fromstring(f"<math>{piece}</math>")
            text = value_of(ElementTree.fromstring(f"<math>{''.join(pieces)}</math>"), looks)
            assert eval(text, {"np": np, "power": powered}) == pytest.approx(x, rel=1e-9, abs=1e-9)


def test_a_line_may_break_where_a_term_ends():
    made = equations(lw.load("planar:3"))
    pieces = mathml_pieces(made.grouped(made.canonical.mass_matrix[0, 0]))
    assert len(pieces) > 10
    assert max(len(re.sub("<[^>]*>", "", piece)) for piece in pieces) < 40


def test_names_are_escaped():
    builder = lw.Builder('<b>"&').body("<script>alert(1)</script>", 1.0, (0.1, 0, 0), 0.1)
    builder.joint("</td>&", "revolute", "world", "<script>alert(1)</script>")
    text = page(equations(builder.build()))
    found = Outline(text)
    assert found.count("script") == 1
    assert found.words["h1"] == ['<b>"&']
    assert "</td>&" in found.words["td"]


def test_too_large_is_reported_and_the_code_is_there():
    made = equations(lw.load("arm7"), term_limit=500)
    text = page(made)
    Outline(text)
    assert "reached" in text
    assert "more than 500" in text
    assert "Derivation" not in text
    assert "subroutine arm7_equations" in text


@pytest.mark.parametrize(("name", "most"), [("puma560", 2e6), *long_form(("arm7", 3e6))])
def test_pages_of_large_mechanisms_stay_small(name, most):
    made, text = equations_of(name), page_of(name)
    assert Outline(text).count("math") > 1000
    assert len(text.encode()) < most
    longest = max(len(p) for p in made.canonical.velocity_forces)
    assert longest > ENTRY_TERMS
    assert f"{longest} terms, too many to read" in words_of(text)
    assert made.canonical.terms > SECTION_TERMS


def test_what_vanishes_and_what_was_snapped_is_reported():
    builder = lw.Builder("slides").body("a", 1.0).body("b", 2.0)
    builder.joint("x", "prismatic", "world", "a", axis=(1, 0, 0))
    builder.joint("z", "prismatic", "a", "b", rpy=(1.5708, 0, 0))
    text = words_of(page(equations(builder.build())))
    assert "vanishes identically" in text
    assert "angles taken to multiples of π/12" in text


def squeezed(text: str) -> str:
    return re.sub(r"[\s\u2061\u2062]+", " ", words_of(text))


def test_kinematics_of_a_frame():
    made, text = equations_of("two_link"), squeezed(page_of("two_link"))
    assert "T 1,4 = l 1 cos θ 1 + l 2 cos ( θ 1 + θ 2 )" in text
    assert "J 6,2 = 1" in text
    text = squeezed(page(made, "link2"))
    assert "T 1,4 = l 1 cos θ 1 T 2,1 = sin ( θ 1 + θ 2 )" in text
    assert "J 2,1 = l 1 cos θ 1 J 6,1 = 1" in text
    with pytest.raises(UnknownNameError, match="tip"):
        page(made, "tp")
    quadruped = page(equations(lw.load("quadruped"), term_limit=2000))
    assert "Kinematics" not in quadruped  # it has no one end


def test_a_frame_that_is_not_exact_is_reported():
    builder = lw.Builder("odd").body("a", 1.0, (0.1, 0, 0), 0.1).joint("j", "revolute", "world", "a")
    made = equations(builder.frame("tool", "a", xyz=(0.3, 0, 0), rpy=(0.123, 0, 0)).build(), "numbers")
    text = words_of(page(made, "tool"))
    assert "multiples of π/12" in text
    assert "Gravity forces" in text


def sprung(kind: str) -> lw.Model:
    builder = lw.Builder("sprung").body("b", 1.0, (0.1, 0, 0), 0.2)
    return builder.joint("j", kind, "world", "b", damping=0.3, friction=0.1).joint_spring("j", 2.0).build()


def test_friction_and_springs_are_there_where_they_are():
    text = re.sub(r"[\s\u2061\u2062]+", " ", words_of(page(equations(sprung("revolute")))))
    assert "D 1 = b 1 θ ˙ 1 + μ 1 sign ( θ ˙ 1 )" in text
    assert "K 1 = k 1 θ 1" in text
    assert "M ( q ) v ˙ + h ( q , v ) + g ( q ) + D ( v ) + K ( q ) = τ" in text
    text = words_of(page(equations(sprung("spherical"))))
    assert "The springs of j have no exact form" in text
    assert "Friction forces" in text
    assert "Spring forces" not in text
    assert "Friction" not in words_of(page_of("two_link"))


def test_closed_loops():
    made = equations(four_bar())
    shown = page(made)
    text = squeezed(shown)
    assert "= τ + A T ( q ) λ" in text
    assert "A ( q ) v ˙ + b ( q , v ) = 0" in text
    for row in made.constraint_rows:
        assert row in text
    assert all(f"A {i + 1},{j + 1} =" in text for i, j in np.argwhere(made.polynomials("constraint_jacobian")))
    assert "A[1]" in shown  # in the code


@pytest.mark.parametrize("name", ["two_link", "ball", "puma560"])
def test_explanations_are_all_there(name):
    text = re.sub(r"\s+", "", words_of(page_of(name)))
    for section in equations_of(name).explanation().sections:
        assert section.title.replace(" ", "") in text
        for paragraph in section.paragraphs:
            for piece in paragraph:
                if isinstance(piece, str):
                    assert re.sub(r"\s+", "", piece) in text
                else:
                    for each in mathml_formula(piece.terms):
                        ElementTree.fromstring(f"<math>{each}</math>")


def test_signs_and_differences_in_formulas():
    minus = [re.findall('<mo form="(infix|prefix)">−', "".join(mathml_formula(tokens))) for tokens in (
        ("−π/2",), ("θ = −π/2",), (Symbol("a"), " - ", Symbol("b")), ("a − b",), ("exp(−t)",),
    )]  # fmt: skip
    assert minus == [["prefix"], ["prefix"], ["infix"], ["infix"], ["prefix"]]
    assert "<mi>exp</mi>" in "".join(mathml_formula(("exp(−t)",)))


def test_velocities_that_are_no_rates_are_reported():
    text = squeezed(page_of("ball"))
    assert "not all rates" in text
    assert "q ˙ w 1 = − 0.5 q x 1 ω x 1 − 0.5 q y 1 ω y 1 − 0.5 q z 1 ω z 1" in text
    assert "x ˙ 1 = ( 1 − 2 q y 1 2 − 2 q z 1 2 ) v x 1 + (" in text
    assert "Boltzmann and Hamel" in text
    assert "All others are zero" in text


def test_a_mechanism_that_cannot_move():
    Outline(page(equations(lw.load("pendulum").lock({"hinge": 0.0}))))


def test_writing(tmp_path, two_link):
    made = equations_of("two_link")
    path = made.html(tmp_path / "page.html")
    assert path.read_text(encoding="utf-8") == two_link
    assert made.html(tmp_path / "new" / "page.html").exists()
    with pytest.raises(InputError, match="cannot write"):
        made.html(tmp_path)


# in a browser

MEASURE = """(unfold) => {
  const all = (selector) => [...document.querySelectorAll(selector)];
  if (unfold) for (const each of all("details")) each.open = true;
  return {
    width: innerWidth,
    page: document.documentElement.scrollWidth,
    fetched: performance.getEntriesByType("resource").length,
    counts: Object.fromEntries("math details msub svg pre button".split(" ").map((tag) => [tag, all(tag).length])),
    heights: all("details[open] .equation math").map((each) => each.getBoundingClientRect().height),
    background: getComputedStyle(document.body).backgroundColor,
  };
}"""


@pytest.fixture
def show(browser, tmp_path):
    """Show the text of a page, without a network."""
    opened = []

    def shown(text: str, width: int, height: int = 900, **options):
        path = tmp_path / "page.html"
        path.write_text(text, encoding="utf-8")
        context = browser.new_context(viewport={"width": width, "height": height}, offline=True, **options)
        opened.append(context)
        page = context.new_page()
        page.goto(path.as_uri())
        return page

    yield shown
    for context in opened:
        context.close()


@pytest.mark.parametrize(("name", "width"), [("two_link", 400), ("ball", 400), ("puma560", 1300)])
def test_a_browser_sets_it(name, width, show):
    text = page_of(name)
    seen = show(text, width).evaluate(MEASURE, True)
    buttons = seen["counts"].pop("button")
    assert buttons == seen["counts"]["pre"]
    outline = Outline(text)
    assert seen["counts"] == {tag: outline.count(tag) for tag in seen["counts"]}  # nothing was thrown out
    assert seen["fetched"] == 0
    assert seen["width"] == width
    assert seen["page"] <= width  # long equations scroll in their own box
    assert len(seen["heights"]) > 50
    assert min(seen["heights"]) > 10
    assert max(seen["heights"]) > 1.3 * min(seen["heights"])  # indices and powers are set low and high


def test_light_and_dark(show, two_link):
    light, dark = (show(two_link, 800, color_scheme=scheme).evaluate(MEASURE, False) for scheme in ("light", "dark"))
    assert light["background"] == "rgb(255, 255, 255)"
    assert max(map(int, re.findall(r"\d+", dark["background"]))) < 60


def test_a_picture_of_it(show, two_link):
    from PIL import Image

    with Image.open(io.BytesIO(show(two_link, 800, 1600).screenshot())) as image:
        assert image.size == (800, 1600)
        pixels = np.asarray(image.convert("RGB"), dtype=int)
    link = (np.abs(pixels - (0, 0x72, 0xB2)).max(axis=2) < 8).sum()
    assert link > 1500  # the drawing, in its color
    assert (pixels.sum(axis=2) < 200).sum() > 3000  # text


def test_the_page_has_the_further_forms(tmp_path):
    text = page_of("two_link")
    for title in (
        "Expanded: without brackets",
        "With a matrix C of centrifugal and Coriolis forces",
        "Energies, center of mass and momentum",
        "The total mass is m",
    ):
        assert title in text
    based = equations(lw.load("two_link"), base_parameters=True).html(tmp_path / "page.html")
    assert "<summary>Energies</summary>" in based.read_text(encoding="utf-8")
    builder = lw.Builder("damped").body("a", 1.0, (0.5, 0, 0), 0.1)
    builder.joint("j", "revolute", "world", "a", damping=0.3)
    text = equations(builder.build()).html(tmp_path / "page.html").read_text(encoding="utf-8")
    assert "Rayleigh's dissipation function" in text
