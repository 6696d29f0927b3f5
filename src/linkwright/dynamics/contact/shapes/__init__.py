"""Contact points of pairs of shapes: a fixed number of candidates for each pair of kinds, without branches."""
