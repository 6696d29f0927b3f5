"""The studio: a page in the browser with a robot that can be dragged and simulated."""

from __future__ import annotations

import html
import threading
import webbrowser
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from linkwright.browser.hand import Hand, Track
from linkwright.browser.live.simulation_tab import Simulating
from linkwright.browser.posture import Posture, beyond_limits, random, zero
from linkwright.browser.recorded.export import Saving
from linkwright.browser.serving import serve
from linkwright.browser.sliders import Sliders, shortened
from linkwright.browser.view.camera import CameraControls
from linkwright.browser.view.labels import literal
from linkwright.browser.view.overlays import Looks
from linkwright.browser.view.scene import BrowserScene
from linkwright.browser.view.style import STYLE
from linkwright.errors import ArgumentError, LinkwrightError, UnknownNameError, explained
from linkwright.model.requirement import takes_numeric_model
from linkwright.model.tree import Model
from linkwright.plugins import plugins
from linkwright.simulation.recording.motion import Motion
from linkwright.spatial.arrays import Array
from linkwright.trajectories import Trajectory
from linkwright.visual.drawing.linkage import configurations

BRAND = (22, 92, 150)
MOST_NAMES = 500
"""Largest number of frames in the list."""
HIDDEN = "The gizmo is hidden during a simulation, where the mouse pushes links. *Show gizmo* shows it."
TRACKS: dict[str, Track] = {"position": "position", "position + orientation": "pose"}
FIRST_STEPS = ("Drag", "Simulate", "Equations", "Push")
DRAG = "Drag an arrow of the gizmo to move the hand, or a ring to rotate it. The joints follow."
WELCOME = "**First steps**: drag the gizmo, or press a button."


