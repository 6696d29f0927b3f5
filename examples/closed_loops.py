"""Mechanisms with closed loops move for ten seconds: how far energy drifts and the loops come apart."""

from dataclasses import replace

import numpy as np

import linkwright as lw
from linkwright.model.build.assembly import assemble
from linkwright.model.build.description import JointSpec
from linkwright.model.joints.loop import Loop, Weld


def standing() -> tuple[lw.Model, np.ndarray]:
    """The humanoid with bent knees, both feet welded to the ground (a loop through the pelvis), sprung joints."""
    model = lw.load("humanoid")
    q = model.neutral()
    for name, angle in (("hip_pitch", -0.4), ("knee_pitch", 0.8), ("ankle_pitch", -0.4)):
        for side in ("left", "right"):
            q[model.coordinate_names.index(f"{side}_{name}")] = angle
    rest = dict(zip(model.coordinate_names, q, strict=True))
    inertia = dict(zip(model.coordinate_names[1:], np.diag(lw.mass_matrix(model, q)), strict=True))

    def sprung(joint: JointSpec) -> JointSpec:
        if joint.name not in rest:
            return joint
        bears = any(part in joint.name for part in ("hip", "knee", "ankle", "waist"))
        return replace(joint, rest=rest[joint.name], stiffness=1000.0 if bears else 150.0 * inertia[joint.name])

    joints = [sprung(joint) for joint in model.description.joints]
    feet = ("left_foot", "right_foot")
    loops = [Loop(f"{foot}_held", "world", foot, Weld(), lw.pose(model, q, foot)) for foot in feet]
    held = replace(model.description, name="humanoid, feet held", joints=tuple(joints), loops=tuple(loops))
    return assemble(held), q


rng = np.random.default_rng(1)
models = [lw.load(name) for name in ("four_bar", "slider_crank", "four_bars:4", "bricard", "delta", "stewart")]
starts = [(model, model.neutral()) for model in models] + [standing()]
print(
    f"{'':20} {'freedoms':>8} {'redundant':>9} {'steps/s':>9} {'energy drift':>13} {'of exchanged':>13} {'closure':>8}"
)
for model, q in starts:
    free = lw.mobility(model, q)
    push = 0.3 if model.nv > 20 else 1.0
    v = lw.impulse(model, q, push * rng.normal(size=model.nv))[0]
    motion = lw.simulate(model, q, v, 10.0, every=20)
    exchanged = np.ptp(motion.kinetic)
    print(
        f"{model.name:20} {free.degrees_of_freedom:8} {free.redundant:9} {motion.steps_per_second:9,.0f} "
        f"{motion.drift:11.1e} J {motion.drift / exchanged:13.1e} {motion.closure:8.1e}"
    )
    if model.name in ("four_bar", "bricard"):
        motion.animate(f"{model.name}.gif", fps=12.5)
