"""A trapeze act: a flyer lets go of a bar, is caught by another acrobat's hands in the air, and parts from them again.

Both are chains. Hands that hold are loops, which come and go while the acrobats move: where they take hold velocities
change as in a plastic impact, and the lost energy is printed. When it happens is located to rounding. All of it
is one motion, and one animation.
"""

import numpy as np

import linkwright as lw

ROPE, ARM, BODY, HEIGHT, APART = 3.0, 0.7, 1.2, 7.0, 8.1


def arena() -> lw.Model:
    """Two swings; on one hangs a catcher by the knees, the flyer floats. They move in the plane x-y, y is up."""
    made = lw.Builder("trapeze", gravity=(0, -9.81, 0))
    for name, x in (("flyer", 0.0), ("catcher", APART)):
        made.body(f"{name}'s swing", mass=4.0, center_of_mass=(0, -ROPE, 0), inertia=0.3)
        made.joint(f"{name}'s ropes", "revolute", "world", f"{name}'s swing", xyz=(x, 0, 0), damping=2.0)
        made.frame(f"{name}'s bar", f"{name}'s swing", xyz=(0, -ROPE, 0))
    stiffness, damping = 250.0, 60.0

    made.body("flyer's arms", mass=8.0, center_of_mass=(0, -0.5 * ARM, 0), inertia=0.35)
    made.joint("flyer in the air", "planar", "world", "flyer's arms")
    made.body("flyer", mass=50.0, center_of_mass=(0, -0.45 * BODY, 0), inertia=6.0)
    made.joint("flyer's shoulders", "revolute", "flyer's arms", "flyer", xyz=(0, -ARM, 0), damping=damping)
    made.joint_spring("flyer's shoulders", stiffness)
    made.frame("flyer's feet", "flyer", xyz=(0, -BODY, 0))

    made.body("catcher", mass=60.0, center_of_mass=(0, -0.5 * BODY, 0), inertia=7.0)
    made.joint("catcher's knees", "revolute", "catcher's swing", "catcher", xyz=(0, -ROPE, 0), damping=damping)
    made.joint_spring("catcher's knees", stiffness)
    made.body("catcher's arms", mass=9.0, center_of_mass=(0, -0.5 * ARM, 0), inertia=0.4)
    made.joint("catcher's shoulders", "revolute", "catcher", "catcher's arms", xyz=(0, -BODY, 0), damping=damping)
    made.joint_spring("catcher's shoulders", stiffness)
    made.frame("catcher's hands", "catcher's arms", xyz=(0, -ARM, 0))
    return made.build()


def at(model: lw.Model, name: str) -> slice:
    """Where the coordinates of a joint stand."""
    return model.slice(name).q


def rising(model, t, q, v):
    """Above zero when the flyer's swing is high enough on the other side."""
    return q[at(model, "flyer's ropes")][0] - 0.72


def between_hands(model, t, q, v):
    """How far the hands are apart, m, less the reach of a grip."""
    gap = lw.pose(model, q, "flyer's arms")[:3, 3] - lw.pose(model, q, "catcher's hands")[:3, 3]
    return lw.norm(gap) - 0.12


def swung_back(model, t, q, v):
    """Above zero when the catcher's swing comes to the middle again, on its way back."""
    return q[at(model, "catcher's ropes")][0] - 0.25


def low(model, t, q, v):
    """The flyer's feet above the net, m."""
    return lw.pose(model, q, "flyer's feet")[1, 3] + HEIGHT - 0.3


def let_go(model, t, q, v):
    """The hands leave the bar."""
    return lw.structure.remove_loop(model, q, v, "grip on the bar")


def catch(model, t, q, v):
    """Hands take hold of hands, as they are."""
    return lw.structure.add_loop(model, q, v, "hand in hand", ("mask", "x y"), "catcher's hands", "flyer's arms")


def part(model, t, q, v):
    """They let go of each other, where they hold."""
    held = [loop.name for loop in model.loops]
    return lw.structure.remove_loop(model, q, v, "hand in hand") if "hand in hand" in held else None


free = arena()
q = free.neutral()
swing, phase = -1.15, 0.9
q[at(free, "flyer's ropes")] = swing
q[at(free, "catcher's ropes")] = phase
bar = lw.pose(free, q, "flyer's bar")
q[at(free, "flyer in the air")] = bar[0, 3], bar[1, 3], swing
start = lw.structure.add_loop(
    free, q, np.zeros(free.nv), "grip on the bar", ("mask", "x y"), "flyer's bar", "flyer's arms"
)

motion = lw.simulate(
    start.model,
    start.q,
    start.v,
    6.0,
    2e-3,
    events=[
        lw.Event(rising, let_go, "up", "lets go", once=True),
        lw.Event(between_hands, catch, "down", "is caught", once=True),
        lw.Event(swung_back, part, "up", "parts"),
        lw.Event(low, "stop", "down", "lands in the net"),
    ],
)
for event in motion.events:
    print(f"t = {event.t:.6f} s: {event.name}, {event.lost:.1f} J lost")
print(f"loops held to {motion.closure:.1e} m, in {len(motion.parts)} mechanisms")
motion.animate("trapeze.gif", fps=20.0, trace="flyer")
