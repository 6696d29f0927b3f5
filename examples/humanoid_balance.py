"""A humanoid stands up to pushes, hops and walks: three laws of some lines each, by the capture point.

    python examples/humanoid_balance.py [--short] [--search] [--to FOLDER]

Tries each law on many motions at once and says how many stay on their feet; writes an animation of each. ``--short``
tries fewer and shorter ones, and draws nothing.

The capture point ξ = c + ċ/ω, ω² = g/height, is where the robot must put its weight to come to rest (Pratt, Carff,
Drakunov & Goswami, "Capture point: a step toward humanoid push recovery", Humanoids 2006). All else follows from it:

- The feet press on the ground with a force that goes through a point p near ξ, holds the height, and turns the trunk
  upright. Its efforts are −Jᵀf (Pratt et al., "Virtual model control", Int. J. Robotics Research 20(2), 2001).
- To stand is to have p beyond ξ as seen from the middle of the feet: that drives ξ back.
- To hop is to stand, with another vertical force in each part of a clock, and legs pulled up in the air.
- To walk is to stand on one foot and put the other one where ξ will be at the end of the step, less an offset that
  keeps speed and width (Khadiv, Herzog, Moosavian & Righetti, "Walking control based on step timing adaptation",
  IEEE Trans. Robotics 36(3), 2020).

The numbers of the hop were found by a search on `lw.rollout` (``--search``), the others by hand.

Arms, waist and neck are locked. Motors have limits: hips and knees 250 N m, ankles 150 and 60 N m.
"""

import argparse
from functools import partial
from pathlib import Path

import numpy as np

import linkwright as lw

STEP, G = 0.002, 9.81
SIDES = ("left", "right")
EFFORT = {"hip_yaw": 100, "hip_roll": 250, "hip_pitch": 250, "knee_pitch": 250, "ankle_pitch": 150, "ankle_roll": 60}
"""N m at most"""
BENT = {"hip_pitch": -0.35, "knee_pitch": 0.7, "ankle_pitch": -0.35}
MIDDLE, HALF, LONG, WIDE = 0.0645, 0.129, 0.12, 0.04
"""m: how far the middle of a sole is before the ankle, half its length, how far from there the force may get"""
HOP, PACE = 1.4, 0.35
"""s from one hop to the next, and from one step to the next"""
CROUCH, THRUST = 0.4, 0.25
"""s that crouching takes, and thrusting at most"""
NUMBERS = {
    "depth": (0.179, 0.08, 0.17),  # m, of crouching
    "speed": (2.37, 1.3, 2.6),  # m/s, towards which it thrusts
    "drawn": (0.028, 0.03, 0.16),  # m, by which the feet are pulled up in the air
    "ahead": (0.010, -0.02, 0.06),  # m, that they land before the center of mass
    "stretch": (0.007, 0.01, 0.035),  # m above the height of standing at which the thrust ends
    "foresee": (0.168, 0.0, 0.3),  # s: feet land where the center of mass is this much later
    "rate": (8.24, 6.0, 12.0),  # 1/s, of the spring that lands: its stiffness is the square, for each kg
    "back": (0.631, 0.2, 1.2),  # how far p is beyond the capture point, of that one's distance from the middle
}
"""of the hop: what ``search`` found, and between what it began"""


def man():
    """The humanoid with locked arms, waist and neck, dampers in the legs, and its posture on the ground."""
    whole = lw.load("humanoid")
    legs = [joint.name for joint in whole.joints if joint.name.split("_", 1)[-1] in EFFORT]
    model = whole.lock({j.name: -0.4 if "elbow" in j.name else 0.0 for j in whole.joints[1:] if j.name not in legs})
    for name in legs:
        more = {"lower": -0.7} if name.endswith("ankle_pitch") else {}  # as under load; not borne it is 20 degrees
        model = model.with_joint(name, armature=0.02, damping=1.0, **more)
    q = model.neutral()
    for name in legs:
        q[model.slice(name).q] = BENT.get(name.split("_", 1)[1], 0.0)
    model = model.with_ground(contact=lw.ContactProperties(friction=0.8))
    return model, lw.standing_configuration(model, q)


