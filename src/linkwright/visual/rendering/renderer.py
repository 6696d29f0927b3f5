"""A renderer of triangles: depth buffer, smooth normals, one light with its shadows. Its inner loops are `raster.c`."""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

import numpy as np

from linkwright.compiler.native import runtime
from linkwright.spatial.arrays import Array
from linkwright.visual.drawing.skin import Skin
from linkwright.visual.drawing.view import View

SAMPLES = 2
"""of a pixel along each axis"""
SHADOW_SIDE = 560
"""samples of the shadow map along each axis"""
LIGHT = (0.45, 0.45, 1.0)
"""the direction of the light: parts of right, of towards the viewer, and of up"""
DARKNESS = 0.3
"""of a shadow on the ground"""
SOFTNESS, BIAS = 0.012, 0.008
"""radius of the blur of shadows, and the depth from which a surface casts one on another; parts of the scene's size"""

REACH = int(SOFTNESS * SHADOW_SIDE) + 3
"""samples of the shadow map from a shadow's edge to where the ground is fully lit"""

_Pointer = ctypes.c_void_p


class TriangleBuffer(ctypes.Structure):
    """`TriangleBuffer` of `raster.c`: the nearest triangle at each sample."""

    _fields_ = (
        ("width", ctypes.c_int64),
        ("height", ctypes.c_int64),
        *((name, _Pointer) for name in ("nearness", "face", "span")),
        ("back", ctypes.c_float),
    )

    def __init__(self, width: int, height: int, with_faces: bool = True):
        self.depths, self.spans = np.zeros((height, width), np.float32), np.zeros((height, 2), np.int32)
        self.spans[:] = width, -1
        self.faces = np.zeros((height, width) if with_faces else 0, np.int32)
        arrays = (self.depths, self.faces, self.spans)
        places = (array.ctypes.data if array.size else None for array in arrays)
        super().__init__(width, height, *places, 1.0 if with_faces else -1.0)

    def draw(self, corners: Array, faces: Array, closed: Array, first: int, end: int) -> None:
        """Clear the buffer and draw the triangles ``first`` to ``end`` with corners (n, 3)."""
        addresses = (array.ctypes.data for array in (corners, faces, closed))
        _functions()["clear_buffer"](ctypes.byref(self))
        _functions()["draw_triangles"](ctypes.byref(self), *addresses, first, end)


class SurfaceLook(ctypes.Structure):
    """`SurfaceLook` of `raster.c`, where its fields are explained."""

    _fields_ = (
        ("solid", ctypes.POINTER(TriangleBuffer)),
        ("veil", ctypes.POINTER(TriangleBuffer)),
        *((name, _Pointer) for name in ("faces", "corners", "normals", "colors")),
        ("samples", ctypes.c_int64),
        ("shadow_box", ctypes.c_int64 * 4),
        *((name, ctypes.c_float) for name in ("left", "top", "step", "distance", "back")),
        ("light", ctypes.c_float * 3),
        ("up", ctypes.c_float * 3),
        ("half", ctypes.c_float * 3),
        ("ground", ctypes.c_float),
        ("darkness", ctypes.c_float),
        ("shadow", ctypes.POINTER(TriangleBuffer)),
        ("shadow_reach", _Pointer),
        ("to_shadow", ctypes.c_float * 12),
        ("bias", ctypes.c_float),
        ("softness", ctypes.c_float),
        ("pixels", _Pointer),
    )


_NAMES = ("clear_buffer", "draw_triangles", "widen_spans", "shade_pixels", "lay_over")


@cache
def _functions() -> dict[str, Any]:
    """Return the functions of `raster.c`, which the first picture of a process loads."""
    found = runtime.load(__name__, "raster.ll", _NAMES)
    number = ctypes.c_int64
    widening = ctypes.CFUNCTYPE(None, ctypes.POINTER(TriangleBuffer), number, _Pointer)
    clearing = ctypes.CFUNCTYPE(None, ctypes.POINTER(TriangleBuffer))
    drawing = ctypes.CFUNCTYPE(None, ctypes.POINTER(TriangleBuffer), _Pointer, _Pointer, _Pointer, number, number)
    shading = ctypes.CFUNCTYPE(None, ctypes.POINTER(SurfaceLook), number, number)
    laying = ctypes.PYFUNCTYPE(None, _Pointer, number, number, _Pointer, number)  # too short to give the lock away
    return {
        "lay_over": laying(found["lay_over"]),
        "clear_buffer": clearing(found["clear_buffer"]),
        "widen_spans": widening(found["widen_spans"]),
        "draw_triangles": drawing(found["draw_triangles"]),
        "shade_pixels": shading(found["shade_pixels"]),
    }


