"""A mechanism drawn: what there is to see, and from where."""
