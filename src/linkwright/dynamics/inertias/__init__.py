"""What resists motion: inertias, the mass matrix, momentum, energy."""
