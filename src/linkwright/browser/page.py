"""The studio: a page in the browser with a robot that is seen and touched."""

from __future__ import annotations

import html
import threading
import webbrowser
from collections.abc import Callable
from typing import Any

import numpy as np

from linkwright.browser.camera import CameraControls
from linkwright.browser.hand import Follow, Hand
from linkwright.browser.live.simulating import Simulating
from linkwright.browser.looks import Looks
from linkwright.browser.posture import Posture, beyond_limits, random, zero
from linkwright.browser.recorded.saving import Saving
from linkwright.browser.scene import BrowserScene
from linkwright.browser.serving import serve
from linkwright.browser.sliders import Sliders, shortened
from linkwright.browser.words import literal
from linkwright.errors import ArgumentError, LinkwrightError, UnknownNameError, explained
from linkwright.model.requirement import takes_model
from linkwright.model.tree import Model
from linkwright.plugins import plugins
from linkwright.simulation.recording.motion import Motion
from linkwright.spatial.arrays import Array
from linkwright.trajectories import Trajectory
from linkwright.visual.drawing.linkage import configurations

BRAND = (22, 92, 150)
MOST_NAMES = 500
"""of frames that one may be chosen from"""
HIDDEN = "Its arrows were hidden when *Simulate* began, for the mouse pushes links there. Tick *Shown* to have them."
FOLLOWS: dict[str, Follow] = {"Place": "place", "Place and turn": "place and turn"}


class Studio:
    """A robot in the browser, made by :func:`studio`; it is there until :meth:`stop`, or the end of the program."""

    @takes_model
    def __init__(self, model: Model, q: Any = None, *, host: str = "127.0.0.1", port: int | None = None):
        self.model = model
        self.posture = Posture(model, q)
        """the configuration that is shown, by whomever it is moved"""
        served = serve(host, port, shortened(model.name))
        self.server = served.server
        """of viser"""
        self.address = served.address
        """for a browser; where other machines may connect it holds the token they need"""
        self.notes = served.notes
        """what is to be told to whoever started it"""
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
        gui.configure_theme(
            control_width="medium", show_logo=False, show_share_button=False, brand_color=BRAND, dark_mode=False
        )
        gui.main_panel.dock_right()  # else it lies over the picture
        self.scene = BrowserScene(self.server, self.model, self.posture.q)
        """what is seen"""
        self.posture.listen(self.scene.show)
        self.camera = CameraControls(self.server, self.scene)
        """where one looks from"""
        self._status = gui.add_markdown("")
        self.tabs = gui.add_tab_group()
        """the tabs of the panel: more can be added"""
        self.hand: Hand | None = None
        with self.tabs.add_tab("Move"):
            self._move(gui)
        with self.tabs.add_tab("Show"):
            self.looks = Looks(gui, self.scene, self.posture, self.hand)
        with self.tabs.add_tab("Simulate"):
            self.simulating = Simulating(self.server, self.scene, self.posture, self._simulated, self.camera)
        with self.tabs.add_tab("Save"):
            self.saving = Saving(self.server, self.scene, self.simulating.motion, self.tell, self.simulating.again)

    def _move(self, gui: Any) -> None:
        buttons = gui.add_button_group("Posture", ("Start", "Zero", "Random"))
        buttons.on_click(lambda _: self._go(str(buttons.value)))
        if self.model.nv:
            with gui.add_folder("Hand: drag its arrows"):
                self.hand = hand = self._hand(gui)
                self.camera.busy = lambda: hand.dragged
        units = gui.add_dropdown("Angles", ("degrees", "radians"))
        self.sliders = Sliders(gui, self.posture, told=self.tell)
        units.on_update(lambda _: self.sliders.in_unit(units.value))

    def _hand(self, gui: Any) -> Hand:
        hand = Hand(self.scene, self.posture, told=self.tell)
        names = [hand.frame, *(name for name in self.model.frames if name not in (hand.frame, "world"))][:MOST_NAMES]
        seen = gui.add_checkbox("MotionStudio", True)
        self._hand_note = gui.add_markdown(HIDDEN, visible=False)
        frame = gui.add_dropdown("Frame", names, initial_value=hand.frame, hint="Which frame is dragged")
        how = {word: name for name, word in FOLLOWS.items()}
        follow = gui.add_dropdown(
            "Follow", tuple(FOLLOWS), initial_value=how[hand.follow], hint="Whether its turn is asked for too"
        )
        if hand.base:
            held = gui.add_checkbox("Hold the base", True, hint="What floats stays where it is")
            held.on_update(lambda _: setattr(hand, "hold_base", bool(held.value)))
        ghosts = gui.add_checkbox("All postures", False, hint="All that bring the hand to the same place, as ghosts")
        other = gui.add_button("Next posture", hint="Go to another that brings the hand to the same place")

        def take_frame(event: Any) -> None:
            if event.client is not None:
                hand.take(str(frame.value))
                follow.value = how[hand.follow]
                self.looks.show(self.posture.q)

        def take_follow(event: Any) -> None:
            if event.client is not None:
                hand.take(hand.frame, FOLLOWS[str(follow.value)])

        self._hand_seen = seen
        seen.on_update(lambda _: self._see_hand())
        frame.on_update(take_frame)
        follow.on_update(take_follow)
        ghosts.on_update(lambda _: self.tell(hand.set_branches(bool(ghosts.value))))
        other.on_click(lambda _: self.tell(hand.next_branch()))
        return hand

    def _simulated(self) -> None:
        """It moves by itself now: the arrows of its hand would be in the way of the mouse that pushes."""
        if self.hand is not None:
            self._hand_seen.value = False
            self._see_hand()
            self._hand_note.visible = True

    def _see_hand(self) -> None:
        """As its tick says."""
        assert self.hand is not None
        self.hand.visible = seen = bool(self._hand_seen.value)
        if seen:
            self._hand_note.visible = False

    def _go(self, where: str) -> None:
        try:
            if where == "Random":
                q = random(self.model, self._generator, self.posture.q)
            else:
                q = self.posture.start if where == "Start" else zero(self.model)
        except LinkwrightError:
            self.tell("No such posture was found that closes the loops.")
            return
        self.posture.move(q)
        self.tell("")

    def tell(self, text: str) -> None:
        """Write a sentence at the top of the panel; it is shown as it is."""
        self._status.content = literal(text)

    def show(self, q: Any) -> None:
        """Show a configuration (nq,); one beyond the limits is shown too, and the panel says so.

        Raises :class:`~linkwright.errors.InputError` for what is none.
        """
        self.posture.move(configurations(self.model, q)[-1])
        self._tell_limits()

    def _tell_limits(self) -> None:
        """Say what is beyond its limits; what was said by others stays, unless there is something new to say."""
        told = beyond_limits(self.model, self.posture.q)
        if told != self._beyond:
            self._beyond = told
            self.tell(told)

    @property
    def q(self) -> Array:
        """(nq,), the configuration that is shown."""
        return self.posture.q

    def open(self) -> bool:
        """Open a browser; whether there is one."""
        try:
            return webbrowser.open(self.address)
        except webbrowser.Error:
            return False

    def wait(self) -> None:
        """Wait until it is stopped, or interrupted by Ctrl-C."""
        try:
            while not self._stopped.wait(0.5):
                pass
        except KeyboardInterrupt:
            self.stop()

    def stop(self) -> None:
        """Close the page's connection and free the port."""
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
        """In a notebook: the page itself."""
        address = html.escape(self.address, quote=True)
        return f'<iframe src="{address}" width="100%" height="600" style="border: 0"></iframe>'


