"""Compile SymPy expressions. Written by tools/write_examples.py from docs/how_to/compile_sympy.md: change that page."""

# %% [markdown]
# # Compile SymPy expressions
#
# `lw.compile(expressions, symbols)` compiles expressions of SymPy to machine code, with batches, derivatives and C.
#
# ## Expressions and matrices

# %%
import numpy as np
import sympy as sp
import linkwright as lw

x, y = sp.symbols("x y")
kernel = lw.compile(sp.Matrix([[sp.sin(x) * y, x / y], [sp.Max(x, y), sp.sqrt(x)]]), [x, y])
print(kernel(1.0, 2.0))
print(kernel(np.linspace(0.0, 1.0, 1000), 2.0).shape)   # a batch: (1000, 2, 2)
print(kernel.derivative("x")(1.0, 2.0))                 # the derivative of each entry by x
kernel.save("matrix.c")                                 # self-contained C

# %% [markdown]
# A matrix or a list is one result. A tuple is several results:

# %%
norm, direction = lw.compile((sp.sqrt(x**2 + y**2), [x, y]), [x, y])(3.0, 4.0)
assert norm == 5.0 and direction.tolist() == [3.0, 4.0]

# %% [markdown]
# ## Arguments
#
# Each entry of `symbols` is one argument: a symbol, or an array of symbols as a list, a matrix or a `MatrixSymbol`. A dict gives the
# arguments names:

# %%
a, b, c = sp.symbols("a b c")
kernel = lw.compile(a * x**2 + b * x + c, {"x": x, "coefficients": [a, b, c]})
assert kernel(2.0, [1.0, 2.0, 3.0]) == 11.0
assert kernel(coefficients=[1.0, 2.0, 3.0], x=2.0) == 11.0

# %% [markdown]
# A `Lambda` has its arguments: `lw.compile(sp.Lambda((x, y), x + y))`. An `IndexedBase("a", shape=(3,))` is an array, too.
#
# Symbols that are not among the arguments raise an error that names them, and so do functions that have no machine code:

# %%
try:
    lw.compile(a * x, [x])
except lw.errors.ExpressionError as error:
    print(error)                       # these are not among the arguments: a; the arguments are x

# %% [markdown]
# | SymPy | compiled as |
# |---|---|
# | arithmetic, powers, `exp`, `log`, `sqrt` | real numbers: roots and logarithms of negative numbers are NaN, `re(x)` and `conjugate(x)` are x |
# | all trigonometric and hyperbolic functions and their inverses, `atan2`, `sinc`, `erf`, `erfc`, `expm1`, `log1p` | to rounding, with their derivatives, also near zero |
# | `Abs`, `sign`, `floor`, `ceiling`, `frac`, `Mod`, `Rem`, `Min`, `Max`, `Heaviside`, `SingularityFunction`, `KroneckerDelta` | exact |
# | `Piecewise`, relations, logic, `Contains` | a truth value is 1 or 0; a `Piecewise` without a last case is NaN elsewhere |
# | `Sum`, `Product` | written out between whole numbers, or in closed form if SymPy finds one; `lw.repeat` for long or computed bounds |
# | `Derivative`, `Subs` of expressions | evaluated |
# | matrix expressions, `Determinant`, `Trace`, entries of products | written out; a matrix of one column is an argument of shape (n,) |
# | `Integral`, `Limit`, `gamma`, Bessel functions, `DiracDelta` | an error that names the alternative |
#
# ## Equations of mechanics
#
# `sympy.physics.mechanics` derives equations by Lagrange's or Kane's method. Their functions of time, `dynamicsymbols`, and the
# derivatives are arguments like symbols:

# %%
import sympy.physics.mechanics as me

q, rates = me.dynamicsymbols("q1 q2"), me.dynamicsymbols("q1 q2", 1)
m, g, length = sp.symbols("m g l")
t = me.dynamicsymbols._t
upper = sp.Matrix([length * sp.sin(q[0]), -length * sp.cos(q[0])])
lower = upper + sp.Matrix([length * sp.sin(q[1]), -length * sp.cos(q[1])])
kinetic = m / 2 * sum(point.diff(t).dot(point.diff(t)) for point in (upper, lower))
method = me.LagrangesMethod(kinetic - m * g * (upper[1] + lower[1]), q)
method.form_lagranges_equations()

kernel = lw.compile(
    (method.mass_matrix_full, method.forcing_full),
    {"q": q, "v": rates, "parameters": [m, g, length]},
)


