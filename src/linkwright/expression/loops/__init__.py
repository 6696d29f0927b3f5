"""Loops and tables in a trace."""
