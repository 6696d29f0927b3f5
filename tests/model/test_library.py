"""The built-in mechanisms: sizes, masses, symmetry, and poses against formulas written down here again."""

from __future__ import annotations

import numpy as np
import pytest

from linkwright.errors import ArgumentError, InputError, UnknownNameError
from linkwright.model.library.built_in import BUILT_IN, COUNTED, built_in
from linkwright.model.library.dh import DHRow, from_dh
from linkwright.model.tree import Model
from linkwright.spatial.transform import motion_to_child

NAMES = [f"{name}:4" if name in COUNTED else name for name in BUILT_IN]


def body_poses(model: Model, q: np.ndarray) -> list[np.ndarray]:
    return model.outward(lambda link, parent, x: parent @ link.transform(x), np.eye(4), model.coordinates(q))


def frame_pose(model: Model, q: np.ndarray, name: str) -> np.ndarray:
    frame = model.frame(name)
    T = np.eye(4) if frame.body < 0 else body_poses(model, q)[frame.body]
    return T @ frame.placement


def mass_matrix(model: Model, q: np.ndarray) -> np.ndarray:
    """By unit velocities, from the inertias alone."""

    def step(link, parent, x, columns):
        return motion_to_child(link.transform(x), parent) + link.motion_subspace(x) @ columns

    columns = np.split(np.eye(model.nv), np.cumsum([joint.nv for joint in model.joints])[:-1])
    velocities = model.outward(step, np.zeros((6, model.nv)), model.coordinates(q), columns)
    M = sum(v.T @ link.rigid_inertia.matrix() @ v for v, link in zip(velocities, model.links, strict=True))
    return M + np.diag(model.armature)


def potential(model: Model, q: np.ndarray) -> float:
    energy = 0.0
    for T, link in zip(body_poses(model, q), model.links, strict=True):
        m, h, _ = link.rigid_inertia
        energy -= model.gravity @ (T[:3, :3] @ h + m * T[:3, 3])
    return energy


def gravity_load(model: Model, q: np.ndarray) -> np.ndarray:
    steps = 1e-6 * np.eye(model.nv)
    return np.array([(potential(model, q + d) - potential(model, q - d)) / 2e-6 for d in steps])


SIZES = {
    "pendulum": (1, 1, 1, 1.0),
    "two_link": (2, 2, 2, 2.0),
    "planar:4": (4, 4, 4, 4.0),
    "chain3d:4": (4, 10, 9, 4.0),
    "arm4": (4, 4, 4, 4.0),
    "puma560": (6, 6, 6, 36.4),
    "arm7": (7, 7, 7, 25.61),
    "quadruped": (13, 19, 18, 3.3 + 4 * (0.54 + 0.634 + 0.15)),
    "humanoid": (30, 36, 35, 73.0),
    "four_bar": (3, 3, 3, 2 * 1.7),
    "slider_crank": (3, 3, 3, 2 * 0.8 + 1.0),
    "four_bars:4": (12, 12, 12, 4 * 2 * (2 * np.hypot(0.05, 0.4) + 0.4)),
    "bricard": (5, 5, 5, 10.0),
    "delta": (10, 19, 18, 2 * (3 * 0.3 + 6 * 0.8) + 1.0),
    "stewart": (
        13,
        22,
        21,
        2 * 1.2 * 6 * np.sqrt(0.6**2 + 0.35**2 - 2 * 0.6 * 0.35 * np.cos(np.radians(30)) + 0.7**2) + 20,
    ),
}


@pytest.mark.parametrize("name", NAMES)
def test_sizes_and_masses(name):
    model = built_in(name)
    bodies, nq, nv, mass = SIZES[name]
    assert (len(model.bodies), model.nq, model.nv) == (bodies, nq, nv)
    assert model.name == name
    assert sum(body.mass for body in model.bodies) == pytest.approx(mass, abs=1e-9)


@pytest.mark.parametrize("name", NAMES)
def test_bodies_are_physical(name):
    for body in built_in(name).bodies:
        moments = np.linalg.eigvalsh(body.inertia)
        assert body.mass > 0.0
        assert moments[0] > 0.0
        assert moments[2] < moments[0] + moments[1]


