"""A quadruped learns to trot from random weights, by an evolution strategy on `lw.rollout`: a minute of processor time.

    python examples/learn_to_walk.py [--short] [--seed 0] [--iterations 300] [--to FOLDER]

Writes the weights, walk.npz, and an animation, walk.gif, into the folder. ``--short`` takes a few seconds and shows
that the reward rises, no more: that is no steady trot yet.

The law: springs hold a posture with bent knees, and a linear policy moves that posture. It sees which way is up and
where the robot heads, velocities, joints, and a clock of 2.5 Hz. The reward is for speed, for the trunk's attitude,
and for feet that are as high as the clock says, one diagonal after the other: that makes the gait a trot.
"""

import argparse
import os
import time
from functools import partial
from pathlib import Path

import numpy as np

import linkwright as lw

SPEED, HERTZ, LIFT = 0.7, 2.5, 0.05
"""m/s that is wanted; steps of each foot in a second; m that feet are lifted"""
STEP, SECONDS = 0.004, 3.0
FEET = {"front_left_foot": 1, "front_right_foot": -1, "hind_left_foot": -1, "hind_right_foot": 1}
"""in which half of the clock each is lifted: the diagonals take turns"""
BENT = np.tile([0.0, 0.7, -1.4], 4)
START = np.concatenate([[0.0, 0.0, 0.33], [1.0, 0.0, 0.0, 0.0], BENT])


def clock(t):
    return np.stack([np.sin(2 * np.pi * HERTZ * t), np.cos(2 * np.pi * HERTZ * t)])


def seen(model, t, q, v):
    """What the policy is given, numbers of about one: up, ahead, the base's twist, joints, rates, the clock."""
    R = lw.pose(model, q, "trunk")[:3, :3]
    return np.concatenate([2 * R[2], R[1, :1], v[:3], 0.3 * v[3:6], q[7:] - BENT, 0.05 * v[6:], clock(t)])


def fallen(model, t, q, v):
    T = lw.pose(model, q, "trunk")
    return (T[2, 3] < 0.2) | (T[2, 2] < 0.7)


def reward(model, t, q, v, tau):
    """For a second: being up, less what is wrong with speed, heading, height, turning, efforts, hips and feet."""
    T = lw.pose(model, q, "trunk")
    along, aside, _ = T[:3, :3] @ v[:3]
    earned = 4.0 - 2.0 * abs(along - SPEED) - 0.5 * abs(aside) - abs(T[1, 0]) - 20.0 * (T[2, 3] - 0.3) ** 2
    earned = earned - 0.1 * (v[3:6] @ v[3:6]) - 0.0005 * (tau @ tau) - 2.0 * (q[7::3] @ q[7::3])
    for foot, half in FEET.items():
        wanted = LIFT * lw.maximum(half * clock(t)[0], 0.0)
        earned = earned - 15.0 * abs(lw.pose(model, q, foot)[2, 3] - 0.02 - wanted)
    return STEP * earned


def search(score, weights, iterations, *, pairs=32, spread=0.05, rate=0.03, seed=0):
    """An evolution strategy; yields (weights, the mean score of those tried about them) after each iteration.

    ``score(tried, rng)`` are numbers (n,) for weights (n, size). Tried are ``pairs`` of w + e and w − e, e normal with
    standard deviation ``spread``. Scores count by their rank alone, from −1/2 to 1/2, so that none of them rules. The
    sum of e, each times its rank, points uphill; Adam takes the step, and steps get shorter towards the end.
    (T. Salimans et al., "Evolution strategies as a scalable alternative to reinforcement learning", 2017;
    D. P. Kingma & J. Ba, "Adam", ICLR 2015.)
    """
    rng = np.random.default_rng(seed)
    w, m, s = weights, np.zeros_like(weights), np.zeros_like(weights)
    for k in range(1, iterations + 1):
        e = spread * rng.standard_normal((pairs, len(w)))
        scores = score(np.concatenate([w + e, w - e]), rng)
        rank = np.argsort(np.argsort(scores)) / (2 * pairs - 1) - 0.5
        uphill = (rank[:pairs] - rank[pairs:]) @ e / (pairs * spread)
        m, s = 0.9 * m + 0.1 * uphill, 0.99 * s + 0.01 * uphill**2
        shorter = 1.0 - 0.8 * k / iterations
        w = w + rate * shorter * (m / (1 - 0.9**k)) / (np.sqrt(s / (1 - 0.99**k)) + 1e-8)
        yield w, scores.mean()


