"""Commands whose plots are tested elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from linkwright.cli.output import results


@pytest.fixture
def undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave the files of plots empty: drawing takes two thirds of the time of a short simulation."""

    def write_nothing(path: Path, figure: Any, **options: Any) -> Path:
        path.touch()
        return path

    monkeypatch.setattr(results, "write_figure", write_nothing)
