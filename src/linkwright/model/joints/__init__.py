"""Joint and loop types."""
