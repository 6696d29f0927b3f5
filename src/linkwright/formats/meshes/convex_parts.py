"""Decomposition of collision meshes into convex parts, by CoACD (the extra ``decomposition``)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from linkwright.bounds import between, whole_number
from linkwright.errors import ArgumentError, FormatError, MissingExtraError, ModelError, UnknownNameError
from linkwright.formats.meshes.reading import mesh_of
from linkwright.model.build.assembly import described
from linkwright.model.parts.shape import Shape
from linkwright.model.requirement import takes_model
from linkwright.model.transformations.additions import remade
from linkwright.model.tree import Model

SEED = 0
"""Seed of the search of CoACD, so that the parts of a mesh are always the same."""

FINEST, COARSEST = 0.01, 1.0
"""CoACD's bounds of the concavity."""


@takes_model
def decompose_meshes(
    model: Model, only: Sequence[str] | None = None, *, concavity: float = 0.05, parts: int | None = None
) -> Model:
    """Return the model with its collision meshes replaced by convex parts.

    A mesh touches as its convex hull, which closes holes and bays. Its convex parts leave them open. A mesh that is
    convex up to `concavity` stays as it is.

    Parameters
    ----------
    model : Model
        Mechanism without contact pairs: these are found afterwards, by ``with_ground`` or ``with_contact``.
    only : sequence of str, optional
        Names of the links or shapes whose meshes are decomposed; by default all collision meshes.
    concavity : float, optional
        Largest concavity of a part, from 0.01 (many parts) to 1, relative to the size of the mesh (CoACD's threshold).
    parts : int, optional
        Largest number of parts of a mesh; with it the concavity may be larger.

    Returns
    -------
    Model
        Mechanism whose parts are collision shapes of the kind "mesh", named "<name>_0", "<name>_1", …. The mesh stays
        as visual shape if it was one.

    Raises
    ------
    MissingExtraError
        If CoACD is not installed.
    ModelError
        If the model has contact pairs or no collision meshes.

    Notes
    -----
    Each part touches as :func:`convex_hull` of at most 64 vertices, whose ``error`` is the largest distance of the part
    from it.

    References
    ----------
    Wei, Liu, Ling & Su, "Approximate convex decomposition for 3D meshes with collision-aware concavity and tree
    search", *ACM Transactions on Graphics* 41(4), 2022.
    """
    if model.pairs:
        raise ModelError(f"{model.name!r} has contact pairs: decompose its meshes before with_ground and with_contact")
    concavity = between("concavity", concavity, FINEST, COARSEST)
    most = None if parts is None else whole_number("parts", parts, 1)
    chosen = _chosen(model, only)
    found: list[Shape] = []
    places: list[list[int]] = []
    for k, shape in enumerate(model.shapes):
        pieces = _parts(shape, concavity, most) if k in chosen else []
        first = len(found)
        if len(pieces) < 2:
            found.append(shape)
        else:
            name = shape.name or shape.body
            own = replace(shape, use="collision", file="", scale=(1.0, 1.0, 1.0), hull=None)
            found += [replace(own, vertices=V, faces=F, name=f"{name}_{n}") for n, (V, F) in enumerate(pieces)]
        places.append([*range(first, len(found))])
        if len(pieces) > 1 and shape.use == "both":
            found.append(replace(shape, use="visual"))
    listed = [
        replace(pair, first=i, second=j)
        for pair in model.listed_pairs
        for i in places[pair.first]
        for j in places[pair.second]
    ]
    return remade(model, replace(described(model), shapes=tuple(found), listed_pairs=tuple(listed)))


def _chosen(model: Model, only: Any) -> set[int]:
    """Return the indices of the collision meshes of some links or shapes."""
    meshes = {k for k, shape in enumerate(model.shapes) if shape.kind == "mesh" and shape.touches}
    if only is not None:
        if isinstance(only, str) or not isinstance(only, Sequence):
            raise ArgumentError(f"only is a list of names of links or shapes; got {only!r:.200}")
        known = {name for shape in model.shapes for name in (shape.name, shape.body) if name}
        for name in only:
            if name not in known:
                raise UnknownNameError("link or shape", name, known, "links or shapes")
        meshes = {k for k in meshes if {model.shapes[k].name, model.shapes[k].body} & {*only}}
    if not meshes:
        where = f"{model.name!r}" if only is None else ", ".join(map(repr, only))
        raise ModelError(f"no shape of {where} is a collision mesh (kind 'mesh', use 'collision' or 'both')")
    return meshes


def _parts(shape: Shape, concavity: float, most: int | None) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return vertices and faces of the convex parts of a mesh."""
    try:
        import coacd
    except ImportError as error:
        raise MissingExtraError(
            f"convex parts of meshes need CoACD: install the extra, linkwright[decomposition]; {error}"
        ) from None
    mesh = mesh_of(shape)
    coacd.set_log_level("error")
    try:
        found = coacd.run_coacd(
            coacd.Mesh(mesh.vertices, mesh.faces), threshold=concavity, max_convex_hull=most or -1, seed=SEED
        )
    except RuntimeError as error:
        raise FormatError(f"{shape.called} cannot be decomposed: {error}") from None
    return [(np.asarray(V, dtype=float), np.asarray(F, dtype=int)) for V, F in found]
