"""The strict XML reader: places are right, and nothing hostile or broken gets through."""

import pytest

from linkwright.errors import FormatError, MissingFileError
from linkwright.formats import xml
from linkwright.formats.xml import parse_xml, read_bytes, root_tag


def test_elements_know_their_place():
    root = parse_xml(b'<a>\n  <b x="1"\n     y="2"><c/></b>text\n</a>', "f")
    (b,) = root.children
    assert (root.tag, root.line, root.column) == ("a", 1, 1)
    assert (b.tag, b.line, b.column, b.attributes) == ("b", 2, 3, {"x": "1", "y": "2"})
    assert (b.children[0].line, b.children[0].column) == (3, 12)


BILLION_LAUGHS = b"""<!DOCTYPE l [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]>
<robot name="&b;"/>"""


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (BILLION_LAUGHS, r"f:1:\d+: DOCTYPE"),
        (b'<!DOCTYPE r SYSTEM "file:///etc/passwd"><r/>', r"f:1:\d+: DOCTYPE"),
        (b"<r>\n<!DOCTYPE r></r>", "f:2:"),
        (b"<r>&undefined;</r>", "f:1:4: an entity that is not defined"),
        (b"<r>\n <s>\n</r>", r"f:3:3: a closing tag that does not match: <s> \(line 2\) is still open"),
        (b"<r>\n <s", r"f:2:2: .*cut short: <r> \(line 1\) is still open"),
        (b"<r>\n <s>", r"f:2:5: .*ends too early.*<s> \(line 2\)"),
        (b"<r/>\n<r/>", "f:2:1: something follows"),
        (b'<r a="1"\n a="2"/>', "f:2:2: an attribute is given twice"),
        (b"<r a=1/>", "f:1:6: not well-formed"),
        (b"<r>a < b</r>", "f:1:7: not well-formed"),
        (b"", "f: the file is empty"),
        (b" \n\t ", "f: the file is empty"),
        (b"<!-- only this -->", "f:1:19: the file holds no element"),
        (b"solid ascii stl", "f:1:1: not well-formed XML: there is no tag"),
        (b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", "f:1:1: .*not UTF-8"),
        (b"\x00" * 1000, "f:1:1: "),
        (b"<r>\xff\xfe</r>", "f:1:4: .*not UTF-8"),
        (b'<?xml version="1.0" encoding="klingon"?><r/>', "encoding .* save it as UTF-8"),
        (b'<?xml version="1.0" encoding="zlib"?><r/>', "encoding .* save it as UTF-8"),
        (b'<?xml version="1.0" encoding="shift_jis"?><r/>', "encoding .* save it as UTF-8"),
        (b"<r>" * 201, "f:1:601: elements are nested more than 200 deep"),
    ],
)
def test_what_is_refused(data, message):
    with pytest.raises(FormatError, match=message):
        parse_xml(data, "f")


@pytest.mark.parametrize(
    "data",
    [
        '\ufeff<r n="é"/>'.encode(),
        '<?xml version="1.0" encoding="UTF-16"?><r n="é"/>'.encode("utf-16"),
        '<?xml version="1.0" encoding="ISO-8859-1"?><r n="é"/>'.encode("latin-1"),
        '<?xml version="1.0" encoding="UTF-16"?><r n="é"/>',  # a str: what it declares is past
    ],
)
def test_encodings(data):
    assert parse_xml(data, "f").attributes["n"] == "é"


def test_200_deep_is_allowed():
    assert parse_xml(b"<r>" * 200 + b"</r>" * 200, "f").tag == "r"


def test_many_elements_are_refused(monkeypatch):
    monkeypatch.setattr(xml, "MAX_ELEMENTS", 10)
    assert len(parse_xml("<r>" + "<s/>" * 9 + "</r>", "f").children) == 9
    with pytest.raises(FormatError, match="f:1:40: more than 10 elements"):
        parse_xml("<r>" + "<s/>" * 10 + "</r>", "f")


def test_root_tag_looks_no_further():
    assert root_tag(b"<?xml version='1.0'?><!-- c --><mujoco model='m'><never closed", "f") == "mujoco"
    with pytest.raises(FormatError, match="DOCTYPE"):
        root_tag(b"<!DOCTYPE mujoco><mujoco/>", "f")


def test_files_that_cannot_be_read(tmp_path, monkeypatch):
    with pytest.raises(MissingFileError, match=r"there is no file .*gone\.urdf") as missing:
        read_bytes(tmp_path / "gone.urdf")
    assert isinstance(missing.value, FileNotFoundError)
    assert isinstance(missing.value, FormatError)
    with pytest.raises(FormatError, match="is a directory"):
        read_bytes(tmp_path)
    with pytest.raises(FormatError, match="cannot be read"):
        read_bytes("a\0b.urdf")
    with pytest.raises(FormatError, match="cannot be read"):
        read_bytes("a" * 100_000)
    monkeypatch.setattr(xml, "MAX_BYTES", 2**20)
    (tmp_path / "large.urdf").write_bytes(b" " * (2**20 + 1))
    with pytest.raises(FormatError, match="larger than 1 MB"):
        read_bytes(tmp_path / "large.urdf")
