"""Small systems of equations, factorizations and singular values."""
