"""Policies: small neural networks as controllers. Weights are bound numbers: other weights use the same kernel."""

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
from linkwright.model.joints.joint_type import generator
from linkwright.model.requirement import takes_model
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array, as_numbers, is_symbolic, maximum, minimum, where

Layers: TypeAlias = Sequence[tuple[Any, Any]]
"""Matrix (inputs, outputs) and bias (outputs,) of each layer."""


def _sigmoid(x: Array) -> Array:
    return 0.5 + 0.5 * np.tanh(0.5 * x)


ACTIVATIONS: dict[str, Callable[[Array], Array]] = {
    "tanh": np.tanh,
    "relu": lambda x: maximum(x, 0.0),
    "elu": lambda x: where(x > 0.0, x, np.exp(minimum(x, 0.0)) - 1.0),
    "sigmoid": _sigmoid,
    "silu": lambda x: x * _sigmoid(x),
}
"""Activation functions by name."""


@takes_model
def observation(model: Model, t: float | Array, q: Array, v: Array) -> Array:
    """Return the default observation of a policy: q ⊖ neutral and v.

    For a mechanism whose first joint is free, the direction of gravity in axes of the base (3,) replaces the pose of
    the base, which the robot cannot measure itself. The twist is in axes of the base, as all v of free joints are.

    Parameters
    ----------
    model : Model
        Mechanism.
    t : float
        Time, s.
    q, v : ndarray, shapes (nq,) and (nv,)
        Configuration and joint velocity.

    Returns
    -------
    ndarray, shape (2 nv,) or (2 nv - 3,)
        Observation.
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
    """Neural network as a controller: an observation, hidden layers, and efforts from the outputs.

    ``functools.partial(policy, weights=w)`` is a controller for :func:`simulate` and :func:`rollout`. Bound numbers are
    values of the kernel: other weights need no compilation, and ``Actuation(each=["weights"])`` gives each motion of a
    batch its own.

    Parameters
    ----------
    model : Model
        Mechanism.
    hidden : sequence of int, optional
        Sizes of the hidden layers.
    observe : callable, optional
        Function ``observe(model, t, q, v)`` that returns the observation, an array. By default :func:`observation`.
    commands : int, optional
        Number of further inputs, bound as ``command``, such as a desired speed.
    activation : {"tanh", "relu", "elu", "sigmoid", "silu"}, optional
        Activation of the hidden layers.
    bounded : bool, optional
        Whether outputs are between −1 and 1, by tanh.
    actuated : sequence of str, optional
        Names of the joints that have motors: one output per coordinate. By default all but free joints.

    Notes
    -----
    Weights are one vector (``size``,): for each layer the matrix (inputs, outputs), row by row, then the bias. A layer
    is y = x W + b. :meth:`layers` and :meth:`flat` convert between the vector and a list.

    Examples
    --------
    >>> import functools, linkwright as lw
    >>> arm = lw.load("arm7")
    >>> policy = lw.Policy(arm, hidden=(32, 32))
    >>> policy
    Policy(14 -> 32 -> 32 -> 7, tanh, bounded: 1767 weights)
    >>> controller = functools.partial(policy, weights=policy.random(0), scale=5.0)
    >>> motion = lw.simulate(arm, arm.neutral(), [0.0] * 7, duration=0.1, controller=controller)
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
            raise ShapeError(f"observe must return an array (n,); it returned one of shape {seen.shape}")
        self.observe, self.activation, self.bounded = observe, activation, bool(bounded)
        self.commands = int(commands)
        self.motors = tuple(driven(model, actuated))
        """indices in v of the actuated coordinates"""
        if not self.motors:
            raise InputError(f"{model.name!r} has no joint with a motor")
        self.sizes = (len(seen) + self.commands, *map(int, inner), len(self.motors))
        """sizes of the input, the hidden layers and the output"""

    @property
    def shapes(self) -> list[tuple[int, int]]:
        """Shapes (inputs, outputs) of the matrices."""
        return list(zip(self.sizes[:-1], self.sizes[1:], strict=True))

    @property
    def size(self) -> int:
        """Number of weights."""
        return sum(n * m + m for n, m in self.shapes)

    def random(self, seed: int | None = None, batch: Sequence[int] = ()) -> Array:
        """Return random initial weights: normal, with variance 1/inputs, smaller in the last layer, and zero biases.

        The values of all layers then have about the same size, and the first efforts are small.

        Parameters
        ----------
        seed : int, optional
            Seed of the random numbers.
        batch : sequence of int, optional
            Leading dimensions.

        Returns
        -------
        ndarray, shape (*batch, size)
            Weights.
        """
        rng = generator(seed)
        spread = [1.0] * (len(self.shapes) - 1) + [0.1]
        made = [
            (rng.normal(size=(*batch, n, m)) * (s / math.sqrt(n)), np.zeros((*batch, m)))
            for (n, m), s in zip(self.shapes, spread, strict=True)
        ]
        return self.flat(made)

    def layers(self, weights: Any) -> list[tuple[Array, Array]]:
        """Split weights into the matrix and the bias of each layer.

        Parameters
        ----------
        weights : array_like, shape (..., size)
            Weights.

        Returns
        -------
        list of tuple
            Matrix (..., inputs, outputs) and bias (..., outputs) of each layer.
        """
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
        """Concatenate matrices and biases to weights.

        Parameters
        ----------
        layers : sequence of tuple
            Matrix (..., inputs, outputs) and bias (..., outputs) of each layer.

        Returns
        -------
        ndarray, shape (..., size)
            Weights.
        """
        if not isinstance(layers, Iterable) or not all(isinstance(layer, Iterable) for layer in layers):
            raise ArgumentError(f"layers are pairs (W, b), one for each layer; got {layers!r:.200}")
        given = [tuple(as_numbers("layers", x) for x in layer) for layer in layers]
        wanted = [((n, m), (m,)) for n, m in self.shapes]
        if [len(layer) for layer in given] != [2] * len(wanted) or any(
            W.shape[-2:] != of_W or b.shape[-1:] != of_b for (W, b), (of_W, of_b) in zip(given, wanted, strict=True)
        ):
            shapes = [tuple(x.shape for x in layer) for layer in given]
            raise ShapeError(f"layers are pairs (W, b) of shapes {wanted}; got {shapes}")
        parts = [part for W, b in given for part in (W.reshape((*W.shape[:-2], -1)), b)]
        lead = np.broadcast_shapes(*(part.shape[:-1] for part in parts))
        return np.concatenate([np.broadcast_to(part, (*lead, part.shape[-1])) for part in parts], axis=-1)

    def from_state_dict(self, state: Mapping[str, Any], prefix: str = "") -> Array:
        """Return the weights of a PyTorch ``module.state_dict()`` of linear layers, in order.

        Parameters
        ----------
        state : mapping
            Arrays by name: names that end in "weight" are matrices (outputs, inputs), names that end in "bias" are
            biases. A layer without a bias has zeros.
        prefix : str, optional
            Only names that begin with it are used.

        Returns
        -------
        ndarray, shape (size,)
            Weights.

        Raises
        ------
        InputError
            If no name matches.
        """
        if not isinstance(state, Mapping):
            raise ArgumentError(f"a state_dict is a dict of arrays by name; got {type(state).__name__}")
        names = [name for name in state if name.startswith(prefix) and name.endswith("weight")]
        if not names:
            listed = ", ".join(map(str, state)) or "none"
            raise InputError(f"no name begins with {prefix!r} and ends in 'weight'; names: {listed}")
        layers = []
        for name in names:
            W = _plain(name, state[name])
            beside = name.removesuffix("weight") + "bias"
            b = _plain(beside, state[beside]) if beside in state else np.zeros(W.shape[:1])
            layers.append((W.T, b))
        return self.flat(layers)

    def save(self, path: str | Path, weights: Any) -> Path:
        """Write weights and the structure of the network to an ``.npz`` file.

        Parameters
        ----------
        path : str or Path
            File.
        weights : array_like, shape (..., size)
            Weights.

        Returns
        -------
        Path
            The file.
        """
        weights = as_numbers("weights", weights)
        self.layers(weights)
        sizes, activation, bounded = map(np.array, (self.sizes, self.activation, self.bounded))
        with replacing(path, "weights", ".npz") as place, place.open("wb") as file:
            np.savez_compressed(file, weights=weights, sizes=sizes, activation=activation, bounded=bounded)
        return Path(path)

    def load(self, path: str | Path) -> Array:
        """Read weights from a file written by :meth:`save`.

        Parameters
        ----------
        path : str or Path
            File.

        Returns
        -------
        ndarray, shape (..., size)
            Weights.

        Raises
        ------
        InputError
            If the weights belong to another network.
        FormatError
            If the file is damaged or a weight is not finite.
        """
        arrays = read_arrays(path, "file of a policy's weights", ("weights", "sizes", "activation", "bounded"), ())
        weights = arrays["weights"]
        kinds = {"sizes": (1, "iu"), "activation": (0, "U"), "bounded": (0, "b")}
        for name, (dimensions, kind) in kinds.items():
            if arrays[name].ndim != dimensions or arrays[name].dtype.kind not in kind:
                raise FormatError(f"{path}: not a file of policy weights: {name} is {arrays[name]!r:.100}")
        sizes, activation, bounded = tuple(arrays["sizes"].tolist()), str(arrays["activation"]), bool(arrays["bounded"])
        if (sizes, activation, bounded) != (self.sizes, self.activation, self.bounded):
            text = f"{' -> '.join(map(str, sizes))}, {activation}{', bounded' if bounded else ''}"
            raise InputError(f"{path} has the weights of {text}; expected those of {self!r}")
        self.layers(weights)
        weights = as_numbers("weights", weights)
        if not np.isfinite(weights).all():
            wrong = np.count_nonzero(~np.isfinite(weights))
            raise FormatError(f"{path}: {wrong} of {weights.size} weights are not finite (NaN or infinite)")
        return weights

    def outputs(self, weights: Any, x: Any) -> Array:
        """Evaluate the network for an input; numbers or symbols.

        Parameters
        ----------
        weights : array_like, shape (..., size)
            Weights.
        x : array_like, shape (..., inputs)
            Input.

        Returns
        -------
        ndarray, shape (..., outputs)
            Outputs.
        """
        x = x if is_symbolic(x) else as_numbers("x", x)
        if x.shape[-1:] != self.sizes[:1]:
            raise ShapeError(f"the network's input has shape {x.shape}; expected (…, {self.sizes[0]})")
        activation, layers = ACTIVATIONS[self.activation], self.layers(weights)
        for number, (W, b) in enumerate(layers):
            x = x @ W + b if x.ndim == 1 == b.ndim else (x[..., None, :] @ W)[..., 0, :] + b
            if number < len(layers) - 1:
                x = activation(x)
        return np.tanh(x) if self.bounded else x

    def input(self, model: Model, t: float | Array, q: Array, v: Array, command: Array | None = None) -> Array:
        """Return the input of the network: the observation, then the command.

        Parameters
        ----------
        model : Model
            Mechanism.
        t : float
            Time, s.
        q, v : ndarray, shapes (nq,) and (nv,)
            Configuration and joint velocity.
        command : array_like, optional
            Command, for a policy with `commands`.

        Returns
        -------
        ndarray, shape (inputs,)
            Input.
        """
        seen = self.observe(model, t, q, v)
        return np.concatenate([seen, np.reshape(np.asarray(command), (-1,))]) if self.commands else seen

    def action(
        self, model: Model, t: float | Array, q: Array, v: Array, *, weights: Any, command: Array | None = None
    ) -> Array:
        """Return the outputs of the network, which :meth:`efforts` converts to efforts; see ``control.with_policy``.

        Parameters
        ----------
        model : Model
            Mechanism.
        t : float
            Time, s.
        q, v : ndarray, shapes (nq,) and (nv,)
            Configuration and joint velocity.
        weights : array_like, shape (size,)
            Weights.
        command : array_like, optional
            Command, for a policy with `commands`.

        Returns
        -------
        ndarray, shape (outputs,)
            Outputs.
        """
        return self.outputs(weights, self.input(model, t, q, v, command))

    def efforts(
        self,
        model: Model,
        t: float | Array,
        q: Array,
        v: Array,
        *,
        action: Array,
        scale: float | Array = 1.0,
        stiffness: float | Array | None = None,
        damping: float | Array = 0.0,
        posture: Array | None = None,
    ) -> Array:
        """Return the efforts for outputs of the network, as the policy itself does: a controller with a bound action.

        Parameters
        ----------
        model : Model
            Mechanism.
        t : float
            Time, s.
        q, v : ndarray, shapes (nq,) and (nv,)
            Configuration and joint velocity.
        action : array_like, shape (outputs,)
            Outputs of the network.
        scale, stiffness, damping, posture : array_like, optional
            As for calls of the policy.

        Returns
        -------
        ndarray, shape (nv,)
            Efforts.
        """
        y, at = scale * np.asarray(action), list(self.motors)
        if stiffness is not None:
            e = difference(model, q, model.neutral() if posture is None else posture)
            y = stiffness * (e[at] + y)
        return np.eye(model.nv)[:, at] @ (y - damping * v[at])

    def __call__(
        self,
        model: Model,
        t: float | Array,
        q: Array,
        v: Array,
        *,
        weights: Any,
        command: Array | None = None,
        scale: float | Array = 1.0,
        stiffness: float | Array | None = None,
        damping: float | Array = 0.0,
        posture: Array | None = None,
    ) -> Array:
        """Compute the efforts of the policy, τ = scale · y − damping · v for the outputs y.

        With `stiffness` the outputs move the set point of springs, as is usual for legged robots:
        τ = stiffness · ((posture ⊖ q) + scale · y) − damping · v.

        Parameters
        ----------
        model : Model
            Mechanism.
        t : float
            Time, s.
        q, v : ndarray, shapes (nq,) and (nv,)
            Configuration and joint velocity.
        weights : array_like, shape (size,)
            Weights.
        command : array_like, optional
            Command, for a policy with `commands`.
        scale : float or array_like, shape (outputs,), optional
            Efforts per output, N m or N; with `stiffness` rad or m per output.
        stiffness : float or array_like, shape (outputs,), optional
            Stiffness of the springs, N m/rad or N/m.
        damping : float or array_like, shape (outputs,), optional
            Damping, N m s/rad or N s/m.
        posture : array_like, shape (nq,), optional
            Set point of the springs. By default the neutral configuration.

        Returns
        -------
        ndarray, shape (nv,)
            Efforts.
        """
        y = self.action(model, t, q, v, weights=weights, command=command)
        return self.efforts(
            model, t, q, v, action=y, scale=scale, stiffness=stiffness, damping=damping, posture=posture
        )

    def check(self, model: Model, bound: Mapping[str, Any], leads: Mapping[str, int]) -> None:
        """Check the values bound to the policy.

        Parameters
        ----------
        model : Model
            Mechanism.
        bound : mapping
            Bound values by name.
        leads : mapping
            Number of leading batch dimensions of each value.

        Raises
        ------
        ArgumentError
            If a value is missing, or has no effect.
        ShapeError
            If a value has a wrong shape.
        """
        if "weights" not in bound:
            raise ArgumentError(f"bind the weights of {self!r}: functools.partial(policy, weights=policy.random(0))")
        if self.commands and bound.get("command") is None:
            raise ArgumentError(f"bind the command, {self.commands} numbers: functools.partial(…, command=…)")
        if not self.commands and bound.get("command") is not None:
            raise ArgumentError("command is bound, and the policy takes none: Policy(model, commands=…)")
        if bound.get("posture") is not None and bound.get("stiffness") is None:
            raise ArgumentError("posture has no effect without stiffness: bind stiffness too")
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
    """Return a tensor or sequence as an array."""
    return as_numbers(name, x.detach().cpu().numpy() if hasattr(x, "detach") else x)
