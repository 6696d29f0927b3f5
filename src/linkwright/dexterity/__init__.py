"""Dexterity of a frame at a configuration: lost and free directions, and wrenches of joint efforts."""

from linkwright.dexterity.pictures import draw_ellipsoids
from linkwright.dexterity.statics import StaticWrench, null_space, singular_directions, static_wrench

__all__ = ["StaticWrench", "draw_ellipsoids", "null_space", "singular_directions", "static_wrench"]
