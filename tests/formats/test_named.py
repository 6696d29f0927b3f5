"""Robots by name, of installed packages: found without running or downloading anything."""

import sys
from pathlib import Path

import pytest

from linkwright.errors import FormatError, InputError, MissingFileError, UnknownNameError
from linkwright.formats.load import load
from linkwright.formats.lookup import installed_robots
from linkwright.formats.lookup.installed_robots import described_file, example_robots, robot_descriptions

PANDA = '''"""As the package has it."""
from os import getenv as _getenv
from os import path as _path
from ._cache import clone_to_cache as _clone_to_cache
REPOSITORY_PATH: str = _clone_to_cache("some-robots", commit=_getenv("ROBOT_DESCRIPTION_COMMIT", None))
PACKAGE_PATH: str = _path.join(REPOSITORY_PATH, "robots", "arm_description")
URDF_PATH: str = _path.join(PACKAGE_PATH, "arm.urdf")
raise SystemExit("it was run")
'''
REPOSITORIES = """from ._none import Repository
REPOSITORIES: dict = {"some-robots": Repository(url="https://example.org", commit="1", cache_path="robots-here")}
raise SystemExit("it was run")
"""
ROBOT = '<robot name="one"><link name="a"/></robot>'


@pytest.fixture
def descriptions(tmp_path, monkeypatch):
    """A package like robot_descriptions, none of which may run, and where it keeps files."""
    package = tmp_path / "site" / "robot_descriptions"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text('raise SystemExit("it was run")')
    (package / "_repositories.py").write_text(REPOSITORIES)
    for name in ("someone", "someone_mj"):
        text = PANDA if name == "someone" else PANDA.replace("URDF_PATH", "MJCF_PATH").replace("arm.urdf", "arm.xml")
        (package / f"{name}_description.py").write_text(text)
    (package / "odd_description.py").write_text("URDF_PATH = __import__('os').getcwd()\n")
    (package / "broken_description.py").write_text("URDF_PATH = (")
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    monkeypatch.delitem(sys.modules, "robot_descriptions", raising=False)
    cache = tmp_path / "cache"
    monkeypatch.setenv("ROBOT_DESCRIPTIONS_CACHE", str(cache))
    monkeypatch.delenv("ROBOT_DESCRIPTION_COMMIT", raising=False)
    return cache


def test_descriptions_are_found_on_disk_and_never_run(descriptions):
    folder = descriptions / "robots-here" / "robots" / "arm_description"
    folder.mkdir(parents=True)
    (folder / "arm.urdf").write_text(ROBOT)
    assert load("someone").name == load("someone_description").name == "one"
    assert "robot_descriptions" not in sys.modules


def test_descriptions_that_are_not_on_disk_are_not_downloaded(descriptions):
    with pytest.raises(MissingFileError, match=r"import robot_descriptions\.someone_description` downloads them"):
        load("someone")
    assert not descriptions.exists()
    known = robot_descriptions()
    assert {"someone_description", "someone_mj_description"} <= known.keys()
    assert described_file(known["odd_description"]) is None
    assert described_file(known["broken_description"]) is None


def test_a_commit_has_a_folder_of_its_own(descriptions, monkeypatch):
    monkeypatch.setenv("ROBOT_DESCRIPTION_COMMIT", "abc")
    folder = descriptions / "robots-here-abc" / "robots-here" / "robots" / "arm_description"
    folder.mkdir(parents=True)
    (folder / "arm.urdf").write_text(ROBOT)
    assert load("someone").name == "one"


def test_built_in_names_come_first_and_unknown_ones_are_reported(descriptions):
    assert load("two_link").nq == 2
    with pytest.raises(UnknownNameError, match=r"unknown file or built-in mechanism 'somone'.*someone"):
        load("somone")


@pytest.mark.skipif(not example_robots(), reason="example-robot-data is not installed (the extra robots)")
@pytest.mark.filterwarnings("ignore::linkwright.errors.FormatWarning")
def test_example_robots():
    panda = load("panda")
    assert (panda.name, panda.nq) == ("panda", 8)
    with pytest.raises(InputError, match=r"'ur3' may mean several robots .*: ur3_gripper, "):
        load("ur3")  # there is a file ur3.urdf, without a link
    assert {"panda", "ur5_robot", "solo12", "romeo"} <= example_robots().keys()
    assert load("romeo", root="free").joints[0].type == "free"


@pytest.fixture
def examples(tmp_path, monkeypatch):
    """Folders as those of example-robot-data."""
    tmp_path = tmp_path / "robots"
    for path in ("one_description/urdf/one", "one_description/urdf/one_hand", "two_data/left", "two_data/right"):
        _write(tmp_path / f"{path}.urdf")
    for path in (
        "cat_b_description/cat",
        "cat_c_description/cat",
        "cat_b_description/cat-arm",
        "ur_description/ur5_big",
    ):
        _write(tmp_path / f"{path}.urdf")
    for path in ("ur_description/ur5_big", "ur_description/ur5_small"):
        _write(tmp_path / f"{path}.urdf")
    monkeypatch.setattr(installed_robots, "_example_folders", lambda: [tmp_path])
    return tmp_path


