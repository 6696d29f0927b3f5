"""Trajectories of a hand: ``poses`` are its paths, ``following`` computes the joint trajectory along them."""
