"""PyTorch and JAX. Written by tools/write_examples.py from docs/how_to/pytorch_jax.md: change that page."""

# %% [markdown]
# # PyTorch and JAX
#
# Every public function of a mechanism, every compiled function and every rollout can be a differentiable function of PyTorch
# tensors or of JAX arrays. The computation stays machine code on the CPU; the derivatives are compiled as well.
#
# ```sh
# pip install "linkwright[torch]"   # PyTorch 2.6 or newer
# pip install "linkwright[jax]"     # JAX 0.5.0 or newer
# ```
#
# ## PyTorch

# %%
import numpy as np
import torch
import linkwright as lw

arm = lw.load("arm7")
inverse_dynamics = lw.bridges.torch(lw.inverse_dynamics, arm)

q = torch.zeros(7, dtype=torch.float64, requires_grad=True)
v, a = torch.ones(7, dtype=torch.float64), torch.zeros(7, dtype=torch.float64)
tau = inverse_dynamics(q, v, a)
tau.square().sum().backward()
print(q.grad)

# %% [markdown]
# Arguments may have any leading batch dimensions, which broadcast. Options are given by name, as for `lw.compile`:

# %%
pose = lw.bridges.torch(lw.pose, arm, frame="tool")
batch = torch.rand(1000, 7, dtype=torch.float64)
print(pose(batch).shape)                                # (1000, 4, 4)

jacobians = torch.func.vmap(torch.func.jacrev(inverse_dynamics), (0, None, None))(batch, v, a)
hessian = torch.func.hessian(lambda q: inverse_dynamics(q, v, a).sum())(q.detach())

# %% [markdown]
# `torch.compile` includes the function in a graph as one operator, `linkwright::call`.
#
# ## JAX

# %%
import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)               # float64; without it JAX computes in float32
forward_dynamics = lw.bridges.jax(lw.forward_dynamics, arm)

@jax.jit
def cost(efforts):
    """Return the squared distance from zero after 50 steps."""
    def step(state, tau):
        q, v = state
        v = v + 0.01 * forward_dynamics(q, v, tau)
        return (q + 0.01 * v, v), None

    (q, v), _ = jax.lax.scan(step, (jnp.ones(7), jnp.zeros(7)), efforts)
    return q @ q + 0.1 * v @ v

gradient = jax.jit(jax.grad(cost))(jnp.zeros((50, 7)))
print(gradient.shape)

# %% [markdown]
# XLA calls the machine code directly, without Python, also inside `scan` and `fori_loop`. `jit`, `grad`, `vmap`, `jacfwd`, `jacrev` and
# `hessian` compose as for JAX's own functions.
#
# ## Your own function
#
# A function of the library and of NumPy is compiled first. JAX's and PyTorch's functions cannot be used inside.

# %%
def reach(model, q, target):
    """Return the squared distance of the tool from a target."""
    error = lw.pose(model, q, "tool")[:3, 3] - target
    return error @ error

distance = lw.bridges.jax(reach, arm, target=3)
print(jax.grad(distance, argnums=(0, 1))(jnp.ones(7), jnp.array([0.3, 0.2, 0.5])))

# %% [markdown]
# ## Inverse kinematics and geometry
#
# Inverse kinematics is a function of its targets, of an initial guess, and of [parameters of the mechanism](../topics/mechanisms/models.md)
# such as lengths, which every function accepts. It returns the configuration and the error, and has derivatives of first and second order: those of the
# solution that was found, with the shortest change of the configuration where the targets leave freedom. The arguments are the targets, then with
# `initial_guess=True` the initial guess, then the parameters.

# %%
solve = lw.bridges.torch(lw.inverse_kinematics, arm, targets={"tool": 3}, parameters=["joint3.position"])
target = torch.tensor([0.4, 0.1, 0.5], dtype=torch.float64)
length = torch.tensor(arm.geometry_of("joint3.position"), requires_grad=True)
q, error = solve(target, length)
assert error < 1e-6
q.square().sum().backward()
print(length.grad)                                      # by the position of the third joint

warm = lw.bridges.torch(lw.inverse_kinematics, arm, targets={"tool": 3}, initial_guess=True)
guess = q.detach().requires_grad_()
warm(target + 0.01, guess)[0].square().sum().backward()
print(guess.grad)                                       # by the initial guess

# %% [markdown]
# ## Rollouts
#
# A rollout of fixed steps is one function of its initial state and of values that are bound to the controller or the reward. It returns
# the reward, or the final configuration and velocity where there is no reward. Its reverse mode stores states at checkpoints, and
# computes the steps between them again.

# %%
from functools import partial

def pull(model, t, q, v, stiffness):
    """Return the efforts of springs and dampers."""
    return -stiffness * q - 2.0 * v

def penalty(model, t, q, v, tau):
    """Return the reward of a step."""
    return -(q @ q) - 1e-3 * (tau @ tau)

two_link = lw.load("two_link")
rollout = lw.bridges.torch(lw.rollout, two_link, steps=100, step=0.01, controller=partial(pull, stiffness=np.ones(2)),
                           episode=lw.Episode(reward=penalty), wrt=["stiffness"])
stiffness = torch.ones(2, dtype=torch.float64, requires_grad=True)
state = torch.ones(2, dtype=torch.float64)
rollout(state, 0.0 * state, stiffness).backward()
print(stiffness.grad)

