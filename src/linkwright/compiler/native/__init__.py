"""Machine code in the process: made, kept, called, on threads."""
