"""The published numbers, and those that were known before, typed here once more: exhibits are held to them."""

from __future__ import annotations

import numpy as np
import pytest

import linkwright as lw
from linkwright_gallery import articulated_bodies, composite_bodies, jacobian_rate, momentum_jacobians, published
from linkwright_gallery.tutorial import hand, motion
from linkwright_gallery.tutorial.coordinates import exponential, rodrigues, rotate_x, rotate_y, rotate_z

R_Z_60 = [[0.5, -0.86603, 0.0], [0.86603, 0.5, 0.0], [0.0, 0.0, 1.0]]

GIVEN = {
    # S0: by hand
    ("S0.1", "composite"): (6, [[2.566025, 0.783013], [0.783013, 0.35]]),
    ("S0.1", "unit vector"): (6, [[2.566025, 0.783013], [0.783013, 0.35]]),
    ("S0.1", "jacobian"): (6, [[2.566025, 0.783013], [0.783013, 0.35]]),
    ("S0.3", "off with the sign as printed"): (4, 0.4665),
    # S1: figures and experiments
    ("S1.1", "step 1"): (0, [1, 3, 5, 7]),
    ("S1.1", "step 2"): (0, [2, 6]),
    ("S1.1", "step 3"): (0, [4]),
    ("S1.2", "links of the blocks"): (0, [4, 4]),
    ("S1.4", "blocks of the models"): (0, [0, 1, 2, 3, 4]),
    ("S1.4", "degrees of freedom"): (0, [6, 8, 11, 14, 17]),
    # S2
    ("S2.1", "p_G"): (6, [0.774519, 0.591506, 0.0]),
    ("S2.1", "Ĩ about z"): (6, 0.666506),
    ("S2.1", "m_1"): (6, [-1.183013, 1.549038, 0.0]),
    ("S2.1", "m_2"): (6, [-0.433013, 0.25, 0.0]),
    ("S2.1", "h_1 and h_2"): (6, [2.566025, 0.783013]),
    ("S2.1", "H_θ̇, row z"): (6, [0.666506, 0.333253]),
    ("S2.1", "P at the rates"): (6, [-2.049038, 2.049038, 0.0]),
    ("S2.1", "L_z about the origin"): (6, 4.132051),
    ("S2.1", "L_z about the center"): (6, 1.333013),
    ("S2.1", "a slide along x"): (6, [2.0, 0.0, 0.0]),
    # S3
    ("S3.2", "expm"): (5, R_Z_60),
    ("S3.2", "π/3: Rodrigues"): (5, R_Z_60),
    ("S3.2", "RotateZ"): (5, R_Z_60),
    ("S3.3", "(x, y, z, α)"): (6, [0.924465, 0.390857, 0.522820, 0.1]),
    ("S3.3", "the other elbow"): (6, [0.4, -0.106115, 0.8, -0.593885]),
    ("S3.9", "θ̈ at the start"): (4, [-11.9116, 19.6485]),
    ("S3.9", "θ̇2 after 1 s"): (6, [-2.304586, -0.956472, -5.947749, 7.263340]),
    ("S3.9", "θ̇2 after 3 s"): (6, [-1.135019, 8.504487, 6.069602, 0.941026]),
    ("S3.9", "energy at the start"): (6, 11.593524),
    ("S3.9", "after 1 s, the Python as printed"): (4, [-8.2278, 5.1471]),
    ("S3.9", "after 3 s, the Python as printed"): (4, [-46.3022, 5.4828]),
    ("S3.9", "energy after 1 s"): (1, 163.7),
    ("S3.11", "M11 at θ2"): (1, [2.7, 0.7]),
    # S4
    ("S4.3", "n = 6: products for p_E,n"): (0, 10),
    ("S4.3", "n = 6: for all"): (0, 30),
    ("S4.3", "n = 6: reused"): (0, 10),
}


