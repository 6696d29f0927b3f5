"""Parsing of arguments: postures, velocities, parameters, targets, heights and pushes."""
