"""Algorithms of large mechanisms that are made of several kernels."""
