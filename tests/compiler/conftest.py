"""Code as users have it, not made quickly."""

from __future__ import annotations

import pytest


@pytest.fixture
def optimized(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also for kernels that fixtures of modules made before: code is made when it is first needed."""
    monkeypatch.delenv("LINKWRIGHT_CODE", raising=False)
