"""Models made of models: bodies, joints and frames changed, added, locked, mirrored, regrouped."""
