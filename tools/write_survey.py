"""Write the trees of the robots of example-robot-data, which exhibit S1.5 of the gallery surveys.

python tools/write_survey.py      after ``pip install example-robot-data``
"""

from __future__ import annotations

import json
from pathlib import Path

from linkwright_gallery.experiments import survey

PLACE = Path(survey.__file__).with_name("surveyed_robots.json")


def main() -> None:
    """Write one line for each mechanism: its name, and the parents, kinds and relations of its nodes."""
    robots, _, _ = survey.read_robots()
    lines = [f"{json.dumps(robot.name)}: {json.dumps(list(robot.tree), ensure_ascii=False)}" for robot in robots]
    PLACE.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