def _write(path):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(ROBOT)


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("one", "one_description/urdf/one.urdf"),  # a file's name before its folder's
        ("one_description", "one_description/urdf/one.urdf"),
        ("one_hand", "one_description/urdf/one_hand.urdf"),
        ("cat_c", "cat_c_description/cat.urdf"),  # a folder of one robot
        ("cat-arm", "cat_b_description/cat-arm.urdf"),
        ("cat_b/cat", "cat_b_description/cat.urdf"),  # where two folders have a file of this name
    ],
)
def test_a_name_is_that_of_a_file_or_of_a_folder_of_one(examples, name, found):
    assert installed_robots.robot_file(name, ()) == examples / found


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("two", "'two' may mean several robots of example-robot-data; name one of them: left, right"),
        ("two_data", "name one of them: left, right"),
        ("ur5", "name one of them: ur5_big, ur5_small"),
        ("cat_b", "name one of them: cat-arm, cat_b/cat"),
        ("cat", "name one of them: cat_b/cat, cat_c, cat-arm"),
    ],
)
def test_a_name_that_may_mean_several_tells_them(examples, name, message):
    with pytest.raises(InputError) as caught:
        load(name)
    assert message.format(examples=examples) in str(caught.value)


def test_what_else_is_installed_changes_no_answer(examples, descriptions):
    """robot_descriptions knows a description of the same name, which is not on disk, and then is."""
    package = descriptions.parent / "site" / "robot_descriptions"
    source = (package / "someone_description.py").read_text(encoding="utf-8")
    for name in ("two", "ur5", "one"):
        (package / f"{name}_description.py").write_text(source.replace("arm.urdf", f"{name}.urdf"), encoding="utf-8")
    on_disk = "found only where it is on disk"
    for there in (False, True):
        if there:
            folder = descriptions / "robots-here" / "robots" / "arm_description"
            folder.mkdir(parents=True, exist_ok=True)
            for name in ("two", "ur5", "one"):
                (folder / f"{name}.urdf").write_text(ROBOT, encoding="utf-8")
        for name, variants in (("two", "left, right"), ("ur5", "ur5_big, ur5_small")):
            with pytest.raises(InputError, match=f"name one of them: {variants}") as caught:
                load(name)
            assert (f"{name}_description, of robot_descriptions" in str(caught.value)) == there, on_disk
        assert installed_robots.robot_file("one", ()) == examples / "one_description/urdf/one.urdf"
    assert installed_robots.robot_file("two_description", ()).parent.name == "arm_description"


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("two_lnk", "two_link"),
        ("rihgt", "right"),
        ("one_hnd", "one_hand"),
        ("left_", "left"),
        ("one_h", "one"),
        ("ARM7", "arm7"),
    ],
)
def test_names_that_nearly_match_are_reported(examples, name, meant):
    with pytest.raises(UnknownNameError, match=rf"; did you mean {meant}.*\?$"):
        load(name)


def test_what_would_know_more_names_is_reported_where_nothing_is_installed(monkeypatch):
    monkeypatch.setattr(installed_robots, "_example_files", lambda: {"panda": [Path("panda.urdf")]})
    monkeypatch.setattr(installed_robots, "robot_descriptions", dict)
    with pytest.raises(UnknownNameError) as caught:
        load("talos")
    assert "pip install" not in str(caught.value)
    monkeypatch.setattr(installed_robots, "_example_files", dict)
    with pytest.raises(UnknownNameError, match=r'planar:N.*pip install "linkwright\[robots\]"'):
        load("talos")


def test_a_folder_and_nothing_are_reported_from_a_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "results").mkdir()
    (tmp_path / "pendulum").mkdir()
    with pytest.raises(FormatError, match="'results' is a folder"):
        load("results")
    with pytest.raises(InputError, match="is empty"):
        load(" ")
    assert load("pendulum").nq == 1


def test_a_name_of_two_parts_is_loaded_unless_it_is_a_path(examples, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert load("cat_b/cat").name == "one"
    assert load("cat_c").name == "one"
    with pytest.raises(FormatError):
        load("cat_b/dog")
    (tmp_path / "cat_b").mkdir()
    (tmp_path / "cat_b" / "cat").write_text(ROBOT.replace("one", "own"), encoding="utf-8")
    assert load("cat_b/cat").name == "own"  # a file that is there


@pytest.mark.skipif(not example_robots(), reason="example-robot-data is not installed (the extra robots)")
@pytest.mark.filterwarnings("ignore::linkwright.errors.FormatWarning")
def test_every_name_that_an_error_lists_can_be_loaded():
    for name in ("talos", "ur5", "anymal"):
        with pytest.raises(InputError, match=f"'{name}' may mean several robots") as caught:
            load(name)
        listed = str(caught.value).partition("name one of them: ")[2].split(", ")
        assert len(listed) >= 3
        for one in listed:
            assert not one.startswith("/")
            assert installed_robots.robot_file(one, ()).is_file()
    assert load("anymal_b_simple/anymal").nv == 12