@pytest.mark.parametrize("name", NAMES)
def test_limits_hold_the_neutral_configuration(name):
    model = built_in(name)
    q = model.neutral()
    assert (model.lower <= q).all()
    assert (q <= model.upper).all()


@pytest.mark.parametrize("name", NAMES)
def test_mass_matrix_is_positive_definite(name):
    model = built_in(name)
    M = mass_matrix(model, model.random(seed=1))
    assert np.linalg.eigvalsh(M)[0] > 0.0
    assert np.abs(M - M.T).max() < 1e-12 * np.abs(M).max()


def test_two_link_is_that_of_the_printed_equations():
    model = built_in("two_link")
    l, lg, m, I, g = 1.0, 0.5, 1.0, 0.1, 9.8
    q = np.radians([30.0, 40.0])
    c1, c2, c12 = np.cos(q[0]), np.cos(q[1]), np.cos(q.sum())
    M12 = m * (lg**2 + l * lg * c2) + I
    M11 = m * lg**2 + m * (l**2 + lg**2 + 2 * l * lg * c2) + 2 * I
    expected = [[M11, M12], [M12, m * lg**2 + I]]
    np.testing.assert_allclose(mass_matrix(model, q), expected, atol=1e-14)
    load = [m * g * (lg * c12 + l * c1) + m * g * lg * c1, m * g * lg * c12]
    np.testing.assert_allclose(gravity_load(model, q), load, atol=1e-8)


@pytest.mark.parametrize("n", [1, 2, 7])
def test_planar_geometry(n):
    model = built_in(f"planar:{n}")
    assert model.nq == n
    q = model.random(seed=n)
    angles = np.cumsum(q)
    T = frame_pose(model, q, "tip")
    np.testing.assert_allclose(T[:3, 3], [np.cos(angles).sum(), np.sin(angles).sum(), 0.0], atol=1e-14)
    np.testing.assert_allclose(T[:2, 0], [np.cos(angles[-1]), np.sin(angles[-1])], atol=1e-14)
    np.testing.assert_array_equal(model.gravity, [0.0, -9.8, 0.0])


def test_chain3d_turns_about_y_and_z_in_turn():
    model = built_in("chain3d:3")
    assert [joint.type for joint in model.joints] == ["free", "revolute", "revolute"]
    q = np.concatenate([[0.1, 0.2, 0.3, 1.0, 0.0, 0.0, 0.0], np.radians([90.0, 90.0])])
    # one meter along x; then x turned about y to −z; then about the z it carries, to y
    np.testing.assert_allclose(frame_pose(model, q, "tip")[:3, 3], [1.1, 1.2, -0.7], atol=1e-14)


def test_pendulum_hangs_and_swings():
    model = built_in("pendulum")
    np.testing.assert_allclose(frame_pose(model, np.array([0.0]), "tip")[:3, 3], [0.0, 0.0, -1.0])
    assert mass_matrix(model, np.array([0.3]))[0, 0] == pytest.approx(1.0 / 3.0)
    assert gravity_load(model, np.array([0.3]))[0] == pytest.approx(0.5 * 9.81 * np.sin(0.3))


def standard_dh(theta: float, d: float, a: float, alpha: float) -> np.ndarray:
    c, s, ca, sa = np.cos(theta), np.sin(theta), np.cos(alpha), np.sin(alpha)
    return np.array([[c, -s * ca, s * sa, a * c], [s, c * ca, -c * sa, a * s], [0, sa, ca, d], [0, 0, 0, 1]])


def modified_dh(theta: float, d: float, a: float, alpha: float) -> np.ndarray:
    c, s, ca, sa = np.cos(theta), np.sin(theta), np.cos(alpha), np.sin(alpha)
    return np.array([[c, -s, 0, a], [ca * s, ca * c, -sa, -d * sa], [sa * s, sa * c, ca, d * ca], [0, 0, 0, 1]])


PUMA = [
    (0.0, 0.0, np.pi / 2),
    (0.0, 0.4318, 0.0),
    (0.15005, 0.0203, -np.pi / 2),
    (0.4318, 0.0, np.pi / 2),
    (0.0, 0.0, -np.pi / 2),
    (0.0, 0.0, 0.0),
]


