"""Trajectories in files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from linkwright.errors import FormatError, InputError
from linkwright.files import file_at, read_arrays, replacing, write_rows
from linkwright.model.coordinates import velocity_names
from linkwright.model.requirement import require_model
from linkwright.model.tree import Model

if TYPE_CHECKING:
    from linkwright.trajectories.trajectory import Trajectory

SAMPLES = 1000
"""in a table, without a given step"""


def save(trajectory: Trajectory, path: str | Path, step: float | None = None) -> Path:
    """Write it whole (``.npz``) or sampled (``.csv``); the path."""
    path = file_at(path, "trajectories", ".npz", ".csv")
    model = trajectory.model
    if path.suffix.lower() == ".npz":
        limits = {f"limit_{kind}": x for kind, x in trajectory.limits.items()}
        with replacing(path) as place, place.open("wb") as file:
            np.savez_compressed(
                file,
                times=trajectory.times,
                q=trajectory.q,
                coefficients=trajectory.coefficients,
                coordinate_names=np.array(model.coordinate_names),
                **limits,  # type: ignore[arg-type]
                **trajectory._kept(),  # type: ignore[arg-type]
            )
        return path
    trajectory._one("written as a table")
    t, q, v, a = trajectory.sample((trajectory.duration / SAMPLES or 1.0) if step is None else step)
    names = velocity_names(model)
    header = ["t", *(f"q:{name}" for name in model.coordinate_names)]
    header += [f"{kind}:{name}" for kind in ("v", "a") for name in names]
    with replacing(path) as place, place.open("w", encoding="utf-8") as file:
        file.write(",".join(header) + "\n")
        write_rows(file, np.column_stack([t, q, v, a]))
    return path


def load(path: str | Path, model: Model) -> Trajectory:
    """What :func:`save` wrote as ``.npz``."""
    require_model(model, "Trajectory.load", "the second argument")
    from linkwright.trajectories.timing.motion import kept_along
    from linkwright.trajectories.trajectory import KINDS, Trajectory

    arrays = read_arrays(
        path, "trajectory as Trajectory.save writes it", ("times", "q", "coefficients", "coordinate_names")
    )
    times, q, coefficients = (arrays[name] for name in ("times", "q", "coefficients"))
    names = [str(name) for name in np.ravel(arrays["coordinate_names"])]
    if names != list(model.coordinate_names):
        raise InputError(
            f"{str(path)!r} is a trajectory of the coordinates {', '.join(names)}; {model.name!r} has "
            f"{', '.join(model.coordinate_names)}"
        )
    limits = {kind: arrays[f"limit_{kind}"] for kind in KINDS if f"limit_{kind}" in arrays}
    for kind, x in limits.items():
        if x.dtype.kind not in "fiu" or not (x > 0.0).all():
            raise FormatError(f"{str(path)!r}: limits are positive numbers; limit_{kind} is {x.tolist()!r:.200}")
    try:
        return kept_along(Trajectory(model, times, q, coefficients, limits=limits), arrays)
    except KeyError as missing:
        raise FormatError(f"{str(path)!r} is a motion along a path without its {missing}") from None
