"""Actuators of URDF files: <transmission> of ROS, also within <ros2_control>, and effort commands of <ros2_control>.

A simple transmission with the reduction n turns the effort u of a motor into n u of its joint. A differential one
couples two motors and two joints: the motors turn with n₁ (k₁ q₁ + k₂ q₂) and n₂ (k₁ q₁ − k₂ q₂). Controls are the
efforts of the motors, whatever the interface of the hardware, since the files have no gains of servos. The limits of
joints bound them.

http://wiki.ros.org/urdf/XML/Transmission; ros2_control documentation, "Transmissions"
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from linkwright.formats.findings import LONGEST_NAME
from linkwright.formats.writing import Losses, XmlNode
from linkwright.formats.xml import Element, shortened
from linkwright.model.build.description import JointSpec
from linkwright.model.parts.actuator import ZEROS, Actuator, Range

if TYPE_CHECKING:
    from linkwright.formats.urdf.reading import UrdfReader

REDUCTIONS = ("mechanicalReduction", "mechanical_reduction")
MOTOR = (1.0, 0.0, 0.0)
SIMPLE, DIFFERENTIAL = "transmission_interface/SimpleTransmission", "transmission_interface/DifferentialTransmission"


def actuators_of(reader: UrdfReader, robot: Element, joints: Iterable[JointSpec]) -> tuple[Actuator, ...]:
    """Return the actuators of a robot, in the order of the file; other transmissions are remarked."""
    specs = {joint.name: joint for joint in joints}
    found: list[Actuator] = []
    ranges: dict[str, Range] = {}
    commanded: list[str] = []
    for element in robot.children:
        if element.tag == "transmission":
            found += _transmission(reader, element, specs)
        elif element.tag == "ros2_control":
            for child in element.children:
                if child.tag == "transmission":
                    found += _transmission(reader, child, specs)
                elif child.tag == "joint":
                    _commands(reader, child, specs, ranges, commanded)
    driven = {joint for one in found for joint in one.joints}
    found += [Actuator(name, name) for name in dict.fromkeys(commanded) if name not in driven]
    unique: dict[str, Actuator] = {}
    for one in found:
        name = one.name
        while name in unique:
            name += "_"
        limits = ranges.get(one.joint)
        n = one.gears[0]
        bounded = None if limits is None else (min(limits[0] / n, limits[1] / n), max(limits[0] / n, limits[1] / n))
        unique[name] = replace(one, name=name, control_range=bounded)
    return tuple(unique.values())


def _transmission(reader: UrdfReader, element: Element, specs: dict[str, JointSpec]) -> Iterator[Actuator]:
    """Yield the actuators of a transmission."""
    name = element.attributes.get("name", "")[:LONGEST_NAME]
    who = f"transmission {name!r}"
    kind = next((c.text.strip() for c in element.children if c.tag in ("type", "plugin")), "")
    kind = (kind or element.attributes.get("type", "")).rpartition("/")[2]
    motors = [child for child in element.children if child.tag in ("actuator", "motor")]
    links = [child for child in element.children if child.tag == "joint"]
    counts = {"SimpleTransmission": 1, "DifferentialTransmission": 2}
    if kind not in counts:
        reader.remark(element, f"a transmission of the type {shortened(kind)!r} is not read", who)
        return
    if len(links) != counts[kind] or len(motors) != counts[kind]:
        wanted = f"expected {counts[kind]} joint(s) and actuator(s), got {len(links)} and {len(motors)}"
        reader.remark(element, f"{wanted}; the transmission is not read", who)
        return
    links, motors = _by_role(links), _by_role(motors)
    names = [joint.attributes.get("name", "") for joint in links]
    for joint, own in zip(links, names, strict=True):
        if own not in specs:
            reader.remark(joint, f"unknown joint {shortened(own)!r}; the transmission is not read", who)
            return
    motions = [specs[own].motion for own in names]
    if any(motion is None for motion in motions):
        return  # joints that are fixed in this file
    if any(motion is not None and motion.nv != 1 for motion in motions):
        reader.remark(element, "its joint has several coordinates; the transmission is not read", who)
        return
    whole = _reduction(reader, element)
    n, k = [_reduction(reader, one) for one in motors], [_reduction(reader, one) for one in links]
    called = [
        one.attributes.get("name", "")[:LONGEST_NAME] or f"{name}_actuator{j + 1}" for j, one in enumerate(motors)
    ]
    if len(links) == 1:
        yield Actuator(called[0], names[0], gear=whole * n[0] * k[0])
    else:
        for j, sign in enumerate((1.0, -1.0)):
            yield Actuator(called[j], tendon=((names[0], k[0]), (names[1], sign * k[1])), gear=whole * n[j])


def _by_role(elements: list[Element]) -> list[Element]:
    """Sort by roles such as "joint2" or "actuator1", where they are given."""

    def role(element: Element) -> str:
        return next((c.text.strip() for c in element.children if c.tag == "role"), element.attributes.get("role", ""))

    return sorted(elements, key=role)


def _reduction(reader: UrdfReader, element: Element) -> float:
    """Return the reduction of an element, 1 by default; other values than finite ones but zero are problems."""
    for child in element.children:
        if child.tag in REDUCTIONS:
            x = reader.reals("a mechanical reduction", [(child.text.strip(), child)], "one number")
            if x and x[0]:
                return x[0]
            if x:
                reader.problem(child, "a mechanical reduction is 0; expected another number")
    return 1.0


def _commands(
    reader: UrdfReader,
    element: Element,
    specs: dict[str, JointSpec],
    ranges: dict[str, Range],
    commanded: list[str],
) -> None:
    """Read the commands of a joint of <ros2_control>: whether it is commanded, and the range of its effort."""
    name = element.attributes.get("name", "")
    commands = [child for child in element.children if child.tag == "command_interface"]
    if not commands:
        return
    if name not in specs:
        reader.remark(element, f"unknown joint {shortened(name)!r} in <ros2_control>; its commands are ignored")
        return
    motion = specs[name].motion
    if motion is None or motion.nv != 1 or specs[name].mimic is not None:
        return
    commanded.append(name)
    for command in commands:
        ends = []
        for what in ("min", "max"):
            for child in command.children:
                if child.tag == "param" and child.attributes.get("name") == what:
                    ends += reader.reals(f"the {what} of a command", [(child.text.strip(), child)], "one number") or []
        if command.attributes.get("name") == "effort" and len(ends) == 2:
            if ends[0] < ends[1]:
                ranges[name] = (ends[0], ends[1])
            else:
                reader.problem(command, f"the effort commands are from {ends[0]:g} to {ends[1]:g}; expected min < max")


# writing


def write_transmissions(root: XmlNode, actuators: tuple[Actuator, ...], losses: Losses, joints: dict[str, str]) -> None:
    """Add transmissions, and effort commands with ranges; ``joints``: name in the file of joints of one coordinate."""
    done: set[str] = set()
    control: dict[str, Range] = {}
    for one in actuators:
        if one.name in done:
            continue
        if other := _other(one, joints):
            losses.add(f"actuators {other} are lost", one.name)
            continue
        node = XmlNode("transmission", {"name": f"{one.name}_transmission"})
        if one.joint:
            node.say("type", SIMPLE)
            _add_joint(node, joints[one.joint])
            _add_motor(node, one)
            if one.control_range is not None:
                low, high = (one.gears[0] * u for u in one.control_range)
                control[joints[one.joint]] = (min(low, high), max(low, high))
        else:
            (first, k1), (second, k2) = one.coefficients
            partner = ((first, k1), (second, -k2))
            pair = next((x for x in actuators if x.tendon == partner and not _other(x, joints)), None)
            if pair is None:
                losses.add("actuators of tendons are lost unless two make a differential", one.name)
                continue
            done.add(pair.name)
            node.say("type", DIFFERENTIAL)
            for k, (joint, reduction) in enumerate(one.coefficients):
                _add_joint(node, joints[joint], f"joint{k + 1}", reduction)
            for k, motor in enumerate((one, pair)):
                _add_motor(node, motor, f"actuator{k + 1}")
        root.children.append(node)
    if control:
        system = root.add("ros2_control", name="effort_commands", type="system")
        for joint, (low, high) in control.items():
            command = system.add("joint", name=joint).add("command_interface", name="effort")
            command.say("param", low, name="min")
            command.say("param", high, name="max")


def _other(actuator: Actuator, joints: dict[str, str]) -> str:
    """Return the property of an actuator that a transmission lacks; "" for none."""
    if actuator.frame or (actuator.tendon and len(actuator.coefficients) != 2):
        return "of frames and tendons"
    if not {*actuator.joints} <= joints.keys():
        return "of joints that are others in the file"
    if actuator.gain != MOTOR or actuator.bias != ZEROS or actuator.muscle or actuator.has_activation:
        return "that are no motors"
    if actuator.force_range is not None or (actuator.tendon and actuator.control_range is not None):
        return "with ranges"
    return "" if all(actuator.gears) and len(actuator.gears) == 1 else "with a gear of 0 or several numbers"


def _add_joint(node: XmlNode, name: str, role: str = "", reduction: float = 1.0) -> None:
    joint = node.add("joint", name=name)
    joint.say("hardwareInterface", "hardware_interface/EffortJointInterface")
    if role:
        joint.say("role", role)
    if reduction != 1.0:
        joint.say("mechanicalReduction", reduction)


def _add_motor(node: XmlNode, actuator: Actuator, role: str = "") -> None:
    motor = node.add("actuator", name=actuator.name)
    if role:
        motor.say("role", role)
    motor.say("mechanicalReduction", actuator.gears[0])
