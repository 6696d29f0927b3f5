"""Tendons of MJCF files: paths of actuators, and springs, dampers, limits and friction along them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwright.formats.mjcf.sensors import object_frame
from linkwright.formats.writing import Losses, XmlNode
from linkwright.model.joints.loop import CoordinateLoop
from linkwright.model.parts.spring import Spring
from linkwright.model.parts.tendon import Tendon, Wrap

if TYPE_CHECKING:
    from linkwright.formats.mjcf.reading import MjcfReader

EXTRAS = (
    ("armatures of tendons", "tendon_armature"),
    ("higher-order stiffnesses of tendons", "tendon_stiffnesspoly"),
    ("higher-order dampings of tendons", "tendon_dampingpoly"),
    ("yield limits of tendons", "tendon_springyield"),
)
"""Parameters of tendons that are not used, with MuJoCo's fields."""

PASSIVE = ("tendon_stiffness", "tendon_damping", "tendon_frictionloss", "tendon_limited")

GROUP = 4
"""Group of the geoms of wrapping bodies, which are not shown."""


def kind_of(kinds: Any, value: int) -> str:
    """Return a kind of MuJoCo's as in files."""
    return str(kinds(int(value)).name).rpartition("_")[2].lower()


def _wraps(m: Any, t: int) -> range:
    return range(m.tendon_adr[t], m.tendon_adr[t] + m.tendon_num[t])


def other_tendon(reader: MjcfReader, t: int) -> str:
    """Return the property of a tendon's path that is not supported; "" for none."""
    m, kinds = reader.m, reader.mujoco.mjtWrap
    found = [kind_of(kinds, m.wrap_type[w]) for w in _wraps(m, t)]
    if "pulley" in found:
        return "over pulleys"
    data = reader.mujoco.MjData(m)
    reader.mujoco.mj_kinematics(m, data)
    for w, kind in zip(_wraps(m, t), found, strict=True):
        if kind in ("sphere", "cylinder") and (side := round(float(m.wrap_prm[w]))) >= 0:
            geom = int(m.wrap_objid[w])
            if np.linalg.norm(data.site_xpos[side] - data.geom_xpos[geom]) < m.geom_size[geom, 0]:
                return "through geoms (their sidesite is inside)"
    return ""


def tendon_of(reader: MjcfReader, t: int, name: str) -> Tendon:
    """Return the path of a tendon; unnamed sites become frames, "<name>_1", …"""
    m, kinds = reader.m, reader.mujoco.mjtWrap
    found: list[Any] = []
    for k, w in enumerate(_wraps(m, t)):
        kind, target = kind_of(kinds, m.wrap_type[w]), int(m.wrap_objid[w])
        if kind == "joint":
            found.append((reader.joints[target], float(m.wrap_prm[w])))
        elif kind == "site":
            found.append(reader.site_frame(target, f"{name}_{k + 1}"))
        else:
            side = round(float(m.wrap_prm[w]))
            beside = reader.site_frame(side, f"{name}_{k + 1}_side") if side >= 0 else ""
            radius = float(m.geom_size[target, 0])
            found.append(Wrap(object_frame(reader, "geom", target), radius, kind, beside))  # type: ignore[arg-type]
    return tuple(found)


def springs_of(reader: MjcfReader) -> Iterator[Spring]:
    """Yield the tendons with stiffness, damping, friction or limits; others are listed as unused."""
    m, mujoco = reader.m, reader.mujoco
    names = reader.names(mujoco.mjtObj.mjOBJ_TENDON, m.ntendon, lambda t: f"tendon{t}")
    unused: dict[str, list[str]] = {}
    driven = {*m.actuator_trnid[m.actuator_trntype == int(mujoco.mjtTrn.mjTRN_TENDON), 0].tolist()}
    tied = m.eq_type == int(mujoco.mjtEq.mjEQ_TENDON)
    driven |= {*m.eq_obj1id[tied].tolist(), *m.eq_obj2id[tied].tolist()}
    for t, name in enumerate(names):
        passive = any(getattr(m, field)[t] for field in PASSIVE)
        for what, field in EXTRAS:
            if np.any(getattr(m, field, np.zeros(t + 1))[t]):
                unused.setdefault(what, []).append(name)
        if other := other_tendon(reader, t):
            if passive or t not in driven:
                unused.setdefault(f"tendons {other}", []).append(name)
        elif not passive:
            if t not in driven:
                unused.setdefault("tendons without forces", []).append(name)
        elif _is_within_a_body(m, kinds=mujoco.mjtWrap, t=t):
            unused.setdefault("springs of tendons within one body", []).append(name)
        else:
            low, high = m.tendon_lengthspring[t].tolist()
            shortest, longest = m.tendon_range[t].tolist()
            yield Spring(
                name,
                tendon_of(reader, t, name),
                float(m.tendon_stiffness[t]),
                float(m.tendon_damping[t]),
                (low, high),
                reader.path,
                (shortest, longest) if m.tendon_limited[t] else None,
                float(m.tendon_frictionloss[t]),
            )
    for what, found in unused.items():
        reader.list_names(what, found)