def lay_over(pixels: Array, picture: Array, left: int, top: int) -> None:
    """Lay pixels (height, width, 4) over an opaque picture, whose rows may continue beyond, from a corner on."""
    width, height = min(pixels.shape[1], picture.shape[1] - left), min(pixels.shape[0], picture.shape[0] - top)
    part, target = np.ascontiguousarray(pixels[:height, :width]), picture[top : top + height, left : left + width]
    _functions()["lay_over"](part.ctypes.data, width, height, target.ctypes.data, picture.strides[0])


class _Buffers:
    """What a picture is drawn in: the nearest triangles for the viewer and for the light, and the pixels."""

    def __init__(self, width: int, height: int, veiled: bool):
        size = SAMPLES * width, SAMPLES * height
        self.solid = TriangleBuffer(*size)
        self.veil = TriangleBuffer(*size) if veiled else None
        self.shadow = TriangleBuffer(SHADOW_SIDE, SHADOW_SIDE, with_faces=False)
        self.shadow_reach = np.zeros((SHADOW_SIDE, 2), np.int32)
        self.pixels = np.zeros((height, width, 4), dtype=np.uint8)


class SolidRenderer:
    """Renders the triangles of a mechanism in a view; several threads may render at the same time.

    Parameters
    ----------
    covered : Skin
        The triangles.
    view : View
        The camera.
    width, height : int
        Size of the picture in pixels; it shows the window of the view, at equal scales from its upper left corner.
    """

    def __init__(self, covered: Skin, view: View, width: int, height: int):
        self.covered, self.view, self.width, self.height = covered, view, width, height
        self.step = float((view.window[1, 0] - view.window[0, 0]) / width)
        """m, of a pixel"""
        self._up, self._light = view.axes @ view.up, view.axes @ _light(view)
        half = self._light + np.array([0.0, 0.0, 1.0])
        self._half, self._shadow_axes = half / np.linalg.norm(half), _axes_along(self._light)
        order = np.argsort(covered.opacity < 1.0, kind="stable")
        self._order, self._faces = order, np.ascontiguousarray(covered.faces[order], dtype=np.int32)
        self._closed = np.ascontiguousarray(covered.closed[order], dtype=np.uint8)
        self._opaque = int((covered.opacity >= 1.0).sum())
        self._veiled = self._opaque < len(self._faces)
        self._unused: list[_Buffers] = []

    def paint(self, colors: Array) -> Array:
        """Return the colors and opacities (m, 4) for :meth:`image`, from the colors (m, 3) of the triangles, 0 to 1."""
        painted = np.column_stack([colors, self.covered.opacity])[self._order]
        return np.ascontiguousarray(painted, dtype=np.float32)

    @property
    def extent(self) -> tuple[float, float, float, float]:
        """Left, right, lower and upper end of the picture, m in the plane through the center of the view."""
        left, top = self.view.window[0, 0], self.view.window[1, 1]
        return left, left + self.width * self.step, top - self.height * self.step, top

    def image(self, poses: Array, paint: Array, about: Array, ground: bool = True) -> Array:
        """Render one configuration.

        Parameters
        ----------
        poses : ndarray, shape (n_bodies, 4, 4)
            Poses of the bodies.
        paint : ndarray, shape (m, 4)
            Colors of the triangles (:meth:`paint`).
        about : ndarray, shape (3,)
            The point that the view follows.
        ground : bool
            Whether the mechanism casts a shadow on the ground of the view.

        Returns
        -------
        ndarray of uint8, shape (height, width, 4)
            Red, green, blue and opacity.
        """
        view, faces, functions = self.view, self._faces, _functions()
        buffers = self._unused.pop() if self._unused else _Buffers(self.width, self.height, self._veiled)
        axes, origin = view.axes, about + view.center
        p = (self.covered.at(poses) - origin) @ axes.T
        normals = np.ascontiguousarray(self.covered.normals_at(poses) @ axes.T, dtype=np.float32)
        distance = 0.0 if view.flat else view.distance
        back = float(p[:, 2].min()) - view.size
        near = p[:, 2] - back if view.flat else 1.0 / np.maximum(distance - p[:, 2], 1e-3 * distance)
        scale = 1.0 if view.flat else distance * near
        left, top, step = view.window[0, 0], view.window[1, 1], self.step / SAMPLES
        corners = np.column_stack([(p[:, 0] * scale - left) / step, (top - p[:, 1] * scale) / step, near])
        corners = np.ascontiguousarray(corners, dtype=np.float32)
        up, light = self._up, self._light
        floor = None if view.ground is None or not ground else view.ground - float(view.up @ origin)
        to_shadow, at_light, extent = _shadow_map(p, self._shadow_axes)
        buffers.solid.draw(corners, faces, self._closed, 0, self._opaque)
        buffers.shadow.draw(at_light, faces, self._closed, 0, self._opaque)
        functions["widen_spans"](ctypes.byref(buffers.shadow), REACH, buffers.shadow_reach.ctypes.data)
        if buffers.veil is not None:
            buffers.veil.draw(corners, faces, self._closed, self._opaque, len(faces))
        box = np.zeros(4, dtype=int)
        if floor is not None:
            q = p - np.outer((p @ up - floor) / float(up @ light), light)
            scale = distance / np.maximum(distance - q[:, 2], 1e-3 * distance)
            ends = np.column_stack([q[:, 0] * scale - left, top - q[:, 1] * scale]) / self.step
            margin = 2.0 + 2.0 * SOFTNESS * extent / self.step
            least, greatest = _bounds(ends)
            low, high = (np.clip(x, 0, (self.width, self.height)) for x in (least - margin, greatest + margin))
            box = np.array([low[0], high[0], low[1], high[1]]).astype(int)
        buffers.pixels.fill(0)
        look = SurfaceLook(
            ctypes.pointer(buffers.solid),
            None if buffers.veil is None else ctypes.pointer(buffers.veil),
            faces.ctypes.data,
            corners.ctypes.data,
            normals.ctypes.data,
            paint.ctypes.data,
            SAMPLES,
            (ctypes.c_int64 * 4)(*box),
            left,
            top,
            step,
            distance,
            back,
            (ctypes.c_float * 3)(*light),
            (ctypes.c_float * 3)(*up),
            (ctypes.c_float * 3)(*self._half),
            floor or 0.0,
            DARKNESS,
            ctypes.pointer(buffers.shadow),
            buffers.shadow_reach.ctypes.data,
            (ctypes.c_float * 12)(*to_shadow.ravel()),
            BIAS * extent,
            SOFTNESS * SHADOW_SIDE,
            buffers.pixels.ctypes.data,
        )
        functions["shade_pixels"](ctypes.byref(look), 0, self.height)
        image = buffers.pixels.copy()
        self._unused.append(buffers)
        return image


