"""How to run a study. Written by tools/write_examples.py from docs/how_to/run_study.md: change that page."""

# %% [markdown]
# # How to run a study
#
# You have a question that one simulation cannot answer: *how often* does it work, when masses, sensors and starts are never
# quite the same? Then compute it for very many cases. A *study* does this, keeps all results on disk, and goes on where it
# was stopped.
#
# ```sh
# pip install "linkwright[study]"
# ```
#
# ## The question as a function
#
# How far is the hand from its place, when the joints are measured with a small error? The function takes many cases at
# a time: `offset` has one row for each case.

# %%
from functools import partial

import numpy as np
import linkwright as lw

arm = lw.load("arm7")
posture = np.array([0.3, 0.6, -0.2, -1.2, 0.4, 0.8, 0.1])


def miss(model, offset):
    wanted = lw.pose(model, posture, "tool")[:3, 3]
    there = lw.pose(model, posture + offset, "tool")[:, :3, 3]
    return {"miss": np.linalg.norm(there - wanted, axis=1)}

# %% [markdown]
# ## The cases
#
# Here 10 000 cases are drawn at random: every joint has an error that is normally distributed, with a standard deviation of
# 0.1°. The number 1 is the seed: the same seed draws the same cases.

# %%
error = lw.samples.normal(np.zeros(7), np.radians(0.1))
cases = lw.samples.random(10_000, 1, offset=error)

# %% [markdown]
# `lw.samples.grid` makes all combinations of some values instead, and `lw.samples.sobol` spreads points evenly.
#
# ## Run it
#
# The third argument is the folder for the results. When the run is stopped, call it again: it goes on.

# %%
study = lw.study(partial(miss, arm), cases, "calibration", units={"miss": "m"})
print(study)
print(f"in 95 of 100 cases less than {1000 * np.percentile(study['miss'], 95):.1f} mm")
assert study.complete

# %% [markdown]
# ## Look at it

# %%
study.plot_histogram(path="how_to_run_study.png")
far = np.argsort(study["miss"])[-3:]
print(study["miss"][far])                             # the three worst cases, m

# %% [markdown]
# ![How far the hand misses its place, in 10 000 cases.](../pictures/how_to_run_study.png)
#
# Later, or in another program, open what was kept:

# %%
again = lw.Study("calibration")
assert len(again["miss"]) == 10_000

# %% [markdown]
# Mechanisms and laws as parameters, which parameter matters most, files, and clusters: [studies](../topics/motion/studies.md).
# From the command line: `linkwright study FILE.toml`.
