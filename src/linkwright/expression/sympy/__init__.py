"""Expressions from and to SymPy."""
