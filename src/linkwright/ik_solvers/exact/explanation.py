"""Explanation of a solver as text."""

from __future__ import annotations

import numpy as np

from linkwright.ik_solvers.exact.chain import Arm, Chain
from linkwright.ik_solvers.exact.decompositions import Decomposition
from linkwright.ik_solvers.exact.formulas.general import RaghavanRothElimination
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array


def explanation(
    model: Model, frame: str, arm: Arm, plan: Decomposition | RaghavanRothElimination, branches: int
) -> str:
    """The derivation in words: what was recognized, the arm's numbers, the formulas."""
    way = plan if isinstance(plan, Decomposition) else plan.way
    told = plan.family if isinstance(plan, Decomposition) else plan
    chain = way.chain
    lines = [
        f"Exact inverse kinematics of {frame!r} of {model.name!r}: {told.name}, up to {branches} answers.",
        "",
        "At q = 0, in world axes (m):",
    ]
    for i, name in enumerate(arm.joints):
        kind = "slides along" if chain.slides[i] else "turns about"
        lines.append(
            f"  {i + 1}  {name} {kind} h{i + 1} = {_told(chain.axes[i])} through c{i + 1} = {_told(chain.points[i])}"
        )
    lines += [
        f"  the hand is at {_told(arm.hand.p)}",
        "",
        "E_i turns by θ_i about h_i through c_i; E1 … E"
        + str(len(chain))
        + " = G takes the hand from there to the target.",
        *(f"Recognized: {noted}." for noted in way.noted),
    ]
    order = list(range(len(chain)))
    if way.held is not None:
        k = way.held + 1
        behind = 2 * way.held + 1 >= len(chain)
        how = f"behind it move with it, G becomes G E{k}⁻¹" if behind else f"before it against it, G becomes E{k}⁻¹ G"
        lines.append(f"Joint {k} ({arm.joints[way.held]}) is given: the axes {how}.")
        del order[way.held]
    if way.mirrored:
        lines.append("The arm is taken from the hand to the base: axes −h in the order reversed, G⁻¹ for G.")
        order = order[::-1]
    if way.opened:
        lines.append(
            f"The ring that the arm closes with its target is opened before joint {order[way.opened] + 1}: the joints "
            "before it follow behind the last, their axes moved by G⁻¹."
        )
        order = order[way.opened :] + order[: way.opened]
    if order != list(range(len(chain))):
        lines.append("Its joints 1, 2, … below are the arm's " + ", ".join(str(i + 1) for i in order) + ".")
    lines.append("")
    seen = [chain.slides[i] for i in order]
    formulas = told.formulas
    if isinstance(plan, Decomposition):
        formulas = plan.family.told(Chain(chain.axes[: len(order)], chain.points[: len(order)], tuple(seen)))
    lines += ["  " + line for line in formulas]
    form = {
        "first": "In subproblem 6 one equation has the first angle alone: two turns, then two of the other for each.",
        "second": "In subproblem 6 one equation has the second angle alone: two turns, then two of the other for each.",
        "quartic": "Subproblem 6 is a quartic: two lines through the points sought, each meets the unit circle twice.",
    }.get(way.family.form if isinstance(plan, Decomposition) else "")
    return "\n".join([*lines, *([form] if form else [])])


def _told(v: Array) -> str:
    return "(" + ", ".join(f"{x:.6g}" for x in np.asarray(v, dtype=float) + 0.0) + ")"
