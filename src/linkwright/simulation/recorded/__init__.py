"""What a record of a motion tells beside itself."""
