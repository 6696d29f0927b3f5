"""Jacobians of frames, their derivatives and manipulability measures."""
