"""Contact parameters of Gazebo's elements in URDF and SDF."""

from __future__ import annotations

RIGID = 1e12
"""N/m, default stiffness of contact, which stands for a rigid contact."""

DISC = 16.0 / (3.0 * 3.141592653589793)
"""A disc of radius a with the coefficient μ of torsional friction has the torsional friction μ a / DISC, a length."""


def compliance(kp: float | None, kd: float | None) -> dict[str, float]:
    """Return stiffness (N/m) and damping (N s/m) of shapes; nothing where either number means rigid contact."""
    if kp is None or not 0.0 < kp < RIGID or not (kd or 0.0) < RIGID:
        return {}
    return {"stiffness": kp, "damping": kd or 0.0}
