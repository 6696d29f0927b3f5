"""Distances of convex shapes: support functions, GJK where shapes are apart, expanding polytopes where they overlap."""
