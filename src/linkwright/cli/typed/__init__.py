"""What users type, read: robots, postures, velocities, parameters, heights and pushes."""
