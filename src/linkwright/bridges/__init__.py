"""Functions and kernels as differentiable functions of other libraries: PyTorch and JAX.

    pip install "linkwright[torch]"
    pip install "linkwright[jax]"

Both libraries are imported when a function is made, not before.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from linkwright.bridges.functions import function_of
from linkwright.errors import MissingExtraError, explained
from linkwright.model.tree import Model

__all__ = ["jax", "torch"]


def __dir__() -> list[str]:
    return __all__


@explained
def torch(function_or_kernel: Callable[..., Any], model: Model | None = None, **inputs: Any) -> Callable[..., Any]:
    """Return a function or a kernel as a differentiable function of PyTorch tensors.

    Parameters
    ----------
    function_or_kernel : callable or Kernel
        Function, as for :func:`~linkwright.compile`, a kernel, or :func:`~linkwright.rollout`.
    model : Model, optional
        Mechanism; that of a kernel is known.
    **inputs
        Shapes and values of further arguments, as for :func:`~linkwright.compile`, for example ``frame="tool"``. For
        :func:`~linkwright.rollout` its options, and ``wrt``, the names of bound values that become arguments.

    Returns
    -------
    callable
        Function of tensors, in the order of the kernel's arguments or by name, each with any leading batch dimensions,
        which broadcast. Tensors of float32 are computed in float64, and the results are float32.

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
    try:
        from linkwright.bridges.pytorch import TorchFunction
    except ImportError as error:
        raise MissingExtraError(f'bridges.torch requires PyTorch: pip install "linkwright[torch]" ({error})') from None
    return TorchFunction(function_of(function_or_kernel, model, inputs))


@explained
def jax(function_or_kernel: Callable[..., Any], model: Model | None = None, **inputs: Any) -> Callable[..., Any]:
    """Return a function or a kernel as a differentiable function of JAX arrays.

    Parameters
    ----------
    function_or_kernel : callable or Kernel
        Function, as for :func:`~linkwright.compile`, a kernel, or :func:`~linkwright.rollout`.
    model : Model, optional
        Mechanism; that of a kernel is known.
    **inputs
        Shapes and values of further arguments, as for :func:`~linkwright.compile`, for example ``frame="tool"``. For
        :func:`~linkwright.rollout` its options, and ``wrt``, the names of bound values that become arguments.

    Returns
    -------
    callable
        Function of arrays, in the order of the kernel's arguments or by name, each with any leading batch dimensions,
        which broadcast. Arrays of float32, JAX's default, are computed in float64, and the results are float32.

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
    try:
        from linkwright.bridges.xla import JaxFunction
    except ImportError as error:
        raise MissingExtraError(f'bridges.jax requires JAX: pip install "linkwright[jax]" ({error})') from None
    return JaxFunction(function_of(function_or_kernel, model, inputs))
