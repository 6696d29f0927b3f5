"""Run a study. Written by tools/write_examples.py from docs/how_to/run_study.md: change that page."""

# %% [markdown]
# # Run a study
#
# One simulation cannot answer *how often* a task succeeds when masses, sensors and initial states vary. A *study* computes a
# function for many parameter values, stores all results on disk, and resumes after an interruption.
#
# ```sh
# pip install "linkwright[study]"
# ```
#
# ## The function
#
# How large is the position error of the hand, if the joint angles are measured with a small error? The function takes a batch
# of cases: `offset` has one row for each case.

# %%
from functools import partial

import numpy as np
import linkwright as lw

arm = lw.load("arm7")
posture = np.array([0.3, 0.6, -0.2, -1.2, 0.4, 0.8, 0.1])


def position_error(model, offset):
    desired = lw.pose(model, posture, "tool")[:3, 3]
    actual = lw.pose(model, posture + offset, "tool")[:, :3, 3]
    return {"error": np.linalg.norm(actual - desired, axis=1)}

# %% [markdown]
# ## The cases
#
# Here 10 000 random cases: every joint error has a normal distribution with a standard deviation of 0.1°. The number 1 is the
# seed: equal seeds give equal cases.

# %%
error = lw.samples.normal(np.zeros(7), np.radians(0.1))
cases = lw.samples.random(10_000, 1, offset=error)

# %% [markdown]
# `lw.samples.grid` returns all combinations of given values, and `lw.samples.sobol` a low-discrepancy sequence.
#
# ## Run the study
#
# The third argument is the folder for the results. To resume an interrupted study, call the function again.

# %%
study = lw.study(partial(position_error, arm), cases, "calibration", units={"error": "m"})
print(study)
print(f"95th percentile: {1000 * np.percentile(study['error'], 95):.1f} mm")
assert study.complete

# %% [markdown]
# ## Results

# %%
study.plot_histogram(path="how_to_run_study.png")
far = np.argsort(study["error"])[-3:]
print(study["error"][far])                             # the three worst cases, m

# %% [markdown]
# ![Histogram of the position error in 10 000 cases.](../pictures/how_to_run_study.png)
#
# Later, or in another program, open the results:

# %%
again = lw.Study("calibration")
assert len(again["error"]) == 10_000

# %% [markdown]
# For mechanisms and controllers as parameters, sensitivity analysis, files, and clusters, see
# [studies](../topics/motion/studies.md). From the command line: `linkwright study FILE.toml`.
