"""A humanoid runs: from standing, at 1.3 m/s, with both feet in the air for a quarter of each stride.

    python examples/running.py [--short] [--speed 1.3] [--seconds 9] [--to FOLDER]

Prints speed, flight, efforts and joint velocities of every stride, and writes the picture running.png. Then it computes
the same run by a second dynamics, an assembly whose feet are connected to the ground and cut again, and prints the
agreement with rigid contact as a table. ``--short`` simulates three seconds and stops there.

The robot is the Unitree G1 with 29 joints (the package example-robot-data), a humanoid that runs in reality; its file
contains effort and velocity limits and four contact points of each foot. Each tick of the controller consists of

1. the plan of the stance: a vertical force that returns the center of mass to the height and the speed of the next
   flight, and a horizontal force along the line from the center of pressure to the center of mass, which creates no
   angular momentum (Blickhan, "The spring-mass model for running and hopping", J. Biomechanics 22, 1989; as
   polynomials: Englsberger, Kozłowski & Ott, "Biologically inspired deadbeat control for running", Humanoids 2015);
2. footholds from which this stance reaches the desired velocity at lift-off (Raibert, "Legged robots that balance",
   1986, where a gain stands for the transition matrix), and feet that swing there along quintics;
3. whole-body control: momentum, orientation of trunk and pelvis, feet and posture, within friction and effort limits.
"""

import argparse
import io
import time
import warnings
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path

import numpy as np

import linkwright as lw
from linkwright.control import StanceContact, WholeBody

G, STEP, FRICTION = 9.81, 1e-3, 0.8
SIDES = ("left", "right")
STANCE, FLIGHT, PUSH_OFF = 0.22, 0.10, 0.40
"""s: one foot on the ground, none, and both before the first flight"""
HEIGHT, CROUCHED, LIFT = 0.64, 0.60, 0.10
"""m: the center of mass at touch-down and lift-off and at the start, and feet in the middle of a swing"""
OFFSET, STANDING = 0.075, 0.09
"""m: feet from the path of the center of mass to the side, when running and when standing"""
FIRST, GAIN = 0.2, 0.35
"""m/s: desired velocity of the first step, and how much each further step adds"""
PRELOAD = 1.5
"""m/s²: force at touch-down for each kg"""
ALONG, ACROSS, ACROSS_BOTH = 0.04, 0.02, 0.08
"""m: how far the center of pressure may be from the middle of one sole, and from the middle between both"""
SOLE = np.array([0.02, 0.0, -0.035])
"""m: center of pressure at mid-stance in axes of the foot; ankles are weaker than toes are long"""
BENT = {"hip_pitch": -0.45, "knee": 0.9, "ankle_pitch": -0.45, "shoulder_pitch": 0.2, "elbow": 0.6}
"""rad"""
ARMS_OUT, ARMS, LEGS = 0.2, 0.1, 0.01
"""rad of the shoulders to the side; weights of the posture of arms and waist, and of the legs"""
INSET = 0.9
"""part of the sole on which the controller relies"""


