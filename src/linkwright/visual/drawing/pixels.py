"""Pixels in Matplotlib's figures: images of the renderer, and words that change from picture to picture."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from matplotlib.backends.backend_agg import RendererAgg
from matplotlib.colors import to_rgb
from matplotlib.font_manager import findfont
from matplotlib.image import AxesImage
from matplotlib.text import Text
from PIL import ImageFont

from linkwright.visual.rendering.renderer import lay_over


class PixelImage(AxesImage):
    """An image whose pixels are those of the screen where it is drawn at the resolution it was made for.

    Elsewhere (another resolution, a vector format) Matplotlib resamples it.
    """

    def __init__(self, axes: Any, extent: tuple[float, float, float, float], detail: int, zorder: float):
        interpolation = "nearest" if detail == 1 else "antialiased"
        super().__init__(axes, extent=extent, origin="upper", interpolation=interpolation, zorder=zorder)
        self.set_clip_path(axes.patch)

    def set_data(self, pixels: Any) -> None:
        """Show pixels (height, width, 4) of bytes, which need none of Matplotlib's checks."""
        self._A = pixels
        self.stale = True

    def draw(self, renderer: Any) -> None:
        """Draw the image."""
        box = self.axes.get_window_extent(renderer)
        pixels = self.get_array()
        fits = pixels is not None and tuple(np.ceil(np.subtract(box.size, 1e-6)).astype(int)) == pixels.shape[1::-1]
        if not (fits and isinstance(renderer, RendererAgg) and self.get_visible()):
            super().draw(renderer)
            return
        canvas: Any = renderer
        picture = np.asarray(canvas.buffer_rgba())
        lay_over(np.asarray(pixels), picture, round(box.x0), picture.shape[0] - round(box.y1))
        self.stale = False


class WordsInPixels(Text):
    """One line of words from its upper left corner, drawn ten times as fast as Matplotlib draws new words."""

    def draw(self, renderer: Any) -> None:
        """Draw the words."""
        if not (isinstance(renderer, RendererAgg) and self.get_visible() and self.get_text()):
            super().draw(renderer)
            return
        canvas: Any = renderer
        picture = np.asarray(canvas.buffer_rgba())
        font = _font(findfont(self.get_fontproperties()), canvas.points_to_pixels(self.get_fontsize()))
        mask, (right, down) = font.getmask2(self.get_text(), anchor="ls")
        down -= font.getbbox("lp", anchor="ls")[1]  # from the baseline to the top of a line, as Matplotlib has it
        x, y = self.get_transform().transform(self.get_position())
        pixels = np.empty((*mask.size[::-1], 4), np.uint8)
        pixels[..., :3] = np.round(255.0 * np.array(to_rgb(self.get_color())))
        pixels[..., 3] = np.frombuffer(bytes(mask), np.uint8).reshape(pixels.shape[:2])
        lay_over(pixels, picture, round(x) + right, picture.shape[0] - round(y) + down)
        self.stale = False


@cache
def _font(path: str, size: float) -> Any:
    """Return a font of the given size in pixels."""
    return ImageFont.truetype(path, size, layout_engine=ImageFont.Layout.BASIC)
