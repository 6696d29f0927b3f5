"""Model of a mechanism: an immutable tree of moving bodies, parents first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from os import PathLike
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np

from linkwright.errors import ArgumentError, ModelError, UnknownNameError, counted, explained
from linkwright.model.build.description import Description
from linkwright.model.coordinates import JointCoordinates
from linkwright.model.elements import Body, CompensatedWeight, Frame, Joint, Link
from linkwright.model.equality import ByValue
from linkwright.model.joint_lookup import JointLookup
from linkwright.model.joints.joint import in_world_axes
from linkwright.model.joints.loop import CoordinateLoop, Loop
from linkwright.model.memo import derived
from linkwright.model.parts.actuator import Actuator, activation_count
from linkwright.model.parts.keyframe import Keyframe, KeyframeTable
from linkwright.model.parts.pair import Pair, pairs_problems
from linkwright.model.parts.sensor import Sensor
from linkwright.model.parts.shape import Shape
from linkwright.model.parts.spring import Spring
from linkwright.model.sweeps import TreeSweeps
from linkwright.model.transformations.instruments import Instruments
from linkwright.model.transformations.methods import Editing
from linkwright.provided import save_model
from linkwright.spatial.arrays import Array, symbol_names
from linkwright.spatial.inertia import RigidInertia


@dataclass(frozen=True, eq=False)
class Model(Editing, Instruments, TreeSweeps, JointCoordinates, JointLookup, ByValue):
    """Immutable model of a mechanism.

    Bodies are numbered depth first, parents first; joint k moves body k. Two models are equal if all their values are,
    exactly, for any form of their description. Models are made by :func:`load`, :class:`Builder` and the methods that
    return a changed model.

    Parameters
    ----------
    name : str
        Name of the mechanism.
    joints : tuple of Joint
        Moving joints.
    bodies : tuple of Body
        Moving bodies, with all welded links.
    links : tuple of Link
        Bodies and joints in canonical axes, for algorithms.
    frames : dict of str to Frame
        Frames by name; every link is a frame, and "world".
    gravity : ndarray, shape (3,)
        Gravity in the world in m/s².
    welded : RigidInertia
        Inertia of all links that are welded to the world, about its origin.
    loops : tuple of Loop or CoordinateLoop
        Closed loops.
    description : Description
        Description from which the model was made.
    springs : tuple of Spring, optional
        Springs between points of bodies; those of joints are in `joints`.
    shapes : tuple of Shape, optional
        Shapes of the links for drawing and contact.
    pairs : tuple of Pair, optional
        Pairs of shapes in contact.
    listed_pairs : tuple of Pair, optional
        Pairs that a file lists explicitly, which :meth:`with_contact` keeps.
    excluded : tuple of tuple of str, optional
        Pairs of links whose shapes do not touch, which :meth:`with_contact` omits.
    keyframes : dict of str to Keyframe, optional
        Named states that the file stores. A transformation keeps them: new joints are neutral and at rest, and locked
        joints are omitted. It drops a keyframe where a joint changes its number of coordinates. :meth:`reroot` and
        :meth:`mirror`, which change coordinates, drop all, :meth:`append` those of the other mechanism.
    actuators : tuple of Actuator, optional
        Actuators, which act where a simulation has ``Actuation(controls=…)``. :meth:`lock` drops those of locked
        joints, :meth:`reroot` and :meth:`mirror` drop all.
    sensors : tuple of Sensor, optional
        Sensors, read by :func:`sensor_readings`. Those whose joint, frame or actuator a transformation removes are
        dropped; :meth:`reroot` and :meth:`mirror` drop all.
    compensated_weights : tuple of CompensatedWeight, optional
        Weights of links that passive forces compensate (``gravcomp`` of MJCF); a minimal model keeps them.
    physical : Model, optional
        For a minimal model: the model from which it was made.

    Examples
    --------
    >>> import linkwright as lw
    >>> arm = lw.load("two_link")
    >>> arm.nq, arm.nv, [joint.name for joint in arm.joints]
    (2, 2, ['joint1', 'joint2'])
    """

    name: str
    joints: tuple[Joint, ...]
    bodies: tuple[Body, ...]
    links: tuple[Link, ...]
    frames: Mapping[str, Frame]
    gravity: Array
    welded: RigidInertia
    loops: tuple[Loop | CoordinateLoop, ...]
    description: Description = field(compare=False)
    springs: tuple[Spring, ...] = ()
    shapes: tuple[Shape, ...] = ()
    pairs: tuple[Pair, ...] = ()
    listed_pairs: tuple[Pair, ...] = ()
    excluded: tuple[tuple[str, str], ...] = ()
    keyframes: Mapping[str, Keyframe] = field(default_factory=lambda: MappingProxyType(KeyframeTable()))
    actuators: tuple[Actuator, ...] = ()
    sensors: tuple[Sensor, ...] = ()
    compensated_weights: tuple[CompensatedWeight, ...] = ()
    physical: Model | None = None
    memo: dict[Any, Any] = field(init=False, default_factory=dict, repr=False, compare=False)
    """results derived from this model, such as its compiled kernels: see :func:`~linkwright.model.memo.derived`"""
    earlier: dict[Any, Any] = field(init=False, default_factory=dict, repr=False, compare=False)
    """results of the previous memo that have not been used since"""

    sweeps_are_recorded: ClassVar[bool] = False
    """whether this is a recorder, whose sweeps become loops over the bodies"""

    def __getstate__(self) -> dict[str, Any]:
        return {
            **self.__dict__,
            "memo": {},
            "earlier": {},
            "frames": dict(self.frames),
            "keyframes": dict(self.keyframes),
        }

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        frames, keyframes = MappingProxyType(state["frames"]), MappingProxyType(KeyframeTable(state["keyframes"]))
        super().__setstate__({**state, "frames": frames, "keyframes": keyframes})

    def __hash__(self) -> int:
        return hash((self.name, self.nq, self.nv, len(self.frames), len(self.loops)))

    def __post_init__(self) -> None:
        """Check the pairs, which users may replace."""
        if problems := [*pairs_problems(self.pairs, self.shapes), *pairs_problems(self.listed_pairs, self.shapes)]:
            raise ModelError(problems)

    @property
    def nu(self) -> int:
        """Number of controls: actuators."""
        return len(self.actuators)

    @cached_property
    def na(self) -> int:
        """Number of activations of actuators."""
        return activation_count(self.actuators)

    @cached_property
    def holds_symbols(self) -> bool:
        """Whether a parameter of the model is a symbol."""
        return any(pair.holds_symbols for pair in self.pairs) or any(
            x.dtype.hasobject if isinstance(x, np.ndarray) else not isinstance(x, (float, int))
            for x in chain(self.lengths(), self._other_parameters())
        )

    def lengths(self) -> Iterator[Any]:
        """Yield the placements of bodies, frames and loops, and the lengths and pitches of loops.

        Yields
        ------
        Pose, ndarray or float
            A placement (m, rad), a length (m) or a pitch (m/rad), as a number or as a symbolic expression.
        """
        yield from (link.placement for link in self.links)
        yield from (frame.placement for frame in self.frames.values())
        for loop in self.loops:
            if isinstance(loop, Loop):
                yield from (loop.placement, *loop.kind.numbers.values())

    def _other_parameters(self) -> Iterator[Any]:
        """Yield the parameters, other than :meth:`lengths`, that may be symbols."""
        yield self.gravity
        for link in self.links:
            yield from (link.armature, *link.rigid_inertia)
        for joint in self.joints:
            yield from (joint.stiffness, joint.damping, joint.friction, joint.rest)
        for shape in self.shapes:
            yield from (shape.placement, shape.radius, shape.length, *shape.size)

    @cached_property
    def subtree_end(self) -> tuple[int, ...]:
        """Index after the last body of the subtree of each body (bodies are numbered depth first)."""
        end = list(range(1, len(self.links) + 1))
        for k in reversed(range(len(self.links))):
            parent = self.links[k].parent
            if parent >= 0:
                end[parent] = max(end[parent], end[k])
        return tuple(end)

    @explained
    def path(self, body: int) -> list[int]:
        """Return the bodies from the root to a body.

        Parameters
        ----------
        body : int
            Index of the body.

        Returns
        -------
        list of int
            Indices of the bodies on the path, including `body`.
        """
        path = []
        while body >= 0:
            path.append(body)
            body = self.links[body].parent
        return path[::-1]

    @explained
    def outermost(self, body: int) -> str:
        """Return the outermost frame on a body: a tip or a tool.

        Parameters
        ----------
        body : int
            Index of the body.

        Returns
        -------
        str
            Name of the frame.
        """
        on_body = {name: frame.placement[:3, 3] for name, frame in self.frames.items() if frame.body == body}
        return max(on_body, key=lambda name: float(np.linalg.norm(on_body[name])))

    def frame(self, name: str) -> Frame:
        """Return the frame of a name; every link is a frame, and "world".

        Parameters
        ----------
        name : str
            Name of the frame.

        Returns
        -------
        Frame
            Frame.

        Raises
        ------
        UnknownNameError
            If there is no such frame.
        """
        if not isinstance(name, str):
            raise ArgumentError(f"a frame is given by its name, a str; got {name!r}")
        try:
            return self.frames[name]
        except KeyError:
            raise UnknownNameError("frame", name, self.frames) from None

    def geometry_of(self, name: str) -> Any:
        """Return a position, an orientation, a distance, an axis or a size by its name: "joint2.position".

        Parameters
        ----------
        name : str
            Name, as the parameters of :func:`~linkwright.compile`.

        Returns
        -------
        ndarray or float
            Value.

        Raises
        ------
        UnknownNameError
            If there is no such joint, frame or shape.
        """
        from linkwright.model.transformations.geometry import geometry_of

        return geometry_of(self, name)

    def snapped(self, angle: float = 1e-5) -> Model:
        """Return the model with corrected right angles, which files give with few digits: 1.5708 becomes π/2.

        Parameters
        ----------
        angle : float, optional
            Largest correction of a rotation in rad.

        Returns
        -------
        Model
            Mechanism in which rotations of joints and frames are replaced by simpler ones, with more zeros after
            rotations by multiples of π/12. Positions change by `angle` times the size of the mechanism, so that results
            differ in about the sixth digit; compiled functions have fewer operations.
        """
        from linkwright.model.build.assembly import assemble
        from linkwright.model.transformations.right_angles import snapped

        model = assemble(snapped(self, angle))
        return model if self.physical is None else model.minimal()

    @explained
    def minimal(self, form: str = "inertia") -> Model:
        """Return a model with the same motion and regrouped inertial parameters, as many as possible zero.

        Parameters
        ----------
        form : {"inertia", "second moment"}, optional
            Parameters with zeros: the inertia I, for algorithms that transform inertias (mass matrix, forward
            dynamics), or the second moment Σ = ½ tr(I) 1 − I, for inverse dynamics.

        Returns
        -------
        Model
            Mechanism with the same joint-space dynamics (inverse and forward dynamics, mass and Coriolis matrices, bias
            and gravity forces) and kinematics. The inertias in ``links`` are not those of rigid bodies, so that a
            minimal model has no energy, momentum, mass or center of mass.

        References
        ----------
        Khalil & Dombre, *Modeling, Identification and Control of Robots* (2002), chapter 9.
        """
        from linkwright.model.transformations.minimal import minimal

        if self.physical is not None:
            return self
        made: Model = derived(self, minimal, form)
        return made

    def save(self, path: str | PathLike[str]) -> Path:
        """Write the model to a file: URDF (.urdf), MJCF (.xml, .mjcf), SDF (.sdf) or ZTK (.ztk).

        An SRDF file (.srdf) has the pairs of links that do not collide: neighbors, and ``excluded``.

        Parameters
        ----------
        path : str or path-like
            Path; its ending selects the format.

        Returns
        -------
        Path
            Path.

        Raises
        ------
        ArgumentError
            If the ending is unknown.
        InputError
            If writing fails.
        ModelError
            If the model is minimal.

        Notes
        -----
        Elements that the format cannot represent are listed in one :class:`FormatWarning`.
        """
        written: Path = save_model(self, path)
        return written

    def require_numbers(self, what: str, placements_only: bool = False) -> None:
        """Check that no parameter of the model is a symbol.

        Parameters
        ----------
        what : str
            Computation that needs numbers, for the message.
        placements_only : bool, optional
            Whether only placements of bodies, frames and loops, and the lengths of these, must be numbers.

        Raises
        ------
        ModelError
            If a parameter is a symbol.
        """
        if not self.holds_symbols:
            return
        parameters = list(self.lengths()) if placements_only else [*self.lengths(), *self._other_parameters()]
        names = symbol_names(x for values in parameters for x in np.ravel(values))
        if names or not placements_only:
            symbols = f"symbols ({', '.join(names)})" if names else "symbols"
            raise ModelError(f"{what} needs numbers, but {self.name!r} has {symbols}: build it with their values")

    def require_physical(self, what: str) -> None:
        """Check that the model is not minimal, whose inertias are not those of bodies.

        Parameters
        ----------
        what : str
            Quantity that needs inertias of bodies, for the message.

        Raises
        ------
        ModelError
            If the model is minimal.
        """
        if self.physical is not None:
            raise ModelError(
                f"{what} cannot be computed from a minimal model: regrouped inertias are not those of the bodies of "
                f"{self.name!r}; use the model on which minimal() was called"
            )

    def __str__(self) -> str:
        from linkwright.model.printing import tree_text

        return tree_text(self)

    def _repr_html_(self) -> str:
        from linkwright.model.printing import table_html

        return table_html(self)

    def __repr__(self) -> str:
        return f"<Model {self.name!r}: {counted(len(self.bodies), 'body', 'bodies')}, nq {self.nq}, nv {self.nv}>"


def floating_bases(model: Model) -> list[int]:
    """Return the indices of the free joints on the world.

    Those of MJCF files with armature are three translations along the world's axes and a ball.
    """
    return [
        k
        for k, (joint, link) in enumerate(zip(model.joints, model.links, strict=True))
        if link.parent < 0 and (joint.motion.floating or joint.motion == in_world_axes())
    ]
