"""Models of mechanisms: joints, bodies, the immutable tree, and the builder."""
