"""Equations that somebody gives: read from text and LaTeX, and compared with the derived ones."""
