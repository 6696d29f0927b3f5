"""Pixels of the renderer as an image in Matplotlib's axes."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.backends.backend_agg import RendererAgg
from matplotlib.image import AxesImage

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
