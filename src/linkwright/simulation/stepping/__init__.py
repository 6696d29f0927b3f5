"""Steps of a motion: the methods, and their machine code."""
