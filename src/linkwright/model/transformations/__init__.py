"""Transformations of models: bodies, joints and frames are changed, added, locked, mirrored or regrouped."""