def _page_named(name: str) -> Callable[..., Studio]:
    """The class of a page that another package adds."""
    pages = plugins("pages")
    if name not in pages:
        raise UnknownNameError("page", name, list(pages), advice='; a robot is shown by lw.studio(lw.load("arm7"))')
    page: type[Studio] = pages[name].load()
    return page


@explained
def studio(
    model: Model | Any, q: Any = None, *, host: str = "127.0.0.1", port: int | None = None, browser: bool = False
) -> Studio:
    """Show a mechanism in the browser: sliders for its joints, and its hand to be dragged (the extra ``studio``).

    Instead of a mechanism it may be a :class:`Motion` or a :class:`Trajectory`, which is played and scrubbed, or the
    name of one of the tutorial's programs: "forward-kinematics", "statics", "double-pendulum".

    ``q`` (nq,): where it is first; unless given zero, or as near as limits and loops leave, but
    stretched arms are bent. ``host``: the address it
    listens at; with another than that of this machine, other machines may connect, and :attr:`Studio.address` gets a
    token without which they are turned away. ``port``: 8080 unless given; where it is taken, the next free one.
    ``browser`` opens one.

    It returns at once, and is there until :meth:`Studio.stop` or the end of the program (:meth:`Studio.wait` waits for
    it); in a notebook what it returns is the page itself. Raises :class:`~linkwright.errors.MissingExtraError` without
    viser, :class:`~linkwright.errors.InputError` where there is nothing to show or no such address.
    """
    made: Studio
    if isinstance(model, Model):
        made = Studio(model, q, host=host, port=port)
    elif q is not None:
        raise ArgumentError(f"studio: q is where a Model is first; got {q!r} with {model!r}")
    elif isinstance(model, str):
        made = _page_named(model)(host=host, port=port)
    elif isinstance(model, (Motion, Trajectory)):
        from linkwright.browser.recorded.shown import MotionStudio

        made = MotionStudio(model, host=host, port=port)
    else:
        raise ArgumentError(f"studio: the first argument is a Model, a Motion or a Trajectory; got {model!r}")
    if browser:
        made.open()
    return made
