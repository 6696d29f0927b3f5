"""How equations are derived: exact numbers, names, both derivations, loops, friction and springs, base parameters."""
