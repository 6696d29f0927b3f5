"""Identification of inertial and kinematic parameters from measurements, and planning of measurements."""
