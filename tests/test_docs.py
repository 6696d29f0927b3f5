"""The examples of the README, the docs and the docstrings run."""

from __future__ import annotations

import doctest
import importlib
import importlib.util
import pkgutil
import re
import sys
from functools import cache
from pathlib import Path

import pytest

import linkwright

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]
MODULES = sorted(m.name for m in pkgutil.walk_packages(linkwright.__path__, "linkwright."))

OF_EXTRAS = {
    "linkwright.bridges.casadi_functions": "casadi",
    "linkwright.bridges.pytorch": "torch",
    "linkwright.bridges.puffer": "pufferlib",
    "linkwright.bridges.rsl": "rsl_rl",
    "linkwright.bridges.stable_baselines": "stable_baselines3",
    "linkwright.bridges.xla": "jax",
    "linkwright.browser.recorded.foxglove_log": "mcap_protobuf",
    "linkwright.browser.recorded.rerun_log": "rerun",
}
"""Modules that cannot be imported without a package of an extra."""
OF_PAGES = {
    "batches.md": ("torch",),
    "casadi.md": ("casadi",),
    "optimize_geometry.md": ("torch",),
    "ppo.md": ("gymnasium", "stable_baselines3"),
    "pytorch_jax.md": ("torch", "jax"),
}
"""Packages of extras that the blocks of a page import."""


def has_examples(name: str) -> bool:
    """Return whether the source of a module has examples: to look through the objects of all modules takes long."""
    place = Path(linkwright.__file__).parent.parent.joinpath(*name.split("."))
    source = place / "__init__.py" if place.is_dir() else place.with_suffix(".py")
    return ">>> " in source.read_text(encoding="utf-8")


load = linkwright.load
load_once = cache(load)


def load_shared(name, *given, **options):
    """Load a mechanism; a built-in one of each name once for all pages, which share its kernels."""
    return load(name, *given, **options) if given or options or "." in str(name) else load_once(name)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_python_blocks_run(page, tmp_path, monkeypatch):
    for package in OF_PAGES.get(page.name, ()):
        pytest.importorskip(package, reason=f"{package} is not installed (an extra of its name)")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(linkwright, "load", load_shared)
    blocks = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    scope: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, page.name, "exec"), scope)


@pytest.mark.parametrize("name", [name for name in MODULES if has_examples(name)])
def test_docstring_examples(name):
    result = doctest.testmod(importlib.import_module(name))
    assert result.attempted > 0
    assert result.failed == 0


def test_every_module_can_be_imported():
    for name in MODULES:
        if name not in OF_EXTRAS or importlib.util.find_spec(OF_EXTRAS[name]):
            importlib.import_module(name)


def test_links_between_pages_exist():
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.relative_to(ROOT)} links to {target}"


@pytest.mark.skipif(not (ROOT / "tools").is_dir(), reason="this is no checkout")
def test_every_page_for_newcomers_is_a_program_too(monkeypatch):
    """`examples/` contains the programs of the pages that are run here."""
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    import write_examples

    programs = write_examples.programs()
    pages = [page for room in write_examples.ROOMS for page in (DOCS / room).glob("*.md")]
    result = {path.relative_to(ROOT / "examples").with_suffix(".md") for path in programs}
    without = {page.relative_to(DOCS) for page in pages} - result
    assert {page.stem for page in without} == {"index", "glossary", "installation", "troubleshooting"}
    for path, text in programs.items():
        assert path.read_text(encoding="utf-8") == text, "run python tools/write_examples.py"
    written = {path for room in write_examples.ROOMS for path in (ROOT / "examples" / room).glob("*.py")}
    assert written == set(programs)
    sys.modules.pop("write_examples")


@pytest.fixture
def extensions(monkeypatch):
    """Extensions of Sphinx in docs/sphinx."""
    pytest.importorskip("sphinx")
    monkeypatch.syspath_prepend(str(DOCS / "sphinx"))
    yield importlib.import_module
    for name in ("commands", "formulas", "pages"):
        sys.modules.pop(name, None)


@pytest.mark.skipif(not DOCS.is_dir(), reason="this is no checkout")
def test_the_page_of_commands_names_the_program_whoever_builds_it(extensions):
    commands = extensions("commands")
    options = {"heading-level": 2, "flatten-commands": None, "usage-name": "linkwright"}
    maker = commands.Commands.__new__(commands.Commands)
    text = maker._generate_documentation("linkwright.cli:app", commands.DirectiveOptions.from_dict(options))
    titles = re.findall(r"^linkwright (\S+)\n-+$", text, re.MULTILINE)
    usages = re.findall(r"^::\n\n    linkwright (\S+)(.*)$", text, re.MULTILINE)
    assert titles == [*sorted(t for t in titles if t[0] != "-"), "--install-completion"]
    assert {"simulate", "studio", "doctor"} < set(titles)
    assert [name for name, _ in usages] == titles
    assert all(re.fullmatch(r"( \[?[A-Z]+(\.\.\.)?\]?)*", rest) for _, rest in usages), usages


@pytest.mark.skipif(not DOCS.is_dir(), reason="this is no checkout")
def test_an_index_stands_beside_a_letter_with_a_dot(extensions):
    pattern = extensions("formulas").ACCENTED
    from docutils.utils.math.latex2mathml import tex2mathml

    assert pattern.search(tex2mathml(r"\dot v_d"))
    assert pattern.search(tex2mathml(r"\tilde x_{12}"))
    assert not pattern.search(tex2mathml(r"\sum_{i}^{n} x_i + \dot v"))


@pytest.mark.skipif(not DOCS.is_dir(), reason="this is no checkout")
def test_badges_of_the_readme_are_true(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    import draw_badges

    for name, text in draw_badges.badges().items():
        assert (DOCS / "pictures" / name).read_text(encoding="utf-8") == text, "run python tools/draw_badges.py"
    sys.modules.pop("draw_badges")


@pytest.mark.skipif(not DOCS.is_dir(), reason="this is no checkout")
def test_index_pages_list_linked_pages_first(extensions):
    children_of = extensions("pages").children_of
    pages = {"a/index", "a/one", "a/two", "a/one/detail", "a/sub/index", "a/sub/page", "b/other"}
    assert children_of("a/index", "[2](two.md) [3](sub/index.md#part)", pages) == ["two", "sub/index", "one"]
    assert children_of("a/one", "", pages) == ["one/detail"]
    assert children_of("b/other", "", pages) == []
