"""What acts on a mechanism while it moves: laws, drives, pushes, noise."""
