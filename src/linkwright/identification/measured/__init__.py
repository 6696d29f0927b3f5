"""What was measured: motions and efforts, as arrays and from files."""
