"""Distances of convex shapes: support functions, GJK where shapes are apart, expanding polytopes where they overlap.

Contact of convex shapes uses these functions, which use its vectors: the package of contact is imported first.
"""

from linkwright.dynamics.contact import shapes  # noqa: F401
