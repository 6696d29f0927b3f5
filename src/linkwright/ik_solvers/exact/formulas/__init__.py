"""Exact solutions of arms, by families and by subproblems."""
