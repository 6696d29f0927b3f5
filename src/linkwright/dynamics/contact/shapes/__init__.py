"""Contact points of pairs of shapes: a fixed number of candidates for each pair of kinds, without branches."""

from linkwright.dynamics.contact.shapes.candidate import FAR, ContactCandidate, contact_frame
from linkwright.dynamics.contact.shapes.pairs import candidates, points_of

__all__ = ["FAR", "ContactCandidate", "candidates", "contact_frame", "points_of"]
