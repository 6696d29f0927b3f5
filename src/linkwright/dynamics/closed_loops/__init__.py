"""Closed loops: constraint rows, closure, constraint forces, and independent rows."""
