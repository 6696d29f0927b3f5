"""Contact is tested in machine code from the first call: bits are compared, and repetitions are not interpreted."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True, scope="module")
def interpreted() -> None:
    """Run machine code at every call."""
