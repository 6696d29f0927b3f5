"""Policies: small networks as laws. Their weights are numbers that are bound, so that others are the same kernel."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from linkwright.bounds import whole_number
from linkwright.control.joint_space import Motors, driven
from linkwright.dynamics import difference, pose
from linkwright.errors import ArgumentError, FormatError, InputError, ShapeError, is_choice
from linkwright.files import read_arrays, replacing
from linkwright.model.joint_type import generator
from linkwright.model.requirement import takes_model
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array, as_numbers, is_symbolic, maximum, minimum, where

Layers: TypeAlias = Sequence[tuple[Any, Any]]
"""Of each layer its matrix, (inputs, outputs), and what is added, (outputs,)."""


def _sigmoid(x: Array) -> Array:
    return 0.5 + 0.5 * np.tanh(0.5 * x)


ACTIVATIONS: dict[str, Callable[[Array], Array]] = {
    "tanh": np.tanh,
    "relu": lambda x: maximum(x, 0.0),
    "elu": lambda x: where(x > 0.0, x, np.exp(minimum(x, 0.0)) - 1.0),
    "sigmoid": _sigmoid,
    "silu": lambda x: x * _sigmoid(x),
}
"""What a layer may do with each of its numbers."""


@takes_model
def observation(model: Model, t: Any, q: Array, v: Array) -> Array:
    """What a policy sees where nothing else is told: q ⊖ neutral, in which joints are, and v; (2 nv,).

    Of a mechanism whose first joint is free, the direction of gravity in the base's axes (3,) stands for where the base
    is and how it is turned: what it can feel itself. Its twist is in its own axes, as all v of free joints are.
    """
    e = difference(model, model.neutral(), q)
    if not model.joints or not model.joints[0].motion.floating:
        return np.concatenate([e, v])
    base = model.joints[0]
    down = np.asarray(model.gravity)
    if not is_symbolic(down):
        down = down / (np.linalg.norm(down) or 1.0)
    R = pose(model, q, base.child)[:3, :3]
    return np.concatenate([R.T @ down, e[model.slice(base.name).v.stop :], v])


class Policy:
    """A network as a law: what it observes, hidden layers, and from its outputs the efforts of the motors.

    ``policy = Policy(model)`` is bound its weights, ``functools.partial(policy, weights=w)``, and is then a law of
    :func:`simulate` and :func:`rollout`. Numbers bound to it are values of the kernel: with other weights nothing is
    compiled again, and ``Actuation(each=["weights"])`` gives each motion of a batch its own.

    ``hidden``: the sizes of the hidden layers. ``observe(model, t, q, v)`` gives what it sees, an array;
    ``commands``: so many numbers more, bound as ``command``, such as the speed that is wanted. ``activation``: of the
    hidden layers, "tanh", "relu", "elu", "sigmoid" or "silu"; ``bounded``: whether outputs are between −1 and 1, by
    tanh. ``actuated`` names the joints that have motors, all but free ones by themselves: one output for each
    coordinate of them.

    Weights are one vector (``size``,): of each layer its matrix, (inputs, outputs), row by row, then what is added.
    A layer is y = x W + b. :meth:`layers` and :meth:`flat` turn it into a list and back.

    >>> import functools, linkwright as lw
    >>> arm = lw.load("arm7")
    >>> policy = lw.Policy(arm, hidden=(32, 32))
    >>> policy
    Policy(14 -> 32 -> 32 -> 7, tanh, bounded: 1767 weights)
    >>> law = functools.partial(policy, weights=policy.random(0), scale=5.0)
    >>> motion = lw.simulate(arm, arm.neutral(), [0.0] * 7, duration=0.1, controller=law)
    """

    @takes_model
    def __init__(
        self,
        model: Model,
        hidden: Sequence[int] = (64, 64),
        *,
        observe: Callable[[Model, Any, Array, Array], Array] = observation,
        commands: int = 0,
        activation: str = "tanh",
        bounded: bool = True,
        actuated: Motors = None,
    ):
        inner: tuple[Any, ...] = tuple(hidden) if isinstance(hidden, (tuple, list)) else (hidden,)
        for what, n, least in (*(("hidden", n, 1) for n in inner), ("commands", commands, 0)):
            whole_number(what, n, least)
        if not is_choice(activation, ACTIVATIONS):
            raise ArgumentError(f"activation is one of {', '.join(ACTIVATIONS)}; got {activation!r}")
        if not callable(observe):
            raise ArgumentError(f"observe is a function (model, t, q, v) -> array; got {observe!r}")
        seen = np.asarray(observe(model, 0.0, model.neutral(), np.zeros(model.nv)))
        if seen.ndim != 1 or not seen.size:
            raise ShapeError(f"observe gives an array (n,) of what is seen; it gave one of shape {seen.shape}")
        self.observe, self.activation, self.bounded = observe, activation, bool(bounded)
        self.commands = int(commands)
        self.motors = tuple(driven(model, actuated))
        """places in v of what it drives"""
        if not self.motors:
            raise InputError(f"{model.name!r} has no joint with a motor")
        self.sizes = (len(seen) + self.commands, *map(int, inner), len(self.motors))
        """of the input, the hidden layers and the output"""

    @property
    def shapes(self) -> list[tuple[int, int]]:
        """Of the matrices, (inputs, outputs)."""
        return list(zip(self.sizes[:-1], self.sizes[1:], strict=True))

    @property
    def size(self) -> int:
        """How many weights."""
        return sum(n * m + m for n, m in self.shapes)

    def random(self, seed: int | None = None, batch: Sequence[int] = ()) -> Array:
        """Weights to begin with, (*batch, size): normal, of variance 1/inputs, those of the last layer a tenth of it.

        So the numbers of a layer are about as large as those before it, and the first efforts are small. What is added
        is zero.
        """
        rng = generator(seed)
        spread = [1.0] * (len(self.shapes) - 1) + [0.1]
        made = [
            (rng.normal(size=(*batch, n, m)) * (s / math.sqrt(n)), np.zeros((*batch, m)))
            for (n, m), s in zip(self.shapes, spread, strict=True)
        ]
        return self.flat(made)

    def layers(self, weights: Any) -> list[tuple[Array, Array]]:
        """Of each layer its matrix (…, inputs, outputs) and what is added (…, outputs), from weights (…, size)."""
        weights = weights if is_symbolic(weights) else as_numbers("weights", weights)
        if weights.shape[-1:] != (self.size,):
            raise ShapeError(f"weights has shape {weights.shape}; expected (…, {self.size}) for {self!r}")
        found, at, lead = [], 0, weights.shape[:-1]
        for n, m in self.shapes:
            W = weights[..., at : at + n * m].reshape((*lead, n, m))
            at += n * m + m
            found.append((W, weights[..., at - m : at]))
        return found

    def flat(self, layers: Layers) -> Array:
        """Weights (…, size) from matrices (…, inputs, outputs) and what is added (…, outputs), layer by layer."""
        if not isinstance(layers, Iterable) or not all(isinstance(layer, Iterable) for layer in layers):
            raise ArgumentError(f"layers are pairs (W, b), one for each layer; got {layers!r:.200}")
        given = [tuple(as_numbers("layers", x) for x in layer) for layer in layers]
        wanted = [((n, m), (m,)) for n, m in self.shapes]
        if [len(layer) for layer in given] != [2] * len(wanted) or any(
            W.shape[-2:] != of_W or b.shape[-1:] != of_b for (W, b), (of_W, of_b) in zip(given, wanted, strict=True)
        ):
            told = [tuple(x.shape for x in layer) for layer in given]
            raise ShapeError(f"layers are pairs (W, b) of shapes {wanted}; got {told}")
        parts = [part for W, b in given for part in (W.reshape((*W.shape[:-2], -1)), b)]
        lead = np.broadcast_shapes(*(part.shape[:-1] for part in parts))
        return np.concatenate([np.broadcast_to(part, (*lead, part.shape[-1])) for part in parts], axis=-1)

    def from_state_dict(self, state: Mapping[str, Any], prefix: str = "") -> Array:
        """Weights from a dict of arrays as PyTorch's ``module.state_dict()`` gives it, of linear layers in order.

        Of the names that begin with ``prefix``, those that end in "weight" are matrices (outputs, inputs), those that
        end in "bias" what is added; a layer without one adds nothing.
        """
        if not isinstance(state, Mapping):
            raise ArgumentError(f"a state_dict is a dict of arrays by name; got {type(state).__name__}")
        names = [name for name in state if name.startswith(prefix) and name.endswith("weight")]
        if not names:
            told = ", ".join(map(str, state)) or "none"
            raise InputError(f"no name begins with {prefix!r} and ends in 'weight'; there are {told}")
        layers = []
        for name in names:
            W = _plain(name, state[name])
            beside = name.removesuffix("weight") + "bias"
            b = _plain(beside, state[beside]) if beside in state else np.zeros(W.shape[:1])
            layers.append((W.T, b))
        return self.flat(layers)

    def save(self, path: str | Path, weights: Any) -> Path:
        """Write weights, and for which network they are, as ``.npz``."""
        weights = as_numbers("weights", weights)
        self.layers(weights)
        sizes, activation, bounded = map(np.array, (self.sizes, self.activation, self.bounded))
        with replacing(path, "weights", ".npz") as place, place.open("wb") as file:
            np.savez_compressed(file, weights=weights, sizes=sizes, activation=activation, bounded=bounded)
        return Path(path)

    def load(self, path: str | Path) -> Array:
        """Weights from such a file, refused where they are of another network or not finite."""
        arrays = read_arrays(path, "file of a policy's weights", ("weights", "sizes", "activation", "bounded"), ())
        weights = arrays["weights"]
        kinds = {"sizes": (1, "iu"), "activation": (0, "U"), "bounded": (0, "b")}
        for name, (dimensions, kind) in kinds.items():
            if arrays[name].ndim != dimensions or arrays[name].dtype.kind not in kind:
                raise FormatError(f"{path}: this is no file of a policy's weights: {name} is {arrays[name]!r:.100}")
        sizes, activation, bounded = tuple(arrays["sizes"].tolist()), str(arrays["activation"]), bool(arrays["bounded"])
        if (sizes, activation, bounded) != (self.sizes, self.activation, self.bounded):
            told = f"{' -> '.join(map(str, sizes))}, {activation}{', bounded' if bounded else ''}"
            raise InputError(f"{path} has the weights of {told}; expected those of {self!r}")
        self.layers(weights)
        weights = as_numbers("weights", weights)
        if not np.isfinite(weights).all():
            wrong = np.count_nonzero(~np.isfinite(weights))
            raise FormatError(f"{path}: {wrong} of {weights.size} weights are not finite (NaN or infinite)")
        return weights

    def outputs(self, weights: Any, x: Any) -> Array:
        """What the network makes of an input (…, inputs): (…, outputs). Numbers or symbols; batches broadcast."""
        x = x if is_symbolic(x) else as_numbers("x", x)
        if x.shape[-1:] != self.sizes[:1]:
            raise ShapeError(f"the network's input has shape {x.shape}; expected (…, {self.sizes[0]})")
        activation, layers = ACTIVATIONS[self.activation], self.layers(weights)
        for number, (W, b) in enumerate(layers):
            x = x @ W + b if x.ndim == 1 == b.ndim else (x[..., None, :] @ W)[..., 0, :] + b
            if number < len(layers) - 1:
                x = activation(x)
        return np.tanh(x) if self.bounded else x

    def input(self, model: Model, t: Any, q: Array, v: Array, command: Any = None) -> Array:
        """What the network is given (inputs,): what is observed, then the command."""
        seen = self.observe(model, t, q, v)
        return np.concatenate([seen, np.reshape(np.asarray(command), (-1,))]) if self.commands else seen

    def action(self, model: Model, t: Any, q: Array, v: Array, *, weights: Any, command: Any = None) -> Array:
        """What the network decides (outputs,), which :meth:`efforts` follow: see ``control.with_policy``."""
        return self.outputs(weights, self.input(model, t, q, v, command))

    def efforts(
        self,
        model: Model,
        t: Any,
        q: Array,
        v: Array,
        *,
        action: Any,
        scale: Any = 1.0,
        stiffness: Any = None,
        damping: Any = 0.0,
        posture: Any = None,
    ) -> Array:
        """The efforts (nv,) that follow outputs y = ``action`` (outputs,), as the policy itself does: a law."""
        y, at = scale * np.asarray(action), list(self.motors)
        if stiffness is not None:
            e = difference(model, q, model.neutral() if posture is None else posture)
            y = stiffness * (e[at] + y)
        return np.eye(model.nv)[:, at] @ (y - damping * v[at])

    def __call__(
        self,
        model: Model,
        t: Any,
        q: Array,
        v: Array,
        *,
        weights: Any,
        command: Any = None,
        scale: Any = 1.0,
        stiffness: Any = None,
        damping: Any = 0.0,
        posture: Any = None,
    ) -> Array:
        """The efforts (nv,), of outputs y: τ = scale · y − damping · v, where there are motors, in N m or N.

        With ``stiffness`` outputs move the posture that springs hold, as legged robots are driven:
        τ = stiffness · ((posture ⊖ q) + scale · y) − damping · v, ``scale`` in rad or m; ``posture`` (nq,), the neutral
        one by itself. ``scale``, ``stiffness`` and ``damping`` are numbers or have one for each output.
        """
        y = self.action(model, t, q, v, weights=weights, command=command)
        told = {"scale": scale, "stiffness": stiffness, "damping": damping, "posture": posture}
        return self.efforts(model, t, q, v, action=y, **told)

    def check(self, model: Model, bound: Mapping[str, Any], leads: Mapping[str, int]) -> None:
        """Raise what is wrong with what is bound."""
        if "weights" not in bound:
            raise ArgumentError(f"bind the weights of {self!r}: functools.partial(policy, weights=policy.random(0))")
        if self.commands and bound.get("command") is None:
            raise ArgumentError(f"bind what is commanded, {self.commands} numbers: functools.partial(…, command=…)")
        if not self.commands and bound.get("command") is not None:
            raise ArgumentError("command is bound, and the policy takes none: Policy(model, commands=…)")
        if bound.get("posture") is not None and bound.get("stiffness") is None:
            raise ArgumentError("posture is bound without stiffness, and has no effect: bind that too")
        several: set[tuple[int, ...]] = {(), (len(self.motors),)}
        wanted: dict[str, set[tuple[int, ...]]] = {
            "weights": {(self.size,)},
            "command": {(self.commands,), (self.commands,)[self.commands == 1 :]},
            "posture": {(model.nq,)},
            **dict.fromkeys(("scale", "stiffness", "damping"), several),
        }
        for name, shapes in wanted.items():
            given = bound.get(name)
            if given is None or is_symbolic(given):
                continue
            shape = as_numbers(name, given).shape[leads.get(name, 0) :]
            if shape not in shapes:
                alike = any(one and shape[-len(one) :] == one for one in shapes) and not leads.get(name)
                hint = f"; each=[{name!r}] gives each motion of a batch its own" if alike else ""
                raise ShapeError(f"{name} has shape {shape}; expected {' or '.join(map(str, sorted(shapes)))}{hint}")

    def __repr__(self) -> str:
        kind = f"{self.activation}{', bounded' if self.bounded else ''}"
        return f"Policy({' -> '.join(map(str, self.sizes))}, {kind}: {self.size} weights)"


def _plain(name: str, x: Any) -> Array:
    """An array, of a tensor too."""
    return as_numbers(name, x.detach().cpu().numpy() if hasattr(x, "detach") else x)
