"""The pairs of kinds that models make are those that have points of contact, in the same order."""

from linkwright.dynamics.contact.shapes.pairs import SERVED
from linkwright.model.pair import PARTNERS


def test_models_pair_the_kinds_that_have_points_of_contact():
    assert {(first, second) for second, firsts in PARTNERS.items() for first in firsts} == SERVED.keys()
