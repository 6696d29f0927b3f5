"""Mesh files: triangles, materials, convex parts."""