def test_puma_pose_is_the_product_of_its_table():
    model = built_in("puma560")
    for q in model.random(5, seed=3):
        expected = np.eye(4)
        for k, (angle, (d, a, alpha)) in enumerate(zip(q, PUMA, strict=True), start=1):
            expected = expected @ standard_dh(angle, d, a, alpha)
            np.testing.assert_allclose(frame_pose(model, q, f"dh{k}"), expected, atol=1e-14)
        np.testing.assert_allclose(frame_pose(model, q, "tool"), expected, atol=1e-14)


NOMINAL = np.array([0.0, np.pi / 4, np.pi, 0.0, np.pi / 4, 0.0])


@pytest.mark.parametrize(
    ("q", "position"),
    [  # P. Corke, "Robotics, Vision and Control", 2011, §7.2
        (np.zeros(6), [0.4521, -0.1500, 0.4318]),
        (np.array([0.0, np.pi / 2, -np.pi / 2, 0.0, 0.0, 0.0]), [0.0203, -0.1500, 0.8636]),
        (np.array([0.0, 0.0, -np.pi / 2, 0.0, 0.0, 0.0]), [0.8636, -0.1500, -0.0203]),
        (NOMINAL, [0.5963, -0.1501, -0.0144]),
    ],
)
def test_puma_positions_as_published(q, position):
    np.testing.assert_allclose(frame_pose(built_in("puma560"), q, "tool")[:3, 3], position, atol=1e-4)


def test_puma_dynamics_as_published():
    # P. Corke, "Robotics, Vision and Control", 2011, §9.1: gravity load and inertia at the nominal pose
    model = built_in("puma560")
    load = [0.0, 31.6399, 6.0351, 0.0, 0.0283, 0.0]
    np.testing.assert_allclose(gravity_load(model, NOMINAL), load, atol=6e-5)
    M = mass_matrix(model, NOMINAL)
    published = np.array(
        [
            [3.6594, -0.4044, 0.1006, -0.0025, 0.0, 0.0],
            [-0.4044, 4.4137, 0.3509, 0.0, 0.0024, 0.0],
            [0.1006, 0.3509, 0.9378, 0.0, 0.0015, 0.0],
            [-0.0025, 0.0, 0.0, 0.1925, 0.0, 0.0],
            [0.0, 0.0024, 0.0015, 0.0, 0.1713, 0.0],
            [0.0, 0.0, 0.0, 0.0, 0.0, 0.1941],
        ]
    )
    difference = M - published
    assert 0.0 < difference[0, 0] <= 0.008  # what link 3's raised moment adds
    difference[0, 0] = 0.0
    assert np.abs(difference).max() < 6e-5


def test_puma_friction_and_armature_are_reflected():
    joint = built_in("puma560").joint("joint2")
    assert joint.armature[0] == pytest.approx(200e-6 * 107.815**2)
    assert joint.damping[0] == pytest.approx(0.817e-3 * 107.815**2)
    assert joint.friction[0] == pytest.approx(107.815 * 0.5 * (0.126 + 0.071))


def test_arm7_stands_upright_at_its_reach():
    model = built_in("arm7")
    T = frame_pose(model, model.neutral(), "tool")
    np.testing.assert_allclose(T[:3, 3], [0.0, 0.0, 1.306], atol=1e-12)
    np.testing.assert_allclose(T[:3, :3], np.eye(3), atol=1e-12)
    assert model.welded.mass == 5.0
    np.testing.assert_allclose(np.degrees(model.upper), [170, 120, 170, 120, 170, 120, 175])
    np.testing.assert_array_equal(model.lower, -model.upper)


def test_arm7_pose_is_the_product_of_the_manufacturers_table():
    # in modified DH: shoulder 0.36 m up, then 0.42, 0.40 and 0.126 m to the flange; axes in turn along z and y
    model = built_in("arm7")
    turns = [0.0, -np.pi / 2, np.pi / 2, np.pi / 2, -np.pi / 2, -np.pi / 2, np.pi / 2]
    offsets = [0.36, 0.0, 0.42, 0.0, 0.4, 0.0, 0.126]
    for q in model.random(5, seed=7):
        T = np.eye(4)
        for angle, d, alpha in zip(q, offsets, turns, strict=True):
            T = T @ modified_dh(angle, d, 0.0, alpha)
        np.testing.assert_allclose(frame_pose(model, q, "tool"), T, atol=1e-12)


