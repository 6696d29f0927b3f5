"""Pictures as a GIF, all of one palette, each shown for as long as it is to be."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from linkwright.errors import InputError
from linkwright.spatial.arrays import Array

COLORS = 192
LONGEST_FRAME = 655.0
"""s: GIF has 16 bits for the hundredths of a second that a picture is shown."""
MAX_FPS = 50.0
"""GIF counts time in hundredths of a second, and viewers slow down what shows for less than two."""


def durations_of(n: int, period: float) -> Array:
    """For how long each of n pictures is shown, s: in hundredths, with rounding that does not add up."""
    ends = np.round(100.0 * period * np.arange(n + 1))
    return np.maximum(np.diff(ends), 2.0) / 100.0


def encode_gif(frames: Iterable[Array], durations: Array) -> bytes:
    """A GIF, played for ever, of frames (height, width, 3) of bytes, each shown for its duration, s.

    All frames share one palette, taken from a few of them, so that what does not change is not stored.
    """
    from PIL import Image

    pixels = list(frames)
    if not pixels:
        raise InputError("there is no frame to write")
    palette = _palette([pixels[k] for k in np.unique(np.linspace(0, len(pixels) - 1, 8).astype(int))])
    nearest = _nearest_colors(palette)

    def images() -> Iterator[Any]:
        for frame in pixels:
            coarse = frame >> 3
            index = coarse[..., 0].astype(np.uint16) << 10 | coarse[..., 1].astype(np.uint16) << 5 | coarse[..., 2]
            image = Image.fromarray(nearest[index])
            image.putpalette(palette.tobytes())
            yield image

    stream = images()
    file = io.BytesIO()
    next(stream).save(
        file,
        format="GIF",
        save_all=True,
        append_images=stream,
        duration=[round(1000.0 * float(d)) for d in durations],
        loop=0,
        optimize=False,
        disposal=1,
    )
    return file.getvalue()


def _palette(frames: list[Array]) -> Array:
    """COLORS colors (COLORS, 3), white among them, for what is drawn in these frames."""
    from PIL import Image

    drawn = np.concatenate([frame.reshape(-1, 3) for frame in frames])
    drawn = drawn[(drawn < 255).any(axis=1)]
    if not len(drawn):
        return np.full((COLORS, 3), 255, dtype=np.uint8)
    code = drawn.astype(np.uint32) @ np.array([1 << 16, 1 << 8, 1], dtype=np.uint32)
    values, counts = np.unique(code, return_counts=True)
    exact = values[np.argsort(-counts, kind="stable")[: COLORS // 3]]
    # of the others by the roots of their counts, saturated ones more: thin colored lines count next to gray surfaces
    rgb = _rgb(values).astype(int)
    share = np.sqrt(counts) * (1.0 + (rgb.max(axis=1) - rgb.min(axis=1)) / 16.0)
    others = np.repeat(values, np.ceil(share).astype(int))
    image = Image.fromarray(_rgb(others)[None]).quantize(COLORS - 1 - len(exact), method=Image.Quantize.MEDIANCUT)
    mixed = np.array(image.getpalette(), dtype=np.uint8).reshape(-1, 3)[: COLORS - 1 - len(exact)]
    colors = np.concatenate([_rgb(exact), mixed])
    return np.concatenate([np.full((COLORS - len(colors), 3), 255, dtype=np.uint8), colors])


def _rgb(code: Array) -> Array:
    """Colors (n, 3) from numbers 0xrrggbb."""
    return np.stack([code >> 16, code >> 8 & 255, code & 255], axis=-1).astype(np.uint8)


def _nearest_colors(palette: Array) -> Array:
    """For each of 32 × 32 × 32 colors the number of the nearest in the palette."""
    levels = np.arange(32, dtype=np.float32) * np.float32(255.0 / 31.0)
    grid = np.stack(np.meshgrid(levels, levels, levels, indexing="ij"), axis=-1).reshape(-1, 3)
    colors = palette.astype(np.float32)
    squares = (colors**2).sum(axis=1) - grid @ (2.0 * colors.T)
    nearest: Array = squares.argmin(axis=1).astype(np.uint8)
    return nearest
