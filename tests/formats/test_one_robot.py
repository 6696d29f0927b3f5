"""One robot in URDF, MJCF, SDF, ZTK and as a Denavit-Hartenberg table: the same torques."""

import numpy as np
import pytest

from linkwright import dynamics
from linkwright.formats.load import load
from linkwright.model.library.dh import DHRow, from_dh
from linkwright.spatial.rotation import rotation_log

ROWS = [
    DHRow(0.0, 0.0, 0.34, 0.0, mass=3.0, center_of_mass=[0.01, -0.03, 0.1], inertia=[0.03, 0.04, 0.02]),
    DHRow(0.0, -np.pi / 2, 0.0, 0.3, mass=2.5, center_of_mass=[0.1, 0.02, 0.03], inertia=[0.02, 0.03, 0.04]),
    DHRow(0.4, 0.2, 0.1, 0.0, mass=2.0, center_of_mass=[0.15, 0.0, 0.02], inertia=[0.02, 0.02, 0.03]),
    DHRow(0.1, np.pi / 2, 0.2, -0.4, "prismatic", mass=1.0, center_of_mass=[0.0, 0.1, 0.0], inertia=[0.01, 0.01, 0.01]),
    DHRow(0.05, -np.pi / 2, 0.0, 0.7, mass=0.5, center_of_mass=[0.0, 0.0, 0.05], inertia=[0.002, 0.002, 0.001]),
]


def numbers(x):
    return " ".join(map(repr, np.ravel(x).tolist()))


def ztk():
    """By RoKi's own key for modified tables, angles in degrees."""
    text = "[roki::chain]\nname: arm\n[roki::link]\nname: base\njointtype: fixed\n"
    parent = "base"
    for k, row in enumerate(ROWS, start=1):
        table = [row.a, np.degrees(row.alpha), row.d, np.degrees(row.theta)]
        text += f"[roki::link]\nname: link{k}\njointtype: {row.type}\nparent: {parent}\nDH: {{ {numbers(table)} }}\n"
        text += (
            f"mass: {row.mass}\nCOM: {numbers(row.center_of_mass)}\ninertia: {{ {numbers(np.diag(row.inertia))} }}\n"
        )
        parent = f"link{k}"
    return text


def sdf(arm):
    """Each link relative to the one before, as a rotation vector's quaternion."""
    text = '<sdf version="1.10"><model name="arm"><link name="base"/>\n'
    parent, before = "base", np.eye(4)
    for k, row in enumerate(ROWS, start=1):
        T = dynamics.pose(arm, np.zeros(5), f"link{k}")
        step = np.linalg.inv(before) @ T
        turn = rotation_log(step[:3, :3])
        half = np.linalg.norm(turn) / 2
        u = [*(turn * (0.5 * np.sinc(half / np.pi))), np.cos(half)]
        moments = "".join(f"<i{c}{c}>{x!r}</i{c}{c}>" for c, x in zip("xyz", row.inertia, strict=True))
        text += f'<link name="link{k}"><pose relative_to="{parent}" rotation_format="quat_xyzw">'
        text += f"{numbers(step[:3, 3])} {numbers(u)}</pose><inertial><pose>{numbers(row.center_of_mass)} 0 0 0</pose>"
        text += f"<mass>{row.mass}</mass><inertia>{moments}</inertia></inertial></link>\n"
        text += f'<joint name="joint{k}" type="{row.type}"><parent>{parent}</parent><child>link{k}</child>'
        text += "<axis><xyz>0 0 1</xyz></axis></joint>\n"
        parent, before = f"link{k}", T
    return (
        text.replace('<link name="base"/>', '<link name="base"><inertial><mass>1</mass></inertial></link>')
        + "</model></sdf>"
    )


@pytest.mark.parametrize("ending", [".urdf", ".xml", ".sdf", ".ztk", "saved.sdf", "saved.ztk"])
@pytest.mark.filterwarnings("ignore::linkwright.errors.FormatWarning")
def test_the_same_torques_in_every_format(ending, tmp_path):
    arm = from_dh("arm", ROWS, "modified")
    path = tmp_path / f"arm_{ending}"
    if ending == ".ztk":
        path.write_text(ztk())
    elif ending == ".sdf":
        path.write_text(sdf(arm))
    else:
        arm.save(path)
    read = load(path, trusted=True)
    rng = np.random.default_rng(5)
    for _ in range(5):
        q, v, a = rng.normal(size=(3, 5))
        tau = dynamics.inverse_dynamics(arm, q, v, a)
        np.testing.assert_allclose(dynamics.inverse_dynamics(read, q, v, a), tau, atol=1e-12 * np.abs(tau).max())
        np.testing.assert_allclose(dynamics.pose(read, q, "link5"), dynamics.pose(arm, q, "link5"), atol=1e-12)
