"""Pages of the studio that run the programs of the robotics tutorial (S3), found by their entry points."""
