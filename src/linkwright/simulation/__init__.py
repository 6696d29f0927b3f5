"""Motion over time."""
