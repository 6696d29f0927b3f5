"""Construction of models: descriptions, the builder, and assembly."""