@pytest.mark.parametrize(("number", "what"), GIVEN)
def test_an_exhibit_gives_the_number_and_we_get_it(number, what, run):
    digits, value = GIVEN[number, what]
    one = next(one for one in run(number).findings if what in one.what)
    assert one.digits == digits
    assert np.array_equal(one.given, value)
    assert np.shape(one.ours) == np.shape(value)
    assert np.abs(np.subtract(one.ours, value)).max() <= 0.5 * 10.0**-digits * (1 + 1e-6)


def test_statics_with_letters(run):
    given = {one.what: one.given for one in run("S3.5").findings}
    assert given["Jᵀ with letters"] == "[-L2, L1 - L3, 1; -L2, -L3, 1; 0, -L3, 1]"
    assert given["τ for f_y, per unit"] == "L1 - L3, -L3, -L3"


def test_published_ratios_are_beside_ours(run):
    given = {
        one.what: one.given for number in ("S1.3", "S1.4") for one in run(number).findings if one.origin == "measured"
    }
    assert {value for what, value in given.items() if ": time" in what} == {0.5, 0.6, 1.2, 0.66}
    ours = [one.ours for one in run("S1.3").findings if ": time" in one.what]
    assert all(0.0 < low <= high < np.inf for low, high in ours)


def test_the_share_of_joints_within_blocks_is_that_of_the_survey(run):
    shares = [round(one.ours) for one in run("S1.5").findings if one.what.startswith("joints within")]
    assert shares == [48, 71, 76, 80]


def test_errata_by_how_much():
    H = lw.mass_matrix(lw.load("two_link"), composite_bodies.POSTURE)
    wrong = composite_bodies.h11(composite_bodies.merged(lw.load("two_link"), composite_bodies.POSTURE, 0, 1.0))
    assert abs(H[0, 0] - wrong - 0.4665) < 5e-5
    printed = momentum_jacobians.columns(momentum_jacobians.slide(), np.zeros(1), as_printed=True)
    assert not printed[1].any()
    assert np.allclose(momentum_jacobians.columns(momentum_jacobians.slide(), np.zeros(1))[1].ravel(), [0, 0, -1])
    assert np.allclose(motion.printed_rate((*motion.START, 0.0, 0.0))[2:], [-18.6428, 6.7312], atol=5e-5)
    robot = jacobian_rate.random_arm()
    q, v = jacobian_rate.state(robot)
    differences = jacobian_rate.by_differences(lambda x: lw.jacobian(robot, x, "tool"), q, v)
    assert np.abs(jacobian_rate.rate(robot, q, v) - differences).max() < 1e-8
    assert np.abs(jacobian_rate.rate(robot, q, v, as_printed=True) - differences).max() > 0.5


