"""The oldest versions that pyproject.toml allows, as continuous integration installs them."""

from __future__ import annotations

from pathlib import Path

import pytest

TOOLS = Path(__file__).parent.parent / "tools"
pytestmark = pytest.mark.skipif(not TOOLS.is_dir(), reason="this is no checkout")


def test_every_dependency_has_a_lower_bound(monkeypatch):
    monkeypatch.syspath_prepend(str(TOOLS))
    import oldest

    base, every = oldest.lower_bounds(), oldest.lower_bounds(*oldest.all_extras())
    assert {"numpy", "rich", "cyclopts"} <= set(base) < set(every)
    assert base["numpy"] == "2.1"
    assert oldest.lower_bounds("peers")["numpy"] == "2.2"  # the highest of what is asked for
    assert every["scipy"] == "1.15"
    with pytest.raises(SystemExit, match="unknown extra nothing"):
        oldest.lower_bounds("nothing")
