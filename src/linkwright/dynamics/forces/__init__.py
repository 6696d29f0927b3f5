"""What joints bear and springs exert."""