def humanoid():
    """Return the robot, the robot on the ground, and the contact points (4, 3) in axes of a sole."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lw.errors.FormatWarning)
        robot = lw.load("g1_29dof_rev_1_0", root="free")
    robot = robot.lock({joint.name: 0.0 for joint in robot.joints if "wrist" in joint.name})
    feet = [f"{side}_ankle_roll_link" for side in SIDES]
    for side, foot in zip(SIDES, feet, strict=True):
        robot = robot.with_frame(f"{side}_sole", foot, xyz=SOLE)
    balls = [one for one in robot.shapes if one.body == feet[0] and one.kind == "sphere"]
    points = np.array([one.placement[:3, 3] - [0.0, 0.0, one.radius] - SOLE for one in balls])
    return robot, robot.with_ground(only=feet, contact=lw.ContactProperties(friction=FRICTION)), points


def crouching(robot):
    """Return a configuration with the soles flat on the ground, OFFSET apart from the middle."""
    q = robot.neutral()
    for side, sign in zip(SIDES, (1, -1), strict=True):
        for joint, angle in (*BENT.items(), ("shoulder_roll", ARMS_OUT * sign)):
            q[robot.slice(f"{side}_{joint}_joint").q] = angle
    goals = {lw.tasks.CenterOfMass(): [0.0, 0.0, CROUCHED]}
    for side, sign in zip(SIDES, (1, -1), strict=True):
        goals[lw.tasks.Pose(f"{side}_sole")] = lw.transform.make(p=[0.0, sign * STANDING, 0.0])
    goals |= {lw.tasks.Rotation(frame): np.eye(3) for frame in ("pelvis", "torso_link")}
    arms = [joint.name for joint in robot.joints[16:]]
    goals[lw.tasks.Joints(arms)] = q[robot.slice(arms[0]).q.start :]
    found = lw.inverse_kinematics(robot, goals, initial_guess=q)
    assert found.converged, found.reason
    return found.q


class StancePlan:
    """Vertical motion of a stance, and the horizontal motion that follows from it.

    The force for each kg is f(s) = f₀ (1 − s/T) + s (T − s) (a + b s), zero at the end; a and b follow from height and
    speed at both ends. With the force along the line from the center of pressure p to the center of mass x,
    ẍ = f/z (x − p): linear, (x − p, ẋ) at the end are F (x − p, ẋ), with a matrix F for each remaining time.
    """

    def __init__(self, z, dz, duration, preload):
        T, self.start, self.T, self.preload = duration, (z, dz), duration, preload
        speed = 0.5 * G * FLIGHT - dz + G * T - 0.5 * preload * T
        height = HEIGHT - z - dz * T + 0.5 * G * T**2 - preload * T**2 / 3.0
        self.a, self.b = np.linalg.solve([[T**3 / 6, T**4 / 12], [T**4 / 12, T**5 / 30]], [speed, height])
        F, self.left = np.eye(2), [np.eye(2)]
        for s in np.arange(T - 0.5 * STEP, 0.0, -STEP):
            w = self.force(s) / self.motion(s)[0]
            F = F @ [[1.0 + 0.5 * w * STEP**2, STEP], [w * STEP, 1.0 + 0.5 * w * STEP**2]]
            self.left.append(F)

    def force(self, s):
        return max(self.preload * (1.0 - s / self.T) + s * (self.T - s) * (self.a + self.b * s), 0.0)

    def motion(self, s):
        """Return height, speed and acceleration after s seconds."""
        (z, dz), a, b, T, f = self.start, self.a, self.b, self.T, self.preload
        speed = dz - G * s + f * (s - s**2 / T / 2) + a * (T * s**2 / 2 - s**3 / 3) + b * (T * s**3 / 3 - s**4 / 4)
        height = z + dz * s - G * s**2 / 2 + f * (s**2 / 2 - s**3 / T / 6)
        height += a * (T * s**3 / 6 - s**4 / 12) + b * (T * s**4 / 12 - s**5 / 20)
        return height, speed, self.force(s) - G

    def transition(self, s):
        """Return F (2, 2) from s seconds to the end."""
        return self.left[int(np.clip(round((self.T - s) / STEP), 0, len(self.left) - 1))]


@dataclass
class Swing:
    """A foot in the air: its desired position, velocity and acceleration (3, 3), and where and when it lands."""

    motion: np.ndarray
    begun: float
    place: np.ndarray | None = None

    def advance(self, t, landing):
        """Move on by one step: forward to the place, up and then down, at 0.1 m/s at the end."""
        left, top = landing - t, self.begun + 0.45 * (landing - self.begun)
        lift = LIFT * (landing - self.begun) / (STANCE + 2.0 * FLIGHT)
        if left < 8 * STEP:
            self.motion = np.array(
                [self.motion[0] + STEP * self.motion[1], self.motion[1] * [0.9, 0.9, 1.0], np.zeros(3)]
            )
            return
        rises = t < top - 0.02
        fall = -4.0 * lift / (landing - top) ** 2
        up = (lift, 0.0, fall, top - t) if rises else (0.0, -0.1, 0.0, left)
        ends = [(self.place[0], 0.0, 0.0, left), (self.place[1], 0.0, 0.0, left), up]
        self.motion = np.stack([quintic(x, *end) for x, end in zip(self.motion.T, ends, strict=True)], axis=1)


def quintic(now, x, v, a, T):
    """Return position, velocity, acceleration after a step on the quintic from `now` (3,) to x, v, a in T seconds."""
    x0, v0, a0 = now
    d = x - x0
    c = [
        *(x0, v0, 0.5 * a0),
        (20.0 * d - (8.0 * v + 12.0 * v0) * T - (3.0 * a0 - a) * T**2) / (2.0 * T**3),
        (-30.0 * d + (14.0 * v + 16.0 * v0) * T + (3.0 * a0 - 2.0 * a) * T**2) / (2.0 * T**4),
        (12.0 * d - 6.0 * (v + v0) * T + (a - a0) * T**2) / (2.0 * T**5),
    ]
    k, s = np.arange(6.0), STEP
    return np.stack([s**k, k * s ** (k - 1.0), k * (k - 1.0) * s ** (k - 2.0)]) @ c


def sensed(model, q, v):
    """Center of mass, momentum, poses of the soles and their velocities."""
    soles = [f"{side}_sole" for side in SIDES]
    poses = np.stack([lw.pose(model, q, sole) for sole in soles])
    return (
        lw.center_of_mass(model, q),
        lw.momentum(model, q, v),
        poses,
        np.stack([lw.velocity(model, q, v, sole) for sole in soles]),
    )


class Runner:
    """The controller: efforts from t, q and v, called once in every step."""

    def __init__(self, robot, points, start, speed):
        self.robot, self.points, self.mass, self.desired = robot, points, lw.total_mass(robot), speed
        task, names = lw.tasks, [joint.name for joint in robot.joints[1:]]
        self.momentum, self.spin = task.Momentum("linear", weight=20.0), task.Momentum("angular", weight=0.5)
        self.feet = [task.Pose(f"{side}_sole", weight=30.0) for side in SIDES]
        level = {
            task.Rotation("torso_link", weight=1.0): (150.0, 25.0),
            task.Rotation("pelvis", weight=0.3): (100.0, 20.0),
        }
        posture = {task.Joints(some, weight=w): (60.0, 12.0) for some, w in ((names[:12], LEGS), (names[12:], ARMS))}
        tasks = {self.momentum: (0.0, 0.0), self.spin: (5.0, 0.0), **level, **posture}
        tasks |= dict.fromkeys(self.feet, (2500.0, 100.0))
        middle = points.mean(axis=0)
        relied = middle + INSET * (points - middle)
        contacts = [StanceContact(f"{side}_sole", relied, friction=0.7) for side in SIDES]
        self.body = WholeBody(robot, contacts, tasks, effort_limits=True, regularization=1e-6)
        still = {one: start[[robot.slice(name).q.start for name in one.names]] for one in posture}
        self.targets = {self.spin: (np.zeros(3), np.zeros(3)), **still, **dict.fromkeys(level, np.eye(3))}
        self.sense = lw.compile(sensed, robot, q=(robot.nq,), v=(robot.nv,))
        self.nominal = StancePlan(HEIGHT, -0.5 * G * FLIGHT, STANCE, PRELOAD)
        F = self.nominal.transition(0.0)
        self.sway = OFFSET * F[1, 0] / (1.0 + F[1, 1])
        self.phase, self.foot, self.speed, self.begun, self.plan = "push-off", 0, FIRST, 0.0, None
        self.swings, self.landing, self.infeasible = [None, None], [0.0, 0.0], []
        self.events = []
        """(sample, "touch-down" or "lift-off", foot)"""

    def desired_velocity(self, foot, y):
        """Return the horizontal velocity at the lift-off of a foot: away from it, and towards y = 0."""
        return np.array([self.speed, (-self.sway if foot == 0 else self.sway) - y])

    def center_of_pressure(self, F, foot, x, dx):
        """Return the point from which a stance with the transition matrix F ends with the desired velocity."""
        return x - (self.desired_velocity(foot, x[1]) - F[1, 1] * dx) / F[1, 0]

    def __call__(self, t, q, v):
        c, h, soles, rates = self.sense(q, v)
        dc = h[:3] / self.mass
        self.change_phase(t, c, dc, soles, rates)
        force, held = np.array([0.0, 0.0, -G]), []
        if self.phase != "flight":
            force, held = self.stance_acceleration(t, c, dc, soles)
        targets = self.targets | {self.momentum: (h[:3], self.mass * force)}
        for k in (0, 1):
            if k in held:
                targets[self.feet[k]] = self.planted[k]
            else:
                self.swing(t, k, c, dc)
                X, rest = np.eye(4), np.zeros(3)
                X[:3, 3], velocity, acceleration = self.swings[k].motion
                targets[self.feet[k]] = X, np.concatenate([velocity, rest]), np.concatenate([acceleration, rest])
        answer = self.body(q, v, targets, contacts=[f"{SIDES[k]}_sole" for k in held])
        if not answer.feasible:
            self.infeasible.append((t, answer.reason))
        return answer.efforts

    def change_phase(self, t, c, dc, soles, rates):
        """Start a stance when the next foot touches the ground, and a flight when a stance is over."""
        sample, foot = round(t / STEP), self.foot
        if self.phase == "push-off" and self.plan is None:
            self.planted, self.plan = list(soles), StancePlan(c[2], dc[2], PUSH_OFF, G)
        lowest = (soles[foot][:3, :3] @ self.points.T)[2].min() + soles[foot][2, 3]
        if self.phase == "flight" and lowest < 2e-5 and dc[2] < 0.0:
            self.phase, self.begun, self.planted = "stance", t, list(soles)
            self.plan = StancePlan(c[2], dc[2], STANCE, PRELOAD)
            self.landing[1 - foot] = t + STANCE + FLIGHT
            self.events.append((sample, "touch-down", foot))
        elif self.phase != "flight" and t - self.begun > self.plan.T - 0.5 * STEP:
            lifted = (0, 1) if self.phase == "push-off" else (foot,)
            if self.phase == "stance":
                self.foot = 1 - foot
                self.speed = min(self.speed + GAIN, self.desired)
                self.events.append((sample, "lift-off", foot))
            self.landing[self.foot], self.landing[1 - self.foot] = t + FLIGHT, t + 2.0 * FLIGHT + STANCE
            self.phase = "flight"
            for k in lifted:
                self.swings[k] = Swing(np.array([soles[k][:3, 3], rates[k][:3], np.zeros(3)]), t)

    def stance_acceleration(self, t, c, dc, soles):
        """Return the desired acceleration of the center of mass, and the feet that hold."""
        s, both = t - self.begun, self.phase == "push-off"
        z, dz, ddz = self.plan.motion(s)
        f = max(ddz + 200.0 * (z - c[2]) + 25.0 * (dz - dc[2]) + G, 0.0)
        p = soles[:, :2, 3].mean(axis=0) if both else soles[self.foot][:2, 3]
        F, most = self.plan.transition(s), np.array([ALONG, ACROSS_BOTH if both else ACROSS])
        if F[1, 0] > 0.3:  # later no center of pressure changes much
            foot = 1 if both else self.foot  # both feet start as the right one ends
            p = p + np.clip(self.center_of_pressure(F, foot, c[:2], dc[:2]) - p, -most, most)
        return np.append(f / c[2] * (c[:2] - p), f - G), ([0, 1] if both else [self.foot])

    def swing(self, t, k, c, dc):
        """Move a swinging foot on to the foothold of the predicted touch-down."""
        left = self.landing[k] - t
        if left > 0.05 or self.swings[k].place is None:
            x, dx = c[:2] + left * dc[:2], dc[:2]
            if self.phase == "stance":
                p = self.planted[self.foot][:2, 3]
                x, dx = self.plan.transition(t - self.begun) @ [c[:2] - p, dc[:2]]
                x = p + x + FLIGHT * dx
            elif k != self.foot:  # a stance of the other foot comes first
                x, dx = np.array([x[0], c[1]]), dc[:2] * [1.0, -1.0]
            self.swings[k].place = self.center_of_pressure(self.nominal.transition(0.0), k, x, dx)
        self.swings[k].advance(t, self.landing[k])


@dataclass
class Run:
    """A simulated run."""

    robot: lw.Model
    grounded: lw.Model
    runner: Runner
    motion: lw.Motion

    @property
    def pressing(self):
        """Vertical forces (samples, 2) of the feet, N."""
        return self.motion.contacts.forces[..., 2].reshape(len(self.motion.t), 2, -1).sum(axis=-1)

    def strides(self):
        """Yield for each stride, from a touch-down of the left foot: time, speed, flight, peak force, shares of limits.

        Flight is the share of samples without any contact force, the force is in body weights without impacts (the
        first 5 ms of a stance), efforts and velocities are the largest shares of their limits.
        """
        robot, motion = self.robot, self.motion
        down = [k for k, event, foot in self.runner.events if event == "touch-down" and foot == 0]
        most = [
            np.concatenate([getattr(j, name) for j in robot.joints])[6:] for name in ("effort_limit", "velocity_limit")
        ]
        x, force = lw.center_of_mass(robot, motion.q)[:, 0], self.pressing.sum(axis=1)
        for a, b in pairwise(down):
            shares = [
                (abs(rows[a:b, 6:]) / limit).max() for rows, limit in zip((motion.tau, motion.v), most, strict=True)
            ]
            impacts = [k + np.arange(5) for k, event, _ in self.runner.events if event == "touch-down" and a <= k < b]
            steady = np.setdiff1d(np.arange(a, b), np.concatenate(impacts))
            peak = force[steady].max() / (self.runner.mass * G)
            yield motion.t[a], (x[b] - x[a]) / (motion.t[b] - motion.t[a]), np.mean(force[a:b] == 0.0), peak, *shares


def run(seconds, speed=1.3):
    """Simulate a run from rest."""
    robot, grounded, points = humanoid()
    start = crouching(robot)
    runner = Runner(robot, points, start, speed)
    rest, method = np.zeros(robot.nv), lw.Integrator(joint_limits=True)
    motion = lw.simulate(grounded, start, rest, seconds, STEP, callback=runner, method=method)
    return Run(robot, grounded, runner, motion)


class SecondDynamics:
    """The run by assembly: feet are connected to the ground at touch-down, and cut at lift-off.

    The structures are the robot in flight, and the robot with a loop that welds one sole to the ground. Both dynamics
    get the same states: those of the run, with the sole of a stance flat on the ground and at rest (by the impact that
    connects it).

    The acceleration of rigid contact is the limit of (v⁺ − v)/h of its time step for h → 0, extrapolated from h and 2h.
    The step enforces J(q) v⁺ = 0, so the constraint J v̇ + J̇ v = 0 of the acceleration requires J after the step: the
    step begins at q ⊕ h v.
    """

    H = 1e-6
    SOLVER = lw.Solver(iterations=2000, tolerance=1e-14, position_iterations=0)

    def __init__(self, run):
        self.run, self.robot = run, run.robot
        self.cut = run.robot
        self.connected = [run.robot.with_loop("stance", "weld", "world", f"{side}_sole") for side in SIDES]

        def twists(model, q, v):
            return np.stack([lw.velocity(model, q, v, body.name, reference_frame="body") for body in model.bodies])

        self.twists = lw.compile(twists, self.robot, q=(self.robot.nq,), v=(self.robot.nv,))

    def flat(self, q, foot):
        """Return configurations (n, nq) with a sole flat at the world's origin, and heights (n,) before."""
        sole = lw.pose(self.robot, q, f"{SIDES[foot]}_sole")
        base = np.linalg.inv(sole) @ lw.pose(self.robot, q, self.robot.bodies[0].name)
        placed = np.concatenate([base[:, :3, 3], lw.rotation.to_quaternion(base[:, :3, :3]), q[:, 7:]], axis=1)
        return placed, np.abs(sole[:, 2, 3])

    def jump(self, q, v, foot):
        """Return velocities after the plastic impact that connects a foot, by assembly."""
        return lw.plastic_impact(self.connected[foot], q, np.zeros_like(v), self.twists(q, v))[0]

    def step(self, q, v, tau, h, solver=None):
        """Return velocities after a time step of rigid contact with constant efforts."""
        found = lw.rollout(
            *(self.run.grounded, q, v, 1, h, partial(constant, tau=tau)),
            actuation=lw.Actuation(each=["tau"]),
            method=lw.Integrator(solver=solver or self.SOLVER),
        )
        return found.v[-1]

    def rigid(self, q, v, tau):
        """Return accelerations with rigid contact."""

        def difference(h):
            ahead, shown = lw.integrate(self.robot, q, h * v), v.copy()
            R, turned = (lw.pose(self.robot, x, self.robot.bodies[0].name)[:, :3, :3] for x in (q, ahead))
            shown[:, :3] = np.einsum(
                "nji,njk,nk->ni", turned, R, v[:, :3]
            )  # the same velocity, in axes of the moved base
            return (self.step(ahead, shown, tau, h) - shown) / h

        return 2.0 * difference(self.H) - difference(2.0 * self.H)

    def compared(self, feet=(0, 1)):
        """Return rows (kind of state, number, largest relative differences (n,)), and states for :meth:`costs`."""
        q, v, tau, events = self.run.motion.q, self.run.motion.v, self.run.motion.tau, self.run.runner.events
        rows, states = [], {}
        for foot in feet:
            side = SIDES[foot]
            ends = [(a, b) for (a, kind, one), (b, *_) in pairwise(events) if (kind, one) == ("touch-down", foot)]
            down = np.array([a for a, _ in ends])
            before, _ = self.flat(q[down - 1], foot)
            after = self.jump(before, v[down - 1], foot)
            lower = before - 1e-9 * np.eye(self.robot.nq)[2]
            contact = self.step(lower, v[down - 1], np.zeros_like(after), 1e-10)
            off = abs(contact - after).max(axis=1) / abs(after - v[down - 1]).max(axis=1)
            rows.append((f"velocity jumps, {side} touch-down", len(off), off))
            states["jump", foot] = lower, v[down - 1]
            inner = np.array([np.linspace(a, b - 1, 12).round().astype(int) for a, b in ends])
            for what, k in (
                ("touch-down", inner[:, 0]),
                ("ten of a stance", inner[:, 1:-1].ravel()),
                ("before lift-off", inner[:, -1]),
            ):
                x, moved = self.flat(q[k], foot)
                assert moved.max() < 1e-4
                rest = self.jump(x, v[k], foot)
                by_assembly = lw.forward_dynamics(self.connected[foot], x, rest, tau[k], method="assembly")
                lower = x - 1e-7 * np.eye(self.robot.nq)[2]
                rows.append((f"{side} foot, {what}", len(k), differences(by_assembly, self.rigid(lower, rest, tau[k]))))
                if what.startswith("ten"):
                    states["stance", foot] = lower, rest, tau[k]
        ends = [(a, b) for (a, kind, _), (b, *_) in pairwise(events) if kind == "lift-off"]
        inner = np.array([np.linspace(a, b - 1, 12).round().astype(int) for a, b in ends])
        for what, k in (
            ("lift-off", inner[:, 0]),
            ("ten of a flight", inner[:, 1:-1].ravel()),
            ("before touch-down", inner[:, -1]),
        ):
            by_assembly = lw.forward_dynamics(self.cut, q[k], v[k], tau[k], method="assembly")
            rows.append((what, len(k), differences(by_assembly, self.rigid(q[k], v[k], tau[k]))))
        k = inner[:, 1:-1].ravel()
        states["flight", 0] = q[k], v[k], tau[k]
        return rows, states

    def costs(self, states, rows=2048):
        """Return microseconds of process time for each state, in batches."""
        many = {key: [np.resize(x, (rows, x.shape[1])) for x in state] for key, state in states.items()}
        stance, flight, jump = many["stance", 0], many["flight", 0], many["jump", 0]
        usual = lw.Solver()
        twists, still = self.twists(*jump), np.zeros_like(jump[1])
        return {
            "acceleration in stance": (
                used(lambda: lw.forward_dynamics(self.connected[0], *stance, method="assembly"), rows),
                used(lambda: self.step(*stance, STEP, usual), rows),
                used(lambda: self.step(*stance, self.H), rows),
            ),
            "acceleration in flight": (
                used(lambda: lw.forward_dynamics(self.cut, *flight, method="assembly"), rows),
                used(lambda: self.step(*flight, STEP, usual), rows),
                used(lambda: self.step(*flight, self.H), rows),
            ),
            "velocity jump at touch-down": (
                used(lambda: lw.plastic_impact(self.connected[0], jump[0], still, twists), rows),
                used(lambda: self.step(*jump, still, STEP, usual), rows),
                used(lambda: self.step(*jump, still, 1e-10), rows),
            ),
        }


