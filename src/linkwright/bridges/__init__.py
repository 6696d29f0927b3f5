"""Functions and kernels as differentiable functions of PyTorch and JAX, and environments of learning libraries.

    pip install "linkwright[torch]"
    pip install "linkwright[jax]"

The libraries are imported when a function or an environment is made, not before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from linkwright.bridges.functions import function_of
from linkwright.errors import ArgumentError, MissingExtraError, explained
from linkwright.model.tree import Model

__all__ = ["jax", "pufferlib", "rsl_rl", "stable_baselines3", "torch"]


def __dir__() -> list[str]:
    return __all__


def __getattr__(name: str) -> Any:
    advice = "kernel.casadi() returns functions of CasADi" if name == "casadi" else f"there are {', '.join(__all__)}"
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}; {advice}", name=name)


@explained
def torch(function_or_kernel: Callable[..., Any], model: Model | None = None, **inputs: Any) -> Callable[..., Any]:
    """Return a function or a kernel as a differentiable function of PyTorch tensors.

    Parameters
    ----------
    function_or_kernel : callable or Kernel
        Function, as for :func:`~linkwright.compile`, a kernel, :func:`~linkwright.rollout`, or
        :func:`~linkwright.inverse_kinematics`.
    model : Model, optional
        Mechanism; that of a kernel is known.
    **inputs
        Shapes and values of further arguments, as for :func:`~linkwright.compile`, for example ``frame="tool"``. For
        :func:`~linkwright.rollout` its options, and ``wrt``, the names of bound values that become arguments.
        For :func:`~linkwright.inverse_kinematics` ``targets``, the shapes of the targets by task,
        ``initial_guess=True`` if the function has an initial guess as argument after the targets, and its options.

    Returns
    -------
    callable
        Function of tensors, in the order of the kernel's arguments or by name, each with any leading batch dimensions,
        which broadcast. Tensors of float32 are computed in single precision, except by loops and
        :func:`~linkwright.rollout`, which convert them.

    Raises
    ------
    MissingExtraError
        If PyTorch is not installed.
    TooLargeError
        If straight-line code, or that of a derivative, would be too long.

    Notes
    -----
    Gradients are products with the Jacobian matrix, which is not formed: one compiled kernel each. They have gradients
    themselves. The gradient by a configuration is that by its entries (nq,), also for quaternions. The function works
    under ``torch.func`` (``grad``, ``vjp``, ``jvp``, ``vmap``, ``jacrev``, ``jacfwd``, ``hessian``) and in
    ``torch.compile``, as one operator, with first derivatives. Tensors must be on the CPU.

    Examples
    --------
    >>> import linkwright as lw
    >>> arm = lw.load("two_link")
    >>> inverse_dynamics = lw.bridges.torch(lw.inverse_dynamics, arm)  # doctest: +SKIP
    >>> q = torch.zeros(2, dtype=torch.float64, requires_grad=True)  # doctest: +SKIP
    >>> inverse_dynamics(q, torch.ones(2), torch.zeros(2)).sum().backward()  # doctest: +SKIP
    """
    with _library("torch", "PyTorch", '"linkwright[torch]"'):
        from linkwright.bridges.pytorch import TorchFunction
    return TorchFunction(function_of(function_or_kernel, model, inputs))


@explained
def jax(function_or_kernel: Callable[..., Any], model: Model | None = None, **inputs: Any) -> Callable[..., Any]:
    """Return a function or a kernel as a differentiable function of JAX arrays.

    Parameters
    ----------
    function_or_kernel : callable or Kernel
        Function, as for :func:`~linkwright.compile`, a kernel, :func:`~linkwright.rollout`, or
        :func:`~linkwright.inverse_kinematics`.
    model : Model, optional
        Mechanism; that of a kernel is known.
    **inputs
        Shapes and values of further arguments, as for :func:`~linkwright.compile`, for example ``frame="tool"``. For
        :func:`~linkwright.rollout` its options, and ``wrt``, the names of bound values that become arguments.
        For :func:`~linkwright.inverse_kinematics` ``targets``, the shapes of the targets by task,
        ``initial_guess=True`` if the function has an initial guess as argument after the targets, and its options.

    Returns
    -------
    callable
        Function of arrays, in the order of the kernel's arguments or by name, each with any leading batch dimensions,
        which broadcast. Arrays of float32, JAX's default, are computed in single precision, except by loops
        and :func:`~linkwright.rollout`, which convert them.

    Raises
    ------
    MissingExtraError
        If JAX is not installed.
    TooLargeError
        If straight-line code, or that of a derivative, would be too long.

    Notes
    -----
    XLA calls the kernel's machine code directly, without Python. Derivatives are products with the Jacobian matrix,
    which is not formed: one compiled kernel each. The gradient by a configuration is that by its entries (nq,), also
    for quaternions. The function works under ``jit``, ``grad``, ``jvp``, ``vmap``, ``jacfwd``, ``jacrev``, ``hessian``,
    and inside loops (``fori_loop``, ``scan``), on the CPU. Under ``shard_map`` it runs on the shards of each device;
    gradients there require ``check_vma=False``.

    Examples
    --------
    >>> import linkwright as lw
    >>> arm = lw.load("two_link")
    >>> energy = lw.bridges.jax(lw.potential_energy, arm)  # doctest: +SKIP
    >>> jax.jit(jax.grad(energy))(jax.numpy.zeros(2))  # doctest: +SKIP
    """
    with _library("jax", "JAX", '"linkwright[jax]"'):
        from linkwright.bridges.xla import JaxFunction
    return JaxFunction(function_of(function_or_kernel, model, inputs))


@explained
def stable_baselines3(environment: Any) -> Any:
    """Return an environment as a ``VecEnv`` of Stable-Baselines3.

    Parameters
    ----------
    environment : linkwright.gymnasium.VectorEnv
        Vector environment. It is driven by the result from then on.

    Returns
    -------
    stable_baselines3.common.vec_env.VecEnv
        Environments that start again in the step in which they end; ``infos`` contains ``terminal_observation`` and
        ``TimeLimit.truncated``.

    Raises
    ------
    MissingExtraError
        If Stable-Baselines3 is not installed.
    ArgumentError
        If `environment` is no vector environment of Linkwright.

    Examples
    --------
    >>> import linkwright as lw
    >>> PPO("MlpPolicy", lw.bridges.stable_baselines3(environment)).learn(100_000)  # doctest: +SKIP
    """
    with _library("stable_baselines3", "Stable-Baselines3", "stable-baselines3"):
        from linkwright.bridges.stable_baselines import StableBaselinesEnv
    return StableBaselinesEnv(_vector_environment("stable_baselines3", environment))


@explained
def pufferlib(environment: Any, buf: Any = None) -> Any:
    """Return an environment as a ``PufferEnv`` of PufferLib 3, whose agents are the motions.

    Parameters
    ----------
    environment : linkwright.gymnasium.VectorEnv
        Vector environment. It is driven by the result from then on.
    buf : mapping, optional
        Buffers of ``pufferlib.vector``; own ones by default.

    Returns
    -------
    pufferlib.PufferEnv
        Environments that start again in the step in which they end. Actions are clipped to the bounds of their space.

    Raises
    ------
    MissingExtraError
        If PufferLib is not installed.
    ArgumentError
        If `environment` is no vector environment of Linkwright.

    Examples
    --------
    >>> import linkwright as lw
    >>> def made(buf=None, seed=None):  # for pufferlib.vector.make
    ...     return lw.bridges.pufferlib(environment, buf)
    """
    with _library("pufferlib", "PufferLib", "pufferlib-core"):
        from linkwright.bridges.puffer import PufferVectorEnv
    return PufferVectorEnv(_vector_environment("pufferlib", environment), buf)


@explained
def rsl_rl(environment: Any, group: str = "policy") -> Any:
    """Return an environment as a ``VecEnv`` of RSL-RL, on the CPU.

    Parameters
    ----------
    environment : linkwright.gymnasium.VectorEnv
        Vector environment with actions of one dimension. It is driven by the result from then on.
    group : str, optional
        Name of the group of observations, which the runner's ``obs_groups`` names.

    Returns
    -------
    rsl_rl.env.VecEnv
        Environments that start again in the step in which they end; ``extras`` contains ``time_outs``.

    Raises
    ------
    MissingExtraError
        If RSL-RL is not installed.
    ArgumentError
        If `environment` is no vector environment of Linkwright.

    Examples
    --------
    >>> import linkwright as lw
    >>> OnPolicyRunner(lw.bridges.rsl_rl(environment), settings).learn(100)  # doctest: +SKIP
    """
    with _library("rsl_rl", "RSL-RL", "rsl-rl-lib"):
        from linkwright.bridges.rsl import RslEnv
    return RslEnv(_vector_environment("rsl_rl", environment), group)


@contextmanager
def _library(function: str, library: str, package: str) -> Iterator[None]:
    """Raise :class:`MissingExtraError` if the block cannot import a library."""
    try:
        yield
    except ImportError as error:
        raise MissingExtraError(f"bridges.{function} requires {library}: pip install {package} ({error})") from None


def _vector_environment(what: str, given: Any) -> Any:
    """Return a vector environment of Linkwright; raise :class:`ArgumentError` for other objects."""
    if not hasattr(given, "hold") or not hasattr(given, "single_action_space"):
        raise ArgumentError(f"bridges.{what} takes a linkwright.gymnasium.VectorEnv(model, num_envs, …); got {given!r}")
    return given
