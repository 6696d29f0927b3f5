"""Cross products of 6-vectors, linear part first: motions [v; ω], forces [f; n].

As constant tensors they are the book's line on every array type, ``MOTION_CROSS @ v @ m``, and
their zeros fold away in a trace.
"""

from __future__ import annotations

import numpy as np

from linkwright.spatial.rotation import CROSS

MOTION_CROSS = np.zeros((6, 6, 6))
"""``MOTION_CROSS @ v`` is v× = [[[ω]×, [v]×], [0, [ω]×]], on motions."""
MOTION_CROSS[:3, :3, 3:] = MOTION_CROSS[:3, 3:, :3] = MOTION_CROSS[3:, 3:, 3:] = CROSS

FORCE_CROSS = -MOTION_CROSS.transpose(1, 0, 2)
"""``FORCE_CROSS @ v`` is v×* = −(v×)ᵀ, on forces."""

MOMENTUM_CROSS = FORCE_CROSS.transpose(0, 2, 1)
"""``MOMENTUM_CROSS @ f`` is f×̄*, with f×̄* v = v×* f."""
