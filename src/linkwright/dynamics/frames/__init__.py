"""How frames move with the joints: Jacobians, their derivatives and measures."""
