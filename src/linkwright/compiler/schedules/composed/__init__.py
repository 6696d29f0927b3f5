"""Algorithms of large mechanisms that are composed of several kernels."""
