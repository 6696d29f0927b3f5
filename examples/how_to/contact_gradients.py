"""Differentiate through contact. Written by tools/write_examples.py from docs/how_to/contact_gradients.md: change that page."""

# %% [markdown]
# # Differentiate through contact
#
# `lw.rollout_derivatives` differentiates a simulation with contact, joint limits and dry friction exactly: with respect to the initial
# state and to any numbers bound to the controller, in forward and in reverse mode. The derivatives are finite and equal finite differences wherever the
# motion is differentiable.
#
# ![Iterations of Newton's method for a throw that reaches a point after its bounces](../pictures/topic_contact_gradients.png)

# %%
import numpy as np
import linkwright as lw

ball = (
    lw.Builder("ball")
    .body("ball", mass=1.0, inertia=0.004)
    .joint("free", "free", "world", "ball")
    .shape("ball", "sphere", radius=0.1)
    .build()
    .with_ground(contact=lw.ContactProperties(friction=0.3, restitution=0.7))
)
q0 = ball.neutral()
q0[2] = 0.12
v0 = np.array([1.0, 0.0, -2.0, 0.0, 10.0, 3.0])  # it bounces, slides and rolls
found, by = lw.rollout_derivatives(ball, q0, v0, 100, wrt=["q0", "v0"])
print(by["v0"].shape)  # (12, 6): final position and velocity by the initial velocity

# %% [markdown]
# The first nv rows are the derivative of the final configuration, in the tangent space (as in `lw.difference`). The other nv rows are those of the
# final velocity.
#
# ## Compare with finite differences

# %%
h = 1e-6
v = v0 + h * np.concatenate([np.eye(6), -np.eye(6)])
ends = lw.rollout(ball, q0, v, 100)
q, v = ends.q[-1], ends.v[-1]
differences = np.concatenate([lw.difference(ball, q[6:], q[:6]), v[:6] - v[6:]], axis=1).T / (2 * h)
assert np.abs(by["v0"] - differences).max() < 1e-7

# %% [markdown]
# The same comparison is part of the tests for a sliding ball, a rolling ball with torsional and rolling friction, impacts with
# restitution, compliant contact, a box that sticks, a flight without contact, and joint limits.
#
# ## Optimize a bouncing throw
#
# Which initial velocity brings the ball to a given point after its bounces? Newton's method with the derivative:

# %%
goal = np.array([0.4, 0.3, 0.25])
v0 = np.array([1.0, 0.0, -2.0, 0.0, 0.0, 0.0])
for _ in range(12):
    found, by = lw.rollout_derivatives(ball, q0, v0, 250, wrt=["v0"])
    error = goal - found.q[-1, :3]
    v0[:3] += np.linalg.lstsq(by["v0"][:3, :3], error, rcond=None)[0]
print(v0[:3], np.abs(error).max())
assert np.abs(error).max() < 1e-6

# %% [markdown]
# ## Gradient of a reward
#
# With a reward, the derivatives are computed in reverse mode. Their cost does not depend on the number of parameters.

# %%
def cost(model, t, q, v, tau, *, goal):
    return -((q[:3] - goal) @ (q[:3] - goal))


from functools import partial

episode = lw.Episode(reward=partial(cost, goal=goal))
found, by = lw.rollout_derivatives(ball, q0, v0, 100, wrt=["v0"], episode=episode)
print(found.reward, by["v0"])
assert np.isfinite(by["v0"]).all()

# %% [markdown]
# To differentiate with respect to gains or weights of a controller, name them in `wrt`; see
# [rollouts](../topics/motion/rollouts.md#gradients). `lw.linearize` returns the derivatives of one step, also with contact of few pairs.
#
# ## What to expect
#
# A motion with contact is piecewise smooth: in each step a point is open or closed, and sticks or slides. The derivative is that of
# the current piece.
#
# | situation | derivative |
# |---|---|
# | within a piece | exact to rounding, of the steps with the [iterations](#cost-and-limits) that are taken |
# | transition between pieces | one-sided |
# | sticking contact | zero: a small additional force causes no motion |
# | impact | the step of the impact is constant: an impact one step earlier or later is not included |
# | sliding and rotating flat body | of one piece; corners open and close from step to step, so the motion is a discontinuous function of the initial state. A ball or a single point has no such discontinuities |
# | long sequence of impacts | large, since the motion is chaotic |
# | `reset` of a rollout | raises an error, because a restart is discontinuous |
#
# If flat bodies or many impacts matter, average over random initial states, or use [compliant contact](../topics/motion/contact/compliant.md).
#
# ## Cost and limits
#
# - The [contact solver](../topics/motion/contact/solver.md) takes at least 50 iterations in each step, and 4 for each pair of shapes, because
#   impulses converge before their derivatives. Of a Go2 with 31 pairs, 100 steps of 2 ms, the derivative of a reward by the
#   length of a calf is −0.19 with 50 iterations, −0.404 with 80 and 120, and −0.407 with `Solver(500, 1e-12)`. Compare the derivatives of two
#   numbers of iterations, `lw.Integrator(solver=lw.Solver(240))`.
# - Differences of default rollouts are no reference for such robots: the solver ends at its tolerance, and the same differences are −0.37 to −0.66
#   with 30 to 120 iterations at most. Use `Solver(500, 1e-12)` for both.
# - Reverse mode needs a fixed number of iterations. With `Solver(impacts="sequential")` forward mode is used, which is slower.
# - A step of a whole robot takes about 15 s to compile.
# - Memory and code of reverse mode grow with the square root of the number of steps. For long motions with contact it may exceed the limit of
#   operations (`TooLargeError`): use fewer steps, fewer pairs such as
#   `with_ground(only=feet)`, or forward mode without a reward. A floating robot of 18 velocities may be too large for reverse mode with any contact.
