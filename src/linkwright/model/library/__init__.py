"""Built-in mechanisms, and tables of Denavit and Hartenberg."""
