"""Scalar expressions: a graph without duplicates, its operations, rules and derivatives."""
