"""Pictures as a GIF, all of one palette, each shown for as long as it is to be."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Sequence
from functools import cache
from struct import pack
from typing import Any

import numpy as np

from linkwright.compiler.native import runtime
from linkwright.errors import InputError, ShapeError
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


def encode_gif(frames: Iterable[Array], durations: Array, samples: Sequence[Array] = ()) -> bytes:
    """Return a GIF, which repeats, of frames (height, width, 3 or 4) of bytes, each shown for its duration, s.

    All frames share the palette of ``samples``, by default of eight of the frames, which are then kept until the end.
    Frames are written as they come, and what does not change is not stored.
    """
    if not len(samples):
        frames = list(frames)
        if not frames:
            raise InputError("there is no frame to write")
        samples = [frames[k] for k in sample_numbers(len(frames))]
    palette = _palette([sample[..., :3] for sample in samples])
    height, width = samples[0].shape[:2]
    colors = np.zeros((256, 3), np.uint8)
    colors[:COLORS] = palette
    data = bytearray(b"GIF89a" + pack("<HHBBB", width, height, 0xF7, 0, 0) + colors.tobytes())
    data += b"\x21\xff\x0bNETSCAPE2.0\x03\x01" + pack("<H", 0) + b"\x00"  # for ever
    encoder = _Encoder(width, height, _nearest_colors(palette))
    shown, picture = 0, b""
    for frame, duration in zip(frames, durations, strict=True):
        if changed := encoder.add(frame):
            data += _timed(picture, shown)
            shown, picture = 0, changed
        shown += round(100.0 * float(duration))
    data += _timed(picture, shown)
    return bytes(data + b"\x3b")


SAMPLES = 8
"""frames from which the palette of a film is taken"""


def sample_numbers(n: int) -> list[int]:
    """Return the numbers of frames of n, from the first to the last, from which the palette is taken."""
    numbers: list[int] = np.unique(np.linspace(0, n - 1, SAMPLES).astype(int)).tolist()
    return numbers


SAME = COLORS
"""the number of pixels that stay as they are"""
MOST_SHOWN = 0xFFFF
"""hundredths of a second"""


def _timed(picture: bytes, shown: int) -> bytes:
    """Return a picture with its duration, in hundredths of a second."""
    data = b""
    while picture:
        data += b"\x21\xf9\x04" + pack("<BHBB", 1 << 2 | 1, min(shown, MOST_SHOWN), SAME, 0) + picture
        shown -= MOST_SHOWN
        picture = picture if shown > 0 else b""
    return data


_Pointer = ctypes.c_void_p


@cache
def _functions() -> dict[str, Any]:
    """Return the functions of `gif.c`, which the first film of a process loads."""
    found = runtime.load(__name__, "gif.ll", ("nearest_colors", "changed_box", "compress_box"))
    number = ctypes.c_int64
    mapping = ctypes.CFUNCTYPE(None, _Pointer, number, number, _Pointer, _Pointer)
    comparing = ctypes.CFUNCTYPE(ctypes.c_bool, _Pointer, _Pointer, number, number, _Pointer)
    compressing = ctypes.CFUNCTYPE(_Pointer, _Pointer, _Pointer, number, _Pointer, number, _Pointer, _Pointer)
    return {
        "nearest_colors": mapping(found["nearest_colors"]),
        "changed_box": comparing(found["changed_box"]),
        "compress_box": compressing(found["compress_box"]),
    }


class _Encoder:
    """Compresses frames of one size after each other; ``nearest``: numbers of colors, for 32 × 32 × 32 colors."""

    def __init__(self, width: int, height: int, nearest: Array):
        self.width, self.height, self.nearest = width, height, np.ascontiguousarray(nearest)
        self.before: Array | None = None
        self.numbers = np.zeros((height, width), np.uint8)
        self.table, self.out = np.zeros(1 << 14, np.uint64), np.zeros(2 * width * height + 1000, np.uint8)

    def add(self, frame: Array) -> bytes:
        """Return the data that change the frame before into this one, without its duration; none if both are equal."""
        if frame.shape[:2] != (self.height, self.width) or frame.dtype != np.uint8:
            raise ShapeError(
                f"frames of a GIF have one size, {(self.height, self.width)} pixels of bytes; got {frame.shape} of "
                f"{frame.dtype}"
            )
        frame, numbers, functions = np.ascontiguousarray(frame), self.numbers, _functions()
        functions["nearest_colors"](
            frame.ctypes.data, numbers.size, frame.shape[2], self.nearest.ctypes.data, numbers.ctypes.data
        )
        box = np.array([0, 0, self.width, self.height])
        before = None if self.before is None else self.before.ctypes.data
        if before and not functions["changed_box"](
            numbers.ctypes.data, before, self.width, self.height, box.ctypes.data
        ):
            return b""
        end = functions["compress_box"](
            numbers.ctypes.data, before, self.width, box.ctypes.data, SAME, self.table.ctypes.data, self.out.ctypes.data
        )
        size = box[2:] - box[:2]
        written = self.out[: end - self.out.ctypes.data].tobytes()
        self.before, self.numbers = numbers, np.zeros_like(numbers) if self.before is None else self.before
        return b"\x2c" + pack("<HHHHBB", *box[:2].tolist(), *size.tolist(), 0, 8) + written


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
