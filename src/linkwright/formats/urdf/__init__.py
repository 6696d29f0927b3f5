"""URDF, ROS's robot files, and xacro, the programs that write them."""

from linkwright.formats.urdf.reading import parse_urdf, read_urdf

__all__ = ["parse_urdf", "read_urdf"]