class TestReadingBook:
    """The formulas of the sources, as the modules have them, on other cases than they show."""

    @pytest.mark.parametrize("name", ["puma560", "chain3d:3", "humanoid"])
    def test_inertia_by_definition(self, name):
        model = lw.load(name)
        q = model.random(seed=4)
        armature = np.diag(np.concatenate([joint.armature * np.ones(joint.nv) for joint in model.joints]))
        assert np.allclose(composite_bodies.by_definition(model, q) + armature, lw.mass_matrix(model, q), atol=1e-10)

    def test_composites_of_a_branching_tree(self):
        q = np.random.default_rng(5).normal(size=6)
        for k in range(6):
            composite = composite_bodies.merged(composite_bodies.tree(), q, k)
            alone = lw.composite_inertia(composite_bodies.tree(), q, f"link{k + 1}")
            assert np.isclose(composite[0], alone[0])
            assert np.isclose(composite[2][2, 2], alone[2][2, 2])

    def test_geometry_finds_all_answers_back(self):
        rng = np.random.default_rng(6)
        for _ in range(200):
            place = hand.forward(rng.uniform(-2.0, 2.0, 4))
            ways = [hand.inverse(place, elbow, back) for elbow in (-1.0, 1.0) for back in (False, True)]
            reached = [one for one in ways if np.isfinite(one).all()]
            assert reached
            assert all(np.allclose(hand.forward(one)[:3], place[:3], atol=1e-9) for one in reached)
        assert np.isnan(hand.inverse(np.array([3.0, 0.0, 0.0, 0.5]), 1.0)).all()

    def test_jacobian_of_the_plane_arm_is_the_slope_of_its_place(self):
        q = np.array([0.4, -1.0, 2.0])
        slopes = [(hand.place_of(q + e) - hand.place_of(q - e)) / 2e-6 for e in 1e-6 * np.eye(3)]
        assert np.allclose(hand.jacobian_of(q), np.transpose(slopes), atol=1e-8)

    def test_turns(self):
        rng = np.random.default_rng(7)
        for _ in range(20):
            a = rng.normal(size=3)
            a /= np.linalg.norm(a)
            t = rng.uniform(-3.0, 3.0)
            R = lw.rotation.about(a, t)
            assert np.allclose(rodrigues(a, t), R)
            assert np.allclose(exponential(lw.rotation.skew(a * t)), R)
        for axis, made in zip("xyz", (rotate_x, rotate_y, rotate_z), strict=True):
            assert np.allclose(made(0.7), lw.rotation.about(axis, 0.7))

    @pytest.mark.parametrize("types", ["RRRRRR", "RPRRPR", "PRR"])
    def test_rates_of_columns(self, types):
        robot = jacobian_rate.random_arm(len(types), types)
        q, v = jacobian_rate.state(robot)
        ours = lw.jacobian_dot(robot, q, v, "tool")
        assert np.allclose(jacobian_rate.rate_of_columns(robot, q, v), ours)
        assert np.allclose(jacobian_rate.basic_jacobian(robot, q), lw.jacobian(robot, q, "tool"))

    @pytest.mark.parametrize("model", [published.serial(5), published.branched(9)], ids=["serial", "branched"])
    def test_listings_give_what_the_library_gives(self, model):
        q, v = np.random.default_rng(8).normal(size=(2, model.nv))
        path = published.path_to_hand(model)
        on = list(path.joints)
        J, J_rate = published.rate_by_listing(path, q[on], v[on])
        assert np.allclose(J.astype(float), lw.jacobian(model, q, "hand")[:, on])
        assert np.allclose(J_rate.astype(float), lw.jacobian_dot(model, q, v, "hand")[:, on])
        slopes = published.slopes_by_listing(path, q[on]).astype(float)
        assert np.allclose(slopes, lw.kinematic_hessian(model, q, "hand")[:, on][:, :, on])
        assert np.allclose(published.momentum_by_subtrees(model, q).astype(float), lw.momentum_matrix(model, q))

    def test_operations_of_the_listing_are_counted(self):
        assert published.count_listing(published.serial(6)) == (999, 735)
        assert published.count_listing(published.serial(20)).total == 6543

    def test_a_join_of_two_pieces_anywhere(self):
        chain = lw.load("chain3d:4")
        for seed in range(3):
            q = chain.random(seed=seed)
            response, _ = lw.frame_responses(chain, q, np.zeros(9), np.zeros(9), ("link1", "tip"))
            assert np.allclose(articulated_bodies.joined(chain, q), response)

    def test_the_printed_python_gains_energy(self):
        _, states = motion.integrated(motion.printed_rate, 0.5)
        arm = lw.load("two_link")
        energy = lw.kinetic_energy(arm, states[:, :2], states[:, 2:]) + lw.potential_energy(arm, states[:, :2])
        assert energy[-1] > 2.0 * energy[0]
        _, states = motion.integrated(motion.right_rate, 0.5)
        energy = lw.kinetic_energy(arm, states[:, :2], states[:, 2:]) + lw.potential_energy(arm, states[:, :2])
        assert np.ptp(energy) < 1e-9
