"""Closed loops: their rows, what keeps them closed, how they are closed, which of their rows are independent."""
