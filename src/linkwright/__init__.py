"""Linkwright."""
