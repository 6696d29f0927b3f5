"""Mechanisms: joints, bodies, the frozen tree, and the builder that makes it."""
