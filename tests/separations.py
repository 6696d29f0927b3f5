"""Separations of convex shapes by a dense search over directions: what the gaps of contact are compared with.

The separation of two convex bodies is the largest value of n·d − h_A(−n) − h_B(n) over unit vectors n, with their
support functions h. Many pairs at once: sizes (N, 3), poses (N, 4, 4).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from linkwright.model.parts.shape import Shape

SIZES = {"sphere": 1, "capsule": 2, "box": 3, "cylinder": 2, "ellipsoid": 3, "plane": 0}


def shape(kind: str, size) -> Shape:
    """Radius; radius and length; or three sizes, of a mesh those of its box."""
    if kind == "mesh":
        return Shape("a", kind, vertices=VERTICES * size)
    if kind == "sphere":
        return Shape("a", kind, radius=size[0])
    if kind in ("capsule", "cylinder"):
        return Shape("a", kind, radius=size[0], length=size[1])
    return Shape("a", kind, size=tuple(size[:3])) if kind != "plane" else Shape("world", kind)


VERTICES = np.random.default_rng(0).uniform(-0.5, 0.5, (20, 3))
"""Vertices of a mesh."""


def least_half_size(kind: str, size: np.ndarray) -> np.ndarray:
    """(N,); of a capsule its radius, of a plane any."""
    if kind == "plane":
        return np.full(len(size), np.inf)
    if kind == "cylinder":
        return np.minimum(size[:, 0], 0.5 * size[:, 1])
    return size[:, 0] if kind in ("sphere", "capsule") else 0.5 * size.min(axis=1)


def support(kind: str, size: np.ndarray, T: np.ndarray, n: np.ndarray) -> np.ndarray:
    """(N, K): how far shapes reach along unit vectors n (N, K, 3), from their origins."""
    size = size[:, None, :]
    if kind == "sphere":
        return np.broadcast_to(size[..., 0], n.shape[:2])
    x = abs(n @ T[:, :3, :3])
    if kind == "capsule":
        return size[..., 0] + 0.5 * size[..., 1] * x[..., 2]
    if kind == "cylinder":
        return 0.5 * size[..., 1] * x[..., 2] + size[..., 0] * np.hypot(x[..., 0], x[..., 1])
    if kind == "box":
        return 0.5 * np.sum(size * x, axis=-1)
    assert kind == "ellipsoid"
    return 0.5 * length(size * x)


def edges(kind: str, T: np.ndarray) -> list[np.ndarray]:
    """Axes (N, 3) across which directions have a ridge of the separation."""
    axes = {"capsule": (2,), "cylinder": (2,), "box": (0, 1, 2)}.get(kind, ())
    return [T[:, :3, k] for k in axes]


def length(x: np.ndarray) -> np.ndarray:
    """Lengths of vectors of few components, in a third of the time of `np.linalg.norm`."""
    return np.sqrt(sum(x[..., k] ** 2 for k in range(x.shape[-1])))


def unit(x: np.ndarray) -> np.ndarray:
    return x / np.maximum(length(x)[..., None], 1e-300)


def across(n: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Two unit vectors across each one."""
    other = np.where(abs(n[..., :1]) < 0.9, (1.0, 0.0, 0.0), (0.0, 1.0, 0.0))
    t = unit(np.cross(n, other))
    return t, np.cross(n, t)


def _sphere(count: int) -> np.ndarray:
    k = np.arange(count) + 0.5
    z, angle = 1.0 - 2.0 * k / count, np.pi * (1.0 + 5.0**0.5) * k
    r = np.sqrt(1.0 - z * z)
    return np.stack([r * np.cos(angle), r * np.sin(angle), z], axis=1)


SPHERE = _sphere(1000)