class Studio:
    """Represent a robot in the browser, as returned by :func:`studio`.

    The page runs until :meth:`stop` or the end of the program.

    Parameters
    ----------
    model : Model
        Mechanism with sliders, a hand to drag, and a simulation.
    q : array_like, shape (nq,), optional
        Initial posture, as for :func:`studio`.
    host : str, optional
        Address to listen at.
    port : int, optional
        Port. By default 8080, or the next free port.
    """

    @takes_numeric_model()
    def __init__(self, model: Model, q: Any = None, *, host: str = "127.0.0.1", port: int | None = None):
        self.model = model
        self.posture = Posture(model, q)
        """the shown configuration"""
        served = serve(host, port, shortened(model.name))
        self.server = served.server
        """the viser server"""
        self.address = served.address
        """address for a browser, with a token if other computers can connect"""
        self.notes = served.notes
        """notes for the user who started the studio"""
        self._stopped = threading.Event()
        self._beyond = ""
        self._generator = np.random.default_rng()
        try:
            self._fill()
            self._tell_limits()
        except BaseException:
            self.stop()
            raise

    def _fill(self) -> None:
        gui = self.server.gui
        theme(gui)
        gui.main_panel.dock_right()  # next to the picture instead of over it
        self.scene = BrowserScene(self.server, self.model, self.posture.q)
        """the robot and its ground"""
        self.posture.listen(self.scene.show)
        self._status = gui.add_markdown(WELCOME if self.model.nv else "")
        if self.model.nv:
            self.first_steps = gui.add_button_group("Start", FIRST_STEPS)
            self.first_steps.on_click(lambda _: self.start_with(str(self.first_steps.value)))
        progress = gui.add_folder(None)
        gui.add_html(STYLE)
        self.camera = CameraControls(self.server, self.scene)
        """the views"""
        self.tabs = gui.add_tab_group()
        """the tabs of the panel; more can be added"""
        self.hand: Hand | None = None
        with self.tabs.add_tab("Move"):
            self._move(gui)
        with self.tabs.add_tab("Show"):
            self.looks = Looks(gui, self.scene, self.posture, self.hand)
            add_dark_theme(gui, self.scene)
        with self.tabs.add_tab("Simulate"):
            self.simulating = Simulating(self.server, self.scene, self.posture, self._simulated, self.camera, progress)
        with self.tabs.add_tab("Save"):
            self.saving = Saving(
                self.server, self.scene, self.simulating.playable, self.show_message, self.simulating.again
            )

    def start_with(self, what: str) -> None:
        """Do one of the first steps.

        Parameters
        ----------
        what : {"Drag", "Simulate", "Equations", "Push"}
            Label of the step.
        """
        if what == "Drag":
            if self.simulating.panel is not None:
                self.simulating.panel.pause()
            if self.hand is not None:
                self._hand_seen.value = True
                self._see_hand()
            self.show_message(DRAG)
            return
        self.show_message(self.simulating.start_with(what))

    def _move(self, gui: Any) -> None:
        buttons = gui.add_button_group("Posture", ("Initial", "Zero", "Random"))
        buttons.on_click(lambda _: self._go(str(buttons.value)))
        if self.model.nv:
            with gui.add_folder("Hand"):
                self.hand = hand = self._hand(gui)
                self.camera.busy = lambda: hand.dragged
                self.camera.extent = hand.extent
        units = gui.add_dropdown("Angle unit", ("degrees", "radians"))
        self.sliders = Sliders(gui, self.posture, show_message=self.show_message)
        units.on_update(lambda _: self.sliders.in_unit(units.value))

    def _hand(self, gui: Any) -> Hand:
        hand = Hand(self.scene, self.posture, show_message=self.show_message)
        names = [hand.frame, *(name for name in self.model.frames if name not in (hand.frame, "world"))][:MOST_NAMES]
        seen = gui.add_checkbox("Show gizmo", True)
        self._hand_note = gui.add_markdown(HIDDEN, visible=False)
        frame = gui.add_dropdown("Frame", names, initial_value=hand.frame, hint="Frame that is dragged")
        words = {track: word for word, track in TRACKS.items()}
        track = gui.add_dropdown(
            "Track",
            tuple(TRACKS),
            initial_value=words[hand.track],
            hint="Track position and orientation, or position only",
        )
        if hand.base:
            held = gui.add_checkbox(
                "Fix the base", True, hint="The floating base does not move while the hand is dragged"
            )
            held.on_update(lambda _: setattr(hand, "hold_base", bool(held.value)))
        ghosts = gui.add_checkbox("All postures", False, hint="Show all postures for the same hand pose as ghosts")
        self._ghosts = ghosts
        other = gui.add_button("Next posture", hint="Move to another posture with the same hand pose")

        def take_frame(event: Any) -> None:
            if event.client is not None:
                hand.take(str(frame.value))
                track.value = words[hand.track]
                self.looks.show(self.posture.q)

        def take_track(event: Any) -> None:
            if event.client is not None:
                hand.take(hand.frame, TRACKS[str(track.value)])

        self._hand_seen = seen
        seen.on_update(lambda _: self._see_hand())
        frame.on_update(take_frame)
        track.on_update(take_track)
        ghosts.on_update(lambda _: self._see_ghosts())
        other.on_click(lambda _: self.show_message(hand.next_branch()))
        return hand

    def _see_ghosts(self) -> None:
        """Show or hide all postures; uncheck the box of a hand without analytic postures."""
        assert self.hand is not None
        self.show_message(self.hand.set_branches(bool(self._ghosts.value)))
        self._ghosts.value = self.hand.show_branches

    def _simulated(self) -> None:
        """Hide the gizmo and the ghosts, and a ground without contact, when a simulation begins."""
        live = self.simulating.live
        if live is not None and self.scene.hide_ground_without_contact(live.model):
            self.looks.boxes["ground"].value = False
            self.looks.set("ground", False)
        if self.hand is not None:
            self._ghosts.value = False
            self.hand.set_branches(False)
            self.scene.remove("missing")
            self.show_message("")
            self._hand_seen.value = False
            self._see_hand()
            self._hand_note.visible = True

    def _see_hand(self) -> None:
        """Show or hide the gizmo."""
        assert self.hand is not None
        self.hand.visible = seen = bool(self._hand_seen.value)
        if seen:
            self._hand_note.visible = False

    def _go(self, where: str) -> None:
        try:
            if where == "Random":
                q = random(self.model, self._generator, self.posture.q)
            else:
                q = self.posture.start if where == "Initial" else zero(self.model)
        except LinkwrightError:
            self.show_message("No posture found that satisfies the loop constraints.")
            return
        self.posture.move(q)
        self.show_message("")

    def show_message(self, text: str) -> None:
        """Show a sentence at the top of the panel, without markup.

        Parameters
        ----------
        text : str
            The sentence.
        """
        self._status.content = literal(text)

    def show(self, q: ArrayLike) -> None:
        """Show a configuration. The panel warns of joint limits.

        Parameters
        ----------
        q : array_like, shape (nq,) or (n, nq)
            Configuration; the last one of several.

        Raises
        ------
        InputError
            If the configuration is not valid.
        """
        self.posture.move(configurations(self.model, q)[-1])
        self._tell_limits()

    def _tell_limits(self) -> None:
        """Warn of joints beyond their limits, if the warning is new."""
        message = beyond_limits(self.model, self.posture.q)
        if message != self._beyond:
            self._beyond = message
            self.show_message(message)

    @property
    def q(self) -> Array:
        """The shown configuration (nq,)."""
        return self.posture.q

    def open(self) -> bool:
        """Open the page in a browser.

        Returns
        -------
        bool
            Whether a browser was found.
        """
        try:
            return webbrowser.open(self.address)
        except webbrowser.Error:
            return False

    def wait(self) -> None:
        """Wait until the studio is stopped, or Ctrl-C."""
        try:
            while not self._stopped.wait(0.5):
                pass
        except KeyboardInterrupt:
            self.stop()

    def stop(self) -> None:
        """Close the connections and free the port."""
        if not self._stopped.is_set():
            self._stopped.set()
            if hasattr(self, "simulating"):
                self.simulating.stop()
            if getattr(self, "hand", None) is not None:
                self.hand.close()  # type: ignore[union-attr]
            self.server.stop()

    def __enter__(self) -> Studio:
        return self

    def __exit__(self, *_: Any) -> None:
        self.stop()

    def __repr__(self) -> str:
        return f"<studio of {self.model.name!r} at {self.address}>"

    def _repr_html_(self) -> str:
        """Return the page for a notebook."""
        address = html.escape(self.address, quote=True)
        return f'<iframe src="{address}" width="100%" height="600" style="border: 0"></iframe>'


