"""Linkwright with SymPy. Written by tools/write_examples.py from docs/how_to/other_libraries/sympy.md: change that page."""

# %% [markdown]
# # Linkwright with SymPy
#
# Classes of `sympy.physics.mechanics` and their equivalents in Linkwright. SymPy derives the equations of any system of points
# and bodies that you define, by Lagrange's or Kane's method. Linkwright starts from a robot file or a `lw.Builder`, and its
# equations are SymPy expressions too, so results can be combined.
#
# ## A double pendulum in both libraries
#
# In SymPy, with `LagrangesMethod`. Each link has a length of 1 m, a mass of 1 kg, a moment of inertia of 0.1 kg m², and its
# center of mass at half its length:

# %%
import numpy as np
import sympy as sp
import sympy.physics.mechanics as me
import linkwright as lw

theta1, theta2 = me.dynamicsymbols("theta1 theta2")
rate1, rate2 = me.dynamicsymbols("theta1 theta2", 1)
N = me.ReferenceFrame("N")
O = me.Point("O")
O.set_vel(N, 0)
A = N.orientnew("A", "Axis", (theta1, N.z))
B = A.orientnew("B", "Axis", (theta2, A.z))
elbow = O.locatenew("elbow", A.x)
bodies = []
for name, frame, start in (("upper", A, O), ("lower", B, elbow)):
    center = start.locatenew(name, frame.x / 2)
    center.set_vel(N, center.pos_from(O).dt(N))
    body = me.RigidBody(name, center, frame, 1, (me.inertia(frame, 0, 0, sp.Rational(1, 10)), center))
    body.potential_energy = sp.Rational(98, 10) * center.pos_from(O).dot(N.y)
    bodies.append(body)
method = me.LagrangesMethod(me.Lagrangian(N, *bodies), [theta1, theta2])
method.form_lagranges_equations()

# %% [markdown]
# In Linkwright this arm is built in, and the mass matrix is one call:

# %%
arm = lw.load("two_link")
equations = lw.equations(arm)
print(equations.mass_matrix)

at = {theta1: 0.3, theta2: 0.8, rate1: 0.0, rate2: 0.0}
theirs = np.array(method.mass_matrix.subs(at), dtype=float)
assert np.allclose(theirs, lw.mass_matrix(arm, [0.3, 0.8]))

# %% [markdown]
# SymPy's `forcing` is the right-hand side of M a = forcing, without joint efforts:

# %%
at = {rate1: 0.5, rate2: -1.0} | {theta1: 0.3, theta2: 0.8}
forcing = np.array(method.forcing.subs(at), dtype=float).ravel()
assert np.allclose(-forcing, lw.bias_forces(arm, [0.3, 0.8], [0.5, -1.0]))

# %% [markdown]
# ## Corresponding functions
#
# `equations` is `lw.equations(model)`. For a model of numbers it names the parameters; for a model with symbols of SymPy (masses, lengths,
# placements, gravity), these are the symbols of the equations:

# %%
m, l, g = sp.symbols("m l g", positive=True)
pendulum = lw.Builder("pendulum", gravity=(0, 0, -g)).body("bob", m, [0, 0, -l], inertia=0.0)
pendulum = pendulum.joint("hinge", "revolute", "world", "bob", axis=[0, 1, 0]).build()
assert lw.equations(pendulum).mass_matrix == sp.Matrix([[m * l**2]])

# %% [markdown]
# | SymPy | Linkwright |
# |---|---|
# | `ReferenceFrame`, `Point`, `RigidBody`, `PinJoint`, `PrismaticJoint` | `lw.Builder`, or `lw.load` of a file |
# | `LagrangesMethod`, `KanesMethod`, `System` | `lw.equations` |
# | `LagrangesMethod.mass_matrix` | `equations.mass_matrix` |
# | `LagrangesMethod.forcing` | minus the sum of `equations.velocity_forces` and `equations.gravity_forces` |
# | `LagrangesMethod.rhs` | `lw.forward_dynamics`, with numbers or with `lw.symbols` |
# | `LagrangesMethod.linearize` | `lw.linearize`, with numbers |
# | `LagrangesMethod.form_lagranges_equations` | `equations.derivation`, step by step |
# | `kinetic_energy`, `potential_energy` | `lw.kinetic_energy`, `lw.potential_energy`, also of `lw.symbols` |
# | `linear_momentum`, `angular_momentum` | `lw.momentum` |
# | `Point.vel`, `ReferenceFrame.ang_vel_in` | `lw.velocity` |
# | `ReferenceFrame.dcm` | `lw.pose`, its first three rows and columns |
# | `partial_velocity` | the columns of `lw.jacobian` |
# | `inertia`, `Inertia.from_inertia_scalars` | `inertia=` of `lw.Builder`; `lw.add_mass_properties` |
# | `mechanics_printing`, `vlatex` | `equations.text`, `equations.latex` |
# | `sympy.lambdify`, `sympy.utilities.codegen` | `lw.compile` of a function; `equations.python`, `equations.c`, `equations.fortran`, `equations.octave` |
# | configuration and velocity constraints | `model.with_loop`; no equivalent for rolling without slipping and other velocity constraints |
# | systems other than bodies and joints (beams, strings, circuits) | no equivalent |