class Walking:
    """The robot, its policy, and motions of some weights from random starts."""

    def __init__(self):
        self.robot = lw.load("quadruped").with_ground()
        self.policy = lw.Policy(self.robot, hidden=(), observe=seen)
        self.bound = {"scale": 0.6, "stiffness": 40.0, "damping": 1.0, "posture": START}
        self.steps = 0

    def law(self, weights):
        return partial(self.policy, weights=weights, **self.bound)

    def motions(self, weights, rng, starts, seconds=SECONDS):
        """Motions (n, starts) of weights (n, size): pushed, joints a little off, other grounds and masses."""
        n, batch = len(weights), (len(weights), starts)
        q0, v0 = np.tile(START, (starts, 1)), 0.2 * rng.standard_normal((starts, self.robot.nv))
        q0[:, 7:] += 0.05 * rng.standard_normal((starts, 12))
        friction, mass = rng.uniform(0.4, 1.0, starts), rng.uniform(2.8, 3.8, starts)
        found = lw.rollout(
            self.robot,
            np.broadcast_to(q0, (*batch, len(START))),
            np.broadcast_to(v0, (*batch, self.robot.nv)),
            round(seconds / STEP),
            STEP,
            self.law(np.broadcast_to(weights[:, None], (n, starts, self.policy.size))),
            parameters={"pairs.friction": np.tile(friction, (n, 1)), "trunk.mass": np.tile(mass, (n, 1))},
            actuation=lw.Actuation(each=["weights"]),
            episode=lw.Episode(reward=reward, terminate=fallen),
        )
        self.steps += int(found.steps.sum())
        return found

    def score(self, weights, rng, starts=4):
        return self.motions(weights, rng, starts).reward.mean(axis=1)


def on_the_ground(motion, after=1.0):
    """(n, 4) of bool from a time on, s: which feet press on the ground, by the impulses of contact."""
    return motion.contacts.of_pairs[motion.t > after][..., 2] > 1.0


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--short", action="store_true", help="a few seconds: the reward rises, no more")
    arguments.add_argument("--seed", type=int, default=0)
    arguments.add_argument("--iterations", type=int)
    arguments.add_argument("--to", type=Path, default=Path("."), metavar="FOLDER")
    options = arguments.parse_args()
    iterations = options.iterations or (60 if options.short else 300)

    walking = Walking()
    weights = first = walking.policy.random(options.seed)
    print(f"{walking.policy}; {os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}")
    before = walking.motions(weights[None], np.random.default_rng(1), 32)  # compiles, too
    walking.steps, begun, used = 0, time.perf_counter(), time.process_time()
    how = {"pairs": 16, "rate": 0.05} if options.short else {}
    score = partial(walking.score, starts=2 if options.short else 4)
    for k, (weights, mean) in enumerate(search(score, first, iterations, seed=options.seed, **how), 1):
        if k in (1, iterations) or k % max(1, iterations // 12) == 0:
            now = walking.motions(weights[None], np.random.default_rng(1), 32)
            past, cpu = time.perf_counter() - begun, time.process_time() - used
            print(
                f"iteration {k:4}: reward {mean:6.2f}, {np.mean(now.q[-1, ..., 0] / (now.steps * STEP)):5.2f} m/s, "
                f"{100 * now.alive.mean():3.0f} % on their feet; {past:5.1f} s, {cpu:5.1f} s of processors, "
                f"{walking.steps / past / 1e6:.2f} million steps a second",
                flush=True,
            )
    earned = [found.reward.mean() for found in (before, now)]
    print(
        f"32 random starts earn {earned[0]:.2f} before, {earned[1]:.2f} after {walking.steps / 1e6:.1f} million steps"
    )
    if options.short:
        assert earned[1] > earned[0] + 0.5, "the reward did not rise"

    options.to.mkdir(parents=True, exist_ok=True)
    print("wrote", walking.policy.save(options.to / "walk.npz", weights))
    if options.short:
        return
    falls = 32 - int(walking.motions(weights[None], np.random.default_rng(2), 32, 10.0).alive.sum())
    motion = lw.simulate(
        walking.robot, START, np.zeros(walking.robot.nv), 6.0, controller=walking.law(weights), step=0.001
    )
    of_trunk, seconds = motion.q[motion.t > 1.0], 5.0
    print(f"mean speed over {seconds:.0f} s: {(of_trunk[-1, 0] - of_trunk[0, 0]) / seconds:.2f} m/s, in steps of 1 ms")
    print(f"height {of_trunk[:, 2].mean():.3f} m ± {of_trunk[:, 2].std():.3f}; sideways {of_trunk[-1, 1]:.2f} m")
    print(f"{falls} falls in 32 motions of 10 s from random starts, other grounds and masses")
    front_left, front_right, hind_left, hind_right = on_the_ground(motion).T
    print("of the time both feet of a pair are on the ground, or both are not:")
    for name, one, other in (
        ("front left, hind right (diagonal)", front_left, hind_right),
        ("front right, hind left (diagonal)", front_right, hind_left),
        ("left side", front_left, hind_left),
        ("right side", front_right, hind_right),
        ("front", front_left, front_right),
        ("hind", hind_left, hind_right),
    ):
        print(f"  {100 * np.mean(one == other):3.0f} %  {name}")
    print("wrote", motion.animate(options.to / "walk.gif", fps=25, title="learned to trot"))


if __name__ == "__main__":
    main()
