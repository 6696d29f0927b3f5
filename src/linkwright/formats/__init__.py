"""Files to models."""
