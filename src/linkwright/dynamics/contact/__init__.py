"""Contact: points of pairs of shapes, and smooth forces at these points."""
