"""Loops and rows of numbers, for numbers and symbols."""
