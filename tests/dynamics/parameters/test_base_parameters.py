"""Base parameters: as few combinations of inertial parameters as determine every motion, and no fewer."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import linkwright as lw
from linkwright.dynamics import regressor
from linkwright.errors import LinkwrightError
from linkwright.model.joints.joint import JOINT_TYPES
from mechanisms import one_of_each, random_tree, relative_error, state, trees

seeds = st.integers(0, 1000)


def stacked(model, armature=False, rows=None):
    """The efforts' regressor at random states, one below the other."""
    p = len(lw.parameter_names(model, armature=armature))
    n = rows or 3 * p // model.nv + 5
    rng = np.random.default_rng(1)
    unlimited = lw.integrate(model, model.neutral(), 2.0 * rng.normal(size=(n, model.nv)))
    Y = lw.regressor(model, unlimited, *rng.normal(size=(2, n, model.nv)), armature=armature)
    return Y.reshape(-1, p)


def rank(A, singular=1e-8):
    """Of columns in units of their own, those of rounding alone left out."""
    size = np.linalg.norm(A, axis=0)
    A = A[:, size > 1e-12 * size.max()] / size[size > 1e-12 * size.max()]
    sizes = np.linalg.svd(A, compute_uv=False)
    counted = int((sizes > singular * sizes[0]).sum())
    assert counted == len(sizes) or sizes[counted] < 1e-13 * sizes[0], "the gap is wide"
    return counted


@settings(deadline=None, max_examples=30)
@given(trees(), seeds, st.booleans())
def test_they_determine_all_efforts(model, seed, armature):
    with warnings.catch_warnings(record=True) as caught:  # of axes that are nearly parallel
        warnings.simplefilter("always")
        base = lw.base_parameters(model, armature=armature)
    assume(not caught)
    q, v, a = state(model, seed)
    Y = regressor(model, q, v, a, armature=armature)
    pi = np.random.default_rng(seed).normal(size=Y.shape[1])
    assert relative_error(Y[:, base.index] @ base.of(pi), Y @ pi) < 1e-10
    assert relative_error(base.matrix @ pi, base.of(pi)) < 1e-12
    assert np.array_equal(base.matrix[:, base.index], np.eye(base.rank))


@pytest.mark.variants("seed", "mimics", "armature")
@pytest.mark.parametrize("armature", [False, True])
@pytest.mark.parametrize("mimics", [False, True])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_they_are_as_many_as_the_rank_of_what_motions_show(seed, mimics, armature):
    model = one_of_each(seed, mimics=mimics, springs=armature)
    assert lw.base_parameters(model, armature=armature).rank == rank(stacked(model, armature))


@pytest.mark.parametrize("kind", JOINT_TYPES)
def test_near_the_ground_too(kind):
    """Where rotors and bodies may do the same: two of a kind, the first on the ground."""
    model = random_tree([kind, kind], seed=3, springs=False)
    for armature in (False, True):
        assert lw.base_parameters(model, armature=armature).rank == rank(stacked(model, armature))


@pytest.mark.parametrize(
    ("name", "expected", "with_armature"),
    [("puma560", 36, 40), ("arm7", 43, 48), ("planar:5", 15, 19), ("quadruped", 94, 108), ("arm4", 22, 24)],
)
def test_known_numbers(name, expected, with_armature):
    model = lw.load(name)
    assert lw.base_parameters(model).rank == expected == rank(stacked(model))
    assert lw.base_parameters(model, armature=True).rank == with_armature == rank(stacked(model, True))


@pytest.mark.parametrize("n", [1, 2, 3, 6, 9])
def test_revolutes_in_general_position_on_an_upright_first(n):
    """10 n − 3 (n − 1) − 9: each joint passes three to its parent, and the first body shows one."""
    rng, builder = np.random.default_rng(n), lw.Builder("chain")
    for k in range(n):
        placed = dict(xyz=rng.normal(size=3), rpy=rng.normal(size=3)) if k else {}
        builder.body(f"b{k}", mass=1.0).joint(f"j{k}", "revolute", f"b{k - 1}" if k else "world", f"b{k}", **placed)
    model = builder.build()
    assert lw.base_parameters(model).rank == 10 * n - 3 * (n - 1) - 9 == rank(stacked(model))


