"""Where the hand should be: postures from targets, velocities from rates."""
