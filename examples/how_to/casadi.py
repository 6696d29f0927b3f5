"""Trajectory optimization with CasADi. Written by tools/write_examples.py from docs/how_to/casadi.md: change that page."""

# %% [markdown]
# # Trajectory optimization with CasADi
#
# CasADi differentiates functions and passes optimization problems to solvers such as Ipopt, which its package contains. Every
# straight-line kernel, and every kernel with loops of steps, is also a function of CasADi: `kernel.casadi()`.
#
# ```sh
# pip install "linkwright[casadi]"
# ```
#
# ## A function of CasADi

# %%
import warnings

import casadi as ca
import numpy as np
import linkwright as lw

with warnings.catch_warnings(action="ignore"):  # the file has attributes that URDF does not have
    panda = lw.load("panda")
panda = panda.lock({"panda_finger_joint1": 0.04})         # the open hand
kernel = lw.compile(lw.inverse_dynamics, panda)
inverse_dynamics = kernel.casadi()
print(inverse_dynamics)                               # inverse_dynamics:(q[7],v[7],a[7])->(result[7]) SXFunction

q, v, a = panda.random(seed=0), np.ones(7), np.zeros(7)
assert np.allclose(inverse_dynamics(q, v, a).full().ravel(), kernel(q, v, a))

# %% [markdown]
# Names and shapes are those of the kernel: vectors become columns, matrices keep their rows and columns, and of an array with three
# axes the first two become one. CasADi's functions take symbols too, and are differentiated:

# %%
q_, v_, a_ = ca.SX.sym("q", 7), ca.SX.sym("v", 7), ca.SX.sym("a", 7)
jacobian = ca.Function("jacobian", [q_, v_, a_], [ca.jacobian(inverse_dynamics(q_, v_, a_), q_)])
assert np.allclose(jacobian(q, v, a).full(), kernel.derivative("q")(q, v, a))

# %% [markdown]
# ## Move a Panda in the least effort
#
# The arm moves from rest to rest in 1 s. The unknowns are postures, velocities and accelerations at 20 instants; inverse dynamics
# gives the joint torques, which are limited. Inverse dynamics is cheaper than forward dynamics, and needs no integration of
# stiff equations:

# %%
nodes, step = 20, 0.05
start = np.array([0.0, -0.6, 0.0, -2.2, 0.0, 1.6, 0.8])
goal = np.array([1.2, 0.3, -0.4, -1.4, 0.3, 1.9, 0.2])
limits = np.array([87.0, 87.0, 87.0, 87.0, 12.0, 12.0, 12.0])

problem = ca.Opti()
Q, V = problem.variable(7, nodes + 1), problem.variable(7, nodes + 1)
A = problem.variable(7, nodes)
efforts = inverse_dynamics.map(nodes)(Q[:, :-1], V[:, :-1], A)
problem.subject_to(V[:, 1:] == V[:, :-1] + step * A)
problem.subject_to(Q[:, 1:] == Q[:, :-1] + step * V[:, :-1] + step**2 / 2.0 * A)
problem.subject_to(ca.vec(Q[:, 0]) == start)
problem.subject_to(ca.vec(Q[:, -1]) == goal)
problem.subject_to(V[:, 0] == 0.0)
problem.subject_to(V[:, -1] == 0.0)
problem.subject_to(problem.bounded(-0.7, ca.vec(efforts / np.tile(limits[:, None], nodes)), 0.7))
problem.minimize(step * ca.sumsqr(efforts))

for k in range(nodes + 1):  # the first guess: a straight line in joint space
    problem.set_initial(Q[:, k], start + (goal - start) * k / nodes)
problem.solver("ipopt", {"print_time": False}, {"print_level": 0, "sb": "yes"})
solution = problem.solve()

found = solution.value(efforts)
assert np.allclose(solution.value(Q)[:, -1], goal)
assert np.all(np.abs(found) <= 0.7001 * limits[:, None])
print(f"{solution.stats()['iter_count']} iterations; largest torque {np.abs(found).max():.1f} N m")

