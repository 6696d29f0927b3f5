"""Shape annotations are executed in tests: jaxtyping checks them through beartype."""

from __future__ import annotations

import sys
from pathlib import Path

import jaxtyping

sys.path.insert(0, str(Path(__file__).parent))

jaxtyping.install_import_hook(["linkwright.dynamics"], "beartype.beartype")
