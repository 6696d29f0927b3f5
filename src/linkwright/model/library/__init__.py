"""Built-in mechanisms, and Denavit–Hartenberg tables."""
