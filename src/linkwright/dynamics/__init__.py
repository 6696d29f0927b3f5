"""The algorithms, pure functions of (model, q, …) as in the textbook, one configuration at a time."""
