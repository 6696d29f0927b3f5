"""What a mechanism touches: compliant surfaces, planes and spheres, at frames of its bodies."""

from linkwright.dynamics.contact.compliant import Contact, Plane, Sphere, dissipation, energy, gap, wrench

__all__ = ["Contact", "Plane", "Sphere", "dissipation", "energy", "gap", "wrench"]