def constant(model, t, q, v, tau):
    return tau


def differences(a, b):
    """Return largest differences of rows relative to the largest entries."""
    return abs(a - b).max(axis=1) / abs(a).max(axis=1)


def used(function, rows):
    function()
    best = np.inf
    for _ in range(5):
        begun = time.process_time()
        function()
        best = min(best, time.process_time() - begun)
    return 1e6 * best / rows


def tables(second):
    """Return the agreement and the costs as Markdown."""
    rows, states = second.compared()
    lines = ["| states | number | largest relative difference |", "|---|---|---|"]
    lines += [f"| {what} | {count} | {off.max():.0e} |" for what, count, off in rows]
    assert max(off.max() for *_, off in rows) < 1e-6
    lines += [
        "",
        "| µs of process time for each state | assembly | step of rigid contact, 1e-6 m/s | to 1e-14 m/s |",
        "|---|---|---|---|",
    ]
    lines += [f"| {what} | {a:.1f} | {b:.1f} | {c:.1f} |" for what, (a, b, c) in second.costs(states).items()]
    return "\n".join(lines)


def clearance(run):
    """Return the smallest distance between bodies that are not neighbors in a stride, m, and their names."""
    a, b = [k for k, event, foot in run.runner.events if event == "touch-down" and foot == 0][-2:]
    whole = run.robot.with_contact()
    found = lw.distances(whole, run.motion.q[a:b:15]).distance.min(axis=0)
    nearest = whole.pairs[found.argmin()]
    return found.min(), [whole.shapes[k].body for k in (nearest.first, nearest.second)]