def state_rate(q, v):
    """Return the rates of (q, v), of shape (…, 4)."""
    M, forcing = kernel(q, v, [1.0, 9.81, 0.5])
    return np.linalg.solve(M, forcing)[..., 0]


print(state_rate([0.3, -0.8], [1.0, 2.0]))
random = np.random.default_rng(0)
assert state_rate(random.normal(size=(500, 2)), np.zeros((500, 2))).shape == (500, 4)

theirs = sp.lambdify([q, rates, m, g, length], method.forcing_full, cse=True)
assert np.allclose(kernel([0.3, -0.8], [1.0, 2.0], [1.0, 9.81, 0.5])[1], theirs([0.3, -0.8], [1.0, 2.0], 1.0, 9.81, 0.5))

# %% [markdown]
# `KanesMethod` has the same `mass_matrix_full` and `forcing_full`. Vectors of `sympy.physics.mechanics` are compiled as
# `vector.to_matrix(frame)`.
#
# ## Expressions of Linkwright as SymPy's
#
# Expressions of `lw.symbols` have a method `sympy()`; arrays become matrices. Symbols keep their names:

# %%
z = lw.symbols("z", 2)
expression = lw.where(z[0] < z[1], np.sin(z[0]), z[1] ** 2)
print(expression.sympy())                    # Piecewise((sin(z[0]), z[0] < z[1]), (z[1]**2, True))
again = lw.compile(expression.sympy(), {"z": z.sympy()})
assert again([0.5, 1.0]) == lw.compile(expression, [z])([0.5, 1.0])

# %% [markdown]
# ## Robots with symbols of SymPy
#
# Symbols of SymPy are arguments of the algorithms, too. Masses, centers of mass, inertias, placements, damping and stiffness of a
# robot, and the placements, lengths and pitches of its closed loops may be expressions of SymPy. The results are expressions of SymPy, which combine with those of `sympy.physics.mechanics`:

# %%
I = sp.Symbol("I")
rod = lw.Builder("rod").body("rod", m, [length / 2, 0, 0], I).body("tip", m, inertia=0.0)
rod.joint("hinge", "revolute", "world", "rod", axis=[0, 1, 0]).joint("slide", "prismatic", "rod", "tip", axis=[1, 0, 0], xyz=[length, 0, 0])
rod = rod.build()

M = lw.mass_matrix(rod, q)                   # of q2(t), m, I and length
print(M)
numbers = {"q": q, "parameters": [m, length, I]}
print(lw.compile(M, numbers)([0.0, 0.1], [1.0, 0.5, 0.1]))

# %% [markdown]
# `with_payload`, `with_body`, `with_parameters`, `with_frame`, `with_geometry`, `with_gravity`, `with_ground` and `lock` accept them as well. Axes of joints and loops, coefficients of couplings, shapes and springs are numbers; axes of joints
# and sizes become symbols by `with_geometry`. Such a model is not compiled or simulated itself: compile the expressions, or build the
# model with values. Forward dynamics of more than about four joints is too long for SymPy; `lw.symbols` keep common subexpressions.
#
# These matrices are not simplified. `lw.equations` derives [readable equations](../topics/mechanisms/equations.md) with these symbols:

# %%
b, g = sp.symbols("b g", positive=True)
swing = lw.Builder("swing", gravity=(0, 0, -g)).body("rod", m, [0, 0, -length / 2], I)
swing = swing.joint("hinge", "revolute", "world", "rod", axis=[0, 1, 0], damping=b).build()
equations = lw.equations(swing)
print(equations.text())
assert equations.gravity_forces[0].free_symbols >= {m, g, length}

# %% [markdown]
# Symbols of SymPy are accepted wherever those of `lw.symbols` are: also by `lw.norm`, `minimum`, `maximum`, `clip`, `sign`, `where`,
# `atan2`, `solve` and `cholesky`, by controllers, and by the methods of models:

# %%
print(lw.where(x < y, lw.norm([x, y]), 0.0))
print(lw.control.pd(swing, 0.0, [x], [y], target=[0.0], stiffness=[10.0], damping=[1.0]))

# %% [markdown]
# Loops (`lw.repeat`, inverse kinematics), entries at computed indices (`lw.take`), selections such as `lw.rotation.log`, and results of more
# than a million operations have no form in SymPy; the error names `lw.symbols`.
#
# Speed compared with `lambdify` and symjit: [benchmarks](../internals/benchmarks/functions.md#expressions-of-sympy).
