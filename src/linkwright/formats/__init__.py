"""Files to models, and models to files: a room for each format."""