# %% [markdown]
# Ipopt takes 86 iterations and 0.5 s of processor time, with CasADi's interpreter. The same motion in Linkwright confirms the torques:

# %%
ours = lw.inverse_dynamics(panda, *(solution.value(x).T[:nodes] for x in (Q, V, A)))
assert np.allclose(found, ours.T)

# %% [markdown]
# ## A model for acados
#
# acados takes an `AcadosModel`, whose fields are expressions of CasADi. This dictionary has all that describe the dynamics, explicit
# (`f_expl_expr`) and implicit (`f_impl_expr`); the implicit form does without the inverse of the mass matrix:

# %%
forward_dynamics = lw.compile(lw.forward_dynamics, panda).casadi()

x, xdot, u = ca.SX.sym("x", 14), ca.SX.sym("xdot", 14), ca.SX.sym("u", 7)
acados = {
    "name": "panda",
    "x": x,
    "xdot": xdot,
    "u": u,
    "f_expl_expr": ca.vertcat(x[7:], forward_dynamics(x[:7], x[7:], u)),
    "f_impl_expr": ca.vertcat(xdot[:7] - x[7:], inverse_dynamics(x[:7], x[7:], xdot[7:]) - u),
}

# %% [markdown]
# With acados installed (from source, or on Linux `pip install comma-deps-acados`, whose package is `acados.acados_template`), an optimal
# control problem takes it so:
#
# ```text
# from acados_template import AcadosModel, AcadosOcp
#
# ocp = AcadosOcp()
# for name, value in acados.items():
#     setattr(ocp.model, name, value)
# ```
#
# `benchmarks/acados_trajectory.py` is the whole program: the motion of the Panda above with its torque limits, 20 intervals of four
# steps. acados (SQP with HPIPM) converges in 25 iterations and 85 ms of processor time, explicit or implicit; the end of each interval
# agrees with steps of our kernel to 4e-8.
#
# The two forms describe the same motion:

# %%
explicit = ca.Function("explicit", [x, u], [acados["f_expl_expr"]])
implicit = ca.Function("implicit", [x, xdot, u], [acados["f_impl_expr"]])
state, torques = np.concatenate([q, v]), np.linspace(-5.0, 5.0, 7)
assert np.abs(implicit(state, explicit(state, torques), torques).full()).max() < 1e-9

# %% [markdown]
# ## Loops
#
# `lw.repeat`, `lw.until` and `lw.take` become loops of CasADi (`mapaccum`, `fold`), in an MX function. Here it simulates 40 steps:

# %%
def simulated(model, q, v, tau):
    """Return the state after 40 steps of 5 ms under constant torques."""

    def step(k, q, v):
        v = v + 0.005 * lw.forward_dynamics(model, q, v, tau)
        return q + 0.005 * v, v

    return lw.repeat(40, step, q, v)


kernel = lw.compile(simulated, panda)
theirs, given = kernel.casadi(), (start, np.zeros(7), lw.gravity_forces(panda, start))
assert theirs.is_a("MXFunction")
assert np.allclose(theirs(*given)[0].full().ravel(), kernel(*given)[0])

# %% [markdown]
# ## What differs
#
# - CasADi evaluates both sides of `where`. Where an argument is NaN, `take`, `minimum`, `maximum` and `clip` of CasADi return numbers.
# - CasADi runs all steps of `until` up to its limit (at most 100 000); the results are those of the step at which the condition held.
# - CasADi differentiates by the entries of q, `kernel.derivative("q")` by δ in `integrate(model, q, δ)`. They differ for joints with
#   quaternions.
# - CasADi differentiates the iterations of inverse kinematics, and the library the solver started at the found solution. They differ where targets
#   leave freedom. Both take long in CasADi, as all iterations run: use `kernel` and `kernel.derivative` for inverse kinematics.
# - CasADi interprets its functions: use the kernel itself for evaluation, and CasADi's function for derivatives and solvers. Its
#   `generate` writes C ([times](../internals/benchmarks/functions.md#functions-of-casadi)).
# - Kernels with loops over the bodies, the default from a hundred bodies on, have no function of CasADi: `compile(…, unroll=True)`.