def _page_named(name: str) -> Callable[..., Studio]:
    """Return the class of a page that another package adds."""
    pages = plugins("pages")
    if name not in pages:
        raise UnknownNameError("page", name, list(pages), advice='; to show a robot, call lw.studio(lw.load("arm7"))')
    page: type[Studio] = pages[name].load()
    return page


def theme(gui: Any, dark: bool = False) -> None:
    """Set the theme of the page."""
    gui.configure_theme(
        control_width="medium", show_logo=False, show_share_button=False, brand_color=BRAND, dark_mode=dark
    )


def add_dark_theme(gui: Any, scene: BrowserScene) -> None:
    """Add a check box for the dark theme to the open panel."""
    box = gui.add_checkbox("Dark theme", False)

    def change(_: Any) -> None:
        theme(gui, bool(box.value))
        scene.set_dark(bool(box.value))

    box.on_update(change)


@explained
def studio(
    model: Model | Any,
    q: ArrayLike | None = None,
    *,
    host: str = "127.0.0.1",
    port: int | None = None,
    browser: bool = False,
) -> Studio:
    """Show a mechanism, a motion or a trajectory in the browser (extra ``studio``).

    The function returns at once. The studio runs until :meth:`Studio.stop` or the end of the program;
    :meth:`Studio.wait` waits. A notebook shows the returned object as the page.

    Parameters
    ----------
    model : Model, Motion, Trajectory or str
        Mechanism with sliders, a hand to drag, and a simulation; motion or trajectory for playback; or name of a page
        of the tutorial: "forward-kinematics", "statics", "double-pendulum".
    q : array_like, shape (nq,), optional
        Initial posture. By default zero, or the nearest posture within limits and with closed loops; stretched arms
        are bent.
    host : str, optional
        Address to listen at. If other computers can connect, :attr:`Studio.address` contains a token, which is required
        for access.
    port : int, optional
        Port. By default 8080, or the next free port.
    browser : bool, optional
        Open a browser.

    Returns
    -------
    Studio
        The studio, with its ``address``, ``scene``, ``hand`` and the shown posture ``q``.

    Raises
    ------
    MissingExtraError
        If viser is not installed.
    InputError
        If the mechanism has no bodies, or the address does not exist.
    """
    made: Studio
    if isinstance(model, Model):
        made = Studio(model, q, host=host, port=port)
    elif q is not None:
        raise ArgumentError(f"studio: q is the initial posture of a Model; got {q!r} with {model!r}")
    elif isinstance(model, str):
        made = _page_named(model)(host=host, port=port)
    elif isinstance(model, (Motion, Trajectory)):
        from linkwright.browser.recorded.motion_studio import MotionStudio

        made = MotionStudio(model, host=host, port=port)
    else:
        raise ArgumentError(f"studio: the first argument is a Model, a Motion or a Trajectory; got {model!r}")
    if browser:
        made.open()
    return made
