"""A motion played in a window, in real time, by Matplotlib's interactive back ends."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING, Any

from linkwright.errors import DisplayError
from linkwright.model.tree import Model
from linkwright.visual.animations.film import Film, checked_motion, make_film, shown_times

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FPS = 50.0
"""Pictures a second that are made; a window that cannot show as many leaves some out."""
MOST_FRAMES = 3000


def show(model: Model, t: Any, q: Any, *, speed: float = 1.0, block: bool = True, **options: Any) -> None:
    """Play the motion q (n, nq) at the times t (n,), s, in a window, again and again; the space bar stops it.

    It plays ``speed`` times as fast as it was. Returns when the window is closed, or at once unless ``block``. The
    other options are ``view``, ``trace``, ``title``, ``center_of_mass``, ``azimuth`` and ``elevation`` of
    :func:`~linkwright.visual.animations.animation.animate`.

    Raises :class:`~linkwright.errors.DisplayError` where there is no screen, or nothing to make windows with; and
    what ``animate`` raises.
    """
    t, q = checked_motion(model, t, q)
    times, period = shown_times(t, FPS, MOST_FRAMES, speed, FPS)
    require_window()
    from matplotlib import pyplot

    film = make_film(model, t, q, times, period, speed=speed, figure=_window, **options)
    player = FilmPlayer(film)
    setattr(film.scene.figure, "_linkwright_player", player)  # noqa: B010  # callbacks do not keep it
    player.start()
    pyplot.show(block=block)


def require_window() -> None:
    """Raise :class:`DisplayError` where no window can be opened."""
    import matplotlib
    from matplotlib import pyplot
    from matplotlib.backends import registry

    name = str(matplotlib.get_backend())  # chosen now, if it was not
    try:
        known: Any = registry.backend_registry
        _, toolkit = known.resolve_backend(name)
        if toolkit is None:
            raise ImportError("which draws without a screen")
        pyplot.switch_backend(name)
    except (ImportError, RuntimeError) as reason:
        raise DisplayError(
            f"no window can be opened: Matplotlib's back end is {name!r} ({reason}). A window needs a screen and one "
            'of Tk, Qt, GTK, wx; motion.animate("motion.gif") writes the motion instead, and motion.animate() shows '
            "it in a notebook"
        ) from None


def _window(**options: Any) -> Figure:
    from matplotlib import pyplot

    try:
        return pyplot.figure(**options)
    except Exception as reason:  # each toolkit has its own
        raise DisplayError(
            f'no window can be opened: {reason}; motion.animate("motion.gif") writes the motion instead'
        ) from reason


class FilmPlayer:
    """Plays a film on its figure by the clock: what is drawn is what is due."""

    def __init__(self, film: Film):
        self.film, self.scene = film, film.scene
        self.canvas: Any = film.scene.canvas
        self.began, self.stopped = 0.0, False
        """when picture 0 was due, s of the clock; when stopped, the film's own time"""
        self.shown = -1
        self._still: Any = None
        self.scene.axes.set_aspect("equal", adjustable="box")  # also in a window of another shape
        if self.canvas.supports_blit:
            for artist in self.scene.moving:
                artist.set_animated(True)
        self.canvas.mpl_connect("draw_event", self._drawn)
        self.canvas.mpl_connect("key_press_event", self._pressed)
        self.canvas.mpl_connect("close_event", self._closed)
        self.timer: Any = self.canvas.new_timer(interval=max(round(1000.0 * film.period), 5))
        self.timer.add_callback(self.tick)

    def start(self) -> None:
        """Play from the beginning."""
        self.film.show(0)
        self.began = perf_counter()
        self.timer.start()

    def tick(self, now: float | None = None) -> None:
        """Show the picture that is due at the time ``now`` of the clock, s."""
        if self.stopped:
            return
        now = perf_counter() if now is None else now
        k = int((now - self.began) / self.film.period) % len(self.film.times)
        if k == self.shown:
            return
        self.shown = k
        self.film.show(k)
        if self._still is None:  # not drawn yet, or a toolkit that cannot keep it
            self.canvas.draw_idle()
            return
        self.canvas.restore_region(self._still)
        self.scene.draw_moving()
        self.canvas.blit(self.scene.figure.bbox)

    def _drawn(self, event: Any) -> None:
        """Of all that stands still a copy is kept; again when the window's size has changed."""
        if self.canvas.supports_blit:
            self._still = self.canvas.copy_from_bbox(self.scene.figure.bbox)
            self.scene.draw_moving()

    def _closed(self, event: Any) -> None:
        self.timer.stop()

    def _pressed(self, event: Any) -> None:
        if event.key == " ":
            now = perf_counter()
            self.stopped = not self.stopped
            self.began = now - self.began
