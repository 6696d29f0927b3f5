"""Forces of joints, springs and dampers."""