def film(robot, poses):
    """Return pictures of configurations from the side, of equal scale, without margins."""
    import matplotlib.image

    frames = []
    for q in poses:
        file = io.BytesIO()
        centered = np.concatenate([[0.0, 0.0], q[2:]])
        lw.draw(robot, centered, view="3d", azimuth=-90.0, elevation=4.0, title="").savefig(file, dpi=110)
        file.seek(0)
        frames.append(matplotlib.image.imread(file)[..., :3].copy())
    inked = np.array([frame.max(axis=-1) < 0.4 for frame in frames])
    rows, columns = np.flatnonzero(inked.any(axis=(0, 2))), np.flatnonzero(inked.any(axis=(0, 1)))
    for frame in frames:
        frame[rows[0] - 5 : rows[0] + 20, : (columns[0] + columns[-1]) // 2 - 30] = 1.0  # the axes in the corner
    return [frame[rows[0] - 5 : rows[-1] + 15, columns[0] - 5 : columns[-1] + 5] for frame in frames]


def drawn(run, path):
    """Draw poses, phases, forces, the center of mass and efforts of two strides."""
    from matplotlib.figure import Figure

    motion, weight = run.motion, run.runner.mass * G
    down = [k for k, event, foot in run.runner.events if event == "touch-down" and foot == 0]
    a, b, c = down[-3:]
    t, shown = motion.t[a:c] - motion.t[a], slice(a, c)
    figure = Figure(figsize=(10.0, 9.0), layout="constrained")
    top, bottom = figure.subfigures(2, 1, height_ratios=[1.0, 2.6])
    samples = np.linspace(a, b, 9).round().astype(int)[:-1]
    for panel, k, picture in zip(top.subplots(1, 8), samples, film(run.robot, motion.q[samples]), strict=True):
        panel.imshow(picture)
        panel.set_title(f"{motion.t[k] - motion.t[a]:.2f} s", fontsize=9)
        panel.set_axis_off()
    phases, forces, center, efforts = bottom.subplots(4, 1, sharex=True, height_ratios=[0.5, 1.2, 1.0, 1.2])
    colors = ("#0072B2", "#D55E00")
    for foot, (side, color) in enumerate(zip(SIDES, colors, strict=True)):
        press = run.pressing[shown, foot] / weight
        phases.fill_between(t, 1 - foot + 0.1, 1 - foot + 0.9, where=press > 0.0, color=color, linewidth=0.0)
        forces.plot(t, press, color=color, label=f"{side} foot")
    phases.set_yticks([0.5, 1.5], ["right", "left"])
    phases.set_title("phases: a foot on the ground; between them, flight", fontsize=9, loc="left")
    phases.grid(axis="y", visible=False)
    forces.set(ylabel="vertical force\n(body weights)", ylim=(0.0, 3.5))
    forces.legend(loc="upper right", ncols=2)
    x, h = lw.center_of_mass(run.robot, motion.q[shown]), lw.momentum(run.robot, motion.q[shown], motion.v[shown])
    center.plot(t, 100.0 * x[:, 2], color="#222222", label="height (cm)")
    center.set(ylabel="center of mass:\nheight (cm)")
    speed = center.twinx()
    speed.plot(t, h[:, 0] / run.runner.mass, color="#009E73")
    speed.set_ylabel("forward speed (m/s)", color="#009E73")
    speed.set_ylim(run.runner.desired - 0.3, run.runner.desired + 0.3)
    speed.grid(visible=False)
    for joint in ("hip_pitch", "knee", "ankle_pitch"):
        name = f"left_{joint}_joint"
        limit = next(one for one in run.robot.joints if one.name == name).effort_limit
        words = f"{joint.replace('_', ' ')} (limit {limit[0]:.0f} N m)"
        efforts.plot(t, motion.tau[shown, run.robot.slice(name).v] / limit, label=words)
    efforts.set(ylabel="efforts of the left leg\n(shares of limits)", xlabel="time (s)", ylim=(-1.1, 1.7))
    efforts.legend(loc="upper right", ncols=3)
    for panel in (forces, center, efforts):
        panel.grid(alpha=0.3)
    figure.savefig(path, dpi=100)
    return path


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--short", action="store_true", help="three strides, and no second dynamics")
    options.add_argument("--speed", type=float, default=1.3, help="m/s")
    options.add_argument("--seconds", type=float, default=9.0)
    options.add_argument("--to", type=Path, default=Path("."), metavar="FOLDER")
    options = options.parse_args()
    begun = time.process_time()
    found = run(2.5 if options.short else options.seconds, options.speed)
    print("   time  speed  flight  peak force  effort  velocity")
    print("      s    m/s       %     weights  shares of limits")
    strides = np.array(list(found.strides()))
    for t, speed, flight, peak, effort, velocity in strides:
        print(f"{t:7.2f} {speed:6.2f} {100 * flight:7.1f} {peak:11.2f} {effort:7.2f} {velocity:9.2f}")
    fast = strides[strides[:, 1] >= 1.0]
    mean, least = fast[:, 1].mean(), fast[:, 2].min()
    print(f"{len(fast)} strides of 1 m/s or more, {mean:.2f} m/s on average, with {least:.0%} flight or more")
    print(f"infeasible ticks: {len(found.runner.infeasible)}; {time.process_time() - begun:.1f} s of processor time")
    assert (strides[:, 2] > 0.1).all()
    assert (strides[:, 4:] <= 1.0 + 1e-9).all()
    if options.short:
        assert len(fast)
        return
    assert len(fast) >= 10
    options.to.mkdir(parents=True, exist_ok=True)
    print("wrote", drawn(found, options.to / "running.png"))
    distance, bodies = clearance(found)
    print(f"bodies of the robot do not touch each other: the smallest distance is {1e3 * distance:.0f} mm, of {bodies}")
    assert distance > 0.0
    table = tables(SecondDynamics(found))
    print(table)
    (options.to / "running.md").write_text(table + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
