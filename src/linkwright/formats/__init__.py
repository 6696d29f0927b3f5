"""Readers and writers of robot files: a package for each format."""
