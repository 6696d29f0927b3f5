"""The tutorial's first program: an arm of four joints, by its angles or by its hand (S3, chapter 3)."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.browser.view.labels import distance
from linkwright.browser.view.robot import RobotNodes
from linkwright.spatial.arrays import Array
from linkwright_gallery.studio_pages.program import TutorialPage, degrees, table
from linkwright_gallery.studio_pages.tutorial_arm import TutorialAnswers, forward, inverse, lengths_of, nearest

CHOICES = ("nearest", "up", "down")
TEXT = """θ₁ is the yaw of the arm, θ₂, θ₃ and θ₄ are pitch angles; **α = θ₂ + θ₃ + θ₄** is the pitch of the hand. Move
the joints (forward kinematics) or the hand (inverse kinematics). The pale arm is the other elbow configuration."""


class ForwardKinematics(TutorialPage):
    """Sliders θ1 … θ4 and x, y, z, α: each side follows the other."""

    MODEL, TITLE = "arm4", "Forward and inverse kinematics"
    START = (0.4, 0.6, -0.8, 0.3)
    MIDDLE, SEEN = (0.15, 0.1, 0.35), 1.05

    def _program(self, gui: Any) -> None:
        self.lengths = lengths_of(self.model)
        reach = sum(self.lengths[1:])
        self.ghost = RobotNodes(
            self.server, self.model, "other_elbow", opacity=0.28, color=(120, 132, 148), visible=False
        )
        gui.add_markdown(TEXT)
        q = self.posture.q
        with gui.add_folder("Joints (forward)"):
            self.angles = [self.angle_slider(k, x, 0.1) for k, x in enumerate(q)]
        with gui.add_folder("Hand (inverse)"):
            high = self.lengths.column + reach
            x, y, z, alpha = forward(self.lengths, q)
            self.place = [
                gui.add_slider("x, m", -reach, reach, 1e-3, round(float(x), 3)),
                gui.add_slider("y, m", -reach, reach, 1e-3, round(float(y), 3)),
                gui.add_slider("z, m", self.lengths.column - reach, high, 1e-3, round(float(z), 3)),
                gui.add_slider("α, °", -180.0, 180.0, 0.1, round(float(np.degrees(alpha)), 1)),
            ]
            self.elbow = gui.add_dropdown(
                "Elbow", CHOICES, initial_value="nearest", hint="nearest: smallest Σ|Δθ| from the last posture"
            )
            self.other = gui.add_checkbox("Other elbow", True)
        self.state = gui.add_markdown("")
        self.numbers = self.corner("Hand", width=250)
        for slider in self.angles:
            slider.on_update(self._by_joints)
        for slider in self.place:
            slider.on_update(self._by_hand)
        self.elbow.on_update(self._by_hand)
        self.other.on_update(lambda _: self._tell(self._answers()))
        self.posture.move(q)
        self._tell(self._answers())

    @property
    def target(self) -> Array:
        """(x, y, z, α), m and rad, as the sliders of the hand say."""
        x, y, z, alpha = (float(slider.value) for slider in self.place)
        return np.array([x, y, z, np.radians(alpha)])

    def move_joints(self, q: Array) -> None:
        """Go to angles (4,), rad; the sliders of the hand follow."""
        q = np.asarray(q, dtype=float)
        with self.server.atomic():
            self.posture.move(q)
            self._set(self.angles, np.degrees(q))
            x, y, z, alpha = forward(self.lengths, q)
            self._set(self.place, (x, y, z, degrees(alpha)))
            self._tell(self._answers())

    def move_hand(self, x: float, y: float, z: float, alpha: float) -> TutorialAnswers:
        """Go to (x, y, z), m, with the pitch α, rad, if that is within reach; the joints follow."""
        self._set(self.place, (x, y, z, degrees(alpha)))
        return self._go_to_hand(np.array([x, y, z, alpha]))

    def _by_joints(self, event: Any) -> None:
        if event.client is not None:
            self.newest.run(lambda: self.move_joints(np.radians([slider.value for slider in self.angles])))

    def _by_hand(self, event: Any) -> None:
        if event.client is not None:
            self.newest.run(self._follow_hand)

    def _follow_hand(self) -> None:
        self._go_to_hand()

    def _answers(self, target: Array | None = None) -> TutorialAnswers:
        place = forward(self.lengths, self.posture.q) if target is None else target
        x, y, z, alpha = map(float, place)
        return inverse(self.lengths, x, y, z, alpha, yaw=float(self.posture.q[0]))

    def _go_to_hand(self, target: Array | None = None) -> TutorialAnswers:
        found = self._answers(self.target if target is None else target)
        wanted = [one for one in found.answers if one.elbow in (self.elbow.value, "straight")]
        with self.server.atomic():
            if found.answers:
                # the same side as asked for, if there is one; of these the nearest
                chosen = nearest(tuple(wanted) or found.answers, self.posture.q)
                self.posture.move(chosen.q)
                self._set(self.angles, np.degrees(chosen.q))
            self._tell(found, target)
        return found

    def _tell(self, found: TutorialAnswers, target: Array | None = None) -> None:
        q = self.posture.q
        place = forward(self.lengths, q)
        rows = [(name, f"{x:.4f} m") for name, x in zip("xyz", place[:3], strict=True)]
        self.numbers.content = table([*rows, ("α", _angle(place[3]))])
        missed = not found.answers
        goal = self.target if target is None else target
        self.scene.arrows("out of reach", place[:3][None], (goal[:3] - place[:3])[None] if missed else np.zeros((1, 3)))
        if missed:
            self.ghost.visible = False
            side = "too far away" if found.beyond > 0.0 else "too near to the shoulder"
            self.state.content = f"### Out of reach\nThe wrist would be {distance(abs(found.beyond))} {side}."
            return
        now = nearest(found.answers, q)
        others = [one for one in found.answers if one is not now]
        lines = [f"**Elbow {now.elbow}**{', reaching backwards' if now.backwards else ''}."]
        if found.free:
            lines.append("The hand is on the axis of joint 1: **any θ₁** is a solution; θ₁ keeps its value.")
        for one in others:
            how = f"elbow {one.elbow}{', backwards' if one.backwards else ''}"
            lines.append(f"Other: {how}, θ = ({', '.join(_angle(x) for x in one.q)})")
        self.state.content = "  \n".join(lines)
        beside = next((one for one in others if one.backwards == now.backwards), None)
        if beside is not None and self.other.value:
            self.ghost.show(beside.q)
        self.ghost.visible = beside is not None and bool(self.other.value)


def _angle(x: float) -> str:
    return f"{degrees(x):.1f}°".replace("-", "−")
