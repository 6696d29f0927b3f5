"""Scalar expressions: a hash-consed graph, its operations, simplification rules and derivatives."""