def cross(a, b):
    return np.stack([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


def level(R):
    """The turn that would bring R back to the world's axes, rad, while it is small."""
    return 0.5 * np.stack([R[1, 2] - R[2, 1], R[2, 0] - R[0, 2], R[0, 1] - R[1, 0]])


class Body:
    """What the laws see of q and v: the trunk, the center of mass, ξ, soles and the middles of the feet."""

    def __init__(self, model, q, v):
        self.model, self.q, self.mass = model, q, lw.total_mass(model)
        self.R = lw.pose(model, q, "pelvis")[:3, :3]
        self.turning = self.R @ v[3:6]
        self.c, self.dc = lw.center_of_mass(model, q), lw.center_of_mass_jacobian(model, q) @ v
        self.capture = self.c[:2] + self.dc[:2] / np.sqrt(G / self.c[2])
        self.soles = [lw.pose(model, q, f"{side}_sole") for side in SIDES]
        self.rates = [lw.jacobian(model, q, f"{side}_sole") @ v for side in SIDES]
        self.feet = [S[:3, 3] + MIDDLE * S[:3, 0] for S in self.soles]
        self.moving = [v[:3] + cross(v[3:], MIDDLE * S[:3, 0]) for v, S in zip(self.rates, self.soles, strict=True)]

    def held_at(self, height, stiffness=60.0, damping=12.0):
        """The vertical force, N, of a spring, 1/s², and a damper, 1/s, for each kg."""
        return self.mass * (G + stiffness * (height - self.c[2]) - damping * self.dc[2])

    def press(self, shares, p, up):
        """The efforts by which the feet press on the ground at p, with ``up`` N, and turn the trunk upright.

        The force at p that has the moment n about the center of mass: with r = p − c, n = r × f. Each foot bears its
        share of it, as near to p as its sole is long and wide.
        """
        up = lw.clip(up, 0.0, 2.5 * self.mass * G)
        n = 800.0 * level(self.R) - 120.0 * self.turning
        r, height = p - self.c[:2], self.c[2]
        aside = [(-n[1] - r[0] * up) / height, (n[0] - r[1] * up) / height]
        f = np.stack([*(lw.clip(x, -0.55 * up, 0.55 * up) for x in aside), up])
        off = p - (shares[0] * self.feet[0] + shares[1] * self.feet[1])[:2]
        tau = 0.0
        for side, share, S, foot in zip(SIDES, shares, self.soles, self.feet, strict=True):
            x, y = (lw.clip(S[0, k] * off[0] + S[1, k] * off[1], -most, most) for k, most in ((0, LONG), (1, WIDE)))
            arm = foot + x * S[:3, 0] + y * S[:3, 1] - S[:3, 3]
            moment = cross(arm, f) + np.stack([0.0 * up, 0.0 * up, n[2]])
            wrench = share * np.concatenate([f, moment])
            tau = tau - lw.joint_forces(self.model, self.q, f"{side}_sole", wrench)
        return tau

    def lead(self, k, to, rate, on=1.0):
        """The efforts that lead the middle of foot k (3,) with a velocity (3,), and keep its sole level."""
        S, foot = self.soles[k], self.feet[k]
        f = lw.clip(2000.0 * (to - foot) + 100.0 * (rate - self.moving[k]), -300.0, 300.0)
        n = 60.0 * level(S[:3, :3]) - 3.0 * self.rates[k][3:] + cross(foot - S[:3, 3], f)
        return lw.joint_forces(self.model, self.q, f"{SIDES[k]}_sole", on * np.concatenate([f, n]))

    def efforts(self, tau):
        """Return efforts that carry the weight of the legs; the base has no motor."""
        return np.concatenate([np.zeros(6), (tau + lw.gravity_forces(self.model, self.q))[6:]])

    def on_both(self, up, back=0.5):
        """The efforts of standing on both feet: p is beyond ξ, so that ξ comes back to the middle."""
        left, right = (foot[:2] for foot in self.feet)
        p = self.capture + back * (self.capture - 0.5 * (left + right))
        share = lw.clip(((p - right) @ (left - right)) / ((left - right) @ (left - right)), 0.02, 0.98)
        return self.press((share, 1.0 - share), p, up)


def standing(model, t, q, v, *, height):
    body = Body(model, q, v)
    return body.efforts(body.on_both(body.held_at(height)))


def hopping(model, t, q, v, *, height, period, numbers):
    """Each period, s: crouch by ``depth``, m; thrust towards ``speed``, m/s; in the air pull up the legs, land, rest.

    In the air the feet are led to below the center of mass, ``drawn`` m higher than they are in standing, and back down
    while it falls. NUMBERS says what the numbers are.
    """
    depth, speed, drawn, ahead, stretch, foresee, rate, back = (numbers[k] for k in range(len(NUMBERS)))
    body = Body(model, q, v)
    into = t - period * np.floor(t / period)
    crouching = 0.5 - 0.5 * np.cos(np.pi * lw.minimum(into / CROUCH, 1.0))
    heels_and_toes = [foot[2] - HALF * abs(S[2, 0]) for foot, S in zip(body.feet, body.soles, strict=True)]
    low = lw.minimum(*heels_and_toes)
    thrusts = (into > CROUCH) & (into < CROUCH + THRUST)
    up = lw.where(thrusts & (body.c[2] - low < height + stretch), body.mass * (G + 15.0 * (speed - body.dc[2])), 0.0)
    up = lw.where(into < CROUCH, body.held_at(height - depth * crouching), up)
    up = lw.where(into > CROUCH + THRUST, body.held_at(height, rate * rate, 1.5 * rate), up)
    raised = drawn * lw.clip(1.0 + body.dc[2] / speed, 0.0, 1.0)
    in_air = 0.0
    for k, half in ((0, 0.0864), (1, -0.0864)):
        place = body.c[:2] + foresee * body.dc[:2] + np.stack([ahead, half + 0.0 * t])
        to = np.concatenate([place, np.stack([body.c[2] - height + raised])])
        in_air = in_air + body.lead(k, to, body.dc)
    flies = low > 0.004
    return body.efforts(lw.where(flies, in_air, body.on_both(up, back)))


def walking(model, t, q, v, *, height, speed, period, width, lift):
    """Steps of a period, s, each; ``speed`` forward, m/s; feet ``width`` apart and lifted by ``lift``, m."""
    body = Body(model, q, v)
    count = np.floor(t / period)
    left = count - 2.0 * np.floor(0.5 * count)  # 1 while the left foot carries the weight, 0 while the right foot does
    side, into = 2.0 * left - 1.0, t - count * period
    remains, w = period - into, np.sqrt(G / height)
    grow = np.exp(w * period)
    bearing, swung = (left * body.feet[k] + (1.0 - left) * body.feet[1 - k] for k in (0, 1))
    # where ξ is to be when a step begins, seen from the new foot
    ahead, inside = speed * period / (grow - 1.0), width / (1.0 + grow)
    aim = np.stack([ahead, -side * inside]) * np.exp(w * into)
    off = 1.5 * (body.capture - bearing[:2] - aim)
    p = bearing[:2] + np.stack([lw.clip(off[0], -LONG, LONG), lw.clip(off[1], -WIDE, WIDE)])
    tau = body.press((left, 1.0 - left), p, body.held_at(height))
    # where ξ will be at the end of the step, and the foot with it
    to = p + (body.capture - p) * np.exp(w * remains) - np.stack([ahead, side * inside])
    across = lw.clip(side * (bearing[1] - to[1]), 0.12, 0.6)
    to = np.stack([bearing[0] + lw.clip(to[0] - bearing[0], -0.5, 0.6), bearing[1] - side * across])
    rate = (to - swung[:2]) / lw.maximum(remains, 0.06)
    turn = np.pi * into / period
    z = lift * np.sin(turn) ** 2 - 0.01 * into / period
    to = np.concatenate([swung[:2], np.stack([z])])
    rate = np.concatenate([rate, np.stack([lift * np.pi / period * np.sin(2.0 * turn)])])
    return body.efforts(tau + body.lead(0, to, rate, 1.0 - left) + body.lead(1, to, rate, left))


def fallen(model, t, q, v):
    T = lw.pose(model, q, "pelvis")
    return (T[2, 3] < 0.6) | (T[2, 2] < 0.7)


def push(t, force, begin):
    """A force (3,) on the torso's frame, at the navel, for 0.2 s."""
    on = lw.where((t >= begin) & (t < begin + 0.2), 1.0, 0.0)
    return {"torso": np.concatenate([on * force, np.zeros(3)])}


class Trying:
    """The robot, the numbers of its laws, and motions."""

    def __init__(self):
        self.robot, self.start = man()
        height = lw.center_of_mass(self.robot, self.start)[2]
        self.laws = {
            "stand": partial(standing, height=height),
            "hop": partial(hopping, height=height, period=HOP, numbers=np.array([x[0] for x in NUMBERS.values()])),
            "walk": partial(walking, height=height, speed=0.4, period=PACE, width=0.2, lift=0.06),
        }
        self.most = np.full(self.robot.nv, np.inf)
        for joint in self.robot.joints[1:]:
            self.most[self.robot.slice(joint.name).v] = EFFORT[joint.name.split("_", 1)[1]]

    def motions(self, law, n, seconds, force, begin=1.0, each=(), v0=None):
        """n motions, a push of ``force``, N, from directions all around, and velocities a little off at the start."""
        angle = 2.0 * np.pi * (np.arange(n) + 0.5) / n
        return lw.rollout(
            self.robot,
            np.tile(self.start, (n, 1)),
            0.02 * np.random.default_rng(0).standard_normal((n, self.robot.nv)) if v0 is None else v0,
            round(seconds / STEP),
            STEP,
            law,
            every=10,
            method=lw.Integrator(joint_limits=True),
            actuation=lw.Actuation(each=["force", *each], effort_limits=self.most),
            surroundings=lw.Surroundings(
                wrenches=partial(
                    push, force=force * np.stack([np.cos(angle), np.sin(angle), 0 * angle], -1), begin=begin
                )
            ),
            episode=lw.Episode(terminate=fallen),
        )

    def lowest(self, q):
        """How high the lowest corner of each sole is, m, (..., 2)."""
        corners = np.array([[x, y, 0.0, 1.0] for x in (MIDDLE - HALF, MIDDLE + HALF) for y in (-0.048, 0.048)])
        return np.stack([(lw.pose(self.robot, q, f"{s}_sole") @ corners.T)[..., 2, :].min(-1) for s in SIDES], -1)

    def stand(self, n, forces=(100.0, 125.0, 150.0, 175.0, 200.0)):
        for force in forces:
            up = int(self.motions(self.laws["stand"], n, 5.0, force).alive.sum())
            print(f"{up} of {n} stand after a push of {force:.0f} N for 0.2 s, {0.2 * force:.0f} N s")
            yield up / n

    def hop(self, n, hops=6):
        found = self.motions(self.laws["hop"], n, hops * HOP, 0.0)
        clear = self.clear(found, hops)
        up = int(found.alive.sum())
        print(
            f"{up} of {n} hop {hops} times and do not fall; both soles at once {100 * clear[:, found.alive].min():.1f}",
            end=" ",
        )
        print(f"to {100 * clear[:, found.alive].max():.1f} cm clear of the ground, {100 * clear.mean():.1f} on average")
        return up / n, clear[:, found.alive].min()

    def search(self, iterations=6, tried=500, starts=4, kept=40, hops=4):
        """Numbers of the hop by the cross-entropy method: draw many, keep the best, draw about these.

        (R. Rubinstein, "The cross-entropy method for combinatorial and continuous optimization", 1999.) What counts
        is how high the lowest hop is, 8 cm at most, and nothing where it falls, on average over some starts.
        """
        rng, (low, high) = np.random.default_rng(1), np.array([x[1:] for x in NUMBERS.values()]).T
        mean, spread = 0.5 * (low + high), (high - low) / 2.5
        for k in range(iterations):
            drawn = mean + spread * rng.standard_normal((tried, len(mean)))
            drawn = np.maximum(drawn, 0.2 * low)
            law = partial(self.laws["hop"], numbers=np.repeat(drawn, starts, axis=0))
            seeds = np.tile(np.random.default_rng(k).standard_normal((starts, self.robot.nv)), (tried, 1))
            found = self.motions(law, tried * starts, hops * HOP, 0.0, each=["numbers"], v0=0.02 * seeds)
            earned = np.where(found.alive, np.minimum(self.clear(found, hops).min(axis=0), 0.08), 0.0)
            earned = earned.reshape(tried, starts).mean(axis=1)
            best = drawn[np.argsort(-earned)[:kept]]
            mean, spread = best.mean(axis=0), best.std(axis=0) + 1e-3
            on_feet, numbers = found.alive.mean(), dict(zip(NUMBERS, mean.round(3).tolist(), strict=True))
            print(f"{k}: {on_feet:.0%} on their feet, the best hop {earned.max():.3f} m: {numbers}", flush=True)

    def clear(self, found, hops):
        """How high the lower sole is at the top of each hop, m (hops, n)."""
        return self.lowest(found.q).min(-1).reshape(hops, -1, len(found.alive)).max(axis=1)

    def walk(self, n, seconds=10.0, forces=(0.0, 100.0, 200.0, 300.0)):
        for force in forces:
            found = self.motions(self.laws["walk"], n, seconds, force, begin=0.4 * seconds)
            up = int(found.alive.sum())
            print(
                f"{up} of {n} walk for {seconds:.0f} s", end=f", pushed by {force:.0f} N for 0.2 s: " if force else ": "
            )
            landed = np.diff((self.lowest(found.q) < 0.002).astype(int), axis=0) == 1
            far = found.q[-1, found.alive, 0]
            print(f"{landed.sum(axis=(0, 2))[found.alive].mean():.0f} steps, {far.mean() / seconds:.2f} m/s")
            yield up / n, landed.sum(axis=(0, 2)).min()

    def show(self, what, seconds, force, folder):
        law, across = self.laws[what], np.array([0.0, force, 0.0])
        motion = lw.simulate(
            self.robot,
            self.start,
            np.zeros(self.robot.nv),
            seconds,
            STEP,
            controller=law,
            method=lw.Integrator(joint_limits=True),
            actuation=lw.Actuation(effort_limits=self.most),
            surroundings=lw.Surroundings(wrenches=partial(push, force=across, begin=1.0)),
        )
        print("wrote", motion.animate(folder / f"humanoid_{what}.gif", fps=25, title=what))


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--short", action="store_true", help="a few seconds: fewer motions, no animations")
    arguments.add_argument("--search", action="store_true", help="search the parameters of the hop again (minutes)")
    arguments.add_argument("--to", type=Path, default=Path("."), metavar="FOLDER")
    options = arguments.parse_args()
    trying = Trying()
    if options.search:
        trying.search()
        return
    if options.short:
        assert list(trying.stand(8, [100.0])) == [1.0]
        assert trying.hop(4, 2)[1] > 0.05
        ((up, steps),) = trying.walk(8, 4.0, [100.0])
        assert up == 1.0
        assert steps >= 6
        return
    list(trying.stand(100))
    trying.hop(100)
    list(trying.walk(100))
    options.to.mkdir(parents=True, exist_ok=True)
    for what, seconds, force in (("stand", 3.0, 100.0), ("hop", 4.2, 0.0), ("walk", 5.0, 100.0)):
        trying.show(what, seconds, force, options.to)


if __name__ == "__main__":
    main()
