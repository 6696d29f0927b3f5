"""The tutorial's second program: a force at the tip of a planar arm, and the efforts that exert it (S3, chapter 5)."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.compiler.public import public
from linkwright.dynamics import jacobian, joint_forces, pose
from linkwright.spatial.arrays import Array
from linkwright_gallery.studio_pages.program import TutorialPage, table

SINGULAR = 1e-3
"""threshold of det J, relative to l1 l2"""
MOST = 10.0
"""N"""
ARROW = 0.08
"""m/N"""
DARK_RED = (168, 0, 12)
TEXT = """The arm is at rest and exerts the force **F** at its tip (red arrow). The joint torques are **τ = JᵀF**,
without gravity."""

joint_forces_of, jacobian_of, pose_of = public(joint_forces), public(jacobian), public(pose)


class Statics(TutorialPage):
    """Sliders θ1, θ2, F_x, F_y; the red arrow at the tip; Tau1 and Tau2 at the lower left."""

    MODEL, TITLE = "two_link", "Statics of a planar arm"
    START = (0.5, 0.9)
    MIDDLE, SEEN = (0.0, 0.0, 0.0), 2.5

    def _program(self, gui: Any) -> None:
        gui.add_markdown(TEXT)
        q = self.posture.q
        with gui.add_folder("Posture"):
            self.angles = [self.angle_slider(k, x, 0.5) for k, x in enumerate(q)]
        with gui.add_folder("Force at the tip"):
            self.force = [
                gui.add_slider("F_x, N", -MOST, MOST, 0.1, 4.0),
                gui.add_slider("F_y, N", -MOST, MOST, 0.1, 5.0),
            ]
        self.equation = gui.add_html("")
        self.state = gui.add_markdown("")
        self.numbers = self.corner("Efforts", width=230)
        for slider in (*self.angles, *self.force):
            slider.on_update(self._moved)
        self.set(np.radians([slider.value for slider in self.angles]), [slider.value for slider in self.force])

    def set(self, q: Array, force: Any) -> Array:
        """Set angles (2,), rad, and a force (F_x, F_y), N; return the torques (2,), N m."""
        q, F = np.asarray(q, dtype=float), np.asarray(force, dtype=float)
        wrench = np.array([F[0], F[1], 0.0, 0.0, 0.0, 0.0])
        tau = np.asarray(joint_forces_of(self.model, q, "tip", wrench))
        J = jacobian_of(self.model, q, "tip")[:2]
        with self.server.atomic():
            self.posture.move(q)
            self._set(self.angles, np.degrees(q))
            self._set(self.force, F)
            tip = pose_of(self.model, q, "tip")[:3, 3]
            self.scene.arrows("force at the tip", tip[None], ARROW * wrench[None, :3], DARK_RED)
            self.numbers.content = table([("Tau1", _number(tau[0]) + " N m"), ("Tau2", _number(tau[1]) + " N m")])
            self.equation.content = _equation(J, F, tau)
            det = float(np.linalg.det(J))
            if abs(det) < SINGULAR:
                self.state.content = (
                    "### Singular\nThe arm is straight or folded: a force along the arm needs no torque, and τ does "
                    "not determine F (det J = 0)."
                )
            else:
                self.state.content = f"det J = {_number(det)} m². Inverse: **F = J⁻ᵀτ**"
        return tau

    def _moved(self, event: Any) -> None:
        if event.client is None:
            return
        q, force = np.radians([slider.value for slider in self.angles]), [slider.value for slider in self.force]

        def moved() -> None:
            self.set(q, force)

        self.newest.run(moved)


def _number(x: float) -> str:
    return f"{x + 0.0:.3f}".replace("-", "−")


def _equation(J: Array, F: Array, tau: Array) -> str:
    def matrix(rows: Any) -> str:
        cells = "".join(
            "<mtr>" + "".join(f"<mtd><mn>{_number(float(x))}</mn></mtd>" for x in row) + "</mtr>" for row in rows
        )
        bars = "border:solid currentColor;border-width:0 1.4px;border-radius:3px;margin:0 3px"
        return f'<mtable style="{bars}">{cells}</mtable>'

    left = f"{matrix(tau[:, None])}<mo>=</mo>{matrix(J.T)}{matrix(F[:, None])}"
    law = "<mi>τ</mi><mo>=</mo><msup><mi>J</mi><mi>T</mi></msup><mi>F</mi>"
    rows = (f'<div style="padding:4px 10px"><math><mrow>{x}</mrow></math></div>' for x in (law, left))
    return f'<div style="font-size:13px">{"".join(rows)}</div>'
