"""The table of points of contact, and the model's table of pairs that have some."""

from linkwright.dynamics.contact.shapes.pairs import SERVED, points_of
from linkwright.model.parts.pair import PARTNERS


def test_models_pair_the_kinds_that_have_points_of_contact():
    pairs = {(first, second) for second, firsts in PARTNERS.items() for first in firsts}
    assert {pair for pair in pairs if "cone" not in pair} == SERVED.keys()
    for kind in {first for first, _ in SERVED} | {second for _, second in SERVED}:  # cones touch as hulls
        assert len(pairs & {("cone", kind), (kind, "cone")}) == 1
        assert points_of("cone", kind) == points_of("mesh", kind)
