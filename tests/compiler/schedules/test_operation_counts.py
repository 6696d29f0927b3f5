"""How many operations the compiled algorithms take; what makes a count grow fails here."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import linkwright as lw
from linkwright import dynamics
from linkwright.compiler.front.bind import bind
from linkwright.compiler.front.trace import trace
from linkwright.dynamics.forward import cheapest_method
from linkwright.model.build.assembly import assemble
from linkwright.model.library.built_in import built_in
from linkwright.model.tree import Model
from mechanisms import body, relative_error


def general(name: str) -> Model:
    """The geometry of a built-in mechanism with ten general parameters in every body and no rotors."""
    rng = np.random.default_rng(0)
    description = built_in(name).description
    bodies = tuple(body(spec.name, rng) for spec in description.bodies)
    return assemble(
        replace(description, bodies=bodies, joints=tuple(replace(j, armature=0.0) for j in description.joints))
    )


GENERATED = {
    "puma560": {"inverse_dynamics": (310, 280), "mass_matrix": (296, 248), "gravity_forces": (57, 40)},
    "arm7": {"inverse_dynamics": (353, 316), "mass_matrix": (502, 400), "gravity_forces": (71, 54)},
}
"""Multiplications, additions of the best symbolic generator, with modified DH and base parameters."""

BY_HAND = {"puma560": (299, 240), "arm7": (347, 276)}
"""Inverse dynamics after Khalil & Dombre (2002), ch. 9, with the base parameters."""

GENERAL = {
    "puma560": {
        "inverse_dynamics": (259, 240),
        "bias_forces": (250, 219),
        "gravity_forces": (50, 28),
        "mass_matrix": (173, 147),
        "forward_dynamics": (517, 445),
        "coriolis_matrix": (1142, 978),
    },
    "arm7": {
        "inverse_dynamics": (287, 269),
        "bias_forces": (280, 251),
        "gravity_forces": (64, 38),
        "mass_matrix": (180, 139),
        "forward_dynamics": (596, 505),
        "coriolis_matrix": (1165, 975),
    },
}
"""Multiplications and additions of Linkwright for equally general inertias."""

BUILT_IN = {
    "two_link": {
        "inverse_dynamics": (14, 10),
        "bias_forces": (10, 5),
        "gravity_forces": (6, 2),
        "mass_matrix": (1, 3),
        "forward_dynamics": (17, 13),
        "coriolis_matrix": (8, 6),
    },
    "puma560": {
        "inverse_dynamics": (190, 162),
        "bias_forces": (175, 135),
        "gravity_forces": (28, 12),
        "mass_matrix": (113, 90),
        "forward_dynamics": (361, 298),
        "coriolis_matrix": (746, 566),
    },
    "arm7": {
        "inverse_dynamics": (221, 196),
        "bias_forces": (214, 178),
        "gravity_forces": (42, 22),
        "mass_matrix": (133, 95),
        "forward_dynamics": (472, 384),
        "coriolis_matrix": (832, 633),
    },
    "quadruped": {
        "inverse_dynamics": (531, 445),
        "bias_forces": (495, 380),
        "gravity_forces": (116, 65),
        "mass_matrix": (344, 280),
        "forward_dynamics": (1553, 1289),
        "coriolis_matrix": (2732, 2174),
    },
    "humanoid": {
        "inverse_dynamics": (1065, 859),
        "bias_forces": (1047, 797),
        "gravity_forces": (261, 141),
        "mass_matrix": (1426, 922),
        "forward_dynamics": (4718, 3551),
        "coriolis_matrix": (8181, 5786),
    },
}
"""With the inertias they have, many of them zero."""


def count(model: Model, algorithm: str) -> tuple[int, int]:
    operations = trace(bind(getattr(dynamics, algorithm), model, {})).operations
    return operations.multiplications, operations.additions


def grown(model: Model, bounds: dict[str, tuple[int, int]]) -> dict[str, tuple[tuple[int, int], tuple[int, int]]]:
    """The counts that exceed their bounds, beside them."""
    counts = {algorithm: count(model, algorithm) for algorithm in bounds}
    return {
        algorithm: (ours, bounds[algorithm])
        for algorithm, ours in counts.items()
        if any(n > most for n, most in zip(ours, bounds[algorithm], strict=True))
    }


@pytest.mark.parametrize("name", GENERAL)
def test_general_inertias(name):
    assert grown(general(name), GENERAL[name]) == {}


@pytest.mark.parametrize("name", BUILT_IN)
def test_built_in(name):
    assert grown(built_in(name), BUILT_IN[name]) == {}


@pytest.mark.parametrize("name", GENERATED)
def test_fewer_than_the_best_generator(name):
    assert grown(general(name), GENERATED[name]) == {}


@pytest.mark.parametrize("name", BY_HAND)
def test_fewer_than_by_hand(name):
    assert grown(general(name), {"inverse_dynamics": BY_HAND[name]}) == {}


@pytest.mark.parametrize(
    "name",
    ["two_link", "puma560", "quadruped", "planar:8", "planar:16", "chain3d:2", "four_bar", "bricard", "four_bars:4"],
)
def test_forward_dynamics_takes_the_shorter_method(name):
    model = built_in(name)
    counts = {
        method: trace(bind(dynamics.forward_dynamics, model, {"method": method})).operations.total
        for method in (None, "articulated", "composite")
    }
    assert counts[None] == min(counts.values())
    assert counts[None] == counts[cheapest_method(model)]
    assert trace(bind(dynamics.forward_dynamics, model, {})).operations.total == counts[None]


def test_whatever_asks_for_forward_dynamics_takes_the_shorter_method():
    def accelerations(model, q, v, tau):
        return lw.forward_dynamics(model, q, v, tau)

    arm, open_bars = built_in("arm7"), replace(built_in("four_bars:4"), loops=())
    shorter = count(arm, "forward_dynamics")
    assert (
        shorter == lw.compile(accelerations, arm).operations[:2] == lw.compile(lw.forward_dynamics, arm).operations[:2]
    )
    assert cheapest_method(built_in("four_bars:4"), loops="ignore") == cheapest_method(open_bars)
    q, v, tau = lw.symbols("q v tau", (7, 7, 7))
    assert len({id(x) for x in lw.forward_dynamics(arm, q, v, tau)}) == 7
    x = np.random.default_rng(0).standard_normal((3, 7))
    expected = lw.forward_dynamics(arm, *x, method="articulated")
    looped = lw.compile(lw.forward_dynamics, arm, unroll=False)  # by sweeps, which the composite method is not
    for found in (lw.forward_dynamics(arm, *x), dynamics.forward_dynamics(arm, *x), looped(*x)):
        assert relative_error(found, expected) < 1e-9
