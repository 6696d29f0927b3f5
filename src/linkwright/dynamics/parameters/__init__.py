"""What efforts, energy and momentum are in the inertial parameters, in which they are linear."""
