"""What Gazebo's own elements, of URDF and of SDF, say of contact, as shapes have it."""

from __future__ import annotations

RIGID = 1e12
"""N/m, the stiffness of contact unless one is given, which stands for none."""

DISC = 16.0 / (3.0 * 3.141592653589793)
"""A disc of radius a and a coefficient μ of torsional friction resist μ a / DISC for each newton, a length."""


def compliance(kp: float | None, kd: float | None) -> dict[str, float]:
    """Stiffness (N/m) and damping (N s/m) of shapes: none where contact is practically rigid, by either number."""
    if kp is None or not 0.0 < kp < RIGID or not (kd or 0.0) < RIGID:
        return {}
    return {"stiffness": kp, "damping": kd or 0.0}
