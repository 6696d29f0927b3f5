"""Where the hand should be: postures from targets."""
