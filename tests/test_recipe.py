"""The conda recipe names the dependencies, versions and programs of pyproject.toml."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

import linkwright

ROOT = Path(__file__).parent.parent
RECIPE = ROOT / "recipe" / "recipe.yaml"
pytestmark = pytest.mark.skipif(not RECIPE.exists(), reason="this is no checkout")

CONDA = {"matplotlib": "matplotlib-base", "torch": "pytorch"}
"""Names of packages that conda calls otherwise."""


@pytest.fixture(scope="module")
def recipe():
    yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")
    return yaml.safe_load(RECIPE.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def project():
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def by_name(requirements):
    """The bounds of each package, by its name in conda."""
    found = {}
    for one in requirements:
        name, bounds = re.fullmatch(r"([A-Za-z0-9_-]+)\s*(.*)", one).groups()
        found.setdefault(CONDA.get(name, name).lower(), set()).add(bounds.replace(" ", ""))
    return found


def test_dependencies_and_their_bounds_are_those_of_the_project(recipe, project):
    needed = by_name(project["project"]["dependencies"])
    assert by_name(recipe["requirements"]["run"]) == needed | {"python": {">=${{python_min}}"}}
    assert recipe["context"]["python_min"] == project["project"]["requires-python"].removeprefix(">=")
    backend = project["build-system"]["requires"]
    assert by_name(recipe["requirements"]["host"]).keys() == {"python", "pip", *by_name(backend)}


def test_constraints_are_bounds_of_extras(recipe, project):
    extras = by_name(one for some in project["project"]["optional-dependencies"].values() for one in some)
    constraints = by_name(recipe["requirements"]["run_constraints"])
    assert len(constraints) > 10
    for name, bounds in constraints.items():
        assert bounds <= extras[name], f"{name}: pyproject.toml has {extras[name]}"


def test_version_license_and_programs_are_those_of_the_project(recipe, project):
    assert recipe["package"]["name"] == project["project"]["name"]
    assert recipe["context"]["version"] == linkwright.__version__
    assert recipe["about"]["license"] == project["project"]["license"]
    assert recipe["about"]["license_file"] == project["project"]["license-files"]
    assert recipe["about"]["summary"] == project["project"]["description"]
    scripts = [f"{name} = {place}" for name, place in project["project"]["scripts"].items()]
    assert recipe["build"]["python"]["entry_points"] == scripts
    for file in recipe["about"]["license_file"]:
        assert (ROOT / file).exists()


def test_rattler_build_reads_it():
    rattler_build = pytest.importorskip("rattler_build", reason="py-rattler-build is not installed")
    (variant,) = rattler_build.Stage0Recipe.from_file(str(RECIPE)).render()
    read = variant.recipe.to_dict()
    assert read["package"] == {"name": "linkwright", "version": linkwright.__version__}
    assert "python >=3.11" in read["requirements"]["run"]