# %% [markdown]
# ## What works
#
# | | PyTorch | JAX |
# |---|---|---|
# | Batches, broadcasting | yes | yes |
# | First and second derivatives, forward and reverse | yes | yes |
# | `vmap`, `jacfwd`, `jacrev`, `hessian` | `torch.func` | yes |
# | Compiled graphs | `torch.compile`, with `vmap` and first derivatives by `backward()`; not with `torch.func.grad` inside | `jit`, `scan`, `fori_loop` |
# | Several CPU devices | – | `shard_map`; gradients inside it with `check_vma=False` |
# | `inverse_kinematics` | first and second derivatives, by targets and geometry | first and second derivatives, by targets and geometry |
# | Exported programs | `torch.export`, also with a dynamic batch dimension; a process that loads one calls `lw.bridges.torch` first | – |
# | float32 | [single precision](#single-precision); loops convert to float64 and back | the same |
# | Half precision | `torch.autocast`: converted to float32 | an error |
# | GPU | an error | an error |
#
# - `inverse_kinematics` has first derivatives of rows that converge, with one priority or two, and second derivatives with one priority; a
#   second derivative with two, and a third one, raise an error. Joints at a limit stay there. Where targets leave freedom (7 joints, 6 coordinates), they are those of the solver
#   from the found solution, which moves with the initial guess: the derivative by the guess is I − J⁺J. `torch.autograd.gradgradcheck`,
#   which changes the point at which the shortest change is taken, differs from the second derivatives. Second derivatives by target, guess and
#   geometry together are too long for poses of seven joints (`TooLargeError`); those by target and geometry are not.
#   [Derivatives of inverse kinematics](../topics/mechanisms/inverse_kinematics.md#derivatives) defines them.
# - Arguments are named as in Python, parameters with underscores: `link2.mass` is `link2_mass`.
# - Third derivatives of other functions work by nested `jacfwd` or `jacrev`.
# - The derivative by a configuration is that by its entries (nq,). For quaternions, `lw.derivative` is instead the derivative along
#   `lw.integrate`, by nv numbers.
# - Functions of mechanisms of about a hundred bodies and more run as loops over the bodies, which have no derivatives here:
#   `lw.compile(…, unroll=True)` first, unless the code is too long.
# - A third derivative through `lw.repeat`, and a derivative through `lw.until`, use forward mode, which takes longer.
# - A JAX array that is traced inside `jit` has no value: Python's `if` on it raises JAX's `TracerBoolConversionError`; use `jnp.where`.
#
# ## NaN
#
# Arguments are not checked for NaN, as by PyTorch and JAX themselves: results of rows with NaN are NaN, and the other rows of a batch are
# not affected. For a target that is not finite `inverse_kinematics` returns NaN for the error and for all joints that move the frame.
#
# Derivatives of `inverse_kinematics` are NaN in five cases:
#
# | case | derivatives that are NaN |
# |---|---|
# | singular configuration, also a target exactly at the edge of reach | all |
# | target out of reach, one priority | second ones; first ones only where the search does not converge to a minimum of the errors (of 200 targets each for `arm7`, `puma560` and Panda, 1 position, no pose) |
# | target out of reach, two priorities, minimum distance, or more than 16 velocities | all |
# | target pose whose rotation deviates from an orthonormal matrix by more than about 1e-6 | all; `q` is not a solution if the error is large |
# | NaN in the arguments | all |
#
# Rotations that were optimized or rounded, for example as float32, are made orthonormal first: `U, _, Vh = torch.linalg.svd(R)`, `R = U @ Vh`.
#
# `error` shows the rows that are not reached. A gradient over a batch is NaN if one row is: select the rows before the solver is called,
# or replace NaN in the gradients of the targets. Multiplying the loss of a row by zero does not remove NaN:

# %%
far = torch.tensor([[0.4, 0.1, 0.5], [3.0, 0.0, 0.0], [np.nan, 0.0, 0.0]], dtype=torch.float64, requires_grad=True)
position = lw.bridges.torch(lw.inverse_kinematics, arm, targets={"tool": 3})
q, error = position(far)
q[error < 1e-6].square().sum().backward()
gradient = far.grad.nan_to_num(0.0)                     # rows that are not finite do not move
print(error.isnan().tolist(), far.grad.isnan().any(dim=1).tolist())      # [False, False, True] twice

# %% [markdown]
# ## Single precision
#
# Arrays of `float32` are computed in [single precision](../topics/mechanisms/single_precision.md), in about half the time of `float64` in
# batches; results and gradients are `float32`. Loops (`lw.repeat`, rollouts, inverse kinematics) need the digits of `float64` for their
# sums and tolerances: they convert arrays of `float32`, and round the results. Forward dynamics of 1024 rows, one core, process time:
#
# | robot | PyTorch, float64 | PyTorch, float32 | JAX, float32 | error of float32, median and maximum |
# |---|---|---|---|---|
# | `arm7` | 16.5 µs | 9.8 µs | 10.4 µs | 6e-8, 8e-7 |
# | `quadruped` | 46 µs | 23 µs | 24 µs | 1e-7, 6e-7 |
# | `humanoid` | 155 µs | 73 µs | 74 µs | 2e-7, 2e-4 |
#
# Errors are relative to the largest entry of a row. Where they are too large, convert: `function(q.double(), …).float()`; in JAX, set
# `jax_enable_x64`.
#
# [Gradients through contact](contact_gradients.md) explains derivatives of motions with impacts.
