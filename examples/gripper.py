"""A gripper closes on a box, lifts it, carries it and sets it down.

The box stands on the ground by smooth contact of shapes. The fingers' touch is an event: from there on the fingers are
locked and the box is held in the hand, a plastic impact, as another mechanism whose state is carried over. When the
hand opens they are set free again.
"""

import numpy as np

import linkwright as lw

SIDE, FINGER = 0.1, 0.02


def cell() -> lw.Model:
    """A carriage along x, a hand along z with two fingers along y, and a box that stands on the ground."""
    made = lw.Builder("gripper")
    seen = dict(use="visual")
    made.body("carriage", mass=3.0, inertia=0.02).joint(
        "along", "prismatic", "world", "carriage", xyz=(0, 0, 0.8), axis=(1, 0, 0)
    )
    made.shape("carriage", "box", size=(0.12, 0.16, 0.06), **seen)
    made.body("hand", mass=1.5, inertia=0.01).joint("lift", "prismatic", "carriage", "hand", axis=(0, 0, 1))
    made.shape("hand", "box", size=(0.05, 0.3, 0.03), **seen)
    for name, sign in (("left", 1.0), ("right", -1.0)):
        made.body(f"{name} finger", mass=0.2, inertia=0.001)
        made.joint(f"{name}", "prismatic", "hand", f"{name} finger", axis=(0, sign, 0))
        made.shape(f"{name} finger", "box", size=(0.03, FINGER, 0.14), xyz=(0, 0, -0.07), **seen)
    made.body("box", mass=1.0, inertia=[SIDE**2 / 6.0] * 3).joint("box free", "free", "world", "box")
    made.shape("box", "box", size=(SIDE, SIDE, SIDE), contact=lw.ContactProperties(friction=0.6))
    return made.build().with_ground()


def ramp(t, begin, end):
    """From 0 to 1 between two times, smoothly."""
    x = lw.clip((t - begin) / (end - begin), 0.0, 1.0)
    return x * x * (3.0 - 2.0 * x)


def law(model, t, q, v):
    """Every joint is drawn to where it should be by now; what is locked has no effort."""
    opening = 0.12 - 0.08 * ramp(t, 0.6, 1.2) + 0.08 * ramp(t, 4.0, 4.6)
    wanted = {
        "along": 0.5 * ramp(t, 2.2, 3.2),
        "lift": -0.65 * ramp(t, 0.0, 0.6)
        + 0.35 * ramp(t, 1.3, 2.1)
        - 0.35 * ramp(t, 3.2, 4.0)
        + 0.4 * ramp(t, 4.6, 5.2),
        "left": opening,
        "right": opening,
    }
    gains = {"along": (3000.0, 250.0), "lift": (6000.0, 350.0), "left": (200.0, 20.0), "right": (200.0, 20.0)}
    efforts = []
    for joint in model.joints:
        own = model.slice(joint.name)
        if joint.name not in wanted:
            efforts.append(np.zeros(joint.nv))
            continue
        stiffness, damping = gains[joint.name]
        weight = 9.81 * 1.9 if joint.name == "lift" else 0.0
        efforts.append(stiffness * (wanted[joint.name] - q[own.q]) - damping * v[own.v] + weight)
    return np.concatenate(efforts)


def room(model, t, q, v):
    """How far the left finger's inner side is from the box, m."""
    finger, box = (lw.pose(model, q, name)[1, 3] for name in ("left finger", "box"))
    return finger - box - 0.5 * (SIDE + FINGER)


def grip(model, t, q, v):
    """The fingers hold still from now on, and hold the box."""
    still = lw.structure.lock_joints(model, q, v, ["left", "right"])
    return lw.structure.grasp(still.model, still.q, still.v, "hand", "box")


def time_to_open(model, t, q, v):
    """Above zero from the moment on at which the hand opens."""
    return t - 4.0


free = cell()


def release(model, t, q, v):
    """The box stands for itself again, and the fingers move."""
    apart = lw.structure.remove_loop(model, q, v, "grasp")
    return lw.structure.unlock_joints(apart.model, apart.q, apart.v, free)


q = free.neutral()
q[free.slice("left").q] = q[free.slice("right").q] = 0.12
q[free.slice("box free").q][2] = 0.5 * SIDE
motion = lw.simulate(
    free,
    q,
    np.zeros(free.nv),
    5.4,
    1e-3,
    controller=law,
    events=[
        lw.Event(room, grip, "down", "grips", once=True),
        lw.Event(time_to_open, release, "up", "lets go", once=True),
    ],
    method="rk4",
)
for event in motion.events:
    print(f"t = {event.t:.6f} s: {event.name}, {max(0.0, event.lost):.2e} J lost")
box = motion.q[:, free.slice("box free").q]
print(f"the box was lifted by {np.max(box[:, 2]) - 0.5 * SIDE:.3f} m and carried {box[-1, 0]:.4f} m")
motion.animate("gripper.gif", fps=20.0, azimuth=-60.0)
