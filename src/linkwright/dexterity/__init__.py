"""What a frame can do where its mechanism stands: directions that are lost or free, and wrenches from efforts."""

from linkwright.dexterity.pictures import draw_ellipsoids
from linkwright.dexterity.statics import StaticWrench, null_space, singular_directions, static_wrench

__all__ = ["StaticWrench", "draw_ellipsoids", "null_space", "singular_directions", "static_wrench"]
