"""Compliant surfaces, planes and spheres, in contact with frames of a mechanism."""

from linkwright.dynamics.contact.compliant import Plane, Sphere, Surface, dissipation, energy, gap, wrench

__all__ = ["Plane", "Sphere", "Surface", "dissipation", "energy", "gap", "wrench"]
