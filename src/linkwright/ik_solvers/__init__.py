"""Inverse kinematics: configurations from targets, joint velocities from rates of frames."""
