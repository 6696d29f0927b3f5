"""What shells complete when TAB is pressed: robots, exhibits, files."""