def test_quadruped_stands_on_four_feet():
    model = built_in("quadruped")
    q = model.neutral()
    ends = [f"{end}_{side}_foot" for end in ("front", "hind") for side in ("left", "right")]
    feet = np.array([frame_pose(model, q, name)[:3, 3] for name in ends])
    np.testing.assert_allclose(feet[:, 2], -(0.209 + 0.195))
    np.testing.assert_allclose(feet.mean(axis=0)[:2], 0.0, atol=1e-15)
    assert len({tuple(np.sign(foot[:2])) for foot in feet}) == 4


def mirrored(model: Model, q: np.ndarray) -> np.ndarray:
    """The coordinates of the mirror image in x–z: sides exchanged, turns about x and z reversed."""
    q = q.copy()
    at = {joint.name: k + 7 for k, joint in enumerate(model.joints[1:])}
    image = q.copy()
    for name, k in at.items():
        partner = name.replace("left", "*").replace("right", "left").replace("*", "right")
        image[at[partner]] = q[k] if name.endswith(("pitch", "knee")) else -q[k]
    return image


@pytest.mark.parametrize("name", ["quadruped", "humanoid"])
def test_left_and_right_are_mirror_images(name):
    model = built_in(name)
    q = model.random(seed=11)
    q[:7] = model.neutral()[:7]
    image = mirrored(model, q)
    flip = np.diag([1.0, -1.0, 1.0])
    bodies = {body.name: body for body in model.bodies}
    sided = [frame for frame in model.frames if "left" in frame]
    assert sided
    for left in sided:
        right = left.replace("left", "right")
        T, S = frame_pose(model, q, left), frame_pose(model, image, right)
        np.testing.assert_allclose(flip @ T[:3, 3], S[:3, 3], atol=1e-13)
        np.testing.assert_allclose(flip @ T[:3, :3] @ flip, S[:3, :3], atol=1e-13)
        if left in bodies:
            a, b = bodies[left], bodies[right]
            assert a.mass == b.mass
            np.testing.assert_allclose(flip @ a.center_of_mass, b.center_of_mass, atol=1e-15)
            np.testing.assert_allclose(flip @ a.inertia @ flip, b.inertia, atol=1e-15)
    np.testing.assert_allclose(model.lower, mirrored_limits(model)[0])
    np.testing.assert_allclose(model.upper, mirrored_limits(model)[1])


def mirrored_limits(model: Model) -> tuple[np.ndarray, np.ndarray]:
    a, b = mirrored(model, model.lower), mirrored(model, model.upper)
    return np.minimum(a, b), np.maximum(a, b)


def test_humanoid_stands_upright_with_the_stature_of_a_man():
    model = built_in("humanoid")
    q = model.neutral()
    top, sole = frame_pose(model, q, "head_top"), frame_pose(model, q, "left_sole")
    assert top[2, 3] - sole[2, 3] == pytest.approx(1.741)
    assert sole[2, 3] == pytest.approx(-0.9241, abs=1e-4)
    total, first_moment = 0.0, np.zeros(3)
    for T, link in zip(body_poses(model, q), model.links, strict=True):
        m, h, _ = link.rigid_inertia
        total, first_moment = total + m, first_moment + T[:3, :3] @ h + m * T[:3, 3]
    center = first_moment / total
    # a man's center of mass is at about 0.56 of his height, and above his feet
    assert (center[2] - sole[2, 3]) / 1.741 == pytest.approx(0.56, abs=0.02)
    assert center[1] == pytest.approx(0.0, abs=1e-15)
    assert abs(center[0]) < 0.05
    for name in ("left_hand", "right_hand", "left_foot", "right_foot", "right_knuckles"):
        assert name in model.frames
    assert frame_pose(model, q, "left_knuckles")[2, 3] < 0.0  # knuckles hang below the hips


