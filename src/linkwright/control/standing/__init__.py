"""A whole body that stands: its efforts and the forces of its feet, by a quadratic program at every tick."""
