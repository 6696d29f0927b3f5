"""Train a quadruped to trot. Written by tools/write_examples.py from docs/how_to/learning.md: change that page."""

# %% [markdown]
# # Train a quadruped to trot
#
# Policy search with an evolution strategy, using [rollouts](../topics/motion/rollouts.md), [policies](../topics/control/policies.md) and
# [contact](../topics/motion/contact.md), without other packages. `examples/learn_to_walk.py` is the complete program:
#
# ```
# python examples/learn_to_walk.py
# ```
#
# The built-in quadruped starts with random weights. After 300 iterations it trots at 0.7 m/s. The program prints the
# reward, evaluates the gait, and writes the weights and an animation. `--short` takes a few seconds and only
# shows that the reward increases.
#
# ![Four moments of the learned trot: one diagonal pair of feet is on the ground, the other in the air. Red arrows are ground reaction forces.](../pictures/learned_trot.png)
#
# | seed | 0 | 1 |
# |---|---|---|
# | mean speed over 5 s, in steps of 1 ms (trained with steps of 4 ms) | 0.74 m/s | 0.72 m/s |
# | height of the trunk | 0.300 m ± 7 mm | 0.304 m ± 6 mm |
# | falls in 32 motions of 10 s, other initial states, grounds and masses | 0 | 0 |
# | both feet of a diagonal are on the ground, or both are not | 94 %, 92 % of the time | 95 %, 94 % |
# | both feet of a side are on the ground, or both are not | 7 %, 7 % | 1 %, 5 % |
# | steps of simulation | 57 million | 57 million |
# | processor time, both cores together | 62 s | 62 s |
#
# So two idle cores need about half a minute, plus a few seconds to compile. Both seeds ran simultaneously here, on two cores with
# other load (load 5 to 8): 242 s each. They exceed 0.5 m/s after 10 and 15 s of processor time.
#
# ## Controller and policy
#
# The controller has two parts. Springs hold a posture with bent knees. A policy moves that posture:

# %%
from functools import partial

import numpy as np
import linkwright as lw

robot = lw.load("quadruped").with_ground()
bent = np.tile([0.0, 0.7, -1.4], 4)
start = np.concatenate([[0.0, 0.0, 0.33], [1.0, 0.0, 0.0, 0.0], bent])


def clock(t):
    return np.stack([np.sin(2 * np.pi * 2.5 * t), np.cos(2 * np.pi * 2.5 * t)])


def observe(model, t, q, v):
    up = lw.pose(model, q, "trunk")[2, :3]
    return np.concatenate([2 * up, v[:3], 0.3 * v[3:6], q[7:] - bent, 0.05 * v[6:], clock(t)])


policy = lw.Policy(robot, hidden=(), observe=observe)         # no hidden layer: a linear policy
controller = partial(policy, scale=0.6, stiffness=40.0, damping=1.0, posture=start)
print(policy)                                              # Policy(35 -> 12, tanh, bounded: 432 weights)

# %% [markdown]
# - With springs a robot stands without training.
# - A linear policy learned faster here than a hidden layer of 32, and takes less time.
# - The clock defines the rhythm. All observations are scaled to a magnitude of one.
#
# ## Reward and termination

# %%
def fallen(model, t, q, v):
    T = lw.pose(model, q, "trunk")
    return (T[2, 3] < 0.2) | (T[2, 2] < 0.7)


def reward(model, t, q, v, tau):
    T = lw.pose(model, q, "trunk")
    along = T[0, :3] @ v[:3]
    return 0.004 * (4.0 - 2.0 * abs(along - 0.7) - 20.0 * (T[2, 3] - 0.3) ** 2 - 0.0005 * (tau @ tau))

# %% [markdown]
# Each second without a fall must give more reward than can be lost in it. Otherwise the robot learned to throw itself forward,
# which is fast for a short time. The reward of the example also prescribes the height of each foot as a function of the clock, one
# diagonal after the other. This makes the gait a trot: with a small weight one robot hardly lifted its fourth leg.
#
# ## Evolution strategy
#
# An evolution strategy needs only the total reward of each motion. It evaluates weights w + e and w − e with random e, ranks
# the rewards, and moves along the sum of e times rank. One call of `rollout` simulates all of them, each with its own
# weights, from several random initial states:

# %%
rng = np.random.default_rng(0)
pairs, starts, spread, weights = 8, 2, 0.05, policy.random(0)


def score(tried):
    batch = (len(tried), starts)
    v0 = 0.2 * rng.standard_normal((starts, robot.nv))     # the same pushes for all weights
    found = lw.rollout(
        robot,
        np.broadcast_to(start, (*batch, robot.nq)),
        np.broadcast_to(v0, (*batch, robot.nv)),
        250,
        0.004,
        partial(controller, weights=np.broadcast_to(tried[:, None], (*batch, policy.size))),
        parameters={"pairs.friction": np.tile(rng.uniform(0.4, 1.0, starts), (len(tried), 1))},
        actuation=lw.Actuation(each=["weights"]),
        episode=lw.Episode(reward=reward, terminate=fallen),
    )
    return found.reward.mean(axis=1)


for _ in range(5):
    e = spread * rng.standard_normal((pairs, policy.size))
    earned = score(np.concatenate([weights + e, weights - e]))
    rank = np.argsort(np.argsort(earned)) / (2 * pairs - 1) - 0.5
    uphill = (rank[:pairs] - rank[pairs:]) @ e
    weights = weights + 0.3 * uphill / np.linalg.norm(uphill)
assert np.isfinite(weights).all()

# %% [markdown]
# The example uses 32 pairs, four initial states, motions of 3 s, and the Adam optimizer. One iteration simulates 192 000 steps of the
# robot. [Randomized](domain_randomization.md) friction, masses and initial pushes make the result robust.
