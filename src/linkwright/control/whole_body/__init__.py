"""Whole-body control: efforts and contact forces by a quadratic program at every tick."""
