"""Controllers, actuator models, external forces and noise."""
