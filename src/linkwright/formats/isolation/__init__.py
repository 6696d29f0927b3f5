"""Reading of files by third-party code in a child process."""
