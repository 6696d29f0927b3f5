"""Contact of convex hulls and ellipsoids with convex shapes, from their distance or depth and their nearest faces."""
