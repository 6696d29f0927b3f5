"""What users see: the terminal, and what a run leaves."""
