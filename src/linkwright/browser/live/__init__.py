"""A mechanism that moves while it is looked at."""
