"""Mechanisms that change while they move: joints locked and unlocked, loops connected and cut, bodies grasped."""
