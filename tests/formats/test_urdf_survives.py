"""The URDF reader: time and messages do not explode with the size of a file, and no file breaks it."""

import random
import warnings

import numpy as np
import pytest
from test_urdf import ROBOTS, TWO, joint, link, robot

from counting import calls
from linkwright.errors import FormatError, FormatWarning, LinkwrightError
from linkwright.formats.urdf import parse_urdf

# size and time


def chain(n, star=False):
    links = "".join(link(f"l{k}") for k in range(n + 1))
    inside = '<origin xyz="0 0 0.1" rpy="0 0.{0} 0"/><axis xyz="0 1 0"/><limit lower="-1" upper="1" velocity="1"/>'
    joints = (joint(f"j{k}", f"l{0 if star else k}", f"l{k + 1}", inside.format(k), "revolute") for k in range(n))
    return robot(links, *joints)


@pytest.mark.parametrize("star", [False, True])
def test_the_work_of_loading_grows_with_the_links(star):
    half, whole = chain(300, star), chain(600, star)
    assert calls(lambda: parse_urdf(whole)) < 2.2 * calls(lambda: parse_urdf(half))
    assert parse_urdf(chain(3000, star)).nq == 3000


@pytest.mark.parametrize(
    "parts",
    [
        lambda n: [joint(f"j{k}", f"l{k}", f"x{k}") for k in range(1, n + 1)],  # unknown everywhere
        lambda n: [joint(f"j{k}", f"l{k}", f"l{(k + 1) % n}") for k in range(n)],  # one long cycle
        lambda n: [joint(f"j{k}", "l0", f"l{k + 1}", f'<mimic joint="j{(k + 1) % n}"/>') for k in range(n)],
        lambda n: [joint(f"j{k}", "l0", f"l{k + 1}", f'<mimic joint="x{k}"/>', "revolut") for k in range(n)],
        lambda n: [link("y" * 300 * n), joint("z" * 300 * n, "y" * 300 * n, "y" * (300 * n - 1))],
    ],
    ids=["unknown", "cycle", "mimics", "types", "long"],
)
def test_many_faults_take_no_long_time_and_no_long_message(parts):
    def refused(n):
        with pytest.raises(FormatError) as error:
            parse_urdf(robot(*(link(f"l{k}", "") for k in range(n + 1)), *parts(n)))
        return error

    assert calls(lambda: refused(600)) < 2.2 * calls(lambda: refused(300))
    error = refused(3000)
    assert len(str(error.value)) < 40_000


def test_a_chain_of_mimics_is_followed_to_its_end():
    n = 2000
    parts = [link("l0"), *(link(f"l{k + 1}") for k in range(n)), joint("j0", "l0", "l1")]
    parts += [
        joint(f"j{k}", f"l{k}", f"l{k + 1}", f'<mimic joint="j{k - 1}" multiplier="-1" offset="1"/>')
        for k in range(1, n)
    ]
    model = parse_urdf(robot(*parts))
    assert model.nq == 1
    assert [(j.coupling.leader, j.coupling.multiplier, j.coupling.offset) for j in model.joints[1:5]] == [
        (0, -1, 1),
        (0, 1, 0),
        (0, -1, 1),
        (0, 1, 0),
    ]


# anything at all: a model or a LinkwrightError, quickly

POOL = [
    *'"<>/&= \n\0é09-e.:',
    *("nan", "inf", "1e308", "1e-320", "world", "base", "xmlns", "free"),
    *("<link name='q'/>", "</robot>", "<!DOCTYPE r>", "<![CDATA[", "<!--"),
]


def mutated(text, rng):
    for _ in range(rng.randint(1, 4)):
        a = rng.randrange(len(text))
        kind = rng.randrange(5)
        if kind == 0:
            text = text[:a] + rng.choice(POOL) + text[a + rng.randint(0, 2) :]
        elif kind == 1:
            text = text[:a] + text[a + rng.randint(1, 40) :]
        elif kind == 2:
            b = rng.randrange(len(text))
            text = text[:a] + text[b : b + rng.randint(1, 200)] + text[a:]
        else:  # the value of an attribute for another's, or for something odd
            values = [part for part in text.split('"')[1::2] if len(part) < 60]
            parts = text.split('"')
            k = 2 * rng.randrange(max(1, len(parts) // 2)) + 1
            if k < len(parts):
                parts[k] = rng.choice([*values, *POOL])
            text = '"'.join(parts)
        text = text or "<"
    return text


def survives(text, rng):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", FormatWarning)
        try:
            model = parse_urdf(text.encode("utf-8", "replace"), rng.choice([None, "free"]))
        except LinkwrightError:
            loaded = False
        else:
            assert np.isfinite(model.neutral()).all()
            assert all(np.isfinite(frame.placement).all() for frame in model.frames.values())
            assert all(np.isfinite(body.inertia).all() and body.mass >= 0 for body in model.bodies)
            loaded = True
    return loaded


@pytest.mark.parametrize("name", ["arm.urdf", "every_joint.urdf"])
def test_mutated_files(name):
    count = 250
    rng = random.Random(name)
    text = (ROBOTS / name).read_text()
    loaded = sum(survives(mutated(text, rng), rng) for _ in range(count))
    assert 0 < loaded < count  # both ends were met
    most = 20 * calls(lambda: survives(text, rng))
    assert all(calls(lambda: survives(mutated(text, rng), rng)) < most for _ in range(50))  # none is hard work


def test_a_tiny_multiplier_of_a_mimic_leaves_its_leader_free():
    """Its limits, divided by the multiplier, are beyond all numbers."""
    mimic = '<mimic joint="j" multiplier="1e-320"/><limit lower="-1" upper="1" effort="1" velocity="1"/>'
    text = robot(*TWO, link("c"), joint("j", "a", "b"), joint("k", "a", "c", mimic, "revolute"))
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        warnings.simplefilter("ignore", FormatWarning)
        model = parse_urdf(text)
        assert model.upper.tolist() == [np.inf]
