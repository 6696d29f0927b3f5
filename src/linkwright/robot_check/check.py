"""Check of a robot file, from its text to its physics."""

from __future__ import annotations

import re
import warnings
from typing import Any, NamedTuple

from linkwright.errors import FormatWarning, LinkwrightWarning, MissingFileError, ModelError
from linkwright.formats.load import load
from linkwright.model.tree import Model
from linkwright.robot_check.finding import SEVERITIES, FileFinding, Severity
from linkwright.robot_check.joints import joint_findings, range_findings
from linkwright.robot_check.lengths import length_findings, quick_length_findings
from linkwright.robot_check.masses import mass_findings, ratio_findings
from linkwright.robot_check.overlap import overlap_findings

REMARKS: tuple[tuple[str, Severity, str], ...] = (
    ("negative principal moment", "error", "inertia"),
    ("triangle inequality", "warning", "inertia"),
    ("the shape is left out|the color is left out|mimics an", "error", "schema"),
    ("taken as unlimited|no room to move|no range in common", "warning", "limits"),
    ("limits are ignored|is the ground; its mass|contact of .* acts once|not used:|taken as 0$", "note", "schema"),
    ("what needs such files is left out", "error", "mesh"),
)
"""Remarks of readers: a pattern, the severity and the rule. Others are warnings about the schema."""

PLACE = re.compile(r"(?P<place>[^\n]*?[^\s:]:\d+(?::\d+)?): (?P<message>.*)", re.DOTALL)


class CheckedRobot(NamedTuple):
    """Result of a check."""

    model: Model | None
    """None if the file cannot be read"""
    findings: tuple[FileFinding, ...]
    """the most severe ones first"""


def check_robot(source: str, root: str | None = None, **options: Any) -> CheckedRobot:
    """Check a robot file, a text, or a robot by its name; ``options`` are those of :func:`load`.

    Raises the errors of :func:`load` for an unknown name or a file that does not exist.
    """
    model: Model | None = None
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", LinkwrightWarning)
        try:
            model = load(source, root=root, **options)
            problems: tuple[str, ...] = ()
        except MissingFileError:
            raise
        except ModelError as error:
            problems = error.problems
    found = [FileFinding("error", "schema", *_placed(problem, source)) for problem in problems]
    for one in caught:
        if isinstance(one.message, FormatWarning):
            found += [_of_remark(remark, source) for remark in one.message.remarks]
    if model is not None:
        for findings in (mass_findings, joint_findings, length_findings, ratio_findings, overlap_findings):
            found += findings(model, tuple(found))
    found.sort(key=lambda finding: SEVERITIES.index(finding.severity))
    return CheckedRobot(model, tuple(found))


def unit_findings(model: Model) -> list[FileFinding]:
    """Return the findings about units of a loaded robot that need neither its file nor its meshes."""
    return [*range_findings(model), *quick_length_findings(model)]


def _of_remark(remark: str, source: str) -> FileFinding:
    for pattern, severity, rule in REMARKS:
        if re.search(pattern, remark):
            return FileFinding(severity, rule, *_placed(remark, source))
    return FileFinding("warning", "schema", *_placed(remark, source))


def _placed(text: str, source: str) -> tuple[str, str]:
    """Return the position at the beginning of a message, and the message."""
    if found := PLACE.fullmatch(text):
        return found["place"], found["message"]
    return "", text.removeprefix(f"{source}: ")