class Pairs:
    """Pairs of shapes of two kinds."""

    def __init__(self, first: str, second: str, sizes1, T1, sizes2, T2):
        self.kinds, self.sizes, self.poses = (first, second), (sizes1, sizes2), (T1, T2)

    def along(self, n: np.ndarray) -> np.ndarray:
        """(N, K): the separations along unit vectors n (N, K, 3) from the second shape to the first."""
        (a, b), (p, q), (T1, T2) = self.kinds, self.sizes, self.poses
        along = (n @ (T1[:, :3, 3] - T2[:, :3, 3])[..., None])[..., 0]
        if b == "plane":
            there = (n @ T2[:, :3, 2, None])[..., 0] > 1.0 - 1e-9
            return np.where(there, along - support(a, p, T1, -n), -np.inf)
        return along - support(a, p, T1, -n) - support(b, q, T2, n)

    def least(self) -> np.ndarray:
        """(N,): the smallest half size of both shapes."""
        (a, b), (p, q) = self.kinds, self.sizes
        return np.minimum(least_half_size(a, p), least_half_size(b, q))

    def separation(self) -> np.ndarray:
        """(N,): the largest that is found."""
        if self.kinds[1] == "plane":
            return self.along(self.poses[1][:, None, :3, 2])[:, 0]
        return np.max([self.along(n).max(axis=1) for n in self._directions()], axis=0)

    def _directions(self) -> Iterator[np.ndarray]:
        T1, T2 = self.poses
        N = len(T1)
        axes = [*edges(self.kinds[0], T1), *edges(self.kinds[1], T2)]
        crossed = [unit(np.cross(a, b)) for k, a in enumerate(axes) for b in axes[:k]]
        points = [*axes, *crossed, unit(T1[:, :3, 3] - T2[:, :3, 3])]
        fallback = T1[:, :3, 0]
        points = [np.where(np.linalg.norm(x, axis=1, keepdims=True) > 0.5, x, fallback) for x in points]
        yield np.stack([s * x for x in points for s in (1.0, -1.0)], axis=1)
        for axis in axes:  # on the great circle across it
            t, u = across(axis)

            def on_circle(angle: np.ndarray, t: np.ndarray = t, u: np.ndarray = u) -> np.ndarray:
                return np.cos(angle)[..., None] * t[:, None] + np.sin(angle)[..., None] * u[:, None]

            angle = np.broadcast_to(np.linspace(0.0, 2.0 * np.pi, 97)[:-1], (N, 96))
            angle = np.take_along_axis(angle, np.argsort(-self.along(on_circle(angle)), axis=1)[:, :5], axis=1)
            value, step = self.along(on_circle(angle)), 2.0 * np.pi / 96.0
            while step > 1e-7:
                for s in (-step, step):
                    there = self.along(on_circle(angle + s))
                    angle, value = np.where(there > value, angle + s, angle), np.maximum(there, value)
                step *= 0.6
            yield on_circle(angle)
        yield self._climbed()

    def _climbed(self) -> np.ndarray:
        """From the best of a thousand directions that are apart, uphill with ever smaller steps."""
        N = len(self.poses[0])
        value, starts = self.along(np.broadcast_to(SPHERE, (N, *SPHERE.shape))), []
        for _ in range(6):
            best = SPHERE[value.argmax(axis=1)]
            starts.append(best)
            value[best @ SPHERE.T > np.cos(0.15)] = -np.inf
        n = np.stack(starts, axis=1)
        value, step = self.along(n), np.full(n.shape[:2], 0.06)
        for k in range(60):
            angle = np.linspace(0.0, 2.0 * np.pi, 9)[:-1] + 0.37 * k
            t, u = across(n)
            around = np.cos(angle)[:, None] * t[:, :, None] + np.sin(angle)[:, None] * u[:, :, None]
            around = unit(n[:, :, None] + step[..., None, None] * around)
            there = self.along(around.reshape(N, -1, 3)).reshape(around.shape[:3])
            best = there.argmax(axis=2)
            higher = np.take_along_axis(there, best[..., None], axis=2)[..., 0]
            better = higher > value
            n = np.where(better[..., None], np.take_along_axis(around, best[..., None, None], axis=2)[:, :, 0], n)
            value, step = np.maximum(higher, value), np.where(better, step, 0.6 * step)
        return n


def rotations(rng: np.random.Generator, N: int) -> np.ndarray:
    """(N, 3, 3): any, or in three of ten multiples of a right angle about the axes, some of them nearly."""
    q = rng.normal(size=(N, 4))
    right = rng.integers(-1, 2, size=(N, 4)).astype(float)
    right[:, 0] += right[:, 0] == 0.0  # 90° or 180° or 120° or none
    right += rng.choice([0.0, 1e-9, 1e-6, 1e-3], size=(N, 1)) * rng.normal(size=(N, 4))
    q = unit(np.where(rng.uniform(size=(N, 1)) < 0.3, right, q))
    w, v = q[:, 0, None, None], q[:, 1:]
    cross = np.zeros((N, 3, 3))
    cross[:, [2, 0, 1], [1, 2, 0]], cross[:, [1, 2, 0], [2, 0, 1]] = v, -v
    return np.eye(3) + 2.0 * w * cross + 2.0 * cross @ cross


