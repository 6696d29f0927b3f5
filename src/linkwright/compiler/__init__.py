"""From an algorithm and a model to machine code."""