def test_humanoid_bends_as_people_do():
    model = built_in("humanoid")
    at = {joint.name: k + 7 for k, joint in enumerate(model.joints[1:])}
    q = model.neutral()

    def moved(name: str, angle: float, frame: str) -> np.ndarray:
        bent = q.copy()
        bent[at[name]] = angle
        return frame_pose(model, bent, frame)[:3, 3] - frame_pose(model, q, frame)[:3, 3]

    for name, frame, direction in (
        ("left_knee_pitch", "left_sole", [-1, 0, 0]),
        ("waist_pitch", "head_top", [1, 0, 0]),
        ("left_hip_roll", "left_sole", [0, 1, 0]),
    ):
        joint = model.joint(name)
        assert joint.upper[0] > -joint.lower[0]  # bends further one way,
        assert moved(name, 0.5, frame) @ direction > 0.05  # which is this one
    for name, frame in (("right_elbow_pitch", "right_hand"), ("right_hip_pitch", "right_sole")):
        joint = model.joint(name)
        assert -joint.lower[0] > joint.upper[0]
        assert moved(name, -0.5, frame)[0] > 0.05


def test_modified_dh_table_with_a_slide():
    rows = [
        DHRow(d=0.3, theta=0.2),
        DHRow(a=0.1, alpha=0.7, d=0.05, theta=-0.4, type="prismatic"),
        DHRow(a=0.2, alpha=-1.1, d=0.1),
    ]
    base, tool = modified_dh(0.3, 0.2, 0.1, 0.4), standard_dh(0.1, 0.2, 0.3, 0.4)
    model = from_dh("scara", rows, base=base, tool=tool)
    q = np.array([0.5, 0.25, -0.8])
    expected = base @ modified_dh(0.7, 0.3, 0.0, 0.0) @ modified_dh(-0.4, 0.3, 0.1, 0.7)
    np.testing.assert_allclose(frame_pose(model, q, "link2"), expected, atol=1e-14)
    expected = expected @ modified_dh(-0.8, 0.1, 0.2, -1.1)
    np.testing.assert_allclose(frame_pose(model, q, "dh3"), expected, atol=1e-14)
    np.testing.assert_allclose(frame_pose(model, q, "tool"), expected @ tool, atol=1e-14)


def test_dh_inertia_is_in_the_axes_of_the_table():
    row = DHRow(a=0.5, alpha=np.pi / 2, d=0.2, mass=2.0, center_of_mass=(-0.5, 0.1, 0.0), inertia=(0.1, 0.2, 0.25))
    body = from_dh("one", [row], "standard").bodies[0]
    T = standard_dh(0.0, 0.0, 0.5, np.pi / 2)  # of the table's frame in the link's: d is before the joint
    np.testing.assert_allclose(body.center_of_mass, (T @ [-0.5, 0.1, 0.0, 1.0])[:3], atol=1e-15)
    np.testing.assert_allclose(np.diag(body.inertia), [0.1, 0.25, 0.2], atol=1e-15)


def test_bad_dh_tables():
    with pytest.raises(UnknownNameError, match="convention 'craig'"):
        from_dh("arm", [DHRow()], "craig")
    with pytest.raises(InputError, match="at least one row"):
        from_dh("arm", [])
    with pytest.raises(InputError, match=r"row 2 of 'arm'.*'free'"):
        from_dh("arm", [DHRow(), DHRow(type="free")])
    with pytest.raises(InputError, match="mass of body 'link1' must be a finite number"):
        from_dh("arm", [DHRow(mass=np.nan)])


@pytest.mark.parametrize("name", ["puma", "", "Arm7", "planer:3", ":3", "robot.urdf"])
def test_unknown_names(name):
    with pytest.raises(UnknownNameError, match=r"unknown built-in mechanism.*planar:N.*puma560"):
        built_in(name)


BAD_COUNTS = ("", "0", "-1", "2.5", " 3", "1_0", "٣", "x", "100001", "1e3", "3:4", "9" * 5000)


@pytest.mark.parametrize("name", ["planar", "chain3d", *(f"planar:{count}" for count in BAD_COUNTS)], ids=range(14))
def test_bad_counts(name):
    with pytest.raises(InputError, match="whole number from 1 to 100000"):
        built_in(name)


def test_a_count_where_none_is_wanted():
    with pytest.raises(InputError, match="'arm7' takes no number of links"):
        built_in("arm7:7")
    with pytest.raises(ArgumentError, match="by its name"):
        built_in(5)  # type: ignore[arg-type]
