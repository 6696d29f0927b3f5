"""Robots of MuJoCo Menagerie by name: found on disk, never downloaded, and the package is never run."""

import json
import sys

import pytest

from linkwright.errors import InputError, MissingFileError, UnknownNameError
from linkwright.formats.lookup import installed_robots
from linkwright.formats.lookup.installed_robots import robot_file

REGISTRY = {
    "robots": {
        "acme_dog": {"oid": "b" * 40, "default_model": "dog_position"},
        "acme_cat": {"oid": "c" * 40, "default_model": "cat"},
    }
}


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """The cache of the package, without the package."""
    for name in ("MENAGERIE_ROOT", "ROBOT_DESCRIPTIONS_CACHE"):
        monkeypatch.setenv(name, str(tmp_path / "none"))
    monkeypatch.delenv("MENAGERIE_ROOT")
    monkeypatch.setenv("MENAGERIE_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(installed_robots, "_example_files", dict)
    monkeypatch.setattr(installed_robots, "robot_descriptions", dict)
    return tmp_path / "cache" / "models"


@pytest.fixture
def package(tmp_path, monkeypatch):
    """The package, which must not run."""
    folder = tmp_path / "site" / "mujoco_menagerie"
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text('raise SystemExit("it was run")')
    (folder / "registry.json").write_text(json.dumps(REGISTRY))
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    monkeypatch.delitem(sys.modules, "mujoco_menagerie", raising=False)


def robot(folder, *stems, complete=True):
    folder.mkdir(parents=True)
    for stem in stems:
        (folder / f"{stem}.xml").write_text("<mujoco/>")
    if complete:
        (folder / ".complete").touch()
    return folder


def test_the_cache_has_robots_by_the_names_of_their_folders(cache):
    dog = robot(cache / f"acme_dog-{'a' * 16}", "dog", "dog_mjx", "scene", "scene_mjx")
    robot(cache / f"acme_cat-{'a' * 16}", "cat", complete=False)
    assert robot_file("acme_dog", ()) == dog / "dog.xml"
    assert robot_file("acme_dog/scene", ()) == dog / "scene.xml"
    assert installed_robots.is_name_of_two_parts("acme_dog/scene")
    with pytest.raises(InputError, match=r"'acme_dog' of MuJoCo Menagerie has no file puppy\.xml; there are dog, "):
        robot_file("acme_dog/puppy", ())
    with pytest.raises(UnknownNameError, match="did you mean acme_dog"):
        robot_file("acme_doc", ())
    with pytest.raises(UnknownNameError):
        robot_file("acme_cat", ())


@pytest.mark.parametrize(
    ("name", "stems", "main"),
    [
        ("franka_emika_panda", ("hand", "mjx_panda", "panda", "panda_nohand", "scene"), "panda"),
        ("kuka_iiwa_14", ("iiwa14", "scene"), "iiwa14"),
        ("google_robot", ("robot", "scene"), "robot"),
        ("boston_dynamics_spot", ("scene", "scene_arm", "spot", "spot_arm"), "spot"),
    ],
)
def test_the_robot_alone_is_meant_and_not_its_scene(cache, name, stems, main):
    folder = robot(cache / f"{name}-{'0' * 16}", *stems)
    assert robot_file(name, ()) == folder / f"{main}.xml"


def test_several_robots_in_a_folder_are_listed(cache):
    robot(cache / f"shadow_hand-{'0' * 16}", "left_hand", "right_hand", "scene_left")
    with pytest.raises(InputError, match=r"name one of them: shadow_hand/left_hand, shadow_hand/right_hand, "):
        robot_file("shadow_hand", ())


def test_the_registry_decides_on_the_version_and_on_the_main_file(cache, package):
    robot(cache / f"acme_dog-{'a' * 16}", "dog")
    new = robot(cache / f"acme_dog-{'b' * 16}", "dog", "dog_position")
    assert robot_file("acme_dog", ()) == new / "dog_position.xml"
    with pytest.raises(MissingFileError, match="`mujoco-menagerie prefetch acme_cat` downloads them"):
        robot_file("acme_cat", ())
    assert "mujoco_menagerie" not in sys.modules


def test_checkouts_have_the_same_names(cache, tmp_path, monkeypatch):
    beside = robot(tmp_path / "rd" / "mujoco_menagerie" / "acme_dog", "dog", complete=False)
    monkeypatch.setenv("ROBOT_DESCRIPTIONS_CACHE", str(tmp_path / "rd"))
    assert robot_file("acme_dog", ()) == beside / "dog.xml"
    stored = robot(cache / f"acme_dog-{'a' * 16}", "dog")
    assert robot_file("acme_dog", ()) == stored / "dog.xml"
    root = robot(tmp_path / "checkout" / "acme_dog", "dog", complete=False)
    monkeypatch.setenv("MENAGERIE_ROOT", str(tmp_path / "checkout"))
    assert robot_file("acme_dog", ()) == root / "dog.xml"


@pytest.mark.parametrize("registry", ["", "[]", '{"robots": 3}', '{"robots": {"a": 5}}'])
def test_a_damaged_registry_is_ignored(cache, package, tmp_path, registry):
    (tmp_path / "site" / "mujoco_menagerie" / "registry.json").write_text(registry)
    with pytest.raises(UnknownNameError):
        robot_file("acme_dog", ())
