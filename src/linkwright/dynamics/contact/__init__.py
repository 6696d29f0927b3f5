"""What a mechanism touches: compliant surfaces, planes and spheres, at frames of its bodies."""

from linkwright.dynamics.contact.compliant import Plane, Sphere, Surface, dissipation, energy, gap, wrench

__all__ = ["Plane", "Sphere", "Surface", "dissipation", "energy", "gap", "wrench"]