def _bounds(points: Array) -> tuple[Array, Array]:
    """Return the least and the greatest coordinates (k,) of points (n, k)."""
    columns = np.ascontiguousarray(points.T)  # NumPy takes thirty times as long over rows of two or three numbers
    return columns.min(axis=1), columns.max(axis=1)


def _light(view: View) -> Array:
    """Return the direction (3,) to the light in the world."""
    direction: Array = LIGHT[0] * view.axes[0] + LIGHT[1] * view.axes[2] + LIGHT[2] * view.up
    return direction / np.linalg.norm(direction)


def _axes_along(light: Array) -> Array:
    """Return orthogonal unit vectors (3, 3), the last of them the direction to the light."""
    first = np.cross(light, (0.0, 0.0, 1.0) if abs(light[2]) < 0.9 else (0.0, 1.0, 0.0))
    first /= np.linalg.norm(first)
    return np.array([first, np.cross(light, first), light])


def _shadow_map(p: Array, rows: Array) -> tuple[Array, Array, float]:
    """Project points p (n, 3) along the light, the last of the axes ``rows``.

    Returns the map (3, 4) from points to samples and nearness, the points (n, 3) there, and the scene's extent in m.
    """
    seen = p @ rows.T
    low, high = _bounds(seen)
    extent = float((high - low).max()) or 1.0
    scale = np.array([SHADOW_SIDE / (1.04 * extent)] * 2 + [1.0])
    shift = 0.5 * SHADOW_SIDE - scale * 0.5 * (low + high)
    shift[2] = extent - low[2]
    corners = np.ascontiguousarray(seen * scale + shift, dtype=np.float32)
    return np.column_stack([rows * scale[:, None], shift]), corners, extent