def tendon_loop(reader: MjcfReader, name: str, first: int, second: int, c: Any) -> CoordinateLoop | None:
    """Return an equality constraint of tendons of joints, L₁ − L₁⁰ = Σ c (L₂ − L₂⁰)ᵏ; None if it is of another form.

    It is linear, or a polynomial in one joint.
    """
    m, kinds = reader.m, reader.mujoco.mjtWrap
    sums: list[dict[str, float]] = [{}, {}]
    for t, own in ((first, sums[0]), (second, sums[1])):
        for w in _wraps(m, t) if t >= 0 else ():
            if kind_of(kinds, m.wrap_type[w]) != "joint":
                return None
            joint = reader.coordinates[m.wrap_objid[w]]
            own[joint] = own.get(joint, 0.0) + float(m.wrap_prm[w])
    start = [float(m.tendon_length0[t]) if t >= 0 else 0.0 for t in (first, second)]
    power: tuple[float, ...] = tuple(c.tolist()) if second >= 0 else (float(c[0]),)
    leader = next((joint for joint, k in sums[0].items() if k and joint not in sums[1]), "")
    if not leader:
        return None
    k = sums[0].pop(leader)
    factors = {joint: -one / k for joint, one in sums[0].items()}
    if any(power[2:]):
        if len(sums[1]) != 1:
            return None
        ((joint, slope),) = sums[1].items()
        values = np.zeros(5)
        shifted = np.polynomial.Polynomial(power)(np.polynomial.Polynomial([-start[1], slope])) + start[0]
        values[: len(shifted.coef)] = np.asarray(shifted.coef, float) / k
        return CoordinateLoop(name, leader, joint, tuple(values.tolist()), reader.path, tuple(factors.items()))
    rate = power[1] if len(power) > 1 else 0.0
    for joint, slope in sums[1].items():
        factors[joint] = factors.get(joint, 0.0) + rate * slope / k
    value = (start[0] + power[0] - rate * start[1]) / k
    others = tuple((joint, x) for joint, x in factors.items() if x)
    if len(others) == 1:
        return CoordinateLoop(name, leader, others[0][0], (value, others[0][1], 0.0, 0.0, 0.0), reader.path)
    return CoordinateLoop(name, leader, "", (value,), reader.path, others)


def _is_within_a_body(m: Any, kinds: Any, t: int) -> bool:
    """Return whether nothing moves a tendon of sites."""
    bodies = set()
    for w in _wraps(m, t):
        kind, target = kind_of(kinds, m.wrap_type[w]), m.wrap_objid[w]
        if kind == "joint":
            return False
        bodies.add(int(m.body_weldid[(m.site_bodyid if kind == "site" else m.geom_bodyid)[target]]))
    return len(bodies) == 1


def write_springs(
    root: XmlNode,
    springs: tuple[Spring, ...],
    losses: Losses,
    joints: set[str],
    site: Callable[[str, str], str],
    wrapping: Callable[[Wrap], str],
) -> None:
    """Add the tendons of springs.

    ``joints``: names of the joints of the file; ``site``: the site of a frame, new ones with the given name;
    ``wrapping``: adds the geom of a wrapping body and returns its name.
    """
    for spring in springs:
        if spring.length is not None and not np.isfinite(spring.length).all():
            losses.add("springs that are relaxed at any greater length are lost", spring.name)
        elif not {joint for joint, _ in spring.coefficients} <= joints:
            losses.add("springs of joints that are others in MuJoCo are lost", spring.name)
        else:
            options: dict[str, Any] = {"name": spring.name}
            options |= {"stiffness": spring.stiffness, "damping": spring.damping}
            if spring.length is not None:
                options["springlength"] = spring.length
            if spring.limits is not None:
                options["range"] = spring.limits
            if spring.friction:
                options["frictionloss"] = spring.friction
            add_tendon(root, spring.tendon, options, site, wrapping)


def add_tendon(
    root: XmlNode,
    tendon: Tendon,
    options: dict[str, Any],
    site: Callable[[str, str], str],
    wrapping: Callable[[Wrap], str],
) -> None:
    """Add a tendon with options, which include its name."""
    tendons = next((node for node in root.children if node.tag == "tendon"), None) or root.add("tendon")
    node = tendons.add("fixed" if any(isinstance(one, tuple) for one in tendon) else "spatial", **options)
    for k, one in enumerate(tendon):
        if isinstance(one, str):
            node.add("site", site=site(one, f"{options['name']}_{k + 1}"))
        elif isinstance(one, Wrap):
            beside = {"sidesite": site(one.side, f"{options['name']}_{k + 1}_side")} if one.side else {}
            node.add("geom", geom=wrapping(one), **beside)
        else:
            node.add("joint", joint=one[0], coef=one[1])
