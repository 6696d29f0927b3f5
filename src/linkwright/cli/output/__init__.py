"""Output: the terminal, and the files and summary of a simulation."""
