"""Commands and a tour of the library. Written by tools/write_examples.py from docs/start/tour.md: change that page."""

# %% [markdown]
# # Commands and a tour of the library
#
# All blocks on this page run as they are. The [reference](../reference/index.md) lists every command and function.
#
# ## From the command line
#
# `pip install .` installs the program `linkwright`.
#
# ```sh
# linkwright simulate arm7 --time 5 --posture "joint4=90deg" --hold --out results   # or a file: my_robot.urdf
# linkwright simulate humanoid                 # a built-in robot: it stands on the ground and bends its knees
# linkwright simulate humanoid --push          # a pushed humanoid; options: --drop, --limp, --no-ground
# linkwright studio arm7                       # in the browser: move the joints, drag the hand
# linkwright info puma560                      # tree, sizes, masses, limits, operation counts
# linkwright convert arm7 arm7.sdf             # convert between URDF, MJCF, SDF and ZTK, or write a built-in robot
# linkwright equations two_link --html         # equations, derivation, explanations and code on one page
# linkwright simulate stewart                  # a mechanism with closed loops
# linkwright reach arm7 --to "0.5 0.2 0.7"     # postures for a hand position, and a plot of the reachable workspace
# linkwright reach two_link --to "1.2 0.5 0; 0.3 1.4 0"   # the hand along a line, elbow up and elbow down
# linkwright identify arm4 --excite data.csv   # an exciting trajectory for identification, with sample data
# linkwright identify arm4 data.csv            # masses, inertias, friction from data, with standard errors and pictures
# linkwright doctor                            # check the installation
# linkwright --install-completion              # the shell completes commands, options, robots and files
# ```
#
# Robots come from URDF, SDF and ZTK files, from xacro and MJCF with the extras `xacro` and `mjcf`, by name from
# `example-robot-data` (the extra `robots`), or are built in: `pendulum`, `two_link`, `planar:N`, `chain3d:N`, `arm4`, `puma560`,
# `arm7`, `quadruped`, `humanoid`, and with closed loops `four_bar`, `four_bars:N`, `slider_crank`, `bricard`, `delta`, `stewart`.
#
# ## Batches

# %%
import numpy as np
import linkwright as lw

arm = lw.load("arm7")                 # or lw.load("my_robot.urdf"), lw.load("my_robot.urdf", root="free")
q, v, a = arm.random(1000), np.zeros(7), np.ones(7)

tau = lw.inverse_dynamics(arm, q, v, a)          # (1000, 7): batches of any shape, which broadcast
assert np.allclose(lw.forward_dynamics(arm, q, v, tau), a)

T = lw.pose(arm, q, "tool")                      # (1000, 4, 4)
J = lw.jacobian(arm, q, "tool")                  # (1000, 6, 7), rows [v; ω] in world axes
M = lw.mass_matrix(arm, q)                       # (1000, 7, 7)

reached = lw.inverse_kinematics(arm, {"tool": T})   # no initial guess needed; respects joint limits; about 0.5 µs per target
assert reached.converged.all()

# %% [markdown]
# The first call compiles the function for this mechanism and caches the code on disk. A function of an arm compiles in a fraction
# of a second. Large functions take longer to compile, but only the first time: 2 to 20 seconds of processor time for the simulation
# of a humanoid or a quadruped, and a minute or more for a model with thousands of pairs of shapes.
#
# ## Your own mechanism
#
# A mechanism is built in a few lines:

# %%
pendulum = (
    lw.Builder("pendulum")
    .body("rod", mass=1.0, center_of_mass=[0, 0, -0.5], inertia=[0.08, 0.08, 0.001])
    .joint("hinge", "revolute", "world", "rod", axis=[0, 1, 0], damping=0.05)
    .build()
)
motion = lw.simulate(pendulum, q0=[2.0], v0=[0.0], duration=5.0)
print(pendulum, motion.energy[0], motion.energy[-1])

# %% [markdown]
# ## Trajectories and controllers
#
# A trajectory, a controller that tracks it, and the simulation: all are compiled.

# %%
from functools import partial

plan = lw.trajectories.s_curve(arm, np.zeros(7), np.full(7, 0.8), velocity=1.5, acceleration=4.0, jerk=30.0)
controller = partial(lw.control.computed_torque, reference=plan, stiffness=400.0, damping=40.0)
motion = lw.simulate(
    arm,
    np.zeros(7),
    np.zeros(7),
    plan.duration + 0.5,
    controller=controller,
    actuation=lw.Actuation(effort_limits=True),
)
assert np.abs(motion.q[-1] - plan.end).max() < 1e-4

# %% [markdown]
# ## Your own functions
#
# Functions that you compose from these compile to one kernel in the same way. A kernel can be differentiated and saved as C:

# %%
def hand_speed(model, q, v):
    return lw.stack([lw.velocity(model, q, v, "tool")[:3]])[0]

kernel = lw.compile(hand_speed, arm)
print(kernel.operations, kernel.derivative("q")(q[0], v).shape)
print(lw.derivative(lw.inverse_dynamics, "q")(arm, q, v, a).shape)     # (1000, 7, 7)

# %% [markdown]
# ## Equations
#
# With symbols the same functions give expressions: `lw.mass_matrix(arm, lw.symbols("q", 7))`. Exact equations, as in a
# paper, come from `equations`:

# %%
two_link = lw.equations(lw.load("two_link"))
print(two_link.text())                           # M[1,1] = m1*lg1^2 + m2*(l1^2 + lg2^2 + 2*l1*lg2*cos(theta2)) + I1 + I2
two_link.mass_matrix                             # SymPy; also .latex(), .c(), .python(), .fortran(), .octave()
print(two_link.explanation().text())             # meaning of each term, equilibria, and their stability