def random_pairs(first: str, second: str, rng: np.random.Generator, N: int) -> Pairs:
    """Sizes that differ by up to a factor of 20, any depth or distance of their order."""
    sizes = [10.0 ** rng.uniform(-1.7, -0.4, (N, 3)) for _ in range(2)]
    poses = [np.tile(np.eye(4), (N, 1, 1)) for _ in range(2)]
    for T in poses:
        T[:, :3, :3] = rotations(rng, N)
    n = unit(rng.normal(size=(N, 3)))
    pairs = Pairs(first, second, sizes[0], poses[0], sizes[1], poses[1])
    apart = -pairs.along(n[:, None])[:, 0] if second != "plane" else 0.3
    poses[0][:, :3, 3] = (apart * rng.uniform(0.0, 1.5, N))[:, None] * n
    shift = 0.3 * rng.normal(size=(N, 3))
    for T in poses:
        T[:, :3, 3] += shift
    return pairs


class Waves:
    """A height field whose heights are those of a quadratic function, with second derivatives of at most ``bend``."""

    def __init__(self, rng: np.random.Generator, bend: float):
        self.slope = 0.5 * rng.normal(size=2)
        Q = np.linalg.qr(rng.normal(size=(2, 2)))[0]
        self.H = Q @ np.diag(rng.uniform(-bend, bend, 2)) @ Q.T
        self.size, self.cell = (4.0, 3.0, 0.0), 0.1
        self.x, self.y = np.linspace(-2.0, 2.0, 41), np.linspace(-1.5, 1.5, 31)
        xy = np.stack(np.meshgrid(self.x, self.y), axis=-1)
        self.heights = xy @ self.slope + 0.5 * np.einsum("...i,ij,...j->...", xy, self.H, xy)

    def height(self, xy: np.ndarray) -> np.ndarray:
        """(…,): at places (…, 2), bilinear between the heights."""
        place = (xy - (self.x[0], self.y[0])) / self.cell
        i, j = (np.clip(np.floor(place[..., k]).astype(int), 0, n - 2) for k, n in ((0, 41), (1, 31)))
        u, v = place[..., 0] - i, place[..., 1] - j
        h = self.heights
        return (1 - v) * ((1 - u) * h[j, i] + u * h[j, i + 1]) + v * ((1 - u) * h[j + 1, i] + u * h[j + 1, i + 1])

    def distance(self, points: np.ndarray) -> np.ndarray:
        """(N,): of points (N, 3) from the surface, less than zero below it, by a search that becomes ever denser."""
        above = points[:, 2] - self.height(points[:, :2])
        center, radius = points[:, :2], abs(above)
        offsets = np.stack(np.meshgrid(*[np.linspace(-1.0, 1.0, 21)] * 2), axis=-1).reshape(-1, 2)
        best = radius
        for _ in range(12):
            xy = center[:, None] + radius[:, None, None] * offsets
            square = ((xy - points[:, None, :2]) ** 2).sum(axis=-1) + (self.height(xy) - points[:, 2:]) ** 2
            k = square.argmin(axis=1)
            best = np.minimum(best, np.sqrt(square.min(axis=1)))
            center, radius = xy[np.arange(len(k)), k], 0.25 * radius
        return np.sign(above) * best


def surface_points(kind: str, size: np.ndarray, count: int) -> np.ndarray:
    """(M, 3), in the axes of a shape: its corners and rims densely, of a sphere or a capsule the centers of balls, of a
    mesh the segments between its vertices."""
    if kind == "sphere":
        return np.zeros((1, 3))
    if kind == "capsule":
        return np.linspace(-0.5, 0.5, count)[:, None] * (0.0, 0.0, size[1])
    if kind == "cylinder":
        angle = np.linspace(0.0, 2.0 * np.pi, count)
        rim = np.stack([size[0] * np.cos(angle), size[0] * np.sin(angle), 0.0 * angle], axis=1)
        along = np.linspace(-0.5, 0.5, 9)[:, None, None] * (0.0, 0.0, size[1])
        return (rim + along).reshape(-1, 3)
    if kind == "ellipsoid":
        return 0.5 * size * _sphere(3000)
    if kind == "mesh":
        share = np.linspace(0.0, 0.5, 5)[:, None, None, None]
        x = size * VERTICES
        return (share * x[:, None] + (1.0 - share) * x).reshape(-1, 3)
    assert kind == "box"
    side = np.linspace(-0.5, 0.5, round(count**0.5))
    grid = np.stack(np.meshgrid(side, side, (-0.5, 0.5)), axis=-1).reshape(-1, 3)
    return np.concatenate([np.roll(grid, k, axis=1) for k in range(3)]) * size[:3]