def test_of_any_size():
    """A free body shows ten, every revolute seven more; of links in a plane each shows three."""
    assert lw.base_parameters(lw.load("chain3d:1000")).rank == 10 + 7 * 999
    assert lw.base_parameters(lw.load("planar:200")).rank == 600


def test_energy_shows_as_many_and_momentum_alone_fewer():
    for name, by_energy, by_momentum in (("arm7", 43, 39), ("puma560", 36, 34)):
        model = lw.load(name)
        rng = np.random.default_rng(0)
        q, v = model.random(800, seed=1), rng.normal(size=(800, model.nv))
        energy = lw.energy_regressor(model, q, v)
        assert rank(energy[1:] - energy[0]) == by_energy
        assert rank(lw.momentum_regressor(model, q, v).reshape(-1, energy.shape[1])) == by_momentum


def test_without_weight_fewer_show():
    model = lw.load("arm7").with_gravity((0.0, 0.0, 0.0))
    base = lw.base_parameters(model)
    assert base.rank == rank(stacked(model)) < 43


def test_the_exact_ones_are_as_many():
    """`equations` finds them as polynomials."""
    for name in ("two_link", "puma560"):
        model = lw.load(name)
        named = lw.equations(model, {"inertial": "all"}, base_parameters=True).parameters
        of_bodies = [x for x in named if x[0] in "mI" and not x.startswith(("mu", "Ia"))]
        assert len(of_bodies) == lw.base_parameters(model).rank


def test_lengths_of_any_size():
    """A mechanism of millimeters and one of kilometers have as many as that of meters."""
    for size in (1.0, 1e-3, 1e3):
        rng, builder = np.random.default_rng(0), lw.Builder("scaled")
        for k, kind in enumerate(("revolute", "prismatic", "helical", "revolute", "spherical")):
            type = ("helical", 0.1 * size) if kind == "helical" else kind
            xyz, rpy = size * rng.normal(size=3), rng.normal(size=3)
            builder.body(f"b{k}", mass=1.0)
            builder.joint(f"j{k}", type, f"b{k - 1}" if k else "world", f"b{k}", xyz=xyz, rpy=rpy)
        model = builder.build()
        found = lw.base_parameters(model, armature=True)
        assert found.rank == 37
        assert found.certainty > 1e-4
        if size == 1.0:
            assert found.rank == rank(stacked(model, True))


def test_friction_is_its_own():
    arm = lw.load("arm7")
    base = lw.base_parameters(arm, armature=True, friction=True)
    assert base.rank == 48 + 14
    assert base.names[-1] == f"{arm.joints[-1].name}.friction"


def test_printed():
    base = lw.base_parameters(lw.load("two_link"))
    assert str(base) == (
        "6 base parameters of 'two_link', of 20 parameters\n"
        "  link1.mcxR = link1.mcx + link2.m\n"
        "  link1.mcy\n"
        "  link1.IzzR = link1.Izz + link2.m\n"
        "  link2.mcx\n"
        "  link2.mcy\n"
        "  link2.Izz"
    )
    assert base.names == ("link1.mcxR", "link1.mcy", "link1.IzzR", "link2.mcx", "link2.mcy", "link2.Izz")
    assert "link1.m" in base.unseen
    assert "link2.m" not in base.unseen
    with pytest.raises(LinkwrightError, match=r"expected parameters \(…, 20\) of 'two_link'; got \(3,\)"):
        base.of(np.zeros(3))


def test_doubt_is_reported():
    """Axes that are parallel but for 1e-6 rad, as of a file with few digits: its angles made right there is none."""
    builder = lw.Builder("nearly")
    for k in range(3):
        builder.body(f"b{k}", mass=1.0)
        builder.joint(f"j{k}", "revolute", f"b{k - 1}" if k else "world", f"b{k}", xyz=[1, 0, 0], rpy=[k * 1e-6, 0, 0])
    model = builder.build()
    with pytest.warns(lw.errors.LinkwrightWarning, match="not certain"):
        lw.base_parameters(model)
    base = lw.base_parameters(model.snapped())
    assert (base.rank, base.certainty > 1e-3) == (7, True)


def test_what_holds_symbols_is_refused():
    m = lw.symbols("m", 1)
    model = lw.Builder("symbolic").body("a", mass=m[0]).joint("j", "revolute", "world", "a").build()
    with pytest.raises(LinkwrightError, match="base_parameters needs numbers"):
        lw.base_parameters(model)
