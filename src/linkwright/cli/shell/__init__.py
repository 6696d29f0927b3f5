"""Shell completion of robots, exhibits and files."""
